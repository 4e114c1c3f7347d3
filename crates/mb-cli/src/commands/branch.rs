//! `mb orbit --follow`: periodic motions over a parameter, with their bifurcations.

use super::periodic::Found;
use crate::args::RangeArg;
use crate::failure::{Failure, RequestError};
use crate::json::{Head, text};
use crate::names;
use crate::render::{Column, Style, Table, six};
use mb_algebra::Watch;
use mb_analysis::periodic::OverParameter;
use mb_model::ModelSpec;
use mb_periodic::{Branch, BranchOptions, BranchPoint, follow_branch};
use serde::Serialize;
use std::fmt::Write as _;

/// The parameter of a range, checked.
///
/// # Errors
/// [`RequestError::NoSuchParameter`], [`RequestError::EmptyRange`].
pub fn check(spec: &ModelSpec, range: &RangeArg) -> Result<(), Failure> {
    let (name, value) = (&range.range.name, range.range.from);
    if (range.range.to - value).abs() <= f64::EPSILON * value.abs() {
        return Err(RequestError::EmptyRange { option: "--follow", value }.into());
    }
    if !spec.parameters.contains_key(name) {
        let known = spec.parameters.keys().cloned().collect();
        return Err(RequestError::NoSuchParameter { option: "--follow", name: name.clone(), known }.into());
    }
    Ok(())
}

/// Follows the motion that was found at the beginning of the range.
///
/// # Errors
/// A start from which nothing can be followed.
pub fn followed(
    found: &Found,
    range: &RangeArg,
    asked: Option<&str>,
    watch: Watch,
) -> Result<Branch, Failure> {
    let spec = &found.loaded.spec;
    let own = if found.orbit.autonomous { None } else { asked };
    let family = OverParameter { spec, name: &range.range.name, period: own };
    let options = BranchOptions {
        range: [range.range.from, range.range.to],
        points: if range.range.count == 0 { 20 } else { range.range.count },
        steps: found.orbit.steps.min(128),
        inputs: found.inputs.clone(),
        watch,
    };
    Ok(follow_branch(&family, &found.orbit, &options)?)
}

fn outside(point: &BranchPoint) -> usize {
    // Errors of multipliers along a branch are not estimated one by one.
    point.multipliers.iter().filter(|m| m.norm() > 1.0 + 1e-6).count()
}

/// The branch in words.
pub fn words(branch: &Branch, name: &str, style: Style) -> String {
    let mut table = Table::new(vec![
        Column::words(""),
        Column::number(name, ""),
        Column::number("period", "s"),
        Column::number("largest multiplier", ""),
        Column::number("outside", ""),
    ]);
    let row = |what: String, point: &BranchPoint| {
        let largest = point.multipliers.first().map_or(0.0, |m| m.norm());
        vec![what, six(point.p), six(point.period), six(largest), outside(point).to_string()]
    };
    for point in &branch.points {
        table.row(row(String::new(), point));
    }
    let mut out = format!("\n{}", table.render(style));
    if !branch.bifurcations.is_empty() {
        let mut table = Table::new(vec![
            Column::words("bifurcation"),
            Column::number(name, ""),
            Column::number("period", "s"),
            Column::number("largest multiplier", ""),
            Column::number("outside", ""),
        ]);
        for (kind, point) in &branch.bifurcations {
            table.row(row(kind.to_string(), point));
        }
        let _ = write!(out, "\n{}", table.render(style));
    }
    for (kind, [from, to]) in &branch.not_located {
        let _ = writeln!(
            out,
            "a bifurcation ({kind}) is not located between {name} = {} and {name} = {}",
            six(*from),
            six(*to)
        );
    }
    let _ = writeln!(
        out,
        "{} and {} solved for; between two motions an even number of crossings is not seen",
        names::count(branch.points.len(), "motion", "motions"),
        names::count(branch.bifurcations.len(), "bifurcation", "bifurcations")
    );
    if let Some(why) = &branch.ended {
        let _ = writeln!(out, "the branch ends before the end of the range: {why}");
    }
    out
}

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    parameter: String,
    points: Vec<View>,
    bifurcations: Vec<View>,
    not_located: Vec<NotLocated>,
    ended: Option<String>,
}

/// A bifurcation that a test function shows between two values.
#[derive(Serialize)]
struct NotLocated {
    kind: String,
    between: [f64; 2],
}

#[derive(Serialize)]
struct View {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    value: f64,
    period: f64,
    multipliers: Vec<[f64; 2]>,
    configuration: Vec<f64>,
    velocities: Vec<f64>,
}

impl View {
    fn new(kind: Option<String>, point: &BranchPoint) -> Self {
        Self {
            kind,
            value: point.p,
            period: point.period,
            multipliers: point.multipliers.iter().map(|m| [m.re, m.im]).collect(),
            configuration: point.state.q.clone(),
            velocities: point.state.v.clone(),
        }
    }
}

/// The branch as a document.
pub fn document(branch: &Branch, name: &str) -> String {
    text(&Document {
        head: Head::of("orbit"),
        parameter: name.to_owned(),
        points: branch.points.iter().map(|p| View::new(None, p)).collect(),
        bifurcations: branch.bifurcations.iter().map(|(k, p)| View::new(Some(k.to_string()), p)).collect(),
        not_located: branch
            .not_located
            .iter()
            .map(|(kind, between)| NotLocated { kind: kind.to_string(), between: *between })
            .collect(),
        ended: branch.ended.as_ref().map(ToString::to_string),
    })
}
