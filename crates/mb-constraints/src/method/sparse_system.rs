//! Linear systems of large models: sparse factors in the same memory from step to step.
//!
//! The saddle-point factorization of `saddle-ldlt`, first of the system as it is, which asks for a regular M, each solution
//! checked; where that fails, from then on with the constraints added to M and a trial. One symbolic analysis serves a run, and
//! numbers are factored again in place ([`SaddleFactor::refactor`]) as long as no row depends on others and no pivot is in doubt.

use super::penalty_matrix::PenaltyMatrix;
use crate::error::ConstraintError;
use mb_algebra::{Sparse, sparse};
use mb_model::system::MotionTerms;
use saddle_ldlt::{Method, SaddleAnalysis, SaddleFactor, SaddleOptions};
use std::sync::Arc;

/// Backward error of accelerations from which on they are refined: far below what integrators ask.
pub(super) const REFINE_ABOVE: f64 = 1e-12;

/// Sparse factors: the orders of elimination are found once.
#[derive(Debug)]
pub(super) struct SparseSystem {
    mass: Sparse,
    phi_q: Sparse,
    identity: Sparse,
    /// For systems as they are; none once one of them failed.
    quick: Option<Arc<SaddleAnalysis>>,
    /// For any system; made when first asked for.
    careful: Option<Arc<SaddleAnalysis>>,
    /// For shortest steps in the identity; made when first asked for.
    plain: Option<Arc<SaddleAnalysis>>,
    /// Factors with the mass matrix and with the identity.
    factor: Option<SaddleFactor>,
    plain_factor: Option<SaddleFactor>,
    /// True when the last factor is of the mass matrix.
    massive: bool,
    /// True when it was made without a trial, in place or as it is.
    untried: bool,
    penalty: Option<PenaltyMatrix>,
    zero: Vec<f64>,
    /// Multipliers that mean nothing.
    idle: Vec<f64>,
}

impl SparseSystem {
    pub(super) fn new(terms: &MotionTerms) -> Result<Self, ConstraintError> {
        let (mass, phi_q) = match (terms.mass_pattern(), terms.phi_q_pattern()) {
            (Some(mass), Some(phi_q)) => (mass.clone(), phi_q.clone()),
            _ => (sparse::zeros(terms.n, terms.n), sparse::zeros(terms.m, terms.n)),
        };
        let quick = Some(Arc::new(SaddleAnalysis::new(&mass, &phi_q, &Self::quick_options())?));
        let identity = sparse::identity(terms.n);
        Ok(Self {
            mass,
            phi_q,
            identity,
            quick,
            careful: None,
            plain: None,
            factor: None,
            plain_factor: None,
            massive: true,
            untried: false,
            penalty: None,
            zero: vec![0.0; terms.n],
            idle: vec![0.0; terms.m],
        })
    }
    /// For systems with a regular matrix whose solutions are checked one by one.
    pub(super) fn quick_options() -> SaddleOptions {
        SaddleOptions {
            augment_up_to: 0,
            augmentation: 0.0,
            trial: false,
            refine_above: REFINE_ABOVE,
            ..SaddleOptions::default()
        }
    }
    /// Factors Phi_q with the mass matrix or the identity; gives the rank.
    pub(super) fn factor(&mut self, terms: &MotionTerms, mass: bool) -> Result<usize, ConstraintError> {
        self.mass.data_mut().copy_from_slice(&terms.mass);
        self.phi_q.data_mut().copy_from_slice(&terms.phi_q);
        self.massive = mass;
        let (matrix, slot) =
            if mass { (&self.mass, &mut self.factor) } else { (&self.identity, &mut self.plain_factor) };
        // What cannot be factored in place is factored from the beginning, which reports why.
        if slot.as_mut().is_some_and(|factor| factor.refactor(matrix, &self.phi_q).unwrap_or(false)) {
            self.untried = true;
            return Ok(terms.m);
        }
        let factor = if mass { self.factor_with_mass()? } else { self.factor_plain()? };
        let rank = terms.m - factor.report().redundant.len();
        *(if mass { &mut self.factor } else { &mut self.plain_factor }) = Some(factor);
        Ok(rank)
    }
    fn factor_plain(&mut self) -> Result<SaddleFactor, ConstraintError> {
        let analysis = if let Some(analysis) = &self.plain {
            analysis.clone()
        } else {
            Arc::new(SaddleAnalysis::new(&self.identity, &self.phi_q, &Self::quick_options())?)
        };
        self.plain = Some(analysis.clone());
        Ok(SaddleFactor::new(&analysis, &self.identity, &self.phi_q)?)
    }
    fn factor_with_mass(&mut self) -> Result<SaddleFactor, ConstraintError> {
        if let Some(quick) = &self.quick {
            let made = SaddleFactor::new(quick, &self.mass, &self.phi_q);
            let sound = |factor: &SaddleFactor| {
                let report = factor.report();
                report.method == Method::AugmentedLdl
                    && report.replaced_pivots == 0
                    && report.near_singular.is_empty()
            };
            if let Ok(factor) = made
                && sound(&factor)
            {
                self.untried = true;
                return Ok(factor);
            }
            self.quick = None;
        }
        let analysis = if let Some(analysis) = &self.careful {
            analysis.clone()
        } else {
            Arc::new(SaddleAnalysis::new(&self.mass, &self.phi_q, &SaddleOptions::default())?)
        };
        self.careful = Some(analysis.clone());
        self.untried = false;
        Ok(SaddleFactor::new(&analysis, &self.mass, &self.phi_q)?)
    }
    /// M a + Phi_q^T lambda = f, Phi_q a = gamma with the last [`Self::factor`].
    pub(super) fn solve(
        &mut self,
        f: &[f64],
        gamma: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), ConstraintError> {
        let factor = if self.massive { &self.factor } else { &self.plain_factor };
        let Some(factor) = factor else { return Ok(()) };
        match factor.solve_into(f, gamma, a, lambda) {
            Ok(()) => Ok(()),
            Err(_) if self.massive && self.untried => {
                self.quick = None;
                let factor = self.factor_with_mass()?;
                Ok(self.factor.insert(factor).solve_into(f, gamma, a, lambda)?)
            }
            Err(failure) => Err(failure.into()),
        }
    }
    /// The shortest d with Phi_q d = b, with the last [`Self::factor`].
    pub(super) fn shortest(&mut self, b: &[f64], d: &mut [f64]) -> Result<(), ConstraintError> {
        let factor = if self.massive { &self.factor } else { &self.plain_factor };
        if let Some(factor) = factor {
            factor.solve_into(&self.zero, b, d, &mut self.idle)?;
        }
        Ok(())
    }
    /// Factors M + alpha Phi_q^T Phi_q.
    pub(super) fn factor_penalty(&mut self, terms: &MotionTerms, alpha: f64) -> Result<(), ConstraintError> {
        let Self { penalty, mass, phi_q, .. } = self;
        Ok(penalty.get_or_insert_with(|| PenaltyMatrix::new(mass, phi_q)).factor(terms, alpha)?)
    }
    /// Solves with the last [`Self::factor_penalty`].
    pub(super) fn solve_penalty(&mut self, x: &mut [f64]) -> Result<(), ConstraintError> {
        match &mut self.penalty {
            Some(penalty) => Ok(penalty.solve(x)?),
            None => Ok(()),
        }
    }
}
