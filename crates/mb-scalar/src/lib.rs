//! Scalars that carry exact derivatives: dual numbers and truncated Taylor series.
//!
#![doc = include_str!("../README.md")]
//!
//! The scalars: [`Real`], [`Lift`], [`Dual`], [`Wide`], [`jet::Jet`].

mod dual;
pub mod jet;
#[cfg(feature = "num-traits")]
mod num;
mod real;
mod wide;

pub use dual::Dual;
pub use real::{Lift, Real};
pub use wide::Wide;
