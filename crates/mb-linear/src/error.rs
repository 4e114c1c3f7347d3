//! What can go wrong on the way to a linear system, in the user's words.

use crate::steady::Unsteady;
use mb_algebra::{AlgebraError, Stopped};
use mb_constraints::ConstraintError;
use mb_model::InsideOut;

/// Refuses what is not there for models with velocity rows.
pub(crate) fn no_velocity_rows(
    model: &mb_model::Model,
    what: &'static str,
    instead: &'static str,
) -> Result<(), LinearError> {
    match model.velocity_rows().iter().position(|x| *x) {
        None => Ok(()),
        Some(i) => Err(LinearError::WithVelocityRows { what, row: model.row_name(i), instead }),
    }
}

/// Failure of an equilibrium or a linearization.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinearError {
    /// The point offered is no equilibrium and no point of a motion.
    #[error(
        "The point is not {expected}: the equation of {equation} is off by {residual:.3e}, allowed are {tolerance:.3e}. Solve for the equilibrium first, or declare the accelerations and multipliers of the motion."
    )]
    NotOnMotion {
        /// What was claimed: an equilibrium, or a point of a motion.
        expected: &'static str,
        /// Body and axis, or constraint and axis.
        equation: String,
        /// What is left of the equation, in its unit.
        residual: f64,
        /// What is allowed.
        tolerance: f64,
    },
    /// A point of wrong size.
    #[error("The point has {found} {what}, the model needs {expected}.")]
    WrongSize {
        /// Which part of the point.
        what: &'static str,
        /// Its size.
        found: usize,
        /// The model's.
        expected: usize,
    },
    /// No equilibrium was found.
    #[error(
        "{}After {iterations} iterations ({tried}) the equation of {equation} is still off by {residual:.3e}.",
        search_words(pushed, *stopped)
    )]
    NoEquilibrium {
        /// What the loads push at the start and nothing holds; empty where there is no such motion.
        pushed: String,
        /// What ended the search before its methods were at their end.
        stopped: Option<Stopped>,
        /// The methods tried.
        tried: String,
        /// Iterations in all.
        iterations: usize,
        /// The worst equation: body and axis, or constraint and axis.
        equation: String,
        /// What is left of it.
        residual: f64,
    },
    /// There is no equilibrium: the loads push parts that nothing holds in any configuration.
    #[error(
        "The loads push {pushed}, which nothing holds in any configuration: there is no equilibrium. Hold that motion with a joint or a spring, or take the loads away."
    )]
    Falls {
        /// What they push.
        pushed: String,
        /// The first velocity of these: body and axis.
        equation: String,
    },
    /// There is no equilibrium: a torque turns a part that nothing holds in any configuration.
    #[error(
        "The {torque} turns {pushed}, which nothing holds in any configuration: {moment:.3e} N m are not balanced, and there is no equilibrium. Hold that motion with a joint or a torsional spring, or take the torque away."
    )]
    Turns {
        /// The torque, such as `torque 'drive'`.
        torque: String,
        /// What it turns.
        pushed: String,
        /// The moment that nothing balances, in the mean over a turn, N m.
        moment: f64,
    },
    /// The equilibrium found is no state of a body.
    #[error(
        "The equilibrium found has {count} element(s) of solids inside out; the worst: {worst}. No body gets there: the loads are more than this mesh carries. Let them grow in steps to see how much it does, make them smaller, or refine the mesh."
    )]
    InsideOut {
        /// Elements that are inside out.
        count: usize,
        /// The one with the smallest volume.
        worst: Box<InsideOut>,
    },
    /// Every equilibrium found has a joint turned over.
    #[error(
        "The equilibrium found has {joint} turned over: its axis points opposite ways on both sides. No motion of the mechanism leads there."
    )]
    TurnedOver {
        /// The first of them.
        joint: String,
    },
    /// A driving constraint moves, so nothing is at rest.
    #[error(
        "{owner} moves at t = {time} s with the rate {rate:.3e} and the acceleration {acceleration:.3e}, so there is no rest then. Choose a time at which it stands still, or linearize about a point of the motion."
    )]
    Driven {
        /// Owner and axis of the constraint row.
        owner: String,
        /// Time in s.
        time: f64,
        /// Phi_t, in the unit of the row per second.
        rate: f64,
        /// Phi_tt, in the unit of the row per second squared.
        acceleration: f64,
    },
    /// A motion that is not steady.
    #[error("{}", .0.sentence())]
    NotSteady(Box<Unsteady>),
    /// No steady motion was found.
    #[error(
        "No steady motion with these speeds was found: {}.", no_steady_motion(equation, *iterations, *residual, *power)
    )]
    NoSteadyMotion {
        /// The worst equation: body and axis.
        equation: String,
        /// Newton steps at the last speed tried.
        iterations: usize,
        /// What is left of the equation, in its unit.
        residual: f64,
        /// What the forces give the motion, W, where all other equations are met.
        power: Option<f64>,
    },
    /// A rotation that cannot be.
    #[error("The {who} {problem}.")]
    BadSpin {
        /// The joint or the body that is said to turn.
        who: String,
        /// What is wrong, and what there is.
        problem: String,
    },
    /// Unknown speeds and inputs that what is asked for does not determine.
    #[error("{problem}.")]
    NotSought {
        /// Which, and why.
        problem: String,
    },
    /// Velocity rows that hold the configuration.
    #[error(
        "The velocity rows have rank {rank} of {count} in addition to the position rows, and what is left of them holds the configuration, not the velocities: {}. Rows that depend on each other cannot be linearized on the admissible velocities; take one of them out.",
        names.join(", ")
    )]
    HoldingRows {
        /// Rank of the velocity rows on the directions that the position rows leave.
        rank: usize,
        /// Number of velocity rows.
        count: usize,
        /// Their names.
        names: Vec<String>,
    },
    /// Something that there is not for models with velocity rows.
    #[error("With velocity rows ({row}) there is no {what}. {instead}")]
    WithVelocityRows {
        /// What was asked for.
        what: &'static str,
        /// The first velocity row.
        row: String,
        /// What there is instead.
        instead: &'static str,
    },
    /// No such body to take the frame of.
    #[error("There is no body '{name}' whose frame could be taken; {}.", if known.is_empty() { "the model has no bodies".to_owned() } else { format!("there are: {}", known.join(", ")) })]
    NoSuchBody {
        /// What was asked for.
        name: String,
        /// The bodies.
        known: Vec<String>,
    },
    /// An input or output that is not constant in the frame of a steady motion.
    #[error(
        "The {what} '{name}' is not constant in {frame}, so the linearized system has no constant matrices for it. Choose a frame in which it is, or leave it out."
    )]
    NotConstant {
        /// input or output.
        what: &'static str,
        /// Its name.
        name: String,
        /// The frame in words.
        frame: String,
    },
    /// The distance of two places that coincide.
    #[error(
        "The output '{name}' reads the distance of two places that coincide here, and that has no derivative: it grows whichever way they move apart. Read how one of them moves instead (`quantity` x, y or z), start where they are apart, or leave the output out."
    )]
    PlacesCoincide {
        /// Name of the output.
        name: String,
    },
    /// An output whose derivatives are not finite.
    #[error(
        "The derivatives of the output '{name}' are not finite here, so the linearized system has no row for it. Linearize elsewhere, or leave the output out."
    )]
    OutputNotFinite {
        /// Name of the output.
        name: String,
    },
    /// A penalty matrix of wrong size, or one that is not usable.
    #[error("The penalty factor {which} {problem}.")]
    BadPenalty {
        /// Xi, Theta or Omega.
        which: &'static str,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// The mass matrix of the reduced system is singular.
    #[error(
        "The coordinate {coordinate} has no inertia along a free motion, so there is no state-space form. Give it mass, or constrain it."
    )]
    NoInertia {
        /// The coordinate with the largest part in the massless motion.
        coordinate: String,
    },
    /// States that no input reaches or no output sees cannot be told from rounding.
    #[error(
        "There is no minimal form of this system in double precision: which states no input reaches or no output sees is lost in rounding, and the best form found changes the transfer function by {change:.1e} of itself. Take the reduced form."
    )]
    NotMinimal {
        /// Relative change of the transfer function.
        change: f64,
    },
    /// A constraint problem.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// A matrix computation failed.
    #[error(transparent)]
    Algebra(#[from] AlgebraError),
    /// It was stopped from outside.
    #[error("The work ended before its end: {0}.")]
    Stopped(#[from] Stopped),
}

/// Why no equilibrium was found: what no method can mend first, then what ended the search, then advice.
fn search_words(pushed: &str, stopped: Option<Stopped>) -> String {
    match (pushed, stopped) {
        ("", None) => "No equilibrium was found. Start closer to it, or check that one exists (a load may have nothing to balance \
                       it). "
            .to_owned(),
        ("", Some(why)) => format!("The search ended before it found an equilibrium: {why}. "),
        (pushed, why) => {
            let ended = why.map_or_else(String::new, |why| format!("The search ended early: {why}. "));
            format!(
                "The loads push {pushed}, which nothing holds at the start: no equilibrium was found. Hold that motion with a \
                 joint or a spring, or start closer to where the loads balance each other. {ended}"
            )
        }
    }
}

/// Why there is no steady motion.
fn no_steady_motion(equation: &str, iterations: usize, residual: f64, power: Option<f64>) -> String {
    let Some(power) = power else {
        return format!(
            "after {iterations} Newton steps the equation of {equation} is still off by {residual:.3e}. Start closer to it, or check that one \
             exists at this speed"
        );
    };
    let size = power.abs();
    let (does, becomes, what) = if power < 0.0 {
        (format!("take {size:.3e} W from it"), "slows down", "brakes")
    } else {
        (format!("give it {size:.3e} W"), "speeds up", "drives")
    };
    format!(
        "the forces {does}, so that it {becomes}; all other equations of motion are met, and that of {equation} is off by {residual:.3e}. \
         Leave a speed or a driving input unknown (`?`), or take out what {what} it"
    )
}
