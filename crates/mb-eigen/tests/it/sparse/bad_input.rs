//! What is said of input that is wrong, or right but unusual.

use mb_algebra::{
    Dense, QuadraticPencil, Scatter, Sparse, Triplets, c64, dense, norms, sparse as ops, to_dense, to_sparse,
};
use mb_eigen::sparse::{Request, Shift, SparseExpert, SparseFinding, SparseOptions, Structure, solve};
use mb_eigen::{Class, EigenError, Eigenpair, Finding, Spectrum};

use super::agreement::{assert_certified, assert_contained, exact, krylov};
use super::random::{Kind, problem};
use crate::systems;

const LOWEST: Request = Request::Lowest { count: 3 };

fn chain() -> QuadraticPencil<Sparse> {
    systems::chain(12, 1.0, 100.0, true).to_sparse()
}

fn message(pencil: &QuadraticPencil<Sparse>, request: &Request, options: &SparseOptions) -> String {
    solve(pencil, request, options).unwrap_err().to_string()
}

fn details(spectrum: &Spectrum) -> Vec<&SparseFinding> {
    let mut out = Vec::new();
    for finding in &spectrum.findings {
        if let Finding::Sparse { detail } = finding {
            out.push(detail);
        }
    }
    out
}

fn with_entry(a: &Sparse, row: usize, col: usize, value: f64) -> Sparse {
    let mut a = to_dense(a);
    a[(row, col)] = value;
    to_sparse(&a)
}

#[test]
fn sizes_that_do_not_fit() {
    let good = chain();
    let wrong = QuadraticPencil { c: ops::zeros(12, 11), ..good.clone() };
    assert_eq!(
        message(&wrong, &LOWEST, &krylov()),
        "Matrix C is 12 x 11, but 12 x 12 is needed to fit the others."
    );
    let wrong = QuadraticPencil { phi_q: ops::zeros(2, 9), ..good.clone() };
    assert_eq!(
        message(&wrong, &LOWEST, &krylov()),
        "Matrix Phi_q is 2 x 9, but 2 x 12 is needed to fit the others."
    );
    let empty = QuadraticPencil {
        m: ops::zeros(0, 0),
        c: ops::zeros(0, 0),
        k: ops::zeros(0, 0),
        phi_q: ops::zeros(0, 0),
    };
    assert_eq!(solve(&empty, &LOWEST, &krylov()).unwrap_err(), EigenError::Empty);
}

#[test]
fn entries_that_are_not_finite_are_named() {
    let good = chain();
    let place = |a: &Sparse, value| with_entry(a, 4, 5, value);
    for (name, pencil) in [
        ("M", QuadraticPencil { m: place(&good.m, f64::NAN), ..good.clone() }),
        ("C", QuadraticPencil { c: place(&good.c, f64::NAN), ..good.clone() }),
        ("K", QuadraticPencil { k: place(&good.k, f64::NAN), ..good.clone() }),
        ("Phi_q", QuadraticPencil { phi_q: place(&ops::zeros(6, 12), f64::NAN), ..good.clone() }),
    ] {
        assert_eq!(
            message(&pencil, &LOWEST, &krylov()),
            format!(
                "Matrix {name} has the entry NaN at row 4, column 5 (from 0); all entries must be finite."
            )
        );
    }
    let infinite = QuadraticPencil { k: place(&good.k, f64::NEG_INFINITY), ..good };
    assert!(message(&infinite, &LOWEST, &krylov()).contains("entry -inf at row 4, column 5"));
}

#[test]
fn asymmetry_where_symmetry_was_declared() {
    let good = chain();
    let skewed = QuadraticPencil { k: with_entry(&good.k, 7, 6, -90.0), ..good };
    let options = SparseOptions {
        expert: SparseExpert { structure: Structure::Symmetric, ..krylov().expert },
        ..krylov()
    };
    assert_eq!(
        message(&skewed, &LOWEST, &options),
        "Matrix K was declared symmetric, but -9e1 at row 7, column 6 (from 0) faces -1e2."
    );
    // Not declared, it is taken as it is.
    let found = solve(&skewed, &LOWEST, &krylov()).unwrap();
    let motion: Vec<Eigenpair> = exact(&skewed).motion().cloned().collect();
    assert_contained(&found.eigenpairs, &motion, "skewed");
}

#[test]
fn an_indefinite_mass_matrix_is_classed() {
    let mut pencil = chain();
    pencil.m = with_entry(&pencil.m, 3, 3, -2.0);
    let found = solve(&pencil, &LOWEST, &krylov()).unwrap();
    assert!(found.findings.contains(&Finding::IndefiniteMass), "{:?}", found.findings);
    let motion: Vec<Eigenpair> = exact(&pencil).motion().cloned().collect();
    assert_contained(&found.eigenpairs, &motion, "indefinite");
    assert!(found.eigenpairs.iter().all(|pair| pair.class == Class::Physical));
}

#[test]
fn directions_without_mass_are_no_modes_and_more_than_exist_is_said() {
    // Every second mass of twelve is missing: six modes are left.
    let mut pencil = chain();
    pencil.m = ops::diagonal(&(0..12).map(|i| f64::from(i % 2)).collect::<Vec<_>>());
    let found = solve(&pencil, &Request::Lowest { count: 9 }, &krylov()).unwrap();
    assert_eq!(found.eigenpairs.len(), 12, "six conjugate pairs");
    let fewer = SparseFinding::FewerExist { wanted: 9, exist: 6, dof: 12 };
    assert!(details(&found).contains(&&fewer), "{:?}", found.findings);
    assert_eq!(
        fewer.to_string(),
        "9 modes were asked for, but only 6 have a finite eigenvalue (12 degrees of freedom)."
    );
    let motion: Vec<Eigenpair> = exact(&pencil).motion().cloned().collect();
    assert_contained(&found.eigenpairs, &motion, "massless");
    // The dense path says the same, and names the directions.
    let dense_path = solve(&pencil, &Request::Lowest { count: 9 }, &SparseOptions::default()).unwrap();
    assert!(details(&dense_path).contains(&&fewer), "{:?}", dense_path.findings);
    let singular = Finding::SingularMass { directions: 6, infinite: 12 };
    assert!(dense_path.findings.contains(&singular), "{:?}", dense_path.findings);
}

#[test]
fn more_than_exist_is_said_of_large_problems_too() {
    // A chain of 600 coordinates, the ends held by constraints; of its masses only every fiftieth is there. Dampers at other
    // coordinates without mass add a real eigenvalue each.
    let n = 600;
    for (dampers, spin) in [(0, 0.0), (3, 0.0), (3, 0.5)] {
        let (mut c, mut k, mut phi_q) = (Triplets::new(n, n), Triplets::new(n, n), Triplets::new(2, n));
        for i in 0..n {
            k.add(i, i, 2.0 + (i % 3) as f64);
            if i > 0 {
                k.add(i, i - 1, -1.0);
                k.add(i - 1, i, -1.0);
            }
        }
        for d in 0..dampers {
            c.add(101 + 20 * d, 101 + 20 * d, 0.5);
        }
        for (i, j) in [(49, 99), (99, 149)] {
            c.add(i, j, spin);
            c.add(j, i, -spin);
        }
        phi_q.add(0, 0, 1.0);
        phi_q.add(1, n - 1, 1.0);
        let m = ops::diagonal(&(0..n).map(|i| if i % 50 == 49 { 2.0 } else { 0.0 }).collect::<Vec<_>>());
        let pencil = QuadraticPencil { m, c: c.to_sparse(), k: k.to_sparse(), phi_q: phi_q.to_sparse() };
        // Twelve masses, the last of them held.
        let (masses, dof) = (11, n - 2);
        let few = solve(&pencil, &Request::Lowest { count: 3 }, &krylov()).unwrap();
        assert_eq!(few.counts.expected.motion, 2 * masses + dampers, "{dampers} {spin}");
        let found = solve(&pencil, &Request::Lowest { count: 20 }, &krylov()).unwrap();
        assert_eq!(found.eigenpairs.len(), 2 * masses + dampers, "{dampers} {spin}: {:?}", found.findings);
        let fewer = SparseFinding::FewerExist { wanted: 20, exist: masses + dampers, dof };
        assert!(details(&found).contains(&&fewer), "{:?}", found.findings);
        assert_certified(&found.eigenpairs, "large");
    }
}

#[test]
fn redundant_rows_are_named_and_their_multipliers_are_shortest() {
    for kind in [Kind::Undamped, Kind::Unsymmetric] {
        let mut pencil = problem(kind, 24, 4, 6);
        let phi = to_dense(&pencil.phi_q);
        let extra = Dense::from_fn(1, 24, |_, j| phi[(1, j)] - 2.0 * phi[(3, j)]);
        pencil.phi_q = to_sparse(&dense::vstack(&[&phi, &extra]));
        let found = solve(&pencil, &LOWEST, &krylov()).unwrap();
        let named = found.findings.iter().find_map(|finding| match finding {
            Finding::RedundantConstraints { rows, rank: 4, constraints: 5 } => Some(rows.clone()),
            _ => None,
        });
        // Any one row of the dependence may be called the redundant one.
        let named = named.unwrap_or_else(|| panic!("{kind:?}: {:?}", found.findings));
        assert!(named.len() == 1 && [1, 3, 4].contains(&named[0]), "{kind:?}: {named:?}");
        for pair in &found.eigenpairs {
            // Shortest: orthogonal to the combination of rows that has no effect.
            let l = &pair.multipliers;
            let idle = l[1] - l[3] * 2.0 - l[4];
            assert!(idle.norm() < 1e-10 * norms::two_complex(l), "{kind:?}: {idle}");
        }
        assert_certified(&found.eigenpairs, "redundant");
    }
}

#[test]
fn a_shift_on_an_eigenvalue_is_moved_and_said() {
    // K = diag(k_i), M = I: the shift is the eigenvalue of the fourth coordinate to the last digit.
    let k: Vec<f64> = (1..13).map(|i| f64::from(i * i)).collect();
    let undamped = QuadraticPencil {
        m: ops::identity(12),
        c: ops::zeros(12, 12),
        k: ops::diagonal(&k),
        phi_q: ops::zeros(0, 12),
    };
    // A gyroscopic term on the last two coordinates leaves the others alone.
    let mut gyroscopic = undamped.clone();
    gyroscopic.c = with_entry(&with_entry(&ops::zeros(12, 12), 10, 11, 1.0), 11, 10, -1.0);
    for pencil in [undamped, gyroscopic] {
        let options = SparseOptions {
            expert: SparseExpert { shift: Shift::At(c64::new(0.0, 4.0)), ..krylov().expert },
            ..krylov()
        };
        let request = Request::NearFrequency { hz: 4.0 / std::f64::consts::TAU, count: 3 };
        let found = solve(&pencil, &request, &options).unwrap();
        let moved = details(&found).into_iter().find(|f| matches!(f, SparseFinding::ShiftMoved { .. }));
        let moved = moved.unwrap_or_else(|| panic!("{:?}", found.findings)).to_string();
        assert!(
            moved.contains("lies on an eigenvalue or gives a singular matrix; it was moved to"),
            "{moved}"
        );
        let values: Vec<f64> = found.eigenpairs.iter().map(|p| p.value().unwrap().im.abs()).collect();
        for (value, near) in values.iter().zip([3.0, 3.0, 4.0, 4.0, 5.0, 5.0]) {
            assert!((value - near).abs() < 1e-9, "{values:?}");
        }
    }
}

#[test]
fn a_singular_pencil_is_said_and_solved_where_that_is_possible() {
    // The last coordinate has neither mass nor stiffness.
    let mut pencil = chain();
    for a in [&mut pencil.m, &mut pencil.k] {
        let mut wide = Dense::zeros(13, 13);
        let old = to_dense(a);
        (0..12).for_each(|i| (0..12).for_each(|j| wide[(i, j)] = old[(i, j)]));
        *a = to_sparse(&wide);
    }
    (pencil.c, pencil.phi_q) = (ops::zeros(13, 13), ops::zeros(0, 13));
    let said = message(&pencil, &LOWEST, &krylov());
    assert!(
        said.contains(
            "as far as rounding shows it is singular there: some direction has neither mass nor stiffness"
        ),
        "{said}"
    );
    let small = solve(&pencil, &LOWEST, &SparseOptions::default()).unwrap();
    assert!(small.findings.contains(&Finding::SingularPencil { indeterminate: 2 }), "{:?}", small.findings);
    assert_eq!(small.motion().count(), 6);
}

#[test]
fn an_empty_band_is_said() {
    for (damping, end) in [(0.0, " Hz."), (1e-3, " Hz and a damping ratio of at most 0.2.")] {
        let mut pencil = chain();
        pencil.c = ops::scale(damping, &pencil.k);
        let request = Request::Band { from_hz: 50.0, to_hz: 60.0, max_damping_ratio: Some(0.2) };
        let found = solve(&pencil, &request, &krylov()).unwrap();
        assert!(found.eigenpairs.is_empty());
        let empty = details(&found).into_iter().find(|f| matches!(f, SparseFinding::EmptyBand { .. }));
        let empty = empty.unwrap_or_else(|| panic!("{:?}", found.findings)).to_string();
        assert!(empty.starts_with("No mode has a frequency between 50") && empty.ends_with(end), "{empty}");
        // A count proves it.
        let counts: Vec<_> = found.completeness().map(|c| (c.found, c.counted)).collect();
        assert_eq!(counts, [(0, 0)], "{:?}", found.findings);
    }
}

#[test]
fn memory_is_estimated_before_it_is_taken() {
    for kind in [Kind::Undamped, Kind::Damped, Kind::Unsymmetric] {
        let pencil = problem(kind, 60, 5, 1);
        let options = SparseOptions { memory_limit: Some(4_000), ..krylov() };
        let error = solve(&pencil, &LOWEST, &options).unwrap_err();
        assert!(
            matches!(error, EigenError::OutOfMemory { available: 4_000, needed: 4_001.., .. }),
            "{error:?}"
        );
        let said = error.to_string();
        assert!(said.starts_with("The factors of the shifted matrix need about "), "{said}");
        assert!(said.contains(" KiB, but 3.906 KiB may be used."), "{said}");
        assert!(said.contains("Ask for fewer modes or a smaller subspace, take a coarser model"), "{said}");
    }
    let pencil = chain();
    let options = SparseOptions {
        memory_limit: Some(6_000),
        expert: SparseExpert { subspace: Some(1_000), ..krylov().expert },
        ..krylov()
    };
    let wide = QuadraticPencil {
        m: ops::identity(300),
        c: ops::zeros(300, 300),
        k: ops::diagonal(&(1..301).map(f64::from).collect::<Vec<_>>()),
        phi_q: ops::zeros(0, 300),
    };
    let options = SparseOptions { memory_limit: Some(100_000), ..options };
    let said = message(&wide, &LOWEST, &options);
    assert!(said.starts_with("The vectors of the Krylov basis need about"), "{said}");
    assert!(solve(&pencil, &LOWEST, &options).is_ok());
    let all = SparseOptions { expert: SparseExpert { all_limit: 10, ..krylov().expert }, ..krylov() };
    assert!(
        message(&pencil, &Request::All, &all)
            .starts_with("All eigenvalues of a problem with 12 unknowns need")
    );
}

#[test]
fn settings_no_problem_can_answer() {
    let pencil = chain();
    let band = |from_hz, to_hz, max_damping_ratio| Request::Band { from_hz, to_hz, max_damping_ratio };
    for (request, expected) in [
        (
            Request::NearFrequency { hz: -1.0, count: 2 },
            "NearFrequency.hz is -1, but must be finite and not negative.",
        ),
        (
            Request::NearPoint { s: c64::new(f64::NAN, 0.0), count: 2 },
            "NearPoint.s is NaN, but must be finite.",
        ),
        (band(3.0, 2.0, None), "Band.to_hz is 2, but must be finite and not below from_hz."),
        (band(1.0, 2.0, Some(1.0)), "Band.max_damping_ratio is 1, but must be at least 0 and below 1."),
    ] {
        assert_eq!(message(&pencil, &request, &krylov()), expected);
    }
    let none = solve(&pencil, &Request::Lowest { count: 0 }, &krylov()).unwrap();
    assert!(none.eigenpairs.is_empty());
}

#[test]
fn modes_that_do_not_converge_are_counted_with_what_was_done() {
    // A tolerance below rounding keeps pairs from converging, whatever the basis.
    for kind in [Kind::Undamped, Kind::Unsymmetric] {
        let pencil = problem(kind, 120, 5, 3);
        let options = SparseOptions {
            prove_complete: false,
            expert: SparseExpert { tolerance: 1e-30, subspace: Some(16), restarts: 2, ..krylov().expert },
            ..krylov()
        };
        let found = solve(&pencil, &Request::Lowest { count: 8 }, &options).unwrap();
        let said = details(&found).into_iter().find(|f| matches!(f, SparseFinding::Converged { .. }));
        let Some(&SparseFinding::Converged { found: converged, wanted, searches, restarts, basis }) = said
        else {
            panic!("{kind:?}: {:?}", found.findings)
        };
        assert!(converged < 8 && wanted == 8 && searches >= 3 && restarts >= 2 && basis >= 64, "{said:?}");
        let said = said.map(ToString::to_string).unwrap();
        assert!(said.starts_with(&format!("Converged: {converged} of 8 modes. To get the rest, ")), "{said}");
    }
}

#[test]
fn a_small_first_basis_is_enlarged_until_all_converge() {
    // Sixteen vectors and one restart are too few; twice as many do.
    let pencil = problem(Kind::Unsymmetric, 120, 5, 3);
    let options = SparseOptions {
        expert: SparseExpert { subspace: Some(20), restarts: 1, ..krylov().expert },
        ..krylov()
    };
    let found = solve(&pencil, &Request::Lowest { count: 6 }, &options).unwrap();
    assert!(
        !details(&found).iter().any(|f| matches!(f, SparseFinding::Converged { .. })),
        "{:?}",
        found.findings
    );
    let motion: Vec<Eigenpair> = exact(&pencil).motion().cloned().collect();
    assert_contained(&found.eigenpairs, &motion, "enlarged");
}

#[test]
fn growing_modes_beyond_those_asked_for_are_reported() {
    // Springs 1, 2, ..., one of -1e4: s = 100 is the fastest eigenvalue of all.
    let n = 40;
    let k = Dense::from_fn(n, n, |i, j| {
        if i != j {
            0.0
        } else if i == 7 {
            -1e4
        } else {
            1.0 + i as f64
        }
    });
    let pencil = |c: f64| QuadraticPencil {
        m: ops::identity(n),
        c: ops::scale(c, &ops::identity(n)),
        k: to_sparse(&k),
        phi_q: ops::zeros(0, n),
    };
    let told = |spectrum: &Spectrum| {
        details(spectrum).into_iter().find_map(|detail| match *detail {
            SparseFinding::GrowingNotShown { counted, shown } => Some((counted, shown)),
            _ => None,
        })
    };
    let lowest = |c: f64, count: usize, options: &SparseOptions| {
        solve(&pencil(c), &Request::Lowest { count }, options).unwrap()
    };
    let krylov = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
    for options in [krylov, SparseOptions::default()] {
        assert_eq!(told(&lowest(0.0, 20, &options)), Some((1, 0)));
        assert_eq!(told(&lowest(0.0, 40, &options)), None);
    }
    // The dense path knows all eigenvalues of a damped system too.
    assert_eq!(told(&lowest(0.1, 20, &SparseOptions::default())), Some((1, 0)));
}
