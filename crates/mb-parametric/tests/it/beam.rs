//! A stiff system of realistic size and scale: a clamped beam of finite elements.

use crate::systems::{polynomial, solve};
use mb_algebra::{Dense, QuadraticPencil, c64, dense, norms};
use mb_parametric::{ExpandOptions, MultiIndexSet, PencilSeries, StartingEigenpair, expand};
use mb_scalar::Real;
use mb_scalar::jet::Jet;

/// Order 6 in (stiffness, mass), both relative to the nominal values.
type J = Jet<2, 28>;

/// Proportional damping, 1/s and s.
const ALPHA: f64 = 0.87;
const BETA: f64 = 4.5e-6;
const ELEMENTS: usize = 10;

/// K and M of Euler-Bernoulli elements with deflection and slope at every node: an aluminium
/// bar of 30 mm and 0.6 m, SI units.
fn matrices() -> (Dense, Dense) {
    let (diameter, density, modulus): (f64, f64, f64) = (0.03, 2710.0, 69e9);
    let area = std::f64::consts::PI * diameter.powi(2) / 4.0;
    let bending = modulus * area * diameter.powi(2) / 16.0;
    let h = 0.6 / ELEMENTS as f64;
    let stiffness = [
        [12.0, 6.0 * h, -12.0, 6.0 * h],
        [6.0 * h, 4.0 * h * h, -6.0 * h, 2.0 * h * h],
        [-12.0, -6.0 * h, 12.0, -6.0 * h],
        [6.0 * h, 2.0 * h * h, -6.0 * h, 4.0 * h * h],
    ];
    let mass = [
        [156.0, 22.0 * h, 54.0, -13.0 * h],
        [22.0 * h, 4.0 * h * h, 13.0 * h, -3.0 * h * h],
        [54.0, 13.0 * h, 156.0, -22.0 * h],
        [-13.0 * h, -3.0 * h * h, -22.0 * h, 4.0 * h * h],
    ];
    let n = 2 * ELEMENTS + 2;
    let (mut k, mut m) = (Dense::zeros(n, n), Dense::zeros(n, n));
    for element in 0..ELEMENTS {
        for i in 0..4 {
            for j in 0..4 {
                k[(2 * element + i, 2 * element + j)] += bending / h.powi(3) * stiffness[i][j];
                m[(2 * element + i, 2 * element + j)] += density * area * h / 420.0 * mass[i][j];
            }
        }
    }
    (k, m)
}

/// K (1 + a), M (1 + b), C = alpha M (1 + b) + beta K (1 + a), clamped by two constraints.
fn clamped_beam() -> PencilSeries {
    let (k, m) = matrices();
    let clamp = Dense::from_fn(2, k.ncols(), |i, j| f64::from(u8::from(i == j)));
    let (a, b, zero) = (vec![1, 0], vec![0, 1], vec![0, 0]);
    let terms = QuadraticPencil {
        m: vec![(zero.clone(), m.clone()), (b.clone(), m.clone())],
        c: vec![
            (zero.clone(), dense::add(ALPHA, &m, BETA, &k)),
            (b, dense::scale(ALPHA, &m)),
            (a.clone(), dense::scale(BETA, &k)),
        ],
        k: vec![(zero.clone(), k.clone()), (a, k)],
        phi_q: vec![(zero, clamp)],
    };
    polynomial(2, 1, &terms)
}

#[test]
fn every_mode_of_a_beam_scales_as_its_formula_says() {
    let pencil = clamped_beam();
    let set = MultiIndexSet::total(2, J::ORDER).unwrap();
    let mut starts: Vec<StartingEigenpair> =
        solve(&pencil.evaluate(&[0.0, 0.0]).unwrap()).into_iter().filter(|pair| pair.s.im > 0.0).collect();
    starts.sort_by(|a, b| a.s.im.total_cmp(&b.s.im));
    // From the lowest up to where the proportional damping is strong.
    for start in [0, 1, 2, 5, 9].map(|i| &starts[i]) {
        let mode = expand(&pencil, start, &set, &ExpandOptions::default()).unwrap();
        let s0 = mode.eigenvalue_coefficients()[0];
        // s^2 + s (alpha + beta w) + w = 0 with w = w0 (1 + a) / (1 + b).
        let w0 = -(s0 * s0 + s0 * ALPHA) / (s0 * BETA + 1.0);
        assert!(w0.im.abs() < 1e-9 * w0.re, "the modes are those of the undamped beam");
        let w = (J::variable(0, 1.0) / J::variable(1, 1.0)).scale(w0.re);
        let half = (w.scale(BETA) + J::constant(ALPHA)).scale(0.5);
        let omega = (w - half * half).sqrt();
        for (number, s) in mode.eigenvalue_coefficients().iter().enumerate() {
            let exact = c64::new(-half.0[number], omega.0[number]);
            let term = set.exponents(number);
            assert!((s - exact).norm() < 1e-9 * s0.norm(), "{:.1}: {term:?} {s} {exact}", s0.im);
            // The shape does not change with either parameter.
            if number > 0 {
                assert!(norms::two_complex(&mode.vector_coefficients()[number]) < 1e-6, "{term:?}");
            }
        }
    }
}

#[test]
fn the_clamp_reacts_with_the_force_the_beam_needs() {
    let pencil = clamped_beam();
    let exact = pencil.evaluate(&[0.05, -0.04]).unwrap();
    let starts = solve(&pencil.evaluate(&[0.0, 0.0]).unwrap());
    let lowest =
        starts.iter().filter(|pair| pair.s.im > 0.0).min_by(|a, b| a.s.im.total_cmp(&b.s.im)).unwrap();
    let set = MultiIndexSet::total(2, 8).unwrap();
    let mode = expand(&pencil, lowest, &set, &ExpandOptions::default()).unwrap();
    let at = mode.evaluate(&[0.05, -0.04], 8).unwrap();
    // The rows of the clamped unknowns are the only ones with multipliers in them.
    for row in 0..2 {
        let product = |a: &Dense| dense::matvec_complex(a, &at.vector)[row];
        let force = at.s * at.s * product(&exact.m) + at.s * product(&exact.c) + product(&exact.k);
        let size = norms::two_complex(&at.multipliers);
        assert!((force + at.multipliers[row]).norm() < 1e-6 * size, "{row}: {force} {:?}", at.multipliers);
    }
}
