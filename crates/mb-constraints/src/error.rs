//! What can go wrong with constraints, in the user's words.

use mb_algebra::{AlgebraError, Stopped};

/// Six significant digits without the zeros behind them; with an exponent where digits alone would be hard to read.
fn brief(x: f64) -> String {
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    if rounded == 0.0 || (1e-4..1e7).contains(&rounded.abs()) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

/// Failure to satisfy, reduce or solve with constraints.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// The constraints could not be satisfied from the given start.
    #[error(
        "The mechanism cannot be assembled at t = {at} s: after {iterations} steps {owner} is still violated by {violation:.3e}{contradiction}.",
        at = brief(*time)
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
        "No velocities satisfy the constraints at t = {at} s: {owner} asks for a rate that the others do not allow, short by {violation:.3e} per second.",
        at = brief(*time)
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
    /// A parameter of a method out of its range.
    #[error("The parameter {parameter} of the method {method} is {}, but it must be {range}.", brief(*value))]
    MethodParameter {
        /// Name of the method.
        method: String,
        /// Name of the parameter.
        parameter: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        range: &'static str,
    },
    /// A direction that has neither mass nor constraint.
    #[error(
        "The accelerations are undetermined at t = {at} s: the coordinate {coordinate} can move without moving a mass. Give it mass or hold it by a constraint.",
        at = brief(*time)
    )]
    MassMissing {
        /// Time in s.
        time: f64,
        /// The coordinate at which elimination broke down.
        coordinate: String,
    },
    /// An option of a simulation out of its range.
    #[error("The option {option} of the simulation is {}, but it must be {range}.", brief(*value))]
    SimulationOption {
        /// Name of the option.
        option: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        range: &'static str,
    },
    /// The start does not satisfy the constraints.
    #[error("The start at t = {at} s does not satisfy the constraints: {}.", list.join("; "), at = brief(*time))]
    InconsistentStart {
        /// Time in s.
        time: f64,
        /// The violated rows with their violation, largest first.
        list: Vec<String>,
    },
    /// No motion is possible and none is driven.
    #[error(
        "The mechanism is locked at t = {at} s: its {rank} independent constraints leave no degree of freedom, and no drive moves it.",
        at = brief(*time)
    )]
    Locked {
        /// Time in s.
        time: f64,
        /// Rank of the constraint Jacobian.
        rank: usize,
    },
    /// The step that the error control asks for is below the resolution of time.
    #[error(
        "The integration stops at t = {at} s: the step fell to {step:.1e} s because of {coordinate}{constraint}. The mechanism may reach a limit of its motion there, or the equations are too stiff for this integrator.",
        at = brief(*time)
    )]
    StepTooSmall {
        /// Time in s.
        time: f64,
        /// The step in s.
        step: f64,
        /// The coordinate with the largest error.
        coordinate: String,
        /// The constraint behind it, in words; empty when none stands out.
        constraint: String,
    },
    /// The energy balance is broken.
    #[error(
        "The method {method} is unstable here: at t = {at} s the energy is {drift:+.3e} J away from its balance, with {scale:.3e} J to be set in motion. Use smaller tolerances or steps, or other parameters of the method.",
        at = brief(*time)
    )]
    Unstable {
        /// Name of the method.
        method: String,
        /// Time in s.
        time: f64,
        /// Energy minus its value at the start and the work done since, J.
        drift: f64,
        /// Energy that could be in motion: kinetic at the start, fall of the potential, work, J.
        scale: f64,
    },
    /// A violation whose square is no finite number.
    #[error(
        "The violation of {owner} at t = {at} s is so large that its square is no finite number. Let the start be assembled, give start values near to the constraints, or integrate with smaller tolerances.",
        at = brief(*time)
    )]
    Overflows {
        /// Owner and axis of the constraint row.
        owner: String,
        /// Time in s.
        time: f64,
    },
    /// Numbers that are not finite.
    #[error(
        "{owner} gives a number that is not finite in this configuration. Check for a spring or line shrunk to a point, and for a slip of the pen in an exponent: products above 1e308 are no numbers."
    )]
    NotFinite {
        /// The element.
        owner: String,
    },
    /// A matrix computation failed.
    #[error(transparent)]
    Algebra(#[from] AlgebraError),
    /// It was stopped from outside.
    #[error("The work ended before its end: {0}.")]
    Stopped(#[from] Stopped),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        for (x, text) in [(0.0, "0"), (0.5, "0.5"), (-2.25, "-2.25")] {
            assert_eq!(brief(x), text);
        }
        assert_eq!(brief(1.0 / 3.0).len(), "0.333333".len());
        let locked = ConstraintError::Locked { time: f64::powi(2.0, -60), rank: 3 };
        assert!(locked.to_string().contains("e-19 s"), "{locked}");
        let option =
            ConstraintError::SimulationOption { option: "every", value: 1e-300, range: "large enough" };
        assert!(option.to_string().contains("is 1e-300, but"), "{option}");
    }
}
