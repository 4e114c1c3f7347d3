//! The text of the page.

use crate::lean::lean;
use crate::pack::{indices, short};
use crate::{Chart, Glyph, Motion, Report, Scene, Shape, Table};
use serde::Serialize;
use std::sync::LazyLock;

const PAGE: &str = include_str!("../assets/page.html");
const STYLE: &str = include_str!("../assets/page.css");
const SCRIPTS: [&str; 6] = [
    include_str!("../assets/data.js"),
    include_str!("../assets/camera.js"),
    include_str!("../assets/solid.js"),
    include_str!("../assets/marks.js"),
    include_str!("../assets/tables.js"),
    include_str!("../assets/page.js"),
];
/// The scripts as they stand in a page.
static SCRIPT: LazyLock<String> = LazyLock::new(|| lean(&SCRIPTS.concat()));
/// Steps of a 16-bit integer from zero to its end.
const STEPS: f64 = 32767.0;

#[derive(Serialize)]
struct Data<'a> {
    title: &'a str,
    source: &'a str,
    program: &'a str,
    facts: &'a [(String, String)],
    scene: SceneData<'a>,
    modes: Option<&'a Table>,
    statement: &'a str,
    shapes: Vec<ShapeData<'a>>,
    motion: Option<MotionData<'a>>,
    charts: &'a [Chart],
    tables: &'a [Table],
    notes: &'a [String],
}

#[derive(Serialize)]
struct SceneData<'a> {
    planar: bool,
    count: usize,
    centre: [f64; 3],
    unit: f64,
    nodes: String,
    owners: &'a [String],
    quads: String,
    triangles: String,
    edges: String,
    tubes: String,
    glyphs: &'a [Glyph],
}

#[derive(Serialize)]
struct ShapeData<'a> {
    row: usize,
    name: &'a str,
    sentence: &'a str,
    value: [f64; 2],
    real: String,
    imaginary: Option<String>,
    strain: &'a [f64],
}

#[derive(Serialize)]
struct MotionData<'a> {
    times: &'a [f64],
    frames: Vec<String>,
}

impl Report {
    /// The page.
    pub fn html(&self) -> String {
        // The data are strings, numbers, lists and maps with string keys. `<` is written by its number, so that no name
        // can end the script element it stands in.
        let data = serde_json::to_string(&self.data()).unwrap_or_default().replace('<', "\\u003c");
        let parts = [
            ("TITLE", escaped(&self.title)),
            ("STYLE", STYLE.to_owned()),
            ("DATA", data),
            ("SCRIPT", SCRIPT.clone()),
        ];
        // One pass from left to right: what stands in a part is never taken for a place of another.
        let mut out = String::new();
        let mut rest = PAGE;
        for (name, text) in &parts {
            if let Some((before, after)) = rest.split_once(&format!("{{{{{name}}}}}")) {
                out.push_str(before);
                out.push_str(text);
                rest = after;
            }
        }
        out.push_str(rest);
        out
    }

    fn data(&self) -> Data<'_> {
        let (centre, half) = self.scene.frame(self.motion.as_ref());
        let unit = half / STEPS;
        Data {
            title: &self.title,
            source: &self.source,
            program: &self.program,
            facts: &self.facts,
            scene: scene(&self.scene, centre, unit),
            modes: self.modes.as_ref(),
            statement: &self.statement,
            shapes: self.shapes.iter().map(shape).collect(),
            motion: self.motion.as_ref().map(|m| motion(m, centre, unit)),
            charts: &self.charts,
            tables: &self.tables,
            notes: &self.notes,
        }
    }
}

/// Positions as multiples of `unit` from `centre`.
fn placed(nodes: &[[f64; 3]], centre: [f64; 3], unit: f64) -> String {
    short(nodes.iter().flat_map(|p| [0, 1, 2].map(|k| p[k] - centre[k])), unit)
}

fn scene(scene: &Scene, centre: [f64; 3], unit: f64) -> SceneData<'_> {
    // Each piece of a tube with the nodes before and after it, which its curve needs, and its owner.
    let pieces = scene.tubes.iter().flat_map(|tube| {
        let at = |i: usize| tube.nodes[i.min(tube.nodes.len() - 1)];
        (0..tube.nodes.len().saturating_sub(1))
            .flat_map(move |i| [at(i.saturating_sub(1)), at(i), at(i + 1), at(i + 2), tube.owner])
    });
    SceneData {
        planar: scene.planar,
        count: scene.nodes.len(),
        centre,
        unit,
        nodes: placed(&scene.nodes, centre, unit),
        owners: &scene.owners,
        quads: indices(scene.quads.iter().flat_map(|(q, owner)| q.iter().copied().chain([*owner]))),
        triangles: indices(scene.triangles.iter().flat_map(|(t, owner)| t.iter().copied().chain([*owner]))),
        edges: indices(scene.edges.iter().flatten().copied()),
        tubes: indices(pieces),
        glyphs: &scene.glyphs,
    }
}

/// Displacements relative to the largest one.
fn shape(shape: &Shape) -> ShapeData<'_> {
    let largest = shape.largest();
    let unit = if largest > 0.0 { largest / STEPS } else { 1.0 };
    let pack = |list: &[[f64; 3]]| short(list.iter().flatten().copied(), unit);
    ShapeData {
        row: shape.row,
        name: &shape.name,
        sentence: &shape.sentence,
        value: shape.value,
        real: pack(&shape.real),
        imaginary: (!shape.imaginary.is_empty()).then(|| pack(&shape.imaginary)),
        strain: &shape.strain,
    }
}

fn motion(motion: &Motion, centre: [f64; 3], unit: f64) -> MotionData<'_> {
    let frames = motion.frames.iter().map(|nodes| placed(nodes, centre, unit)).collect();
    MotionData { times: &motion.times, frames }
}

/// Text as it stands in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_viewer_is_small() {
        // Data, camera, surfaces and marks; tables and controls are the page's.
        let size: usize = SCRIPTS[..4].iter().map(|script| lean(script).len()).sum();
        assert!((15_000..=25_000).contains(&size), "{size} bytes");
    }
}
