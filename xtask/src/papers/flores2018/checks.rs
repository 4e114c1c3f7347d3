//! The table of identities and independent solutions.

use mb_gallery::Computed;

use super::runs::{Lengths, Measured};
use super::{identities, oscillation, pendulum};
use crate::answers::Answers;

/// The answers to the table of checks.
pub(super) fn answers() -> Answers {
    let mut answers = Answers::default();
    let mut put = |check: &str, value: Measured<f64>| {
        answers.put(&format!("check={check}"), "value", value.map(Computed::Real));
    };
    let bar = Lengths::Adopted.linkage();
    put("augmented Lagrangian = Baumgarte", identities::iterated_is_feedback(&bar));
    put("penalty filters the multipliers", identities::filter(&bar));
    let exponent = identities::energy_exponent(&bar);
    put("penalty's energy, exponent at least", exponent.clone());
    put("penalty's energy, exponent at most", exponent);
    let eigenvalues = oscillation::eigenvalues();
    let apart = |a: f64, b: f64| (a / b - 1.0).abs();
    let of = |f: &dyn Fn(&oscillation::Eigenvalues) -> f64| eigenvalues.as_ref().map(f).map_err(Clone::clone);
    let zeta = |s: mb_gallery::models::Eigenvalue| -s.re / s.re.hypot(s.im);
    put("oscillation, frequency", of(&|r| apart(r.simulated.im, r.linearized.im)));
    put("oscillation, damping ratio", of(&|r| apart(zeta(r.simulated), zeta(r.linearized))));
    put("oscillation, frequency by the energies", of(&|r| apart(r.linearized.im, r.closed.im)));
    put("oscillation, damping ratio by the energies", of(&|r| apart(zeta(r.linearized), zeta(r.closed))));
    let drift = pendulum::drift();
    let of = |f: &dyn Fn(&pendulum::Drift) -> f64| drift.as_ref().map(f).map_err(Clone::clone);
    put("pendulum, drift is linear", of(&|d| d.bend));
    put("pendulum, drift below steps times tolerance", of(&|d| d.share));
    put("pendulum, violation", of(&|d| d.violation));
    answers
}
