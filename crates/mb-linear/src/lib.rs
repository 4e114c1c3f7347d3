//! Equilibrium and linearization of constrained multibody systems in three families.
//!
#![doc = include_str!("../README.md")]
//!
//! The way of the data: an [`Equilibrium`] or a steady motion makes an [`OperatingPoint`],
//! [`linearize`] gives a [`LinearizedSystem`], and [`formulation`] turns it into one of three
//! families. [`DescriptorSystem`] and [`StateSpace`] add the model's inputs and outputs.
//! Eigenvalues are the business of `mb-eigen`, which takes the matrices.

mod coincident;
mod columns;
mod contact;
mod descriptor;
mod entries;
pub mod equilibrium;
mod error;
pub mod formulation;
mod free_directions;
mod instant;
mod linearize;
mod minimal_realization;
mod point;
mod rolling_states;
pub mod steady;
mod turning;
mod undetermined;
mod velocity_rows;

pub use columns::linearize_by_columns;
pub use contact::{LostContact, lost_contacts};
pub use descriptor::{
    DescriptorSystem, OutputMaps, StateSpace, descriptor, descriptor_of_instant, output_maps,
    rolling_state_space,
};
pub use equilibrium::{
    Equilibrium, EquilibriumOptions, Judge, LoadPath, LoadPathOptions, LoadStep, PathEnd, Stability,
    Strategy, find_equilibria, load_path, load_path_judged, stability,
};
pub use error::LinearError;
pub use formulation::Formulation;
pub use free_directions::{
    FreeAmong, FreeDirections, least_free_directions, most_free_directions, unheld_directions,
};
pub use instant::{
    ConstraintRates, InstantMinimal, InstantSystem, MotionTerms, linearize_instant, minimal_of_instant,
};
pub use linearize::{LinearizedSystem, SparseSystem, linearize, linearize_sparse};
pub use point::{Instant, OperatingPoint, PointKind};
pub use steady::{Frame, FrameChoice, SteadyMotion, Unsteady, check_frame, steady};
pub use undetermined::{Undetermined, undetermined};
