//! Equilibria along growing loads, up to full load or to where the structure buckles.
//!
//! ```text
//! Phi_q^T lambda - f(q; s) = 0,   Phi(q) = 0,   loads s times the given ones, 0 < s <= 1
//! ```
//!
//! Gravity and all given forces grow together, followers included; each step starts at the equilibrium of the step before.
//! A step is halved where Newton's method fails. Where the number of unstable directions grows along the path, the load
//! factor is found by bisection: a perfect column stays straight beyond it, and only the count shows it. Where the steps
//! become negligible the path has a limit point: the structure snaps through, and no equilibrium nearby carries more.
//!
//! Newton's method may find an equilibrium beyond a limit point, on another branch. So a step from q_1 to q_2 counts only
//! where the tangents at both ends agree with it,
//!
//! ```text
//! |q_2 - (q_1 (+) dq/ds|_1 (s_2 - s_1))|,  |q_1 - (q_2 (+) dq/ds|_2 (s_1 - s_2))|  <=  |q_2 - q_1| / 2,
//! [K Phi_q^T; Phi_q 0] [dq/ds; dlambda/ds] = [dr/ds; 0] with the opposite sign
//! ```
//!
//! which near a limit point lets a step cover three quarters of what is left, and never a jump.

use super::{Equilibrium, EquilibriumOptions, Stability, Strategy, stability};
use crate::error::LinearError;
use mb_algebra::{Stopped, norms};
use mb_constraints::{Saddle, SaddlePatterns};
use mb_model::{InsideOut, Model};

/// Load factor at which the directions are first counted.
const BEGIN: f64 = 1e-3;

/// Share of a step by which its tangents may be off.
const DISAGREEMENT: f64 = 0.5;

/// Steps below this, relative to the configuration, are rounding.
const NEGLIGIBLE: f64 = 1e-9;

/// Options of [`load_path`].
#[derive(Clone, Debug, PartialEq)]
pub struct LoadPathOptions {
    /// Steps from no load to full load, if none has to be halved.
    pub steps: usize,
    /// Width to which the load factor of buckling, or of a limit point, is found.
    pub resolution: f64,
    /// How each step is solved; its strategy is Newton's method whatever is said here.
    pub solve: EquilibriumOptions,
}

impl Default for LoadPathOptions {
    /// Ten steps, factors to 1e-6.
    fn default() -> Self {
        Self { steps: 10, resolution: 1e-6, solve: EquilibriumOptions::default() }
    }
}

/// An equilibrium under a part of the loads.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadStep {
    /// Part of the loads.
    pub factor: f64,
    /// The equilibrium.
    pub equilibrium: Equilibrium,
    /// Whether it is stable.
    pub stability: Stability,
}

/// How a path ends.
#[derive(Clone, Debug, PartialEq)]
pub enum PathEnd {
    /// At full load.
    FullLoad,
    /// Here the equilibrium loses stability: more directions are unstable beyond.
    Buckling {
        /// Load factor.
        factor: f64,
        /// Unstable directions just beyond.
        directions: usize,
    },
    /// No equilibrium nearby carries more.
    LimitPoint {
        /// Largest load factor reached.
        factor: f64,
    },
    /// It was stopped from outside; what was followed so far holds.
    Stopped {
        /// Largest load factor reached.
        factor: f64,
        /// Why.
        why: Stopped,
    },
    /// Just beyond, an element of a solid is inside out.
    InsideOut {
        /// Largest load factor reached.
        factor: f64,
        /// The element with the smallest volume beyond.
        worst: Box<InsideOut>,
    },
}

/// Equilibria along growing loads.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadPath {
    /// The steps, in order of the load factor; all before the end.
    pub steps: Vec<LoadStep>,
    /// How it ends.
    pub end: PathEnd,
}

/// Follows the equilibrium from the configuration `start` while the loads grow.
///
/// # Errors
/// [`LinearError::NoEquilibrium`] when not even a thousandth of the loads has an equilibrium near the start; those of
/// the assembly.
pub fn load_path(model: &Model, start: &[f64], options: &LoadPathOptions) -> Result<LoadPath, LinearError> {
    let watch = options.solve.watch.clone().or_within(10 * super::budget(model));
    let solve = EquilibriumOptions { strategy: Strategy::Newton, watch, ..options.solve.clone() };
    let mut patterns = SaddlePatterns::default();
    let mut at = |factor: f64, from: &[f64]| -> Result<LoadStep, LinearError> {
        let loaded = model.under_loads(factor);
        // Relative to full load: under a small part of it rounding of stiff members is a larger share.
        let solve = EquilibriumOptions { tolerance: options.solve.tolerance / factor, ..solve.clone() };
        let equilibrium = Equilibrium::search(&loaded, from, &solve, &mut patterns, |found, _| Ok(found))?;
        let stability = stability(&loaded, &equilibrium)?;
        Ok(LoadStep { factor, equilibrium, stability })
    };
    let first = at(BEGIN, start)?;
    let baseline = unstable(first.stability);
    let mut path = LoadPath { steps: vec![first], end: PathEnd::FullLoad };
    let whole = 1.0 / options.steps.max(1) as f64;
    // Grows back after a step that was halved without reason; within a bracket it only shrinks.
    let (mut step, mut bracketed, mut jumped) = (whole, false, false);
    while let Some(last) = path.steps.last().filter(|last| last.factor < 1.0) {
        if let Err(why) = solve.watch.look() {
            path.end = PathEnd::Stopped { factor: last.factor, why };
            break;
        }
        let factor = (last.factor + step).min(1.0);
        let width = factor - last.factor;
        let found = at(factor, last.equilibrium.q()).and_then(|next| {
            if is_continuous(model, last, &next)? { Ok(Attempt::Step(next)) } else { Ok(Attempt::Jump) }
        });
        match found {
            Ok(Attempt::Step(next)) if unstable(next.stability) > baseline => {
                if width <= options.resolution {
                    let (factor, directions) = (0.5 * (factor + last.factor), unstable(next.stability));
                    path.end = PathEnd::Buckling { factor, directions };
                    break;
                }
                (step, bracketed) = (0.5 * width, true);
            }
            Ok(Attempt::Step(next)) => {
                if let Some(worst) = model.inside_out(next.equilibrium.q()).into_iter().next() {
                    if width <= options.resolution {
                        path.end = PathEnd::InsideOut { factor: last.factor, worst: Box::new(worst) };
                        break;
                    }
                    (step, bracketed) = (0.5 * width, true);
                    continue;
                }
                path.steps.push(next);
                step = match (bracketed, jumped) {
                    (true, _) => 0.5 * width,
                    (false, true) => width,
                    (false, false) => whole.min(2.0 * step),
                };
                jumped = false;
            }
            Ok(Attempt::Jump) if width > options.resolution => (step, jumped) = (0.5 * width, true),
            // Why is seen at the next turn.
            Err(_) if solve.watch.look().is_err() => {}
            Err(LinearError::NoEquilibrium { .. }) if width > options.resolution => {
                (step, bracketed) = (0.5 * width, true);
            }
            Ok(Attempt::Jump) | Err(LinearError::NoEquilibrium { .. }) => {
                path.end = PathEnd::LimitPoint { factor: last.factor };
                break;
            }
            Err(other) => return Err(other),
        }
        if step < 0.25 * options.resolution {
            // The bracket closed without the other side being met again: what was met there was no end.
            (step, bracketed) = (whole, false);
        }
    }
    Ok(path)
}

/// What a step ended in.
enum Attempt {
    /// An equilibrium further along the path.
    Step(LoadStep),
    /// An equilibrium of another branch.
    Jump,
}

/// Whether the tangents at both ends agree with the step between them.
fn is_continuous(model: &Model, a: &LoadStep, b: &LoadStep) -> Result<bool, LinearError> {
    let step = distance(a.equilibrium.q(), b.equilibrium.q());
    if step <= NEGLIGIBLE * (1.0 + norms::two(b.equilibrium.q())) {
        return Ok(true);
    }
    for (from, to) in [(a, b), (b, a)] {
        let q = predicted(model, from, to.factor)?;
        let off = distance(&q, to.equilibrium.q());
        // Not `<=`, so that a NaN is a disagreement.
        if off.is_nan() || off > DISAGREEMENT * step {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Where the tangent of the path at `from` leads to under `factor` times the loads.
fn predicted(model: &Model, from: &LoadStep, factor: f64) -> Result<Vec<f64>, LinearError> {
    let point = from.equilibrium.point();
    let (k, phi_q) = model.under_loads(from.factor).static_blocks(point);
    // The residual is linear in the loads, and zero at `from`.
    let rest: Vec<f64> = model.under_loads(factor).residual(point).iter().map(|r| -r).collect();
    let (dq, _) = Saddle::sparse(&k, &phi_q)?.solve(&rest, &vec![0.0; model.nc()]);
    Ok(model.coordinates().retract(&point.q, &dq))
}

/// Euler parameters of neighbouring equilibria have the same sign: Newton's method does not change it.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

fn unstable(stability: Stability) -> usize {
    match stability {
        Stability::Unstable { directions } => directions,
        _ => 0,
    }
}
