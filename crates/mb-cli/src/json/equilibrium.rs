//! The document of `mb equilibrium`.

use super::parts::{EquilibriumView, ModelView, SiteView};
use super::{Head, text};
use crate::commands::steady_motion::Steady;
use crate::flow::Settled;
use crate::source::Loaded;
use mb_constraints::ConstraintRank;
use mb_model::Point;
use mb_model::sensor::Reaction;
use serde::Serialize;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    model: ModelView,
    equilibria: Vec<EquilibriumView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reactions: Option<Vec<Vec<ReactionView>>>,
}

/// Force (N) and moment (N m) on the body of the first place, at that place, in ground axes.
#[derive(Serialize)]
struct ReactionView {
    of: String,
    force: [f64; 3],
    moment: [f64; 3],
}

impl ReactionView {
    fn all(loaded: &Loaded, point: &Point) -> Vec<Self> {
        let view = |r: Reaction| {
            let wrench = loaded.model.wrench(&r, point);
            Self { of: r.owner, force: wrench.force, moment: wrench.moment }
        };
        loaded.model.reactions().into_iter().map(view).collect()
    }
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
    growth_error_bound: Option<f64>,
}

/// The document of a steady motion.
pub fn steady(loaded: &Loaded, rank: &ConstraintRank, found: &Steady) -> String {
    text(&SteadyDocument {
        head: Head::of("equilibrium"),
        model: ModelView::new(loaded, rank),
        site: SiteView::new(loaded, &found.site),
        stability: found.stability(),
        growth: found.growth.map(|g| g.0),
        growth_error_bound: found.growth.map(|g| g.1),
    })
}

/// The document: one equilibrium, or all that were found.
pub fn document(loaded: &Loaded, rank: &ConstraintRank, found: &[Settled], reactions: bool) -> String {
    let of = |s: &Settled| ReactionView::all(loaded, s.equilibrium.point());
    text(&Document {
        head: Head::of("equilibrium"),
        model: ModelView::new(loaded, rank),
        equilibria: found.iter().map(|s| EquilibriumView::new(loaded, s)).collect(),
        reactions: reactions.then(|| found.iter().map(of).collect()),
    })
}
