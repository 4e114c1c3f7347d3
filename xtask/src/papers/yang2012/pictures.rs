//! The modes of the linkage over its equilibrium, isometric.
//!
//! Paper: [yang2012] Fig. 3.
//!
//! [yang2012]: mb_eigen::direct

use std::f64::consts::FRAC_PI_6;
use std::fmt::Write;

use mb_algebra::c64;

use super::system::{MODES, Measured, System};

/// Width and height of the picture of one mode.
const PANEL: [f64; 2] = [300.0, 230.0];
/// Pictures side by side.
const ACROSS: usize = 3;
/// Room around a drawing, and for the words above it.
const MARGIN: f64 = 34.0;
/// Largest displacement, m.
const AMPLITUDE: f64 = 18.0;

/// x to the right, y upwards in the plane of the linkage, z towards the lower left.
pub(super) fn seen([x, y, z]: [f64; 3]) -> [f64; 2] {
    let (sin, cos) = FRAC_PI_6.sin_cos();
    [x - cos * z, y - sin * z]
}

/// The beams of a model as lines through their nodes, moved by a shape.
fn lines(system: &System, shape: Option<&[c64]>, by: f64) -> Vec<Vec<[f64; 2]>> {
    let mut out: Vec<Vec<[f64; 2]>> = Vec::new();
    let mut last = "";
    for block in system.model.coordinates().blocks() {
        let name = block.name.split('[').next().unwrap_or_default();
        let at = |k: usize| {
            let step = shape.map_or(0.0, |x| x[block.v + k].re);
            system.q[block.q + k] + by * step
        };
        if name != last {
            out.push(Vec::new());
            last = name;
        }
        if let Some(line) = out.last_mut() {
            line.push(seen([at(0), at(1), at(2)]));
        }
    }
    out
}

/// Largest displacement of a shape turned to be real, and that shape.
fn in_phase(system: &System, shape: &[c64]) -> (Vec<c64>, f64) {
    let sum: c64 = shape.iter().map(|z| z * z).sum();
    let turn = c64::from_polar(1.0, -0.5 * sum.arg());
    let shape: Vec<c64> = shape.iter().map(|z| z * turn).collect();
    let size = |v: usize| (0..3).map(|k| shape[v + k].re.powi(2)).sum::<f64>().sqrt();
    let largest = system.model.coordinates().blocks().iter().map(|b| size(b.v)).fold(0.0, f64::max);
    (shape, largest)
}

/// A sheet of the lowest modes.
pub(super) fn figure_3(system: &System) -> Measured<String> {
    let rest = lines(system, None, 0.0);
    let corner = |k: usize, pick: fn(f64, f64) -> f64, start: f64| {
        rest.iter().flatten().map(|p| p[k]).fold(start, pick)
    };
    let low = [0, 1].map(|k| corner(k, f64::min, f64::INFINITY) - AMPLITUDE);
    let high = [0, 1].map(|k| corner(k, f64::max, f64::NEG_INFINITY) + AMPLITUDE);
    let scale = [0, 1].map(|k| (PANEL[k] - 2.0 * MARGIN) / (high[k] - low[k]));
    let scale = scale[0].min(scale[1]);
    let (width, height) = (PANEL[0] * ACROSS as f64, PANEL[1] * MODES.div_ceil(ACROSS) as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n<title>Modes of the four-bar linkage about its equilibrium</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for mode in 0..MODES {
        let hz = system.hz(mode)?;
        let Some(shape) = system.shapes.get(mode) else { return Err("fewer modes were found".to_owned()) };
        let (shape, largest) = in_phase(system, shape);
        let left = PANEL[0] * (mode % ACROSS) as f64;
        let top = PANEL[1] * (mode / ACROSS) as f64;
        let _infallible = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\">mode {}: {:.4} Hz</text>",
            left + 12.0,
            top + 20.0,
            mode + 1,
            hz
        );
        let mut draw = |lines: &[Vec<[f64; 2]>], style: &str| {
            for line in lines {
                let points: Vec<String> = line
                    .iter()
                    .map(|p| {
                        let x = left + MARGIN + scale * (p[0] - low[0]);
                        let y = top + PANEL[1] - MARGIN - scale * (p[1] - low[1]);
                        format!("{x:.1},{y:.1}")
                    })
                    .collect();
                let _infallible =
                    writeln!(svg, "<polyline points=\"{}\" fill=\"none\" {style}/>", points.join(" "));
            }
        };
        draw(&rest, "stroke=\"#999999\" stroke-width=\"1.5\"");
        if largest > 0.0 {
            // The sign of a shape is free: the first large step goes to the positive side.
            let sign = shape.iter().map(|z| z.re).find(|x| x.abs() > 0.5 * largest).map_or(1.0, f64::signum);
            let moved = lines(system, Some(&shape), sign * AMPLITUDE / largest);
            draw(&moved, "stroke=\"#1f5fbf\" stroke-width=\"2\"");
        }
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}
