//! A steady motion whose speeds or driving forces are solved for.

use super::settle::{Start, StartOptions};
use super::site::{MotionOptions, Moving, State};
use crate::error::AnalysisError;
use mb_constraints::largest;
use mb_linear::LinearError;
use mb_linear::steady::{Sought, Spin, steady_sought};
use mb_model::{Carried, Held, Model, Point};

/// A speed or an input that was unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// Its name as options have it: `spin:axle`, or that of the input.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its unit; empty for inputs.
    pub unit: &'static str,
}

/// The steady motion near an assembled configuration `q`, with what is unknown solved for.
///
/// # Errors
/// Options that ask for something else at once, and those of [`steady_sought`].
pub(super) fn sought(
    model: &Model,
    start: &StartOptions,
    motion: &MotionOptions,
    (spins, sought): (&[Spin], &Sought),
    outcome: Start,
) -> Result<Moving, AnalysisError> {
    let refused = |problem: &str| AnalysisError::from(LinearError::NotSought { problem: problem.to_owned() });
    if spins.is_empty() {
        return Err(refused(
            "Values are held and inputs solved for along a steady motion, and nothing is said to turn",
        ));
    }
    if !start.solve || motion.instant || motion.after > 0.0 {
        return Err(refused(
            "Unknown speeds and inputs are solved for in a steady motion near the start, not at a start as it is or an instant",
        ));
    }
    let inputs = if start.inputs.is_empty() { vec![0.0; model.inputs().len()] } else { start.inputs.clone() };
    let there = Point { q: outcome.q.clone(), t: start.time, u: inputs, ..model.initial_point() };
    let (found, spins) = steady_sought(model, &there, spins, sought, &motion.frame)?;
    let at = State::Lasting(found.at);
    let residual = largest(&model.residual(at.point())).map_or(0.0, |(_, x)| x);
    let speeds = sought.spins.iter().map(|i| {
        let name = match &spins[*i].carries {
            Carried::Joint(joint) => format!("spin:{joint}"),
            Carried::Blocks { .. } => spins[*i].name(model),
        };
        Solved { name, value: spins[*i].speed, unit: " rad/s" }
    });
    let inputs = sought.inputs.iter().map(|i| Solved {
        name: model.inputs()[*i].clone(),
        value: at.point().u[*i],
        unit: "",
    });
    let solved = speeds.chain(inputs).collect();
    let found = Some((found.iterations, found.moved));
    Ok(Moving { at, start: outcome, residual, after: 0.0, found, branch: None, solved })
}

/// Start values of what is held: the coordinates among it.
pub(super) fn held(sought: &Sought) -> impl Iterator<Item = (usize, f64)> {
    sought.holds.iter().filter_map(|(held, value)| match held {
        Held::Coordinate { q, .. } => Some((*q, *value)),
        Held::Output(_) => None,
    })
}

/// Refuses speeds that the model leaves unknown, for what needs their values.
///
/// # Errors
/// [`AnalysisError::SpeedUnknown`], by name.
pub(super) fn check_known(model: &Model, what: &'static str) -> Result<(), AnalysisError> {
    let Some(i) = Sought::of_model(model).spins.first().copied() else { return Ok(()) };
    Err(AnalysisError::SpeedUnknown { who: Spin::of_model(model)[i].name(model), what })
}
