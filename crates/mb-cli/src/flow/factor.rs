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
    /// Those with this factor where none was given.
    pub fn with(&self, chosen: f64) -> Penalty {
        Penalty::scalar(self.alpha.unwrap_or(chosen), self.law.xi, self.law.omega)
    }

    /// Those that keep pairs of the mechanism where they are: a power of ten.
    pub fn for_pairs(&self, model: &Model, at: &OperatingPoint, pairs: &[Eigenpair]) -> Penalty {
        if self.alpha.is_some() {
            return self.with(LEAST);
        }
        let least = least_factor(pairs, &linearize_sparse(model, at).m, self.law, MOVES);
        self.with(if least > LEAST { 10_f64.powf(least.log10().ceil()) } else { LEAST })
    }

    /// Those for the whole spectrum, by pairs known already or computed for it; [`LEAST`] where there are none.
    pub fn for_whole(&self, model: &Model, at: &OperatingPoint, known: Option<&[Eigenpair]>) -> Penalty {
        match (self.alpha, known) {
            (Some(_), _) => self.with(LEAST),
            (None, Some(pairs)) => self.for_pairs(model, at, pairs),
            (None, None) => spectrum(model, at, &Formulation::Minimal(NullSpaceMethod::Qr))
                .map_or_else(|_| self.with(LEAST), |found| self.for_pairs(model, at, &found.spectrum.pairs)),
        }
    }
}
