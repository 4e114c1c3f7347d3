//! `mb generate` and `mb schema`.

use crate::support::{mb, mb_with, right, snapshot};

#[test]
fn every_generated_model_passes_the_check() {
    let list = right(&["generate", "--list"]);
    let names: Vec<&str> = list.lines().filter_map(|l| l.split_whitespace().next()).collect();
    assert!(names.len() > 5, "{list}");
    for name in names {
        // A moving drive leaves no equilibrium.
        let still: &[&str] = match name {
            "four-bar-driven" => &["--set", "amplitude=0"],
            "flexible-slider-crank" => &["--set", "speed=0"],
            _ => &[],
        };
        let args = [&["generate", name], still].concat();
        let run = mb_with(&["check", "-"], &right(&args));
        // Its constraints do not determine a spectrum, which is what it shows.
        let code = if name == "n-four-bar-singular" { 2 } else { 0 };
        assert_eq!(run.code, code, "{name}: {run:?}");
    }
}

#[test]
fn parameters_change_the_file() {
    let text = right(&["generate", "n-four-bar", "--set", "N=3"]);
    assert!(text.contains("N = 3") && !text.contains("#:schema"), "{text}");
}

#[test]
fn both_parameter_sets_of_the_arm_are_in_the_list() {
    let [own, printed] = ["erls-arm", "erls-arm-table-2"].map(|name| right(&["generate", name]));
    assert!(own.contains("rho_l = \"2710*pi*0.03^2/4\"") && printed.contains("rho_l = 1.906"), "{printed}");
    // The user's own values come last.
    let changed = right(&["generate", "erls-arm-table-2", "--set", "A=7e-4"]);
    assert!(changed.contains("A = 7e-4") && changed.contains("J = 3.97e-8"), "{changed}");
    // Equivalent rigid links, as in the source; floating frames are another model of another name.
    assert!(own.contains("[[erls-link]]") && printed.contains("[[erls-link]]"), "{own}");
    assert!(right(&["generate", "floating-arm"]).contains("[[flexible-link]]"));
}

#[test]
fn wrong_names_are_answered_with_the_right_ones() {
    let run = mb(&["generate", "five-bar"]);
    assert_eq!(run.code, 1);
    snapshot("generate_unknown_model", &run.err);
    let run = mb(&["generate", "spatial-fourbar"]);
    assert!(run.err.contains("did you mean `spatial-four-bar`?"), "{}", run.err);
    let run = mb(&["generate", "n-four-bar", "--set", "M=3"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("no parameter `M`"), "{}", run.err);
}

/// The program carries the schema as a file: it is that of the types that the model file is read into.
#[test]
fn the_schema_is_that_of_the_model_file() {
    let schema = mb_model::spec::json_schema();
    assert_eq!(right(&["schema"]), format!("{schema:#}\n"), "run `cargo xtask schema`");
}
