//! Expansions beyond the usual: groups of modes, large models, motion under constraints, singular configurations.

use crate::support::{json, mb, mb_with, model, right};

/// Two equal masses on equal springs: every eigenvalue twice; all springs have stiffness k.
pub(crate) const TWINS: &str = r#"
units = "SI"
name = "twins"
parameters = { k = 50.0, m = 2.0 }
point = [
    { name = "a", at = [0, 0], fixed = true }, { name = "b", at = [0, 1], fixed = true },
    { name = "p", at = [1, 0], mass = "m" }, { name = "q", at = [1, 1], mass = "m" },
]
spring = [
    { name = "s", a = "a", b = "p", stiffness = "k", natural_length = 0.5 },
    { name = "t", a = "b", b = "q", stiffness = "k", natural_length = 0.5 },
    { name = "u", a = "a", b = "q", stiffness = "k", natural_length = 1.0 },
    { name = "v", a = "b", b = "p", stiffness = "k", natural_length = 1.0 },
]
"#;

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap()
}

fn numbers(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// The JSON answer for a model from the standard input.
fn answer(args: &[&str], text: &str) -> serde_json::Value {
    let run = mb_with(&[args, &["--json"]].concat(), text);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}: {run:?}");
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn repeated_modes_are_expanded_together() {
    for group in ["1-2", "0.1%"] {
        let args = ["parametric", "-", "--parameters", "k", "--group", group, "--modes", "1-2"];
        let document = answer(&[args.as_slice(), &["--evaluate", "k=53"]].concat(), TWINS);
        let found = &document["pieces"][0]["groups"][0];
        assert_eq!(found["modes"], serde_json::json!([1, 2]));
        let mean = found["mean"].as_array().unwrap();
        assert_eq!((mean.len(), found["matrix"].as_array().unwrap().len()), (5, 5));
        // All springs alike: s grows with the root of k.
        let (s0, values) = (number(&mean[0][1]), &document["evaluations"][0]["groups"][0]["values"]);
        assert_eq!(values.as_array().unwrap().len(), 2);
        for s in values.as_array().unwrap() {
            assert!((number(&s[1]) / (s0 * (53.0_f64 / 50.0).sqrt()) - 1.0).abs() < 1e-7, "{s}");
        }
        assert_eq!(document["evaluations"][0]["groups"][0]["outside"], false);
    }
    // Every pair of twins is close.
    let all = answer(&["parametric", "-", "--parameters", "k", "--group", "0.1%"], TWINS);
    assert_eq!(all["pieces"][0]["groups"].as_array().unwrap().len(), 2);
    assert!(all["pieces"][0]["modes"].as_array().unwrap().is_empty());
    let text = mb_with(&["parametric", "-", "--parameters", "k", "--group", "1-2", "--modes", "1-2"], TWINS);
    assert!(text.code == 0 && text.out.contains("1+2"), "{text:?}");
}

/// One order, one set of terms and the same centres for all groups, as the accuracy needs them.
#[test]
fn groups_are_expanded_to_an_accuracy() {
    let base =
        ["parametric", "-", "--parameters", "k,m", "--group", "1-2", "--group", "3-4", "--modes", "1-4"];
    let exact = |k: f64, m: f64, s0: f64| s0 * (k / 50.0 * 2.0 / m).sqrt();
    let mut orders = Vec::new();
    for accuracy in ["1e-2", "1e-4", "1e-6"] {
        let ask = ["--accuracy", accuracy, "--region", "k=42..58", "--region", "m=10%"];
        let at = ["--evaluate", "k=58,m=1.8", "--evaluate", "k=42,m=2.2"];
        let document = answer(&[base.as_slice(), &ask, &at].concat(), TWINS);
        let piece = &document["pieces"][0];
        let group = &piece["groups"][0];
        assert_eq!(piece["groups"][1]["modes"], serde_json::json!([3, 4]));
        let terms = piece["exponents"].as_array().unwrap().len();
        assert_eq!(group["matrix"].as_array().unwrap().len(), terms);
        orders.push(piece["order"].as_u64().unwrap());
        let told: f64 = accuracy.parse().unwrap();
        let s0 = number(&group["mean"][0][1]);
        assert!(number(&group["region_error"]) <= 3.0 * told * s0, "{group}");
        for (found, [k, m]) in
            document["evaluations"].as_array().unwrap().iter().zip([[58.0, 1.8], [42.0, 2.2]])
        {
            for s in found["groups"][0]["values"].as_array().unwrap() {
                assert!((number(&s[1]) / exact(k, m, s0) - 1.0).abs() <= told, "{accuracy} {s}");
            }
            assert_eq!(found["groups"][0]["outside"], false);
        }
    }
    assert!(orders.is_sorted() && orders[0] < orders[2], "{orders:?}");
    // A group alone; the mass almost vanishes: several centres.
    let alone =
        ["parametric", "-", "--parameters", "m", "--group", "1-2", "--modes", "1-2", "--accuracy", "1e-4"];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("modes.npz");
    let more = ["--region", "m=0.3..3.7", "--output", file.to_str().unwrap()];
    let document = answer(&[alone.as_slice(), &more].concat(), TWINS);
    assert!(document["pieces"].as_array().unwrap().len() > 1, "{}", document["pieces"]);
    let bytes = std::fs::read(&file).unwrap();
    assert!(bytes.windows(20).any(|w| w == b"group_1_matrix_2.npy"));
}

#[test]
fn groups_that_make_no_sense_are_refused() {
    for (groups, told) in [
        (vec!["1"], "at least two modes"),
        (vec!["1-2", "2-3"], "mode 2 stands in two groups"),
        (vec!["x"], "`x` is not a number"),
        (vec!["1-9"], "there are 4 modes"),
        (vec!["0%"], "between 0 and 100"),
    ] {
        let mut args = vec!["parametric", "-", "--parameters", "k"];
        args.extend(groups.iter().flat_map(|g| ["--group", g]));
        let run = mb_with(&args, TWINS);
        assert!(run.code == 1 && run.err.contains(told), "{groups:?}: {run:?}");
    }
    // One of two twins and another mode are no group.
    let run = mb_with(&["parametric", "-", "--parameters", "k", "--group", "1,3", "--modes", "1,3"], TWINS);
    assert!(
        run.code == 2 && run.err.contains("group of their own") && run.err.contains("--group"),
        "{run:?}"
    );
}

#[test]
fn groups_are_followed_along_a_path() {
    let args =
        ["track", "-", "--parameter", "k", "--from", "45", "--to", "55", "--samples", "7", "--group", "1-2"];
    let args = [args.as_slice(), &["--modes", "1-2"]].concat();
    let document = answer(&args, TWINS);
    assert!(number(&document["groups"][0]["deviation"]) < 1e-5, "{}", document["groups"]);
    let samples = &document["samples"];
    let (k, first) = (numbers(&samples["k"]), numbers(&samples["group 1+2 value 1 frequency_hz"]));
    for (k, f) in k.iter().zip(&first) {
        assert!((f / first[3] - (k / 50.0).sqrt()).abs() < 1e-9, "{k} {f}");
    }
    assert!(document["mac"].as_array().unwrap().iter().all(|m| m.as_array().unwrap().is_empty()));
}

#[test]
fn mac_matrices_are_in_the_outputs() {
    let arm = "crates/mb-gallery/models/spring-arm.toml";
    let path = ["track", arm, "--parameter", "k", "--from", "800", "--to", "1000", "--samples", "4"];
    let document = json(&[path.as_slice(), &["--modes", "1-3"]].concat());
    let mac = document["mac"].as_array().unwrap();
    assert_eq!(mac.len(), 3);
    for (i, step) in mac.iter().enumerate() {
        for a in 0..3 {
            let row = numbers(&step[a]);
            assert!(row[a] > 0.9 && row.iter().enumerate().all(|(b, x)| a == b || *x < 0.1), "{row:?}");
            let n = document["modes"][a]["number"].as_u64().unwrap();
            let share = numbers(&document["samples"][&format!("mode {n} share")]);
            assert!((share[i + 1] - row[a].min(1.0)).abs() < 1e-15);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("modes.npz");
    right(&[path.as_slice(), &["--output", file.to_str().unwrap()]].concat());
    let bytes = std::fs::read(&file).unwrap();
    assert!(bytes.windows(7).any(|w| w == b"mac.npy"));
    // Shapes of the polynomials against those of the centre.
    let document =
        json(&["parametric", arm, "--parameters", "k", "--evaluate", "k=900", "--evaluate", "k=980"]);
    for (at, least) in document["evaluations"].as_array().unwrap().iter().zip([1.0 - 1e-12, 0.9]) {
        for (i, row) in at["mac"].as_array().unwrap().iter().enumerate() {
            assert!(numbers(row)[i] >= least, "{at}");
        }
    }
}

#[test]
fn a_large_model_is_expanded_and_followed_by_sparse_matrices() {
    let path = model("n-four-bar");
    let large = [path.as_str(), "--set", "N=300", "--set", "c=0.2"];
    let exact = |k: &str| {
        let found = json(&[&["modes"], large.as_slice(), &["--set", k]].concat());
        number(&found["formulations"][0]["eigenpairs"][0]["natural_frequency_hz"])
    };
    let found =
        json(&[&["parametric"], large.as_slice(), &["--parameters", "k", "--evaluate", "k=26"]].concat());
    assert_eq!(found["model"]["coordinates"].as_array().map(Vec::len), Some(603));
    let mode = &found["evaluations"][0]["modes"][0];
    let off = (number(&mode["natural_frequency_hz"]) - exact("k=26")).abs() * std::f64::consts::TAU;
    assert!(number(&mode["error"]) < 1e-4 && off < 3.0 * number(&mode["error"]), "{mode} {off}");
    let plan = ["--accuracy", "1e-5", "--region", "k=24..26", "--evaluate", "k=24"];
    let found = json(&[&["parametric"], large.as_slice(), &["--parameters", "k"], &plan].concat());
    let mode = &found["evaluations"][0]["modes"][0];
    assert!((number(&mode["natural_frequency_hz"]) / exact("k=24") - 1.0).abs() < 1e-5, "{mode}");
    let way = ["--parameter", "k", "--from", "24", "--to", "26", "--samples", "3"];
    let found = json(&[&["track"], large.as_slice(), &way].concat());
    assert!(number(&found["modes"][0]["frequency_deviation"]) < 1e-4, "{}", found["modes"]);
}

#[test]
fn mechanisms_in_motion_are_expanded() {
    let path = model("slider-crank");
    let motion = ["--about", "speed:crank.angle=6", "--instant", "--hold", "load"];
    let variables = ["--parameters", "crank.angle,speed:crank.angle", "--order", "2", "--modes", "all"];
    let args = [&["parametric", path.as_str()], motion.as_slice(), &variables].concat();
    let found = json(&args);
    assert_eq!(found["exponents"], false);
    let run = mb(&[&["parametric", path.as_str()], &motion[..2], &variables].concat());
    assert!(
        run.code == 1 && run.err.contains("--instant") && run.err.contains("no rates of growth"),
        "{run:?}"
    );
    let point = &found["pieces"][0]["point"];
    let (angle, w) =
        (number(&point["configuration"]["crank.angle"]), number(&point["speeds"]["crank.angle"]));
    assert!((w - 6.0).abs() < 1e-12);
    // The slider's speed from the geometry: r = 0.2 m, l = 0.6 m.
    let (sin, cos) = angle.sin_cos();
    let exact = w * (-0.2 * sin - 0.04 * sin * cos / (0.36 - 0.04 * sin * sin).sqrt());
    assert!((number(&point["speeds"]["slider.x"]) - exact).abs() < 1e-9, "{point}");
    // Two speeds of one degree of freedom.
    let both = ["--parameters", "speed:crank.angle,speed:slider.x"];
    let run = mb(&[&["parametric", path.as_str()], motion[..3].as_ref(), &both].concat());
    assert!(run.code == 1 && run.err.contains("follows from the constraints"), "{run:?}");
}

/// A parallelogram of two cranks and a rod, which lies flat at the angle zero.
const FLAT: &str = r#"
units = "SI"
name = "parallelogram with a load"
gravity = [0, 0]
parameters = { k = 300.0 }
point = [{ name = "load", at = [2.3, 0.4], mass = 0.4 }]
body = [
    { name = "crank", mass = 1.0, inertia = 0.1, at = [0, 0], angle = 0.6, markers = { end = [1, 0] } },
    { name = "rocker", mass = 1.0, inertia = 0.1, at = [2, 0], angle = 0.6, markers = { end = [1, 0] } },
]
joint = [
    { name = "A", type = "revolute", a = "crank", b = "ground" },
    { name = "B", type = "revolute", a = "rocker", b = [2, 0] },
    { name = "link", type = "distance", a = "crank.end", b = "rocker.end", length = 2.0 },
]
spring = [
    { name = "s", a = "crank.end", b = "load", stiffness = "k", natural_length = 1.2 },
    { name = "t", a = [2, 2], b = "load", stiffness = "k", natural_length = 1.2 },
    { name = "u", a = [3.5, 0], b = "load", stiffness = "k", natural_length = 1.0 },
]
torque = [{ name = "motor", on = "crank", input = "motor" }]
"#;

#[test]
fn a_singular_configuration_on_the_way_is_named() {
    let base = ["parametric", "-", "--parameters", "crank.angle", "--hold", "motor"];
    let beyond =
        [base.as_slice(), &["--evaluate", "crank.angle=-0.2", "--evaluate", "crank.angle=0.5"]].concat();
    let document = answer(&beyond, FLAT);
    let [beyond, inside] = [0, 1].map(|i| document["evaluations"][i].clone());
    assert!(beyond["rank_change"]["rows"][0].as_str().unwrap().contains("link"), "{beyond}");
    assert!(beyond["modes"].as_array().unwrap().iter().all(|m| m["outside"] == true), "{beyond}");
    assert!(inside["rank_change"].is_null() && inside["modes"][0]["outside"] == false, "{inside}");
    let region = ["--region", "crank.angle=-0.1..0.7"];
    for extra in
        [[region.as_slice(), &["--order", "3"]].concat(), [&region[..], &["--accuracy", "1e-2"]].concat()]
    {
        let run = mb_with(&[base.as_slice(), &extra].concat(), FLAT);
        let words = run.err.split_whitespace().filter(|w| *w != "│").collect::<Vec<_>>().join(" ");
        assert!(run.code == 1 && words.contains("lose rank") && words.contains("link"), "{run:?}");
    }
    // With the rod's length a variable too it is singular at one point of the region alone, near every straight way.
    let text = FLAT.replace("k = 300.0", "k = 300.0, rod = 1.9").replace("length = 2.0", "length = \"rod\"");
    let text = text.replace("angle = 0.6", "angle = 0.3");
    let both = ["parametric", "-", "--parameters", "crank.angle,rod", "--hold", "motor", "--order", "4"];
    let box_of = |rod: &'static str| ["--region", "crank.angle=-0.15..0.4", "--region", rod];
    let run = mb_with(&[both.as_slice(), &box_of("rod=1.85..2")].concat(), &text);
    let words = run.err.split_whitespace().filter(|w| *w != "│").collect::<Vec<_>>().join(" ");
    assert!(run.code == 1 && words.contains("lose rank") && words.contains("rod = 2"), "{run:?}");
    let run = mb_with(&[both.as_slice(), &box_of("rod=1.85..1.93")].concat(), &text);
    assert_eq!(run.code, 0, "{run:?}");
    let way =
        ["track", "-", "--parameter", "crank.angle", "--from", "0.61", "--to", "-0.2", "--hold", "motor"];
    let run = mb_with(&[way.as_slice(), &["--samples", "8", "--order", "2"]].concat(), FLAT);
    // The samples on this side are kept.
    assert!(run.code == 2 && run.err.contains("lose rank") && run.err.contains("6 of 8 samples"), "{run:?}");
}
