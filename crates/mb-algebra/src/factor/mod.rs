//! Factorizations of dense and sparse matrices.

mod backward_error;
mod cholesky;
mod entry;
mod lu;
mod rank_qr;
mod recent;
mod sparse_cholesky;
mod sparse_lu;
mod static_lu;
mod svd;

pub use cholesky::Cholesky;
pub use entry::Entry;
pub use lu::{Lu, LuComplex};
pub use rank_qr::RankQr;
pub use sparse_cholesky::SparseCholesky;
pub use sparse_lu::{SparseLu, SparseLuComplex};
pub use static_lu::StaticLu;
pub use svd::Svd;

use crate::{AlgebraError, Dense, DenseC, Sparse, dense, interrupt, sparse};

/// Largest relative asymmetry taken for rounding errors of assembly.
const ASYMMETRY_ALLOWED: f64 = 1e-8;

/// The first look at a matrix; every factorization and eigenvalue routine of dense matrices begins with it.
pub fn check_square(operation: &'static str, rows: usize, cols: usize) -> Result<usize, AlgebraError> {
    interrupt::check();
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

pub(crate) fn check_symmetric_sparse(a: &Sparse) -> Result<(), AlgebraError> {
    sparse::is_symmetric(a, ASYMMETRY_ALLOWED).map_err(|found| AlgebraError::NotSymmetric {
        row: found.row,
        col: found.col,
        below: found.a,
        above: found.b,
    })
}

/// Refuses a matrix with an entry that is not finite, and names the first one.
pub fn first_non_finite<T: Entry>(a: &sprs::CsMat<T>) -> Result<(), AlgebraError> {
    match a.iter().find(|(v, _)| !v.magnitude().is_finite()) {
        Some((_, (row, col))) => Err(AlgebraError::NonFinite { row, col }),
        None => Ok(()),
    }
}

/// Whether two matrices stored by columns have the same pattern.
pub(crate) fn same_pattern<T>(old: &sprs::CsMat<T>, new: &sprs::CsMat<T>) -> Result<(), AlgebraError> {
    if old.shape() != new.shape() {
        return Err(AlgebraError::ShapeMismatch {
            operation: "Refactorization",
            expected_rows: old.rows(),
            expected_cols: old.cols(),
            rows: new.rows(),
            cols: new.cols(),
        });
    }
    let mut columns = old.outer_iterator().zip(new.outer_iterator());
    match columns.position(|(o, n)| o.indices() != n.indices()) {
        Some(col) => Err(AlgebraError::PatternChanged { col }),
        None => Ok(()),
    }
}
