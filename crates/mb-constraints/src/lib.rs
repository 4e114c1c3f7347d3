//! Constraints of a multibody system: rank, null space, multipliers, assembly.
//!
//! ```
//! use mb_constraints::{AssemblyOptions, NullSpace, NullSpaceMethod, assemble, constraint_rank};
//! use mb_model::ModelSpec;
//!
//! // A coupler on three equal parallel links: one degree of freedom, one link too many.
//! let model = ModelSpec::from_toml(r#"
//!     units = "SI"
//!     name = "parallelogram"
//!     point = [
//!         { name = "A", at = [0, 0], fixed = true },
//!         { name = "B", at = [1, 0], fixed = true },
//!         { name = "C", at = [2, 0], fixed = true },
//!     ]
//!     body = [{ name = "coupler", mass = 1, inertia = 0.1, at = [0.6, 0.8],
//!               markers = { a = [0, 0], b = [1, 0], c = [2, 0] } }]
//!     joint = [
//!         { name = "1", type = "distance", a = "A", b = "coupler.a", length = 1 },
//!         { name = "2", type = "distance", a = "B", b = "coupler.b", length = 1 },
//!         { name = "3", type = "distance", a = "C", b = "coupler.c", length = 1 },
//!     ]
//! "#)?.build()?;
//! let q = assemble(&model, model.initial(), 0.0, &AssemblyOptions::default())?.q;
//!
//! let rank = constraint_rank(&model, &q, 0.0, Default::default())?;
//! assert_eq!((rank.rank(), rank.degrees_of_freedom()), (2, 1));
//! assert_eq!(rank.redundant[0].name, "joint '3' (length)");
//!
//! // The only admissible velocity turns nothing: the coupler moves parallel to itself.
//! let phi_q = model.phi_q(&q, 0.0).to_dense();
//! let basis = NullSpace::new(&phi_q, &NullSpaceMethod::Qr, Default::default(), |i| model.coordinate_name(i))?;
//! assert!(basis.r[(2, 0)].abs() < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`constraint_rank`] tells degrees of freedom and names redundant constraints.
//! - [`NullSpace`] is the velocity transformation v = R z' by five methods.
//! - [`Saddle`] solves with [A Phi_q^T; Phi_q 0] also where constraints are redundant.
//! - [`assemble`], [`assemble_velocities`] and [`accelerations`] make a start consistent.
//! - [`method`] holds constraints in forward dynamics in six ways, [`simulate`](simulate::simulate)
//!   integrates the motion.
//!
//! Convention: r = M a + Phi_q^T lambda - f = 0, so the reaction on the bodies is -Phi_q^T lambda.

mod assembly;
mod error;
pub mod method;
pub mod null_space;
mod patterns;
mod rank;
mod saddle;
pub mod simulate;
mod violation;

pub use assembly::{Assembled, AssemblyOptions, accelerations, assemble, assemble_velocities};
pub use error::ConstraintError;
pub use method::{ConstraintMethod, ForwardDynamics};
pub use null_space::{NullSpace, NullSpaceMethod};
pub use patterns::SaddlePatterns;
pub use rank::{
    ConstraintRank, DENSE_RANK_UP_TO, RedundantRow, constraint_rank, normalized_rows, tolerance_of_rank,
};
pub use saddle::{DENSE_UP_TO, Saddle, minimum_norm_multipliers};
pub use violation::{Violation, largest, violations};
