//! Certificates: backward errors, condition numbers and error bounds, by one rule for dense and sparse problems.

pub(crate) mod coupled;
pub(crate) mod dense;
pub(crate) mod error_bound;
pub(crate) mod rounded;
pub(crate) mod sparse;
pub(crate) mod zeros;
