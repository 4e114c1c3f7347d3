//! The document of `mb track`.

use super::parametric::{PointView, VariableView, point, variables};
use super::parts::ModelView;
use super::{Head, text};
use crate::commands::track::{Event, Track, words};
use mb_parametric::EncounterKind;
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
    groups: Vec<GroupView>,
    samples: BTreeMap<String, Vec<f64>>,
    mac: Vec<Vec<Vec<f64>>>,
    events: Vec<EventView>,
}

#[derive(Serialize)]
struct ModeView {
    number: usize,
    frequency_deviation: f64,
    damping_deviation: f64,
}

#[derive(Serialize)]
struct GroupView {
    modes: Vec<usize>,
    deviation: f64,
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
    let piece = &found.expansion.pieces[0];
    let event = |event: &Event| {
        let (kind, modes, at, gap_hz, exchange, share) = match event {
            Event::Encounter { modes, kind, at, gap_hz, exchange } => {
                let kind = match kind {
                    EncounterKind::Crossing => "crossing",
                    EncounterKind::Veering => "veering",
                };
                (kind, modes.to_vec(), *at, Some(*gap_hz), Some(*exchange), None)
            }
            Event::Coincidence { at } => ("coincidence", Vec::new(), *at, None, None, None),
            Event::Doubtful { mode, at, share } => ("doubtful", vec![*mode], *at, None, None, Some(*share)),
        };
        let message = words(event, &found.path.abscissa);
        EventView { kind, modes, at, gap_hz, exchange, share, message }
    };
    let modes = found.expansion.numbers().into_iter().enumerate().map(|(k, number)| {
        let [frequency_deviation, damping_deviation] = found.deviation(k);
        ModeView { number, frequency_deviation, damping_deviation }
    });
    text(&Document {
        head: Head::of("track"),
        model: ModelView::new(&found.place.loaded, &found.expansion.rank),
        point: point(&found.place, &found.expansion, piece, false),
        order: piece.order,
        variables: variables(&found.place, &found.expansion),
        abscissa: found.path.abscissa.clone(),
        modes: modes.collect(),
        groups: found
            .groups
            .iter()
            .zip(&piece.groups)
            .map(|(found, group)| GroupView { modes: group.numbers.clone(), deviation: found.deviation() })
            .collect(),
        mac: found.mac(),
        samples: found.columns().into_iter().collect(),
        events: found.events.iter().map(event).collect(),
    })
}
