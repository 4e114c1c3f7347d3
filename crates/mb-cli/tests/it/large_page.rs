//! Pages of ten and a hundred thousand nodes: their size, what they leave out and say so, how they look in a browser where there is one, and
//! what a picture costs the processor.

use super::browser::{look, work};
use mb_report::{Cell, Column, Glyph, Mark, Report, Scene, Shape, Table};
use serde_json::{Value, json as value};
use std::f64::consts::{PI, TAU};

/// Nodes along a side of the plates of ten and of a hundred thousand.
const SIDE: usize = 100;
const LARGE_SIDE: usize = 317;
const MODES: usize = 20;

fn frequency(mode: usize) -> f64 {
    3.25 * (mode + 1) as f64
}

/// A square plate of faces with pins at many nodes, and waves as mode shapes.
fn plate(side: usize, complex: bool) -> Report {
    let at = |k: usize| [k % side, k / side].map(|i| i as f64 / (side - 1) as f64);
    let nodes: Vec<[f64; 3]> = (0..side * side).map(|k| [at(k)[0], at(k)[1], 0.0]).collect();
    let quads = (0..(side - 1) * (side - 1)).map(|f| {
        let k = f % (side - 1) + side * (f / (side - 1));
        ([k, k + 1, k + side + 1, k + side], 0)
    });
    let pin = |k: usize| Glyph { mark: Mark::Pin, owner: 0, nodes: vec![k], lane: 0 };
    let shape = |mode: usize| {
        let wave = |phase: f64| {
            let height = |k: usize| (PI * (mode + 1) as f64 * at(k)[0] + phase).sin() * (PI * at(k)[1]).sin();
            (0..side * side).map(|k| [0.0, 0.0, height(k)]).collect::<Vec<_>>()
        };
        Shape {
            row: mode,
            name: format!("{}: {} Hz", mode + 1, frequency(mode)),
            sentence: format!("Mode {}: {} Hz.", mode + 1, frequency(mode)),
            value: [0.0, TAU * frequency(mode)],
            real: wave(0.0),
            imaginary: if complex { wave(1.0) } else { Vec::new() },
            ..Shape::default()
        }
    };
    let number = |x: f64| Cell::Number(x, x.to_string());
    let row = |mode: usize| {
        vec![number((mode + 1) as f64), number(0.0), number(TAU * frequency(mode)), number(frequency(mode))]
    };
    let columns = [("mode", ""), ("re", "1/s"), ("im", "rad/s"), ("f_d", "Hz")];
    Report {
        title: "plate".into(),
        scene: Scene {
            owners: vec!["plate".into()],
            quads: quads.collect(),
            glyphs: (0..3100).map(|k| pin(3 * k)).collect(),
            nodes,
            ..Scene::default()
        },
        modes: Some(Table {
            columns: columns.map(|(name, unit)| Column::new(name, unit)).to_vec(),
            rows: (0..MODES).map(row).collect(),
            ..Table::default()
        }),
        shapes: (0..MODES).map(shape).collect(),
        ..Report::default()
    }
}

/// 10,000 nodes with 20 modes: three megabytes, five where the modes are complex.
#[test]
fn ten_thousand_nodes_are_few_megabytes() {
    let sizes = [false, true].map(|complex| plate(SIDE, complex).html().len());
    assert!(sizes[0] < 3_000_000 && sizes[1] < 5_000_000, "{sizes:?}");
}

#[test]
fn a_browser_shows_ten_thousand_nodes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("page.html");
    std::fs::write(&path, plate(SIDE, false).html()).unwrap();
    let mode = |k: usize| value!({ "re": 0.0, "im": TAU * frequency(k), "f_d": frequency(k) });
    let modes: Vec<Value> = (0..MODES).map(mode).collect();
    look("a_browser_shows_ten_thousand_nodes", &path, "plate", &modes, 0);
}

/// The graphics processor holds nodes and shapes and bends the model: while a mode plays nothing is sent to it, and the processor's part, marks
/// and names, does not grow with the nodes.
#[test]
fn pictures_of_a_hundred_thousand_nodes_send_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("page.html");
    std::fs::write(&path, plate(LARGE_SIDE, true).html()).unwrap();
    let Some(found) = work("pictures_of_a_hundred_thousand_nodes_send_nothing", &path, MODES) else { return };
    let number = |name: &str| found[name].as_f64().unwrap();
    assert!(number("pictures") >= MODES as f64 && number("sent") == 0.0, "{found}");
    // Faces, the shape at rest and tubes; 300 marks of at most ten lines, frame and names.
    assert!(number("calls") < 50.0 && number("marks") < 300.0 * 10.0 + 500.0, "{found}");
}
