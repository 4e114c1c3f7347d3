//! Saddle-point solves: dense, sparse and redundant.

use mb_algebra::{Dense, Scatter, dense, norms, sparse, to_sparse};
use mb_constraints::{DENSE_UP_TO, Saddle};
use proptest::prelude::*;

/// A symmetric A, a Jacobian with full row rank, and the same with its first row repeated.
fn system() -> impl Strategy<Value = (Dense, Dense, Dense, Vec<f64>)> {
    (2_usize..8, 1_usize..4).prop_flat_map(|(n, m)| {
        let m = m.min(n - 1);
        let numbers = |k: usize| proptest::collection::vec(-1.0..1.0_f64, k);
        (numbers(n * n), numbers(m * n), numbers(n)).prop_map(move |(a, g, f)| {
            let a = Dense::from_fn(n, n, |i, j| {
                0.2 * (a[i * n + j] + a[j * n + i]) + if i == j { 2.0 } else { 0.0 }
            });
            let g = Dense::from_fn(m, n, |i, j| 0.3 * g[i * n + j] + f64::from(u8::from(i == j)));
            let mut order: Vec<usize> = (0..m).collect();
            order.push(0);
            let doubled = dense::select_rows(&g, &order);
            (a, g, doubled, f)
        })
    })
}

proptest! {
    #[test]
    fn redundant_rows_change_the_multipliers_only((a, g, doubled, f) in system()) {
        let b: Vec<f64> = (0..g.nrows()).map(|i| 0.1 * (i + 1) as f64).collect();
        let (x, y) = Saddle::dense(&a, &g).unwrap().solve(&f, &b);
        let mut b2 = b.clone();
        b2.push(b[0]);
        let saddle = Saddle::dense(&a, &doubled).unwrap();
        prop_assert!(saddle.is_singular());
        let (x2, y2) = saddle.solve(&f, &b2);
        for (p, q) in x.iter().zip(&x2) {
            prop_assert!((p - q).abs() < 1e-10);
        }
        // The doubled row shares its multiplier evenly: the shortest choice.
        prop_assert!((y2[0] - 0.5 * y[0]).abs() < 1e-9);
        prop_assert!((y2[g.nrows()] - 0.5 * y[0]).abs() < 1e-9);
    }

    #[test]
    fn the_solution_satisfies_both_equations((a, g, _, f) in system(), scale in -6..6_i32) {
        // Units of force and length apart by many orders of magnitude.
        let a = dense::scale(10.0_f64.powi(scale), &a);
        let b = vec![0.3; g.nrows()];
        let (x, y) = Saddle::dense(&a, &g).unwrap().solve(&f, &b);
        let force: Vec<f64> = dense::matvec(&a, &x)
            .iter()
            .zip(dense::matvec_transpose(&g, &y))
            .zip(&f)
            .map(|((ax, gy), f)| ax + gy - f)
            .collect();
        let rows: Vec<f64> = dense::matvec(&g, &x).iter().zip(&b).map(|(gx, b)| gx - b).collect();
        let force_scale = norms::max_abs(&a) * norms::max_abs_vec(&x) + norms::max_abs_vec(&y) + 1.0;
        prop_assert!(norms::max_abs_vec(&force) < 1e-12 * force_scale);
        prop_assert!(norms::max_abs_vec(&rows) < 1e-12 * (1.0 + norms::max_abs_vec(&x)));
    }
}

/// Above the switch to sparse factors: a chain of masses with rigid links, some doubled.
#[test]
fn the_sparse_path_solves_large_and_redundant_systems() {
    let n = DENSE_UP_TO;
    let mut rows = mb_algebra::Triplets::new(n / 2 + 3, n);
    for i in 0..n / 2 {
        rows.add(i, 2 * i, 1.0);
        rows.add(i, 2 * i + 1, -1.0);
    }
    for k in 0..3 {
        rows.add(n / 2 + k, 2 * k, 1.0);
        rows.add(n / 2 + k, 2 * k + 1, -1.0);
    }
    let g = rows.to_sparse();
    let a = sparse::diagonal(&(0..n).map(|i| 1.0 + i as f64 / n as f64).collect::<Vec<_>>());
    let f: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
    let (x, y) = Saddle::sparse(&a, &g).unwrap().solve(&f, &vec![0.0; n / 2 + 3]);
    assert!(norms::max_abs_vec(&sparse::matvec(&g, &x)) < 1e-9);
    let carried = sparse::matvec_transpose(&g, &y);
    let balance: Vec<f64> =
        sparse::matvec(&a, &x).iter().zip(carried).zip(&f).map(|((a, c), f)| a + c - f).collect();
    assert!(norms::max_abs_vec(&balance) < 1e-9, "{:e}", norms::max_abs_vec(&balance));
    assert!(norms::max_abs_vec(&y) < 10.0, "multipliers of doubled rows stay bounded");
    let dense_small = Saddle::dense(&dense::identity(2), &dense::from_rows(&[[1.0, 1.0]])).unwrap();
    assert!(!dense_small.is_singular());
    assert_eq!(to_sparse(&dense::identity(2)).nnz(), 2);
}

/// Springs in a row, every tenth joined to the next by a rigid link, and forces that turn with the displacement.
#[test]
fn the_sparse_path_solves_unsymmetric_systems() {
    let n = DENSE_UP_TO;
    let mut rows = mb_algebra::Triplets::new(n / 10, n);
    for i in 0..n / 10 {
        rows.add(i, 10 * i, 1.0);
        rows.add(i, 10 * i + 1, -1.0);
    }
    let g = rows.to_sparse();
    let (f, b): (Vec<f64>, Vec<f64>) =
        ((0..n).map(|i| (i as f64).sin()).collect(), (0..n / 10).map(|i| 0.1 * i as f64).collect());
    // Small against the springs, of their size, and much larger.
    for turning in [0.01, 1.0, 30.0] {
        let mut a = mb_algebra::Triplets::new(n, n);
        for i in 0..n {
            a.add(i, i, 2.5);
            if i + 1 < n {
                a.add(i, i + 1, -1.0 + turning);
                a.add(i + 1, i, -1.0 - turning);
            }
        }
        let a = a.to_sparse();
        let (x, y) = Saddle::sparse(&a, &g).unwrap().solve(&f, &b);
        let carried = sparse::matvec_transpose(&g, &y);
        let force: Vec<f64> =
            sparse::matvec(&a, &x).iter().zip(carried).zip(&f).map(|((a, c), f)| a + c - f).collect();
        let gap: Vec<f64> = sparse::matvec(&g, &x).iter().zip(&b).map(|(p, b)| p - b).collect();
        let size = 1.0 + norms::max_abs_vec(&x) * (1.0 + turning) + norms::max_abs_vec(&y);
        assert!(
            norms::max_abs_vec(&force) < 1e-9 * size && norms::max_abs_vec(&gap) < 1e-9 * size,
            "{turning}"
        );
    }
}
