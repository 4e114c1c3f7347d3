//! Whether a motion comes back before its period is over.
//!
//! ```text
//! |flow_{T / k}(y_0) - y_0| <= 1e-6 L,   k = 2, 3, ..   (whole turns and what is ignorable apart)
//! ```
//!
//! L is the size of the motion. A motion near a period doubling returns nearly after half its period, so that one that is solved for anew
//! with T / k must be the same to count. A steady motion returns at all times, and has no least period.

use crate::closing::{close, shifted, whole_turns};
use crate::dynamics::{Dynamics, State};
use crate::error::PeriodicError;
use crate::group::Displacement;
use crate::orbit::Orbit;
use crate::step::Stepper;
use crate::symmetry::Symmetries;
use mb_algebra::norms;
use mb_model::Model;

/// Most parts of a period that are looked at.
const MOST: usize = 12;
/// Share of the size of the motion within which it has returned.
const RETURNED: f64 = 1e-6;

/// How many times the least period of a motion of a model that does not depend on time goes into its period, at most [`MOST`] times; one
/// where it does not return before, and for steady motions.
///
/// # Errors
/// As [`Stepper::step`].
pub(crate) fn returns(model: &Model, inputs: &[f64], orbit: &Orbit) -> Result<usize, PeriodicError> {
    let (start, period) = (&orbit.states[0], orbit.period);
    let mut stepper = Stepper::new(Dynamics::new(model, inputs, start)?)?;
    let symmetries = Symmetries::along(&mut stepper.dynamics, &orbit.states, orbit.frame.rate)?;
    let size = size(orbit);
    let mut found = Vec::new();
    for k in 2..=MOST {
        let end = state_at(&mut stepper, orbit, period / k as f64)?;
        let turns = whole_turns(model, &end, start);
        let begin = shifted(model, start, &turns, period / k as f64);
        let mut displacement = Displacement::identity(model);
        let (_, gap, _) =
            close(&stepper.dynamics, Some(&symmetries), &mut displacement, (&orbit.frame, &begin), &end)?;
        if norms::max_abs_vec(&gap) <= RETURNED * size {
            found.push(k);
        }
    }
    // A least period that goes so often into this one would do so a thousand times.
    let is_steady = [2, 3, 5, 7, 11].iter().all(|k| found.contains(k));
    Ok(if is_steady { 1 } else { found.last().copied().unwrap_or(1) })
}

/// True where a motion is another one with a period k times as long.
pub(crate) fn is_same(
    model: &Model,
    inputs: &[f64],
    short: &Orbit,
    long: &Orbit,
    k: usize,
) -> Result<bool, PeriodicError> {
    let dynamics = Dynamics::new(model, inputs, &long.states[0])?;
    let gap = long.frame.gap(&dynamics, &short.states[0], &long.states[0]);
    let period = (k as f64 * short.period - long.period).abs();
    Ok(norms::max_abs_vec(&gap) <= RETURNED * size(long) && period <= RETURNED * long.period)
}

/// Size of a motion in the coordinates of states.
fn size(orbit: &Orbit) -> f64 {
    orbit.states.iter().map(|s| norms::max_abs_vec(&s.v)).fold(0.0, f64::max) / orbit.frame.rate
}

/// The state some seconds after the start of the motion.
fn state_at(stepper: &mut Stepper<'_>, orbit: &Orbit, seconds: f64) -> Result<State, PeriodicError> {
    let t = orbit.states[0].t + seconds;
    // The last one before, but for rounding.
    let before = orbit.states.iter().rev().find(|s| s.t <= t + 1e-12 * orbit.period);
    let from = before.unwrap_or(&orbit.states[0]);
    if t - from.t > 1e-12 * orbit.period { stepper.step(from, t - from.t, None) } else { Ok(from.clone()) }
}
