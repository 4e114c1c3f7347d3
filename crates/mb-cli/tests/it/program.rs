//! Exit codes, streams, help.

use crate::support::{mb, model, right};

#[test]
fn a_wrong_command_line_is_a_wrong_request() {
    for args in
        [&["modes"][..], &["mods", "x"], &["modes", "x", "--basis", "lu"], &["modes", "x", "--set", "L"]]
    {
        let run = mb(args);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{args:?}");
        assert!(run.err.contains("error:"), "{}", run.err);
    }
    let run = mb(&["modes", &model("rod-pendulum"), "--formulation", "unconstrained", "--alpha", "0"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("--alpha is 0, but it must be a positive number"), "{}", run.err);
}

#[test]
fn help_has_examples_and_exit_codes() {
    let help = right(&["--help"]);
    assert!(help.contains("mb modes pendulum.toml") && help.contains("2 the numerics failed"), "{help}");
    for command in ["modes", "check", "equilibrium", "state-space", "generate"] {
        assert!(right(&[command, "--help"]).contains("Examples:"), "{command}");
    }
    assert!(right(&["--version"]).starts_with("mb "));
}

#[test]
fn a_missing_file_is_named() {
    let run = mb(&["modes", "no-such-model.toml"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("no-such-model.toml"), "{}", run.err);
}

#[test]
fn errors_are_json_when_the_answer_would_be() {
    let run = mb(&["modes", &model("rod-pendulum"), "--set", "K=1", "--json"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    let error: serde_json::Value = serde_json::from_str(&run.err).unwrap();
    assert_eq!(error["schema_version"], 2);
    assert_eq!(error["error"]["kind"], "request");
    assert_eq!(error["error"]["exit_code"], 1);
}

#[test]
fn a_wrong_command_line_is_json_when_the_answer_would_be() {
    let run = mb(&["modes", &model("rod-pendulum"), "--json", "--lowest", "none"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    let error: serde_json::Value = serde_json::from_str(&run.err).unwrap();
    assert_eq!((&error["error"]["kind"], &error["error"]["exit_code"]), (&"usage".into(), &1.into()));
    let message = error["error"]["problems"][0]["message"].as_str().unwrap();
    assert!(message.contains("--lowest") && message.contains("at least 1"), "{message}");
}

#[test]
fn nothing_is_coloured_outside_a_terminal() {
    for args in [&["modes", &model("rod-pendulum")][..], &["check", "no-such-model.toml"]] {
        let run = mb(args);
        assert!(!run.out.contains('\x1b') && !run.err.contains('\x1b'), "{run:?}");
    }
}

#[test]
fn a_model_too_large_for_dense_matrices_is_refused_at_once() {
    let run = mb(&["modes", &model("n-four-bar"), "--set", "N=2000", "--all"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert!(run.err.contains("4003 coordinates and 4002 constraint rows"), "{}", run.err);
}
