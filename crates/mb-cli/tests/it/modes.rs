//! Text of `mb modes`.

use crate::support::{json, mb, mb_with, model, right, snapshot};

#[test]
fn one_formulation() {
    snapshot("modes_rod_pendulum", &right(&["modes", &model("rod-pendulum")]));
}

#[test]
fn a_growing_mode_is_called_so() {
    snapshot("modes_upright", &right(&["modes", &model("rod-pendulum-upright"), "--vectors"]));
}

#[test]
fn side_by_side() {
    snapshot("modes_all_formulations", &right(&["modes", &model("rod-pendulum"), "--formulation", "all"]));
}

#[test]
fn everything_that_the_descriptor_form_adds() {
    let args =
        ["modes", &model("rod-pendulum"), "--formulation", "redundant", "--transferred", "jacobian", "--all"];
    snapshot("modes_redundant_all", &right(&args));
}

#[test]
fn the_linkage_of_the_paper_by_parameters() {
    let text = right(&["modes", &model("n-four-bar"), "--set", "N=5", "--set", "c=1"]);
    snapshot("modes_four_bar", &text);
}

#[test]
fn free_motions_are_exact_zeros() {
    let found = json(&["modes", &model("free-body")]);
    let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 6);
    assert!(pairs.iter().all(|p| p["class"]["kind"] == "rigid" && p["re"] == 0.0 && p["im"] == 0.0));
}

/// A script that checks the exit code alone must not take the remains of a spectrum for one.
#[test]
fn a_penalty_that_leaves_no_digits_is_no_right_answer() {
    let args = ["modes", &model("n-four-bar"), "--formulation", "unconstrained", "--alpha", "1e20"];
    let run = mb(&args);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("unconstrained/penalty: the eigenvalues found are not all"), "{}", run.err);
    assert!(run.out.contains("no digit of its eigenvalues is left"), "{}", run.out);
    let run = mb(&[&args[..], &["--json"]].concat());
    assert_eq!(run.code, 2, "{run:?}");
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(document["usable"], false);
    assert_eq!(json(&["modes", &model("n-four-bar")])["usable"], true);
}

/// A factor of 1e6 is a soft spring compared with the reactions of beams of some hundred tonnes.
#[test]
fn the_penalty_factor_follows_from_the_reactions_where_none_is_given() {
    let factor = |more: &[&str]| {
        let found = json(&[&["modes", &model("beam-cantilever"), "--set", "n=8"][..], more].concat());
        let penalty = found["formulations"].as_array().unwrap().last().unwrap().clone();
        assert!(penalty["name"].as_str().unwrap().starts_with("unconstrained/"), "{}", penalty["name"]);
        (penalty["penalty_factor"].as_f64().unwrap(), found)
    };
    let (alpha, found) = factor(&["--formulation", "all"]);
    assert!(alpha > 1e10, "{alpha:e}");
    let pairs = |i: usize| found["formulations"][i]["eigenpairs"].as_array().unwrap().clone();
    let physical = |i: usize| {
        let of_motion = |pair: &&serde_json::Value| pair["class"]["kind"] == "physical";
        let mut im: Vec<f64> = pairs(i).iter().filter(of_motion).map(|p| p["im"].as_f64().unwrap()).collect();
        im.sort_by(f64::total_cmp);
        im
    };
    let (exact, penalty) = (physical(0), physical(2));
    assert_eq!(exact.len(), penalty.len());
    for (exact, penalty) in exact.iter().zip(&penalty) {
        assert!((exact - penalty).abs() <= 1e-5 * exact.abs(), "{exact} and {penalty}");
    }
    let same = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
    assert!(same(factor(&["--formulation", "unconstrained"]).0, alpha));
    // Fewer modes press less on the clamp's rows.
    let some = factor(&["--formulation", "unconstrained", "--lowest", "2"]).0;
    assert!(some > 1e6 && some <= alpha, "{some:e}");
    assert!(same(factor(&["--formulation", "all", "--alpha", "1e13"]).0, 1e13));
}

#[test]
fn the_model_may_come_from_the_standard_input() {
    let text = right(&["generate", "rod-pendulum"]);
    let run = mb_with(&["modes", "-"], &text);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("(<stdin>)") && run.out.contains("±3.13209"), "{}", run.out);
}

#[test]
fn a_configuration_that_is_none_is_refused_with_the_residual() {
    let args = ["modes", &model("rod-pendulum"), "--at", "P.x=1.5", "--at", "P.y=0", "--no-solve"];
    let run = mb(&args);
    assert_eq!(run.code, 1, "{run:?}");
    snapshot("modes_not_an_equilibrium", &run.err);
}

#[test]
fn an_equilibrium_goes_from_one_command_to_the_next() {
    let text = right(&["equilibrium", &model("n-four-bar"), "--json"]);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let path = file.path().to_str().unwrap();
    let there = json(&["modes", &model("n-four-bar"), "--at", path, "--no-solve"]);
    let solved = json(&["modes", &model("n-four-bar")]);
    let im = |d: &serde_json::Value| d["formulations"][0]["eigenpairs"][0]["im"].as_f64().unwrap();
    assert_eq!(there["equilibrium"]["found_by"], "given");
    assert!((im(&there) - im(&solved)).abs() < 1e-12 * im(&solved));
}

#[test]
fn json_reads_back_exactly_and_has_its_version() {
    let found = json(&["modes", &model("slider-crank"), "--formulation", "all"]);
    assert_eq!(found["schema_version"], 2);
    assert_eq!(found["command"], "modes");
    for formulation in found["formulations"].as_array().unwrap() {
        for pair in formulation["eigenpairs"].as_array().unwrap() {
            let Some(re) = pair["re"].as_f64() else { continue };
            let (a, b) = (pair["alpha"][0].as_f64().unwrap(), pair["beta"].as_f64().unwrap());
            // serde_json writes the shortest text that reads back as the same number.
            assert!((a / b - re).abs() <= 4.0 * f64::EPSILON * re.abs(), "{a} / {b} = {re}");
        }
    }
}

#[test]
fn growing_modes_that_are_not_shown_are_reported() {
    // Two soft links standing upright: eight directions give way, the slowest two are asked for.
    let path = model("flexible-double-pendulum");
    let mut args = vec!["modes", path.as_str(), "--set", "g=-9.81", "--set", "E=1e6", "--lowest"];
    args.push("2");
    let found = right(&args);
    assert!(found.contains("unstable in 8 directions"), "{found}");
    assert!(found.contains("UNSTABLE: 8 modes grow, of which 2 are among those returned"), "{found}");
    args.pop();
    args.push("30");
    assert!(!right(&args).contains("UNSTABLE"));
}
