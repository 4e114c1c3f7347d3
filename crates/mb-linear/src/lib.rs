//! Equilibrium and linearization of constrained multibody systems in three families.
//!
//! ```
//! use mb_constraints::NullSpaceMethod;
//! use mb_linear::formulation::minimal::minimal;
//! use mb_linear::{Equilibrium, EquilibriumOptions, OperatingPoint, Stability, linearize, stability};
//! use mb_model::ModelSpec;
//!
//! let model = ModelSpec::from_toml(r#"
//!     units = "SI"
//!     name = "pendulum"
//!     gravity = [0, -9.81]
//!     point = [{ name = "pin", at = [0, 0], fixed = true }, { name = "tip", at = [0.3, -1.1] }]
//!     rod = [{ name = "rod", ends = ["pin", "tip"], mass = 2, length = 1.2 }]
//! "#)?.build()?;
//!
//! let rest = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default())?;
//! assert_eq!(stability(&model, &rest)?, Stability::Stable);
//!
//! let lin = linearize(&model, &OperatingPoint::from(&rest)); // M, C, K, Phi_q
//! let motion = minimal(&model, &lin, &NullSpaceMethod::Qr)?; // one degree of freedom
//! let omega2 = motion.k[(0, 0)] / motion.m[(0, 0)];
//! assert!((omega2 - 3.0 * 9.81 / (2.0 * 1.2)).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The way of the data: an [`Equilibrium`] or a steady motion makes an [`OperatingPoint`],
//! [`linearize`] gives a [`LinearizedSystem`], and [`formulation`] turns it into one of three
//! families. [`DescriptorSystem`] and [`StateSpace`] add the model's inputs and outputs.
//! Eigenvalues are the business of `mb-eigen`, which takes the matrices.

mod descriptor;
pub mod equilibrium;
mod error;
pub mod formulation;
mod instant;
mod linearize;
mod point;
pub mod steady;
mod turning;
mod undetermined;

pub use descriptor::{DescriptorSystem, StateSpace, descriptor, descriptor_of_instant};
pub use equilibrium::{
    Equilibrium, EquilibriumOptions, LoadPath, LoadPathOptions, LoadStep, PathEnd, Stability, Strategy,
    find_equilibria, load_path, stability,
};
pub use error::LinearError;
pub use formulation::Formulation;
pub use instant::{
    ConstraintRates, InstantMinimal, InstantSystem, MotionTerms, linearize_instant, minimal_of_instant,
};
pub use linearize::{LinearizedSystem, SparseSystem, linearize, linearize_sparse};
pub use point::{Instant, OperatingPoint, PointKind};
pub use steady::{Frame, FrameChoice, SteadyMotion, Unsteady, steady};
pub use undetermined::{Undetermined, undetermined};

/// The README's example compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
