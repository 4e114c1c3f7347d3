//! `mb check`.

use crate::support::{json, mb_with, model, right, snapshot};

/// A platform on three parallel rods.
fn parallelogram() -> String {
    right(&["generate", "parallelogram"])
}

#[test]
fn redundant_constraints_are_named_with_what_they_follow_from() {
    let run = mb_with(&["check", "-"], &parallelogram());
    assert_eq!(run.code, 0, "{run:?}");
    snapshot("check_parallelogram", &run.out);
}

#[test]
fn a_sound_model_is_ready() {
    snapshot("check_slider_crank", &right(&["check", &model("slider-crank")]));
}

#[test]
fn free_motions_are_counted_and_named() {
    let found = json(&["check", &model("free-body")]);
    let rigid = found["rigid_modes"].as_array().unwrap();
    assert_eq!(rigid.len(), 3);
    assert!(rigid.iter().all(|r| r["drifting"] == true && !r["dominant"].as_array().unwrap().is_empty()));
    let found = json(&["check", &model("mechanism-zero-mode")]);
    assert_eq!(found["rigid_modes"].as_array().unwrap().len(), 1);
    assert_eq!(found["model"]["degrees_of_freedom"], 1);
}

#[test]
fn free_motions_of_bodies_that_move_by_themselves_are_distinguished() {
    // Two bodies that touch nothing: six motions, of one body and one coordinate each.
    let body = "mass = 1.0\ninertia = 0.1\nangle = 0.0\n";
    let text = format!(
        "units = \"SI\"\nname = \"two\"\n[[body]]\nname = \"left\"\nat = [0, 0]\n{body}[[body]]\nname = \"right\"\nat = [1, 0]\n{body}"
    );
    let run = mb_with(&["check", "-", "--json"], &text);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let mut moving: Vec<String> = Vec::new();
    for mode in found["rigid_modes"].as_array().unwrap() {
        let dominant = mode["dominant"].as_array().unwrap();
        assert_eq!(dominant.len(), 1, "{mode}");
        moving.push(dominant[0].to_string());
    }
    moving.sort();
    moving.dedup();
    assert_eq!(moving.len(), 6, "{moving:?}");
}

#[test]
fn a_body_that_falls_has_no_equilibrium() {
    let text = "units = \"SI\"\nname = \"stone\"\ngravity = [0.0, -9.81]\n[[body]]\nname = \"stone\"\nmass = 1.0\ninertia = 0.1\nat = [0.0, 0.0]\nangle = 0.0\n";
    let run = mb_with(&["check", "-"], text);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.out.contains("3 degrees of freedom") && run.out.contains("no equilibrium"), "{}", run.out);
    let told =
        "The loads push stone.y (1.00), which nothing holds in any configuration: there is no equilibrium.";
    assert!(run.out.contains(told), "{}", run.out);
    assert!(run.out.contains("free motions at the start without its loads (s = 0): 3\n"), "{}", run.out);
    let run = mb_with(&["modes", "-"], text);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("stone.y"), "{}", run.err);
}

#[test]
fn a_loose_start_is_reported() {
    let text = right(&["generate", "rod-pendulum"]).replace("at = [0.0, \"-L\"]", "at = [0.1, \"-L\"]");
    let run = mb_with(&["check", "-"], &text);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("start: rod 'rod' (length) is violated by"), "{}", run.out);
}

#[test]
fn a_drive_that_moves_is_no_place_to_rest() {
    let run = crate::support::mb(&["modes", &model("four-bar-driven")]);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert!(run.err.contains("moves at t = 0 s") && run.err.contains("--time"), "{}", run.err);
}

/// The check is one of the state of rest, and says so where the model moves.
#[test]
fn speeds_of_a_model_that_rest_leaves_aside_are_named() {
    let bicycle = right(&["generate", "bicycle"]);
    let run = mb_with(&["check", "-"], &bicycle);
    assert!(run.code == 0 && run.out.contains("The model has speeds"), "{run:?}");
    assert!(run.out.contains("mb modes --moving takes them"), "{run:?}");
    let found = right(&["check", &model("rod-pendulum")]);
    assert!(!found.contains("speeds"), "{found}");
}

/// A mass on a spring that starts with a speed along the spring, and an undamped spring across.
const THROWN: &str = r#"
units = "SI"
name = "thrown mass"
gravity = [0, 0]
parameters = { k = 8, v = 0.5 }
point = [{ name = "m", at = [1, 0], mass = 2, velocity = ["v", 0] }]
spring = [
    { name = "s", a = [0, 0], b = "m", stiffness = "k", damping = 0.4, natural_length = 1 },
    { name = "across", a = [1, 9], b = "m", stiffness = 1e4, natural_length = 9 },
]
force = [{ name = "push", at = "m", direction = [1, 0], input = "F" }]
output = [{ name = "x", quantity = "x", of = "m" }]
"#;

/// Every command that linearizes about rest names the speeds that it leaves aside; without speeds none says a word.
#[test]
fn no_command_leaves_speeds_aside_silently() {
    let commands: [&[&str]; 5] = [
        &["modes", "-"],
        &["state-space", "-"],
        &["response", "-", "--band", "0", "1"],
        &["parametric", "-", "--parameters", "k"],
        &["track", "-", "--parameter", "k", "--from", "7", "--to", "9", "--samples", "5"],
    ];
    for args in commands {
        let run = mb_with(args, THROWN);
        assert!(
            run.code == 0 && run.out.contains("The model has speeds (m.x 0.500000 per second)"),
            "{args:?}: {run:?}"
        );
        if matches!(args[0], "state-space" | "parametric" | "track") {
            let told: Vec<&str> = run.out.lines().filter_map(|line| line.strip_prefix("note: ")).collect();
            let document = mb_with(&[args, &["--json"]].concat(), THROWN).out;
            let document: serde_json::Value = serde_json::from_str(&document).unwrap();
            let notes: Vec<&str> =
                document["notes"].as_array().unwrap().iter().filter_map(|n| n.as_str()).collect();
            assert_eq!(notes, told, "{args:?}");
        }
        let still = mb_with(&[args, &["--set", "v=0"]].concat(), THROWN);
        assert!(still.code == 0 && !still.out.contains("speeds"), "{args:?}: {still:?}");
    }
    // An instant takes the speeds that it is given, and names those that are left.
    let args = ["parametric", "-", "--parameters", "k", "--instant", "--about", "speed:m.y=0.1"];
    let run = mb_with(&args, THROWN);
    assert!(
        run.code == 0 && run.out.contains("(m.x 0.500000 per second) that this instant leaves aside"),
        "{run:?}"
    );
    let run = mb_with(&[args.as_slice(), &["--about", "speed:m.x=0.5"]].concat(), THROWN);
    assert!(run.code == 0 && !run.out.contains("The model has speeds"), "{run:?}");
}

/// A descriptor system too large to print says so, and still says what it is of.
#[test]
fn a_large_state_space_names_the_speeds_too() {
    let run = mb_with(&["state-space", "-", "--form", "descriptor"], &right(&["generate", "top"]));
    assert!(run.out.contains("too large to print") && run.out.contains("The model has speeds"), "{run:?}");
}
