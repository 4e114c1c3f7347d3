//! `mb response`: outputs over inputs in a band of frequencies, their peaks, zeros and mean squares.

mod files;
mod request;
mod tables;

use crate::Answer;
use crate::args::{FigureArg, ResponseArgs};
use crate::failure::{Failure, RequestError};
use crate::flow::response::{self, ModelResponse, ResponseRequest, notes};
use crate::flow::{self, Site, State};
use crate::history::csv;
use crate::json;
use crate::mat::{self, Variable};
use crate::npz;
use crate::outfile;
use crate::picture;
use crate::progress::Progress;
use crate::render::{Style, summary};
use crate::source::{Loaded, Text, load};
use mb_algebra::Stopped;
use mb_chart::{Chart, Curve, Panel, Scale};
use mb_constraints::ConstraintRank;
use mb_response::{Peak, Sample, Zeros};
use std::f64::consts::TAU;
use std::io::Write as _;
use std::path::Path;

/// A bound over |H| from which on its band is drawn.
const VISIBLE: f64 = 1e-3;

/// Everything the command found.
#[derive(Debug)]
pub struct Found {
    /// The model.
    pub loaded: Loaded,
    /// Rank of the constraints.
    pub rank: ConstraintRank,
    /// The equilibrium or steady motion.
    pub site: Site,
    /// What was asked for.
    pub request: ResponseRequest,
    /// The response.
    pub response: ModelResponse,
    /// By output and input, in turn; empty where not asked for.
    pub zeros: Vec<(usize, usize, Result<Zeros, mb_response::ResponseError>)>,
    /// Why zeros are missing.
    pub without_zeros: Option<Stopped>,
}

impl Found {
    /// Samples at frequencies where the response is finite.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.response.sweep.points.iter().filter_map(|p| p.sample.as_ref())
    }
    /// Output and input of each response, in turn.
    pub fn entries(&self) -> Vec<(usize, usize)> {
        let columns = self.response.inputs.len();
        (0..self.response.outputs.len()).flat_map(|o| (0..columns).map(move |i| (o, i))).collect()
    }
    /// Why it is a part of what was asked for, in words.
    pub fn ended(&self) -> Option<String> {
        if let Some(why) = self.response.sweep.stopped {
            return Some(format!("The response ends early: {why}."));
        }
        let (done, all) = (self.zeros.len(), self.entries().len());
        self.without_zeros.map(|why| format!("Zeros of {done} of {all} responses were computed: {why}."))
    }
    /// `output / input`.
    pub fn name(&self, (o, i): (usize, usize)) -> String {
        format!("{} / {}", self.response.outputs[o], self.response.inputs[i])
    }
    /// Peaks of one response in increasing frequency.
    pub fn peaks(&self, at: (usize, usize)) -> impl Iterator<Item = &Peak> {
        self.response.peaks.iter().filter(move |p| p.entry == at)
    }
    /// One sentence on frequencies, method and bound, without its stop.
    pub fn method(&self) -> String {
        notes::method(&self.response.sweep)
    }
    /// What a reader has to know, besides numbers.
    pub fn notes(&self) -> Vec<String> {
        let mut out = self.response.notes(&self.request);
        out.extend(summary::steadiness(&self.site));
        out.extend(summary::own_speeds(&self.loaded.model, &self.site));
        out
    }
    /// Phases of one response in degrees, without jumps.
    pub fn phases(&self, at: (usize, usize)) -> Vec<f64> {
        self.response.phases(at)
    }
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model, the request, the numerics or the files.
pub fn run(text: &Text, args: &ResponseArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    let format = args.output.as_deref().map(format_of).transpose()?;
    picture::check_file("--plot", args.plot.as_deref())?;
    let found = analyse(text, args, progress)?;
    crate::guard::work_is_done();
    let document = || json::response::document(&found);
    if let (Some(path), Some(format)) = (&args.output, format) {
        let bytes = match format {
            Format::Csv => csv(&files::columns(&found)),
            Format::Json => document().into_bytes(),
            Format::Npz => npz::archive(&files::arrays(&found)),
            Format::Mat => {
                let arrays = files::arrays(&found);
                mat::file(&arrays.iter().map(Variable::Array).collect::<Vec<_>>())
            }
        };
        outfile::write(path, |out| out.write_all(&bytes))?;
    }
    if let Some(path) = &args.plot {
        picture::write(path, &chart(&found, args.figure).svg())?;
    }
    let text = if args.json { document() } else { tables::render(&found, style) };
    Ok(match found.ended() {
        None => Answer::right(text),
        Some(words) => {
            let complaint = format!("{words} What was computed is kept.\n");
            Answer { text, complaint, code: crate::failure::NUMERICS }
        }
    })
}

/// Does the analysis.
///
/// # Errors
/// As [`run`].
pub fn analyse(text: &Text, args: &ResponseArgs, progress: Progress) -> Result<Found, Failure> {
    let loaded = load(text, &args.model)?;
    let model = &loaded.model;
    let request = request::of(model, args)?;
    let (start, motion) = crate::start::with_motion(model, &args.start, &args.motion)?;
    if motion.as_ref().is_some_and(|m| m.instant) {
        return Err(RequestError::NotOfAnInstant { option: "mb response" }.into());
    }
    let stage = progress.stage("solving for the operating point");
    let site = flow::site(model, &start, motion.as_ref())?;
    let rank = flow::rank(model, site.point())?;
    drop(stage);
    let State::Lasting(at) = site.state() else {
        return Err(RequestError::NotOfAnInstant { option: "mb response" }.into());
    };
    if args.zeros {
        mb_response::check_zeros([model.nv(), model.nc()], request.loss)?;
    }
    let stage = progress.stage("computing the response");
    let response = progress.unless_ended(|| response::response(model, &at, &request));
    let response = response.map_err(Failure::Stopped)??;
    drop(stage);
    let mut found = Found { loaded, rank, site, request, response, zeros: Vec::new(), without_zeros: None };
    if args.zeros {
        let _stage = progress.stage("computing zeros");
        for (o, i) in found.entries() {
            match progress.unless_ended(|| found.response.zeros((o, i))) {
                Ok(zeros) => found.zeros.push((o, i, zeros)),
                Err(why) => {
                    found.without_zeros = Some(why);
                    break;
                }
            }
        }
    }
    Ok(found)
}

/// Formats of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Json,
    Npz,
    Mat,
}

fn ending(path: &Path) -> Option<&str> {
    path.extension().and_then(|e| e.to_str())
}

fn format_of(path: &Path) -> Result<Format, RequestError> {
    match ending(path) {
        Some("csv") => Ok(Format::Csv),
        Some("json") => Ok(Format::Json),
        Some("npz") => Ok(Format::Npz),
        Some("mat") => Ok(Format::Mat),
        _ => Err(RequestError::UnknownFormat {
            option: "--output",
            path: path.display().to_string(),
            known: ".csv, .json, .npz or .mat",
        }),
    }
}

/// The figure.
pub fn chart(found: &Found, figure: FigureArg) -> Chart {
    let curves = |of: &dyn Fn((usize, usize)) -> Vec<[f64; 2]>| -> Vec<Curve> {
        let entries = found.entries().into_iter().enumerate();
        entries.map(|(k, at)| Curve::line(&found.name(at), k, of(at))).collect()
    };
    // Bands of the error, half as wide as `half` says of each sample; most bounds are too small to be seen.
    let banded = |mut curves: Vec<Curve>, half: &dyn Fn(f64, f64) -> f64| -> Vec<Curve> {
        for (curve, at) in curves.iter_mut().zip(found.entries()) {
            let sizes = || found.samples().map(|s| (s.value[at].norm(), s.bound[at]));
            if sizes().any(|(h, bound)| bound > VISIBLE * h && h > 0.0) {
                curve.band = sizes().map(|(h, bound)| half(h, bound)).collect();
            }
        }
        curves
    };
    let over =
        |of: &dyn Fn(&Sample) -> f64| found.samples().map(|s| [s.omega / TAU, of(s)]).collect::<Vec<_>>();
    let title = found.loaded.model.name.clone();
    let unit = match found.response.common_unit() {
        Some(unit) if unit.is_empty() => String::new(),
        Some(unit) => format!(", {unit}"),
        None => ", SI units of each".to_owned(),
    };
    if figure == FigureArg::Nyquist {
        let plane = |at| found.samples().map(|s: &Sample| [s.value[at].re, s.value[at].im]).collect();
        let [ordinate, abscissa] = ["imaginary part", "real part"].map(|name| format!("{name}{unit}"));
        let panel = Panel { ordinate, scale: Scale::Linear, curves: curves(&plane) };
        return Chart { title, abscissa, panels: vec![panel], equal: true };
    }
    let decibels = |x: f64| if x > 0.0 { 20.0 * x.log10() } else { f64::NAN };
    let magnitude = if figure == FigureArg::Bode {
        // What is zero within its bound has no place on a logarithmic axis.
        let digits = |s: &Sample, at| if s.bound[at] < s.value[at].norm() { s.value[at].norm() } else { 0.0 };
        let curves = curves(&|at| over(&|s| decibels(digits(s, at))));
        let curves = banded(curves, &|h, bound| decibels(1.0 + bound / h));
        let ordinate = match found.response.common_unit() {
            Some(unit) if unit.is_empty() => "magnitude, dB".to_owned(),
            unit => format!("magnitude, dB of {}", unit.as_deref().unwrap_or("SI units of each")),
        };
        Panel { ordinate, scale: Scale::Linear, curves }
    } else {
        let curves = curves(&|at| over(&|s| s.value[at].norm()));
        let curves = banded(curves, &|_, bound| bound);
        Panel { ordinate: format!("magnitude{unit}"), scale: Scale::FromZero, curves }
    };
    let phases = |at| {
        let frequencies = found.samples().map(|s| s.omega / TAU);
        frequencies.zip(found.phases(at)).map(|(f, p)| [f, p]).collect()
    };
    // Half the angle at which the circle of the error is seen from zero.
    let angle = |h: f64, bound: f64| if bound < h { (bound / h).asin().to_degrees() } else { 180.0 };
    let phase = Panel {
        ordinate: "phase, degrees".into(),
        scale: Scale::Linear,
        curves: banded(curves(&phases), &angle),
    };
    Chart { title, abscissa: "frequency, Hz".into(), panels: vec![magnitude, phase], equal: false }
}
