//! Unknown speeds and driving forces of steady motions, and Campbell diagrams from a start that is given.

use crate::support::mb_with;
use serde_json::Value;

/// A shaft with a motor and drag 0.3 N m s, and an arm of L = 0.5 m whose moments of inertia J are equal: where it stands h below its
/// pin, W^2 = g / h.
const GOVERNOR: &str = r#"
    units = "SI"
    name = "governor"
    gravity = [0, 0, -9.81]
    parameters = { drag = 0 }
    spatial-body = [
        { name = "shaft", mass = 1, inertia = [1, 1, 1], at = [0, 0, 0] },
        { name = "arm", mass = 2, inertia = [1e-3, 1e-3, 1e-3], at = [0.3, 0, -0.4], markers = { pin = [-0.3, 0, 0.4] } },
    ]
    joint = [
        { name = "axle", type = "revolute", a = "shaft", b = "ground", axis = [0, 0, 1] },
        { name = "pin", type = "revolute", a = "arm.pin", b = "shaft", axis = [0, 1, 0] },
    ]
    torsion-spring = [{ name = "friction", joint = "axle", stiffness = 0, damping = "drag" }]
    torque = [{ name = "motor", on = "axle", magnitude = 0, input = "motor" }]
    output = [{ name = "height", quantity = "z", of = "arm" }]
"#;

fn run(args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let run = mb_with(&args, GOVERNOR);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}");
    serde_json::from_str(&run.out).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn near(found: &Value, expected: f64) {
    assert!((number(found) - expected).abs() <= 1e-9 * expected.abs(), "{found} {expected}");
}

/// The speed at a height, held as a coordinate and as an output.
#[test]
fn a_speed_follows_from_a_height() {
    for held in ["arm.z=-0.3", "height=-0.3"] {
        let found = run(&["equilibrium", "-", "--spin", "axle=?", "--hold", held]);
        near(&found["operating_point"]["solved"]["spin:axle"], (9.81_f64 / 0.3).sqrt());
        near(&found["operating_point"]["configuration"]["arm.z"], -0.3);
        assert_eq!(found["stability"], "no growth beyond the error bounds");
    }
    let text = mb_with(&["equilibrium", "-", "--spin", "axle=?", "--hold", "arm.z=-0.3"], GOVERNOR);
    assert!(text.out.contains("solved for: spin:axle = 5.71839 rad/s"), "{}", text.out);
}

/// m L^2 + J about the pin, I + J + m L^2 sin^2 about the axle, angle a from the vertical;
/// from the energy with the momentum p = (I + J + m L^2 sin^2 a) W kept:
/// V(a) = p^2 / (2 (I + J + m L^2 sin^2 a)) - m g L cos a, w^2 = V'' / (m L^2 + J).
#[test]
fn the_vibration_of_the_arm_has_the_frequency_of_its_effective_potential() {
    let found = run(&["modes", "-", "--spin", "axle=?4", "--hold", "arm.z=-0.3"]);
    let (m, l, j, inertia, g): (f64, f64, f64, f64, f64) = (2.0, 0.5, 1e-3, 1.0, 9.81);
    let cos: f64 = 0.3 / l;
    let (sin2, w2) = (1.0 - cos * cos, g / 0.3);
    let ml2 = m * l * l;
    // V'' = -W^2 m L^2 cos 2a + 4 W^2 (m L^2)^2 sin^2 cos^2 / I_axle + m g L cos, I_axle about the axle.
    let axle = inertia + j + ml2 * sin2;
    let curvature =
        -w2 * ml2 * (cos * cos - sin2) + 4.0 * w2 * ml2 * ml2 * sin2 * cos * cos / axle + m * g * l * cos;
    let expected = (curvature / (ml2 + j)).sqrt();
    let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
    let found = pairs.iter().map(|p| number(&p["im"]).abs()).fold(0.0, f64::max);
    assert!((found - expected).abs() <= 1e-9 * expected, "{found} {expected}");
}

/// T = c W for a motor against drag.
#[test]
fn a_torque_follows_from_a_speed_and_a_speed_from_a_torque() {
    let drag = ["equilibrium", "-", "--set", "drag=0.3"];
    let with = |more: &[&str]| run(&drag.iter().chain(more).copied().collect::<Vec<_>>());
    let found = with(&["--spin", "axle=7", "--input", "motor=?"]);
    near(&found["operating_point"]["solved"]["motor"], 2.1);
    near(&found["operating_point"]["inputs"]["motor"], 2.1);
    let found = with(&["--spin", "axle=?5", "--input", "motor=1.8"]);
    near(&found["operating_point"]["solved"]["spin:axle"], 6.0);
    let found = with(&["--spin", "axle=?", "--input", "motor=?", "--hold", "arm.z=-0.3"]);
    near(&found["operating_point"]["solved"]["motor"], 0.3 * (9.81_f64 / 0.3).sqrt());
}

#[test]
fn what_is_not_determined_is_refused_by_name() {
    let refused = |args: &[&str], words: &str| {
        let run = mb_with(args, GOVERNOR);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.err.contains(words), "no {words:?} in {}", run.err);
    };
    refused(&["equilibrium", "-", "--spin", "axle=?"], "The speed of joint 'axle' is not determined");
    refused(
        &["equilibrium", "-", "--spin", "axle=?", "--hold", "arm.z=-0.5"],
        "The speed of joint 'axle' is not determined",
    );
    refused(&["equilibrium", "-", "--spin", "axle=5", "--hold", "arm.z=-0.4"], "0 are");
    refused(
        &["equilibrium", "-", "--spin", "axle=?", "--hold", "arm.zz=-0.4"],
        "no coordinate or output `arm.zz`",
    );
    refused(
        &["equilibrium", "-", "--spin", "axle=?0", "--hold", "arm.z=-0.4"],
        "from another speed than zero",
    );
    refused(&["equilibrium", "-", "--hold", "arm.z=-0.4"], "nothing is said to turn");
    refused(&["modes", "-", "--input", "motor=?"], "motor");
}

/// The table of a model whose speed is unknown, with what it holds.
fn with_table(keys: &str) -> String {
    format!("{GOVERNOR}\n    steady-rotation = [{{ name = 'spin', joint = 'axle', {keys} }}]\n")
}

/// The same speed by the model's own table: W^2 = g / h; it is found anew in every case of a sweep.
#[test]
fn a_speed_of_the_model_may_be_unknown() {
    let model = with_table("speed = '?2*w0', hold = [{ of = 'arm.z', value = '-h' }]")
        .replace("drag = 0", "drag = 0, w0 = 2, h = 0.3");
    let run = |args: &[&str]| -> Value {
        let run = mb_with(args, &model);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}");
        serde_json::from_str(&run.out).unwrap()
    };
    let speed = |found: &Value, h: f64| {
        near(&found["operating_point"]["solved"]["spin:axle"], (9.81 / h).sqrt());
        near(&found["operating_point"]["configuration"]["arm.z"], -h);
    };
    speed(&run(&["equilibrium", "-", "--json"]), 0.3);
    speed(&run(&["modes", "-", "--set", "h=0.35", "--json"]), 0.35);
    // A value held by an option takes the place of the one in the table; with an unknown torque the drag is balanced too.
    let found =
        run(&["modes", "-", "--hold", "arm.z=-0.4", "--set", "drag=0.3", "--input", "motor=?", "--json"]);
    speed(&found, 0.4);
    near(&found["operating_point"]["solved"]["motor"], 0.3 * (9.81_f64 / 0.4).sqrt());
    // The modes of a case of a sweep are those of the motion with its own speed.
    let frequency = |mode: &Value| number(&mode["im"]).abs();
    let largest = |modes: &Value| modes.as_array().unwrap().iter().map(frequency).fold(0.0, f64::max);
    let cases = run(&["sweep", "-", "--grid", "h=0.3..0.35:2", "--json"]);
    for (h, case) in ["h=0.3", "h=0.35"].into_iter().zip(cases["cases"].as_array().unwrap()) {
        let alone = run(&["modes", "-", "--set", h, "--json"]);
        let expected = largest(&alone["formulations"][0]["eigenpairs"]);
        assert!((largest(&case["modes"]) - expected).abs() <= 1e-9 * expected, "{case}");
    }
}

#[test]
fn an_unknown_speed_that_nothing_determines_is_refused() {
    let refused = |keys: &str, args: &[&str], words: &[&str]| {
        let run = mb_with(args, &with_table(keys));
        assert_eq!(run.code, 1, "{run:?}");
        for words in words {
            assert!(run.err.contains(words), "no {words:?} in {}", run.err);
        }
    };
    let found = "speed = '?', hold = [{ of = 'arm.z', value = -0.3 }]";
    let at = ["equilibrium", "-"];
    refused(
        "speed = '?'",
        &at,
        &["The speed of joint 'axle' is not determined", "`hold` of a [[steady-rotation]]"],
    );
    refused("speed = '?0'", &at, &["sought from another one than zero"]);
    refused("speed = 3, hold = [{ of = 'arm.z', value = -0.3 }]", &at, &["no speed is unknown"]);
    refused(
        "speed = '?', hold = [{ of = 'arm.zz', value = -0.3 }]",
        &at,
        &["`arm.zz`", "did you mean `arm.z`?"],
    );
    refused(found, &["simulate", "-", "--until", "0.1"], &["The speed of joint 'axle' is unknown"]);
    let diagram = ["track", "-", "--parameter", "drag", "--from", "0", "--to", "1", "--campbell"];
    refused(found, &diagram, &["The speed of joint 'axle' is unknown"]);
    refused(found, &["parametric", "-", "--parameters", "drag"], &["at one point alone"]);
}

/// An arm built 0.1 m away from its pin is moved there, which is said of a motion as of rest.
#[test]
fn what_assembly_moves_is_reported_in_motion() {
    let apart = GOVERNOR.replace("at = [0.3, 0, -0.4]", "at = [0.4, 0, -0.4]");
    let run = mb_with(&["equilibrium", "-", "--spin", "axle=5"], &apart);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("The start violated joint 'pin' (x) by 0.100000"), "{}", run.out);
}

/// The arm straight down grows beyond W^2 = g / L; the diagram of it is had by its configuration.
#[test]
fn a_diagram_follows_the_branch_that_is_asked_for() {
    let diagram = [
        "track",
        "-",
        "--parameter",
        "spin:axle",
        "--from",
        "4",
        "--to",
        "8",
        "--samples",
        "9",
        "--campbell",
    ];
    let down = ["--at", "arm.x=0", "--at", "arm.z=-0.5", "--at", "arm.e0=1", "--at", "arm.e2=0"];
    let found = run(&diagram.iter().chain(&down).copied().collect::<Vec<_>>());
    let ranges = found["unstable"].as_array().unwrap();
    assert_eq!(ranges.len(), 1, "{ranges:?}");
    let (from, error) = (number(&ranges[0]["from"]), number(&ranges[0]["from_error"]));
    // At zero the stiffness of the arm is m g L - m L^2 W^2, whatever J is: the arm's own turn adds nothing.
    assert!((from - (9.81_f64 / 0.5).sqrt()).abs() <= error + 1e-9, "{from} {error:e}");
    assert_eq!(found["unstable"][0]["to"], Value::Null);
    // From rest the other branch is followed, where nothing grows.
    assert_eq!(run(&diagram)["unstable"].as_array().unwrap().len(), 0);
}
