//! P A P^T = L L^T of a sparse symmetric positive definite matrix, ordered for little fill (AMD).
//!
//! Davis, Direct Methods for Sparse Linear Systems, chapter 4. Needs no exchanges: the order depends on the
//! pattern only and is kept for further matrices of the same pattern. Fails when a pivot is not positive.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::{LdltParams, LdltRegularization};
use faer::linalg::cholesky::llt::factor::{LltParams, LltRegularization};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::{Auto, Conj, MatMut, Par, Side, Spec};

use super::{backward_error, check_square, check_symmetric_sparse, first_non_finite, same_pattern};
use crate::convert::{csc, with_faer};
use crate::{AlgebraError, Dense, Sparse, condition, norms};

/// Cholesky factors of a sparse matrix, with the matrix itself for residuals.
#[derive(Clone, Debug)]
pub struct SparseCholesky {
    a: Sparse,
    symbolic: Arc<SymbolicCholesky<usize>>,
    values: Vec<f64>,
}

impl SparseCholesky {
    /// Analyses and factors an n x n matrix given with both triangles.
    ///
    /// Errors: not square, not finite, not symmetric, [`AlgebraError::NotPositiveDefinite`], out of memory.
    pub fn new(a: &Sparse) -> Result<Self, AlgebraError> {
        let n = check_square("Sparse Cholesky factorization", a.rows(), a.cols())?;
        let a = csc(a).into_owned();
        let analysed = with_faer(&a, |view| {
            let (order, params) = (SymmetricOrdering::Amd, CholeskySymbolicParams::default());
            factorize_symbolic_cholesky(view.symbolic(), Side::Lower, order, params)
        });
        let symbolic = Arc::new(analysed.map_err(|_| AlgebraError::OutOfMemory { size: n })?);
        let mut factors = Self { a, symbolic, values: Vec::new() };
        factors.factor()?;
        Ok(factors)
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
        first_non_finite(&self.a)?;
        check_symmetric_sparse(&self.a)?;
        let size = self.size();
        let memory = AlgebraError::OutOfMemory { size };
        let params: Spec<LltParams, f64> = <LltParams as Auto<f64>>::auto().into();
        let length = self.symbolic.len_val();
        self.values.clear();
        crate::memory::ask(|| self.values.try_reserve_exact(length)).map_err(|_| memory.clone())?;
        self.values.resize(length, 0.0);
        let scratch = self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, params);
        let mut buffer = crate::memory::ask(|| MemBuffer::try_new(scratch)).map_err(|_| memory.clone())?;
        let stack = MemStack::new(&mut buffer);
        let (symbolic, values, keep) = (&self.symbolic, &mut self.values, LltRegularization::default());
        let outcome = with_faer(&self.a, |view| {
            symbolic
                .factorize_numeric_llt(values, view, Side::Lower, keep, Par::Seq, stack, params)
                .map(|_| ())
        });
        match outcome {
            Ok(()) if self.values.iter().all(|v| v.is_finite()) => Ok(()),
            _ => Err(bad_pivot(&self.a, &self.symbolic)),
        }
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
        assert_eq!(b.len(), self.size(), "SparseCholesky: right-hand side of wrong length");
        let mut x = b.to_vec();
        self.solve_in_place(MatMut::from_column_major_slice_mut(&mut x, b.len(), 1));
        x
    }

    /// X with A X = B; B is n x k. Many columns at once cost less than one by one.
    pub fn solve_mat(&self, b: &Dense) -> Dense {
        assert_eq!(b.nrows(), self.size(), "SparseCholesky: right-hand side of wrong length");
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
        LltRef::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            x,
            Par::Seq,
            MemStack::new(&mut buffer),
        );
    }

    /// x with A x = b, refined and checked as [`crate::SparseLu::solve_checked`].
    pub fn solve_checked(&self, b: &[f64], tolerance: f64) -> Result<Vec<f64>, AlgebraError> {
        backward_error::solve_refined(&self.a, b, tolerance, |b| self.solve(b))
    }

    /// Estimate of the reciprocal condition number in the 1-norm; see [`condition::reciprocal_one`].
    pub fn rcond(&self) -> f64 {
        condition::reciprocal_one(self.size(), norms::one(&self.a), |b| self.solve(b), |b| self.solve(b))
    }
}

/// The first pivot that is not positive, from an elimination row by row; runs after a failure only.
fn bad_pivot(a: &Sparse, symbolic: &SymbolicCholesky<usize>) -> AlgebraError {
    let Some(order) = symbolic.perm() else {
        return AlgebraError::OutOfMemory { size: a.rows() };
    };
    match pivots(a, order) {
        Err(error) => error,
        Ok(pivots) => {
            let found = pivots.iter().enumerate().find(|(_, d)| !(d.is_finite() && **d > 0.0));
            match found {
                Some((step, &pivot)) => {
                    AlgebraError::NotPositiveDefinite { index: order.arrays().0[step], pivot }
                }
                None => AlgebraError::NonFiniteResult {
                    algorithm: "Sparse Cholesky factorization",
                    size: a.rows(),
                },
            }
        }
    }
}

/// D of the plain L D L^T in a given order; zeros from the first zero pivot on.
pub(super) fn pivots(a: &Sparse, order: faer::perm::PermRef<'_, usize>) -> Result<Vec<f64>, AlgebraError> {
    let memory = |_| AlgebraError::OutOfMemory { size: a.rows() };
    let params = CholeskySymbolicParams {
        supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SIMPLICIAL,
        ..CholeskySymbolicParams::default()
    };
    with_faer(a, |view| {
        let order = SymmetricOrdering::Custom(order);
        let symbolic =
            factorize_symbolic_cholesky(view.symbolic(), Side::Lower, order, params).map_err(memory)?;
        let mut values = vec![0.0; symbolic.len_val()];
        let params = parameters();
        let scratch = symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, params);
        let mut buffer = crate::memory::ask(|| MemBuffer::try_new(scratch))
            .map_err(|_| AlgebraError::OutOfMemory { size: a.rows() })?;
        let stack = MemStack::new(&mut buffer);
        let keep = LdltRegularization::default();
        // A zero pivot ends the elimination; the pivots before it are in place.
        let _stopped_early = symbolic
            .factorize_numeric_ldlt(&mut values, view, Side::Lower, keep, Par::Seq, stack, params)
            .is_err();
        let SymbolicCholeskyRaw::Simplicial(structure) = symbolic.raw() else {
            return Err(AlgebraError::OutOfMemory { size: a.rows() });
        };
        Ok((0..a.rows()).map(|k| values[structure.col_ptr()[k]]).collect())
    })
}

fn parameters() -> Spec<LdltParams, f64> {
    <LdltParams as Auto<f64>>::auto().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scatter, Triplets, dense, sparse, to_dense, to_sparse};

    /// Five-point Laplacian on a k x k grid, big enough for supernodes when k is.
    fn grid(k: usize) -> Sparse {
        let mut t = Triplets::new(k * k, k * k);
        for i in 0..k * k {
            t.add(i, i, 4.0);
            for (inside, j) in [(i % k > 0, i.wrapping_sub(1)), (i >= k, i.wrapping_sub(k))] {
                if inside {
                    t.add(i, j, -1.0);
                    t.add(j, i, -1.0);
                }
            }
        }
        t.to_sparse()
    }

    #[test]
    fn solves_agree_with_the_dense_factor() {
        for k in [1, 3, 25] {
            let a = grid(k);
            let chol = SparseCholesky::new(&a).unwrap();
            let b: Vec<f64> = (0..k * k).map(|i| (i % 5) as f64 - 2.0).collect();
            let exact = crate::Cholesky::new(&to_dense(&a)).unwrap().solve(&b);
            for x in [chol.solve(&b), chol.solve_checked(&b, 1e-14).unwrap()] {
                assert!(x.iter().zip(&exact).all(|(x, e)| (x - e).abs() < 1e-12));
            }
            let both = chol.solve_mat(&dense::from_columns(k * k, &[&b, &b]));
            assert!(dense::column(&both, 1).iter().zip(&exact).all(|(x, e)| (x - e).abs() < 1e-12));
            assert!(chol.rcond() > 0.0);
        }
    }

    #[test]
    fn refactoring_keeps_the_analysis() {
        let a = grid(6);
        let mut chol = SparseCholesky::new(&a).unwrap();
        let doubled = sparse::scale(2.0, &a);
        chol.refactor(&doubled).unwrap();
        let x = chol.solve(&sparse::matvec(&doubled, &[1.0; 36]));
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-13));
        assert!(matches!(chol.refactor(&sparse::identity(36)), Err(AlgebraError::PatternChanged { .. })));
    }

    #[test]
    fn the_bad_pivot_is_named() {
        let a = sparse::diagonal(&[1.0, 2.0, -3.0]);
        assert_eq!(
            SparseCholesky::new(&a).unwrap_err(),
            AlgebraError::NotPositiveDefinite { index: 2, pivot: -3.0 }
        );
        let a = sparse::diagonal(&[1.0, 0.0, 3.0]);
        assert_eq!(
            SparseCholesky::new(&a).unwrap_err(),
            AlgebraError::NotPositiveDefinite { index: 1, pivot: 0.0 }
        );
        let shifted = sparse::add(1.0, &grid(25), -1.0, &sparse::identity(625));
        let error = SparseCholesky::new(&shifted).unwrap_err();
        assert!(matches!(error, AlgebraError::NotPositiveDefinite { pivot, .. } if pivot < 0.0));
        let skew = to_sparse(&dense::from_rows(&[&[1.0, 1.0], &[-1.0, 1.0]]));
        assert!(matches!(SparseCholesky::new(&skew), Err(AlgebraError::NotSymmetric { .. })));
    }
}
