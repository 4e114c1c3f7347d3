//! The document of `mb equilibrium`.

use super::parts::{EquilibriumView, ModelView};
use super::{Head, text};
use crate::flow::Settled;
use crate::source::Loaded;
use mb_constraints::ConstraintRank;
use serde::Serialize;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    model: ModelView,
    equilibria: Vec<EquilibriumView>,
}

/// The document: one equilibrium, or all that were found.
pub fn document(loaded: &Loaded, rank: &ConstraintRank, found: &[Settled]) -> String {
    text(&Document {
        head: Head::of("equilibrium"),
        model: ModelView::new(loaded, rank),
        equilibria: found.iter().map(|s| EquilibriumView::new(loaded, s)).collect(),
    })
}
