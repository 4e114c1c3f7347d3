//! Solves with the saddle-point matrix at one shift.
//!
//! ```text
//! [A Phi_i^T; Phi_i 0] [x; l] = [f; 0],   A = a M + b C + c K,  Phi_i the independent rows at length one
//! ```
//!
//! Symmetric A, real or complex: [`mb_algebra::saddle`], one analysis for all shifts. Unsymmetric A: LU with exchanges of
//! the assembled matrix, whose constraint rows are scaled by max |A| (yang2012, section 3), which only changes l; it
//! also solves with the transpose. Methods that failed on the way are named. Every solve is checked by block of rows
//! and refined when it falls short. Sizes: A n x n, Phi_i r x n.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use faer::Mat;
use mb_algebra::saddle::{FactorReport, SaddleFactor, SaddleFactorComplex};
use mb_algebra::{AlgebraError, Dense, DenseC, SparseLu, SparseLuComplex, c64};
use sprs::CsMat;

use super::matrix::Matrix;
use crate::EigenError;
use crate::error::at;
use crate::krylov::Scalar;
use crate::krylov::scalar::{norm, start_block};

/// Relative residual at which a solve is refined.
const WORKING: f64 = 1e-13;
/// Relative residual at which a solve has failed.
const FAILED: f64 = 1e-6;

/// How well a system is to be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// To 1e-13: a step of refinement when the factors alone do not reach it.
    Krylov,
    /// One step of refinement at least.
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
    /// Name for reports.
    fn name(&self) -> &'static str;
    fn solve(&self, b: &Mat<T>) -> Mat<T>;
    fn solve_transposed(&self, b: &Mat<T>) -> Mat<T>;
}

impl Factors<f64> for SparseLu {
    fn name(&self) -> &'static str {
        "sparse LU"
    }

    fn solve(&self, b: &Dense) -> Dense {
        self.solve_mat(b)
    }

    fn solve_transposed(&self, b: &Dense) -> Dense {
        by_column(b, |b| self.solve_transpose(b))
    }
}

impl Factors<c64> for SparseLuComplex {
    fn name(&self) -> &'static str {
        "complex sparse LU"
    }

    fn solve(&self, b: &DenseC) -> DenseC {
        self.solve_mat(b)
    }

    fn solve_transposed(&self, b: &DenseC) -> DenseC {
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

/// The saddle-point matrix assembled and factored as one sparse matrix.
pub(crate) struct Assembled<T> {
    /// By columns.
    matrix: CsMat<T>,
    factors: Box<dyn Factors<T>>,
    /// Factor on the constraint rows.
    scale: f64,
    n: usize,
    rank: usize,
    /// Largest row sum of |A|.
    norm: f64,
    solves: AtomicUsize,
    /// Bits of the worst residual; those of non-negative numbers are ordered as the numbers are.
    worst: AtomicU64,
}

impl Assembled<f64> {
    /// Factors a real matrix stored by columns.
    pub(crate) fn real(a: &CsMat<f64>, rows: &Matrix) -> Result<Self, AlgebraError> {
        let (matrix, scale) = assemble(a, rows);
        let factors = Box::new(SparseLu::new(&matrix)?);
        Self::finish(matrix, factors, scale, rows)
    }
}

impl Assembled<c64> {
    /// Factors a complex matrix stored by columns.
    pub(crate) fn complex(a: &CsMat<c64>, rows: &Matrix) -> Result<Self, AlgebraError> {
        let (matrix, scale) = assemble(a, rows);
        let factors = Box::new(SparseLuComplex::new(&matrix)?);
        Self::finish(matrix, factors, scale, rows)
    }
}

/// [A, k Phi^T; k Phi, 0] by columns with k = max |A|.
fn assemble<T: Scalar>(a: &CsMat<T>, rows: &Matrix) -> (CsMat<T>, f64) {
    let largest = a.data().iter().map(|v| v.square()).fold(0.0, f64::max).sqrt();
    // A power of two changes no digit.
    let scale = if largest > 0.0 { largest.log2().round().exp2() } else { 1.0 };
    (assemble_scaled(a, rows, scale), scale)
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

impl<T: Scalar> Assembled<T> {
    fn finish(
        matrix: CsMat<T>,
        factors: Box<dyn Factors<T>>,
        scale: f64,
        rows: &Matrix,
    ) -> Result<Self, AlgebraError> {
        let rank = rows.sparse().rows();
        let n = matrix.rows() - rank;
        let mut sums = vec![0.0; n];
        for (v, (i, j)) in &matrix {
            if i < n && j < n {
                sums[i] += v.square().sqrt();
            }
        }
        let norm = sums.into_iter().fold(0.0, f64::max);
        let (solves, worst) = (AtomicUsize::new(0), AtomicU64::new(0));
        let out = Self { matrix, factors, scale, n, rank, norm, solves, worst };
        // Factors of a singular matrix can look healthy; a trial shows them.
        let trial = start_block::<T>(n, 1, 0x7e57);
        let (_, residual) = out.attempt(&trial, false, Effort::Krylov);
        if residual <= FAILED {
            Ok(out)
        } else {
            Err(AlgebraError::ResidualTooLarge { residual, tolerance: FAILED })
        }
    }

    /// Stacked solutions with the worst relative residual of the blocks.
    fn attempt(&self, f: &Mat<T>, transposed: bool, effort: Effort) -> (Mat<T>, f64) {
        let p = f.ncols();
        let mut b = Mat::zeros(self.n + self.rank, p);
        b.as_mut().subrows_mut(0, self.n).copy_from(f);
        let solve = |b: &Mat<T>| {
            if transposed { self.factors.solve_transposed(b) } else { self.factors.solve(b) }
        };
        let mut u = solve(&b);
        let (mut r, mut worst) = self.residual(&b, &u, transposed);
        let mut steps = 0;
        while (steps == 0 && effort == Effort::Final) || (worst > WORKING && steps < 3) {
            let d = solve(&r);
            let mut better = u.clone();
            for j in 0..p {
                better.col_as_slice_mut(j).iter_mut().zip(d.col_as_slice(j)).for_each(|(u, d)| *u += *d);
            }
            let (next, error) = self.residual(&b, &better, transposed);
            steps += 1;
            // A NaN loses every comparison and is not taken.
            if !(error <= worst || worst.is_nan()) {
                break;
            }
            let stalled = error > 0.3 * worst;
            (u, r, worst) = (better, next, error);
            if stalled {
                break;
            }
        }
        (u, if worst.is_nan() { f64::INFINITY } else { worst })
    }

    /// b - S u and its size relative to the terms, the larger one of displacement and constraint rows.
    fn residual(&self, b: &Mat<T>, u: &Mat<T>, transposed: bool) -> (Mat<T>, f64) {
        let mut r = b.clone();
        let mut worst = 0.0_f64;
        for j in 0..b.ncols() {
            let (x, r) = (u.col_as_slice(j), r.col_as_slice_mut(j));
            for (i, column) in self.matrix.outer_iterator().enumerate() {
                if transposed {
                    let sum = column.iter().fold(T::default(), |s, (row, v)| s + *v * x[row]);
                    r[i] -= sum;
                } else {
                    column.iter().for_each(|(row, v)| r[row] -= *v * x[i]);
                }
            }
            let (size_x, size_l) = (norm(&x[..self.n]), norm(&x[self.n..]));
            let force = norm(b.col_as_slice(j));
            let terms = self.norm * size_x + self.scale * size_l + force;
            // Where the constraints balance a force alone, x is rounding of what it would move without them.
            let free = if self.norm > 0.0 { force / self.norm } else { 0.0 };
            let held = self.scale * (size_x + free);
            for (rest, terms) in [(norm(&r[..self.n]), terms), (norm(&r[self.n..]), held)] {
                let error = if rest == 0.0 { 0.0 } else { rest / terms };
                if error > worst || error.is_nan() {
                    worst = error;
                }
                if worst.is_nan() {
                    return (b.clone(), f64::NAN);
                }
            }
        }
        (r, worst)
    }
}

impl<T: Scalar> ShiftSolve<T> for Assembled<T> {
    fn solve(&self, f: &Mat<T>, transposed: bool, effort: Effort) -> Result<Solution<T>, EigenError> {
        let (u, worst) = self.attempt(f, transposed, effort);
        self.solves.fetch_add(f.ncols(), Ordering::Relaxed);
        self.worst.fetch_max(worst.to_bits(), Ordering::Relaxed);
        if worst > FAILED {
            let error = AlgebraError::ResidualTooLarge { residual: worst, tolerance: FAILED };
            return Err(at("Solve with the shifted saddle-point matrix")(error));
        }
        let mut l = u.as_ref().subrows(self.n, self.rank).to_owned();
        for j in 0..l.ncols() {
            l.col_as_slice_mut(j).iter_mut().for_each(|l| *l = l.times(self.scale));
        }
        Ok(Solution { x: u.as_ref().subrows(0, self.n).to_owned(), l })
    }

    fn negative(&self) -> Option<usize> {
        None
    }

    fn work(&self) -> Work {
        Work {
            solves: self.solves.load(Ordering::Relaxed),
            worst_residual: f64::from_bits(self.worst.load(Ordering::Relaxed)),
            failed: Vec::new(),
            method: self.factors.name().to_owned(),
        }
    }
}

/// Either saddle-point factorization for symmetric A.
pub(crate) trait Saddle<T>: Send + Sync {
    fn solve_block(&self, f: &Mat<T>) -> Result<(Mat<T>, Mat<T>), AlgebraError>;
    fn negative(&self) -> Option<usize>;
    fn report(&self) -> &FactorReport;
}

impl Saddle<f64> for SaddleFactor {
    fn solve_block(&self, f: &Dense) -> Result<(Dense, Dense), AlgebraError> {
        self.solve_block(f)
    }

    fn negative(&self) -> Option<usize> {
        self.inertia().map(|inertia| inertia.negative)
    }

    fn report(&self) -> &FactorReport {
        self.report()
    }
}

impl Saddle<c64> for SaddleFactorComplex {
    fn solve_block(&self, f: &DenseC) -> Result<(DenseC, DenseC), AlgebraError> {
        self.solve_block(f)
    }

    fn negative(&self) -> Option<usize> {
        None
    }

    fn report(&self) -> &FactorReport {
        self.report()
    }
}

/// A saddle-point factorization with a count of its solves.
pub(crate) struct Symmetric<T> {
    factor: Box<dyn Saddle<T>>,
    rank: usize,
    solves: AtomicUsize,
}

impl<T> Symmetric<T> {
    /// Refuses factors of a matrix that is singular to working precision, as at a shift on an eigenvalue.
    pub(crate) fn new(factor: Box<dyn Saddle<T>>, rank: usize) -> Result<Self, AlgebraError> {
        match factor.report().near_singular.first() {
            Some(&(index, pivot)) => Err(AlgebraError::Singular { index, pivot }),
            None => Ok(Self { factor, rank, solves: AtomicUsize::new(0) }),
        }
    }
}

impl<T: Scalar> ShiftSolve<T> for Symmetric<T> {
    fn solve(&self, f: &Mat<T>, _transposed: bool, _effort: Effort) -> Result<Solution<T>, EigenError> {
        self.solves.fetch_add(f.ncols(), Ordering::Relaxed);
        let (x, l) = self.factor.solve_block(f).map_err(at("Solve with the shifted saddle-point matrix"))?;
        Ok(Solution { x, l })
    }

    fn negative(&self) -> Option<usize> {
        // Every independent constraint adds one positive and one negative eigenvalue.
        self.factor.negative().map(|negative| negative.saturating_sub(self.rank))
    }

    fn work(&self) -> Work {
        let report = self.factor.report();
        Work {
            solves: self.solves.load(Ordering::Relaxed),
            worst_residual: report.trial.worst(),
            failed: report.failed.iter().map(|(method, error)| format!("{method}: {error}")).collect(),
            method: report.method.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use mb_algebra::saddle::{SaddleAnalysis, SaddleOptions};
    use mb_algebra::{dense, norms, to_sparse};

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
        let rows = Matrix::owned(to_sparse(&phi), 0.0);
        let f = start_block::<f64>(6, 3, 1);
        let check = |x: &Dense, l: &Dense| {
            let force = dense::add(1.0, &dense::mul(&a, x), 1.0, &dense::mul_transpose(&phi, l));
            assert!(norms::max_abs(&dense::add(1.0, &force, -1.0, &f)) < 1e-12);
            assert!(norms::max_abs(&dense::mul(&phi, x)) < 1e-18);
        };
        let pattern = to_sparse(&a);
        let analysis = SaddleAnalysis::new(&pattern, rows.sparse(), &SaddleOptions::default()).unwrap();
        let factor = SaddleFactor::new(&Arc::new(analysis), &pattern, rows.sparse()).unwrap();
        let saddle = Symmetric::new(Box::new(factor), 2).unwrap();
        assert_eq!(saddle.negative(), Some(0));
        let assembled = Assembled::real(&pattern, &rows).unwrap();
        for solver in [&saddle as &dyn ShiftSolve<f64>, &assembled] {
            for transposed in [true, false] {
                let got = solver.solve(&f, transposed, Effort::Final).unwrap();
                check(&got.x, &got.l);
            }
        }
        let complex = to_sparse(&a).map(|v| c64::new(*v, 0.0));
        let solver = Assembled::complex(&complex, &rows).unwrap();
        let got = solver.solve(&dense::to_complex(&f), false, Effort::Final).unwrap();
        check(&got.x.map(|z| z.re), &got.l.map(|z| z.re));
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let a = dense::diagonal(&[1.0, 0.0, 0.0]);
        let rows = Matrix::owned(to_sparse(&dense::from_rows(&[&[0.0, 1.0, 0.0]])), 0.0);
        assert!(Assembled::real(&to_sparse(&a), &rows).is_err());
    }
}
