//! The robust methods, for matrices on which L D L^T without exchanges between blocks fails.

use std::fmt;
use std::sync::Arc;

use sprs::CsMat;

use super::checked::{ScaledSolve, System};
use super::half::Half;
use super::later::Boxed;
use super::number::Number;
use super::single::SingleLdl;
use super::{Inertia, Method, SaddleAnalysis, SaddleError};
use crate::{
    AlgebraError, Dense, DenseC, Lu, LuComplex, Scatter, Sparse, SparseC, SparseLu, SparseLuComplex, Svd,
    Triplets, c64, to_dense,
};

/// A robust solver and the inertia it found.
pub(super) type Robust<T> = (Boxed<T>, Option<Inertia>);

/// Numbers with robust methods.
pub(super) trait Fallback: Number {
    /// The augmented L D L^T in single precision; `None` when there is none for these numbers.
    fn single(
        analysis: &Arc<SaddleAnalysis>,
        system: &System<Self>,
        a: &Half<Self>,
    ) -> Option<Result<Box<dyn ScaledSolve<Self>>, AlgebraError>>;
    /// Factors by a method that is not [`Method::AugmentedLdl`]; `None` when there is none for these numbers.
    fn robust(
        method: Method,
        system: &System<Self>,
        dropped: &[bool],
    ) -> Option<Result<Robust<Self>, AlgebraError>>;
    /// LU of the dense matrix; `None` where a pivot is zero.
    fn dense(system: &System<Self>, dropped: &[bool]) -> Option<Boxed<Self>>;
    /// Singular values of the dense matrix; `None` where their iteration fails.
    fn shortest(system: &System<Self>, dropped: &[bool]) -> Option<Boxed<Self>>;
}

impl Fallback for f64 {
    fn single(
        analysis: &Arc<SaddleAnalysis>,
        system: &System<Self>,
        a: &Half<Self>,
    ) -> Option<Result<Box<dyn ScaledSolve<Self>>, AlgebraError>> {
        let boxed = |ldl| -> Box<dyn ScaledSolve<Self>> { Box::new(ldl) };
        Some(SingleLdl::new(analysis, system, a).map(boxed))
    }

    fn robust(
        method: Method,
        system: &System<Self>,
        dropped: &[bool],
    ) -> Option<Result<Robust<Self>, AlgebraError>> {
        match method {
            Method::AugmentedLdl
            | Method::SingleLdl
            | Method::AugmentedLu
            | Method::DenseLu
            | Method::Shortest => None,
            Method::ThresholdLdl => Some(Threshold::factor(system, dropped)),
            Method::Lu => {
                let matrix: Sparse = assemble(system, dropped).to_sparse();
                Some(SparseLu::new(&matrix).map(|lu| boxed(LuSolve { lu, dropped: dropped.to_vec() })))
            }
        }
    }

    fn dense(system: &System<Self>, dropped: &[bool]) -> Option<Boxed<Self>> {
        let lu = Lu::new(&to_dense(&assemble(system, dropped).to_sparse())).ok()?;
        Some(Box::new(LuSolve { lu, dropped: dropped.to_vec() }))
    }

    fn shortest(system: &System<Self>, dropped: &[bool]) -> Option<Boxed<Self>> {
        let svd = Svd::new(&to_dense(&assemble(system, dropped).to_sparse())).ok()?;
        Some(Box::new(LuSolve { lu: Singular(svd), dropped: dropped.to_vec() }))
    }
}

impl Fallback for c64 {
    fn single(
        _: &Arc<SaddleAnalysis>,
        _: &System<Self>,
        _: &Half<Self>,
    ) -> Option<Result<Box<dyn ScaledSolve<Self>>, AlgebraError>> {
        None
    }

    fn robust(
        method: Method,
        system: &System<Self>,
        dropped: &[bool],
    ) -> Option<Result<Robust<Self>, AlgebraError>> {
        if method != Method::Lu {
            return None;
        }
        let matrix: SparseC = assemble(system, dropped).to_sparse_complex();
        Some(SparseLuComplex::new(&matrix).map(|lu| boxed(LuSolve { lu, dropped: dropped.to_vec() })))
    }

    fn dense(system: &System<Self>, dropped: &[bool]) -> Option<Boxed<Self>> {
        let lu = LuComplex::new(&complex_dense(system, dropped)).ok()?;
        Some(Box::new(LuSolve { lu, dropped: dropped.to_vec() }))
    }

    fn shortest(system: &System<Self>, dropped: &[bool]) -> Option<Boxed<Self>> {
        let a = complex_dense(system, dropped);
        let n = a.nrows();
        let svd = Svd::new(&Dense::from_fn(2 * n, 2 * n, |i, j| {
            let entry = a[(i % n, j % n)];
            match (i < n, j < n) {
                (true, false) => -entry.im,
                (false, true) => entry.im,
                _ => entry.re,
            }
        }));
        Some(Box::new(LuSolve { lu: Singular(svd.ok()?), dropped: dropped.to_vec() }))
    }
}

fn complex_dense(system: &System<c64>, dropped: &[bool]) -> DenseC {
    let sparse: SparseC = assemble(system, dropped).to_sparse_complex();
    let mut out = DenseC::zeros(sparse.rows(), sparse.cols());
    sparse.iter().for_each(|(&value, (i, j))| out[(i, j)] = value);
    out
}

fn boxed<T: Number>(solver: impl ScaledSolve<T> + 'static) -> Robust<T> {
    (Box::new(solver), None)
}

/// The scaled saddle-point matrix; the row of a constraint left out is that of the identity.
fn assemble<T: Number>(system: &System<T>, dropped: &[bool]) -> Triplets<T> {
    let (n, m) = (system.unknowns(), system.constraints());
    let s = &system.scaling;
    let mut out = Triplets::with_capacity(n + m, n + m, system.a.entries() + 2 * system.g.nnz());
    system.a.for_each(|i, j, value| out.add(i, j, value.scaled(s.unknowns[i] * s.unknowns[j])));
    for (j, column) in system.g.outer_iterator().enumerate() {
        for (r, &value) in column.iter().filter(|(r, _)| !dropped[*r]) {
            let value = T::from_real(value * s.rows[r] * s.unknowns[j]);
            out.add(n + r, j, value);
            out.add(j, n + r, value);
        }
    }
    for r in (0..m).filter(|&r| dropped[r]) {
        out.add(n + r, n + r, T::UNIT);
    }
    out
}

#[derive(Debug)]
struct LuSolve<L> {
    lu: L,
    dropped: Vec<bool>,
}

/// What all factors over the whole matrix do.
trait SolveOne<T> {
    fn solve_one(&self, b: &[T], transposed: bool) -> Vec<T>;
}

impl SolveOne<f64> for SparseLu {
    fn solve_one(&self, b: &[f64], transposed: bool) -> Vec<f64> {
        if transposed { self.solve_transpose(b) } else { self.solve(b) }
    }
}

impl SolveOne<c64> for SparseLuComplex {
    fn solve_one(&self, b: &[c64], transposed: bool) -> Vec<c64> {
        if transposed { self.solve_transpose(b) } else { self.solve(b) }
    }
}

impl SolveOne<f64> for Lu {
    fn solve_one(&self, b: &[f64], transposed: bool) -> Vec<f64> {
        if transposed { self.solve_transpose(b) } else { self.solve(b) }
    }
}

impl SolveOne<c64> for LuComplex {
    fn solve_one(&self, b: &[c64], transposed: bool) -> Vec<c64> {
        if transposed { self.solve_transpose(b) } else { self.solve(b) }
    }
}

/// A = U S V^T for shortest solutions; of a complex matrix the real form [Re A, -Im A; Im A, Re A].
#[derive(Debug)]
struct Singular(Svd);

impl SolveOne<f64> for Singular {
    fn solve_one(&self, b: &[f64], transposed: bool) -> Vec<f64> {
        let Svd { u, s, v } = &self.0;
        let (from, to) = if transposed { (v, u) } else { (u, v) };
        let cut = f64::EPSILON * s.len() as f64 * s.first().copied().unwrap_or(0.0);
        let mut y = crate::dense::matvec_transpose(from, b);
        y.iter_mut().zip(s).for_each(|(y, s)| *y = if *s > cut { *y / s } else { 0.0 });
        crate::dense::matvec(to, &y)
    }
}

impl SolveOne<c64> for Singular {
    fn solve_one(&self, b: &[c64], transposed: bool) -> Vec<c64> {
        // The transpose of the real form is that of A^H, and A^T x = b says A^H x* = b*.
        let sign = if transposed { -1.0 } else { 1.0 };
        let real: Vec<f64> = b.iter().map(|z| z.re).chain(b.iter().map(|z| sign * z.im)).collect();
        let x = SolveOne::<f64>::solve_one(self, &real, transposed);
        let (re, im) = x.split_at(b.len());
        re.iter().zip(im).map(|(re, im)| c64::new(*re, sign * im)).collect()
    }
}

impl<T: Number, L: SolveOne<T> + fmt::Debug + Send + Sync> ScaledSolve<T> for LuSolve<L> {
    fn solve(&self, system: &System<T>, b: &mut [T], width: usize, transposed: bool) -> bool {
        by_column(b, width, |column| {
            column.copy_from_slice(&self.lu.solve_one(column, transposed));
            clear(column, system.unknowns(), &self.dropped);
            true
        })
    }
}

/// Multipliers of rows left out are zero.
fn clear<T: Number>(column: &mut [T], n: usize, dropped: &[bool]) {
    for (l, _) in column[n..].iter_mut().zip(dropped).filter(|(_, d)| **d) {
        *l = T::default();
    }
}

/// Applies `solve` to each column of `width` right-hand sides stored row by row.
fn by_column<T: Number>(b: &mut [T], width: usize, solve: impl Fn(&mut [T]) -> bool) -> bool {
    let mut column = Vec::new();
    for k in 0..width {
        column.clear();
        column.extend(b[k..].iter().step_by(width));
        if !solve(&mut column) {
            return false;
        }
        b[k..].iter_mut().step_by(width).zip(&column).for_each(|(b, &x)| *b = x);
    }
    true
}

/// L D L^T with threshold pivoting.
struct Threshold {
    solver: feral::Solver,
    dropped: Vec<bool>,
}

impl fmt::Debug for Threshold {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Threshold").field("inertia", &self.solver.inertia()).finish_non_exhaustive()
    }
}

impl Threshold {
    fn factor(system: &System<f64>, dropped: &[bool]) -> Result<Robust<f64>, AlgebraError> {
        let matrix: Sparse = assemble(system, dropped).to_sparse();
        let lower = lower_triangle(&matrix);
        let mut solver = feral::Solver::new().with_parallel(false);
        match solver.factor(&lower, None) {
            feral::FactorStatus::Success => {}
            feral::FactorStatus::Singular => return Err(SaddleError::SingularThreshold.into()),
            _ => return Err(SaddleError::ThresholdIncomplete.into()),
        }
        if solver.inertia().is_some_and(|i| i.zero > 0) {
            return Err(SaddleError::SingularThreshold.into());
        }
        let zero = dropped.iter().filter(|&&d| d).count();
        let inertia = solver.inertia().map(|i| Inertia {
            // Each row left out stands as a one.
            positive: i.positive - zero,
            negative: i.negative,
            zero,
        });
        Ok((Box::new(Self { solver, dropped: dropped.to_vec() }), inertia))
    }
}

fn lower_triangle(a: &CsMat<f64>) -> feral::CscMatrix {
    let (mut col_ptr, mut row_idx, mut values) = (vec![0], Vec::new(), Vec::new());
    for (j, column) in a.outer_iterator().enumerate() {
        for (i, &value) in column.iter().filter(|(i, _)| *i >= j) {
            row_idx.push(i);
            values.push(value);
        }
        col_ptr.push(row_idx.len());
    }
    feral::CscMatrix { n: a.cols(), col_ptr, row_idx, values }
}

impl ScaledSolve<f64> for Threshold {
    fn solve(&self, system: &System<f64>, b: &mut [f64], width: usize, _transposed: bool) -> bool {
        by_column(b, width, |column| {
            let Ok(x) = self.solver.solve(column) else { return false };
            column.copy_from_slice(&x);
            clear(column, system.unknowns(), &self.dropped);
            true
        })
    }
}
