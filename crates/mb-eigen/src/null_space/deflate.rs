//! Zeros of problems of any kind, found first and taken out of the operator.
//!
//! At a small real shift a the null directions of K with their chains show ([`super::general`], [`super::chains`]); they span the operator's
//! invariant subspace Z, and with the dual basis V of the transposed problem the projector I - Z (V^T Z)^-1 V^T takes them out:
//!
//! ```text
//! companion form   Z: (x, 0) for every zero, (x_1, x) for a chain
//!                  V: (C^T y, M^T y),        (M^T y + C^T y_1, M^T y_1)
//! ```
//!
//! Without projectors, where chains are longer than two, or of two in a problem without mass, the search goes on with the zeros in it. Sizes: z of length n or 2 n.

use mb_algebra::{Dense, c64, to_dense};

use super::chains::{self, ZeroEigenvalues};
use super::general::{self, NullSpace};
use crate::krylov::scalar::hstack;
use crate::problem::Problem;
use crate::search::non_hermitian::{General, Shifted};
use crate::transform::factors::{Effort, ShiftSolve, Solution, Work};
use crate::transform::shift_invert::{Form, Projector, Solver};
use crate::{EigenError, Finding, tuning};

/// How far it goes out, in the same unit, while the matrix is singular to rounding there; and in which steps.
const FURTHER: f64 = 30.0;

/// Zeros known, with the projectors that take them out of the problem and of its transpose; those are absent when
/// chains are too long.
#[derive(Clone, Debug)]
pub(crate) struct Zeros {
    pub(crate) own: ZeroEigenvalues,
    /// The same of the transposed problem.
    pub(crate) mirrored: ZeroEigenvalues,
    pub(crate) projectors: Option<[Projector; 2]>,
}

impl General<'_> {
    /// Finds the zeros; returns factors at a small real shift that suits the lowest eigenvalues.
    pub(crate) fn start(&mut self) -> Result<Shifted, EigenError> {
        let mut first = tuning::FIRST_SHIFT.sqrt() * self.gamma;
        let (mut a, mut moves, mut before) = (first, 0, None);
        loop {
            let shifted = match self.factor(self.form.tau(c64::new(a, 0.0))) {
                // Nearer to zero than the matrix can be distinguished from a singular one.
                Err(EigenError::NoRegularShift { .. }) if a < first => {
                    // Times the automatic shift may move.
                    (a, moves) = (first, tuning::ATTEMPTS);
                    continue;
                }
                // Where eigenvalues and units differ by many powers of ten the first shift may be as near.
                // How far it goes out, in the same unit, while the matrix is singular to rounding there; and in which steps.
                Err(EigenError::NoRegularShift { .. }) if first < (1.0 / tuning::MINOR) * self.gamma => {
                    first *= FURTHER;
                    (a, moves) = (first, tuning::ATTEMPTS);
                    continue;
                }
                other => other?,
            };
            let Solver::Real(solver) = shifted.solver.clone() else { return Ok(shifted) };
            let a_used = if self.form == Form::Squared { shifted.tau.re.sqrt() } else { shifted.tau.re };
            let tolerance = 10.0 * self.options.expert.zero_tolerance;
            let right = general::find(self.problem, solver.as_ref(), a_used, false, tolerance)?;
            if right.doubtful && self.form == Form::First && a < tuning::BEFORE_SOFTEST * self.gamma {
                first = tuning::BEFORE_SOFTEST * self.gamma;
                (a, moves) = (first, tuning::ATTEMPTS);
                continue;
            }
            // |N x - x| near one: the lowest eigenvalue is far above the shift.
            let far = right.next.is_none_or(|kappa| kappa >= 0.5);
            if !far && moves < tuning::ATTEMPTS {
                let next = right.next.unwrap_or(1.0);
                // Nearest automatic shift in the same unit: below this, rounding of K outweighs what the shift adds to it.
                let nearer = (a * tuning::CLEAR * next.sqrt().clamp(tuning::SLIGHT, 1.0))
                    .max(tuning::NEAREST_SHIFT.sqrt() * self.gamma);
                // What a move by a tenth or more must gain: |N x - x| grows as the shift falls, but for directions that merely lie close
                // to null directions, as those of unsymmetric problems may.
                let gained = before.is_none_or(|before| next > (1.0 / tuning::CLEAR) * before);
                if gained && nearer < 0.5 * a {
                    (a, moves, before) = (nearer, moves + 1, Some(next));
                    continue;
                }
                if !gained {
                    // Nothing came nearer: the first shift is the better conditioned one.
                    (a, moves) = (first, tuning::ATTEMPTS);
                    continue;
                }
            }
            // Null vectors of a symmetric K are the same from both sides, and forms of them lose the rounding that they share: that of a
            // turning beam moves x by 1e-9 of a null vector, and x^T C x stays zero for a skew-symmetric C.
            let left = match &self.transposed {
                Some(transposed) if !self.problem.k.symmetric => {
                    general::find(transposed, solver.as_ref(), a_used, true, tolerance)?
                }
                _ => right.clone(),
            };
            if left.doubtful && self.form == Form::First && a < tuning::BEFORE_SOFTEST * self.gamma {
                first = tuning::BEFORE_SOFTEST * self.gamma;
                (a, moves) = (first, tuning::ATTEMPTS);
                continue;
            }
            let told = self.findings.len();
            self.set_zeros(solver.as_ref(), a_used, &right, &left)?;
            if self.is_chained() && a < tuning::BEFORE_SOFTEST * self.gamma {
                self.zeros = None;
                self.findings.truncate(told);
                first = tuning::BEFORE_SOFTEST * self.gamma;
                (a, moves) = (first, tuning::ATTEMPTS);
                continue;
            }
            return Ok(shifted);
        }
    }

    /// Whether zeros of a problem without mass have chains.
    fn is_chained(&self) -> bool {
        let chained = |zeros: &Zeros| zeros.projectors.is_none() || zeros.own.double[0].x.ncols() > 0;
        self.form == Form::First && self.zeros.as_ref().is_some_and(chained)
    }

    /// Takes directions that are known for the zeros where they are as many modes as are asked for, of a symmetric problem with masses and
    /// dampers: nothing is lower, and nothing has to be searched for.
    pub(crate) fn knows_lowest(&mut self, count: usize) -> Result<bool, EigenError> {
        let enough = self.problem.still.as_ref().filter(|still| still.cols() >= count);
        let Some(still) = enough.filter(|_| self.transposed.is_none() && self.form == Form::Companion) else {
            return Ok(false);
        };
        // One more than are asked for shows that there are others.
        let first = still.slice_outer(0..still.cols().min(count + 1)).to_owned();
        let Some(own) = chains::split_known(self.problem, &to_dense(&first))? else { return Ok(false) };
        let zeros = own.simple[0].x.ncols() + own.double[0].x.ncols();
        let Some(projector) = Projector::new(self.invariant(&own), &self.dual(&own, self.problem)) else {
            return Ok(false);
        };
        if zeros >= count {
            let projectors = Some([projector.clone(), projector]);
            self.zeros = Some(Zeros { mirrored: own.clone(), own, projectors });
        }
        Ok(zeros >= count)
    }

    fn set_zeros(
        &mut self,
        solver: &dyn ShiftSolve<f64>,
        a: f64,
        right: &NullSpace,
        left: &NullSpace,
    ) -> Result<(), EigenError> {
        if right.x.ncols() == 0 {
            return Ok(());
        }
        let unsymmetric = self.transposed.as_ref().filter(|_| !self.problem.k.symmetric);
        let moved_by = match unsymmetric {
            None => None,
            Some(transposed) => Some([
                chains::first_order(self.problem, solver, a, [right, left])?,
                chains::first_order(transposed, &Turned(solver), a, [left, right])?,
            ]),
        };
        let by = moved_by.as_ref().map(|[w, z]| [w, z]);
        let own = chains::split(self.problem, solver, a, [right, left], by)?;
        let mirrored = match &self.transposed {
            None => own.clone(),
            Some(transposed) => {
                chains::split(transposed, &Turned(solver), a, [left, right], by.map(|[w, z]| [z, w]))?
            }
        };
        let transposed = self.transposed.as_ref().unwrap_or(self.problem);
        let (z, v) = (self.invariant(&own), self.dual(&mirrored, transposed));
        let (mirrored_z, mirrored_v) = (self.invariant(&mirrored), self.dual(&own, self.problem));
        let projectors = match (Projector::new(z, &v), Projector::new(mirrored_z, &mirrored_v)) {
            (Some(right), Some(left)) if own.regular => Some([right, left]),
            _ => {
                self.findings.push(Finding::LongChain { at_infinity: false });
                None
            }
        };
        self.zeros = Some(Zeros { own, mirrored, projectors });
        Ok(())
    }

    /// Basis of the operator's invariant subspace that belongs to zeros: (x, 0), and (x_1, x) for chains.
    fn invariant(&self, own: &ZeroEigenvalues) -> Dense {
        let both = hstack(own.simple[0].x.as_ref(), own.double[0].x.as_ref());
        match self.form {
            Form::Squared => return both,
            Form::First => return hstack(both.as_ref(), own.generalized.as_ref()),
            Form::Companion => {}
        }
        let zero = Dense::zeros(both.nrows(), both.ncols());
        let chain = stack(&own.generalized, &own.double[0].x, self.gamma.recip());
        hstack(stack(&both, &zero, 1.0).as_ref(), chain.as_ref())
    }

    /// B^T W for the left vectors y of a problem, given as right vectors of its transpose: W = (C^T y, y), and
    /// (M^T y + C^T y_1, y_1) for chains.
    fn dual(&self, own: &ZeroEigenvalues, transposed: &Problem) -> Dense {
        let both = hstack(own.simple[0].x.as_ref(), own.double[0].x.as_ref());
        match self.form {
            Form::Squared => transposed.m.mul(&both),
            // C^T y of a chain is nothing to x, and meets its x_1.
            Form::First => transposed.c.mul(&hstack(both.as_ref(), own.generalized.as_ref())),
            Form::Companion => {
                let first = stack(&transposed.c.mul(&both), &transposed.m.mul(&both), self.gamma);
                let (y, y_1) = (&own.double[0].x, &own.generalized);
                let top = mb_algebra::dense::add(1.0, &transposed.m.mul(y), 1.0, &transposed.c.mul(y_1));
                hstack(first.as_ref(), stack(&top, &transposed.m.mul(y_1), self.gamma).as_ref())
            }
        }
    }
}

/// [top; by bottom].
pub(crate) fn stack(top: &Dense, bottom: &Dense, by: f64) -> Dense {
    let n = top.nrows();
    Dense::from_fn(2 * n, top.ncols(), |i, j| if i < n { top[(i, j)] } else { by * bottom[(i - n, j)] })
}

/// A solver whose transposed system counts as the system.
struct Turned<'a>(&'a dyn ShiftSolve<f64>);

impl ShiftSolve<f64> for Turned<'_> {
    fn solve(&self, f: &Dense, transposed: bool, effort: Effort) -> Result<Solution<f64>, EigenError> {
        self.0.solve(f, !transposed, effort)
    }

    fn negative(&self) -> Option<usize> {
        self.0.negative()
    }

    fn work(&self) -> Work {
        self.0.work()
    }
}
