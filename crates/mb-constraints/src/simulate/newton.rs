//! Newton's method for the implicit steps, with factors that are kept while they serve.
//!
//! ```text
//! [(M b + C g) T^-1 + K, Phi_q^T; Phi_q, 0] [x; l] = -[r; Phi]
//! ```
//!
//! The residual is always that of the present iterate, so an older matrix changes the number of
//! iterations and not what they converge to. Factors serve from iteration to iteration and from step to step, as
//! long as each iteration leaves less than [`SLOW`] of the correction before it; a step that does
//! not converge with older ones is begun again with its own.

use super::increment::InverseTangent;
use crate::error::ConstraintError;
use crate::patterns::SaddlePatterns;
use crate::saddle::{DENSE_UP_TO, Saddle};
use mb_algebra::{dense, sparse};
use mb_model::{Model, Point};

/// Share of the last correction that an iteration may leave before the factors are made anew.
const SLOW: f64 = 0.1;

/// Step x, change of the multipliers l, step that holds the positions alone.
pub(super) type Correction = (Vec<f64>, Vec<f64>, Vec<f64>);

/// Factors of the linear systems of the iterations.
#[derive(Debug, Default)]
pub(super) struct Newton {
    kept: Option<Factors>,
    /// Analyses of the systems of all steps, and of those of the shortest steps.
    patterns: [SaddlePatterns; 2],
    /// True when the step began with the factors of an earlier one.
    older: bool,
    /// Factorizations so far.
    pub(super) factorizations: usize,
}

#[derive(Debug)]
struct Factors {
    /// b and g that the matrix was made with.
    weights: [f64; 2],
    saddle: Saddle,
    /// For the shortest step with Phi_q step = rest.
    plain: Option<Saddle>,
}

impl Newton {
    /// Begins a step with the factors of the last one, where its length is the same.
    pub(super) fn begin(&mut self, [b, g]: [f64; 2]) {
        // Times of reports are sums of steps: their differences agree up to rounding.
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-6 * y.abs();
        if self.kept.as_ref().is_some_and(|k| !near(k.weights[0], b) || !near(k.weights[1], g)) {
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
    /// Solves the linear system of an iteration at `at`; with `rest` also for the shortest step
    /// with Phi_q step = rest.
    pub(super) fn solve(
        &mut self,
        model: &Model,
        at: &Point,
        inverse: &InverseTangent,
        weights: [f64; 2],
        [residual, phi]: [&[f64]; 2],
        rest: Option<&[f64]>,
    ) -> Result<Correction, ConstraintError> {
        let factors = if let Some(factors) = self.kept.take() {
            factors
        } else {
            self.factorizations += 1;
            Factors::new(model, at, inverse, weights, rest.is_some(), &mut self.patterns)?
        };
        let (x, l) = factors.saddle.solve(residual, phi);
        let zero = vec![0.0; model.nv()];
        let shift = match (rest, &factors.plain) {
            (Some(rest), Some(plain)) => plain.solve(&zero, rest).0,
            _ => zero,
        };
        self.kept = Some(factors);
        Ok((x, l, shift))
    }
}

impl Factors {
    fn new(
        model: &Model,
        at: &Point,
        inverse: &InverseTangent,
        weights: [f64; 2],
        stabilized: bool,
        [dynamic, positions]: &mut [SaddlePatterns; 2],
    ) -> Result<Self, ConstraintError> {
        let [b, g] = weights;
        let n = model.nv();
        if n + model.nc() <= DENSE_UP_TO {
            let blocks = model.dense_blocks(at);
            let inertia = dense::add(b, &blocks.m, g, &blocks.c);
            let a = dense::add(1.0, &inverse.dense(&inertia), 1.0, &blocks.k);
            let saddle = Saddle::dense(&a, &blocks.phi_q)?;
            let plain = stabilized.then(|| Saddle::dense(&dense::identity(n), &blocks.phi_q)).transpose()?;
            return Ok(Self { weights, saddle, plain });
        }
        let blocks = model.blocks(at);
        let inertia = sparse::add(b, &blocks.m, g, &blocks.c);
        let a = sparse::add(1.0, &inverse.sparse(&inertia), 1.0, &blocks.k);
        let saddle = Saddle::sparse_again(&a, &blocks.phi_q, dynamic)?;
        let plain = stabilized
            .then(|| Saddle::sparse_again(&sparse::identity(n), &blocks.phi_q, positions))
            .transpose()?;
        Ok(Self { weights, saddle, plain })
    }
}
