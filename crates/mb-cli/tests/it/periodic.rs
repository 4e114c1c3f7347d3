//! `mb orbit` and `mb floquet`.

use crate::support::{mb_with, right};

const SHAKEN: &str = r#"
units = "SI"
name = "pendulum on a shaken pivot"
gravity = [0, "-2*a"]
[parameters]
a = 1.8
q = 1.0
W = 2
[[body]]
name = "pivot"
mass = 1.0
inertia = 1.0
at = [0, "q"]
angle = 0
[[body]]
name = "pendulum"
mass = 1.0
inertia = 1.0
center_of_mass = [0, -1]
at = [0, "q"]
angle = 0
[[joint]]
name = "rail"
type = "prismatic"
a = "pivot"
b = [0, 0]
axis = [0, 1]
[[joint]]
name = "pin"
type = "revolute"
a = "pendulum"
b = "pivot"
[[drive]]
name = "shake"
quantity = "y"
of = "pivot"
law = "q*cos(W*t)"
"#;

/// The multipliers of a document, by real and imaginary part.
fn multipliers(text: &str) -> Vec<(f64, f64)> {
    let found: serde_json::Value = serde_json::from_str(text).unwrap();
    let list = found["multipliers"].as_array().unwrap();
    list.iter().map(|m| (m["value"][0].as_f64().unwrap(), m["value"][1].as_f64().unwrap())).collect()
}

#[test]
fn a_period_is_an_expression_and_multipliers_of_what_keeps_its_area_have_the_product_one() {
    let run = mb_with(&["floquet", "-", "--period", "2*pi/W", "--json"], SHAKEN);
    assert_eq!(run.code, 0, "{run:?}");
    let found = multipliers(&run.out);
    assert_eq!(found.len(), 2);
    assert!((found[0].0 * found[1].0 - 1.0).abs() < 1e-11 && found[0].1 == 0.0, "{found:?}");
    assert!(run.out.contains("\"stability\": \"unstable\""));
}

#[test]
fn what_is_no_period_is_refused_by_name() {
    let run = mb_with(&["floquet", "-", "--period", "3"], SHAKEN);
    assert!(run.code == 1 && run.err.contains("drive 'shake'") && run.err.contains("no period"), "{run:?}");
    let run = mb_with(&["orbit", "-"], SHAKEN);
    assert!(run.code == 1 && run.err.contains("drive 'shake'") && run.err.contains("--period"), "{run:?}");
    let run = mb_with(&["orbit", "-", "--period", "2*pi/V"], SHAKEN);
    assert!(run.code == 1 && run.err.contains("`V`"), "{run:?}");
}

/// The motion that was written is read by other commands: followed in time, it comes back after a period.
#[test]
fn a_motion_is_written_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (model, orbit, history) = (file("damped.toml"), file("orbit.json"), file("motion.csv"));
    let forced = "[[torque]]\nname = \"push\"\non = \"pendulum\"\nmagnitude = \"sin(W*t)\"\n[[torsion-spring]]\n\
                  name = \"rubber\"\na = \"pendulum\"\nb = \"ground\"\nstiffness = 2\ndamping = 1\n\
                  [[output]]\nname = \"angle\"\nquantity = \"angle\"\nof = \"pendulum\"\n";
    std::fs::write(&model, format!("{SHAKEN}{forced}")).unwrap();
    let said = right(&["orbit", &model, "--period", "2*pi/W", "-o", &orbit]);
    assert!(said.contains("stable"), "{said}");
    let again = right(&["floquet", &model, "--orbit", &orbit, "--json"]);
    let same = right(&["floquet", &model, "--period", "2*pi/W", "--json"]);
    for (a, b) in multipliers(&again).iter().zip(multipliers(&same)) {
        assert!((a.0 - b.0).hypot(a.1 - b.1) < 1e-10, "{a:?} {b:?}");
    }
    let period = std::f64::consts::PI.to_string();
    right(&[
        "simulate", &model, "--at", &orbit, "--until", &period, "--every", &period, "--rtol", "1e-11",
        "--atol", "1e-13", "--output", &history,
    ]);
    let text = std::fs::read_to_string(&history).unwrap();
    let head: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let column = head.iter().position(|h| h.contains("pendulum.angle")).unwrap();
    let row = |line: &str| line.split(',').nth(column).unwrap().parse::<f64>().unwrap();
    let values: Vec<f64> = text.lines().skip(1).map(row).collect();
    let (first, last) = (values[0], values[values.len() - 1]);
    assert!((first - last).abs() < 1e-8 && first.abs() > 1e-3, "{first} {last}");
}
