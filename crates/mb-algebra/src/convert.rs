//! The only place where one matrix container becomes another.

use std::borrow::Cow;

use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};

use crate::{Dense, Sparse};

/// The dense matrix with the same entries.
pub fn to_dense(a: &Sparse) -> Dense {
    let mut out = Dense::zeros(a.rows(), a.cols());
    for (&value, (row, col)) in a {
        out[(row, col)] += value;
    }
    out
}

/// The sparse matrix (CSC) of the entries that are not exactly zero.
pub fn to_sparse(a: &Dense) -> Sparse {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for col in 0..a.ncols() {
        push_line(a.col_as_slice(col), &mut indices, &mut values);
        starts.push(indices.len());
    }
    Sparse::new_csc(a.shape(), starts, indices, values)
}

/// Appends the entries of a row or column that are not exactly zero, with their places.
pub fn push_line(line: &[f64], indices: &mut Vec<usize>, values: &mut Vec<f64>) {
    let count = line.iter().map(|x| usize::from(*x != 0.0)).sum();
    if count == line.len() {
        indices.extend(0..count);
        values.extend_from_slice(line);
        return;
    }
    indices.reserve(count);
    values.reserve(count);
    for (place, value) in line.iter().enumerate() {
        if *value != 0.0 {
            indices.push(place);
            values.push(*value);
        }
    }
}

/// The matrix by columns, copied only when it is stored by rows.
pub fn csc<T: Clone + Default>(a: &sprs::CsMat<T>) -> Cow<'_, sprs::CsMat<T>> {
    if a.is_csc() { Cow::Borrowed(a) } else { Cow::Owned(a.to_csc()) }
}

/// Runs `f` on the factorization library's view of a matrix stored by columns.
pub(crate) fn with_faer<T, R>(a: &sprs::CsMat<T>, f: impl FnOnce(SparseColMatRef<'_, usize, T>) -> R) -> R {
    let col_start = a.proper_indptr();
    let pattern = SymbolicSparseColMatRef::new_checked(a.rows(), a.cols(), &col_start, None, a.indices());
    f(SparseColMatRef::new(pattern, a.data()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_go_there_and_back() {
        let a = Dense::from_fn(3, 4, |i, j| if (i + j) % 2 == 0 { 0.0 } else { (i * 4 + j) as f64 });
        let s = to_sparse(&a);
        assert_eq!(s.nnz(), 6);
        assert!(s.is_csc());
        assert_eq!(to_dense(&s), a);
        assert_eq!(to_dense(&s.to_csr()), a);
    }
}
