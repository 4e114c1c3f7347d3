//! Direct correction of positions and velocities by the Moore-Penrose inverse.
//!
//! ```text
//! q <- q (+) d,  d = -W^-1 Phi_q^T (Phi_q W^-1 Phi_q^T)^+ Phi(q)      until Phi = 0
//! v <- v - W^-1 Phi_q^T (Phi_q W^-1 Phi_q^T)^+ Phi'(q, v)             once
//! ```
//!
//! with W the identity (the paper's) or the mass matrix, which moves the heavy bodies least. The
//! corrections are made in the tangent (six numbers for a spatial body, where the paper's Eq. (20)
//! has seven coordinates), so Euler parameters keep their length. The paper's (16) and (18) need
//! full row rank; here the rank is decided by a cut-off, which must lie above the violation to be
//! corrected. Near a singular configuration a row that keeps the share s of its length next to the
//! others moves the mechanism by its violation over s, while what is wanted is about the square root of
//! the violation: rows with s below it are left for the next correction, when the
//! mechanism has passed. Accelerations are those of the standard method.
//!
//! Paper: [flores2018] Eqs. (11)-(21).
//!
//! [flores2018]: ../../../docs/references.bib

use super::ConstraintMethod;
use super::forward::{CorrectionReport, Work};
use crate::error::ConstraintError;
use mb_model::Model;
use mb_model::system::MotionTerms;

/// When corrections are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CorrectionTime {
    /// After each accepted step of the integrator.
    #[default]
    EveryStep,
    /// Once for each reporting step.
    EveryReport,
}

/// What a correction is shortest in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CorrectionWeight {
    /// The coordinates as they are.
    #[default]
    Identity,
    /// The mass matrix: least kinetic energy of the correction.
    Mass,
}

/// Rows that keep more than this share are corrected whatever their violation.
const HIGHEST_CUTOFF: f64 = 1e-3;

/// Parameters of the direct correction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectCorrection {
    /// When.
    pub when: CorrectionTime,
    /// Weights.
    pub weight: CorrectionWeight,
    /// Phi^T Phi at which the positions are good.
    pub tolerance: f64,
    /// Most iterations on the positions.
    pub max_iterations: usize,
    /// Rows that keep less than this share of their length next to the others count as dependent.
    pub cutoff: f64,
}

impl Default for DirectCorrection {
    /// Every step, identity, Phi^T Phi <= 1e-26, ten iterations, cut-off 1e-6.
    fn default() -> Self {
        Self {
            when: CorrectionTime::EveryStep,
            weight: CorrectionWeight::Identity,
            tolerance: 1e-26,
            max_iterations: 10,
            cutoff: 1e-6,
        }
    }
}

impl DirectCorrection {
    pub(super) fn check(self, method: &ConstraintMethod) -> Result<(), ConstraintError> {
        method.require("tolerance", self.tolerance, self.tolerance > 0.0, "positive")?;
        method.require("cutoff", self.cutoff, self.cutoff > 0.0 && self.cutoff < 1.0, "between 0 and 1")?;
        let most = self.max_iterations as f64;
        method.require("max_iterations", most, self.max_iterations > 0, "one or more")
    }
    /// The cut-off where this violation is to be corrected: its square root, within limits.
    fn cutoff_for(self, violation: &[f64], terms: &MotionTerms) -> f64 {
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        let scale = largest(&terms.phi_q);
        if scale == 0.0 {
            return self.cutoff;
        }
        (largest(violation) / scale).sqrt().min(HIGHEST_CUTOFF).max(self.cutoff)
    }
    /// Moves q and v back; `terms` and `work` are overwritten.
    pub(super) fn correct(
        self,
        model: &Model,
        t: f64,
        q: &mut [f64],
        v: &mut [f64],
        terms: &mut MotionTerms,
        work: &mut Work,
    ) -> Result<CorrectionReport, ConstraintError> {
        let mut report = CorrectionReport::default();
        let weighted = self.weight == CorrectionWeight::Mass;
        loop {
            if weighted {
                model.motion_terms(q, v, t, &work.inputs, terms);
            } else {
                model.constraint_terms(q, v, t, terms);
            }
            let violation: f64 = terms.phi.iter().map(|x| x * x).sum();
            if !violation.is_finite() {
                return Err(work.not_finite(model, t, q, v));
            }
            // A step that no longer helps: what is left is rounding or contradicts.
            let done = violation <= self.tolerance || report.iterations == self.max_iterations;
            if done || (report.iterations > 1 && violation > 0.25 * report.violation) {
                report.converged = violation <= self.tolerance.max(1e-20);
                report.violation = violation;
                break;
            }
            report.violation = violation;
            report.iterations += 1;
            work.system.factor_weight(terms, weighted, self.cutoff_for(&terms.phi, terms))?;
            for (target, phi) in work.target.iter_mut().zip(&terms.phi) {
                *target = -phi;
            }
            work.system.shortest(&work.target, &mut work.next)?;
            model.coordinates().retract_in_place(q, &work.next);
        }
        model.coordinates().normalize(q);
        work.system.factor_weight(terms, weighted, self.cutoff_for(&terms.phi_dot, terms))?;
        for (target, phi_dot) in work.target.iter_mut().zip(&terms.phi_dot) {
            *target = -phi_dot;
        }
        work.system.shortest(&work.target, &mut work.next)?;
        for (v, d) in v.iter_mut().zip(&work.next) {
            *v += d;
        }
        Ok(report)
    }
}
