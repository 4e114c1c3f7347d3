//! Lagrange multipliers on the acceleration level.
//!
//! ```text
//! [M Phi_q^T; Phi_q 0] [a; lambda] = [f; gamma]
//! ```
//!
//! Position and velocity constraints are not used, so their violation obeys Phi'' = 0 but for the
//! errors of the integration and grows without bound. Redundant rows get the shortest
//! multipliers; the motion is the one without them. Fails where a direction has neither mass
//! nor constraint.
//!
//! Paper: [flores2018] Eq. (1).
//!
//! [flores2018]: ../../../docs/references.bib

use super::forward::{Diagnostics, Work};
use crate::error::ConstraintError;
use mb_model::system::MotionTerms;

/// Accelerations and multipliers into `work`.
pub(super) fn accelerations(terms: &MotionTerms, work: &mut Work) -> Result<Diagnostics, ConstraintError> {
    work.target.copy_from_slice(&terms.gamma);
    constrained(terms, work)
}

/// Accelerations with Phi_q a = `work.target`.
pub(super) fn constrained(terms: &MotionTerms, work: &mut Work) -> Result<Diagnostics, ConstraintError> {
    let rank = work.system.factor(terms)?;
    work.system.solve(&terms.force, &work.target, &mut work.a, &mut work.lambda)?;
    Ok(Diagnostics { rank: Some(rank), iterations: 1, converged: true })
}
