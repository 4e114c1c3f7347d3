//! The document of `mb equilibrium`.

use super::parts::{EquilibriumView, ModelView, SiteView};
use super::{Head, text};
use crate::commands::steady_motion::Steady;
use crate::flow::{Settled, Several};
use crate::render::summary;
use crate::source::Loaded;
use mb_analysis::{FromRest, Reached};
use mb_constraints::ConstraintRank;
use mb_linear::steady::Crossing;
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
    search: Option<SearchView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reactions: Option<Vec<Vec<ReactionView>>>,
    notes: Vec<String>,
}

/// How far a search for several equilibria came.
#[derive(Serialize)]
struct SearchView {
    starts: usize,
    tried: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
}

impl From<&Several> for SearchView {
    fn from(search: &Several) -> Self {
        let stopped = search.stopped.map(|why| why.to_string());
        Self { starts: search.starts, tried: search.tried, stopped }
    }
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
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<BranchView>,
}

/// The branch that a steady motion is on; shares are those of the speeds asked for.
#[derive(Serialize)]
struct BranchView {
    name: &'static str,
    from_rest: bool,
    /// The share at which the branch from rest ends before the speeds asked for.
    ends: Option<f64>,
    crossings: Vec<CrossingView>,
    notes: Vec<String>,
}

/// Where a real eigenvalue passes through zero.
#[derive(Serialize)]
struct CrossingView {
    share: f64,
    error: f64,
    negative_below: usize,
    negative_above: usize,
    left: bool,
}

impl From<&FromRest> for BranchView {
    fn from(found: &FromRest) -> Self {
        let crossing = |c: &Crossing| CrossingView {
            share: c.share,
            error: c.error,
            negative_below: c.below,
            negative_above: c.above,
            left: c.left,
        };
        Self {
            name: found.name(),
            from_rest: found.shown && matches!(&found.reached, Reached::Whole(branch) if !branch.has_split()),
            ends: found.branch().and_then(|b| b.ends).map(|[share, _]| share),
            crossings: found.branch().map_or_else(Vec::new, |b| b.crossings.iter().map(crossing).collect()),
            notes: mb_analysis::sentences::all(&found.notes()),
        }
    }
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
        branch: found.branch().map(BranchView::from),
    })
}

/// The document: one equilibrium, or all that a search found.
pub fn document(
    loaded: &Loaded,
    rank: &ConstraintRank,
    found: &[Settled],
    search: Option<&Several>,
    reactions: bool,
) -> String {
    let speeds = summary::speeds_aside(&loaded.model);
    let of = |s: &Settled| ReactionView::all(loaded, s.equilibrium.point());
    text(&Document {
        head: Head::of("equilibrium"),
        model: ModelView::new(loaded, rank),
        equilibria: found.iter().map(|s| EquilibriumView::new(loaded, s)).collect(),
        search: search.map(SearchView::from),
        reactions: reactions.then(|| found.iter().map(of).collect()),
        notes: mb_analysis::sentences::all(speeds.as_slice()),
    })
}
