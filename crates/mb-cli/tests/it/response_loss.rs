//! `mb response --loss`: structural damping, K (1 + i eta), against closed forms.

use crate::support::{mb_with, right};
use mb_algebra::c64;
use serde_json::Value;

/// A mass on a wall and a second one on it: k (1 + i eta) passes the force on, so that the gain of the second mass is complex, without
/// zeros, and the poles are those without loss times (1 + i eta)^(1/2), none of them with its conjugate.
#[test]
fn structural_damping_has_its_poles_zeros_and_gain() {
    let model = r#"
        units = "SI"
        name = "two"
        body = [{ name = "a", mass = 2, inertia = 1, at = [1, 0] }, { name = "b", mass = 1, inertia = 1, at = [2, 0] }]
        joint = [{ name = "rail", type = "prismatic", a = "a", b = "ground", axis = [1, 0] }, { name = "slide", type = "prismatic", a = "b", b = "a", axis = [1, 0] }]
        spring = [{ name = "wall", a = [0, 0], b = "a", stiffness = 30, natural_length = 1 }, { name = "between", a = "a", b = "b", stiffness = 8, natural_length = 1 }]
        force = [{ name = "push", at = "a", direction = [1, 0], input = "F" }]
        output = [{ name = "first", quantity = "x", of = "a" }, { name = "second", quantity = "x", of = "b" }]
    "#;
    let args = ["response", "-", "--band", "0", "1", "--loss", "0.3", "--zeros"];
    let run = mb_with(&args, model);
    assert!(run.code == 0 && run.err.is_empty(), "{run:?}");
    assert!(run.out.contains("gain 4.00000 + 1.20000 i"), "{}", run.out);
    let poles: Vec<&str> = run.out.lines().filter(|line| line.starts_with("  pole")).collect();
    assert!(poles.len() == 8 && poles.iter().all(|line| !line.contains('±')), "{poles:?}");
    let run = mb_with(&[&args[..], &["--json"]].concat(), model);
    let found: Value = serde_json::from_str(&run.out).unwrap();
    let turn = c64::new(1.0, 0.3).sqrt();
    let zeros = &found["responses"][0]["zeros"];
    for sign in [1.0, -1.0] {
        let exact = turn * c64::new(0.0, sign * 8.0_f64.sqrt());
        let near =
            |s: &Value| (c64::new(s[0].as_f64().unwrap(), s[1].as_f64().unwrap()) - exact).norm() < 1e-12;
        assert_eq!(zeros["zeros"].as_array().unwrap().iter().filter(|s| near(s)).count(), 1, "{zeros}");
    }
    let zeros = &found["responses"][1]["zeros"];
    let [re, im] = ["gain", "gain_imaginary"].map(|name| zeros[name].as_f64().unwrap());
    assert!((re - 4.0).hypot(im - 1.2) < 1e-12 && zeros["zeros"].as_array().unwrap().is_empty(), "{zeros}");
}

/// A block of 222 coordinates with an input and an output: its response is a matter of seconds, its zeros take longer.
#[test]
fn zeros_that_take_too_long_leave_the_response_and_those_of_too_much_are_refused() {
    let ends = "fixed = [\"z-\"]\naveraged = [\"z+\"]";
    let block = right(&["generate", "solid-cantilever", "--set", "N=7"]).replace("fixed = [\"z-\"]", ends)
        + r#"
[[force]]
name = "push"
at = "block.z+"
direction = [1, 0, 0]
input = "F1"

[[output]]
name = "tip"
quantity = "x"
of = "block.z+"
"#;
    let args = ["response", "-", "--at-hz", "5", "--zeros", "--loss", "0.02", "--time-limit", "5"];
    let run = mb_with(&args, &block);
    assert_eq!(run.code, 2, "{run:?}");
    let words = "Zeros of 0 of 1 responses were computed: its time limit of 5 s was reached. What was computed is kept.";
    assert!(run.err.contains(words) && run.out.contains("5.00000"), "{run:?}");
    let run = mb_with(&args, &block.replace("N = 7", "N = 20"));
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
    assert!(run.err.contains("at most 400 coordinates") && run.err.contains("leave --zeros out"), "{run:?}");
}
