//! Shapes and entries of the input.

use mb_algebra::{Dense, QuadraticPencil, dense};

use crate::EigenError;

/// Checks that M, C, K are n x n, Phi_q is m x n, n > 0, and everything is finite.
pub(crate) fn quadratic(pencil: &QuadraticPencil) -> Result<(), EigenError> {
    let n = pencil.m.nrows();
    if n == 0 {
        return Err(EigenError::Empty);
    }
    matrix("M", &pencil.m, n, n)?;
    matrix("C", &pencil.c, n, n)?;
    matrix("K", &pencil.k, n, n)?;
    matrix("Phi_q", &pencil.phi_q, pencil.phi_q.nrows(), n)
}

/// Checks one matrix.
pub(crate) fn matrix(
    name: &'static str,
    a: &Dense,
    expected_rows: usize,
    expected_cols: usize,
) -> Result<(), EigenError> {
    let (rows, cols) = a.shape();
    if (rows, cols) != (expected_rows, expected_cols) {
        return Err(EigenError::Shape { matrix: name, rows, cols, expected_rows, expected_cols });
    }
    match dense::first_non_finite(a) {
        Some((row, col, value)) => Err(EigenError::NonFinite { matrix: name, row, col, value }),
        None => Ok(()),
    }
}
