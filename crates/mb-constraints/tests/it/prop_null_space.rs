//! Bases of the admissible velocities on random Jacobians of known rank.

use mb_algebra::{Dense, RankTolerance, dense, norms};
use mb_constraints::{NullSpace, NullSpaceMethod};
use proptest::prelude::*;

/// Numbers in [-1, 1] with sizes and rank: m x n of rank r as a product of two factors.
fn jacobian() -> impl Strategy<Value = (Dense, usize)> {
    (2_usize..9, 0_usize..7, 0_usize..3)
        .prop_flat_map(|(n, r, extra)| {
            let r = r.min(n);
            let m = r + if r > 0 { extra } else { 0 };
            let numbers = |k: usize| proptest::collection::vec(-1.0..1.0_f64, k);
            (Just((n, r, m)), numbers(r * n), numbers(m * r))
        })
        .prop_filter_map("factors too close to losing rank", |((n, r, m), right, left)| {
            // Unit parts keep both factors well conditioned.
            let right = Dense::from_fn(r, n, |i, j| right[i * n + j] * 0.3 + f64::from(u8::from(i == j)));
            let left = Dense::from_fn(m, r, |i, j| left[i * r + j] * 0.3 + f64::from(u8::from(i == j)));
            Some((dense::mul(&left, &right), r))
        })
}

fn methods() -> [NullSpaceMethod; 5] {
    [
        NullSpaceMethod::CoordinateSelection(None),
        NullSpaceMethod::Qr,
        NullSpaceMethod::Svd,
        NullSpaceMethod::GramSchmidt,
        NullSpaceMethod::ZeroEigenvalue,
    ]
}

proptest! {
    #[test]
    fn every_method_gives_a_basis((phi_q, rank) in jacobian()) {
        for method in methods() {
            let basis = NullSpace::new(&phi_q, &method, RankTolerance::default(), |i| format!("x{i}")).unwrap();
            prop_assert_eq!(basis.rank, rank, "{}", method);
            prop_assert_eq!(basis.dof(), phi_q.ncols() - rank);
            // Phi_q R = 0; the squared method reaches the square root of the others.
            let slip = norms::max_abs(&dense::mul(&phi_q, &basis.r)) / norms::max_abs(&basis.r).max(1.0);
            let allowed = if method == NullSpaceMethod::ZeroEigenvalue { 1e-6 } else { 1e-12 };
            prop_assert!(slip <= allowed, "{}: {:e}", method, slip);
            // B R = I.
            for j in 0..basis.dof() {
                let unit = basis.independent_part(&dense::column(&basis.r, j));
                for (i, x) in unit.iter().enumerate() {
                    prop_assert!((x - f64::from(u8::from(i == j))).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn the_particular_solution_has_no_independent_part((phi_q, rank) in jacobian(), seed in 0_u8..50) {
        prop_assume!(rank > 0);
        // A consistent right-hand side: Phi_q w.
        let w: Vec<f64> = (0..phi_q.ncols()).map(|i| (f64::from(seed) + i as f64).sin()).collect();
        let y = dense::matvec(&phi_q, &w);
        for method in methods() {
            let basis = NullSpace::new(&phi_q, &method, RankTolerance::default(), |i| format!("x{i}")).unwrap();
            let x = basis.particular(&y);
            let left: Vec<f64> = dense::matvec(&phi_q, &x).iter().zip(&y).map(|(a, b)| a - b).collect();
            let allowed = if method == NullSpaceMethod::ZeroEigenvalue { 1e-6 } else { 1e-11 };
            prop_assert!(norms::max_abs_vec(&left) < allowed, "{}: {:?}", method, left);
            prop_assert!(norms::max_abs_vec(&basis.independent_part(&x)) < 1e-11);
        }
    }
}

#[test]
fn a_selection_of_wrong_size_is_refused_by_name() {
    let phi_q = dense::from_rows(&[[1.0, 2.0, 0.0]]);
    let method = NullSpaceMethod::CoordinateSelection(Some(vec![2]));
    let error =
        NullSpace::new(&phi_q, &method, RankTolerance::default(), |i| format!("body{i}.x")).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("body2.x") && text.contains("2 degrees of freedom"), "{text}");
}
