//! A consistent start: positions and velocities that satisfy the constraints.

use crate::assembly::{AssemblyOptions, assemble};
use crate::error::ConstraintError;
use crate::saddle::Saddle;
use mb_algebra::sorted::descending;
use mb_algebra::{Scatter, Triplets, norms, sparse};
use mb_model::{Model, Point};

/// What is done with a start that does not satisfy the constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StartPolicy {
    /// The nearest positions and velocities that do are taken.
    #[default]
    Assemble,
    /// It is refused, with the violated rows.
    Refuse,
    /// It is taken as it is.
    Keep,
}

/// Violation of a row, relative to its largest derivative, up to which a start is consistent.
const CONSISTENT: f64 = 1e-9;

/// A consistent start.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// Time, s.
    pub t: f64,
    /// Configuration.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Length of the way that the assembly moved the positions, in the norm of the tangent.
    pub moved: f64,
    /// Largest change of a velocity.
    pub changed: f64,
}

/// Makes positions and velocities at time `t` consistent.
///
/// `hold` names velocities (and their coordinates) that keep the given value where they can.
///
/// # Errors
/// [`ConstraintError::NotAssembled`], [`ConstraintError::VelocitiesContradict`],
/// [`ConstraintError::InconsistentStart`].
pub fn consistent_start(
    model: &Model,
    q: &[f64],
    v: &[f64],
    t: f64,
    policy: StartPolicy,
    hold: &[usize],
) -> Result<Start, ConstraintError> {
    let as_given = Start { t, q: q.to_vec(), v: v.to_vec(), moved: 0.0, changed: 0.0 };
    match policy {
        StartPolicy::Keep => Ok(as_given),
        StartPolicy::Refuse => {
            let list = violated(model, q, v, t);
            if list.is_empty() {
                return Ok(as_given);
            }
            Err(ConstraintError::InconsistentStart { time: t, list })
        }
        StartPolicy::Assemble => {
            let options = AssemblyOptions { hold: hold.to_vec(), ..AssemblyOptions::default() };
            let found = match assemble(model, q, t, &options) {
                // What is held may be too much: the rest of the mechanism decides then.
                Err(_) if !hold.is_empty() => assemble(model, q, t, &AssemblyOptions::default())?,
                other => other?,
            };
            let velocities = velocities(model, &found.q, v, t, hold)?;
            let changed = velocities.iter().zip(v).fold(0.0_f64, |c, (a, b)| c.max((a - b).abs()));
            Ok(Start { t, q: found.q, v: velocities, moved: found.moved, changed })
        }
    }
}

/// The rows that a start violates, in words, the largest first; at most eight.
fn violated(model: &Model, q: &[f64], v: &[f64], t: f64) -> Vec<String> {
    let mut reach = vec![1e-3_f64; model.nc()];
    for (row, _, value) in model.phi_q(q, t).iter() {
        reach[row] = reach[row].max(value.abs());
    }
    let speed = norms::max_abs_vec(v).max(1.0);
    let mut found: Vec<(f64, String)> = Vec::new();
    let levels = [("position", model.phi(q, t), 1.0), ("velocity", model.phi_dot(q, v, t), speed)];
    for (what, values, scale) in levels {
        for (row, x) in values.iter().enumerate() {
            let relative = x.abs() / (reach[row] * scale);
            if relative > CONSISTENT || !x.is_finite() {
                found.push((relative, format!("{} by {x:.3e} in its {what}", model.row_name(row))));
            }
        }
    }
    descending(&mut found, |a| a.0);
    found.into_iter().take(8).map(|(_, words)| words).collect()
}

/// The velocities nearest to `given` with Phi_q v + Phi_t = 0, the held ones unchanged where that
/// is possible.
fn velocities(
    model: &Model,
    q: &[f64],
    given: &[f64],
    t: f64,
    hold: &[usize],
) -> Result<Vec<f64>, ConstraintError> {
    if !hold.is_empty() {
        let mut free = Triplets::new(model.nc(), model.nv());
        for (row, col, value) in model.phi_q(q, t).iter() {
            if !hold.contains(&col) {
                free.add(row, col, *value);
            }
        }
        let missing: Vec<f64> = model.phi_dot(q, given, t).iter().map(|x| -x).collect();
        let n = model.nv();
        let d = Saddle::sparse(&sparse::identity(n), &free.to_sparse())?.solve(&vec![0.0; n], &missing).0;
        let v: Vec<f64> = given.iter().zip(&d).map(|(v, d)| v + d).collect();
        let left = norms::max_abs_vec(&model.phi_dot(q, &v, t));
        let scale = norms::max_abs_vec(&missing).max(norms::max_abs_vec(&v)).max(1.0);
        if left <= 1e-9 * scale {
            return Ok(v);
        }
    }
    crate::assembly::assemble_velocities(model, q, given, t)
}

/// Refuses a mechanism that cannot move and is not driven.
pub(super) fn check_mobility(
    model: &Model,
    start: &Start,
    until: f64,
    rank: usize,
) -> Result<(), ConstraintError> {
    if model.nv() > rank || model.nv() == 0 {
        return Ok(());
    }
    let moves = (0..=16_i32).any(|i| {
        let t = start.t + (until - start.t) * f64::from(i) / 16.0;
        let point = Point { q: start.q.clone(), t, ..model.initial_point() };
        model.phi_t(&point.q, t).iter().chain(&model.phi_tt(&point.q, t)).any(|x| *x != 0.0)
    });
    if moves { Ok(()) } else { Err(ConstraintError::Locked { time: start.t, rank }) }
}
