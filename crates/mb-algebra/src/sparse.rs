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
    let (start, indices, values) = merged(alpha, &csc(a), beta, &csc(b));
    Sparse::new_csc(a.shape(), start, indices, values)
}

/// alpha A + beta B of symmetric matrices, whose storage by rows is that by columns: nothing is transposed.
///
/// Entries that differ across the diagonal by rounding may change places.
pub fn add_symmetric(alpha: f64, a: &Sparse, beta: f64, b: &Sparse) -> Sparse {
    assert_eq!(a.shape(), b.shape(), "add_symmetric: shapes differ");
    let (start, indices, values) = merged(alpha, a, beta, b);
    Sparse::new_csc(a.shape(), start, indices, values)
}

/// Starts, indices and values of alpha A + beta B, rows or columns as they are stored.
fn merged(alpha: f64, a: &Sparse, beta: f64, b: &Sparse) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
    let most = a.nnz() + b.nnz();
    let mut start = Vec::with_capacity(a.outer_dims() + 1);
    let (mut indices, mut values) = (Vec::with_capacity(most), Vec::with_capacity(most));
    start.push(0);
    for (x, y) in a.outer_iterator().zip(b.outer_iterator()) {
        let (x_at, x, y_at, y) = (x.indices(), x.data(), y.indices(), y.data());
        let (mut i, mut j) = (0, 0);
        while let (Some(&p), Some(&q)) = (x_at.get(i), y_at.get(j)) {
            indices.push(p.min(q));
            let left = if p <= q { alpha * x[i] } else { 0.0 };
            let right = if q <= p { beta * y[j] } else { 0.0 };
            values.push(left + right);
            i += usize::from(p <= q);
            j += usize::from(q <= p);
        }
        indices.extend_from_slice(&x_at[i..]);
        values.extend(x[i..].iter().map(|v| alpha * v));
        indices.extend_from_slice(&y_at[j..]);
        values.extend(y[j..].iter().map(|v| beta * v));
        start.push(indices.len());
    }
    (start, indices, values)
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
    let tolerance = tolerance_relative * crate::norms::max_abs(a);
    let by_columns = a.is_csc();
    let mut pairs = Vec::new();
    unequal_pairs(a, |outer, inner, x, facing| {
        let (below, above) = if by_columns { (x, facing) } else { (facing, x) };
        pairs.push((inner, outer, below, above));
    });
    first_asymmetry(pairs.into_iter(), tolerance)
}

/// Whether A differs from A^T by nothing but rounding of its assembly: |a_ij - a_ji| at most some units in the last place
/// of |a_ij| and of sqrt(|a_ii a_jj|). No entry may be infinite or NaN.
pub fn is_symmetric_to_rounding(a: &Sparse) -> bool {
    assert_eq!(a.rows(), a.cols(), "is_symmetric_to_rounding: not square");
    let diagonal: Vec<f64> =
        (0..a.cols()).map(|j| a.get_outer_inner(j, j).map_or(0.0, |x| x.abs().sqrt())).collect();
    let mut all = true;
    unequal_pairs(a, |i, j, x, facing| {
        let size = x.abs().max(facing.abs()).max(diagonal[i] * diagonal[j]);
        all &= (x - facing).abs() <= 8.0 * f64::EPSILON * size;
    });
    all
}

/// Calls with every pair of facing entries that differ: outer and inner > outer index of the storage, the entry there and
/// the one that faces it.
fn unequal_pairs(a: &Sparse, mut call: impl FnMut(usize, usize, f64, f64)) {
    let mut differ = |outer: usize, inner: usize, x: f64, facing: f64| {
        // Bits, so that NaN differs from nothing but other bits; zeros of both signs differ by zero.
        if x.to_bits() != facing.to_bits() {
            call(outer, inner, x, facing);
        }
    };
    let start = a.proper_indptr();
    let (indices, values) = (a.indices(), a.data());
    // Of each column the next entry below the diagonal that has not been met by the one facing it.
    let mut next: Vec<usize> = (0..a.outer_dims())
        .map(|j| start[j] + indices[start[j]..start[j + 1]].partition_point(|&i| i <= j))
        .collect();
    for j in 0..a.outer_dims() {
        for at in start[j]..start[j + 1] {
            let i = indices[at];
            if i >= j {
                break;
            }
            while next[i] < start[i + 1] && indices[next[i]] < j {
                differ(i, indices[next[i]], values[next[i]], 0.0);
                next[i] += 1;
            }
            if next[i] < start[i + 1] && indices[next[i]] == j {
                differ(i, j, values[next[i]], values[at]);
                next[i] += 1;
            } else {
                differ(i, j, 0.0, values[at]);
            }
        }
    }
    for i in 0..a.outer_dims() {
        for at in next[i]..start[i + 1] {
            differ(i, indices[at], values[at], 0.0);
        }
    }
}

/// Row, column and value of the first stored entry that is infinite or NaN.
pub fn first_non_finite(a: &Sparse) -> Option<(usize, usize, f64)> {
    a.iter().find(|(v, _)| !v.is_finite()).map(|(&v, (row, col))| (row, col, v))
}

/// Some rows of a matrix, by rows.
pub fn select_rows(a: &Sparse, rows: &[usize]) -> Sparse {
    let by_rows;
    let a = if a.is_csr() {
        a
    } else {
        by_rows = a.to_csr();
        &by_rows
    };
    let mut out = Triplets::new(rows.len(), a.cols());
    for (i, &row) in rows.iter().enumerate() {
        if let Some(row) = a.outer_view(row) {
            row.iter().for_each(|(j, v)| out.add(i, j, *v));
        }
    }
    out.to_sparse().to_csr()
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
            let gram = mul(&transpose(s), s).to_csr();
            let sum = add_symmetric(1.0, &gram, 2.0, &identity(3).to_csr());
            assert!(sum.is_csc());
            assert_eq!(to_dense(&sum), to_dense(&add(1.0, &gram, 2.0, &identity(3))));
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
        let expected = Err(Asymmetry { row: 2, col: 0, a: 0.0, b: 1.0 });
        assert_eq!(is_symmetric(&t.to_sparse(), 1e-12), expected);
        assert_eq!(is_symmetric(&t.to_sparse().to_csr(), 1e-12), expected);
        // Below the diagonal alone, before, between and behind entries that have partners.
        for row in [1, 2] {
            let mut t = Triplets::new(3, 3);
            (0..3).for_each(|i| t.add(i, i, 1.0));
            t.add(row, 0, 4.0);
            for a in [t.to_sparse(), t.to_sparse().to_csr()] {
                assert_eq!(is_symmetric(&a, 1e-12), Err(Asymmetry { row, col: 0, a: 4.0, b: 0.0 }));
            }
            t.add(3 - row, 0, 2.0);
            t.add(0, 3 - row, 2.0);
            assert_eq!(is_symmetric(&t.to_sparse(), 1e-12).unwrap_err().row, row);
        }
    }

    #[test]
    fn rounding_of_assembly_is_no_asymmetry() {
        let of = |by: f64| {
            let mut t = Triplets::new(2, 2);
            (0..2).for_each(|i| t.add(i, i, 1e6));
            t.add(0, 1, 0.1);
            t.add(1, 0, 0.1 + by);
            t.to_sparse()
        };
        assert!(is_symmetric_to_rounding(&of(0.0)) && is_symmetric_to_rounding(&of(1e-10).to_csr()));
        assert!(!is_symmetric_to_rounding(&of(1e-8)));
    }

    #[test]
    fn numbers_that_are_not_finite_are_found() {
        let bad = diagonal(&[1.0, f64::INFINITY]);
        assert_eq!(first_non_finite(&bad), Some((1, 1, f64::INFINITY)));
        assert_eq!(first_non_finite(&identity(2)), None);
    }
}
