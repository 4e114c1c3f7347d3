//! Equivalent rigid links against links in floating frames: without deflections at the operating point both are the same
//! structure, whatever the coordinates.

use mb_algebra::{Dense, QuadraticPencil};
use mb_eigen::DenseOptions;
use mb_gallery::models::ErlsArm;
use mb_linear::{Equilibrium, EquilibriumOptions, OperatingPoint, linearize};
use mb_model::{Model, ModelError, ModelSource, ModelSpec};
use std::collections::BTreeMap;

/// The oscillations of a model at its start, which is an equilibrium; s in rad/s, slowest first.
fn oscillations(text: &str) -> Vec<mb_algebra::c64> {
    let model = ModelSpec::from_toml(text).unwrap().build().unwrap();
    let rest = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).unwrap();
    let pencil = linearize(&model, &OperatingPoint::from(&rest)).pencil();
    let found = mb_eigen::dense::solve(&pencil, &DenseOptions::default()).unwrap();
    found.motion_values().into_iter().filter(|s| s.im > 1.0).collect()
}

/// The eight slowest oscillations agree. Damping by the stiffness is the same too.
fn assert_same(erls: &str, floating: &str) {
    let (a, b) = (oscillations(erls), oscillations(floating));
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(&b).take(8) {
        assert!((a - b).norm() < 1e-8 * a.norm(), "{a} {b}");
    }
}

const BAR: &str =
    r#"density = 2700, youngs_modulus = 7e10, section = { radius = 0.01 }, damping = { beta = 1e-5 }"#;

/// A four-bar linkage: the ideal mechanism closes, and so do the displacements.
#[test]
fn a_loop_has_the_modes_of_floating_frames() {
    let head = "units = \"SI\"\nname = \"four-bar\"\n";
    let erls = format!(
        r#"{head}
        erls-link = [
            {{ name = "crank", base = [0, 0], length = 0.3, elements = 2, angle = "pi/2", {BAR} }},
            {{ name = "coupler", base = "crank", passive = true, length = "sqrt(0.73)", elements = 3, angle = 0.3587706702705722, {BAR} }},
            {{ name = "rocker", base = [0.8, 0], passive = true, length = 0.6, elements = 2, angle = "pi/2", {BAR} }},
        ]
        joint = [{{ name = "C", type = "revolute", a = "coupler.end", b = "rocker.end" }}]
        "#
    );
    let floating = format!(
        r#"{head}
        flexible-link = [
            {{ name = "crank", at = [0, 0], length = 0.3, elements = 2, angle = "pi/2", {BAR} }},
            {{ name = "coupler", at = [0, 0.3], length = "sqrt(0.73)", elements = 3, angle = 0.3587706702705722, {BAR} }},
            {{ name = "rocker", at = [0.8, 0], length = 0.6, elements = 2, angle = "pi/2", {BAR} }},
        ]
        joint = [
            {{ name = "A", type = "revolute", a = "crank", b = [0, 0] }},
            {{ name = "B", type = "revolute", a = "coupler", b = "crank.end" }},
            {{ name = "C", type = "revolute", a = "coupler.end", b = "rocker.end" }},
            {{ name = "D", type = "revolute", a = "rocker", b = [0.8, 0] }},
        ]
        "#
    );
    assert_same(&erls, &floating);
}

/// Three links with a payload; the joints turn freely, so that angles stand for the tangents at the bases in both.
#[test]
fn a_chain_with_a_payload_has_the_modes_of_floating_frames() {
    let link = |name: &str, more: &str, angle: f64| {
        format!(r#"{{ name = "{name}", {more}, length = 0.4, elements = 2, angle = {angle}, {BAR} }}"#)
    };
    let erls = format!(
        "units = \"SI\"\nname = \"chain\"\nerls-link = [\n{},\n{},\n{},\n]\n",
        link("a", "base = [0, 0]", 0.3),
        link("b", r#"base = "a""#, -0.5),
        link("c", r#"base = "b", payload = 0.7"#, 1.1)
    );
    let floating = format!(
        r#"units = "SI"
        name = "chain"
        flexible-link = [
            {},
            {},
            {},
        ]
        point = [{{ name = "P", mass = 0.7 }}]
        joint = [
            {{ name = "A", type = "revolute", a = "a", b = [0, 0] }},
            {{ name = "B", type = "revolute", a = "b", b = "a.end" }},
            {{ name = "C", type = "revolute", a = "c", b = "b.end" }},
            {{ name = "D", type = "revolute", a = "P", b = "c.end" }},
        ]
        "#,
        link("a", "at = [0, 0]", 0.3),
        link("b", "geometric_stiffness = true", -0.5),
        link("c", "geometric_stiffness = true", 1.1)
    );
    assert_same(&erls, &floating);
}

/// M, C and K of a model at the point that `set` makes, by coordinate names.
fn matrices(model: &Model, names: &[String]) -> QuadraticPencil<Dense> {
    let mut point = model.initial_point();
    let own = model.coordinates().names();
    let number = |name: &String| own.iter().position(|n| n == name).unwrap();
    let order: Vec<usize> = names.iter().map(number).collect();
    for (k, &i) in order.iter().enumerate() {
        let x = 1.0 + k as f64;
        let angle = names[k].ends_with("angle");
        (point.q[i], point.v[i], point.a[i]) =
            if angle { (0.7 * x, -0.9 * x, 1.3 * x) } else { (1e-4 * x, 2e-3 * x, 0.1 * x) };
    }
    point.u = vec![3.0, -0.8];
    let blocks = model.blocks(&point);
    let ordered = |a: &mb_algebra::Sparse| {
        let a = mb_algebra::to_dense(a);
        Dense::from_fn(order.len(), order.len(), |i, j| a[(order[i], order[j])])
    };
    let (m, c, k) = (ordered(&blocks.m), ordered(&blocks.c), ordered(&blocks.k));
    QuadraticPencil { m, c, k, phi_q: Dense::zeros(0, order.len()) }
}

/// The model file and the arm written in Rust, whose coordinates stand in another order, are one model.
#[test]
fn the_file_is_the_arm() -> Result<(), ModelError> {
    let arm = ErlsArm { payload: 0.4, ..ErlsArm::recovered() };
    let (file, own) = (arm.file()?.build()?, arm.model::<f64>(&BTreeMap::new())?);
    assert_eq!((file.nv(), file.nc(), own.nv()), (23, 0, 23));
    let name = |name: &str| {
        let (node, axis) = name.rsplit_once('.').unwrap();
        match node {
            "q1" => format!("upper.{axis}"),
            "q2" => format!("lower.{axis}"),
            _ => {
                let (link, node) = (&node[5..6], node[12..].parse::<usize>().unwrap());
                format!("{}[{}].{axis}", ["upper", "lower"][usize::from(link == "2")], node + 1)
            }
        }
    };
    let own_names = own.coordinates().names();
    let names: Vec<String> = own_names.iter().map(|n| name(n)).collect();
    let (a, b) = (matrices(&file, &names), matrices(&own, &own_names));
    for (a, b) in [(&a.m, &b.m), (&a.c, &b.c), (&a.k, &b.k)] {
        let size = mb_algebra::norms::max_abs(b);
        for i in 0..names.len() {
            for j in 0..names.len() {
                assert!((a[(i, j)] - b[(i, j)]).abs() <= 1e-14 * size, "{i} {j}");
            }
        }
    }
    Ok(())
}

/// What cannot be a chain says so.
#[test]
fn faults_name_the_link() {
    let error = |text: &str| ModelSpec::from_toml(text).and_then(|s| s.build()).unwrap_err().to_string();
    let link = |name: &str, base: &str| {
        format!(r#"{{ name = "{name}", base = {base}, length = 1, elements = 2, {BAR} }}"#)
    };
    let model =
        |links: &str, more: &str| format!("units = \"SI\"\nname = \"m\"\nerls-link = [{links}]\n{more}");
    let circle = error(&model(&format!("{}, {}", link("a", "\"b\""), link("b", "\"a\"")), ""));
    assert!(circle.contains("does not lead to the ground"), "{circle}");
    let unknown = error(&model(&link("a", "\"c\""), ""));
    assert!(unknown.contains("`c`"), "{unknown}");
    let spring = "spring = [{ name = \"s\", a = \"a.end\", b = [0, 1], stiffness = 1, natural_length = 1 }]";
    let spring = error(&model(&link("a", "[0, 0]"), spring));
    assert!(spring.contains("erls-link"), "{spring}");
    let fixed = "joint = [{ name = \"j\", type = \"fixed\", a = \"a.end\", b = [2, 0] }]";
    let fixed = error(&model(&link("a", "[0, 0]"), fixed));
    assert!(fixed.contains("erls-link"), "{fixed}");
}
