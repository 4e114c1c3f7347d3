//! Forward dynamics: accelerations and multipliers from time, configuration and velocity.
//!
//! ```text
//! (q, v)' = (rate(q, v), a(t, q, v))
//! ```
//!
//! One object holds the storage of a model and a method; after the first evaluations nothing is
//! allocated, but by large models with redundant constraints.

use super::linear::{System, add_product, column_measures};
use super::partitioning::Partition;
use super::{ConstraintMethod, CorrectionTime, DirectCorrection, standard};
use crate::error::ConstraintError;
use mb_algebra::AlgebraError;
use mb_model::system::{Energies, MotionTerms};
use mb_model::{Model, Point};

/// Cut-off of the rank where a method needs none.
const RANK_CUTOFF: f64 = 1e-6;

/// What an evaluation did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    /// Rank of Phi_q, where the method decides one.
    pub rank: Option<usize>,
    /// Iterations on the accelerations; one for methods that do not iterate.
    pub iterations: usize,
    /// False when the cap on the iterations was reached.
    pub converged: bool,
}

/// What a correction did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CorrectionReport {
    /// Iterations on the positions.
    pub iterations: usize,
    /// Phi^T Phi left.
    pub violation: f64,
    /// False when the violation could not be removed.
    pub converged: bool,
}

/// Storage that the methods share.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) system: System,
    pub(super) a: Vec<f64>,
    pub(super) lambda: Vec<f64>,
    /// What Phi_q a shall be.
    pub(super) target: Vec<f64>,
    pub(super) next: Vec<f64>,
    pub(super) inputs: Vec<f64>,
}

impl Work {
    /// Names the element behind numbers that are not finite.
    pub(super) fn not_finite(&self, model: &Model, t: f64, q: &[f64], v: &[f64]) -> ConstraintError {
        let inputs = self.inputs.clone();
        let point = Point { q: q.to_vec(), v: v.to_vec(), t, u: inputs, ..model.initial_point() };
        let owner = model.first_non_finite(&point).unwrap_or("the mechanism").to_owned();
        ConstraintError::NotFinite { owner }
    }
}

/// The equations of motion of a model with its constraints held by a method.
#[derive(Debug)]
pub struct ForwardDynamics<'m> {
    model: &'m Model,
    method: ConstraintMethod,
    terms: MotionTerms,
    work: Work,
    partition: Option<Partition>,
    /// The state an evaluation was made at, where it is not the one given.
    q: Vec<f64>,
    v: Vec<f64>,
    diagnostics: Diagnostics,
    evaluations: usize,
    capped: usize,
    /// Largest rank of the run.
    full_rank: usize,
    /// The constraint row that depended most on the others since it was last asked for.
    weakest: Option<(usize, f64)>,
}

impl<'m> ForwardDynamics<'m> {
    /// Equations of `model` with constant `inputs` and its constraints held by `method`.
    ///
    /// # Errors
    /// [`ConstraintError::MethodParameter`].
    ///
    /// # Panics
    /// When `inputs` are not as many as the model's.
    pub fn new(model: &'m Model, method: &ConstraintMethod, inputs: &[f64]) -> Result<Self, ConstraintError> {
        assert_eq!(inputs.len(), model.inputs().len(), "inputs of the model");
        method.check()?;
        let (system, terms) = System::new(model)?;
        let partition = match method {
            ConstraintMethod::CoordinatePartitioning(options) => Some(Partition::new(*options, &terms)?),
            _ => None,
        };
        let (n, m) = (model.nv(), model.nc());
        let work = Work {
            system,
            a: vec![0.0; n],
            lambda: vec![0.0; m],
            target: vec![0.0; m],
            next: vec![0.0; n],
            inputs: inputs.to_vec(),
        };
        Ok(Self {
            model,
            method: method.clone(),
            terms,
            work,
            partition,
            q: vec![0.0; model.nq()],
            v: vec![0.0; n],
            diagnostics: Diagnostics::default(),
            evaluations: 0,
            capped: 0,
            full_rank: 0,
            weakest: None,
        })
    }
    /// Counts no more than `most` constraint rows as independent, for mechanisms whose constraints are redundant in all
    /// their configurations, such as Bennett's linkage: a little near the constraints, where the stages of a step are, the
    /// redundant rows are independent of the others and would ask for accelerations that have nothing to do with the motion. A
    /// row that becomes independent clearly counts nevertheless. Known of dense models.
    pub fn limit_rank(&mut self, most: usize) {
        self.work.system.limit_rank(most);
    }
    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }
    /// The method.
    pub fn method(&self) -> &ConstraintMethod {
        &self.method
    }
    /// The inputs.
    pub fn inputs(&self) -> &[f64] {
        &self.work.inputs
    }
    /// Accelerations of the last evaluation, nv numbers.
    pub fn acceleration(&self) -> &[f64] {
        &self.work.a
    }
    /// Multipliers of the last evaluation, nc numbers; the reaction is -Phi_q^T lambda.
    pub fn multipliers(&self) -> &[f64] {
        &self.work.lambda
    }
    /// Matrices, forces and violation of the last evaluation.
    pub fn terms(&self) -> &MotionTerms {
        &self.terms
    }
    /// Energies and power at a state, in the storage of the last evaluation.
    pub(crate) fn energies(&mut self, t: f64, q: &[f64], v: &[f64]) -> Energies {
        self.model.energies(q, v, t, &self.work.inputs, &mut self.terms)
    }
    /// Power of everything without a potential at a state.
    pub(crate) fn outside_power(&mut self, t: f64, q: &[f64], v: &[f64]) -> f64 {
        self.model.outside_power(q, v, t, &self.work.inputs, &mut self.terms)
    }
    /// Phi and Phi' of a state into the terms.
    pub(crate) fn refresh_violation(&mut self, t: f64, q: &[f64], v: &[f64]) {
        self.model.constraint_values(q, v, t, &mut self.terms);
    }
    /// Power lambda . Phi_t of driving constraints at the last evaluation, which was made with
    /// velocities `v`.
    pub(crate) fn drive_power(&mut self, v: &[f64]) -> f64 {
        let Self { terms, work, .. } = self;
        work.target.copy_from_slice(&terms.phi_dot);
        add_product(terms, -1.0, v, &mut work.target);
        work.target.iter().zip(&work.lambda).map(|(t, l)| t * l).sum()
    }
    /// What the last evaluation did.
    pub fn diagnostics(&self) -> Diagnostics {
        self.diagnostics
    }
    /// Evaluations so far.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }
    /// Evaluations that ended at the cap on iterations.
    pub fn capped(&self) -> usize {
        self.capped
    }
    /// Rounding errors of the accelerations by penalties, relative to their size, at the last
    /// evaluation: eps alpha max_j (Phi_q^T Phi_q)_jj / M_jj, of the order of what is seen. None for
    /// other methods.
    pub fn penalty_noise(&self) -> Option<f64> {
        let alpha = match &self.method {
            ConstraintMethod::Penalty(p) => p.alpha,
            ConstraintMethod::AugmentedLagrangian(a) => a.penalty.alpha,
            _ => return None,
        };
        let ratios = (0..self.terms.n).map(|j| {
            let (square, mass) = column_measures(&self.terms, j);
            if mass > 0.0 { square / mass } else { 0.0 }
        });
        Some(f64::EPSILON * alpha * ratios.fold(0.0, f64::max))
    }
    /// The constraint row that depends most on the others at the last evaluation, with the share of
    /// its length that it keeps next to them: zero where the rank has fallen since the start. Known
    /// of dense models; rows that are redundant throughout do not count.
    pub fn weakest_row(&self) -> Option<(usize, f64)> {
        if self.diagnostics.rank.is_some_and(|r| r < self.full_rank)
            && let Some(row) = self.work.system.dropped_row()
        {
            return Some((row, 0.0));
        }
        self.work.system.weakest_row()
    }
    /// The weakest of the rows seen since this was last asked for; methods that need no rank decide
    /// one at the last evaluation for it, with the mass as weight as the others do, so that it does
    /// not depend on units.
    pub(crate) fn take_weakest(&mut self) -> Option<(usize, f64)> {
        if self.partition.as_mut().is_some_and(|p| !p.has_turned()) {
            return self.weakest.take();
        }
        // Without a rank nothing is known of the rows, which only a report would lack.
        if self.diagnostics.rank.is_none()
            && !self.terms.is_sparse()
            && self.terms.m > 0
            && let Ok(rank) = self.work.system.factor_weight(&self.terms, true, RANK_CUTOFF)
        {
            self.see_rank(rank);
        }
        self.weakest.take()
    }
    fn see_rank(&mut self, rank: usize) {
        self.full_rank = self.full_rank.max(rank);
        let fallen = if rank < self.full_rank { self.work.system.dropped_row() } else { None };
        let here = fallen.map(|row| (row, 0.0)).or_else(|| self.work.system.weakest_row());
        if let Some(here) = here
            && self.weakest.is_none_or(|before| here.1 < before.1)
        {
            self.weakest = Some(here);
        }
    }
    /// The absolute tolerance of the integration.
    pub(crate) fn expect_accuracy(&mut self, absolute: f64) {
        if let Some(partition) = &mut self.partition {
            partition.expect_accuracy(absolute);
        }
    }
    /// Accelerations and multipliers at time `t` in s, configuration `q` and velocities `v`.
    ///
    /// # Errors
    /// [`ConstraintError::MassMissing`], [`ConstraintError::NotFinite`]; dependent coordinates that
    /// cannot be solved for.
    pub fn evaluate(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<(), ConstraintError> {
        let finite = q.iter().chain(v).all(|x| x.is_finite());
        if !finite {
            return Err(self.work.not_finite(self.model, t, q, v));
        }
        if let Some(partition) = &mut self.partition {
            self.q.copy_from_slice(q);
            self.v.copy_from_slice(v);
            partition.project(self.model, t, &mut self.q, &mut self.v, &mut self.terms)?;
            self.model.motion_terms(&self.q, &self.v, t, &self.work.inputs, &mut self.terms);
        } else {
            self.model.motion_terms(q, v, t, &self.work.inputs, &mut self.terms);
        }
        self.evaluations += 1;
        let Self { terms, work, .. } = self;
        let outcome = match &self.method {
            ConstraintMethod::Standard | ConstraintMethod::DirectCorrection(_) => {
                standard::accelerations(terms, work)
            }
            ConstraintMethod::CoordinatePartitioning(_) => {
                if self.partition.as_mut().is_some_and(|p| p.accelerations(terms, work)) {
                    Ok(Diagnostics { rank: None, iterations: 1, converged: true })
                } else {
                    standard::accelerations(terms, work)
                }
            }
            ConstraintMethod::Baumgarte(m) => m.accelerations(terms, work),
            ConstraintMethod::Penalty(m) => m.accelerations(terms, work),
            ConstraintMethod::AugmentedLagrangian(m) => m.accelerations(terms, work),
        };
        self.diagnostics = match outcome {
            Ok(done) => done,
            Err(ConstraintError::Algebra(
                AlgebraError::NonFinite { .. } | AlgebraError::NonFiniteResult { .. },
            )) => return Err(self.work.not_finite(self.model, t, q, v)),
            Err(ConstraintError::Algebra(AlgebraError::NotPositiveDefinite { index, .. })) => {
                let coordinate = self.model.coordinate_name(index);
                return Err(ConstraintError::MassMissing { time: t, coordinate });
            }
            Err(other) => return Err(other),
        };
        self.capped += usize::from(!self.diagnostics.converged);
        if let Some(rank) = self.diagnostics.rank {
            self.see_rank(rank);
        }
        if self.work.a.iter().chain(&self.work.lambda).all(|x| x.is_finite()) {
            return Ok(());
        }
        Err(self.work.not_finite(self.model, t, q, v))
    }
    /// Rates of the state y = (q, v): `dy` = (rate(q, v), a).
    pub(crate) fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), ConstraintError> {
        let nq = self.model.nq();
        let (q, v) = y.split_at(nq);
        self.evaluate(t, q, v)?;
        let (dq, dv) = dy.split_at_mut(nq);
        if self.partition.is_some() {
            self.model.coordinates().rate(&self.q, &self.v, dq);
        } else {
            self.model.coordinates().rate(q, v, dq);
        }
        dv.copy_from_slice(&self.work.a);
        Ok(())
    }
    /// True when the state is to be corrected after every step.
    pub fn corrects_steps(&self) -> bool {
        match &self.method {
            ConstraintMethod::DirectCorrection(c) => c.when == CorrectionTime::EveryStep,
            ConstraintMethod::CoordinatePartitioning(_) => true,
            _ => false,
        }
    }
    /// True when the state is to be corrected where it is reported.
    pub fn corrects_reports(&self) -> bool {
        matches!(
            self.method,
            ConstraintMethod::DirectCorrection(_) | ConstraintMethod::CoordinatePartitioning(_)
        )
    }
    /// Corrects positions and velocities in place by the method's own way; the others leave them.
    ///
    /// # Errors
    /// Positions or velocities that cannot be corrected; numbers that are not finite.
    pub fn correct(
        &mut self,
        t: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) -> Result<CorrectionReport, ConstraintError> {
        match (&self.method, &mut self.partition) {
            (ConstraintMethod::DirectCorrection(c), _) => {
                let options: DirectCorrection = *c;
                options.correct(self.model, t, q, v, &mut self.terms, &mut self.work)
            }
            (_, Some(partition)) => {
                let iterations = partition.correct(self.model, t, q, v, &mut self.terms)?;
                self.model.coordinates().normalize(q);
                let violation = self.terms.phi.iter().map(|x| x * x).sum();
                Ok(CorrectionReport { iterations, violation, converged: true })
            }
            _ => Ok(CorrectionReport { converged: true, ..CorrectionReport::default() }),
        }
    }
}
