//! Dynamic relaxation: the damped motion of a fictitious system that comes to rest in a stable
//! equilibrium.
//!
//! ```text
//! D a + Phi_q^T lambda = -r(q),   Phi_q a = 0
//! ```
//!
//! D is diagonal, half the absolute row sums of K in units in which lengths count by the extent of the model, so that the unit
//! time step is stable; the velocity is set to zero at every peak of the kinetic energy (Cundall's
//! kinetic damping), which needs no damping constant. The constraints are restored at every
//! step; one after which they cannot be is tried again with half the length. Newton's method polishes the rest.

use super::newton::{Outcome, newton};
use super::pushed;
use super::units::Units;
use super::{EquilibriumOptions, balanced, is_near, relative_residual};
use crate::error::LinearError;
use mb_algebra::{interrupt, sparse};
use mb_constraints::{Saddle, SaddlePatterns, assemble};
use mb_model::{Model, Point};

/// Steps between new fictitious masses and factors.
const REFRESH: usize = 5;

/// Steps that have to halve the residual, in addition to as many as it took to halve it until then.
const PATIENCE: usize = 300;

/// The same of a long relaxation, where the loads push along a motion that nothing holds.
const PUSHED: usize = 2000;

/// The largest angle of a step, rad: an angle of many turns is no reason for a longer one.
const TURN: f64 = 0.5;

/// Angle in rad after which a motion that loads push and nothing holds is taken to go on for ever: eight full turns.
const FOREVER: f64 = 8.0 * core::f64::consts::TAU;

/// Share of the longest step below which steps have collapsed: the constraints cannot be restored anywhere near.
const COLLAPSED: f64 = 1e-9;

/// Relaxes from `start` as long as that gets somewhere, then polishes.
///
/// Stiff bodies that swing far take tens of thousands of unit steps, all of which their stiffness makes short: other methods
/// are tried first.
pub(super) fn relax_a_while(
    model: &Model,
    start: &Point,
    options: &EquilibriumOptions,
    patterns: &mut SaddlePatterns,
) -> Result<Outcome, LinearError> {
    within(model, start, options, patterns, PATIENCE)
}

/// Relaxes from `start` to the end, then polishes.
pub(super) fn relax(
    model: &Model,
    start: &Point,
    options: &EquilibriumOptions,
    patterns: &mut SaddlePatterns,
) -> Result<Outcome, LinearError> {
    // Loads that push along a free motion may have no equilibrium at all; the way to one that there is shows sooner.
    let patience = if pushed::words(model, start).is_empty() { usize::MAX } else { PUSHED };
    within(model, start, options, patterns, patience)
}

fn within(
    model: &Model,
    start: &Point,
    options: &EquilibriumOptions,
    patterns: &mut SaddlePatterns,
    patience: usize,
) -> Result<Outcome, LinearError> {
    let units = Units::new(model, &start.q);
    let mut point = start.clone();
    let mut v = vec![0.0; model.nv()];
    let mut moved = vec![0.0; model.nv()];
    let mut energy = 0.0;
    // Share of the longest step that is allowed.
    let mut share = 1.0;
    let mut factor: Option<(Saddle, Vec<f64>)> = None;
    let steps = 50 * options.max_iterations;
    let (mut best, mut halved) = (f64::INFINITY, 0_usize);
    let turns_forever = |moved: &[f64]| {
        model.coordinates().largest_turn(moved) > FOREVER && !pushed::words(model, start).is_empty()
    };
    for step in 0..steps {
        interrupt::check();
        if step % REFRESH == 0 || factor.is_none() {
            let over = options.watch.look().is_err();
            if over || share < COLLAPSED || units.ran_away(model, &start.q, &point.q) || turns_forever(&moved)
            {
                return Ok(Outcome { point, iterations: step, leads_on: false });
            }
            point = balanced(model, point, &units)?;
            let residual = relative_residual(model, &point, &units);
            let patient = step <= (2 * halved).saturating_add(patience);
            if is_near(model, &point, &units, options) || !patient {
                let outcome = polished(model, &point, options, step, patterns)?;
                return Ok(Outcome { leads_on: !patient, ..outcome });
            }
            if residual <= 0.5 * best {
                (best, halved) = (residual, step);
            }
            let mass = fictitious_mass(model, &point, &units);
            let phi_q = model.phi_q(&point.q, point.t).to_sparse();
            factor = Some((Saddle::sparse(&sparse::diagonal(&mass), &phi_q)?, mass));
        }
        let Some((saddle, mass)) = &factor else { break };
        let force: Vec<f64> = model.applied_residual(&point).iter().map(|x| -x).collect();
        let (a, lambda) = saddle.solve(&force, &vec![0.0; model.nc()]);
        v.iter_mut().zip(&a).for_each(|(v, a)| *v += a);
        point.lambda = lambda;
        let kinetic: f64 = v.iter().zip(mass).map(|(v, m)| m * v * v).sum();
        if kinetic < energy {
            v.fill(0.0);
            energy = 0.0;
            continue;
        }
        energy = kinetic;
        // Long steps would leave the region where the constraints can be restored.
        let limit = share * 0.2 * units.reach(model, &point.q);
        let shrink = most(limit, units.two(&v)).min(most(share * TURN, model.coordinates().largest_turn(&v)));
        for x in &mut v {
            *x *= shrink;
        }
        let next = model.coordinates().retract(&point.q, &v);
        if let Ok(there) = assemble(model, &next, point.t, &options.assembly) {
            point.q = there.q;
            moved.iter_mut().zip(&v).for_each(|(m, v)| *m += v);
            share = (2.0 * share).min(1.0);
        } else {
            v.fill(0.0);
            energy = 0.0;
            share *= 0.5;
        }
    }
    polished(model, &point, options, steps, patterns)
}

/// The factor that keeps `size` within a limit.
fn most(limit: f64, size: f64) -> f64 {
    if size > limit { limit / size } else { 1.0 }
}

fn polished(
    model: &Model,
    point: &Point,
    options: &EquilibriumOptions,
    steps: usize,
    patterns: &mut SaddlePatterns,
) -> Result<Outcome, LinearError> {
    let mut outcome = newton(model, point, options, patterns)?;
    outcome.iterations += steps;
    Ok(outcome)
}

/// Half the absolute row sums of U K U, divided by U^2; a tenth of the mean where a row is nearly empty.
fn fictitious_mass(model: &Model, point: &Point, units: &Units) -> Vec<f64> {
    let k = model.stiffness(point).to_sparse();
    let unit = units.each();
    let mut sums = vec![0.0_f64; model.nv()];
    for (value, (row, column)) in &k {
        sums[row] += value.abs() * unit[row] * unit[column];
    }
    let mean = sums.iter().sum::<f64>() / model.nv().max(1) as f64;
    let floor = if mean > 0.0 { 0.1 * mean } else { 1.0 };
    sums.iter().zip(unit).map(|(s, u)| (0.5 * s).max(floor) / (u * u)).collect()
}
