//! Damping C = a M + b K: every request against s^2 + (a + b w) s + w = 0 with w in closed form.

use std::f64::consts::{PI, TAU};

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, c64, sparse as ops};
use mb_eigen::sparse::{Proof, Region, Request, SparseExpert, SparseFinding, SparseOptions, solve};
use mb_eigen::{Class, DenseOptions, Eigenpair, Finding, Spectrum, dense};

use super::chains;

const MASSES: usize = 40;

fn krylov() -> SparseOptions {
    SparseExpert { dense_limit: 0, ..Default::default() }.into()
}

/// Both s of a mode.
fn pair(w: f64, [a, b]: [f64; 2]) -> [c64; 2] {
    let half = 0.5 * (a + b * w);
    let root = c64::new(half * half - w, 0.0).sqrt();
    let far = if half >= 0.0 { -root - half } else { root - half };
    [far, if far.norm() > 0.0 { c64::new(w, 0.0) / far } else { far }]
}

/// Those that count for a request: one of conjugates, or each.
fn counted(w: &[f64], by: [f64; 2], each: bool) -> Vec<c64> {
    w.iter().flat_map(|w| pair(*w, by)).filter(|s| each || s.im >= 0.0).collect()
}

/// How many are asked for.
fn number(request: &Request) -> Option<usize> {
    match *request {
        Request::Lowest { count }
        | Request::Largest { count }
        | Request::NearFrequency { count, .. }
        | Request::NearPoint { count, .. } => Some(count),
        _ => None,
    }
}

fn key(request: &Request, s: c64) -> f64 {
    match *request {
        Request::NearFrequency { hz, .. } => (s - c64::new(0.0, TAU * hz)).norm(),
        Request::NearPoint { s: point, .. } => (s - point).norm(),
        Request::Largest { .. } => -s.norm(),
        _ => s.norm(),
    }
}

/// As many modes as asked for, none further off than they are, each within its bound of one of its own, and all of that proved by inertia.
fn assert_answers(found: &Spectrum, w: &[f64], by: [f64; 2], request: &Request) {
    let what = format!("{by:?} {request:?}");
    assert!(!found.falls_short() && !found.leaves_open(), "{what}: {:?}", found.findings);
    let each = matches!(request, Request::NearPoint { .. });
    let mut exact = counted(w, by, each);
    if let Request::Band { from_hz, to_hz, max_damping_ratio } = *request {
        let light = |s: &c64| max_damping_ratio.is_none_or(|most| -s.re <= most * s.norm());
        exact.retain(|s| s.im > TAU * from_hz && s.im < TAU * to_hz && light(s));
    }
    exact.sort_by(|a, b| key(request, *a).total_cmp(&key(request, *b)));
    exact.truncate(number(request).unwrap_or(exact.len()));
    let mut found_pairs: Vec<&Eigenpair> =
        found.motion().filter(|pair| each || pair.value().unwrap().im >= 0.0).collect();
    found_pairs.sort_by(|a, b| key(request, a.value().unwrap()).total_cmp(&key(request, b.value().unwrap())));
    assert_eq!(found_pairs.len(), exact.len(), "{what}: {:?} {:?}", found.motion_values(), found.findings);
    for (eigenpair, exact) in found_pairs.iter().zip(&exact) {
        let s = eigenpair.value().unwrap();
        let rounding = 8.0 * f64::EPSILON * s.norm();
        let off = (key(request, s) - key(request, *exact)).abs();
        assert!(
            off <= eigenpair.error_bound + rounding,
            "{what}: {s} for {exact}, bound {:e}",
            eigenpair.error_bound
        );
        let all = w.iter().flat_map(|w| pair(*w, by));
        let nearest = all.map(|t| (s - t).norm()).fold(f64::INFINITY, f64::min);
        // Of the closed form digits are lost where two real ones meet.
        let lost = 8.0 * f64::EPSILON.sqrt() * if nearest > 1e-9 { s.norm() } else { 0.0 };
        assert!(nearest <= eigenpair.error_bound + rounding + lost, "{what}: {s} is {nearest:e} off");
    }
    for count in found.completeness() {
        assert!(count.is_complete() && count.by == Proof::Inertia, "{what}: {count}");
        let Region::Undamped { from, to } = count.region else { panic!("{what}: {count}") };
        let inside = w.iter().filter(|w| **w > from && **w < to).count();
        assert_eq!(count.counted, inside, "{what}: {count}");
    }
    let proved = exact.is_empty() || found.completeness().next().is_some();
    assert!(proved || exact.len() == counted(w, by, each).len(), "{what}: {:?}", found.findings);
}

/// Light damping and heavy one: of some cases the slow modes are overdamped, of others the fast ones, or all of them.
const DAMPING: [[f64; 2]; 8] = [
    [1.0 / 64.0, 1.0 / 1024.0],
    [0.25, 0.0],
    [1.5, 0.0],
    [0.0, 0.5],
    [0.0, 2.0],
    [1.5, 0.125],
    [3.0, 0.5],
    [0.0, 0.03125],
];

#[test]
fn every_request_finds_the_modes_that_the_closed_form_has() {
    for copies in [1, 4] {
        let angle = |j: usize| PI * j as f64 / (2.0 * (MASSES + 1) as f64);
        let w: Vec<f64> = (1..=MASSES).flat_map(|j| vec![4.0 * angle(j).sin().powi(2); copies]).collect();
        for by in DAMPING {
            let pencil = chains(MASSES, copies, |m, k| ops::add(by[0], m, by[1], k));
            let band = |from: f64, to: f64, max_damping_ratio| Request::Band {
                from_hz: from / TAU,
                to_hz: to / TAU,
                max_damping_ratio,
            };
            let requests = [
                Request::Lowest { count: 9 },
                Request::NearFrequency { hz: 1.1 / TAU, count: 6 },
                Request::NearPoint { s: c64::new(-0.3, 1.0), count: 5 },
                Request::NearPoint { s: c64::new(-1.2, 0.0), count: 5 },
                band(0.41, 0.93, None),
                band(0.0, 0.37, None),
                band(0.31, 1.33, Some(0.21)),
                Request::Largest { count: 5 },
            ];
            for request in requests {
                let found = solve(&pencil, &request, &krylov()).unwrap();
                assert_answers(&found, &w, by, &request);
            }
        }
    }
}

/// Unit masses on a lattice of p^3 unit springs that closes on itself, each held by a spring of its own: eigenvalues of up to 24 modes.
fn lattice(p: usize) -> (Sparse, Vec<f64>) {
    let at = |i: [usize; 3]| (i[0] * p + i[1]) * p + i[2];
    let mut k = Triplets::new(p * p * p, p * p * p);
    let mut w = Vec::new();
    for place in (0..p * p * p).map(|j| [j / (p * p), j / p % p, j % p]) {
        k.add(at(place), at(place), 6.25);
        for axis in 0..3 {
            for step in [1, p - 1] {
                let mut other = place;
                other[axis] = (place[axis] + step) % p;
                k.add(at(place), at(other), -1.0);
            }
        }
        let angle = |i: usize| 2.0 - 2.0 * (TAU * i as f64 / p as f64).cos();
        w.push(0.25 + place.map(angle).iter().sum::<f64>());
    }
    (k.to_sparse(), w)
}

#[test]
fn multiple_eigenvalues_of_a_damped_lattice_come_as_often_as_they_are() {
    let (k, w) = lattice(7);
    let (m, by) = (ops::identity(w.len()), [0.0625, 1.0 / 64.0]);
    let c = ops::add(by[0], &m, by[1], &k);
    let pencil = QuadraticPencil { m, c, k, phi_q: ops::zeros(0, w.len()) };
    let requests = [
        Request::Lowest { count: 41 },
        Request::NearFrequency { hz: 2.1 / TAU, count: 30 },
        Request::Band { from_hz: 1.9 / TAU, to_hz: 2.3 / TAU, max_damping_ratio: None },
    ];
    for request in requests {
        let found = solve(&pencil, &request, &krylov()).unwrap();
        assert_answers(&found, &w, by, &request);
    }
}

/// A free chain: s = 0 and s = -a, or a double zero without damping of the mass.
#[test]
fn rigid_modes_have_their_second_eigenvalue() {
    let n = 60;
    let mut k = Triplets::new(n, n);
    for i in 1..n {
        for (row, column, entry) in [(i, i, 1.0), (i - 1, i - 1, 1.0), (i, i - 1, -1.0), (i - 1, i, -1.0)] {
            k.add(row, column, entry);
        }
    }
    let (m, k) = (ops::identity(n), k.to_sparse());
    for by in [[0.125, 0.0625], [0.125, 0.0], [0.0, 0.0625], [-0.125, 0.0625]] {
        let c = ops::add(by[0], &m, by[1], &k);
        let pencil = QuadraticPencil { m: m.clone(), c, k: k.clone(), phi_q: ops::zeros(0, n) };
        let found = solve(&pencil, &Request::Lowest { count: 8 }, &krylov()).unwrap();
        assert!(!found.falls_short(), "{by:?}: {:?}", found.findings);
        let zeros = found.eigenpairs.iter().filter(|pair| pair.class == Class::Rigid).count();
        let others = found.eigenpairs.iter().filter(|pair| (pair.value().unwrap() + by[0]).norm() < 1e-12);
        let expected = if by[0] == 0.0 { (2, 2) } else { (1, 1) };
        assert_eq!((zeros, others.count()), expected, "{by:?}: {:?}", found.motion_values());
        // Those of growing modes: -a of the rigid one, and Re s = -(a + b w) / 2 > 0.
        let w = (1..n).map(|j| 4.0 * (PI * j as f64 / (2 * n) as f64).sin().powi(2));
        let growing = if by[0] < 0.0 { 1 + w.filter(|w| by[0] + by[1] * w < 0.0).count() } else { 0 };
        let told = found.findings.iter().find_map(|finding| match finding {
            Finding::Sparse { detail: SparseFinding::GrowingNotShown { counted, .. } } => Some(*counted),
            _ => None,
        });
        let shown = found.motion_values().iter().filter(|s| s.re > 1e-9 && s.im >= 0.0).count();
        assert_eq!(told.unwrap_or(shown), growing, "{by:?}: {:?}", found.findings);
    }
}

/// Masses tied by rows, some coordinates without mass, entries of C rounded: what the dense path finds, within the bounds of both, and
/// these are of one size.
#[test]
fn constraints_and_massless_coordinates_agree_with_the_dense_path() {
    let n = 70;
    let free = chains(n, 1, |m, _| m.clone());
    let light: Vec<f64> = (0..n).map(|i| if i % 9 == 4 { 0.0 } else { 1.0 + (i % 4) as f64 / 3.0 }).collect();
    let mut rows = Triplets::new(3, n);
    for (row, column, entry) in [(0, 3, 1.0), (0, 17, -2.0), (1, 40, 1.0), (2, 55, 1.0), (2, 56, 1.0)] {
        rows.add(row, column, entry);
    }
    for by in [[0.07, 0.0], [0.07, 0.013], [0.0, 0.013]] {
        let m = ops::diagonal(&light);
        let c = ops::add(by[0], &m, by[1], &free.k);
        let pencil = QuadraticPencil { m, c, k: free.k.clone(), phi_q: rows.to_sparse() };
        let all = dense::solve(&pencil.to_dense(), &DenseOptions::default()).unwrap();
        let requests = [
            Request::Lowest { count: 6 },
            Request::NearPoint { s: c64::new(-0.1, 0.9), count: 4 },
            Request::Band { from_hz: 0.1, to_hz: 0.2, max_damping_ratio: None },
        ];
        for request in requests {
            let found = solve(&pencil, &request, &krylov()).unwrap();
            assert!(!found.falls_short() && !found.eigenpairs.is_empty(), "{by:?} {:?}", found.findings);
            assert!(found.completeness().all(|count| count.by == Proof::Inertia && count.is_complete()));
            for pair in &found.eigenpairs {
                let s = pair.value().unwrap();
                let other = all.nearest(s).unwrap();
                let off = (s - other.value().unwrap()).norm();
                assert!(off <= pair.error_bound + other.error_bound, "{by:?} {request:?}: {s} {off:e}");
                assert!(pair.error_bound <= 1e-11 * s.norm(), "{by:?} {request:?}: {:e}", pair.error_bound);
                assert!(pair.backward_error < 1e-14 && pair.constraint_violation < 1e-14);
            }
        }
    }
}
