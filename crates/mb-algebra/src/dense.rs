//! Small verbs for dense matrices. Shapes that do not fit are a programming error and panic.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use crate::convert::csc;
use crate::factor::Entry;
use crate::symmetry::{Asymmetry, first_asymmetry};
use crate::{Dense, DenseC, Sparse, c64, interrupt};

/// The matrix with these columns, all of length `rows`.
pub fn from_columns(rows: usize, columns: &[impl AsRef<[f64]>]) -> Dense {
    let mut out = Dense::zeros(rows, columns.len());
    for (j, column) in columns.iter().enumerate() {
        out.col_as_slice_mut(j).copy_from_slice(column.as_ref());
    }
    out
}

/// The matrix with these rows, all of the same length.
pub fn from_rows(rows: &[impl AsRef<[f64]>]) -> Dense {
    let cols = rows.first().map_or(0, |row| row.as_ref().len());
    assert!(rows.iter().all(|row| row.as_ref().len() == cols), "rows of different lengths");
    Dense::from_fn(rows.len(), cols, |i, j| rows[i].as_ref()[j])
}

/// Column `j` as a vector.
pub fn column(a: &Dense, j: usize) -> Vec<f64> {
    a.col_as_slice(j).to_vec()
}

/// Row `i` as a vector.
pub fn row(a: &Dense, i: usize) -> Vec<f64> {
    (0..a.ncols()).map(|j| a[(i, j)]).collect()
}

/// A x.
pub fn matvec(a: &Dense, x: &[f64]) -> Vec<f64> {
    assert_eq!(a.ncols(), x.len(), "matvec: columns and vector length differ");
    let mut out = vec![0.0; a.nrows()];
    for (j, &xj) in x.iter().enumerate() {
        for (o, &v) in out.iter_mut().zip(a.col_as_slice(j)) {
            *o += v * xj;
        }
    }
    out
}

/// A^T x.
pub fn matvec_transpose(a: &Dense, x: &[f64]) -> Vec<f64> {
    assert_eq!(a.nrows(), x.len(), "matvec_transpose: rows and vector length differ");
    (0..a.ncols()).map(|j| dot(a.col_as_slice(j), x)).collect()
}

/// A x with a real matrix and a complex vector.
pub fn matvec_complex(a: &Dense, x: &[c64]) -> Vec<c64> {
    assert_eq!(a.ncols(), x.len(), "matvec_complex: columns and vector length differ");
    let mut out = vec![c64::new(0.0, 0.0); a.nrows()];
    for (j, &xj) in x.iter().enumerate() {
        for (o, &v) in out.iter_mut().zip(a.col_as_slice(j)) {
            *o += xj * v;
        }
    }
    out
}

/// x^T y.
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len(), "dot: vectors of different lengths");
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// A B.
pub fn mul(a: &Dense, b: &Dense) -> Dense {
    assert_eq!(a.ncols(), b.nrows(), "mul: inner sizes differ");
    let mut out = Dense::zeros(a.nrows(), b.ncols());
    product(&mut out, a.as_ref(), b);
    out
}

/// Y + alpha (A B) with B sparse, in the time of the columns of A that its entries name; A B is a sum of its own, so that terms of it
/// that cancel do so to the last digit.
pub fn add_mul_sparse(mut y: Dense, alpha: f64, a: &Dense, b: &Sparse) -> Dense {
    let sizes = (a.nrows(), b.rows(), b.cols());
    assert_eq!((y.nrows(), a.ncols(), y.ncols()), sizes, "add_mul_sparse: sizes differ");
    let b = csc(b);
    let mut sum = vec![0.0; a.nrows()];
    for (j, entries) in b.outer_iterator().enumerate().filter(|(_, entries)| entries.nnz() > 0) {
        sum.fill(0.0);
        for (i, x) in entries.iter() {
            sum.iter_mut().zip(a.col_as_slice(i)).for_each(|(sum, a)| *sum += x * a);
        }
        y.col_as_slice_mut(j).iter_mut().zip(&sum).for_each(|(y, sum)| *y += alpha * sum);
    }
    y
}

/// Y + alpha B A with B sparse, in the time of the rows of A that its entries name.
pub fn add_sparse_mul(mut y: Dense, alpha: f64, b: &Sparse, a: &Dense) -> Dense {
    let sizes = (b.rows(), b.cols(), a.ncols());
    assert_eq!((y.nrows(), a.nrows(), y.ncols()), sizes, "add_sparse_mul: sizes differ");
    for j in 0..a.ncols() {
        let (from, to) = (a.col_as_slice(j), y.col_as_slice_mut(j));
        for (x, (i, k)) in b {
            to[i] += alpha * x * from[k];
        }
    }
    y
}

/// A^T B.
pub fn mul_transpose(a: &Dense, b: &Dense) -> Dense {
    assert_eq!(a.nrows(), b.nrows(), "mul_transpose: row counts differ");
    let mut out = Dense::zeros(a.ncols(), b.ncols());
    product(&mut out, a.transpose(), b);
    out
}

/// A B for complex matrices.
pub fn mul_complex(a: &DenseC, b: &DenseC) -> DenseC {
    assert_eq!(a.ncols(), b.nrows(), "mul_complex: inner sizes differ");
    let mut out = DenseC::zeros(a.nrows(), b.ncols());
    product(&mut out, a.as_ref(), b);
    out
}

/// Columns of a product that are computed between two looks at interrupts.
const COLUMNS: usize = 128;

/// Puts A B into `out`.
fn product<T: Entry>(out: &mut Mat<T>, a: MatRef<'_, T>, b: &Mat<T>) {
    let columns = b.ncols();
    for first in (0..columns).step_by(COLUMNS) {
        if first > 0 {
            interrupt::check();
        }
        let count = COLUMNS.min(columns - first);
        let part = out.as_mut().subcols_mut(first, count);
        matmul(part, Accum::Replace, a, b.subcols(first, count), T::UNIT, Par::Seq);
    }
}

/// A^T.
pub fn transpose(a: &Dense) -> Dense {
    a.transpose().to_owned()
}

/// alpha A + beta B.
pub fn add(alpha: f64, a: &Dense, beta: f64, b: &Dense) -> Dense {
    assert_eq!(a.shape(), b.shape(), "add: shapes differ");
    Dense::from_fn(a.nrows(), a.ncols(), |i, j| alpha * a[(i, j)] + beta * b[(i, j)])
}

/// alpha A.
pub fn scale(alpha: f64, a: &Dense) -> Dense {
    a.map(|v| alpha * v)
}

/// (A + A^T) / 2.
pub fn symmetric_part(a: &Dense) -> Dense {
    assert_eq!(a.nrows(), a.ncols(), "symmetric_part: not square");
    Dense::from_fn(a.nrows(), a.ncols(), |i, j| 0.5 * (a[(i, j)] + a[(j, i)]))
}

/// The n x n identity.
pub fn identity(n: usize) -> Dense {
    Dense::identity(n, n)
}

/// A matrix of zeros.
pub fn zeros(rows: usize, cols: usize) -> Dense {
    Dense::zeros(rows, cols)
}

/// The diagonal matrix with these entries.
pub fn diagonal(entries: &[f64]) -> Dense {
    let mut out = Dense::zeros(entries.len(), entries.len());
    for (i, &value) in entries.iter().enumerate() {
        out[(i, i)] = value;
    }
    out
}

/// [A B ...]: blocks of equal row count side by side.
pub fn hstack(blocks: &[&Dense]) -> Dense {
    let rows = blocks.first().map_or(0, |b| b.nrows());
    let mut out = Dense::zeros(rows, blocks.iter().map(|b| b.ncols()).sum());
    let mut at = 0;
    for block in blocks {
        assert_eq!(block.nrows(), rows, "hstack: row counts differ");
        for j in 0..block.ncols() {
            out.col_as_slice_mut(at + j).copy_from_slice(block.col_as_slice(j));
        }
        at += block.ncols();
    }
    out
}

/// [A; B; ...]: blocks of equal column count on top of each other.
pub fn vstack(blocks: &[&Dense]) -> Dense {
    let cols = blocks.first().map_or(0, |b| b.ncols());
    let mut out = Dense::zeros(blocks.iter().map(|b| b.nrows()).sum(), cols);
    let mut at = 0;
    for block in blocks {
        assert_eq!(block.ncols(), cols, "vstack: column counts differ");
        for j in 0..cols {
            out.col_as_slice_mut(j)[at..at + block.nrows()].copy_from_slice(block.col_as_slice(j));
        }
        at += block.nrows();
    }
    out
}

/// Some columns, in the order asked for.
pub fn select_columns(a: &Dense, columns: &[usize]) -> Dense {
    Dense::from_fn(a.nrows(), columns.len(), |i, j| a[(i, columns[j])])
}

/// Some rows, in the order asked for.
pub fn select_rows(a: &Dense, rows: &[usize]) -> Dense {
    Dense::from_fn(rows.len(), a.ncols(), |i, j| a[(rows[i], j)])
}

/// The same numbers as complex ones.
pub fn to_complex(a: &Dense) -> DenseC {
    a.map(|&v| c64::new(v, 0.0))
}

/// Whether A = A^T up to `tolerance_relative` times the largest magnitude; the worst pair if not.
pub fn is_symmetric(a: &Dense, tolerance_relative: f64) -> Result<(), Asymmetry> {
    assert_eq!(a.nrows(), a.ncols(), "is_symmetric: not square");
    if is_its_transpose(a) {
        return Ok(());
    }
    let n = a.nrows();
    let pairs = (0..n).flat_map(|j| (j + 1..n).map(move |i| (i, j, a[(i, j)], a[(j, i)])));
    first_asymmetry(pairs, tolerance_relative * crate::norms::max_abs(a))
}

/// Whether A = A^T to the last bit and every entry off the diagonal is a number.
pub fn is_its_transpose(a: &Dense) -> bool {
    // Squares of this side, of which both stay in the fast memory.
    const SIDE: usize = 32;
    let n = a.nrows();
    let columns: Vec<&[f64]> = (0..a.ncols()).map(|j| a.col_as_slice(j)).collect();
    let starts = || (0..n).step_by(SIDE);
    n == columns.len()
        && starts().flat_map(|i| starts().take_while(move |j| *j <= i).map(move |j| (i, j))).all(|(i, j)| {
            (j..n.min(j + SIDE)).all(|col| {
                (i.max(col + 1)..n.min(i + SIDE)).all(|row| {
                    let (below, above) = (columns[col][row], columns[row][col]);
                    below.to_bits() == above.to_bits() && !below.is_nan()
                })
            })
        })
}

/// Row, column and value of the first entry (by columns) that is infinite or NaN.
pub fn first_non_finite(a: &Dense) -> Option<(usize, usize, f64)> {
    (0..a.ncols()).find_map(|j| {
        let (i, v) = a.col_as_slice(j).iter().enumerate().find(|(_, v)| !v.is_finite())?;
        Some((i, j, *v))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Dense {
        from_rows(&[&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]])
    }

    #[test]
    fn rows_columns_and_blocks_fit_together() {
        let a = sample();
        assert_eq!(from_columns(2, &[column(&a, 0), column(&a, 1), column(&a, 2)]), a);
        assert_eq!(vstack(&[&select_rows(&a, &[0]), &select_rows(&a, &[1])]), a);
        assert_eq!(hstack(&[&select_columns(&a, &[0, 1]), &select_columns(&a, &[2])]), a);
        assert_eq!(transpose(&transpose(&a)), a);
        assert_eq!(row(&a, 1), [4.0, 5.0, 6.0]);
    }

    #[test]
    fn products_agree_with_each_other() {
        let a = sample();
        assert_eq!(matvec(&a, &[1.0, 0.0, -1.0]), [-2.0, -2.0]);
        assert_eq!(matvec_transpose(&a, &[1.0, -1.0]), [-3.0, -3.0, -3.0]);
        assert_eq!(mul_transpose(&a, &a), mul(&transpose(&a), &a));
        assert_eq!(mul(&a, &identity(3)), a);
        let complex = matvec_complex(&a, &[c64::new(0.0, 1.0); 3]);
        assert_eq!(complex, [c64::new(0.0, 6.0), c64::new(0.0, 15.0)]);
        assert_eq!(mul_complex(&to_complex(&a), &to_complex(&identity(3))), to_complex(&a));
        assert_eq!(add(2.0, &a, -1.0, &a), a);
        assert_eq!(add(1.0, &a, 1.0, &a), scale(2.0, &a));
    }

    #[test]
    fn symmetry_names_the_worst_pair() {
        let mut a = symmetric_part(&from_rows(&[&[1.0, 2.0], &[4.0, 1.0]]));
        assert_eq!(is_symmetric(&a, 0.0), Ok(()));
        a[(1, 0)] = 3.5;
        let found = is_symmetric(&a, 1e-3).unwrap_err();
        assert_eq!((found.row, found.col), (1, 0));
        assert_eq!((found.a, found.b), (3.5, 3.0));
    }

    #[test]
    fn numbers_that_are_not_finite_are_found() {
        let mut a = diagonal(&[1.0, 2.0]);
        assert_eq!(first_non_finite(&a), None);
        a[(1, 0)] = f64::NEG_INFINITY;
        assert_eq!(first_non_finite(&a), Some((1, 0, f64::NEG_INFINITY)));
    }
}
