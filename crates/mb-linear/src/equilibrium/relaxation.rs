//! Dynamic relaxation: the damped motion of a fictitious system that comes to rest in a stable
//! equilibrium.
//!
//! ```text
//! D a + Phi_q^T lambda = -r(q),   Phi_q a = 0
//! ```
//!
//! D is diagonal, half the absolute row sums of K, so that the unit
//! time step is stable; the velocity is set to zero at every peak of the kinetic energy (Cundall's
//! kinetic damping), which needs no damping constant. The constraints are restored at every
//! step. Newton's method polishes the rest.

use super::newton::{Outcome, newton};
use super::pushed;
use super::{EquilibriumOptions, is_near, ran_away, relative_residual, shortest_multipliers};
use crate::error::LinearError;
use mb_algebra::{interrupt, norms, sparse};
use mb_constraints::{Saddle, SaddlePatterns, assemble};
use mb_model::{Model, Point};

/// Steps between new fictitious masses and factors.
const REFRESH: usize = 5;

/// Steps that have to halve the residual, in addition to as many as it took to halve it until then.
const PATIENCE: usize = 300;

/// The same of a long relaxation, where the loads push along a motion that nothing holds.
const PUSHED: usize = 2000;

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
    let mut point = start.clone();
    let mut v = vec![0.0; model.nv()];
    let mut energy = 0.0;
    let mut factor: Option<(Saddle, Vec<f64>)> = None;
    let steps = 50 * options.max_iterations;
    let (mut best, mut halved) = (f64::INFINITY, 0_usize);
    for step in 0..steps {
        interrupt::check();
        if step % REFRESH == 0 || factor.is_none() {
            if options.watch.look().is_err() || ran_away(start, &point) {
                return Ok(Outcome { point, iterations: step });
            }
            point = shortest_multipliers(model, point)?;
            let residual = relative_residual(model, &point);
            if is_near(model, &point, options) || step > (2 * halved).saturating_add(patience) {
                return polished(model, &point, options, step, patterns);
            }
            if residual <= 0.5 * best {
                (best, halved) = (residual, step);
            }
            let mass = fictitious_mass(model, &point);
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
        let length = norms::two(&v);
        let limit = 0.2 * (1.0 + norms::max_abs_vec(&point.q));
        let shrink = if length > limit { limit / length } else { 1.0 };
        for x in &mut v {
            *x *= shrink;
        }
        let moved = model.coordinates().retract(&point.q, &v);
        if let Ok(there) = assemble(model, &moved, point.t, &options.assembly) {
            point.q = there.q;
        } else {
            v.fill(0.0);
            energy = 0.0;
        }
    }
    polished(model, &point, options, steps, patterns)
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

/// Half the absolute row sums of K; the mean where a row is empty.
fn fictitious_mass(model: &Model, point: &Point) -> Vec<f64> {
    let k = model.stiffness(point).to_sparse();
    let mut sums = vec![0.0_f64; model.nv()];
    for (value, (row, _)) in &k {
        sums[row] += value.abs();
    }
    let mean = sums.iter().sum::<f64>() / model.nv().max(1) as f64;
    let floor = if mean > 0.0 { 0.1 * mean } else { 1.0 };
    sums.iter().map(|s| (0.5 * s).max(floor)).collect()
}
