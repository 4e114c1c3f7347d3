//! Beams through the program: frames of any size, what is held too much or too little, what does not carry its load.

use crate::support::{Run, mb, mb_with};
use serde_json::Value;

const BOOM: &str = r#"
units = "SI"
name = "boom"
gravity = [0, 0, -9.81]

[[beam]]
name = "boom"
from = [0, 0, 0]
to = [2, 0, 0]
elements = 4
density = 7850
youngs_modulus = 2.1e11
poissons_ratio = 0.3
section = { radius = 0.02 }
"#;
const FOOT: &str = "
[[joint]]
name = \"foot\"
type = \"fixed\"
a = \"boom.start\"
b = \"ground\"
";

/// The answer for a text.
fn of(args: &[&str], text: &str) -> Value {
    let run = mb_with(&[args, &["--json"]].concat(), text);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn a_frame_of_another_size_is_a_model() {
    let run = mb(&["generate", "beam-frame", "--set", "nx=1", "--set", "ns=3", "--set", "n=1"]);
    assert_eq!(run.code, 0, "{run:?}");
    let found = of(&["modes", "-", "--lowest", "4", "--energy"], &run.out);
    // One group for a beam, not for a node: four columns, and on each of three floors four girders.
    let groups: Vec<&str> =
        found["energy"]["groups"].as_array().unwrap().iter().map(|g| g.as_str().unwrap()).collect();
    assert_eq!(groups.len(), 4 + 3 * 4, "{groups:?}");
    assert!(groups.contains(&"column0-1") && groups.contains(&"x1-0-3"), "{groups:?}");
    let Run { out, .. } = mb_with(&["check", "-"], &run.out);
    assert!(out.contains("16 beams") && out.contains("beam nodes") && !out.contains("moving bod"), "{out}");
}

/// A clamp that is there twice: its rows are named, and both carry half.
#[test]
fn a_doubled_clamp_shares_the_load() {
    let again = FOOT.replace("foot", "again");
    let text = format!("{BOOM}{FOOT}{again}");
    let found = of(&["check", "-"], &text);
    let words = found.to_string();
    assert!(words.contains("joint 'again'") && words.contains("joint 'foot'"), "{words}");
    let once = of(&["equilibrium", "-"], &format!("{BOOM}{FOOT}"));
    let twice = of(&["equilibrium", "-"], &text);
    let lambda =
        |found: &Value, name: &str| -> f64 { found["equilibria"][0]["multipliers"][name].as_f64().unwrap() };
    let rows = once["equilibria"][0]["multipliers"].as_object().unwrap();
    let largest = rows.values().map(|x| x.as_f64().unwrap().abs()).fold(0.0, f64::max);
    assert_eq!(rows.len(), 6);
    for name in rows.keys() {
        let (whole, other) = (lambda(&once, name), name.replace("foot", "again"));
        for half in [lambda(&twice, name), lambda(&twice, &other)] {
            assert!((half - 0.5 * whole).abs() < 1e-6 * largest, "{name}: {half} of {whole}");
        }
    }
}

/// What may move without stiffness is named by the beam and its axes.
#[test]
fn free_motions_are_named() {
    let floating = BOOM.replace("-9.81", "0");
    let run = mb_with(&["check", "-"], &floating);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("free motions (s = 0): 6") && run.out.contains("boom.x"), "{}", run.out);
    // On a hinge along it instead of the clamp it may turn about itself.
    let hinge =
        FOOT.replace("fixed", "revolute").replace("b = \"ground\"", "b = \"ground\"\naxis = [1, 0, 0]");
    let run = mb_with(&["check", "-"], &format!("{BOOM}{hinge}"));
    let told = run.out.contains("free motions (s = 0): 1") && run.out.contains("boom.rotation x");
    assert!(told, "{}", run.out);
    // Nothing holds the weight of a boom that floats.
    let run = mb_with(&["modes", "-"], BOOM);
    assert!(run.code != 0 && run.err.contains("boom"), "{run:?}");
    let run = mb_with(&["check", "-"], BOOM);
    let told =
        "The loads push boom.z (1.00), which nothing holds in any configuration: there is no equilibrium.";
    assert!(run.code != 0 && run.out.contains(told), "{}", run.out);
}

#[test]
fn a_beam_without_length_is_reported_at_its_line() {
    let text = BOOM.replace("to = [2, 0, 0]", "to = [0, 0, 0]");
    let run = mb_with(&["modes", "-", "--json"], &text);
    assert_eq!(run.code, 1);
    let error: Value = serde_json::from_str(&run.err).unwrap();
    let problem = &error["error"]["problems"][0];
    let line = text.lines().position(|l| l.starts_with("to = ")).unwrap() as u64 + 1;
    assert_eq!(problem["line"].as_u64(), Some(line), "{problem}");
    assert!(problem.to_string().contains("boom"), "{problem}");
}

/// A shallow arch of two beams snaps through before it carries all: von Mises' truss, with bending on top.
#[test]
fn a_shallow_arch_has_a_limit_point() {
    let arch = r#"
units = "SI"
name = "arch"

[[beam]]
name = "left"
from = [-1, 0, 0]
to = [0, 0, 0.1]
elements = 4
density = 7850
youngs_modulus = 2.1e11
poissons_ratio = 0.3
section = { radius = 0.005 }

[[beam]]
name = "right"
from = "left.end"
to = [1, 0, 0]
elements = 4
density = 7850
youngs_modulus = 2.1e11
poissons_ratio = 0.3
section = { radius = 0.005 }

[[joint]]
name = "A"
type = "revolute"
a = "left.start"
b = "ground"
axis = [0, 1, 0]

[[joint]]
name = "B"
type = "revolute"
a = "right.end"
b = "ground"
axis = [0, 1, 0]

[[force]]
name = "load"
at = "left.end"
vector = [0, 0, -20000]
"#;
    let found = of(&["equilibrium", "-", "--load-path"], arch);
    let end = &found["end"];
    let factor = end["factor"].as_f64().unwrap();
    assert!(["limit-point", "buckling"].contains(&end["kind"].as_str().unwrap()), "{end}");
    assert!(factor > 0.0 && factor < 1.0, "{end}");
    let steps = found["load_path"].as_array().unwrap();
    assert!(steps.iter().all(|s| s["factor"].as_f64().unwrap() <= factor), "{found}");
    // Light loads are carried to the end.
    let light = arch.replace("-20000", "-1");
    assert_eq!(of(&["equilibrium", "-", "--load-path"], &light)["end"]["kind"], "full-load");
}

/// A load that follows the tip has no potential: the path says so once, and vibration says what stiffness does not.
#[test]
fn a_follower_load_is_not_judged_by_stiffness() {
    // Beck's column loses its stability by flutter, at 20.05 EI / L^2 (131 kN here).
    let column = |force: f64| {
        let load = format!(
            "[[force]]\nname = \"push\"\nat = \"boom.end\"\nvector = [-{force:?}, 0, 0]\nframe = \"follower\"\n"
        );
        format!("{BOOM}{FOOT}{load}").replace("-9.81", "0")
    };
    let run = mb_with(&["equilibrium", "-", "--load-path"], &column(1.4e5));
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("full load\n") && run.out.contains("1 iteration\n"), "{}", run.out);
    assert_eq!(run.out.matches("loads without a potential").count(), 1, "{}", run.out);
    let growing = |force| {
        let found = of(&["modes", "-"], &column(force));
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap().clone();
        pairs.iter().any(|p| p["re"].as_f64().is_some_and(|re| re > 1.0))
    };
    assert!(!growing(1.2e5) && growing(1.4e5));
}
