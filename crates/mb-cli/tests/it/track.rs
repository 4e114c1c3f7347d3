//! `mb track`: modes along a path, in files and pictures.

use crate::support::{json, mb, mb_with, right};
use std::fmt::Write as _;

const ARM: &str = "crates/mb-gallery/models/spring-arm.toml";

fn list(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn polynomials_follow_the_exact_modes() {
    let document =
        json(&["track", ARM, "--parameter", "k", "--from", "800", "--to", "1000", "--samples", "11"]);
    let samples = &document["samples"];
    assert_eq!(list(&samples["k"]).len(), 11);
    for mode in document["modes"].as_array().unwrap() {
        let n = mode["number"].as_u64().unwrap();
        let column = |what: &str| list(&samples[&format!("mode {n} {what}")]);
        let off = mode["frequency_deviation"].as_f64().unwrap();
        assert!(off < 1e-5, "{mode}");
        let (exact, series) = (column("frequency_hz"), column("polynomial frequency_hz"));
        let worst = exact.iter().zip(&series).map(|(a, b)| (a - b).abs() / a).fold(0.0, f64::max);
        assert!((worst - off).abs() < 1e-15);
        assert!(column("share").iter().all(|s| *s > 0.9), "{mode}");
        assert!(column("polynomial mac").iter().all(|s| *s > 0.999), "{mode}");
    }
    // The ends are what `mb modes` says there.
    let there = json(&["modes", ARM, "--set", "k=1000"]);
    let first = there["formulations"][0]["eigenpairs"][0]["natural_frequency_hz"].as_f64().unwrap();
    let last = *list(&samples["mode 1 frequency_hz"]).last().unwrap();
    assert!((last / first - 1.0).abs() < 1e-10, "{last} {first}");
}

/// Two masses without damping on springs, one of them followed over c: its own damping ratio is c / (2 sqrt(k m)), the other's rounding.
const ONE_DAMPED: &str = r#"
    units = "SI"
    name = "two masses"
    gravity = [0, 0]
    parameters = { c = 1 }
    body = [{ name = "P", mass = 1, inertia = 1, at = [0, 0] }, { name = "Q", mass = 1, inertia = 1, at = [0, 1] }]
    spring = [
        { name = "p", a = "P", b = [-1, 0], stiffness = 100, natural_length = 1, damping = "c" },
        { name = "q", a = "Q", b = [-1, 1], stiffness = 400, natural_length = 1 },
    ]
    joint = [
        { name = "along", type = "prismatic", a = "P", b = [0, 0], axis = [1, 0] },
        { name = "beside", type = "prismatic", a = "Q", b = [0, 1], axis = [1, 0] },
    ]
"#;

/// A gyroscope whose modes at one speed are likenesses of more than one of those at another.
const GYROSCOPE: &str = r#"
    units = "SI"
    name = "gyroscope"
    parameters = { W = 100 }
    spatial-body = [{ name = "r", mass = 10, inertia = [0.2, 0.2, 0.35], at = [0, 0, 0], markers = { a = [0, 0, -0.2], b = [0, 0, 0.1] } }]
    bearing = [
        { name = "A", a = "r.a", b = [0, 0, -0.2], stiffness = [[1e6, 0], [0, 2e6]] },
        { name = "B", a = "r.b", b = [0, 0, 0.1], stiffness = [[1e6, 0], [0, 2e6]] },
    ]
    bushing = [{ name = "t", a = "r", b = [0, 0, 0], stiffness = [0, 0, 1e6, 0, 0, 0] }]
    steady-rotation = [{ name = "s", bodies = ["r"], speed = "W" }]
"#;

#[test]
fn a_damping_ratio_of_rounding_has_no_deviation_and_a_share_is_at_most_one() {
    let track = |model: &str, words: &[&str]| -> serde_json::Value {
        let args: Vec<&str> = ["track", "-", "--parameter"].iter().chain(words).copied().collect();
        let run = mb_with(&args, model);
        assert_eq!(run.code, 0, "{run:?}");
        serde_json::from_str(&run.out).unwrap()
    };
    let found = track(ONE_DAMPED, &["c", "--from", "0.9", "--to", "1.1", "--samples", "5", "--json"]);
    let deviations = |found: &serde_json::Value| -> Vec<Option<f64>> {
        found["modes"].as_array().unwrap().iter().map(|m| m["damping_deviation"].as_f64()).collect()
    };
    let off = deviations(&found);
    assert!(matches!(off[..], [Some(x), None] if x < 1e-3), "{off:?}");
    // In a long step from 100 to 500 rad/s the likeness of a mode with itself exceeds one.
    let found = track(GYROSCOPE, &["W", "--from", "100", "--to", "900", "--samples", "3", "--json"]);
    assert!(deviations(&found).iter().all(Option::is_none), "{:?}", deviations(&found));
    let samples = found["samples"].as_object().unwrap();
    let shares: Vec<f64> =
        samples.iter().filter(|(name, _)| name.ends_with(" share")).flat_map(|(_, x)| list(x)).collect();
    assert!(!shares.is_empty() && shares.iter().all(|x| (0.0..=1.0).contains(x)), "{shares:?}");
    let most = found["mac"].as_array().unwrap().iter().flat_map(|m| m.as_array().unwrap());
    let most = most.flat_map(list).fold(0.0, f64::max);
    assert!(most > 1.0, "{most}");
}

#[test]
fn a_path_from_a_file_is_followed_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut text = "time,crank.angle,k\n".to_owned();
    for i in 0..9 {
        let t = f64::from(i) / 8.0;
        writeln!(text, "{t},{},{}", 0.1 + 0.3 * t, 880.0 + 40.0 * t).unwrap();
    }
    std::fs::write(path("path.csv"), text).unwrap();
    let (file, csv, picture) = (path("path.csv"), path("modes.csv"), path("modes.svg"));
    let text =
        right(&["track", ARM, "--path", &file, "--hold", "motor", "--output", &csv, "--plot", &picture]);
    assert!(text.contains("9 samples along time, s from 0 to 1"), "{text}");
    let table = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(table.lines().count(), 10);
    assert!(table.starts_with("\"time, s\",\"crank.angle\",\"k\",\"mode "), "{table}");
    let svg = std::fs::read_to_string(&picture).unwrap();
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.contains("natural frequency, Hz"));
    assert!(svg.contains("<circle") && svg.contains("fill-opacity"), "exact samples and error bands");
}

/// Two bodies on pins and torsion springs, with one between them.
const ROTORS: &str = r#"
units = "SI"
name = "rotors"
parameters = { k = 8.0, between = 0.0 }
point = [{ name = "p", at = [0, 0], fixed = true }, { name = "q", at = [1, 0], fixed = true }]
body = [
    { name = "a", mass = 1.0, inertia = 0.5, at = [0, 0] },
    { name = "b", mass = 1.0, inertia = 0.5, at = [1, 0] },
]
joint = [
    { name = "pin", type = "revolute", a = "a", b = "p" },
    { name = "pivot", type = "revolute", a = "b", b = "q" },
]
torsion-spring = [
    { name = "s", a = "ground", b = "a", stiffness = "k" },
    { name = "t", a = "ground", b = "b", stiffness = 10.0 },
    { name = "u", a = "a", b = "b", stiffness = "between" },
]
"#;

/// The events of the rotors with a spring between them.
fn events(between: f64, samples: &str) -> Vec<serde_json::Value> {
    events_of(between, samples, &[])
}

/// The same with more options.
fn events_of(between: f64, samples: &str, more: &[&str]) -> Vec<serde_json::Value> {
    let set = format!("between={between}");
    let args = [
        "track",
        "-",
        "--set",
        &set,
        "--parameter",
        "k",
        "--from",
        "8",
        "--to",
        "12.1",
        "--samples",
        samples,
        "--json",
    ];
    let run = mb_with(&[args.as_slice(), more].concat(), ROTORS);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    document["events"].as_array().unwrap().clone()
}

#[test]
fn rotors_that_do_not_touch_cross() {
    let found = events(0.0, "20");
    let [event] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((event["kind"].as_str(), &event["modes"]), (Some("crossing"), &serde_json::json!([1, 2])));
    // Both have 10 N m/rad there.
    assert!((event["at"].as_f64().unwrap() - 10.0).abs() < 0.01, "{event}");
}

#[test]
fn rotors_that_are_coupled_veer() {
    let found = events(0.1, "62");
    let [event] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(event["kind"].as_str(), Some("veering"));
    assert!((event["at"].as_f64().unwrap() - 10.0).abs() < 0.1, "{event}");
    // In and against phase: 10 and 10 + 2 * 0.1 N m/rad on 0.5 kg m^2.
    let gap = ((10.2_f64 / 0.5).sqrt() - (10.0_f64 / 0.5).sqrt()) / std::f64::consts::TAU;
    assert!((event["gap_hz"].as_f64().unwrap() / gap - 1.0).abs() < 0.05, "{event}");
}

/// The modes of a group are distinguished from one another where they are apart, and cross and veer as if they were
/// followed singly.
#[test]
fn what_the_modes_of_a_group_do_is_reported() {
    let group = ["--group", "1-2", "--modes", "1-2"];
    for (between, samples, kind) in [(0.0, "20", "crossing"), (0.1, "62", "veering")] {
        let [single, grouped] = [&[][..], &group].map(|more| events_of(between, samples, more));
        let ([single], [grouped]) = (single.as_slice(), grouped.as_slice()) else {
            panic!("{single:?} {grouped:?}")
        };
        assert_eq!((grouped["kind"].as_str(), &grouped["modes"]), (Some(kind), &serde_json::json!([1, 2])));
        let off = (grouped["at"].as_f64().unwrap() - single["at"].as_f64().unwrap()).abs();
        assert!(off < 1e-6, "{single} {grouped}");
    }
    // A sample at the crossing itself: k = 8, 9, 10, 11, 12.
    let path = ["track", "-", "--parameter", "k", "--from", "8", "--to", "12", "--samples", "5", "--json"];
    let run = mb_with(&[path.as_slice(), &group].concat(), ROTORS);
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
    let found = document["events"].as_array().unwrap();
    let of = |kind: &str| found.iter().find(|e| e["kind"] == kind).unwrap_or_else(|| panic!("{found:?}"));
    assert!((of("crossing")["at"].as_f64().unwrap() - 10.0).abs() < 0.01);
    assert_eq!((of("together")["at"].as_f64(), of("together")["until"].as_f64()), (Some(10.0), Some(10.0)));
    // The path that they cross on with a mode outside the group is the same, whichever is grouped.
    let text = mb_with(&[path[..9].as_ref(), &["5"], &group].concat(), ROTORS).out;
    assert!(text.contains("Modes of group 1+2 coincide at k = 10.0000"), "{text}");
}

#[test]
fn modes_that_always_coincide_are_not_distinguished() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("twins.svg");
    let picture = picture.to_str().unwrap();
    let args = ["track", "-", "--parameter", "k", "--from", "45", "--to", "55", "--samples", "7"];
    let group = ["--group", "1-2", "--modes", "1-2", "--plot", picture, "--json"];
    let run = mb_with(&[args.as_slice(), &group].concat(), crate::expansions::TWINS);
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
    let kinds: Vec<&str> =
        document["events"].as_array().unwrap().iter().map(|e| e["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["together", "untold"]);
    let at = &document["events"][0];
    assert_eq!((at["at"].as_f64(), at["until"].as_f64()), (Some(45.0), Some(55.0)));
    let svg = std::fs::read_to_string(picture).unwrap();
    assert!(svg.contains("group 1+2") && svg.contains("<circle") && !svg.contains("NaN"), "{svg}");
}

#[test]
fn mistakes_are_named() {
    let straight = ["track", ARM, "--parameter", "k", "--from", "800", "--to"];
    for (args, told) in [
        ([straight.as_slice(), &["much"]].concat(), "`much` is not a finite number"),
        (
            ["track", ARM, "--parameter", "kk", "--from", "1", "--to", "2"].to_vec(),
            "--parameter: the model has no",
        ),
        (["track", ARM, "--parameter", "kk", "--from", "1", "--to", "2"].to_vec(), "did you mean `k`"),
        (["track", ARM, "--path", "/nowhere.csv"].to_vec(), "/nowhere.csv"),
        ([straight.as_slice(), &["900", "--plot", "modes.jpg"]].concat(), ".svg"),
        ([straight.as_slice(), &["900", "--output", "modes.xls"]].concat(), ".csv, .json or .npz"),
    ] {
        let run = mb(&args);
        assert!(run.code == 1 && run.out.is_empty(), "{args:?}: {run:?}");
        let words = run.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(told), "{args:?}: {words}");
    }
    // Neither a straight path nor a file.
    assert_eq!(mb(&["track", ARM]).code, 1);
}

/// Below k = 1,104 the arm falls: the track ends there on its way down from the middle, and goes on to the other end.
#[test]
fn a_track_beyond_a_fold_keeps_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let [steps, first, again] = ["steps", "first.csv", "again.csv"].map(|name| folder.path().join(name));
    let track = |out: &std::path::Path| {
        let (steps, out) = (steps.to_str().unwrap(), out.to_str().unwrap());
        mb(&[
            "track",
            ARM,
            "--parameter",
            "k",
            "--from",
            "100",
            "--to",
            "5000",
            "--samples",
            "40",
            "--checkpoint",
            steps,
            "--output",
            out,
        ])
    };
    for out in [&first, &again] {
        let run = track(out);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.err.contains("with 32 of 40 samples") && run.err.contains("to k = 11"), "{}", run.err);
        assert!(run.err.contains("What to do: "), "{}", run.err);
    }
    let text = std::fs::read_to_string(&first).unwrap();
    assert_eq!(text, std::fs::read_to_string(&again).unwrap());
    let values: Vec<f64> =
        text.lines().skip(1).map(|row| row.split(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(values.len(), 32);
    assert!(values[0] > 1104.0 && values.last() == Some(&5000.0), "{values:?}");
}
