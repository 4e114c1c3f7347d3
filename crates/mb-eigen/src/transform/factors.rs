//! Solves with the saddle-point matrix at one shift.
//!
//! ```text
//! [A Phi_i^T; Phi_i 0] [x; l] = [f; 0],   A = a M + b C + c K,  Phi_i the independent rows at length one
//! ```
//!
//! [`saddle_ldlt`], one analysis for all shifts: L D L^T where A is symmetric, real or complex, else LU on the same
//! fronts, which also solves with the transpose. Methods that failed on the way are named. Every solve is checked by block of
//! rows and refined when it falls short. Sizes: A n x n, Phi_i r x n.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use faer::{Mat, MatMut, MatRef};
use mb_algebra::{AlgebraError, Dense, DenseC, SparseLu, c64};
use saddle_ldlt::{FactorReport, Method, SaddleFactor, SaddleFactorComplex, SaddleLu, SaddleLuComplex};
use sprs::CsMat;

use crate::EigenError;
use crate::error::at;
use crate::krylov::Scalar;
use crate::problem::matrix::Matrix;

/// Factors at one shift of w.
#[derive(Clone)]
pub(crate) struct Shifted {
    pub(crate) sigma: f64,
    pub(crate) solver: Arc<dyn ShiftSolve<f64>>,
}

/// How well a system is to be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Columns checked by a combination of them: what they are used for says what each is worth.
    Krylov,
    /// Every column checked and refined where it falls short.
    Final,
}

/// x and l of a block of systems.
pub(crate) struct Solution<T> {
    pub(crate) x: Mat<T>,
    /// Multipliers of the independent rows at length one.
    pub(crate) l: Mat<T>,
}

/// A factored saddle-point matrix.
pub(crate) trait ShiftSolve<T: Scalar>: Send + Sync {
    /// Solves for the columns of f, n x p; with the transposed matrix (not conjugated) on demand.
    fn solve(&self, f: &Mat<T>, transposed: bool, effort: Effort) -> Result<Solution<T>, EigenError>;
    /// The x alone of such systems for a step of a Krylov method, into an array of the shape of f that holds anything.
    fn displacements(&self, f: MatRef<'_, T>, mut x: MatMut<'_, T>) -> Result<(), EigenError> {
        x.copy_from(self.solve(&f.to_owned(), false, Effort::Krylov)?.x);
        Ok(())
    }
    /// x and l for a step of an iteration, into arrays of their shapes that hold anything.
    fn solve_into(
        &self,
        f: MatRef<'_, T>,
        mut x: MatMut<'_, T>,
        mut l: MatMut<'_, T>,
    ) -> Result<(), EigenError> {
        let solved = self.solve(&f.to_owned(), false, Effort::Krylov)?;
        x.copy_from(solved.x);
        l.copy_from(solved.l);
        Ok(())
    }
    /// Solves for the columns of f, n x p, with Phi_i x = g, r x p; none where that is not offered, or fails.
    fn solve_both(&self, _f: &Mat<T>, _g: &Mat<T>) -> Option<Solution<T>> {
        None
    }
    /// Negative eigenvalues of A on the null space of Phi_i, for symmetric A.
    fn negative(&self) -> Option<usize>;
    /// Work and quality so far.
    fn work(&self) -> Work;
}

/// Work and quality of the solves with one factorization.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    /// Right-hand sides solved.
    pub(crate) solves: usize,
    /// Worst relative residual after refinement.
    pub(crate) worst_residual: f64,
    /// Methods that refused the matrix, with the reason.
    pub(crate) failed: Vec<String>,
    /// Method in use.
    pub(crate) method: String,
}

/// A factored square matrix.
pub(crate) trait Factors<T>: Send + Sync {
    fn solve(&self, b: &Mat<T>) -> Mat<T>;
    fn solve_transposed(&self, b: &Mat<T>) -> Mat<T>;
}

impl Factors<f64> for SparseLu {
    fn solve(&self, b: &Dense) -> Dense {
        self.solve_mat(b)
    }

    fn solve_transposed(&self, b: &Dense) -> Dense {
        by_column(b, |b| self.solve_transpose(b))
    }
}

fn by_column<T: Scalar>(b: &Mat<T>, solve: impl Fn(&[T]) -> Vec<T>) -> Mat<T> {
    let mut out = b.clone();
    for j in 0..b.ncols() {
        out.col_as_slice_mut(j).copy_from_slice(&solve(b.col_as_slice(j)));
    }
    out
}

/// [A, k Phi^T; k Phi, 0] by columns.
pub(crate) fn assemble_scaled<T: Scalar>(a: &CsMat<T>, rows: &Matrix, scale: f64) -> CsMat<T> {
    let (n, rank) = (a.rows(), rows.sparse().rows());
    let by_column = rows.sparse().to_csc();
    let nnz = a.nnz() + 2 * by_column.nnz();
    let (mut start, mut indices, mut values) =
        (Vec::with_capacity(n + rank + 1), Vec::with_capacity(nnz), Vec::with_capacity(nnz));
    start.push(0);
    for (column, phi) in a.outer_iterator().zip(by_column.outer_iterator()) {
        indices.extend_from_slice(column.indices());
        values.extend_from_slice(column.data());
        indices.extend(phi.indices().iter().map(|i| n + i));
        values.extend(phi.data().iter().map(|v| T::real(scale * v)));
        start.push(indices.len());
    }
    for row in rows.sparse().outer_iterator() {
        indices.extend_from_slice(row.indices());
        values.extend(row.data().iter().map(|v| T::real(scale * v)));
        start.push(indices.len());
    }
    CsMat::new_csc((n + rank, n + rank), start, indices, values)
}

/// A saddle-point factorization of any kind.
pub(crate) trait Saddle<T: Scalar>: Send + Sync {
    /// `transposed` makes no difference to symmetric matrices.
    fn solve_block(&self, f: &Mat<T>, transposed: bool) -> Result<(Mat<T>, Mat<T>), AlgebraError>;
    /// The same, not transposed, checked as a step of an iteration.
    fn solve_step(&self, f: &Mat<T>) -> Result<(Mat<T>, Mat<T>), AlgebraError> {
        self.solve_block(f, false)
    }
    /// X alone, as [`Saddle::solve_step`].
    fn solve_into(&self, f: MatRef<'_, T>, mut x: MatMut<'_, T>) -> Result<(), AlgebraError> {
        x.copy_from(self.solve_block(&f.to_owned(), false)?.0);
        Ok(())
    }
    /// X and L, as [`Saddle::solve_step`].
    fn solve_step_into(
        &self,
        f: MatRef<'_, T>,
        mut x: MatMut<'_, T>,
        mut l: MatMut<'_, T>,
    ) -> Result<(), AlgebraError> {
        let (of_x, of_l) = self.solve_step(&f.to_owned())?;
        x.copy_from(of_x);
        l.copy_from(of_l);
        Ok(())
    }
    /// With a right-hand side for the constraint rows; none where that is not offered, or fails.
    fn solve_both(&self, _f: &Mat<T>, _g: &Mat<T>) -> Option<(Mat<T>, Mat<T>)> {
        None
    }
    fn negative(&self) -> Option<usize> {
        None
    }
    fn report(&self) -> &FactorReport;
    /// The furthest method a solution took because those before it missed its residual.
    fn later_method(&self) -> Option<Method>;
}

impl Saddle<f64> for SaddleFactor {
    fn solve_block(&self, f: &Dense, _transposed: bool) -> Result<(Dense, Dense), AlgebraError> {
        self.solve_block(f)
    }

    fn solve_step(&self, f: &Dense) -> Result<(Dense, Dense), AlgebraError> {
        self.solve_block_step(f)
    }

    fn solve_into(&self, f: MatRef<'_, f64>, x: MatMut<'_, f64>) -> Result<(), AlgebraError> {
        self.solve_block_into(f, x)
    }

    fn solve_step_into(
        &self,
        f: MatRef<'_, f64>,
        x: MatMut<'_, f64>,
        l: MatMut<'_, f64>,
    ) -> Result<(), AlgebraError> {
        self.solve_block_step_into(f, x, l)
    }

    fn solve_both(&self, f: &Dense, g: &Dense) -> Option<(Dense, Dense)> {
        self.solve_block_step_with(f, g).ok()
    }

    fn negative(&self) -> Option<usize> {
        self.inertia().map(|inertia| inertia.negative)
    }

    fn report(&self) -> &FactorReport {
        self.report()
    }

    fn later_method(&self) -> Option<Method> {
        self.later_method()
    }
}

impl Saddle<c64> for SaddleFactorComplex {
    fn solve_block(&self, f: &DenseC, _transposed: bool) -> Result<(DenseC, DenseC), AlgebraError> {
        self.solve_block(f)
    }

    fn report(&self) -> &FactorReport {
        self.report()
    }

    fn later_method(&self) -> Option<Method> {
        self.later_method()
    }
}

impl Saddle<f64> for SaddleLu {
    fn solve_block(&self, f: &Dense, transposed: bool) -> Result<(Dense, Dense), AlgebraError> {
        if transposed { self.solve_block_transposed(f) } else { self.solve_block(f) }
    }

    fn report(&self) -> &FactorReport {
        self.report()
    }

    fn later_method(&self) -> Option<Method> {
        self.later_method()
    }
}

impl Saddle<c64> for SaddleLuComplex {
    fn solve_block(&self, f: &DenseC, transposed: bool) -> Result<(DenseC, DenseC), AlgebraError> {
        if transposed { self.solve_block_transposed(f) } else { self.solve_block(f) }
    }

    fn report(&self) -> &FactorReport {
        self.report()
    }

    fn later_method(&self) -> Option<Method> {
        self.later_method()
    }
}

/// A saddle-point factorization with a count of its solves.
pub(crate) struct SaddleSolve<T: Scalar> {
    factor: Box<dyn Saddle<T>>,
    rank: usize,
    solves: AtomicUsize,
}

impl<T: Scalar> SaddleSolve<T> {
    /// Takes factors as they are, for steps whose residuals show what they are worth.
    pub(crate) fn rough(factor: Box<dyn Saddle<T>>, rank: usize) -> Self {
        Self { factor, rank, solves: AtomicUsize::new(0) }
    }

    /// Refuses factors of a matrix that is singular to working precision, as at a shift on an eigenvalue.
    pub(crate) fn new(factor: Box<dyn Saddle<T>>, rank: usize) -> Result<Self, AlgebraError> {
        match factor.report().near_singular.first() {
            Some(&(index, pivot)) => Err(AlgebraError::Singular { index, pivot }),
            None => Ok(Self::rough(factor, rank)),
        }
    }
}

impl<T: Scalar> ShiftSolve<T> for SaddleSolve<T> {
    fn solve(&self, f: &Mat<T>, transposed: bool, effort: Effort) -> Result<Solution<T>, EigenError> {
        self.solves.fetch_add(f.ncols(), Ordering::Relaxed);
        let step = effort == Effort::Krylov && !transposed;
        let solved = if step { self.factor.solve_step(f) } else { self.factor.solve_block(f, transposed) };
        let (x, l) = solved.map_err(at("Solve with the shifted saddle-point matrix"))?;
        Ok(Solution { x, l })
    }

    fn displacements(&self, f: MatRef<'_, T>, x: MatMut<'_, T>) -> Result<(), EigenError> {
        self.solves.fetch_add(f.ncols(), Ordering::Relaxed);
        self.factor.solve_into(f, x).map_err(at("Solve with the shifted saddle-point matrix"))
    }

    fn solve_into(&self, f: MatRef<'_, T>, x: MatMut<'_, T>, l: MatMut<'_, T>) -> Result<(), EigenError> {
        self.solves.fetch_add(f.ncols(), Ordering::Relaxed);
        self.factor.solve_step_into(f, x, l).map_err(at("Solve with the shifted saddle-point matrix"))
    }

    fn solve_both(&self, f: &Mat<T>, g: &Mat<T>) -> Option<Solution<T>> {
        self.solves.fetch_add(f.ncols(), Ordering::Relaxed);
        let (x, l) = self.factor.solve_both(f, g)?;
        Some(Solution { x, l })
    }

    fn negative(&self) -> Option<usize> {
        // Every independent constraint adds one positive and one negative eigenvalue.
        self.factor.negative().map(|negative| negative.saturating_sub(self.rank))
    }

    fn work(&self) -> Work {
        let report = self.factor.report();
        let mut failed: Vec<String> =
            report.failed.iter().map(|(method, error)| format!("{method}: {error}")).collect();
        let later = self.factor.later_method();
        if later.is_some() {
            failed.push(format!("{}: some solutions missed their residual", report.method));
        }
        Work {
            solves: self.solves.load(Ordering::Relaxed),
            worst_residual: report.trial.worst(),
            failed,
            method: later.unwrap_or(report.method).to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use mb_algebra::{dense, norms, to_sparse};
    use saddle_ldlt::{SaddleAnalysis, SaddleOptions};

    use crate::krylov::scalar::start_block;

    fn sample() -> (Dense, Dense) {
        let a = Dense::from_fn(6, 6, |i, j| match i.abs_diff(j) {
            0 => 4e6,
            1 => -1e6,
            _ => 0.0,
        });
        let phi = dense::from_rows(&[&[1.0, -1.0, 0.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, 0.0, 0.6, 0.8]]);
        (a, phi)
    }

    #[test]
    fn all_kinds_of_factors_solve_the_same_system() {
        let (a, phi) = sample();
        let rows = to_sparse(&phi);
        let f = start_block::<f64>(6, 3, 1);
        let check = |x: &Dense, l: &Dense| {
            let force = dense::add(1.0, &dense::mul(&a, x), 1.0, &dense::mul_transpose(&phi, l));
            assert!(norms::max_abs(&dense::add(1.0, &force, -1.0, &f)) < 1e-12);
            assert!(norms::max_abs(&dense::mul(&phi, x)) < 1e-18);
        };
        let pattern = to_sparse(&a);
        let analysis = Arc::new(SaddleAnalysis::new(&pattern, &rows, &SaddleOptions::default()).unwrap());
        let factor = SaddleFactor::new(&analysis, &pattern, &rows).unwrap();
        let saddle = SaddleSolve::new(Box::new(factor), 2).unwrap();
        assert_eq!(saddle.negative(), Some(0));
        let lu = SaddleLu::new(&analysis, &pattern, &rows).unwrap();
        let lu = SaddleSolve::new(Box::new(lu), 2).unwrap();
        for solver in [&saddle as &dyn ShiftSolve<f64>, &lu] {
            for transposed in [true, false] {
                let got = solver.solve(&f, transposed, Effort::Final).unwrap();
                check(&got.x, &got.l);
            }
        }
        let complex = to_sparse(&a).map(|v| c64::new(*v, 0.0));
        let lu = SaddleLuComplex::new(&analysis, &complex, &rows).unwrap();
        let got = SaddleSolve::new(Box::new(lu), 2).unwrap();
        let got = got.solve(&dense::to_complex(&f), false, Effort::Final).unwrap();
        check(&got.x.map(|z| z.re), &got.l.map(|z| z.re));
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let a = to_sparse(&dense::diagonal(&[1.0, 0.0, 0.0]));
        let rows = to_sparse(&dense::from_rows(&[&[0.0, 1.0, 0.0]]));
        let analysis = Arc::new(SaddleAnalysis::new(&a, &rows, &SaddleOptions::default()).unwrap());
        let made = SaddleLu::new(&analysis, &a, &rows);
        assert!(made.and_then(|lu| SaddleSolve::new(Box::new(lu), 1)).is_err());
    }
}
