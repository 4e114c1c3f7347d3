//! Solutions of the saddle-point system, scaled, refined and checked block by block.

use sprs::CsMat;

use super::number::Number;
use super::pattern::Csr;
use super::scaling::Scaling;
use super::{BlockError, SaddleError, SaddleOptions};
use crate::{AlgebraError, Sparse};

/// Solves with the scaled saddle-point matrix, unchecked.
pub(super) trait ScaledSolve<T: Number>: std::fmt::Debug + Send + Sync {
    /// Overwrites `width` right-hand sides, row by row, unknowns before multipliers; `false` when it gives up.
    fn solve(&self, system: &System<T>, b: &mut [T], width: usize) -> bool;
}

/// The matrix with its scaling, for residuals.
#[derive(Clone, Debug)]
pub(super) struct System<T: Number> {
    pub(super) a: CsMat<T>,
    pub(super) g: Sparse,
    pub(super) scaling: Scaling,
    /// Sums of magnitudes along the rows of the scaled A, G^T and G.
    sums_a: Vec<f64>,
    sums_gt: Vec<f64>,
    sums_g: Vec<f64>,
}

/// Solutions, row by row, with what the check found.
pub(super) struct Checked<T: Number> {
    pub(super) x: Vec<T>,
    pub(super) l: Vec<T>,
    pub(super) error: BlockError,
    /// Row of the constraint with the largest error.
    pub(super) worst_row: usize,
    pub(super) refinements: usize,
}

impl<T: Number> System<T> {
    pub(super) fn new(a: CsMat<T>, g: Sparse, g_cols: &Csr, g_rows: &Csr) -> Self {
        let scaling = Scaling::new(&a, &g, g_cols, g_rows);
        Self::with_scaling(a, g, scaling)
    }

    pub(super) fn with_scaling(a: CsMat<T>, g: Sparse, scaling: Scaling) -> Self {
        let (n, m) = (a.cols(), g.rows());
        let (mut sums_a, mut sums_gt, mut sums_g) = (vec![0.0; n], vec![0.0; n], vec![0.0; m]);
        for (j, column) in a.outer_iterator().enumerate() {
            let scale = scaling.unknowns[j];
            for (i, value) in column.iter() {
                sums_a[i] += value.size() * scale;
            }
        }
        sums_a.iter_mut().zip(&scaling.unknowns).for_each(|(sum, s)| *sum *= s);
        for (j, column) in g.outer_iterator().enumerate() {
            for (r, &value) in column.iter() {
                let size = value.abs() * scaling.unknowns[j];
                sums_gt[j] += size * scaling.rows[r];
                sums_g[r] += size;
            }
        }
        Self { a, g, scaling, sums_a, sums_gt, sums_g }
    }

    pub(super) fn unknowns(&self) -> usize {
        self.a.cols()
    }

    pub(super) fn constraints(&self) -> usize {
        self.g.rows()
    }

    /// f -= A x + G^T l and g -= G x, for `width` columns.
    pub(super) fn subtract(&self, x: &[T], l: &[T], f: &mut [T], g: &mut [T], width: usize) {
        for (j, column) in self.a.outer_iterator().enumerate() {
            let x = &x[j * width..(j + 1) * width];
            for (i, &value) in column.iter() {
                for (f, &x) in f[i * width..(i + 1) * width].iter_mut().zip(x) {
                    *f -= value * x;
                }
            }
        }
        for (j, column) in self.g.outer_iterator().enumerate() {
            for (r, &value) in column.iter() {
                for k in 0..width {
                    f[j * width + k] -= l[r * width + k].scaled(value);
                    g[r * width + k] -= x[j * width + k].scaled(value);
                }
            }
        }
    }

    /// Largest backward error of the columns, and the constraint row it is largest in.
    fn error(
        &self,
        sol: (&[T], &[T]),
        rhs: (&[T], &[T]),
        res: (&[T], &[T]),
        width: usize,
    ) -> (BlockError, usize) {
        let s = &self.scaling;
        let mut worst = BlockError::default();
        let mut row = 0;
        let largest = |x: &[T], scale: &[f64], k: usize| {
            let sizes = x[k..].iter().step_by(width).zip(scale);
            sizes.fold(0.0_f64, |m, (x, s)| m.max(x.size() / s))
        };
        for k in 0..width {
            let x = largest(sol.0, &s.unknowns, k);
            let l = if sol.1.is_empty() { 0.0 } else { largest(sol.1, &s.rows, k) };
            for i in 0..self.unknowns() {
                let at = i * width + k;
                let scale = s.unknowns[i];
                let size = self.sums_a[i] * x + self.sums_gt[i] * l + scale * rhs.0[at].size();
                let error = scale * res.0[at].size();
                raise(&mut worst.displacement, error, size);
            }
            for r in 0..self.constraints() {
                let at = r * width + k;
                let size = self.sums_g[r] * x + rhs.1.get(at).map_or(0.0, |g| g.size());
                if raise(&mut worst.constraint, res.1[at].size(), size) {
                    row = r;
                }
            }
        }
        (worst, row)
    }

    /// Solves for `width` right-hand sides, row by row; `g` empty for zero.
    ///
    /// `None` when the solver gives up.
    pub(super) fn solve(
        &self,
        solver: &dyn ScaledSolve<T>,
        options: &SaddleOptions,
        f: &[T],
        g: &[T],
        width: usize,
    ) -> Option<Checked<T>> {
        let (n, m) = (self.unknowns(), self.constraints());
        let mut b = vec![T::default(); (n + m) * width];
        let scale = |b: &mut [T], f: &[T], g: &[T]| {
            let (top, low) = b.split_at_mut(n * width);
            spread(top, f, &self.scaling.unknowns, width);
            if g.is_empty() {
                low.fill(T::default());
            } else {
                spread(low, g, &self.scaling.rows, width);
            }
        };
        scale(&mut b, f, g);
        let (mut x, mut l) = (vec![T::default(); n * width], vec![T::default(); m * width]);
        let mut best: Option<Checked<T>> = None;
        for step in 0..=options.max_refinements {
            if !solver.solve(self, &mut b, width) {
                break;
            }
            gather(&mut x, &b[..n * width], &self.scaling.unknowns, width);
            gather(&mut l, &b[n * width..], &self.scaling.rows, width);
            let mut rf = f.to_vec();
            let mut rg = if g.is_empty() { vec![T::default(); m * width] } else { g.to_vec() };
            self.subtract(&x, &l, &mut rf, &mut rg, width);
            let (error, worst_row) = self.error((&x, &l), (f, g), (&rf, &rg), width);
            let before = best.as_ref().map_or(f64::INFINITY, |b| b.error.worst());
            if error.worst() < before {
                best = Some(Checked { x: x.clone(), l: l.clone(), error, worst_row, refinements: step });
            }
            let enough = error.worst() <= options.refine_above && (step > 0 || options.refine_above > 0.0);
            if enough || !error.worst().is_finite() || error.worst() > 0.5 * before {
                break;
            }
            scale(&mut b, &rf, &rg);
        }
        best
    }

    /// An error when the solution is not good enough.
    pub(super) fn accept(
        &self,
        found: Option<Checked<T>>,
        tolerance: f64,
        dependent: &[bool],
    ) -> Result<Checked<T>, AlgebraError> {
        let Some(found) = found else {
            let lost = f64::NAN;
            return Err(
                SaddleError::ResidualTooLarge { displacement: lost, constraint: lost, tolerance }.into()
            );
        };
        if found.error.worst() <= tolerance {
            return Ok(found);
        }
        let BlockError { displacement, constraint } = found.error;
        // Only rows left out can be violated while the equations solved hold.
        if displacement <= tolerance && dependent.iter().any(|&d| d) {
            return Err(SaddleError::Inconsistent { row: found.worst_row, residual: constraint }.into());
        }
        Err(SaddleError::ResidualTooLarge { displacement, constraint, tolerance }.into())
    }
}

/// Raises `worst` to error / size; tells whether it did.
fn raise(worst: &mut f64, error: f64, size: f64) -> bool {
    let ratio = if error == 0.0 { 0.0 } else { error / size };
    let higher = ratio > *worst || ratio.is_nan();
    if higher {
        *worst = ratio;
    }
    higher
}

fn spread<T: Number>(to: &mut [T], from: &[T], scale: &[f64], width: usize) {
    for ((to, from), &s) in to.chunks_exact_mut(width).zip(from.chunks_exact(width)).zip(scale) {
        to.iter_mut().zip(from).for_each(|(t, f)| *t = f.scaled(s));
    }
}

fn gather<T: Number>(to: &mut [T], from: &[T], scale: &[f64], width: usize) {
    for ((to, from), &s) in to.chunks_exact_mut(width).zip(from.chunks_exact(width)).zip(scale) {
        to.iter_mut().zip(from).for_each(|(t, f)| *t += f.scaled(s));
    }
}
