//! Eigenvalues of two modes each: all of them found, a shift on one of them, a request that cuts one in two.
//!
//! Masses on springs between two walls, once along x and once along y: w_j = 4 k/m sin^2(j pi / (2 (N + 1))), each twice; with
//! damping a M the eigenvalues are -a/2 +- i sqrt(w_j - a^2/4).

use mb_algebra::{Dense, QuadraticPencil, Scatter, Sparse, Triplets, c64, dense, sparse as ops};
use mb_eigen::sparse::{
    Completeness, Region, Request, Shift, SparseExpert, SparseFinding, SparseOptions, solve,
};
use mb_eigen::{Eigenpair, Finding, Spectrum};

use super::agreement::proved_in_interval;
use super::chains;

const MASSES: usize = 400;

fn pencil(damping: f64) -> QuadraticPencil<Sparse> {
    let n = 2 * MASSES;
    let mut k = Triplets::new(n, n);
    for i in 0..n {
        k.add(i, i, 2.0);
        if i % MASSES + 1 < MASSES {
            k.add(i, i + 1, -1.0);
            k.add(i + 1, i, -1.0);
        }
    }
    let m = ops::identity(n);
    let c = ops::add(damping, &m, 0.0, &m);
    QuadraticPencil { m, c, k: k.to_sparse(), phi_q: ops::zeros(0, n) }
}

/// sqrt(w_j).
fn undamped(j: usize) -> f64 {
    2.0 * (j as f64 * std::f64::consts::FRAC_PI_2 / (MASSES + 1) as f64).sin()
}

/// Damping that leaves the eigenvalues oscillating.
const DAMPING: f64 = 0.002;

/// The eigenvalue above the real axis.
fn eigenvalue(j: usize, damping: f64) -> c64 {
    c64::new(-0.5 * damping, (undamped(j).powi(2) - 0.25 * damping * damping).sqrt())
}

fn details(spectrum: &Spectrum) -> impl Iterator<Item = &SparseFinding> {
    spectrum.findings.iter().filter_map(|finding| match finding {
        Finding::Sparse { detail } => Some(detail),
        _ => None,
    })
}

/// The eigenvalues above the real axis are those of the modes named, and nothing is said to be missing.
fn assert_modes(found: &Spectrum, modes: &[usize], damping: f64, what: &str) {
    let mut values: Vec<c64> = found.motion().filter_map(Eigenpair::value).filter(|s| s.im > 0.0).collect();
    values.sort_by(|a, b| a.im.total_cmp(&b.im));
    let expected: Vec<c64> = modes.iter().map(|&j| eigenvalue(j, damping)).collect();
    assert_eq!(values.len(), expected.len(), "{what}: {values:?}");
    for (value, expected) in values.iter().zip(&expected) {
        assert!((value - expected).norm() < 1e-10 * expected.norm(), "{what}: {values:?} for {expected:?}");
    }
    assert!(!found.falls_short(), "{what}: {:?}", details(found).collect::<Vec<_>>());
}

#[test]
fn a_frequency_on_a_double_eigenvalue_finds_both_modes_and_their_neighbours() {
    for damping in [0.0, DAMPING] {
        let pencil = pencil(damping);
        for j in [2, 5] {
            let near = eigenvalue(j, damping);
            let hz = near.im / std::f64::consts::TAU;
            // The next above is nearer than the one below, for w_j bends downwards.
            for (count, modes) in
                [(2, vec![j, j]), (4, vec![j, j, j + 1, j + 1]), (6, vec![j - 1, j - 1, j, j, j + 1, j + 1])]
            {
                let what = format!("mode {j}, {count} of damping {damping}");
                let asked = Request::NearFrequency { hz, count };
                let found = solve(&pencil, &asked, &SparseOptions::default()).unwrap();
                assert_modes(&found, &modes, damping, &what);
                let asked = Request::NearPoint { s: near, count };
                let found = solve(&pencil, &asked, &SparseOptions::default()).unwrap();
                assert_modes(&found, &modes, damping, &format!("{what}, as a point"));
            }
        }
    }
}

#[test]
fn a_shift_on_a_double_eigenvalue_serves_the_lowest_modes() {
    for damping in [0.0, DAMPING] {
        let options = SparseOptions::from(SparseExpert {
            shift: Shift::At(eigenvalue(2, damping)),
            ..Default::default()
        });
        let found = solve(&pencil(damping), &Request::Lowest { count: 4 }, &options).unwrap();
        assert_modes(&found, &[1, 1, 2, 2], damping, &format!("damping {damping}"));
    }
}

#[test]
fn a_band_whose_middle_is_a_double_eigenvalue_holds_all_of_its_modes() {
    let hz = |w: f64| w.sqrt() / std::f64::consts::TAU;
    // The slice is searched from the middle of w.
    let (middle, half) = (undamped(3).powi(2), 0.6 * (undamped(4).powi(2) - undamped(3).powi(2)));
    let band =
        Request::Band { from_hz: hz(middle - half), to_hz: hz(middle + half), max_damping_ratio: None };
    let found = solve(&pencil(0.0), &band, &SparseOptions::default()).unwrap();
    let inside: Vec<usize> =
        (1..9).filter(|&j| (undamped(j).powi(2) - middle).abs() < half).flat_map(|j| [j, j]).collect();
    assert_modes(&found, &inside, 0.0, "band");
}

/// A cube of masses, held on three sides, in coordinates turned by a reflection: w_i + w_j + w_k, six times each for i < j < k, with
/// w_j = 4 sin^2((2 j - 1) pi / 22).
#[test]
fn a_search_that_goes_on_from_a_multiple_eigenvalue_finds_no_mode_twice() {
    const SIDE: usize = 5;
    let n = SIDE.pow(3);
    let chain = |i: usize, j: usize| match i.abs_diff(j) {
        0 => 2.0 - f64::from(u8::from(i + 1 == SIDE)),
        1 => -1.0,
        _ => 0.0,
    };
    let axes = |i: usize| [i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE];
    let lattice = Dense::from_fn(n, n, |i, j| {
        let (a, b) = (axes(i), axes(j));
        let others_agree = |axis: usize| (0..3).all(|other| other == axis || a[other] == b[other]);
        (0..3).filter(|&axis| others_agree(axis)).map(|axis| chain(a[axis], b[axis])).sum()
    });
    let size = (0..n).map(|i| (1.0 + i as f64).powi(2)).sum::<f64>();
    let turn = Dense::from_fn(n, n, |i, j| {
        f64::from(u8::from(i == j)) - 2.0 * (1.0 + i as f64) * (1.0 + j as f64) / size
    });
    let k = dense::mul_transpose(&turn, &dense::mul(&lattice, &turn));
    let k = Dense::from_fn(n, n, |i, j| 0.5 * (k[(i, j)] + k[(j, i)]));
    let pencil =
        QuadraticPencil { m: dense::identity(n), c: Dense::zeros(n, n), k, phi_q: Dense::zeros(0, n) };
    let pencil = pencil.to_sparse();
    let own = |j: usize| 4.0 * ((2 * j - 1) as f64 * std::f64::consts::PI / 22.0).sin().powi(2);
    for (i, j, k) in [(1, 2, 3), (1, 3, 4), (2, 3, 5)] {
        let s = c64::new(0.0, (own(i) + own(j) + own(k)).sqrt());
        for count in 1..=9 {
            let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
            let found = solve(&pencil, &Request::NearPoint { s, count }, &options).unwrap();
            let what = format!("{i} {j} {k}, {count}: {:?}", details(&found).collect::<Vec<_>>());
            assert!(!found.falls_short(), "{what}");
            let here = found.motion().filter_map(Eigenpair::value).filter(|t| (t - s).norm() < 1e-6).count();
            assert_eq!(here, count.min(6), "{what}");
            let cut = details(&found).find_map(|detail| match detail {
                SparseFinding::MultipleCut { im, found, .. } if (im - s.im).abs() < 1e-6 => Some(*found),
                _ => None,
            });
            assert!(cut.is_none_or(|found| found == 6), "{what}");
        }
    }
}

/// Compared with a mode near the shift, stiff ones are always small: no reason to leave the slice.
#[test]
fn slices_of_close_modes_far_below_stiff_ones_are_searched_where_they_are() {
    let close = (0..=60).map(|j| 1e4 + f64::from(j));
    let w: Vec<f64> = close.chain((0..400).map(|k| 10_f64.powf(6.0 + f64::from(k) / 67.0))).collect();
    let n = w.len();
    let (m, c) = (ops::identity(n), ops::zeros(n, n));
    let pencil = QuadraticPencil { m, c, k: ops::diagonal(&w), phi_q: ops::zeros(0, n) };
    let hz = |w: f64| w.sqrt() / std::f64::consts::TAU;
    for offset in [0.0, 1e-7, 1e-3, 0.1, 0.3] {
        let (from_hz, to_hz) = (hz(9998.0 + offset), hz(10062.0 + offset));
        let band = Request::Band { from_hz, to_hz, max_damping_ratio: None };
        let found = solve(&pencil, &band, &SparseOptions::default()).unwrap();
        assert!(!found.falls_short(), "{offset}: {:?}", details(&found).collect::<Vec<_>>());
        assert_eq!(found.motion().count(), 2 * 61, "{offset}");
    }
}

#[test]
fn an_eigenvalue_cut_in_two_is_named() {
    let cut = |found: &Spectrum| -> Vec<(c64, usize, usize)> {
        let numbers = |f: &SparseFinding| match *f {
            SparseFinding::MultipleCut { re, im, found, returned } => {
                Some((c64::new(re, im), found, returned))
            }
            _ => None,
        };
        details(found).filter_map(numbers).collect()
    };
    for damping in [0.0, DAMPING] {
        let pencil = pencil(damping);
        let ask = |request: Request| solve(&pencil, &request, &SparseOptions::default()).unwrap();
        let found = ask(Request::Lowest { count: 3 });
        assert_modes(&found, &[1, 1, 2], damping, "lowest");
        let told = cut(&found);
        assert!(matches!(told[..], [(s, 2, 1)] if (s - eigenvalue(2, damping)).norm() < 1e-8), "{told:?}");
        assert!(cut(&ask(Request::Lowest { count: 4 })).is_empty());
        let told =
            cut(&ask(Request::NearPoint { s: eigenvalue(5, damping) + c64::new(0.0, 1e-4), count: 1 }));
        assert!(matches!(told[..], [(s, 2, 1)] if (s - eigenvalue(5, damping)).norm() < 1e-8), "{told:?}");
        let text = SparseFinding::MultipleCut { re: 0.0, im: 2.0, found: 2, returned: 1 }.to_string();
        assert!(text.contains("has at least 2 modes, of which 1 is returned and 1 left out"), "{text}");
    }
}

/// Of undamped modes those nearest to a point far off the axis are those nearest to its foot on it.
#[test]
fn modes_nearest_to_a_point_off_the_axis_lie_near_it() {
    let pencil = pencil(0.0);
    for (re, im) in [(0.8, -0.9), (1.5, 1.2), (-2.5, 0.3)] {
        let s = c64::new(re, im);
        let mut all: Vec<f64> = (1..=MASSES).flat_map(|j| [undamped(j); 2]).collect();
        all.sort_by(|a, b| (a - im.abs()).abs().total_cmp(&(b - im.abs()).abs()));
        let found = solve(&pencil, &Request::NearPoint { s, count: 5 }, &SparseOptions::default()).unwrap();
        let mut sizes: Vec<f64> = found.motion().filter_map(Eigenpair::value).map(|s| s.im).collect();
        sizes.sort_by(|a, b| (a - im).abs().total_cmp(&(b - im).abs()));
        assert_eq!(sizes.len(), 5, "{s}: {:?}", found.findings);
        for (found, exact) in sizes.iter().zip(&all) {
            assert!((found.abs() - exact).abs() < 1e-10, "{s}: {found} for {exact}");
            assert!(found * im > 0.0, "{s}: {found}");
        }
        assert!(proved_in_interval(&found), "{s}");
    }
}

/// A band of no width at a mode, and more eigenvalues than there are near a point.
#[test]
fn a_mode_at_both_ends_of_a_band_is_in_it_and_eigenvalues_near_a_point_count_each_for_itself() {
    let w = [1.0, 4.0, 9.0];
    let pencil = QuadraticPencil {
        m: ops::identity(3),
        c: ops::zeros(3, 3),
        k: ops::diagonal(&w),
        phi_q: ops::zeros(0, 3),
    };
    let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
    let hz = 2.0 / std::f64::consts::TAU;
    let band = Request::Band { from_hz: hz, to_hz: hz, max_damping_ratio: None };
    let found = solve(&pencil, &band, &options).unwrap();
    assert_eq!(found.motion().count(), 2, "{:?}", found.findings);
    let fewer = |count: usize| {
        let found = solve(&pencil, &Request::NearPoint { s: c64::new(0.1, 1.1), count }, &options).unwrap();
        let told = details(&found).find_map(|f| match f {
            SparseFinding::FewerExist { wanted, exist, .. } => Some((*wanted, *exist)),
            _ => None,
        });
        (found.eigenpairs.len(), told)
    };
    assert_eq!([fewer(5), fewer(6), fewer(8)], [(5, None), (6, None), (6, Some((8, 6)))]);
}

/// Blocks have two columns; the third mode of each eigenvalue comes from a count that misses it.
#[test]
fn the_largest_modes_of_triple_eigenvalues_are_all_found() {
    let pencil = chains(5, 3, |m, k| ops::add(0.05, m, 0.02, k));
    let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
    let found = solve(&pencil, &Request::Largest { count: 3 }, &options).unwrap();
    let largest = 2.0 * (5.0 * std::f64::consts::FRAC_PI_2 / 6.0).sin();
    let sizes: Vec<f64> = found.motion().filter_map(Eigenpair::value).map(c64::norm).collect();
    assert_eq!(sizes.len(), 6);
    assert!(sizes.iter().all(|size| (size - largest).abs() < 1e-12), "{sizes:?}");
    // Proportional damping: counted by the inertia of the undamped problem.
    let beyond =
        |count: &Completeness| matches!(count.region, Region::Undamped { .. }) && count.is_complete();
    let proved = found.completeness().any(beyond);
    assert!(proved && !found.falls_short(), "{:?}", details(&found).collect::<Vec<_>>());
}

/// Critically damped and overdamped masses seen from a place off the real axis: each real eigenvalue comes as often as it exists.
#[test]
fn real_eigenvalues_seen_from_a_complex_shift_come_once_each() {
    let masses: [&[[f64; 2]]; 4] = [
        &[[-4.0, -4.0]],
        &[[-2.0, -2.0], [-2.0, -3.0]],
        &[[-2.0, -2.0], [-2.0, -2.0], [-1.0, -7.0]],
        &[[-0.5, -3.0], [-0.5, -3.0], [-0.5, -0.5]],
    ];
    let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..SparseExpert::default() });
    for roots in masses {
        let n = roots.len();
        let of = |entry: fn(&[f64; 2]) -> f64| ops::diagonal(&roots.iter().map(entry).collect::<Vec<f64>>());
        let (c, k) = (of(|[a, b]| -(a + b)), of(|[a, b]| a * b));
        let pencil = QuadraticPencil { m: ops::identity(n), c, k, phi_q: ops::zeros(0, n) };
        for hz in [0.05, 0.1877, 0.3, 1.0] {
            let found = solve(&pencil, &Request::NearFrequency { hz, count: 2 * n + 1 }, &options).unwrap();
            let values: Vec<c64> = found.motion().filter_map(Eigenpair::value).collect();
            assert!(values.len() <= 2 * n, "{roots:?} {hz}: {values:?}");
            let all = values.len() == 2 * n;
            assert!(all || found.falls_short(), "{roots:?} {hz}: {values:?}");
            let more = |detail: &SparseFinding| matches!(detail, SparseFinding::Completeness(Completeness { found, counted, .. }) if counted < found);
            assert!(!details(&found).any(more), "{roots:?} {hz}: {:?}", details(&found).collect::<Vec<_>>());
        }
    }
}

/// Wheels on pins with friction alone: s = 0 and s = -1/2, each as often as there are wheels. Of one in a row with a spring s = -1/20 +- i 9.99.
fn wheels(count: usize) -> QuadraticPencil<Sparse> {
    let n = 2 * count;
    let (mut c, mut k, mut held) = (Triplets::new(n, n), Triplets::new(n, n), Triplets::new(count, n));
    for i in 0..count {
        held.add(i, 2 * i, 1.0);
        c.add(2 * i + 1, 2 * i + 1, if i == 0 { 0.1 } else { 0.5 });
    }
    k.add(1, 1, 100.0);
    QuadraticPencil { m: ops::identity(n), c: c.to_sparse(), k: k.to_sparse(), phi_q: held.to_sparse() }
}

#[test]
fn of_many_zeros_and_many_equal_decays_those_near_to_a_frequency_are_found() {
    let pencil = wheels(201);
    let zeros =
        |found: &Spectrum| found.motion().filter_map(Eigenpair::value).filter(|s| s.norm() == 0.0).count();
    let near = |hz: f64, count: usize| {
        let found = solve(&pencil, &Request::NearFrequency { hz, count }, &SparseOptions::default()).unwrap();
        let values: Vec<c64> = found.motion().filter_map(Eigenpair::value).collect();
        (zeros(&found), values)
    };
    let vibration = c64::new(-0.05, (100.0_f64 - 0.0025).sqrt());
    // The zeros lie nearer to 9.425i than the decays, which are not looked for.
    let (zeros, values) = near(1.5, 10);
    assert_eq!(zeros, 9, "{values:?}");
    assert!(values.iter().any(|s| (s - vibration).norm() < 1e-10));
    // All decays, which a Krylov space shows only as a block of their number.
    let s = c64::new(-0.6, 0.0);
    let found = solve(&pencil, &Request::NearPoint { s, count: 200 }, &SparseOptions::default()).unwrap();
    let decays = found.motion().filter(|pair| pair.value().is_some_and(|s| (s + 0.5).norm() < 1e-10)).count();
    assert_eq!(decays, 200);
}
