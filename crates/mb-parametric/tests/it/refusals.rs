//! Input that has no series, or not the one asked for.

use crate::systems::polynomial;
use mb_algebra::{Dense, QuadraticPencil, c64, dense};
use mb_parametric::{
    Completeness, ExpandOptions, Gauge, MatrixSeries, MultiIndexSet, ParametricError, PencilSeries,
    StartingEigenpair, expand,
};

/// One parameter that adds to the first stiffness.
fn system(m: Dense, c: Dense, k: Dense, phi_q: Dense) -> PencilSeries {
    let n = m.nrows();
    let mut unit = Dense::zeros(n, n);
    unit[(0, 0)] = 1.0;
    let at = |a: Dense| vec![(vec![0], a)];
    let k = vec![(vec![0], k), (vec![1], unit)];
    polynomial(1, 1, &QuadraticPencil { m: at(m), c: at(c), k, phi_q: at(phi_q) })
}

fn undamped(k: Dense) -> PencilSeries {
    let n = k.nrows();
    system(dense::identity(n), Dense::zeros(n, n), k, Dense::zeros(0, n))
}

fn try_expand(pencil: &PencilSeries, s: c64, vector: &[f64]) -> Result<(), ParametricError> {
    let start = StartingEigenpair { s, vector: vector.iter().map(|&x| c64::from(x)).collect() };
    let set = MultiIndexSet::total(1, 4).unwrap();
    expand(pencil, &start, &set, &ExpandOptions::default()).map(|_| ())
}

#[test]
fn repeated_and_defective_eigenvalues_are_refused_with_their_gap() {
    let i = c64::I;
    // Two equal oscillators; a coupling that makes a Jordan block; the same up to rounding.
    for (name, k) in [
        ("repeated", dense::diagonal(&[1.0, 1.0])),
        ("defective", dense::from_rows(&[[1.0, 1.0], [0.0, 1.0]])),
        ("repeated to rounding", dense::diagonal(&[1.0, 1.0 + 1e-13])),
        ("defective to rounding", dense::from_rows(&[[1.0, 1.0], [1e-15, 1.0]])),
    ] {
        for s in [i, i * (1.0 + 1e-9)] {
            let error = try_expand(&undamped(k.clone()), s, &[1.0, 0.0]).unwrap_err();
            let ParametricError::NotSimple { gap, condition, .. } = error else { panic!("{name}: {error}") };
            assert!(gap < 1e-6 && condition > 0.1, "{name}: {gap} {condition}");
        }
    }
    // Critical damping, a double eigenvalue at -1.
    let critical =
        system(dense::diagonal(&[1.0]), dense::diagonal(&[2.0]), dense::diagonal(&[1.0]), Dense::zeros(0, 1));
    let error = try_expand(&critical, c64::from(-1.0), &[1.0]).unwrap_err();
    assert!(matches!(error, ParametricError::NotSimple { .. }), "{error}");
    // The same under a constraint that leaves one motion, as an eigensolver finds it: split by rounding.
    let one = dense::diagonal(&[1.0, 1.0]);
    let tied = system(one.clone(), dense::diagonal(&[2.0, 2.0]), one, dense::from_rows(&[[0.0, 1.0]]));
    for s in [-1.0, -1.0 + 3e-8, -1.0 - 3e-8] {
        let error = try_expand(&tied, c64::from(s), &[1.0, 0.0]).unwrap_err();
        assert!(matches!(error, ParametricError::NotSimple { .. }), "{s}: {error}");
    }
    // A free body: a double zero, as an eigensolver finds it in a stiff system.
    let free_body = undamped(dense::from_rows(&[[1e9, -1e9], [-1e9, 1e9]]));
    for s in [c64::ZERO, i * 1e-5] {
        let error = try_expand(&free_body, s, &[1.0, 1.0]).unwrap_err();
        assert!(matches!(error, ParametricError::NotSimple { .. }), "{error}");
    }
}

#[test]
fn close_but_separate_eigenvalues_are_expanded_and_their_gap_is_known() {
    let split = 1e-3;
    let pencil = undamped(dense::diagonal(&[1.0, (1.0_f64 + split).powi(2)]));
    let start = StartingEigenpair { s: c64::I, vector: vec![c64::ONE, c64::from(1e-4)] };
    let set = MultiIndexSet::total(1, 4).unwrap();
    let mode = expand(&pencil, &start, &set, &ExpandOptions::default()).unwrap();
    assert!((mode.gap() / split - 1.0).abs() < 0.01, "{}", mode.gap());
}

#[test]
fn redundant_constraints_of_a_large_system_are_named() {
    // Neighbours tied along a line, one tie twice in other units.
    let (n, ties) = (300, 200);
    let phi_q = Dense::from_fn(ties, n, |row, j| match row {
        199 => [2.0, -2.0].get(j.wrapping_sub(3)).copied().unwrap_or(0.0),
        _ => [1.0, -1.0].get(j.wrapping_sub(row)).copied().unwrap_or(0.0),
    });
    let stiffness = dense::diagonal(&(1..=n).map(|i| i as f64).collect::<Vec<_>>());
    let pencil = system(dense::identity(n), Dense::zeros(n, n), stiffness, phi_q);
    let error = try_expand(&pencil, c64::I, &vec![1.0; n]).unwrap_err();
    let ParametricError::RedundantConstraints { rank: 199, constraints: 200, redundant } = error else {
        panic!("{error}")
    };
    assert!(redundant == [3] || redundant == [199], "{redundant:?}");
}

#[test]
fn redundant_constraints_are_named() {
    let phi_q = dense::from_rows(&[[1.0, -1.0, 0.0], [0.5, -0.5, 0.0]]);
    let pencil = system(dense::identity(3), Dense::zeros(3, 3), dense::diagonal(&[1.0, 2.0, 3.0]), phi_q);
    let error = try_expand(&pencil, c64::I, &[1.0, 1.0, 0.0]).unwrap_err();
    assert_eq!(error, ParametricError::RedundantConstraints { rank: 1, constraints: 2, redundant: vec![1] });
}

#[test]
fn bad_starts_are_refused() {
    let pencil = undamped(dense::diagonal(&[1.0, 4.0]));
    let i = c64::I;
    assert_eq!(try_expand(&pencil, i, &[0.0, 0.0]).unwrap_err(), ParametricError::BadStart);
    assert_eq!(try_expand(&pencil, i, &[f64::NAN, 0.0]).unwrap_err(), ParametricError::BadStart);
    let error = try_expand(&pencil, i, &[1.0]).unwrap_err();
    assert!(matches!(error, ParametricError::WrongLength { expected: 2, found: 1, .. }), "{error}");
    // The vector of one eigenvalue with a number far from it.
    let error = try_expand(&pencil, i * 5.0, &[1.0, 0.01]).unwrap_err();
    assert!(matches!(error, ParametricError::StartTooFar { .. }), "{error}");
}

#[test]
fn terms_that_were_not_expanded_are_not_invented() {
    let set = MultiIndexSet::total(1, 2).unwrap();
    let constant = |a: &Dense| MatrixSeries::constant(set.clone(), a).unwrap();
    let matrices = QuadraticPencil {
        m: constant(&dense::identity(1)),
        c: constant(&Dense::zeros(1, 1)),
        k: constant(&dense::identity(1)),
        phi_q: constant(&Dense::zeros(0, 1)),
    };
    let start = StartingEigenpair { s: c64::I, vector: vec![c64::ONE] };
    let third = MultiIndexSet::total(1, 3).unwrap();
    let truncated = PencilSeries::new(matrices.clone(), Completeness::Truncated).unwrap();
    let error = expand(&truncated, &start, &third, &ExpandOptions::default()).unwrap_err();
    assert_eq!(error, ParametricError::BeyondMatrices { term: vec![3] });
    let exact = PencilSeries::new(matrices, Completeness::Polynomial).unwrap();
    let mode = expand(&exact, &start, &third, &ExpandOptions::default()).unwrap();
    assert_eq!(
        mode.evaluate(&[0.1], 4).unwrap_err(),
        ParametricError::OrderNotExpanded { requested: 4, available: 3 }
    );
    assert!(mode.evaluate(&[f64::INFINITY], 3).is_err() && mode.eigenvalue(&[0.0, 0.0]).is_err());
    let other = MultiIndexSet::total(2, 3).unwrap();
    assert!(matches!(
        expand(&exact, &start, &other, &ExpandOptions::default()),
        Err(ParametricError::WrongLength { expected: 1, found: 2, .. })
    ));
}

#[test]
fn a_gauge_on_a_vanishing_component_is_refused() {
    let pencil = undamped(dense::diagonal(&[1.0, 4.0]));
    let start = StartingEigenpair { s: c64::I, vector: vec![c64::ONE, c64::ZERO] };
    let set = MultiIndexSet::total(1, 2).unwrap();
    let options = ExpandOptions { gauge: Gauge::Component(1), ..ExpandOptions::default() };
    let error = expand(&pencil, &start, &set, &options).unwrap_err();
    assert!(matches!(error, ParametricError::GaugeVanishes { component: 1, .. }), "{error}");
}

#[test]
fn matrices_that_do_not_fit_are_named() {
    let set = MultiIndexSet::total(1, 1).unwrap();
    let constant = |a: &Dense| MatrixSeries::constant(set.clone(), a).unwrap();
    let mut matrices = QuadraticPencil {
        m: constant(&dense::identity(2)),
        c: constant(&Dense::zeros(2, 2)),
        k: constant(&dense::identity(3)),
        phi_q: constant(&Dense::zeros(0, 2)),
    };
    let error = PencilSeries::new(matrices.clone(), Completeness::Polynomial).unwrap_err();
    assert!(matches!(error, ParametricError::ShapeMismatch { matrix: "K", expected_rows: 2, rows: 3, .. }));
    let other = MultiIndexSet::total(1, 2).unwrap();
    matrices.k = MatrixSeries::constant(other, &dense::identity(2)).unwrap();
    let error = PencilSeries::new(matrices, Completeness::Polynomial).unwrap_err();
    assert_eq!(error, ParametricError::SetsDiffer { matrix: "K" });
}
