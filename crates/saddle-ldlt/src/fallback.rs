//! What stands behind L D L^T and L U on fronts, by the numbers of the matrix: single precision and LU over the whole matrix.

use std::fmt;
use std::sync::Arc;

use super::SaddleAnalysis;
use super::compiled::Compiled;
use super::number::Number;
use super::refined_solve::{Boxed, ScaledSolve, System};
use super::single_precision::SingleLdl;
use super::symmetric_storage::Half;
use mb_algebra::{AlgebraError, Scatter, Sparse, SparseC, SparseLu, SparseLuComplex, Triplets, c64};

/// Numbers with other methods.
pub(super) trait Fallback: Number {
    /// The augmented L D L^T in single precision; `None` when there is none for these numbers.
    fn single(
        _: &Arc<SaddleAnalysis>,
        _: &System<Self>,
        _: &Half<Self>,
    ) -> Option<Result<Boxed<Self>, AlgebraError>> {
        None
    }
    /// LU with exchanges over the whole matrix, without the rows of G in `dropped`.
    fn lu(system: &System<Self>, dropped: &[bool]) -> Result<Boxed<Self>, AlgebraError>;
}

/// The numbers of factors that users hold, `f64` and [`c64`].
#[expect(private_bounds, reason = "how numbers are eliminated is of no use outside")]
pub trait SaddleNumber: Compiled {}

impl SaddleNumber for f64 {}

impl SaddleNumber for c64 {}

impl Fallback for f64 {
    fn single(
        analysis: &Arc<SaddleAnalysis>,
        system: &System<Self>,
        a: &Half<Self>,
    ) -> Option<Result<Boxed<Self>, AlgebraError>> {
        Some(SingleLdl::new(analysis, system, a).map(|ldl| Box::new(ldl) as _))
    }

    fn lu(system: &System<Self>, dropped: &[bool]) -> Result<Boxed<Self>, AlgebraError> {
        let matrix: Sparse = assemble(system, dropped).to_sparse();
        let lu = SparseLu::new(&matrix)?;
        Ok(Box::new(LuSolve { lu, dropped: dropped.to_vec() }))
    }
}

impl Fallback for c64 {
    fn lu(system: &System<Self>, dropped: &[bool]) -> Result<Boxed<Self>, AlgebraError> {
        let matrix: SparseC = assemble(system, dropped).to_sparse_complex();
        let lu = SparseLuComplex::new(&matrix)?;
        Ok(Box::new(LuSolve { lu, dropped: dropped.to_vec() }))
    }
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

/// What factors over the whole matrix do.
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

impl<T: Number, L: SolveOne<T> + fmt::Debug + Send + Sync> ScaledSolve<T> for LuSolve<L> {
    fn solve(&self, system: &System<T>, b: &mut [T], width: usize, transposed: bool) -> bool {
        let mut column = Vec::new();
        for k in 0..width {
            column.clear();
            column.extend(b[k..].iter().step_by(width));
            let mut x = self.lu.solve_one(&column, transposed);
            // Multipliers of rows left out are zero.
            for (l, _) in x[system.unknowns()..].iter_mut().zip(&self.dropped).filter(|(_, d)| **d) {
                *l = T::default();
            }
            b[k..].iter_mut().step_by(width).zip(&x).for_each(|(b, &x)| *b = x);
        }
        true
    }
}
