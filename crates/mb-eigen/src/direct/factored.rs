//! Factors of the scaled and shifted K_, with refinement on demand.

use mb_algebra::{AlgebraError, Dense, Sparse, SparseLu, StaticLu};

use super::options::Factorization;
use crate::problem::Problem;
use crate::problem::matrix::Matrix;

/// A factored square matrix.
enum Factors {
    Pivoted(Box<SparseLu>),
    Static(StaticLu),
}

impl Factors {
    fn solve(&self, b: &Dense, transposed: bool) -> Dense {
        match (self, transposed) {
            (Self::Pivoted(lu), false) => lu.solve_mat(b),
            (Self::Pivoted(lu), true) => by_column(b, |b| lu.solve_transpose(b)),
            (Self::Static(lu), false) => by_column(b, |b| lu.solve(b)),
            (Self::Static(lu), true) => by_column(b, |b| lu.solve_transpose(b)),
        }
    }
}

fn by_column(b: &Dense, solve: impl Fn(&[f64]) -> Vec<f64>) -> Dense {
    let mut out = b.clone();
    for j in 0..b.ncols() {
        out.col_as_slice_mut(j).copy_from_slice(&solve(b.col_as_slice(j)));
    }
    out
}

/// [A, k Phi^T; k Phi, 0] by columns.
fn assemble_scaled(a: &Sparse, rows: &Matrix, scale: f64) -> Sparse {
    let (n, rank) = (a.rows(), rows.sparse().rows());
    let by_column = rows.sparse().to_csc();
    let nnz = a.nnz() + 2 * by_column.nnz();
    let (mut start, mut indices, mut values) =
        (Vec::with_capacity(n + rank + 1), Vec::with_capacity(nnz), Vec::with_capacity(nnz));
    start.push(0);
    for (column, phi) in a.outer_iterator().zip(by_column.outer_iterator()) {
        indices.extend_from_slice(column.indices());
        values.extend_from_slice(column.data());
        indices.extend(phi.indices().iter().map(|i| n + i));
        values.extend(phi.data().iter().map(|v| scale * v));
        start.push(indices.len());
    }
    for row in rows.sparse().outer_iterator() {
        indices.extend_from_slice(row.indices());
        values.extend(row.data().iter().map(|v| scale * v));
        start.push(indices.len());
    }
    Sparse::new_csc((n + rank, n + rank), start, indices, values)
}

/// K_ = \[a^2 M + a C + K, k Phi^T; k Phi, 0\] with its factors; Phi the r independent rows as given.
pub(crate) struct Factored {
    /// By columns.
    pub(crate) matrix: Sparse,
    transposed: Sparse,
    factors: Factors,
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
        let (factors, replaced) = match factorization {
            Factorization::Pivoted => (Factors::Pivoted(Box::new(SparseLu::new(&matrix)?)), 0),
            Factorization::Static { perturbation } => {
                let factors = StaticLu::new(&matrix, perturbation)?;
                let replaced = factors.replaced();
                (Factors::Static(factors), replaced)
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
        let mut u = self.factors.solve(b, transposed);
        for _ in 0..self.refinements {
            let d = self.factors.solve(&self.residual(b, &u, transposed), transposed);
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
