//! Solutions for the steps of a Krylov method: one pass into the order of elimination, one pass out of it, one check for a block.
//!
//! ```text
//! A X + G^T L = F, G X = 0;   x = X z, l = L z, f = F z  with  z_k = +-1 / |f_k|
//! |f - A x - G^T l| <= e (|A| |x| + |G^T| |l| + |f|),   |G x| <= e |G| (|x| + |f| / |A|)     by rows, as for one solution
//! ```
//!
//! Factors that spoil a column of X spoil the combination too: errors of several columns cancel by chance only. So the check
//! costs what that of one column does, and no residuals of the others are formed. Where the combination would
//! have to be refined, the block is solved as any other; so are all after it where the trial of the factors had to be refined as well,
//! and all where that took more than one refinement. With G X = H in place of zero H z is added to f.
//! Sizes: F n x p, H m x p, p <= 8 at a time; two passes over p (n + m) numbers in addition to the substitutions.

use std::sync::atomic::Ordering;

use faer::{ColMut, ColRef, MatMut, MatRef};

use super::block_passes::by_width;
use super::column_blocks::Right;
use super::fallback::Fallback;
use super::kernel::padded;
use super::methods::Factored;
use super::number::Number;
use super::scaling::Scaling;
use super::tuning;
use mb_algebra::AlgebraError;

/// The combination as it is gathered.
struct Combined<'a, T> {
    /// z.
    by: &'a [f64],
    /// Of the unknowns and of the multipliers.
    unknowns: &'a mut [T],
    multipliers: &'a mut [T],
}

impl<T: Fallback> Factored<T> {
    /// X, and L where asked for, for the columns of F and H for a step of an iteration, checked by one combination.
    pub(super) fn solve_step(
        &self,
        (f, h): Right<'_, T>,
        mut x: MatMut<'_, T>,
        mut l: Option<MatMut<'_, T>>,
    ) -> Result<(), AlgebraError> {
        let (n, m, p) = (self.system.unknowns(), self.system.constraints(), f.ncols());
        assert_eq!(f.nrows(), n, "saddle-point solve: right-hand side of wrong length");
        assert_eq!(x.shape(), (n, p), "saddle-point solve: solution of wrong shape");
        assert!(
            l.as_ref().is_none_or(|l| l.shape() == (m, p)),
            "saddle-point solve: multipliers of wrong shape"
        );
        let h = h.filter(|_| m > 0);
        assert!(h.is_none_or(|h| h.shape() == (m, p)), "saddle-point solve: right-hand side of wrong shape");
        for first in (0..p).step_by(tuning::WIDTH) {
            let width = tuning::WIDTH.min(p - first);
            let (right, mut x) = (
                (f.subcols(first, width), h.map(|h| h.subcols(first, width))),
                x.as_mut().subcols_mut(first, width),
            );
            let mut l = l.as_mut().filter(|_| m > 0).map(|l| l.as_mut().subcols_mut(first, width));
            if !self.solve_lightly(right, x.as_mut(), l.as_mut().map(MatMut::as_mut)) {
                self.solve_few(right, first, false, x, l)?;
            }
        }
        Ok(())
    }

    /// X and L for the columns of F and H, at most [`tuning::WIDTH`], by the factors as they are; false, with anything in both, where they
    /// do not do, or where multipliers of dependent rows would have to be chosen.
    fn solve_lightly(
        &self,
        (f, h): Right<'_, T>,
        mut x: MatMut<'_, T>,
        mut l: Option<MatMut<'_, T>>,
    ) -> bool {
        let (system, options) = (&self.system, &self.options);
        let ready = options.trial
            && !T::COMPLEX
            && match self.report.trial_refinements {
                0 => true,
                // Its right-hand side is one of many: others may do without, until one is seen that does not.
                1 => !self.spoiled.load(Ordering::Relaxed),
                _ => false,
            }
            && ((l.is_none() && h.is_none()) || self.dependent.rows.is_empty());
        let Some(ldl) = self.solver.in_order().filter(|_| ready) else { return false };
        let columns = in_columns(f);
        let lower = h.map(in_columns).unwrap_or_default();
        let mut to = slices(&mut x);
        let mut to_l = l.as_mut().map(slices).unwrap_or_default();
        let (n, m, width) = (system.unknowns(), system.constraints(), f.ncols());
        let mut by = [0.0; tuning::WIDTH];
        if columns.len() != width || to.len() != width || !weights(&columns, &mut by[..width]) {
            return false;
        }
        // A column that asks something of G x alone is none of the combination.
        let mut asked = [0.0; tuning::WIDTH];
        if !lower.is_empty()
            && (lower.len() != width
                || !weights(&lower, &mut asked[..width])
                || by.iter().zip(asked).any(|(by, asked)| *by == 0.0 && asked != 0.0))
        {
            return false;
        }
        let (pool, scaling, lanes, order) = (&system.pool, &system.scaling, padded(width), ldl.order());
        let by = &by[..width];
        let (mut ordered, mut rest) = (pool.any((n + m) * lanes), pool.any(n + m));
        let (mut force, mut whole) = (pool.any(n), pool.any(n + m));
        let mut ask = pool.any(if lower.is_empty() { 0 } else { m });
        let mut combined = Combined { by, unknowns: &mut force, multipliers: &mut ask };
        by_width!(width, w => gather(&mut ordered, lanes, order, [&columns, &lower], scaling, &mut combined, w));
        ldl.ask(system, &mut ordered, lanes, &lower);
        ldl.substitute(system, &mut ordered, lanes);
        let (of_x, of_l) = whole.split_at_mut(n);
        let mut combined = Combined { by, unknowns: of_x, multipliers: of_l };
        let (mut of_x, mut of_l) = ((&mut to[..], &scaling.unknowns[..]), (&mut to_l[..], &scaling.rows[..]));
        by_width!(width, w => scatter(&ordered, lanes, order, &mut of_x, &mut of_l, &mut combined, w));
        let (of_x, of_l) = whole.split_at(n);
        let (rest_f, rest_g) = rest.split_at_mut(n);
        rest_f.copy_from_slice(&force);
        rest_g[..ask.len()].copy_from_slice(&ask);
        rest_g[ask.len()..].fill(T::default());
        system.subtract(of_x, of_l, rest_f, rest_g, 1, false);
        let mut free = [scaled_size(&force, &scaling.unknowns, |v, s| v * s)];
        system.displacement_if_free(false, &mut free);
        let sizes_x = [scaled_size(of_x, &scaling.unknowns, |v, s| v / s)];
        let sizes_l = [scaled_size(of_l, &scaling.rows, |v, s| v / s)];
        let error = system.error([&free, &sizes_x, &sizes_l], (&force, &ask), (rest_f, rest_g), false);
        for array in [ordered, rest, force, whole, ask] {
            pool.give(array);
        }
        let enough = error.worst() <= options.refine_above;
        if !enough {
            self.spoiled.store(true, Ordering::Relaxed);
        }
        enough
    }
}

/// The columns, in one piece each.
fn in_columns<T: Number>(a: MatRef<'_, T>) -> Vec<&[T]> {
    a.col_iter().filter_map(ColRef::try_as_col_major).map(ColRef::as_slice).collect()
}

/// The columns, in one piece each.
fn slices<'a, T: Number>(x: &'a mut MatMut<'_, T>) -> Vec<&'a mut [T]> {
    let columns = x.as_mut().col_iter_mut().filter_map(ColMut::try_as_col_major_mut);
    columns.map(ColMut::as_slice_mut).collect()
}

/// Columns to be written, and their scales.
type Scaled<'a, 'b, T> = (&'a mut [&'b mut [T]], &'a [f64]);

/// z; false where a column is not finite.
fn weights<T: Number>(columns: &[&[T]], by: &mut [f64]) -> bool {
    for (k, (column, by)) in columns.iter().zip(by).enumerate() {
        // Numbers whose largest, or sum, is taken side by side: one after the other each waits for the one before.
        let (mut largest, mut sums) = ([0.0_f64; tuning::WIDTH], [0.0; tuning::WIDTH]);
        let mut add = |at: usize, x: T| {
            let size = x.size();
            largest[at] = largest[at].max(size);
            // What is no number stays in a sum.
            sums[at] += size;
        };
        let (rows, rest) = column.as_chunks::<{ tuning::WIDTH }>();
        for row in rows {
            (0..tuning::WIDTH).for_each(|at| add(at, row[at]));
        }
        for x in rest {
            add(0, *x);
        }
        if !sums.iter().sum::<f64>().is_finite() {
            return false;
        }
        let largest = largest.iter().fold(0.0_f64, |m, x| m.max(*x));
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        *by = if largest > 0.0 { sign / largest } else { 0.0 };
    }
    true
}

/// Largest magnitude of a vector times, or over, its scales.
fn scaled_size<T: Number>(x: &[T], scale: &[f64], with: impl Fn(f64, f64) -> f64) -> f64 {
    let mut largest = [0.0_f64; tuning::WIDTH];
    let mut raise = |at: usize, x: T, s: f64| largest[at] = with(x.size(), s).max(largest[at]);
    let ((rows, rest), (scales, last)) =
        (x.as_chunks::<{ tuning::WIDTH }>(), scale.as_chunks::<{ tuning::WIDTH }>());
    rows.iter().zip(scales).for_each(|(x, s)| (0..tuning::WIDTH).for_each(|at| raise(at, x[at], s[at])));
    rest.iter().zip(last).for_each(|(x, s)| raise(0, *x, *s));
    largest.iter().fold(0.0, |m, x| m.max(*x))
}

/// Scaled columns in the order of elimination, `lanes` numbers a row; their combination, unscaled, in addition. The lower ones are none
/// where nothing is asked of G x.
#[inline(always)]
fn gather<T: Number>(
    to: &mut [T],
    lanes: usize,
    order: &[u32],
    [columns, lower]: [&[&[T]]; 2],
    scaling: &Scaling,
    combined: &mut Combined<'_, T>,
    width: usize,
) {
    let (n, columns, by) = (scaling.unknowns.len(), &columns[..width], &combined.by[..width]);
    for (row, &u) in to.chunks_exact_mut(lanes).zip(order) {
        let (own, rest) = row.split_at_mut(width);
        rest.fill(T::default());
        let u = u as usize;
        let mut sum = T::default();
        let mut take = |columns: &[&[T]], at: usize, scale: f64| {
            for ((to, column), &by) in own.iter_mut().zip(columns).zip(by) {
                let x = column[at];
                sum += x.scaled(by);
                *to = x.scaled(scale);
            }
        };
        if u < n {
            take(columns, u, scaling.unknowns[u]);
            combined.unknowns[u] = sum;
        } else if lower.is_empty() {
            own.fill(T::default());
        } else {
            take(&lower[..width], u - n, scaling.rows[u - n]);
            combined.multipliers[u - n] = sum;
        }
    }
}

/// The reverse, unscaled: unknowns and, where there are columns for them, multipliers to theirs; the combination of both.
#[inline(always)]
fn scatter<T: Number>(
    from: &[T],
    lanes: usize,
    order: &[u32],
    (to, of_x): &mut Scaled<'_, '_, T>,
    (to_l, of_l): &mut Scaled<'_, '_, T>,
    combined: &mut Combined<'_, T>,
    width: usize,
) {
    let (n, to, by) = (of_x.len(), &mut to[..width], &combined.by[..width]);
    for (row, &u) in from.chunks_exact(lanes).zip(order) {
        let (u, row) = (u as usize, &row[..width]);
        let mut sum = T::default();
        row.iter().zip(by).for_each(|(x, &by)| sum += x.scaled(by));
        if u < n {
            let scale = of_x[u];
            combined.unknowns[u] = sum.scaled(scale);
            for (to, x) in to.iter_mut().zip(row) {
                to[u] = x.scaled(scale);
            }
        } else {
            let scale = of_l[u - n];
            combined.multipliers[u - n] = sum.scaled(scale);
            for (to, x) in to_l.iter_mut().zip(row) {
                to[u - n] = x.scaled(scale);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use faer::Mat;

    use super::super::methods::Factored;
    use super::super::symmetric_storage::Stored;
    use super::super::{Method, SaddleAnalysis, SaddleOptions, factor::prepare};
    use mb_algebra::{Dense, to_sparse};

    /// Factors of a ring of springs with one row, and right-hand sides.
    fn ring(n: usize, width: usize) -> (Factored<f64>, Dense) {
        let a = to_sparse(&Dense::from_fn(n, n, |i, j| match (i + n - j) % n {
            0 => 3.0 + (i % 5) as f64,
            k if k == 1 || k == n - 1 => -1.0,
            _ => 0.0,
        }));
        let g = to_sparse(&Dense::from_fn(1, n, |_, j| if j == 3 { 1e3 } else { 0.0 }));
        let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap());
        let (a, g) = prepare(&analysis, &[(1.0, &a)], &g, |f, x| f * x).unwrap();
        let made = Factored::new(&analysis, Stored::Half(a), g, Method::AugmentedLdl).unwrap();
        (made, Dense::from_fn(n, width, |i, j| ((i * (j + 3)) % 13) as f64 - 6.0))
    }

    fn apart(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
        mb_algebra::norms::max_abs(&mb_algebra::dense::add(1.0, a, -1.0, b))
    }

    #[test]
    fn steps_and_checked_solutions_agree_for_all_widths() {
        for width in [1, 2, 3, 5, 8, 11] {
            let (factored, f) = ring(40, width);
            let mut x = Dense::from_fn(40, width, |_, _| f64::NAN);
            let mut l = Dense::from_fn(1, width, |_, _| f64::NAN);
            factored.solve_step((f.as_ref(), None), x.as_mut(), Some(l.as_mut())).unwrap();
            let whole = factored.solve_many(&f, None, false).unwrap();
            assert!(apart(&x, &whole.0) < 1e-14 && apart(&l, &whole.1) < 1e-14, "{width}");
        }
    }

    #[test]
    fn what_the_combination_shows_is_refined() {
        let (mut factored, f) = ring(40, 4);
        let right = factored.solve_many(&f, None, false).unwrap().0;
        let mut x = Dense::zeros(40, 4);
        assert!(factored.solve_lightly((f.as_ref(), None), x.as_mut(), None));
        let ldl = factored.solver.augmented_ldl().unwrap();
        ldl.numeric.pivots.inverse[7] *= 1.0 + 1e-6;
        assert!(!factored.solve_lightly((f.as_ref(), None), x.as_mut(), None));
        assert!(apart(&x, &right) > 1e-9);
        factored.solve_step((f.as_ref(), None), x.as_mut(), None).unwrap();
        assert!(apart(&x, &right) < 1e-13);
    }

    #[test]
    fn after_a_refined_trial_solutions_are_light_until_one_is_seen_to_be_spoiled() {
        let (mut factored, f) = ring(40, 4);
        let mut x = Dense::zeros(40, 4);
        for (refinements, light) in [(0, true), (1, true), (2, false)] {
            factored.report.trial_refinements = refinements;
            assert_eq!(factored.solve_lightly((f.as_ref(), None), x.as_mut(), None), light);
        }
        factored.report.trial_refinements = 1;
        let ldl = factored.solver.augmented_ldl().unwrap();
        let before = ldl.numeric.pivots.inverse[7];
        ldl.numeric.pivots.inverse[7] *= 1.0 + 1e-6;
        assert!(!factored.solve_lightly((f.as_ref(), None), x.as_mut(), None));
        factored.solver.augmented_ldl().unwrap().numeric.pivots.inverse[7] = before;
        assert!(!factored.solve_lightly((f.as_ref(), None), x.as_mut(), None));
        factored.report.trial_refinements = 0;
        assert!(factored.solve_lightly((f.as_ref(), None), x.as_mut(), None));
    }

    #[test]
    fn what_is_asked_of_the_rows_is_done() {
        for width in [1, 3, 8, 10] {
            let (factored, f) = ring(40, width);
            let h = Dense::from_fn(1, width, |_, j| 2.0 - 0.7 * j as f64);
            let (mut x, mut l) = (Dense::zeros(40, width), Dense::zeros(1, width));
            let first = |a: &Dense| a.as_ref().subcols(0, width.min(8)).to_owned();
            let (few, low) = (first(&f), first(&h));
            let mut some = first(&x);
            assert!(factored.solve_lightly((few.as_ref(), Some(low.as_ref())), some.as_mut(), None));
            factored.solve_step((f.as_ref(), Some(h.as_ref())), x.as_mut(), Some(l.as_mut())).unwrap();
            let whole = factored.solve_many(&f, Some(&h), false).unwrap();
            let size = mb_algebra::norms::max_abs(&whole.1);
            assert!(apart(&x, &whole.0) < 1e-14 && apart(&l, &whole.1) < 1e-14 * size, "{width}");
            assert!(apart(&some, &first(&whole.0)) < 1e-14);
            // |G x - h| <= e (|G| (|x| + |f| / |A|) + |h|), with scales of at most sqrt(7 / 3) and |A| of 3 or more.
            let (of_x, of_f) = (mb_algebra::norms::max_abs(&x), mb_algebra::norms::max_abs(&f));
            let scale = (7.0_f64 / 3.0).sqrt();
            for j in 0..width {
                let h = h[(0, j)];
                let most = factored.options.refine_above * (1e3 * scale * (of_x + of_f / 3.0) + h.abs());
                assert!((1e3 * x[(3, j)] - h).abs() <= most, "{width}");
            }
        }
    }

    #[test]
    fn a_column_that_asks_of_the_rows_alone_is_solved_with_its_own_check() {
        let (factored, mut f) = ring(40, 2);
        f.col_as_slice_mut(1).fill(0.0);
        let h = Dense::from_fn(1, 2, |_, j| j as f64);
        let mut x = Dense::zeros(40, 2);
        assert!(!factored.solve_lightly((f.as_ref(), Some(h.as_ref())), x.as_mut(), None));
        factored.solve_step((f.as_ref(), Some(h.as_ref())), x.as_mut(), None).unwrap();
        assert!(apart(&x, &factored.solve_many(&f, Some(&h), false).unwrap().0) < 1e-15);
    }

    #[test]
    fn numbers_that_are_none_are_named() {
        let (factored, mut f) = ring(40, 10);
        f[(6, 9)] = f64::NAN;
        let found = factored.solve_step((f.as_ref(), None), Dense::zeros(40, 10).as_mut(), None).unwrap_err();
        assert!(matches!(found, mb_algebra::AlgebraError::NonFinite { row: 6, col: 9 }), "{found}");
    }
}
