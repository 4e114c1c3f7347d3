//! Where angles are held: clamps, and the places of springs between angles.
//!
//! In the plane a clamp is a pin and an angle that is kept, and a torsional spring joins two angles, neither of which has a
//! place. The spring is where the two things meet: where a place that turns with one angle is, at the start, where one that
//! turns with the other is.

use super::{OutlinePlace, OutlineStroke, Spot, Stroke};
use crate::element::{AngleOf, Element, Place};
use crate::model::Model;
use std::collections::{HashMap, HashSet};

/// An angle of the plane: index of its coordinate in the configuration, none for the ground's.
type Angle = Option<usize>;

/// Pins of joints that keep an angle too are clamps.
pub(super) fn clamp(model: &Model, strokes: &mut [OutlineStroke]) {
    let kept = model.members().iter().filter(|m| matches!(m.element, Element::RelativeAngle(_)));
    let kept: HashSet<&str> = kept.map(|m| m.owner.as_str()).collect();
    for stroke in strokes.iter_mut().filter(|s| s.stroke == Stroke::Pin) {
        if kept.contains(stroke.owner.as_str()) {
            stroke.stroke = Stroke::Clamp;
        }
    }
}

/// Gives clamps a third place, further along what they hold.
pub(super) fn direct(model: &Model, strokes: &mut [OutlineStroke]) {
    if strokes.iter().all(|s| s.stroke != Stroke::Clamp) {
        return;
    }
    // What is drawn through places of a block of coordinates.
    let mut through: HashMap<usize, usize> = HashMap::new();
    for (i, stroke) in strokes.iter().enumerate() {
        if matches!(stroke.stroke, Stroke::Bar | Stroke::Curve | Stroke::Body) {
            for block in stroke.places.iter().filter_map(|p| block(model, p)) {
                through.entry(block).or_insert(i);
            }
        }
    }
    for i in 0..strokes.len() {
        if strokes[i].stroke != Stroke::Clamp {
            continue;
        }
        let further = strokes[i].places.iter().find_map(|place| {
            let held = &strokes[*through.get(&block(model, place)?)?];
            further(model, held, place)
        });
        strokes[i].places.extend(further);
    }
}

/// First configuration index of the block that carries a place.
fn block(model: &Model, place: &OutlinePlace) -> Option<usize> {
    place.plain()?.block_slot().map(|q| model.members()[place.member].wires.q_index[q])
}

/// The place of a stroke that comes after `from`: of a body its centre or, where that is no other place, the one furthest away.
fn further(model: &Model, held: &OutlineStroke, from: &OutlinePlace) -> Option<OutlinePlace> {
    let start = model.place_at(from, model.initial());
    let away = |p: &OutlinePlace| {
        let at = model.place_at(p, model.initial());
        (0..3).map(|k| (at[k] - start[k]).powi(2)).sum::<f64>()
    };
    let order = |a: &&OutlinePlace, b: &&OutlinePlace| away(a).total_cmp(&away(b));
    let found = if held.stroke == Stroke::Body {
        let center = held.places.first().filter(|p| !model.coincide(p, from));
        center.or_else(|| held.places.iter().max_by(order))
    } else {
        let (i, _) = held.places.iter().enumerate().min_by(|(_, a), (_, b)| order(a, b))?;
        held.places.get(i + 1).or_else(|| held.places.get(i.checked_sub(1)?))
    };
    found.copied().filter(|p| !model.coincide(p, from))
}

/// Draws springs and dampers between angles of the plane where the things meet, or on one of them where they do not.
pub(super) fn add_torsion_springs(model: &Model, strokes: &mut Vec<OutlineStroke>) {
    let springs = model.members().iter().enumerate().filter_map(|(i, m)| match &m.element {
        Element::TorsionSpring(spring) => Some((i, m, spring)),
        _ => None,
    });
    let springs: Vec<_> = springs.collect();
    if springs.is_empty() {
        return;
    }
    let places = places_by_angle(model, strokes);
    let none = Vec::new();
    for (i, member, spring) in springs {
        let of = |angle| places.get(&angle_of(model, i, angle)).unwrap_or(&none);
        let (a, b) = (of(spring.a), of(spring.b));
        let near = |x: &[f64; 3], y: &[f64; 3]| {
            x.iter().zip(y).all(|(x, y)| (x - y).abs() <= 1e-9 * (1.0 + y.abs()))
        };
        let both = a
            .iter()
            .find_map(|(p, at)| b.iter().find(|(_, other)| near(at, other)).map(|(other, _)| [*p, *other]));
        let one = a.iter().chain(b).find(|(p, _)| !p.is_ground()).map(|(p, _)| [*p; 2]);
        let Some(found) = both.or(one) else { continue };
        let stroke = if spring.stiffness == 0.0 { Stroke::TorsionDamper } else { Stroke::TorsionSpring };
        strokes.push(OutlineStroke { owner: member.owner.clone(), stroke, places: found.to_vec() });
    }
}

/// Index of an angle of an element.
fn angle_of(model: &Model, member: usize, angle: AngleOf) -> Angle {
    let index = &model.members()[member].wires.q_index;
    match angle {
        AngleOf::Ground => None,
        AngleOf::Coordinate { q, .. } => Some(index[q]),
        AngleOf::Section { angle, .. } => Some(index[angle.0]),
        AngleOf::OnLink { frame, .. } => Some(index[frame.q + 2]),
    }
}

/// The places that turn with each angle and where they are at the start, those of pins and clamps first.
fn places_by_angle(
    model: &Model,
    strokes: &[OutlineStroke],
) -> HashMap<Angle, Vec<(OutlinePlace, [f64; 3])>> {
    let mut out: HashMap<Angle, Vec<(OutlinePlace, [f64; 3])>> = HashMap::new();
    let mut add = |angle: Angle, place: OutlinePlace| {
        out.entry(angle).or_default().push((place, model.place_at(&place, model.initial())));
    };
    let joins = |s: &&OutlineStroke| matches!(s.stroke, Stroke::Pin | Stroke::Clamp);
    let (first, then): (Vec<_>, Vec<_>) = strokes.iter().partition(joins);
    for place in first.into_iter().chain(then).flat_map(|s| &s.places) {
        let index = &model.members()[place.member].wires.q_index;
        match place.plain() {
            Some(Place::Ground(_)) => add(None, *place),
            Some(Place::OnPlanarBody { q, .. }) => add(Some(index[q + 2]), *place),
            Some(Place::OnLink { frame, .. }) => add(Some(index[frame.q + 2]), *place),
            Some(Place::PlanarPoint { .. } | Place::SpatialPoint { .. } | Place::OnBody { .. }) | None => {}
        }
    }
    // The angle of a line is at both of its ends.
    for (member, m) in model.members().iter().enumerate() {
        if let Element::AngleOfLine(line) = &m.element {
            for place in [line.a, line.b] {
                add(angle_of(model, member, line.angle), OutlinePlace { member, spot: Spot::Place(place) });
            }
        }
    }
    out
}
