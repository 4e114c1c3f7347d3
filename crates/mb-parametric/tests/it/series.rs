//! Series of random systems against solving them again.

use crate::systems::{nearest, random_system, solve};
use mb_algebra::c64;
use mb_parametric::{
    DegreeLimit, EigenpairSeries, ExpandOptions, Gauge, MultiIndexSet, PencilSeries, StartingEigenpair,
    expand,
};
use proptest::prelude::*;

/// Expands the oscillation of highest frequency.
fn highest(pencil: &PencilSeries) -> Option<StartingEigenpair> {
    let centre = pencil.evaluate(&[0.0, 0.0]).unwrap();
    solve(&centre).into_iter().filter(|pair| pair.s.im > 0.5).max_by(|a, b| a.s.im.total_cmp(&b.s.im))
}

fn series(
    pencil: &PencilSeries,
    start: &StartingEigenpair,
    order: usize,
    options: &ExpandOptions,
) -> EigenpairSeries {
    let set = MultiIndexSet::total(2, order).unwrap();
    expand(pencil, start, &set, options).unwrap()
}

/// The mode and a distance along `direction` well inside its region of convergence.
fn case(
    pencil: &PencilSeries,
    direction: [f64; 2],
    options: &ExpandOptions,
) -> Option<(EigenpairSeries, f64)> {
    let mode = series(pencil, &highest(pencil)?, 8, options);
    let radius = mode.radius(&direction).unwrap();
    let reach = radius.eigenvalue?.min(radius.vector?).min(1.0);
    Some((mode, reach))
}

fn along(direction: [f64; 2], t: f64) -> [f64; 2] {
    direction.map(|x| x * t)
}

fn direction() -> impl Strategy<Value = [f64; 2]> {
    (0.0..std::f64::consts::TAU).prop_map(|angle| [angle.cos(), angle.sin()])
}

fn left() -> ExpandOptions {
    ExpandOptions { left: true, ..ExpandOptions::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Slope test: halving the distance divides the error of order t by 2^(t+1).
    #[test]
    fn error_falls_with_order_plus_one(pencil in random_system(), direction in direction()) {
        let Some((mode, reach)) = case(&pencil, direction, &ExpandOptions::default()) else {
            return Err(TestCaseError::reject("no oscillation"));
        };
        for order in 0..=4 {
            let error = |t: f64| {
                let d = along(direction, t);
                let at = mode.evaluate(&d, order).unwrap();
                (at.s - nearest(&pencil.evaluate(&d).unwrap(), at.s)).norm()
            };
            // Small enough for the leading term, large enough for rounding.
            let t = reach * 0.06;
            let leading = (mode.evaluate(&along(direction, t), order).unwrap().s
                - mode.evaluate(&along(direction, t), order + 1).unwrap().s).norm();
            let after = (mode.evaluate(&along(direction, t), order + 1).unwrap().s
                - mode.evaluate(&along(direction, t), order + 2).unwrap().s).norm();
            // Directions in which the leading coefficient (almost) vanishes have another slope.
            if after > 0.1 * leading || leading < 1e-9 {
                continue;
            }
            let slope = (error(t) / error(t / 2.0)).log2();
            prop_assert!((slope - (order as f64 + 1.0)).abs() < 0.3, "order {}: slope {}", order, slope);
        }
    }

    /// Both estimates give the error, well inside the region.
    #[test]
    fn estimates_give_the_error(pencil in random_system(), direction in direction(), order in 2_usize..=8) {
        let Some((mode, reach)) = case(&pencil, direction, &left()) else {
            return Err(TestCaseError::reject("no oscillation"));
        };
        let d = along(direction, 0.25 * reach);
        let at = mode.evaluate(&d, order).unwrap();
        let exact = pencil.evaluate(&d).unwrap();
        let error = (at.s - nearest(&exact, at.s)).norm();
        prop_assume!(error > 1e-10);
        let check = mode.check(&at, &exact).unwrap();
        prop_assert!((check.error() / error - 1.0).abs() < 0.1, "two-sided {}", check.error() / error);
        let effectivity = at.error / error;
        if order <= 5 {
            // Three degrees are left to judge by.
            prop_assert!((0.3..3.0).contains(&effectivity), "order {}: {}", order, effectivity);
        } else {
            // What is documented, and some: coefficients may vanish in a direction.
            prop_assert!(effectivity > 0.01, "order {}: {}", order, effectivity);
        }
        let corrected = (at.s + check.correction - nearest(&exact, at.s)).norm();
        prop_assert!(corrected < 0.1 * error + 1e-12);
    }

    /// The vector solves the problem at the point as well as the eigenvalue does.
    #[test]
    fn vector_and_multipliers_solve_the_equations_nearby(pencil in random_system(), direction in direction()) {
        let Some((mode, reach)) = case(&pencil, direction, &ExpandOptions::default()) else {
            return Err(TestCaseError::reject("no oscillation"));
        };
        let backward = |t: f64| {
            let d = along(direction, t);
            let check = mode.check(&mode.evaluate(&d, 8).unwrap(), &pencil.evaluate(&d).unwrap()).unwrap();
            check.backward_error.max(check.constraint_error)
        };
        prop_assert!(backward(0.0) < 1e-14);
        prop_assert!(backward(0.05 * reach) < 1e-8, "{}", backward(0.05 * reach));
    }

    /// The eigenvalue depends neither on the gauge nor on the side it is computed from, nor on
    /// how many terms are kept.
    #[test]
    fn eigenvalue_coefficients_do_not_depend_on_the_way(pencil in random_system()) {
        let Some(start) = highest(&pencil) else { return Err(TestCaseError::reject("no oscillation")) };
        let mode = series(&pencil, &start, 4, &left());
        let size = |degree: usize| {
            let range = mode.set().homogeneous(degree);
            mode.eigenvalue_coefficients()[range].iter().map(|c| c.norm()).fold(0.0, f64::max)
        };
        let largest = |x: &[c64]| (0..4).max_by(|&a, &b| x[a].norm().total_cmp(&x[b].norm())).unwrap();
        let component = ExpandOptions { gauge: Gauge::Component(largest(&start.vector)), ..left() };
        let other = series(&pencil, &start, 4, &component);
        let transposed = StartingEigenpair { s: start.s, vector: mode.left_coefficients()[0].clone() };
        let from_left = series(&pencil.transpose(), &transposed, 4, &ExpandOptions::default());
        let limit = DegreeLimit { parameters: vec![1], max_degree: 1 };
        let set = MultiIndexSet::with_limits(2, 4, &[limit]).unwrap();
        let few = expand(&pencil, &start, &set, &ExpandOptions::default()).unwrap();
        for (number, sigma) in mode.set().iter().enumerate() {
            let s = mode.eigenvalue_coefficients()[number];
            let tolerance = 1e-9 * size(usize::from(sigma[0] + sigma[1]));
            prop_assert!((s - other.eigenvalue_coefficients()[number]).norm() <= tolerance);
            prop_assert!((s - from_left.eigenvalue_coefficients()[number]).norm() <= tolerance);
            if let Some(kept) = few.set().number(sigma) {
                prop_assert!((s - few.eigenvalue_coefficients()[kept]).norm() <= tolerance);
            }
        }
        // The gauges themselves.
        for number in 1..mode.set().len() {
            let phi = &mode.vector_coefficients()[number];
            let along: c64 = mode.vector_coefficients()[0].iter().zip(phi).map(|(a, b)| a.conj() * b).sum();
            prop_assert!(along.norm() <= 1e-12 * phi.iter().map(|z| z.norm()).sum::<f64>());
            let fixed = other.vector_coefficients()[number][largest(&start.vector)];
            prop_assert!(fixed.norm() <= 1e-12 * phi.iter().map(|z| z.norm()).sum::<f64>().max(1.0));
        }
    }

    /// ds/dx = -z^T (s^2 dM + s dC + dK) phi - ... from the residual of the shifted problem.
    #[test]
    fn sensitivities_are_the_two_sided_derivative(pencil in random_system()) {
        let Some(start) = highest(&pencil) else { return Err(TestCaseError::reject("no oscillation")) };
        let mode = series(&pencil, &start, 2, &ExpandOptions::default());
        let at = mode.evaluate(&[0.0, 0.0], 0).unwrap();
        for (k, ds) in mode.sensitivities().into_iter().enumerate() {
            // The correction of the centre's own pair at a shifted point is ds/dx h + O(h^2).
            let shifted = |h: f64| {
                let mut d = [0.0; 2];
                d[k] = h;
                mode.check(&at, &pencil.evaluate(&d).unwrap()).unwrap().correction
            };
            let h = 1e-4;
            let central = (shifted(h) - shifted(-h)) / (2.0 * h);
            let size = ds.unwrap().norm().max(1.0);
            prop_assert!((ds.unwrap() - central).norm() < 1e-5 * size, "{:?} {}", ds, central);
        }
    }
}
