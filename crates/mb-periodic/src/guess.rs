//! First guesses of the period: when a motion comes back near to its start.
//!
//! ```text
//! distance^2 = |q (-) q0|^2 / range_q^2 + |v - v0|^2 / range_v^2
//! ```
//!
//! Angles are compared but for whole turns. The motion is followed over longer and longer times, in reports close enough to each other that
//! every turn of it is seen. Guesses are the minima of the distance behind its first large value, each that of the parabola through three
//! values of distance^2. The other end of a wide swing is near to the start, too, so that a minimum is a guess only where no other one of the
//! same run comes nearer by a factor; the others follow, the nearest first.

use crate::dynamics::State;
use crate::error::PeriodicError;
use crate::geometry::difference;
use crate::time_dependence::depends_on_time;
use mb_algebra::{Watch, norms};
use mb_constraints::accelerations;
use mb_constraints::simulate::{End, SimulationOptions, Trajectory, simulate};
use mb_model::{BlockKind, Model, Point};
use std::f64::consts::TAU;
use std::ops::ControlFlow;

/// Least and most reports of a run.
const REPORTS: f64 = 800.0;
const MOST_REPORTS: f64 = 12800.0;
/// Mean way between two reports, in ranges: an oscillation, whose way is about two to three ranges of both kinds, has fifty of them.
const WAY: f64 = 0.05;
/// Runs, each four times as long as the last one or in reports closer to each other.
const RUNS: usize = 6;
/// How far a minimum must come back.
const NEAR: f64 = 0.3;
/// Minima this many times as far as the nearest one are guesses before it; what a motion that settles misses its start by changes little from
/// one return to the next.
const ALIKE: f64 = 3.0;
/// Distance, against the largest, that reports at this way do not resolve.
const RESOLVED: f64 = 0.003;
/// Most guesses.
const GUESSES: usize = 5;

/// A guess of the period of a motion of a model that does not depend on time, s: the first of [`guess_periods`].
///
/// # Errors
/// As [`guess_periods`].
pub fn guess_period(
    model: &Model,
    start: &State,
    inputs: &[f64],
    watch: &Watch,
) -> Result<f64, PeriodicError> {
    // There is one at least.
    Ok(guess_periods(model, start, inputs, watch)?.first().copied().unwrap_or(f64::NAN))
}

/// Guesses of the period of a motion of a model that does not depend on time, s, the best first; at least one.
///
/// # Errors
/// [`PeriodicError::PeriodNeeded`], [`PeriodicError::AtRest`], [`PeriodicError::NoReturn`]; failures of the simulation.
pub fn guess_periods(
    model: &Model,
    start: &State,
    inputs: &[f64],
    watch: &Watch,
) -> Result<Vec<f64>, PeriodicError> {
    let point = Point {
        q: start.q.clone(),
        v: start.v.clone(),
        t: start.t,
        u: inputs.to_vec(),
        ..model.initial_point()
    };
    if let Some(owner) = depends_on_time(model, inputs, std::slice::from_ref(start)) {
        return Err(PeriodicError::PeriodNeeded { owner });
    }
    let a = norms::max_abs_vec(&accelerations(model, &point)?.0);
    let v = norms::max_abs_vec(&start.v);
    if a <= 1e-12 && v <= 1e-12 {
        return Err(PeriodicError::AtRest);
    }
    // A time in which the motion changes: by its curvature, or by a unit of its coordinates.
    let unit = if v > 0.0 {
        (1.0 / v).min(if a > 0.0 { (2.0 / a).sqrt() } else { f64::INFINITY })
    } else {
        (2.0 / a).sqrt()
    };
    let (mut until, mut every) = (20.0 * unit, 20.0 * unit / REPORTS);
    for _ in 0..RUNS {
        watch.look()?;
        every = every.max(until / MOST_REPORTS);
        let options = SimulationOptions {
            until: start.t + until,
            every,
            inputs: inputs.to_vec(),
            energy_limit: f64::INFINITY,
            ..SimulationOptions::default()
        };
        let stop = watch.clone();
        let mut see =
            |_: &_| if stop.look().is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let motion = simulate(model, start.t, &start.q, &start.v, &options, &mut see)?;
        watch.look()?;
        let (found, way) = returns(model, &motion);
        // Too far apart to see the turns of the motion.
        let closer = way / WAY;
        if closer > 1.5 && motion.len() > 2 {
            until = (until / closer).max(REPORTS * every / closer);
            every /= closer;
            continue;
        }
        if !found.is_empty() {
            return Ok(found.into_iter().map(|t| t - start.t).collect());
        }
        if let End::Failed(failure) = motion.end {
            return Err(failure.into());
        }
        until *= 4.0;
        every = every.max(until / MOST_REPORTS);
    }
    Err(PeriodicError::NoReturn { until: until / 4.0 })
}

/// The times at which the motion is near its start again, the best first, and the mean way between two reports in ranges.
fn returns(model: &Model, motion: &Trajectory) -> (Vec<f64>, f64) {
    let turning: Vec<usize> = model
        .coordinates()
        .blocks()
        .iter()
        .filter(|b| matches!(b.kind, BlockKind::PlanarPose | BlockKind::Angle))
        .flat_map(|b| (0..b.kind.nv()).filter(|i| b.kind.turns(*i)).map(move |i| b.v + i))
        .collect();
    let apart = |k: usize, l: usize| -> (f64, f64) {
        let mut d = difference(model, motion.q_at(k), motion.q_at(l));
        for i in &turning {
            d[*i] -= TAU * (d[*i] / TAU).round();
        }
        let v: Vec<f64> = motion.v_at(k).iter().zip(motion.v_at(l)).map(|(a, b)| a - b).collect();
        (norms::two(&d), norms::two(&v))
    };
    let gaps: Vec<(f64, f64)> = (0..motion.len()).map(|k| apart(k, 0)).collect();
    let range = |f: fn(&(f64, f64)) -> f64| gaps.iter().map(f).fold(0.0, f64::max).max(1e-300);
    let (q, v) = (range(|g| g.0), range(|g| g.1));
    let size = |g: (f64, f64)| (g.0 / q).hypot(g.1 / v);
    let steps = motion.len().saturating_sub(1);
    let way = (0..steps).map(|k| size(apart(k + 1, k))).sum::<f64>() / steps.max(1) as f64;
    let distance: Vec<f64> = gaps.iter().map(|g| size(*g)).collect();
    let whole = distance.iter().copied().fold(0.0, f64::max);
    let away = distance.iter().position(|d| *d > 0.5 * whole).unwrap_or(distance.len()).max(1);
    let mut found: Vec<(f64, f64)> = (away..steps)
        .filter(|&k| distance[k] <= distance[k - 1] && distance[k] < distance[k + 1])
        .map(|k| {
            let (before, here, after) =
                (distance[k - 1].powi(2), distance[k].powi(2), distance[k + 1].powi(2));
            let bend = before - 2.0 * here + after;
            let s = if bend > 0.0 { 0.5 * (before - after) / bend } else { 0.0 };
            let least = (here - 0.25 * (before - after) * s).max(0.0).sqrt();
            let step = if s < 0.0 {
                motion.times[k] - motion.times[k - 1]
            } else {
                motion.times[k + 1] - motion.times[k]
            };
            (motion.times[k] + s * step, least)
        })
        .filter(|(_, least)| *least < NEAR * whole)
        .collect();
    let nearest = found.iter().map(|f| f.1).fold(f64::INFINITY, f64::min).max(RESOLVED * whole);
    let Some(first) = found.iter().position(|f| f.1 <= ALIKE * nearest) else { return (Vec::new(), way) };
    let best = found.remove(first);
    // Later returns to the same place are whole numbers of periods.
    found.retain(|f| {
        let periods = f.0 / best.0;
        f.0 < best.0 || f.1 < 0.5 * best.1 || (periods - periods.round()).abs() > 0.05
    });
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    found.insert(0, best);
    found.truncate(GUESSES);
    (found.into_iter().map(|f| f.0).collect(), way)
}
