//! Analytic cases and properties of the dense eigenanalysis.
#![expect(clippy::unwrap_used, reason = "a test that fails to unwrap fails")]

mod acoustic;
mod biorthonormal;
mod covered;
mod descriptor;
mod determinant;
mod direct;
mod error_bounds;
mod extended;
mod graded;
mod low_rank;
mod modal;
mod penalty;
mod polish;
mod properties;
mod quadratic;
mod sparse;
mod stiff;
mod systems;
mod trusted;
mod under_penalties;
mod wide;
mod zeros;
