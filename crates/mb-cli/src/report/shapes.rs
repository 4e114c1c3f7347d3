//! Mode shapes as displacements of the nodes.

use super::scene::{Drawing, quoted};
use crate::flow::Shares;
use crate::plot::{label, phase};
use crate::render::modes::{Line, shown};
use mb_algebra::c64;
use mb_model::Model;
use mb_report::Shape;

/// Share of a motion out of phase below which nothing of it can be seen.
const IN_PHASE: f64 = 2e-3;

/// The shapes of the first `most` lines: the second of a double zero has that of the first.
pub(super) fn of(
    model: &Model,
    q: &[f64],
    drawing: &Drawing,
    lines: &[Line<'_>],
    shares: &Shares,
    most: usize,
) -> Vec<Shape> {
    let moving = lines.iter().enumerate().filter(|(i, line)| {
        let repeats = i.checked_sub(1).is_some_and(|before| {
            let before = lines[before].pair;
            line.pair.chain > 1 && before.right == line.pair.right
        });
        line.pair.value().is_some() && !repeats
    });
    moving
        .take(most)
        .map(|(row, line)| {
            let steps = steps(model, q, drawing, line);
            let part = |of: fn(&c64) -> f64| steps.iter().map(|d| d.each_ref().map(of)).collect();
            let oscillates = line.pair.value().is_some_and(|s| s.im != 0.0);
            let complex = oscillates && phase::spread(steps.iter().flatten()) > IN_PHASE;
            let value = shown(line.pair).unwrap_or_default();
            Shape {
                row,
                name: label::title(line).replacen("mode ", "", 1),
                sentence: sentence(line),
                value: [value.re, value.im],
                real: part(|z| z.re),
                imaginary: if complex { part(|z| z.im) } else { Vec::new() },
                strain: strain(drawing, line, shares),
            }
        })
        .collect()
}

fn sentence(line: &Line<'_>) -> String {
    let title = label::title(line).replacen("mode", "Mode", 1).replace(":  ", ": ").replace(",  ", ", ");
    format!("{title} ({}).", label::subtitle(line))
}

/// Complex displacements of the nodes, turned so that most of them is real.
fn steps(model: &Model, q: &[f64], drawing: &Drawing, line: &Line<'_>) -> Vec<[c64; 3]> {
    let part = |of: fn(&c64) -> f64| line.pair.right.iter().map(of).collect::<Vec<f64>>();
    let (re, im) = (part(|z| z.re), part(|z| z.im));
    let step = |place| {
        let (a, b) = (model.place_step(place, q, &re), model.place_step(place, q, &im));
        [0, 1, 2].map(|k| c64::new(a[k], b[k]))
    };
    let mut steps: Vec<[c64; 3]> = drawing.places.iter().map(step).collect();
    let turn = phase::turn(steps.iter().flatten());
    steps.iter_mut().flatten().for_each(|z| *z *= turn);
    steps
}

/// Share of the strain energy by owner; empty where no part that is drawn has one.
fn strain(drawing: &Drawing, line: &Line<'_>, shares: &Shares) -> Vec<f64> {
    let Some(energy) = &shares.energy else { return Vec::new() };
    let mode = energy.modes.iter().find(|m| m.pair == line.index).and_then(|m| m.strain.as_ref());
    let Some(strain) = mode else { return Vec::new() };
    let of = |owner: &String| {
        let group = energy.groups.iter().position(|g| g == quoted(owner));
        group.map_or(0.0, |g| strain[g].max(0.0))
    };
    let out: Vec<f64> = drawing.scene.owners.iter().map(of).collect();
    if out.iter().any(|share| *share > 0.0) { out } else { Vec::new() }
}
