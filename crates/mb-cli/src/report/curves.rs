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
        let respond = |title: &str| respond(text, found, args, [&pair[0], &pair[1]], title, progress);
        jobs.push((format!("Response of {} to {}", pair[1], pair[0]), Box::new(respond)));
    }
    for options in &args.curves.response_with {
        let asked = of_page(worded(options, band(found, args))?, args);
        let title = title_of(&asked);
        let respond = move |title: &str| Ok(drawn(&response::analyse(text, &asked, progress)?, title));
        jobs.push((title, Box::new(respond)));
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
    once("--response-with", asked.response_with.chunks_exact(1))?;
    for options in &asked.response_with {
        worded(options, [0.0, 1.0])?;
    }
    if !asked.response_band.is_empty() && asked.response.is_empty() && asked.response_with.is_empty() {
        let given = asked.response_band.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
        let why = "no response is asked for; --response or --response-with asks for one".to_owned();
        return Err(RequestError::BadOptions { option: "--response-band", given, why });
    }
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

/// One response of the page, over its band or that of the modes where one is given.
fn respond(
    text: &Text,
    found: &Modes,
    args: &ReportArgs,
    [from, to]: [&String; 2],
    title: &str,
    progress: Progress,
) -> Result<Drawn, Failure> {
    known(&found.loaded.model, from, to)?;
    let Some(parsed) = asked_with(&[], band(found, args)).ok().flatten() else {
        return Ok((Vec::new(), None));
    };
    let request = ResponseArgs { from: vec![from.clone()], to: vec![to.clone()], ..of_page(parsed, args) };
    Ok(drawn(&response::analyse(text, &request, progress)?, title))
}

/// What `mb response` reads from these options, in this band where they have none; nothing where they ask for no response.
fn asked_with(options: &[String], [low, high]: [f64; 2]) -> Result<Option<ResponseArgs>, clap::Error> {
    let mut command = ["mb", "response", "-"].map(str::to_owned).to_vec();
    command.extend(options.iter().cloned());
    let given = |option: &str| options.iter().any(|o| o == option || o.starts_with(&format!("{option}=")));
    if !given("--band") && !given("--at-hz") {
        command.extend(["--band".to_owned(), low.to_string(), high.to_string()]);
    }
    let words: Vec<OsString> = command.iter().map(OsString::from).collect();
    Ok(match args::parse(&words)?.command {
        Command::Response(parsed) => Some(*parsed),
        _ => None,
    })
}

/// A response of the model of the page, where the page is.
fn of_page(asked: ResponseArgs, args: &ReportArgs) -> ResponseArgs {
    let (model, start, motion) = (args.model.clone(), args.start.clone(), args.motion.clone());
    ResponseArgs { model, start, motion, ..asked }
}

/// The options of `--response-with`, one by one, and what `mb response` reads from them.
fn worded(text: &str, band: [f64; 2]) -> Result<ResponseArgs, RequestError> {
    let bad =
        |why: String| RequestError::BadOptions { option: "--response-with", given: text.to_owned(), why };
    let words = shlex::split(text).ok_or_else(|| bad("a quotation mark is missing".to_owned()))?;
    let elsewhere = [
        "-o",
        "--output",
        "--plot",
        "--figure",
        "--json",
        "--help",
        "-h",
        "--set",
        "--at",
        "--time",
        "--input",
        "--strategy",
        "--no-solve",
        "--moving",
        "--velocity",
        "--spin",
        "--hold",
        "--frame",
        "--after",
        "--instant",
    ];
    let named = |word: &&String| elsewhere.iter().any(|o| word == o || word.starts_with(&format!("{o}=")));
    if let Some(word) = words.iter().find(named) {
        return Err(bad(format!("{word} is an option of the page, or of no use on it")));
    }
    let parsed = asked_with(&words, band).map_err(|e| {
        let message = e.to_string();
        let first = message.split("\n\n").next().unwrap_or_default();
        bad(first.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" "))
    })?;
    parsed.ok_or_else(|| bad("these are no options of `mb response`".to_owned()))
}

/// What drives and what is read, of a response with options of its own.
fn title_of(asked: &ResponseArgs) -> String {
    let names = |list: &[String], all: &str| if list.is_empty() { all.to_owned() } else { list.join(", ") };
    let outputs = names(&asked.to, "the outputs");
    match (asked.base, asked.unbalance) {
        (Some(axis), _) => format!("Response of {outputs} to the base along {}", axis.letter()),
        (_, Some(amount)) => {
            format!("Response of {outputs} to an unbalance of {amount} kg m by {}", asked.from.join(", "))
        }
        _ => format!("Response of {outputs} to {}", names(&asked.from, "the inputs")),
    }
}

/// A response over the frequency with its peaks, zeros and mean squares, and in the complex plane.
fn drawn(answer: &response::Found, title: &str) -> Drawn {
    let mut sentences: Vec<String> = std::iter::once(answer.method()).chain(answer.notes()).collect();
    let mut tables = vec![answer.response.peak_table(), answer.response.mean_square_table()];
    for (o, i, zeros) in &answer.zeros {
        match zeros {
            Ok(zeros) => tables.push(answer.response.zeros_table((*o, *i), zeros)),
            Err(why) => sentences.push(format!("zeros of {}: {why}", answer.name((*o, *i)))),
        }
    }
    tables.retain(|table| !table.rows.is_empty());
    let note = mb_analysis::sentences::all(&sentences).join(" ");
    let bode = Chart { tables, ..of(&response::chart(answer, FigureArg::Bode), title, &note) };
    let mut plane = of(&response::chart(answer, FigureArg::Nyquist), &format!("{title}, complex plane"), "");
    for curve in plane.panels.iter_mut().flat_map(|panel| &mut panel.curves) {
        curve.frequencies_hz = answer.samples().map(|s| s.omega / TAU).collect();
    }
    (vec![bode, plane], answer.ended())
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
