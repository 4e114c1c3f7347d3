//! Newton's method for the implicit steps, with factors that are kept while they serve.
//!
//! ```text
//! [(M b + C g) T^-1 + K, Phi_q^T; Phi_q, 0] [x; l] = -[r; Phi]
//! ```
//!
//! The residual is always that of the present iterate, so an older matrix changes the number of
//! iterations and not what they converge to. Factors serve from iteration to iteration and from step to step, as
//! long as each iteration leaves less than [`SLOW`] of the correction before it; a step that does
//! not converge with older ones is begun again with its own. Matrices and factors stay in the same memory
//! (module `step_system`).

use super::increment::InverseTangent;
use super::step_system::StepSystem;
use crate::error::ConstraintError;
use mb_model::system::SteppingTerms;
use mb_model::{Model, Point};

/// Share of the last correction that an iteration may leave before the factors are made anew.
const SLOW: f64 = 0.1;

/// Equations of the iterations and their factors.
#[derive(Debug)]
pub(super) struct Newton {
    pub(super) terms: SteppingTerms,
    /// The system of all steps, and that of the shortest steps where velocities are held as well.
    system: StepSystem,
    plain: Option<StepSystem>,
    /// b and g of the present factors.
    kept: Option<[f64; 2]>,
    /// True when the step began with the factors of an earlier one.
    older: bool,
    /// Factorizations so far.
    pub(super) factorizations: usize,
    /// Right-hand sides -r, and -Phi or -Phi' / g; -Phi less that.
    residual: Vec<f64>,
    rows: Vec<f64>,
    rest: Vec<f64>,
    zero: Vec<f64>,
    /// The correction x, that of the multipliers l, the step that holds the positions alone.
    pub(super) x: Vec<f64>,
    pub(super) l: Vec<f64>,
    pub(super) shift: Vec<f64>,
    /// The velocity rows, which ask A (v + g x) + b = 0 in every step, and no part of the shift.
    velocity_rows: Vec<usize>,
    /// Multipliers of the shortest steps, which mean nothing.
    idle: Vec<f64>,
}

impl Newton {
    /// Room for a model; `stabilized` where velocities are held to their constraints too.
    pub(super) fn new(model: &Model, stabilized: bool) -> Self {
        let (n, m) = (model.nv(), model.nc());
        let terms = SteppingTerms::new(model);
        let system = StepSystem::new(terms.pattern(), terms.phi_q_pattern());
        let plain = stabilized.then(|| StepSystem::plain(n, terms.phi_q_pattern()));
        let (nv, nc) = (|| vec![0.0; n], || vec![0.0; m]);
        Self {
            terms,
            system,
            plain,
            kept: None,
            older: false,
            factorizations: 0,
            residual: nv(),
            rows: nc(),
            rest: nc(),
            zero: nv(),
            x: nv(),
            l: nc(),
            shift: nv(),
            velocity_rows: (0..m).zip(model.velocity_rows()).filter(|(_, v)| *v).map(|(i, _)| i).collect(),
            idle: nc(),
        }
    }
    /// Begins a step with the factors of the last one, where its length is the same.
    pub(super) fn begin(&mut self, [b, g]: [f64; 2]) {
        // Times of reports are sums of steps: their differences agree up to rounding.
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-6 * y.abs();
        if self.kept.is_some_and(|k| !near(k[0], b) || !near(k[1], g)) {
            self.kept = None;
        }
        self.older = self.kept.is_some();
    }
    /// True when the step began with the factors of an earlier one.
    pub(super) fn is_older(&self) -> bool {
        self.older
    }
    /// Drops the factors.
    pub(super) fn renew(&mut self) {
        self.kept = None;
        self.older = false;
    }
    /// Drops the factors when an iteration left too much of the correction before it.
    pub(super) fn judge(&mut self, size: f64, last: f64) {
        if size > SLOW * last {
            self.kept = None;
        }
    }
    /// Solves the linear system of an iteration at `at` into x, l and shift.
    pub(super) fn solve(
        &mut self,
        model: &Model,
        at: &Point,
        inverse: &InverseTangent,
        weights: [f64; 2],
    ) -> Result<(), ConstraintError> {
        model.stepping_residual(at, &mut self.terms);
        if self.terms.residual.iter().chain(&self.terms.phi).any(|x| !x.is_finite()) {
            let owner = model.first_non_finite(at).unwrap_or("the mechanism").to_owned();
            return Err(ConstraintError::NotFinite { owner });
        }
        negate(&self.terms.residual, 1.0, &mut self.residual);
        if self.plain.is_some() {
            // Phi_q (v + g x) + Phi_t = 0, and Phi + Phi_q (x + shift) = 0.
            model.stepping_rates(at, &mut self.terms);
            negate(&self.terms.phi_dot, 1.0 / weights[1], &mut self.rows);
            for ((rest, phi), rate) in self.rest.iter_mut().zip(&self.terms.phi).zip(&self.rows) {
                *rest = -phi - rate;
            }
        } else {
            negate(&self.terms.phi, 1.0, &mut self.rows);
            if !self.velocity_rows.is_empty() {
                model.stepping_rates(at, &mut self.terms);
            }
        }
        for k in &self.velocity_rows {
            self.rows[*k] = -self.terms.phi_dot[*k] / weights[1];
            self.rest[*k] = 0.0;
        }
        if self.kept.is_none() {
            self.factorizations += 1;
            model.stepping_blocks(at, &mut self.terms);
            self.system.factor(&self.terms, inverse, weights)?;
            if let Some(plain) = &mut self.plain {
                plain.factor_plain(&self.terms.phi_q)?;
            }
        }
        self.system.solve(&self.residual, &self.rows, &mut self.x, &mut self.l);
        if let Some(plain) = &mut self.plain {
            plain.solve(&self.zero, &self.rest, &mut self.shift, &mut self.idle);
        }
        self.kept = Some(weights);
        Ok(())
    }
}

/// to = -scale from.
fn negate(from: &[f64], scale: f64, to: &mut [f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = -scale * from;
    }
}
