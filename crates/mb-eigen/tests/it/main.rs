//! Analytic cases and properties of the dense eigenanalysis.

mod bars;
mod descriptor;
mod penalty;
mod properties;
mod quadratic;
mod sparse;
mod systems;
