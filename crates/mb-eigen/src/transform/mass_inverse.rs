//! Operators whose largest theta are the largest eigenvalues: the mass matrix inverted on the admissible directions,
//! no shift.
//!
//! ```text
//! symmetric   M x' + Phi_q^T l = K P x,            Phi_q x' = 0:   theta = w = -s^2,  P x: M P x + Phi_q^T l_0 = M x
//! squared     C = 0:  M x' + Phi_q^T l = -K x,     Phi_q x' = 0:   theta = tau = s^2
//! first       M = 0:  C x' + Phi_q^T l = -K x,     Phi_q x' = 0:   theta = tau = s
//! companion   x' = v,  M v' + Phi_q^T l = -(C v + K x),  Phi_q v' = 0:   theta = tau = s
//! ```
//!
//! v is kept in units of gamma as in [`super::shift_invert`]; from T z = theta z, l are the multipliers of z. They fail where
//! the leading matrix is singular on {Phi_q x = 0}: the largest eigenvalues are then infinite. Sizes: z of length n,
//! or 2 n.

use std::sync::Arc;

use faer::{Mat, MatRef};
use mb_algebra::{Dense, DenseC};

use super::factors::{Effort, ShiftSolve, by_parts};
use super::shift_invert::Form;
use super::shift_invert_symmetric::Known;
use crate::EigenError;
use crate::krylov::{Operator, SecondOrder, SymmetricOperator};
use crate::problem::Problem;

/// P M^-1 K P for symmetric problems, P onto {Phi_q x = 0}, known modes taken out; symmetric in the inner product of M.
pub(crate) struct ForwardSymmetric<'a> {
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) solver: &'a dyn ShiftSolve<f64>,
    pub(crate) known: &'a Known,
}

impl SymmetricOperator for ForwardSymmetric<'_> {
    fn size(&self) -> usize {
        self.problem.n
    }

    fn apply(&self, v: MatRef<'_, f64>, mv: MatRef<'_, f64>) -> Result<Dense, EigenError> {
        // Without P on the right, T would be symmetric on {Phi_q x = 0} alone, and rounding leads out of it.
        let inside = if self.problem.rows.rank == 0 {
            v.to_owned()
        } else {
            self.solver.solve(&mv.to_owned(), false, Effort::Krylov)?.x
        };
        let mut x = self.solver.solve(&self.problem.k.mul(&inside), false, Effort::Krylov)?.x;
        self.known.project(&mut x);
        Ok(x)
    }

    fn metric(&self, v: &Dense) -> Dense {
        self.problem.m.mul(v)
    }
}

/// T for problems of any kind, or for their transpose.
pub(crate) struct Forward<'a> {
    /// The problem, transposed where `transposed`.
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) form: Form,
    pub(crate) gamma: f64,
    /// Factors of the leading matrix with the constraints.
    pub(crate) solver: Arc<dyn ShiftSolve<f64>>,
    /// Whether the solver's matrix is to be transposed.
    pub(crate) transposed: bool,
}

impl Forward<'_> {
    /// Length of the vectors.
    pub(crate) fn length(&self) -> usize {
        if self.form == Form::Companion { 2 * self.problem.n } else { self.problem.n }
    }

    /// T Z and the multipliers of Z.
    fn apply_with(&self, z: &Dense, effort: Effort) -> Result<(Dense, Dense), EigenError> {
        let (n, p) = (self.problem.n, z.ncols());
        if self.form != Form::Companion {
            let mut f = self.problem.k.mul(z);
            negate(&mut f);
            let solution = self.solver.solve(&f, self.transposed, effort)?;
            return Ok((solution.x, solution.l));
        }
        let half = |at: usize| z.as_ref().subrows(at * n, n).to_owned();
        let (x, v) = (half(0), half(1));
        let solution = self.solver.solve(&self.force(&x, &v), self.transposed, effort)?;
        let by = self.gamma.recip();
        let out =
            Mat::from_fn(
                2 * n,
                p,
                |i, j| {
                    if i < n { self.gamma * v[(i, j)] } else { by * solution.x[(i - n, j)] }
                },
            );
        Ok((out, solution.l))
    }

    /// -(C v + K x) of the companion form, v in units of gamma.
    fn force(&self, x: &Dense, v: &Dense) -> Dense {
        let mut f = self.problem.c.mul(v);
        for j in 0..f.ncols() {
            f.col_as_slice_mut(j).iter_mut().for_each(|f| *f *= self.gamma);
        }
        f += self.problem.k.mul(x);
        negate(&mut f);
        f
    }

    /// T Z with multipliers for complex vectors; refined.
    pub(crate) fn apply_refined(&self, z: &DenseC) -> Result<(DenseC, DenseC), EigenError> {
        by_parts(z, |parts| self.apply_with(parts, Effort::Final))
    }
}

impl Operator<f64> for Forward<'_> {
    fn size(&self) -> usize {
        self.length()
    }

    fn apply(&self, v: &Dense) -> Result<Dense, EigenError> {
        Ok(self.apply_with(v, Effort::Krylov)?.0)
    }
}

impl SecondOrder<f64> for Forward<'_> {
    fn direction(&self, x: &Dense, v: &Dense) -> Result<Dense, EigenError> {
        Ok(self.solver.solve(&self.force(x, v), self.transposed, Effort::Krylov)?.x)
    }

    fn halves(&self) -> [[f64; 3]; 2] {
        [[0.0, self.gamma, 0.0], [0.0, 0.0, self.gamma.recip()]]
    }

    fn left_out(&self) -> Option<(MatRef<'_, f64>, MatRef<'_, f64>)> {
        None
    }
}

fn negate(f: &mut Dense) {
    for j in 0..f.ncols() {
        f.col_as_slice_mut(j).iter_mut().for_each(|f| *f = -*f);
    }
}
