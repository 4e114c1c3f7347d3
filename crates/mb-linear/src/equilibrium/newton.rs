//! Newton's method on the full constrained system, with line search and load continuation.
//!
//! ```text
//! [K Phi_q^T; Phi_q 0] [dq; dlambda] = -[r; Phi],   K = dr/dq with the reaction stiffness
//! ```
//!
//! The line search is affine invariant (Deuflhard's natural monotonicity test): a step is
//! accepted when the correction that the old factor predicts at the new point is shorter than
//! the step. It needs no weights between forces and lengths; lengths and angles are weighted by the extent of the model.
//!
//! Continuation follows r(x) = (1 - s) r(x0) from s = 0 to 1: the residual of the start is an
//! artificial load that is taken away in steps.

use super::EquilibriumOptions;
use super::units::Units;
use crate::error::LinearError;
use mb_algebra::norms;
use mb_constraints::{Saddle, SaddlePatterns};
use mb_model::{Model, Point};

/// A step or a violation that is negligible, relative to the largest coordinate.
const NEGLIGIBLE: f64 = 1e-15;

/// From this many coordinates on an unloaded model is taken as it is assembled; with fewer, one step that takes the rounding away
/// costs nothing.
const LARGE: usize = 1000;

/// Where a method ended.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) point: Point,
    pub(super) iterations: usize,
    /// Whether more iterations of the same method would lead on from here.
    pub(super) leads_on: bool,
}

/// Newton's method from `start`.
pub(super) fn newton(
    model: &Model,
    start: &Point,
    options: &EquilibriumOptions,
    patterns: &mut SaddlePatterns,
) -> Result<Outcome, LinearError> {
    if model.nv() > LARGE && is_solved(model, start) {
        return Ok(Outcome { point: start.clone(), iterations: 0, leads_on: false });
    }
    let none = vec![0.0; model.nv()];
    iterate(model, start, &none, options.max_iterations, options, patterns).map(|(outcome, _)| outcome)
}

/// Whether no element exerts a force and no constraint is violated: a mesh without loads needs no factorization.
fn is_solved(model: &Model, start: &Point) -> bool {
    let reach = 1.0 + norms::max_abs_vec(&start.q);
    norms::max_abs_vec(&model.phi(&start.q, start.t)) <= NEGLIGIBLE * reach && model.is_unloaded(start)
}

/// Newton's method with the residual of the start taken away in steps.
pub(super) fn continuation(
    model: &Model,
    start: &Point,
    options: &EquilibriumOptions,
    patterns: &mut SaddlePatterns,
) -> Result<Outcome, LinearError> {
    let load = model.residual(start);
    let (mut point, mut done, mut step) = (start.clone(), 0.0_f64, 0.1_f64);
    let mut iterations = 0;
    while done < 1.0
        && step > 1e-4
        && iterations < 10 * options.max_iterations
        && options.watch.look().is_ok()
    {
        let next = (done + step).min(1.0);
        let artificial: Vec<f64> = load.iter().map(|r| (1.0 - next) * r).collect();
        let (outcome, converged) = iterate(model, &point, &artificial, 20, options, patterns)?;
        iterations += outcome.iterations;
        if converged {
            (point, done) = (outcome.point, next);
            step *= 1.6;
        } else {
            step *= 0.4;
        }
    }
    Ok(Outcome { point, iterations, leads_on: false })
}

/// Solves residual(x) = load, Phi(x) = 0; the flag says whether the steps became negligible.
fn iterate(
    model: &Model,
    start: &Point,
    load: &[f64],
    max_iterations: usize,
    options: &EquilibriumOptions,
    patterns: &mut SaddlePatterns,
) -> Result<(Outcome, bool), LinearError> {
    let mut point = start.clone();
    let units = Units::new(model, &start.q);
    let mut last = f64::INFINITY;
    for iterations in 0..max_iterations {
        let (k, phi_q) = model.static_blocks(&point);
        let saddle = Saddle::sparse_again(&k, &phi_q, patterns)?;
        let (dq, dlambda) = correction(model, &saddle, &point, load);
        let size = units.two(&dq);
        if !size.is_finite() || options.watch.look().is_err() {
            return Ok((Outcome { point, iterations, leads_on: false }, false));
        }
        let reach = units.reach(model, &point.q);
        // Rounding reached: the step is negligible, or small and no longer falling.
        if size <= NEGLIGIBLE * reach || (size <= 1e-9 * reach && size > 0.5 * last) {
            advance(model, &mut point, &dq, &dlambda, 1.0);
            return Ok((Outcome { point, iterations, leads_on: false }, true));
        }
        last = size;
        let mut factor = 1.0;
        loop {
            let mut trial = point.clone();
            advance(model, &mut trial, &dq, &dlambda, factor);
            let predicted = units.two(&correction(model, &saddle, &trial, load).0);
            if predicted.is_finite() && predicted <= (1.0 - 0.25 * factor) * size || size <= 1e-9 * reach {
                point = trial;
                break;
            }
            factor *= 0.5;
            if factor < 1e-4 {
                return Ok((Outcome { point, iterations, leads_on: false }, false));
            }
        }
    }
    Ok((Outcome { point, iterations: max_iterations, leads_on: false }, false))
}

/// The Newton correction at `point` by the factor of another point.
pub(super) fn correction(
    model: &Model,
    saddle: &Saddle,
    point: &Point,
    load: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let force: Vec<f64> = model.residual(point).iter().zip(load).map(|(r, l)| l - r).collect();
    let phi: Vec<f64> = model.phi(&point.q, point.t).iter().map(|x| -x).collect();
    saddle.solve(&force, &phi)
}

pub(super) fn advance(model: &Model, point: &mut Point, dq: &[f64], dlambda: &[f64], factor: f64) {
    let step: Vec<f64> = dq.iter().map(|x| factor * x).collect();
    point.q = model.coordinates().retract(&point.q, &step);
    for (lambda, d) in point.lambda.iter_mut().zip(dlambda) {
        *lambda += factor * d;
    }
}
