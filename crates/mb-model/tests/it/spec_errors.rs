//! Messages for bad model files, as a user sees them: line, column, marked text, help.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use mb_model::Model;
use std::fmt::Write;

/// A correct model that the cases spoil or add to.
const GOOD: &str = r#"units = "SI"
name = "test"
gravity = [0.0, -9.81]
[parameters]
L = 1.0
m = 2.0
[[point]]
name = "A"
at = [0.0, 0.0]
fixed = true
[[point]]
name = "B"
at = ["L", 0.0]
[[rod]]
name = "AB"
ends = ["A", "B"]
mass = "m"
[[body]]
name = "arm"
mass = 1.0
inertia = 0.1
markers.tip = [0.5, 0.0]
[[joint]]
name = "elbow"
type = "revolute"
a = "arm"
b = "B"
"#;

/// The problems of a text: place, message, the marked text, help.
pub(crate) fn report(text: &str) -> String {
    let Err(error) = Model::from_toml(text) else { return "no error\n".to_owned() };
    let mut out = String::new();
    for p in error.problems() {
        match &p.position {
            Some(at) => {
                let marked = text[at.span.clone()].lines().next().unwrap_or("");
                let marked: String = marked.chars().take(40).collect();
                writeln!(out, "{}:{} {p}\n    at `{marked}` ({})", at.line, at.column, p.path).unwrap();
            }
            None => writeln!(out, "nowhere: {p}").unwrap(),
        }
        if let Some(help) = p.help() {
            writeln!(out, "    help: {help}").unwrap();
        }
    }
    out
}

/// Reports of several spoiled files one after the other.
pub(crate) fn reports<'a>(cases: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let mut out = String::new();
    for (title, text) in cases {
        writeln!(out, "# {title}\n{}", report(&text)).unwrap();
    }
    out
}

/// The good file with one piece replaced.
fn with(old: &str, new: &str) -> String {
    assert_eq!(GOOD.matches(old).count(), 1, "{old}");
    GOOD.replace(old, new)
}
/// The good file with more tables.
fn and(more: &str) -> String {
    format!("{GOOD}{more}\n")
}

#[test]
fn the_good_file_is_good() {
    assert_eq!(report(GOOD), "no error\n");
}

#[test]
fn files_and_keys() {
    let text = reports([
        ("syntax error", with("mass = \"m\"", "mass = ")),
        ("unclosed text", with("name = \"AB\"", "name = \"AB")),
        ("key twice", with("mass = \"m\"", "mass = 1.0\nmass = 2.0")),
        ("units missing", with("units = \"SI\"\n", "")),
        ("other units", with("\"SI\"", "\"imperial\"")),
        ("name missing", with("name = \"test\"\n", "")),
        ("name empty", with("\"test\"", "\" \"")),
        ("empty file", String::new()),
        ("unknown key", with("inertia = 0.1", "inertia = 0.1\ncentre_of_mass = [0.1, 0.0]")),
        ("misspelt key", with("inertia = 0.1", "inerta = 0.1")),
        ("unknown table", and("[[hinge]]\nname = \"h\"")),
        ("single brackets", and("[spring]\nname = \"s\"")),
        ("key missing", with("ends = [\"A\", \"B\"]\n", "")),
        ("joint type", with("\"revolute\"", "\"revolut\"")),
        ("wrong type", with("fixed = true", "fixed = \"yes\"")),
        ("text for a list", with("at = [\"L\", 0.0]", "at = \"L\"")),
        ("too many numbers", with("at = [\"L\", 0.0]", "at = [\"L\", 0.0, 0.0]")),
        ("too few numbers", with("at = [\"L\", 0.0]", "at = [\"L\"]")),
        ("number for a name", with("name = \"AB\"", "name = 7")),
        ("gravity in four dimensions", with("[0.0, -9.81]", "[0.0, 0.0, -9.81, 0.0]")),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn names_and_references() {
    let text = reports([
        ("duplicate name", with("name = \"AB\"", "name = \"B\"")),
        ("illegal name", with("name = \"AB\"", "name = \"A.B\"")),
        ("empty name of a part", with("name = \"AB\"", "name = \"\"")),
        ("reserved name", with("name = \"AB\"", "name = \"ground\"")),
        ("joint to nothing", with("b = \"B\"", "b = \"B7\"")),
        ("joint to a misspelt body", with("a = \"arm\"", "a = \"amr\"")),
        ("marker missing", with("a = \"arm\"", "a = \"arm.tpi\"")),
        ("marker of a point", with("b = \"B\"", "b = \"B.tip\"")),
        ("joint to a rod", with("b = \"B\"", "b = \"AB\"")),
        ("rod on a body", with("ends = [\"A\", \"B\"]", "ends = [\"A\", \"arm\"]")),
        ("both ends on one body", with("b = \"B\"", "b = \"arm.tip\"")),
        (
            "spring between the same place",
            and("[[spring]]\nname = \"s\"\na = \"B\"\nb = \"B\"\nstiffness = 1\nnatural_length = 1"),
        ),
        (
            "spring between fixed places",
            and("[[spring]]\nname = \"s\"\na = \"A\"\nb = [1, 1]\nstiffness = 1\nnatural_length = 1"),
        ),
        (
            "spring to somewhere",
            and("[[spring]]\nname = \"s\"\na = \"B\"\nb = \"ground\"\nstiffness = 1\nnatural_length = 1"),
        ),
        ("torque on a point", and("[[torque]]\nname = \"t\"\non = \"B\"\nmagnitude = 1.0")),
        (
            "multiplier of a spring",
            and(
                "[[spring]]\nname = \"s\"\na = \"B\"\nb = [0, 5]\ndamping = 1\n[[output]]\nname = \"y\"\nquantity = \"multiplier\"\nof = \"s\"",
            ),
        ),
        (
            "multiplier without axis",
            and("[[output]]\nname = \"y\"\nquantity = \"multiplier\"\nof = \"elbow\""),
        ),
        (
            "family with a hole",
            and(
                "[[repeat]]\nindex = \"i\"\nfrom = 1\nto = 2\n[[repeat.point]]\nname = \"P{i}\"\nmass = 1\n[[repeat.rod]]\nname = \"R{i}\"\nends = [\"P{i-1}\", \"P{i}\"]\nmass = 1\nlength = 1",
            ),
        ),
        (
            "family with a clash",
            and("[[repeat]]\nindex = \"i\"\nfrom = 1\nto = 2\n[[repeat.point]]\nname = \"P\"\nmass = 1"),
        ),
        ("unclosed brace", with("name = \"AB\"", "name = \"A{L\"")),
        ("broken index", with("name = \"AB\"", "name = \"A{L/2}\"")),
        ("index hides a parameter", and("[[repeat]]\nindex = \"L\"\nfrom = 1\nto = 2")),
        ("endless family", and("[[repeat]]\nindex = \"i\"\nfrom = 1\nto = 1e12")),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn values_and_expressions() {
    let text = reports([
        ("nan", with("mass = 1.0", "mass = nan")),
        ("infinity", with("inertia = 0.1", "inertia = inf")),
        ("negative mass", with("mass = 1.0", "mass = -1.0")),
        ("negative mass by a parameter", with("m = 2.0", "m = \"-2*L\"")),
        ("negative inertia", with("inertia = 0.1", "inertia = -0.1")),
        ("unknown parameter", with("mass = \"m\"", "mass = \"2*M*LL\"")),
        ("misspelt parameter", with("m = 2.0", "mass_of_rod = 2.0").replace("\"m\"", "\"mass_of_rot\"")),
        ("bad expression", with("mass = \"m\"", "mass = \"2*(m\"")),
        ("missing operator", with("mass = \"m\"", "mass = \"2m\"")),
        ("division by zero", with("mass = \"m\"", "mass = \"m/(L - 1)\"")),
        ("root of a negative number", with("mass = \"m\"", "mass = \"sqrt(-L)\"")),
        ("time in a constant", with("mass = \"m\"", "mass = \"2*t\"")),
        ("parameters in a circle", with("L = 1.0", "L = \"2*k\"\nk = \"h - 1\"\nh = \"L\"")),
        ("parameter of itself", with("L = 1.0", "L = \"L\"")),
        ("parameter without a legal name", with("L = 1.0", "L = 1.0\nrod-mass = 1.0")),
        ("parameter with a taken name", with("L = 1.0", "L = 1.0\npi = 3.0")),
        ("zero length", with("mass = \"m\"", "mass = \"m\"\nlength = 0")),
        ("zero axis", with("type = \"revolute\"", "type = \"point-on-line\"\naxis = [0, \"L - 1\"]")),
        (
            "law that is not finite",
            and("[[drive]]\nname = \"d\"\nquantity = \"angle\"\nof = \"arm\"\nlaw = \"sin(t)/t\""),
        ),
        (
            "several problems at once",
            with("mass = 1.0", "mass = -1.0")
                .replace("a = \"arm\"", "a = \"leg\"")
                .replace("mass = \"m\"", "mass = \"mm\""),
        ),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn physics() {
    let spring = "[[spring]]\nname = \"s\"\na = \"B\"\nb = [0, 5]\n";
    let text = reports([
        ("empty model", "units = \"SI\"\nname = \"nothing\"\n".to_owned()),
        (
            "everything fixed",
            "units = \"SI\"\nname = \"rock\"\n[[point]]\nname = \"A\"\nat = [0, 0]\nfixed = true\n"
                .to_owned(),
        ),
        ("point without mass", and("[[point]]\nname = \"P\"\nat = [3, 0]")),
        ("body without inertia", and("[[body]]\nname = \"b\"\nmass = 1\ninertia = 0")),
        ("body without mass", and("[[body]]\nname = \"b\"\ninertia = 0")),
        ("fixed point nowhere", and("[[point]]\nname = \"P\"\nfixed = true")),
        (
            "contradictory length between fixed points",
            and(
                "[[point]]\nname = \"C\"\nat = [3, 0]\nfixed = true\n[[rod]]\nname = \"AC\"\nends = [\"A\", \"C\"]\nmass = 1\nlength = 2",
            ),
        ),
        (
            "two lengths for the same points",
            and("[[joint]]\nname = \"rope\"\ntype = \"distance\"\na = \"B\"\nb = \"A\"\nlength = 0.9"),
        ),
        (
            "a triangle that does not close",
            and("[[joint]]\nname = \"rope\"\ntype = \"distance\"\na = \"B\"\nb = [5, 0]\nlength = 0.9"),
        ),
        (
            "fixed bodies pinned apart",
            and("[[joint]]\nname = \"pin\"\ntype = \"revolute\"\na = \"A\"\nb = [1, 0]"),
        ),
        ("slider without an axis", with("\"revolute\"", "\"prismatic\"")),
        ("slider on a point", with("\"revolute\"", "\"prismatic\"\naxis = [1, 0]")),
        ("length of a pin", with("\"revolute\"", "\"revolute\"\nlength = 1")),
        ("length unknown", with("at = [\"L\", 0.0]\n", "")),
        ("spring without natural length", and(&format!("{spring}stiffness = 5"))),
        ("spring without anything", and(spring)),
        ("negative natural length", and(&format!("{spring}stiffness = 5\nnatural_length = -1"))),
        ("force without direction", and("[[force]]\nname = \"f\"\nat = \"B\"\nmagnitude = 1")),
        ("force said twice", and("[[force]]\nname = \"f\"\nat = \"B\"\nvector = [1, 0]\nmagnitude = 1")),
        ("force on the ground", and("[[force]]\nname = \"f\"\nat = \"A\"\nvector = [1, 0]")),
        (
            "follower force on a point",
            and("[[force]]\nname = \"f\"\nat = \"B\"\nvector = [1, 0]\nframe = \"follower\""),
        ),
        ("third derivative", and("[[output]]\nname = \"y\"\nquantity = \"x\"\nof = \"B\"\nderivative = 3")),
        ("distance from nothing", and("[[output]]\nname = \"y\"\nquantity = \"distance\"\nof = \"B\"")),
    ]);
    insta::assert_snapshot!(text);
}
