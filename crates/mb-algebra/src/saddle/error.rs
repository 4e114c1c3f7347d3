//! Failures of saddle-point factorizations.

use super::Method;
use crate::AlgebraError;

/// Failure of the analysis, factorization or solution of [A, G^T; G, 0].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SaddleError {
    /// The factors would need more memory than there is.
    #[error(
        "The factors of {unknowns} unknowns and multipliers need {needed} MB ({factor_nonzeros} entries), but \
         {available} MB are available: use fewer elements, or raise the memory limit.",
        needed = needed_bytes / 1_000_000, available = available_bytes / 1_000_000
    )]
    OutOfMemory {
        /// Rows of the saddle-point matrix, n + m.
        unknowns: usize,
        /// Entries of the factor.
        factor_nonzeros: usize,
        /// Bytes needed at the peak.
        needed_bytes: u64,
        /// Bytes allowed, or reported as available by the system.
        available_bytes: u64,
    },
    /// The graph exceeds the range of its indices.
    #[error("The matrix has {entries} entries, more than the ordering can take.")]
    TooManyEntries {
        /// Entries or unknowns counted.
        entries: usize,
    },
    /// The matrix is singular on the motions that satisfy the constraints.
    #[error(
        "The saddle-point matrix is singular: unknown {unknown} (from 0) moves without resistance. The shift is \
         an eigenvalue, or the constrained system has a mechanism; move the shift."
    )]
    Singular {
        /// Unknown (row of A) whose pivot vanished, from 0.
        unknown: usize,
    },
    /// The right-hand side of dependent constraint rows contradicts the others.
    #[error(
        "Constraint row {row} (from 0) depends on other rows, and its right-hand side contradicts theirs: they \
         miss each other by {residual:e}, relative."
    )]
    Inconsistent {
        /// Row of G, from 0.
        row: usize,
        /// |sum_k y_k g_k| / sum_k |y_k g_k| of the combination y with y^T G = 0.
        residual: f64,
    },
    /// A solution was computed but does not satisfy the equations.
    #[error(
        "The solution has a backward error of {displacement:e} in the rows of A and {constraint:e} in the \
         constraint rows, above the allowed {tolerance:e}."
    )]
    ResidualTooLarge {
        /// Largest error in the rows of A.
        displacement: f64,
        /// Largest error in the rows of G.
        constraint: f64,
        /// Error allowed.
        tolerance: f64,
    },
    /// A pivot overflowed or was lost.
    #[error(
        "Elimination gives a pivot that is not finite at row {row} (from 0; constraints after the unknowns)."
    )]
    NonFinitePivot {
        /// Row of the saddle-point matrix, from 0.
        row: usize,
    },
    /// A pivot was lost to rounding, of a multiplier although its row of G depends on no others.
    #[error("Elimination loses the pivot of row {row} (from 0; constraints after the unknowns).")]
    LostPivot {
        /// Row of the saddle-point matrix, from 0.
        row: usize,
    },
    /// The matrix has entries outside the analysed pattern.
    #[error("Column {col} (from 0) of A has entries outside the analysed pattern.")]
    PatternChanged {
        /// Column of A, from 0.
        col: usize,
    },
    /// Every method failed.
    #[error("No method could factor the saddle-point matrix. {}", list(attempts))]
    AllMethodsFailed {
        /// Each method with its failure.
        attempts: Vec<(Method, AlgebraError)>,
    },
}

fn list(attempts: &[(Method, AlgebraError)]) -> String {
    let lines: Vec<String> = attempts.iter().map(|(method, error)| format!("{method}: {error}")).collect();
    lines.join(" ")
}
