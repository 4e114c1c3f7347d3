//! Every kind of variable: the error of order t falls with the power t + 1.

use crate::erls;
use mb_algebra::{QuadraticPencil, c64, dense, norms};
use mb_gallery::models::{ErlsArm, Top};
use mb_model::{ModelSource, Point};
use mb_parametric::{
    ExpandOptions, MovingModel, MultiIndexSet, ParametricError, PointRule, PolishOptions, SeriesSource,
    StartingEigenpair, Variable, balanced_point, expand, model_series, polish, sparse_model_series,
};
use std::collections::BTreeMap;

/// Slopes of the error of orders 1 to 3 of all starts, in one variable with a step that leaves the
/// error above rounding and within reach.
pub(crate) fn slopes<S: SeriesSource>(source: &S, starts: &[StartingEigenpair], step: f64) {
    let set = MultiIndexSet::total(1, 6).unwrap();
    let pencil = source.series(&[0.0], &set).unwrap();
    let mut judged = 0;
    for start in starts {
        let mode = expand(&pencil, start, &set, &ExpandOptions::default()).unwrap();
        let error = |order: usize, t: f64| {
            let at = mode.evaluate(&[t], order).unwrap();
            let best = mode.evaluate(&[t], 6).unwrap();
            let guess = StartingEigenpair { s: best.s, vector: best.vector };
            let exact = polish(&source.matrices(&[t]).unwrap(), &guess, &PolishOptions::default()).unwrap();
            (at.s - exact.s).norm()
        };
        for order in 1..=3 {
            let (far, near) = (error(order, step), error(order, step / 2.0));
            // A vanishing coefficient has another slope, and rounding has none.
            let parts: Vec<f64> = mode.along(&[step]).unwrap().iter().map(|x| x.norm()).collect();
            if near < 1e-11 * start.s.norm() || parts[order + 2] > 0.25 * parts[order + 1] {
                continue;
            }
            let slope = (far / near).log2();
            assert!((slope - (order as f64 + 1.0)).abs() < 0.3, "order {order}: {slope} {far:e} {near:e}");
            judged += 1;
        }
    }
    assert!(judged >= 3, "{judged}");
}

#[test]
fn parameters_of_the_arm() {
    let arm = ErlsArm { payload: 0.3, ..ErlsArm::recovered() };
    for (name, step) in [("E", 7e9), ("rho_l", 0.2), ("L1", 0.06), ("L2", 0.05), ("mE", 0.05)] {
        let source = erls::moving(&arm, &[Variable::Parameter(name.into())]);
        slopes(&source, &erls::elastic(&source), step);
    }
}

#[test]
fn coordinates_and_speeds_of_the_arm() {
    let arm = ErlsArm::recovered();
    for (variable, step) in erls::angles_and_speeds(&arm).into_iter().zip([0.1, 0.1, 1.0, 1.0]) {
        let source = erls::moving(&arm, &[variable]);
        slopes(&source, &erls::elastic(&source), step);
    }
}

/// The arm hangs still, both motors give a constant torque, and the angles follow it.
#[test]
fn inputs_of_the_arm() {
    let arm = ErlsArm::recovered();
    let mut point = arm.model::<f64>(&BTreeMap::new()).unwrap().initial_point();
    let first = arm.first_angle();
    (point.q[first], point.q[first + 1]) = (-1.2, -1.4);
    let held = PointRule::Balanced { holding: vec![0, 1] };
    let angles = [Variable::Coordinate(first), Variable::Coordinate(first + 1)];
    let rest = MovingModel::new(&arm, &point, &angles, held).point(&[0.0, 0.0]).unwrap();
    let source = MovingModel::new(&arm, &rest, &[Variable::Input(0)], PointRule::default());
    slopes(&source, &erls::elastic(&source), 0.8);
    let moved = source.point(&[0.5]).unwrap();
    assert!((moved.q[first] - rest.q[first]).abs() > 0.01, "the torque moves the arm");
}

/// Equivalent rigid links and floating frames are two routes to the modes of the arm at rest, held by its motors.
#[test]
fn the_arm_in_floating_frames_has_the_modes_of_equivalent_rigid_links() {
    let [q1, q2] = [1.26, -1.09];
    // Damping by the mass acts on other velocities there and is left out.
    for arm in [ErlsArm::recovered(), ErlsArm::table_2()].map(|arm| ErlsArm { damping: [0.0, 4.5e-6], ..arm })
    {
        let mut point = arm.model::<f64>(&BTreeMap::new()).unwrap().initial_point();
        let first = arm.first_angle();
        (point.q[first], point.q[first + 1]) = (q1, q2);
        let angles = [first, first + 1].map(Variable::Coordinate);
        let held = PointRule::Balanced { holding: vec![0, 1] };
        let rigid = MovingModel::new(&arm, &point, &angles, held.clone());
        let spec = arm.floating().unwrap();
        let model = spec.build().unwrap();
        let number = |name: &str| model.coordinates().names().iter().position(|n| n == name).unwrap();
        let angles = ["upper.angle", "lower.angle"].map(number);
        let mut start = model.initial_point();
        for (i, q) in angles.into_iter().zip([q1, q2]) {
            start.q[i] = q;
        }
        let start = balanced_point(&model, &start, &angles, &[0, 1]).unwrap();
        let floating = MovingModel::new(&spec, &start, &angles.map(Variable::Coordinate), held);
        // The lines through the joints differ by the deflections, of a thousandth.
        let [a, b] = [erls::elastic(&rigid), erls::elastic(&floating)];
        for (a, b) in a.iter().zip(&b) {
            assert!((a.s - b.s).norm() < 2e-3 * a.s.norm(), "{} {}", a.s, b.s);
        }
        let torque = |source: &Point| source.u.clone();
        let (a, b) = (torque(&rigid.point(&[0.0; 2]).unwrap()), torque(&floating.point(&[0.0; 2]).unwrap()));
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-2 * a.abs()), "{a:?} {b:?}");
    }
}

/// A top on its tip that spins, with the reaction that carries its weight.
fn spinning(top: &Top) -> (mb_model::ModelSpec, Point) {
    let spec = top.spec().unwrap();
    let model = spec.model::<f64>(&BTreeMap::new()).unwrap();
    let mut point = model.initial_point();
    point.v = model.initial_velocity().to_vec();
    let jacobian = model.dense_blocks(&point).phi_q;
    let normal = dense::mul(&jacobian, &dense::transpose(&jacobian));
    let rhs = dense::matvec(&jacobian, &model.residual(&point));
    point.lambda = mb_algebra::Lu::new(&normal).unwrap().solve(&rhs).iter().map(|x| -x).collect();
    assert!(norms::max_abs_vec(&model.residual(&point)) < 1e-12);
    (spec, point)
}

#[test]
fn the_spin_of_a_top_brings_the_terms_of_its_turning_axes() {
    let top = Top::default();
    let (spec, point) = spinning(&top);
    let set = MultiIndexSet::total(1, 8).unwrap();
    // The angular velocity about the body's own axis is its last speed.
    let spin = [Variable::Speed(5)];
    let series = model_series(&spec, &point, &spin, &set, &PointRule::Frozen).unwrap();
    assert!(series.imbalance < 1e-12);
    let source = MovingModel::new(&spec, &point, &spin, PointRule::Frozen);
    for exact in top.eigenvalues_in_body_axes() {
        let s = c64::new(exact.re, exact.im);
        // A precession seen from the top: tilt about its two cross axes with a quarter turn between.
        let mut vector = vec![c64::ZERO; 6];
        (vector[3], vector[4]) = (c64::ONE, c64::new(0.0, -1.0));
        let start = StartingEigenpair { s, vector };
        let mode = expand(&series.pencil, &start, &set, &ExpandOptions::default()).unwrap();
        assert!((mode.eigenvalue_coefficients()[0] - s).norm() < 1e-9 * top.spin);
        for d in [-6.0, 5.0] {
            let moved = Top { spin: top.spin + d, ..top };
            let found = mode.evaluate(&[d], 8).unwrap();
            let off = moved
                .eigenvalues_in_body_axes()
                .map(|e| (found.s - c64::new(e.re, e.im)).norm())
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            assert!(off < 1e-6 * top.spin, "{d}: {} {off:e}", found.s);
            // The exact matrices at the point have it too.
            let guess = StartingEigenpair { s: found.s, vector: found.vector };
            let pair = polish(&source.matrices(&[d]).unwrap(), &guess, &PolishOptions::default()).unwrap();
            assert!((pair.s - found.s).norm() < 1e-6 * top.spin);
        }
    }
}

#[test]
fn sparse_series_of_a_model_are_the_dense_ones() {
    let arm = ErlsArm::recovered();
    let source = erls::moving(&arm, &erls::angles_and_speeds(&arm));
    let centre = source.point(&[0.0; 4]).unwrap();
    let set = MultiIndexSet::total(4, 2).unwrap();
    let rule = PointRule::Balanced { holding: vec![0, 1] };
    let thin = sparse_model_series(&arm, &centre, source.variables(), &set, &rule).unwrap();
    let full = model_series(&arm, &centre, source.variables(), &set, &rule).unwrap();
    let d = [0.02, -0.03, 0.1, 0.2];
    let QuadraticPencil { m, c, k, .. } = thin.pencil.evaluate(&d).unwrap().to_dense();
    let exact = full.pencil.evaluate(&d).unwrap();
    for (a, b) in [(&m, &exact.m), (&c, &exact.c), (&k, &exact.k)] {
        assert!(norms::max_abs(&dense::add(1.0, a, -1.0, b)) <= 1e-14 * norms::max_abs(b));
    }
    // And the exact matrices at the point agree to the third order.
    let there = source.matrices(&d).unwrap();
    assert!(norms::max_abs(&dense::add(1.0, &k, -1.0, &there.k)) < 1e-4 * norms::max_abs(&there.k));
    assert!(full.imbalance < 1e-9);
}

#[test]
fn what_would_not_fit_in_memory_is_refused_with_its_size() {
    let arm = ErlsArm::recovered();
    let source = erls::moving(&arm, &erls::angles_and_speeds(&arm));
    let error = MultiIndexSet::total(4, 60).unwrap_err();
    assert!(matches!(error, ParametricError::TooManyTerms { .. }), "{error}");
    // 1001 terms: more than models are expanded to.
    let error = source.series(&[0.0; 4], &MultiIndexSet::total(4, 10).unwrap()).unwrap_err();
    assert!(matches!(error, ParametricError::CapacityExceeded { terms: 1001, .. }), "{error}");
    // 1820 terms of 100,000 unknowns.
    let n = 100_000;
    let set = MultiIndexSet::total(4, 1).unwrap();
    let unit = mb_algebra::sparse::identity(n);
    let constant = |a| mb_parametric::MatrixSeries::constant(set.clone(), a).unwrap();
    let matrices = QuadraticPencil {
        m: constant(&unit),
        c: constant(&mb_algebra::sparse::zeros(n, n)),
        k: constant(&unit),
        phi_q: constant(&mb_algebra::sparse::zeros(0, n)),
    };
    let pencil = mb_parametric::PencilSeries::new(matrices, mb_parametric::Completeness::Polynomial).unwrap();
    let start = StartingEigenpair { s: c64::I, vector: vec![c64::ONE; n] };
    let large = MultiIndexSet::total(4, 12).unwrap();
    let error = expand(&pencil, &start, &large, &ExpandOptions::default()).unwrap_err();
    assert!(matches!(error, ParametricError::TooLarge { terms: 1820, .. }), "{error}");
    assert!(error.to_string().contains("GB"), "{error}");
}

#[test]
fn a_frozen_point_that_is_no_equilibrium_says_so() {
    let arm = ErlsArm::recovered();
    let mut point = arm.in_motion();
    point.u = vec![0.0; 2];
    let set = MultiIndexSet::total(1, 1).unwrap();
    let variable = [Variable::Parameter("E".into())];
    let series = model_series(&arm, &point, &variable, &set, &PointRule::Frozen).unwrap();
    assert!(series.imbalance > 1e-3, "{}", series.imbalance);
}
