//! Flexible links in floating frames: eleven decades of w in one problem.

use mb_algebra::{PenaltyBlocks, QuadraticPencil, Scatter, Triplets, dense, sparse};
use mb_eigen::descriptor::{self, DescriptorStructure, Transferred};
use mb_eigen::sparse::{Request, SparseExpert, SparseFinding, SparseOptions, solve};
use mb_eigen::{Class, DenseOptions, Finding, Spectrum, penalty, polish};

#[path = "../../examples/cases/pendulum.rs"]
pub(crate) mod pendulum;

/// The first four frequencies, rad/s.
fn lowest(spectrum: &Spectrum) -> Vec<f64> {
    let upper = spectrum.motion_values().into_iter().filter(|s| s.im > 0.0);
    upper.map(|s| s.im).take(4).collect()
}

#[test]
fn low_modes_converge_as_cubic_elements_do() {
    // Errors fall as the fourth power of the element length: by 16 with every halving, which takes ten digits to see.
    let options = DenseOptions::default();
    let values: Vec<Vec<f64>> = [8, 16, 32]
        .iter()
        .map(|&elements| {
            let pencil = pendulum::flexible_pendulum(elements).to_dense();
            let spectrum = mb_eigen::dense::solve(&pencil, &options).unwrap();
            // Where double-double precision was needed, the rounding of the entries themselves is reported.
            let rounded =
                |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::RoundedStiffness { .. } });
            assert!(spectrum.findings.iter().all(rounded), "{:?}", spectrum.findings);
            assert!(spectrum.eigenpairs.iter().all(|pair| pair.backward_error < 1e-14));
            lowest(&spectrum)
        })
        .collect();
    for mode in 0..4 {
        let ratio = (values[0][mode] - values[1][mode]) / (values[1][mode] - values[2][mode]);
        assert!((ratio - 16.0).abs() < 0.5, "mode {mode}: {ratio}");
    }
}

#[test]
fn the_whole_spectrum_agrees_with_inverse_iteration() {
    let pencil = pendulum::flexible_pendulum(24).to_dense();
    let options = DenseOptions::default();
    let minimal = mb_eigen::dense::solve(&pencil, &options).unwrap();
    let n = pencil.m.nrows();
    assert_eq!(minimal.eigenpairs.len(), 2 * (n - 10));
    for j in [0, 2, 4, 6, 100, 200] {
        let better = polish(&pencil, &minimal.eigenpairs[j], &options).unwrap();
        let (a, b) = (minimal.eigenpairs[j].value().unwrap(), better.value().unwrap());
        assert!((a - b).norm() <= 1e-12 * b.norm(), "{j}: {a} {b}");
    }
    let structure = DescriptorStructure { pencil, transferred: Transferred::default() };
    let redundant = descriptor::solve(&structure, &options).unwrap();
    assert_eq!(redundant.of_class(Class::Infinite).count(), 30);
    assert_eq!(redundant.motion_values(), minimal.motion_values());
}

#[test]
fn stiff_free_bodies_keep_exact_zeros() {
    // The chain hangs no longer: without the pin both links drift.
    let mut pencil = pendulum::flexible_pendulum(12).to_dense();
    pencil.phi_q = dense::select_rows(&pencil.phi_q, &(2..10).collect::<Vec<_>>());
    let spectrum = mb_eigen::dense::solve(&pencil, &DenseOptions::default()).unwrap();
    assert_eq!((spectrum.counts.found.rigid, spectrum.counts.mismatches().len()), (4, 0));
    assert!(spectrum.of_class(Class::Rigid).all(|pair| pair.chain == 2 && pair.backward_error < 1e-14));
    assert!(spectrum.eigenpairs.iter().all(|pair| pair.backward_error < 1e-14));
}

#[test]
fn the_sparse_path_keeps_the_low_modes_of_long_chains() {
    let sparse = |elements| {
        let pencil = pendulum::flexible_pendulum(elements);
        let spectrum = solve(&pencil, &Request::Lowest { count: 4 }, &SparseOptions::default()).unwrap();
        assert!(spectrum.eigenpairs.iter().all(|pair| pair.backward_error < 1e-13));
        lowest(&spectrum)
    };
    let dense = mb_eigen::dense::solve(&pendulum::flexible_pendulum(32).to_dense(), &DenseOptions::default())
        .unwrap();
    for (a, b) in sparse(32).into_iter().zip(lowest(&dense)) {
        assert!((a / b - 1.0).abs() < 1e-11, "{a} {b}");
    }
    // What remains between the meshes is their own error, (h / L)^4.
    for (a, b) in sparse(100).into_iter().zip(sparse(400)) {
        assert!((a / b - 1.0).abs() < 2e-8, "{a} {b}");
    }
}

/// At 8,000 elements the entries of K exceed what carries the pendulum by 1e12 and more: in plain double precision the
/// bounds reached zero.
#[test]
fn error_bounds_of_long_links_are_narrow_and_hold() {
    let found = |elements: usize| {
        let pencil = pendulum::flexible_pendulum(elements);
        solve(&pencil, &Request::Lowest { count: 4 }, &SparseOptions::default()).unwrap()
    };
    let coarse = found(200);
    for elements in [1_000, 8_000] {
        let fine = found(elements);
        // Slow as they are compared with |K| / |M|, these modes are none of them zero.
        assert_eq!(fine.counts.found.rigid, 0);
        assert!(!fine.findings.iter().any(|f| matches!(f, Finding::NearlyZeroStiffness { .. })));
        let told = |f: &Finding| match f {
            Finding::Sparse { detail: SparseFinding::RoundedStiffness { up_to, .. } } => Some(*up_to),
            _ => None,
        };
        let up_to = fine.findings.iter().find_map(told).expect("entries that cancel");
        for (a, b) in coarse.eigenpairs.iter().zip(&fine.eigenpairs) {
            let (a, b, bound) = (a.value().unwrap(), b.value().unwrap(), b.error_bound);
            assert!(bound < 1e-8 * b.norm(), "{elements}: {b} {bound:e}");
            // The coarser mesh is 1e-8 off by itself.
            assert!((a - b).norm() < 1e-7 * b.norm() + bound + up_to, "{elements}: {a} {b} {up_to:e}");
        }
        let worst = fine.eigenpairs.iter().map(|pair| pair.backward_error).fold(0.0, f64::max);
        assert!(worst < 1e-13, "{elements}: {worst:e}");
    }
}

/// The same links with damping in proportion to their stiffness, and held by penalties.
#[test]
fn error_bounds_of_long_damped_links_and_penalties_are_narrow_and_hold() {
    let near = |a: &Spectrum, b: &Spectrum, allowed: f64, what: &str| {
        assert_eq!((a.eigenpairs.len(), b.eigenpairs.len()), (8, 8), "{what}");
        for (a, b) in a.eigenpairs.iter().zip(&b.eigenpairs) {
            let (a, b, bound) = (a.value().unwrap(), b.value().unwrap(), b.error_bound);
            assert!(bound < 1e-8 * b.norm(), "{what}: {b} {bound:e}");
            // The coarser mesh is 1e-8 off by itself, and what rounding of the entries of K does grows with the elements.
            assert!((a - b).norm() < allowed * b.norm() + bound, "{what}: {a} {b} {bound:e}");
        }
    };
    let damped = |elements: usize| {
        let mut pencil = pendulum::flexible_pendulum(elements);
        pencil.c = mb_algebra::sparse::scale(1e-4, &pencil.k);
        solve(&pencil, &Request::Lowest { count: 4 }, &SparseOptions::default()).unwrap()
    };
    let held = |elements: usize| {
        let QuadraticPencil { m, c, k, phi_q } = pendulum::flexible_pendulum(elements);
        let factor = |x: f64| dense::scale(x, &dense::identity(10));
        let blocks = PenaltyBlocks {
            m,
            c,
            k,
            phi_q,
            xi: factor(1e7),
            theta: factor(20.0),
            omega: factor(100.0),
            k_parts: None,
        };
        penalty::lowest(&blocks, 4, &SparseOptions::default()).unwrap()
    };
    for (elements, allowed) in [(1_000, 1e-7), (4_000, 1e-5)] {
        near(&damped(200), &damped(elements), allowed, &format!("damped, {elements}"));
    }
    for (elements, allowed) in [(1_000, 1e-7), (8_000, 1e-4)] {
        near(&held(200), &held(elements), allowed, &format!("penalty, {elements}"));
    }
}

/// Chains with one spring up to thirteen decades stiffer than the others, in bands from below some mode to above the fastest: the modes far
/// below the middle of the band are those of the whole spectrum, or some are said to be missing.
#[test]
fn wide_bands_beside_a_stiff_spring_hold_all_their_modes() {
    let dense = DenseOptions::default();
    for (n, stiff) in [(5, 1e11), (8, 8e12), (8, 1e13), (12, 3e12)] {
        for place in 0..n {
            let spring = |i: usize| {
                let soft = 1.0 + 10.0 * (1.7 * i as f64).sin().abs();
                if i == place { stiff } else { soft }
            };
            let mut k = vec![vec![0.0; n]; n];
            for i in 0..n {
                k[i][i] += spring(i);
                if i > 0 {
                    k[i - 1][i - 1] += spring(i);
                    (k[i][i - 1], k[i - 1][i]) = (-spring(i), -spring(i));
                }
            }
            let rows: Vec<&[f64]> = k.iter().map(Vec::as_slice).collect();
            let mass = |i: usize| 1.0 + 0.1 * (2.3 * i as f64).cos();
            let pencil = QuadraticPencil {
                m: dense::diagonal(&(0..n).map(mass).collect::<Vec<_>>()),
                c: mb_algebra::Dense::zeros(n, n),
                k: dense::from_rows(&rows),
                phi_q: mb_algebra::Dense::zeros(0, n),
            };
            let whole = mb_eigen::dense::solve(&pencil, &dense).unwrap();
            let all: Vec<f64> = whole.motion_values().iter().map(|s| s.im).filter(|w| *w > 0.0).collect();
            let sparse = pencil.to_sparse();
            for first in 0..n / 2 {
                let from_hz = 0.999 * all[first] / std::f64::consts::TAU;
                let to_hz = 1.01 * all[n - 1] / std::f64::consts::TAU;
                let request = Request::Band { from_hz, to_hz, max_damping_ratio: None };
                let found = solve(&sparse, &request, &SparseOptions::default()).unwrap();
                let values: Vec<f64> =
                    found.motion_values().iter().map(|s| s.im).filter(|w| *w > 0.0).collect();
                let complete = found.completeness().next().is_some();
                assert!(values.len() == n - first || !complete, "{n} {place} {first}: {values:?} of {all:?}");
            }
        }
    }
}

/// Masses on springs of which every third is 1e12 times as stiff as the others, so that counts about zero are what rounding makes of them,
/// beside the same chain with these rigid.
#[test]
fn a_band_under_stiff_springs_ends_with_all_its_modes() {
    const COUNT: usize = 150;
    let chain = |tie: Option<f64>| {
        let node = |i: usize| if tie.is_some() { i } else { i - i.div_ceil(3) };
        let n = if tie.is_some() { COUNT } else { node(COUNT - 1) + 1 };
        let (mut m, mut k) = (Triplets::new(n, n), Triplets::new(n, n));
        k.add(0, 0, 1.0);
        for i in 0..COUNT {
            m.add(node(i), node(i), 1.0);
            let stiffness = if i % 3 == 0 { tie } else { Some(1.0) };
            if let Some(stiffness) = stiffness.filter(|_| i + 1 < COUNT) {
                let (a, b) = (node(i), node(i + 1));
                for (row, col, by) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                    k.add(row, col, by * stiffness);
                }
            }
        }
        let c = sparse::zeros(n, n);
        QuadraticPencil { m: m.to_sparse(), c, k: k.to_sparse(), phi_q: sparse::zeros(0, n) }
    };
    let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
    let band = Request::Band { from_hz: 0.0, to_hz: 0.2, max_damping_ratio: None };
    let of = |pencil: &QuadraticPencil<mb_algebra::Sparse>| {
        let found = solve(pencil, &band, &options).unwrap();
        assert!(!found.falls_short(), "{:?}", found.findings);
        let mut out: Vec<f64> = found.eigenpairs.iter().filter_map(|p| Some(p.value()?.im)).collect();
        out.retain(|im| *im > 0.0);
        out.sort_by(f64::total_cmp);
        out
    };
    let (stiff, rigid) = (of(&chain(Some(1e12))), of(&chain(None)));
    assert_eq!((stiff.len(), rigid.len()), (51, 51));
    for (a, b) in stiff.iter().zip(&rigid) {
        assert!((a - b).abs() < 1e-9 * b, "{a} {b}");
    }
}
