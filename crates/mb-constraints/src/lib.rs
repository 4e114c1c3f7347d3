//! Constraints of a multibody system: rank, null space, multipliers, assembly.
//!
#![doc = include_str!("../README.md")]
//!
//! - [`constraint_rank`] counts degrees of freedom and names redundant constraints.
//! - [`NullSpace`] is the velocity transformation v = R z' by five methods.
//! - [`Saddle`] solves with [A Phi_q^T; Phi_q 0] also where constraints are redundant.
//! - [`assemble`], [`assemble_velocities`] and [`accelerations`] make a start consistent.
//! - [`method`] holds constraints in forward dynamics in six ways, [`simulate`](simulate::simulate)
//!   integrates the motion.
//!
//! Convention: r = M a + Phi_q^T lambda - f = 0, so the reaction on the bodies is -Phi_q^T lambda.

mod assembly;
mod error;
mod free;
pub mod method;
mod minimum_norm;
pub mod null_space;
mod patterns;
mod rank;
mod saddle;
pub mod simulate;
mod violation;

pub use assembly::{Assembled, AssemblyOptions, accelerations, assemble, assemble_velocities};
pub use error::ConstraintError;
pub use free::pushed_free_motion;
pub use method::{ConstraintMethod, ForwardDynamics};
pub use minimum_norm::{MinimumNorm, minimum_norm_multipliers};
pub use null_space::{NullSpace, NullSpaceMethod};
pub use patterns::SaddlePatterns;
pub use rank::{
    ConstraintRank, DENSE_RANK_UP_TO, RedundantRow, constraint_rank, independent_rows, normalized_rows,
    tolerance_of_rank, unit_rows,
};
pub use saddle::{DENSE_UP_TO, Saddle};
pub use violation::{Violation, allowed_violations, largest, violations};
