//! Analytic cases and properties of the dense eigenanalysis.

mod descriptor;
mod penalty;
mod quadratic;
mod systems;
