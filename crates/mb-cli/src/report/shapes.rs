//! Mode shapes as displacements of the nodes.

use crate::flow::Shares;
use crate::flow::drawing::Drawing;
use crate::plot::label;
use crate::render::modes::{Line, shown};
use mb_model::Model;
use mb_report::Shape;

/// The shapes of the first `most` lines, where the second of a double zero has that of the first, and a note on the others.
pub(super) fn of(
    model: &Model,
    q: &[f64],
    drawing: &Drawing,
    (lines, whirl): (&[Line<'_>], &[Option<f64>]),
    shares: &Shares,
    most: usize,
) -> (Vec<Shape>, Option<String>) {
    let moving = lines.iter().enumerate().filter(|(i, line)| {
        let repeats = i.checked_sub(1).is_some_and(|before| {
            let before = lines[before].pair;
            line.pair.chain > 1 && before.right == line.pair.right
        });
        line.pair.value().is_some() && !repeats
    });
    let moving: Vec<(usize, &Line<'_>)> = moving.collect();
    let note =
        format!("{most} of {} mode shapes move on the page, `--shapes N` changes how many", moving.len());
    let note = (moving.len() > most).then_some(note);
    let shapes = moving
        .into_iter()
        .take(most)
        .map(|(row, line)| {
            let oscillates = line.pair.value().is_some_and(|s| s.im != 0.0);
            let [real, imaginary] = drawing.displacements(model, q, line.pair.right.as_slice(), oscillates);
            let value = shown(line.pair).unwrap_or_default();
            let still = real.iter().flatten().all(|x| *x == 0.0);
            let unseen = still.then(|| unseen(model, line)).flatten().unwrap_or_default();
            Shape {
                row,
                name: label::title(line).replacen("mode ", "", 1),
                sentence: sentence(line, whirl.get(line.index).copied().flatten()) + &unseen,
                value: [value.re, value.im],
                real,
                imaginary,
                strain: shares.energy.as_ref().map_or_else(Vec::new, |e| drawing.strain(e, line.index)),
            }
        })
        .collect();
    (shapes, note)
}

/// What moves in a mode that moves nothing that is drawn.
fn unseen(model: &Model, line: &Line<'_>) -> Option<String> {
    let shape = line.pair.right.as_slice();
    let (most, size) = shape.iter().map(|z| z.norm()).enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let names = model.coordinates().names();
    let name = names.get(most).filter(|_| size > 0.0)?;
    Some(format!(" What moves is {name}."))
}

fn sentence(line: &Line<'_>, whirl: Option<f64>) -> String {
    let title = label::title(line).replacen("mode", "Mode", 1).replace(":  ", ": ").replace(",  ", ", ");
    format!("{title} ({}).", label::subtitle(line, whirl))
}
