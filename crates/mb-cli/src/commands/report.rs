//! `mb report`: one page with the drawing, the modes that move and the tables.

use crate::Answer;
use crate::args::ReportArgs;
use crate::commands::modes;
use crate::failure::{Failure, NUMERICS, RequestError};
use crate::json::{self, Head};
use crate::names;
use crate::outfile;
use crate::progress::{self, Progress};
use crate::render::{Style, six, summary};
use crate::report;
use crate::source::{Loaded, Text, load};
use mb_algebra::{Stopped, Watch};
use mb_constraints::simulate::{End, SimulationOptions, StartPolicy, Trajectory, consistent_start, simulate};
use mb_linear::LinearError;
use serde::Serialize;
use std::io::Write as _;
use std::ops::ControlFlow;

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    file: String,
    bytes: usize,
    modes: usize,
    animated: usize,
    frames: usize,
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model, the request or the numerics; [`Failure::Unwritable`].
pub fn run(text: &Text, args: &ReportArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    if !args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("html")) {
        let (option, path, known) = ("--output", args.output.display().to_string(), ".html");
        return Err(RequestError::UnknownFormat { option, path, known }.into());
    }
    if args.motion.instant {
        return Err(RequestError::NoModesOfInstant.into());
    }
    report::check(&args.curves)?;
    let loaded = load(text, &args.model)?;
    let moves = args.motion.given() || crate::flow::rotates(&loaded.model);
    let found = match modes::analyse(text, &args.modes(moves), progress) {
        // With a drive that moves there is no equilibrium, and still a motion to show.
        Err(Failure::Request(why @ RequestError::Moving { .. })) if args.shows_motion_alone() => Err(why),
        other => Ok(other?),
    };
    let stage = progress.stage("simulating the motion");
    let watch = progress.watch();
    let keeps = progress::stoppable();
    let (mut motion_left, mut simulated) = (None, None);
    match args.until.map(|until| watch.scope(|| motion(&loaded, args, until, &watch))) {
        None => {}
        Some(Ok(found)) => simulated = Some(found?),
        // The page has the rest.
        Some(Err(why)) => motion_left = Some(format!("The motion was not simulated: {why}")),
    }
    let (motion, moved) = simulated.map_or((None, None), |(motion, moved)| (Some(motion), moved));
    let mut left: Vec<String> =
        motion.as_ref().and_then(|m| early(m, &watch)).or(motion_left).into_iter().collect();
    drop(stage);
    let mut page = match &found {
        Ok(found) => {
            let (asked, left_out) = report::charts(text, found, args, progress)?;
            left.extend(left_out);
            crate::guard::work_is_done();
            report::page(found, motion.as_ref(), asked, args)
        }
        Err(why) => report::motion_page(&loaded, motion.as_ref(), &why.to_string(), args),
    };
    let stage = progress.stage("writing the page");
    page.notes.extend(left.iter().cloned());
    // The warning of a start that assembly moves far is for the terminal as well.
    let at_rest = found.as_ref().ok().and_then(|found| found.site.start());
    let at_rest = at_rest.and_then(|s| summary::moved_note(&loaded.model, &s.before, &s.q));
    if at_rest.is_none() {
        page.notes.extend(moved.clone());
    }
    let warning = at_rest.or(moved);
    let html = page.html();
    outfile::write(&args.output, |out| out.write_all(html.as_bytes()))?;
    drop((stage, keeps));
    let file = args.output.display().to_string();
    let count = page.modes.as_ref().map_or(0, |table| table.rows.len());
    let (animated, frames) = (page.shapes.len(), page.motion.as_ref().map_or(0, |m| m.times.len()));
    let words = if args.json {
        json::text(&Document {
            head: Head::of("report"),
            file,
            bytes: html.len(),
            modes: count,
            animated,
            frames,
        })
    } else {
        format!(
            "{}: {}; {} kB. Open it in a browser.\n",
            style.bold(&file),
            shown(count, animated),
            html.len().div_ceil(1000)
        ) + &summary::notes(warning.as_slice(), style)
    };
    // The notes are on the page, so that the terminal has the whole reason of a spectrum that is not determined.
    let mut answer = match &found {
        Ok(found) => Answer::spectra(words, &found.results).with_reason(&found.results),
        Err(_) => Answer::right(words),
    };
    if !left.is_empty() {
        answer.complaint.extend(left.iter().map(|words| format!("{words}.\n")));
        answer.complaint += "The page has what was computed.\n";
        answer.code = NUMERICS;
    }
    Ok(answer)
}

/// How many modes a page has, and how many of them move.
fn shown(modes: usize, animated: usize) -> String {
    let all = names::count(modes, "mode", "modes");
    match (modes, animated) {
        (0, _) => "no modes".to_owned(),
        (1, 0) => format!("{all}, not animated"),
        (1, _) => format!("{all}, animated"),
        (_, 0) => format!("{all}, none of them animated"),
        _ if animated == modes => format!("{all}, all of them animated"),
        _ => format!("{all}, {animated} of them animated"),
    }
}

/// Why a motion ends before its time, if it does.
fn early(motion: &Trajectory, watch: &Watch) -> Option<String> {
    let why = match (&motion.end, watch.look()) {
        (End::Failed(failure), _) => failure.to_string().trim_end_matches('.').to_owned(),
        (End::Interrupted, Err(Stopped::TimeUp { .. })) => {
            format!("{}; --time-limit SECONDS changes it", watch.look().err()?)
        }
        (End::Interrupted, Err(why)) => why.to_string(),
        _ => return None,
    };
    let reached = motion.times.last().copied().unwrap_or_default();
    Some(format!("The motion ends early, at {} s: {why}", six(reached)))
}

/// The motion from the start that the options give, with the constraints assembled first, and a warning where that moves
/// something far.
fn motion(
    loaded: &Loaded,
    args: &ReportArgs,
    until: f64,
    watch: &Watch,
) -> Result<(Trajectory, Option<String>), Failure> {
    let model = &loaded.model;
    let (start, moving) = crate::start::with_motion(model, &args.start, &args.motion)?;
    let q = start.configuration(model);
    let mut v = crate::flow::own_velocities(model, &q, start.time)?;
    let mut hold: Vec<usize> =
        start.given.iter().filter_map(|(i, _)| names::velocity_index(model, *i)).collect();
    for (i, value) in moving.iter().flat_map(|m| &m.velocities) {
        v[*i] = *value;
        hold.push(*i);
    }
    let begin = consistent_start(model, &q, &v, start.time, StartPolicy::Assemble, &hold)
        .map_err(LinearError::from)?;
    let options = SimulationOptions {
        until,
        every: (until - start.time) / args.frames as f64,
        inputs: start.inputs,
        start: StartPolicy::Keep,
        ..SimulationOptions::default()
    };
    let mut on =
        |_: &_| if watch.look().is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let motion =
        simulate(model, start.time, &begin.q, &begin.v, &options, &mut on).map_err(Failure::simulation)?;
    Ok((motion, summary::moved_note(model, &q, &begin.q)))
}
