//! Triplets, sparse verbs and sparse factorizations against their dense counterparts.

use mb_algebra::{
    Cholesky, Dense, Lu, Scatter, Sparse, SparseCholesky, SparseLu, Transposed, Triplets, dense, norms,
    sparse, to_dense,
};
use proptest::prelude::*;

const ROWS: usize = 7;
const COLS: usize = 5;

fn entries() -> impl Strategy<Value = Vec<(usize, usize, f64)>> {
    prop::collection::vec((0..ROWS, 0..COLS, -4..5_i32), 0..40)
        .prop_map(|list| list.into_iter().map(|(i, j, v)| (i, j, f64::from(v))).collect())
}

fn triplets(entries: &[(usize, usize, f64)]) -> Triplets {
    let mut t = Triplets::with_capacity(ROWS, COLS, entries.len());
    for &(row, col, value) in entries {
        t.add(row, col, value);
    }
    t
}

/// A diagonally dominant n x n matrix with about four entries a row.
fn sparse_regular(n: usize) -> impl Strategy<Value = Sparse> {
    prop::collection::vec((0..n, 0..n, -1.0..1.0), 3 * n).prop_map(move |list| {
        let mut t = Triplets::new(n, n);
        let mut sums = vec![0.0_f64; n];
        for (i, j, value) in list {
            t.add(i, j, value);
            sums[i] += f64::abs(value);
        }
        for (i, sum) in sums.into_iter().enumerate() {
            t.add(i, i, sum + 1.0);
        }
        t.to_sparse()
    })
}

fn close(x: &[f64], y: &[f64], tolerance: f64) -> bool {
    x.iter().zip(y).all(|(x, y)| (x - y).abs() <= tolerance)
}

proptest! {
    #[test]
    fn triplets_give_the_same_matrix_in_any_order_and_container(
        (list, shuffled) in entries().prop_flat_map(|e| (Just(e.clone()), Just(e).prop_shuffle())),
    ) {
        let a = triplets(&list).to_dense();
        prop_assert_eq!(&to_dense(&triplets(&list).to_sparse()), &a);
        prop_assert_eq!(&triplets(&shuffled).to_dense(), &a);
        let mut flipped = Triplets::new(COLS, ROWS);
        let mut direct = Dense::zeros(ROWS, COLS);
        for &(row, col, value) in &list {
            Transposed(&mut flipped).add(row, col, value);
            direct.add(row, col, value);
        }
        prop_assert_eq!(dense::transpose(&flipped.to_dense()), a.clone());
        prop_assert_eq!(direct, a);
    }

    #[test]
    fn triplets_are_linear(one in entries(), other in entries(), factor in -3..4_i32) {
        let factor = f64::from(factor);
        let mut sum = triplets(&one);
        sum.append(triplets(&other).map(|v| factor * v));
        let expected = dense::add(1.0, &triplets(&one).to_dense(), factor, &triplets(&other).to_dense());
        prop_assert_eq!(sum.to_sparse(), sparse::add(1.0, &triplets(&one).to_sparse(), factor, &triplets(&other).to_sparse()));
        prop_assert_eq!(sum.to_dense(), expected);
    }

    #[test]
    fn sparse_verbs_agree_with_dense_ones(one in entries(), other in entries()) {
        let (s, t) = (triplets(&one).to_sparse(), triplets(&other).to_sparse());
        let (a, b) = (to_dense(&s), to_dense(&t));
        let (x, y) = ([1.0, -2.0, 3.0, 0.5, 4.0], [2.0, 1.0, 0.0, -1.0, 3.0, 1.0, -2.0]);
        prop_assert_eq!(sparse::matvec(&s, &x), dense::matvec(&a, &x));
        prop_assert_eq!(sparse::matvec_transpose(&s, &y), dense::matvec_transpose(&a, &y));
        prop_assert_eq!(to_dense(&sparse::transpose(&s)), dense::transpose(&a));
        prop_assert_eq!(to_dense(&sparse::mul(&sparse::transpose(&s), &t)), dense::mul_transpose(&a, &b));
        prop_assert_eq!(to_dense(&sparse::add(2.0, &s, -1.0, &t)), dense::add(2.0, &a, -1.0, &b));
        for (sparse, dense) in [
            (norms::one(&s), norms::one(&a)),
            (norms::inf(&s), norms::inf(&a)),
            (norms::frobenius(&s), norms::frobenius(&a)),
            (norms::max_abs(&s), norms::max_abs(&a)),
        ] {
            prop_assert!((sparse - dense).abs() < 1e-13);
        }
        let square = sparse::mul(&sparse::transpose(&s), &t);
        prop_assert_eq!(sparse::is_symmetric(&square, 0.0).is_ok(), dense::is_symmetric(&to_dense(&square), 0.0).is_ok());
        let symmetric = sparse::mul(&sparse::transpose(&s), &s);
        prop_assert_eq!(sparse::is_symmetric(&symmetric, 0.0), Ok(()));
        let stacked = sparse::blocks(&[&[Some(&s), None], &[Some(&t), Some(&s)]], &[ROWS, ROWS], &[COLS, COLS]);
        let zero = dense::zeros(ROWS, COLS);
        let expected = dense::vstack(&[&dense::hstack(&[&a, &zero]), &dense::hstack(&[&b, &a])]);
        prop_assert_eq!(to_dense(&stacked), expected);
    }

    #[test]
    fn sparse_lu_agrees_with_dense_lu(a in (1..40_usize).prop_flat_map(sparse_regular)) {
        let b: Vec<f64> = (0..a.rows()).map(|i| (i as f64).sin()).collect();
        let (lu, exact) = (SparseLu::new(&a).unwrap(), Lu::new(&to_dense(&a)).unwrap());
        prop_assert!(close(&lu.solve(&b), &exact.solve(&b), 1e-13));
        prop_assert!(close(&lu.solve_checked(&b, 1e-14).unwrap(), &exact.solve(&b), 1e-13));
        prop_assert!(close(&lu.solve_transpose(&b), &exact.solve_transpose(&b), 1e-12));
        prop_assert!(SparseLu::new(&a.to_csr()).unwrap().solve(&b) == lu.solve(&b));
    }

    #[test]
    fn sparse_cholesky_agrees_with_dense_cholesky(a in (1..40_usize).prop_flat_map(sparse_regular)) {
        let a = sparse::mul(&sparse::transpose(&a), &a);
        let b: Vec<f64> = (0..a.rows()).map(|i| (i as f64).sin()).collect();
        let (chol, exact) = (SparseCholesky::new(&a).unwrap(), Cholesky::new(&to_dense(&a)).unwrap());
        prop_assert!(close(&chol.solve(&b), &exact.solve(&b), 1e-12));
    }
}
