//! The document of `mb state-space`.

use super::parts::{ModelView, SiteView, rows};
use super::{Head, text};
use crate::commands::state_space::{LinearForm, System};
use serde::Serialize;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    model: ModelView,
    #[serde(flatten)]
    site: SiteView,
    form: &'static str,
    states: Vec<String>,
    inputs: Vec<String>,
    input_units: Vec<&'static str>,
    outputs: Vec<String>,
    output_units: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    e: Option<Vec<Vec<f64>>>,
    a: Vec<Vec<f64>>,
    b: Vec<Vec<f64>>,
    c: Vec<Vec<f64>>,
    d: Vec<Vec<f64>>,
    notes: Vec<String>,
}

/// The document.
pub fn document(found: &System) -> String {
    let (form, states, e, [a, b, c, d]) = match &found.form {
        LinearForm::Descriptor(s) => {
            ("descriptor", s.states.clone(), Some(rows(&s.e)), [&s.a, &s.b, &s.c, &s.d])
        }
        LinearForm::Reduced(s) => ("reduced", s.states.clone(), None, [&s.a, &s.b, &s.c, &s.d]),
        LinearForm::Minimal(s) => ("minimal", s.states.clone(), None, [&s.a, &s.b, &s.c, &s.d]),
    };
    let model = &found.loaded.model;
    text(&Document {
        head: Head::of("state-space"),
        model: ModelView::new(&found.loaded, &found.rank),
        site: SiteView::new(&found.loaded, &found.site),
        form,
        states,
        inputs: model.inputs().to_vec(),
        input_units: model.input_units(),
        outputs: model.sensors().iter().map(|s| s.name.clone()).collect(),
        output_units: model.sensors().iter().map(|s| s.reading.unit()).collect(),
        e,
        a: rows(a),
        b: rows(b),
        c: rows(c),
        d: rows(d),
        notes: mb_analysis::sentences::all(&found.notes()),
    })
}
