//! Analytic cases and properties of the dense eigenanalysis.

mod quadratic;
mod systems;
