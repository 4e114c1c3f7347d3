//! P A Q = L U of a sparse matrix: rows exchanged for stability, columns ordered for little fill (COLAMD).
//!
//! Davis, Direct Methods for Sparse Linear Systems, chapters 6 and 7. The order of the columns and the
//! structure depend on the pattern only and are kept for further matrices of the same pattern.
//! Every factorization is tried on a known solution: the library passes zero pivots in silence.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::PartialPivLuParams;
use faer::sparse::linalg::LuError;
use faer::sparse::linalg::lu::{
    LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu, simplicial,
};
use faer::{Auto, Conj, MatMut, Par, Spec};

use super::check_square;
use crate::convert::{csc, with_faer};
use crate::{AlgebraError, Dense, Sparse, norms, sparse};

/// LU factors of a sparse real matrix, with the matrix itself for residuals.
#[derive(Clone, Debug)]
pub struct SparseLu {
    a: Sparse,
    norm_inf: f64,
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, f64>,
}

impl SparseLu {
    /// Analyses and factors an n x n matrix.
    ///
    /// Errors: not square, not finite, [`AlgebraError::Singular`], out of memory.
    pub fn new(a: &Sparse) -> Result<Self, AlgebraError> {
        let n = check_square("Sparse LU factorization", a.rows(), a.cols())?;
        let a = csc(a).into_owned();
        let symbolic =
            with_faer(&a, |view| factorize_symbolic_lu(view.symbolic(), LuSymbolicParams::default()))
                .map_err(|_| AlgebraError::OutOfMemory { size: n })?;
        let mut lu = Self { a, norm_inf: 0.0, symbolic, numeric: NumericLu::new() };
        lu.factor()?;
        Ok(lu)
    }

    /// Factors another matrix of the same pattern, without analysing it again.
    ///
    /// After an error the factors are gone: solve only after a later success.
    pub fn refactor(&mut self, a: &Sparse) -> Result<(), AlgebraError> {
        let a = csc(a);
        same_pattern(&self.a, &a)?;
        self.a = a.into_owned();
        self.factor()
    }

    fn factor(&mut self) -> Result<(), AlgebraError> {
        if let Some((row, col, _)) = sparse::first_non_finite(&self.a) {
            return Err(AlgebraError::NonFinite { row, col });
        }
        let n = self.size();
        self.norm_inf = norms::inf(&self.a);
        if n == 0 {
            return Ok(());
        }
        let params: Spec<PartialPivLuParams, f64> = <PartialPivLuParams as Auto<f64>>::auto().into();
        let scratch = self.symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, params);
        let mut buffer = MemBuffer::try_new(scratch).map_err(|_| AlgebraError::OutOfMemory { size: n })?;
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
        let trial = self.solve(&sparse::matvec(&self.a, &vec![1.0; n]));
        if trial.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(self.singular()) }
    }

    /// The first bad pivot, from a plain elimination column by column; runs after a failure only.
    fn singular(&self) -> AlgebraError {
        let n = self.size();
        let order = self.symbolic.col_perm();
        let (mut rows, mut rows_inverse) = (vec![0; n], vec![0; n]);
        let mut lu = simplicial::SimplicialLu::new();
        let scratch = simplicial::factorize_simplicial_numeric_lu_scratch::<usize, f64>(n, n);
        let Ok(mut buffer) = MemBuffer::try_new(scratch) else {
            return AlgebraError::OutOfMemory { size: n };
        };
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
        let columns = order.arrays().0;
        if let Err(LuError::SymbolicSingular { index }) = outcome {
            return AlgebraError::Singular { index: columns[index], pivot: 0.0 };
        }
        if outcome.is_err() {
            return AlgebraError::OutOfMemory { size: n };
        }
        let u = lu.u_factor_unsorted();
        for (step, &column) in columns.iter().enumerate() {
            // The pivot is stored last in its column.
            let pivot = u.val_of_col(step).last().map_or(0.0, |p| p.abs());
            if pivot == 0.0 || !pivot.is_finite() {
                return AlgebraError::Singular { index: column, pivot };
            }
        }
        AlgebraError::NonFiniteResult { algorithm: "Sparse LU factorization", size: n }
    }

    /// Number of rows n.
    pub fn size(&self) -> usize {
        self.a.rows()
    }

    /// The factored matrix.
    pub fn matrix(&self) -> &Sparse {
        &self.a
    }

    /// x with A x = b, without check or refinement; b of length n.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        assert_eq!(b.len(), self.size(), "SparseLu: right-hand side of wrong length");
        let mut x = b.to_vec();
        self.solve_in_place(MatMut::from_column_major_slice_mut(&mut x, b.len(), 1));
        x
    }

    /// x with A^T x = b, without check or refinement; b of length n.
    pub fn solve_transpose(&self, b: &[f64]) -> Vec<f64> {
        assert_eq!(b.len(), self.size(), "SparseLu: right-hand side of wrong length");
        let mut x = b.to_vec();
        if x.is_empty() {
            return x;
        }
        let mut buffer = MemBuffer::new(self.symbolic.solve_transpose_in_place_scratch::<f64>(1, Par::Seq));
        LuRef::new_unchecked(&self.symbolic, &self.numeric).solve_transpose_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut x, b.len(), 1),
            Par::Seq,
            MemStack::new(&mut buffer),
        );
        x
    }

    /// X with A X = B; B is n x k. Many columns at once cost less than one by one.
    pub fn solve_mat(&self, b: &Dense) -> Dense {
        assert_eq!(b.nrows(), self.size(), "SparseLu: right-hand side of wrong length");
        let mut x = b.clone();
        self.solve_in_place(x.as_mut());
        x
    }

    fn solve_in_place(&self, x: MatMut<'_, f64>) {
        if x.nrows() == 0 || x.ncols() == 0 {
            return;
        }
        let scratch = self.symbolic.solve_in_place_scratch::<f64>(x.ncols(), Par::Seq);
        let mut buffer = MemBuffer::new(scratch);
        LuRef::new_unchecked(&self.symbolic, &self.numeric).solve_in_place_with_conj(
            Conj::No,
            x,
            Par::Seq,
            MemStack::new(&mut buffer),
        );
    }

    /// x with A x = b after one step of iterative refinement, its backward error checked.
    ///
    /// Error: [`AlgebraError::ResidualTooLarge`] when |b - A x| / (|A| |x| + |b|), infinity norms, exceeds
    /// `tolerance`.
    pub fn solve_checked(&self, b: &[f64], tolerance: f64) -> Result<Vec<f64>, AlgebraError> {
        let mut x = self.solve(b);
        let correction = self.solve(&super::residual(&self.a, &x, b));
        for (x, d) in x.iter_mut().zip(correction) {
            *x += d;
        }
        super::check_residual(&self.a, self.norm_inf, &x, b, tolerance)?;
        Ok(x)
    }
}

fn same_pattern(old: &Sparse, new: &Sparse) -> Result<(), AlgebraError> {
    if old.shape() != new.shape() {
        return Err(AlgebraError::ShapeMismatch {
            operation: "Refactorization",
            expected_rows: old.rows(),
            expected_cols: old.cols(),
            rows: new.rows(),
            cols: new.cols(),
        });
    }
    let columns = old.outer_iterator().zip(new.outer_iterator());
    match columns.into_iter().position(|(o, n)| o.indices() != n.indices()) {
        Some(col) => Err(AlgebraError::PatternChanged { col }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scatter, Triplets, dense, to_sparse};

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
    fn a_singular_matrix_is_refused_with_its_column() {
        let mut t = Triplets::new(3, 3);
        for (row, col, value) in [(0, 0, 1.0), (1, 1, 0.0), (2, 2, 3.0)] {
            t.add(row, col, value);
        }
        assert_eq!(
            SparseLu::new(&t.to_sparse()).unwrap_err(),
            AlgebraError::Singular { index: 1, pivot: 0.0 }
        );
        let empty_column = to_sparse(&dense::from_rows(&[&[1.0, 0.0], &[1.0, 0.0]]));
        assert_eq!(
            SparseLu::new(&empty_column).unwrap_err(),
            AlgebraError::Singular { index: 1, pivot: 0.0 }
        );
        let twice = to_sparse(&dense::from_rows(&[&[1.0, 2.0], &[2.0, 4.0]]));
        assert!(matches!(SparseLu::new(&twice), Err(AlgebraError::Singular { .. })));
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
