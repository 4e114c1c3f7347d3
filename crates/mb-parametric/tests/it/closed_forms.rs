//! Series of systems whose eigenvalues have formulas.

use crate::systems::{free, polynomial};
use mb_algebra::{Dense, QuadraticPencil, c64, dense};
use mb_parametric::{ExpandOptions, MultiIndexSet, PencilSeries, StartingEigenpair, expand};
use mb_scalar::Real;
use mb_scalar::jet::Jet;

fn number(x: f64) -> Dense {
    dense::diagonal(&[x])
}

/// m s^2 + c s + k, parameters (m, c, k) about the given values.
fn oscillator(m: f64, c: f64, k: f64) -> PencilSeries {
    let affine = |value: f64, which: usize| {
        let unit: Vec<u8> = (0..3).map(|j| u8::from(j == which)).collect();
        vec![(vec![0; 3], number(value)), (unit, number(1.0))]
    };
    let terms = QuadraticPencil { m: affine(m, 0), c: affine(c, 1), k: affine(k, 2), phi_q: free(1, 3) };
    polynomial(3, 1, &terms)
}

#[test]
fn damped_oscillator_has_the_coefficients_of_its_formula() {
    // Order 6 in (m, c, k); s = -c / 2m + i sqrt(k / m - (c / 2m)^2) in jets.
    type J = Jet<3, 84>;
    for (m, c, k) in [(2.0, 0.3, 8.0), (0.5, 0.0, 3.0), (1.0, 1.9, 1.0)] {
        let (jm, jc, jk) = (J::variable(0, m), J::variable(1, c), J::variable(2, k));
        let decay = jc / jm.scale(2.0);
        let omega = (jk / jm - decay * decay).sqrt();
        let set = MultiIndexSet::total(3, 6).unwrap();
        let start =
            StartingEigenpair { s: c64::new(-decay.value(), omega.value() * 1.001), vector: vec![c64::I] };
        let mode = expand(&oscillator(m, c, k), &start, &set, &ExpandOptions::default()).unwrap();
        for (i, s) in mode.eigenvalue_coefficients().iter().enumerate() {
            let exact = c64::new(-decay.0[i], omega.0[i]);
            assert!((s - exact).norm() <= 1e-11 * exact.norm().max(1.0), "{:?}: {s} {exact}", J::INDEX[i]);
        }
    }
}

#[test]
fn overdamped_root_is_real_and_follows_its_formula() {
    type J = Jet<3, 35>;
    let (m, c, k) = (1.0, 5.0, 4.0); // eigenvalues -1 and -4
    let (jm, jc, jk) = (J::variable(0, m), J::variable(1, c), J::variable(2, k));
    let root = (jc * jc - jm * jk.scale(4.0)).sqrt();
    let exact = (root - jc) / jm.scale(2.0);
    let set = MultiIndexSet::total(3, 4).unwrap();
    let start = StartingEigenpair { s: c64::new(-1.01, 0.0), vector: vec![c64::ONE] };
    let mode = expand(&oscillator(m, c, k), &start, &set, &ExpandOptions::default()).unwrap();
    for (s, exact) in mode.eigenvalue_coefficients().iter().zip(exact.0) {
        assert!((s - exact).norm() <= 1e-12 * exact.abs().max(1.0), "{s} {exact}");
    }
}

/// Two masses on springs, joined by a lever: q1 = (ratio + d) q0, written as a constraint.
fn lever(ratio: f64) -> PencilSeries {
    let at = |a: Dense| vec![(vec![0], a)];
    let terms = QuadraticPencil {
        m: at(dense::diagonal(&[2.0, 3.0])),
        c: at(Dense::zeros(2, 2)),
        k: at(dense::diagonal(&[5.0, 7.0])),
        phi_q: vec![
            (vec![0], dense::from_rows(&[[ratio, -1.0]])),
            (vec![1], dense::from_rows(&[[1.0, 0.0]])),
        ],
    };
    polynomial(1, 1, &terms)
}

#[test]
fn constraint_that_moves_with_the_parameter_gives_eigenvalue_and_reaction() {
    type J = Jet<1, 13>;
    let g = J::variable(0, 0.5);
    let square = g * g;
    let omega2 = (J::constant(5.0) + square.scale(7.0)) / (J::constant(2.0) + square.scale(3.0));
    let omega = omega2.sqrt();
    let set = MultiIndexSet::total(1, 12).unwrap();
    let start =
        StartingEigenpair { s: c64::new(0.0, omega.value()), vector: vec![c64::from(1.0), c64::from(0.5)] };
    let mode = expand(&lever(0.5), &start, &set, &ExpandOptions::default()).unwrap();
    for (s, exact) in mode.eigenvalue_coefficients().iter().zip(omega.0) {
        assert!((s - c64::I * exact).norm() <= 1e-12 * exact.abs().max(1.0), "{s} {exact}");
    }
    // From the second row: the multiplier is (s^2 m1 + k1) q1 = (7 - 3 omega^2) q1.
    let at = mode.evaluate(&[0.1], 12).unwrap();
    let w2 = -(at.s * at.s);
    assert!((at.vector[1] - at.vector[0] * 0.6).norm() < 1e-9);
    assert!((at.multipliers[0] - (c64::from(7.0) - w2 * 3.0) * at.vector[1]).norm() < 1e-8);
}

#[test]
fn circulatory_system_is_expanded_without_symmetry() {
    // M = I, K = [k p; -p k]: s^2 = -(k + i p) for the vector (1, i).
    let k = 4.0;
    let at = |sigma: [u8; 1], a: Dense| (sigma.to_vec(), a);
    let terms = QuadraticPencil {
        m: vec![at([0], dense::identity(2))],
        c: vec![at([0], Dense::zeros(2, 2))],
        k: vec![
            at([0], dense::from_rows(&[[k, 1.0], [-1.0, k]])),
            at([1], dense::from_rows(&[[0.0, 1.0], [-1.0, 0.0]])),
        ],
        phi_q: free(2, 1),
    };
    let formula = |p: f64| (-c64::new(k, p)).sqrt();
    let start = StartingEigenpair { s: formula(1.0), vector: vec![c64::ONE, c64::I] };
    let set = MultiIndexSet::total(1, 16).unwrap();
    let options = ExpandOptions { left: true, ..ExpandOptions::default() };
    let mode = expand(&polynomial(1, 1, &terms), &start, &set, &options).unwrap();
    for d in [-0.5, 0.2, 0.7] {
        let s = mode.eigenvalue(&[d]).unwrap();
        assert!((s - formula(1.0 + d)).norm() < 1e-10, "{d}: {s} {}", formula(1.0 + d));
    }
    // Branch point where k + i p vanishes: p = i k, |1 - 4i| away.
    let reach = mode.radius(&[1.0]).unwrap().eigenvalue.unwrap();
    assert!((reach / 17.0_f64.sqrt() - 1.0).abs() < 0.05, "{reach}");
}

#[test]
fn radius_is_the_distance_to_the_branch_point() {
    let set = MultiIndexSet::total(3, 14).unwrap();
    let start = StartingEigenpair { s: c64::new(0.0, 2.0), vector: vec![c64::ONE] };
    let mode = expand(&oscillator(1.0, 0.0, 4.0), &start, &set, &ExpandOptions::default()).unwrap();
    // k -> 0: a branch point. m -> 0: an inverse root. c -> 2 sqrt(k m) = 4, even in c.
    // However long the direction is: of a short one all later terms are below rounding beside s.
    for (direction, exact) in [([0.0, 0.0, 1.0], 4.0), ([0.0, 1.0, 0.0], 4.0), ([0.0, 0.0, 8.0], 0.5)] {
        for length in [1e-9, 1e-3, 1.0, 1e6] {
            let reach = mode.radius(&direction.map(|x| x * length)).unwrap().eigenvalue.unwrap();
            assert!((reach * length / exact - 1.0).abs() < 0.05, "{length} of {direction:?}: {reach}");
        }
    }
    let reach = mode.radius(&[1.0, 0.0, 0.0]).unwrap().eigenvalue.unwrap();
    assert!((reach - 1.0).abs() < 0.15, "{reach}");
    // The eigenvector of one unknown does not change at all.
    assert_eq!(mode.radius(&[1.0, 0.0, 0.0]).unwrap().vector, Some(f64::INFINITY));
}
