//! Shift-invert operators on displacements for symmetric problems, with known modes taken out.
//!
//! ```text
//! T = (K - sigma M)^-1 M on {x: Phi_q x = 0},   T x = x / (w - sigma),   w = -s^2
//! ```
//!
//! The multipliers are eliminated inside the solve, so that the Krylov basis holds displacements only; known modes Z
//! (M-orthonormal) are removed by T - Z Z^T M T. Sizes: vectors of length n.

use faer::{MatMut, MatRef};
use mb_algebra::Dense;

use super::factors::{Effort, ShiftSolve};
use crate::EigenError;
use crate::krylov::SymmetricOperator;
use crate::krylov::scalar::{Scalar, hstack};
use crate::problem::Problem;

/// Modes known so far, M-orthonormal.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) x: Dense,
    /// M X.
    mx: Dense,
}

impl Known {
    /// None, for vectors of length n.
    pub(crate) fn none(n: usize) -> Self {
        Self { x: Dense::zeros(n, 0), mx: Dense::zeros(n, 0) }
    }

    /// M-orthonormal columns.
    pub(crate) fn of(problem: &Problem, x: &Dense) -> Self {
        Self { x: x.clone(), mx: problem.m.mul(x) }
    }

    /// Adds M-orthonormal columns that are M-orthogonal to those present.
    pub(crate) fn add(&mut self, problem: &Problem, x: &Dense) {
        self.x = hstack(self.x.as_ref(), x.as_ref());
        self.mx = hstack(self.mx.as_ref(), problem.m.mul(x).as_ref());
    }

    /// W - X X^T M W.
    pub(crate) fn project(&self, w: &mut Dense) {
        self.project_from(w.as_mut());
    }

    fn project_from(&self, w: MatMut<'_, f64>) {
        if self.x.ncols() > 0 {
            let c = f64::adjoint_product(self.mx.as_ref(), w.as_ref());
            f64::gemm(w, true, self.x.as_ref(), c.as_ref(), -1.0);
        }
    }
}

/// The operator T at one shift.
pub(crate) struct ShiftInvert<'a> {
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) solver: &'a dyn ShiftSolve<f64>,
    pub(crate) known: &'a Known,
}

impl SymmetricOperator for ShiftInvert<'_> {
    fn size(&self) -> usize {
        self.problem.n
    }

    fn apply(&self, _v: MatRef<'_, f64>, mv: MatRef<'_, f64>) -> Result<Dense, EigenError> {
        let mut x = self.solver.solve(&mv.to_owned(), false, Effort::Krylov)?.x;
        self.known.project(&mut x);
        Ok(x)
    }

    fn metric(&self, v: &Dense) -> Dense {
        self.problem.m.mul(v)
    }

    fn apply_into(
        &self,
        _v: MatRef<'_, f64>,
        mv: MatRef<'_, f64>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), EigenError> {
        self.solver.displacements(mv, out.as_mut())?;
        self.known.project_from(out);
        Ok(())
    }

    fn metric_into(&self, v: MatRef<'_, f64>, out: &mut Dense) {
        self.problem.m.mul_into(v, out.as_mut());
    }
}
