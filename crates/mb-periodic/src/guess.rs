//! A first guess of the period: when a motion first comes back near to its start.
//!
//! ```text
//! distance^2 = |q (-) q0|^2 / range_q^2 + |v - v0|^2 / range_v^2
//! ```
//!
//! Angles are compared but for whole turns. The motion is followed over longer and longer times; the first minimum of the distance behind its first
//! large value is taken where it is small against that.

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

/// Reports of a run, and how far a minimum must come back.
const REPORTS: f64 = 800.0;
const NEAR: f64 = 0.3;

/// A guess of the period of a motion of a model that does not depend on time, s.
///
/// # Errors
/// [`PeriodicError::PeriodNeeded`], [`PeriodicError::AtRest`], [`PeriodicError::NoReturn`]; failures of the simulation.
pub fn guess_period(
    model: &Model,
    start: &State,
    inputs: &[f64],
    watch: &Watch,
) -> Result<f64, PeriodicError> {
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
    let mut until = 20.0 * unit;
    for _ in 0..5 {
        watch.look()?;
        let options = SimulationOptions {
            until: start.t + until,
            every: until / REPORTS,
            inputs: inputs.to_vec(),
            energy_limit: f64::INFINITY,
            ..SimulationOptions::default()
        };
        let stop = watch.clone();
        let mut see =
            |_: &_| if stop.look().is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let motion = simulate(model, start.t, &start.q, &start.v, &options, &mut see)?;
        watch.look()?;
        if let Some(t) = first_return(model, &motion) {
            return Ok(t - start.t);
        }
        if let End::Failed(failure) = motion.end {
            return Err(failure.into());
        }
        until *= 4.0;
    }
    Err(PeriodicError::NoReturn { until: until / 4.0 })
}

/// The first time at which the motion is near its start again.
fn first_return(model: &Model, motion: &Trajectory) -> Option<f64> {
    let turning: Vec<usize> = model
        .coordinates()
        .blocks()
        .iter()
        .filter(|b| matches!(b.kind, BlockKind::PlanarPose | BlockKind::Angle))
        .flat_map(|b| (0..b.kind.nv()).filter(|i| b.kind.turns(*i)).map(move |i| b.v + i))
        .collect();
    let gaps: Vec<(f64, f64)> = (0..motion.len())
        .map(|k| {
            let mut d = difference(model, motion.q_at(k), motion.q_at(0));
            for i in &turning {
                d[*i] -= TAU * (d[*i] / TAU).round();
            }
            let v: Vec<f64> = motion.v_at(k).iter().zip(motion.v_at(0)).map(|(a, b)| a - b).collect();
            (norms::two(&d), norms::two(&v))
        })
        .collect();
    let range = |f: fn(&(f64, f64)) -> f64| gaps.iter().map(f).fold(0.0, f64::max).max(1e-300);
    let (q, v) = (range(|g| g.0), range(|g| g.1));
    let distance: Vec<f64> = gaps.iter().map(|g| (g.0 / q).hypot(g.1 / v)).collect();
    let whole = distance.iter().copied().fold(0.0, f64::max);
    let away = distance.iter().position(|d| *d > 0.5 * whole)?;
    (away.max(1)..distance.len().checked_sub(1)?)
        .find(|&k| {
            distance[k] < NEAR * whole && distance[k] <= distance[k - 1] && distance[k] < distance[k + 1]
        })
        .map(|k| motion.times[k])
}
