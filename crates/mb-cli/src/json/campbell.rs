//! The document of `mb track --campbell`.

use super::{Head, text};
use crate::commands::campbell::CampbellDiagram;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    model: String,
    file: String,
    speed: String,
    /// The frame in words; null where nothing turns.
    frame: Option<String>,
    exponents: bool,
    modes: usize,
    samples: BTreeMap<String, Vec<f64>>,
    critical_speeds: Vec<CriticalView>,
    unstable: Vec<UnstableView>,
    /// Largest change of a linearization along its orbit.
    deviation: f64,
    /// Speeds whose whole orbit was checked.
    shown: usize,
    /// Polynomials that matrices between are read from; null where all speeds were linearized.
    between: Option<BetweenView>,
    /// Whether all modes of every speed were computed.
    complete: bool,
    /// Width of ranges of growth below which they are found by chance only.
    resolution: f64,
    /// Why it is a part of what was asked for, and which; null where it is whole.
    ended: Option<String>,
    /// Critical speeds of a part that were not solved for.
    unsolved: Vec<UnsolvedView>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct BetweenView {
    degree: usize,
    /// Relative to the diagonals of the blocks.
    missed: f64,
    /// Speeds checked for that.
    checks: usize,
}

#[derive(Serialize)]
struct CriticalView {
    mode: usize,
    per_revolution: f64,
    speed: f64,
    error: f64,
    frequency_hz: f64,
    re: f64,
    whirl: Option<f64>,
}

#[derive(Serialize)]
struct UnsolvedView {
    mode: usize,
    per_revolution: f64,
    /// The neighbouring speeds that it lies between.
    between: [f64; 2],
}

#[derive(Serialize)]
struct UnstableView {
    from: Option<f64>,
    from_error: Option<f64>,
    to: Option<f64>,
    to_error: Option<f64>,
    mode: Option<usize>,
    growth: f64,
    at: f64,
    divergence: bool,
}

/// The document.
pub fn document(diagram: &CampbellDiagram) -> String {
    let found = &diagram.found;
    let critical = found.critical.iter().map(|c| CriticalView {
        mode: c.mode + 1,
        per_revolution: c.order,
        speed: c.speed,
        error: c.error,
        frequency_hz: c.frequency_hz,
        re: c.growth,
        whirl: c.whirl,
    });
    let unsolved = found.unsolved.iter().map(|u| UnsolvedView {
        mode: u.mode + 1,
        per_revolution: u.order,
        between: u.between,
    });
    let unstable = found.unstable.iter().map(|u| UnstableView {
        from: u.from.map(|x| x[0]),
        from_error: u.from.map(|x| x[1]),
        to: u.to.map(|x| x[0]),
        to_error: u.to.map(|x| x[1]),
        mode: u.mode.map(|mode| mode + 1),
        growth: u.growth,
        at: u.at,
        divergence: u.divergence,
    });
    text(&Document {
        head: Head::of("track"),
        model: diagram.loaded.model.name.clone(),
        file: diagram.loaded.file.clone(),
        speed: diagram.speed.clone(),
        frame: found.frame.as_ref().map(ToString::to_string),
        exponents: true,
        modes: found.modes.len(),
        samples: diagram.columns().into_iter().collect(),
        critical_speeds: critical.collect(),
        unstable: unstable.collect(),
        deviation: found.deviation,
        shown: found.shown,
        between: found.between.map(|b| BetweenView { degree: b.degree, missed: b.missed, checks: b.checks }),
        complete: found.complete,
        resolution: found.resolution,
        ended: diagram.ended(),
        unsolved: unsolved.collect(),
        notes: mb_analysis::sentences::all(&diagram.notes()),
    })
}
