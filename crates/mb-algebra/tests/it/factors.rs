//! Dense factorizations: reconstruction, permutations, ranks by construction.

use mb_algebra::{
    Cholesky, Dense, DenseC, Lu, LuComplex, RankQr, RankTolerance, Svd, c64, condition, dense, norms,
};
use proptest::prelude::*;

use crate::random::{definite, matrix, of_known_rank, permutation, square};

fn difference(a: &Dense, b: &Dense) -> f64 {
    assert_eq!(a.shape(), b.shape());
    norms::max_abs(&dense::add(1.0, a, -1.0, b))
}

proptest! {
    #[test]
    fn lu_solutions_have_small_backward_errors(a in square(20), scale in -8..8_i32) {
        let a = dense::scale(10_f64.powi(scale), &a);
        let lu = Lu::new(&a);
        prop_assume!(lu.is_ok());
        let lu = lu.unwrap();
        let n = a.nrows();
        let b: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        for (matrix, x) in [(a.clone(), lu.solve(&b)), (dense::transpose(&a), lu.solve_transpose(&b))] {
            let ax = dense::matvec(&matrix, &x);
            let r: Vec<f64> = ax.iter().zip(&b).map(|(ax, b)| ax - b).collect();
            let size = norms::inf(&matrix) * norms::max_abs_vec(&x) + norms::max_abs_vec(&b);
            prop_assert!(norms::max_abs_vec(&r) <= 1e-13 * n as f64 * size);
        }
    }

    #[test]
    fn the_order_of_equations_does_not_matter(
        (a, order) in (2..10_usize).prop_flat_map(|n| (matrix(n, n), permutation(n))),
    ) {
        let lu = Lu::new(&a);
        prop_assume!(lu.is_ok());
        let lu = lu.unwrap();
        let b: Vec<f64> = (0..a.nrows()).map(|i| i as f64 - 1.0).collect();
        let shuffled = Lu::new(&dense::select_rows(&a, &order)).unwrap();
        let x = lu.solve(&b);
        let y = shuffled.solve(&order.iter().map(|&i| b[i]).collect::<Vec<_>>());
        let allowed = 1e-13 / lu.rcond() * norms::max_abs_vec(&x);
        prop_assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() <= allowed));
        let (sign, log) = lu.sign_and_log_determinant();
        let (other_sign, other_log) = shuffled.sign_and_log_determinant();
        prop_assert!((log - other_log).abs() < 1e-13 / lu.rcond());
        prop_assert!((sign * other_sign).abs() > 0.5);
    }

    #[test]
    fn complex_lu_agrees_with_the_real_system_twice_as_large(
        (re, im) in (1..8_usize).prop_flat_map(|n| (matrix(n, n), matrix(n, n))),
    ) {
        let n = re.nrows();
        let both = dense::vstack(&[
            &dense::hstack(&[&re, &dense::scale(-1.0, &im)]),
            &dense::hstack(&[&im, &re]),
        ]);
        let complex = DenseC::from_fn(n, n, |i, j| c64::new(re[(i, j)], im[(i, j)]));
        let (lu, real) = (LuComplex::new(&complex), Lu::new(&both));
        prop_assume!(lu.is_ok() && real.is_ok());
        let (lu, real) = (lu.unwrap(), real.unwrap());
        let z = lu.solve(&vec![c64::new(1.0, -2.0); n]);
        let xy = real.solve(&[vec![1.0; n], vec![-2.0; n]].concat());
        let allowed = 1e-13 / real.rcond() * norms::max_abs_vec(&xy);
        prop_assert!((0..n).all(|i| (z[i] - c64::new(xy[i], xy[n + i])).norm() <= allowed));
    }

    #[test]
    fn the_condition_estimate_is_a_lower_bound(a in square(15)) {
        let lu = Lu::new(&a);
        prop_assume!(lu.is_ok());
        let lu = lu.unwrap();
        let exact = norms::one(&a) * norms::one(&lu.solve_mat(&dense::identity(a.nrows())));
        prop_assume!(exact < 1e12);
        prop_assert!(lu.rcond().recip() <= exact * (1.0 + 1e-3));
        // The norms are equivalent: cond_2 <= n cond_1, and the estimate is seldom far below.
        prop_assert!(condition::two(&a).unwrap() <= 10.0 * a.nrows() as f64 * lu.rcond().recip());
    }

    #[test]
    fn cholesky_rebuilds_the_matrix(a in (1..12_usize).prop_flat_map(definite)) {
        let chol = Cholesky::new(&a).unwrap();
        prop_assert!(difference(&dense::mul(chol.l(), &dense::transpose(chol.l())), &a) < 1e-13);
        let inverse = chol.solve_mat(&dense::identity(a.nrows()));
        prop_assert!(difference(&dense::mul(&a, &inverse), &dense::identity(a.nrows())) < 1e-11);
        let (sign, log) = Lu::new(&a).unwrap().sign_and_log_determinant();
        prop_assert!(sign > 0.0 && (log - chol.log_determinant()).abs() < 1e-11);
    }

    #[test]
    fn an_indefinite_matrix_has_no_cholesky_factor(a in (2..8_usize).prop_flat_map(definite), at in 0..8_usize) {
        let at = at % a.nrows();
        let mut a = a;
        a[(at, at)] = -0.01;
        prop_assert!(Cholesky::new(&a).is_err());
    }

    #[test]
    fn svd_rebuilds_the_matrix(a in (0..12_usize, 0..12_usize).prop_flat_map(|(m, n)| matrix(m, n))) {
        let svd = Svd::new(&a).unwrap();
        let k = svd.s.len();
        let v = dense::select_columns(&svd.v, &(0..k).collect::<Vec<_>>());
        let rebuilt = dense::mul(&dense::mul(&svd.u, &dense::diagonal(&svd.s)), &dense::transpose(&v));
        prop_assert!(difference(&rebuilt, &a) < 1e-13);
        prop_assert!(difference(&dense::mul_transpose(&svd.u, &svd.u), &dense::identity(k)) < 1e-13);
        prop_assert!(difference(&dense::mul_transpose(&svd.v, &svd.v), &dense::identity(a.ncols())) < 1e-13);
        prop_assert!(svd.s.iter().all(|s| *s >= 0.0) && svd.s.windows(2).all(|w| w[0] >= w[1]));
    }

    #[test]
    fn ranks_by_construction_are_found((a, r) in of_known_rank()) {
        let tolerance = RankTolerance { relative: 1e-9 };
        let (m, n) = a.shape();
        let qr = RankQr::new(&a, tolerance).unwrap();
        prop_assert_eq!(qr.rank(), r);
        prop_assert_eq!(Svd::new(&a).unwrap().rank(tolerance).rank, r);
        prop_assert!(qr.decision().gap() < 1e-9);
        let (null, row, range) = (qr.null_space(), qr.row_space(), qr.range().unwrap());
        prop_assert_eq!((null.shape(), row.shape(), range.shape()), ((n, n - r), (n, r), (m, r)));
        prop_assert!(norms::max_abs(&dense::mul(&a, &null)) < 1e-12);
        let q = dense::hstack(&[&row, &null]);
        prop_assert!(difference(&dense::mul_transpose(&q, &q), &dense::identity(n)) < 1e-13);
        prop_assert!(difference(&dense::mul(&range, &dense::mul_transpose(&range, &a)), &a) < 1e-12);
    }

    #[test]
    fn qr_rebuilds_dependent_rows_from_independent_ones((a, r) in of_known_rank()) {
        let qr = RankQr::new(&a, RankTolerance { relative: 1e-9 }).unwrap();
        let (kept, dropped) = qr.pivots().split_at(r);
        let rebuilt = dense::mul(&qr.dependence(), &dense::select_rows(&a, kept));
        prop_assert!(difference(&rebuilt, &dense::select_rows(&a, dropped)) < 1e-10);
        let independent = dense::select_rows(&a, &qr.independent_rows());
        prop_assert_eq!(RankQr::new(&independent, RankTolerance { relative: 1e-9 }).unwrap().rank(), r);
        let (dependent, free) = qr.partition_columns().unwrap();
        prop_assert_eq!((dependent.len(), free.len()), (r, a.ncols() - r));
        prop_assert!(Lu::new(&dense::select_columns(&independent, &dependent)).is_ok());
    }

    #[test]
    fn the_rank_does_not_depend_on_the_order_of_rows(
        (a, r, order) in of_known_rank().prop_flat_map(|(a, r)| {
            let m = a.nrows();
            (Just(a), Just(r), permutation(m))
        }),
    ) {
        let shuffled = dense::select_rows(&a, &order);
        let (one, other) = (RankQr::new(&a, RankTolerance::default()), RankQr::new(&shuffled, RankTolerance::default()));
        let (one, other) = (one.unwrap(), other.unwrap());
        prop_assert_eq!((one.rank(), other.rank()), (r, r));
        // The null space is the same space: equal projections.
        let projection = |n: &Dense| dense::mul(n, &dense::transpose(n));
        prop_assert!(difference(&projection(&one.null_space()), &projection(&other.null_space())) < 1e-10);
    }

    #[test]
    fn minimum_norm_solutions_agree((a, _) in of_known_rank()) {
        let tolerance = RankTolerance { relative: 1e-9 };
        let exact: Vec<f64> = (0..a.ncols()).map(|i| 1.0 + i as f64).collect();
        let b = dense::matvec(&a, &exact);
        let x = RankQr::new(&a, tolerance).unwrap().solve_independent_rows(&b);
        let y = Svd::new(&a).unwrap().min_norm_solve(&b, tolerance);
        prop_assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-9));
        prop_assert!(norms::two(&x) <= norms::two(&exact) * (1.0 + 1e-9));
        let multipliers = RankQr::new(&a, tolerance).unwrap().solve_transpose(&x);
        let back = dense::matvec_transpose(&a, &multipliers);
        prop_assert!(back.iter().zip(&x).all(|(back, x)| (back - x).abs() < 1e-8));
    }

    #[test]
    fn norms_are_ordered(a in (1..9_usize, 1..9_usize).prop_flat_map(|(m, n)| matrix(m, n))) {
        let (m, n) = (a.nrows() as f64, a.ncols() as f64);
        let two = Svd::new(&a).unwrap().s[0];
        let slack = 1.0 + 1e-13;
        prop_assert!(norms::max_abs(&a) <= two * slack && two <= norms::frobenius(&a) * slack);
        prop_assert!(two * two <= norms::one(&a) * norms::inf(&a) * slack);
        prop_assert!(norms::one(&a) <= m.sqrt() * two * slack && norms::inf(&a) <= n.sqrt() * two * slack);
    }
}
