//! The summary of a simulation, in words and as JSON.

use super::{Run, SimulateArgs};
use crate::json::{Head, text};
use crate::render::{Column, Style, Table, six, tiny};
use crate::source::Loaded;
use mb_constraints::simulate::{End, Start, Trajectory};
use serde::Serialize;
use std::fmt::Write as _;

/// How a run ended, in a few words.
fn end(motion: &Trajectory) -> String {
    match &motion.end {
        End::Finished => "finished".to_owned(),
        End::Event(name) => format!("stopped by {name}"),
        End::Interrupted => "interrupted".to_owned(),
        End::Failed(_) => "failed".to_owned(),
    }
}

/// Changes of a start below this are rounding, in m, rad or these per second.
const ROUNDING: f64 = 1e-9;

/// The summary in words.
pub(super) fn words(
    loaded: &Loaded,
    args: &SimulateArgs,
    start: &Start,
    runs: &[Run],
    style: Style,
) -> String {
    let model = &loaded.model;
    let mut out = format!("{}\n", style.bold(&model.name));
    let reports = runs.first().map_or(0, |r| r.motion.len());
    let _ = writeln!(out, "  from {} s to {} s, {reports} reports", args.time, args.until);
    if start.moved.max(start.changed) > ROUNDING {
        let _ = writeln!(
            out,
            "  start made consistent: coordinates moved by {}, velocities changed by up to {}",
            tiny(start.moved),
            tiny(start.changed)
        );
    }
    let mut table = Table::new(vec![
        Column::words("method"),
        Column::words("end"),
        Column::number("time", "s"),
        Column::number("steps", ""),
        Column::number("evaluations", ""),
        Column::number("max Phi'Phi", ""),
        Column::number("mean Phi'Phi", ""),
        Column::number("energy drift", "J"),
        Column::number("took", "s"),
    ]);
    for run in runs {
        let m = &run.motion;
        let (largest, mean) = m.violation();
        table.row(vec![
            run.name.clone(),
            end(m),
            six(m.times.last().copied().unwrap_or(args.time)),
            m.statistics.steps.to_string(),
            m.statistics.evaluations.to_string(),
            tiny(largest),
            tiny(mean),
            tiny(m.energy_drift()),
            format!("{:.3}", run.seconds),
        ]);
    }
    out.push('\n');
    out.push_str(&table.render(style));
    for run in runs {
        let s = &run.motion.statistics;
        if s.capped > 0 {
            let _ = writeln!(
                out,
                "  {}: {} of {} evaluations reached the cap on iterations",
                run.name, s.capped, s.evaluations
            );
        }
        if s.corrections > 0 {
            let _ = writeln!(
                out,
                "  {}: {} corrections with at most {} iterations on the positions",
                run.name, s.corrections, s.most_iterations
            );
        }
    }
    if let [run] = runs
        && !model.sensors().is_empty()
        && !run.motion.is_empty()
    {
        let mut table = Table::new(vec![Column::words("output at the end"), Column::number("value", "")]);
        let values = model.outputs(&run.motion.point(run.motion.len() - 1));
        for (sensor, value) in model.sensors().iter().zip(values) {
            table.row(vec![sensor.name.clone(), six(value)]);
        }
        out.push('\n');
        out.push_str(&table.render(style));
    }
    out
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    model: &'a str,
    start: StartView,
    runs: Vec<RunView<'a>>,
}

/// How far the start was from being consistent.
#[derive(Serialize)]
struct StartView {
    moved: f64,
    velocity_changed: f64,
}

#[derive(Serialize)]
struct RunView<'a> {
    method: &'a str,
    end: String,
    failure: Option<String>,
    time: Option<f64>,
    reports: usize,
    steps: usize,
    rejected_steps: usize,
    evaluations: usize,
    capped_evaluations: usize,
    corrections: usize,
    most_correction_iterations: usize,
    largest_violation: f64,
    mean_violation: f64,
    energy_drift: f64,
    seconds: f64,
}

/// The summary as JSON.
pub(super) fn document(loaded: &Loaded, start: &Start, runs: &[Run]) -> String {
    let view = |run: &'_ Run| {
        let m = &run.motion;
        let s = m.statistics;
        let (largest_violation, mean_violation) = m.violation();
        let failure = if let End::Failed(failure) = &m.end { Some(failure.to_string()) } else { None };
        (failure, m.times.last().copied(), s, largest_violation, mean_violation)
    };
    let runs = runs
        .iter()
        .map(|run| {
            let (failure, time, s, largest_violation, mean_violation) = view(run);
            RunView {
                method: &run.name,
                end: end(&run.motion),
                failure,
                time,
                reports: run.motion.len(),
                steps: s.steps,
                rejected_steps: s.rejected,
                evaluations: s.evaluations,
                capped_evaluations: s.capped,
                corrections: s.corrections,
                most_correction_iterations: s.most_iterations,
                largest_violation,
                mean_violation,
                energy_drift: run.motion.energy_drift(),
                seconds: run.seconds,
            }
        })
        .collect();
    let start = StartView { moved: start.moved, velocity_changed: start.changed };
    text(&Document { head: Head::of("simulate"), model: &loaded.model.name, start, runs })
}
