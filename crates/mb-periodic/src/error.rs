//! What can go wrong with periodic motions, in the user's words.

use mb_algebra::{AlgebraError, Stopped};
use mb_constraints::ConstraintError;

/// Why there is no periodic motion, or none that can be trusted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PeriodicError {
    /// The equations of a step have no solution that was found.
    #[error(
        "The motion cannot be integrated beyond t = {time:.6} s with steps of {step:.1e} s: {coordinate} moves too far in one step, or the mechanism reaches a limit of its motion."
    )]
    StepFails {
        /// Time at its start, s.
        time: f64,
        /// Its length, s.
        step: f64,
        /// The coordinate with the largest correction.
        coordinate: String,
    },
    /// Constraints that are independent elsewhere depend on each other.
    #[error(
        "The constraints are singular on the motion at t = {time:.6} s: {row} depends on the others there, and the motion has no unique continuation."
    )]
    Singular {
        /// Time, s.
        time: f64,
        /// The row: owner and axis.
        row: String,
    },
    /// What is asked for is no period of the model.
    #[error(
        "{period:.9} s is no period of the model: {owner} at t = {time:.6} s and one period later differs by {difference:.3e} {unit}."
    )]
    NotAPeriod {
        /// The period asked for, s.
        period: f64,
        /// What differs: owner, and axis where it is a constraint.
        owner: String,
        /// Time, s.
        time: f64,
        /// By how much.
        difference: f64,
        /// Of what.
        unit: &'static str,
    },
    /// A model that does not depend on time, at rest: every time is a period.
    #[error(
        "The model does not depend on time, and the motion starts at rest in an equilibrium: it has no period of its own."
    )]
    AtRest,
    /// Without a period, and no start that comes back.
    #[error(
        "From this start the motion does not come back near to where it began within {until:.6} s, so that there is no guess of its period."
    )]
    NoReturn {
        /// How long it was followed, s.
        until: f64,
    },
    /// A model that depends on time needs a period.
    #[error(
        "{owner} depends on time, so that the period of a motion is that of the model or a multiple of it."
    )]
    PeriodNeeded {
        /// What depends on time.
        owner: String,
    },
    /// Newton's method does not converge.
    #[error(
        "No periodic motion with period {period:.6} s was found from this start: after {iterations} steps of Newton's method {coordinate} still misses its start by {defect:.3e}."
    )]
    NotFound {
        /// The period, s.
        period: f64,
        /// Steps taken.
        iterations: usize,
        /// The coordinate with the largest gap.
        coordinate: String,
        /// The gap, m or rad, m/s or rad/s.
        defect: f64,
    },
    /// What went wrong at one of many values of a parameter.
    #[error("At the value {value} of the parameter: {source}")]
    At {
        /// The value.
        value: f64,
        /// What.
        source: Box<PeriodicError>,
    },
    /// A value of a parameter that the model does not allow.
    #[error("At the value {value} of the parameter there is no model: {reason}.")]
    Parameter {
        /// The value.
        value: f64,
        /// Why.
        reason: String,
    },
    /// More columns than dense matrices are made for.
    #[error(
        "The model has {size} coordinates and constraint rows; monodromy matrices are dense and made for at most {most}."
    )]
    TooLarge {
        /// Coordinates and rows.
        size: usize,
        /// The limit.
        most: usize,
    },
    /// A motion that has no period of its own.
    #[error(
        "The motion is steady: any time is a period of it, so that there is no branch of periodic motions. `mb track` follows steady motions over a parameter."
    )]
    Steady,
    /// Constraints or the accelerations cannot be solved for.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// A matrix computation failed.
    #[error(transparent)]
    Algebra(#[from] AlgebraError),
    /// It was stopped from outside.
    #[error("The work ended before its end: {0}.")]
    Stopped(#[from] Stopped),
}

impl PeriodicError {
    /// True where the model or the request is at fault, false where the numerics failed.
    pub fn is_wrong_request(&self) -> bool {
        match self {
            Self::At { source, .. } => source.is_wrong_request(),
            Self::NotAPeriod { .. } | Self::AtRest | Self::PeriodNeeded { .. } | Self::TooLarge { .. } => {
                true
            }
            Self::Constraint(e) => matches!(
                e,
                ConstraintError::NotAssembled { .. }
                    | ConstraintError::VelocitiesContradict { .. }
                    | ConstraintError::InconsistentStart { .. }
                    | ConstraintError::Locked { .. }
                    | ConstraintError::MassMissing { .. }
            ),
            _ => false,
        }
    }
}
