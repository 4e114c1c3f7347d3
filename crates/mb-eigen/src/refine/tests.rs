//! Eigenpairs of a chain whose eigenvalues have closed forms, disturbed and brought back.
//!
//! Masses 1 in a row, springs 1 between them, the two at the ends held by constraints:
//! w_k = 4 sin^2(k pi / (2 (n + 1))), x_k(i) = sin(i k pi / (n + 1)), reactions x_k(1) and x_k(n), i = 0 .. n + 1.

use mb_algebra::{PenaltyBlocks, QuadraticPencil, Scatter, Sparse, Triplets, c64, dense, sparse};
use proptest::prelude::*;

use super::block::in_groups;
use super::{Doubled, Given, Improved, Shape, Springs, refine_damped, refine_together};
use crate::certify::sparse::Certifier;
use crate::numeric::vectors::complex;
use crate::options::SparseOptions;
use crate::problem::Problem;
use crate::problem::uncertified::Uncertified;
use crate::transform::factors::Shifted;
use crate::tuning;

const SIGMA: f64 = -1e-3;

fn chain(n: usize) -> QuadraticPencil<Sparse> {
    let (size, mut k, mut phi_q) = (n + 2, Triplets::new(n + 2, n + 2), Triplets::new(2, n + 2));
    for i in 0..=n {
        for (row, column, value) in [(i, i, 1.0), (i, i + 1, -1.0), (i + 1, i, -1.0), (i + 1, i + 1, 1.0)] {
            k.add(row, column, value);
        }
    }
    phi_q.add(0, 0, 1.0);
    phi_q.add(1, n + 1, 2.0);
    let (m, c) = (sparse::identity(size), sparse::zeros(size, size));
    QuadraticPencil { m, c, k: k.to_sparse(), phi_q: phi_q.to_sparse() }
}

/// w, x and reactions of mode k, from one on.
fn mode(n: usize, k: usize) -> (f64, Vec<f64>, Vec<f64>) {
    let angle = std::f64::consts::PI * k as f64 / (n + 1) as f64;
    let x: Vec<f64> =
        (0..n + 2).map(|i| if i % (n + 1) == 0 { 0.0 } else { (i as f64 * angle).sin() }).collect();
    let l = vec![x[1], 0.5 * x[n]];
    (4.0 * (0.5 * angle).sin().powi(2), x, l)
}

/// The first `count` modes with shares of other ones, and s a little off.
fn disturbed(n: usize, count: usize, by: f64, seed: f64) -> Vec<Uncertified> {
    let number = |k: usize| (seed + 1.7 * k as f64).sin();
    (1..=count)
        .map(|k| {
            let (w, mut x, l) = mode(n, k);
            for other in (1..=n).filter(|other| *other != k) {
                let (_, y, _) = mode(n, other);
                x.iter_mut().zip(&y).for_each(|(x, y)| *x += by * number(k + 7 * other) * y);
            }
            let s = c64::new(0.0, w.sqrt() * (1.0 + by * number(k)));
            Uncertified::oscillating(s, complex(&x).into(), complex(&l).into())
        })
        .collect()
}

/// Without x_2.
fn alone(found: Vec<Option<Improved>>) -> Vec<Option<(Doubled, bool)>> {
    found.into_iter().map(|found| found.map(Improved::alone)).collect()
}

fn near(problem: &Problem<'_>) -> Shifted {
    Shifted { sigma: SIGMA, solver: problem.factor(-SIGMA, 0.0).unwrap() }
}

/// Largest share of y that is not along x, both real but for a factor.
fn off(x: &[c64], y: &[f64]) -> f64 {
    let along: c64 = x.iter().zip(y).map(|(x, y)| x * y).sum::<c64>() / y.iter().map(|y| y * y).sum::<f64>();
    x.iter().zip(y).map(|(x, y)| (x / along - y).norm()).fold(0.0, f64::max)
}

/// Against s of w, and the reactions' share of viscous forces in `by_stiffness` K.
fn check(found: Vec<Option<(Doubled, bool)>>, n: usize, by_stiffness: f64, s: impl Fn(f64) -> c64) {
    for (k, found) in found.into_iter().enumerate() {
        let (found, enough) = found.expect("a pair");
        let (w, x, _) = mode(n, k + 1);
        let exact = s(w);
        assert!(enough, "{k}");
        assert!((found.s - exact).norm() < 1e-14 * exact.norm(), "{k}: {} {exact}", found.s);
        // A pair is enough with a residual rho, relative to 2 w M x, of tuning::EPS_2_3: its vector is off by 2 rho w / |w - w_next| then.
        let next =
            [k, k + 2].map(|other| (mode(n, other).0 - w).abs()).into_iter().fold(f64::INFINITY, f64::min);
        let allowed = 2.0 * tuning::EPS_2_3 * w / next;
        assert!(off(&found.x, &x) < allowed, "{k}: {:e}", off(&found.x, &x));
        let force = (1.0 + by_stiffness * exact) * found.x[1];
        assert!(
            (found.l[0] - force).norm() < 1e-9 * found.x[1].norm().max(1e-3),
            "{k}: {} {force}",
            found.l[0]
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn undamped_pairs_come_back_together(n in 8_usize..40, count in 1_usize..5, power in 3_i32..9, seed in 0.0..6.0) {
        let (pencil, options) = (chain(n), SparseOptions::default());
        let problem = Problem::new(&pencil, &options).unwrap();
        let starts = disturbed(n, count, 10.0_f64.powi(-power), seed);
        let given: Vec<Given<'_>> = starts.iter().map(Given::of_uncertified).collect();
        let found = refine_together(&problem, &near(&problem), &given, &vec![true; given.len()], tuning::SOLVE_ROUNDINGS);
        let found = alone(found);
        check(found, n, 0.0, |w| c64::new(0.0, w.sqrt()));
    }

    #[test]
    fn undamped_pairs_come_back_in_groups(n in 12_usize..40, most in 1_usize..4, power in 4_i32..9, seed in 0.0..6.0) {
        let (pencil, options) = (chain(n), SparseOptions::default());
        let problem = Problem::new(&pencil, &options).unwrap();
        let starts = disturbed(n, 5, 10.0_f64.powi(-power), seed);
        let given: Vec<Given<'_>> = starts.iter().map(Given::of_uncertified).collect();
        let found = in_groups(&problem, &near(&problem), &given, &[true; 5], tuning::SOLVE_ROUNDINGS, most);
        let found = alone(found);
        check(found, n, 0.0, |w| c64::new(0.0, w.sqrt()));
    }

    #[test]
    fn damped_pairs_come_back_together(
        n in 8_usize..40,
        count in 1_usize..5,
        power in 3_i32..9,
        (by_mass, by_stiffness) in (0.0..0.02, 0.0..0.1),
        seed in 0.0..6.0,
    ) {
        let mut pencil = chain(n);
        pencil.c = sparse::add(by_mass, &pencil.m, by_stiffness, &pencil.k);
        let options = SparseOptions::default();
        let problem = Problem::new(&pencil, &options).unwrap();
        let starts = disturbed(n, count, 10.0_f64.powi(-power), seed);
        // Of the coordinates that are held the factors know no damping.
        let found = refine_damped(&problem, None, &near(&problem), &starts);
        check(found, n, by_stiffness, |w| {
            let half = 0.5 * (by_mass + by_stiffness * w);
            c64::new(-half, (w - half * half).sqrt())
        });
    }
}

#[test]
fn pairs_held_by_springs_are_those_of_the_extended_problem() {
    let (n, options) = (20, SparseOptions::default());
    let QuadraticPencil { m, c, k, phi_q } = chain(n);
    for xi in [dense::diagonal(&[1e4, 3e4]), dense::from_rows(&[[1e4, 2e3], [2e3, 3e4]])] {
        let factor = |by: f64| dense::scale(by, &dense::identity(2));
        let blocks = PenaltyBlocks {
            m: m.clone(),
            c: c.clone(),
            k: k.clone(),
            phi_q: phi_q.clone(),
            xi,
            theta: factor(2.0),
            omega: factor(100.0),
            k_parts: None,
        };
        let constrained = chain(n);
        let held = Problem::new(&constrained, &options).unwrap();
        let starts = disturbed(n, 4, 1e-8, 1.0);
        let springs = Springs::new(&blocks);
        let found = refine_damped(&held, Some(&springs), &near(&held), &starts);
        let slack = blocks.to_constrained();
        let problem = Problem::new(&slack, &options).unwrap();
        let certifier = Certifier::new(&problem, false);
        for (start, found) in starts.iter().zip(found) {
            let (found, enough) = found.expect("a pair");
            assert!(enough && found.x.len() == n + 4);
            let pair = certifier.certify_found(start, &found);
            let s = pair.value().unwrap();
            // Soft enough to be another eigenvalue than that held by constraints, which it is next to.
            let moved = (s - start.s).norm();
            assert!(pair.error_bound < 1e-11 * s.norm(), "{s} {:e}", pair.error_bound);
            assert!(moved > 1e3 * pair.error_bound && moved < 1e-3 * s.norm(), "{s} {moved:e}");
            assert!(s.re < 0.0 && pair.backward_error < 1e-13, "{s} {:e}", pair.backward_error);
        }
    }
}

#[test]
fn a_start_far_from_all_pairs_is_given_back_as_none_or_as_unfinished() {
    let (n, options) = (12, SparseOptions::default());
    let mut pencil = chain(n);
    // Damping far beyond the critical one: no eigenvalue is near any of the undamped ones.
    pencil.c = sparse::scale(30.0, &pencil.k);
    let problem = Problem::new(&pencil, &options).unwrap();
    let starts = disturbed(n, 3, 1e-3, 2.0);
    for found in refine_damped(&problem, None, &near(&problem), &starts) {
        assert!(found.is_none_or(|(_, enough)| !enough));
    }
}

#[test]
fn pairs_of_a_problem_without_rows_come_back_together() {
    // The masses inside alone, the springs at the ends to the ground.
    let n = 15;
    let mut k = Triplets::new(n, n);
    for i in 0..n {
        k.add(i, i, 2.0);
        if i > 0 {
            k.add(i, i - 1, -1.0);
            k.add(i - 1, i, -1.0);
        }
    }
    let (m, c) = (sparse::identity(n), sparse::zeros(n, n));
    let pencil = QuadraticPencil { m, c, k: k.to_sparse(), phi_q: sparse::zeros(0, n) };
    let problem = Problem::new(&pencil, &SparseOptions::default()).unwrap();
    let starts: Vec<Uncertified> = disturbed(n, 4, 1e-5, 0.3)
        .into_iter()
        .map(|approx| Uncertified {
            right: approx.right[1..=n].to_vec().into(),
            multipliers: Shape::default(),
            ..approx
        })
        .collect();
    let given: Vec<Given<'_>> = starts.iter().map(Given::of_uncertified).collect();
    for most in [1, 3, 8] {
        let found = in_groups(&problem, &near(&problem), &given, &[true; 4], tuning::SOLVE_ROUNDINGS, most);
        let found = alone(found);
        for (j, found) in found.into_iter().enumerate() {
            let (found, enough) = found.expect("a pair");
            let (w, x, _) = mode(n, j + 1);
            assert!(enough && (found.s.im - w.sqrt()).abs() < 1e-14 * w.sqrt(), "{j}: {}", found.s);
            assert!(found.l.is_empty() && off(&found.x, &x[1..=n]) < 1e-10);
        }
    }
}
