//! What can go wrong in a response, with the numbers needed to act on it.

use mb_algebra::AlgebraError;
use mb_eigen::EigenError;

/// Failure of a response.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResponseError {
    /// Structural damping of a model that rolls or slides.
    #[error(
        "A model with velocity rows has no response with structural damping: its equations are of first order."
    )]
    LossOfRolling,
    /// A matrix does not fit the others.
    #[error(
        "Matrix {matrix} is {rows} x {cols}, but {expected_rows} x {expected_cols} is needed to fit the others."
    )]
    Shape {
        /// Its name in the equation.
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
    /// An unbalance along an input that is no force.
    #[error("The input `{input}` is in {unit}, but an unbalance pushes with a force.")]
    NoForce {
        /// The input.
        input: String,
        /// Its unit.
        unit: String,
    },
    /// A matrix holds an infinite entry or a NaN.
    #[error("Matrix {matrix} has an entry that is not finite.")]
    NonFinite {
        /// Its name in the equation.
        matrix: &'static str,
    },
    /// The response is infinite there, or has no digit.
    #[error(
        "At {hz} Hz the system has an undamped pole: responses that excite and see it are infinite there. Add damping, or take a frequency \
         near it.", hz = omega / std::f64::consts::TAU
    )]
    Pole {
        /// The frequency, rad/s.
        omega: f64,
    },
    /// A random input excites an undamped pole in the band.
    #[error(
        "The mean square of `{output}` is infinite: `{input}` excites an undamped pole at {hz:.6} Hz, in the band.",
        hz = omega / std::f64::consts::TAU
    )]
    Undamped {
        /// The frequency of the pole, rad/s.
        omega: f64,
        /// Name of the output.
        output: String,
        /// Name of the input.
        input: String,
    },
    /// A frequency that is not a number.
    #[error("The frequency {omega} rad/s is not finite.")]
    BadFrequency {
        /// The frequency.
        omega: f64,
    },
    /// A projection whose error is not bounded at that frequency, as on an undamped pole.
    #[error("At {hz} Hz the error of the projection is not bounded.", hz = omega / std::f64::consts::TAU)]
    NoBound {
        /// The frequency, rad/s.
        omega: f64,
    },
    /// A motion grows, so that there is no steady response to a random input.
    #[error(
        "The system is not asymptotically stable (an eigenvalue has the real part {real:e} 1/s): the response to a random \
         input has no finite variance."
    )]
    Unstable {
        /// Largest real part, 1/s.
        real: f64,
    },
    /// Motions are damped too little for the digits of the Lyapunov equation.
    #[error("The Lyapunov equation has no digits: some motions are damped by less than its rounding.")]
    NoDigits,
    /// An integral did not settle.
    #[error(
        "The integral of the spectral density of `{output}` misses its tolerance: error {error:e} after {evaluations} evaluations."
    )]
    Unsettled {
        /// Name of the output.
        output: String,
        /// Estimate of the error.
        error: f64,
        /// Evaluations of the response.
        evaluations: usize,
    },
    /// Too many rows for the dense matrices that zeros are computed by.
    #[error(
        "Zeros are computed by dense matrices of at most {most} coordinates and constraint rows in all, with structural damping half as \
         many as without; here are {n} and {m}."
    )]
    TooLargeForZeros {
        /// Coordinates.
        n: usize,
        /// Constraint rows.
        m: usize,
        /// The limit on n + m.
        most: usize,
    },
    /// The pencil of the zeros is singular, so that every s is one.
    #[error("The transfer function is zero for every s, or has no rank: it has no zeros to name.")]
    NoZeros,
    /// A factorization or a solution failed.
    #[error(transparent)]
    Algebra(#[from] AlgebraError),
    /// The modes of the band failed.
    #[error(transparent)]
    Eigen(#[from] EigenError),
}
