//! The document of `mb export`.

use super::parts::{EquilibriumView, ModelView};
use super::{Head, text};
use crate::commands::export::Written;
use crate::flow::Settled;
use crate::source::Loaded;
use mb_constraints::ConstraintRank;
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    model: ModelView,
    equilibrium: EquilibriumView,
    files: &'a [Written],
}

/// The document.
pub fn document(loaded: &Loaded, rank: &ConstraintRank, settled: &Settled, files: &[Written]) -> String {
    text(&Document {
        head: Head::of("export"),
        model: ModelView::new(loaded, rank),
        equilibrium: EquilibriumView::new(loaded, settled),
        files,
    })
}
