//! Run-time jets against the compile-time ones, which have their own oracle.

use super::{DynJet, Monomials, MonomialsError};
use crate::jet::Jet;
use crate::{Dual, Real};

/// A formula that uses every function once.
fn formula<T: Real>(x: T, y: T, z: T) -> T {
    let (s, c) = (x * y).sin_cos();
    let root = (y * y + z.exp()).sqrt();
    (s * root - c / z) * z.ln() + (root + x).atan2(c + T::cst(2.0)) * (x - y).powi(3) - y.powi(-2)
}

/// All coefficients of the formula, at order 4 in three parameters.
fn complete() -> Jet<3, 35> {
    type J = Jet<3, 35>;
    formula(J::variable(0, 0.3), J::variable(1, 0.9), J::variable(2, 1.4))
}

/// The members of the complete set that `keep` keeps.
fn set(keep: impl Fn(&[u8; 3]) -> bool) -> &'static Monomials {
    let list: Vec<Vec<u8>> = Jet::<3, 35>::INDEX.iter().filter(|s| keep(s)).map(|s| s.to_vec()).collect();
    Monomials::new(&list).unwrap()
}

fn check(set: &'static Monomials) {
    let x = |k, value| DynJet::<40>::variable(set, k, value);
    let got = formula(x(0, 0.3), x(1, 0.9), x(2, 1.4));
    let want = complete();
    for (sigma, c) in set.exponents().iter().zip(got.coefficients(set)) {
        let exact = want.coefficient([sigma[0], sigma[1], sigma[2]]);
        assert!((c - exact).abs() <= 1e-13 * exact.abs().max(1.0), "{sigma:?}: {c} {exact}");
    }
}

#[test]
fn any_order_and_chosen_sets_agree_with_the_complete_series() {
    check(set(|_| true));
    check(set(|s| s.iter().sum::<u8>() <= 2));
    // The last parameter to the first power only, the second to the second.
    check(set(|s| s[2] <= 1 && s[1] <= 2));
    // Hyperbolic cross: products of many parameters are dropped first.
    check(set(|s| s.iter().map(|e| e + 1).product::<u8>() <= 5));
    // Without one parameter at all.
    check(set(|s| s[1] == 0));
}

#[test]
fn constants_meet_every_set_and_stay_cheap() {
    let a = set(|_| true);
    let two = DynJet::<40>::cst(2.0);
    assert_eq!(formula(two, two + two, two * two * two).value(), formula(2.0, 4.0, 8.0));
    let x = DynJet::variable(a, 1, 3.0);
    let sum = (two * x - x / two) + two / x;
    let exact = |k: usize| [4.5 + 2.0 / 3.0, 1.5 - 2.0 / 9.0][k];
    assert!((sum.value() - exact(0)).abs() < 1e-15 && (sum.coefficients(a)[2] - exact(1)).abs() < 1e-15);
    assert_eq!(two.coefficients(a)[0], 2.0);
    assert!(two.coefficients(a)[1..].iter().all(|c| *c == 0.0));
}

#[test]
fn a_dual_over_a_run_time_jet_expands_the_derivative() {
    let line = Monomials::new(&(0..8).map(|e| vec![e]).collect::<Vec<_>>()).unwrap();
    let l = DynJet::<8>::variable(line, 0, 0.7);
    // d/dx sin(l x) at x = 2, expanded in l: l cos(2 l).
    let y = (Dual::variable(DynJet::cst(2.0)) * Dual { re: l, eps: DynJet::cst(0.0) }).sin();
    let exact = l * l.scale(2.0).cos();
    for (a, b) in y.eps.coefficients(line).iter().zip(exact.coefficients(line)) {
        assert!((a - b).abs() < 1e-14);
    }
}

#[test]
fn lists_that_are_no_sets_are_refused() {
    let refuse =
        |list: &[&[u8]]| Monomials::new(&list.iter().map(|s| s.to_vec()).collect::<Vec<_>>()).unwrap_err();
    assert_eq!(refuse(&[]), MonomialsError::Order { at: 0 });
    assert_eq!(refuse(&[&[0, 0], &[1]]), MonomialsError::Lengths { at: 1 });
    assert_eq!(refuse(&[&[1]]), MonomialsError::Order { at: 0 });
    assert_eq!(refuse(&[&[0, 0], &[1, 0], &[2, 0], &[0, 1]]), MonomialsError::Order { at: 3 });
    assert_eq!(refuse(&[&[0, 0], &[1, 0], &[1, 0]]), MonomialsError::Twice { at: 2 });
    assert_eq!(refuse(&[&[0, 0], &[1, 0], &[1, 1]]), MonomialsError::DivisorMissing { at: 2 });
    assert!(refuse(&[&[0, 0], &[1, 0], &[1, 1]]).to_string().contains("multi-index 2"));
}

#[test]
fn equal_lists_give_one_set() {
    let list: Vec<Vec<u8>> = vec![vec![0], vec![1], vec![2]];
    assert!(core::ptr::eq(Monomials::new(&list).unwrap(), Monomials::new(&list).unwrap()));
}
