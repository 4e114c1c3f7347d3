//! One module for each command: options to analysis, analysis to text or JSON.

pub mod check;
pub mod equilibrium;
pub mod generate;
pub mod modes;
pub mod schema;
pub mod state_space;
