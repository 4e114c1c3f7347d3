//! `mb track`: modes along a path, by polynomials with their error band and exactly at every sample.

use crate::Answer;
use crate::args::TrackArgs;
use crate::failure::{Failure, RequestError};
use crate::flow;
use crate::history;
use crate::json;
use crate::npz::{self, Array};
use crate::outfile;
use crate::parametric::expansion::{Value, frequency_and_damping};
use crate::parametric::walk::Walk;
use crate::parametric::{Expansion, Path, Place};
use crate::progress::Progress;
use crate::render::{Column, Style, Table, six, summary, tiny};
use crate::source::{Loaded, Text};
use mb_algebra::c64;
use mb_chart::{Chart, Curve, Panel, Scale};
use mb_parametric::{EncounterKind, ParametricError, PolishedPair, StartingPair, TrackOptions, track};
use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::io::Write as _;

/// A step in which a mode keeps less than this share of itself is told.
const DOUBTFUL: f64 = 0.5;

/// Everything the command found.
#[derive(Debug)]
pub struct Track {
    /// The model and how its operating points are found.
    pub place: Place,
    /// The path.
    pub path: Path,
    /// The polynomials about the middle of the path.
    pub expansion: Expansion,
    /// The modes of every sample, exactly.
    pub exact: mb_parametric::Track,
    /// The same by polynomials.
    pub predicted: Vec<Vec<Value>>,
    /// Crossings, veering, doubtful steps.
    pub events: Vec<Event>,
}

/// What happens on the way; modes by their numbers.
#[derive(Clone, Debug)]
pub enum Event {
    /// Two modes cross or veer.
    Encounter {
        /// Their numbers.
        modes: [usize; 2],
        /// Crossing or veering.
        kind: EncounterKind,
        /// Abscissa, between two samples as interpolated.
        at: f64,
        /// |s_a - s_b| / 2 pi there, Hz.
        gap_hz: f64,
        /// Share of the one's shape before in the other's after.
        exchange: f64,
    },
    /// Modes that coincide at a sample: what stands there was found beside it.
    Coincidence {
        /// Abscissa.
        at: f64,
    },
    /// A mode keeps little of itself in a step.
    Doubtful {
        /// Its number.
        mode: usize,
        /// Abscissa after the step.
        at: f64,
        /// What it keeps.
        share: f64,
    },
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model, the request or the numerics at a sample.
pub fn run(text: &Text, args: &TrackArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    let format = args.output.as_deref().map(history::format_of).transpose()?;
    if let Some(path) = args.plot.as_deref().filter(|p| !crate::plot::is_sheet(p)) {
        let (option, path, known) = ("--plot", path.display().to_string(), ".svg");
        return Err(RequestError::UnknownFormat { option, path, known }.into());
    }
    let found = analyse(text, args, progress)?;
    if let (Some(path), Some(format)) = (&args.output, format) {
        let columns = found.columns();
        let bytes = match format {
            history::Format::Csv => history::csv(&columns).into_bytes(),
            history::Format::Json => json::track::document(&found).into_bytes(),
            history::Format::Npz => {
                let array = |(name, x): (String, Vec<f64>)| Array::real(&name, &[x.len()], x);
                npz::archive(&columns.into_iter().map(array).collect::<Vec<_>>())
            }
        };
        outfile::write(path, |out| out.write_all(&bytes))?;
    }
    if let Some(path) = &args.plot {
        let picture = found.picture();
        outfile::write(path, |out| out.write_all(picture.as_bytes()))?;
    }
    Ok(Answer::right(if args.json { json::track::document(&found) } else { render(&found, style) }))
}

/// Does the analysis.
///
/// # Errors
/// As [`run`].
pub fn analyse(text: &Text, args: &TrackArgs, progress: Progress) -> Result<Track, Failure> {
    let stage = progress.stage("reading the model");
    let path = Path::new(args)?;
    let middle = path.middle();
    // The point of expansion is the middle of the path.
    let mut centre = args.centre.clone();
    let values = path.names.iter().zip(&path.samples[middle]);
    centre.about.extend(values.map(|(name, x)| format!("{name}={x:?}")));
    let named = |loaded: &Loaded| path.variables(loaded);
    let place = Place::new(text, &args.model, &centre, named)?;
    flow::check_size(&place.loaded.model, flow::MOST_ROWS)?;
    let variables = named(&place.loaded)?;
    drop(stage);
    let stage = progress.stage("expanding");
    let centre = place.centre()?;
    let expansion = Expansion::to_order(&place, variables, centre, args.order, args.modes.as_deref())?;
    drop(stage);
    let _stage = progress.stage("following the modes");
    let distances: Vec<Vec<f64>> =
        path.samples.iter().map(|x| x.iter().zip(&expansion.values).map(|(x, c)| x - c).collect()).collect();
    let exact = followed(&place, &expansion, &distances, middle)?;
    let predicted = distances.iter().map(|d| expansion.evaluate(d)).collect::<Result<Vec<_>, _>>()?;
    let events = events(&path, &expansion, &exact);
    Ok(Track { place, path, expansion, exact, predicted, events })
}

/// The modes of the middle at every sample: followed back to the start, and from there to the end.
fn followed(
    place: &Place,
    expansion: &Expansion,
    distances: &[Vec<f64>],
    middle: usize,
) -> Result<mb_parametric::Track, Failure> {
    let piece = &expansion.pieces[0];
    let source = Walk::new(place, &expansion.variables, &piece.values, piece.series.point.centre());
    let starts: Vec<StartingPair> = piece
        .modes
        .iter()
        .map(|mode| StartingPair {
            s: mode.full.eigenvalue_coefficients()[0],
            vector: mode.full.vector_coefficients()[0].clone(),
        })
        .collect();
    let back: Vec<Vec<f64>> = distances[..=middle].iter().rev().cloned().collect();
    let options = TrackOptions::default();
    let lost = |error| named(error, expansion);
    let first = track(&source, &back, &starts, &options).map_err(lost)?;
    let start = |pair: &PolishedPair| StartingPair { s: pair.s, vector: pair.vector.clone() };
    let first: Vec<StartingPair> =
        first.pairs.last().map_or_else(Vec::new, |p| p.iter().map(start).collect());
    track(&source, distances, &first, &options).map_err(lost)
}

/// A mode that was lost, in the words of the command line.
fn named(error: ParametricError, expansion: &Expansion) -> Failure {
    let ParametricError::TrackLost { mode, s, point } = error else { return error.into() };
    let values = expansion.names.iter().zip(&expansion.values).zip(&point);
    let at: Vec<String> = values.map(|((name, x), d)| format!("{name} = {}", six(x + d))).collect();
    Failure::Lost { mode: expansion.numbers().get(mode).copied().unwrap_or(mode), s, at: at.join(", ") }
}

/// Encounters, coincidences and doubtful steps, in the order of the path.
fn events(path: &Path, expansion: &Expansion, exact: &mb_parametric::Track) -> Vec<Event> {
    let numbers = expansion.numbers();
    let mut out: Vec<Event> = exact
        .encounters
        .iter()
        .map(|e| Event::Encounter {
            modes: e.modes.map(|k| numbers[k]),
            kind: e.kind,
            at: path.at(e.sample),
            gap_hz: e.gap / TAU,
            exchange: e.exchange,
        })
        .collect();
    out.extend(exact.passed_beside.iter().map(|i| Event::Coincidence { at: path.along[*i] }));
    for (i, mac) in exact.mac.iter().enumerate() {
        for (k, number) in numbers.iter().enumerate().filter(|(k, _)| mac[(*k, *k)] < DOUBTFUL) {
            out.push(Event::Doubtful { mode: *number, at: path.along[i + 1], share: mac[(k, k)] });
        }
    }
    out
}

impl Track {
    /// Eigenvalue of mode `k` at sample `i`, rad/s.
    fn s(&self, i: usize, k: usize) -> c64 {
        self.exact.pairs[i][k].s
    }

    /// What mode `k` keeps of itself from the sample before; 1 at the first.
    fn share(&self, i: usize, k: usize) -> f64 {
        i.checked_sub(1).map_or(1.0, |before| self.exact.mac[before][(k, k)])
    }

    /// Everything along the path by name.
    pub fn columns(&self) -> Vec<history::Column> {
        let mut out = vec![(self.path.abscissa.clone(), self.path.along.clone())];
        for (k, name) in self.path.names.iter().enumerate() {
            if *name != self.path.abscissa {
                out.push((name.clone(), self.path.samples.iter().map(|row| row[k]).collect()));
            }
        }
        for (k, n) in self.expansion.numbers().into_iter().enumerate() {
            let mut put = |what: &str, of: &dyn Fn(usize) -> f64| {
                out.push((format!("mode {n} {what}"), (0..self.path.along.len()).map(of).collect()));
            };
            let series = |i: usize| &self.predicted[i][k];
            put("re", &|i| self.s(i, k).re);
            put("im", &|i| self.s(i, k).im);
            put("frequency_hz", &|i| frequency_and_damping(self.s(i, k))[0]);
            put("damping_ratio", &|i| frequency_and_damping(self.s(i, k))[1]);
            put("share", &|i| self.share(i, k));
            put("polynomial re", &|i| series(i).s.re);
            put("polynomial im", &|i| series(i).s.im);
            put("polynomial frequency_hz", &|i| frequency_and_damping(series(i).s)[0]);
            put("polynomial damping_ratio", &|i| frequency_and_damping(series(i).s)[1]);
            put("polynomial error", &|i| series(i).error);
            put("polynomial mac", &|i| mac(&series(i).vector, &self.exact.pairs[i][k].vector));
        }
        out
    }

    /// Frequency and damping along the path.
    pub fn picture(&self) -> String {
        let quantity = |ordinate: &str, which: usize, error: &dyn Fn(&Value) -> f64| {
            let mut curves = Vec::new();
            for (k, number) in self.expansion.numbers().into_iter().enumerate() {
                let along = || self.path.along.iter();
                let value = |v: &Value| if v.trusted { frequency_and_damping(v.s)[which] } else { f64::NAN };
                let series = || self.predicted.iter().map(|row| &row[k]);
                let points = along().zip(series()).map(|(x, v)| [*x, value(v)]).collect();
                let mut line = Curve::line(&format!("mode {number}"), k, points);
                line.band = series().map(|v| if v.trusted { error(v) } else { 0.0 }).collect();
                curves.push(line);
                let exact = (0..self.path.along.len()).map(|i| frequency_and_damping(self.s(i, k))[which]);
                curves.push(Curve::dots("", k, along().zip(exact).map(|(x, y)| [*x, y]).collect()));
            }
            Panel { ordinate: ordinate.to_owned(), scale: Scale::Linear, curves }
        };
        let title = format!(
            "{}: polynomials of order {} with their error, exact samples",
            self.place.loaded.model.name, self.expansion.pieces[0].order
        );
        let panels = vec![
            quantity("natural frequency, Hz", 0, &|v| v.error / TAU),
            quantity("damping ratio", 1, &|v| v.error / v.s.norm()),
        ];
        Chart { title, abscissa: self.path.abscissa.clone(), panels }.svg()
    }

    /// Largest relative differences of a mode between polynomial and exact value: frequency, damping ratio.
    pub fn deviation(&self, k: usize) -> [f64; 2] {
        let mut worst = [0.0_f64; 2];
        for (i, row) in self.predicted.iter().enumerate() {
            let (p, e) = (frequency_and_damping(row[k].s), frequency_and_damping(self.s(i, k)));
            for (w, (p, e)) in worst.iter_mut().zip(p.into_iter().zip(e)) {
                let gap = (p - e).abs();
                let off = if gap > 0.0 { gap / e.abs() } else { gap };
                *w = if off.is_nan() { f64::INFINITY } else { w.max(off) };
            }
        }
        worst
    }
}

/// |a^H b|^2 / (a^H a b^H b): the modal assurance criterion of two shapes.
fn mac(a: &[c64], b: &[c64]) -> f64 {
    let dot = |x: &[c64], y: &[c64]| -> c64 { x.iter().zip(y).map(|(x, y)| x.conj() * y).sum() };
    let size = dot(a, a).re * dot(b, b).re;
    if size > 0.0 { dot(a, b).norm_sqr() / size } else { 0.0 }
}

fn render(found: &Track, style: Style) -> String {
    let (expansion, path) = (&found.expansion, &found.path);
    let mut out = summary::heading(&found.place.loaded, &expansion.rank, style);
    for [coordinate, input] in expansion.held(&found.place) {
        let _ = writeln!(out, "{coordinate} is held by {input}");
    }
    let last = path.along.len() - 1;
    let _ = writeln!(
        out,
        "{} samples along {} from {} to {}; polynomials of order {} about the middle\n",
        path.along.len(),
        path.abscissa,
        six(path.along[0]),
        six(path.along[last]),
        expansion.pieces[0].order
    );
    let mut table = Table::new(vec![
        Column::number("mode", ""),
        Column::number("f_n from", "Hz"),
        Column::number("middle", "Hz"),
        Column::number("to", "Hz"),
        Column::number("zeta from", ""),
        Column::number("to", ""),
        Column::number("polynomial off by", "of f_n"),
        Column::number("estimated", "of |s|"),
        Column::number("least share", ""),
    ]);
    for (k, number) in expansion.numbers().into_iter().enumerate() {
        let at = |i: usize| frequency_and_damping(found.s(i, k));
        let noise = |x: f64| if x.abs() < 1e-12 { 0.0 } else { x };
        let estimates = found.predicted.iter().map(|row| row[k].error / row[k].s.norm());
        let estimated = estimates.fold(0.0, |m: f64, x| if x.is_nan() { f64::INFINITY } else { m.max(x) });
        let share = (0..path.along.len()).map(|i| found.share(i, k)).fold(1.0, f64::min);
        let told = |x: f64| if x.is_finite() { tiny(x) } else { "unbounded".to_owned() };
        table.row(vec![
            number.to_string(),
            six(at(0)[0]),
            six(at(path.middle())[0]),
            six(at(last)[0]),
            six(noise(at(0)[1])),
            six(noise(at(last)[1])),
            told(found.deviation(k)[0]),
            told(estimated),
            format!("{share:.3}"),
        ]);
    }
    out.push_str(&table.render(style));
    let notes: Vec<String> = found.events.iter().map(|e| words(e, &path.abscissa)).collect();
    out.push_str(&summary::notes(&notes, style));
    out
}

/// An event in words.
pub fn words(event: &Event, abscissa: &str) -> String {
    match event {
        Event::Encounter { modes: [a, b], kind: EncounterKind::Crossing, at, .. } => {
            format!("modes {a} and {b} cross at {abscissa} = {}", six(*at))
        }
        Event::Encounter { modes: [a, b], kind: EncounterKind::Veering, at, gap_hz, exchange } => format!(
            "modes {a} and {b} veer at {abscissa} = {}: {} Hz apart, shapes exchanged to {:.0} %",
            six(*at),
            six(*gap_hz),
            100.0 * exchange.min(1.0)
        ),
        Event::Coincidence { at } => {
            format!("two modes coincide at {abscissa} = {}; their shapes there are those close by", six(*at))
        }
        Event::Doubtful { mode, at, share } => format!(
            "mode {mode} is followed in doubt at {abscissa} = {}: it keeps {:.0} % of itself in one step; take more samples",
            six(*at),
            100.0 * share
        ),
    }
}
