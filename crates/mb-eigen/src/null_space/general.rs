//! Null directions of K on the admissible directions, of damped, gyroscopic and unsymmetric problems.
//!
//! ```text
//! N = S^-1 D,  S = D + K,  D = a^2 M + a C,  a > 0 small:   K x + Phi_q^T l = 0  <=>  N x = x
//! ```
//!
//! Subspace iteration with N; directions with N x - x at rounding and K x + Phi_q^T l at rounding ([`super::departure`]) are rigid. The left
//! null space comes from the transposed problem. Sizes: x of length n.

use mb_algebra::{Dense, Svd, to_dense};

use super::departure;
use super::orthonormal::orthonormal;
use crate::EigenError;
use crate::error::at;
use crate::krylov::scalar::{hstack, norm, pick, product, start_block};
use crate::numeric::vectors::column_range;
use crate::problem::Problem;
use crate::transform::factors::{Effort, ShiftSolve, Solution};
use crate::tuning;

/// Null directions from one side.
#[derive(Clone, Debug)]
pub(crate) struct NullSpace {
    /// Of length one and orthogonal up to rounding, n x p.
    pub(crate) x: Dense,
    /// Multipliers of the independent rows at length one, r x p.
    pub(crate) l: Dense,
    /// How many of the first columns are exact, known otherwise than from the entries of K: without multipliers.
    pub(crate) known: usize,
    /// Smallest |N x - x| among the other directions looked at: about kappa, with K x = kappa D x.
    pub(crate) next: Option<f64>,
    /// Whether some direction is as near to the null space as rounding of N shows, though K x says it is none: in a chain of a
    /// problem without mass rounding moves x by u |K| / (a |C|) towards x_1.
    pub(crate) doubtful: bool,
}

/// a^2 M X + a C X.
pub(super) fn weight(problem: &Problem, a: f64, x: &Dense) -> Dense {
    let (m, c) = (problem.m.mul(x), problem.c.mul(x));
    Dense::from_fn(x.nrows(), x.ncols(), |i, j| a * (a * m[(i, j)] + c[(i, j)]))
}

/// N X and its multipliers as X - S^-1 K X: what rounding of S leaves is relative to K X, which is rounding itself, so that components
/// that are zero come out as zero. X is admissible.
fn step(
    problem: &Problem,
    solver: &dyn ShiftSolve<f64>,
    x: &Dense,
    transposed: bool,
) -> Result<[Dense; 2], EigenError> {
    let Solution { x: change, mut l } = solver.solve(&problem.k.mul(x), transposed, Effort::Final)?;
    for j in 0..l.ncols() {
        l.col_as_slice_mut(j).iter_mut().for_each(|v| *v = -*v);
    }
    let next = Dense::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)] - change[(i, j)]);
    Ok([next, l])
}

/// The columns on which M or C acts; of the others rounding is all that a right-hand side would hold.
pub(super) fn weighted(problem: &Problem, x: Dense) -> Dense {
    let (m, c) = (problem.m.mul(&x), problem.c.mul(&x));
    let acts = |a: &Dense, matrix: &crate::problem::matrix::Matrix, j: usize| {
        // |M x| and |C x| relative to their norms below which x has neither mass nor damping.
        norm(a.col_as_slice(j)) > tuning::FEW_ROUNDINGS * matrix.norm * norm(x.col_as_slice(j))
    };
    let kept: Vec<usize> =
        (0..x.ncols()).filter(|&j| acts(&m, &problem.m, j) || acts(&c, &problem.c, j)).collect();
    if kept.len() == x.ncols() { x } else { pick(&x, &kept) }
}

/// The null directions, those that are known first and others found with the factors of S at `a`; `transposed` for those of the transposed problem, which
/// `problem` then is.
pub(crate) fn find(
    problem: &Problem,
    solver: &dyn ShiftSolve<f64>,
    a: f64,
    transposed: bool,
    tolerance: f64,
) -> Result<NullSpace, EigenError> {
    let n = problem.n;
    let (x, l) = (Dense::zeros(n, 0), Dense::zeros(problem.rows.rank, 0));
    let mut out = NullSpace { x, l, known: 0, next: None, doubtful: false };
    // Directions that are known need no search.
    if let Some(still) = problem.still.as_deref().filter(|_| !transposed) {
        out.x = orthonormal(&out.x, weighted(problem, to_dense(still)));
        out.known = out.x.ncols();
    }
    let apply = |x: &Dense, effort| solver.solve(&weight(problem, a, x), transposed, effort);
    for round in 0_u32.. {
        // Directions looked at together.
        let width = (tuning::WIDTH << round.min(4)).min(n);
        let mut q = start_block::<f64>(n, width, 0x2e10 + u64::from(round));
        // Steps of the subspace iteration.
        for _ in 0..tuning::ATTEMPTS {
            q = weighted(problem, q);
            if q.ncols() > 0 {
                let image = apply(&q, Effort::Krylov)?.x;
                // |N x| / |x| below which x has no part in the null space, and its image may be rounding.
                let part =
                    |j: &usize| norm(image.col_as_slice(*j)) > tuning::EPS_2_3 * norm(q.col_as_slice(*j));
                let kept: Vec<usize> = (0..q.ncols()).filter(part).collect();
                q = orthonormal(&out.x, pick(&image, &kept));
            }
        }
        if q.ncols() == 0 {
            break;
        }
        let image = apply(&q, Effort::Final)?.x;
        let error = Dense::from_fn(n, q.ncols(), |i, j| q[(i, j)] - image[(i, j)]);
        let svd = Svd::new(&error).map_err(at("Null space of the stiffness matrix"))?;
        let distance = |j: usize| svd.s.get(j).copied().unwrap_or(0.0);
        // |N x - x| of a direction that is looked at: rounding of S may be a large part of what M adds to K there.
        let candidates: Vec<usize> = (0..q.ncols()).filter(|&j| distance(j) <= tuning::MINOR).collect();
        out.next =
            (0..q.ncols()).filter(|j| !candidates.contains(j)).map(distance).chain(out.next).reduce(f64::min);
        let mut x = product(q.as_ref(), pick(&svd.v, &candidates).as_ref());
        // Columns of q may be rounding of others, which no constraint holds: their images are admissible.
        let first = apply(&x, Effort::Final)?;
        x = first.x;
        let mut l = first.l;
        for _ in 0..2 {
            [x, l] = step(problem, solver, &x, transposed)?;
        }
        let rest = departure::as_a_whole(problem, &x, &l);
        // The nearest ones, the last of falling distances, are those that are known to exist.
        let known = problem.least_zeros.saturating_sub(out.x.ncols()).min(candidates.len());
        let others = candidates.len() - known;
        let clear =
            // |N x - x| of directions that are known to be rigid is below this share of that of all others, where N shows them.
            |j: usize| others == 0 || distance(candidates[j]) <= tuning::CLEAR * distance(candidates[others - 1]);
        let rigid: Vec<usize> = (0..x.ncols())
            .filter(|&j| {
                if j >= others && clear(others) {
                    return true;
                }
                let gap = distance(candidates[j]) <= tuning::SQRT_EPS;
                // Change of the entries of K, relative to themselves, at which a direction is rigid.
                rest[j] <= tuning::MANY_ROUNDINGS || (gap && rest[j] <= tolerance)
            })
            .collect();
        out.doubtful |=
            (0..candidates.len()).any(|j| distance(candidates[j]) <= tuning::SQRT_EPS && !rigid.contains(&j));
        if rigid.len() < candidates.len() {
            let nearest =
                (0..candidates.len()).filter(|j| !rigid.contains(j)).map(|j| distance(candidates[j]));
            out.next = nearest.chain(out.next).reduce(f64::min);
        }
        if rigid.is_empty() {
            break;
        }
        let found = orthonormal(&out.x, pick(&x, &rigid));
        out.x = hstack(out.x.as_ref(), found.as_ref());
        if rigid.len() < q.ncols() {
            break;
        }
    }
    // Rounding of K would move those that are known.
    let found = column_range(&out.x, out.known, out.x.ncols());
    let mut l = Dense::zeros(problem.rows.rank, out.known);
    if found.ncols() > 0 {
        let [mut x, mut own] = step(problem, solver, &found, transposed)?;
        for j in 0..x.ncols() {
            let by = norm(x.col_as_slice(j)).recip();
            x.col_as_slice_mut(j).iter_mut().for_each(|v| *v *= by);
            own.col_as_slice_mut(j).iter_mut().for_each(|v| *v *= by);
        }
        out.x = hstack(column_range(&out.x, 0, out.known).as_ref(), x.as_ref());
        l = hstack(l.as_ref(), own.as_ref());
    }
    out.l = l;
    Ok(out)
}
