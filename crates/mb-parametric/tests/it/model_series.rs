//! Series of models against the models themselves, built and settled anew at each point.

use mb_algebra::{Dense, QuadraticPencil, dense, norms};
use mb_eigen::DenseOptions;
use mb_model::{ModelSource, ModelSpec, Point};
use mb_parametric::{
    ExpandOptions, MultiIndexSet, ParametricError, PointRule, StartingEigenpair, Variable, expand,
    model_series,
};
use std::collections::BTreeMap;

/// A crank on a torsion spring, held by a drive, with an elastic arm (two masses on springs) on it.
fn arm() -> ModelSpec {
    ModelSpec::from_toml(
        r#"
        units = "SI"
        name = "arm with an elastic tip"
        gravity = [0, -9.81]
        parameters = { k = 900.0, c = 0.8, m = 0.7, L = 0.9 }
        point = [
            { name = "base", at = [0, 0], fixed = true },
            { name = "tip", at = ["L", 0.1], mass = "m" },
            { name = "far", at = ["1.6*L", 0.3], mass = "m/2" },
        ]
        body = [{ name = "crank", mass = 1.5, inertia = 0.2, at = [0, 0], markers = { end = ["L/2", 0.0], side = ["L/2", "L/3"] } }]
        joint = [{ name = "hub", type = "revolute", a = "crank", b = "base" }]
        torsion-spring = [{ name = "stay", a = "ground", b = "crank", stiffness = "2*k", natural_angle = 0.3 }]
        spring = [
            { name = "s1", a = "crank.end", b = "tip", stiffness = "k", damping = "c", natural_length = "L/2" },
            { name = "s2", a = "crank.side", b = "tip", stiffness = "k", damping = "c", natural_length = "L/2" },
            { name = "s3", a = "tip", b = "far", stiffness = "k/2", damping = "c", natural_length = "0.6*L" },
            { name = "s4", a = "crank.side", b = "far", stiffness = "k/3", damping = "c", natural_length = "L" },
        ]
        "#,
    )
    .unwrap()
}

/// The matrices at rest with the parameters given, from scratch.
fn settled(spec: &ModelSpec, given: &[(&str, f64)], start: &Point) -> (QuadraticPencil<Dense>, Point) {
    let mut spec = spec.clone();
    for (name, value) in given {
        spec.set_parameter(name, *value).unwrap();
    }
    // An expansion of order 0 is the balanced centre itself.
    let series = model_series(&spec, start, &[], &MultiIndexSet::total(0, 0).unwrap(), &PointRule::default());
    let series = series.unwrap();
    (series.pencil.evaluate(&[]).unwrap(), series.point.centre().clone())
}

/// Largest difference of the matrices relative to each.
fn distance(a: &QuadraticPencil<Dense>, b: &QuadraticPencil<Dense>) -> f64 {
    let one = |a: &Dense, b: &Dense| {
        norms::max_abs(&dense::add(1.0, a, -1.0, b)) / norms::max_abs(b).max(f64::MIN_POSITIVE)
    };
    one(&a.m, &b.m).max(one(&a.c, &b.c)).max(one(&a.k, &b.k)).max(one(&a.phi_q, &b.phi_q))
}

fn rest(spec: &ModelSpec) -> Point {
    spec.model::<f64>(&BTreeMap::new()).unwrap().initial_point()
}

#[test]
fn series_in_parameters_follow_the_equilibrium_to_every_order() {
    let spec = arm();
    let variables = ["k", "L"].map(|name| Variable::Parameter(name.into()));
    let (_, centre) = settled(&spec, &[], &rest(&spec));
    for order in [1, 3, 4] {
        let set = MultiIndexSet::total(2, order).unwrap();
        let series = model_series(&spec, &centre, &variables, &set, &PointRule::default()).unwrap();
        let error = |t: f64| {
            let d = [20.0 * t, 0.02 * t];
            let (exact, point) = settled(&spec, &[("k", 900.0 + d[0]), ("L", 0.9 + d[1])], &centre);
            let moved = series.point.evaluate(&d).unwrap();
            let off = moved.q.iter().zip(&point.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            (distance(&series.pencil.evaluate(&d).unwrap(), &exact), off)
        };
        // Halving the distance divides the error by 2^(order + 1).
        let ((far, far_q), (near, near_q)) = (error(1.0), error(0.5));
        let slope = |far: f64, near: f64| (far / near).log2();
        for slope in [slope(far, near), slope(far_q, near_q)] {
            assert!((slope - (order as f64 + 1.0)).abs() < 0.35, "order {order}: {slope} ({far}, {far_q})");
        }
    }
}

#[test]
fn a_held_coordinate_is_a_variable_and_an_input_holds_it() {
    let text =
        arm().to_toml().unwrap() + "\n[[torque]]\nname = \"motor\"\non = \"crank\"\ninput = \"motor\"\n";
    let spec = ModelSpec::from_toml(&text).unwrap();
    let model = spec.model::<f64>(&BTreeMap::new()).unwrap();
    let angle = model.coordinates().names().iter().position(|n| n == "crank.angle").unwrap();
    let (_, centre) = settled(&spec, &[], &rest(&spec));
    let set = MultiIndexSet::total(1, 5).unwrap();
    let rule = PointRule::Balanced { holding: vec![0] };
    let series = model_series(&spec, &centre, &[Variable::Coordinate(angle)], &set, &rule).unwrap();
    for d in [-0.05, 0.08] {
        let point = series.point.evaluate(&[d]).unwrap();
        assert!((point.q[angle] - centre.q[angle] - d).abs() < 1e-15);
        assert!(point.u[0].abs() > 1e-2, "the motor works against spring and weight");
        let residual = norms::max_abs_vec(&model.residual(&point));
        assert!(residual < 1e-4 * model.largest_force(&point), "{residual}");
        assert!(norms::max_abs_vec(&model.phi(&point.q, point.t)) < 1e-8);
    }
    // Frozen deflections do not turn with the crank: an error no order removes.
    let frozen =
        model_series(&spec, &centre, &[Variable::Coordinate(angle)], &set, &PointRule::Frozen).unwrap();
    let point = frozen.point.evaluate(&[0.05]).unwrap();
    let residual = |p: &Point| norms::max_abs_vec(&model.residual(p));
    assert!(residual(&point) > 1e3 * residual(&series.point.evaluate(&[0.05]).unwrap()));
}

#[test]
fn eigenpairs_of_a_model_follow_its_parameters() {
    let spec = arm();
    let (matrices, centre) = settled(&spec, &[], &rest(&spec));
    let start = mb_eigen::dense::solve(&matrices, &DenseOptions::default()).unwrap();
    let set = MultiIndexSet::total(3, 4).unwrap();
    let variables = ["k", "c", "m"].map(|name| Variable::Parameter(name.into()));
    let series = model_series(&spec, &centre, &variables, &set, &PointRule::default()).unwrap();
    let d = [25.0, 0.1, 0.02];
    let given = [("k", 900.0 + d[0]), ("c", 0.8 + d[1]), ("m", 0.7 + d[2])];
    let (moved, _) = settled(&spec, &given, &centre);
    let exact = mb_eigen::dense::solve(&moved, &DenseOptions::default()).unwrap();
    let oscillating = start.motion().filter(|pair| pair.value().is_some_and(|s| s.im > 1.0));
    let mut checked = 0;
    for pair in oscillating {
        let from = StartingEigenpair { s: pair.value().unwrap(), vector: pair.right.to_vec() };
        let mode = expand(&series.pencil, &from, &set, &ExpandOptions::default()).unwrap();
        let s = mode.eigenvalue(&d).unwrap();
        let nearest = exact
            .motion()
            .filter_map(mb_eigen::Eigenpair::value)
            .map(|v| (v - s).norm())
            .fold(f64::MAX, f64::min);
        assert!(nearest < 2e-6 * s.norm(), "{s}: {nearest}");
        checked += 1;
    }
    assert_eq!(checked, 5, "one for the crank, two for each mass");
}

#[test]
fn what_cannot_be_expanded_is_named() {
    let spec = arm();
    let centre = rest(&spec);
    let set = MultiIndexSet::total(1, 2).unwrap();
    let with = |variable: Variable, rule: PointRule| {
        model_series(&spec, &centre, &[variable], &set, &rule).unwrap_err()
    };
    let unknown = with(Variable::Parameter("stiffness".into()), PointRule::default());
    assert!(unknown.to_string().contains("no parameter 'stiffness'"), "{unknown}");
    let unheld = with(Variable::Coordinate(2), PointRule::default());
    assert!(matches!(unheld, ParametricError::HoldingInputs { .. }), "{unheld}");
    let mut idle = spec.clone();
    idle.parameters.insert("paint".into(), 3.0.into());
    let paint = Variable::Parameter("paint".into());
    let error = model_series(&idle, &centre, &[paint], &set, &PointRule::default()).unwrap_err();
    assert_eq!(error, ParametricError::IdleVariable { variable: "parameter 'paint'".into() });
    let large = MultiIndexSet::total(1, 600);
    let refused = large.map(|set| {
        model_series(&spec, &centre, &[Variable::Parameter("k".into())], &set, &PointRule::default())
            .unwrap_err()
    });
    assert!(refused.is_err() || matches!(refused, Ok(ParametricError::CapacityExceeded { .. })));
}
