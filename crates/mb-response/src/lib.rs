//! Frequency response of constrained second-order systems, with error bounds.
//!
#![doc = include_str!("../README.md")]
//!
//! | what | where |
//! | --- | --- |
//! | the matrices with inputs and outputs | [`Plant`] |
//! | H at one frequency, with a bound of its rounding | [`Response::direct`] |
//! | H at many frequencies from few factorizations, with a bound of its error | [`Projection`] |
//! | H over a band, denser where it changes fast, with its values on undamped poles that it does not have | [`sweep()`], [`Evaluator`] |
//! | phases without jumps | [`phases()`] |
//! | local maxima of the magnitude, solved for | [`peaks()`] |
//! | poles, transmission zeros and gain | [`zeros()`] |
//! | variance of outputs for random inputs | [`white_noise`], [`mean_squares`] |
//!
//! Frequencies are omega in rad/s, s = i omega. A frequency at which the system has an undamped pole is an error that says so
//! ([`ResponseError::Pole`]), not a large number.

mod accurate;
mod bounds;
mod direct;
mod error;
mod grid;
mod limit;
mod mean_square;
mod peaks;
mod phase;
mod plant;
mod projection;
mod random;
mod refined;
mod roots;
mod states;
mod structure;
mod sweep;
mod zero_dynamics;
mod zeros;

pub use direct::{Response, Sample};
pub use error::ResponseError;
pub use grid::grid;
pub use mean_square::{Densities, MeanSquare, mean_squares};
pub use peaks::{Peak, peaks};
pub use phase::phases;
pub use plant::Plant;
pub use projection::{Projection, Unproved};
pub use random::{Variance, white_noise};
pub use roots::lossy_poles;
pub use sweep::{Evaluator, How, Infinite, Method, Sweep, SweepOptions, SweptPoint, sweep};
pub use zeros::{Zeros, check_zeros, zeros, zeros_of_states};
