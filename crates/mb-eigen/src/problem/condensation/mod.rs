//! Undamped symmetric problems with tied coordinates in one coordinate for each tree of ties.
//!
//! ```text
//! x = B y,   (B^T K B - w B^T M B) y + Phi'^T l' = 0,  Phi' y = 0,   Phi' = rows that stay times B
//! ```
//!
//! Joints of bounds, chains and grids often say no more than that two coordinates are equal, and supports that one is
//! zero. Left in the matrix, as the other constraints are, each costs a row and a coordinate in factors, vectors and
//! products; with them taken out a chain of bounds is a band of three entries a row and a third of the unknowns. w,
//! vectors in M and the inertia of K - sigma M on the admissible directions are the same. What is claimed of the modes
//! is measured on the matrices as given, with the multipliers of all rows ([`ties`]). Sizes: n coordinates x, k of
//! them y.

mod ties;

use std::sync::Arc;

use mb_algebra::{Dense, Sparse, sparse};

use self::ties::Ties;
use super::Problem;
use super::constraint_rows::Rows;
use super::matrix::Matrix;
use crate::EigenError;
use crate::options::SparseOptions;
use crate::problem::modes::Modes;
use crate::transform::factors::Shifted;
use crate::transform::factors::{Effort, ShiftSolve, Solution, Work};

/// Coordinates for each row taken out up to which that saves work.
const WORTH: usize = 8;

/// A problem in fewer coordinates.
#[derive(Debug)]
pub(crate) struct Merged {
    pub(crate) problem: Problem<'static>,
    pub(crate) ties: Ties,
    /// The independent rows that stay, on x.
    rest: Matrix<'static>,
}

impl Merged {
    /// None where too few coordinates are tied, where the factors are for single precision, which has its own ways, or where anything is in
    /// doubt.
    pub(crate) fn of(problem: &Problem<'_>, options: &SparseOptions) -> Option<Self> {
        let given = problem.rows.independent.sparse();
        let (r, n) = given.shape();
        if r * WORTH < n || r.max(n) >= u32::MAX as usize || problem.stiffness().len() > 1 {
            return None;
        }
        let ties = Ties::new(given);
        if ties.count() * WORTH < n || ties.merged == 0 {
            return None;
        }
        let stay = ties.rows_that_stay(given)?;
        if dense_block(&stay) >= options.expert.single_from {
            return None;
        }
        let [m, k] = [&problem.m, &problem.k].map(|a| ties.both_sides(a.for_factors()));
        let rows = Rows::new(&stay, options.expert.constraint_rank).ok()?;
        if rows.rank < rows.m || !rows.findings.is_empty() {
            return None;
        }
        let ((m, _), (k, lost)) = (m?, k?);
        let still = problem.still.as_ref().map(|still| Arc::new(ties.represented_columns(still)));
        let problem = Problem { still, ..problem.in_coordinates([m, k], lost, rows, options) };
        if !problem.symmetric || problem.factor_operations() >= options.expert.single_from {
            return None;
        }
        let rest = Matrix::owned(sparse::select_rows(given, &ties.rest), 0.0);
        Some(Self { problem, ties, rest })
    }

    /// Multipliers of the r independent rows at length one from forces, n x p, which they hold and which are lost, and from those of
    /// the rows that stay, of the independent ones of these at length one.
    fn multipliers(&self, force: &mut Dense, inner: &Dense) -> Dense {
        self.held(force, &self.problem.rows.multipliers(inner))
    }

    /// The same from those of the rows that stay as they are in x.
    pub(crate) fn held(&self, force: &mut Dense, of_rest: &Dense) -> Dense {
        let mut l = Dense::zeros(self.ties.count() + self.ties.rest.len(), force.ncols());
        if !self.ties.rest.is_empty() {
            let held = self.rest.mul_transpose(of_rest);
            for j in 0..force.ncols() {
                take(force.col_as_slice_mut(j), held.col_as_slice(j));
                for (at, &row) in self.ties.rest.iter().enumerate() {
                    l[(row, j)] = of_rest[(at, j)];
                }
            }
        }
        for j in 0..force.ncols() {
            self.ties.hold(force.col_as_slice_mut(j), l.col_as_slice_mut(j));
        }
        l
    }

    /// Modes of the problem in x: Phi^T l = w M x - K x.
    pub(crate) fn unfold(&self, problem: &Problem<'_>, modes: &Modes) -> Modes {
        let x = self.ties.unfold(&modes.x);
        let mut l = Dense::zeros(problem.rows.rank, modes.w.len());
        let (mut force, mut kx) = (Dense::zeros(problem.n, 1), Dense::zeros(problem.n, 1));
        for (j, &w) in modes.w.iter().enumerate() {
            let own = x.as_ref().subcols(j, 1);
            problem.m.mul_into(own, force.as_mut());
            problem.k.mul_into(own, kx.as_mut());
            let pairs = force.col_as_slice_mut(0).iter_mut().zip(kx.col_as_slice(0));
            pairs.for_each(|(force, kx)| *force = w * *force - kx);
            let inner = modes.l.as_ref().subcols(j, 1).to_owned();
            l.as_mut().subcols_mut(j, 1).copy_from(self.multipliers(&mut force, &inner));
        }
        Modes { w: modes.w.clone(), x, l, rigid: modes.rigid }
    }

    /// Factors at a shift as those of the problem in x.
    pub(crate) fn unfold_factors(self: &Arc<Self>, problem: &Problem<'_>, inner: Shifted) -> Shifted {
        let a = Matrix::owned(problem.combine(-inner.sigma, 0.0, 1.0), 0.0);
        let solver = Unfolded { merged: Arc::clone(self), inner: inner.solver, a };
        Shifted { sigma: inner.sigma, solver: Arc::new(solver) }
    }
}

/// Operations in the block that the coordinate in the most rows fills, whatever the order: the multipliers of those rows in which it comes
/// last and the partners that come after it in the others are all neighbours once it is eliminated, one for each row.
///
/// Known without an analysis, whose lists are as long as that block has entries.
fn dense_block(rows: &Sparse) -> f64 {
    let mut touching = vec![0_u32; rows.cols()];
    for (value, (_, column)) in rows {
        touching[column] += u32::from(*value != 0.0);
    }
    f64::from(touching.into_iter().max().unwrap_or(0)).powi(3) / 3.0
}

/// x <- x - y.
fn take(x: &mut [f64], y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x -= y);
}

/// A saddle-point matrix in x by factors in y.
struct Unfolded {
    merged: Arc<Merged>,
    inner: Arc<dyn ShiftSolve<f64>>,
    /// K - sigma M.
    a: Matrix<'static>,
}

impl Unfolded {
    /// X = X_0 + B Y and the multipliers; F holds A X_0 no more.
    fn finish(&self, f: &Dense, before: Option<Dense>, inner: &Solution<f64>) -> Solution<f64> {
        let mut x = self.merged.ties.unfold(&inner.x);
        if let Some(before) = before {
            x += before;
        }
        let mut force = f - self.a.mul(&x);
        let l = self.merged.multipliers(&mut force, &inner.l);
        Solution { x, l }
    }
}

impl ShiftSolve<f64> for Unfolded {
    fn solve(&self, f: &Dense, _transposed: bool, effort: Effort) -> Result<Solution<f64>, EigenError> {
        let inner = self.inner.solve(&self.merged.ties.fold(f), false, effort)?;
        Ok(self.finish(f, None, &inner))
    }

    fn solve_both(&self, f: &Dense, g: &Dense) -> Option<Solution<f64>> {
        let Merged { problem, ties, rest } = &*self.merged;
        let mut before = Dense::zeros(f.nrows(), f.ncols());
        for j in 0..f.ncols() {
            ties.violated(g.col_as_slice(j), before.col_as_slice_mut(j));
        }
        let force = ties.fold(&(f - self.a.mul(&before)));
        let inner = if ties.rest.is_empty() {
            self.inner.solve(&force, false, Effort::Krylov).ok()?
        } else {
            let asked = rest.mul(&before);
            let of_row = |i: usize, j: usize| g[(ties.rest[i], j)] - asked[(i, j)];
            let asked = Dense::from_fn(ties.rest.len(), f.ncols(), of_row);
            self.inner.solve_both(&force, &problem.rows.independent_violations(&asked))?
        };
        Some(self.finish(f, Some(before), &inner))
    }

    fn negative(&self) -> Option<usize> {
        self.inner.negative()
    }

    fn work(&self) -> Work {
        self.inner.work()
    }
}

#[cfg(test)]
mod tests;
