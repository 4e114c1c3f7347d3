//! Running the program.

use assert_cmd::Command;
use std::path::Path;

/// The model files of the project.
pub(crate) fn model(name: &str) -> String {
    format!("crates/mb-gallery/models/{name}.toml")
}

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs `mb` at the root of the project, with `input` on the standard input.
pub(crate) fn mb_with(args: &[&str], input: &str) -> Run {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::cargo_bin("mb").unwrap();
    let output = command.current_dir(root).args(args).write_stdin(input.to_owned()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs `mb` without input.
pub(crate) fn mb(args: &[&str]) -> Run {
    mb_with(args, "")
}

/// The answer of a run that must succeed.
pub(crate) fn right(args: &[&str]) -> String {
    let run = mb(args);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}: {run:?}");
    run.out
}

/// The JSON answer of a run that must succeed.
pub(crate) fn json(args: &[&str]) -> serde_json::Value {
    let mut args = args.to_vec();
    args.push("--json");
    serde_json::from_str(&right(&args)).unwrap()
}

/// A snapshot without the figures that rounding decides: residuals, errors, iterations.
pub(crate) fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    settings.add_filter(
        r"(?m)(physical|rigid|infinite|growing|penalty\)|Jacobian\)) +\S+ +\S+$",
        "$1 [residual] [error]",
    );
    settings.add_filter(r"(?m)class +residual +error$", "class residual error");
    settings.add_filter(r"(?m)zeta? +rad/s$", "rad/s");
    settings.add_filter(r"(?m)Hz +rad/s$", "Hz rad/s");
    settings.add_filter(r"residual \d\S*", "residual [residual]");
    settings.add_filter(r"in \d+ iterations?", "in [n] iterations");
    settings.add_filter(r"largest dropped \d\S*", "largest dropped [tiny]");
    settings.add_filter(r"differs by +im", "differs by im");
    settings.add_filter(r"(±\S+) +(0|\d\.\de-\d+) ", "$1 [difference] ");
    settings.add_filter(r"largest difference \S+", "largest difference [difference]");
    settings.bind(|| insta::assert_snapshot!(name, text));
}
