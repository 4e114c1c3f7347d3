//! Equivalent rigid links: the published arm by its polynomials, payloads, a closed loop next to links in floating frames.

use crate::support::{json, mb_with, model};
use mb_gallery::{Computed, Table, Verdict, verdict};
use serde_json::Value;

/// The middle of the published path.
const MIDDLE: [&str; 12] = [
    "--about",
    "upper.angle=1.2607",
    "--about",
    "lower.angle=-1.0914",
    "--about",
    "speed:upper.angle=0.8915",
    "--about",
    "speed:lower.angle=-0.8640",
    "--about",
    "acceleration:upper.angle=0.6792",
    "--about",
    "acceleration:lower.angle=0.8368",
];
const PAIRS: [&str; 3] = ["second", "third", "fourth"];

fn expansion(variables: &str, more: &[&str]) -> Value {
    let file = model("erls-arm");
    let start = ["parametric", &file, "--parameters", variables, "--hold", "u1,u2", "--modes", "4-6"];
    json(&[&start, more].concat())
}

/// Holds the values of three modes against the separate calculation.
fn hold(modes: &Value, variant: &str) {
    let table = Table::load("palomba2019/variants").unwrap();
    let modes = modes.as_array().unwrap();
    assert_eq!(modes.len(), PAIRS.len());
    for (mode, pair) in modes.iter().zip(PAIRS) {
        let label = format!("variant={variant},pair={pair}");
        let printed = table.number(&label, "s").unwrap();
        let found = Computed::Complex { re: number(&mode["re"]), im: number(&mode["im"]) };
        assert_eq!(verdict(printed, &found), Verdict::Reproduced, "{label}: {found:?}");
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Three pairs at the centre, and the polynomials of order 5 at another working point and other speeds.
#[test]
fn the_published_arm_by_its_polynomials() {
    let away = "upper.angle=1.3107,lower.angle=-1.1314,speed:upper.angle=0.9915,speed:lower.angle=-0.664";
    let more = [&MIDDLE[..], &["--instant", "--order", "5", "--evaluate", away]].concat();
    let found = expansion("upper.angle,lower.angle,speed:upper.angle,speed:lower.angle", &more);
    hold(&found["pieces"][0]["modes"], "paper");
    // There the separate calculation gives the eigenvalues themselves; the polynomials know how far off they are.
    let table = Table::load("palomba2019/variants").unwrap();
    let modes = found["evaluations"][0]["modes"].as_array().unwrap();
    for (mode, pair) in modes.iter().zip(PAIRS) {
        let exact = table.number(&format!("variant=displaced,pair={pair}"), "s").unwrap();
        let (re, im) = (exact.re().value(), exact.im().unwrap().value());
        let off = (number(&mode["re"]) - re).hypot(number(&mode["im"]) - im);
        assert!(off < 2.0 * number(&mode["error"]) && off < 1e-7 * im, "{pair}: {off:e} {mode}");
    }
    let at_rest = expansion("upper.angle,lower.angle", &MIDDLE[..4]);
    hold(&at_rest["pieces"][0]["modes"], "static midpoint");
}

/// No coordinate is a variable; the pose is that given, and the motors hold it.
#[test]
fn a_payload_alone_is_a_variable_in_a_pose_that_is_held() {
    let more = [&MIDDLE[..], &["--instant", "--order", "3", "--set", "mE=0.5"]].concat();
    let found = expansion("mE", &more);
    hold(&found["pieces"][0]["modes"], "payload");
    // From no payload the printed sensitivities are those between two small ones.
    let still = &MIDDLE[..4];
    let at = |mass: &str| expansion("mE", &[still, &["--order", "1", "--set", mass]].concat());
    let [zero, small] = ["mE=0", "mE=1e-6"].map(at);
    let frequency = |found: &Value, k: usize| number(&found["pieces"][0]["modes"][k]["natural_frequency_hz"]);
    let file = model("erls-arm");
    let start =
        ["parametric", &file, "--parameters", "mE", "--hold", "u1,u2", "--modes", "4-6", "--order", "1"];
    let table = crate::support::right(&[&start, still].concat());
    let printed: Vec<f64> = table
        .lines()
        .filter_map(|line| line.split_whitespace().skip_while(|word| *word != "mE").nth(1))
        .filter_map(|word| word.parse().ok())
        .collect();
    // The value of mE at the centre comes first.
    assert_eq!((printed.len(), printed[0]), (4, 0.0), "{table}");
    for k in 0..3 {
        let slope = (frequency(&small, k) - frequency(&zero, k)) / 1e-6;
        assert!(slope < -1.0 && (printed[k + 1] / slope - 1.0).abs() < 1e-3, "{} {slope}", printed[k + 1]);
    }
}

/// Inputs that hold nothing: the answer says how a pose is given.
#[test]
fn a_pose_that_is_not_given_is_asked_for() {
    let run =
        crate::support::mb(&["parametric", &model("erls-arm"), "--parameters", "mE", "--hold", "u1,u2"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("--about") && run.err.contains("(none)"), "{}", run.err);
}

fn loop_of_links() -> String {
    std::fs::read_to_string(format!("{}/../../{}", env!("CARGO_MANIFEST_DIR"), model("erls-four-bar")))
        .unwrap()
}

/// The same linkage of links in floating frames, without the stiffness that tension gives.
fn loop_in_frames() -> String {
    let (head, links) =
        loop_of_links().split_once("[[erls-link]]").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let links = links
        .replace("[[erls-link]]", "[[flexible-link]]\ngeometric_stiffness = false")
        .replace("passive = true\n", "")
        .replace("base = \"crank\"\n", "")
        .replace("base = [", "at = [");
    let pin = |name: &str, a: &str, b: &str| {
        format!("\n[[joint]]\nname = \"{name}\"\ntype = \"revolute\"\na = \"{a}\"\nb = {b}\n")
    };
    let pins = [
        pin("O", "crank", "[0.0, 0.0]"),
        pin("A", "coupler", "\"crank.end\""),
        pin("B", "rocker", "[\"x\", \"y\"]"),
    ];
    format!("{head}[[flexible-link]]\ngeometric_stiffness = false{links}{}", pins.concat())
}

fn run_with(args: &[&str], text: &str) -> Value {
    let run = mb_with(&[args, &["--json"]].concat(), text);
    assert_eq!(run.code, 0, "{run:?}");
    serde_json::from_str(&run.out).unwrap()
}

/// Positive imaginary parts, ascending.
fn frequencies(text: &str, set: &[&str]) -> Vec<f64> {
    let found = run_with(&[&["modes", "-", "--all"], set].concat(), text);
    let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
    let mut list: Vec<f64> = pairs.iter().filter_map(|p| p["im"].as_f64()).filter(|w| *w > 1e-3).collect();
    list.sort_by(f64::total_cmp);
    list
}

/// Without loads both are the same linkage, whatever its pose; under weight they differ in proportion to the deflections.
#[test]
fn a_loop_has_the_modes_of_links_in_floating_frames() {
    let texts = [loop_of_links(), loop_in_frames()];
    let spread = |set: &[&str], count: usize| -> f64 {
        let [a, b] = [&texts[0], &texts[1]].map(|text| frequencies(text, set));
        assert_eq!(a.len(), count);
        assert_eq!(b.len(), count);
        a.iter().zip(&b).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max)
    };
    for pose in [["--set", "q1=-1.2", "--set", "q3=-1.3"], ["--set", "q1=1.2", "--set", "q3=1.5"]] {
        let unloaded = [&["--set", "g=0"], &pose[..]].concat();
        // Thirty elastic motions, and the linkage's own, which is free.
        assert!(spread(&unloaded, 30) < 1e-9);
    }
    // The linkage swings: one frequency more.
    let [light, heavy] = ["g=1", "g=8"].map(|g| spread(&["--set", g], 31));
    assert!(light < 2e-4 && (heavy / light / 8.0 - 1.0).abs() < 0.05, "{light:e} {heavy:e}");
}

/// Released away from rest, the tip of the rocker goes the same way.
#[test]
fn a_loop_moves_as_links_in_floating_frames_do() {
    let args = ["simulate", "-", "--set", "q3=-1.0", "--integrator", "generalized-alpha"];
    let at = |text: &str, until: &str| {
        let found = run_with(&[&args[..], &["--until", until, "--every", "0.1"]].concat(), text);
        assert_eq!(found["runs"][0]["end"], "finished");
        number(&found["runs"][0]["outputs"][0]["last"])
    };
    let [own, frames] = [loop_of_links(), loop_in_frames()].map(|text| [at(&text, "0.1"), at(&text, "0.4")]);
    assert!((own[0] - own[1]).abs() > 1e-2, "{own:?}");
    for (a, b) in own.iter().zip(frames) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
}
