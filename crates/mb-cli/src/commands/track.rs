//! `mb track`: modes along a path, by polynomials with their error band and exactly at every sample.

pub use mb_analysis::parametric::TrackedGroup;
pub use mb_analysis::parametric::events::{Event, words};

use crate::Answer;
use crate::args::TrackArgs;
use crate::checkpoint;
use crate::commands::parametric::mac;
use crate::failure::Failure;
use crate::failure::remedy::what_to_do;
use crate::history;
use crate::json;
use crate::npz::{self, Array};
use crate::outfile;
use crate::parametric::expansion::{Value, expanded, frequency_and_damping, held};
use crate::parametric::{Expansion, GroupValue, Path, Place, Wish};
use crate::picture;
use crate::progress::Progress;
use crate::render::{Column, Style, Table, six, summary, tiny};
use crate::source::{Loaded, Text};
use mb_algebra::{Dense, Stopped, c64};
use mb_analysis::checkpoint::{Checkpoint, Run};
use mb_analysis::parametric::{FollowedGroups, SeriesError, events, follow, follow_groups};
use mb_chart::{Chart, Curve, Panel, Scale};
use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::io::Write as _;

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
    /// The groups of the expansion, in its order.
    pub groups: Vec<TrackedGroup>,
    /// Crossings, veering, doubtful steps.
    pub events: Vec<Event>,
    /// What ended the work before all samples were reached; the path is that of the samples that were.
    pub early: Option<Early>,
}

/// An end before the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Early {
    /// Why, with what to do.
    pub why: String,
    /// True where a run with a checkpoint can go on.
    pub goes_on: bool,
    /// Samples that were asked for.
    pub samples: usize,
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model, the request or the numerics at a sample.
pub fn run(text: &Text, args: &TrackArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    if args.campbell.is_some() {
        return super::campbell::run(text, args, style, progress);
    }
    if let Some(period) = &args.floquet {
        return super::exponents::run(text, args, period, style, progress);
    }
    let format = args.output.as_deref().map(history::format_of).transpose()?;
    picture::check_file("--plot", args.plot.as_deref())?;
    let (found, checkpoint) = kept(text, args, progress)?;
    crate::guard::work_is_done();
    if let (Some(path), Some(format)) = (&args.output, format) {
        let columns = found.columns();
        let bytes = match format {
            history::Format::Csv => history::csv(&columns),
            history::Format::Json => json::track::document(&found).into_bytes(),
            history::Format::Npz => {
                let array = |(name, x): (String, Vec<f64>)| Array::real(&name, &[x.len()], x);
                let mut arrays: Vec<Array> = columns.into_iter().map(array).collect();
                arrays.push(found.mac_array());
                npz::archive(&arrays)
            }
        };
        outfile::write(path, |out| out.write_all(&bytes))?;
    }
    if let Some(path) = &args.plot {
        picture::write(path, &found.chart().svg())?;
    }
    checkpoint.end(found.early.is_none())?;
    let text = if args.json { json::track::document(&found) } else { render(&found, style) };
    let mut answer = Answer::right(text);
    if let Some(early) = &found.early {
        let words = early.words(found.path.along.len());
        answer.complaint = if early.goes_on {
            format!("{words}; {}.\n", checkpoint::advice(args.checkpoint.as_deref()))
        } else {
            format!("{words}\n")
        };
        answer.code = crate::failure::NUMERICS;
    }
    Ok(answer)
}

impl Early {
    fn of_stop(why: Stopped, samples: usize) -> Self {
        Self { why: super::parametric::ended(why), goes_on: true, samples }
    }
    fn of_errors(errors: Vec<SeriesError>, samples: usize) -> Self {
        let told = |error: SeriesError| {
            let failure = Failure::from(error);
            format!("{failure}{}", what_to_do(failure.help()))
        };
        let why: Vec<String> = errors.into_iter().map(told).collect();
        Self { why: why.join(" "), goes_on: false, samples }
    }
    fn words(&self, reached: usize) -> String {
        let groups = if reached == self.samples { " without groups" } else { "" };
        format!("the track ends early{groups}, with {reached} of {} samples: {}", self.samples, self.why)
    }
}

/// Does the analysis.
///
/// # Errors
/// As [`run`].
pub fn analyse(text: &Text, args: &TrackArgs, progress: Progress) -> Result<Track, Failure> {
    kept(text, args, progress).map(|(found, _)| found)
}

/// The analysis, with the file of its samples.
fn kept(text: &Text, args: &TrackArgs, progress: Progress) -> Result<(Track, Checkpoint), Failure> {
    let stage = progress.stage("reading the model");
    let path = Path::new(args)?;
    let middle = path.middle();
    // The point of expansion is the middle of the path.
    let mut centre = args.centre.clone();
    let values = path.names.iter().zip(&path.samples[middle]);
    centre.about.extend(values.map(|(name, x)| format!("{name}={x:?}")));
    let named = |loaded: &Loaded| path.variables(loaded);
    let place = Place::new(text, &args.model, &centre, named)?;
    let variables = named(&place.loaded)?;
    let run = Run::new("track", &place.loaded.spec, &(args.options(), &path, &place.setting));
    let mut checkpoint = Checkpoint::open(args.checkpoint.as_deref(), &run)?;
    drop(stage);
    let stage = progress.stage("expanding");
    let origin = place.origin();
    let wish = Wish { modes: args.modes.as_deref(), groups: &args.group };
    let expansion = progress.unless_ended(|| {
        let about = Expansion::about(&origin, variables, origin.centre()?)?;
        expanded(&wish, |wanted| about.to_order(&origin, args.order, wanted, &mut checkpoint))
    });
    let expansion = expansion.map_err(Failure::Stopped)??;
    if let Some(why) = expansion.stopped {
        return Err(Failure::Stopped(why));
    }
    drop(stage);
    let _stage = progress.stage("following the modes");
    let distances: Vec<Vec<f64>> =
        path.samples.iter().map(|x| x.iter().zip(&expansion.values).map(|(x, c)| x - c).collect()).collect();
    let followed = progress.unless_ended(|| follow(&origin, &expansion, &distances, middle, &mut checkpoint));
    let followed = followed.map_err(Failure::Stopped)??;
    let (exact, mut failed, samples) = (followed.track, followed.failed, path.along.len());
    let mut stopped = exact.stopped;
    let reached = exact.eigenpairs.len();
    if let Some(why) = stopped.filter(|_| reached == 0) {
        return Err(Failure::Stopped(why));
    }
    let part = followed.first..followed.first + reached;
    let (path, distances) = (path.part(part.clone()), &distances[part.clone()]);
    let mut found = FollowedGroups::default();
    if stopped.is_none() {
        let middle = middle - part.start;
        match progress.unless_ended(|| follow_groups(&origin, &expansion, &exact, distances, middle)) {
            Ok(Ok(followed)) => found = followed,
            Ok(Err(error)) => failed.push(error),
            Err(why) => stopped = Some(why),
        }
    }
    let early = match stopped {
        Some(why) => Some(Early::of_stop(why, samples)),
        None => (!failed.is_empty()).then(|| Early::of_errors(failed, samples)),
    };
    let predicted = exact.points.iter().map(|d| expansion.evaluate(d)).collect::<Result<Vec<_>, _>>()?;
    let events = events::events(&path.along, &expansion, &exact, &found);
    let groups = found.groups;
    Ok((Track { place, path, expansion, exact, predicted, groups, events, early }, checkpoint))
}

impl Track {
    /// That it ends early and why, in words.
    pub fn ended(&self) -> Option<String> {
        self.early.as_ref().map(|early| early.words(self.path.along.len()))
    }
    /// What has to be said in addition to the tables: the events, and the state that was taken.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.ended().into_iter().collect();
        notes.extend(self.events.iter().map(|e| words(e, &self.path.abscissa)));
        notes.extend(self.place.notes(&self.expansion.variables));
        notes.extend(self.expansion.steadiness());
        notes
    }
    /// Eigenvalue of mode `k` at sample `i`, rad/s.
    fn s(&self, i: usize, k: usize) -> c64 {
        self.exact.eigenpairs[i][k].s
    }

    /// What mode `k` keeps of itself from the sample before, at most 1; 1 at the first.
    fn share(&self, i: usize, k: usize) -> f64 {
        // Products of left and right vectors have no inequality of Schwarz where matrices are not symmetric.
        i.checked_sub(1).map_or(1.0, |before| self.exact.mac[before][(k, k)].min(1.0))
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
            put("polynomial mac", &|i| mac(&series(i).vector, &self.exact.eigenpairs[i][k].vector));
        }
        for (found, group) in self.groups.iter().zip(&self.expansion.pieces[0].groups) {
            let mut put = |what: &str, of: &dyn Fn(usize) -> f64| {
                let name = format!("group {} {what}", group.name());
                out.push((name, (0..self.path.along.len()).map(of).collect()));
            };
            let mean = |i: usize| found.exact_mean(i);
            put("mean re", &|i| mean(i).re);
            put("mean im", &|i| mean(i).im);
            put("mean frequency_hz", &|i| frequency_and_damping(mean(i))[0]);
            put("polynomial mean re", &|i| found.predicted[i].mean.re);
            put("polynomial mean im", &|i| found.predicted[i].mean.im);
            put("polynomial error", &|i| found.predicted[i].largest_error());
            for j in 0..group.numbers.len() {
                let value = |i: usize| found.value(i, j);
                put(&format!("value {} re", j + 1), &|i| value(i).re);
                put(&format!("value {} im", j + 1), &|i| value(i).im);
                put(&format!("value {} frequency_hz", j + 1), &|i| frequency_and_damping(value(i))[0]);
                put(&format!("value {} damping_ratio", j + 1), &|i| frequency_and_damping(value(i))[1]);
                let series = |i: usize| found.predicted[i].values[j];
                put(&format!("polynomial value {} re", j + 1), &|i| series(i).re);
                put(&format!("polynomial value {} im", j + 1), &|i| series(i).im);
            }
        }
        out
    }

    /// Left-right MAC of all modes at each sample with those of the next, by sample, row and column.
    pub fn mac(&self) -> Vec<Vec<Vec<f64>>> {
        let rows = |a: &Dense| (0..a.nrows()).map(|i| mb_algebra::dense::row(a, i)).collect();
        self.exact.mac.iter().map(rows).collect()
    }

    fn mac_array(&self) -> Array {
        let (steps, modes) = (self.exact.mac.len(), self.expansion.numbers().len());
        Array::real("mac", &[steps, modes, modes], self.mac().into_iter().flatten().flatten().collect())
    }

    /// Frequency and damping along the path.
    pub fn chart(&self) -> Chart {
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
            let colours = self.expansion.numbers().len()..;
            let groups = self.groups.iter().zip(&self.expansion.pieces[0].groups);
            for (colour, (found, group)) in colours.zip(groups) {
                for j in 0..group.numbers.len() {
                    let along = || self.path.along.iter();
                    let value = |v: &GroupValue| Value {
                        s: v.values[j],
                        vector: Vec::new(),
                        error: v.errors[j],
                        trusted: v.trusted,
                    };
                    let series: Vec<Value> = found.predicted.iter().map(value).collect();
                    let shown =
                        |v: &Value| if v.trusted { frequency_and_damping(v.s)[which] } else { f64::NAN };
                    let points = along().zip(&series).map(|(x, v)| [*x, shown(v)]).collect();
                    let name = if j == 0 { format!("group {}", group.name()) } else { String::new() };
                    let mut line = Curve::line(&name, colour, points);
                    line.band = series.iter().map(|v| if v.trusted { error(v) } else { 0.0 }).collect();
                    curves.push(line);
                    let exact = (0..self.path.along.len()).map(|i| found.value(i, j));
                    let exact = exact.map(|s| frequency_and_damping(s)[which]);
                    curves.push(Curve::dots("", colour, along().zip(exact).map(|(x, y)| [*x, y]).collect()));
                }
            }
            Panel { ordinate: ordinate.to_owned(), scale: Scale::Linear, curves }
        };
        let title = format!(
            "{}: polynomials of order {} with their error, exact samples{}",
            self.place.loaded.model.name,
            self.expansion.pieces[0].order,
            self.expansion.seen_from()
        );
        let panels = vec![
            quantity("natural frequency, Hz", 0, &|v| v.error / TAU),
            quantity("damping ratio", 1, &|v| v.error / v.s.norm()),
        ];
        Chart { title, abscissa: self.path.abscissa.clone(), panels, equal: false }
    }

    /// Largest relative difference of the natural frequency of a mode between polynomial and exact value.
    pub fn frequency_deviation(&self, k: usize) -> f64 {
        self.worst(k, 0, |_| true).unwrap_or(0.0)
    }

    /// The same of the damping ratio, over the samples at which the exact one is more than rounding; none without such samples, as of
    /// undamped modes.
    pub fn damping_deviation(&self, k: usize) -> Option<f64> {
        self.worst(k, 1, |zeta| zeta.abs() > NO_DAMPING)
    }

    /// Largest relative difference of one of the two, over the samples whose exact value `counts`.
    fn worst(&self, k: usize, which: usize, counts: impl Fn(f64) -> bool) -> Option<f64> {
        let off = |(i, row): (usize, &Vec<Value>)| {
            let [p, e] = [row[k].s, self.s(i, k)].map(|s| frequency_and_damping(s)[which]);
            let gap = (p - e).abs();
            let off = if gap > 0.0 { gap / e.abs() } else { gap };
            counts(e).then_some(if off.is_nan() { f64::INFINITY } else { off })
        };
        self.predicted.iter().enumerate().filter_map(off).reduce(f64::max)
    }
}

/// Damping ratios up to which they are what rounding leaves of none.
const NO_DAMPING: f64 = 1e-12;

fn render(found: &Track, style: Style) -> String {
    let (expansion, path) = (&found.expansion, &found.path);
    let mut out = summary::heading(&found.place.loaded, &expansion.rank, style);
    for [coordinate, input] in held(&found.place) {
        let _ = writeln!(out, "{coordinate} is held by {input}");
    }
    let last = path.along.len() - 1;
    let _ = writeln!(
        out,
        "{} samples along {} from {} to {}; polynomials of order {} about the middle{}\n",
        path.along.len(),
        path.abscissa,
        six(path.along[0]),
        six(path.along[last]),
        expansion.pieces[0].order,
        expansion.seen_from()
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
        let noise = |x: f64| if x.abs() <= NO_DAMPING { 0.0 } else { x };
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
            told(found.frequency_deviation(k)),
            told(estimated),
            format!("{share:.3}"),
        ]);
    }
    if !expansion.numbers().is_empty() {
        out.push_str(&table.render(style));
    }
    if !found.groups.is_empty() {
        out.push_str(&groups_table(found, style));
    }
    out.push_str(&summary::notes(&found.notes(), style));
    out
}

/// The groups at both ends and in the middle.
fn groups_table(found: &Track, style: Style) -> String {
    let mut table = Table::new(vec![
        Column::words("group"),
        Column::number("mean f_n from", "Hz"),
        Column::number("middle", "Hz"),
        Column::number("to", "Hz"),
        Column::number("polynomial off by", "of |s|"),
    ]);
    let last = found.path.along.len() - 1;
    for (tracked, group) in found.groups.iter().zip(&found.expansion.pieces[0].groups) {
        let at = |i: usize| {
            let mean = tracked.exact_mean(i);
            if mean.is_finite() { six(frequency_and_damping(mean)[0]) } else { "-".to_owned() }
        };
        table.row(vec![group.name(), at(0), at(found.path.middle()), at(last), tiny(tracked.deviation())]);
    }
    table.render(style)
}
