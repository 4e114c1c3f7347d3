//! `mb orbit` and `mb floquet`: periodic motions, their multipliers and exponents.

use super::branch;
use crate::Answer;
use crate::args::{
    Assignment, FloquetArgs, ModelArgs, MotionArgs, MotionSearchArgs, OrbitArgs, StartArgs, StrategyArg,
};
use crate::failure::{Failure, RequestError};
use crate::flow;
use crate::json;
use crate::names;
use crate::outfile;
use crate::point_file::PointFile;
use crate::progress::{self, Progress};
use crate::render::{Column, Style, Table, six, summary, tiny};
use crate::source::{LARGEST_FILE, Loaded, Text, load, read_file};
use mb_analysis::periodic::{OrbitSearch, periodic_motion};
use mb_periodic::{Class, Floquet, Orbit, OrbitOptions};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// A periodic motion of a model.
#[derive(Debug)]
pub struct Found {
    /// The model.
    pub loaded: Loaded,
    /// Constant inputs.
    pub inputs: Vec<f64>,
    /// The motion.
    pub orbit: Orbit,
    /// Its multipliers.
    pub floquet: Floquet,
    /// True where the period was asked for.
    pub period_asked: bool,
}

/// Runs `mb orbit`.
///
/// # Errors
/// Anything wrong with the model or the request; a motion that is not found.
pub fn orbit(text: &Text, args: &OrbitArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    let mut model_args = args.model.clone();
    let is_json = |path: &&Path| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    if let Some(path) = args.output.as_deref().filter(|path| !is_json(path)) {
        let path = path.display().to_string();
        return Err(RequestError::UnknownFormat { option: "--output", path, known: ".json" }.into());
    }
    if let Some(range) = &args.follow {
        branch::check(&load(text, &args.model)?.spec, range)?;
        model_args
            .set
            .push(Assignment { name: range.range.name.clone(), value: range.range.from.to_string() });
    }
    let found = find(text, &model_args, &args.search, None, progress)?;
    if let Some(range) = &args.follow {
        let _stage = progress.stage("following the periodic motion");
        let _keeps = progress::stoppable();
        let branch = branch::followed(&found, range, args.search.period.as_deref(), progress.watch())?;
        let code = if branch.ended.is_some() { crate::failure::NUMERICS } else { 0 };
        let document = branch::document(&branch, &range.range.name);
        if let Some(path) = &args.output {
            crate::guard::work_is_done();
            outfile::write(path, |out| out.write_all(document.as_bytes()))?;
        }
        let text = if args.json {
            document
        } else {
            heading(&found, style)? + &branch::words(&branch, &range.range.name, style)
        };
        return Ok(Answer { text, complaint: String::new(), code });
    }
    let document = json::periodic::orbit(&found)?;
    if let Some(path) = &args.output {
        outfile::write(path, |out| out.write_all(document.as_bytes()))?;
    }
    if args.json {
        return Ok(Answer::right(document));
    }
    let model = &found.loaded.model;
    let mut out = heading(&found, style)?;
    let start = &found.orbit.states[0];
    out.push_str(&summary::short_configuration(model, &start.q, style));
    out.push_str(&summary::speeds(model, &start.v, style));
    let _ = writeln!(out, "{}", verdict(&found.floquet, style));
    out.push_str(&summary::notes(&notes(&found), style));
    Ok(Answer::right(out))
}

/// Runs `mb floquet`.
///
/// # Errors
/// As [`orbit`].
pub fn floquet(text: &Text, args: &FloquetArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    let found = find(text, &args.model, &args.search, args.orbit.as_deref(), progress)?;
    if args.json {
        return Ok(Answer::right(json::periodic::floquet(&found)?));
    }
    let mut out = heading(&found, style)?;
    out.push_str(&table(&found.floquet, style));
    let _ = writeln!(out, "{}", verdict(&found.floquet, style));
    out.push_str(&summary::notes(&notes(&found), style));
    Ok(Answer::right(out))
}

/// The period that a file of `mb orbit` gives.
fn period_of_file(path: &Path, is_needed: bool) -> Result<Option<f64>, Failure> {
    let bad = |reason: String| RequestError::BadConfiguration {
        option: "--orbit",
        path: path.display().to_string(),
        reason,
    };
    let bytes = read_file(path, LARGEST_FILE).map_err(|e| bad(e.to_string()))?;
    let document: serde_json::Value = serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?;
    let period = document.pointer("/orbit/period").and_then(serde_json::Value::as_f64);
    let period = period.filter(|t| t.is_finite() && *t > 0.0);
    if period.is_none() && is_needed {
        return Err(bad("it has no motion with a period, as `mb orbit -o` writes it".to_owned()).into());
    }
    PointFile::read("--orbit", &path.display().to_string())?;
    Ok(period)
}

fn find(
    text: &Text,
    model_args: &ModelArgs,
    args: &MotionSearchArgs,
    file: Option<&Path>,
    progress: Progress,
) -> Result<Found, Failure> {
    args.check()?;
    let known_period = file.map(|f| period_of_file(f, args.period.is_none())).transpose()?.flatten();
    let loaded = load(text, model_args)?;
    let model = &loaded.model;
    let mut at = args.at.clone();
    at.extend(file.map(|f| f.display().to_string()));
    let given = StartArgs {
        at,
        no_solve: true,
        strategy: StrategyArg::Automatic,
        time: args.time,
        input: args.input.clone(),
    };
    let motion = MotionArgs { velocity: args.velocity.clone(), ..MotionArgs::default() };
    let (start, moving) = crate::start::with_motion(model, &given, &motion)?;
    let known = model.coordinates().names();
    let held = args.hold.iter().map(|name| {
        known.iter().position(|k| k == name).ok_or_else(|| RequestError::NoSuchCoordinate {
            option: "--hold",
            name: name.clone(),
            known: known.clone(),
        })
    });
    let options = OrbitOptions {
        parts: args.parts,
        steps: args.steps,
        most_steps: args.most_steps,
        tolerance: args.tolerance,
        hold: held.collect::<Result<_, _>>()?,
        inputs: start.inputs.clone(),
        decayed: true,
        watch: progress.watch(),
        ..OrbitOptions::default()
    };
    let search = OrbitSearch {
        period: args.period.clone(),
        known: known_period,
        guess: args.guess,
        given: start.given,
        velocities: moving.map(|m| m.velocities).unwrap_or_default(),
        settle: args.settle,
        time: start.time,
        options,
    };
    let mut stage = None;
    let mut begins = |what| {
        // The line of the stage before is gone before the next one is written.
        drop(stage.take());
        stage = Some(progress.stage(what));
    };
    let (orbit, floquet) = periodic_motion(&loaded.spec, model, &search, &mut begins)?;
    Ok(Found { loaded, inputs: start.inputs, orbit, floquet, period_asked: args.period.is_some() })
}

fn heading(found: &Found, style: Style) -> Result<String, Failure> {
    let (model, orbit) = (&found.loaded.model, &found.orbit);
    let start = &orbit.states[0];
    let point = mb_model::Point { q: start.q.clone(), t: start.t, ..model.initial_point() };
    let rank = flow::rank(model, &point)?;
    let mut out = summary::heading(&found.loaded, &rank, style);
    let moves = orbit.states.iter().flat_map(|s| &s.v).any(|v| *v != 0.0);
    let kind = match (orbit.autonomous, moves) {
        (true, true) => "solved for",
        (true, false) => "at rest every time is one",
        _ => "given",
    };
    let _ = writeln!(
        out,
        "periodic motion of period {} s ({kind}) from t = {} s: {} of Newton's method, closes within {}",
        six(orbit.period),
        six(start.t),
        names::count(orbit.iterations, "step", "steps"),
        tiny(orbit.defect)
    );
    let _ = writeln!(
        out,
        "{} of order 9 in the period; doubling them changed the monodromy matrix by {} and the motion by {}; constraints hold within {} in position and {} in velocity",
        names::count(orbit.steps, "step", "steps"),
        tiny(found.floquet.change),
        tiny(orbit.moved),
        tiny(orbit.violation[0]),
        tiny(orbit.violation[1])
    );
    Ok(out)
}

fn table(floquet: &Floquet, style: Style) -> String {
    if floquet.multipliers.is_empty() {
        return "no degree of freedom is left to the motion: there are no multipliers\n".to_owned();
    }
    let mut table = Table::new(vec![
        Column::number("", ""),
        Column::words("multiplier"),
        Column::number("magnitude", ""),
        Column::number("growth", "1/s"),
        Column::number("frequency", "Hz"),
        Column::number("error", "estimate"),
        Column::words("class"),
    ]);
    let mut line = 0;
    for m in floquet.multipliers.iter().filter(|m| m.value.im >= 0.0) {
        line += 1;
        let value = if m.value.im > 0.0 {
            format!("{} ± {} i", six(m.value.re), six(m.value.im))
        } else {
            six(m.value.re)
        };
        let (growth, frequency) = m.exponent.map_or(("-".to_owned(), "-".to_owned()), |s| {
            (six(s.re), six(s.im.abs() / std::f64::consts::TAU))
        });
        let class =
            if m.class == Class::Growing { style.red(&m.class.to_string()) } else { m.class.to_string() };
        table.row(vec![
            line.to_string(),
            value,
            six(m.value.norm()),
            growth,
            frequency,
            if m.error.is_finite() { format!("±{}", tiny(m.error)) } else { "-".to_owned() },
            class,
        ]);
    }
    format!("\n{}", table.render(style))
}

fn verdict(floquet: &Floquet, style: Style) -> String {
    let count = |class: Class| floquet.multipliers.iter().filter(|m| m.class == class).count();
    let of = |class: Class| names::count(count(class), "multiplier", "multipliers");
    match floquet.stability {
        mb_periodic::Stability::Unstable => {
            style.red(&format!("unstable: {} outside the unit circle", of(Class::Growing)))
        }
        mb_periodic::Stability::Stable if floquet.multipliers.is_empty() => {
            "nothing can be disturbed".to_owned()
        }
        mb_periodic::Stability::Stable => {
            "stable: all multipliers that can decay are inside the unit circle".to_owned()
        }
        mb_periodic::Stability::Unresolved => format!(
            "not determined: {} of vibrations too fast for the steps, or with errors of one and more; none of the others is outside the unit circle",
            of(Class::Unresolved)
        ),
        mb_periodic::Stability::Undecided => format!(
            "neutral to first order: {} on the unit circle within the errors, none outside; first order does not decide",
            of(Class::Neutral)
        ),
    }
}

/// A number of a displacement; rounding is zero.
fn shortened(x: f64) -> String {
    six(if x.abs() < 1e-12 { 0.0 } else { x })
}

fn notes(found: &Found) -> Vec<String> {
    let mut out = Vec::new();
    if found.floquet.multipliers.iter().any(|m| m.value.im != 0.0 || m.value.re < 0.0) {
        out.push(format!(
            "exponents are on the principal branch: a frequency f stands for |f + k / T| with any whole number k, 1 / T = {} Hz",
            six(found.orbit.period.recip())
        ));
    }
    if !found.floquet.multipliers.is_empty() {
        out.push("errors are estimates, from doubling the steps and the condition of each multiplier; they are no bounds".to_owned());
    }
    if let Some(residual) = found.floquet.trivial_residual {
        out.push(format!(
            "the trivial multiplier is that of a start earlier or later on the same motion; it is met within {}",
            tiny(residual)
        ));
    }
    if found.orbit.returns > 1 {
        let (times, period) = (found.orbit.returns, six(found.orbit.period));
        out.push(if found.period_asked {
            format!("the motion comes back {times} times in this period, for the first time after one part in {times} of it")
        } else {
            format!("the motion that was found first was this one {times} times; {period} s is its least period")
        });
    }
    if let Some(residual) = found.floquet.ignorable_residual {
        let count = found.floquet.multipliers.iter().filter(|m| m.class == Class::Ignorable).count();
        let d = &found.orbit.displacement;
        out.push(format!(
            "{} of what is ignorable (place, heading, angles of wheels), whose subspace is met within {}; the motion comes back moved by ({}) m from the origin and turned by ({}) rad",
            names::count(count, "multiplier is that", "multipliers are those"),
            tiny(residual),
            d.shift.map(shortened).join(", "),
            d.turn().map(shortened).join(", ")
        ));
    }
    let turns: Vec<String> = (0..found.orbit.turns.len())
        .filter(|i| found.orbit.turns[*i] != 0)
        .map(|i| {
            let n = found.orbit.turns[i];
            format!("{} by {n}", found.loaded.model.coordinate_name(i))
        })
        .collect();
    if !turns.is_empty() {
        out.push(format!("periodic but for whole turns in a period: {}", turns.join(", ")));
    }
    if found.orbit.unresolved > 0 {
        out.push(format!(
            "{} so fast that {} steps do not resolve them: --most-steps allows more, and members that hardly give are better rigid",
            names::count(found.orbit.unresolved, "multiplier is of vibrations", "multipliers are of vibrations"),
            found.orbit.steps
        ));
    }
    let settled = found.floquet.change <= 1e-9;
    if !settled {
        out.push(format!(
            "the monodromy matrix is not settled: the last doubling changed it by {} of its norm; --most-steps allows more",
            tiny(found.floquet.change)
        ));
    }
    out
}
