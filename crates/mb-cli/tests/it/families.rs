//! The rod on a pin: +-i sqrt(3 g / (2 L)) hanging, the real pair upright, in every formulation.

use crate::support::{json, mb_with, model};
use std::fmt::Write as _;

/// Physical eigenvalues (re, im) of a formulation of the document.
fn physical(document: &serde_json::Value, formulation: usize) -> Vec<(f64, f64)> {
    let pairs = document["formulations"][formulation]["eigenpairs"].as_array().unwrap();
    let motion = pairs.iter().filter(|p| p["class"]["kind"] == "physical");
    motion.map(|p| (p["re"].as_f64().unwrap(), p["im"].as_f64().unwrap())).collect()
}

#[test]
fn a_hanging_rod_swings_in_all_three() {
    for length in [0.3, 1.5, 4.0] {
        let set = format!("L={length}");
        let found = json(&["modes", &model("rod-pendulum"), "--formulation", "all", "--set", &set]);
        let expected = (1.5 * 9.81_f64 / length).sqrt();
        assert_eq!(found["equilibrium"]["stability"]["kind"], "stable");
        // The penalty form is an approximation of the order 1 / alpha.
        for (formulation, tolerance) in [(0, 1e-12), (1, 1e-12), (2, 1e-4)] {
            let values = physical(&found, formulation);
            assert_eq!(values.len(), 2, "{values:?}");
            for ((re, im), sign) in values.into_iter().zip([1.0, -1.0]) {
                assert!(re.abs() < tolerance * expected, "{formulation}: re = {re:e}");
                assert!((sign * im - expected).abs() < tolerance * expected, "{formulation}: im = {im}");
            }
        }
    }
}

#[test]
fn an_upright_rod_falls_in_all_three() {
    let found = json(&["modes", &model("rod-pendulum-upright"), "--formulation", "all"]);
    let expected = (1.5 * 9.81_f64 / 1.5).sqrt();
    assert_eq!(found["equilibrium"]["stability"]["kind"], "unstable");
    for (formulation, tolerance) in [(0, 1e-12), (1, 1e-12), (2, 1e-4)] {
        let mut values = physical(&found, formulation);
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(values.len(), 2, "{values:?}");
        for ((re, im), sign) in values.into_iter().zip([-1.0, 1.0]) {
            assert!(
                im == 0.0 && (sign * re - expected).abs() < tolerance * expected,
                "{formulation}: {re} {im}"
            );
        }
    }
}

#[test]
fn every_basis_and_every_transfer_gives_the_same_motion() {
    let path = model("double-pendulum-rigid");
    let reference = physical(&json(&["modes", &path]), 0);
    assert_eq!(reference.len(), 4);
    let mut variants: Vec<Vec<&str>> = Vec::new();
    for basis in ["svd", "gram-schmidt", "zero-eigenvalue", "selection", "selection=upper.angle,lower.angle"]
    {
        variants.push(vec!["modes", &path, "--basis", basis]);
    }
    for moved in ["none", "jacobian", "transpose", "both"] {
        variants.push(vec!["modes", &path, "--formulation", "redundant", "--transferred", moved]);
    }
    for args in variants {
        let found = physical(&json(&args), 0);
        assert_eq!(found.len(), reference.len(), "{args:?}");
        for (a, b) in found.iter().zip(&reference) {
            assert!((a.0 - b.0).hypot(a.1 - b.1) < 1e-10 * b.0.hypot(b.1), "{args:?}: {a:?} {b:?}");
        }
    }
}

#[test]
fn the_formulations_are_matched_not_sorted() {
    let found = json(&["modes", &model("double-pendulum-rigid"), "--formulation", "all"]);
    let comparisons = found["comparisons"].as_array().unwrap();
    assert_eq!(comparisons.len(), 2);
    for (comparison, tolerance) in comparisons.iter().zip([1e-10, 1e-2]) {
        let matches = comparison["matches"].as_array().unwrap();
        assert_eq!(matches.len(), 4);
        assert!(matches.iter().all(|m| m["difference"].as_f64().unwrap() < tolerance), "{comparison}");
        assert!(comparison["unmatched_other"].as_array().unwrap().is_empty());
    }
}

#[test]
fn a_loop_that_moves_against_the_count_is_counted_alike_under_penalties() {
    // Open by the penalty's violation, the Jacobian of Bricard's loop has full rank by pivots of 1e-7.
    let found = json(&["modes", &model("bricard"), "--formulation", "all"]);
    for formulation in 0..3 {
        let values = physical(&found, formulation);
        assert_eq!(values.len(), 2, "{formulation}: {values:?}");
    }
    let spurious = found["formulations"][2]["eigenpairs"].as_array().unwrap().iter();
    assert_eq!(spurious.filter(|p| p["class"]["kind"] == "spurious").count(), 58);
}

#[test]
fn a_selection_that_fails_is_replaced_and_reported() {
    // Hanging straight down, the x of the tip moves but the y does not.
    let found = json(&["modes", &model("rod-pendulum"), "--basis", "selection=P.y"]);
    let why = found["formulations"][0]["reselected"].as_str().unwrap();
    assert!(why.contains("P.y"), "{why}");
    assert_eq!(physical(&found, 0).len(), 2);
}

/// A hanging chain of flexible links: length, radius, Young's modulus and density of each.
fn chain(links: usize, elements: usize, [length, radius, modulus, density]: [f64; 4]) -> String {
    let mut text = "units = \"SI\"\nname = \"chain\"\ngravity = [0.0, -9.81]\n".to_owned();
    for i in 0..links {
        let _ = write!(
            text,
            "[[flexible-link]]\nname = \"link-{i}\"\nlength = {length}\nelements = {elements}\ndensity = {density}\n\
             youngs_modulus = {modulus}\nsection.radius = {radius}\nat = [0.0, {}]\nangle = \"deg(-90)\"\n",
            -length * i as f64
        );
        let b = if i == 0 { "[0.0, 0.0]".to_owned() } else { format!("\"link-{}.end\"", i - 1) };
        let _ = write!(text, "[[joint]]\nname = \"P{i}\"\ntype = \"revolute\"\na = \"link-{i}\"\nb = {b}\n");
    }
    text
}

/// As many eigenvalues in all three formulations, those of the penalty within `moves` of themselves.
fn same_in_all_three(found: &serde_json::Value, expected: usize, moves: f64, case: &str) {
    let reference = physical(found, 0);
    for (formulation, tolerance) in [(0, 1e-12), (1, 1e-12), (2, moves)] {
        let mut values = physical(found, formulation);
        assert_eq!(values.len(), expected, "{case}, {formulation}");
        for s in &reference {
            let off = |t: &(f64, f64)| (t.0 - s.0).hypot(t.1 - s.1);
            let nearest = |a: &usize, b: &usize| off(&values[*a]).total_cmp(&off(&values[*b]));
            let i = (0..values.len()).min_by(nearest).unwrap();
            let off = off(&values.swap_remove(i)) / s.0.hypot(s.1);
            assert!(off < tolerance, "{case}, {formulation}: {s:?} off by {off:e}");
        }
    }
}

/// A violation between a light body and one ten million times as heavy moves the heavy one: most of its energy is not the penalty's.
#[test]
fn chains_of_unequal_masses_have_the_same_modes_in_all_three() {
    for (bodies, heavy) in [(2, 1e7), (3, 1e3), (3, 1e5), (3, 1e7), (5, 1e7), (8, 1e6)] {
        for last in [false, true] {
            let mut text = "units = \"SI\"\nname = \"chain\"\ngravity = [0.0, -9.81]\n".to_owned();
            for i in 0..bodies {
                let is_heavy = if last { i + 1 == bodies } else { i % 2 == 0 };
                let mass = if is_heavy { heavy } else { 1.0 };
                let _ = write!(
                    text,
                    "[[body]]\nname = \"b{i}\"\nmass = {mass:e}\ninertia = {:e}\nat = [0.0, {}]\n\
                     markers = {{ up = [0.0, 0.5], down = [0.0, -0.5] }}\n",
                    mass / 12.0,
                    -0.5 - i as f64
                );
            }
            for i in 0..bodies {
                let b = if i == 0 { "[0.0, 0.0]".to_owned() } else { format!("\"b{}.down\"", i - 1) };
                let _ = write!(
                    text,
                    "[[joint]]\nname = \"P{i}\"\ntype = \"revolute\"\na = \"b{i}.up\"\nb = {b}\n"
                );
            }
            let case = format!("{bodies} bodies, {heavy:e}, {last}");
            let run = mb_with(&["modes", "-", "--formulation", "all", "--all", "--json"], &text);
            assert_eq!(run.code, 0, "{case}: {}", run.err);
            let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
            // To first order no mode moves by more than 1e-5; the second order and rounding of M_p are beyond.
            same_in_all_three(&found, 2 * bodies, 1.01e-5, &case);
        }
    }
}

/// The joints of a body that leans on springs carry its weight: the factors of their rows are many powers of ten apart, and the
/// penalty system has an equilibrium of its own, a growing mode near omega included.
#[test]
fn a_heavy_body_that_leans_on_springs_has_the_same_modes_in_all_three() {
    for mass in [1e2, 1e4, 1e6] {
        let (inertia, stiffness) = (mass / 10.0, 40.0 * mass);
        let text = format!(
            r#"
units = "SI"
name = "leaning"
gravity = [0.0, -9.81]
body = [
    {{ name = "a", mass = 1.0, inertia = 0.1, at = [0.3, 0.4], markers = {{ down = [-0.3, -0.4], up = [0.3, 0.4] }} }},
    {{ name = "b", mass = {mass:e}, inertia = {inertia:e}, at = [0.6, 1.3], markers = {{ down = [0.0, -0.5], top = [0.0, 0.1] }} }},
]
joint = [
    {{ name = "foot", type = "revolute", a = "a.down", b = [0.0, 0.0] }},
    {{ name = "knee", type = "revolute", a = "b.down", b = "a.up" }},
]
spring = [
    {{ name = "s", a = [-2.0, 1.4], b = "b.top", stiffness = {stiffness:e}, natural_length = 2.0 }},
    {{ name = "t", a = [-2.0, 0.8], b = "a.up", stiffness = {stiffness:e}, natural_length = 2.5 }},
]
"#
        );
        let run = mb_with(&["modes", "-", "--formulation", "all", "--all", "--json"], &text);
        assert_eq!(run.code, 0, "{mass:e}: {}", run.err);
        let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        same_in_all_three(&found, 4, 1e-5, &format!("{mass:e}"));
        // Reactions of the order of the weight on factors of the order of 1e5 to 1e6 masses.
        let violation = found["formulations"][2]["penalty_violation"].as_f64().unwrap();
        assert!((1e-7..1e-4).contains(&violation), "{mass:e}: {violation:e}");
    }
}

/// One factor for all rows drowned the slopes of thin links compared with the hinges, or moved the modes of stout ones.
#[test]
fn chains_thin_and_stout_have_the_same_modes_in_all_three() {
    let steel = |radius: f64| [1.0, radius, 2.1e11, 7800.0];
    let rubber = |radius: f64| [1.0, radius, 1e7, 1100.0];
    let cases = [
        (3, 5, [4.0, 0.15, 1e8, 1500.0]),
        (5, 5, steel(5e-4)),
        (8, 3, steel(5e-3)),
        (5, 5, rubber(2e-3)),
        (12, 3, rubber(2e-2)),
        (2, 3, rubber(0.1)),
        (5, 3, steel(0.2)),
    ];
    for (links, elements, section) in cases {
        let text = chain(links, elements, section);
        let run = mb_with(&["modes", "-", "--formulation", "all", "--all", "--json"], &text);
        assert_eq!(run.code, 0, "{links} links, {section:?}: {}", run.err);
        let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        // Clamped at their beginning, and on a hinge: 3 coordinates of each node but the first, and one turn.
        let expected = 2 * links * (3 * elements + 1);
        same_in_all_three(&found, expected, 1e-5, &format!("{links} links, {section:?}"));
        let penalty = found["formulations"][2]["eigenpairs"].as_array().unwrap();
        let of = |kind: &str| penalty.iter().filter(|p| p["class"]["kind"] == kind).count();
        assert_eq!((of("infinite"), of("spurious")), (0, 10 * links));
        assert!(penalty.iter().all(|p| p["determined"] != false), "{links} links, {section:?}");
    }
}

/// A request of all formulations gives the modes that it gives of one, with those of the others next to them, however near to an end of the
/// band a mode lies.
#[test]
fn a_request_of_all_formulations_is_that_of_one_with_the_others_beside_it() {
    let path = model("double-pendulum-rigid");
    let whole = json(&["modes", &path]);
    let own: Vec<f64> = physical(&whole, 0).iter().map(|s| s.1).filter(|im| *im > 0.0).collect();
    assert_eq!(own.len(), 2, "{own:?}");
    // The band ends on the first mode, which the penalty moves across the end.
    let end = (own[0] / std::f64::consts::TAU).to_string();
    for (request, count) in [
        (&["--band", "0", &end][..], 1),
        (&["--band", &end, "50"], 2),
        (&["--lowest", "1"], 1),
        (&["--near", "50", "--count", "1"], 1),
        (&["--largest", "1"], 1),
        (&["--band", "40", "50"], 0),
    ] {
        let one = json(&[&["modes", &path][..], request].concat());
        let found = json(&[&["modes", &path, "--formulation", "all"][..], request].concat());
        let (expected, values) = (physical(&one, 0), physical(&found, 0));
        assert_eq!((values.len(), expected.len()), (2 * count, 2 * count), "{request:?}: {values:?}");
        for (a, b) in values.iter().zip(&expected) {
            assert!((a.0 - b.0).hypot(a.1 - b.1) < 1e-10 * b.1.abs(), "{request:?}: {a:?} {b:?}");
        }
        for (formulation, tolerance) in [(1, 1e-10), (2, 1e-4)] {
            let values = physical(&found, formulation);
            assert_eq!(values.len(), 2 * count, "{request:?} {formulation}: {values:?}");
            let comparison = &found["comparisons"][formulation - 1];
            let matches = comparison["matches"].as_array().unwrap();
            assert_eq!(matches.len(), 2 * count, "{request:?}");
            for m in matches {
                let at = |which: usize, key: &str| {
                    let index = usize::try_from(m[key].as_u64().unwrap()).unwrap();
                    let pair = &found["formulations"][which]["eigenpairs"][index];
                    (pair["re"].as_f64().unwrap(), pair["im"].as_f64().unwrap())
                };
                let (a, b) = (at(0, "reference"), at(formulation, "other"));
                let off = (a.0 - b.0).hypot(a.1 - b.1);
                assert!(off < tolerance * a.1.abs(), "{request:?}: {a:?} {b:?}");
                assert!((off - m["difference"].as_f64().unwrap()).abs() < 1e-12 * a.1.abs(), "{request:?}");
            }
        }
        let alone = json(&[&["modes", &path, "--formulation", "unconstrained"][..], request].concat());
        assert!(physical(&alone, 0).len().abs_diff(2 * count) <= 2, "{request:?}");
    }
}
