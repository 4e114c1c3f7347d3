//! Known series, and that seeding works through the dual numbers.

use super::Jet;
use crate::{Dual, Lift, Real};

/// Order 20 in one variable.
type Long = Jet<1, 21>;

fn assert_close(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    for (i, (a, b)) in got.iter().zip(want).enumerate() {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "coefficient {i}: {a} {b}");
    }
}

#[test]
fn maclaurin_series_are_the_known_ones_to_order_20() {
    let x = Long::variable(0, 0.0);
    let mut factorial = [1.0; 21];
    for k in 1..21 {
        factorial[k] = factorial[k - 1] * k as f64;
    }
    let from = |f: &dyn Fn(usize) -> f64| -> Vec<f64> { (0..21).map(f).collect() };
    let sign = |half: usize| if half.is_multiple_of(2) { 1.0 } else { -1.0 };
    assert_close(&x.exp().0, &from(&|k| 1.0 / factorial[k]), 1e-15);
    assert_close(&x.sin().0, &from(&|k| if k % 2 == 1 { sign(k / 2) / factorial[k] } else { 0.0 }), 1e-15);
    assert_close(&x.cos().0, &from(&|k| if k % 2 == 0 { sign(k / 2) / factorial[k] } else { 0.0 }), 1e-15);
    let one_plus = Long::variable(0, 1.0);
    assert_close(&one_plus.recip().0, &from(&sign), 1e-15);
    assert_close(&one_plus.ln().0, &from(&|k| if k == 0 { 0.0 } else { -sign(k) / k as f64 }), 1e-14);
    // sqrt(1 + x): each binomial coefficient from the one before.
    let mut half_over_k = vec![1.0];
    for k in 1..21 {
        let last = half_over_k[k - 1];
        half_over_k.push(last * (1.5 - k as f64) / k as f64);
    }
    assert_close(&one_plus.sqrt().0, &half_over_k, 1e-14);
    // atan2(x, 1) = x - x^3/3 + ...
    let arc = x.atan2(Long::constant(1.0));
    assert_close(&arc.0, &from(&|k| if k % 2 == 1 { sign(k / 2) / k as f64 } else { 0.0 }), 1e-14);
}

#[test]
fn products_of_variables_are_monomials() {
    type J = Jet<6, 210>;
    let vars: Vec<J> = (0..6).map(|k| J::variable(k, 0.0)).collect();
    let p = vars[5] * vars[0] * vars[2] * vars[2];
    for (sigma, c) in J::INDEX.iter().zip(p.0) {
        assert_eq!(c, f64::from(u8::from(*sigma == [1, 0, 2, 0, 0, 1])));
    }
    // One degree more falls off the end.
    assert_eq!(p * vars[1], J::default());
    assert!(p.coefficient([1, 1, 2, 0, 0, 1]).is_nan());
}

#[test]
fn powers_of_a_vanishing_value_are_exact() {
    let x = Jet::<1, 5>::variable(0, 0.0);
    assert_eq!(x.powi(3).0, [0.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(x.powi(0), Jet::constant(1.0));
    assert_eq!(x.powi(9), Jet::default());
}

#[test]
fn derivatives_are_coefficients_times_factorials() {
    type J = Jet<2, 15>;
    let (x, y) = (J::variable(0, 2.0), J::variable(1, 3.0));
    let f = x.powi(3) * y; // f_xxy = 6, f_xxx = 18
    assert_eq!(f.derivative([2, 1]), 12.0);
    assert_eq!(f.derivative([3, 1]), 6.0);
    assert_eq!(f.derivative([3, 0]), 18.0);
    assert_eq!(f.homogeneous(1), [36.0, 8.0]);
    assert!(f.homogeneous(5).is_empty());
    assert_eq!(f.evaluate([1.0, 1.0]), 27.0 * 4.0);
}

#[test]
fn a_dual_over_a_jet_expands_the_derivative() {
    type J = Jet<1, 8>;
    let l = J::variable(0, 0.7);
    // d/dx sin(l x) at x = 2, expanded in l: l cos(2 l).
    let x = Dual::<J>::variable(J::constant(2.0));
    let y = (x * Dual::lift(l)).sin();
    assert_close(&y.eps.0, &(l * l.scale(2.0).cos()).0, 1e-15);
}

#[test]
fn comparison_sees_the_value_and_non_finite_numbers_show() {
    type J = Jet<2, 6>;
    let (x, y) = (J::variable(0, 1.0), J::variable(1, 2.0));
    assert!(x < y && x + J::constant(1.0) <= y);
    assert!(x + J::constant(1.0) != y);
    assert!((-y).abs() == y);
    let mut bad = J::constant(1.0);
    bad.0[4] = f64::INFINITY;
    assert!(!bad.is_finite());
    assert!(!(J::default() * bad).is_finite() && !(bad * J::default()).is_finite());
    assert!(!J::variable(0, 0.0).recip().is_finite());
}
