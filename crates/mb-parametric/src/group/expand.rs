//! The recursion over degrees for a group.

use super::GroupSeries;
use super::blocks::{Tall, add, inner, times};
use super::columns::Columns;
use super::start::{invariant, scaled};
use crate::eigenpair_series::matching_terms;
use crate::pencil_series::PencilSeries;
use crate::polish::check_pencil;
use crate::storage::Storage;
use crate::vectors::{add_matvec, add_matvec_transpose, is_finite, zeros};
use crate::{MultiIndexSet, ParametricError};
use mb_algebra::{DenseC, QuadraticPencil, Sparse, c64};

/// Expands the group of the eigenvalues `values` (rad/s, repeated ones as often as they are) over
/// `set`. Approximate values are enough; vectors are not needed.
///
/// Errors: no values, more than the problem has, values that are not finite; those of
/// [`crate::expand`] on sets and matrices; [`ParametricError::GroupNotSeparate`];
/// [`ParametricError::Overflow`].
pub fn expand_group<A: Storage>(
    pencil: &PencilSeries<A>,
    values: &[c64],
    set: &MultiIndexSet,
) -> Result<GroupSeries, ParametricError> {
    let terms = matching_terms(pencil, set)?;
    let centre = pencil.centre();
    check_pencil(&centre)?;
    check_values(values, 2 * pencil.nv())?;
    let pair = invariant(&centre, values)?;
    let columns = Columns::new(&centre, &pair)?;
    let k = values.len();
    let w0 = pair.x.clone();
    let w1 = times(&pair.x, &scaled(&pair.s, 1.0 / (pair.omega * pair.omega)));
    let v0 = times(&pair.x, &pair.s);
    let mut run = Run {
        pencil,
        terms: &terms,
        u: vec![times(&v0, &pair.s)],
        v: vec![v0],
        x: vec![pair.x],
        l: vec![pair.l],
        s: vec![pair.s],
    };
    for (number, splits) in set.splits().iter().enumerate().skip(1) {
        let Known { r, h, v, u } = run.known(splits);
        // The gauge's known part: W1^H of the known part of X S.
        let g = inner(&w1, &v);
        let minus = |tall: Tall| -> Tall { tall.iter().map(|c| c.iter().map(|z| -z).collect()).collect() };
        let g = DenseC::from_fn(k, k, |i, j| -g[(i, j)]);
        let found = columns.solve(&centre, &minus(r), &minus(h), &g);
        let finite = found.x.iter().chain(&found.l).all(|c| is_finite(c));
        if !finite || (0..k).any(|j| !is_finite(found.s.col_as_slice(j))) {
            let degree = set.exponents(number).iter().map(|&e| usize::from(e)).sum();
            return Err(ParametricError::Overflow { degree });
        }
        run.push(found.x, found.l, found.s, v, u);
    }
    Ok(GroupSeries::new(set.clone(), run.s, run.x, run.l, columns.gap(), w0))
}

/// The eigenvalues of a group of one problem (rad/s, sorted by imaginary and then by real part), next to values that are
/// known well, repeated ones as often as they are.
///
/// Errors: as [`expand_group`].
pub fn group_values<A: Storage>(p: &QuadraticPencil<A>, near: &[c64]) -> Result<Vec<c64>, ParametricError> {
    check_pencil(p)?;
    check_values(near, 2 * p.m.size().0)?;
    let s = invariant(p, near)?.s;
    let mut values: Vec<c64> = (0..s.nrows()).map(|i| s[(i, i)]).collect();
    values.sort_by(|a, b| a.im.total_cmp(&b.im).then(a.re.total_cmp(&b.re)));
    Ok(values)
}

/// At least one value, at most as many as the problem has, all finite.
fn check_values(values: &[c64], most: usize) -> Result<(), ParametricError> {
    if values.is_empty() || values.len() > most {
        let (what, found) = ("the list of eigenvalues", values.len());
        return Err(ParametricError::WrongLength { what, expected: most.min(1), found });
    }
    if is_finite(values) { Ok(()) } else { Err(ParametricError::BadStart) }
}

/// The series found so far; V = X S, U = V S.
struct Run<'a, A: Storage> {
    pencil: &'a PencilSeries<A>,
    terms: &'a [Option<usize>],
    x: Vec<Tall>,
    l: Vec<Tall>,
    s: Vec<DenseC>,
    v: Vec<Tall>,
    u: Vec<Tall>,
}

/// What lower degrees bring into one.
struct Known {
    r: Tall,
    h: Tall,
    v: Tall,
    u: Tall,
}

impl<A: Storage> Run<'_, A> {
    fn known(&self, splits: &[(usize, usize)]) -> Known {
        let (n, nc, k) = (self.pencil.nv(), self.pencil.nc(), self.s[0].nrows());
        let (mut v, mut u): (Tall, Tall) = (vec![zeros(n); k], vec![zeros(n); k]);
        for &(alpha, beta) in &splits[1..splits.len() - 1] {
            add(&mut v, c64::ONE, &times(&self.x[alpha], &self.s[beta]));
            add(&mut u, c64::ONE, &times(&self.v[alpha], &self.s[beta]));
        }
        add(&mut u, c64::ONE, &times(&v, &self.s[0]));
        let (mut r, mut h): (Tall, Tall) = (vec![zeros(n); k], vec![zeros(nc); k]);
        let matrices = self.pencil.sparse();
        let product = |out: &mut Tall, a: &Sparse, x: &Tall| {
            out.iter_mut().zip(x).for_each(|(o, x)| add_matvec(o, a, x));
        };
        for &(alpha, beta) in &splits[1..] {
            let Some(term) = self.terms[alpha] else { continue };
            if let Some(a) = &matrices.m[term] {
                product(&mut r, a, &self.u[beta]);
            }
            if let Some(a) = &matrices.c[term] {
                product(&mut r, a, &self.v[beta]);
            }
            if let Some(a) = &matrices.k[term] {
                product(&mut r, a, &self.x[beta]);
            }
            if let Some(a) = &matrices.phi_q[term] {
                product(&mut h, a, &self.x[beta]);
                r.iter_mut().zip(&self.l[beta]).for_each(|(o, l)| add_matvec_transpose(o, a, l));
            }
        }
        // The centre's M and C act on the known parts of U and V.
        if let Some(a) = self.terms[0].and_then(|term| matrices.m[term].as_ref()) {
            product(&mut r, a, &u);
        }
        if let Some(a) = self.terms[0].and_then(|term| matrices.c[term].as_ref()) {
            product(&mut r, a, &v);
        }
        Known { r, h, v, u }
    }

    /// Takes a degree's coefficients in, with the known parts of V and U.
    fn push(&mut self, x: Tall, l: Tall, s: DenseC, mut v: Tall, mut u: Tall) {
        // V = X S[0] + X[0] S + known, U = (V - known) S[0] + V[0] S + known (S[0] is in it).
        let mut new = times(&x, &self.s[0]);
        add(&mut new, c64::ONE, &times(&self.x[0], &s));
        add(&mut u, c64::ONE, &times(&new, &self.s[0]));
        add(&mut u, c64::ONE, &times(&self.v[0], &s));
        add(&mut v, c64::ONE, &new);
        self.x.push(x);
        self.l.push(l);
        self.s.push(s);
        self.v.push(v);
        self.u.push(u);
    }
}
