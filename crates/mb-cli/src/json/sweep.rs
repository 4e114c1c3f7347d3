//! The document of `mb sweep`.

use super::{Head, text};
use crate::commands::sweep::{Row, Sweep};
use mb_analysis::sweep::CaseMode;
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    model: &'a str,
    file: &'a str,
    parameters: &'a [String],
    /// Number of values of each parameter of a grid; empty for other designs.
    shape: &'a [usize],
    /// Rest, the model's own speeds, or the motion asked for.
    state: &'a str,
    note: Option<String>,
    cases: Vec<CaseView<'a>>,
    boundary: BoundaryView<'a>,
    interrupted: bool,
}

#[derive(Serialize)]
struct CaseView<'a> {
    case: usize,
    values: &'a [f64],
    verdict: Option<&'static str>,
    complete: Option<bool>,
    whole: Option<bool>,
    rightmost: Option<ModeView>,
    modes: Vec<ModeView>,
    message: Option<&'a str>,
}

#[derive(Serialize)]
struct ModeView {
    re: f64,
    im: f64,
    error_bound: f64,
    natural_frequency_hz: f64,
    damping_ratio: f64,
    rigid: bool,
}

impl From<&CaseMode> for ModeView {
    fn from(mode: &CaseMode) -> Self {
        Self {
            re: mode.re,
            im: mode.im,
            error_bound: mode.error,
            natural_frequency_hz: mode.natural_frequency_hz(),
            damping_ratio: mode.damping_ratio(),
            rigid: mode.rigid,
        }
    }
}

#[derive(Serialize)]
struct BoundaryView<'a> {
    crossings: Vec<CrossingView<'a>>,
    segments: &'a [[usize; 2]],
}

#[derive(Serialize)]
struct CrossingView<'a> {
    between: [usize; 2],
    at: &'a [f64],
    within: f64,
    frequency_hz: f64,
}

/// The document.
pub fn document(found: &Sweep) -> String {
    let view = |(k, row): (usize, &'_ Option<Row>)| {
        let row = row.as_ref()?;
        let case = row.case();
        Some(CaseView {
            case: k + 1,
            values: &found.design.points[k],
            verdict: case.map(|c| c.verdict.word()),
            complete: case.map(|c| c.complete),
            whole: case.map(|c| c.whole),
            rightmost: case.and_then(|c| c.rightmost.as_ref()).map(ModeView::from),
            modes: case.map_or_else(Vec::new, |c| c.modes.iter().map(ModeView::from).collect()),
            message: found.rows[k].as_ref().and_then(Row::message),
        })
    };
    let crossings = found.boundary.crossings.iter().map(|c| CrossingView {
        between: c.between.map(|k| k + 1),
        at: &c.at,
        within: c.within,
        frequency_hz: c.frequency_hz,
    });
    text(&Document {
        head: Head::of("sweep"),
        model: &found.model[0],
        file: &found.model[1],
        parameters: &found.design.names,
        shape: &found.design.shape,
        state: found.taken.word(),
        note: found.taken.note().map(|n| mb_analysis::sentences::one(&n)),
        cases: found.rows.iter().enumerate().filter_map(view).collect(),
        boundary: BoundaryView { crossings: crossings.collect(), segments: &found.boundary.segments },
        interrupted: found.stopped.is_some(),
    })
}
