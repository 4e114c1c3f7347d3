//! Factorizations of dense and sparse matrices.

mod cholesky;
mod lu;
mod rank_qr;
mod sparse_lu;
mod svd;

pub use cholesky::Cholesky;
pub use lu::{Lu, LuComplex};
pub use rank_qr::RankQr;
pub use sparse_lu::SparseLu;
pub use svd::Svd;

use crate::{AlgebraError, Dense, DenseC, Sparse, dense, norms};

/// Largest relative asymmetry taken for rounding errors of assembly.
const ASYMMETRY_ALLOWED: f64 = 1e-8;

pub(crate) fn check_square(operation: &'static str, rows: usize, cols: usize) -> Result<usize, AlgebraError> {
    if rows == cols { Ok(rows) } else { Err(AlgebraError::NotSquare { operation, rows, cols }) }
}

pub(crate) fn check_finite(a: &Dense) -> Result<(), AlgebraError> {
    dense::first_non_finite(a).map_or(Ok(()), |(row, col, _)| Err(AlgebraError::NonFinite { row, col }))
}

pub(crate) fn check_finite_complex(a: &DenseC) -> Result<(), AlgebraError> {
    for col in 0..a.ncols() {
        if let Some(row) = a.col_as_slice(col).iter().position(|z| !z.is_finite()) {
            return Err(AlgebraError::NonFinite { row, col });
        }
    }
    Ok(())
}

pub(crate) fn check_symmetric(a: &Dense) -> Result<(), AlgebraError> {
    dense::is_symmetric(a, ASYMMETRY_ALLOWED).map_err(|found| AlgebraError::NotSymmetric {
        row: found.row,
        col: found.col,
        below: found.a,
        above: found.b,
    })
}

/// b - A x.
pub(crate) fn residual(a: &Sparse, x: &[f64], b: &[f64]) -> Vec<f64> {
    let mut r = b.to_vec();
    for (value, (row, col)) in a {
        r[row] -= value * x[col];
    }
    r
}

/// Norm-wise backward error |b - A x| / (|A| |x| + |b|), infinity norms (Rigal and Gaches, 1967).
pub(crate) fn check_residual(
    a: &Sparse,
    norm_inf: f64,
    x: &[f64],
    b: &[f64],
    tolerance: f64,
) -> Result<(), AlgebraError> {
    let scale = norm_inf * norms::max_abs_vec(x) + norms::max_abs_vec(b);
    if scale == 0.0 {
        return Ok(());
    }
    let residual = norms::max_abs_vec(&residual(a, x, b)) / scale;
    if residual <= tolerance { Ok(()) } else { Err(AlgebraError::ResidualTooLarge { residual, tolerance }) }
}
