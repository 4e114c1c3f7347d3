//! The penalty factor, given or chosen.

use super::spectrum;
use mb_constraints::NullSpaceMethod;
use mb_eigen::Eigenpair;
use mb_eigen::penalty::{ViolationLaw, least_factor};
use mb_linear::formulation::unconstrained::Penalty;
use mb_linear::{Formulation, OperatingPoint, linearize_sparse};
use mb_model::Model;

/// The least one that is chosen: enough for masses of some kilograms.
pub const LEAST: f64 = 1e6;

/// Share of itself that a penalty may move an eigenvalue by; a smaller one costs as many digits as it gains.
const MOVES: f64 = 1e-5;

/// Penalties as asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalties {
    /// The factor where it was given.
    pub alpha: Option<f64>,
    /// What the violation follows.
    pub law: ViolationLaw,
}

impl Penalties {
    /// With the factor given, or the one chosen.
    pub fn or<E>(&self, choose: impl FnOnce() -> Result<f64, E>) -> Result<Penalty, E> {
        let alpha = self.alpha.map_or_else(choose, Ok)?;
        Ok(Penalty::scalar(alpha, self.law.xi, self.law.omega))
    }
}

/// The power of ten that keeps pairs of the mechanism where they are; [`LEAST`] where that is enough.
pub fn for_pairs(model: &Model, at: &OperatingPoint, pairs: &[Eigenpair], law: ViolationLaw) -> f64 {
    let least = least_factor(pairs, &linearize_sparse(model, at).m, law, MOVES);
    if least > LEAST { 10_f64.powf(least.log10().ceil()) } else { LEAST }
}

/// The same for the whole spectrum, computed for it; [`LEAST`] where the mechanism's own has none.
pub fn for_whole(model: &Model, at: &OperatingPoint, law: ViolationLaw) -> f64 {
    spectrum(model, at, &Formulation::Minimal(NullSpaceMethod::Qr))
        .map_or(LEAST, |found| for_pairs(model, at, &found.spectrum.pairs, law))
}
