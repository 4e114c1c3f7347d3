//! Why there are no polynomials, or no modes along a path.

use crate::AnalysisError;
use mb_algebra::c64;
use mb_model::spec::ModelError;
use mb_parametric::ParametricError;

/// Why there is no answer, in terms of the model and of what was asked for.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SeriesError {
    /// The operating point or its modes failed.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// A parameter that cannot be evaluated.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The expansion failed.
    #[error("{}{source}", mode.map_or_else(String::new, |n| format!("Mode {n}: ")))]
    Parametric {
        /// Number of the mode, where it is one mode's.
        mode: Option<usize>,
        /// Why.
        source: ParametricError,
    },
    /// A mode could not be followed along a path.
    #[error(
        "Mode {mode} at {s:.6} rad/s could not be followed to {at}, however small the steps: it meets another mode there, or \
         the matrices change abruptly."
    )]
    Lost {
        /// Number of the mode.
        mode: usize,
        /// Its last eigenvalue, rad/s.
        s: c64,
        /// Values of the variables that were not reached.
        at: String,
    },
    /// Modes that cannot be taken.
    #[error("Modes {list}: {why}.")]
    BadModes {
        /// As asked for.
        list: String,
        /// What is wrong.
        why: String,
    },
    /// Constraints that lose rank in a region or on a path.
    #[error(
        "The constraints lose rank at {at}: {} {} on the others there. No polynomial reaches beyond that configuration.",
        rows.join(", "), if rows.len() == 1 { "depends" } else { "depend" }
    )]
    RankChanges {
        /// Values of the variables there.
        at: String,
        /// The rows that depend on others there.
        rows: Vec<String>,
    },
    /// A steady motion of which there are no polynomials.
    #[error("There are no polynomials of this steady motion: {reason}.")]
    NoSteadySeries {
        /// Why.
        reason: String,
    },
    /// Constraints that depend on each other where multipliers must be unique.
    #[error("The multipliers are not unique, which their polynomials need: {} of {rows} constraint rows are redundant.", redundant.len())]
    RedundantRows {
        /// Constraint rows.
        rows: usize,
        /// The redundant ones by name.
        redundant: Vec<String>,
    },
}

impl From<ParametricError> for SeriesError {
    fn from(source: ParametricError) -> Self {
        Self::Parametric { mode: None, source }
    }
}

impl SeriesError {
    /// True when the model or the request is wrong, false when the numerics failed.
    pub fn is_wrong_request(&self) -> bool {
        match self {
            Self::Analysis(e) => e.is_wrong_request(),
            Self::Parametric { source, .. } => wrong_parametric(source),
            Self::Lost { .. } => false,
            Self::Model(_)
            | Self::BadModes { .. }
            | Self::RankChanges { .. }
            | Self::NoSteadySeries { .. }
            | Self::RedundantRows { .. } => true,
        }
    }
}

/// As [`SeriesError::is_wrong_request`], of an expansion.
pub fn wrong_parametric(error: &ParametricError) -> bool {
    !matches!(
        error,
        ParametricError::NotSimple { .. }
            | ParametricError::RedundantConstraints { .. }
            | ParametricError::NotConverged { .. }
            | ParametricError::StartTooFar { .. }
            | ParametricError::GaugeVanishes { .. }
            | ParametricError::Overflow { .. }
            | ParametricError::NotBalanced { .. }
            | ParametricError::NotSteady { .. }
            | ParametricError::VelocityRows { .. }
            | ParametricError::TrackLost { .. }
            | ParametricError::AccuracyNotReached { .. }
            | ParametricError::GroupNotSeparate { .. }
            | ParametricError::Stopped(_)
            | ParametricError::Algebra(_)
    )
}
