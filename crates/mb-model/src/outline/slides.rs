//! Second places of lines that others slide on: directions, as long as the model lets them be.

use super::{OutlinePlace, OutlineStroke, Spot, Stroke};
use crate::element::Place;
use crate::model::Model;

/// Length over the largest side of the model: long enough for a direction in the integers of a report, 1/65536 of the side, and short enough
/// to be no part of the size that is drawn.
const SHARE: f64 = 0.03;

/// Places of a slider that are parts of what it joins; what follows shows the direction of its line.
pub(super) const JOINED: usize = 2;

/// Brings the second place of each line, one unit of length away, near its base; a model without a size keeps it.
pub(super) fn shorten(model: &Model, strokes: &mut [OutlineStroke]) {
    let size = side(model, strokes);
    if size == 0.0 {
        return;
    }
    for stroke in strokes.iter_mut().filter(|s| s.stroke == Stroke::Slider) {
        let [_, base, end] = &mut stroke.places[..] else { continue };
        let (Some(from), Spot::Place(to)) = (base.plain().copied(), &mut end.spot) else { continue };
        match (from, to) {
            (Place::Ground(from), Place::Ground(to)) => along(&from, to, SHARE * size),
            (Place::OnPlanarBody { local: from, .. }, Place::OnPlanarBody { local: to, .. }) => {
                along(&from, to, SHARE * size);
            }
            _ => {}
        }
    }
}

/// Largest side of the box around the places that are no mere directions, m.
fn side(model: &Model, strokes: &[OutlineStroke]) -> f64 {
    let drawn = |s: &OutlineStroke| if s.stroke == Stroke::Slider { JOINED } else { s.places.len() };
    let places: Vec<&OutlinePlace> =
        strokes.iter().flat_map(|s| &s.places[..drawn(s).min(s.places.len())]).collect();
    let at: Vec<[f64; 3]> = places.iter().map(|p| model.place_at(p, model.initial())).collect();
    let along = |k: usize| {
        let (low, high) =
            at.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p[k]), h.max(p[k])));
        (high - low).max(0.0)
    };
    (0..3).map(along).fold(0.0, f64::max)
}

/// Moves `to` on the line from `from` to this distance.
fn along<const N: usize>(from: &[f64; N], to: &mut [f64; N], distance: f64) {
    let length = from.iter().zip(to.iter()).map(|(a, b)| (b - a).powi(2)).sum::<f64>().sqrt();
    if length > 0.0 {
        to.iter_mut().zip(from).for_each(|(b, a)| *b = a + (*b - a) * (distance / length));
    }
}
