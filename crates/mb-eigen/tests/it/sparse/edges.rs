//! Shifts and ends of bands on eigenvalues, where the stiff rest of a problem leaves the matrix singular to rounding far around them;
//! zeros among what is asked for.

use std::f64::consts::TAU;

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, c64, dense};
use mb_eigen::sparse::{Request, Shift, SparseExpert, SparseFinding, SparseOptions, solve};
use mb_eigen::{Class, Finding, Spectrum, pairing};
use proptest::prelude::*;

use super::agreement::krylov;

/// Stiffness between masses that move as one, compared with which those to the ground are rounding.
const STIFF: f64 = 1_073_741_824.0;

/// Pairs of unit masses tied by a stiff spring, each mass on a spring of w_j to the ground: w = w_j and w_j + 2 STIFF.
fn tied(w: &[f64]) -> QuadraticPencil<Sparse> {
    let n = 2 * w.len();
    let k = mb_algebra::Dense::from_fn(n, n, |i, j| match (i == j, i / 2 == j / 2) {
        (true, _) => STIFF + w[i / 2],
        (false, true) => -STIFF,
        _ => 0.0,
    });
    let pencil = QuadraticPencil {
        m: dense::identity(n),
        c: mb_algebra::Dense::zeros(n, n),
        k,
        phi_q: mb_algebra::Dense::zeros(0, n),
    };
    pencil.to_sparse()
}

/// Frequencies, rad/s, of the oscillating eigenvalues returned.
fn frequencies(found: &Spectrum) -> Vec<f64> {
    let mut out: Vec<f64> = found.motion_values().iter().map(|s| s.im).filter(|im| *im > 0.0).collect();
    out.sort_by(f64::total_cmp);
    out
}

#[test]
fn modes_at_the_ends_of_a_band_belong_to_it() {
    let pencil = tied(&[2.0, 4.5, 8.0]);
    for (from, to, expected) in [(2.0, 4.5, 2), (4.5, 8.0, 2), (2.0, 2.0, 1), (0.0, 2.0, 1), (2.0, 8.0, 3)] {
        let hz = |w: f64| w.sqrt() / TAU;
        let request = Request::Band { from_hz: hz(from), to_hz: hz(to), max_damping_ratio: None };
        let found = solve(&pencil, &request, &krylov()).unwrap();
        let got = frequencies(&found);
        assert_eq!(got.len(), expected, "{from} to {to}: {got:?} {:?}", found.findings);
        let inside = |f: &f64| (from.sqrt() - 1e-5..=to.sqrt() + 1e-5).contains(f);
        assert!(got.iter().all(inside), "{from} to {to}: {got:?}");
    }
}

#[test]
fn a_shift_on_an_eigenvalue_moves_as_far_as_rounding_asks() {
    for w in [0.0, 2.0] {
        let pencil = tied(&[w, w + 1.0]);
        let options = SparseOptions {
            expert: SparseExpert { shift: Shift::At(c64::new(0.0, w.sqrt())), ..krylov().expert },
            ..krylov()
        };
        let found = solve(&pencil, &Request::Lowest { count: 2 }, &options).unwrap();
        for (pair, w) in found.eigenpairs.iter().step_by(2).zip([w, w + 1.0]) {
            let distance = (pair.value().unwrap().im - w.sqrt()).abs();
            assert!(distance <= pair.error_bound.max(1e-15), "{w}: {distance:e}");
        }
        assert_eq!(found.eigenpairs.len(), 4);
    }
}

/// Unit masses in a row on unit springs, without a hold, with damping b K.
fn free_chain(n: usize, b: f64) -> QuadraticPencil<Sparse> {
    let k = mb_algebra::Dense::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 if i == 0 || i + 1 == n => 1.0,
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    });
    let c = dense::scale(b, &k);
    QuadraticPencil { m: dense::identity(n), c, k, phi_q: mb_algebra::Dense::zeros(0, n) }.to_sparse()
}

#[test]
fn zeros_near_the_largest_are_none_of_them() {
    for b in [0.0, 0.125] {
        // w = 0, 1, 3.
        let found = solve(&free_chain(3, b), &Request::Largest { count: 2 }, &krylov()).unwrap();
        assert_eq!(found.eigenpairs.len(), 4, "{:?}", found.eigenpairs);
        let false_claim = |f: &Finding| {
            let Finding::Sparse { detail } = f else { return false };
            let fewer =
                matches!(detail, SparseFinding::MultipleCut { .. } | SparseFinding::FewerExist { .. });
            fewer || f.completeness().is_some_and(|count| !count.is_complete())
        };
        assert!(!found.findings.iter().any(false_claim), "{:?}", found.findings);
        assert!(found.eigenpairs.iter().all(|pair| pair.class == Class::Physical));
    }
}

#[test]
fn the_largest_reach_into_the_zeros_where_so_many_are_asked_for() {
    // Two chains of two: w = 0, 0, 2, 2.
    for b in [0.0, 0.125] {
        let one = free_chain(2, b).to_dense();
        let two = |a: &mb_algebra::Dense| {
            mb_algebra::Dense::from_fn(4, 4, |i, j| if i / 2 == j / 2 { a[(i % 2, j % 2)] } else { 0.0 })
        };
        let pencil = QuadraticPencil {
            m: two(&one.m),
            c: two(&one.c),
            k: two(&one.k),
            phi_q: mb_algebra::Dense::zeros(0, 4),
        };
        let found = solve(&pencil.to_sparse(), &Request::Largest { count: 3 }, &krylov()).unwrap();
        let rigid = found.of_class(Class::Rigid).count();
        assert_eq!((rigid, found.eigenpairs.len()), (2, 6), "{:?} {:?}", found.eigenpairs, found.findings);
        let fewer = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::FewerExist { .. } });
        assert!(!found.findings.iter().any(fewer), "{:?}", found.findings);
    }
}

/// K of rank one and M unsymmetric, so that M^-1 K has zeros to the last digit, which are eigenvalues of the problem
/// like others.
#[test]
fn zeros_without_a_trace_of_rounding_are_among_the_largest_where_so_many_are_asked_for() {
    let m = dense::from_rows(&[
        &[1.0, -1.0, 0.0, 0.0],
        &[0.0, 1.0, 0.0, 0.0],
        &[0.0, 0.0, 1.0, 0.0],
        &[0.0, 0.0, 0.0, 1.0],
    ]);
    let k = dense::diagonal(&[0.0, 0.0, 0.0, 1.0]);
    // Without damping, and with some of the same rank: s^2 + s / 2 + 1.
    for damping in [0.0, 0.5] {
        let c = dense::diagonal(&[0.0, 0.0, 0.0, damping]);
        let phi_q = mb_algebra::Dense::zeros(0, 4);
        let pencil = QuadraticPencil { m: m.clone(), c, k: k.clone(), phi_q }.to_sparse();
        let found = solve(&pencil, &Request::Largest { count: 3 }, &krylov()).unwrap();
        let rigid = found.of_class(Class::Rigid).count();
        assert_eq!(
            (rigid, found.eigenpairs.len()),
            (4, 6),
            "{:?} {:?}",
            found.motion_values(),
            found.findings
        );
        let fewer = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::FewerExist { .. } });
        assert!(!found.findings.iter().any(fewer), "{:?}", found.findings);
    }
}

/// Two rows of `masses` unit masses on unit springs, with damping a M + b K, between ends with a mass that constraints hold; every
/// mass is two halves, and springs lie between a first half and a second one, so that the end halves alone stand in no spring.
fn held_halves(masses: usize, a: f64, b: f64) -> QuadraticPencil<Sparse> {
    let row = masses + 2;
    let n = 2 * row;
    let size = 2 * n;
    let [mut m, mut c, mut k] = [0; 3].map(|_| Triplets::new(size, size));
    let mut phi_q = Triplets::new(4 + n, size);
    for side in 0..2 {
        for i in 0..row {
            let at = side * row + i;
            let springs = if i == 0 || i + 1 == row { 1.0 } else { 2.0 };
            for j in [at, n + at] {
                m.add(j, j, 0.5);
                c.add(j, j, 0.5 * (a + b * springs));
                k.add(j, j, 0.5 * springs);
            }
            if i + 1 < row {
                for (p, q) in [(at, n + at + 1), (n + at + 1, at)] {
                    c.add(p, q, -b);
                    k.add(p, q, -1.0);
                }
            }
            phi_q.add(4 + at, at, 1.0);
            phi_q.add(4 + at, n + at, -1.0);
        }
        phi_q.add(2 * side, side * row, 1.0);
        phi_q.add(2 * side + 1, side * row + row - 1, 1.0);
    }
    QuadraticPencil { m: m.to_sparse(), c: c.to_sparse(), k: k.to_sparse(), phi_q: phi_q.to_sparse() }
}

/// Eigenvalues of [`held_halves`]: s^2 + (a + b w^2) s + w^2, w = 2 sin(j pi / (2 (masses + 1))), each of them twice.
fn eigenvalues_of_held_halves(masses: usize, a: f64, b: f64) -> Vec<c64> {
    let pair = |j: usize| {
        let w = 2.0 * (j as f64 * std::f64::consts::FRAC_PI_2 / (masses + 1) as f64).sin();
        let half = 0.5 * (a + b * w * w);
        let s = c64::new(-half, (w * w - half * half).sqrt());
        [s, s, s.conj(), s.conj()]
    };
    (1..=masses).flat_map(pair).collect()
}

proptest! {
    /// Of three, six or nine springs in a row one w is that of an end by itself, whose matrix s^2 + (a + b) s + 1 vanishes there: all
    /// that is left of two coordinates of constraints is rounding, or a trace. It was taken for their scale: reactions were
    /// then solved for with the digits of the trace, and eigenvalues were returned twice, or were none.
    #[test]
    fn eigenvalues_about_a_shift_where_coordinates_of_constraints_all_but_lose_their_entries(
        thirds in 1..4_usize,
        a in 1..24_i32,
        b in 0..8_i32,
        off in prop_oneof![Just(0.0), (-15..-8_i32).prop_map(|power| 10.0_f64.powi(power))],
        count in 1..6_usize,
    ) {
        let (masses, a, b) = (3 * thirds - 1, f64::from(a) / 64.0, f64::from(b) / 64.0);
        let half = 0.5 * (a + b);
        let s = c64::new(-half, (1.0 - half * half).sqrt()) * (1.0 + off);
        let found = solve(&held_halves(masses, a, b), &Request::NearPoint { s, count }, &krylov()).unwrap();
        let (values, exact) = (found.motion_values(), eigenvalues_of_held_halves(masses, a, b));
        prop_assert!(values.len() == count || found.falls_short(), "{values:?} {:?}", found.findings);
        prop_assert!(values.len() >= count.min(2), "{values:?} {:?}", found.findings);
        for (i, j, distance) in pairing::match_values(&values, &exact) {
            let pair = &found.eigenpairs[i];
            let bound = pair.error_bound;
            prop_assert!(distance <= bound + 1e-14, "{} of {}, {bound:e}", values[i], exact[j]);
            // The double eigenvalue near the shift.
            prop_assert!(bound < if count > 2 { 1e-5 } else { 1e-10 }, "{} has {bound:e}", values[i]);
            prop_assert!(pair.constraint_violation < 1e-11, "{:e}", pair.constraint_violation);
        }
    }
}

#[test]
fn a_single_zero_brings_no_conjugate() {
    // A free mass, one damped to the ground, and two that turn: zeros 0, 0, 0 and the eigenvalue -1.5.
    let m = dense::diagonal(&[2.0, 4.0, 3.0, 3.0]);
    let c = dense::from_rows(&[
        &[0.0, 0.0, 0.0, 0.0],
        &[0.0, 6.0, 0.0, 0.0],
        &[0.0, 0.0, 0.0, 3.0],
        &[0.0, 0.0, -3.0, 0.0],
    ]);
    let k = dense::diagonal(&[0.0, 0.0, 3.0, 16.0]);
    let pencil = QuadraticPencil { m, c, k, phi_q: mb_algebra::Dense::zeros(0, 4) }.to_sparse();
    let long = |f: &Finding| matches!(f, Finding::LongChain { .. });
    let found = solve(&pencil, &Request::Lowest { count: 5 }, &krylov()).unwrap();
    assert!(!found.findings.iter().any(long), "{:?}", found.findings);
    let request = Request::NearFrequency { hz: 0.156, count: 3 };
    let found = solve(&pencil, &request, &krylov()).unwrap();
    let near_zero = found.motion_values().iter().filter(|s| s.norm() < 1e-3).count();
    assert_eq!((near_zero, found.of_class(Class::Rigid).count()), (3, 3), "{:?}", found.eigenpairs);
}
