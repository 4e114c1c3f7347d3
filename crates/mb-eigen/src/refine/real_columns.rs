//! Complex vectors as pairs of real columns: real parts in column 2j, imaginary ones in column 2j + 1.

use std::borrow::Cow;

use faer::ColMut;
use mb_algebra::{Dense, c64, dense};

use super::anderson::real_dot;

/// The real columns of vectors.
pub(super) fn columns(pairs: &[usize]) -> Vec<usize> {
    pairs.iter().flat_map(|j| [2 * j, 2 * j + 1]).collect()
}

/// Some columns; the matrix itself where they are all.
pub(super) fn selected<'a>(a: &'a Dense, columns: &[usize]) -> Cow<'a, Dense> {
    if columns.len() == a.ncols() { Cow::Borrowed(a) } else { Cow::Owned(dense::select_columns(a, columns)) }
}

/// Columns of another matrix in the place of some.
pub(super) fn put_columns(to: &mut Dense, from: Dense, columns: &[usize]) {
    if columns.len() == to.ncols() {
        *to = from;
        return;
    }
    for (k, &j) in columns.iter().enumerate().filter(|_| from.nrows() > 0) {
        to.col_as_slice_mut(j).copy_from_slice(from.col_as_slice(k));
    }
}

/// Vector j, real parts before imaginary ones, in the place of another.
pub(super) fn copy(to: &mut Vec<f64>, a: &Dense, j: usize) {
    to.clear();
    for part in pair(a, j) {
        to.extend_from_slice(part);
    }
}

/// A vector from its real parts and, behind them, its imaginary ones.
pub(super) fn complex(z: &[f64]) -> Vec<c64> {
    let (re, im) = z.split_at(z.len() / 2);
    re.iter().zip(im).map(|(re, im)| c64::new(*re, *im)).collect()
}

/// A column, of a matrix without rows too.
pub(super) fn column(a: &Dense, j: usize) -> &[f64] {
    if a.nrows() > 0 { a.col_as_slice(j) } else { &[] }
}

/// Real and imaginary part of vector j.
pub(super) fn pair(a: &Dense, j: usize) -> [&[f64]; 2] {
    [column(a, 2 * j), column(a, 2 * j + 1)]
}

pub(super) fn pair_mut(a: &mut Dense, j: usize) -> Option<[&mut [f64]; 2]> {
    let columns = a.as_mut().subcols_mut(2 * j, 2).col_iter_mut().filter_map(ColMut::try_as_col_major_mut);
    let mut columns = columns.map(ColMut::as_slice_mut);
    Some([columns.next()?, columns.next()?])
}

pub(super) fn joined(a: &Dense, j: usize) -> Vec<c64> {
    let [re, im] = pair(a, j);
    re.iter().zip(im).map(|(re, im)| c64::new(*re, *im)).collect()
}

pub(super) fn put(a: &mut Dense, j: usize, z: &[c64]) {
    for (i, z) in z.iter().enumerate() {
        (a[(i, 2 * j)], a[(i, 2 * j + 1)]) = (z.re, z.im);
    }
}

/// The product of vector i of one side and vector k of the other, from those of their parts.
pub(super) fn entry(a: &Dense, i: usize, k: usize) -> c64 {
    let (i, k) = (2 * i, 2 * k);
    c64::new(a[(i, k)] - a[(i + 1, k + 1)], a[(i, k + 1)] + a[(i + 1, k)])
}

/// r += by a.
pub(super) fn axpy([re, im]: [&mut [f64]; 2], by: c64, [a, b]: [&[f64]; 2]) {
    for ((re, im), (a, b)) in re.iter_mut().zip(im).zip(a.iter().zip(b)) {
        *re += by.re * a - by.im * b;
        *im += by.re * b + by.im * a;
    }
}

/// a^T b, not conjugated.
pub(super) fn bilinear(a: [&[f64]; 2], b: [&[f64]; 2]) -> c64 {
    let dot = real_dot;
    c64::new(dot(a[0], b[0]) - dot(a[1], b[1]), dot(a[0], b[1]) + dot(a[1], b[0]))
}

/// a^H b.
pub(super) fn hermitian(a: [&[f64]; 2], b: [&[f64]; 2]) -> c64 {
    let dot = real_dot;
    c64::new(dot(a[0], b[0]) + dot(a[1], b[1]), dot(a[0], b[1]) - dot(a[1], b[0]))
}

pub(super) fn dot(a: &[c64], b: &[c64]) -> c64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
