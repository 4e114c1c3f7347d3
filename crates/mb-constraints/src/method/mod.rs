//! Ways to hold the constraints in forward dynamics, each one file behind one interface.
//!
//! ```text
//! (t, q, v) -> a, lambda      and, for some, (t, q, v) -> corrected (q, v) after a step
//! ```
//!
//! | method | equations | what becomes of the violation |
//! | --- | --- | --- |
//! | [`ConstraintMethod::Standard`] | Phi_q a = gamma | grows, as t^2 at least |
//! | [`Baumgarte`] | Phi_q a = gamma - 2 alpha Phi' - beta^2 Phi | decays, bounded |
//! | [`Penalty`] | (M + alpha Phi_q^T Phi_q) a = ... | lambda / alpha, filtered |
//! | [`AugmentedLagrangian`] | the same, iterated | as Baumgarte's |
//! | [`DirectCorrection`] | standard, then q and v are moved back | rounding |
//! | [`CoordinatePartitioning`] | dependent coordinates solved for | rounding |
//!
//! Redundant rows: all of them decide the rank with a stated cut-off and use shortest solutions, or
//! (penalty, augmented Lagrangian) do not need the rank; the motion is the one without those rows.
//!
//! Singular configurations on the way, where constraints come to depend on each other and the
//! mechanism may branch (the turning N-four-bar is the test):
//!
//! | method | in a singular configuration |
//! | --- | --- |
//! | direct correction, coordinate partitioning | pass on the branch the motion is on, with an error of up to about the square root of the tolerance |
//! | augmented Lagrangian | passes at every tolerance where alpha times the iterations is about 1e5 masses or less; with larger ones only where the steps leap over the configuration, at tolerances of 1e-7 and more (module `augmented_lagrangian`) |
//! | standard, Baumgarte | near it the multipliers of nearly dependent rows grow with the violation that integration leaves: the step collapses there, with the row named, or the motion leaves the branch |
//! | penalty | the violation that it needs lets the linkage out of line, and it may take another branch |
//!
//! Wherever a run comes near to one it is noted in [`crate::simulate::Trajectory::singular`].
//!
//! Paper: [flores2018] Sec. 2.
//!
//! [flores2018]: ../../../docs/references.bib

mod augmented_lagrangian;
mod baumgarte;
mod dependent;
mod direct_correction;
mod forward;
mod linear;
mod partitioning;
mod penalty;
mod penalty_matrix;
mod reduced;
mod sparse_system;
mod square;
mod standard;

pub use augmented_lagrangian::AugmentedLagrangian;
pub use baumgarte::Baumgarte;
pub use direct_correction::{CorrectionTime, CorrectionWeight, DirectCorrection};
pub use forward::{CorrectionReport, Diagnostics, ForwardDynamics};
pub use partitioning::CoordinatePartitioning;
pub use penalty::Penalty;
pub(crate) use square::Square;

use crate::error::ConstraintError;

/// Up to this many velocities and constraint rows together dense factors are used.
pub const DENSE_MOTION_UP_TO: usize = 160;

/// How the constraints are held in forward dynamics.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstraintMethod {
    /// Lagrange multipliers on the acceleration level, nothing else.
    Standard,
    /// Feedback of the violation into the acceleration constraints.
    Baumgarte(Baumgarte),
    /// Constraints replaced by stiff mass, damper and spring.
    Penalty(Penalty),
    /// Penalties iterated until the acceleration constraints hold.
    AugmentedLagrangian(AugmentedLagrangian),
    /// Positions and velocities moved back by the Moore-Penrose inverse.
    DirectCorrection(DirectCorrection),
    /// Only independent coordinates are integrated.
    CoordinatePartitioning(CoordinatePartitioning),
}

impl ConstraintMethod {
    /// All methods with their default parameters, in the order of the paper, the yardstick last.
    pub fn all() -> [Self; 6] {
        [
            Self::Standard,
            Self::Baumgarte(Baumgarte::default()),
            Self::Penalty(Penalty::default()),
            Self::AugmentedLagrangian(AugmentedLagrangian::default()),
            Self::DirectCorrection(DirectCorrection::default()),
            Self::CoordinatePartitioning(CoordinatePartitioning::default()),
        ]
    }
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`ConstraintError::MethodParameter`] for one out of its range.
    pub fn check(&self) -> Result<(), ConstraintError> {
        match self {
            Self::Standard => Ok(()),
            Self::Baumgarte(m) => m.check(self),
            Self::Penalty(m) => m.check(self),
            Self::AugmentedLagrangian(m) => m.check(self),
            Self::DirectCorrection(m) => m.check(self),
            Self::CoordinatePartitioning(m) => m.check(self),
        }
    }
    /// Refuses a parameter that is not a finite number within its range.
    pub(crate) fn require(
        &self,
        parameter: &'static str,
        value: f64,
        holds: bool,
        range: &'static str,
    ) -> Result<(), ConstraintError> {
        if value.is_finite() && holds {
            return Ok(());
        }
        Err(ConstraintError::MethodParameter { method: self.to_string(), parameter, value, range })
    }
}

impl std::fmt::Display for ConstraintMethod {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Standard => "standard",
            Self::Baumgarte(_) => "baumgarte",
            Self::Penalty(_) => "penalty",
            Self::AugmentedLagrangian(_) => "augmented-lagrangian",
            Self::DirectCorrection(_) => "direct-correction",
            Self::CoordinatePartitioning(_) => "coordinate-partitioning",
        })
    }
}
