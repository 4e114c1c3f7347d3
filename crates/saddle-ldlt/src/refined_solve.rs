//! Solutions of the saddle-point system, scaled, refined and checked block by block.

use super::SaddleAnalysis;
use super::block_passes::{
    Part, PerColumn, add_scaled, by_width, exceeds, into_order, largest, largest_unscaled, out_of_order,
    spread,
};
use super::kernel::padded;
use super::ldl::AugmentedLdl;
use super::number::Number;
use super::pattern::Csr;
use super::residual::{Subtract, parts};
use super::scaling::{LEAST, Scaling};
use super::symmetric_storage::Stored;
use super::tuning;
use super::workspace::Pool;
use super::{BlockError, SaddleError, SaddleOptions};
use mb_algebra::{AlgebraError, Sparse};
use pulp::Arch;
use sprs::CsMat;

/// Solves with the scaled saddle-point matrix, unchecked.
pub(super) trait ScaledSolve<T: Number>: std::fmt::Debug + Send + Sync {
    /// Overwrites `width` right-hand sides, row by row, unknowns before multipliers; `false` when it gives up.
    ///
    /// `transposed` asks for the transposed matrix, not conjugated; it makes no difference to symmetric ones.
    fn solve(&self, system: &System<T>, b: &mut [T], width: usize, transposed: bool) -> bool;

    /// The same factors, for right-hand sides that come in their order.
    fn in_order(&self) -> Option<&AugmentedLdl<T>> {
        None
    }

    /// The factors, where they are those of the augmented L D L^T.
    fn augmented_ldl(&mut self) -> Option<&mut AugmentedLdl<T>> {
        None
    }
}

/// A solver of any kind.
pub(super) type Boxed<T> = Box<dyn ScaledSolve<T>>;

/// The matrix with its scaling, for residuals.
#[derive(Clone, Debug)]
pub(super) struct System<T: Number> {
    pub(super) a: Stored<T>,
    pub(super) g: Sparse,
    pub(super) scaling: Scaling,
    /// Sums of magnitudes along the rows of the scaled A, G^T and G; along the columns of A where it is not symmetric.
    sums_a: Vec<f64>,
    sums_a_columns: Option<Vec<f64>>,
    sums_gt: Vec<f64>,
    sums_g: Vec<f64>,
    /// Memory of solutions.
    pub(super) pool: Pool<T>,
}

/// Solutions, row by row, with what the check found.
pub(super) struct Checked<T: Number> {
    pub(super) x: Vec<T>,
    pub(super) l: Vec<T>,
    pub(super) error: BlockError,
    pub(super) refinements: usize,
}

impl<T: Number> System<T> {
    pub(super) fn new(a: Stored<T>, g: Sparse, g_cols: &Csr, g_rows: &Csr) -> Self {
        let scaling = Scaling::new(&a, &g, g_cols, g_rows, 0.0);
        Self::with_scaling(a, g, scaling)
    }

    pub(super) fn with_scaling(a: Stored<T>, g: Sparse, scaling: Scaling) -> Self {
        let (n, m) = (a.size(), g.rows());
        let sums_a_columns = matches!(a, Stored::Pair { .. }).then(|| {
            let mut sums = vec![0.0; n];
            a.for_each(|i, j, value| sums[j] += value.size() * scaling.unknowns[i]);
            sums.iter_mut().zip(&scaling.unknowns).for_each(|(sum, s)| *sum *= s);
            sums
        });
        let (sums_a, sums_gt, sums_g) = (vec![0.0; n], vec![0.0; n], vec![0.0; m]);
        let mut out = Self { a, g, scaling, sums_a, sums_a_columns, sums_gt, sums_g, pool: Pool::default() };
        out.sum_up();
        out
    }

    /// Takes even scales for the unknowns of constraints, of a symmetric matrix ([`super::scaling`]).
    pub(super) fn even_out(&mut self, analysis: &SaddleAnalysis) {
        let Self { a, g, scaling, .. } = self;
        scaling.update(a, g, &analysis.g_cols, &analysis.g_rows, LEAST);
        self.sum_up();
    }

    /// Sums of magnitudes along the rows.
    fn sum_up(&mut self) {
        let Self { a, g, scaling, sums_a, sums_gt, sums_g, .. } = self;
        for sums in [&mut *sums_a, &mut *sums_gt, &mut *sums_g] {
            sums.fill(0.0);
        }
        a.for_each(|i, j, value| sums_a[i] += value.size() * scaling.unknowns[j]);
        sums_a.iter_mut().zip(&scaling.unknowns).for_each(|(sum, s)| *sum *= s);
        let (start, rows, values) = parts(g);
        for (j, scale) in scaling.unknowns.iter().enumerate() {
            for (&r, value) in rows[start[j]..start[j + 1]].iter().zip(&values[start[j]..start[j + 1]]) {
                let size = value.abs() * scale;
                sums_gt[j] += size * scaling.rows[r];
                sums_g[r] += size;
            }
        }
    }

    /// Takes the values of a symmetric A and of G in the memory already allocated; false where a pattern is not the same.
    pub(super) fn refill(&mut self, a: &CsMat<T>, g: &Sparse, analysis: &SaddleAnalysis) -> bool {
        let Stored::Half(half) = &mut self.a else { return false };
        let same = self.g.indptr().into_raw_storage() == g.indptr().into_raw_storage()
            && self.g.indices() == g.indices();
        if !g.is_csc() || !same || !half.refill(a, &analysis.symbolic.place) {
            return false;
        }
        self.g.data_mut().copy_from_slice(g.data());
        let Self { a, g, scaling, .. } = self;
        scaling.update(a, g, &analysis.g_cols, &analysis.g_rows, 0.0);
        self.sum_up();
        true
    }

    pub(super) fn unknowns(&self) -> usize {
        self.a.size()
    }

    pub(super) fn constraints(&self) -> usize {
        self.g.rows()
    }

    /// Sum of the magnitudes of all entries of the scaled matrix.
    pub(super) fn sum_of_magnitudes(&self) -> f64 {
        self.sums_a.iter().chain(&self.sums_gt).chain(&self.sums_g).sum()
    }

    /// f -= A x + G^T l and g -= G x, for `width` columns, row by row; A^T in place of A when `transposed`.
    pub(super) fn subtract(
        &self,
        x: &[T],
        l: &[T],
        f: &mut [T],
        g: &mut [T],
        width: usize,
        transposed: bool,
    ) {
        Arch::new().dispatch(Subtract { system: self, x, l, f, g, width, transposed });
    }

    /// Sums along the rows of the scaled A, or of A^T.
    fn sums_a(&self, transposed: bool) -> &[f64] {
        let columns = self.sums_a_columns.as_ref().filter(|_| transposed);
        columns.unwrap_or(&self.sums_a)
    }

    /// Largest backward error of the columns. `sizes`: their displacements |f| / |A| without constraints and |x| with them, and |l|, all
    /// scaled.
    pub(super) fn error(
        &self,
        sizes: [&[f64]; 3],
        rhs: (&[T], &[T]),
        residual: (&[T], &[T]),
        transposed: bool,
    ) -> BlockError {
        by_width!(sizes[0].len(), w => self.error_of(sizes, rhs, residual, transposed, w))
    }

    #[inline(always)]
    fn error_of(
        &self,
        [free, x, l]: [&[f64]; 3],
        rhs: (&[T], &[T]),
        residual: (&[T], &[T]),
        transposed: bool,
        width: usize,
    ) -> BlockError {
        let (s, sums_a) = (&self.scaling, self.sums_a(transposed));
        let (free, x, l) = (&free[..width], &x[..width], &l[..width]);
        let [mut moved, mut carried] = [(); 2].map(|()| PerColumn::new(width));
        let (moved, carried) = (&mut moved.slice()[..width], &mut carried.slice()[..width]);
        // |l| of constraints that carry all of f, over its |x| without constraints.
        let carry = largest_of(&self.sums_gt).map_or(0.0, |g| largest_of(sums_a).unwrap_or(0.0) / g);
        // What is held altogether is a zero with rounding, and so are multipliers of constraints that carry nothing: they are measured
        // as that.
        for k in 0..width {
            // Displacement over what it would be without constraints, and multiplier over what it would be without displacement, below
            // which nothing moves or is carried.
            moved[k] = if x[k] <= tuning::SOLVED * free[k] { free[k] } else { x[k] };
            let all = carry * free[k];
            carried[k] = if l[k] <= tuning::SOLVED * all { all } else { l[k] };
        }
        let mut worst = BlockError::default();
        let rows = residual.0.chunks_exact(width).zip(rhs.0.chunks_exact(width));
        for (i, (residual, rhs)) in rows.enumerate() {
            let (scale, a, g) = (s.unknowns[i], sums_a[i], self.sums_gt[i]);
            let errors = || {
                residual.iter().zip(rhs).zip(moved.iter().zip(&*carried)).map(
                    |((residual, rhs), (&x, &l))| {
                        (scale * residual.size(), a * x + g * l + scale * rhs.size())
                    },
                )
            };
            if exceeds(errors(), worst.displacement) {
                errors().for_each(|(error, size)| raise(&mut worst.displacement, error, size));
            }
        }
        let none = T::default();
        for (r, residual) in residual.1.chunks_exact(width).enumerate() {
            let sum = self.sums_g[r];
            let rhs = |k: usize| rhs.1.get(r * width + k).unwrap_or(&none).size();
            let errors = || {
                let sizes = x.iter().zip(free).map(|(x, free)| sum * (x + free));
                residual
                    .iter()
                    .zip(sizes)
                    .enumerate()
                    .map(|(k, (residual, size))| (residual.size(), size + rhs(k)))
            };
            if exceeds(errors(), worst.constraint) {
                errors().for_each(|(error, size)| raise(&mut worst.constraint, error, size));
            }
        }
        worst
    }

    /// |f| / |A| from the columns' largest |f|, scaled: the displacement that the constraints hold back. Where
    /// they balance a force alone x is rounding of that size, and G x is not small against |G| |x|.
    pub(super) fn displacement_if_free(&self, transposed: bool, sizes: &mut [f64]) {
        let stiffest = largest_of(self.sums_a(transposed));
        for size in sizes {
            *size = stiffest.map_or(0.0, |stiffest| *size / stiffest);
        }
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
        transposed: bool,
    ) -> Option<Checked<T>> {
        let (n, m) = (self.unknowns(), self.constraints());
        let s = &self.scaling;
        let mut b = self.pool.any((n + m) * width);
        let [mut free, mut sizes_x, mut sizes_l] = [(); 3].map(|()| PerColumn::new(width));
        let [free, sizes_x, sizes_l] = [free.slice(), sizes_x.slice(), sizes_l.slice()];
        let (mut x, mut l) = (self.pool.any(n * width), self.pool.any(m * width));
        let ordered = solver.in_order().filter(|_| g.is_empty() && width <= tuning::WIDTH);
        if let Some(ldl) = ordered {
            let lanes = padded(width);
            let mut ordered = self.pool.any((n + m) * lanes);
            into_order(&mut ordered, lanes, ldl.order(), f, &s.unknowns, free);
            ldl.substitute(self, &mut ordered, lanes);
            let mut of_x = Part { values: &mut x, scale: &s.unknowns, sizes: &mut *sizes_x };
            let mut of_l = Part { values: &mut l, scale: &s.rows, sizes: &mut *sizes_l };
            out_of_order(&ordered, lanes, ldl.order(), &mut of_x, &mut of_l);
            self.pool.give(ordered);
        } else {
            spread(&mut b[..n * width], f, &s.unknowns, width);
            spread(&mut b[n * width..], g, &s.rows, width);
            largest(&b[..n * width], free);
        }
        self.displacement_if_free(transposed, free);
        let mut best: Option<Checked<T>> = None;
        for step in 0..=options.max_refinements {
            let first = step == 0 && ordered.is_some();
            if !first && !solver.solve(self, &mut b, width, transposed) {
                break;
            }
            let (rf, rg) = b.split_at_mut(n * width);
            if step == 0 && !first {
                spread(&mut x, rf, &s.unknowns, width);
                spread(&mut l, rg, &s.rows, width);
                largest(rf, sizes_x);
                largest(rg, sizes_l);
            } else if !first {
                add_scaled(&mut x, rf, &s.unknowns, width);
                add_scaled(&mut l, rg, &s.rows, width);
                sizes_x.fill(0.0);
                sizes_l.fill(0.0);
                largest_unscaled(&x, &s.unknowns, sizes_x);
                largest_unscaled(&l, &s.rows, sizes_l);
            }
            // The residual takes the place of the correction that has been added.
            rf.copy_from_slice(f);
            rg[..g.len()].copy_from_slice(g);
            rg[g.len()..].fill(T::default());
            self.subtract(&x, &l, rf, rg, width, transposed);
            let error = self.error([&*free, &*sizes_x, &*sizes_l], (f, g), (rf, rg), transposed);
            let before = best.as_ref().map_or(f64::INFINITY, |b| b.error.worst());
            if !error.worst().is_finite() {
                break;
            }
            let better = error.worst() < before;
            let enough = error.worst() <= options.refine_above && (step > 0 || options.refine_above > 0.0);
            if enough || error.worst() > 0.5 * before || step == options.max_refinements {
                if better {
                    self.give_back(best.take());
                    best = Some(Checked { x, l, error, refinements: step });
                    (x, l) = (Vec::new(), Vec::new());
                }
                break;
            }
            if better {
                let mut kept = best.take().map_or_else(
                    || (self.pool.any(n * width), self.pool.any(m * width)),
                    |best| (best.x, best.l),
                );
                kept.0.copy_from_slice(&x);
                kept.1.copy_from_slice(&l);
                best = Some(Checked { x: kept.0, l: kept.1, error, refinements: step });
            }
            for (row, &scale) in b.chunks_exact_mut(width).zip(s.unknowns.iter().chain(&s.rows)) {
                for x in row {
                    *x = x.scaled(scale);
                }
            }
        }
        for array in [b, x, l] {
            self.pool.give(array);
        }
        best
    }

    fn give_back(&self, solution: Option<Checked<T>>) {
        if let Some(found) = solution {
            self.pool.give(found.x);
            self.pool.give(found.l);
        }
    }
}

/// The largest of some sums of magnitudes, where that is not zero.
fn largest_of(sums: &[f64]) -> Option<f64> {
    Some(sums.iter().copied().fold(0.0, f64::max)).filter(|largest| *largest > 0.0)
}

/// An error when the solution is not good enough.
pub(super) fn accept<T: Number>(
    found: Option<Checked<T>>,
    tolerance: f64,
) -> Result<Checked<T>, AlgebraError> {
    let Some(found) = found else {
        let lost = f64::NAN;
        return Err(SaddleError::ResidualTooLarge { displacement: lost, constraint: lost, tolerance }.into());
    };
    if found.error.worst() <= tolerance {
        return Ok(found);
    }
    let BlockError { displacement, constraint } = found.error;
    Err(SaddleError::ResidualTooLarge { displacement, constraint, tolerance }.into())
}

/// Raises `worst` to error / size; NaN stays.
#[inline(always)]
fn raise(worst: &mut f64, error: f64, size: f64) {
    // As a rule: a product in place of a quotient.
    if error <= *worst * size {
        return;
    }
    let ratio = if error == 0.0 { 0.0 } else { error / size };
    if ratio > *worst || ratio.is_nan() {
        *worst = ratio;
    }
}
