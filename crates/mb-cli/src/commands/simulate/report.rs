//! The summary of a simulation, in words and as JSON.

use super::{Run, SimulateArgs};
use crate::json::parts::FurthestView;
use crate::json::{Head, text};
use crate::render::{Column, Style, Table, short, six, summary, tiny};
use crate::source::Loaded;
use mb_constraints::ConstraintError;
use mb_constraints::simulate::{
    End, EnergyDeparture, SingularPassage, Start, StartShock, StepBound, Trajectory,
};
use mb_model::Model;
use mb_model::model::Sensor;
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

/// The summary in words; the start that was given goes with the consistent one.
pub(super) fn words(
    loaded: &Loaded,
    args: &SimulateArgs,
    (given, start): (&[f64], &Start),
    runs: &[Run],
    style: Style,
) -> String {
    let model = &loaded.model;
    let mut out = format!("{}\n", style.bold(&model.name));
    let reports = runs.first().map_or(0, |r| r.motion.len());
    let _ = writeln!(out, "  from {} s to {} s, {reports} reports", short(args.time), short(args.until));
    if start.moved.max(start.changed) > ROUNDING {
        let _ = writeln!(
            out,
            "  start made consistent: coordinates moved by {}{}, velocities changed by up to {}",
            tiny(start.moved),
            summary::furthest(model, given, &start.q),
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
        if model.has_velocity_rows() {
            let largest = run.motion.records.iter().fold(0.0_f64, |m, r| m.max(r.velocity_violation));
            let _ = writeln!(
                out,
                "  {}: velocity rows and rates of position rows hold to {} in m/s",
                run.name,
                tiny(largest.sqrt())
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
    for run in runs {
        if let Some(noise) = run.motion.penalty_noise.filter(|noise| *noise > args.rtol) {
            let _ = writeln!(
                out,
                "  {}: the penalty leaves rounding errors of about {} of the accelerations, above the relative tolerance; a smaller --alpha has less",
                run.name,
                tiny(noise)
            );
        }
        out.push_str(&shock(run));
        out.push_str(&departure(run));
        out.push_str(&step_bound(run, args.every));
        out.push_str(&passages(model, run));
        out.push_str(&lost_contacts(model, run));
    }
    if let [run] = runs
        && !model.sensors().is_empty()
        && !run.motion.is_empty()
    {
        let mut table = Table::new(vec![
            Column::words("output at the end"),
            Column::number("value", ""),
            Column::words("unit"),
        ]);
        let values = model.outputs(&run.motion.point(run.motion.len() - 1));
        for (sensor, value) in model.sensors().iter().zip(values) {
            table.row(vec![sensor.name.clone(), six(value), sensor.reading.unit().to_owned()]);
        }
        out.push('\n');
        out.push_str(&table.render(style));
    }
    out.push_str(&summary::notes(summary::moved_note(model, given, &start.q).as_slice(), style));
    out
}

/// A start that the first implicit step does not follow, in words.
fn shock(run: &Run) -> String {
    let Some(StartShock { time, taken }) = run.motion.start_shock else { return String::new() };
    format!(
        "  {}: dampers end the motion of the start within the first step, to t = {} s, made by the implicit Euler method therefore; dampers, loads and drives {} {} J in it, and the balance of energy begins at its end\n",
        run.name,
        six(time),
        if taken < 0.0 { "gave" } else { "took" },
        six(taken.abs())
    )
}

/// What makes explicit steps short and many, and what would help, in words.
fn step_bound(run: &Run, every: f64) -> String {
    let Some(StepBound { frequency_hz, step, steps }) = run.motion.step_bound else { return String::new() };
    format!(
        "  {}: steps of about {} s, {} for the whole run, have to follow motions of about {} Hz. Implicit steps only have to follow what is to be seen: try --integrator generalized-alpha --step {}\n",
        run.name,
        tiny(step),
        tiny(steps),
        tiny(frequency_hz),
        0.1 * every
    )
}

/// A departure of the energy from its balance that nothing explains, in words; nothing where the run ended for it.
fn departure(run: &Run) -> String {
    let m = &run.motion;
    let Some(found) = m.energy_departure.filter(|_| !is_unstable(m)) else { return String::new() };
    let EnergyDeparture { time, drift, scale, explained } = found;
    let mut out =
        format!("  {}: the energy is {} J off its balance at t = {} s", run.name, six(drift), six(time));
    if scale > 0.0 {
        let _ = write!(out, ", {} % of the {} J in motion", brief(100.0 * drift.abs() / scale), six(scale));
    }
    if let Some(explained) = explained.filter(|e| *e < drift.abs()) {
        let _ = write!(out, "; method and tolerances explain at most {} J", tiny(explained));
    }
    out.push_str(". Do not trust this motion: ");
    out.push_str(match (m.singular.is_empty(), run.name.as_str()) {
        (false, _) => "it may have left its branch near a singular configuration; try direct-correction or coordinate-partitioning",
        (true, "generalized-alpha") => "the step is too long for it, or the method's damping takes what it cannot resolve; try a smaller --step",
        (true, "penalty") => "the penalties take or hold the energy; try a larger --alpha, smaller tolerances or another --method",
        (true, _) => "try smaller --rtol and --atol, or another --method",
    });
    out.push('\n');
    out
}

/// Two digits, for shares.
fn brief(x: f64) -> String {
    if (0.1..1e4).contains(&x) { format!("{x:.1}") } else { tiny(x) }
}

fn is_unstable(motion: &Trajectory) -> bool {
    matches!(motion.end, End::Failed(ConstraintError::Unstable { .. }))
}

/// Contacts that would have to pull, each from the first report on at which it does.
fn lost_contacts(model: &Model, run: &Run) -> String {
    let mut known: Vec<String> = Vec::new();
    let mut out = String::new();
    for (k, t) in run.motion.times.iter().enumerate() {
        for lost in mb_linear::lost_contacts(model, &run.motion.point(k)).into_iter().filter(|c| c.determined)
        {
            if known.contains(&lost.owner) {
                continue;
            }
            let _ = writeln!(
                out,
                "  {}: CONTACT LOST: at t = {} s the plane of {} would have to pull with {} N; a wheel lifts off there",
                run.name,
                six(*t),
                lost.owner,
                six(-lost.normal_force)
            );
            known.push(lost.owner);
        }
    }
    out
}

/// Singular configurations on the way, in words.
fn passages(model: &Model, run: &Run) -> String {
    const FEW: usize = 3;
    let found = &run.motion.singular;
    let mut out = String::new();
    for p in found.iter().take(FEW) {
        let row = model.row_name(p.row);
        let _ = writeln!(
            out,
            "  {}: near a singular configuration at t = {} s, where {row} depends on the other constraints",
            run.name,
            six(p.time)
        );
    }
    if found.len() > FEW {
        let _ = writeln!(out, "  {}: and near {} more", run.name, found.len() - FEW);
    }
    if !found.is_empty() && !matches!(run.name.as_str(), "direct-correction" | "coordinate-partitioning") {
        let _ = writeln!(
            out,
            "  {}: this method may leave the branch there; direct-correction and coordinate-partitioning do not",
            run.name
        );
        if run.name == "augmented-lagrangian" {
            let _ = writeln!(
                out,
                "  {}: nor does this one where --alpha times --most-iterations is about 1e5 times the masses or less",
                run.name
            );
        }
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
    notes: Vec<String>,
}

/// How far the start was from being consistent.
#[derive(Serialize)]
struct StartView {
    moved: f64,
    furthest: Option<FurthestView>,
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
    energy_departure: Option<DepartureView>,
    start_shock: Option<ShockView>,
    step_bound: Option<BoundView>,
    singular_passages: Vec<PassageView>,
    outputs: Vec<OutputView<'a>>,
    seconds: f64,
}

#[derive(Serialize)]
struct DepartureView {
    time: f64,
    drift: f64,
    scale: f64,
    explained: Option<f64>,
}

#[derive(Serialize)]
struct ShockView {
    time: f64,
    taken: f64,
}

#[derive(Serialize)]
struct BoundView {
    frequency_hz: f64,
    step: f64,
    steps: f64,
}

#[derive(Serialize)]
struct PassageView {
    time: f64,
    row: String,
    share: f64,
}

#[derive(Serialize)]
struct OutputView<'a> {
    name: &'a str,
    unit: &'static str,
    last: Option<f64>,
}

fn passage_views(model: &Model, motion: &Trajectory) -> Vec<PassageView> {
    let view = |p: &SingularPassage| PassageView { time: p.time, row: model.row_name(p.row), share: p.share };
    motion.singular.iter().map(view).collect()
}

fn output_views<'a>(model: &'a Model, motion: &Trajectory) -> Vec<OutputView<'a>> {
    let last = motion.len().checked_sub(1).map(|i| model.outputs(&motion.point(i)));
    let value = |k: usize| last.as_ref().map(|values| values[k]);
    let view =
        |(k, s): (usize, &'a Sensor)| OutputView { name: &s.name, unit: s.reading.unit(), last: value(k) };
    model.sensors().iter().enumerate().map(view).collect()
}

/// The summary as JSON; the start that was given goes with the consistent one.
pub(super) fn document(loaded: &Loaded, (given, start): (&[f64], &Start), runs: &[Run]) -> String {
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
                energy_departure: run.motion.energy_departure.map(|d| DepartureView {
                    time: d.time,
                    drift: d.drift,
                    scale: d.scale,
                    explained: d.explained,
                }),
                start_shock: run.motion.start_shock.map(|s| ShockView { time: s.time, taken: s.taken }),
                step_bound: run.motion.step_bound.map(|b| BoundView {
                    frequency_hz: b.frequency_hz,
                    step: b.step,
                    steps: b.steps,
                }),
                singular_passages: passage_views(&loaded.model, &run.motion),
                outputs: output_views(&loaded.model, &run.motion),
                seconds: run.seconds,
            }
        })
        .collect();
    let model = &loaded.model;
    let notes = summary::moved_note(model, given, &start.q);
    let start = StartView {
        moved: start.moved,
        furthest: FurthestView::new(model, given, &start.q),
        velocity_changed: start.changed,
    };
    let notes = mb_analysis::sentences::all(notes.as_slice());
    text(&Document { head: Head::of("simulate"), model: &model.name, start, runs, notes })
}
