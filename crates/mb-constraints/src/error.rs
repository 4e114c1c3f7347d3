//! What can go wrong with constraints, in the user's words.

use mb_algebra::AlgebraError;

/// Failure to satisfy, reduce or solve with constraints.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// The constraints could not be satisfied from the given start.
    #[error(
        "The mechanism cannot be assembled at t = {time} s: after {iterations} steps {owner} is still violated by {violation:.3e}{contradiction}."
    )]
    NotAssembled {
        /// Time in s.
        time: f64,
        /// Steps taken.
        iterations: usize,
        /// The most violated row: owner and axis.
        owner: String,
        /// Its violation, in the unit of the row.
        violation: f64,
        /// The rows it contradicts, in words; empty when none were found.
        contradiction: String,
    },
    /// No velocities satisfy the velocity constraints.
    #[error(
        "No velocities satisfy the constraints at t = {time} s: {owner} asks for a rate that the others do not allow, short by {violation:.3e} per second."
    )]
    VelocitiesContradict {
        /// Time in s.
        time: f64,
        /// The most violated row: owner and axis.
        owner: String,
        /// What is missing, in the unit of the row per second.
        violation: f64,
    },
    /// The chosen independent coordinates do not determine the others here.
    #[error(
        "The coordinates {} cannot be the independent ones in this configuration: they determine the others only with a reciprocal condition number of {reciprocal_condition:.1e} ({rank} independent constraints leave {dof} degrees of freedom). Choose others, or let them be chosen.",
        selection.join(", ")
    )]
    SelectionFails {
        /// Names of the chosen coordinates.
        selection: Vec<String>,
        /// Reciprocal condition number of the dependent block; zero when it is singular.
        reciprocal_condition: f64,
        /// Rank of the constraint Jacobian.
        rank: usize,
        /// Degrees of freedom n - rank.
        dof: usize,
    },
    /// Numbers that are not finite.
    #[error(
        "{owner} gives a number that is not finite in this configuration. Check for a spring or line shrunk to a point."
    )]
    NotFinite {
        /// The element.
        owner: String,
    },
    /// A matrix computation failed.
    #[error(transparent)]
    Algebra(#[from] AlgebraError),
}
