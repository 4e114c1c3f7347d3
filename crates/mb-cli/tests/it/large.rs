//! Parts of the spectrum of models, large models by sparse matrices, and matrices that leave as files.

use crate::support::{json, mb, mb_with, model, right};

/// re, im and error bound of the pairs with Im s >= 0.
fn pairs(found: &serde_json::Value) -> Vec<[f64; 3]> {
    let list = found["formulations"][0]["eigenpairs"].as_array().unwrap();
    let number = |p: &serde_json::Value, key: &str| p[key].as_f64().unwrap();
    let all = list.iter().map(|p| [number(p, "re"), number(p, "im"), number(p, "error_bound")]);
    all.filter(|[_, im, _]| *im >= 0.0).collect()
}

/// Both spectra hold the same eigenvalues within their error bounds.
fn assert_same(a: &serde_json::Value, b: &serde_json::Value) {
    let (a, b) = (pairs(a), pairs(b));
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(&b) {
        let difference = (a[0] - b[0]).hypot(a[1] - b[1]);
        assert!(difference <= a[2] + b[2], "{a:?} {b:?}");
    }
}

#[test]
fn a_part_agrees_with_the_whole() {
    for (name, set) in [("n-four-bar", "N=40"), ("double-pendulum-rigid", "c=0.3"), ("slider-crank", "L=0.4")]
    {
        let path = model(name);
        let mut args = vec!["modes", path.as_str()];
        if name != "slider-crank" {
            args.extend(["--set", set]);
        }
        let whole = json(&args);
        args.extend(["--lowest", "9"]);
        let part = json(&args);
        assert_same(&whole, &part);
        assert_eq!(part["formulations"][0]["request"], "the 9 modes of lowest frequency");
    }
}

#[test]
fn a_multiple_eigenvalue_that_a_request_cuts_leaves_modes_out_and_says_so() {
    let text = "units = \"SI\"\nname = \"three\"\n[[repeat]]\nindex = \"i\"\nfrom = 1\nto = 30\n\
        [[repeat.body]]\nname = \"b{i}\"\nmass = 1\ninertia = 1\nat = [\"i\", 0]\n\
        [[repeat.joint]]\nname = \"g{i}\"\ntype = \"prismatic\"\na = \"b{i}\"\nb = \"ground\"\naxis = [0, 1]\n\
        [[repeat.spring]]\nname = \"s{i}\"\na = \"b{i}\"\nb = [\"i\", -1]\nstiffness = \"10 + 5*i*(1 + sign(i - 3.5))\"\n\
        natural_length = 1\n";
    let told = |count: &str| mb_with(&["modes", "-", "--lowest", count], text).out;
    let cut = told("2");
    assert!(
        cut.contains("All 3 modes below ") && cut.contains(" were found, 1 of which is left out: "),
        "{cut}"
    );
    assert!(
        cut.contains("has at least 3 modes, of which 2 are returned") && !cut.contains("is missing"),
        "{cut}"
    );
    assert!(told("3").contains("No mode is missing below "));
}

#[test]
fn a_large_model_goes_to_sparse_matrices_and_says_so() {
    let found = right(&["modes", &model("n-four-bar"), "--set", "N=400"]);
    assert!(
        found.contains("803 coordinates, 802 constraint rows of rank 802, 1 degree of freedom"),
        "{found}"
    );
    assert!(found.contains("equilibrium: stable"), "{found}");
    assert!(found.contains("constrained/sparse: the 20 modes of lowest frequency"), "{found}");
    assert!(found.contains("More than 1000 coordinates and constraint rows"), "{found}");
    assert!(!found.contains("were asked for"), "{found}");
    assert!(found.contains("eigenvalues: 2 of the motion, of the 2 that theory counts"), "{found}");
}

#[test]
fn no_more_modes_are_given_than_there_are() {
    let found = json(&["modes", &model("n-four-bar"), "--set", "N=300", "--set", "c=0.2", "--lowest", "20"]);
    let [pair, conjugate] = pairs_of(&found);
    // One degree of freedom: 300 loops swing as one.
    assert!((pair[0] - conjugate[0]).abs() < 1e-12 && (pair[1] + conjugate[1]).abs() < 1e-12, "{pair:?}");
    assert!(pair[2] < 1e-9, "{pair:?}");
}

/// The two pairs of a spectrum that has no more.
fn pairs_of(found: &serde_json::Value) -> [[f64; 3]; 2] {
    let list = found["formulations"][0]["eigenpairs"].as_array().unwrap();
    let number = |p: &serde_json::Value, key: &str| p[key].as_f64().unwrap();
    let all: Vec<[f64; 3]> =
        list.iter().map(|p| [number(p, "re"), number(p, "im"), number(p, "error_bound")]).collect();
    all.try_into().unwrap()
}

#[test]
fn redundant_rows_of_a_large_model_are_named_in_its_order() {
    let mut text = right(&["generate", "n-four-bar", "--set", "N=400"]);
    text.push_str(
        "\n[[joint]]\nname = \"again\"\ntype = \"distance\"\na = \"B0\"\nb = \"B1\"\nlength = 1.0\n",
    );
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.toml");
    std::fs::write(&path, text).unwrap();
    let found = json(&["equilibrium", path.to_str().unwrap()]);
    let redundant = found["model"]["redundant_constraints"].as_array().unwrap();
    assert_eq!(redundant.len(), 1, "{redundant:?}");
    assert_eq!(redundant[0]["name"], "joint 'again' (length)");
    assert_eq!(redundant[0]["depends_on"].as_array().unwrap().len(), 1, "{redundant:?}");
    assert_eq!(found["equilibria"][0]["stability"]["kind"], "stable");
}

#[test]
fn parts_are_given_of_formulations_that_have_them() {
    let path = model("flexible-double-pendulum");
    let of = |formulation: &str| {
        let set = ["--set", "n=12", "--lowest", "4", "--formulation", formulation];
        let penalty = if formulation == "unconstrained" { &["--alpha", "1e7"][..] } else { &[] };
        json(&[&["modes", &path][..], &set, penalty].concat())["formulations"][0].clone()
    };
    let frequency = |found: &serde_json::Value, i: usize| found["eigenpairs"][2 * i]["im"].as_f64().unwrap();
    let (minimal, redundant, penalty) = (of("minimal"), of("redundant"), of("unconstrained"));
    assert_eq!((&redundant["name"], &penalty["name"]), (&minimal["name"], &"unconstrained/sparse".into()));
    for i in 0..4 {
        let exact = frequency(&minimal, i);
        assert!((frequency(&redundant, i) - exact).abs() < 1e-12 * exact);
        let off = (frequency(&penalty, i) - exact).abs() / exact;
        assert!(off > 1e-12 && off < 1e-4, "mode {i}: {off:e}");
        assert!(penalty["eigenpairs"][2 * i]["penalty_share"].as_f64().unwrap() < 1e-3);
    }
    // Other requests are parts of whole spectra.
    let near = |formulation: &str| {
        let found = json(&["modes", &path, "--near", "2", "--count", "3", "--formulation", formulation]);
        found["formulations"][0].clone()
    };
    let (minimal, penalty) = (near("minimal"), near("unconstrained"));
    for i in 0..3 {
        let exact = frequency(&minimal, i);
        assert!((frequency(&penalty, i) - exact).abs() < 1e-4 * exact, "mode {i}");
    }
}

#[test]
fn exported_matrices_have_the_modes_of_the_model() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("new").join("folder");
    let at = |name: &str| out.join(name).to_str().unwrap().to_owned();
    let path = model("slider-crank");
    let text = right(&["export", &path, "--out", out.to_str().unwrap()]);
    assert!(text.contains("Phi_q.mtx") && text.contains("equilibrium: stable"), "{text}");
    let stiffness = std::fs::read_to_string(at("K.mtx")).unwrap();
    assert!(
        stiffness.contains("stiffness of the constraint reactions") && stiffness.contains("% coordinate 1: ")
    );
    let [m, c, k, g] = ["M.mtx", "C.mtx", "K.mtx", "Phi_q.mtx"].map(at);
    let from_files = json(&["modes", "--mass", &m, "--damping", &c, "--stiffness", &k, "--constraints", &g]);
    assert_same(&json(&["modes", &path]), &from_files);
    let blocked = dir.path().join("file");
    std::fs::write(&blocked, "").unwrap();
    let run = mb(&["export", &path, "--out", blocked.join("x").to_str().unwrap()]);
    assert!(run.code == 1 && run.err.contains("cannot be written"), "{run:?}");
}
