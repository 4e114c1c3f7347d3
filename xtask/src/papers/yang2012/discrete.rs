//! The discrete models before they are loaded: nodes, elements, joints and supports, isometric.
//!
//! Paper: [yang2012] Figs. 1, 2.
//!
//! [yang2012]: mb_eigen::direct

use std::fmt::Write;

use mb_model::{OutlinePlace, Spot, Stroke};

use super::pictures::seen;
use super::system::System;

/// Width and height of a picture.
const SIZE: [f64; 2] = [560.0, 300.0];
/// Room around a drawing; more above it, for the words.
const MARGIN: [f64; 2] = [34.0, 58.0];

/// A drawing with its own scale.
struct Sheet {
    svg: String,
    low: [f64; 2],
    high: [f64; 2],
}

impl Sheet {
    /// In the picture.
    fn at(&self, p: [f64; 2]) -> [f64; 2] {
        let room = [SIZE[0] - 2.0 * MARGIN[0], SIZE[1] - MARGIN[0] - MARGIN[1]];
        let size = [0, 1].map(|k| (self.high[k] - self.low[k]).max(1e-9));
        let scale = (room[0] / size[0]).min(room[1] / size[1]);
        // Centred.
        let rest = [0, 1].map(|k| 0.5 * (room[k] - scale * size[k]));
        [
            MARGIN[0] + rest[0] + scale * (p[0] - self.low[0]),
            SIZE[1] - MARGIN[0] - rest[1] - scale * (p[1] - self.low[1]),
        ]
    }
    fn circle(&mut self, p: [f64; 2], radius: f64, style: &str) {
        let [x, y] = self.at(p);
        let _infallible = writeln!(self.svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" {style}/>");
    }
    /// The ground below a support.
    fn ground(&mut self, p: [f64; 2]) {
        let [x, y] = self.at(p);
        let _infallible = writeln!(
            self.svg,
            "<path d=\"M{:.1},{y2:.1}H{:.1}M{:.1},{y2:.1}l-5,6M{x:.1},{y2:.1}l-5,6M{:.1},{y2:.1}l-5,6\" fill=\"none\" stroke=\"#333333\"/>",
            x - 12.0,
            x + 12.0,
            x - 7.0,
            x + 9.0,
            y2 = y + 9.0
        );
    }
}

/// The model of a system as it is built: elements blue, nodes as dots, joints as rings, supports on the ground.
pub(super) fn discrete(system: &System, title: &str) -> String {
    let model = &system.model;
    let place = |p: &OutlinePlace| seen(model.place_at(p, model.initial()));
    let strokes = model.outline();
    let points: Vec<[f64; 2]> = strokes.iter().flat_map(|s| &s.places).map(place).collect();
    let corner =
        |k: usize, pick: fn(f64, f64) -> f64, start: f64| points.iter().map(|p| p[k]).fold(start, pick);
    let mut sheet = Sheet {
        svg: format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"13\">\n<title>{title}</title>\n<rect width=\"{}\" height=\"{}\" fill=\"white\"/>\n<text x=\"12\" y=\"20\">{title}</text>\n",
            SIZE[0], SIZE[1], SIZE[0], SIZE[1]
        ),
        low: [0, 1].map(|k| corner(k, f64::min, f64::INFINITY)),
        high: [0, 1].map(|k| corner(k, f64::max, f64::NEG_INFINITY)),
    };
    let nodes = model.coordinates().blocks().len();
    let elements = strokes.iter().filter(|s| s.stroke == Stroke::Curve).count();
    let _infallible = writeln!(
        sheet.svg,
        "<text x=\"12\" y=\"38\" fill=\"#666666\">{elements} elements, {nodes} nodes, {} multipliers</text>",
        model.nc()
    );
    for curve in strokes.iter().filter(|s| s.stroke == Stroke::Curve) {
        let line: Vec<String> =
            curve.places.iter().map(|p| sheet.at(place(p))).map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let _infallible = writeln!(
            sheet.svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"#1f5fbf\" stroke-width=\"3\"/>",
            line.join(" ")
        );
    }
    for curve in strokes.iter().filter(|s| s.stroke == Stroke::Curve) {
        for node in &curve.places {
            sheet.circle(place(node), 2.2, "fill=\"#1f5fbf\"");
        }
    }
    for (member, m) in model.members().iter().enumerate() {
        let Some(ends) = m.element.ends() else { continue };
        let [a, b] = ends.map(|end| OutlinePlace { member, spot: Spot::Place(end) });
        let at = place(&a);
        if a.is_ground() || b.is_ground() {
            sheet.ground(at);
        }
        sheet.circle(at, 5.0, "fill=\"white\" stroke=\"#333333\" stroke-width=\"1.5\"");
    }
    sheet.svg.push_str("</svg>\n");
    sheet.svg
}
