//! Groups to an accuracy, against eigenvalues by formula.

use crate::systems::{free, polynomial, solve};
use mb_algebra::{Dense, QuadraticPencil, c64, dense};
use mb_parametric::{
    AccuracyOptions, MultiIndexSet, ParametricError, PencilSeries, Region, StartingEigenpair, expand_group,
    expand_groups_to_accuracy, group_values,
};

/// M = I, C = 0 and K as a polynomial of two parameters.
fn stiffness(k: Vec<(Vec<u8>, Dense)>) -> PencilSeries {
    let n = k[0].1.nrows();
    let terms = QuadraticPencil {
        m: vec![(vec![0, 0], dense::identity(n))],
        c: vec![(vec![0, 0], Dense::zeros(n, n))],
        k,
        phi_q: free(n, 2),
    };
    polynomial(2, 1, &terms)
}

/// K = [4 + x, y; y, 4 - x] and 9 + x apart: omega^2 = 4 +- |(x, y)|, twice 4 at the centre.
fn cone() -> PencilSeries {
    stiffness(vec![
        (vec![0, 0], dense::diagonal(&[4.0, 4.0, 9.0])),
        (vec![1, 0], dense::diagonal(&[1.0, -1.0, 1.0])),
        (vec![0, 1], dense::from_rows(&[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])),
    ])
}

/// K = [4 + y, 1; x, 4 + y] and 12 apart: omega^2 = 4 + y +- sqrt(x), a Jordan block at the centre.
fn block() -> PencilSeries {
    stiffness(vec![
        (vec![0, 0], dense::from_rows(&[[4.0, 1.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 12.0]])),
        (vec![1, 0], dense::from_rows(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])),
        (vec![0, 1], dense::diagonal(&[1.0, 1.0, 0.0])),
    ])
}

type Formula = fn(&[f64]) -> [c64; 2];

fn of_the_cone(d: &[f64]) -> [c64; 2] {
    let r = d[0].hypot(d[1]);
    [4.0 - r, 4.0 + r].map(|k: f64| c64::new(0.0, k.sqrt()))
}

fn of_the_block(d: &[f64]) -> [c64; 2] {
    let root = c64::from(d[0]).sqrt();
    [4.0 + d[1] - root, 4.0 + d[1] + root].map(|k: c64| c64::I * k.sqrt())
}

/// The largest distance of two values from two others, in their better order, relative to the largest.
fn off(found: &[c64], exact: &[c64; 2]) -> f64 {
    let pairs = |a: usize, b: usize| (found[0] - exact[a]).norm().max((found[1] - exact[b]).norm());
    pairs(0, 1).min(pairs(1, 0)) / exact[0].norm().max(exact[1].norm())
}

fn grid(half: [f64; 2]) -> Vec<Vec<f64>> {
    let at = |i: usize, h: f64| h * (2.0 * i as f64 / 10.0 - 1.0);
    (0..121).map(|i| vec![at(i % 11, half[0]), at(i / 11, half[1])]).collect()
}

#[test]
fn orders_of_groups_are_never_too_low_and_at_most_one_too_high() {
    let cases: [(PencilSeries, Formula, [f64; 2], &[f64]); 2] = [
        (cone(), of_the_cone, [0.8, 0.5], &[3e-2, 1e-2, 1e-3, 1e-4, 1e-5]),
        (block(), of_the_block, [0.3, 0.2], &[3e-2, 1e-2, 1e-3, 1e-4]),
    ];
    for (pencil, formula, half, accuracies) in cases {
        let two = c64::new(0.0, 2.0);
        let series = expand_group(&pencil, &[two, two], &MultiIndexSet::total(2, 10).unwrap()).unwrap();
        let points = grid(half);
        let error = |order: usize| {
            let one = |d: &Vec<f64>| off(&series.evaluate(d, order).unwrap().values, &formula(d));
            points.iter().map(one).fold(0.0, f64::max)
        };
        for &accuracy in accuracies {
            let needed = (0..10).find(|&order| error(order) <= accuracy).unwrap();
            let options = AccuracyOptions { accuracy, max_centres: 1, ..AccuracyOptions::default() };
            let found =
                expand_groups_to_accuracy(&pencil, &[], &[vec![two, two]], &Region::around(&half), &options)
                    .unwrap();
            assert!((needed..=needed + 1).contains(&found.order()), "{accuracy}: {} {needed}", found.order());
            let terms = MultiIndexSet::total(2, found.order()).unwrap().len();
            assert!(found.terms() <= terms && found.pieces[0].measured <= accuracy);
            for d in &points {
                let at = &found.evaluate_groups(d).unwrap()[0];
                assert!(off(&at.values, &formula(d)) <= 1.05 * accuracy, "{accuracy} {d:?}: {at:?}");
            }
        }
    }
}

#[test]
fn a_group_and_a_mode_beside_it_share_terms_and_centres() {
    let pencil = cone();
    let mut three = solve(&pencil.evaluate(&[0.0, 0.0]).unwrap());
    three.retain(|pair| pair.s.im > 2.5);
    let [start]: [StartingEigenpair; 1] = three.try_into().unwrap();
    let two = c64::new(0.0, 2.0);
    // The lower value vanishes at a distance of 4: several centres, none of which the group is repeated at.
    let region = Region::Box { lower: vec![-0.5, 0.0], upper: vec![3.6, 0.1] };
    let options = AccuracyOptions { accuracy: 1e-4, max_order: 6, ..AccuracyOptions::default() };
    let found = expand_groups_to_accuracy(&pencil, &[start], &[vec![two, two]], &region, &options).unwrap();
    assert!(found.pieces.len() > 1, "{}", found.pieces.len());
    for i in 0..=40 {
        let d = [-0.5 + 4.1 * f64::from(i) / 40.0, 0.1 * f64::from(i % 3) / 2.0];
        let group = &found.evaluate_groups(&d).unwrap()[0];
        assert!(off(&group.values, &of_the_cone(&d)) <= 1.2e-4, "{d:?}: {group:?}");
        let mode = &found.evaluate(&d).unwrap()[0];
        assert!((mode.s.im / (9.0 + d[0]).sqrt() - 1.0).abs() <= 1.2e-4, "{d:?}: {mode:?}");
        // What is reported of the error is of its size, or above.
        let told = group.errors.iter().copied().fold(0.0, f64::max);
        assert!(told + 1e-14 >= off(&group.values, &of_the_cone(&d)) * 1.2, "{d:?}: {told:e}");
    }
}

#[test]
fn a_mode_that_joins_a_group_in_the_region_is_reported() {
    // 4, 4 + x and 6 - x: the last two veer at x = 1, where shapes change places within 0.01.
    let coupled = dense::from_rows(&[[4.0, 0.0, 0.0], [0.0, 4.0, 0.01], [0.0, 0.01, 6.0]]);
    let pencil = stiffness(vec![(vec![0, 0], coupled), (vec![1, 0], dense::diagonal(&[0.0, 1.0, -1.0]))]);
    let two = c64::new(0.0, 2.0);
    let options = AccuracyOptions { accuracy: 1e-4, max_centres: 4, ..AccuracyOptions::default() };
    let to = |x: f64| Region::Box { lower: vec![-0.1, 0.0], upper: vec![x, 0.0] };
    let expand = |x: f64| expand_groups_to_accuracy(&pencil, &[], &[vec![two, two]], &to(x), &options);
    assert_eq!(expand(0.4).unwrap().pieces.len(), 1);
    let error = expand(1.3).unwrap_err();
    assert!(
        matches!(
            error,
            ParametricError::GroupNotSeparate { .. } | ParametricError::AccuracyNotReached { .. }
        ),
        "{error}"
    );
}

#[test]
fn values_of_a_group_are_found_next_to_guesses() {
    for (pencil, formula) in [(cone(), of_the_cone as Formula), (block(), of_the_block)] {
        for d in [[0.0, 0.0], [0.2, 0.0], [0.3, -0.4]] {
            let exact = formula(&d);
            let near = exact.map(|s| s * c64::new(1.0 + 1e-4, 2e-4));
            let found = group_values(&pencil.evaluate(&d).unwrap(), &near).unwrap();
            let rounding = if d[0] == 0.0 { 1e-7 } else { 1e-13 };
            assert!(off(&found, &exact) < rounding, "{d:?}: {found:?} {exact:?}");
        }
        let matrices = pencil.evaluate(&[0.0, 0.0]).unwrap();
        assert!(group_values(&matrices, &[]).is_err());
        assert_eq!(group_values(&matrices, &[c64::new(f64::NAN, 0.0)]), Err(ParametricError::BadStart));
        assert!(matches!(
            group_values(&matrices, &[c64::new(0.0, 2.0)]),
            Err(ParametricError::GroupNotSeparate { count: 1, .. })
        ));
    }
}
