//! The one way from a model to its spectra.
//!
//! ```text
//! model -> assembled start -> equilibrium or point of a motion -> M, C, K, Phi_q -> eigenpairs
//! ```
//!
//! [`site()`] does the first half once, [`spectrum`] the second for each formulation; [`response::response`] has inputs and outputs.
//!
#![doc = include_str!("../README.md")]

mod branch;
pub mod campbell;
pub mod check;
pub mod checkpoint;
mod compare;
mod determined;
pub mod drawing;
pub mod engine;
mod error;
pub mod factor;
pub mod floquet_diagram;
mod free;
pub mod history;
mod in_parts;
pub mod moving;
pub mod names;
pub mod number;
pub mod parametric;
pub mod part;
pub mod periodic;
pub mod phase;
mod preload;
pub mod request;
pub mod response;
pub mod sentences;
mod settle;
mod shares;
mod signs;
mod site;
mod sought;
mod spectra;
mod steps;
pub mod sweep;
pub mod tables;
mod velocity_rows;
mod zeros;

pub use branch::{FromRest, Reached, largest_growth};
pub use compare::{Comparison, Match};
pub use determined::undetermined;
pub use error::{AnalysisError, EQUILIBRIUM, MOTION, wrong_eigen, wrong_linear, wrong_response};
pub use free::{FreeMotion, free_motions};
pub use in_parts::simulate_in_parts;
pub use settle::{Settled, Several, Start, StartOptions, along_loads, assembled_start, equilibria, settle};
pub use shares::{NEGATIVE, Shares, shares};
pub use site::{
    MotionOptions, Moving, Site, State, moving as moving_point, own_speeds, own_velocities, rotates, site,
    speeds_aside,
};
pub use sought::Solved;
pub use spectra::{
    FormulationSpectrum, MOST_ROWS, MOST_ROWS_WITH_SPURIOUS, check_size, linear, rank, rank_at, spectrum,
    spectrum_kept,
};
pub use velocity_rows::independent_velocity_rows;
