//! `mb parametric`: modes as polynomials, their sensitivities, reach and errors, and the files that hold them.

use crate::Answer;
use crate::args::ParametricArgs;
use crate::failure::{Failure, RequestError};
use crate::flow::Settled;
use crate::json;
use crate::names;
use crate::npz::{self, Array};
use crate::outfile;
use crate::parametric::expansion::{Wanted, first_order, frequency_and_damping, variables};
use crate::parametric::{Expansion, Place, quantity, region};
use crate::progress::Progress;
use crate::render::{Column, Style, Table, six, summary, tiny};
use crate::source::{Loaded, Text};
use mb_algebra::c64;
use mb_model::{Model, Point};
use mb_parametric::{EigenpairSeries, ParametricError, Variable};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Degree when neither order nor accuracy is given.
const ORDER: usize = 4;
/// Orders that are tried for an accuracy, with all between.
const ORDERS: [usize; 7] = [2, 4, 6, 8, 12, 16, 18];
/// An estimated error above this share of the eigenvalue says that the polynomial is of no use.
const NO_USE: f64 = 0.1;

/// Everything the command found.
#[derive(Clone, Debug)]
pub struct Parametric {
    /// The model and how its operating points are found.
    pub place: Place,
    /// The polynomials.
    pub expansion: Expansion,
    /// The modes at the values asked for.
    pub evaluations: Vec<Evaluated>,
}

/// The modes that the polynomials give at one point.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// The point as given.
    pub given: String,
    /// Distance from the point of expansion.
    pub distance: Vec<f64>,
    /// Eigenvalue and estimated error, rad/s, of each mode.
    pub values: Vec<(c64, f64)>,
    /// True where the estimate or the reach of a mode says that its polynomial means nothing.
    pub outside: Vec<bool>,
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
    let found = analyse(text, args, progress)?;
    for (path, format) in args.output.iter().zip(formats) {
        let bytes = match format {
            Format::Json => json::parametric::document(&found, true).into_bytes(),
            Format::Npz => npz::archive(&arrays(&found)),
        };
        outfile::write(path, |out| out.write_all(&bytes))?;
    }
    Ok(Answer::right(if args.json {
        json::parametric::document(&found, false)
    } else {
        render(&found, style)
    }))
}

/// Does the analysis.
///
/// # Errors
/// As [`run`].
pub fn analyse(text: &Text, args: &ParametricArgs, progress: Progress) -> Result<Parametric, Failure> {
    let stage = progress.stage("reading the model");
    let named = |loaded: &Loaded| variables(loaded, "--parameters", &args.parameters);
    let place = Place::new(text, &args.model, &args.centre, named)?;
    let chosen = named(&place.loaded)?;
    drop(stage);
    let stage = progress.stage("solving for the operating point");
    let centre = place.centre()?;
    drop(stage);
    let _stage = progress.stage("expanding");
    let expansion = if let Some(accuracy) = args.accuracy {
        accurate(&place, &chosen, &centre, args, accuracy)?
    } else {
        let order = args.order.unwrap_or(ORDER);
        let wanted = Wanted { order, modes: args.modes.as_deref() };
        let mut expansion = Expansion::new(&place, chosen, centre, &wanted)?;
        if !args.region.is_empty() {
            expansion.judge(region::region(&args.region, &expansion.names, &expansion.values)?)?;
        }
        expansion
    };
    let evaluations =
        args.evaluate.iter().map(|at| evaluated(&expansion, at)).collect::<Result<Vec<_>, _>>()?;
    Ok(Parametric { place, expansion, evaluations })
}

/// The expansion of the lowest order whose estimated relative error in the region is small enough.
fn accurate(
    place: &Place,
    chosen: &[Variable],
    centre: &(Point, Option<Settled>),
    args: &ParametricArgs,
    accuracy: f64,
) -> Result<Expansion, Failure> {
    if !(accuracy > 0.0 && accuracy.is_finite()) {
        let (option, name, value) = ("--accuracy", String::new(), accuracy.to_string());
        return Err(RequestError::NotANumber { option, name, value }.into());
    }
    let mut best: Option<(usize, f64)> = None;
    for order in ORDERS {
        let wanted = Wanted { order, modes: args.modes.as_deref() };
        let mut expansion = match Expansion::new(place, chosen.to_vec(), centre.clone(), &wanted) {
            // Orders are raised until the expansion would be too large.
            Err(Failure::Parametric {
                source: ParametricError::TooManyTerms { .. } | ParametricError::CapacityExceeded { .. },
                ..
            }) if best.is_some() => break,
            other => other?,
        };
        let wide = region::region(&args.region, &expansion.names, &expansion.values)?;
        let from = best.map_or(1, |(o, _)| o + 1);
        for lower in from..=order {
            expansion.keep(lower);
            expansion.judge(wide.clone())?;
            let error = expansion.region_error();
            if error <= accuracy {
                return Ok(expansion);
            }
            best = Some((lower, best.map_or(error, |(_, e)| e.min(error))));
        }
    }
    let (order, reached) = best.unwrap_or((0, f64::INFINITY));
    Err(RequestError::NotAccurate { accuracy, order, reached }.into())
}

/// The modes at the values of one `--evaluate`.
fn evaluated(expansion: &Expansion, given: &str) -> Result<Evaluated, Failure> {
    let distance = expansion.distance("--evaluate", given)?;
    let (mut values, mut outside) = (Vec::new(), Vec::new());
    for mode in &expansion.modes {
        let at = mode.series.evaluate(&distance, expansion.order)?;
        let radius = mode.series.radius(&distance)?.eigenvalue;
        // A radius below one: the series does not converge as far as this point.
        let beyond = distance.iter().any(|x| *x != 0.0) && radius.is_some_and(|r| r < 1.0);
        outside.push(beyond || !at.error.is_finite() || at.error > NO_USE * at.s.norm());
        values.push((at.s, at.error));
    }
    Ok(Evaluated { given: given.to_owned(), distance, values, outside })
}

/// The polynomials as arrays; `docs/json-output.md` says what each is.
fn arrays(found: &Parametric) -> Vec<Array> {
    let (expansion, model) = (&found.expansion, &found.place.loaded.model);
    let (terms, modes, p) = (expansion.terms, expansion.modes.len(), expansion.names.len());
    let whole = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let exponents = expansion.exponents().iter().flat_map(|e| e.iter().map(|x| i64::from(*x))).collect();
    let of_all = |of: &dyn Fn(&EigenpairSeries) -> Vec<c64>| -> Vec<c64> {
        expansion.modes.iter().flat_map(|m| of(&m.series)).collect()
    };
    let flat = |list: &[Vec<c64>]| -> Vec<c64> { list.iter().take(terms).flatten().copied().collect() };
    let point = &expansion.series.point;
    let displacements = point.displacement_coefficients().iter().take(terms).flatten().copied().collect();
    let inputs = point.input_coefficients().iter().take(terms).flatten().copied().collect();
    vec![
        Array::words("variables", expansion.names.clone()),
        Array::real("centre", &[p], expansion.values.clone()),
        Array::whole("order", &[], vec![whole(expansion.order)]),
        Array::whole("exponents", &[terms, p], exponents),
        Array::whole("modes", &[modes], expansion.modes.iter().map(|m| whole(m.number)).collect()),
        Array::complex(
            "eigenvalues",
            &[modes, terms],
            of_all(&|s| s.eigenvalue_coefficients()[..terms].to_vec()),
        ),
        Array::complex("vectors", &[modes, terms, model.nv()], of_all(&|s| flat(s.vector_coefficients()))),
        Array::complex(
            "multipliers",
            &[modes, terms, model.nc()],
            of_all(&|s| flat(s.multiplier_coefficients())),
        ),
        Array::real("radius", &[modes, p], expansion.modes.iter().flat_map(|m| m.reach.clone()).collect()),
        Array::words("coordinates", model.coordinates().names()),
        Array::words("configuration_names", names::configuration(model)),
        Array::real("configuration", &[model.nq()], point.centre().q.clone()),
        Array::real("displacements", &[terms, model.nv()], displacements),
        Array::real("inputs", &[terms, model.inputs().len()], inputs),
    ]
}

fn render(found: &Parametric, style: Style) -> String {
    let (expansion, loaded) = (&found.expansion, &found.place.loaded);
    let model = &loaded.model;
    let mut out = summary::heading(loaded, &expansion.rank, style);
    if let Some(settled) = &expansion.settled {
        out.push_str(&summary::equilibrium_line(settled, style));
    }
    for [coordinate, input] in expansion.held(&found.place) {
        let _ = writeln!(out, "{coordinate} is held by {input}");
    }
    let variables = names::count(expansion.names.len(), "variable", "variables");
    let terms = names::count(expansion.terms, "term", "terms");
    let _ = writeln!(out, "polynomials of order {} in {variables}, {terms} for each number", expansion.order);
    out.push('\n');
    out.push_str(&variables_table(expansion, model, style));
    out.push('\n');
    out.push_str(&modes_table(expansion, style));
    out.push('\n');
    out.push_str(&sensitivities_table(expansion, style));
    for at in &found.evaluations {
        let _ = writeln!(out, "\n{}", style.bold(&format!("at {}", at.given)));
        out.push_str(&evaluation_table(expansion, at, style));
    }
    let mut notes = expansion.settled.as_ref().map(|s| summary::start_notes(model, s)).unwrap_or_default();
    if found.place.frozen {
        notes.push(
            "the operating point is frozen: away from the point of expansion it is no equilibrium".to_owned(),
        );
    }
    if found.evaluations.iter().any(|e| e.outside.contains(&true)) {
        notes.push(
            "modes marked `outside` lie beyond the reach of their polynomials: the values mean nothing"
                .to_owned(),
        );
    }
    out.push_str(&summary::notes(&notes, style));
    out
}

fn variables_table(expansion: &Expansion, model: &Model, style: Style) -> String {
    let mut table = Table::new(vec![
        Column::words("variable"),
        Column::number("value", ""),
        Column::words(""),
        Column::number("from", ""),
        Column::number("to", ""),
    ]);
    for (i, (name, variable)) in expansion.names.iter().zip(&expansion.variables).enumerate() {
        let value = expansion.values[i];
        let end = |k: usize| expansion.region.as_ref().map_or_else(String::new, |r| six(value + r[i][k]));
        table.row(vec![name.clone(), six(value), style.dim(quantity::unit(model, variable)), end(0), end(1)]);
    }
    table.render(style)
}

fn modes_table(expansion: &Expansion, style: Style) -> String {
    let judged = expansion.region.is_some();
    let mut columns = vec![
        Column::number("mode", ""),
        Column::number("re", "1/s"),
        Column::number("im", "rad/s"),
        Column::number("f_n", "Hz"),
        Column::number("zeta", ""),
    ];
    if judged {
        columns.push(Column::number("error in the region", "of |s|"));
    }
    let mut table = Table::new(columns);
    for mode in &expansion.modes {
        let s = mode.series.eigenvalue_coefficients()[0];
        let [frequency, damping] = frequency_and_damping(s);
        let noise = |x: f64| if x.abs() <= 1e-12 * s.norm() { 0.0 } else { x };
        let damping = if noise(s.re) == 0.0 { 0.0 } else { damping };
        let mut row =
            vec![mode.number.to_string(), six(noise(s.re)), six(noise(s.im)), six(frequency), six(damping)];
        if let Some(error) = mode.region_error {
            row.push(relative(error, s));
        }
        table.row(row);
    }
    table.render(style)
}

/// First-order changes by mode and variable, and how far the polynomial reaches.
fn sensitivities_table(expansion: &Expansion, style: Style) -> String {
    let mut table = Table::new(vec![
        Column::number("mode", ""),
        Column::words("variable"),
        Column::number("df_n/dx", "Hz per unit"),
        Column::number("f_n per x", "% per %"),
        Column::number("dzeta/dx", "per unit"),
        Column::number("reach", "of x"),
    ]);
    for mode in &expansion.modes {
        let s = mode.series.eigenvalue_coefficients()[0];
        for (i, ds) in mode.series.sensitivities().into_iter().enumerate() {
            let [df, dzeta] = ds.map_or([f64::NAN; 2], |ds| first_order(s, ds));
            let [frequency, _] = frequency_and_damping(s);
            let x = expansion.values[i];
            let percent = df * x / frequency;
            // Changes that drown in rounding are none.
            let cut = |value: f64, size: f64| if value.abs() <= 1e-12 * size { 0.0 } else { value };
            let scale = x.abs().max(1e-300);
            table.row(vec![
                mode.number.to_string(),
                expansion.names[i].clone(),
                six(cut(df, frequency / scale)),
                if x == 0.0 { "-".to_owned() } else { six(cut(percent, 1.0)) },
                six(cut(dzeta, 1.0 / scale)),
                reach(mode.reach[i]),
            ]);
        }
    }
    table.render(style)
}

fn evaluation_table(expansion: &Expansion, at: &Evaluated, style: Style) -> String {
    let mut table = Table::new(vec![
        Column::number("mode", ""),
        Column::number("f_n", "Hz"),
        Column::number("zeta", ""),
        Column::number("error", "of |s|"),
        Column::words(""),
    ]);
    for ((mode, (s, error)), outside) in expansion.modes.iter().zip(&at.values).zip(&at.outside) {
        let [frequency, damping] = frequency_and_damping(*s);
        let damping = if s.re.abs() <= 1e-12 * s.norm() { 0.0 } else { damping };
        let word = if *outside { style.red("outside") } else { String::new() };
        table.row(vec![mode.number.to_string(), six(frequency), six(damping), relative(*error, *s), word]);
    }
    table.render(style)
}

/// An error relative to the eigenvalue.
fn relative(error: f64, s: c64) -> String {
    if error.is_finite() { tiny(error / s.norm()) } else { "unbounded".to_owned() }
}

/// A distance of convergence; more than anyone asks for is told as none.
fn reach(distance: f64) -> String {
    if distance.is_nan() {
        "-".to_owned()
    } else if distance > 1e12 {
        "all".to_owned()
    } else {
        // An estimate within a tenth or two.
        tiny(distance)
    }
}
