//! A page of ten thousand nodes: its size, what it leaves out and says so, and how it looks in a browser where there is one.

use super::browser::look;
use mb_report::{Cell, Column, Glyph, Mark, Report, Scene, Shape, Table};
use serde_json::{Value, json as value};
use std::f64::consts::{PI, TAU};

/// Nodes along a side of the plate.
const SIDE: usize = 100;
const MODES: usize = 20;

fn frequency(mode: usize) -> f64 {
    3.25 * (mode + 1) as f64
}

/// A square plate of faces with pins at many nodes, and waves as mode shapes.
fn plate(complex: bool) -> Report {
    let at = |k: usize| [k % SIDE, k / SIDE].map(|i| i as f64 / (SIDE - 1) as f64);
    let nodes: Vec<[f64; 3]> = (0..SIDE * SIDE).map(|k| [at(k)[0], at(k)[1], 0.0]).collect();
    let quads = (0..(SIDE - 1) * (SIDE - 1)).map(|f| {
        let k = f % (SIDE - 1) + SIDE * (f / (SIDE - 1));
        ([k, k + 1, k + SIDE + 1, k + SIDE], 0)
    });
    let pin = |k: usize| Glyph { mark: Mark::Pin, owner: 0, nodes: vec![k], lane: 0 };
    let shape = |mode: usize| {
        let wave = |phase: f64| {
            let height = |k: usize| (PI * (mode + 1) as f64 * at(k)[0] + phase).sin() * (PI * at(k)[1]).sin();
            (0..SIDE * SIDE).map(|k| [0.0, 0.0, height(k)]).collect::<Vec<_>>()
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
    let sizes = [false, true].map(|complex| plate(complex).html().len());
    assert!(sizes[0] < 3_000_000 && sizes[1] < 5_000_000, "{sizes:?}");
}

#[test]
fn a_browser_shows_ten_thousand_nodes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("page.html");
    std::fs::write(&path, plate(false).html()).unwrap();
    let mode = |k: usize| value!({ "re": 0.0, "im": TAU * frequency(k), "f_d": frequency(k) });
    let modes: Vec<Value> = (0..MODES).map(mode).collect();
    look("a_browser_shows_ten_thousand_nodes", &path, "plate", &modes, 0);
}
