//! The only place where one matrix container becomes another.

use std::borrow::Cow;

use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};

use crate::triplets::Scatter;
use crate::{Dense, Sparse, Triplets};

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
    let mut triplets = Triplets::new(a.nrows(), a.ncols());
    for col in 0..a.ncols() {
        for (row, &value) in a.col_as_slice(col).iter().enumerate() {
            if value != 0.0 {
                triplets.add(row, col, value);
            }
        }
    }
    triplets.to_sparse()
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
