//! The penalty method: each constraint replaced by a mass, a damper and a spring.
//!
//! ```text
//! (M + alpha Phi_q^T Phi_q) a = f - alpha Phi_q^T (-gamma + 2 mu omega Phi' + omega^2 Phi)
//! lambda = alpha (Phi_q a - gamma + 2 mu omega Phi' + omega^2 Phi)
//! ```
//!
//! The violation is lambda / alpha filtered by 1 / (s^2 + 2 mu omega s + omega^2), so it does not
//! vanish for a finite alpha; the error of the energy falls as 1 / alpha. The matrix is positive
//! definite also for redundant constraints and in singular configurations, and factored by
//! Cholesky. Near a limit of rotation the method loses energy and may leave the true branch.
//!
//! Paper: [flores2018] Eqs. (3)-(7).
//!
//! [flores2018]: ../../../docs/references.bib

use super::ConstraintMethod;
use super::forward::{Diagnostics, Work};
use super::linear::{add_product, add_transpose};
use crate::error::ConstraintError;
use mb_model::system::MotionTerms;

/// Parameters of the penalty method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// Penalty mass alpha, in kg per square of the rows' unit over m.
    pub alpha: f64,
    /// Frequency of the violation omega, rad/s.
    pub omega: f64,
    /// Damping ratio of the violation mu.
    pub mu: f64,
}

impl Default for Penalty {
    /// alpha = 1e7, omega = 10, mu = 1, the values of `flores2018`, Table 2.
    fn default() -> Self {
        Self { alpha: 1e7, omega: 10.0, mu: 1.0 }
    }
}

impl Penalty {
    pub(super) fn check(self, method: &ConstraintMethod) -> Result<(), ConstraintError> {
        method.require("alpha", self.alpha, self.alpha > 0.0, "positive")?;
        method.require("omega", self.omega, self.omega >= 0.0, "zero or positive")?;
        method.require("mu", self.mu, self.mu >= 0.0, "zero or positive")
    }
    /// gamma - 2 mu omega Phi' - omega^2 Phi into `target`.
    pub(super) fn target(self, terms: &MotionTerms, target: &mut [f64]) {
        for (i, target) in target.iter_mut().enumerate() {
            *target = terms.gamma[i]
                - 2.0 * self.mu * self.omega * terms.phi_dot[i]
                - self.omega * self.omega * terms.phi[i];
        }
    }
    /// Accelerations and multipliers into `work`.
    pub(super) fn accelerations(
        self,
        terms: &MotionTerms,
        work: &mut Work,
    ) -> Result<Diagnostics, ConstraintError> {
        self.target(terms, &mut work.target);
        work.system.factor_penalty(terms, self.alpha)?;
        work.a.copy_from_slice(&terms.force);
        add_transpose(terms, self.alpha, &work.target, &mut work.a);
        work.system.solve_penalty(&mut work.a)?;
        for (l, target) in work.lambda.iter_mut().zip(&work.target) {
            *l = -self.alpha * target;
        }
        add_product(terms, self.alpha, &work.a, &mut work.lambda);
        Ok(Diagnostics { rank: None, iterations: 1, converged: true })
    }
}
