//! Whether a model depends on time, and whether a time is a period of it.
//!
//! ```text
//! Phi(q turned, t + T) = Phi(q, t),   Phi'(q turned, v, t + T) = Phi'(q, v, t),   f(q turned, v, t + T) = f(q, v, t)
//! ```
//!
//! along the motion, q turned by the whole turns that it makes in a period, and moved by the displacement that closes it where
//! what rolls comes back elsewhere; forces turn with it.

use crate::dynamics::State;
use crate::error::PeriodicError;
use crate::group::Displacement;
use mb_algebra::{dense, norms};
use mb_model::{Model, Point};
use std::f64::consts::TAU;

/// States of a motion that are looked at.
const SAMPLES: usize = 32;

/// Difference, relative to what time changes in a period, that is rounding.
const ROUNDING: f64 = 1e-9;

fn point(model: &Model, inputs: &[f64], q: Vec<f64>, v: &[f64], t: f64) -> Point {
    Point { q, v: v.to_vec(), t, u: inputs.to_vec(), ..model.initial_point() }
}

fn samples(states: &[State]) -> impl Iterator<Item = &State> {
    states.iter().step_by((states.len() / SAMPLES).max(1))
}

/// The owner of the first element that depends on time along the states.
pub fn depends_on_time(model: &Model, inputs: &[f64], states: &[State]) -> Option<String> {
    for s in samples(states) {
        if let Some(row) = model.phi_t(&s.q, s.t).iter().position(|x| *x != 0.0) {
            return Some(model.row_name(row));
        }
        let at = point(model, inputs, s.q.clone(), &s.v, s.t);
        if model.residual_t(&at).iter().any(|x| *x != 0.0) {
            let owner = model.unsteady_laws().first().map_or("a load", |law| law.0);
            return Some(owner.to_owned());
        }
    }
    None
}

/// True when nothing depends on time along the states.
pub fn is_autonomous(model: &Model, inputs: &[f64], states: &[State]) -> bool {
    depends_on_time(model, inputs, states).is_none()
}

/// Shows that `period` is a period of the model along a motion that returns but for these whole turns and this displacement.
///
/// # Errors
/// [`PeriodicError::NotAPeriod`] names what differs most.
pub fn check_period(
    model: &Model,
    inputs: &[f64],
    states: &[State],
    period: f64,
    turns: &[i32],
    moved: &Displacement,
) -> Result<(), PeriodicError> {
    let turned = |s: &State| {
        let mut s = s.clone();
        for b in model.coordinates().blocks().iter().filter(|b| b.kind.is_linear()) {
            for i in 0..b.kind.nv() {
                s.q[b.q + i] += TAU * f64::from(turns[b.v + i]);
            }
        }
        moved.moved(model, &s)
    };
    let fails = |owner: String, time: f64, difference: f64, unit: &'static str| {
        Err(PeriodicError::NotAPeriod { period, owner, time, difference, unit })
    };
    let mut reach = vec![0.0_f64; model.nc()];
    for s in samples(states) {
        let way = norms::max_abs_vec(&s.v) * period;
        for (row, _, x) in model.phi_q(&s.q, s.t).iter() {
            reach[row] = reach[row].max(x.abs() * way.max(1e-3));
        }
        for (reach, rate) in reach.iter_mut().zip(model.phi_t(&s.q, s.t)) {
            *reach = reach.max(rate.abs() * period);
        }
    }
    for s in samples(states) {
        let later = turned(s);
        let (a, b) = (model.phi(&s.q, s.t), model.phi(&later.q, s.t + period));
        let (c, d) = (model.phi_dot(&s.q, &s.v, s.t), model.phi_dot(&later.q, &later.v, s.t + period));
        for row in 0..model.nc() {
            let (off, rate) = ((a[row] - b[row]).abs(), (c[row] - d[row]).abs());
            if off > ROUNDING * reach[row] {
                return fails(model.row_name(row), s.t, off, "in its position");
            }
            if rate * period > ROUNDING * TAU * reach[row] {
                return fails(model.row_name(row), s.t, rate, "in its velocity");
            }
        }
        let now = point(model, inputs, s.q.clone(), &s.v, s.t);
        let then = point(model, inputs, later.q, &later.v, s.t + period);
        let apart = |of: &Model| -> f64 {
            let (a, b) = (of.applied_residual(&now), of.applied_residual(&then));
            let a = dense::column(&moved.turned(model, &dense::from_columns(a.len(), &[a])), 0);
            a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        // Without load all forces are rounding; there a millionth of a unit of displacement is the scale.
        let (_, stiffness) = model.largest_entries(&now);
        let forces = model.largest_force(&now).max(model.largest_force(&then));
        let allowed = ROUNDING * forces.max(1e-6 * stiffness);
        if apart(model) > allowed {
            let mut worst = ("a load".to_owned(), apart(model));
            for m in model.members().iter().filter(|m| m.rows == 0) {
                let off = apart(&model.forces_of(&m.owner));
                if off > allowed {
                    worst = (m.owner.clone(), off);
                    break;
                }
            }
            return fails(worst.0, s.t, worst.1, "N or N m");
        }
    }
    Ok(())
}
