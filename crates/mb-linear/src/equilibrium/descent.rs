//! Descent with inertia: implicit steps of the flow M q' = -r on the constraints, longer and longer.
//!
//! ```text
//! M d / tau + r(q (+) d) = 0,  Phi(q (+) d) = 0     a step d, by Newton's method
//! ```
//!
//! Pseudo-transient continuation (Kelley and Keyes, SIAM J. Numer. Anal. 35, 1998). Short steps go downhill in the metric of
//! the masses, in which a stiff body swings as readily as a soft one bends; long ones are those of Newton's method. A
//! step that leads uphill, because M / tau + K is not positive there, goes too far or does not converge is tried again
//! with a quarter of tau (s^2). n + m unknowns a step. Fails where massless parts are unstable; Newton's method
//! polishes the rest.

use super::newton::{Outcome, advance, correction, newton};
use super::units::Units;
use super::{EquilibriumOptions, balanced, is_near};
use crate::error::LinearError;
use mb_algebra::{Sparse, sparse};
use mb_constraints::{Saddle, SaddlePatterns};
use mb_model::{Model, Point};

/// tau of the first step, and its bounds, s^2.
const FIRST: f64 = 1.0;
const SHORTEST: f64 = 1e-12;
const LONGEST: f64 = 1e9;
/// What tau is divided by when a step is refused, and multiplied by when one is taken.
const FACTOR: f64 = 4.0;
/// Corrections within a step, what each has to leave of the one before, and how small the last is compared with the longest step.
const CORRECTIONS: usize = 12;
const SHRINK: f64 = 0.7;
const SMALL: f64 = 1e-6;

/// Goes downhill from `start`, then polishes.
pub(super) fn descend(
    model: &Model,
    start: &Point,
    options: &EquilibriumOptions,
    patterns: &mut SaddlePatterns,
) -> Result<Outcome, LinearError> {
    let mut point = start.clone();
    let units = &Units::new(model, &start.q);
    let mut tau = FIRST;
    // M has entries where K has none.
    let mut of_sum = SaddlePatterns::default();
    let mut corrections = 0;
    let goes_on = |point: &Point| options.watch.look().is_ok() && !units.ran_away(model, &start.q, &point.q);
    while corrections < 2 * options.max_iterations
        && tau >= SHORTEST
        && !is_near(model, &point, units, options)
        && goes_on(&point)
    {
        let mass = model.mass(&point).to_sparse();
        match step(model, &point, units, (&mass, tau), &mut of_sum, &mut corrections)? {
            Some(next) => {
                point = balanced(model, next, units)?;
                tau = (FACTOR * tau).min(LONGEST);
            }
            None => tau /= FACTOR,
        }
    }
    let mut outcome = newton(model, &point, options, patterns)?;
    outcome.iterations += corrections;
    Ok(outcome)
}

/// The point after a step, if that begins downhill, converges and does not go too far.
fn step(
    model: &Model,
    start: &Point,
    units: &Units,
    (mass, tau): (&Sparse, f64),
    patterns: &mut SaddlePatterns,
    corrections: &mut usize,
) -> Result<Option<Point>, LinearError> {
    let reach = 0.2 * units.reach(model, &start.q);
    let mut point = start.clone();
    let mut moved = vec![0.0; model.nv()];
    let mut last = f64::INFINITY;
    for round in 0..CORRECTIONS {
        let (k, phi_q) = model.static_blocks(&point);
        let matrix = sparse::add(1.0, &k, 1.0 / tau, mass);
        let saddle = Saddle::sparse_again(&matrix, &phi_q, patterns)?;
        let inertia: Vec<f64> = sparse::matvec(mass, &moved).iter().map(|x| -x / tau).collect();
        let (dq, dlambda) = correction(model, &saddle, &point, &inertia);
        *corrections += 1;
        let power: f64 = model.residual(&point).iter().zip(&dq).map(|(r, d)| r * d).sum();
        let size = units.largest(&dq);
        moved.iter_mut().zip(&dq).for_each(|(m, d)| *m += d);
        let near = size <= SHRINK * last && units.largest(&moved) <= reach;
        // A NaN is refused too.
        if !near || (round == 0 && (power >= 0.0 || power.is_nan())) {
            return Ok(None);
        }
        advance(model, &mut point, &dq, &dlambda, 1.0);
        if size <= SMALL * reach {
            return Ok(Some(point));
        }
        last = size;
    }
    Ok(None)
}
