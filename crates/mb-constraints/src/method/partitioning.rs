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
//! the positions at each evaluation. The dependent coordinates are picked by the pivots of Phi_q:
//! of an orthogonal factorization in small models, anew when their smallest pivot has fallen; of a
//! sparse elimination after each step in large ones, where the dependent block is then factored in the pattern of
//! Phi_q, the columns of the independent coordinates set to zero. Small models without redundant rows get
//! their accelerations from the independent coordinates alone (module `reduced`).
//!
//! Inside steps the positions of small models are solved for to a hundredth of the absolute tolerance of the
//! integration, at the end of each step, in reports and near singular configurations to the tolerance of the method.
//!
//! Paper: [flores2018] Sec. 1 (the third group of methods).
//!
//! [flores2018]: ../../../docs/references.bib

use super::ConstraintMethod;
use super::dependent::Elimination;
use super::forward::Work;
use super::reduced::Reduced;
use super::sparse_system::SparseSystem;
use super::square::Square;
use crate::error::ConstraintError;
use crate::violation::largest;
use mb_algebra::in_place::Orthogonal;
use mb_algebra::{RankTolerance, Sparse, sparse};
use mb_model::Model;
use mb_model::system::MotionTerms;
use saddle_ldlt::{SaddleAnalysis, SaddleFactor};
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

/// The same relative to the violation |Phi| off the constraints, and the most of it: there, redundant rows are independent by as much as
/// positions are wrong, and a column picked for their pivot is the motion itself.
const COLUMN_CUTOFF_OFF: (f64, f64) = (1e2, 1e-2);

/// Change of the smallest pivot of the dependent columns, either way, since they were picked, after
/// which they are picked anew: they have become nearly dependent, or others could now be better.
const WORN: f64 = 0.8;

/// Share of the largest entry of Phi_q that the smallest pivot of the dependent columns has away from
/// singular configurations.
const HEALTHY: f64 = 0.1;

/// Change of the smallest pivot, either way, after which rows are checked for dependence.
const TURNED: f64 = 0.7;

/// The choice of dependent coordinates and room to solve for them.
#[derive(Debug)]
pub(super) struct Partition {
    options: CoordinatePartitioning,
    /// Phi^T Phi at which positions are good inside a step.
    enough: f64,
    fresh: bool,
    /// True when the state comes from a correction: there is nothing to solve for.
    settled: bool,
    blocks: Blocks,
    /// Of the velocities and of the positions.
    change: [Vec<f64>; 2],
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
    /// Two right-hand sides or solutions.
    picked: Vec<f64>,
    reduced: Reduced,
    /// Smallest pivot of the square block when its columns were picked.
    pivot: Option<f64>,
    /// The same when the rows were checked last.
    seen: f64,
    /// True when the block is square and the picked columns are well independent.
    healthy: bool,
}

impl DenseBlocks {
    fn new(n: usize, m: usize) -> Self {
        Self {
            dependent: Vec::with_capacity(m),
            columns: Orthogonal::with_common_scale(m, n),
            square: Square::new(0),
            tall: Orthogonal::with_common_scale(m, 0),
            turned: vec![0.0; m],
            picked: vec![0.0; 2 * m],
            reduced: Reduced::new(n, m),
            pivot: None,
            seen: 0.0,
            healthy: false,
        }
    }
    /// True when there are as many dependent coordinates as rows.
    fn is_square(&self) -> bool {
        let rows = self.turned.len();
        self.square.size() == rows && self.dependent.len() == rows
    }
    /// Picks the dependent columns; true when the violation had a say in how many there are, so that they are to be picked again on
    /// the constraints.
    fn choose(&mut self, terms: &MotionTerms) -> bool {
        self.columns.input().copy_from_slice(&terms.phi_q);
        let violation = terms.phi.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (beside, most) = COLUMN_CUTOFF_OFF;
        let off = (beside * violation).min(most);
        let relative = COLUMN_CUTOFF.relative.max(off);
        let rank = self.columns.factor(RankTolerance { relative });
        if rank == terms.m && self.square.size() != rank {
            self.square = Square::new(rank);
        }
        if rank < terms.m && rank != self.dependent.len() {
            self.tall = Orthogonal::with_common_scale(terms.m, rank);
        }
        self.dependent.clear();
        self.dependent.extend_from_slice(&self.columns.pivots()[..rank]);
        self.reduced.take(terms.n, &self.dependent);
        self.pivot = None;
        rank < terms.m && off > COLUMN_CUTOFF.relative
    }
    /// True when the choice may have become a bad one, or is to be made at each step.
    fn is_worn(&self) -> bool {
        let now = self.square.smallest_pivot();
        !self.healthy || self.pivot.is_none_or(|begin| now < WORN * begin || begin < WORN * now)
    }
    /// True when the rows may have come nearer to dependence, or gone away from it, since this was
    /// last so.
    fn has_turned(&mut self) -> bool {
        let now = self.square.smallest_pivot();
        let turned = !self.is_square() || now < TURNED * self.seen || self.seen < TURNED * now;
        if turned {
            self.seen = now;
        }
        turned
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
            let independent = self.square.factor(COLUMN_CUTOFF.relative);
            let smallest = self.square.smallest_pivot();
            self.pivot.get_or_insert(smallest);
            let largest = terms.phi_q.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
            self.healthy = independent && smallest >= HEALTHY * largest;
            return independent;
        }
        self.healthy = false;
        self.tall.factor(COLUMN_CUTOFF) == self.dependent.len()
    }
    /// Dependent changes against two residuals at once.
    fn solve(&mut self, residuals: [&[f64]; 2], changes: [&mut [f64]; 2]) {
        let (m, k) = (residuals[0].len(), self.dependent.len());
        for (residual, picked) in residuals.iter().zip(self.picked.chunks_exact_mut(m.max(1))) {
            if k == m {
                picked.copy_from_slice(residual);
            } else {
                self.turned.copy_from_slice(residual);
                self.tall.apply_transpose(&mut self.turned);
                self.tall.solve(&self.turned, &mut picked[..k]);
            }
        }
        if k == m {
            self.square.solve(&mut self.picked);
        }
        for (change, picked) in changes.into_iter().zip(self.picked.chunks_exact(m.max(1))) {
            change.fill(0.0);
            for (j, x) in self.dependent.iter().zip(picked) {
                change[*j] = -x;
            }
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
    zero: Vec<f64>,
    /// Multipliers that mean nothing.
    idle: Vec<f64>,
}

impl SparseBlocks {
    fn new(phi_q: &Sparse) -> Result<Self, ConstraintError> {
        let identity = sparse::identity(phi_q.cols());
        let analysis = Arc::new(SaddleAnalysis::new(&identity, phi_q, &SparseSystem::quick_options())?);
        let elimination = Elimination::new(phi_q);
        let (zero, idle) = (vec![0.0; phi_q.cols()], vec![0.0; phi_q.rows()]);
        Ok(Self { elimination, phi_d: phi_q.clone(), identity, analysis, factor: None, zero, idle })
    }
    fn factor(&mut self, terms: &MotionTerms) -> Result<bool, ConstraintError> {
        for (j, is_dependent) in self.elimination.is_dependent.iter().enumerate() {
            let start = self.phi_d.indptr();
            let start = start.into_raw_storage();
            let range = start[j]..start[j + 1];
            let values = &mut self.phi_d.data_mut()[range.clone()];
            if *is_dependent {
                values.copy_from_slice(&terms.phi_q[range]);
            } else {
                values.fill(0.0);
            }
        }
        if let Some(factor) = &mut self.factor
            && factor.refactor(&self.identity, &self.phi_d).unwrap_or(false)
        {
            return Ok(terms.m == self.elimination.dependent.len());
        }
        let factor = SaddleFactor::new(&self.analysis, &self.identity, &self.phi_d)?;
        let rank = terms.m - factor.report().redundant.len();
        self.factor = Some(factor);
        Ok(rank == self.elimination.dependent.len())
    }
    fn solve(&mut self, residual: &[f64], change: &mut [f64]) -> Result<(), ConstraintError> {
        if let Some(factor) = &self.factor {
            factor.solve_into(&self.zero, residual, change, &mut self.idle)?;
            for (change, is_dependent) in change.iter_mut().zip(&self.elimination.is_dependent) {
                *change = if *is_dependent { -*change } else { 0.0 };
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
        let enough = options.tolerance;
        Ok(Self {
            options,
            enough,
            fresh: true,
            settled: false,
            blocks,
            change: [vec![0.0; n], vec![0.0; n]],
        })
    }
    /// Positions inside a step need not be better than the integration, with this absolute
    /// tolerance, can show.
    pub(super) fn expect_accuracy(&mut self, absolute: f64) {
        self.enough = (1e-4 * absolute * absolute).max(self.options.tolerance);
    }
    /// Factors the dependent columns; picks anew when they have become dependent.
    fn factor(&mut self, terms: &MotionTerms) -> Result<(), ConstraintError> {
        let mut again = false;
        for choose in [self.fresh, true] {
            let independent = match &mut self.blocks {
                Blocks::Dense(b) => {
                    if choose {
                        again = b.choose(terms);
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
        self.fresh = again;
        Ok(())
    }
    /// Lets the next solve choose anew where that is due, at the end of a step.
    fn renew(&mut self) {
        self.fresh = match &self.blocks {
            Blocks::Dense(b) => b.is_worn(),
            Blocks::Sparse(_) => true,
        };
    }
    /// True when it is worth checking the dependence of the rows.
    pub(super) fn has_turned(&mut self) -> bool {
        match &mut self.blocks {
            Blocks::Dense(b) => b.has_turned(),
            Blocks::Sparse(_) => true,
        }
    }
    /// Accelerations and multipliers into `work` by the independent coordinates alone; false where
    /// that is not possible.
    pub(super) fn accelerations(&mut self, terms: &MotionTerms, work: &mut Work) -> bool {
        let Blocks::Dense(b) = &mut self.blocks else { return false };
        // Near a singular configuration all columns together decide better than the picked ones.
        if b.dependent.is_empty() || !b.factor(terms) || !b.healthy {
            return false;
        }
        let DenseBlocks { dependent, square, reduced, .. } = &mut **b;
        reduced.accelerations(terms, dependent, square, work)
    }
    /// As [`Self::project`] at the end of a step or in a report.
    pub(super) fn correct(
        &mut self,
        model: &Model,
        t: f64,
        q: &mut [f64],
        v: &mut [f64],
        terms: &mut MotionTerms,
    ) -> Result<usize, ConstraintError> {
        self.renew();
        let between = std::mem::replace(&mut self.enough, self.options.tolerance);
        let outcome = self.project(model, t, q, v, terms);
        self.enough = between;
        self.settled = true;
        outcome
    }
    /// True when the present factor is not worth trying before it is made anew.
    fn is_outdated(&self) -> bool {
        self.fresh || matches!(&self.blocks, Blocks::Dense(b) if !b.healthy)
    }
    /// Dependent changes d with Phi_q d = -Phi' and -Phi.
    fn solve(&mut self, terms: &MotionTerms) -> Result<(), ConstraintError> {
        let Self { blocks, change: [of_v, of_q], .. } = self;
        match blocks {
            Blocks::Dense(b) => b.solve([&terms.phi_dot, &terms.phi], [of_v, of_q]),
            Blocks::Sparse(b) => {
                b.solve(&terms.phi_dot, of_v)?;
                b.solve(&terms.phi, of_q)?;
            }
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
        let mut terms_known = outdated && !std::mem::take(&mut self.settled);
        for iteration in 0..=self.options.max_iterations {
            if terms_known {
                model.constraint_terms(q, v, t, terms);
            } else {
                model.constraint_values(q, v, t, terms);
            }
            let (violation, slip) = (square(&terms.phi), square(&terms.phi_dot) / (fastest * fastest));
            // Near a singular configuration a violation moves the positions by more than its size.
            let healthy = matches!(&self.blocks, Blocks::Dense(b) if b.healthy);
            let enough = if healthy { self.enough } else { self.options.tolerance };
            // What no longer falls is rounding, once it is small.
            let good = |x: f64, last: f64| x <= enough || (iteration > 1 && x > 0.25 * last && x < 1e-20);
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
            if outdated
                || self.fresh
                || (open && violation > 1e-4 * last.min(1.0))
                || (!open && slip > 1e-2 * last_slip)
            {
                if !terms_known {
                    model.constraint_terms(q, v, t, terms);
                }
                self.factor(terms)?;
                outdated = false;
            }
            (last, last_slip, terms_known) = (violation, slip, false);
            self.solve(terms)?;
            let [of_v, of_q] = &self.change;
            for (v, d) in v.iter_mut().zip(of_v) {
                *v += d;
            }
            model.coordinates().retract_in_place(q, of_q);
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
