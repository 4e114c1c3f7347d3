//! Random matrices with known properties.

use mb_algebra::{Dense, RankQr, RankTolerance, dense};
use proptest::prelude::*;

/// rows x cols with entries between -1 and 1.
pub(crate) fn matrix(rows: usize, cols: usize) -> impl Strategy<Value = Dense> {
    prop::collection::vec(-1.0..1.0, rows * cols)
        .prop_map(move |values| Dense::from_fn(rows, cols, |i, j| values[i + rows * j]))
}

/// n x n with entries between -1 and 1, n up to `largest`.
pub(crate) fn square(largest: usize) -> impl Strategy<Value = Dense> {
    (1..=largest).prop_flat_map(|n| matrix(n, n))
}

/// Symmetric positive definite with eigenvalues between 0.1 and 10, by its orthogonal and diagonal parts.
pub(crate) fn definite(n: usize) -> impl Strategy<Value = Dense> {
    (orthonormal(n, n), prop::collection::vec(0.1..10.0, n)).prop_map(|(q, values)| {
        dense::symmetric_part(&dense::mul(&dense::mul(&q, &dense::diagonal(&values)), &dense::transpose(&q)))
    })
}

/// rows x cols with orthonormal columns, rows >= cols.
pub(crate) fn orthonormal(rows: usize, cols: usize) -> impl Strategy<Value = Dense> {
    matrix(cols, rows).prop_filter_map("too close to dependent columns", move |a| {
        let qr = RankQr::new(&a, RankTolerance { relative: 1e-6 }).ok()?;
        (qr.rank() == cols).then(|| qr.row_space())
    })
}

/// A matrix with a known rank: the matrix, its rank and its smallest nonzero singular value.
pub(crate) fn of_known_rank() -> impl Strategy<Value = (Dense, usize)> {
    (1..9_usize, 1..9_usize)
        .prop_flat_map(|(m, n)| (Just(m), Just(n), 0..=m.min(n)))
        .prop_flat_map(|(m, n, r)| {
            (orthonormal(m, r), orthonormal(n, r), prop::collection::vec(0.01..10.0, r))
        })
        .prop_map(|(u, v, s)| {
            let a = dense::mul(&dense::mul(&u, &dense::diagonal(&s)), &dense::transpose(&v));
            (a, s.len())
        })
}

/// 0, 1, ..., n - 1 in some order.
pub(crate) fn permutation(n: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..n).collect::<Vec<_>>()).prop_shuffle()
}
