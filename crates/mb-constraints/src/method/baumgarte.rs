//! Baumgarte's stabilization.
//!
//! ```text
//! [M Phi_q^T; Phi_q 0] [a; lambda] = [f; gamma - 2 alpha Phi' - beta^2 Phi]
//! ```
//!
//! The violation obeys Phi'' + 2 alpha Phi' + beta^2 Phi = 0 and decays; critically damped for
//! alpha = beta. Too large values make the equations stiff: an explicit integrator then takes steps
//! of about 3 / alpha at most.
//!
//! Paper: [flores2018] Eq. (2).
//!
//! [flores2018]: ../../../docs/references.bib

use super::ConstraintMethod;
use super::forward::{Diagnostics, Work};
use super::standard::constrained;
use crate::error::ConstraintError;
use mb_model::system::MotionTerms;

/// Parameters of Baumgarte's stabilization.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baumgarte {
    /// Half the feedback of the rate of the violation, 1/s.
    pub alpha: f64,
    /// Root of the feedback of the violation, 1/s.
    pub beta: f64,
}

impl Default for Baumgarte {
    /// alpha = beta = 5 1/s, the values of `flores2018`, Table 2.
    fn default() -> Self {
        Self { alpha: 5.0, beta: 5.0 }
    }
}

impl Baumgarte {
    /// The critically damped choice alpha = beta = 1 / T for a time constant T in s.
    pub fn critical(time_constant: f64) -> Self {
        Self { alpha: 1.0 / time_constant, beta: 1.0 / time_constant }
    }
    pub(super) fn check(self, method: &ConstraintMethod) -> Result<(), ConstraintError> {
        method.require("alpha", self.alpha, self.alpha > 0.0, "positive")?;
        method.require("beta", self.beta, self.beta >= 0.0, "zero or positive")
    }
    /// Accelerations and multipliers into `work`.
    pub(super) fn accelerations(
        self,
        terms: &MotionTerms,
        work: &mut Work,
    ) -> Result<Diagnostics, ConstraintError> {
        for (i, target) in work.target.iter_mut().enumerate() {
            *target =
                terms.gamma[i] - 2.0 * self.alpha * terms.phi_dot[i] - self.beta * self.beta * terms.phi[i];
        }
        constrained(terms, work)
    }
}
