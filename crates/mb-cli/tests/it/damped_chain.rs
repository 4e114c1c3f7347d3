//! A floating beam with a chain of bodies on universal joints that dampers alone hold: many zeros that the geometry knows, and slow rates beside
//! the stiffness of the beam.

use crate::support::mb_with;
use serde_json::Value;
use std::fmt::Write as _;

/// `stiff` true: a rigid body with the mass and the moments of inertia of the beam in its place.
fn chain(bodies: usize, elements: usize, stiff: bool) -> String {
    let mut text = "units = \"SI\"\nname = \"damped chain\"\n".to_owned();
    let end = if stiff {
        // A round bar of radius r: m l^2 / 12 + m r^2 / 4 across, m r^2 / 2 along.
        let mass = 7850.0 * std::f64::consts::PI * 0.02_f64.powi(2);
        let (across, along) = (mass / 12.0 + mass * 1e-4, mass * 2e-4);
        let _ = write!(
            text,
            "[[spatial-body]]\nname = \"bar\"\nmass = {mass}\ninertia = [{along}, {across}, {across}]\nat = [0.5, 0, 0]\n\
             markers = {{ end = [0.5, 0, 0] }}\n"
        );
        "bar.end"
    } else {
        let _ = write!(
            text,
            "[[beam]]\nname = \"bar\"\nfrom = [0, 0, 0]\nto = [1, 0, 0]\nelements = {elements}\ndensity = 7850\n\
             youngs_modulus = 2.1e11\npoissons_ratio = 0.3\nsection = {{ radius = 0.02 }}\n"
        );
        "bar.end"
    };
    for i in 0..bodies {
        let a = if i == 0 { end.to_owned() } else { format!("u{}.right", i - 1) };
        let _ = write!(
            text,
            "[[spatial-body]]\nname = \"u{i}\"\nmass = 1\ninertia = [1e-2, 1e-2, 1e-2]\nat = [\"1.05+0.1*{i}\", 0, 0]\n\
             markers = {{ left = [-0.05, 0, 0], right = [0.05, 0, 0] }}\n\
             [[joint]]\nname = \"j{i}\"\ntype = \"universal\"\na = \"u{i}.left\"\nb = \"{a}\"\naxis = [0, 1, 0]\naxis_a = [0, 0, 1]\n\
             [[bushing]]\nname = \"d{i}\"\na = \"u{i}.left\"\nb = \"{a}\"\nstiffness = [0, 0, 0, 0, 0, 0]\n\
             damping = [0, 0, 0, 0.02, 0.02, 0.02]\n"
        );
    }
    text
}

/// Eigenvalues with their bounds, by class.
fn modes(text: &str, options: &[&str]) -> (Vec<[f64; 3]>, Vec<[f64; 3]>) {
    let run = mb_with(&[&["modes", "-", "--json"], options].concat(), text);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{options:?}");
    let document: Value = serde_json::from_str(&run.out).unwrap();
    let pairs = document["formulations"][0]["eigenpairs"].as_array().unwrap();
    let of_class = |kind: &str| {
        let own = pairs.iter().filter(|p| p["class"]["kind"] == kind);
        own.map(|p| ["re", "im", "error_bound"].map(|key| p[key].as_f64().unwrap())).collect()
    };
    (of_class("rigid"), of_class("physical"))
}

/// Two zeros for each joint and twice six of the whole, all exact, whatever is asked for.
#[test]
fn zeros_of_a_damped_chain_beside_a_beam_are_exact() {
    let text = chain(20, 10, false);
    let (zeros, others) = modes(&text, &["--lowest", "10"]);
    assert_eq!((zeros, others.len()), (vec![[0.0; 3]; 10], 0));
    for options in [&["--lowest", "200"][..], &["--all"]] {
        let (zeros, _) = modes(&text, options);
        assert_eq!(zeros, vec![[0.0; 3]; 52], "{options:?}");
    }
}

/// The rates of the dampers are those of the chain on a rigid body: the beam moves them by the ratio of the dampers' forces to its stiffness.
#[test]
fn rates_of_a_damped_chain_beside_a_beam_are_those_beside_a_rigid_body() {
    let (zeros, exact) = modes(&chain(8, 1, true), &["--all"]);
    assert_eq!(zeros.len(), 28);
    let (zeros, found) = modes(&chain(8, 4, false), &["--lowest", "48"]);
    assert_eq!(zeros.len(), 28);
    let rates: Vec<f64> = exact.iter().filter(|s| s[1] == 0.0).map(|s| s[0]).collect();
    assert_eq!(rates.len(), 16);
    for rate in rates {
        let off = |s: &[f64; 3]| (rate - s[0]).hypot(s[1]) - s[2].min(0.5 * rate.abs());
        let least = found.iter().map(off).fold(f64::INFINITY, f64::min);
        assert!(least <= 1e-4 * rate.abs(), "{rate}: {least:e} of {found:?}");
    }
}
