//! P A = L U with row exchanges, for dense real and complex matrices.
//!
//! Costs 2/3 n^3 operations, a solve 2 n^2. Golub and Van Loan, Matrix Computations, section 3.4.
//! Fails when a pivot is exactly zero or the elimination overflows; a matrix that is merely close to singular
//! passes, so ask [`Lu::rcond`] when that matters.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{PartialPivLuParams, lu_in_place, lu_in_place_scratch};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_unit_lower_triangular_in_place,
    solve_unit_upper_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Auto, Mat, MatMut, Par, Spec};

use super::entry::Entry;
use super::{check_finite, check_finite_complex, check_square};
use crate::{AlgebraError, Dense, DenseC, c64, condition, interrupt, norms};

/// The factors in one matrix and the row order: row i of P A is row `perm[i]` of A.
#[derive(Clone, Debug)]
struct Factors<T> {
    lu: Mat<T>,
    perm: Vec<usize>,
    perm_inv: Vec<usize>,
}

impl<T: Entry> Factors<T> {
    fn new(a: Mat<T>) -> Self {
        let n = a.nrows();
        interrupt::aside(Self::operations(n), move || {
            Self { lu: a, perm: vec![0; n], perm_inv: vec![0; n] }.eliminated()
        })
    }

    /// The same memory for another matrix; an interrupt leaves no factors.
    fn refactor(&mut self, a: &Mat<T>) {
        let none = Self { lu: Mat::new(), perm: Vec::new(), perm_inv: Vec::new() };
        let mut old = std::mem::replace(self, none);
        old.lu.copy_from(a);
        *self = interrupt::aside(Self::operations(a.nrows()), move || old.eliminated());
    }

    /// Of complex numbers: 8/3 n^3.
    fn operations(n: usize) -> f64 {
        8.0 / 3.0 * interrupt::cube(n)
    }

    /// Replaces the matrix in place of its factors by these.
    fn eliminated(mut self) -> Self {
        let n = self.lu.nrows();
        let params: Spec<PartialPivLuParams, T> = <PartialPivLuParams as Auto<T>>::auto().into();
        let mut buffer = MemBuffer::new(lu_in_place_scratch::<usize, T>(n, n, Par::Seq, params));
        let stack = MemStack::new(&mut buffer);
        lu_in_place(self.lu.as_mut(), &mut self.perm, &mut self.perm_inv, Par::Seq, stack, params);
        self
    }

    fn solve_in_place(&self, x: MatMut<'_, T>) {
        let mut x = x;
        solve_unit_lower_triangular_in_place(self.lu.as_ref(), x.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(self.lu.as_ref(), x.as_mut(), Par::Seq);
    }

    fn solve(&self, b: &[T]) -> Vec<T> {
        assert_eq!(b.len(), self.perm.len(), "Lu: right-hand side of wrong length");
        let mut x: Vec<T> = self.perm.iter().map(|&i| b[i]).collect();
        self.solve_in_place(MatMut::from_column_major_slice_mut(&mut x, b.len(), 1));
        x
    }

    fn solve_transpose(&self, b: &[T]) -> Vec<T> {
        assert_eq!(b.len(), self.perm.len(), "Lu: right-hand side of wrong length");
        let mut x = b.to_vec();
        let mut view = MatMut::from_column_major_slice_mut(&mut x, b.len(), 1);
        solve_lower_triangular_in_place(self.lu.transpose(), view.as_mut(), Par::Seq);
        solve_unit_upper_triangular_in_place(self.lu.transpose(), view.as_mut(), Par::Seq);
        self.perm_inv.iter().map(|&i| x[i]).collect()
    }

    fn solve_mat(&self, b: &Mat<T>) -> Mat<T> {
        assert_eq!(b.nrows(), self.perm.len(), "Lu: right-hand side of wrong length");
        let mut x = Mat::from_fn(b.nrows(), b.ncols(), |i, j| b[(self.perm[i], j)]);
        self.solve_in_place(x.as_mut());
        x
    }

    /// Column and magnitude of the first pivot that is zero or not finite.
    fn bad_pivot(&self) -> Option<AlgebraError> {
        (0..self.perm.len()).find_map(|index| {
            let pivot = self.lu[(index, index)].magnitude();
            (pivot == 0.0 || !pivot.is_finite()).then_some(AlgebraError::Singular { index, pivot })
        })
    }
}

/// LU factors of a dense real matrix.
#[derive(Clone, Debug)]
pub struct Lu {
    factors: Factors<f64>,
    norm_one: f64,
}

impl Lu {
    /// Factors an n x n matrix.
    ///
    /// Errors: not square, entries that are not finite, [`AlgebraError::Singular`] for a zero pivot.
    pub fn new(a: &Dense) -> Result<Self, AlgebraError> {
        check_square("LU factorization", a.nrows(), a.ncols())?;
        check_finite(a)?;
        Self { factors: Factors::new(a.clone()), norm_one: norms::one(a) }.checked()
    }

    /// Factors another matrix of the same size in the memory of this one.
    ///
    /// After an error the old factors are gone: solve only after a later success.
    pub fn refactor(&mut self, a: &Dense) -> Result<(), AlgebraError> {
        let n = self.size();
        if a.shape() != (n, n) {
            return Err(AlgebraError::ShapeMismatch {
                operation: "LU refactorization",
                expected_rows: n,
                expected_cols: n,
                rows: a.nrows(),
                cols: a.ncols(),
            });
        }
        check_finite(a)?;
        self.factors.refactor(a);
        self.norm_one = norms::one(a);
        self.factors.bad_pivot().map_or(Ok(()), Err)
    }

    fn checked(self) -> Result<Self, AlgebraError> {
        self.factors.bad_pivot().map_or(Ok(self), Err)
    }

    /// Number of rows n.
    pub fn size(&self) -> usize {
        self.factors.perm.len()
    }

    /// x with A x = b; b of length n.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        self.factors.solve(b)
    }

    /// x with A^T x = b; b of length n.
    pub fn solve_transpose(&self, b: &[f64]) -> Vec<f64> {
        self.factors.solve_transpose(b)
    }

    /// X with A X = B; B is n x k.
    pub fn solve_mat(&self, b: &Dense) -> Dense {
        self.factors.solve_mat(b)
    }

    /// Determinant as sign, and natural logarithm of the magnitude.
    pub fn sign_and_log_determinant(&self) -> (f64, f64) {
        let pivots = (0..self.size()).map(|i| self.factors.lu[(i, i)]);
        let sign = pivots.clone().map(f64::signum).product::<f64>() * permutation_sign(&self.factors.perm);
        (sign, pivots.map(|p| p.abs().ln()).sum())
    }

    /// Largest column sum of the factored matrix.
    pub fn norm_one(&self) -> f64 {
        self.norm_one
    }

    /// Smallest and largest magnitude among the pivots; (1, 1) when there are none.
    ///
    /// A cheap first look at the condition: a tiny ratio is a sure sign of near singularity, a
    /// moderate one no proof of the contrary (see [`Lu::rcond`]).
    pub fn pivot_range(&self) -> (f64, f64) {
        let pivots = (0..self.size()).map(|i| self.factors.lu[(i, i)].abs());
        pivots
            .fold(None, |range: Option<(f64, f64)>, x| {
                Some(range.map_or((x, x), |(low, high)| (low.min(x), high.max(x))))
            })
            .unwrap_or((1.0, 1.0))
    }

    /// Estimate of the reciprocal condition number in the 1-norm, near 1 for a good matrix and near 1e-16 for
    /// one that is singular to working precision; see [`condition::reciprocal_one`].
    pub fn rcond(&self) -> f64 {
        condition::reciprocal(self.size(), self.norm_one, |b| self.solve(b), |b| self.solve_transpose(b))
    }
}

/// LU factors of a dense complex matrix.
#[derive(Clone, Debug)]
pub struct LuComplex {
    factors: Factors<c64>,
    norm_one: f64,
}

impl LuComplex {
    /// Factors an n x n matrix. Errors as [`Lu::new`].
    pub fn new(a: &DenseC) -> Result<Self, AlgebraError> {
        check_square("LU factorization", a.nrows(), a.ncols())?;
        check_finite_complex(a)?;
        let lu = Self { factors: Factors::new(a.clone()), norm_one: norms::one(a) };
        lu.factors.bad_pivot().map_or(Ok(lu), Err)
    }

    /// Number of rows n.
    pub fn size(&self) -> usize {
        self.factors.perm.len()
    }

    /// x with A x = b; b of length n.
    pub fn solve(&self, b: &[c64]) -> Vec<c64> {
        self.factors.solve(b)
    }

    /// x with A^T x = b (transposed, not conjugated); b of length n.
    pub fn solve_transpose(&self, b: &[c64]) -> Vec<c64> {
        self.factors.solve_transpose(b)
    }

    /// X with A X = B; B is n x k.
    pub fn solve_mat(&self, b: &DenseC) -> DenseC {
        self.factors.solve_mat(b)
    }

    /// X with A^T X = B (transposed, not conjugated); B is n x k.
    pub fn solve_transpose_mat(&self, b: &DenseC) -> DenseC {
        let columns: Vec<Vec<c64>> =
            (0..b.ncols()).map(|j| self.solve_transpose(b.col_as_slice(j))).collect();
        DenseC::from_fn(b.nrows(), b.ncols(), |i, j| columns[j][i])
    }

    /// Natural logarithm of the determinant, its imaginary part up to multiples of 2 pi.
    pub fn ln_determinant(&self) -> c64 {
        let pivots: c64 = (0..self.size()).map(|i| self.factors.lu[(i, i)].ln()).sum();
        let turn = if permutation_sign(&self.factors.perm) < 0.0 { std::f64::consts::PI } else { 0.0 };
        pivots + c64::new(0.0, turn)
    }

    /// Largest column sum of the factored matrix.
    pub fn norm_one(&self) -> f64 {
        self.norm_one
    }

    /// Estimate of the reciprocal condition number in the 1-norm, near 1 for a good matrix and near 1e-16 for
    /// one that is singular to working precision; see [`condition::reciprocal_one`].
    pub fn rcond(&self) -> f64 {
        condition::reciprocal(self.size(), self.norm_one, |b| self.solve(b), |b| self.solve_transpose(b))
    }
}

fn permutation_sign(perm: &[usize]) -> f64 {
    let mut seen = vec![false; perm.len()];
    let mut sign = 1.0;
    for start in 0..perm.len() {
        let (mut at, mut length) = (start, 0);
        while !seen[at] {
            seen[at] = true;
            at = perm[at];
            length += 1;
        }
        if length > 0 && length % 2 == 0 {
            sign = -sign;
        }
    }
    sign
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense;

    #[test]
    fn solves_need_row_exchanges() {
        let a = dense::from_rows(&[&[0.0, 2.0, 1.0], &[1.0, 0.0, 0.0], &[3.0, 0.0, 1.0]]);
        let lu = Lu::new(&a).unwrap();
        let x = [1.0, -2.0, 3.0];
        for (got, b) in
            [(lu.solve(&dense::matvec(&a, &x)), x), (lu.solve_transpose(&dense::matvec_transpose(&a, &x)), x)]
        {
            assert!(got.iter().zip(b).all(|(g, b)| (g - b).abs() < 1e-14), "{got:?}");
        }
        let inverse = lu.solve_mat(&dense::identity(3));
        let residual = dense::add(1.0, &dense::mul(&a, &inverse), -1.0, &dense::identity(3));
        assert!(norms::max_abs(&residual) < 1e-15);
        let (sign, log) = lu.sign_and_log_determinant();
        assert!(sign < 0.0 && (log - 2_f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn complex_solves_both_ways() {
        let a = DenseC::from_fn(3, 3, |i, j| {
            c64::new((i * j * j) as f64 + 1.0, (i + 2 * j) as f64 - (i * i) as f64)
        });
        let x = [c64::new(1.0, 2.0), c64::new(0.0, -1.0), c64::new(3.0, 0.0)];
        let lu = LuComplex::new(&a).unwrap();
        let column: DenseC = DenseC::from_fn(3, 1, |i, _| x[i]);
        let b = dense::mul_complex(&a, &column);
        let bt = dense::mul_complex(&a.transpose().to_owned(), &column);
        for got in [lu.solve(b.col_as_slice(0)), lu.solve_transpose(bt.col_as_slice(0))] {
            assert!(got.iter().zip(x).all(|(g, x)| (g - x).norm() < 1e-13), "{got:?}");
        }
    }

    #[test]
    fn a_zero_pivot_is_named() {
        let a = dense::from_rows(&[&[1.0, 2.0], &[2.0, 4.0]]);
        assert_eq!(Lu::new(&a).unwrap_err(), AlgebraError::Singular { index: 1, pivot: 0.0 });
        let mut a = dense::identity(3);
        a[(2, 1)] = f64::NAN;
        assert_eq!(Lu::new(&a).unwrap_err(), AlgebraError::NonFinite { row: 2, col: 1 });
        assert!(matches!(
            Lu::new(&dense::zeros(2, 3)),
            Err(AlgebraError::NotSquare { rows: 2, cols: 3, .. })
        ));
    }

    #[test]
    fn factors_are_replaced_in_place() {
        let mut lu = Lu::new(&dense::identity(2)).unwrap();
        lu.refactor(&dense::diagonal(&[2.0, 4.0])).unwrap();
        assert_eq!(lu.solve(&[2.0, 2.0]), [1.0, 0.5]);
        assert!(matches!(lu.refactor(&dense::identity(3)), Err(AlgebraError::ShapeMismatch { .. })));
        assert!(lu.refactor(&dense::zeros(2, 2)).is_err());
    }

    #[test]
    fn the_empty_matrix_has_factors() {
        assert_eq!(Lu::new(&dense::zeros(0, 0)).unwrap().solve(&[]), [0.0; 0]);
    }
}
