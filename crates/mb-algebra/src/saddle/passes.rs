//! The passes over blocks of right-hand sides beside the substitutions, for widths known when compiled.
//!
//! Blocks are kept row by row, `width` numbers each. What such a pass costs is the memory it goes through: each one here does all
//! there is to do with a row while the row is at hand, and arrays that are written whole are not cleared before.

use super::number::Number;
use crate::AlgebraError;

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

/// Rows that are brought from columns to rows, or back, at a time: what they fill stays in the nearest cache.
const ROWS: usize = 256;

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
    for (part, rows) in rows.chunks_mut(ROWS * width).enumerate() {
        for (k, column) in columns.iter().enumerate() {
            let column = &column[part * ROWS..];
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

#[inline(always)]
fn separate<T: Number>(rows: &[T], width: usize, columns: &mut [&mut [T]]) {
    for (part, rows) in rows.chunks(ROWS * width).enumerate() {
        for (k, column) in columns.iter_mut().enumerate() {
            for (row, to) in rows.chunks_exact(width).zip(&mut column[part * ROWS..]) {
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
