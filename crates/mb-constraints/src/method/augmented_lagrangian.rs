//! The augmented Lagrangian method: penalties iterated until they are exact.
//!
//! ```text
//! (M + alpha Phi_q^T Phi_q) a_{i+1} = M a_i + alpha Phi_q^T (gamma - 2 mu omega Phi' - omega^2 Phi),   M a_0 = f
//! lambda_{i+1} = lambda_i + alpha (Phi_q a_{i+1} - gamma + 2 mu omega Phi' + omega^2 Phi)
//! ```
//!
//! until |a_{i+1} - a_i| <= tolerance |a_{i+1}|; the paper's Eq. (10) has an equality sign there. The
//! limit satisfies Phi_q a = gamma - 2 mu omega Phi' - omega^2 Phi, which is Baumgarte's equation
//! with alpha = mu omega and beta = omega. One Cholesky factor serves all iterations; rounding
//! stops them at about 3e-8 for alpha = 1e7, so a tolerance far below 1e-7 only runs into the cap,
//! which is reported. Rounding of M + alpha Phi_q^T Phi_q grows with alpha over the masses, so that
//! light mechanisms ask for smaller ones ([`super::ForwardDynamics::penalty_noise`]).
//!
//! Works with redundant constraints. Near a singular configuration, where a row keeps the share s of
//! its length next to the others, k iterations enforce the part 1 - (1 + alpha s^2 / m)^-k of it. So the row is free
//! over a stretch of about d = sqrt(m / (alpha k)) on either side, and before it a violation e turns
//! the motion off by e / s. Where d^2 is well above the violation (alpha k up to about 1e5 m) the
//! mechanism coasts through and keeps to its branch; where it is not, the violation that rounding and
//! the tolerance of the iteration leave, about 1e-8, takes it into the other one, unless the
//! steps are so long that none of them falls into the stretch.
//!
//! Paper: [flores2018] Eqs. (8)-(10).
//!
//! [flores2018]: ../../../docs/references.bib

use super::forward::{Diagnostics, Work};
use super::linear::{add_product, add_transpose};
use super::{ConstraintMethod, Penalty};
use crate::error::ConstraintError;
use mb_model::system::MotionTerms;

/// Parameters of the augmented Lagrangian method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AugmentedLagrangian {
    /// The penalties.
    pub penalty: Penalty,
    /// Change of the accelerations, relative to them, at which the iteration stops.
    pub tolerance: f64,
    /// Most iterations; reaching them is reported, not an error.
    pub max_iterations: usize,
}

impl Default for AugmentedLagrangian {
    /// The penalties of `flores2018`, Table 2; tolerance 1e-7, at most 20 iterations.
    fn default() -> Self {
        Self { penalty: Penalty::default(), tolerance: 1e-7, max_iterations: 20 }
    }
}

impl AugmentedLagrangian {
    pub(super) fn check(self, method: &ConstraintMethod) -> Result<(), ConstraintError> {
        self.penalty.check(method)?;
        method.require("alpha", self.penalty.alpha, self.penalty.alpha > 0.0, "positive")?;
        method.require("tolerance", self.tolerance, self.tolerance > 0.0, "positive")?;
        let most = self.max_iterations as f64;
        method.require("max_iterations", most, self.max_iterations > 0, "one or more")
    }
    /// Accelerations and multipliers into `work`.
    pub(super) fn accelerations(
        self,
        terms: &MotionTerms,
        work: &mut Work,
    ) -> Result<Diagnostics, ConstraintError> {
        let alpha = self.penalty.alpha;
        self.penalty.target(terms, &mut work.target);
        work.system.factor_penalty(terms, alpha)?;
        work.lambda.fill(0.0);
        // rhs = M a_i = f - Phi_q^T lambda_i, without rounding piling up in a product with M.
        for iteration in 1..=self.max_iterations {
            work.next.copy_from_slice(&terms.force);
            add_transpose(terms, -1.0, &work.lambda, &mut work.next);
            add_transpose(terms, alpha, &work.target, &mut work.next);
            work.system.solve_penalty(&mut work.next)?;
            for (l, target) in work.lambda.iter_mut().zip(&work.target) {
                *l -= alpha * target;
            }
            add_product(terms, alpha, &work.next, &mut work.lambda);
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for (a, next) in work.a.iter().zip(&work.next) {
                change += (a - next) * (a - next);
                size += next * next;
            }
            work.a.copy_from_slice(&work.next);
            let settled = change <= self.tolerance * self.tolerance * size;
            // The first iterate has nothing to be compared with: a is of another state.
            if (iteration > 1 && settled) || !size.is_finite() {
                return Ok(Diagnostics { rank: None, iterations: iteration, converged: true });
            }
        }
        Ok(Diagnostics { rank: None, iterations: self.max_iterations, converged: false })
    }
}
