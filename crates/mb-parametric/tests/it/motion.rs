//! Operating points in motion under constraints.

use crate::kinds::slopes;
use crate::systems::solve;
use mb_algebra::norms;
use mb_gallery::models::Top;
use mb_model::{Model, ModelSpec, Point};
use mb_parametric::{
    MovingModel, MultiIndexSet, ParametricError, PointRule, SeriesSource, Variable, balanced_point,
};

const R: f64 = 0.2;
const L: f64 = 0.6;
const ANGLE: f64 = 1.0;

/// A crank turned by a motor, a rod and a slider that carries a mass on springs: one loop, three
/// degrees of freedom.
pub(crate) fn slider_crank() -> ModelSpec {
    ModelSpec::from_toml(
        r#"
        units = "SI"
        name = "slider-crank with a load on springs"
        gravity = [0, -9.81]
        parameters = { r = 0.2, l = 0.6, k = 400.0, m = 0.5, theta = 1.0, reach = "r*cos(theta) + sqrt(l^2 - (r*sin(theta))^2)" }
        point = [{ name = "load", at = ["reach", 0.3], mass = "m" }]
        body = [
            { name = "crank", mass = 1.0, inertia = 0.01, center_of_mass = ["r/2", 0], at = [0, 0], angle = "theta", markers = { pin = ["r", 0] } },
            { name = "rod", mass = 2.0, inertia = 0.06, center_of_mass = ["l/2", 0], markers = { end = ["l", 0] } },
            { name = "slider", mass = 0.5, inertia = 0.001, at = ["reach", 0], markers = { left = [-0.2, 0], right = [0.2, 0] } },
        ]
        joint = [
            { name = "main", type = "revolute", a = "crank", b = "ground" },
            { name = "crank-pin", type = "revolute", a = "rod", b = "crank.pin" },
            { name = "wrist-pin", type = "revolute", a = "rod.end", b = "slider" },
            { name = "guide", type = "prismatic", a = "slider", b = [0, 0], axis = [1, 0] },
        ]
        spring = [
            { name = "left", a = "slider.left", b = "load", stiffness = "k", natural_length = 0.3, damping = 0.5 },
            { name = "right", a = "slider.right", b = "load", stiffness = "k", natural_length = 0.3, damping = 0.5 },
        ]
        torsion-spring = [{ name = "stay", a = "ground", b = "crank", stiffness = 60.0, natural_angle = "theta" }]
        torque = [{ name = "motor", on = "crank", input = "motor" }]
        "#,
    )
    .unwrap()
}

fn number(model: &Model, name: &str) -> usize {
    model.coordinates().names().iter().position(|n| n == name).unwrap()
}

/// The crank turns at `speed` and accelerates; everything else in dynamic equilibrium.
pub(crate) fn turning(spec: &ModelSpec, speed: f64, acceleration: f64) -> Point {
    let model = spec.build().unwrap();
    let crank = number(&model, "crank.angle");
    let mut start = model.initial_point();
    start.v.fill(0.0);
    (start.v[crank], start.a[crank]) = (speed, acceleration);
    balanced_point(&model, &start, &[crank], &[0]).unwrap()
}

/// The crank's angle, its speed, the spring stiffness and the mass of the load.
pub(crate) fn variables(model: &Model) -> [Variable; 4] {
    let crank = number(model, "crank.angle");
    [
        Variable::Coordinate(crank),
        Variable::Speed(crank),
        Variable::Parameter("k".into()),
        Variable::Parameter("m".into()),
    ]
}

/// Motor when the angle is a variable; the torque of the centre otherwise.
pub(crate) fn rule(variables: &[Variable]) -> PointRule {
    let held = variables.iter().any(|v| matches!(v, Variable::Coordinate(_)));
    PointRule::Balanced { holding: if held { vec![0] } else { Vec::new() } }
}

/// Position of the slider, and its first two derivatives by the angle.
fn stroke(angle: f64) -> [f64; 3] {
    let (sin, cos) = angle.sin_cos();
    let root = (L * L - R * R * sin * sin).sqrt();
    let slope = -R * R * sin * cos / root;
    let bend = -R * R * (cos * cos - sin * sin) / root - slope * slope / root;
    [R * cos + root, -R * sin + slope, -R * cos + bend]
}

#[test]
fn speeds_and_accelerations_follow_the_crank() {
    let spec = slider_crank();
    let model = spec.build().unwrap();
    let (speed, acceleration) = (7.0, 30.0);
    let centre = turning(&spec, speed, acceleration);
    let all = variables(&model)[..2].to_vec();
    let source = MovingModel::new(&spec, &centre, &all, rule(&all));
    assert_eq!(source.following().unwrap().len(), model.nc());
    let series = source.model_series(&[0.0, 0.0], &MultiIndexSet::total(2, 8).unwrap()).unwrap();
    let slider = number(&model, "slider.x");
    for d in [[0.0, 0.0], [0.15, -1.0], [-0.2, 2.0]] {
        let [x, first, second] = stroke(ANGLE + d[0]);
        let w = speed + d[1];
        for (point, tolerance) in
            [(source.point(&d).unwrap(), 1e-11), (series.point.evaluate(&d).unwrap(), 2e-6)]
        {
            let close = |a: f64, b: f64| (a - b).abs() < tolerance * (1.0 + b.abs());
            assert!(close(point.q[slider], x), "{d:?}: {} {x}", point.q[slider]);
            assert!(close(point.v[slider], first * w), "{d:?}: {} {}", point.v[slider], first * w);
            let exact = first * acceleration + second * w * w;
            assert!(close(point.a[slider], exact), "{d:?}: {} {exact}", point.a[slider]);
            let residual = norms::max_abs_vec(&model.residual(&point));
            assert!(residual < 10.0 * tolerance * model.largest_force(&point), "{d:?}: {residual}");
            for rate in [model.phi_dot(&point.q, &point.v, point.t), model.phi_ddot(&point)] {
                assert!(norms::max_abs_vec(&rate) < 1e3 * tolerance, "{d:?}: {rate:?}");
            }
        }
    }
    assert!(centre.u[0].abs() > 1.0);
}

#[test]
fn errors_fall_with_the_order_in_every_variable() {
    let spec = slider_crank();
    let model = spec.build().unwrap();
    let centre = turning(&spec, 7.0, 30.0);
    for (variable, step) in variables(&model).into_iter().zip([0.1, 1.5, 60.0, 0.08]) {
        let one = [variable];
        let source = MovingModel::new(&spec, &centre, &one, rule(&one));
        let mut starts = solve(&source.matrices(&[0.0]).unwrap());
        starts.retain(|pair| pair.s.im > 1.0);
        assert_eq!(starts.len(), 3, "{one:?}: {starts:?}");
        slopes(&source, &starts, step);
    }
}

#[test]
fn a_point_at_rest_is_the_static_one() {
    let spec = slider_crank();
    let model = spec.build().unwrap();
    let crank = number(&model, "crank.angle");
    let still = turning(&spec, 0.0, 0.0);
    let set = MultiIndexSet::total(1, 3).unwrap();
    let angle = [Variable::Coordinate(crank)];
    let held = PointRule::Balanced { holding: vec![0] };
    let source = MovingModel::new(&spec, &still, &angle, held.clone());
    assert!(source.following().unwrap().is_empty(), "nothing moves");
    // The same with a speed that stays zero.
    let both = [Variable::Coordinate(crank), Variable::Speed(crank)];
    let moving = MovingModel::new(&spec, &still, &both, held);
    let (a, b) = (source.matrices(&[0.1]).unwrap(), moving.matrices(&[0.1, 0.0]).unwrap());
    assert!(norms::max_abs(&(&a.k - &b.k)) < 1e-9 * norms::max_abs(&a.k));
    let (a, b) = (
        source.model_series(&[0.0], &set).unwrap().point.evaluate(&[0.1]).unwrap(),
        moving.model_series(&[0.0, 0.0], &MultiIndexSet::total(2, 3).unwrap()).unwrap(),
    );
    let b = b.point.evaluate(&[0.1, 0.0]).unwrap();
    assert!(a.q.iter().zip(&b.q).all(|(x, y)| (x - y).abs() < 1e-12));
    assert!(b.v.iter().all(|v| v.abs() < 1e-12));
}

#[test]
fn a_free_turn_is_named_because_nothing_balances_it() {
    let top = Top::default();
    let spec = top.spec().unwrap();
    let mut start = spec.build().unwrap().initial_point();
    start.v = spec.build().unwrap().initial_velocity().to_vec();
    let spin = [Variable::Speed(5)];
    let error = MovingModel::new(&spec, &start, &spin, PointRule::default()).matrices(&[0.0]).unwrap_err();
    assert!(matches!(error, ParametricError::NotBalanced { .. }), "{error}");
    assert!(error.to_string().contains("free motion"), "{error}");
}

#[test]
fn a_speed_that_follows_is_no_variable() {
    let spec = slider_crank();
    let model = spec.build().unwrap();
    let centre = turning(&spec, 3.0, 0.0);
    let both = ["crank.angle", "slider.x"].map(|name| Variable::Speed(number(&model, name)));
    let source = MovingModel::new(&spec, &centre, &both, PointRule::default());
    let error = source.matrices(&[0.0, 0.0]).unwrap_err();
    assert!(matches!(error, ParametricError::SpeedFollows { .. }), "{error}");
    let told = error.to_string();
    assert!(told.contains("speed of slider.x") || told.contains("speed of crank.angle"), "{told}");
}
