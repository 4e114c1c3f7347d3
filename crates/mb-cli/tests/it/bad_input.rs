//! Bad model files: each a clear error at the line, in the user's words, exit code 1.

use crate::support::{Run, mb_with, snapshot};
use std::fmt::Write as _;

const HEAD: &str = "units = \"SI\"\nname = \"test\"\ngravity = [0.0, -9.81]\n";

const PENDULUM: &str = r#"
[[point]]
name = "O"
at = [0.0, 0.0]
fixed = true

[[point]]
name = "P"
at = [0.0, -1.0]

[[rod]]
name = "OP"
ends = ["O", "P"]
mass = 2.0
length = 1.0
"#;

fn refused(text: &str) -> Run {
    let run = mb_with(&["modes", "-"], text);
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
    run
}

/// The message and the line, as JSON has them.
fn line_of(text: &str) -> u64 {
    let run = mb_with(&["modes", "-", "--json"], text);
    let error: serde_json::Value = serde_json::from_str(&run.err).unwrap();
    error["error"]["problems"][0]["line"].as_u64().unwrap()
}

fn line_with(text: &str, what: &str) -> u64 {
    let line = text.lines().position(|l| l.contains(what)).unwrap();
    line as u64 + 1
}

#[test]
fn syntax() {
    let text = format!("{HEAD}{PENDULUM}").replace("ends = [\"O\", \"P\"]", "ends = [\"O\", \"P\"");
    snapshot("bad_syntax", &refused(&text).err);
}

#[test]
fn unknown_key() {
    let text = format!("{HEAD}{PENDULUM}").replace("length", "lenght");
    assert_eq!(line_of(&text), line_with(&text, "lenght"));
    snapshot("bad_unknown_key", &refused(&text).err);
}

#[test]
fn what_is_no_word_or_no_text_is_shown_as_it_was_written() {
    for (from, to, words) in [
        ("\"SI\"", "7", "Found the number 7 where \"SI\" must stand."),
        ("\"test\"", "1e300", "Found the number 1e300 where a text in quotes must stand."),
    ] {
        let run = refused(&format!("{HEAD}{PENDULUM}").replace(from, to));
        assert!(run.err.contains(words), "{}", run.err);
    }
    let joint = "[[joint]]\nname = \"pin\"\ntype = true\na = \"P\"\nb = \"ground\"\n";
    let run = refused(&format!("{HEAD}{PENDULUM}{joint}"));
    let words = "joint 'pin': found true where one of \"revolute\", \"fixed\"";
    assert!(run.err.contains(words), "{}", run.err);
    let torque = "[[torque]]\nname = \"motor\"\non = \"nope\"\nmagnitude = 1\n";
    let run = refused(&format!("{HEAD}{PENDULUM}{torque}"));
    assert!(
        run.err.contains("there is no body or angle `nope`") && run.err.contains("= help: "),
        "{}",
        run.err
    );
}

#[test]
fn missing_units() {
    let text = format!("{HEAD}{PENDULUM}").replace("units = \"SI\"\n", "");
    snapshot("bad_missing_units", &refused(&text).err);
}

#[test]
fn missing_name() {
    let text = format!("{HEAD}{PENDULUM}").replace("name = \"test\"\n", "");
    snapshot("bad_missing_name", &refused(&text).err);
}

#[test]
fn negative_mass() {
    let text = format!("{HEAD}{PENDULUM}").replace("mass = 2.0", "mass = -2.0");
    assert_eq!(line_of(&text), line_with(&text, "mass = -2.0"));
    snapshot("bad_negative_mass", &refused(&text).err);
}

#[test]
fn joint_to_nothing() {
    let text = format!("{HEAD}{PENDULUM}").replace("ends = [\"O\", \"P\"]", "ends = [\"O\", \"Q\"]");
    assert_eq!(line_of(&text), line_with(&text, "ends"));
    snapshot("bad_joint_to_nothing", &refused(&text).err);
}

#[test]
fn contradictory_constraints() {
    let text = format!(
        "{HEAD}{PENDULUM}\n[[joint]]\nname = \"stay\"\ntype = \"distance\"\na = \"P\"\nb = [5.0, 0.0]\nlength = 1.0\n"
    );
    snapshot("bad_contradiction", &refused(&text).err);
}

#[test]
fn constraints_that_contradict_each_other_only_together() {
    // Two rods of 1 m cannot reach a pin 3 m away.
    let text = format!(
        "{HEAD}{PENDULUM}
[[point]]
name = \"Q\"
at = [1.0, -1.0]

[[rod]]
name = \"PQ\"
ends = [\"P\", \"Q\"]
mass = 1.0
length = 1.0

[[joint]]
name = \"pin\"
type = \"revolute\"
a = \"Q\"
b = [3.0, 0.0]
"
    );
    let run = refused(&text);
    assert!(run.err.contains("cannot be assembled"), "{}", run.err);
    // The line is that of the constraint that is furthest off.
    let told = run.err.replace("\n  | ", " ");
    assert!(told.contains("joint 'pin' (x) is still violated"), "{}", run.err);
    assert!(told.contains("rod 'OP' (length), rod 'PQ' (length)"), "{}", run.err);
    assert!(run.err.contains("<stdin>:31:8"), "{}", run.err);
}

#[test]
fn duplicate_names() {
    let text = format!("{HEAD}{PENDULUM}").replace("name = \"P\"", "name = \"O\"");
    snapshot("bad_duplicate_name", &refused(&text).err);
}

#[test]
fn not_a_number() {
    let text = format!("{HEAD}{PENDULUM}").replace("mass = 2.0", "mass = nan");
    assert_eq!(line_of(&text), line_with(&text, "mass = nan"));
    snapshot("bad_nan", &refused(&text).err);
}

#[test]
fn empty_model() {
    snapshot("bad_empty_model", &refused(HEAD).err);
    assert!(refused("").err.contains("units"));
}

#[test]
fn not_text() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.toml");
    std::fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    let run = mb_with(&["modes", path.to_str().unwrap()], "");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("cannot be read"), "{}", run.err);
}

#[test]
fn parameters_that_make_the_model_wrong() {
    let text = format!("{HEAD}[parameters]\nm = 1.0\n{PENDULUM}").replace("mass = 2.0", "mass = \"m\"");
    let run = mb_with(&["modes", "-", "--set", "m=-1"], &text);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("rod 'OP'") && run.err.contains("cannot be negative"), "{}", run.err);
}

#[test]
fn a_million_lines_are_answered_at_the_right_one() {
    let mut text = format!("{HEAD}{PENDULUM}");
    for i in 0..250_000 {
        let _ = write!(text, "[[point]]\nname = \"B{i}\"\nat = [{i}, 1.0]\nmass = 1.0\n");
    }
    text.push_str("[[point]]\nname = \"B\"\nat = [0.0, 1.0]\nmas = 1.0\n");
    assert_eq!(line_of(&text), line_with(&text, "mas = 1.0"));
    let run = refused(&text);
    assert!(run.err.contains("unknown key `mas`") || run.err.contains("Unknown key `mas`"), "{}", run.err);
    assert!(run.err.len() < 2000, "{} bytes", run.err.len());
}

#[test]
fn an_endless_line_is_not_printed() {
    let text = format!("{HEAD}# {}\n{PENDULUM}", "x".repeat(1_000_000)).replace("mass = 2.0", "mass = -2.0");
    assert!(refused(&text).err.len() < 2000);
    let text = format!("{HEAD}{PENDULUM}")
        .replace("mass = 2.0", &format!("mass = -2.0 # {}", "x".repeat(1_000_000)));
    assert!(refused(&text).err.len() < 2000);
}

#[test]
fn a_value_of_the_command_line_has_no_line_in_the_file() {
    let run = mb_with(
        &["modes", "-", "--set", "L=abc", "--json"],
        "units = \"SI\"\nname = \"a\"\n[parameters]\nL = 1.0\n",
    );
    let error: serde_json::Value = serde_json::from_str(&run.err).unwrap();
    let problem = &error["error"]["problems"][0];
    assert_eq!((run.code, &problem["line"]), (1, &serde_json::Value::Null), "{run:?}");
    assert!(problem["message"].as_str().unwrap().contains("of --set L=abc"), "{run:?}");
}

#[test]
fn an_unknown_option_is_no_value_of_anything() {
    let run = mb_with(&["modes", "pendulum.toml", "--foo"], "");
    assert!(run.code == 1 && run.err.contains("'--foo'") && !run.err.contains("-- --foo"), "{run:?}");
    let near = mb_with(&["modes", "pendulum.toml", "--lowes"], "");
    assert!(near.err.contains("--lowest"), "{near:?}");
}

#[test]
fn lines_that_are_too_long_to_show_are_said_with_their_file() {
    let long = format!("mass = \"2{} + q\"", "+2".repeat(300));
    let text = format!("{HEAD}{PENDULUM}").replace("mass = 2.0", &long);
    let run = refused(&text);
    let place = format!("--> <stdin>:{}:", line_with(&text, "mass = "));
    assert!(run.err.contains(&place) && !run.err.contains("(line"), "{}", run.err);
}

#[test]
fn names_that_other_languages_have_for_functions_lead_to_those_here() {
    for (given, words) in [("log(4)", "write `ln`"), ("arctan(4)", "write `atan`"), ("pow(2, 2)", "`x^2`")] {
        let run = refused(&format!("{HEAD}{PENDULUM}").replace("mass = 2.0", &format!("mass = \"{given}\"")));
        assert!(run.err.contains(words), "{given}: {}", run.err);
    }
}

#[test]
fn an_angle_of_a_joint_that_is_misspelt_leads_to_the_joint() {
    let door = "[[spatial-body]]\nname = \"door\"\nmass = 1\ninertia = [1, 2, 3]\nat = [0, 0, 0]\n\
                [[joint]]\nname = \"hinge\"\ntype = \"revolute\"\na = \"door\"\nb = \"ground\"\naxis = [0, 0, 1]\n\
                [[output]]\nname = \"swing\"\nquantity = \"angle\"\nof = \"hing\"\n";
    let run = refused(&format!("units = \"SI\"\nname = \"door\"\n{door}"));
    assert!(run.err.contains("`hing`") && run.err.contains("did you mean `hinge`?"), "{}", run.err);
}

#[test]
fn a_beam_that_nothing_holds_is_shown_in_the_file() {
    let beam = "units = \"SI\"\nname = \"free\"\ngravity = [0, 0, -9.81]\n[[beam]]\nname = \"girder\"\nfrom = [0, 0, 0]\n\
                to = [10, 0, 0]\ny = [0, 1, 0]\nelements = 4\ndensity = 7850\nyoungs_modulus = 2.1e11\n\
                poissons_ratio = 0.3\nsection = { radius = 0.1 }\n";
    let run = mb_with(&["equilibrium", "-", "--strategy", "newton"], beam);
    assert!(run.err.contains("--> <stdin>:5:8"), "{}", run.err);
}
