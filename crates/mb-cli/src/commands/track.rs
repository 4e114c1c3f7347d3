//! `mb track`: modes along a path, by polynomials with their error band and exactly at every sample.

use crate::Answer;
use crate::args::TrackArgs;
use crate::failure::{Failure, RequestError};
use crate::flow;
use crate::history;
use crate::json;
use crate::npz::{self, Array};
use crate::outfile;
use crate::parametric::expansion::{Wanted, frequency_and_damping};
use crate::parametric::follow::{self, Event, Followed, mac};
use crate::parametric::place::pencil;
use crate::parametric::{Expansion, Path, Place};
use crate::progress::Progress;
use crate::render::{Column, Style, Table, six, summary, tiny};
use crate::source::{Loaded, Text};
use mb_algebra::c64;
use mb_chart::{Chart, Curve, Panel, Scale};
use mb_model::Point;
use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::io::Write as _;

/// Estimated errors above this share of the eigenvalue are drawn as no polynomial at all.
const NO_USE: f64 = 0.1;

/// A mode at a sample by its polynomial.
#[derive(Clone, Copy, Debug)]
pub struct Predicted {
    /// Eigenvalue, rad/s.
    pub s: c64,
    /// Estimated error, rad/s.
    pub error: f64,
    /// Modal assurance criterion against the exact shape.
    pub mac: f64,
}

/// Everything the command found.
#[derive(Clone, Debug)]
pub struct Track {
    /// The model and how its operating points are found.
    pub place: Place,
    /// The path.
    pub path: Path,
    /// The polynomials about the middle of the path.
    pub expansion: Expansion,
    /// The modes of every sample, exactly.
    pub exact: Vec<Vec<Followed>>,
    /// The same by polynomials.
    pub predicted: Vec<Vec<Predicted>>,
    /// Crossings, veering, doubtful steps.
    pub events: Vec<Event>,
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
    let wanted = Wanted { order: args.order, modes: args.modes.as_deref() };
    let expansion = Expansion::new(&place, variables, place.centre()?, &wanted)?;
    drop(stage);
    let _stage = progress.stage("solving at the samples");
    let exact = exact(&place, &path, &expansion)?;
    let predicted = predicted(&path, &place, &expansion, &exact)?;
    let events = follow::events(&path.along, &exact);
    Ok(Track { place, path, expansion, exact, predicted, events })
}

/// The modes at every sample, followed from the middle to both ends.
fn exact(place: &Place, path: &Path, expansion: &Expansion) -> Result<Vec<Vec<Followed>>, Failure> {
    let middle = path.middle();
    let centre = expansion.series.point.centre().clone();
    let all = follow::candidates(&pencil(&place.loaded.model, &centre))?;
    let first = |s: c64| {
        let distance = |p: &&mb_eigen::Eigenpair| p.value().map_or(f64::INFINITY, |v| (v - s).norm());
        all.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).cloned()
    };
    let modes = expansion.modes.iter().filter_map(|m| {
        let s = m.series.eigenvalue_coefficients()[0];
        first(s).map(|pair| Followed { pair, s, share: 1.0 })
    });
    let modes: Vec<Followed> = modes.collect();
    let mut out = vec![modes.clone(); path.samples.len()];
    let step = |before: &[Followed], near: &Point, i: usize| -> Result<(Vec<Followed>, Point), Failure> {
        let (model, point) = place.at(near, &path.given(&place.loaded, i)?)?;
        let there = pencil(&model, &point);
        Ok((follow::next(before, &there, &follow::candidates(&there)?), point))
    };
    let mut near = centre.clone();
    for i in middle + 1..out.len() {
        (out[i], near) = step(&out[i - 1], &near, i)?;
    }
    near = centre;
    for i in (0..middle).rev() {
        (out[i], near) = step(&out[i + 1], &near, i)?;
    }
    Ok(out)
}

/// The polynomials at every sample.
fn predicted(
    path: &Path,
    place: &Place,
    expansion: &Expansion,
    exact: &[Vec<Followed>],
) -> Result<Vec<Vec<Predicted>>, Failure> {
    let mut out = Vec::new();
    for (i, there) in exact.iter().enumerate() {
        let given = path.given(&place.loaded, i)?;
        let values = given.iter().filter(|(q, _)| matches!(q, crate::parametric::Quantity::Variable(_)));
        let d: Vec<f64> = values.zip(&expansion.values).map(|((_, x), centre)| x - centre).collect();
        let one = |(mode, exact): (&crate::parametric::Expanded, &Followed)| {
            let at = mode.series.evaluate(&d, expansion.order)?;
            Ok(Predicted { s: at.s, error: at.error, mac: mac(&at.vector, &exact.pair.right) })
        };
        let row: Result<Vec<Predicted>, Failure> = expansion.modes.iter().zip(there).map(one).collect();
        out.push(row?);
    }
    Ok(out)
}

impl Track {
    /// Everything along the path by name.
    pub fn columns(&self) -> Vec<history::Column> {
        let mut out = vec![(self.path.abscissa.clone(), self.path.along.clone())];
        for (k, name) in self.path.names.iter().enumerate() {
            if *name != self.path.abscissa {
                out.push((name.clone(), self.path.samples.iter().map(|row| row[k]).collect()));
            }
        }
        for (k, mode) in self.expansion.modes.iter().enumerate() {
            let n = mode.number;
            let exact = |of: &dyn Fn(&Followed) -> f64| self.exact.iter().map(|row| of(&row[k])).collect();
            let series =
                |of: &dyn Fn(&Predicted) -> f64| self.predicted.iter().map(|row| of(&row[k])).collect();
            out.push((format!("mode {n} re"), exact(&|m| m.s.re)));
            out.push((format!("mode {n} im"), exact(&|m| m.s.im)));
            out.push((format!("mode {n} frequency_hz"), exact(&|m| frequency_and_damping(m.s)[0])));
            out.push((format!("mode {n} damping_ratio"), exact(&|m| frequency_and_damping(m.s)[1])));
            out.push((format!("mode {n} share"), exact(&|m| m.share)));
            out.push((format!("mode {n} polynomial re"), series(&|p| p.s.re)));
            out.push((format!("mode {n} polynomial im"), series(&|p| p.s.im)));
            out.push((
                format!("mode {n} polynomial frequency_hz"),
                series(&|p| frequency_and_damping(p.s)[0]),
            ));
            out.push((
                format!("mode {n} polynomial damping_ratio"),
                series(&|p| frequency_and_damping(p.s)[1]),
            ));
            out.push((format!("mode {n} polynomial error"), series(&|p| p.error)));
            out.push((format!("mode {n} polynomial mac"), series(&|p| p.mac)));
        }
        out
    }

    /// Frequency and damping along the path.
    pub fn picture(&self) -> String {
        let quantity = |ordinate: &str, which: usize, error: &dyn Fn(&Predicted) -> f64| {
            let mut curves = Vec::new();
            for (k, mode) in self.expansion.modes.iter().enumerate() {
                let along = || self.path.along.iter();
                let useful = |p: &Predicted| p.error <= NO_USE * p.s.norm();
                let value = |p: &Predicted| {
                    if useful(p) { frequency_and_damping(p.s)[which] } else { f64::NAN }
                };
                let series = || self.predicted.iter().map(|row| &row[k]);
                let points = along().zip(series()).map(|(x, p)| [*x, value(p)]).collect();
                let mut line = Curve::line(&format!("mode {}", mode.number), k, points);
                line.band = series().map(|p| if useful(p) { error(p) } else { 0.0 }).collect();
                curves.push(line);
                let exact = self.exact.iter().map(|row| frequency_and_damping(row[k].s)[which]);
                curves.push(Curve::dots("", k, along().zip(exact).map(|(x, y)| [*x, y]).collect()));
            }
            Panel { ordinate: ordinate.to_owned(), scale: Scale::Linear, curves }
        };
        let title = format!(
            "{}: polynomials of order {} with their error, exact samples",
            self.place.loaded.model.name, self.expansion.order
        );
        let panels = vec![
            quantity("natural frequency, Hz", 0, &|p| p.error / TAU),
            quantity("damping ratio", 1, &|p| p.error / p.s.norm()),
        ];
        Chart { title, abscissa: self.path.abscissa.clone(), panels }.svg()
    }

    /// Largest relative differences of a mode between polynomial and exact value: frequency, damping ratio.
    pub fn deviation(&self, k: usize) -> [f64; 2] {
        let mut worst = [0.0_f64; 2];
        for (row, exact) in self.predicted.iter().zip(&self.exact) {
            let (p, e) = (frequency_and_damping(row[k].s), frequency_and_damping(exact[k].s));
            for (w, (p, e)) in worst.iter_mut().zip(p.into_iter().zip(e)) {
                let gap = (p - e).abs();
                let off = if gap > 0.0 { gap / e.abs() } else { gap };
                *w = if off.is_nan() { f64::INFINITY } else { w.max(off) };
            }
        }
        worst
    }
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
        expansion.order
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
    for (k, mode) in expansion.modes.iter().enumerate() {
        let at = |i: usize| frequency_and_damping(found.exact[i][k].s);
        let noise = |x: f64| if x.abs() < 1e-12 { 0.0 } else { x };
        let estimates = found.predicted.iter().map(|row| row[k].error / row[k].s.norm());
        let estimated = estimates.fold(0.0, |m: f64, x| if x.is_nan() { f64::INFINITY } else { m.max(x) });
        let share = found.exact.iter().map(|row| row[k].share).fold(1.0, f64::min);
        let told = |x: f64| if x.is_finite() { tiny(x) } else { "unbounded".to_owned() };
        table.row(vec![
            mode.number.to_string(),
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
    let number = |k: usize| expansion.modes[k].number;
    let notes: Vec<String> = found.events.iter().map(|e| words(e, &path.abscissa, &number)).collect();
    out.push_str(&summary::notes(&notes, style));
    out
}

/// An event in words; `number` is that of a mode among those followed.
pub fn words(event: &Event, abscissa: &str, number: &dyn Fn(usize) -> usize) -> String {
    match event {
        Event::Crossing { modes: [a, b], at } => {
            format!("modes {} and {} cross at {abscissa} = {}", number(*a), number(*b), six(*at))
        }
        Event::Veering { modes: [a, b], at, gap_hz, exchange } => format!(
            "modes {} and {} veer at {abscissa} = {}: {} Hz apart, shapes exchanged to {:.0} %",
            number(*a),
            number(*b),
            six(*at),
            six(*gap_hz),
            100.0 * exchange
        ),
        Event::Uncertain { mode, at, share } => format!(
            "mode {} is followed in doubt at {abscissa} = {}: its shape is to {:.0} % that of the sample before; take more samples",
            number(*mode),
            six(*at),
            100.0 * share
        ),
    }
}
