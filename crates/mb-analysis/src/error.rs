//! Why an analysis of a model has no answer.

use mb_constraints::ConstraintError;
use mb_eigen::EigenError;
use mb_linear::LinearError;
use mb_response::ResponseError;

/// Why there is no answer, in terms of the model and of what was asked for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The equilibrium, the point of a motion or the linearization failed.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// The eigenanalysis failed.
    #[error("{formulation}: {source}")]
    Eigen {
        /// Of which formulation.
        formulation: String,
        /// Why.
        source: EigenError,
    },
    /// The frequency response failed.
    #[error(transparent)]
    Response(#[from] ResponseError),
    /// A driving constraint that is moving at the time asked for.
    #[error(
        "{row} moves at t = {time} s with the rate {rate:.3e} and the acceleration {acceleration:.3e}, so there is no equilibrium then."
    )]
    Moving {
        /// Owner and axis.
        row: String,
        /// Time, s.
        time: f64,
        /// Phi_t, in the unit of the row per second.
        rate: f64,
        /// Phi_tt.
        acceleration: f64,
    },
    /// A model that cannot be built with some value of a parameter.
    #[error(transparent)]
    Model(#[from] mb_model::ModelError),
    /// What went wrong at one of many speeds.
    #[error("At the speed {speed}: {source}")]
    AtSpeed {
        /// The speed.
        speed: f64,
        /// What.
        source: Box<AnalysisError>,
    },
    /// Speeds between which the steady motion found is on another branch.
    #[error(
        "Between the speeds {from:.9} and {to:.9} the steady motion jumps: the branch of motions that it is on ends there, or is left for \
         another one, so that modes cannot be followed from one to the other."
    )]
    BranchLeft {
        /// A speed on one branch.
        from: f64,
        /// The nearest speed on another one.
        to: f64,
    },
    /// Of the modes that are to be followed some were not found.
    #[error("Not all of the lowest modes were found. {reason}")]
    ModesMissing {
        /// The finding that says so.
        reason: String,
    },
    /// A singular configuration, at which the stiffness depends on which multipliers are taken.
    #[error("{reason}")]
    Undetermined {
        /// The finding that says so.
        reason: String,
    },
    /// Something that belongs to an equilibrium, asked for in motion.
    #[error("{what} belong to vibrations about an equilibrium, but a motion is asked for.")]
    OnlyAtRest {
        /// What was asked for.
        what: &'static str,
    },
    /// A speed of the model that is unknown, for what starts with given ones.
    #[error("The speed of {who} is unknown, and {what} needs its value.")]
    SpeedUnknown {
        /// What turns.
        who: String,
        /// What needs the speed.
        what: &'static str,
    },
    /// A motion that ended before the time asked for.
    #[error("The motion ended {reached} s after its start, before the {after} s asked for.")]
    NotReached {
        /// Time asked for, s.
        after: f64,
        /// Time reached, s.
        reached: f64,
    },
    /// A model too large for dense matrices.
    #[error(
        "The model has {n} coordinates and {m} constraint rows; the dense analysis takes {most} in all for this formulation."
    )]
    TooLarge {
        /// Coordinates.
        n: usize,
        /// Constraint rows.
        m: usize,
        /// The limit on n + m.
        most: usize,
    },
}

/// What the user claims with a configuration that is not solved for. The penalty system's own point is claimed by the
/// numerics.
pub const EQUILIBRIUM: &str = "an equilibrium";

/// The same for a point of a motion.
pub const MOTION: &str = "a point of a motion";

impl AnalysisError {
    /// True when the model or the request is wrong, false when the numerics failed.
    pub fn is_wrong_request(&self) -> bool {
        match self {
            Self::Linear(e) => wrong_linear(e),
            Self::Eigen { source, .. } => wrong_eigen(source),
            Self::AtSpeed { source, .. } => source.is_wrong_request(),
            Self::ModesMissing { .. } | Self::Undetermined { .. } => false,
            Self::Response(source) => wrong_response(source),
            Self::Model(_)
            | Self::Moving { .. }
            | Self::OnlyAtRest { .. }
            | Self::SpeedUnknown { .. }
            | Self::NotReached { .. }
            | Self::BranchLeft { .. }
            | Self::TooLarge { .. } => true,
        }
    }
}

/// As [`AnalysisError::is_wrong_request`], of an eigenanalysis.
pub fn wrong_eigen(error: &EigenError) -> bool {
    matches!(
        error,
        EigenError::Empty
            | EigenError::Shape { .. }
            | EigenError::NonFinite { .. }
            | EigenError::NotSymmetric { .. }
            | EigenError::BadSetting { .. }
            | EigenError::NoArpack { .. }
            | EigenError::NotForEngine { .. }
            | EigenError::EngineAnswer { .. }
            | EigenError::TooLarge { .. }
    )
}

/// As [`AnalysisError::is_wrong_request`], of a frequency response.
pub fn wrong_response(error: &ResponseError) -> bool {
    match error {
        ResponseError::Eigen(source) => wrong_eigen(source),
        ResponseError::Algebra(_) | ResponseError::Unsettled { .. } => false,
        _ => true,
    }
}

/// As [`AnalysisError::is_wrong_request`], of equilibrium, linearization and motion.
pub fn wrong_linear(error: &LinearError) -> bool {
    matches!(
        error,
        LinearError::NotOnMotion { expected: EQUILIBRIUM | MOTION, .. }
            | LinearError::WrongSize { .. }
            | LinearError::BadPenalty { .. }
            | LinearError::NoInertia { .. }
            | LinearError::NotSteady(_)
            | LinearError::NoSteadyMotion { .. }
            | LinearError::NoSuchBody { .. }
            | LinearError::BadSpin { .. }
            | LinearError::NotSought { .. }
            | LinearError::NotConstant { .. }
            | LinearError::PlacesCoincide { .. }
            | LinearError::OutputNotFinite { .. }
            | LinearError::Constraint(
                ConstraintError::NotAssembled { .. }
                    | ConstraintError::VelocitiesContradict { .. }
                    | ConstraintError::SelectionFails { .. }
                    | ConstraintError::MethodParameter { .. }
                    | ConstraintError::SimulationOption { .. }
                    | ConstraintError::MassMissing { .. }
                    | ConstraintError::InconsistentStart { .. }
                    | ConstraintError::Locked { .. }
                    | ConstraintError::Overflows { .. }
                    | ConstraintError::NotFinite { .. },
            )
    )
}

impl From<ConstraintError> for AnalysisError {
    fn from(source: ConstraintError) -> Self {
        Self::Linear(source.into())
    }
}
