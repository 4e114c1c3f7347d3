//! P S A S P^T = L D L^T of a sparse symmetric indefinite matrix, D diagonal, without exchanges.
//!
//! For shifted stiffness matrices K - w M and for [K, Phi^T; Phi, 0] with independent constraints. Rows with a
//! zero diagonal are taken for constraints and ordered after their unknowns ([`super::ordering`]); S are powers
//! of two that bring unknowns and constraints to one magnitude. Without exchanges the factors can be poor:
//! every factorization is therefore tried on a known solution, row by row, and refused when refinement does
//! not mend it; then use [`crate::SparseLu`]. A part of K that is singular by itself (a body free to float)
//! has a zero pivot: add g Phi^T Phi to K, which leaves constrained solutions unchanged. So has a shift w that
//! is an eigenvalue of a leading block: move it a little.
//!
//! D gives the inertia (Sylvester's law), hence the number of eigenvalues below a shift (Parlett, The
//! Symmetric Eigenvalue Problem, section 3.3).

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::{LdltParams, LdltRegularization};
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::supernodal::SupernodalLdltRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::{Auto, Conj, MatMut, Par, Side, Spec};

use super::ordering::fused_minimum_degree;
use super::{backward_error, check_square, check_symmetric_sparse, first_non_finite, same_pattern};
use crate::convert::{csc, with_faer};
use crate::{AlgebraError, Dense, Sparse, condition, norms, sparse};

/// Backward error that the trial solution must reach.
const TRIAL_TOLERANCE: f64 = 1e-10;

/// Numbers of positive and negative eigenvalues of a regular symmetric matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inertia {
    /// Number of positive eigenvalues.
    pub positive: usize,
    /// Number of negative eigenvalues.
    pub negative: usize,
}

/// L D L^T factors of a sparse symmetric matrix, with the matrix itself for residuals.
#[derive(Clone, Debug)]
pub struct SparseLdl {
    a: Sparse,
    /// S, powers of two.
    scale: Vec<f64>,
    order: Vec<usize>,
    symbolic: Arc<SymbolicCholesky<usize>>,
    values: Vec<f64>,
}

impl SparseLdl {
    /// Analyses and factors an n x n matrix given with both triangles.
    ///
    /// Errors: not square, not finite, not symmetric, [`AlgebraError::ZeroPivot`],
    /// [`AlgebraError::ResidualTooLarge`] for poor factors, out of memory.
    pub fn new(a: &Sparse) -> Result<Self, AlgebraError> {
        let n = check_square("Sparse LDL^T factorization", a.rows(), a.cols())?;
        let a = csc(a).into_owned();
        let order = fused_minimum_degree(&a, &constraints(&a))?;
        let mut inverse = vec![0; n];
        for (k, &i) in order.iter().enumerate() {
            inverse[i] = k;
        }
        let analysed = with_faer(&a, |view| {
            let custom = SymmetricOrdering::Custom(PermRef::new_checked(&order, &inverse, n));
            let params = CholeskySymbolicParams::default();
            factorize_symbolic_cholesky(view.symbolic(), Side::Lower, custom, params)
        });
        let symbolic = Arc::new(analysed.map_err(|_| AlgebraError::OutOfMemory { size: n })?);
        let mut factors = Self { a, scale: Vec::new(), order, symbolic, values: Vec::new() };
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
        if size == 0 {
            return Ok(());
        }
        let memory = AlgebraError::OutOfMemory { size };
        self.scale = equilibrate(&self.a, &constraints(&self.a));
        let scaled = self.scaled();
        let length = self.symbolic.len_val();
        self.values.clear();
        self.values.try_reserve_exact(length).map_err(|_| memory.clone())?;
        self.values.resize(length, 0.0);
        let params = parameters();
        let scratch = self.symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, params);
        let mut buffer = MemBuffer::try_new(scratch).map_err(|_| memory.clone())?;
        let stack = MemStack::new(&mut buffer);
        let (symbolic, values, keep) = (&self.symbolic, &mut self.values, LdltRegularization::default());
        let outcome = with_faer(&scaled, |view| {
            symbolic
                .factorize_numeric_ldlt(values, view, Side::Lower, keep, Par::Seq, stack, params)
                .map(|_| ())
        });
        if outcome.is_err() || self.pivots().iter().any(|d| *d == 0.0 || !d.is_finite()) {
            return Err(self.singular(&scaled));
        }
        // Entries of different size, so that errors cannot cancel.
        let known: Vec<f64> = (0..size).map(|i| 1.0 + (i % 7) as f64 / 8.0).collect();
        self.solve_checked(&sparse::matvec(&self.a, &known), TRIAL_TOLERANCE).map(|_| ())
    }

    /// S A S.
    fn scaled(&self) -> Sparse {
        let mut scaled = self.a.clone();
        let scale = &self.scale;
        for (col, mut column) in scaled.outer_iterator_mut().enumerate() {
            for (row, value) in column.iter_mut() {
                *value *= scale[row] * scale[col];
            }
        }
        scaled
    }

    fn singular(&self, scaled: &Sparse) -> AlgebraError {
        let Some(order) = self.symbolic.perm() else {
            return AlgebraError::OutOfMemory { size: self.size() };
        };
        let pivots = match super::sparse_cholesky::pivots(scaled, order) {
            Ok(pivots) => pivots,
            Err(error) => return error,
        };
        let found = pivots.iter().enumerate().find(|(_, d)| **d == 0.0 || !d.is_finite());
        match found {
            Some((step, &pivot)) => AlgebraError::ZeroPivot { index: self.order[step], pivot },
            None => {
                AlgebraError::NonFiniteResult { algorithm: "Sparse LDL^T factorization", size: self.size() }
            }
        }
    }

    /// D of the scaled matrix, in the order of elimination.
    fn pivots(&self) -> Vec<f64> {
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(structure) => {
                (0..self.size()).map(|k| self.values[structure.col_ptr()[k]]).collect()
            }
            SymbolicCholeskyRaw::Supernodal(structure) => {
                let factor = SupernodalLdltRef::new(structure, &self.values);
                let mut pivots = Vec::with_capacity(self.size());
                for s in 0..structure.n_supernodes() {
                    let block = factor.supernode(s).val();
                    pivots.extend((0..block.ncols()).map(|j| block[(j, j)]));
                }
                pivots
            }
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

    /// Numbers of positive and negative eigenvalues.
    ///
    /// Of K - w M with definite M: `negative` eigenvalues of K x = w M x lie below w. Each independent
    /// constraint adds one positive and one negative to those of the constrained problem.
    pub fn inertia(&self) -> Inertia {
        let negative = self.pivots().iter().filter(|d| **d < 0.0).count();
        Inertia { positive: self.size() - negative, negative }
    }

    /// x with A x = b, without check or refinement; b of length n.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        assert_eq!(b.len(), self.size(), "SparseLdl: right-hand side of wrong length");
        let mut x: Vec<f64> = b.iter().zip(&self.scale).map(|(b, s)| b * s).collect();
        self.solve_in_place(MatMut::from_column_major_slice_mut(&mut x, b.len(), 1));
        x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
        x
    }

    /// X with A X = B; B is n x k. Many columns at once cost less than one by one.
    pub fn solve_mat(&self, b: &Dense) -> Dense {
        assert_eq!(b.nrows(), self.size(), "SparseLdl: right-hand side of wrong length");
        let mut x = Dense::from_fn(b.nrows(), b.ncols(), |i, j| b[(i, j)] * self.scale[i]);
        self.solve_in_place(x.as_mut());
        for j in 0..x.ncols() {
            x.col_as_slice_mut(j).iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
        }
        x
    }

    fn solve_in_place(&self, x: MatMut<'_, f64>) {
        if x.nrows() == 0 || x.ncols() == 0 {
            return;
        }
        let scratch = self.symbolic.solve_in_place_scratch::<f64>(x.ncols(), Par::Seq);
        let mut buffer = MemBuffer::new(scratch);
        LdltRef::new(&self.symbolic, &self.values).solve_in_place_with_conj(
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

pub(super) fn parameters() -> Spec<LdltParams, f64> {
    <LdltParams as Auto<f64>>::auto().into()
}

/// Rows whose diagonal entry is zero or absent.
fn constraints(a: &Sparse) -> Vec<bool> {
    (0..a.rows()).map(|i| a.get(i, i).is_none_or(|d| *d == 0.0)).collect()
}

/// Powers of two s: unknowns to the square root of their largest entry among unknowns, then constraints to one.
fn equilibrate(a: &Sparse, constraint: &[bool]) -> Vec<f64> {
    let power = |x: f64| if x > 0.0 { x.log2().round().exp2() } else { 1.0 };
    let mut largest = vec![0.0_f64; a.rows()];
    for (value, (row, col)) in a {
        if !constraint[row] && !constraint[col] {
            largest[row] = largest[row].max(value.abs());
        }
    }
    let mut scale: Vec<f64> = largest.into_iter().map(|x| power(x.sqrt()).recip()).collect();
    let mut largest = vec![0.0_f64; a.rows()];
    for (value, (row, col)) in a {
        if constraint[row] && !constraint[col] {
            largest[row] = largest[row].max(value.abs() * scale[col]);
        }
    }
    for (i, scale) in scale.iter_mut().enumerate() {
        if constraint[i] {
            *scale = power(largest[i]).recip();
        }
    }
    scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scatter, SymmetricEigen, Triplets, dense, to_dense, to_sparse};

    /// Chain of n springs of stiffness k shifted by -w, ends tied to each other and unknown 2 held.
    fn saddle(n: usize, k: f64, w: f64) -> Sparse {
        let mut t = Triplets::new(n + 2, n + 2);
        for i in 0..n {
            t.add(i, i, 2.0 * k - w);
            if i > 0 {
                t.add(i, i - 1, -k);
                t.add(i - 1, i, -k);
            }
        }
        for (c, i, value) in [(n, 0, 1.0), (n, n - 1, -1.0), (n + 1, 2, 1.0)] {
            t.add(c, i, value);
            t.add(i, c, value);
        }
        t.to_sparse()
    }

    #[test]
    fn saddle_points_are_solved_at_any_scale() {
        for (n, k, w) in [(4, 1.0, 0.0), (40, 1e9, 0.0), (300, 1e9, 1e8), (60, 1e-6, 3e-7)] {
            let a = saddle(n, k, w);
            let ldl = SparseLdl::new(&a).unwrap();
            let b: Vec<f64> = (0..n + 2).map(|i| (i % 3) as f64 - 1.0).collect();
            let x = ldl.solve_checked(&b, 1e-13).unwrap();
            let exact = crate::SparseLu::new(&a).unwrap().solve_checked(&b, 1e-13).unwrap();
            let scale = norms::max_abs_vec(&exact);
            assert!(x.iter().zip(&exact).all(|(x, e)| (x - e).abs() < 1e-9 * scale), "n = {n}, k = {k:e}");
            let both = ldl.solve_mat(&dense::from_columns(n + 2, &[&b, &b]));
            assert!(dense::column(&both, 1).iter().zip(&exact).all(|(x, e)| (x - e).abs() < 1e-9 * scale));
        }
    }

    #[test]
    fn the_inertia_counts_eigenvalues() {
        for w in [0.0, 0.5, 0.9, 2.5, 3.9] {
            let a = saddle(15, 1.0, w);
            let eigen = SymmetricEigen::new(&to_dense(&a)).unwrap();
            let negative = eigen.values.iter().filter(|v| **v < 0.0).count();
            let inertia = SparseLdl::new(&a).unwrap().inertia();
            assert_eq!(inertia, Inertia { positive: 17 - negative, negative }, "w = {w}");
        }
    }

    #[test]
    fn supernodes_count_the_same() {
        // Full matrices take the other code path of the library.
        let n = 80;
        let a = Dense::from_fn(n, n, |i, j| if i == j { i as f64 - 30.5 } else { 1.0 / (1 + i + j) as f64 });
        let ldl = SparseLdl::new(&to_sparse(&a)).unwrap();
        let values = SymmetricEigen::new(&a).unwrap().values;
        assert_eq!(ldl.inertia().negative, values.iter().filter(|v| **v < 0.0).count());
        let x = ldl.solve_checked(&dense::matvec(&a, &vec![1.0; n]), 1e-14).unwrap();
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-12));
    }

    #[test]
    fn zero_pivots_and_poor_factors_are_refused() {
        // Twice the same constraint: the second multiplier has nothing to act on.
        let mut t = Triplets::new(4, 4);
        for (i, j, value) in [(0, 0, 2.0), (1, 1, 2.0), (2, 0, 1.0), (0, 2, 1.0), (3, 0, 1.0), (0, 3, 1.0)] {
            t.add(i, j, value);
        }
        assert!(matches!(SparseLdl::new(&t.to_sparse()), Err(AlgebraError::ZeroPivot { index: 2 | 3, .. })));
        // Regular, but every pivot order starts with a tiny one that wipes out the rest.
        let poor = dense::from_rows(&[&[1e-20, 1.1, 2.3], &[1.1, 1e-20, 3.7], &[2.3, 3.7, 1e-20]]);
        assert!(crate::Lu::new(&poor).unwrap().rcond() > 0.1);
        let refused = SparseLdl::new(&to_sparse(&poor)).unwrap_err();
        let named = matches!(refused, AlgebraError::ResidualTooLarge { .. } | AlgebraError::ZeroPivot { .. });
        assert!(named, "{refused}");
        let skew = to_sparse(&dense::from_rows(&[&[1.0, 1.0], &[-1.0, 1.0]]));
        assert!(matches!(SparseLdl::new(&skew), Err(AlgebraError::NotSymmetric { .. })));
        assert_eq!(
            SparseLdl::new(&sparse::zeros(0, 0)).unwrap().inertia(),
            Inertia { positive: 0, negative: 0 }
        );
    }

    #[test]
    fn refactoring_with_another_shift() {
        let mut ldl = SparseLdl::new(&saddle(20, 1.0, 0.1)).unwrap();
        let shifted = saddle(20, 1.0, 1.3);
        ldl.refactor(&shifted).unwrap();
        assert_eq!(ldl.inertia(), SparseLdl::new(&shifted).unwrap().inertia());
        assert!(ldl.rcond() > 1e-6);
    }
}
