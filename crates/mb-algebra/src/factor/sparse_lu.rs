//! P A Q = L U of a sparse matrix: rows exchanged for stability, columns ordered for little fill (COLAMD).
//!
//! Davis, Direct Methods for Sparse Linear Systems, chapters 6 and 7. The order of the columns and the
//! structure depend on the pattern only and are kept for further matrices of the same pattern, those of the last few patterns for all
//! callers (module `recent`).
//! Every factorization is tried on a known solution: the library passes zero pivots in silence.
//!
//! The robust choice for unsymmetric and for complex symmetric matrices. For solids the fill is many times
//! that of a symmetric factorization.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::lu::partial_pivoting::factor::PartialPivLuParams;
use faer::sparse::linalg::LuError;
use faer::sparse::linalg::lu::{
    LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu, simplicial,
};
use faer::{Auto, Conj, Mat, MatMut, Par, Spec};
use sprs::CsMat;
use std::sync::Arc;

use super::entry::Entry;
use super::recent::Recent;
use super::{backward_error, check_square, first_non_finite, same_pattern};
use crate::convert::{csc, with_faer};
use crate::{AlgebraError, Dense, DenseC, Sparse, SparseC, c64, condition};

/// The last patterns, for real and complex matrices.
static PATTERNS: Recent<SymbolicLu<usize>> = Recent::new();

/// The factors for either kind of number, with the matrix itself for residuals.
#[derive(Clone, Debug)]
struct Factors<T> {
    a: CsMat<T>,
    symbolic: Arc<SymbolicLu<usize>>,
    numeric: NumericLu<usize, T>,
}

impl<T: Entry> Factors<T> {
    fn new(a: &CsMat<T>) -> Result<Self, AlgebraError> {
        let n = check_square("Sparse LU factorization", a.rows(), a.cols())?;
        let a = csc(a).into_owned();
        let analyse =
            || with_faer(&a, |view| factorize_symbolic_lu(view.symbolic(), LuSymbolicParams::default()));
        let symbolic = PATTERNS.of(&a, analyse).map_err(|_| AlgebraError::OutOfMemory { size: n })?;
        let mut factors = Self { a, symbolic, numeric: NumericLu::new() };
        factors.factor()?;
        Ok(factors)
    }

    fn refactor(&mut self, a: &CsMat<T>) -> Result<(), AlgebraError> {
        let a = csc(a);
        same_pattern(&self.a, &a)?;
        self.a = a.into_owned();
        self.factor()
    }

    fn size(&self) -> usize {
        self.a.rows()
    }

    fn factor(&mut self) -> Result<(), AlgebraError> {
        first_non_finite(&self.a)?;
        let n = self.size();
        if n == 0 {
            return Ok(());
        }
        let params: Spec<PartialPivLuParams, T> = <PartialPivLuParams as Auto<T>>::auto().into();
        let mut buffer = buffer(n, self.symbolic.factorize_numeric_lu_scratch::<T>(Par::Seq, params))?;
        let stack = MemStack::new(&mut buffer);
        let (symbolic, numeric) = (&self.symbolic, &mut self.numeric);
        let outcome = with_faer(&self.a, |view| {
            symbolic.factorize_numeric_lu(numeric, view, Par::Seq, stack, params).map(|_| ())
        });
        match outcome {
            Ok(()) => {}
            Err(LuError::SymbolicSingular { .. }) => return Err(self.singular()),
            Err(LuError::Generic(_)) => return Err(AlgebraError::OutOfMemory { size: n }),
        }
        let mut trial = vec![T::default(); n];
        for (&value, (row, _)) in &self.a {
            trial[row] += value;
        }
        let trial = self.solve(&trial);
        if trial.iter().all(|x| x.magnitude().is_finite()) { Ok(()) } else { Err(self.singular()) }
    }

    /// The first bad pivot, from a plain elimination column by column; runs after a failure only.
    fn singular(&self) -> AlgebraError {
        self.find_bad_pivot().unwrap_or_else(|error| error)
    }

    fn find_bad_pivot(&self) -> Result<AlgebraError, AlgebraError> {
        let n = self.size();
        let order = self.symbolic.col_perm();
        let columns = order.arrays().0;
        let (mut rows, mut rows_inverse) = (vec![0; n], vec![0; n]);
        let mut lu = simplicial::SimplicialLu::<usize, T>::new();
        let mut buffer = buffer(n, simplicial::factorize_simplicial_numeric_lu_scratch::<usize, T>(n, n))?;
        let stack = MemStack::new(&mut buffer);
        let outcome = with_faer(&self.a, |view| {
            simplicial::factorize_simplicial_numeric_lu(
                &mut rows,
                &mut rows_inverse,
                &mut lu,
                view,
                order,
                stack,
            )
        });
        match outcome {
            Ok(()) => {}
            Err(LuError::SymbolicSingular { index }) => {
                return Ok(AlgebraError::Singular { index: columns[index], pivot: 0.0 });
            }
            Err(LuError::Generic(_)) => return Err(AlgebraError::OutOfMemory { size: n }),
        }
        let u = lu.u_factor_unsorted();
        for (step, &index) in columns.iter().enumerate() {
            // The pivot is stored last in its column.
            let pivot = u.val_of_col(step).last().map_or(0.0, |p| p.magnitude());
            if pivot == 0.0 || !pivot.is_finite() {
                return Ok(AlgebraError::Singular { index, pivot });
            }
        }
        Ok(AlgebraError::NonFiniteResult { algorithm: "Sparse LU factorization", size: n })
    }

    fn solve(&self, b: &[T]) -> Vec<T> {
        assert_eq!(b.len(), self.size(), "SparseLu: right-hand side of wrong length");
        let mut x = b.to_vec();
        self.solve_in_place(MatMut::from_column_major_slice_mut(&mut x, b.len(), 1));
        x
    }

    fn solve_transpose(&self, b: &[T]) -> Vec<T> {
        assert_eq!(b.len(), self.size(), "SparseLu: right-hand side of wrong length");
        let mut x = b.to_vec();
        if !x.is_empty() {
            let scratch = self.symbolic.solve_transpose_in_place_scratch::<T>(1, Par::Seq);
            let view = MatMut::from_column_major_slice_mut(&mut x, b.len(), 1);
            let mut buffer = MemBuffer::new(scratch);
            let factors = LuRef::new_unchecked(&self.symbolic, &self.numeric);
            factors.solve_transpose_in_place_with_conj(Conj::No, view, Par::Seq, MemStack::new(&mut buffer));
        }
        x
    }

    fn solve_mat(&self, b: &Mat<T>) -> Mat<T> {
        assert_eq!(b.nrows(), self.size(), "SparseLu: right-hand side of wrong length");
        let mut x = b.clone();
        self.solve_in_place(x.as_mut());
        x
    }

    fn solve_in_place(&self, x: MatMut<'_, T>) {
        if x.nrows() == 0 || x.ncols() == 0 {
            return;
        }
        let scratch = self.symbolic.solve_in_place_scratch::<T>(x.ncols(), Par::Seq);
        let mut buffer = MemBuffer::new(scratch);
        let factors = LuRef::new_unchecked(&self.symbolic, &self.numeric);
        factors.solve_in_place_with_conj(Conj::No, x, Par::Seq, MemStack::new(&mut buffer));
    }

    fn solve_checked(&self, b: &[T], tolerance: f64) -> Result<Vec<T>, AlgebraError> {
        backward_error::solve_refined(&self.a, b, tolerance, |b| self.solve(b))
    }

    fn rcond(&self) -> f64 {
        let mut sums = vec![0.0; self.size()];
        for (value, (_, col)) in &self.a {
            sums[col] += value.magnitude();
        }
        let norm = sums.into_iter().fold(0.0, f64::max);
        condition::reciprocal(self.size(), norm, |b| self.solve(b), |b| self.solve_transpose(b))
    }
}

fn buffer(size: usize, scratch: StackReq) -> Result<MemBuffer, AlgebraError> {
    crate::memory::ask(|| MemBuffer::try_new(scratch)).map_err(|_| AlgebraError::OutOfMemory { size })
}

/// LU factors of a sparse real matrix.
#[derive(Clone, Debug)]
pub struct SparseLu {
    factors: Factors<f64>,
}

impl SparseLu {
    /// Analyses and factors an n x n matrix.
    ///
    /// Errors: not square, not finite, [`AlgebraError::Singular`], out of memory.
    pub fn new(a: &Sparse) -> Result<Self, AlgebraError> {
        Ok(Self { factors: Factors::new(a)? })
    }

    /// Factors another matrix of the same pattern, without analysing it again.
    ///
    /// After an error the factors are gone: solve only after a later success.
    pub fn refactor(&mut self, a: &Sparse) -> Result<(), AlgebraError> {
        self.factors.refactor(a)
    }

    /// Number of rows n.
    pub fn size(&self) -> usize {
        self.factors.size()
    }

    /// The factored matrix.
    pub fn matrix(&self) -> &Sparse {
        &self.factors.a
    }

    /// x with A x = b, without check or refinement; b of length n.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        self.factors.solve(b)
    }

    /// x with A^T x = b, without check or refinement; b of length n.
    pub fn solve_transpose(&self, b: &[f64]) -> Vec<f64> {
        self.factors.solve_transpose(b)
    }

    /// X with A X = B; B is n x k. Many columns at once cost less than one by one.
    pub fn solve_mat(&self, b: &Dense) -> Dense {
        self.factors.solve_mat(b)
    }

    /// x with A x = b after iterative refinement, one step at least, its backward error checked.
    ///
    /// Error: [`AlgebraError::ResidualTooLarge`] when the backward error of some row exceeds `tolerance`.
    pub fn solve_checked(&self, b: &[f64], tolerance: f64) -> Result<Vec<f64>, AlgebraError> {
        self.factors.solve_checked(b, tolerance)
    }

    /// Estimate of the reciprocal condition number in the 1-norm; see [`condition::reciprocal_one`].
    pub fn rcond(&self) -> f64 {
        self.factors.rcond()
    }
}

/// LU factors of a sparse complex matrix.
#[derive(Clone, Debug)]
pub struct SparseLuComplex {
    factors: Factors<c64>,
}

impl SparseLuComplex {
    /// Analyses and factors an n x n matrix. Errors as [`SparseLu::new`].
    pub fn new(a: &SparseC) -> Result<Self, AlgebraError> {
        Ok(Self { factors: Factors::new(a)? })
    }

    /// Factors another matrix of the same pattern, as [`SparseLu::refactor`].
    pub fn refactor(&mut self, a: &SparseC) -> Result<(), AlgebraError> {
        self.factors.refactor(a)
    }

    /// Number of rows n.
    pub fn size(&self) -> usize {
        self.factors.size()
    }

    /// The factored matrix.
    pub fn matrix(&self) -> &SparseC {
        &self.factors.a
    }

    /// x with A x = b, without check or refinement; b of length n.
    pub fn solve(&self, b: &[c64]) -> Vec<c64> {
        self.factors.solve(b)
    }

    /// x with A^T x = b (transposed, not conjugated), without check or refinement; b of length n.
    pub fn solve_transpose(&self, b: &[c64]) -> Vec<c64> {
        self.factors.solve_transpose(b)
    }

    /// X with A X = B; B is n x k.
    pub fn solve_mat(&self, b: &DenseC) -> DenseC {
        self.factors.solve_mat(b)
    }

    /// x with A x = b, refined and checked as [`SparseLu::solve_checked`].
    pub fn solve_checked(&self, b: &[c64], tolerance: f64) -> Result<Vec<c64>, AlgebraError> {
        self.factors.solve_checked(b, tolerance)
    }

    /// Estimate of the reciprocal condition number in the 1-norm.
    pub fn rcond(&self) -> f64 {
        self.factors.rcond()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scatter, Triplets, dense, norms, sparse, to_sparse};

    fn chain(n: usize) -> Sparse {
        let mut t = Triplets::new(n, n);
        for i in 0..n {
            t.add(i, i, 2.0 + i as f64);
            if i > 0 {
                t.add(i, i - 1, -1.5);
                t.add(i - 1, i, -0.5);
            }
        }
        t.to_sparse()
    }

    #[test]
    fn solves_both_ways_and_many_at_once() {
        let a = chain(30);
        let lu = SparseLu::new(&a).unwrap();
        let x: Vec<f64> = (0..30).map(|i| f64::from(i) - 7.0).collect();
        for got in [lu.solve(&sparse::matvec(&a, &x)), lu.solve_transpose(&sparse::matvec_transpose(&a, &x))]
        {
            assert!(got.iter().zip(&x).all(|(g, x)| (g - x).abs() < 1e-12));
        }
        let inverse = lu.solve_mat(&dense::identity(30));
        let back = dense::mul(&crate::to_dense(&a), &inverse);
        assert!(norms::max_abs(&dense::add(1.0, &back, -1.0, &dense::identity(30))) < 1e-13);
        let checked = lu.solve_checked(&sparse::matvec(&a, &x), 1e-14).unwrap();
        assert!(checked.iter().zip(&x).all(|(g, x)| (g - x).abs() < 1e-12));
    }

    #[test]
    fn complex_matrices_too() {
        let shift = c64::new(1.0, 2.0);
        let mut t = Triplets::new(20, 20);
        for (&value, (row, col)) in &chain(20) {
            t.add(row, col, shift * value + if row == col { shift * shift } else { c64::new(0.0, 0.0) });
        }
        let a = t.to_sparse_complex();
        let lu = SparseLuComplex::new(&a).unwrap();
        let x: Vec<c64> = (0..20).map(|i| c64::new(f64::from(i), 3.0 - f64::from(i))).collect();
        let (mut b, mut bt) = (vec![c64::new(0.0, 0.0); 20], vec![c64::new(0.0, 0.0); 20]);
        for (value, (row, col)) in &a {
            b[row] += value * x[col];
            bt[col] += value * x[row];
        }
        for got in [lu.solve(&b), lu.solve_transpose(&bt), lu.solve_checked(&b, 1e-14).unwrap()] {
            assert!(got.iter().zip(&x).all(|(g, x)| (g - x).norm() < 1e-12));
        }
        assert!(lu.rcond() > 0.0 && lu.rcond() < 1.0);
    }

    #[test]
    fn a_singular_matrix_is_refused_with_its_column() {
        let singular = AlgebraError::Singular { index: 1, pivot: 0.0 };
        assert_eq!(SparseLu::new(&sparse::diagonal(&[1.0, 0.0, 3.0])).unwrap_err(), singular);
        let empty_column = to_sparse(&dense::from_rows(&[&[1.0, 0.0], &[1.0, 0.0]]));
        assert_eq!(SparseLu::new(&empty_column).unwrap_err(), singular);
        let twice = to_sparse(&dense::from_rows(&[&[1.0, 2.0], &[2.0, 4.0]]));
        assert!(matches!(SparseLu::new(&twice), Err(AlgebraError::Singular { .. })));
    }

    #[test]
    fn full_matrices_take_the_blocked_path_and_fail_there_too() {
        // Full, and large enough for the library's choice of blocks: about n / 2 operations an entry.
        let n = 150;
        let mut t = Triplets::new(n, n);
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let value = ((i * 31 + j * 17 + i * j) % 23) as f64 - 11.0 + if i == j { 60.0 } else { 0.0 };
            t.add(i, j, if j == 70 { 0.0 } else { value });
        }
        let singular = SparseLu::new(&t.to_sparse()).unwrap_err();
        assert_eq!(singular, AlgebraError::Singular { index: 70, pivot: 0.0 });
        t.add(3, 70, 5.0);
        let a = t.to_sparse();
        let x: Vec<f64> = (0..n).map(|i| (i % 4) as f64 - 1.0).collect();
        let (lu, reference) = (SparseLu::new(&a).unwrap(), crate::Lu::new(&crate::to_dense(&a)).unwrap());
        let b = sparse::matvec(&a, &x);
        let (got, exact) = (lu.solve_checked(&b, 1e-13).unwrap(), reference.solve(&b));
        let allowed = 1e-13 / reference.rcond();
        assert!(got.iter().zip(&exact).all(|(g, e)| (g - e).abs() <= allowed));
        assert!(reference.rcond() > 1e-6, "else the comparison says nothing");
    }

    #[test]
    fn values_change_and_the_pattern_stays() {
        let mut lu = SparseLu::new(&chain(5)).unwrap();
        let doubled = sparse::scale(2.0, &chain(5));
        lu.refactor(&doubled).unwrap();
        let x = lu.solve(&sparse::matvec(&doubled, &[1.0; 5]));
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-14));
        let other = sparse::identity(5);
        assert_eq!(lu.refactor(&other).unwrap_err(), AlgebraError::PatternChanged { col: 0 });
        assert!(matches!(lu.refactor(&chain(4)), Err(AlgebraError::ShapeMismatch { .. })));
    }

    #[test]
    fn the_empty_matrix_and_bad_numbers() {
        assert_eq!(SparseLu::new(&sparse::zeros(0, 0)).unwrap().solve(&[]), [0.0; 0]);
        let bad = sparse::diagonal(&[1.0, f64::NAN]);
        assert_eq!(SparseLu::new(&bad).unwrap_err(), AlgebraError::NonFinite { row: 1, col: 1 });
    }
}
