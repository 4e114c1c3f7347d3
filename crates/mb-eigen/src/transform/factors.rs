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
use mb_algebra::{AlgebraError, Dense, DenseC, c64};
use saddle_ldlt::{SaddleFactor, SaddleNumber};

use crate::EigenError;
use crate::error::at;
use crate::krylov::Scalar;

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

/// The image of complex columns under a real map to x and l, their real and imaginary parts side by side.
pub(crate) fn by_parts(
    f: &DenseC,
    map: impl FnOnce(&Dense) -> Result<(Dense, Dense), EigenError>,
) -> Result<(DenseC, DenseC), EigenError> {
    let p = f.ncols();
    let part = |i: usize, j: usize| if j < p { f[(i, j)].re } else { f[(i, j - p)].im };
    let (x, l) = map(&Dense::from_fn(f.nrows(), 2 * p, part))?;
    let join = |a: &Dense| DenseC::from_fn(a.nrows(), p, |i, j| c64::new(a[(i, j)], a[(i, p + j)]));
    Ok((join(&x), join(&l)))
}

/// A saddle-point factorization with a count of its solves.
pub(crate) struct SaddleSolve<T: SaddleNumber> {
    factor: SaddleFactor<T>,
    rank: usize,
    solves: AtomicUsize,
}

/// What an error of a solve is about.
const SOLVE: &str = "Solve with the shifted saddle-point matrix";

impl<T: SaddleNumber> SaddleSolve<T> {
    /// Takes factors as they are, for steps whose residuals show what they are worth.
    pub(crate) fn rough(factor: SaddleFactor<T>, rank: usize) -> Self {
        Self { factor, rank, solves: AtomicUsize::new(0) }
    }

    /// Refuses factors of a matrix that is singular to working precision, as at a shift on an eigenvalue.
    pub(crate) fn new(factor: SaddleFactor<T>, rank: usize) -> Result<Self, AlgebraError> {
        match factor.report().near_singular.first() {
            Some(&(index, pivot)) => Err(AlgebraError::Singular { index, pivot }),
            None => Ok(Self::rough(factor, rank)),
        }
    }
}

impl<T: Scalar + SaddleNumber> ShiftSolve<T> for SaddleSolve<T> {
    fn solve(&self, f: &Mat<T>, transposed: bool, effort: Effort) -> Result<Solution<T>, EigenError> {
        self.solves.fetch_add(f.ncols(), Ordering::Relaxed);
        let solved = match (effort, transposed) {
            (_, true) => self.factor.solve_block_transposed(f),
            (Effort::Krylov, false) => self.factor.solve_block_step(f),
            (Effort::Final, false) => self.factor.solve_block(f),
        };
        let (x, l) = solved.map_err(at(SOLVE))?;
        Ok(Solution { x, l })
    }

    fn displacements(&self, f: MatRef<'_, T>, x: MatMut<'_, T>) -> Result<(), EigenError> {
        self.solves.fetch_add(f.ncols(), Ordering::Relaxed);
        self.factor.solve_block_into(f, x).map_err(at(SOLVE))
    }

    fn solve_into(&self, f: MatRef<'_, T>, x: MatMut<'_, T>, l: MatMut<'_, T>) -> Result<(), EigenError> {
        self.solves.fetch_add(f.ncols(), Ordering::Relaxed);
        self.factor.solve_block_step_into(f, x, l).map_err(at(SOLVE))
    }

    fn solve_both(&self, f: &Mat<T>, g: &Mat<T>) -> Option<Solution<T>> {
        self.solves.fetch_add(f.ncols(), Ordering::Relaxed);
        let (x, l) = self.factor.solve_block_step_with(f, g).ok()?;
        Some(Solution { x, l })
    }

    fn negative(&self) -> Option<usize> {
        // Every independent constraint adds one positive and one negative eigenvalue.
        self.factor.inertia().map(|inertia| inertia.negative.saturating_sub(self.rank))
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
        let saddle = SaddleSolve::new(factor, 2).unwrap();
        assert_eq!(saddle.negative(), Some(0));
        let lu = SaddleFactor::unsymmetric(&analysis, &pattern, &rows).unwrap();
        let lu = SaddleSolve::new(lu, 2).unwrap();
        for solver in [&saddle as &dyn ShiftSolve<f64>, &lu] {
            for transposed in [true, false] {
                let got = solver.solve(&f, transposed, Effort::Final).unwrap();
                check(&got.x, &got.l);
            }
        }
        let complex = to_sparse(&a).map(|v| c64::new(*v, 0.0));
        let lu = SaddleFactor::unsymmetric(&analysis, &complex, &rows).unwrap();
        let got = SaddleSolve::new(lu, 2).unwrap();
        let got = got.solve(&dense::to_complex(&f), false, Effort::Final).unwrap();
        check(&got.x.map(|z| z.re), &got.l.map(|z| z.re));
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let a = to_sparse(&dense::diagonal(&[1.0, 0.0, 0.0]));
        let rows = to_sparse(&dense::from_rows(&[&[0.0, 1.0, 0.0]]));
        let analysis = Arc::new(SaddleAnalysis::new(&a, &rows, &SaddleOptions::default()).unwrap());
        let made = SaddleFactor::unsymmetric(&analysis, &a, &rows);
        assert!(made.and_then(|lu| SaddleSolve::new(lu, 1)).is_err());
    }
}
