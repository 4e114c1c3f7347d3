//! Inverse iteration on the problem as given.

use mb_algebra::{Dense, c64, dense};
use mb_eigen::{Class, DenseOptions, EigenError, Eigenpair, pairing, polish};

use crate::{quadratic, systems};

fn options() -> DenseOptions {
    DenseOptions::default()
}

/// The pair with value and vectors off by about `by`.
fn disturbed(pair: &Eigenpair, by: f64) -> Eigenpair {
    let s = pair.value().unwrap() * (1.0 + by);
    let beta = s.norm().hypot(1.0).recip();
    let shake = |v: &[c64]| v.iter().enumerate().map(|(i, z)| z + by * ((i * 7 % 5) as f64 - 2.0)).collect();
    Eigenpair { alpha: s * beta, beta, right: shake(&pair.right), left: shake(&pair.left), ..pair.clone() }
}

#[test]
fn a_disturbed_pair_comes_back() {
    let mut damped = systems::chain(8, 1.0, 100.0, true);
    damped.c[(2, 2)] = 3.0;
    for pencil in [systems::four_bar(3, 1.0).0, systems::trolley(2.0, 1.0, 0.5, 9.81), damped] {
        let spectrum = quadratic::solve(&pencil);
        for pair in spectrum.of_class(Class::Physical) {
            let found = polish(&pencil, &disturbed(pair, 1e-4), &options()).unwrap();
            let distance = (found.value().unwrap() - pair.value().unwrap()).norm();
            assert!(distance <= found.error_bound + pair.error_bound, "{distance:e}");
            assert!(found.backward_error < 1e-15 && found.constraint_violation < 1e-14);
            assert!(pairing::mac(&found.right, &pair.right) > 1.0 - 1e-12);
            assert!(pairing::mac(&found.left, &pair.left) > 1.0 - 1e-12);
            assert_eq!(found.class, Class::Physical);
        }
    }
}

#[test]
fn an_infinite_eigenvalue_is_refused() {
    let massless = systems::free(
        dense::diagonal(&[2.0, 0.0]),
        Dense::zeros(2, 2),
        dense::from_rows(&[&[3.0, -3.0], &[-3.0, 9.0]]),
    );
    let spectrum = quadratic::solve(&massless);
    let infinite = spectrum.of_class(Class::Infinite).next().unwrap();
    assert_eq!(polish(&massless, infinite, &options()).unwrap_err(), EigenError::NotFinite);
}

#[test]
fn a_defective_eigenvalue_keeps_an_honest_error_bound() {
    let pencil = systems::free(dense::identity(1), dense::diagonal(&[6.0]), dense::diagonal(&[9.0]));
    let pair = &quadratic::solve(&pencil).eigenpairs[0];
    let found = polish(&pencil, pair, &options()).unwrap();
    assert!((found.value().unwrap() + 3.0).norm() <= found.error_bound);
}
