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
//! Where dampers would take the motion of the start within the first step, as stiff damping does that of nodes set in motion
//! alone, accelerations at the start do not determine the step. It is made in four quarters by the implicit Euler method then
//! (alpha_m = alpha_f = 0, beta = gamma = 1, w_n = 0), which leaves nothing of such motions and keeps the order of the whole
//! (Rannacher, Numer. Math. 43 (1984) 309).
//!
//! Redundant constraints get shortest multipliers. Newton's method keeps its factors while they
//! serve (module `newton`). Memory is taken once, but where constraints are redundant (module `step_system`).

use super::increment::InverseTangent;
use super::newton::Newton;
use super::recorder::{Quadrature, Recorder};
use super::trajectory::{End, Trajectory};
use super::{Progress, SimulationOptions, Start};
use crate::error::ConstraintError;
use crate::method::ForwardDynamics;
use crate::violation::largest;
use mb_algebra::{interrupt, norms};
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

impl GeneralizedAlpha {
    /// Largest error of a velocity after a step whose last correction of the positions `q` is within the tolerance:
    /// gamma / (h beta) times that correction.
    pub(super) fn velocity_tolerance(&self, q: &[f64]) -> f64 {
        let Weights { beta, gamma, .. } = Weights::new(self.spectral_radius);
        gamma / (self.step * beta) * self.tolerance * norms::max_abs_vec(q).max(1.0)
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

impl State {
    fn copy_from(&mut self, other: &Self) {
        self.point.t = other.point.t;
        for (to, from) in [
            (&mut self.point.q, &other.point.q),
            (&mut self.point.v, &other.point.v),
            (&mut self.point.a, &other.point.a),
            (&mut self.point.lambda, &other.point.lambda),
            (&mut self.w, &other.w),
        ] {
            to.copy_from_slice(from);
        }
    }
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
    let end = interrupt::attempt(|| all(&mut dynamics, &mut recorder, start, options, alpha, observer));
    Ok(recorder.finish(end.map_or(End::Interrupted, |end| end.unwrap_or_else(End::Failed))))
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
    let mut stepper = Stepper::new(model, alpha, State { point, w: a });
    let mut before = stepper.state.clone();
    let mut watch = super::events::Watch::new(&options.events, dynamics, start.t, &start.q, &start.v);
    let mut y = vec![0.0; model.nq() + model.nv()];
    let (mut inside, mut room) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
    let mut shock = recorder.is_shock(dynamics, start, alpha.step);
    // Stiff dampers make velocities swing about their mean from step to step, which costs no energy: power is that of the
    // mean then, as in the balance of the trapezoidal rule.
    let (rule, inner) = if dynamics.terms().is_powered() {
        (Quadrature::MIDDLE, Inside::Linear)
    } else {
        (Quadrature::LOBATTO, Inside::Cubic)
    };
    for k in 1..recorder.reports.len() {
        let goal = recorder.reports.at(k);
        while stepper.state.point.t < goal {
            interrupt::check();
            let now = stepper.state.point.t;
            let left = goal - now;
            // Steps of equal length up to the report.
            let count = (left / alpha.step - 1e-9).ceil().max(1.0);
            before.copy_from(&stepper.state);
            let end = if count > 1.0 { now + left / count } else { goal };
            let iterations = if shock { stepper.settle(end)? } else { stepper.advance(end, 0)? };
            let statistics = &mut recorder.trajectory.statistics;
            statistics.steps += 1;
            statistics.evaluations += iterations;
            statistics.most_iterations = statistics.most_iterations.max(iterations);
            statistics.factorizations = stepper.newton.factorizations;
            let (from, to) = (&before.point, &stepper.state.point);
            let mut between =
                |t: f64, y: &mut [f64]| between_steps(model, [from, to], Inside::Cubic, t, y, &mut inside);
            let event = if watch.is_empty() {
                None
            } else {
                watch.first(dynamics, from.t, to.t, &mut y, &mut between)?
            };
            let stop = event.as_ref().map_or(to.t, |e| e.0);
            if std::mem::take(&mut shock) && event.is_none() {
                recorder.settle(dynamics, to.t, &to.q, &to.v)?;
            } else {
                let state = |t: f64, y: &mut [f64]| between_steps(model, [from, to], inner, t, y, &mut room);
                recorder.work_to(dynamics, &rule, stop, &mut y, state)?;
            }
            if let Some((t, name)) = event {
                between(t, &mut y);
                let (q, v) = y.split_at(model.nq());
                dynamics.evaluate(t, q, v)?;
                recorder.report(dynamics, t, q, v)?;
                return Ok(End::Event(name));
            }
            if observer(&recorder.progress(to.t)).is_break() {
                return Ok(End::Interrupted);
            }
        }
        let at = &stepper.state.point;
        dynamics.evaluate(goal, &at.q, &at.v)?;
        recorder.explain(dynamics, 0.0, &at.q, &at.v);
        recorder.report(dynamics, goal, &at.q, &at.v)?;
        recorder.next = k + 1;
    }
    Ok(End::Finished)
}

/// How velocities go inside a step.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    /// With the accelerations at both ends.
    Cubic,
    Linear,
}

/// The state between two steps, by velocities in the tangent at the first; `d` is room for a tangent.
fn between_steps(
    model: &Model,
    [from, to]: [&Point; 2],
    inside: Inside,
    t: f64,
    y: &mut [f64],
    d: &mut [f64],
) {
    let h = to.t - from.t;
    let s = (t - from.t) / h;
    let (q, v) = y.split_at_mut(model.nq());
    for i in 0..model.nv() {
        let (v0, v1) = (from.v[i], to.v[i]);
        let (a0, a1) = match inside {
            Inside::Cubic => (h * from.a[i], h * to.a[i]),
            Inside::Linear => (v1 - v0, v1 - v0),
        };
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
    model.coordinates().retract_in_place(q, d);
}

/// The weights of a step.
#[derive(Clone, Copy)]
struct Weights {
    alpha_m: f64,
    alpha_f: f64,
    beta: f64,
    gamma: f64,
}

impl Weights {
    /// With w_n = 0 the implicit Euler method.
    const EULER: Self = Self { alpha_m: 0.0, alpha_f: 0.0, beta: 1.0, gamma: 1.0 };
    /// The constants for a spectral radius at infinite frequency.
    fn new(rho: f64) -> Self {
        let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
        let gamma = 0.5 + alpha_f - alpha_m;
        Self { alpha_m, alpha_f, beta: 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma }
    }
}

/// Makes steps, in memory taken once.
struct Stepper<'m> {
    model: &'m Model,
    options: GeneralizedAlpha,
    newton: Newton,
    state: State,
    /// The state at the end of the step in work.
    next: State,
    /// The increment of the positions, the part of it that only holds them, and their sum.
    d: Vec<f64>,
    p: Vec<f64>,
    increment: Vec<f64>,
    inverse: InverseTangent,
}

impl<'m> Stepper<'m> {
    fn new(model: &'m Model, options: &GeneralizedAlpha, state: State) -> Self {
        let room = || vec![0.0; model.nv()];
        Self {
            model,
            options: *options,
            newton: Newton::new(model, options.stabilized),
            next: state.clone(),
            state,
            d: room(),
            p: room(),
            increment: room(),
            inverse: InverseTangent::default(),
        }
    }
    /// The first step, to time `goal`, in quarters by the implicit Euler method, from where that fails by the method itself.
    fn settle(&mut self, goal: f64) -> Result<usize, ConstraintError> {
        let (start, mut iterations) = (self.state.point.t, 0);
        for quarter in [0.25, 0.5, 0.75, 1.0] {
            let end = if quarter < 1.0 { start + quarter * (goal - start) } else { goal };
            self.state.w.fill(0.0);
            self.state.point.a.fill(0.0);
            match self.step(end, &Weights::EULER) {
                Ok(more) => iterations += more,
                Err(_) => return Ok(iterations + self.advance(goal, 0)?),
            }
            std::mem::swap(&mut self.state, &mut self.next);
        }
        Ok(iterations)
    }
    /// One step to time `goal`; halved when Newton's method does not converge. Gives its iterations.
    fn advance(&mut self, goal: f64, depth: usize) -> Result<usize, ConstraintError> {
        let weights = Weights::new(self.options.spectral_radius);
        let mut outcome = self.step(goal, &weights);
        if outcome.is_err() && self.newton.is_older() {
            self.newton.renew();
            outcome = self.step(goal, &weights);
        }
        match outcome {
            Ok(iterations) => {
                std::mem::swap(&mut self.state, &mut self.next);
                Ok(iterations)
            }
            Err(failure) if depth == MOST_HALVINGS => Err(failure),
            Err(_) => {
                let first = self.advance(f64::midpoint(self.state.point.t, goal), depth + 1)?;
                Ok(first + self.advance(goal, depth + 1)?)
            }
        }
    }
    /// One step into `next`.
    fn step(&mut self, goal: f64, weights: &Weights) -> Result<usize, ConstraintError> {
        let Weights { alpha_m, alpha_f, beta, gamma } = *weights;
        let h = goal - self.state.point.t;
        let b = (1.0 - alpha_m) / (h * h * beta * (1.0 - alpha_f));
        let g = gamma / (h * beta);
        self.next.copy_from(&self.state);
        self.next.point.t = goal;
        let (before, next) = (&self.state, &mut self.next);
        for i in 0..self.model.nv() {
            // The predictor has a = 0 at the end; w, d and v follow from it.
            let (v, a, w) = (before.point.v[i], before.point.a[i], before.w[i]);
            next.w[i] = (alpha_f * a - alpha_m * w) / (1.0 - alpha_m);
            // A better first guess: the acceleration of the last step.
            let x = a / b;
            next.point.a[i] = a;
            next.point.v[i] = v + h * ((1.0 - gamma) * w + gamma * next.w[i]) + g * x;
            self.d[i] = h * (v + h * ((0.5 - beta) * w + beta * next.w[i])) + x;
        }
        self.p.fill(0.0);
        self.newton.begin([b, g]);
        let mut last = f64::INFINITY;
        for iteration in 1..=self.options.max_iterations {
            self.place();
            self.inverse.update(self.model, &self.increment);
            let Self { model, newton, next, inverse, d, p, .. } = self;
            newton.solve(model, &next.point, inverse, [b, g])?;
            inverse.apply(&mut newton.x);
            inverse.apply(&mut newton.shift);
            for (p, shift) in p.iter_mut().zip(&newton.shift) {
                *p += shift;
            }
            for (i, x) in newton.x.iter().enumerate() {
                next.point.a[i] += b * x;
                next.point.v[i] += g * x;
                d[i] += x;
            }
            for (lambda, l) in next.point.lambda.iter_mut().zip(&newton.l) {
                *lambda += l;
            }
            let size = norms::max_abs_vec(&newton.x).max(norms::max_abs_vec(&newton.shift));
            let scale = norms::max_abs_vec(&next.point.q).max(1.0);
            if !size.is_finite() || (iteration > 3 && size > 2.0 * last) {
                break;
            }
            if size <= self.options.tolerance * scale {
                self.place();
                let next = &mut self.next;
                self.model.coordinates().normalize(&mut next.point.q);
                for (w, a) in next.w.iter_mut().zip(&next.point.a) {
                    *w += (1.0 - alpha_f) / (1.0 - alpha_m) * a;
                }
                return Ok(iteration);
            }
            newton.judge(size, last);
            last = size;
        }
        Err(self.collapsed(h))
    }
    /// Puts the positions of `next` where the increment takes them.
    fn place(&mut self) {
        for (sum, (d, p)) in self.increment.iter_mut().zip(self.d.iter().zip(&self.p)) {
            *sum = d + p;
        }
        self.next.point.q.copy_from_slice(&self.state.point.q);
        self.model.coordinates().retract_in_place(&mut self.next.point.q, &self.increment);
    }
    /// The failure of a step of length `h`.
    fn collapsed(&self, h: f64) -> ConstraintError {
        let (model, at) = (self.model, &self.next.point);
        let (row, violation) = largest(&model.phi(&at.q, at.t)).unwrap_or((0, 0.0));
        let constraint = if model.nc() > 0 {
            format!(", with {} violated by {violation:.1e}", model.row_name(row))
        } else {
            String::new()
        };
        let coordinate = largest(&self.d).map_or(String::new(), |(i, _)| model.coordinate_name(i));
        ConstraintError::StepTooSmall { time: self.state.point.t, step: h, coordinate, constraint }
    }
}
