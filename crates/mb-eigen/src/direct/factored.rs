//! Factors of the scaled and shifted K_, with refinement on demand.

use mb_algebra::{AlgebraError, Dense, Sparse, SparseLu, StaticLu};

use super::options::Factorization;
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::transform::factors::{Factors, assemble_scaled};

impl Factors<f64> for StaticLu {
    fn solve(&self, b: &Dense) -> Dense {
        columns(b, |b| Self::solve(self, b))
    }

    fn solve_transposed(&self, b: &Dense) -> Dense {
        columns(b, |b| self.solve_transpose(b))
    }
}

fn columns(b: &Dense, solve: impl Fn(&[f64]) -> Vec<f64>) -> Dense {
    let mut out = b.clone();
    for j in 0..b.ncols() {
        out.col_as_slice_mut(j).copy_from_slice(&solve(b.col_as_slice(j)));
    }
    out
}

/// K_ = \[a^2 M + a C + K, k Phi^T; k Phi, 0\] with its factors; Phi the r independent rows as given.
pub(crate) struct Factored {
    /// By columns.
    pub(crate) matrix: Sparse,
    transposed: Sparse,
    factors: Box<dyn Factors<f64>>,
    refinements: usize,
    /// k.
    pub(crate) scale: f64,
    /// n.
    pub(crate) unknowns: usize,
    /// Pivots replaced.
    pub(crate) replaced: usize,
}

impl Factored {
    pub(crate) fn new(
        problem: &Problem,
        rows: &Matrix,
        scale: f64,
        shift: f64,
        factorization: Factorization,
        refinements: usize,
    ) -> Result<Self, AlgebraError> {
        let matrix = assemble_scaled(&problem.combine(shift * shift, shift, 1.0), rows, scale);
        let mut replaced = 0;
        let factors: Box<dyn Factors<f64>> = match factorization {
            Factorization::Pivoted => Box::new(SparseLu::new(&matrix)?),
            Factorization::Static { perturbation } => {
                let factors = StaticLu::new(&matrix, perturbation)?;
                replaced = factors.replaced();
                Box::new(factors)
            }
        };
        let transposed = mb_algebra::sparse::transpose(&matrix);
        Ok(Self { matrix, transposed, factors, refinements, scale, unknowns: problem.n, replaced })
    }

    /// n + r.
    pub(crate) fn size(&self) -> usize {
        self.matrix.rows()
    }

    /// K_^-1 B or K_^-T B, B (n + r) x p, refined as the settings say.
    pub(crate) fn solve(&self, b: &Dense, transposed: bool) -> Dense {
        let solve = |b: &Dense| {
            if transposed { self.factors.solve_transposed(b) } else { self.factors.solve(b) }
        };
        let mut u = solve(b);
        for _ in 0..self.refinements {
            let d = solve(&self.residual(b, &u, transposed));
            for j in 0..u.ncols() {
                u.col_as_slice_mut(j).iter_mut().zip(d.col_as_slice(j)).for_each(|(u, d)| *u += d);
            }
        }
        u
    }

    /// B - K_ U.
    fn residual(&self, b: &Dense, u: &Dense, transposed: bool) -> Dense {
        // By columns, a transposed matrix is read by rows.
        let by_rows = if transposed { &self.matrix } else { &self.transposed };
        let mut out = b.clone();
        for j in 0..b.ncols() {
            let u = u.col_as_slice(j);
            for (out, row) in out.col_as_slice_mut(j).iter_mut().zip(by_rows.outer_iterator()) {
                *out -= row.iter().map(|(i, a)| a * u[i]).sum::<f64>();
            }
        }
        out
    }
}
