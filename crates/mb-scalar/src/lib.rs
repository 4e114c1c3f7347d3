//! Scalars that carry exact derivatives: dual numbers and truncated Taylor series.
//!
//! Physics written once over [`Real`] gives values with `f64`, first derivatives with
//! [`Dual<f64>`], second ones with `Dual<Dual<f64>>`, and whole Taylor series with
//! [`jet::Jet`], to rounding and without finite differences.
//!
//! ```
//! use mb_scalar::{Dual, Real};
//!
//! /// Potential energy of a pendulum of length l and unit weight.
//! fn potential<T: Real>(angle: T, l: f64) -> T {
//!     -angle.cos() * T::cst(l)
//! }
//!
//! // V'' at the hanging position is the stiffness: l for unit weight.
//! let angle = Dual::new(Dual::new(0.0, 1.0), Dual::new(1.0, 0.0));
//! let v = potential(angle, 2.0);
//! assert_eq!(v.eps.re, 0.0); // V'
//! assert_eq!(v.eps.eps, 2.0); // V''
//! ```
//!
//! The crate depends on nothing. The feature `num-traits` adds the interfaces that nalgebra
//! asks of a scalar.

mod dual;
pub mod jet;
#[cfg(feature = "num-traits")]
mod num;
mod real;
mod wide;

pub use dual::Dual;
pub use real::{Lift, Real};
pub use wide::Wide;
