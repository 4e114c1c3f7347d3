//! Coordinate partitioning: only independent coordinates carry the state.
//!
//! ```text
//! Phi(q_i, q_d) = 0 -> q_d,    Phi_q v + Phi_t = 0 -> v_d,    then the standard accelerations
//! ```
//!
//! at every evaluation: the given q and v only say which q_d is meant, and Newton's method moves
//! the dependent coordinates alone, positions and velocities in the same passes and with the same
//! factor while that serves. So the motion is that of independent coordinates, without
//! stabilization and without violation: the yardstick for the others, at the price of a solve of
//! the positions at each evaluation. The dependent coordinates are picked by the pivots of Phi_q
//! after each step: of an orthogonal factorization in small models, of a sparse elimination in
//! large ones, where the dependent block is then factored in the pattern of Phi_q, the columns of
//! the independent coordinates set to zero.
//!
//! Paper: [flores2018] Sec. 1 (the third group of methods).
//!
//! [flores2018]: ../../../docs/references.bib

use super::ConstraintMethod;
use super::dependent::Elimination;
use super::square::Square;
use crate::error::ConstraintError;
use crate::violation::largest;
use mb_algebra::in_place::Orthogonal;
use mb_algebra::saddle::{SaddleAnalysis, SaddleFactor, SaddleOptions};
use mb_algebra::{RankTolerance, Sparse, sparse};
use mb_model::Model;
use mb_model::system::MotionTerms;
use std::sync::Arc;

/// Parameters of coordinate partitioning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoordinatePartitioning {
    /// Phi^T Phi at which the positions are good.
    pub tolerance: f64,
    /// Most iterations on the dependent positions.
    pub max_iterations: usize,
}

impl Default for CoordinatePartitioning {
    /// Phi^T Phi <= 1e-26, twenty iterations.
    fn default() -> Self {
        Self { tolerance: 1e-26, max_iterations: 20 }
    }
}

impl CoordinatePartitioning {
    pub(super) fn check(self, method: &ConstraintMethod) -> Result<(), ConstraintError> {
        method.require("tolerance", self.tolerance, self.tolerance > 0.0, "positive")?;
        let most = self.max_iterations as f64;
        method.require("max_iterations", most, self.max_iterations > 0, "one or more")
    }
}

/// Share of a column that must be left for it to count.
const COLUMN_CUTOFF: RankTolerance = RankTolerance { relative: 1e-8 };

/// The choice of dependent coordinates and room to solve for them.
#[derive(Debug)]
pub(super) struct Partition {
    options: CoordinatePartitioning,
    fresh: bool,
    /// True when the state comes from a correction: there is nothing to solve for.
    settled: bool,
    blocks: Blocks,
    change: Vec<f64>,
}

#[derive(Debug)]
enum Blocks {
    Dense(Box<DenseBlocks>),
    Sparse(Box<SparseBlocks>),
}

#[derive(Debug)]
struct DenseBlocks {
    dependent: Vec<usize>,
    /// All columns of Phi_q, for the choice.
    columns: Orthogonal,
    /// The dependent columns: as many as there are rows, or fewer where rows are redundant.
    square: Square,
    tall: Orthogonal,
    turned: Vec<f64>,
    picked: Vec<f64>,
}

impl DenseBlocks {
    fn new(n: usize, m: usize) -> Self {
        Self {
            dependent: Vec::with_capacity(m),
            columns: Orthogonal::with_common_scale(m, n),
            square: Square::new(0),
            tall: Orthogonal::with_common_scale(m, 0),
            turned: vec![0.0; m],
            picked: vec![0.0; m],
        }
    }
    fn choose(&mut self, terms: &MotionTerms) {
        self.columns.input().copy_from_slice(&terms.phi_q);
        let rank = self.columns.factor(COLUMN_CUTOFF);
        if rank == terms.m && self.square.size() != rank {
            self.square = Square::new(rank);
        }
        if rank < terms.m && rank != self.dependent.len() {
            self.tall = Orthogonal::with_common_scale(terms.m, rank);
        }
        self.dependent.clear();
        self.dependent.extend_from_slice(&self.columns.pivots()[..rank]);
    }
    /// True when the dependent columns are independent of each other.
    fn factor(&mut self, terms: &MotionTerms) -> bool {
        let m = terms.m;
        let full = self.dependent.len() == m;
        let input = if full { self.square.input() } else { self.tall.input() };
        for (k, j) in self.dependent.iter().enumerate() {
            input[k * m..(k + 1) * m].copy_from_slice(&terms.phi_q[j * m..(j + 1) * m]);
        }
        if full {
            return self.square.factor(COLUMN_CUTOFF.relative);
        }
        self.tall.factor(COLUMN_CUTOFF) == self.dependent.len()
    }
    fn solve(&mut self, residual: &[f64], change: &mut [f64]) {
        let (m, k) = (residual.len(), self.dependent.len());
        if k == m {
            self.picked.copy_from_slice(residual);
            self.square.solve(&mut self.picked);
        } else {
            self.turned.copy_from_slice(residual);
            self.tall.apply_transpose(&mut self.turned[..m]);
            self.tall.solve(&self.turned, &mut self.picked[..k]);
        }
        change.fill(0.0);
        for (j, x) in self.dependent.iter().zip(&self.picked) {
            change[*j] = -x;
        }
    }
}

#[derive(Debug)]
struct SparseBlocks {
    elimination: Elimination,
    /// Phi_q with the columns of the independent coordinates zero.
    phi_d: Sparse,
    identity: Sparse,
    analysis: Arc<SaddleAnalysis>,
    factor: Option<SaddleFactor>,
}

impl SparseBlocks {
    fn new(phi_q: &Sparse) -> Result<Self, ConstraintError> {
        let identity = sparse::identity(phi_q.cols());
        let analysis = Arc::new(SaddleAnalysis::new(&identity, phi_q, &SaddleOptions::default())?);
        let elimination = Elimination::new(phi_q);
        Ok(Self { elimination, phi_d: phi_q.clone(), identity, analysis, factor: None })
    }
    fn factor(&mut self, terms: &MotionTerms) -> Result<bool, ConstraintError> {
        let starts: Vec<usize> = self.phi_d.indptr().into_raw_storage().to_vec();
        let values = self.phi_d.data_mut();
        for (j, is_dependent) in self.elimination.is_dependent.iter().enumerate() {
            let range = starts[j]..starts[j + 1];
            if *is_dependent {
                values[range.clone()].copy_from_slice(&terms.phi_q[range]);
            } else {
                values[range].fill(0.0);
            }
        }
        let factor = SaddleFactor::new(&self.analysis, &self.identity, &self.phi_d)?;
        let rank = terms.m - factor.report().redundant.len();
        self.factor = Some(factor);
        Ok(rank == self.elimination.dependent.len())
    }
    fn solve(&self, residual: &[f64], change: &mut [f64]) -> Result<(), ConstraintError> {
        if let Some(factor) = &self.factor {
            let (d, _) = factor.solve(&vec![0.0; change.len()], residual)?;
            for ((change, d), is_dependent) in change.iter_mut().zip(&d).zip(&self.elimination.is_dependent) {
                *change = if *is_dependent { -d } else { 0.0 };
            }
        }
        Ok(())
    }
}

impl Partition {
    pub(super) fn new(options: CoordinatePartitioning, terms: &MotionTerms) -> Result<Self, ConstraintError> {
        let (n, m) = (terms.n, terms.m);
        let blocks = match terms.phi_q_pattern() {
            Some(phi_q) => Blocks::Sparse(Box::new(SparseBlocks::new(phi_q)?)),
            None => Blocks::Dense(Box::new(DenseBlocks::new(n, m))),
        };
        Ok(Self { options, fresh: true, settled: false, blocks, change: vec![0.0; n] })
    }
    /// Factors the dependent columns; picks anew when they have become dependent.
    fn factor(&mut self, terms: &MotionTerms) -> Result<(), ConstraintError> {
        for choose in [self.fresh, true] {
            let independent = match &mut self.blocks {
                Blocks::Dense(b) => {
                    if choose {
                        b.choose(terms);
                    }
                    b.factor(terms)
                }
                Blocks::Sparse(b) => {
                    if choose {
                        b.elimination.choose(&terms.phi_q);
                    }
                    b.factor(terms)?
                }
            };
            if independent || choose {
                break;
            }
        }
        self.fresh = false;
        Ok(())
    }
    /// Lets the next solve choose anew, at the end of a step.
    pub(super) fn renew(&mut self) {
        self.fresh = true;
    }
    /// True when the factor at hand is not worth trying before it is made anew.
    ///
    /// Between the stages of a step the dependent columns turn by some percent. A small model's are
    /// factored in less time than the iterations take that an older factor costs; a large one's not.
    fn is_outdated(&self) -> bool {
        self.fresh || matches!(self.blocks, Blocks::Dense(_))
    }
    /// Dependent changes d with Phi_q d = -`residual` into `change`.
    fn solve(&mut self, residual: &[f64]) -> Result<(), ConstraintError> {
        let Self { blocks, change, .. } = self;
        match blocks {
            Blocks::Dense(b) => b.solve(residual, change),
            Blocks::Sparse(b) => b.solve(residual, change)?,
        }
        Ok(())
    }
    /// Solves for the dependent positions and velocities, in place.
    ///
    /// # Errors
    /// [`ConstraintError::NotAssembled`] when the dependent positions are not found.
    pub(super) fn project(
        &mut self,
        model: &Model,
        t: f64,
        q: &mut [f64],
        v: &mut [f64],
        terms: &mut MotionTerms,
    ) -> Result<usize, ConstraintError> {
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let fastest = v.iter().fold(1.0_f64, |s, v| s.max(v.abs()));
        let (mut last, mut last_slip) = (f64::INFINITY, f64::INFINITY);
        let mut outdated = self.is_outdated();
        let settled = std::mem::replace(&mut self.settled, self.fresh);
        let mut terms_known = outdated && !settled;
        for iteration in 0..=self.options.max_iterations {
            if terms_known {
                model.constraint_terms(q, v, t, terms);
            } else {
                model.constraint_values(q, v, t, terms);
            }
            let (violation, slip) = (square(&terms.phi), square(&terms.phi_dot) / (fastest * fastest));
            // What no longer falls is rounding, once it is small.
            let good = |x: f64, last: f64| {
                x <= self.options.tolerance || (iteration > 1 && x > 0.25 * last && x < 1e-20)
            };
            if good(violation, last) && good(slip, last_slip) && !self.fresh {
                return Ok(iteration);
            }
            if !(violation.is_finite() && slip.is_finite()) {
                break;
            }
            let open = !good(violation, last);
            if iteration > 4 && open && violation > 0.25 * last {
                break;
            }
            // A factor serves on while each pass leaves a hundredth of the violation, or, once there
            // is none, a tenth of the slip: positions that moved have left some.
            if outdated || (open && violation > 1e-4 * last.min(1.0)) || (!open && slip > 1e-2 * last_slip) {
                if !terms_known {
                    model.constraint_terms(q, v, t, terms);
                }
                self.factor(terms)?;
                outdated = false;
            }
            (last, last_slip, terms_known) = (violation, slip, false);
            // Velocities first, with the positions their violation was taken at.
            self.solve(&terms.phi_dot)?;
            for (v, d) in v.iter_mut().zip(&self.change) {
                *v += d;
            }
            self.solve(&terms.phi)?;
            model.coordinates().retract_in_place(q, &self.change);
        }
        let (row, violation) = largest(&terms.phi).unwrap_or((0, 0.0));
        Err(ConstraintError::NotAssembled {
            time: t,
            iterations: self.options.max_iterations,
            owner: model.row_name(row),
            violation,
            contradiction: "; its dependent coordinates cannot be solved for from the independent ones"
                .to_owned(),
        })
    }
}
