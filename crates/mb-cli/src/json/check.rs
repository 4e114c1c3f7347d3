//! The document of `mb check`.

use super::parts::{EquilibriumView, ModelView, StartView};
use super::{Head, text};
use crate::commands::check::Check;
use crate::flow::check::{Part, RigidMode};
use serde::Serialize;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    model: ModelView,
    parts: Vec<PartView>,
    start: StartView,
    equilibrium: Option<EquilibriumView>,
    rigid_modes: Option<Vec<RigidView>>,
    notes: Vec<String>,
    verdict: String,
    usable: bool,
}

#[derive(Serialize)]
struct PartView {
    kind: String,
    count: usize,
}

#[derive(Serialize)]
struct RigidView {
    drifting: bool,
    dominant: Vec<PartOf>,
}

#[derive(Serialize)]
struct PartOf {
    coordinate: String,
    amplitude: f64,
}

/// The document.
pub fn document(found: &Check) -> String {
    let part = |p: &Part| PartView { kind: p.kind.clone(), count: p.count };
    let rigid = found.rigid.as_ref().map(|list| {
        let view = |r: &RigidMode| RigidView {
            drifting: r.drifting,
            dominant: r
                .dominant
                .iter()
                .map(|(c, a)| PartOf { coordinate: c.clone(), amplitude: *a })
                .collect(),
        };
        list.iter().map(view).collect()
    });
    text(&Document {
        head: Head::of("check"),
        model: ModelView::new(&found.loaded, &found.rank),
        parts: found.parts.iter().map(part).collect(),
        start: StartView::new(&found.loaded, &found.start),
        equilibrium: found.settled.as_ref().ok().map(|s| EquilibriumView::new(&found.loaded, s)),
        rigid_modes: rigid,
        notes: mb_analysis::sentences::all(&found.notes),
        verdict: found.verdict.clone(),
        usable: found.code == 0,
    })
}
