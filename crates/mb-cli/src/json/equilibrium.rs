//! The document of `mb equilibrium`.

use super::parts::{EquilibriumView, ModelView, SiteView};
use super::{Head, text};
use crate::commands::steady_motion::Steady;
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

#[derive(Serialize)]
struct SteadyDocument {
    #[serde(flatten)]
    head: Head,
    model: ModelView,
    #[serde(flatten)]
    site: SiteView,
    stability: &'static str,
    growth: Option<f64>,
    growth_error_bar: Option<f64>,
}

/// The document of a steady motion.
pub fn steady(loaded: &Loaded, rank: &ConstraintRank, found: &Steady) -> String {
    text(&SteadyDocument {
        head: Head::of("equilibrium"),
        model: ModelView::new(loaded, rank),
        site: SiteView::new(loaded, &found.site),
        stability: found.stability(),
        growth: found.growth.map(|g| g.0),
        growth_error_bar: found.growth.map(|g| g.1),
    })
}

/// The document: one equilibrium, or all that were found.
pub fn document(loaded: &Loaded, rank: &ConstraintRank, found: &[Settled]) -> String {
    text(&Document {
        head: Head::of("equilibrium"),
        model: ModelView::new(loaded, rank),
        equilibria: found.iter().map(|s| EquilibriumView::new(loaded, s)).collect(),
    })
}
