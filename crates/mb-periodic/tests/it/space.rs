//! Bodies in space: Euler parameters, and the derivative of a step against differences.

use crate::support::{model, start};
use mb_periodic::{Directions, Dynamics, Frame, State, Stepper};

const SPATIAL: &str = r#"
units = "SI"
name = "two bodies in space"
gravity = [0, 0, -9.81]
[[spatial-body]]
name = "arm"
mass = 4.0
inertia = [0.5, 0.02, 0.5]
at = [0.0, -0.6, 0.0]
markers.root = [0.0, 0.6, 0.0]
markers.tip = [0.0, -0.6, 0.0]
angular_velocity = [0.0, 0.0, 2.0]
[[spatial-body]]
name = "gate"
mass = 9.0
inertia = [0.7, 0.1, 0.6]
at = [0.0, -1.2, -0.5]
markers.top = [0.0, 0.0, 0.5]
angular_velocity = [0.5, 1.0, 2.0]
[[joint]]
name = "shoulder"
type = "spherical"
a = "arm.root"
b = "ground"
[[joint]]
name = "hinge"
type = "universal"
a = "gate.top"
b = "arm.tip"
axis = [1.0, 0.0, 0.0]
axis_a = [0.0, 1.0, 0.0]
"#;

/// The derivative of one step is that of differences of the step itself.
#[test]
fn the_derivative_of_a_step_is_that_of_differences() {
    let model = model(SPATIAL, &[]);
    let from = start(&model);
    let dynamics = Dynamics::new(&model, &[], &from).unwrap();
    let frame = Frame::new(&dynamics, &from, 1.0).unwrap();
    let mut stepper = Stepper::new(dynamics).unwrap();
    let step = 0.1;
    let mut directions: Directions = frame.directions();
    let end = stepper.step(&from, step, Some(&mut directions)).unwrap();
    let there = Frame::new(&stepper.dynamics, &end, 1.0).unwrap();
    let exact = there.coordinates_of(&directions);
    let d = 2 * frame.dof();
    assert_eq!(d, 10);
    let h = 1e-5;
    let mut largest = 0.0_f64;
    for k in 0..d {
        let mut beside = |sign: f64| -> State {
            let mut y = vec![0.0; d];
            y[k] = sign * h;
            let begin = frame.moved(&stepper.dynamics, &from, &y).unwrap();
            stepper.step(&begin, step, None).unwrap()
        };
        let (a, b) = (beside(1.0), beside(-1.0));
        let (a, b) = (there.gap(&stepper.dynamics, &a, &end), there.gap(&stepper.dynamics, &b, &end));
        for i in 0..d {
            let slope = (a[i] - b[i]) / (2.0 * h);
            largest = largest.max((slope - exact[(i, k)]).abs());
        }
    }
    assert!(largest < 1e-8, "{largest:e}");
}

/// The error of steps of length h goes like h^9.
#[test]
fn the_method_has_order_nine() {
    let model = model(SPATIAL, &[]);
    let from = start(&model);
    let run = |steps: u32| {
        let dynamics = Dynamics::new(&model, &[], &from).unwrap();
        let mut stepper = Stepper::new(dynamics).unwrap();
        let mut at = from.clone();
        for _ in 0..steps {
            at = stepper.step(&at, 0.4 / f64::from(steps), None).unwrap();
        }
        assert!(model.phi(&at.q, at.t).iter().all(|x| x.abs() < 1e-13));
        assert!(model.phi_dot(&at.q, &at.v, at.t).iter().all(|x| x.abs() < 1e-12));
        at
    };
    let exact = run(256);
    let off = |steps: u32| {
        let end = run(steps);
        end.v.iter().zip(&exact.v).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let (coarse, fine) = (off(16), off(32));
    let order = (coarse / fine).log2();
    assert!(order > 8.0, "{coarse:e} {fine:e}: order {order}");
}
