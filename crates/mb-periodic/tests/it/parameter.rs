//! The derivative of a step by a parameter of the model is that of differences.

use mb_constraints::simulate::{StartPolicy, consistent_start};
use mb_model::ModelSpec;
use mb_model::spec::Value;
use mb_periodic::{Directions, Dynamics, Frame, State, Stepper, parameter};
use std::collections::BTreeMap;

const CRANK: &str = r#"
units = "SI"
name = "driven arm"
gravity = [0, -9.81]
[parameters]
l = 0.7
[[body]]
name = "arm"
mass = "2*l"
inertia = "l^2"
center_of_mass = ["l/2", 0]
at = [0, 0]
angle = 0.3
angular_velocity = 1.0
markers.end = ["l", 0]
[[body]]
name = "tip"
mass = 1.0
inertia = 0.1
center_of_mass = [0.2, 0]
angle = -0.4
[[joint]]
name = "pin"
type = "revolute"
a = "arm"
b = [0, 0]
[[joint]]
name = "knee"
type = "revolute"
a = "tip"
b = "arm.end"
[[torque]]
name = "motor"
on = "arm"
magnitude = "3*l*sin(5*l*t)"
"#;

#[test]
fn the_derivative_by_a_parameter_is_that_of_differences() {
    let spec = ModelSpec::from_toml(CRANK).unwrap();
    let at = |l: f64| {
        let mut spec = spec.clone();
        spec.set_parameter("l", Value::Number(l)).unwrap();
        spec.build().unwrap()
    };
    let l = 0.7;
    let (model, h) = (at(l), 0.2);
    let jets = spec.build_with(&BTreeMap::from([("l".to_owned(), parameter(l))])).unwrap();
    let begin =
        consistent_start(&model, model.initial(), model.initial_velocity(), 0.0, StartPolicy::Assemble, &[])
            .unwrap();
    let from = State { t: 0.0, q: begin.q, v: begin.v };
    let dynamics = Dynamics::new(&model, &[], &from).unwrap().with_parameter(&jets);
    let rows = dynamics.constraints(0.0, &from.q).unwrap();
    let n = model.nv();
    // What the parameter alone changes, the shortest way.
    let none =
        Directions { x: mb_algebra::Dense::zeros(n, 1), v: mb_algebra::Dense::zeros(n, 1), parameter: true };
    let mut directions = dynamics.on_constraints(&rows, (0.0, &from.q, &from.v), none);
    let mut stepper = Stepper::new(dynamics).unwrap();
    let end = stepper.step(&from, h, Some(&mut directions)).unwrap();
    let there = Frame::new(&stepper.dynamics, &end, 1.0).unwrap();
    let exact = there.coordinates_of(&directions);
    let eps = 1e-5;
    let beside = |sign: f64| {
        let model = at(l + sign * eps);
        let dynamics = Dynamics::new(&model, &[], &from).unwrap();
        let (mut q, mut v) = (from.q.clone(), from.v.clone());
        dynamics.hold(0.0, &mut q, &mut v).unwrap();
        let end = Stepper::new(dynamics).unwrap().step(&State { t: 0.0, q, v }, h, None).unwrap();
        there.gap(&stepper.dynamics, &end, &from)
    };
    let (a, b) = (beside(1.0), beside(-1.0));
    for i in 0..a.len() {
        let slope = (a[i] - b[i]) / (2.0 * eps);
        assert!((slope - exact[(i, 0)]).abs() < 1e-7 * (1.0 + slope.abs()), "{i}: {slope} {}", exact[(i, 0)]);
    }
}
