//! The document of `mb equilibrium --load-path`.

use super::parts::StabilityView;
use super::{Head, text};
use mb_linear::{LoadPath, PathEnd};
use serde::Serialize;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    load_path: Vec<Step>,
    end: End,
}

#[derive(Serialize)]
struct Step {
    factor: f64,
    stability: StabilityView,
    iterations: usize,
}

#[derive(Serialize)]
struct End {
    kind: &'static str,
    factor: f64,
    directions: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    between: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// The document of a path.
pub fn document(path: &LoadPath) -> String {
    let steps = path.steps.iter().map(|s| Step {
        factor: s.factor,
        stability: s.stability.into(),
        iterations: s.equilibrium.iterations,
    });
    let (kind, factor, directions, element) = match &path.end {
        PathEnd::FullLoad => ("full-load", 1.0, 0, None),
        PathEnd::Buckling { factor, directions, .. } => ("buckling", *factor, *directions, None),
        PathEnd::LimitPoint { factor } => ("limit-point", *factor, 0, None),
        PathEnd::Stopped { factor, .. } => ("stopped", *factor, 0, None),
        PathEnd::InsideOut { factor, worst } => ("inside-out", *factor, 0, Some(worst.to_string())),
    };
    let why = if let PathEnd::Stopped { why, .. } = &path.end { Some(why.to_string()) } else { None };
    let between = if let PathEnd::Buckling { between, .. } = &path.end { *between } else { None };
    let end = End { kind, factor, directions, between, element, why };
    text(&Document { head: Head::of("equilibrium"), load_path: steps.collect(), end })
}
