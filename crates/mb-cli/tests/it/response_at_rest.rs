//! Responses at 0 Hz and on undamped poles of other responses: values that are there, though the equations are singular or nearly so.

use super::response::json;
use crate::support::{mb_with, right};

/// A rod of 2 kg hung half a metre above its centre resists a torque by its weight alone: T / (m g l) at rest.
#[test]
fn a_stiffness_of_weights_has_its_response_at_rest() {
    let model = r#"
        units = "SI"
        name = "pendulum"
        gravity = [0.0, -9.81]
        body = [{ name = "rod", mass = 2.0, inertia = 0.4, at = [0.0, -0.5], markers = { top = [0.0, 0.5] } }]
        joint = [{ name = "pin", type = "revolute", a = "rod.top", b = "ground" }]
        torque = [{ name = "T", on = "rod", input = "T" }]
        output = [{ name = "a", quantity = "angle", of = "rod" }]
    "#;
    let found = json(&["response", "-", "--at-hz", "0"], model);
    let value = found["responses"][0]["value"][0][0].as_f64().unwrap();
    assert!((value - 1.0 / 9.81).abs() < 1e-14, "{found}");
}

/// A mass of 2 kg on a rail with friction of 3 N s/m: x = F / (s (2 s + 3)).
const FREE: &str = r#"
    units = "SI"
    name = "free mass"
    gravity = [0.0, 0.0]
    body = [{ name = "cart", mass = 2.0, inertia = 0.4, at = [0.0, 0.0] }]
    joint = [{ name = "rail", type = "prismatic", a = "cart", b = [0.0, 0.0], axis = [1.0, 0.0] }]
    spring = [{ name = "s", a = [-1.0, 0.0], b = "cart", stiffness = 0, damping = 3, natural_length = 1.0 }]
    force = [{ name = "f", at = "cart", direction = [1.0, 0.0], input = "F" }]
    output = [{ name = "x", quantity = "x", of = "cart" }, { name = "v", quantity = "x", of = "cart", derivative = 1 }]
"#;

#[test]
fn derivatives_of_a_free_motion_have_their_value_at_rest() {
    let value = |quantity: &str, output: &str| {
        let args = ["response", "-", "--at-hz", "0", "--quantity", quantity, "--to", output];
        json(&args, FREE)["responses"][0]["value"][0][0].as_f64()
    };
    assert_eq!(value("receptance", "x"), None);
    for (quantity, output, expected) in [
        ("mobility", "x", 1.0 / 3.0),
        ("receptance", "v", 1.0 / 3.0),
        ("accelerance", "x", 0.0),
        ("mobility", "v", 0.0),
    ] {
        let found = value(quantity, output).unwrap();
        assert!((found - expected).abs() < 1e-14, "{quantity} of {output}: {found}");
    }
    // The mean square of the speed under white noise S is S / (4 m c).
    let args = ["response", "-", "--to", "x", "--quantity", "mobility", "--band", "0", "5", "--psd", "F=2"];
    let mean = &json(&args, FREE)["random"][0]["mean_square"];
    assert!((mean.as_f64().unwrap() - 2.0 / 24.0).abs() < 1e-12, "{mean}");
    // Each derivative adds a zero at the origin, or takes the pole there.
    let args = ["response", "-", "--band", "0", "5", "--to", "x", "--quantity", "accelerance", "--zeros"];
    let run = mb_with(&args, FREE);
    let lines = |word: &str| run.out.lines().filter(|l| l.trim_start().starts_with(word)).count();
    assert_eq!([lines("pole"), lines("zero"), lines("cancelled")], [1, 1, 1], "{run:?}");
}

#[test]
fn a_pole_of_another_response_has_no_share_in_a_phase() {
    let model = r#"
        units = "SI"
        name = "two oscillators of 1 and 2 Hz"
        gravity = [0.0, 0.0]
        point = [{ name = "p", at = [1.0, 0.0], mass = 1.0 }, { name = "q", at = [2.0, 0.0], mass = 1.0 }]
        joint = [
            { name = "rail", type = "point-on-line", a = "p", b = "ground", axis = [1.0, 0.0] },
            { name = "track", type = "point-on-line", a = "q", b = "ground", axis = [1.0, 0.0] },
        ]
        spring = [
            { name = "s", a = [0.0, 0.0], b = "p", stiffness = "4*pi^2", natural_length = 1.0 },
            { name = "t", a = [0.0, 0.0], b = "q", stiffness = "16*pi^2", natural_length = 2.0 },
        ]
        force = [
            { name = "f", at = "p", direction = [1.0, 0.0], input = "F" },
            { name = "g", at = "q", direction = [1.0, 0.0], input = "G" },
        ]
        output = [{ name = "x", quantity = "x", of = "p" }, { name = "y", quantity = "x", of = "q" }]
    "#;
    let run = mb_with(&["response", "-", "--at-hz", "1,3"], model);
    let phases: Vec<&str> = run
        .out
        .lines()
        .filter(|l| l.trim_start().starts_with("y / G"))
        .map(|l| l.split_whitespace().nth(7).unwrap())
        .collect();
    assert_eq!(phases, ["0.00", "-180.00"], "{run:?}");
}

/// Links that count from other links: a base that moves along x at 0 Hz does what the opposite gravity does, by differences of equilibria.
#[test]
fn a_base_moves_links_that_count_from_others() {
    let springs = r#"
        [[torsion-spring]]
        name = "t1"
        a = "ground"
        b = "upper"
        stiffness = 200
        natural_angle = "q1"
        [[torsion-spring]]
        name = "t2"
        a = "ground"
        b = "lower"
        stiffness = 150
        natural_angle = "q2"
    "#;
    let arm = right(&["generate", "erls-arm"]) + springs;
    let under = |gravity: f64| -> f64 {
        let pulled = arm.replace("gravity = [0.0,", &format!("gravity = [{gravity},"));
        let run = mb_with(&["equilibrium", "-", "--json"], &pulled);
        let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        found["equilibria"][0]["outputs"]["tip-x"].as_f64().unwrap()
    };
    let step = 1e-3;
    let slope = (under(-step) - under(step)) / (2.0 * step);
    let run = mb_with(&["response", "-", "--base", "x", "--to", "tip-x", "--at-hz", "0", "--json"], &arm);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let value = found["responses"][0]["value"][0][0].as_f64().unwrap();
    assert!((value - slope).abs() < 1e-8 * slope.abs(), "{value} {slope}");
    let run = mb_with(&["response", "-", "--base", "z", "--at-hz", "0"], &arm);
    assert!(run.code == 1 && run.err.contains("--base x or y"), "{}", run.err);
}
