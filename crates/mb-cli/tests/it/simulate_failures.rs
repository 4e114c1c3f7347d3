//! `mb simulate` where a motion cannot begin or cannot go on: what is said, and what is kept.

use crate::support::{Run, json, mb, mb_with, model, right};
use std::path::Path;

const NUMERICS: i32 = 2;

/// Runs a model given on the standard input.
fn piped(text: &str, args: &[&str]) -> Run {
    mb_with(&[&["simulate", "-"], args].concat(), text)
}

/// What a run complained, without the line breaks and bars of the terminal.
fn words(run: &Run) -> String {
    run.err.split_whitespace().filter(|word| *word != "|").collect::<Vec<_>>().join(" ")
}

/// A start off the constraints is refused with the violation of each joint, or made consistent.
#[test]
fn an_inconsistent_start_is_refused_by_joint_or_assembled() {
    let four_bar = model("spatial-four-bar");
    let off = ["simulate", &four_bar, "--until", "0.1", "--at", "coupler.z=0.46"];
    let refused = mb(&[&off, ["--start", "refuse"].as_slice()].concat());
    assert_ne!(refused.code, 0, "{refused:?}");
    for joint in ["joint 'A' (z)", "joint 'B' (z)"] {
        let told = format!("{joint} by 1.000e-2 in its position");
        assert!(words(&refused).contains(&told), "{}", refused.err);
    }
    let assembled = mb(&off);
    assert_eq!(assembled.code, 0, "{assembled:?}");
    assert!(assembled.out.contains("start made consistent"), "{}", assembled.out);
}

/// The same for velocities.
#[test]
fn an_inconsistent_velocity_is_refused_by_joint_or_made_consistent() {
    let four_bar = model("spatial-four-bar");
    let off = ["simulate", &four_bar, "--until", "0.1", "--velocity", "rocker.y=3"];
    let refused = mb(&[&off, ["--start", "refuse"].as_slice()].concat());
    assert_ne!(refused.code, 0, "{refused:?}");
    let words = words(&refused);
    assert!(words.contains("joint 'C' (y) by") && words.contains("in its velocity"), "{words}");
    let assembled = mb(&off);
    assert_eq!(assembled.code, 0, "{assembled:?}");
    assert!(assembled.out.contains("start made consistent"), "{}", assembled.out);
}

/// A rod whose end is driven beyond its reach: time, body and constraint are named, the motion up to
/// there is kept.
#[test]
fn a_collapse_of_the_step_names_time_body_and_constraint() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.csv");
    let text = r#"
        units = "SI"
        name = "out of reach"
        point = [{ name = "O", at = [0, 0], fixed = true }, { name = "P", at = [0.5, 0.8] }]
        rod = [{ name = "arm", ends = ["O", "P"], mass = 1, length = 1 }]
        drive = [{ name = "pull", quantity = "x", of = "P", law = "0.5 + t" }]
    "#;
    let run = piped(text, &["--until", "1", "--output", file.to_str().unwrap()]);
    assert_eq!(run.code, NUMERICS, "{run:?}");
    let words = words(&run);
    assert!(words.contains("stops at t = 0.") && words.contains("of P."), "{words}");
    assert!(words.contains("rod 'arm'") || words.contains("drive 'pull'"), "{words}");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.lines().count() > 20 && !kept.contains("NaN"), "{kept}");
}

#[test]
fn a_locked_mechanism_is_refused() {
    let text = r#"
        units = "SI"
        name = "triangle"
        gravity = [0, -9.81]
        point = [{ name = "A", at = [0, 0], fixed = true }, { name = "B", at = [1, 0], fixed = true },
                 { name = "C", at = [0.5, 0.8] }]
        rod = [{ name = "one", ends = ["A", "C"], mass = 1 }, { name = "two", ends = ["B", "C"], mass = 1 }]
    "#;
    let run = piped(text, &["--until", "1"]);
    assert_ne!(run.code, 0);
    assert!(words(&run).contains("locked") && run.out.is_empty(), "{run:?}");
}

/// Strong feedback with steps that are too long for it: the balance of energy sees it long before
/// numbers overflow.
#[test]
fn an_unstable_combination_is_stopped_by_its_energy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.csv");
    let (path, four_bar) = (file.to_str().unwrap(), model("spatial-four-bar"));
    let wild = ["--method", "baumgarte", "--alpha", "200", "--beta", "200", "--step", "0.02"];
    let loose = ["--rtol", "1e3", "--atol", "1", "--until", "5", "--output", path];
    let run = mb(&[&["simulate", &four_bar], wild.as_slice(), loose.as_slice()].concat());
    assert_eq!(run.code, NUMERICS, "{run:?}");
    assert!(run.err.contains("unstable") && run.err.contains("energy"), "{}", run.err);
    let kept = std::fs::read_to_string(Path::new(path)).unwrap();
    assert!(!kept.contains("NaN") && !kept.contains("inf"), "{kept}");
}

/// A run that left its branch ends as finished with an energy still below the limit of the balance: reported in words and in JSON.
#[test]
fn a_run_that_left_its_branch_is_reported_by_its_energy() {
    let turning = model("n-four-bar-turning");
    let args = ["simulate", &turning, "--until", "10", "--method", "augmented-lagrangian", "--rtol", "1e-9"];
    let args = [&args[..], &["--atol", "1e-11"]].concat();
    let told = right(&args);
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("off its balance") && told.contains("left its branch"), "{told}");
    let run = json(&args)["runs"][0].clone();
    let found = &run["energy_departure"];
    assert_eq!(run["end"], "finished", "{run}");
    assert!(found["drift"].as_f64().unwrap().abs() > 0.01 * found["scale"].as_f64().unwrap(), "{run}");
    assert!(found["explained"].as_f64().unwrap() < found["drift"].as_f64().unwrap().abs(), "{run}");
}

/// Every model that starts to move by itself, with the methods as they come: nothing is reported of its energy.
#[test]
fn good_runs_have_no_departure_of_energy() {
    for name in [
        "andrews-squeezer",
        "bricard",
        "double-pendulum-rigid",
        "four-bar-driven",
        "free-body",
        "mechanism-zero-mode",
        "n-four-bar",
        "n-four-bar-turning",
        "rod-pendulum",
        "rod-pendulum-upright",
        "simple-pendulum",
        "slider-crank",
        "spatial-chain",
        "spatial-four-bar",
        "spatial-pendulum",
        "top",
    ] {
        let file = model(name);
        let until = if name == "andrews-squeezer" { "0.01" } else { "0.5" };
        let short = ["simulate", &file, "--until", until, "--every", until];
        let implicit =
            ["--integrator", "generalized-alpha", "--step", if until == "0.01" { "1e-5" } else { "1e-3" }];
        for extra in [&[][..], &["--method", "standard"], &implicit] {
            let run = mb(&[&short[..], extra, &["--json"]].concat());
            assert_eq!(run.code, 0, "{name} {extra:?}: {}", run.err);
            let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
            assert!(answer["runs"][0]["energy_departure"].is_null(), "{name} {extra:?}: {}", run.out);
        }
    }
}

/// Times in errors are short, however small.
#[test]
fn times_in_errors_are_short() {
    let four_bar = model("spatial-four-bar");
    let tiny = ["simulate", &four_bar, "--time", "1.234567e-7", "--until", "0.1"];
    let run = mb(&[&tiny[..], &["--at", "coupler.z=0.46", "--start", "refuse"]].concat());
    assert_ne!(run.code, 0);
    assert!(words(&run).contains("t = 1.23457e-7 s"), "{}", run.err);
}

/// Rounding of the positions moves a heavy block by less than the tolerances tell from rest: no instability.
#[test]
fn a_block_of_a_mountain_s_weight_that_rests_is_not_unstable() {
    let block = model("solid-cantilever");
    let size = ["n=3", "N=10", "b=9.7", "L=197.3", "nu=0.3", "rho=7.86e9", "E=2.06e17"];
    let set = size.iter().flat_map(|value| ["--set", value]);
    let args = ["simulate", &block, "--until", "0.02", "--integrator", "generalized-alpha"];
    let answer = json(&args.into_iter().chain(set).collect::<Vec<_>>());
    assert_eq!(answer["runs"][0]["end"], "finished", "{answer}");
}
