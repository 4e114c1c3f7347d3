//! `mb parametric`: polynomials against the program itself at other parameters; mistakes.

use crate::expansions::TWINS;
use crate::support::{json, mb, mb_with, right};

/// The example that `mb generate` prints.
const ARM: &str = "crates/mb-gallery/models/spring-arm.toml";

/// Natural frequency and damping ratio by number of the mode, from `mb modes`.
fn modes(set: &[&str]) -> Vec<(f64, f64)> {
    let mut args = vec!["modes", ARM];
    args.extend(set.iter().flat_map(|s| ["--set", s]));
    let document = json(&args);
    let pairs = document["formulations"][0]["eigenpairs"].as_array().unwrap().clone();
    let upper = pairs.iter().filter(|p| p["im"].as_f64().unwrap() > 0.0);
    upper
        .map(|p| (p["natural_frequency_hz"].as_f64().unwrap(), p["damping_ratio"].as_f64().unwrap()))
        .collect()
}

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn a_place_that_is_no_equilibrium_is_reported_with_the_one_found() {
    let about = |value: &str| {
        let run = mb(&["parametric", ARM, "--about", &format!("crank.angle={value}"), "--parameters", "k"]);
        assert_eq!(run.code, 0, "{}", run.err);
        run.out.contains("--about gave crank.angle")
    };
    assert!(about("1"));
    let rest = number(&json(&["equilibrium", ARM])["equilibria"][0]["configuration"]["crank.angle"]);
    assert!(!about(&rest.to_string()));
}

#[test]
fn polynomials_give_what_the_model_gives_at_other_parameters() {
    let at = "k=940,m=0.72";
    let document = json(&["parametric", ARM, "--parameters", "k,m", "--evaluate", at]);
    assert_eq!(document["pieces"][0]["order"], 4);
    assert_eq!(document["pieces"][0]["exponents"].as_array().unwrap().len(), 15);
    assert_eq!(document["pieces"][0]["exponents"][4], serde_json::json!([1, 1]));
    let exact = modes(&["k=940", "m=0.72"]);
    let found = document["evaluations"][0]["modes"].as_array().unwrap();
    assert_eq!(found.len(), exact.len());
    for (mode, (frequency, damping)) in found.iter().zip(exact) {
        let off = (number(&mode["natural_frequency_hz"]) / frequency - 1.0).abs();
        assert!(off < 1e-6, "{mode} {frequency}");
        assert!((number(&mode["damping_ratio"]) / damping - 1.0).abs() < 1e-4, "{mode} {damping}");
        // The estimate is of the size of the error of the eigenvalue, or both are at rounding.
        let size = std::f64::consts::TAU * frequency;
        assert!(number(&mode["error"]) < 1e-5 * size && mode["outside"] == false, "{mode}");
    }
}

#[test]
fn sensitivities_are_the_slopes_of_the_modes() {
    let document = json(&["parametric", ARM, "--parameters", "k,c", "--order", "1"]);
    let (above, below) = (modes(&["k=900.9"]), modes(&["k=899.1"]));
    for (i, mode) in document["pieces"][0]["modes"].as_array().unwrap().iter().enumerate() {
        let of = |which: &str| number(&mode["sensitivities"][0][which]);
        let slope = (above[i].0 - below[i].0) / 1.8;
        assert!((of("natural_frequency_hz") - slope).abs() < 1e-5 * slope.abs(), "{mode}");
        let slope = (above[i].1 - below[i].1) / 1.8;
        assert!((of("damping_ratio") - slope).abs() < 1e-4 * slope.abs().max(1e-6), "{mode}");
    }
}

/// The polynomials of an accuracy in a region, with the largest error at points of it against the model itself.
fn planned(accuracy: &str, region: &[&str], points: &[[&str; 2]]) -> (serde_json::Value, f64) {
    let mut args = vec!["parametric", ARM, "--parameters", "k,m", "--accuracy", accuracy];
    args.extend(region.iter().flat_map(|r| ["--region", r]));
    let at: Vec<String> = points.iter().map(|p| p.join(",")).collect();
    args.extend(at.iter().flat_map(|p| ["--evaluate", p.as_str()]));
    let document = json(&args);
    let mut worst = 0.0_f64;
    for (point, found) in points.iter().zip(document["evaluations"].as_array().unwrap()) {
        for (mode, (frequency, _)) in found["modes"].as_array().unwrap().iter().zip(modes(point)) {
            worst = worst.max((number(&mode["natural_frequency_hz"]) / frequency - 1.0).abs());
            assert_eq!(mode["outside"], false, "{point:?}: {mode}");
        }
    }
    (document, worst)
}

#[test]
fn an_accuracy_chooses_the_order_that_keeps_it() {
    let region = ["k=800..1000", "m=4%"];
    let corners = [["k=800", "m=0.672"], ["k=1000", "m=0.728"], ["k=830", "m=0.72"]];
    let order = |accuracy: &str| {
        let (document, worst) = planned(accuracy, &region, &corners);
        assert!(worst <= accuracy.parse().unwrap(), "{accuracy}: {worst}");
        let pieces = document["pieces"].as_array().unwrap();
        assert_eq!(pieces.len(), 1);
        pieces[0]["order"].as_u64().unwrap()
    };
    let (coarse, fine) = (order("1e-2"), order("1e-6"));
    assert!(coarse < fine, "{coarse} {fine}");
}

#[test]
fn a_wide_region_gets_several_centres() {
    let points = [["k=400", "m=0.7"], ["k=700", "m=0.705"], ["k=1000", "m=0.71"]];
    let (document, worst) = planned("1e-4", &["k=400..2500", "m=2%"], &points);
    assert!(document["pieces"].as_array().unwrap().len() > 1, "{}", document["pieces"]);
    assert!(worst < 1e-4, "{worst}");
}

#[test]
fn tolerances_become_bars_of_frequency() {
    let args = ["parametric", ARM, "--parameters", "k,m", "--tolerance", "k=5%", "--tolerance", "m=0.01"];
    let document = json(&args);
    let modes = document["pieces"][0]["modes"].as_array().unwrap();
    for (mode, spreads) in modes.iter().zip(document["tolerances"].as_array().unwrap()) {
        let slope = |i: usize| number(&mode["sensitivities"][i]["natural_frequency_hz"]);
        let (k, m) = ((slope(0) * 45.0).abs(), (slope(1) * 0.01).abs());
        assert!((number(&spreads["frequency_worst_case"]) / (k + m) - 1.0).abs() < 1e-9, "{spreads}");
        assert!((number(&spreads["frequency_independent"]) / k.hypot(m) - 1.0).abs() < 1e-9, "{spreads}");
    }
}

#[test]
fn coordinates_are_held_by_inputs() {
    let args = [
        "parametric",
        ARM,
        "--about",
        "crank.angle=20deg",
        "--parameters",
        "crank.angle",
        "--hold",
        "motor",
        "--evaluate",
        "crank.angle=0.4",
    ];
    let document = json(&args);
    let held = &document["pieces"][0]["point"]["held"][0];
    assert_eq!((held["coordinate"].as_str(), held["input"].as_str()), (Some("crank.angle"), Some("motor")));
    let angle = number(&document["pieces"][0]["point"]["configuration"]["crank.angle"]);
    assert!((angle - 20.0_f64.to_radians()).abs() < 1e-14);
    assert!(
        number(&document["pieces"][0]["point"]["inputs"]["motor"]).abs() > 1.0,
        "the motor works against spring and weight"
    );
    // The same from the other place.
    let args = [
        "parametric",
        ARM,
        "--about",
        "crank.angle=0.4",
        "--parameters",
        "crank.angle",
        "--hold",
        "motor",
        "--order",
        "1",
    ];
    let there = json(&args);
    let found = document["evaluations"][0]["modes"].as_array().unwrap();
    for (mode, exact) in found.iter().zip(there["pieces"][0]["modes"].as_array().unwrap()) {
        let frequency = number(&exact["natural_frequency_hz"]);
        assert!((number(&mode["natural_frequency_hz"]) / frequency - 1.0).abs() < 1e-6, "{mode} {exact}");
    }
}

#[test]
fn files_hold_the_polynomials() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (npz, file) = (path("modes.npz"), path("modes.json"));
    let args = [
        "parametric",
        ARM,
        "--parameters",
        "k,m",
        "--order",
        "2",
        "--modes",
        "1,3-4",
        "--output",
        &npz,
        "--output",
        &file,
    ];
    let text = right(&args);
    assert!(text.contains("polynomials of order 2 in 2 variables, 6 terms"), "{text}");
    let bytes = std::fs::read(&npz).unwrap();
    assert!(bytes.starts_with(b"PK"));
    for name in ["exponents", "eigenvalues", "vectors", "variables", "centre"] {
        let entry = format!("{name}.npy");
        assert!(bytes.windows(entry.len()).any(|w| w == entry.as_bytes()), "{name}");
    }
    let document: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let modes = document["pieces"][0]["modes"].as_array().unwrap();
    assert_eq!(modes.iter().map(|m| m["number"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 3, 4]);
    // 6 terms of n components of 2 numbers.
    let vector = modes[0]["vector"].as_array().unwrap();
    let n = document["model"]["coordinates"].as_array().unwrap().len();
    assert_eq!((vector.len(), vector[0].as_array().unwrap().len()), (6, n));
    // The polynomial of the eigenvalue is the program's: summed by the exponents it is the evaluation.
    let d: [f64; 2] = [30.0, 0.01];
    let exponents = document["pieces"][0]["exponents"].as_array().unwrap();
    let sum = |part: usize| -> f64 {
        let list = modes[1]["eigenvalue"].as_array().unwrap();
        let terms = list.iter().zip(exponents);
        terms.map(|(c, e)| number(&c[part]) * d[0].powf(number(&e[0])) * d[1].powf(number(&e[1]))).sum()
    };
    let args = [
        "parametric",
        ARM,
        "--parameters",
        "k,m",
        "--order",
        "2",
        "--modes",
        "3",
        "--evaluate",
        "k=930,m=0.71",
    ];
    let mode = json(&args)["evaluations"][0]["modes"][0].clone();
    assert!(
        (sum(0) - number(&mode["re"])).abs() < 1e-12 && (sum(1) - number(&mode["im"])).abs() < 1e-11,
        "{mode}"
    );
}

#[test]
fn values_out_of_reach_are_marked() {
    let document =
        json(&["parametric", ARM, "--parameters", "m", "--evaluate", "m=0.72", "--evaluate", "m=3"]);
    let outside = |i: usize| -> Vec<bool> {
        let modes = document["evaluations"][i]["modes"].as_array().unwrap();
        modes.iter().map(|m| m["outside"].as_bool().unwrap()).collect()
    };
    // Every mode reaches as far as a mass that is not there: 0.7 kg to both sides.
    assert!(outside(0).iter().all(|x| !x) && outside(1).iter().all(|x| *x), "{document}");
    let text = right(&["parametric", ARM, "--parameters", "m", "--evaluate", "m=3"]);
    assert!(text.contains("outside") && text.contains("the values mean nothing"), "{text}");
}

/// The lines of Python in the documentation give the program's own values, where Python and numpy are available.
#[test]
fn the_documented_lines_of_python_evaluate_the_polynomials() {
    let python = |folder: &std::path::Path, code: &str| {
        std::process::Command::new("python3").current_dir(folder).args(["-c", code]).output()
    };
    let folder = tempfile::tempdir().unwrap();
    if !python(folder.path(), "import numpy").is_ok_and(|run| run.status.success()) {
        return;
    }
    let file = folder.path().join("modes.npz");
    let args = ["parametric", ARM, "--parameters", "k,m", "--output", file.to_str().unwrap()];
    let document = json(&[args.as_slice(), &["--evaluate", "k=950,m=0.72"]].concat());
    let docs = format!("{}/../../docs/json-output.md", env!("CARGO_MANIFEST_DIR"));
    let docs = std::fs::read_to_string(docs).unwrap();
    let code = docs.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    let run =
        python(folder.path(), &format!("{code}\nprint('\\n'.join(repr(float(abs(x))) for x in s))")).unwrap();
    assert!(run.status.success(), "{run:?}");
    let text = String::from_utf8(run.stdout).unwrap();
    let found = document["evaluations"][0]["modes"].as_array().unwrap();
    let sizes: Vec<f64> = text.lines().rev().take(found.len()).map(|line| line.parse().unwrap()).collect();
    for (mode, size) in found.iter().zip(sizes.iter().rev()) {
        let exact = std::f64::consts::TAU * number(&mode["natural_frequency_hz"]);
        assert!((size / exact - 1.0).abs() < 1e-12, "{mode} {size}");
    }
}

/// Code and message of a request that must fail.
fn refused(args: &[&str]) -> (i32, String) {
    let run = mb(args);
    assert!(run.out.is_empty(), "{args:?}: {run:?}");
    // Lines are broken for the terminal.
    (run.code, run.err.split_whitespace().filter(|w| *w != "│" && *w != "|").collect::<Vec<_>>().join(" "))
}

#[test]
fn names_that_are_not_there_are_reported_with_the_nearest() {
    for (extra, told) in [
        (["--parameters", "stya"], "did you mean `stay`"),
        (["--parameters", "speed:crank.angel"], "did you mean `speed:crank.angle`"),
        (["--parameters", "input:motr"], "did you mean `input:motor`"),
        (["--parameters", "colour"], "its names: "),
        (["--parameters", "acceleration:crank.angle"], "is an acceleration"),
    ] {
        let (code, text) = refused(&[["parametric", ARM].as_slice(), &extra].concat());
        assert!(code == 1 && text.contains(told), "{extra:?}: {code} {text}");
    }
    for (extra, told) in [
        (["--about", "q=1"], "no parameter, coordinate or input `q`"),
        (["--hold", "engine"], "no input `engine`"),
        (["--region", "m=1..2"], "`m` is not among the variables"),
        (["--region", "k=950..1000"], "the point of expansion has k = 900"),
        (["--evaluate", "c=1"], "`c` is not among the variables"),
        (["--tolerance", "c=1"], "`c` is not among the variables"),
        (["--modes", "9"], "there are 5 modes"),
        (["--modes", "first"], "`first` is not a number"),
        (["--output", "modes.mat"], "does not end in .npz or .json"),
    ] {
        let (code, text) = refused(&[["parametric", ARM, "--parameters", "k"].as_slice(), &extra].concat());
        assert!(code == 1 && text.contains(told), "{extra:?}: {code} {text}");
    }
}

#[test]
fn what_cannot_be_expanded_is_reported() {
    // A parameter that does not enter.
    let text = std::fs::read_to_string(format!(
        "{}/../mb-gallery/models/spring-arm.toml",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap();
    let painted = text.replace("[parameters]\n", "[parameters]\npaint = 3.0\n");
    let run = mb_with(&["parametric", "-", "--parameters", "paint"], &painted);
    assert!(run.code == 1 && run.err.contains("does not enter"), "{run:?}");
    // More terms than fit.
    let (code, text) = refused(&["parametric", ARM, "--parameters", "k,m,c,L,stay", "--order", "40"]);
    assert!(code == 1 && text.contains("GB of tables"), "{code} {text}");
    let (code, text) = refused(&["parametric", ARM, "--parameters", "k,m,c,L", "--order", "9"]);
    assert!(code == 1 && text.contains("at most 495"), "{code} {text}");
    // A coordinate that nothing holds, and a speed where constraints would have to follow.
    let (code, text) = refused(&["parametric", ARM, "--parameters", "crank.angle"]);
    assert!(code == 1 && text.contains("--hold"), "{code} {text}");
    // No equilibrium.
    let (code, text) =
        refused(&["parametric", ARM, "--parameters", "k", "--about", "crank.angle=1", "--no-solve"]);
    assert!(code == 1 && text.contains("equilibrium"), "{code} {text}");
    // An accuracy below rounding.
    let region = ["--accuracy", "1e-17", "--region", "k=880..920"];
    let (code, text) = refused(&[["parametric", ARM, "--parameters", "k"].as_slice(), &region].concat());
    assert!(code == 2 && text.contains("is not reached"), "{code} {text}");
}

#[test]
fn a_repeated_eigenvalue_is_refused_with_its_mode() {
    let run = mb_with(&["parametric", "-", "--parameters", "k"], TWINS);
    assert!(run.code == 2 && run.err.contains("Mode 1") && run.err.contains("not simple"), "{run:?}");
    assert!(run.err.contains("--modes"), "{run:?}");
    let run = mb_with(&["parametric", "-", "--parameters", "k", "--json"], TWINS);
    let error: serde_json::Value = serde_json::from_str(&run.err).unwrap();
    assert_eq!(error["error"]["kind"], "expansion");
}

#[test]
fn a_defective_eigenvalue_is_refused_with_its_gap() {
    // Critical damping: c^2 = 4 k I makes s = -4 rad/s double with one vector.
    let critical = r#"
        units = "SI"
        name = "door"
        parameters = { k = 8.0, c = 4.0 }
        point = [{ name = "p", at = [0, 0], fixed = true }]
        body = [{ name = "door", mass = 1.0, inertia = 0.5, at = [0, 0] }]
        joint = [{ name = "hinge", type = "revolute", a = "door", b = "p" }]
        torsion-spring = [{ name = "closer", a = "ground", b = "door", stiffness = "k", damping = "c" }]
    "#;
    let run = mb_with(&["parametric", "-", "--parameters", "k"], critical);
    let words = run.err.split_whitespace().filter(|w| *w != "│").collect::<Vec<_>>().join(" ");
    assert!(run.code == 2 && words.contains("not simple") && words.contains("-4.0"), "{run:?}");
    // Both together have a series: their mean is -c / 2I whatever k is.
    let run = mb_with(&["parametric", "-", "--parameters", "k", "--group", "1-2", "--json"], critical);
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let mean = document["pieces"][0]["groups"][0]["mean"].as_array().unwrap();
    assert!((number(&mean[0][0]) + 4.0).abs() < 1e-7, "{mean:?}");
    assert!(mean[1..].iter().all(|c| number(&c[0]).abs() < 1e-6), "{mean:?}");
}
