//! `mb track --floquet`: Floquet exponents of a periodic motion over a parameter, with the ranges in which disturbances grow.

use crate::Answer;
use crate::args::{MotionArgs, StartArgs, TrackArgs};
use crate::checkpoint;
use crate::failure::{Failure, NUMERICS, RequestError};
use crate::history;
use crate::json::{Head, text as json_text};
use crate::npz::{self, Array};
use crate::outfile;
use crate::picture;
use crate::progress::{self, Progress};
use crate::render::{Column, Style, Table, six, summary, tiny};
use crate::source::{Loaded, Text, load};
use mb_analysis::checkpoint::{Checkpoint, Run};
use mb_analysis::floquet_diagram::{Exponent, FloquetDiagram, floquet_diagram};
use mb_analysis::periodic::OrbitSearch;
use mb_chart::{Chart, Curve, Panel, Scale};
use serde::Serialize;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::io::Write as _;

/// The diagram with what it is of.
struct Exponents {
    loaded: Loaded,
    parameter: String,
    found: FloquetDiagram,
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model or the request; a value at which no periodic motion is found.
pub fn run(
    text: &Text,
    args: &TrackArgs,
    period: &str,
    style: Style,
    progress: Progress,
) -> Result<Answer, Failure> {
    let format = args.output.as_deref().map(history::format_of).transpose()?;
    picture::check_file("--plot", args.plot.as_deref())?;
    let (diagram, checkpoint) = analyse(text, args, period, progress)?;
    crate::guard::work_is_done();
    if let (Some(path), Some(format)) = (&args.output, format) {
        let columns = diagram.columns();
        let bytes = match format {
            history::Format::Csv => history::csv(&columns),
            history::Format::Json => diagram.document().into_bytes(),
            history::Format::Npz => {
                let array = |(name, x): (String, Vec<f64>)| Array::real(&name, &[x.len()], x);
                npz::archive(&columns.into_iter().map(array).collect::<Vec<_>>())
            }
        };
        outfile::write(path, |out| out.write_all(&bytes))?;
    }
    if let Some(path) = &args.plot {
        picture::write(path, &diagram.chart().svg())?;
    }
    checkpoint.end(diagram.found.ended.is_none())?;
    let text = if args.json { diagram.document() } else { diagram.render(style) };
    let complaint = diagram.ended().map_or_else(String::new, |words| {
        format!("The track of exponents: {words}; {}.\n", checkpoint::advice(args.checkpoint.as_deref()))
    });
    let code = if complaint.is_empty() { 0 } else { NUMERICS };
    Ok(Answer { text, complaint, code })
}

/// The analysis, with the file of its steps.
fn analyse(
    text: &Text,
    args: &TrackArgs,
    period: &str,
    progress: Progress,
) -> Result<(Exponents, Checkpoint), Failure> {
    let loaded = load(text, &args.model)?;
    let name = args.parameter.clone().unwrap_or_default();
    if !loaded.spec.parameters.contains_key(&name) {
        let known = loaded.spec.parameters.keys().cloned().collect();
        return Err(RequestError::NoSuchParameter { option: "--parameter", name, known }.into());
    }
    let end = |option, text: &Option<String>| {
        crate::start::finite(option, &name, text.as_deref().unwrap_or_default())
    };
    let (from, to) = (end("--from", &args.from)?, end("--to", &args.to)?);
    if from.total_cmp(&to).is_eq() {
        return Err(RequestError::EmptyRange { option: "--to", value: to }.into());
    }
    let given = StartArgs {
        at: args.centre.about.clone(),
        no_solve: true,
        strategy: args.centre.strategy,
        time: args.centre.time,
        input: Vec::new(),
    };
    let (start, moving) = crate::start::with_motion(&loaded.model, &given, &MotionArgs::default())?;
    let mut search = OrbitSearch::with_period(period, start, moving);
    let run = Run::new("exponents", &loaded.spec, &(args.options(), &search));
    let mut checkpoint = Checkpoint::open(args.checkpoint.as_deref(), &run)?;
    search.options.watch = progress.watch();
    let _stage = progress.stage("following the periodic motion and its exponents");
    let _keeps = progress::stoppable();
    let found = floquet_diagram(&loaded.spec, &name, [from, to], args.samples, &search, &mut checkpoint)
        .map_err(|e| Failure::from(e).with_option("--floquet"))?;
    Ok((Exponents { loaded, parameter: name, found }, checkpoint))
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    model: &'a str,
    file: &'a str,
    parameter: &'a str,
    modes: usize,
    samples: BTreeMap<String, Vec<f64>>,
    unstable: Vec<RangeView>,
    /// Intervals in which growth was neither found nor seen to be absent.
    undecided: Vec<[f64; 2]>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct RangeView {
    from: Option<f64>,
    from_error: Option<f64>,
    to: Option<f64>,
    to_error: Option<f64>,
    growth: f64,
    at: f64,
}

impl Exponents {
    /// Modes of which something is not below the real axis: one of each conjugate pair.
    fn shown(&self) -> Vec<usize> {
        let modes = 0..self.found.exponents.len();
        let upper = |mode: &usize| {
            let points = self.found.exponents[*mode].iter().flatten();
            points.map(|e| e.s.im).sum::<f64>() >= 0.0
        };
        modes.filter(upper).collect()
    }
    fn columns(&self) -> Vec<history::Column> {
        let found = &self.found;
        let mut out = vec![
            (self.parameter.clone(), found.values.clone()),
            ("period".to_owned(), found.periods.clone()),
        ];
        for (number, mode) in self.shown().into_iter().enumerate() {
            let mut put = |what: &str, of: &dyn Fn(&Exponent) -> f64| {
                let list = found.exponents[mode].iter().map(|e| e.as_ref().map_or(f64::NAN, of));
                out.push((format!("mode {} {what}", number + 1), list.collect()));
            };
            put("re", &|e| e.s.re);
            put("im", &|e| e.s.im);
            put("error", &|e| e.error);
            put("frequency_hz", &|e| e.s.im.abs() / TAU);
        }
        out
    }
    fn document(&self) -> String {
        let view = |g: &mb_analysis::floquet_diagram::Grows| RangeView {
            from: g.from.map(|x| x[0]),
            from_error: g.from.map(|x| x[1]),
            to: g.to.map(|x| x[0]),
            to_error: g.to.map(|x| x[1]),
            growth: g.growth[0],
            at: g.growth[1],
        };
        json_text(&Document {
            head: Head::of("track"),
            model: &self.loaded.model.name,
            file: &self.loaded.file,
            parameter: &self.parameter,
            modes: self.shown().len(),
            samples: self.columns().into_iter().collect(),
            unstable: self.found.grows.iter().map(view).collect(),
            undecided: self.found.undecided.clone(),
            notes: self.notes(),
        })
    }
    fn chart(&self) -> Chart {
        let found = &self.found;
        let curve = |mode: usize, of: &dyn Fn(&Exponent) -> f64| -> Vec<[f64; 2]> {
            let points = found.values.iter().zip(&found.exponents[mode]);
            points.map(|(x, e)| [*x, e.as_ref().map_or(f64::NAN, of)]).collect()
        };
        let shown = self.shown();
        let lines = |of: &dyn Fn(&Exponent) -> f64| -> Vec<Curve> {
            let one = |(k, mode): (usize, &usize)| Curve::line(&(k + 1).to_string(), k, curve(*mode, of));
            shown.iter().enumerate().map(one).collect()
        };
        let mut frequencies = lines(&|e| e.s.im.abs() / TAU);
        let once = found.values.iter().zip(&found.periods).map(|(x, t)| [*x, t.recip()]).collect();
        frequencies.push(Curve::dashes("once per period", 0, once));
        let mut growth = lines(&|e| e.s.re);
        let ends = |g: &mb_analysis::floquet_diagram::Grows| {
            g.from.into_iter().chain(g.to).map(|[x, _]| [x, 0.0]).collect::<Vec<_>>()
        };
        growth.push(Curve::dots("ends of growth", 4, found.grows.iter().flat_map(ends).collect()));
        let panel =
            |ordinate: &str, curves| Panel { ordinate: ordinate.to_owned(), scale: Scale::Linear, curves };
        Chart {
            title: format!("{}, Floquet exponents", self.loaded.model.name),
            abscissa: self.parameter.clone(),
            panels: vec![panel("frequency, Hz", frequencies), panel("real part, 1/s", growth)],
            equal: false,
        }
    }
    /// Where growth is undecided, in words.
    fn undecided(&self) -> Option<String> {
        let places = &self.found.undecided;
        let width = |x: &&[f64; 2]| (x[1] - x[0]).abs();
        let widest = places.iter().max_by(|x, y| width(x).total_cmp(&width(y)))?;
        let middle = 0.5 * (widest[0] + widest[1]);
        Some(format!(
            "in {} intervals growth is neither found nor seen to be absent: multipliers meet within their errors, or change too fast to be followed; \
             the widest is about {} = {middle:.9}, {:.1e} wide. More values narrow it",
            places.len(),
            self.parameter,
            width(&widest)
        ))
    }
    /// Why it ends before its end, in words.
    fn ended(&self) -> Option<String> {
        let why = self.found.ended?;
        Some(format!(
            "it ends early, with {} values: {why}; ranges of growth are not solved for",
            self.found.values.len()
        ))
    }
    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.ended().into_iter().collect();
        notes.extend([
            "errors of exponents are estimates from steps doubled, no bounds".to_owned(),
            "a frequency stands for its sums with whole numbers per period: the principal one at the first value, continued from there".to_owned(),
        ]);
        if self.found.ended.is_none() {
            notes.push(
                "between the values ranges of growth are looked for where multipliers meet or come out; that is no proof that there are no others"
                    .to_owned(),
            );
            notes.extend(self.undecided());
        }
        notes
    }
    fn render(&self, style: Style) -> String {
        let found = &self.found;
        let last = found.values.len() - 1;
        let mut out = style.bold(&self.loaded.model.name);
        let _ = writeln!(out, " {}", style.dim(&format!("({})", self.loaded.file)));
        let (from, to) = (six(found.values[0]), six(found.values[last]));
        let heading = format!("Floquet exponents over {} from {from} to {to}", self.parameter);
        let _ = writeln!(out, "\n{}", style.bold(&heading));
        let heads = [
            ("f at start", "Hz"),
            ("end", "Hz"),
            ("re at start", "1/s"),
            ("end", "1/s"),
            ("largest re", "1/s"),
            ("error", "1/s"),
        ];
        let mut columns = vec![Column::number("mode", "")];
        columns.extend(heads.map(|(head, unit)| Column::number(head, unit)));
        let mut table = Table::new(columns);
        let clear = |e: &Exponent| if e.s.re.abs() <= e.error { 0.0 } else { e.s.re };
        for (number, mode) in self.shown().into_iter().enumerate() {
            let points = &found.exponents[mode];
            let at = |k: usize, of: &dyn Fn(&Exponent) -> f64| {
                points[k].as_ref().map_or_else(|| "-".to_owned(), |e| six(of(e)))
            };
            let most = |of: &dyn Fn(&Exponent) -> f64| points.iter().flatten().map(of).reduce(f64::max);
            let (largest, error) = (most(&clear), most(&|e| e.error));
            let nothing = || "-".to_owned();
            let frequency = |e: &Exponent| if e.s.im.abs() <= e.error { 0.0 } else { e.s.im.abs() / TAU };
            table.row(vec![
                (number + 1).to_string(),
                at(0, &frequency),
                at(last, &frequency),
                at(0, &clear),
                at(last, &clear),
                largest.map_or_else(nothing, six),
                error.map_or_else(nothing, tiny),
            ]);
        }
        out.push_str(&table.render(style));
        out.push_str(&self.ranges(style));
        out.push_str(&summary::notes(&self.notes(), style));
        out
    }
    fn ranges(&self, style: Style) -> String {
        if self.found.ended.is_some() {
            return String::new();
        }
        if self.found.grows.is_empty() {
            return "\nnothing grows as far as is seen\n".to_owned();
        }
        let heads = ["grows from", "error", "to", "error"];
        let mut columns: Vec<Column> = heads.map(|head| Column::number(head, "")).into();
        columns.extend([Column::number("largest re", "1/s"), Column::number("at", "")]);
        let mut table = Table::new(columns);
        for g in &self.found.grows {
            let place = |end: &Option<[f64; 2]>| match end {
                Some([x, error]) => [format!("{x:.9}"), tiny(*error)],
                None => ["beyond".to_owned(), "-".to_owned()],
            };
            let ([from, from_error], [to, to_error]) = (place(&g.from), place(&g.to));
            table.row(vec![from, from_error, to, to_error, six(g.growth[0]), six(g.growth[1])]);
        }
        format!("\n{}", table.render(style))
    }
}
