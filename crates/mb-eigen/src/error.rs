//! What can go wrong in an eigenanalysis, with the numbers needed to act on it.

use mb_algebra::AlgebraError;
use saddle_ldlt::SaddleError;

/// Failure of an eigenanalysis.
///
/// Redundant constraints, a singular mass matrix or a singular pencil are no errors: they are
/// [`crate::Finding`]s of a result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EigenError {
    /// The problem has no unknowns.
    #[error("The eigenvalue problem is empty: the mass matrix has no rows.")]
    Empty,
    /// A matrix does not fit the others.
    #[error(
        "Matrix {matrix} is {rows} x {cols}, but {expected_rows} x {expected_cols} is needed to fit the others."
    )]
    Shape {
        /// Name of the matrix in the equation.
        matrix: &'static str,
        /// Rows found.
        rows: usize,
        /// Columns found.
        cols: usize,
        /// Rows needed.
        expected_rows: usize,
        /// Columns needed.
        expected_cols: usize,
    },
    /// A matrix holds an infinite entry or a NaN.
    #[error(
        "Matrix {matrix} has the entry {value} at row {row}, column {col} (from 0); all entries must be finite."
    )]
    NonFinite {
        /// Name of the matrix in the equation.
        matrix: &'static str,
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        col: usize,
        /// The entry.
        value: f64,
    },
    /// A given null-space basis is not one.
    #[error(
        "The given basis does not satisfy the constraints: |Phi_q R| / (|Phi_q| |R|) = {violation:.2e}, allowed is {allowed:.0e}."
    )]
    NotANullSpace {
        /// Violation found.
        violation: f64,
        /// Violation allowed.
        allowed: f64,
    },
    /// A given null-space basis has too few or dependent columns.
    #[error(
        "The given basis spans {rank} directions with {columns} columns, but the constraints leave {expected} free."
    )]
    IncompleteNullSpace {
        /// Dimension spanned.
        rank: usize,
        /// Columns given.
        columns: usize,
        /// n - rank Phi_q.
        expected: usize,
    },
    /// The state dimension of a descriptor pencil does not match the stated sizes.
    #[error(
        "A descriptor pencil with {n} coordinates and {m} constraints has 2n + m = {expected} rows, but E has {rows}."
    )]
    DescriptorSize {
        /// Coordinates stated.
        n: usize,
        /// Constraints stated.
        m: usize,
        /// 2n + m.
        expected: usize,
        /// Rows of E.
        rows: usize,
    },
    /// An eigenpair to be polished has no finite eigenvalue.
    #[error(
        "Only finite eigenvalues can be polished by inverse iteration; this one is infinite or indeterminate."
    )]
    NotFinite,
    /// Inverse iteration left the eigenvalue it started from, or stalled.
    #[error(
        "Inverse iteration from s = {re:e} {im:+e}i reached a backward error of only {backward_error:.2e} after {iterations} steps."
    )]
    NotConverged {
        /// Real part of the starting value, rad/s.
        re: f64,
        /// Imaginary part of the starting value, rad/s.
        im: f64,
        /// Backward error reached.
        backward_error: f64,
        /// Steps taken.
        iterations: usize,
    },
    /// A matrix was declared symmetric, and is not.
    #[error(
        "Matrix {matrix} was declared symmetric, but {below:e} at row {row}, column {col} (from 0) faces {above:e}."
    )]
    NotSymmetric {
        /// Name of the matrix in the equation.
        matrix: &'static str,
        /// Row of the entry below the diagonal, from 0.
        row: usize,
        /// Its column, from 0.
        col: usize,
        /// The entry below the diagonal.
        below: f64,
        /// The entry above it.
        above: f64,
    },
    /// The symmetric Krylov method met a vector of negative squared length.
    #[error(
        "The mass matrix is not positive semi-definite on the null space of Phi_q; treat the problem as \
         unsymmetric (Structure::General)."
    )]
    IndefiniteMetric,
    /// A request or a setting that no problem can answer.
    #[error("{setting} is {value}, but must be {needed}.")]
    BadSetting {
        /// Name of the field.
        setting: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        needed: &'static str,
    },
    /// The saddle-point matrix could not be factored at any shift that was tried.
    #[error(
        "The matrix [s^2 M + s C + K, Phi_q^T; Phi_q, 0] could not be factored at s = {re:e} {im:+e}i nor at {others} shifts near it, so \
         as far as rounding shows it is singular there: some direction has neither mass nor stiffness, or constraint rows nearly depend \
         on each other. Last reason: {source}"
    )]
    NoRegularShift {
        /// Real part of the first shift, rad/s.
        re: f64,
        /// Imaginary part of the first shift, rad/s.
        im: f64,
        /// Further shifts tried.
        others: usize,
        /// Failure at the last one.
        source: AlgebraError,
    },
    /// The largest eigenvalues were asked for where the leading matrix is singular.
    #[error(
        "The largest |s| are infinite: the {matrix} matrix is singular{where_} ({source}). {advice}",
        where_ = if *matrix == "E" { "" } else { " on the null space of Phi_q" },
        advice = if *matrix == "E" {
            "Algebraic equations among the rows do that. Ask for all eigenvalues, the lowest modes, or those near a frequency."
        } else {
            "Give every free direction mass, hold it by a constraint, or ask for the modes near a frequency."
        }
    )]
    NoLargest {
        /// The leading matrix, mass, damping, or E of a descriptor pair.
        matrix: &'static str,
        /// Failure of its factorization.
        source: AlgebraError,
    },
    /// All eigenvalues of a large problem were asked for.
    #[error(
        "All eigenvalues of a problem with {size} unknowns need about {gib:.1} GiB for dense matrices; the limit is {limit} \
         unknowns (all_limit). Ask for the lowest modes, a band, or those near a frequency.",
        gib = *bytes as f64 / 1_073_741_824.0
    )]
    TooLarge {
        /// Unknowns n.
        size: usize,
        /// Memory estimated, bytes.
        bytes: usize,
        /// Unknowns allowed.
        limit: usize,
    },
    /// ARPACK-NG was asked for and is not there.
    #[error(
        "ARPACK-NG could not be loaded ({reason}). Install it (libarpack2 of Debian and Ubuntu, arpack of other systems), name its \
         library by the environment variable MB_ARPACK, or take the built-in solver, which needs nothing and is the default."
    )]
    NoArpack {
        /// The system's reason.
        reason: String,
    },
    /// A request that engines outside do not answer.
    #[error(
        "The distributed engine does not answer for {what}. Ask for the lowest modes, those nearest to a frequency or a point, or those of a band, or leave the engine out."
    )]
    NotForEngine {
        /// What was asked.
        what: &'static str,
    },
    /// An answer of an engine outside that is none of the problem.
    #[error("The answer of the distributed engine does not belong to this problem: {what}.")]
    EngineAnswer {
        /// What is wrong with it.
        what: String,
    },
    /// ARPACK-NG ended with an error.
    #[error("ARPACK-NG's {routine} returned info = {info}: {meaning}. The built-in solver may do better.")]
    Arpack {
        /// The routine.
        routine: &'static str,
        /// Its code.
        info: i32,
        /// What the code means.
        meaning: &'static str,
    },
    /// No thread could be started for ARPACK-NG, which must not run on a shared one.
    #[error("No thread could be started for ARPACK-NG: {reason}.")]
    NoThread {
        /// The system's reason.
        reason: String,
    },
    /// The memory needed exceeds what is there, or what is allowed.
    #[error(
        "{what} need about {}, but {} may be used. Ask for fewer modes or a smaller subspace, take a coarser model, or raise \
         the limit (memory_limit).",
        memory(*needed), memory(*available)
    )]
    OutOfMemory {
        /// What needs it.
        what: &'static str,
        /// Bytes, estimated before any work is done.
        needed: u64,
        /// Bytes allowed, or reported as available by the system.
        available: u64,
    },
    /// A direction, or a mode shape, has not one number for every coordinate.
    #[error("{name} has {length} entries, but there are {size} coordinates.")]
    DirectionLength {
        /// Name given.
        name: String,
        /// Entries it has.
        length: usize,
        /// Coordinates.
        size: usize,
    },
    /// What is asked for needs left vectors, and the analysis was not asked for them.
    #[error(
        "Eigenpair {pair} (from 0) has no left vector, which damped and unsymmetric problems need here: ask the analysis for left \
         vectors (left_vectors)."
    )]
    NoLeftVector {
        /// Index of the eigenpair.
        pair: usize,
    },
    /// A group names a coordinate that does not exist.
    #[error("Group {group} has coordinate {coordinate} (from 0), but there are only {size} coordinates.")]
    GroupOutOfRange {
        /// Name of the group.
        group: String,
        /// Coordinate, from 0.
        coordinate: usize,
        /// Coordinates.
        size: usize,
    },
    /// A coordinate is in two groups, or twice in one.
    #[error("Coordinate {coordinate} (from 0) is in group {first} and again in group {second}.")]
    GroupsOverlap {
        /// Group that had it first.
        first: String,
        /// Group that has it again.
        second: String,
        /// Coordinate, from 0.
        coordinate: usize,
    },
    /// A matrix computation failed.
    #[error("{step}: {source}")]
    Algebra {
        /// What was being computed.
        step: &'static str,
        /// The failure.
        source: AlgebraError,
    },
}

/// An amount of memory in the unit that suits it.
fn memory(bytes: u64) -> String {
    let bytes = bytes as f64;
    match bytes {
        ..1_048_576.0 => format!("{:.3} KiB", bytes / 1024.0),
        ..1_073_741_824.0 => format!("{:.3} MiB", bytes / 1_048_576.0),
        _ => format!("{:.3} GiB", bytes / 1_073_741_824.0),
    }
}

/// Why a factorization at one shift failed: `Err` where no other shift can help.
pub(crate) fn only_here(error: AlgebraError) -> Result<AlgebraError, EigenError> {
    match error {
        AlgebraError::Saddle(SaddleError::OutOfMemory { needed_bytes, available_bytes, .. }) => {
            let what = "The factors of the shifted matrix";
            Err(EigenError::OutOfMemory { what, needed: needed_bytes, available: available_bytes })
        }
        AlgebraError::OutOfMemory { .. } => Err(at("Factorization at a shift")(error)),
        other => Ok(other),
    }
}

/// Names the step in which a matrix computation failed.
pub(crate) fn at(step: &'static str) -> impl Fn(AlgebraError) -> EigenError {
    move |source| EigenError::Algebra { step, source }
}
