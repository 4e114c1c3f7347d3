//! One module for each command: options to analysis, analysis to text or JSON.

pub mod branch;
pub mod campbell;
pub mod check;
pub mod equilibrium;
pub mod exponents;
pub mod export;
pub mod generate;
pub mod load_path;
pub mod manual;
pub mod matrix_modes;
pub mod modes;
pub mod parametric;
pub mod periodic;
pub mod report;
pub mod response;
pub mod schema;
pub mod simulate;
pub mod state_space;
pub mod steady_motion;
pub mod sweep;
pub mod track;
