//! Solids through the program: mesh files next to the model, checks, modes of large blocks.

use crate::support::{json, mb, mb_with, model, right};
use std::path::Path;

const MODEL: &str = r#"
units = "SI"
name = "cube"

[[solid]]
name = "cube"
mesh = "meshes/cube.mesh"
density = 8000.0
youngs_modulus = 2e11
poissons_ratio = 0.3
fixed = ["foot"]
"#;
const MESH: &str = "\
nodes
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 0 0 1
6 1 0 1
7 1 1 1
8 0 1 1
elements
1 1 2 3 4 5 6 7 8
set foot
1 2 3 4
";

fn written(folder: &Path, mesh: &str) -> String {
    std::fs::create_dir_all(folder.join("meshes")).unwrap();
    std::fs::write(folder.join("meshes/cube.mesh"), mesh).unwrap();
    let path = folder.join("cube.toml");
    std::fs::write(&path, MODEL).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_mesh_file_lies_beside_the_model() {
    let dir = tempfile::tempdir().unwrap();
    let path = written(dir.path(), MESH);
    let text = right(&["check", &path]);
    assert!(text.contains("8 solid nodes") && text.contains("1 solid"), "{text}");
    let run = mb(&["check", &written(dir.path(), &MESH.replace("7 1 1 1", "7 1 1 inf"))]);
    assert!(run.code != 0 && run.err.contains("line 8: `inf` is not a finite coordinate"), "{run:?}");
    std::fs::remove_file(dir.path().join("meshes/cube.mesh")).unwrap();
    let run = mb(&["modes", &path]);
    assert!(run.code != 0 && run.err.contains("`meshes/cube.mesh` is not there"), "{run:?}");
}

/// Frequencies of the block in the gallery under tension, with the error bounds of sparse matrices; pairs for both
/// axes.
#[test]
fn modes_of_a_block_under_tension() {
    let found =
        json(&["modes", &model("solid-cantilever"), "--set", "F=1e10", "--set", "N=40", "--lowest", "6"]);
    let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
    let im: Vec<f64> = pairs.iter().map(|p| p["im"].as_f64().unwrap()).filter(|w| *w > 0.0).collect();
    assert!(im.len() >= 6, "{im:?}");
    assert!(im[..4].chunks(2).all(|pair| (pair[0] / pair[1] - 1.0).abs() < 1e-8), "{im:?}");
    // The continuum under this tension, to four digits; it knows neither shear nor rotary inertia.
    let hz = |k: usize| im[k] / std::f64::consts::TAU;
    assert!((hz(0) / 0.2796 - 1.0).abs() < 0.01 && (hz(2) / 1.392 - 1.0).abs() < 0.02, "{im:?}");
}

/// A drive sets the mean of a damped face in motion at once while the block behind it rests: implicit steps take it as an impact and
/// say so; a drive that begins gently is none.
#[test]
fn a_driven_face_moves_a_damped_block() {
    let text = |law: &str| {
        format!(
            r#"
            units = "SI"
            name = "block swung by its foot"
            gravity = [0, 0, -9.81]
            [[solid]]
            name = "block"
            block = {{ size = [0.1, 0.1, 0.4], elements = [1, 1, 3] }}
            density = 1100
            youngs_modulus = 5e7
            poissons_ratio = 0.4
            averaged = ["z-"]
            damping = {{ beta = 1e-3 }}
            [[joint]]
            name = "hinge"
            type = "revolute"
            a = "block.z-"
            b = "ground"
            axis = [0, 1, 0]
            [[drive]]
            name = "swing"
            quantity = "angle"
            of = "hinge"
            law = "{law}"
            "#
        )
    };
    let implicit = ["simulate", "-", "--until", "0.1", "--integrator", "generalized-alpha", "--step", "5e-4"];
    let sudden = mb_with(&implicit, &text("0.2*sin(6*t)"));
    assert_eq!(sudden.code, 0, "{sudden:?}");
    assert!(sudden.out.contains("finished") && sudden.out.contains("implicit Euler"), "{}", sudden.out);
    assert!(!sudden.out.contains("Do not trust"), "{}", sudden.out);
    let gentle = mb_with(&implicit, &text("0.1*(1-cos(6*t))"));
    assert!(gentle.code == 0 && !gentle.out.contains("Euler"), "{gentle:?}");
}

/// A bar of steel with proportional damping and two dampers at its free end, whose place is the mean of a face: band and response are a matter
/// of a few of its hundreds of modes.
#[test]
fn a_band_of_a_bar_with_dampers_is_searched() {
    let bar = r#"
        units = "SI"
        name = "bar"
        solid = [{ name = "bar", block = { size = [0.1, 0.1, 0.6], elements = [2, 2, 14] }, density = 7850, youngs_modulus = 2.1e11,
            poissons_ratio = 0.3, damping = { alpha = 3, beta = 1e-6 }, fixed = ["z-"], averaged = ["z+"] }]
        spring = [
            { name = "dx", a = "bar.z+", b = [0.55, 0.05, 0.6], stiffness = 0, damping = 500, natural_length = 0.5 },
            { name = "dy", a = "bar.z+", b = [0.05, 0.55, 0.6], stiffness = 0, damping = 400, natural_length = 0.5 },
        ]
    "#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bar.toml");
    std::fs::write(&path, bar).unwrap();
    let path = path.to_str().unwrap();
    let modes = |asked: &[&str]| json(&[&["modes", path], asked].concat())["formulations"][0].clone();
    let (band, all) = (modes(&["--band", "0", "500"]), modes(&["--lowest", "2"]));
    assert_eq!(band["method"], "toar", "{}", band["method"]);
    let values = |found: &serde_json::Value| -> Vec<f64> {
        let pairs = found["eigenpairs"].as_array().unwrap().iter();
        pairs.map(|p| p["damped_frequency_hz"].as_f64().unwrap()).collect()
    };
    let (band, all) = (values(&band), values(&all));
    assert_eq!((band.len(), all.len()), (4, 4));
    assert!(band.iter().zip(&all).all(|(a, b)| (a - b).abs() < 1e-6), "{band:?} {all:?}");
}
