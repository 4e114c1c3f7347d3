//! The generalized-alpha method for constrained motion, in the coordinates' own geometry.
//!
//! ```text
//! M(q) a + Phi_q^T lambda = f(q, v, t),   Phi(q, t) = 0              at the end of each step
//! q_{n+1} = q_n (+) h d,   d = v_n + (1/2 - beta) h w_n + beta h w_{n+1},   v_{n+1} = v_n + h ((1 - gamma) w_n + gamma w_{n+1})
//! (1 - alpha_m) w_{n+1} + alpha_m w_n = (1 - alpha_f) a_{n+1} + alpha_f a_n
//! ```
//!
//! Second order, unconditionally stable for linear systems, with the spectral radius at infinite
//! frequency as its one parameter: 1 keeps all energy, 0 removes what the step cannot resolve.
//! The increment is applied by the retraction, so Euler parameters keep their length (Bruls and
//! Cardona, J. Comput. Nonlinear Dyn. 5 (2010) 031002). Newton's method uses the exact M, C, K and
//! Phi_q of the model, and T^-1 of the rotation increment, the derivative of the retraction:
//!
//! ```text
//! [(M b + C g) T^-1 + K, Phi_q^T; Phi_q, 0] [x; l] = -[r; Phi],   b = (1 - alpha_m) / (h^2 beta (1 - alpha_f)),  g = gamma / (h beta)
//! ```
//!
//! Positions satisfy the constraints to the tolerance; velocities and accelerations up to the error
//! of the step. With [`GeneralizedAlpha::stabilized`] velocities satisfy them too (index two, after
//! Gear, Gupta and Leimkuhler, J. Comput. Appl. Math. 12-13 (1985) 77): the multipliers answer for
//! Phi_q v + Phi_t = 0 at the end of the step, and the increment of the positions gets a part of its
//! own, the shortest one that keeps Phi = 0,
//!
//! ```text
//! q_{n+1} = q_n (+) (h d + p),   p in the range of Phi_q^T
//! ```
//!
//! Redundant constraints get shortest multipliers. Newton's method keeps its factors while they
//! serve (module `newton`). Memory is taken in each iteration.

use super::increment::InverseTangent;
use super::newton::Newton;
use super::recorder::Recorder;
use super::trajectory::{End, Trajectory};
use super::{Progress, SimulationOptions, Start};
use crate::error::ConstraintError;
use crate::method::ForwardDynamics;
use crate::violation::largest;
use mb_algebra::norms;
use mb_model::{Model, Point};
use std::ops::ControlFlow;

/// Parameters of the generalized-alpha method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneralizedAlpha {
    /// Step in s; the last step before a report is shortened to end there.
    pub step: f64,
    /// Spectral radius at infinite frequency, 0 to 1.
    pub spectral_radius: f64,
    /// Newton's method stops when a correction of the positions is below this times their size.
    pub tolerance: f64,
    /// Most iterations of a step before it is halved.
    pub max_iterations: usize,
    /// True to hold the velocities to their constraints as well.
    pub stabilized: bool,
}

impl Default for GeneralizedAlpha {
    /// Steps of 1 ms, spectral radius 0.9, tolerance 1e-11, twelve iterations, positions alone.
    fn default() -> Self {
        Self { step: 1e-3, spectral_radius: 0.9, tolerance: 1e-11, max_iterations: 12, stabilized: false }
    }
}

/// A step is not halved further than this often.
const MOST_HALVINGS: usize = 20;

/// State between steps.
#[derive(Clone, Debug)]
struct State {
    point: Point,
    /// The auxiliary acceleration w.
    w: Vec<f64>,
}

/// Integrates from a consistent start.
pub(super) fn run(
    mut dynamics: ForwardDynamics<'_>,
    start: &Start,
    options: &SimulationOptions,
    alpha: &GeneralizedAlpha,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Trajectory, ConstraintError> {
    let mut recorder = Recorder::new(&mut dynamics, start, options)?;
    let end = all(&mut dynamics, &mut recorder, start, options, alpha, observer);
    Ok(recorder.finish(end.unwrap_or_else(End::Failed)))
}

fn all(
    dynamics: &mut ForwardDynamics<'_>,
    recorder: &mut Recorder,
    start: &Start,
    options: &SimulationOptions,
    alpha: &GeneralizedAlpha,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<End, ConstraintError> {
    let model = dynamics.model();
    dynamics.evaluate(start.t, &start.q, &start.v)?;
    let a = dynamics.acceleration().to_vec();
    let point = Point {
        q: start.q.clone(),
        v: start.v.clone(),
        lambda: dynamics.multipliers().to_vec(),
        t: start.t,
        u: dynamics.inputs().to_vec(),
        a: a.clone(),
    };
    let mut state = State { point, w: a };
    let mut newton = Newton::default();
    let mut watch = super::events::Watch::new(&options.events, dynamics, start.t, &start.q, &start.v);
    let mut y = vec![0.0; model.nq() + model.nv()];
    for k in 1..recorder.reports.len() {
        let goal = recorder.reports[k];
        while state.point.t < goal {
            let left = goal - state.point.t;
            // Steps of equal length up to the report.
            let count = (left / alpha.step - 1e-9).ceil().max(1.0);
            let before = state.clone();
            let goal_of_step = if count > 1.0 { state.point.t + left / count } else { goal };
            let iterations = advance(model, &mut state, &mut newton, goal_of_step, alpha, 0)?;
            let statistics = &mut recorder.trajectory.statistics;
            statistics.steps += 1;
            statistics.evaluations += iterations;
            statistics.most_iterations = statistics.most_iterations.max(iterations);
            statistics.factorizations = newton.factorizations;
            let (from, to) = (before.point.t, state.point.t);
            let mut between = |t: f64, y: &mut [f64]| hermite(model, &before.point, &state.point, t, y);
            let event = if watch.is_empty() {
                None
            } else {
                watch.first(dynamics, from, to, &mut y, &mut between)?
            };
            let stop = event.as_ref().map_or(to, |e| e.0);
            recorder.work_to(dynamics, stop, &mut y, &mut between)?;
            if let Some((t, name)) = event {
                between(t, &mut y);
                let (q, v) = y.split_at(model.nq());
                dynamics.evaluate(t, q, v)?;
                recorder.report(dynamics, t, q, v)?;
                return Ok(End::Event(name));
            }
            if observer(&recorder.progress(to)).is_break() {
                return Ok(End::Interrupted);
            }
        }
        dynamics.evaluate(goal, &state.point.q, &state.point.v)?;
        recorder.explain(dynamics, 0.0, &state.point.q, &state.point.v);
        recorder.report(dynamics, goal, &state.point.q, &state.point.v)?;
        recorder.next = k + 1;
    }
    Ok(End::Finished)
}

/// The state between two steps: cubic in the tangent at the first, velocities quadratic.
fn hermite(model: &Model, from: &Point, to: &Point, t: f64, y: &mut [f64]) {
    let h = to.t - from.t;
    let s = (t - from.t) / h;
    let n = model.nv();
    let (q, v) = y.split_at_mut(model.nq());
    let mut d = vec![0.0; n];
    for i in 0..n {
        // Velocity with the accelerations of both ends, third degree.
        let (v0, v1, a0, a1) = (from.v[i], to.v[i], h * from.a[i], h * to.a[i]);
        let c2 = 3.0 * (v1 - v0) - 2.0 * a0 - a1;
        let c3 = a0 + a1 - 2.0 * (v1 - v0);
        v[i] = v0 + s * (a0 + s * (c2 + s * c3));
        d[i] = h * s * (v0 + s * (a0 / 2.0 + s * (c2 / 3.0 + s * c3 / 4.0)));
    }
    if s >= 1.0 {
        q.copy_from_slice(&to.q);
        v.copy_from_slice(&to.v);
        return;
    }
    q.copy_from_slice(&from.q);
    model.coordinates().retract_in_place(q, &d);
}

/// One step to time `goal`; halved when Newton's method does not converge. Gives its iterations.
fn advance(
    model: &Model,
    state: &mut State,
    newton: &mut Newton,
    goal: f64,
    alpha: &GeneralizedAlpha,
    depth: usize,
) -> Result<usize, ConstraintError> {
    let mut outcome = step(model, state, newton, goal, alpha);
    if outcome.is_err() && newton.is_older() {
        newton.renew();
        outcome = step(model, state, newton, goal, alpha);
    }
    match outcome {
        Ok((next, iterations)) => {
            *state = next;
            Ok(iterations)
        }
        Err(failure) if depth == MOST_HALVINGS => Err(failure),
        Err(_) => {
            let middle = f64::midpoint(state.point.t, goal);
            let first = advance(model, state, newton, middle, alpha, depth + 1)?;
            Ok(first + advance(model, state, newton, goal, alpha, depth + 1)?)
        }
    }
}

fn step(
    model: &Model,
    state: &State,
    newton: &mut Newton,
    goal: f64,
    options: &GeneralizedAlpha,
) -> Result<(State, usize), ConstraintError> {
    let rho = options.spectral_radius;
    let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
    let gamma = 0.5 + alpha_f - alpha_m;
    let beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
    let before = &state.point;
    let h = goal - before.t;
    let n = model.nv();
    let mut next = Point { t: goal, ..before.clone() };
    // The predictor has a = 0 at the end; w, d and v follow from it.
    let mut w = vec![0.0; n];
    let mut d = vec![0.0; n];
    for i in 0..n {
        w[i] = (alpha_f * before.a[i] - alpha_m * state.w[i]) / (1.0 - alpha_m);
        next.v[i] = before.v[i] + h * ((1.0 - gamma) * state.w[i] + gamma * w[i]);
        d[i] = h * (before.v[i] + h * ((0.5 - beta) * state.w[i] + beta * w[i]));
    }
    next.a.fill(0.0);
    let b = (1.0 - alpha_m) / (h * h * beta * (1.0 - alpha_f));
    let g = gamma / (h * beta);
    // A better first guess: the acceleration of the last step.
    for i in 0..n {
        let x = before.a[i] / b;
        next.a[i] += b * x;
        next.v[i] += g * x;
        d[i] += x;
    }
    newton.begin([b, g]);
    let mut last = f64::INFINITY;
    // The part of the increment that only holds the positions.
    let mut p = vec![0.0; n];
    let total = |d: &[f64], p: &[f64]| -> Vec<f64> { d.iter().zip(p).map(|(d, p)| d + p).collect() };
    for iteration in 1..=options.max_iterations {
        next.q.copy_from_slice(&before.q);
        let increment = total(&d, &p);
        model.coordinates().retract_in_place(&mut next.q, &increment);
        let residual: Vec<f64> = model.residual(&next).iter().map(|x| -x).collect();
        let phi: Vec<f64> = model.phi(&next.q, goal).iter().map(|x| -x).collect();
        if residual.iter().chain(&phi).any(|x| !x.is_finite()) {
            let owner = model.first_non_finite(&next).unwrap_or("the mechanism").to_owned();
            return Err(ConstraintError::NotFinite { owner });
        }
        let inverse = InverseTangent::new(model, &increment);
        let (x, l, shift) = if options.stabilized {
            // Phi_q (v + g x) + Phi_t = 0, and Phi + Phi_q (x + shift) = 0.
            let rate: Vec<f64> = model.phi_dot(&next.q, &next.v, goal).iter().map(|x| -x / g).collect();
            let rest: Vec<f64> = phi.iter().zip(&rate).map(|(phi, rate)| phi - rate).collect();
            newton.solve(model, &next, &inverse, [b, g], [&residual, &rate], Some(&rest))?
        } else {
            newton.solve(model, &next, &inverse, [b, g], [&residual, &phi], None)?
        };
        let (x, shift) = (inverse.apply(&x), inverse.apply(&shift));
        for (p, shift) in p.iter_mut().zip(&shift) {
            *p += shift;
        }
        for i in 0..n {
            next.a[i] += b * x[i];
            next.v[i] += g * x[i];
            d[i] += x[i];
        }
        for (lambda, l) in next.lambda.iter_mut().zip(&l) {
            *lambda += l;
        }
        let size = norms::max_abs_vec(&x).max(norms::max_abs_vec(&shift));
        let scale = norms::max_abs_vec(&next.q).max(1.0);
        if !size.is_finite() || (iteration > 3 && size > 2.0 * last) {
            break;
        }
        if size <= options.tolerance * scale {
            next.q.copy_from_slice(&before.q);
            model.coordinates().retract_in_place(&mut next.q, &total(&d, &p));
            model.coordinates().normalize(&mut next.q);
            for i in 0..n {
                w[i] += (1.0 - alpha_f) / (1.0 - alpha_m) * next.a[i];
            }
            return Ok((State { point: next, w }, iteration));
        }
        newton.judge(size, last);
        last = size;
    }
    let (row, violation) = largest(&model.phi(&next.q, goal)).unwrap_or((0, 0.0));
    let constraint = if model.nc() > 0 {
        format!(", with {} violated by {violation:.1e}", model.row_name(row))
    } else {
        String::new()
    };
    let coordinate = largest(&d).map_or(String::new(), |(i, _)| model.coordinate_name(i));
    Err(ConstraintError::StepTooSmall { time: before.t, step: h, coordinate, constraint })
}
