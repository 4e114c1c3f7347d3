//! Equilibria along growing loads, up to full load or to where the structure buckles.
//!
//! ```text
//! Phi_q^T lambda - f(q; s) = 0,   Phi(q) = 0,   loads s times the given ones, 0 < s <= 1
//! ```
//!
//! Gravity and all given forces grow together, followers included; each step starts at the equilibrium of the step before.
//! A step is halved where Newton's method fails. Where the number of unstable directions grows along the path, the load
//! factor is found by bisection: a perfect column stays straight beyond it, and only the count tells. Where the steps
//! become negligible the path has a limit point: the structure snaps through, and no equilibrium nearby carries more.

use super::{Equilibrium, EquilibriumOptions, Stability, Strategy, stability};
use crate::error::LinearError;
use mb_model::Model;

/// Load factor at which the directions are first counted.
const BEGIN: f64 = 1e-3;

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
#[derive(Clone, Copy, Debug, PartialEq)]
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
    let solve = EquilibriumOptions { strategy: Strategy::Newton, ..options.solve.clone() };
    let at = |factor: f64, from: &[f64]| -> Result<LoadStep, LinearError> {
        let loaded = model.under_loads(factor);
        // Relative to full load: under a small part of it rounding of stiff members is a larger share.
        let solve = EquilibriumOptions { tolerance: options.solve.tolerance / factor, ..solve.clone() };
        let equilibrium = Equilibrium::solve(&loaded, from, &solve)?;
        let stability = stability(&loaded, &equilibrium)?;
        Ok(LoadStep { factor, equilibrium, stability })
    };
    let first = at(BEGIN, start)?;
    let baseline = unstable(first.stability);
    let mut path = LoadPath { steps: vec![first], end: PathEnd::FullLoad };
    let whole = 1.0 / options.steps.max(1) as f64;
    // Grows back after a step that was halved without reason; within a bracket it only shrinks.
    let (mut step, mut bracketed) = (whole, false);
    while let Some(last) = path.steps.last().filter(|last| last.factor < 1.0) {
        let factor = (last.factor + step).min(1.0);
        let width = factor - last.factor;
        match at(factor, last.equilibrium.q()) {
            Ok(next) if unstable(next.stability) > baseline => {
                if width <= options.resolution {
                    let (factor, directions) = (0.5 * (factor + last.factor), unstable(next.stability));
                    path.end = PathEnd::Buckling { factor, directions };
                    break;
                }
                (step, bracketed) = (0.5 * width, true);
            }
            Ok(next) => {
                path.steps.push(next);
                step = if bracketed { 0.5 * width } else { whole.min(2.0 * step) };
            }
            Err(LinearError::NoEquilibrium { .. }) if width > options.resolution => {
                (step, bracketed) = (0.5 * width, true);
            }
            Err(LinearError::NoEquilibrium { .. }) => {
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

fn unstable(stability: Stability) -> usize {
    match stability {
        Stability::Unstable { directions } => directions,
        _ => 0,
    }
}
