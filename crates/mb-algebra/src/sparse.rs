//! Small verbs for sparse matrices. They accept both storages and return storage by columns (CSC).
//! Shapes that do not fit are a programming error and panic.

use crate::convert::csc;
use crate::symmetry::first_asymmetry;
use crate::{Scatter, Sparse, Triplets, c64};

pub use crate::symmetry::Asymmetry;

/// A x.
pub fn matvec(a: &Sparse, x: &[f64]) -> Vec<f64> {
    assert_eq!(a.cols(), x.len(), "matvec: columns and vector length differ");
    let mut out = vec![0.0; a.rows()];
    for (value, (row, col)) in a {
        out[row] += value * x[col];
    }
    out
}

/// A^T x.
pub fn matvec_transpose(a: &Sparse, x: &[f64]) -> Vec<f64> {
    assert_eq!(a.rows(), x.len(), "matvec_transpose: rows and vector length differ");
    let mut out = vec![0.0; a.cols()];
    for (value, (row, col)) in a {
        out[col] += value * x[row];
    }
    out
}

/// A x with a real matrix and a complex vector.
pub fn matvec_complex(a: &Sparse, x: &[c64]) -> Vec<c64> {
    assert_eq!(a.cols(), x.len(), "matvec_complex: columns and vector length differ");
    let mut out = vec![c64::new(0.0, 0.0); a.rows()];
    for (value, (row, col)) in a {
        out[row] += x[col] * *value;
    }
    out
}

/// A^T.
pub fn transpose(a: &Sparse) -> Sparse {
    a.transpose_view().to_csc()
}

/// alpha A + beta B; the pattern is the union of both.
pub fn add(alpha: f64, a: &Sparse, beta: f64, b: &Sparse) -> Sparse {
    assert_eq!(a.shape(), b.shape(), "add: shapes differ");
    let (mut col_start, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    merge(&csc(a), &csc(b), |row, col, x, y| {
        while col_start.len() <= col {
            col_start.push(indices.len());
        }
        indices.push(row);
        values.push(alpha * x.unwrap_or(0.0) + beta * y.unwrap_or(0.0));
    });
    col_start.resize(a.cols() + 1, indices.len());
    Sparse::new_csc(a.shape(), col_start, indices, values)
}

/// Visits the union of two patterns by columns, rows in order.
fn merge(a: &Sparse, b: &Sparse, mut visit: impl FnMut(usize, usize, Option<f64>, Option<f64>)) {
    for (col, (x, y)) in a.outer_iterator().zip(b.outer_iterator()).enumerate() {
        let (mut i, mut j) = (0, 0);
        loop {
            let (row_x, row_y) = (x.indices().get(i), y.indices().get(j));
            let Some(&row) = row_x.into_iter().chain(row_y).min() else { break };
            let here_x = (row_x == Some(&row)).then(|| x.data()[i]);
            let here_y = (row_y == Some(&row)).then(|| y.data()[j]);
            i += usize::from(here_x.is_some());
            j += usize::from(here_y.is_some());
            visit(row, col, here_x, here_y);
        }
    }
}

/// A B.
pub fn mul(a: &Sparse, b: &Sparse) -> Sparse {
    assert_eq!(a.cols(), b.rows(), "mul: inner sizes differ");
    (csc(a).as_ref() * csc(b).as_ref()).to_csc()
}

/// alpha A, with the pattern of A.
pub fn scale(alpha: f64, a: &Sparse) -> Sparse {
    csc(a).map(|v| alpha * v)
}

/// A matrix without entries.
pub fn zeros(rows: usize, cols: usize) -> Sparse {
    Triplets::new(rows, cols).to_sparse()
}

/// The n x n identity.
pub fn identity(n: usize) -> Sparse {
    diagonal(&vec![1.0; n])
}

/// The diagonal matrix with these entries, zeros kept in the pattern.
pub fn diagonal(entries: &[f64]) -> Sparse {
    let n = entries.len();
    Sparse::new_csc((n, n), (0..=n).collect(), (0..n).collect(), entries.to_vec())
}

/// The matrix made of blocks, `None` being a block of zeros.
///
/// `blocks[i][j]` is `row_sizes[i]` x `col_sizes[j]`.
pub fn blocks(blocks: &[&[Option<&Sparse>]], row_sizes: &[usize], col_sizes: &[usize]) -> Sparse {
    assert_eq!(blocks.len(), row_sizes.len(), "blocks: block rows and row sizes differ");
    let nnz = blocks.iter().flat_map(|row| row.iter().flatten()).map(|b| b.nnz()).sum();
    let mut out = Triplets::with_capacity(row_sizes.iter().sum(), col_sizes.iter().sum(), nnz);
    let mut first_row = 0;
    for (block_row, &rows) in blocks.iter().zip(row_sizes) {
        assert_eq!(block_row.len(), col_sizes.len(), "blocks: block columns and column sizes differ");
        let mut first_col = 0;
        for (block, &cols) in block_row.iter().zip(col_sizes) {
            if let Some(block) = block {
                assert_eq!(block.shape(), (rows, cols), "blocks: a block does not fit its place");
                for (&value, (row, col)) in *block {
                    out.add(first_row + row, first_col + col, value);
                }
            }
            first_col += cols;
        }
        first_row += rows;
    }
    out.to_sparse()
}

/// Whether A = A^T up to `tolerance_relative` times the largest magnitude; the worst pair if not.
pub fn is_symmetric(a: &Sparse, tolerance_relative: f64) -> Result<(), Asymmetry> {
    assert_eq!(a.rows(), a.cols(), "is_symmetric: not square");
    let mut pairs = Vec::new();
    let tolerance = tolerance_relative * crate::norms::max_abs(a);
    merge(&csc(a), &transpose(a), |row, col, x, y| {
        if row > col && x != y {
            pairs.push((row, col, x.unwrap_or(0.0), y.unwrap_or(0.0)));
        }
    });
    first_asymmetry(pairs.into_iter(), tolerance)
}

/// Row, column and value of the first stored entry that is infinite or NaN.
pub fn first_non_finite(a: &Sparse) -> Option<(usize, usize, f64)> {
    a.iter().find(|(v, _)| !v.is_finite()).map(|(&v, (row, col))| (row, col, v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dense, dense, to_dense, to_sparse};

    fn sample() -> (Dense, Sparse) {
        let a = dense::from_rows(&[&[1.0, 0.0, 3.0], &[0.0, 5.0, 6.0]]);
        let s = to_sparse(&a);
        (a, s)
    }

    #[test]
    fn verbs_agree_with_the_dense_ones() {
        let (a, s) = sample();
        for s in [&s, &s.to_csr()] {
            assert_eq!(matvec(s, &[1.0, 2.0, 3.0]), dense::matvec(&a, &[1.0, 2.0, 3.0]));
            assert_eq!(matvec_transpose(s, &[1.0, 2.0]), dense::matvec_transpose(&a, &[1.0, 2.0]));
            let x = [c64::new(1.0, 1.0); 3];
            assert_eq!(matvec_complex(s, &x), dense::matvec_complex(&a, &x));
            assert!(transpose(s).is_csc() && scale(2.0, s).is_csc());
            assert_eq!(to_dense(&transpose(s)), dense::transpose(&a));
            assert_eq!(to_dense(&add(2.0, s, -1.0, s)), a);
            assert_eq!(to_dense(&mul(s, &transpose(s))), dense::mul(&a, &dense::transpose(&a)));
        }
    }

    #[test]
    fn blocks_go_to_their_places() {
        let (a, s) = sample();
        let one = identity(2);
        let got = blocks(&[&[Some(&one), Some(&s)], &[None, None]], &[2, 1], &[2, 3]);
        let zero = dense::zeros(1, 5);
        assert_eq!(to_dense(&got), dense::vstack(&[&dense::hstack(&[&dense::identity(2), &a]), &zero]));
        assert_eq!(zeros(2, 3).nnz(), 0);
    }

    #[test]
    fn symmetry_sees_entries_without_partner() {
        let mut t = Triplets::new(3, 3);
        t.add(0, 1, 2.0);
        t.add(1, 0, 2.0);
        assert_eq!(is_symmetric(&t.to_sparse(), 0.0), Ok(()));
        t.add(0, 2, 1.0);
        let found = is_symmetric(&t.to_sparse(), 1e-12).unwrap_err();
        assert_eq!(found, Asymmetry { row: 2, col: 0, a: 0.0, b: 1.0 });
    }

    #[test]
    fn numbers_that_are_not_finite_are_found() {
        let bad = diagonal(&[1.0, f64::INFINITY]);
        assert_eq!(first_non_finite(&bad), Some((1, 1, f64::INFINITY)));
        assert_eq!(first_non_finite(&identity(2)), None);
    }
}
