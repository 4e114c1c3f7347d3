//! Curves that were asked for: response, tracks, Campbell diagrams; each is the analysis of its command, with its figure.

use crate::args::{self, Cli, Command, CurvesArgs, FigureArg, ReportArgs, ResponseArgs, TrackArgs};
use crate::commands::{campbell, modes::Modes, response, track};
use crate::failure::{Failure, RequestError};
use crate::progress::Progress;
use crate::render::modes::lines;
use crate::source::Text;
use mb_chart::{Mark, Scale};
use mb_model::Model;
use mb_report::{Chart, Curve, CurveMark, Panel};
use std::collections::BTreeSet;
use std::f64::consts::TAU;
use std::ffi::OsString;

/// Without a band the response goes beyond the sixth frequency by this ratio.
const BEYOND: f64 = 1.25;
const FREQUENCIES: usize = 6;

/// What a figure is asked for as: its charts, and why they are a part of what was asked for.
type Drawn = (Vec<Chart>, Option<String>);

/// The charts that the options ask for, and a sentence for each that a signal or the limit of time left out or cut short.
///
/// # Errors
/// The errors of the commands.
pub fn charts(
    text: &Text,
    found: &Modes,
    args: &ReportArgs,
    progress: Progress,
) -> Result<(Vec<Chart>, Vec<String>), Failure> {
    type Job<'a> = (String, Box<dyn Fn(&str) -> Result<Drawn, Failure> + 'a>);
    let mut jobs: Vec<Job<'_>> = Vec::new();
    for pair in args.curves.response.chunks_exact(2) {
        let respond =
            |title: &str| Ok((respond(text, found, args, [&pair[0], &pair[1]], title, progress)?, None));
        jobs.push((format!("Response of {} to {}", pair[1], pair[0]), Box::new(respond)));
    }
    for along in args.curves.track.chunks_exact(3) {
        let track = |title: &str| {
            let mut request = tracked(along, &["--samples", "31"]);
            request.model = args.model.clone();
            let note = "Lines: polynomials with their error; circles: exact samples.";
            let tracked = track::analyse(text, &request, progress).map_err(|e| e.with_option("--track"))?;
            Ok((vec![of(&tracked.chart(), title, note)], tracked.ended()))
        };
        jobs.push((format!("Modes over {}", along[0]), Box::new(track)));
    }
    for along in args.curves.campbell.chunks_exact(3) {
        let diagram = |title: &str| {
            let mut request = tracked(along, &["--campbell", "--samples", "31"]);
            request.model = args.model.clone();
            let diagram =
                campbell::analyse(text, &request, progress).map_err(|e| e.with_option("--campbell"))?;
            let chart = of(&diagram.chart(&request.lines), title, &diagram.sentence());
            Ok((vec![chart], diagram.ended()))
        };
        jobs.push((format!("Campbell diagram over {}", along[0]), Box::new(diagram)));
    }
    let (mut out, mut left) = (Vec::new(), Vec::new());
    for (title, job) in jobs {
        match progress.unless_ended(|| job(&title)) {
            Ok(done) => {
                let (charts, part) = done?;
                out.extend(charts);
                left.extend(part.map(|words| format!("{title} is a part: {words}")));
            }
            Err(why) => left.push(format!("{title} is left out: {why}")),
        }
    }
    Ok((out, left))
}

/// Refuses what is asked for twice, before anything is computed.
///
/// # Errors
/// [`RequestError::Twice`].
pub fn check(asked: &CurvesArgs) -> Result<(), RequestError> {
    if let [low, high] = asked.response_band[..] {
        let bad = |option, value, range| Err(RequestError::OutOfRange { option, value, range });
        if !(low >= 0.0 && low.is_finite()) {
            return bad("response-band LO", low, "zero or positive, in Hz");
        }
        if !(high > low && high.is_finite()) {
            return bad("response-band HI", high, "above LO, in Hz");
        }
    }
    once("--response", asked.response.chunks_exact(2))?;
    once("--track", asked.track.chunks_exact(3))?;
    once("--campbell", asked.campbell.chunks_exact(3))
}

/// Refuses a figure that is asked for twice, as a name given twice is refused elsewhere.
fn once<'a>(option: &'static str, asked: impl Iterator<Item = &'a [String]>) -> Result<(), RequestError> {
    let mut seen = BTreeSet::new();
    for values in asked {
        if !seen.insert(values) {
            return Err(RequestError::Twice { option, name: values.join(" ") });
        }
    }
    Ok(())
}

/// One response, over its band or that of the modes where one is given: over the frequency with its peaks, and in the complex plane.
fn respond(
    text: &Text,
    found: &Modes,
    args: &ReportArgs,
    [from, to]: [&String; 2],
    title: &str,
    progress: Progress,
) -> Result<Vec<Chart>, Failure> {
    known(&found.loaded.model, from, to)?;
    let [low, high] = band(found, args);
    let command = ["mb", "response", "-", "--band", &low.to_string(), &high.to_string()].map(str::to_owned);
    let Some(Command::Response(parsed)) = command_of(&command) else { return Ok(Vec::new()) };
    let request = ResponseArgs {
        model: args.model.clone(),
        from: vec![from.clone()],
        to: vec![to.clone()],
        start: args.start.clone(),
        motion: args.motion.clone(),
        ..*parsed
    };
    let answer = response::analyse(text, &request, progress)?;
    let sentences: Vec<String> = std::iter::once(answer.method()).chain(answer.notes()).collect();
    let note = mb_analysis::sentences::all(&sentences).join(" ");
    let bode = Chart {
        table: Some(answer.response.peak_table()).filter(|table| !table.rows.is_empty()),
        ..of(&response::chart(&answer, FigureArg::Bode), title, &note)
    };
    let mut plane = of(&response::chart(&answer, FigureArg::Nyquist), &format!("{title}, complex plane"), "");
    for curve in plane.panels.iter_mut().flat_map(|panel| &mut panel.curves) {
        curve.frequencies_hz = answer.samples().map(|s| s.omega / TAU).collect();
    }
    Ok(vec![bode, plane])
}

/// Refuses names that the model does not have.
fn known(model: &Model, from: &str, to: &str) -> Result<(), RequestError> {
    let option = "--response";
    if !model.inputs().iter().any(|name| name == from) {
        return Err(RequestError::NoSuchInput {
            option,
            name: from.to_owned(),
            known: model.inputs().to_vec(),
        });
    }
    let outputs: Vec<String> = model.sensors().iter().map(|s| s.name.clone()).collect();
    if !outputs.iter().any(|name| name == to) {
        return Err(RequestError::NoSuchOutput { option, name: to.to_owned(), known: outputs });
    }
    Ok(())
}

/// Ends of the band, Hz.
fn band(found: &Modes, args: &ReportArgs) -> [f64; 2] {
    for band in [&args.curves.response_band, &args.request.band] {
        if let [from, to] = band[..] {
            return [from, to];
        }
    }
    let lines = lines(&found.results[0].spectrum, false);
    let mut list: Vec<f64> =
        lines.iter().filter_map(|l| l.pair.frequency_hz()).filter(|f| *f > 0.0).collect();
    list.sort_by(f64::total_cmp);
    list.truncate(FREQUENCIES);
    [0.0, list.last().map_or(1.0, |f| BEYOND * f)]
}

/// What `mb track` reads from a command line with a variable and its ends.
fn tracked(along: &[String], more: &[&str]) -> TrackArgs {
    let mut command = vec!["mb".to_owned(), "track".to_owned(), "-".to_owned()];
    for (option, value) in ["--parameter", "--from", "--to"].into_iter().zip(along) {
        command.push(format!("{option}={value}"));
    }
    command.extend(more.iter().map(|m| (*m).to_owned()));
    match command_of(&command) {
        Some(Command::Track(parsed)) => *parsed,
        _ => unreachable!("the options above are those of the command"),
    }
}

fn command_of(words: &[String]) -> Option<Command> {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    args::parse(&words).ok().map(|Cli { command, .. }| command)
}

/// A figure as the page draws it.
fn of(chart: &mb_chart::Chart, title: &str, note: &str) -> Chart {
    let curve = |c: &mb_chart::Curve| Curve {
        name: c.name.clone(),
        named_at_end: c.named_at_end,
        colour: c.colour,
        mark: match c.mark {
            Mark::Line => CurveMark::Line,
            Mark::Points => CurveMark::Points,
            Mark::Dashes => CurveMark::Dashes,
        },
        x: c.points.iter().map(|p| p[0]).collect(),
        y: c.points.iter().map(|p| p[1]).collect(),
        frequencies_hz: Vec::new(),
        band: if c.band.iter().any(|half| *half != 0.0) { c.band.clone() } else { Vec::new() },
    };
    let panel = |p: &mb_chart::Panel| Panel {
        ordinate: p.ordinate.clone(),
        logarithmic: matches!(p.scale, Scale::Logarithmic { .. }),
        curves: p.curves.iter().map(curve).collect(),
    };
    Chart {
        title: title.to_owned(),
        note: note.to_owned(),
        abscissa: chart.abscissa.clone(),
        equal: chart.equal,
        panels: chart.panels.iter().map(panel).collect(),
        ..Chart::default()
    }
}
