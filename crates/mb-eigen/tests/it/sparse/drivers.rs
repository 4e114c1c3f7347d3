//! ARPACK-NG against the built-in driver.

use std::io::Write as _;

use mb_algebra::{QuadraticPencil, Scatter, Sparse, Triplets, c64, sparse};
use mb_eigen::Spectrum;
use mb_eigen::sparse::{
    Completeness, Request, Solver, SparseExpert, SparseFinding, SparseOptions, Structure, solve,
};
use mb_eigen::{Class, Finding};
use rayon::prelude::*;

use super::agreement::{assert_certified, assert_contained, krylov, proved_in_interval};
use super::random::{KINDS, Kind, problem};

/// Whether the machine has no ARPACK-NG, which is said.
fn missing() -> bool {
    let driver = Solver::Arpack.driver().err();
    if let Some(why) = &driver {
        // Written past the test harness, which would keep it to itself.
        let _ = writeln!(std::io::stderr(), "NOT RUN: {why}");
    }
    driver.is_some()
}

fn both(pencil: &QuadraticPencil<Sparse>, request: &Request, options: &SparseOptions) -> [Spectrum; 2] {
    [Solver::BuiltIn, Solver::Arpack].map(|solver| {
        solve(
            pencil,
            request,
            &SparseOptions { expert: SparseExpert { solver, ..options.expert }, ..*options },
        )
        .unwrap()
    })
}

/// The same eigenvalues within their bounds, the same classes and counts, both certified.
fn assert_agree(pencil: &QuadraticPencil<Sparse>, request: &Request, options: &SparseOptions, what: &str) {
    let [built_in, arpack] = both(pencil, request, options);
    assert_eq!(
        built_in.eigenpairs.len(),
        arpack.eigenpairs.len(),
        "{what}: {:?} against {:?}",
        built_in.findings,
        arpack.findings
    );
    assert_certified(&arpack.eigenpairs, what);
    assert_contained(&arpack.eigenpairs, &built_in.eigenpairs, what);
    assert_eq!(arpack.counts, built_in.counts, "{what}");
    assert!(arpack.completeness().all(Completeness::is_complete), "{what}: {:?}", arpack.findings);
}

#[test]
fn random_problems_of_every_kind() {
    if missing() {
        return;
    }
    for kind in KINDS {
        for (n, m, seed) in [(24, 4, 11), (61, 12, 13)] {
            let pencil = problem(kind, n, m, seed);
            let requests = [
                Request::Lowest { count: 5 },
                Request::NearFrequency { hz: 12.0, count: 4 },
                Request::NearPoint { s: c64::new(-3.0, 60.0), count: 4 },
                Request::Band { from_hz: 5.0, to_hz: 15.0, max_damping_ratio: Some(0.2) },
            ];
            let largest = Request::Largest { count: 4 };
            let all = requests.iter().chain((kind != Kind::SingularMass).then_some(&largest));
            for request in all {
                assert_agree(&pencil, request, &krylov(), &format!("{kind:?} n = {n} {request:?}"));
            }
        }
    }
}

#[test]
fn symmetric_problems_taken_as_general() {
    if missing() {
        return;
    }
    let options = SparseOptions {
        expert: SparseExpert { structure: Structure::General, ..krylov().expert },
        ..krylov()
    };
    for (kind, seed) in [(KINDS[0], 5), (KINDS[1], 6), (KINDS[3], 7)] {
        let pencil = problem(kind, 40, 6, seed);
        assert_agree(&pencil, &Request::Lowest { count: 4 }, &options, &format!("{kind:?}"));
    }
}

#[test]
fn tiny_problems_and_more_than_exist() {
    if missing() {
        return;
    }
    for n in 1..8 {
        let pencil = chain(n, 0);
        for count in [1, n, n + 3] {
            let what = format!("n = {n}, {count} asked for");
            assert_agree(&pencil, &Request::Lowest { count }, &krylov(), &what);
            let general = SparseOptions {
                expert: SparseExpert { structure: Structure::General, ..krylov().expert },
                ..krylov()
            };
            assert_agree(&pencil, &Request::Lowest { count }, &general, &what);
        }
    }
    // Two masses among many massless unknowns: the range of the operator is a plane.
    let mut pencil = chain(12, 1);
    let mut m = Triplets::new(12, 12);
    m.add(3, 3, 1.0);
    m.add(8, 8, 2.0);
    pencil.m = m.to_sparse();
    let [built_in, arpack] = both(&pencil, &Request::Lowest { count: 5 }, &krylov());
    assert_eq!((built_in.eigenpairs.len(), arpack.eigenpairs.len()), (4, 4), "{:?}", arpack.findings);
    assert_contained(&arpack.eigenpairs, &built_in.eigenpairs, "two masses");
    let exist =
        |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::FewerExist { exist: 2, .. } });
    assert!(arpack.findings.iter().any(exist), "{:?}", arpack.findings);
}

/// Four equal chains side by side: every eigenvalue has multiplicity four, which single-vector Lanczos alone would
/// miss.
#[test]
fn repeated_eigenvalues_come_with_full_multiplicity() {
    if missing() {
        return;
    }
    let (copies, n) = (4, 12);
    let one = chain(n, 0);
    let mut k = Triplets::new(copies * n, copies * n);
    for copy in 0..copies {
        for (v, (i, j)) in &one.k {
            k.add(copy * n + i, copy * n + j, *v);
        }
    }
    let size = copies * n;
    let pencil = QuadraticPencil {
        m: sparse::identity(size),
        c: sparse::zeros(size, size),
        k: k.to_sparse(),
        phi_q: sparse::zeros(0, size),
    };
    let [_, arpack] = both(&pencil, &Request::Lowest { count: 8 }, &krylov());
    let omega = |j: f64| 2.0 * (std::f64::consts::PI * j / (2.0 * (n as f64 + 1.0))).sin();
    let found: Vec<f64> = arpack.motion_values().iter().map(|s| s.im).filter(|w| *w > 0.0).collect();
    assert_eq!(found.len(), 8, "{:?}", arpack.findings);
    assert!(proved_in_interval(&arpack), "{:?}", arpack.findings);
    for (i, w) in found.iter().enumerate() {
        let exact = omega(if i < 4 { 1.0 } else { 2.0 });
        assert!((w - exact).abs() < 1e-12, "{i}: {w} against {exact}");
    }
}

/// Searches from many threads at once, each from inside a thread pool that also does their factorizations.
#[test]
fn many_threads_take_turns() {
    if missing() {
        return;
    }
    let pencils: Vec<_> = (0..16).map(|seed| problem(KINDS[seed % 4], 30, 5, 40 + seed as u64)).collect();
    let options =
        SparseOptions { expert: SparseExpert { solver: Solver::Arpack, ..krylov().expert }, ..krylov() };
    let request = Request::Lowest { count: 4 };
    let alone: Vec<_> = pencils.iter().map(|pencil| solve(pencil, &request, &options).unwrap()).collect();
    let together: Vec<_> =
        pencils.par_iter().map(|pencil| solve(pencil, &request, &options).unwrap()).collect();
    for (one, other) in alone.iter().zip(&together) {
        assert_eq!(one.eigenpairs.len(), other.eigenpairs.len());
        assert_contained(&other.eigenpairs, &one.eigenpairs, "together");
    }
    // A wide band is cut into slices that are searched side by side.
    let pencil = chain(300, 0);
    let band = Request::Band { from_hz: 0.0, to_hz: 0.25, max_damping_ratio: None };
    assert_agree(&pencil, &band, &krylov(), "band in slices");
}

#[test]
fn too_few_restarts_are_reported_with_the_code() {
    if missing() {
        return;
    }
    let pencil = chain(200, 0);
    let options = SparseOptions {
        prove_complete: false,
        expert: SparseExpert { restarts: 1, subspace: Some(8), solver: Solver::Arpack, ..krylov().expert },
        ..krylov()
    };
    let request = Request::NearFrequency { hz: 0.2, count: 5 };
    let found = solve(&pencil, &request, &options).unwrap();
    let told = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::Arpack { info: 1, .. } });
    assert!(found.findings.iter().any(told), "{:?}", found.findings);
    assert!(found.of_class(Class::Physical).all(|pair| pair.backward_error < 1e-10));
}

/// Unit masses and springs in a row, fixed at both ends; the first `held` masses are held by a constraint.
fn chain(n: usize, held: usize) -> QuadraticPencil<Sparse> {
    let mut k = Triplets::new(n, n);
    for i in 0..n {
        k.add(i, i, 2.0);
        if i > 0 {
            k.add(i, i - 1, -1.0);
            k.add(i - 1, i, -1.0);
        }
    }
    let mut phi = Triplets::new(held, n);
    (0..held).for_each(|i| phi.add(i, i, 1.0));
    QuadraticPencil {
        m: sparse::identity(n),
        c: sparse::zeros(n, n),
        k: k.to_sparse(),
        phi_q: phi.to_sparse(),
    }
}
