//! Thresholds of the factorizations that several files share: amounts of rounding, and sizes of the blocks that the kernels work on.
//! With u = 2^-52, in single precision what is a multiple of u is [`super::number::Number::ROUNDING`] times as much.

/// What is left by a solution with good factors, some hundred roundings: a residual that shows enough, a pivot that has no certain sign,
/// a displacement that constraints hold back.
pub(super) const SOLVED: f64 = 1e-13;
/// Backward error of a trial above which refinement has come to a halt far above rounding.
pub(super) const HEALTHY: f64 = 1e-12;
/// What cancels to nothing in a column that depends on those before: fifty roundings. A solution this good is not refined.
pub(super) const CANCELLED: f64 = 1e-14;
/// Sine of an angle, squared, and residuals of combinations up to which rows may depend on each other.
pub(super) const DEPENDENT: f64 = 1e-10;
/// Half the digits: asymmetry that is rounding, a part of a null vector that is, and what a pivot that is noise is replaced by. Scales
/// further apart than its inverse leave products of two of them nothing.
pub(super) const HALF_THE_DIGITS: f64 = 1e-8;
/// A pivot below this multiple of the magnitudes summed into it has lost nine digits and is reported; coefficients below it are not.
pub(super) const DOUBTFUL: f64 = 1e-9;

/// Right-hand sides the kernels take at most, and numbers whose sum or largest is taken side by side.
pub(super) const WIDTH: usize = 8;
/// Columns of a block column, eliminated with exchanges among them; rows that kernels take are half as many.
pub(super) const BLOCK: usize = 48;
/// Rows, or columns, that stay in the nearest cache; as wide, a supernode is as fast as it gets.
pub(super) const CACHED: usize = 256;
