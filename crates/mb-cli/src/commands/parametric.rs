//! `mb parametric`: modes as polynomials, their sensitivities, reach and errors, and the files that hold them.

pub(crate) mod tables;

use crate::Answer;
use crate::args::{Assignment, ParametricArgs};
use crate::checkpoint;
use crate::failure::{Failure, RequestError};
use crate::json;
use crate::names;
use crate::npz::{self, Array};
use crate::outfile;
use crate::parametric::expansion::{self, Piece, Value, variables};
use crate::parametric::{Expansion, GroupValue, Place, Wish, region};
use crate::progress::Progress;
use crate::render::Style;
use crate::source::{Loaded, Text};
use crate::start;
use mb_algebra::{Stopped, c64, interrupt};
use mb_analysis::checkpoint::{Checkpoint, Run};
use mb_model::Model;
use mb_parametric::EigenpairSeries;
use std::io::Write as _;
use std::path::Path;

/// Degree when neither order nor accuracy is given.
const ORDER: usize = 4;
/// Everything the command found.
#[derive(Clone, Debug)]
pub struct Parametric {
    /// The model and how its operating points are found.
    pub place: Place,
    /// The polynomials.
    pub expansion: Expansion,
    /// The modes at the values asked for.
    pub evaluations: Vec<Evaluated>,
    /// Tolerances of the variables, in their units.
    pub tolerances: Option<Vec<f64>>,
    /// What is missing and why, where the work was ended.
    pub early: Option<String>,
}

/// The modes that the polynomials give at one point.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// The point as given.
    pub given: String,
    /// Distance from the point of expansion.
    pub distance: Vec<f64>,
    /// The modes.
    pub values: Vec<Value>,
    /// The groups.
    pub groups: Vec<GroupValue>,
    /// MAC of the shapes there (rows) with those at the centre of their polynomials (columns).
    pub mac: Vec<Vec<f64>>,
    /// Where the constraints lose rank on the way, and which rows then depend on others.
    pub rank_change: Option<(String, Vec<String>)>,
}

/// A file that the polynomials are written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Npz,
}

impl Format {
    fn of(path: &Path) -> Result<Self, RequestError> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("json") => Ok(Self::Json),
            Some("npz") => Ok(Self::Npz),
            _ => Err(RequestError::UnknownFormat {
                option: "--output",
                path: path.display().to_string(),
                known: ".npz or .json",
            }),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model, the request or the numerics.
pub fn run(text: &Text, args: &ParametricArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    let formats = args.output.iter().map(|p| Format::of(p)).collect::<Result<Vec<_>, _>>()?;
    let (found, checkpoint) = kept(text, args, progress)?;
    crate::guard::work_is_done();
    for (path, format) in args.output.iter().zip(formats) {
        let bytes = match format {
            Format::Json => json::parametric::document(&found, true).into_bytes(),
            Format::Npz => npz::archive(&arrays(&found)),
        };
        outfile::write(path, |out| out.write_all(&bytes))?;
    }
    checkpoint.end(found.early.is_none())?;
    let mut answer = Answer::right(if args.json {
        json::parametric::document(&found, false)
    } else {
        tables::render(&found, style)
    });
    if let Some(early) = &found.early {
        answer.complaint = format!("{early}; {}.\n", checkpoint::advice(args.checkpoint.as_deref()));
        answer.code = crate::failure::NUMERICS;
    }
    Ok(answer)
}

/// Does the analysis.
///
/// # Errors
/// As [`run`].
pub fn analyse(text: &Text, args: &ParametricArgs, progress: Progress) -> Result<Parametric, Failure> {
    kept(text, args, progress).map(|(found, _)| found)
}

/// The analysis, with the file of its modes and centres.
fn kept(text: &Text, args: &ParametricArgs, progress: Progress) -> Result<(Parametric, Checkpoint), Failure> {
    let stage = progress.stage("reading the model");
    let named = |loaded: &Loaded| variables(loaded, "--parameters", &args.parameters);
    let place = Place::new(text, &args.model, &args.centre, named)?;
    let chosen = named(&place.loaded)?;
    let run = Run::new("parametric", &place.loaded.spec, &(args.options(), &place.setting));
    let mut checkpoint = Checkpoint::open(args.checkpoint.as_deref(), &run)?;
    drop(stage);
    let stage = progress.stage("solving for the operating point");
    let origin = place.origin();
    let centre = progress.unless_ended(|| origin.centre()).map_err(Failure::Stopped)??;
    drop(stage);
    let _stage = progress.stage("expanding");
    let wish = Wish { modes: args.modes.as_deref(), groups: &args.group };
    let about = Expansion::about(&origin, chosen, centre)?;
    let region = region::region(&args.region, &about.names, &about.values)?;
    let expansion = progress.unless_ended(|| {
        expansion::expanded(&wish, |wanted| {
            if let Some(accuracy) = args.accuracy {
                about.to_accuracy(&origin, accuracy, region, wanted, &mut checkpoint)
            } else {
                let order = args.order.unwrap_or(ORDER);
                let mut expansion = about.to_order(&origin, order, wanted, &mut checkpoint)?;
                if !args.region.is_empty() {
                    interrupt::finish(|| expansion.judge(&origin, region))?;
                }
                Ok(expansion)
            }
        })
    });
    let expansion = expansion.map_err(Failure::Stopped)??;
    let mut early = None;
    if let Some(why) = expansion.stopped {
        if expansion.pieces.first().is_none_or(|piece| piece.modes.is_empty() && piece.groups.is_empty()) {
            return Err(Failure::Stopped(why));
        }
        let missing = if args.accuracy.is_some() { "centres" } else { "modes" };
        early = Some(format!("the expansion ends early, some {missing} are missing: {}", ended(why)));
    }
    let tolerances = tolerances(&expansion, &args.tolerance)?;
    let mut evaluations = Vec::new();
    for at in &args.evaluate {
        // Values away from the centres that were reached would be those of a polynomial far off.
        if early.is_some() && args.accuracy.is_some() {
            break;
        }
        match progress.unless_ended(|| evaluated(&place, &expansion, at)) {
            Ok(found) => evaluations.push(found?),
            Err(why) if early.is_none() => {
                early = Some(format!("values from {at} on are left out: {}", ended(why)));
                break;
            }
            Err(_) => break,
        }
    }
    Ok((Parametric { place, expansion, evaluations, tolerances, early }, checkpoint))
}

/// Why work ended, and what changes it.
pub(super) fn ended(why: Stopped) -> String {
    let limit = if why == Stopped::Asked { "" } else { " (--time-limit SECONDS changes it)" };
    format!("{why}{limit}")
}

/// The modes at the values of one `--evaluate`.
fn evaluated(place: &Place, expansion: &Expansion, given: &str) -> Result<Evaluated, Failure> {
    let distance = expansion::distance(expansion, "--evaluate", given)?;
    let (mut values, mut groups) = (expansion.evaluate(&distance)?, expansion.evaluate_groups(&distance)?);
    let rank_change = expansion.rank_change(&place.origin(), &distance)?.map(|found| {
        // Polynomials of the one side say nothing of the other.
        for value in &mut values {
            value.trusted = false;
        }
        for group in &mut groups {
            group.trusted = false;
        }
        expansion.describe(&place.loaded.model, &found.at, &found.rows)
    });
    let centre = &expansion.piece(&distance).modes;
    let row = |value: &Value| {
        centre.iter().map(|mode| mac(&value.vector, &mode.kept.vector_coefficients()[0])).collect()
    };
    let mac = values.iter().map(row).collect();
    Ok(Evaluated { given: given.to_owned(), distance, values, groups, mac, rank_change })
}

/// Tolerances of the variables, zero where none is given, in their units; none without the option.
fn tolerances(expansion: &Expansion, given: &[Assignment]) -> Result<Option<Vec<f64>>, Failure> {
    let mut out = vec![0.0; expansion.names.len()];
    for Assignment { name, value } in given {
        let i = expansion.names.iter().position(|n| n == name).ok_or_else(|| RequestError::NotAVariable {
            option: "--tolerance",
            name: name.clone(),
            known: expansion.names.clone(),
        })?;
        let number = start::finite("--tolerance", name, value.strip_suffix('%').unwrap_or(value))?;
        if number < 0.0 {
            let (option, range) = ("tolerance", "zero or positive");
            return Err(RequestError::OutOfRange { option, value: number, range }.into());
        }
        let scale = if value.ends_with('%') { expansion.values[i].abs() / 100.0 } else { 1.0 };
        out[i] = number * scale;
    }
    Ok((!given.is_empty()).then_some(out))
}

/// The polynomials as arrays; `docs/json-output.md` says what each is.
fn arrays(found: &Parametric) -> Vec<Array> {
    let (expansion, model) = (&found.expansion, &found.place.loaded.model);
    let whole = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let numbers = expansion.numbers();
    let mut out = vec![
        Array::words("variables", expansion.names.clone()),
        Array::whole("modes", &[numbers.len()], numbers.iter().map(|n| whole(*n)).collect()),
        Array::words("coordinates", model.coordinates().names()),
        Array::words("configuration_names", names::configuration(model)),
        Array::whole("pieces", &[], vec![whole(expansion.pieces.len())]),
    ];
    let several = expansion.pieces.len() > 1;
    for (i, piece) in expansion.pieces.iter().enumerate() {
        let mut of_piece = piece_arrays(piece, model, expansion.names.len(), numbers.len());
        for array in &mut of_piece {
            if several {
                array.name = format!("{}_{}", array.name, i + 1);
            }
        }
        out.extend(of_piece);
    }
    out
}

/// The polynomials about one centre: p variables, m modes.
fn piece_arrays(piece: &Piece, model: &Model, p: usize, m: usize) -> Vec<Array> {
    let terms = piece.set.len();
    let whole = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let exponents = piece.set.iter().flatten().map(|x| i64::from(*x)).collect();
    let of_all = |of: &dyn Fn(&EigenpairSeries) -> Vec<c64>| -> Vec<c64> {
        piece.modes.iter().flat_map(|mode| of(&mode.kept)).collect()
    };
    let flat = |list: &[Vec<c64>]| -> Vec<c64> { list.iter().flatten().copied().collect() };
    let moving = |list: &[Vec<f64>]| -> Vec<f64> { piece.kept(list).into_iter().flatten().collect() };
    let point = &piece.point;
    let mut out = vec![
        Array::real("centre", &[p], piece.values.clone()),
        Array::whole("order", &[], vec![whole(piece.order)]),
        Array::whole("exponents", &[terms, p], exponents),
        Array::complex("eigenvalues", &[m, terms], of_all(&|s| s.eigenvalue_coefficients().to_vec())),
        Array::complex("vectors", &[m, terms, model.nv()], of_all(&|s| flat(s.vector_coefficients()))),
        Array::complex(
            "multipliers",
            &[m, terms, model.nc()],
            of_all(&|s| flat(s.multiplier_coefficients())),
        ),
        Array::real("radius", &[m, p], piece.modes.iter().flat_map(|mode| mode.reach.clone()).collect()),
        Array::real("configuration", &[model.nq()], point.centre().q.clone()),
        Array::real("displacements", &[terms, model.nv()], moving(point.displacement_coefficients())),
        Array::real("inputs", &[terms, model.inputs().len()], moving(point.input_coefficients())),
        Array::whole("groups", &[], vec![whole(piece.groups.len())]),
    ];
    for (number, group) in piece.groups.iter().enumerate() {
        let (k, n) = (group.numbers.len(), model.nv());
        let name = |what: &str| format!("group_{}_{what}", number + 1);
        let numbers = group.numbers.iter().map(|n| whole(*n)).collect();
        out.push(Array::whole(&name("modes"), &[k], numbers));
        let rows = |a: &mb_algebra::DenseC| -> Vec<c64> {
            (0..k).flat_map(|i| (0..k).map(move |j| (i, j))).map(|(i, j)| a[(i, j)]).collect()
        };
        let matrices = group.kept.matrix_coefficients().iter().flat_map(rows).collect();
        out.push(Array::complex(&name("matrix"), &[terms, k, k], matrices));
        let space = group.kept.space_coefficients().iter().flatten().flatten().copied().collect();
        out.push(Array::complex(&name("space"), &[terms, k, n], space));
    }
    out
}

/// |a^H b|^2 / (a^H a b^H b): the modal assurance criterion of two shapes.
pub fn mac(a: &[c64], b: &[c64]) -> f64 {
    let dot = |x: &[c64], y: &[c64]| -> c64 { x.iter().zip(y).map(|(x, y)| x.conj() * y).sum() };
    let size = dot(a, a).re * dot(b, b).re;
    if size > 0.0 { dot(a, b).norm_sqr() / size } else { 0.0 }
}
