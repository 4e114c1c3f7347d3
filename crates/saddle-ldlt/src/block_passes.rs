//! The passes over blocks of right-hand sides in addition to the substitutions, for widths known when compiled.
//!
//! Blocks are kept row by row, `width` numbers each. What such a pass costs is the memory it goes through: each one here does all
//! there is to do with a row while the row is available, and arrays that are written whole are not cleared before.

use faer::{ColMut, MatMut};

use super::tuning;

use super::number::Number;
use mb_algebra::AlgebraError;

/// Runs `$body` with `$w` a constant for widths up to eight, so that loops over the columns have no counters.
macro_rules! by_width {
    ($width:expr, $w:ident => $body:expr) => {
        match $width {
            1 => by_width!(@ 1, $w => $body),
            2 => by_width!(@ 2, $w => $body),
            3 => by_width!(@ 3, $w => $body),
            4 => by_width!(@ 4, $w => $body),
            5 => by_width!(@ 5, $w => $body),
            6 => by_width!(@ 6, $w => $body),
            7 => by_width!(@ 7, $w => $body),
            8 => by_width!(@ 8, $w => $body),
            $w => $body,
        }
    };
    (@ $n:literal, $w:ident => $body:expr) => {{
        let $w: usize = $n;
        $body
    }};
}
pub(super) use by_width;

/// A number for each of a few columns, without memory of its own for as many as are taken at once.
pub(super) struct PerColumn {
    few: [f64; tuning::WIDTH],
    many: Vec<f64>,
    width: usize,
}

impl PerColumn {
    /// Zeros.
    pub(super) fn new(width: usize) -> Self {
        let many = if width > tuning::WIDTH { vec![0.0; width] } else { Vec::new() };
        Self { few: [0.0; tuning::WIDTH], many, width }
    }

    pub(super) fn slice(&mut self) -> &mut [f64] {
        if self.width > tuning::WIDTH { &mut self.many } else { &mut self.few[..self.width] }
    }
}

/// Scaled rows of `from` into `to`, which is written whole: zeros where there are no more of them.
pub(super) fn spread<T: Number>(to: &mut [T], from: &[T], scale: &[f64], width: usize) {
    by_width!(width, w => spread_rows(to, from, scale, w));
}

#[inline(always)]
fn spread_rows<T: Number>(to: &mut [T], from: &[T], scale: &[f64], width: usize) {
    for ((to, from), &s) in to.chunks_exact_mut(width).zip(from.chunks_exact(width)).zip(scale) {
        to.iter_mut().zip(from).for_each(|(t, f)| *t = f.scaled(s));
    }
    if let Some(rest) = to.get_mut(from.len()..) {
        rest.fill(T::default());
    }
}

/// to += scaled rows of `from`.
pub(super) fn add_scaled<T: Number>(to: &mut [T], from: &[T], scale: &[f64], width: usize) {
    by_width!(width, w => add_rows(to, from, scale, w));
}

#[inline(always)]
fn add_rows<T: Number>(to: &mut [T], from: &[T], scale: &[f64], width: usize) {
    for ((to, from), &s) in to.chunks_exact_mut(width).zip(from.chunks_exact(width)).zip(scale) {
        to.iter_mut().zip(from).for_each(|(t, f)| *t += f.scaled(s));
    }
}

/// Raises the columns' largest magnitudes.
pub(super) fn largest<T: Number>(x: &[T], out: &mut [f64]) {
    by_width!(out.len(), w => largest_rows(x, out, w));
}

#[inline(always)]
fn largest_rows<T: Number>(x: &[T], out: &mut [f64], width: usize) {
    let out = &mut out[..width];
    for row in x.chunks_exact(width) {
        out.iter_mut().zip(row).for_each(|(m, x)| *m = m.max(x.size()));
    }
}

/// The columns' largest magnitudes of x / scale into `out`, which holds zeros.
pub(super) fn largest_unscaled<T: Number>(x: &[T], scale: &[f64], out: &mut [f64]) {
    for (row, s) in x.chunks_exact(out.len()).zip(scale) {
        let inverse = s.recip();
        out.iter_mut().zip(row).for_each(|(m, x)| *m = m.max(x.size() * inverse));
    }
}

/// Scaled rows of f, of as many unknowns as there are scales, and zeros for what follows them, in the order of elimination with room for
/// `lanes` numbers; `sizes` is raised to the columns' largest magnitudes.
pub(super) fn into_order<T: Number>(
    to: &mut [T],
    lanes: usize,
    order: &[u32],
    f: &[T],
    scale: &[f64],
    sizes: &mut [f64],
) {
    by_width!(sizes.len(), w => gather_scaled(to, lanes, order, f, scale, &mut sizes[..w]));
}

#[inline(always)]
fn gather_scaled<T: Number>(
    to: &mut [T],
    lanes: usize,
    order: &[u32],
    f: &[T],
    scale: &[f64],
    sizes: &mut [f64],
) {
    let width = sizes.len();
    for (row, &u) in to.chunks_exact_mut(lanes).zip(order) {
        let (own, rest) = row.split_at_mut(width);
        rest.fill(T::default());
        match scale.get(u as usize) {
            Some(&scale) => {
                let from = &f[u as usize * width..][..width];
                for ((to, f), size) in own.iter_mut().zip(from).zip(&mut *sizes) {
                    *to = f.scaled(scale);
                    *size = size.max(to.size());
                }
            }
            None => own.fill(T::default()),
        }
    }
}

/// What a block is made of: its rows, their scales, and the columns' largest magnitudes before scaling.
pub(super) struct Part<'a, T> {
    pub(super) values: &'a mut [T],
    pub(super) scale: &'a [f64],
    pub(super) sizes: &'a mut [f64],
}

/// The reverse: unknowns to x and what follows them to l, both scaled and written whole; their sizes are raised.
pub(super) fn out_of_order<T: Number>(
    from: &[T],
    lanes: usize,
    order: &[u32],
    x: &mut Part<'_, T>,
    l: &mut Part<'_, T>,
) {
    by_width!(x.sizes.len(), w => scatter_scaled(from, lanes, order, x, l, w));
}

#[inline(always)]
fn scatter_scaled<T: Number>(
    from: &[T],
    lanes: usize,
    order: &[u32],
    x: &mut Part<'_, T>,
    l: &mut Part<'_, T>,
    width: usize,
) {
    let n = x.scale.len();
    for (row, &u) in from.chunks_exact(lanes).zip(order) {
        let u = u as usize;
        let (to, at) = if u < n { (&mut *x.values, u) } else { (&mut *l.values, u - n) };
        let (scale, sizes) = if u < n { (x.scale[at], &mut *x.sizes) } else { (l.scale[at], &mut *l.sizes) };
        let to = &mut to[at * width..][..width];
        for ((to, value), size) in to.iter_mut().zip(&row[..width]).zip(&mut sizes[..width]) {
            *to = value.scaled(scale);
            *size = size.max(value.size());
        }
    }
}

/// Columns as `rows`, row by row, written whole. Errors: an entry that is not finite, with the column counted from `first`.
pub(super) fn by_rows<T: Number>(columns: &[&[T]], first: usize, rows: &mut [T]) -> Result<(), AlgebraError> {
    let width = columns.len();
    let sound = by_width!(width, w => interleave(columns, w, rows));
    if sound {
        return Ok(());
    }
    let bad = |column: &&[T]| column.iter().position(|x| !x.size().is_finite());
    let found = columns.iter().enumerate().find_map(|(k, column)| Some((bad(column)?, first + k)));
    let (row, col) = found.unwrap_or((0, first));
    Err(AlgebraError::NonFinite { row, col })
}

#[inline(always)]
fn interleave<T: Number>(columns: &[&[T]], width: usize, rows: &mut [T]) -> bool {
    let mut sound = true;
    // Rows that are brought from columns to rows, or back, at a time: what they fill stays in the nearest cache.
    for (part, rows) in rows.chunks_mut(tuning::CACHED * width).enumerate() {
        for (k, column) in columns.iter().enumerate() {
            let column = &column[part * tuning::CACHED..];
            for (to, x) in rows.chunks_exact_mut(width).zip(column) {
                sound &= x.size().is_finite();
                to[k] = *x;
            }
        }
    }
    sound
}

/// The reverse: rows into columns of the same length.
pub(super) fn by_columns<T: Number>(rows: &[T], columns: &mut [&mut [T]]) {
    by_width!(columns.len(), w => separate(rows, w, columns));
}

/// Rows into the columns of a matrix.
pub(super) fn into_columns<T: Number>(rows: &[T], mut to: MatMut<'_, T>) {
    let columns = to.as_mut().col_iter_mut().filter_map(ColMut::try_as_col_major_mut);
    let mut columns: Vec<&mut [T]> = columns.map(ColMut::as_slice_mut).collect();
    assert_eq!(columns.len() * columns.first().map_or(0, |c| c.len()), rows.len());
    by_columns(rows, &mut columns);
}

#[inline(always)]
fn separate<T: Number>(rows: &[T], width: usize, columns: &mut [&mut [T]]) {
    for (part, rows) in rows.chunks(tuning::CACHED * width).enumerate() {
        for (k, column) in columns.iter_mut().enumerate() {
            for (row, to) in rows.chunks_exact(width).zip(&mut column[part * tuning::CACHED..]) {
                *to = row[k];
            }
        }
    }
}

/// Whether a row leaves more than `worst` of its size somewhere: as a rule none does, and no quotient is taken.
#[inline(always)]
pub(super) fn exceeds(errors: impl Iterator<Item = (f64, f64)>, worst: f64) -> bool {
    let mut over = false;
    for (error, size) in errors {
        // A residual that is no number exceeds everything.
        over |= error > worst * size || error.is_nan() || size.is_nan() || worst.is_nan();
    }
    over
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "copies and products with powers of two are exact")]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_hold_the_same_for_all_widths() {
        for width in [1, 2, 3, 8, 11] {
            for n in [1, 255, 256, 700] {
                let columns: Vec<Vec<f64>> =
                    (0..width).map(|k| (0..n).map(|i| (i * width + k) as f64).collect()).collect();
                let views: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
                let mut rows = vec![-1.0; n * width];
                by_rows(&views, 0, &mut rows).unwrap();
                assert!(rows.iter().enumerate().all(|(i, x)| *x == i as f64));
                let mut back = vec![vec![0.0; n]; width];
                let mut views: Vec<&mut [f64]> = back.iter_mut().map(Vec::as_mut_slice).collect();
                by_columns(&rows, &mut views);
                assert_eq!(back, columns);
            }
        }
    }

    #[test]
    fn the_way_to_the_order_of_elimination_and_back_scales_twice() {
        let (n, m, order) = (3, 2, [4, 1, 0, 3, 2]);
        for (width, lanes) in [(1, 1), (2, 2), (3, 4), (8, 8)] {
            let f: Vec<f64> = (0..n * width).map(|i| i as f64 - 4.0).collect();
            let mut ordered = vec![f64::NAN; (n + m) * lanes];
            let mut sizes = vec![0.0; width];
            into_order(&mut ordered, lanes, &order, &f, &[2.0, 4.0, 0.5], &mut sizes);
            let (mut x, mut l) = (vec![f64::NAN; n * width], vec![f64::NAN; m * width]);
            let (mut sizes_x, mut sizes_l) = (vec![0.0; width], vec![0.0; width]);
            let mut of_x = Part { values: &mut x, scale: &[0.5, 0.25, 2.0], sizes: &mut sizes_x };
            let mut of_l = Part { values: &mut l, scale: &[1.0, 1.0], sizes: &mut sizes_l };
            out_of_order(&ordered, lanes, &order, &mut of_x, &mut of_l);
            assert_eq!((x, sizes), (f, sizes_x));
            assert!(l.iter().chain(&sizes_l).all(|l| *l == 0.0));
            assert!(ordered.iter().all(|x| x.is_finite()));
        }
    }

    #[test]
    fn what_is_not_finite_is_named() {
        let (good, mut bad) = (vec![1.0; 300], vec![1.0; 300]);
        bad[270] = f64::NAN;
        let found = by_rows(&[&good, &bad], 8, &mut [0.0; 600]).unwrap_err();
        assert!(matches!(found, AlgebraError::NonFinite { row: 270, col: 9 }), "{found}");
    }

    #[test]
    fn scaled_rows_fill_what_is_left_with_zeros() {
        let mut to = [9.0; 6];
        spread(&mut to, &[1.0, 2.0, 3.0, 4.0], &[2.0, 0.5, 7.0], 2);
        assert_eq!(to, [2.0, 4.0, 1.5, 2.0, 0.0, 0.0]);
        let mut sizes = [0.0; 2];
        largest(&[1.0, -5.0, -2.0, 4.0], &mut sizes);
        assert_eq!(sizes, [2.0, 5.0]);
        let mut sizes = [0.0; 2];
        largest_unscaled(&[1.0, -5.0, -2.0, 4.0], &[1.0, 0.5], &mut sizes);
        assert_eq!(sizes, [4.0, 8.0]);
        assert!(exceeds([(1.0, 1.0), (f64::NAN, 1.0)].into_iter(), 2.0));
        assert!(!exceeds([(0.0, 0.0), (1.0, 1.0)].into_iter(), 1.0));
    }
}
