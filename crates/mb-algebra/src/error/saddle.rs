//! Failures of saddle-point factorizations.

use std::fmt;

use super::AlgebraError;

/// A way of factoring a saddle-point matrix, in the order of trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactorMethod {
    /// L D L^T of the scaled and augmented matrix, pivoting restricted to small blocks.
    AugmentedLdl,
    /// The same in single precision, where memory does not allow double precision (real matrices only).
    SingleLdl,
    /// L D L^T of the same matrix with threshold pivoting, pivots delayed to the fronts of their parents.
    DelayedLdl,
    /// L U of the scaled and augmented matrix, pivoting restricted to the front: the first method for unsymmetric matrices.
    AugmentedLu,
    /// L U with partial pivoting over the whole matrix.
    Lu,
}

impl fmt::Display for FactorMethod {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::AugmentedLdl => "Augmented LDL^T",
            Self::SingleLdl => "Augmented LDL^T in single precision",
            Self::DelayedLdl => "LDL^T with delayed pivots",
            Self::AugmentedLu => "Augmented LU",
            Self::Lu => "LU with partial pivoting",
        })
    }
}

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
        attempts: Vec<(FactorMethod, AlgebraError)>,
    },
}

fn list(attempts: &[(FactorMethod, AlgebraError)]) -> String {
    let lines: Vec<String> = attempts.iter().map(|(method, error)| format!("{method}: {error}")).collect();
    lines.join(" ")
}
