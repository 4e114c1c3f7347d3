//! A = L L^T of a dense symmetric positive definite matrix.
//!
//! Costs 1/3 n^3 operations. Golub and Van Loan, Matrix Computations, section 4.2. Fails when a pivot is not
//! positive, that is when A is not positive definite to working precision.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltError, LltParams, LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Auto, MatMut, Par, Spec};

use super::{check_finite, check_square, check_symmetric};
use crate::{AlgebraError, Dense, condition, dense, interrupt, norms};

/// The Cholesky factor of a dense matrix.
#[derive(Clone, Debug)]
pub struct Cholesky {
    l: Dense,
    norm_one: f64,
}

impl Cholesky {
    /// Factors an n x n matrix; an asymmetry up to 1e-8 of the largest entry is averaged away.
    ///
    /// Errors: not square, not finite, not symmetric, [`AlgebraError::NotPositiveDefinite`].
    pub fn new(a: &Dense) -> Result<Self, AlgebraError> {
        let n = check_square("Cholesky factorization", a.nrows(), a.ncols())?;
        check_finite(a)?;
        check_symmetric(a)?;
        let mut l = dense::symmetric_part(a);
        let (mut l, outcome) = interrupt::aside(interrupt::cube(n) / 3.0, move || {
            let params: Spec<LltParams, f64> = <LltParams as Auto<f64>>::auto().into();
            let mut buffer = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, params));
            let stack = MemStack::new(&mut buffer);
            let outcome =
                cholesky_in_place(l.as_mut(), LltRegularization::default(), Par::Seq, stack, params);
            (l, outcome)
        });
        let failed = match outcome {
            Err(LltError::NonPositivePivot { index }) => Some(index),
            Ok(_) => (0..n).find(|&i| !(l[(i, i)].is_finite() && l[(i, i)] > 0.0)),
        };
        if let Some(index) = failed {
            return Err(AlgebraError::NotPositiveDefinite { index, pivot: pivot(a, index) });
        }
        for j in 0..n {
            l.col_as_slice_mut(j)[..j].fill(0.0);
        }
        Ok(Self { l, norm_one: norms::one(a) })
    }

    /// Number of rows n.
    pub fn size(&self) -> usize {
        self.l.nrows()
    }

    /// The lower triangular factor L, n x n.
    pub fn l(&self) -> &Dense {
        &self.l
    }

    /// x with A x = b; b of length n.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        assert_eq!(b.len(), self.size(), "Cholesky: right-hand side of wrong length");
        let mut x = b.to_vec();
        self.solve_in_place(MatMut::from_column_major_slice_mut(&mut x, b.len(), 1));
        x
    }

    /// X with A X = B; B is n x k.
    pub fn solve_mat(&self, b: &Dense) -> Dense {
        assert_eq!(b.nrows(), self.size(), "Cholesky: right-hand side of wrong length");
        let mut x = b.clone();
        self.solve_in_place(x.as_mut());
        x
    }

    /// L^-1 B; B is n x k.
    pub fn solve_lower(&self, b: &Dense) -> Dense {
        let mut x = b.clone();
        solve_lower_triangular_in_place(self.l.as_ref(), x.as_mut(), Par::Seq);
        x
    }

    /// L^-T B; B is n x k.
    pub fn solve_lower_transpose(&self, b: &Dense) -> Dense {
        let mut x = b.clone();
        solve_upper_triangular_in_place(self.l.transpose(), x.as_mut(), Par::Seq);
        x
    }

    /// Natural logarithm of the determinant of A.
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.size()).map(|i| self.l[(i, i)].ln()).sum::<f64>()
    }

    /// Estimate of the reciprocal condition number in the 1-norm; see [`condition::reciprocal_one`].
    pub fn rcond(&self) -> f64 {
        condition::reciprocal_one(self.size(), self.norm_one, |b| self.solve(b), |b| self.solve(b))
    }

    fn solve_in_place(&self, mut x: MatMut<'_, f64>) {
        solve_lower_triangular_in_place(self.l.as_ref(), x.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(self.l.transpose(), x.as_mut(), Par::Seq);
    }
}

/// The pivot of row `index`: plain elimination again, for the error report only.
fn pivot(a: &Dense, index: usize) -> f64 {
    let mut l = dense::symmetric_part(a);
    for j in 0..index {
        for i in j + 1..=index {
            let factor = l[(i, j)] / l[(j, j)];
            for k in j + 1..=i {
                l[(i, k)] -= factor * l[(k, j)];
            }
        }
    }
    l[(index, index)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factor_and_solve() {
        let a = dense::from_rows(&[&[4.0, 2.0, 0.0], &[2.0, 5.0, 3.0], &[0.0, 3.0, 6.0]]);
        let chol = Cholesky::new(&a).unwrap();
        let back = dense::mul(chol.l(), &dense::transpose(chol.l()));
        assert!(norms::max_abs(&dense::add(1.0, &back, -1.0, &a)) < 1e-15);
        let x = chol.solve(&dense::matvec(&a, &[1.0, 2.0, 3.0]));
        assert!(x.iter().zip([1.0, 2.0, 3.0]).all(|(x, e)| (x - e).abs() < 1e-14));
        let two_steps = chol.solve_lower_transpose(&chol.solve_lower(&dense::identity(3)));
        assert!(
            norms::max_abs(&dense::add(1.0, &two_steps, -1.0, &chol.solve_mat(&dense::identity(3)))) < 1e-15
        );
        assert!((chol.log_determinant() - 60_f64.ln()).abs() < 1e-14);
    }

    #[test]
    fn an_indefinite_matrix_is_refused_with_its_pivot() {
        let a = dense::from_rows(&[&[4.0, 2.0, 0.0], &[2.0, 1.0, 3.0], &[0.0, 3.0, 6.0]]);
        assert_eq!(
            Cholesky::new(&a).unwrap_err(),
            AlgebraError::NotPositiveDefinite { index: 1, pivot: 0.0 }
        );
        let a = dense::diagonal(&[1.0, 2.0, -3.0]);
        assert_eq!(
            Cholesky::new(&a).unwrap_err(),
            AlgebraError::NotPositiveDefinite { index: 2, pivot: -3.0 }
        );
    }

    #[test]
    fn an_unsymmetric_matrix_is_refused() {
        let a = dense::from_rows(&[&[4.0, 2.0], &[1.0, 5.0]]);
        let expected = AlgebraError::NotSymmetric { row: 1, col: 0, below: 1.0, above: 2.0 };
        assert_eq!(Cholesky::new(&a).unwrap_err(), expected);
    }
}
