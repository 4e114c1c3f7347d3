//! The document of `mb track`.

use super::parametric::{PointView, VariableView, point, steady, variables};
use super::parts::{ModelView, SteadyView};
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
    /// False where speeds make them eigenvalues of an instant.
    exponents: bool,
    /// The frame of the exponents, where they are those of a steady motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    steady: Option<SteadyView>,
    point: PointView,
    order: usize,
    variables: Vec<VariableView>,
    abscissa: String,
    modes: Vec<ModeView>,
    groups: Vec<GroupView>,
    samples: BTreeMap<String, Vec<f64>>,
    mac: Vec<Vec<Vec<f64>>>,
    events: Vec<EventView>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct ModeView {
    number: usize,
    frequency_deviation: f64,
    damping_deviation: Option<f64>,
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
    at: Option<f64>,
    until: Option<f64>,
    gap_hz: Option<f64>,
    exchange: Option<f64>,
    share: Option<f64>,
    message: String,
}

/// The document.
pub fn document(found: &Track) -> String {
    let piece = &found.expansion.pieces[0];
    let event = |event: &Event| {
        let mut view = EventView {
            kind: "untold",
            modes: Vec::new(),
            at: None,
            until: None,
            gap_hz: None,
            exchange: None,
            share: None,
            message: words(event, &found.path.abscissa),
        };
        match event {
            Event::Encounter { modes, kind, at, gap_hz, exchange } => {
                view.kind = match kind {
                    EncounterKind::Crossing => "crossing",
                    EncounterKind::Veering => "veering",
                };
                (view.modes, view.at) = (modes.to_vec(), Some(*at));
                (view.gap_hz, view.exchange) = (Some(*gap_hz), Some(*exchange));
            }
            Event::Coincidence { at } => (view.kind, view.at) = ("coincidence", Some(*at)),
            Event::Doubtful { mode, at, share } => {
                (view.kind, view.modes, view.at, view.share) =
                    ("doubtful", vec![*mode], Some(*at), Some(*share));
            }
            Event::Together { group, from, until } => {
                (view.kind, view.modes, view.at, view.until) =
                    ("together", group.clone(), Some(*from), Some(*until));
            }
            Event::Lost { group, from, until } => {
                (view.kind, view.modes, view.at, view.until) =
                    ("lost", group.clone(), Some(*from), Some(*until));
            }
            Event::Unknown { group } => view.modes.clone_from(group),
        }
        view
    };
    let modes = found.expansion.numbers().into_iter().enumerate().map(|(k, number)| {
        let frequency_deviation = found.frequency_deviation(k);
        ModeView { number, frequency_deviation, damping_deviation: found.damping_deviation(k) }
    });
    text(&Document {
        head: Head::of("track"),
        model: ModelView::new(&found.place.loaded, &found.expansion.rank),
        exponents: !found.place.setting.instant,
        steady: steady(&found.expansion),
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
        notes: mb_analysis::sentences::all(&found.notes()),
    })
}
