//! Periodic motions of constrained multibody systems and their Floquet multipliers.
//!
#![doc = include_str!("../README.md")]

mod arc;
mod bifurcation;
mod branch;
mod closing;
mod decayed;
mod dynamics;
mod error;
mod floquet;
mod geometry;
mod group;
mod guess;
mod known;
mod least_period;
mod newton;
mod orbit;
mod parameter;
mod resolution;
mod rows;
mod step;
mod symmetry;
mod tableau;
mod time_dependence;

pub use arc::{Arc, Frame, follow};
pub use bifurcation::Bifurcation;
pub use branch::{Branch, BranchOptions, BranchPoint, Family, follow_branch};
pub use decayed::Decayed;
pub use dynamics::{Derivatives, Dynamics, State};
pub use error::PeriodicError;
pub use floquet::{Class, Floquet, Multiplier, Stability, floquet};
pub use group::Displacement;
pub use guess::{guess_period, guess_periods};
pub use orbit::{Orbit, OrbitOptions, Period, find_orbit};
pub use parameter::{ParameterJet, parameter};
pub use rows::{Held, Rows};
pub use step::{Directions, STAGES, Stepper};
pub use tableau::Tableau;
pub use time_dependence::{check_period, depends_on_time, is_autonomous};
