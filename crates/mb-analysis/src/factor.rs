//! The penalty factors, given or chosen.

use super::spectrum;
use crate::preload;
use mb_constraints::NullSpaceMethod;
use mb_eigen::Eigenpair;
use mb_eigen::penalty::{ViolationLaw, least_factors};
use mb_linear::formulation::unconstrained::{Factor, Penalty};
use mb_linear::{Formulation, OperatingPoint, linearize_sparse};
use mb_model::Model;

/// Share of itself that a penalty may move an eigenvalue by; a smaller one costs as many digits as it gains.
const MOVES: f64 = 1e-5;

/// Penalties as asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalties {
    /// The factor of all rows where it was given.
    pub alpha: Option<f64>,
    /// What the violation follows.
    pub law: ViolationLaw,
}

impl Penalties {
    /// With the factor given, or those chosen.
    pub fn or<E>(&self, choose: impl FnOnce() -> Result<Factor, E>) -> Result<Penalty, E> {
        let xi = self.alpha.map_or_else(choose, |alpha| Ok(Factor::Scalar(alpha)))?;
        Ok(Penalty { xi, ..Penalty::scalar(1.0, self.law.xi, self.law.omega) })
    }
}

/// Factors by row that keep eigenpairs of the mechanism where they are, to 1e-5 of themselves: under the reactions of the modes, and under those at rest.
pub fn for_pairs(model: &Model, at: &OperatingPoint, pairs: &[Eigenpair], law: ViolationLaw) -> Factor {
    let lin = linearize_sparse(model, at);
    let factors = least_factors(pairs, &lin.m, &lin.phi_q, law, MOVES);
    // What gives way under the reactions at rest may add half as much; it goes with one over the factors.
    let at_rest = preload::moved(model, at, pairs, &factors, law.omega);
    let more = (2.0 * at_rest / MOVES).max(1.0).log2().ceil().exp2();
    Factor::PerConstraint(factors.into_iter().map(|factor| factor * more).collect())
}

/// The same for the whole spectrum, computed for it; from masses alone where the mechanism's own has none.
pub fn for_whole(model: &Model, at: &OperatingPoint, law: ViolationLaw) -> Factor {
    let found = spectrum(model, at, &Formulation::Minimal(NullSpaceMethod::Qr));
    for_pairs(model, at, found.as_ref().map_or(&[], |found| &found.spectrum.eigenpairs), law)
}
