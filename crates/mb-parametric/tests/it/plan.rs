//! The order that is enough, judged by brute force.

use crate::erls;
use crate::systems::{free, polynomial};
use mb_algebra::{QuadraticPencil, c64, dense};
use mb_gallery::models::ErlsArm;
use mb_parametric::{
    AccuracyOptions, ExpandOptions, MultiIndexSet, ParametricError, PolishOptions, Region, SeriesSource,
    StartingEigenpair, expand, expand_to_accuracy, polish,
};

/// The smallest order whose error stays below the accuracy at a fine grid of points of a region,
/// against eigenpairs improved to rounding.
fn smallest_order<S: SeriesSource>(
    source: &S,
    starts: &[StartingEigenpair],
    points: &[Vec<f64>],
    accuracy: f64,
    most: usize,
) -> Option<usize> {
    let zero = vec![0.0; source.parameters()];
    let set = MultiIndexSet::total(source.parameters(), most).unwrap();
    let pencil = source.series(&zero, &set).unwrap();
    let modes: Vec<_> =
        starts.iter().map(|start| expand(&pencil, start, &set, &ExpandOptions::default()).unwrap()).collect();
    let mut errors = vec![0.0_f64; most + 1];
    for d in points {
        let matrices = source.matrices(d).unwrap();
        for mode in &modes {
            let best = mode.evaluate(d, most).unwrap();
            let start = StartingEigenpair { s: best.s, vector: best.vector };
            let s = polish(&matrices, &start, &PolishOptions::default()).unwrap().s;
            for (order, error) in errors.iter_mut().enumerate() {
                *error = error.max((mode.evaluate(d, order).unwrap().s - s).norm() / s.norm());
            }
        }
    }
    errors.iter().position(|e| *e <= accuracy)
}

/// Points on a grid of a box of two parameters, ends included.
fn grid(half: &[f64]) -> Vec<Vec<f64>> {
    let steps = 10;
    let at = |i: usize, h: f64| h * (2.0 * i as f64 / f64::from(steps) - 1.0);
    let n = 11;
    (0..n * n).map(|i| vec![at(i % n, half[0]), at(i / n, half[1])]).collect()
}

/// A mass on a spring: M = 2 + x, K = 8 + y, C = 0.3.
fn oscillator() -> (mb_parametric::PencilSeries, Vec<StartingEigenpair>) {
    let at = |x: f64| dense::diagonal(&[x]);
    let terms = QuadraticPencil {
        m: vec![(vec![0, 0], at(2.0)), (vec![1, 0], at(1.0))],
        c: vec![(vec![0, 0], at(0.3))],
        k: vec![(vec![0, 0], at(8.0)), (vec![0, 1], at(1.0))],
        phi_q: free(1, 2),
    };
    let start = StartingEigenpair { s: c64::new(-0.075, 2.0), vector: vec![c64::ONE] };
    (polynomial(2, 1, &terms), vec![start])
}

#[test]
fn suggested_orders_are_never_too_low_and_at_most_one_too_high() {
    let (pencil, starts) = oscillator();
    let half = [0.4, 1.0];
    for accuracy in [3e-2, 1e-2, 1e-3, 1e-4, 2e-5] {
        let options = AccuracyOptions { accuracy, max_centres: 1, ..AccuracyOptions::default() };
        let found = expand_to_accuracy(&pencil, &starts, &Region::around(&half), &options).unwrap();
        let needed = smallest_order(&pencil, &starts, &grid(&half), accuracy, 10).unwrap();
        assert!((needed..=needed + 1).contains(&found.order()), "{accuracy}: {} {needed}", found.order());
        assert!(found.pieces[0].measured <= accuracy);
    }
    let arm = ErlsArm::recovered();
    let source = erls::moving(&arm, &erls::angles_and_speeds(&arm)[..2]);
    let starts = erls::elastic(&source);
    let half = [0.12, 0.12];
    for accuracy in [1e-2, 1e-3, 1e-4] {
        let options = AccuracyOptions { accuracy, max_centres: 1, ..AccuracyOptions::default() };
        let found = expand_to_accuracy(&source, &starts, &Region::around(&half), &options).unwrap();
        let needed = smallest_order(&source, &starts, &grid(&half), accuracy, 8).unwrap();
        assert!((needed..=needed + 1).contains(&found.order()), "{accuracy}: {} {needed}", found.order());
    }
}

#[test]
fn speeds_of_the_arm_need_few_degrees() {
    let arm = ErlsArm::recovered();
    let source = erls::moving(&arm, &erls::angles_and_speeds(&arm));
    let starts = erls::elastic(&source);
    let region = Region::around(&[0.1, 0.1, 0.4, 0.4]);
    let options = AccuracyOptions { accuracy: 1e-3, max_order: 5, ..AccuracyOptions::default() };
    let found = expand_to_accuracy(&source, &starts, &region, &options).unwrap();
    assert_eq!(found.pieces.len(), 1);
    let complete = MultiIndexSet::total(4, found.order()).unwrap().len();
    assert!(found.terms() < complete, "{} {complete}", found.terms());
    let d = [0.08, -0.09, 0.3, -0.4];
    let matrices = source.matrices(&d).unwrap();
    for at in found.evaluate(&d).unwrap() {
        let start = StartingEigenpair { s: at.s, vector: at.vector.clone() };
        let s = polish(&matrices, &start, &PolishOptions::default()).unwrap().s;
        assert!((at.s - s).norm() < 1e-3 * s.norm(), "{} {s}", at.s);
        assert!(at.trusted && at.error < 1e-3 * s.norm());
    }
    assert!(found.evaluate(&[0.2, 0.0, 0.0, 0.0]).unwrap().iter().all(|at| !at.trusted));
}

#[test]
fn a_wide_region_gets_several_centres_and_an_impossible_one_an_answer() {
    let (pencil, starts) = oscillator();
    // The mass falls to a tenth: the series about the middle end at 1 from there.
    let region = Region::Box { lower: vec![-1.8, 0.0], upper: vec![1.8, 0.0] };
    let options = AccuracyOptions { accuracy: 1e-5, ..AccuracyOptions::default() };
    let found = expand_to_accuracy(&pencil, &starts, &region, &options).unwrap();
    assert!(found.pieces.len() > 2, "{}", found.pieces.len());
    for i in 0..=60 {
        let x = -1.8 + 3.6 * f64::from(i) / 60.0;
        let (m, c, k) = (2.0 + x, 0.3, 8.0);
        let exact = c64::new(-c / (2.0 * m), (k / m - (c / (2.0 * m)).powi(2)).sqrt());
        let at = &found.evaluate(&[x, 0.0]).unwrap()[0];
        assert!((at.s - exact).norm() <= 1.2e-5 * exact.norm(), "{x}: {} {exact}", at.s);
    }
    // Along a path the same.
    let path: Vec<Vec<f64>> = (0..=60).map(|i| vec![-1.8 + 0.06 * f64::from(i), 0.0]).collect();
    let along = expand_to_accuracy(&pencil, &starts, &Region::Path(path), &options).unwrap();
    assert!(along.pieces.len() > 2);
    // One centre is not enough, and the error says by how much.
    let one = AccuracyOptions { max_centres: 1, ..options };
    let error = expand_to_accuracy(&pencil, &starts, &region, &one).unwrap_err();
    assert!(matches!(error, ParametricError::AccuracyNotReached { centres: 1, .. }), "{error}");
    let empty = Region::Box { lower: vec![1.0, 0.0], upper: vec![0.0, 0.0] };
    let error = expand_to_accuracy(&pencil, &starts, &empty, &options).unwrap_err();
    assert!(matches!(error, ParametricError::EmptyRegion { parameter: 0, .. }), "{error}");
}
