//! `mb response` about steady motions: what is constant in their frames and what is not.

use crate::support::mb_with;

/// An arm on a shaft that turns with its axle, as that of a governor.
const GOVERNOR: &str = r#"
units = "SI"
name = "arm of a governor"
gravity = [0, 0, -9.81]
spatial-body = [
    { name = "shaft", mass = 1, inertia = [1, 1, 1], at = [0, 0, 0] },
    { name = "arm", mass = 2, inertia = [1e-3, 1e-3, 1e-3], at = [0.3, 0, -0.4], markers = { pin = [-0.3, 0, 0.4] } },
]
joint = [
    { name = "axle", type = "revolute", a = "shaft", b = "ground", axis = [0, 0, 1] },
    { name = "pin", type = "revolute", a = "arm.pin", b = "shaft", axis = [0, 1, 0] },
]
output = [{ name = "w", quantity = "z", of = "arm" }]
"#;

/// A base that moves along a fixed direction does so along no fixed direction of a frame that turns, but for its axis.
#[test]
fn a_base_moves_along_the_axis_of_a_frame_that_turns_and_not_across_it() {
    let run = |axis: &str| {
        let args = ["response", "-", "--spin", "axle=5.78", "--base", axis, "--at-hz", "0", "--json"];
        mb_with(&args, GOVERNOR)
    };
    for axis in ["x", "y"] {
        let refused = run(axis);
        let named = format!("The input 'acceleration of the base along {axis}' is not constant");
        assert!(refused.code == 1 && refused.err.contains(&named), "{refused:?}");
    }
    let along = run("z");
    assert_eq!(along.code, 0, "{along:?}");
}

/// The velocity of a point on the axis of a rotor is the rate of its displacement, at any speed.
#[test]
fn points_on_the_axis_of_a_rotor_have_outputs_of_velocity() {
    let model = |derivative: u8| {
        format!(
            r#"units = "SI"
name = "rotor on two bearings"
gravity = [0, 0, 0]
parameters = {{ W = 150 }}
spatial-body = [{{ name = "R", mass = 10, inertia = [0.2, 0.2, 0.1], at = [0, 0, 0], markers = {{ a = [0, 0, -0.2], b = [0, 0, 0.3] }} }}]
bearing = [
  {{ name = "lower", a = "R.a", b = [0, 0, -0.2], stiffness = [[1e6, 0], [0, 2e6]], damping = [[50, 0], [0, 50]] }},
  {{ name = "upper", a = "R.b", b = [0, 0, 0.3], stiffness = [[1e6, 0], [0, 2e6]], damping = [[50, 0], [0, 50]] }},
]
bushing = [{{ name = "thrust", a = "R.a", b = [0, 0, -0.2], stiffness = [0, 0, 1e6, 0, 0, 0] }}]
force = [{{ name = "f", at = "R.b", direction = [1, 0, 0], input = "u" }}]
output = [{{ name = "x", quantity = "x", of = "R.b", derivative = {derivative} }}]
steady-rotation = [{{ name = "spin", bodies = ["R"], axis = [0, 0, 1], through = [0, 0, 0], speed = "W" }}]
"#
        )
    };
    let values = |derivative: u8, extra: &[&str]| {
        let args = [&["response", "-", "--at-hz", "20,69,140", "--json"], extra].concat();
        let run = mb_with(&args, &model(derivative));
        assert_eq!(run.code, 0, "{run:?}");
        let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        found["responses"][0]["value"].clone()
    };
    for speed in ["W=150", "W=37"] {
        let rates = values(1, &["--set", speed]);
        let of_displacements = values(0, &["--quantity", "mobility", "--set", speed]);
        for (a, b) in rates.as_array().unwrap().iter().zip(of_displacements.as_array().unwrap()) {
            let [[x, y], [u, v]] = [a, b].map(|z| [0, 1].map(|i| z[i].as_f64().unwrap()));
            assert!((x - u).hypot(y - v) < 1e-11 * u.hypot(v), "{speed}: {a} {b}");
        }
    }
}

/// The force along the axis of the joint that holds two halves of a rotor together, in the frame of the rotor and of the ground:
/// N = F - m_b z'', (m_a + m_b) z'' + k z = F. The rows of the joint turn with the rotor, and the force along the axis does not.
#[test]
fn a_joint_that_turns_has_outputs_of_its_force_along_the_axis() {
    let model = |quantity: &str| {
        format!(
            r#"
units = "SI"
name = "two halves of a rotor"
spatial-body = [
  {{ name = "a", mass = 10, inertia = [0.2, 0.2, 0.4], at = [0, 0, 0] }},
  {{ name = "b", mass = 5, inertia = [0.15, 0.15, 0.3], at = [0, 0, 0.2] }},
]
joint = [{{ name = "hub", type = "fixed", a = "b", b = "a" }}]
bushing = [{{ name = "soft", a = "a", b = "ground", stiffness = [1e6, 1e6, 1e6, 0, 0, 0] }}]
bearing = [{{ name = "up", a = "b", b = "ground", stiffness = [[1e6, 0], [0, 1e6]], damping = [[100, 0], [0, 100]] }}]
steady-rotation = [{{ name = "spin", bodies = ["a", "b"], axis = [0, 0, 1], through = [0, 0, 0], speed = 50 }}]
force = [{{ name = "f", at = "b", direction = [0, 0, 1], input = "F" }}]
output = [{{ name = "o", {quantity} }}]
"#
        )
    };
    let along = r#"quantity = "force", of = "hub", axis = "z""#;
    for frame in [&[][..], &["--frame", "a"]] {
        let args = [&["response", "-", "--at-hz", "10,30", "--json"], frame].concat();
        let run = mb_with(&args, &model(along));
        assert_eq!(run.code, 0, "{run:?}");
        let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        for (value, hz) in found["responses"][0]["value"].as_array().unwrap().iter().zip([10.0, 30.0]) {
            let square = (std::f64::consts::TAU * hz) * (std::f64::consts::TAU * hz);
            let exact: f64 = 1.0 + 5.0 * square / (1e6 - 15.0 * square);
            let size = value[0].as_f64().unwrap().hypot(value[1].as_f64().unwrap());
            assert!((size - exact.abs()).abs() < 1e-9 * exact.abs(), "{frame:?} {hz}: {value} {exact}");
        }
    }
    // Across the axis the force of the ground's axes is another one in the rotor's at each instant.
    let across = r#"quantity = "force", of = "hub", axis = "x""#;
    let run = mb_with(&["response", "-", "--frame", "a", "--at-hz", "10", "--json"], &model(across));
    assert!(run.code == 1 && run.err.contains("is not constant"), "{run:?}");
}
