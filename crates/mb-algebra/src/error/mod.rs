//! What can go wrong in a matrix computation, with the numbers needed to say where.

mod saddle;

pub use saddle::{FactorMethod, SaddleError};

/// Failure of a factorization, a solve or an eigenvalue computation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AlgebraError {
    /// An operation that needs a square matrix got another one.
    #[error("{operation} needs a square matrix, but this one has {rows} rows and {cols} columns.")]
    NotSquare {
        /// What was asked for.
        operation: &'static str,
        /// Rows found.
        rows: usize,
        /// Columns found.
        cols: usize,
    },
    /// Two matrices, or a matrix and a vector, do not fit each other.
    #[error("{operation} needs a {expected_rows} x {expected_cols} matrix, but got {rows} x {cols}.")]
    ShapeMismatch {
        /// What was asked for.
        operation: &'static str,
        /// Rows needed.
        expected_rows: usize,
        /// Columns needed.
        expected_cols: usize,
        /// Rows found.
        rows: usize,
        /// Columns found.
        cols: usize,
    },
    /// An input holds an infinite entry or a NaN.
    #[error("The matrix entry at row {row}, column {col} is not a finite number (indices from 0).")]
    NonFinite {
        /// Row of the first such entry, from 0.
        row: usize,
        /// Column of the first such entry, from 0.
        col: usize,
    },
    /// A zero pivot: the matrix is singular to working precision.
    #[error("The matrix is singular: elimination of column {index} (from 0) leaves the pivot {pivot:e}.")]
    Singular {
        /// Column of the input at which elimination broke down, from 0.
        index: usize,
        /// Magnitude of the pivot left there.
        pivot: f64,
    },
    /// Elimination without exchanges met a zero pivot; the matrix itself may be regular.
    #[error(
        "Elimination without row exchanges meets the pivot {pivot:e} at row {index} (from 0): factor by LU, \
         or move the shift."
    )]
    ZeroPivot {
        /// Row of the input at which elimination broke down, from 0.
        index: usize,
        /// The pivot left there.
        pivot: f64,
    },
    /// Cholesky met a pivot that is not positive.
    #[error("The matrix is not positive definite: the pivot of row {index} (from 0) is {pivot:e}.")]
    NotPositiveDefinite {
        /// Row of the input at which elimination broke down, from 0.
        index: usize,
        /// The pivot, zero or negative.
        pivot: f64,
    },
    /// A symmetric matrix was asked for.
    #[error("The matrix is not symmetric: {below:e} at row {row}, column {col} (from 0) faces {above:e}.")]
    NotSymmetric {
        /// Row of the entry below the diagonal, from 0.
        row: usize,
        /// Its column, from 0.
        col: usize,
        /// The entry at (`row`, `col`).
        below: f64,
        /// The entry at (`col`, `row`).
        above: f64,
    },
    /// An iteration did not converge.
    #[error("{algorithm} did not converge for a {size} x {size} matrix.")]
    NoConvergence {
        /// The algorithm's usual name.
        algorithm: &'static str,
        /// Number of rows.
        size: usize,
    },
    /// The inputs are finite but the result overflowed or became NaN.
    #[error("{algorithm} gave numbers that are not finite for a {size} x {size} matrix.")]
    NonFiniteResult {
        /// The algorithm's usual name.
        algorithm: &'static str,
        /// Number of rows.
        size: usize,
    },
    /// A solution was computed but does not satisfy its equation.
    #[error("The solution has a backward error of {residual:e}, above the allowed {tolerance:e}.")]
    ResidualTooLarge {
        /// Backward error reached, the largest |b - A x|_i / (|A| |x| + |b|)_i of all rows i.
        residual: f64,
        /// Backward error allowed.
        tolerance: f64,
    },
    /// A refactorization got a matrix with entries outside the analysed pattern.
    #[error(
        "The matrix has not the sparsity pattern that was analysed: they differ at column {col} (from 0)."
    )]
    PatternChanged {
        /// First differing column, from 0.
        col: usize,
    },
    /// Memory for a factor could not be had, or its size exceeds the index range.
    #[error("The factors of a {size} x {size} matrix do not fit in memory.")]
    OutOfMemory {
        /// Number of rows.
        size: usize,
    },
    /// A saddle-point factorization failed.
    #[error(transparent)]
    Saddle(#[from] SaddleError),
}
