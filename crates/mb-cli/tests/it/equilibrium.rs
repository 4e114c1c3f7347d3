//! `mb equilibrium`.

use crate::support::{json, mb, model, right, snapshot};

#[test]
fn configuration_and_reactions() {
    snapshot("equilibrium_rod", &right(&["equilibrium", &model("rod-pendulum"), "--at", "P.x=1"]));
}

#[test]
fn hanging_and_upright_are_distinguished() {
    let found = json(&["equilibrium", &model("rod-pendulum"), "--find-all", "24"]);
    let list = found["equilibria"].as_array().unwrap();
    let kinds: Vec<&str> = list.iter().map(|e| e["stability"]["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["stable", "unstable"]);
    let height = |i: usize| list[i]["configuration"]["P.y"].as_f64().unwrap();
    assert!((height(0) + 1.5).abs() < 1e-12 && (height(1) - 1.5).abs() < 1e-12);
    // Phi = |d|^2 - L^2: half the weight of a uniform rod hangs on its end; 2 L lambda = m g / 2.
    let lambda = list[0]["multipliers"]["rod 'rod' (length)"].as_f64().unwrap();
    assert!((2.0 * 1.5 * lambda.abs() - 9.81).abs() < 1e-12, "{lambda}");
}

#[test]
fn start_values_choose_the_equilibrium() {
    let up = json(&["equilibrium", &model("rod-pendulum"), "--at", "P.y=1.5", "--at", "P.x=0"]);
    assert_eq!(up["equilibria"][0]["stability"]["kind"], "unstable");
    let args =
        ["equilibrium", &model("rod-pendulum"), "--at", "P.x=1", "--at", "P.y=1", "--strategy", "relaxation"];
    assert_eq!(json(&args)["equilibria"][0]["stability"]["kind"], "stable");
}

#[test]
fn start_values_must_be_coordinates_and_numbers() {
    for (at, words) in [("Q.x=1", "no coordinate `Q.x`"), ("P.x=one", "`one` is not a finite number")] {
        let run = mb(&["equilibrium", &model("rod-pendulum"), "--at", at]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.err.contains(words), "{}", run.err);
    }
}

#[test]
fn a_column_reports_the_load_factor_at_which_it_buckles() {
    // Twice Euler's load of this cantilever, pi^2 EI / (4 l^2).
    let args = [
        "equilibrium",
        &model("beam-cantilever"),
        "--set",
        "n=6",
        "--set",
        "F=-pi^2*E*b^4/(24*L^2)",
        "--load-path",
    ];
    let found = json(&args);
    assert_eq!((&found["end"]["kind"], &found["end"]["directions"]), (&"buckling".into(), &2.into()));
    // Shear, shortening and six linear elements shift it by a percent or two.
    let factor = found["end"]["factor"].as_f64().unwrap();
    assert!((factor - 0.5).abs() < 0.02, "{factor}");
    let words = right(&args);
    assert!(
        words.contains("buckles at 0.5") && words.contains("times the loads, in 2 directions"),
        "{words}"
    );
    // Just below its load the column is stable, not neutral.
    assert!(!words.contains("neutral"), "{words}");
}

#[test]
fn a_search_that_ends_at_its_limit_says_how_far_it_came() {
    let pendulum = model("rod-pendulum");
    let args = ["equilibrium", &pendulum, "--find-all", "1000000000", "--time-limit", "1"];
    let run = mb(&args);
    assert_eq!(run.code, 2, "{run:?}");
    for words in
        ["the search ended early", "of 1000000000 starts were tried, its time limit of 1 s was reached"]
    {
        assert!(run.out.contains(words), "{}", run.out);
    }
    let run = mb(&[&args[..], &["--json"]].concat());
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((run.code, &found["search"]["starts"]), (2, &1_000_000_000_u64.into()));
    assert!(found["search"]["tried"].as_u64().unwrap() < 1_000_000_000, "{found}");
    assert_eq!(found["search"]["stopped"], "its time limit of 1 s was reached");
    let whole = json(&["equilibrium", &pendulum, "--find-all", "3"]);
    assert_eq!(whole["search"], serde_json::json!({ "starts": 3, "tried": 3 }));
}

#[test]
fn a_search_without_time_says_so_first_and_counts_what_it_did() {
    let run = mb(&["equilibrium", &model("beam-frame"), "--time-limit", "1e-9"]);
    assert!(
        run.err.starts_with("error: The search ended before it found an equilibrium: its time limit"),
        "{run:?}"
    );
    assert!(run.err.contains("After 0 iterations (Newton)"), "{}", run.err);
    assert!(run.err.contains("--time-limit SECONDS changes the limit"), "{}", run.err);
}
