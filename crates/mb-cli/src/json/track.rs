//! The document of `mb track`.

use super::parametric::{PointView, VariableView, point, variables};
use super::parts::ModelView;
use super::{Head, text};
use crate::commands::track::{Track, words};
use crate::parametric::follow::Event;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    model: ModelView,
    point: PointView,
    order: usize,
    variables: Vec<VariableView>,
    abscissa: String,
    modes: Vec<ModeView>,
    samples: BTreeMap<String, Vec<f64>>,
    events: Vec<EventView>,
}

#[derive(Serialize)]
struct ModeView {
    number: usize,
    frequency_deviation: f64,
    damping_deviation: f64,
}

#[derive(Serialize)]
struct EventView {
    kind: &'static str,
    modes: Vec<usize>,
    at: f64,
    gap_hz: Option<f64>,
    exchange: Option<f64>,
    share: Option<f64>,
    message: String,
}

/// The document.
pub fn document(found: &Track) -> String {
    let number = |k: usize| found.expansion.modes[k].number;
    let event = |event: &Event| {
        let (kind, modes, at, gap_hz, exchange, share) = match event {
            Event::Crossing { modes, at } => ("crossing", modes.to_vec(), *at, None, None, None),
            Event::Veering { modes, at, gap_hz, exchange } => {
                ("veering", modes.to_vec(), *at, Some(*gap_hz), Some(*exchange), None)
            }
            Event::Uncertain { mode, at, share } => ("uncertain", vec![*mode], *at, None, None, Some(*share)),
        };
        let message = words(event, &found.path.abscissa, &number);
        EventView {
            kind,
            modes: modes.into_iter().map(number).collect(),
            at,
            gap_hz,
            exchange,
            share,
            message,
        }
    };
    let modes = (0..found.expansion.modes.len()).map(|k| {
        let [frequency_deviation, damping_deviation] = found.deviation(k);
        ModeView { number: number(k), frequency_deviation, damping_deviation }
    });
    text(&Document {
        head: Head::of("track"),
        model: ModelView::new(&found.place.loaded, &found.expansion.rank),
        point: point(&found.place, &found.expansion, false),
        order: found.expansion.order,
        variables: variables(&found.place, &found.expansion),
        abscissa: found.path.abscissa.clone(),
        modes: modes.collect(),
        samples: found.columns().into_iter().collect(),
        events: found.events.iter().map(event).collect(),
    })
}
