//! `mb modes` and `mb state-space` at a point of a motion.

use crate::support::{json, mb, mb_with, model, right};
use serde_json::Value;

/// A bar on a pin: J = 0.8 kg m^2 about the pin, m g l = 9.81 N m.
const BAR: &str = r#"
    units = "SI"
    name = "bar"
    gravity = [0, -9.81]
    body = [{ name = "bar", mass = 2, inertia = 0.3, at = [0, -0.5], markers = { top = [0, 0.5] } }]
    joint = [{ name = "pin", type = "revolute", a = "bar.top", b = [0, 0] }]
    output = [{ name = "energy", quantity = "energy" }]
"#;

/// s^2 of the bar's angle at this angle, whatever the speed: -(m g l / J) cos(angle).
fn square(angle: f64) -> f64 {
    -9.81 / 0.8 * angle.cos()
}

fn bar(args: &[&str]) -> Value {
    let args: Vec<&str> =
        ["modes", "-", "--json", "--basis", "selection=bar.angle"].iter().chain(args).copied().collect();
    let run = mb_with(&args, BAR);
    assert_eq!(run.code, 0, "{run:?}");
    serde_json::from_str(&run.out).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// Re^2 - Im^2 of the first root.
fn root(found: &Value) -> f64 {
    let pair = &found["formulations"][0]["pairs"][0];
    number(&pair["re"]).powi(2) - number(&pair["im"]).powi(2)
}

#[test]
fn a_swinging_bar_has_the_stiffness_of_its_angle() {
    for (angle, speed) in [("0.4", "0"), ("0.4", "3.5"), ("2.2", "-1"), ("-70deg", "12")] {
        let found =
            bar(&["--at", &format!("bar.angle={angle}"), "--velocity", &format!("bar.angle={speed}")]);
        let point = &found["operating_point"];
        let at = number(&point["configuration"]["bar.angle"]);
        assert!((root(&found) - square(at)).abs() < 1e-9, "{angle} {speed}: {}", root(&found));
        // The acceleration is that of the pendulum, the pin holds the rest.
        let expected = -9.81 / 0.8 * at.sin();
        assert!((number(&point["accelerations"]["bar.angle"]) - expected).abs() < 1e-10);
        assert!((number(&point["velocities"]["bar.angle"]) - speed.parse::<f64>().unwrap()).abs() < 1e-15);
        assert!(found.get("equilibrium").is_none());
        // s falls by |d(s)/dt| / |s|^2 within a radian: s s' = (m g l / 2 J) sin(angle) angle'.
        let change = 9.81 / 1.6 * (at.sin() * speed.parse::<f64>().unwrap()).abs();
        let told = number(&found["change_per_radian"][0]);
        let size = square(at).abs().powf(1.5);
        assert!((told - change / size).abs() < 1e-5 * (1.0 + change / size), "{told} {}", change / size);
    }
}

#[test]
fn a_later_point_lies_on_the_same_motion() {
    let first = bar(&["--at", "bar.angle=1.1", "--moving"]);
    let later = bar(&["--at", "bar.angle=1.1", "--after", "0.7"]);
    let energy = |found: &Value| number(&found["operating_point"]["outputs"]["energy"]);
    assert!((energy(&first) - energy(&later)).abs() < 1e-8);
    let point = &later["operating_point"];
    assert_eq!(point["time"].to_string(), "0.7");
    assert!(number(&point["velocities"]["bar.angle"]).abs() > 1.0);
    assert!((root(&later) - square(number(&point["configuration"]["bar.angle"]))).abs() < 1e-9);
}

/// A symmetric top spinning upright: A z'' - i I3 spin z' - m g h z = 0 seen from the ground, every root less by i spin
/// in the axes of the body, which turn with it. All formulations agree, for the motion is steady.
#[test]
fn a_sleeping_top_is_steady_in_every_formulation() {
    let found = json(&["modes", &model("top"), "--moving", "--formulation", "all", "--alpha", "1e8"]);
    let (a, momentum, weight) = (4e-4 + 0.5 * 0.06 * 0.06, 5e-4 * 120.0, 0.5 * 9.81 * 0.06);
    let root = f64::sqrt(momentum * momentum - 4.0 * a * weight);
    for expected in [(momentum + root) / (2.0 * a) - 120.0, (momentum - root) / (2.0 * a) - 120.0] {
        for (formulation, allowed) in [(0, 1e-9), (1, 1e-9), (2, 1e-4)] {
            let pairs = found["formulations"][formulation]["pairs"].as_array().unwrap();
            let off = |p: &Value| {
                let im = p["im"].as_f64().unwrap_or(f64::INFINITY);
                (im - expected.abs()).hypot(p["re"].as_f64().unwrap_or(f64::INFINITY))
            };
            let nearest = pairs.iter().map(off).fold(f64::INFINITY, f64::min);
            assert!(nearest < allowed * 120.0, "{formulation} {expected}: {nearest}");
        }
    }
    let text = right(&["modes", &model("top"), "--moving"]);
    assert!(text.contains("the motion is steady"), "{text}");
    assert!(text.contains("in motion: ") && text.contains("d(top.rotation z)/dt"), "{text}");
}

#[test]
fn constraints_that_change_have_no_room_in_the_other_formulations() {
    for formulation in ["redundant", "unconstrained"] {
        let run = mb_with(&["modes", "-", "--velocity", "bar.angle=2", "--formulation", formulation], BAR);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.err.contains("change along the motion") && run.err.contains("minimal"), "{}", run.err);
    }
    let run = mb_with(&["modes", "-", "--velocity", "bar.angle=2", "--lowest", "1"], BAR);
    assert!(run.code == 1 && run.err.contains("--lowest"), "{run:?}");
    let run = mb_with(&["modes", "-", "--velocity", "bar.angle=2", "--energy"], BAR);
    assert!(run.code == 1 && run.err.contains("--energy"), "{run:?}");
}

#[test]
fn a_point_is_written_and_read_again_and_refused_where_it_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let first = bar(&["--at", "bar.angle=0.3", "--velocity", "bar.angle=2"]);
    let path = file("point.json", &first.to_string());
    let again = bar(&["--at", &path, "--no-solve"]);
    assert!((root(&first) - root(&again)).abs() < 1e-12);
    let refused = |name: &str, text: &str, told: &[&str]| {
        let run = mb_with(&["modes", "-", "--at", &file(name, text), "--no-solve"], BAR);
        assert_eq!(run.code, 1, "{run:?}");
        for words in told {
            assert!(run.err.contains(words), "{words}: {}", run.err);
        }
    };
    // An acceleration that does not follow from the forces leaves a residual, by coordinate or joint.
    let mut wrong = first["operating_point"].clone();
    wrong["accelerations"]["bar.angle"] = 7.0.into();
    refused("a.json", &wrong.to_string(), &["bar.angle", "not a point of a motion"]);
    // Speeds that tear the pin apart.
    let toml = "[configuration]\n'bar.angle' = 0.0\n[velocities]\n'bar.x' = 1.0\n'bar.angle' = 0.0\n";
    refused("b.toml", toml, &["pin", "rate"]);
    // A pin that is open.
    refused("c.toml", "[configuration]\n'bar.x' = 0.2\n[velocities]\n", &["pin", "off by"]);
    let run = mb_with(&["modes", "-", "--velocity", "bar.spin=2"], BAR);
    assert!(run.code == 1 && run.err.contains("bar.spin") && run.err.contains("bar.angle"), "{run:?}");
}

#[test]
fn a_drive_that_moves_is_linearized_in_motion() {
    let run = mb(&["modes", &model("four-bar-driven"), "--time", "0.3"]);
    if run.code != 0 {
        assert!(run.err.contains("--moving"), "{}", run.err);
    }
    let found = json(&["modes", &model("four-bar-driven"), "--time", "0.3", "--moving"]);
    assert_eq!(found["operating_point"]["time"].to_string(), "0.3");
}

#[test]
fn state_space_in_motion_is_that_of_the_angle() {
    let args = [
        "state-space",
        "-",
        "--form",
        "reduced",
        "--json",
        "--at",
        "bar.angle=0.4",
        "--velocity",
        "bar.angle=3",
    ];
    let run = mb_with(&args, BAR);
    assert_eq!(run.code, 0, "{run:?}");
    let found: Value = serde_json::from_str(&run.out).unwrap();
    // Of two coordinates in a fixed relation x = x(angle): x'' = x_1 angle'' + x_2 angle'^2, so that the trace of A is
    // 2 (d/dt) ln x_1, and zero for the angle itself; x = sin(angle) / 2 and y = -cos(angle) / 2 here.
    let entry = |i: usize, j: usize| number(&found["a"][i][j]);
    let expected = match found["states"][0].as_str() {
        Some("bar.x") => -2.0 * 0.4_f64.tan() * 3.0,
        Some("bar.y") => 2.0 / 0.4_f64.tan() * 3.0,
        _ => 0.0,
    };
    assert!((entry(0, 0) + entry(1, 1) - expected).abs() < 1e-9, "{found}");
}
