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
//!
//! Paper: [palomba2019] Eqs. (22), (26), (27), (29).
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use super::{EigenpairSeries, LeftSeries};
use crate::bordered::{Bordered, Parts, PseudoInverse};
use crate::pencil_series::{Completeness, PencilSeries};
use crate::polish::{PolishOptions, RefinedEigenpair, StartingEigenpair, polish_factored};
use crate::storage::Storage;
use crate::vectors::{add_matvec, add_matvec_transpose, axpy, is_finite, zeros};
use crate::{MultiIndexSet, ParametricError, multi_index::check_memory};
use mb_algebra::{QuadraticPencil, Sparse, c64, interrupt};
use rayon::prelude::*;

/// What is held constant while the parameters move. The eigenvalue does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gauge {
    /// phi0^H phi(x) = 1 with phi0 of unit size: corrections are orthogonal to phi0, as in
    /// palomba2019.
    #[default]
    Projection,
    /// Component `k` of phi keeps its value.
    Component(usize),
    /// As [`Gauge::Projection`], by the pseudo-inverse of palomba2019, Eq. (28): dense, slower and
    /// less accurate in the vectors. With constraints the multipliers count in the projection.
    PseudoInverse,
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
/// Errors: the errors of [`crate::polish`]; a set over another number of parameters;
/// [`ParametricError::BeyondMatrices`]; [`ParametricError::GaugeVanishes`];
/// [`ParametricError::Overflow`].
pub fn expand<A: Storage>(
    pencil: &PencilSeries<A>,
    start: &StartingEigenpair,
    set: &MultiIndexSet,
    options: &ExpandOptions,
) -> Result<EigenpairSeries, ParametricError> {
    let terms = matching_terms(pencil, set)?;
    // phi, M phi, C phi and l, and the same again for the left vector.
    let each = 16.0 * (3 * pencil.nv() + pencil.nc()) as f64;
    let bytes = each * set.len() as f64 * if options.left { 2.0 } else { 1.0 };
    check_memory("an eigenpair", set.len(), pencil.nv(), bytes)?;
    let centre = pencil.centre();
    let (pair, bordered) = polish_factored(&centre, start, &options.polish)?;
    let solver = solver(&centre, &pair, bordered, options.gauge)?;
    let right = Recursion::run(pencil, set, &terms, &pair, &solver)?;
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

/// Expands several eigenpairs, shared out over the available cores; one answer for each start, in
/// their order and independent of the number of cores.
pub fn expand_all<A: Storage>(
    pencil: &PencilSeries<A>,
    starts: &[StartingEigenpair],
    set: &MultiIndexSet,
    options: &ExpandOptions,
) -> Vec<Result<EigenpairSeries, ParametricError>> {
    let scope = interrupt::scope_here();
    starts.par_iter().map(|start| scope.enter(|| expand(pencil, start, set, options))).collect()
}

/// What solves for each degree.
enum Solver<'a, A: Storage> {
    Bordered(Bordered<'a, A>),
    PseudoInverse(PseudoInverse),
}

impl<A: Storage> Solver<'_, A> {
    fn solve(&self, rhs: &Parts) -> Parts {
        match self {
            Self::Bordered(bordered) => bordered.solve(rhs),
            Self::PseudoInverse(inverse) => inverse.solve(rhs),
        }
    }
}

/// The solver of a gauge; `bordered` is the one of the projection.
fn solver<'a, A: Storage>(
    centre: &'a QuadraticPencil<A>,
    pair: &RefinedEigenpair,
    bordered: Bordered<'a, A>,
    gauge: Gauge,
) -> Result<Solver<'a, A>, ParametricError> {
    Ok(match gauge {
        Gauge::Projection => Solver::Bordered(bordered),
        Gauge::Component(component) => {
            let row = gauge_row(component, &pair.vector)?;
            Solver::Bordered(Bordered::new(centre, pair.s, &pair.vector, &row, Some(&pair.left))?)
        }
        Gauge::PseudoInverse => Solver::PseudoInverse(PseudoInverse::new(centre, pair.s, &pair.vector)?),
    })
}

/// The series of z = conj(y): the right vector of the transposed pencil at the same eigenvalue.
fn left_series<A: Storage>(
    pencil: &PencilSeries<A>,
    set: &MultiIndexSet,
    terms: &[Option<usize>],
    pair: &RefinedEigenpair,
    options: &PolishOptions,
) -> Result<LeftSeries, ParametricError> {
    let transposed = pencil.transpose();
    let start = StartingEigenpair { s: pair.s, vector: pair.left.clone() };
    let centre = transposed.centre();
    let (left, bordered) = polish_factored(&centre, &start, options)?;
    let run = Recursion::run(&transposed, set, terms, &left, &Solver::Bordered(bordered))?;
    Ok(LeftSeries { vectors: run.phi, multipliers: run.l })
}

/// For every member of `set` the number of the coefficient matrices, none where they vanish.
pub(crate) fn matching_terms<A: Storage>(
    pencil: &PencilSeries<A>,
    set: &MultiIndexSet,
) -> Result<Vec<Option<usize>>, ParametricError> {
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
struct Recursion<'a, A: Storage> {
    pencil: &'a PencilSeries<A>,
    terms: &'a [Option<usize>],
    s: Vec<c64>,
    phi: Vec<Vec<c64>>,
    l: Vec<Vec<c64>>,
    /// s^2, M phi, C phi.
    w: Vec<c64>,
    u: Vec<Vec<c64>>,
    v: Vec<Vec<c64>>,
}

impl<'a, A: Storage> Recursion<'a, A> {
    /// All degrees.
    fn run(
        pencil: &'a PencilSeries<A>,
        set: &MultiIndexSet,
        terms: &'a [Option<usize>],
        pair: &RefinedEigenpair,
        solver: &Solver<'_, A>,
    ) -> Result<Self, ParametricError> {
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
            interrupt::check();
            run.add_term(solver, splits);
            if !(is_finite(&run.s[number..]) && is_finite(&run.phi[number]) && is_finite(&run.l[number])) {
                let degree = set.exponents(number).iter().map(|&e| usize::from(e)).sum();
                return Err(ParametricError::Overflow { degree });
            }
        }
        Ok(run)
    }

    /// The next multi-index; `splits` are the pairs that add up to it, (0, sigma) first and
    /// (sigma, 0) last.
    fn add_term(&mut self, solver: &Solver<'_, A>, splits: &[(usize, usize)]) {
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
        let found = solver.solve(&Parts { x: r, l: h, t: vec![c64::ZERO] });
        self.s.push(found.t[0]);
        self.w.push(w + 2.0 * self.s[0] * found.t[0]);
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

/// A row of unit size; the right-hand side of the gauge is zero in every degree.
fn gauge_row(component: usize, phi: &[c64]) -> Result<Vec<c64>, ParametricError> {
    let Some(value) = phi.get(component) else {
        let (what, expected, found) = ("the eigenvector for the gauge", component + 1, phi.len());
        return Err(ParametricError::WrongLength { what, expected, found });
    };
    let largest = phi.iter().map(|z| z.norm()).fold(0.0, f64::max);
    let size = value.norm() / largest;
    if size < 1e-8 {
        return Err(ParametricError::GaugeVanishes { component, size });
    }
    let mut row = zeros(phi.len());
    row[component] = c64::ONE;
    Ok(row)
}
