//! Strokes of equivalent rigid links: a curve for each element, pins at bases and joints, payloads.

use super::{Spot, Stroke};
use crate::element::{Erls, PinEnd, Place};

/// Places that show the cubic of an element.
const POINTS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The strokes of an element.
pub(super) fn strokes(erls: &Erls) -> Vec<(Stroke, Vec<Spot>)> {
    match erls {
        Erls::Beam(beam) => {
            let mut out = vec![(Stroke::Curve, POINTS.map(Spot::Erls).to_vec())];
            // The base of a link turns in the ground or about the tip of the link below it.
            if beam.start == 0.0 {
                let base = Spot::Erls(0.0);
                let other = match beam.chain.links.as_slice() {
                    [_] => ground(beam.chain.base),
                    _ => base,
                };
                out.push((Stroke::Pin, vec![base, other]));
            }
            out
        }
        Erls::Payload(_) => vec![(Stroke::Mass, vec![Spot::Erls(0.0)])],
        Erls::Pin(pin) => {
            let other = match &pin.b {
                PinEnd::Ground(at) => ground(*at),
                PinEnd::Link(_) => Spot::Erls(1.0),
                PinEnd::Place(place) => Spot::Place(*place),
            };
            vec![(Stroke::Pin, vec![Spot::Erls(0.0), other])]
        }
    }
}

fn ground([x, y]: [f64; 2]) -> Spot {
    Spot::Place(Place::Ground([x, y, 0.0]))
}
