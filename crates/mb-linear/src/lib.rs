//! Equilibrium and linearization of constrained multibody systems in three families.
mod descriptor;
pub mod equilibrium;
mod error;
pub mod formulation;
mod linearize;
mod point;

pub use descriptor::{DescriptorSystem, StateSpace};
pub use equilibrium::{Equilibrium, EquilibriumOptions, Stability, Strategy, find_equilibria, stability};
pub use error::LinearError;
pub use formulation::Formulation;
pub use linearize::{ConstraintRates, LinearizedSystem, linearize, linearize_sparse};
pub use point::{OperatingPoint, PointKind};
