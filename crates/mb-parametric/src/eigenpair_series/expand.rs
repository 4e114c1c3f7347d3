//! The recursion over degrees.
//!
//! With w = s^2, u = M phi, v = C phi as series of their own, the known part of degree sigma is
//! (sums over alpha + beta = sigma)
//!
//! ```text
//! r = sum (w[a] u[b] + s[a] v[b] + K[a] phi[b] + Phi_q[a]^T l[b]),   h = sum Phi_q[a] phi[b]
//! ```
//!
//! with phi[sigma], l[sigma] and s[sigma] put to zero. Each pair (alpha, beta) costs one product
//! with a coefficient matrix, none when that is zero.

use super::{EigenpairSeries, LeftSeries};
use crate::bordered::{Bordered, Parts};
use crate::pencil_series::{Completeness, PencilSeries};
use crate::polish::{PolishOptions, PolishedPair, StartingPair, polish};
use crate::vectors::{add_matvec, add_matvec_transpose, axpy, is_finite, zeros};
use crate::{MultiIndexSet, ParametricError};
use mb_algebra::{Sparse, c64};

/// What is held constant while the parameters move. The eigenvalue does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gauge {
    /// phi0^H phi(x) = 1 with phi0 of unit size: corrections are orthogonal to phi0, as in
    /// palomba2019.
    #[default]
    Projection,
    /// Component `k` of phi keeps its value.
    Component(usize),
}

/// How an eigenpair is expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExpandOptions {
    /// Scale of the vector. Default: [`Gauge::Projection`].
    pub gauge: Gauge,
    /// Expand the left vector too, at twice the cost; it sharpens
    /// [`EigenpairSeries::check`]. Default: false.
    pub left: bool,
    /// How the start is improved and judged.
    pub polish: PolishOptions,
}

/// Expands the eigenpair near `start` over `set`.
///
/// `set` may reach beyond the matrices when these are polynomials; its order is free of theirs.
///
/// Errors: those of [`polish`]; a set over another number of parameters;
/// [`ParametricError::BeyondMatrices`]; [`ParametricError::GaugeVanishes`];
/// [`ParametricError::Overflow`].
pub fn expand(
    pencil: &PencilSeries,
    start: &StartingPair,
    set: &MultiIndexSet,
    options: &ExpandOptions,
) -> Result<EigenpairSeries, ParametricError> {
    let terms = matching_terms(pencil, set)?;
    let pair = polish(&pencil.centre(), start, &options.polish)?;
    let right = Recursion::run(pencil, set, &terms, &pair, options.gauge)?;
    let left = if options.left {
        left_series(pencil, set, &terms, &pair, &options.polish)?
    } else {
        LeftSeries { vectors: vec![pair.left], multipliers: vec![pair.left_multipliers] }
    };
    Ok(EigenpairSeries {
        set: set.clone(),
        s: right.s,
        vectors: right.phi,
        multipliers: right.l,
        left,
        gap: pair.gap,
        condition: pair.condition,
    })
}

/// The series of z = conj(y): the right vector of the transposed pencil at the same eigenvalue.
fn left_series(
    pencil: &PencilSeries,
    set: &MultiIndexSet,
    terms: &[Option<usize>],
    pair: &PolishedPair,
    options: &PolishOptions,
) -> Result<LeftSeries, ParametricError> {
    let transposed = pencil.transpose();
    let start = StartingPair { s: pair.s, vector: pair.left.clone() };
    let left = polish(&transposed.centre(), &start, options)?;
    let run = Recursion::run(&transposed, set, terms, &left, Gauge::Projection)?;
    Ok(LeftSeries { vectors: run.phi, multipliers: run.l })
}

/// For every member of `set` the number of the coefficient matrices, none where they vanish.
fn matching_terms(pencil: &PencilSeries, set: &MultiIndexSet) -> Result<Vec<Option<usize>>, ParametricError> {
    if set.parameters() != pencil.set().parameters() {
        let (expected, found) = (pencil.set().parameters(), set.parameters());
        let what = "a multi-index of the eigenpair's set";
        return Err(ParametricError::WrongLength { what, expected, found });
    }
    let terms: Vec<_> = set.iter().map(|sigma| pencil.set().number(sigma)).collect();
    match (pencil.completeness(), terms.iter().position(Option::is_none)) {
        (Completeness::Truncated, Some(first)) => {
            Err(ParametricError::BeyondMatrices { term: set.exponents(first).to_vec() })
        }
        _ => Ok(terms),
    }
}

/// The series found so far.
struct Recursion<'a> {
    pencil: &'a PencilSeries,
    terms: &'a [Option<usize>],
    s: Vec<c64>,
    phi: Vec<Vec<c64>>,
    l: Vec<Vec<c64>>,
    /// s^2, M phi, C phi.
    w: Vec<c64>,
    u: Vec<Vec<c64>>,
    v: Vec<Vec<c64>>,
}

impl<'a> Recursion<'a> {
    /// All degrees.
    fn run(
        pencil: &'a PencilSeries,
        set: &MultiIndexSet,
        terms: &'a [Option<usize>],
        pair: &PolishedPair,
        gauge: Gauge,
    ) -> Result<Self, ParametricError> {
        let row = gauge_row(gauge, &pair.vector)?;
        let bordered = Bordered::new(&pencil.centre(), pair.s, &pair.vector, &row)?;
        let mut run = Self {
            pencil,
            terms,
            s: vec![pair.s],
            phi: vec![pair.vector.clone()],
            l: vec![pair.multipliers.clone()],
            w: vec![pair.s * pair.s],
            u: Vec::new(),
            v: Vec::new(),
        };
        run.u.push(run.times(&pencil.sparse().m, zeros(pencil.nv()), 0));
        run.v.push(run.times(&pencil.sparse().c, zeros(pencil.nv()), 0));
        for (number, splits) in set.splits().iter().enumerate().skip(1) {
            run.add_term(&bordered, splits);
            if !(is_finite(&run.s[number..]) && is_finite(&run.phi[number]) && is_finite(&run.l[number])) {
                let degree = set.exponents(number).iter().map(|&e| usize::from(e)).sum();
                return Err(ParametricError::Overflow { degree });
            }
        }
        Ok(run)
    }

    /// The next multi-index; `splits` are the pairs that add up to it, (0, sigma) first and
    /// (sigma, 0) last.
    fn add_term(&mut self, bordered: &Bordered, splits: &[(usize, usize)]) {
        let (n, nc) = (self.pencil.nv(), self.pencil.nc());
        let matrices = self.pencil.sparse();
        let (mut u, mut v, mut r, mut h) = (zeros(n), zeros(n), zeros(n), zeros(nc));
        for &(alpha, beta) in &splits[1..] {
            let Some(term) = self.terms[alpha] else { continue };
            let phi = &self.phi[beta];
            for (out, list) in [(&mut u, &matrices.m), (&mut v, &matrices.c), (&mut r, &matrices.k)] {
                if let Some(a) = &list[term] {
                    add_matvec(out, a, phi);
                }
            }
            if let Some(a) = &matrices.phi_q[term] {
                add_matvec(&mut h, a, phi);
                add_matvec_transpose(&mut r, a, &self.l[beta]);
            }
        }
        let mut w = c64::ZERO;
        for &(alpha, beta) in &splits[1..splits.len() - 1] {
            w += self.s[alpha] * self.s[beta];
            axpy(&mut r, self.w[alpha], &self.u[beta]);
            axpy(&mut r, self.s[alpha], &self.v[beta]);
        }
        axpy(&mut r, self.w[0], &u);
        axpy(&mut r, self.s[0], &v);
        axpy(&mut r, w, &self.u[0]);
        r.iter_mut().chain(&mut h).for_each(|z| *z = -*z);
        let found = bordered.solve(&Parts { x: r, l: h, t: c64::ZERO });
        self.s.push(found.t);
        self.w.push(w + 2.0 * self.s[0] * found.t);
        self.phi.push(found.x);
        self.l.push(found.l);
        let number = self.phi.len() - 1;
        self.u.push(self.times(&matrices.m, u, number));
        self.v.push(self.times(&matrices.c, v, number));
    }

    /// `sum` plus the constant coefficient of a matrix times vector `number`.
    fn times(&self, list: &[Option<Sparse>], mut sum: Vec<c64>, number: usize) -> Vec<c64> {
        if let Some(a) = &list[0] {
            add_matvec(&mut sum, a, &self.phi[number]);
        }
        sum
    }
}

/// The row c with c^H phi0 = 1.
fn gauge_row(gauge: Gauge, phi: &[c64]) -> Result<Vec<c64>, ParametricError> {
    let Gauge::Component(component) = gauge else { return Ok(phi.to_vec()) };
    let Some(value) = phi.get(component) else {
        let (what, expected, found) = ("the eigenvector for the gauge", component + 1, phi.len());
        return Err(ParametricError::WrongLength { what, expected, found });
    };
    let largest = phi.iter().map(|z| z.norm()).fold(0.0, f64::max);
    let size = value.norm() / largest;
    if size < 1e-8 {
        return Err(ParametricError::GaugeVanishes { component, size });
    }
    // A row of unit size; the right-hand side of the gauge is zero in every degree.
    let mut row = zeros(phi.len());
    row[component] = c64::ONE;
    Ok(row)
}
