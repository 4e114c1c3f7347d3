//! `mb parametric`: modes as polynomials, their sensitivities, reach and errors, and the files that hold them.

use crate::Answer;
use crate::args::{Assignment, ParametricArgs};
use crate::failure::{Failure, RequestError};
use crate::json;
use crate::names;
use crate::npz::{self, Array};
use crate::outfile;
use crate::parametric::expansion::{Piece, Value, first_order, frequency_and_damping, variables};
use crate::parametric::{Expansion, GroupValue, Place, Wish, quantity, region};
use crate::progress::Progress;
use crate::render::{Column, Style, Table, six, summary, tiny};
use crate::source::{Loaded, Text};
use crate::start;
use mb_algebra::c64;
use mb_model::Model;
use mb_parametric::EigenpairSeries;
use std::fmt::Write as _;
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
    let read = |e: &Expansion| region::region(&args.region, &e.names, &e.values);
    let wish = Wish { modes: args.modes.as_deref(), groups: &args.group };
    let expansion = if let Some(accuracy) = args.accuracy {
        Expansion::to_accuracy(&place, chosen, centre, accuracy, read, wish.modes)?
    } else {
        let order = args.order.unwrap_or(ORDER);
        let mut expansion = Expansion::to_order(&place, chosen, centre, order, &wish)?;
        if !args.region.is_empty() {
            expansion.judge(&place, read(&expansion)?)?;
        }
        expansion
    };
    let tolerances = tolerances(&expansion, &args.tolerance)?;
    let evaluations =
        args.evaluate.iter().map(|at| evaluated(&place, &expansion, at)).collect::<Result<Vec<_>, _>>()?;
    Ok(Parametric { place, expansion, evaluations, tolerances })
}

/// The modes at the values of one `--evaluate`.
fn evaluated(place: &Place, expansion: &Expansion, given: &str) -> Result<Evaluated, Failure> {
    let distance = expansion.distance("--evaluate", given)?;
    let (mut values, mut groups) = (expansion.evaluate(&distance)?, expansion.evaluate_groups(&distance)?);
    let rank_change = expansion.rank_change(place, &distance)?.map(|found| {
        // Polynomials of the one side say nothing of the other.
        for value in &mut values {
            value.trusted = false;
        }
        for group in &mut groups {
            group.trusted = false;
        }
        expansion.told(place, &found.at, &found.rows)
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
        out[i] = match value.strip_suffix('%') {
            Some(percent) => {
                start::finite("--tolerance", name, percent)?.abs() / 100.0 * expansion.values[i].abs()
            }
            None => start::finite("--tolerance", name, value)?.abs(),
        };
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
        let matrices = group.series.matrix_coefficients().iter().take(terms).flat_map(rows).collect();
        out.push(Array::complex(&name("matrix"), &[terms, k, k], matrices));
        let space = group.series.space_coefficients().iter().take(terms);
        let space = space.flatten().flatten().copied().collect();
        out.push(Array::complex(&name("space"), &[terms, k, n], space));
    }
    out
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
    out.push('\n');
    out.push_str(&variables_table(expansion, model, style));
    let several = expansion.pieces.len() > 1;
    for (i, piece) in expansion.pieces.iter().enumerate() {
        let variables = names::count(expansion.names.len(), "variable", "variables");
        let terms = names::count(piece.set.len(), "term", "terms");
        let told = format!("polynomials of order {} in {variables}, {terms} for each number", piece.order);
        let which = if several {
            let at: Vec<String> = expansion
                .names
                .iter()
                .zip(&piece.values)
                .map(|(n, x)| format!("{n} = {}", six(*x)))
                .collect();
            format!("centre {} of {}, {}: ", i + 1, expansion.pieces.len(), at.join(", "))
        } else {
            String::new()
        };
        let _ = writeln!(out, "\n{}", style.bold(&format!("{which}{told}")));
        if !piece.modes.is_empty() {
            out.push_str(&modes_table(piece, style));
            out.push('\n');
            out.push_str(&sensitivities_table(expansion, piece, style));
        }
        if !piece.groups.is_empty() {
            out.push('\n');
            out.push_str(&groups_table(piece, style));
        }
    }
    if let Some(tolerances) = &found.tolerances {
        out.push('\n');
        out.push_str(&tolerance_table(&expansion.pieces[0], tolerances, style));
    }
    for at in &found.evaluations {
        let _ = writeln!(out, "\n{}", style.bold(&format!("at {}", at.given)));
        if !at.values.is_empty() {
            out.push_str(&evaluation_table(expansion, at, style));
        }
        out.push_str(&group_values(expansion, at, style));
    }
    let start = expansion.settled.as_ref().and_then(|s| s.start.as_ref());
    let mut notes = summary::start_notes(model, start);
    if found.place.frozen {
        notes.push(
            "the operating point is frozen: away from the point of expansion it is no equilibrium".to_owned(),
        );
    }
    for (at, rows) in found.evaluations.iter().filter_map(|e| e.rank_change.as_ref()) {
        notes.push(format!(
            "on the way there, at {at}, the constraints lose rank ({}): polynomials do not reach beyond",
            rows.join(", ")
        ));
    }
    let outside = |e: &Evaluated| e.values.iter().any(|v| !v.trusted) || e.groups.iter().any(|g| !g.trusted);
    if found.evaluations.iter().any(outside) {
        notes.push(
            "modes marked `outside` lie beyond the reach of their polynomials: the values mean nothing"
                .to_owned(),
        );
    }
    out.push_str(&summary::notes(&notes, style));
    out
}

/// |a^H b|^2 / (a^H a b^H b): the modal assurance criterion of two shapes.
pub fn mac(a: &[c64], b: &[c64]) -> f64 {
    let dot = |x: &[c64], y: &[c64]| -> c64 { x.iter().zip(y).map(|(x, y)| x.conj() * y).sum() };
    let size = dot(a, a).re * dot(b, b).re;
    if size > 0.0 { dot(a, b).norm_sqr() / size } else { 0.0 }
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

fn modes_table(piece: &Piece, style: Style) -> String {
    let judged = piece.region.is_some();
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
    for mode in &piece.modes {
        let s = mode.kept.eigenvalue_coefficients()[0];
        let [frequency, damping] = shown(s);
        let noise = |x: f64| if x.abs() <= 1e-12 * s.norm() { 0.0 } else { x };
        let mut row =
            vec![mode.number.to_string(), six(noise(s.re)), six(noise(s.im)), six(frequency), six(damping)];
        if let Some(error) = mode.region_error {
            row.push(relative(error, s));
        }
        table.row(row);
    }
    table.render(style)
}

/// The groups at the point of expansion: mean, spread of the values, distance to the next mode.
fn groups_table(piece: &Piece, style: Style) -> String {
    let mut columns = vec![
        Column::words("group"),
        Column::number("mean re", "1/s"),
        Column::number("im", "rad/s"),
        Column::number("f_n", "Hz"),
        Column::number("spread", "of |s|"),
        Column::number("next mode", "rad/s off"),
    ];
    if piece.region.is_some() {
        columns.push(Column::number("error in the region", "of |s|"));
    }
    let mut table = Table::new(columns);
    for (k, group) in piece.groups.iter().enumerate() {
        let Ok(at) = piece.group(k, &piece.centre) else { continue };
        let size = at.mean.norm();
        let noise = |x: f64| if x.abs() <= 1e-12 * size { 0.0 } else { x };
        let spread = at.values.iter().map(|s| (s - at.mean).norm()).fold(0.0, f64::max);
        let mut row = vec![
            group.name(),
            six(noise(at.mean.re)),
            six(noise(at.mean.im)),
            six(shown(at.mean)[0]),
            tiny(noise(spread) / size.max(f64::MIN_POSITIVE)),
            tiny(group.series.gap()),
        ];
        if let Some(error) = group.region_error {
            row.push(relative(error, at.mean));
        }
        table.row(row);
    }
    table.render(style)
}

/// The values of the groups at one point.
fn group_values(expansion: &Expansion, at: &Evaluated, style: Style) -> String {
    if at.groups.is_empty() {
        return String::new();
    }
    let mut table = Table::new(vec![
        Column::words("group"),
        Column::number("f_n", "Hz"),
        Column::number("zeta", ""),
        Column::number("error", "of |s|"),
        Column::words(""),
    ]);
    for (group, found) in expansion.piece(&at.distance).groups.iter().zip(&at.groups) {
        for (s, error) in found.values.iter().zip(&found.errors) {
            let [frequency, damping] = shown(*s);
            let word = if found.trusted { String::new() } else { style.red("outside") };
            table.row(vec![group.name(), six(frequency), six(damping), relative(*error, *s), word]);
        }
    }
    table.render(style)
}

/// Frequency and damping, of which rounding is zero.
fn shown(s: c64) -> [f64; 2] {
    let [frequency, damping] = frequency_and_damping(s);
    [frequency, if s.re.abs() <= 1e-12 * s.norm() { 0.0 } else { damping }]
}

/// First-order changes by mode and variable, and how far the polynomial reaches.
fn sensitivities_table(expansion: &Expansion, piece: &Piece, style: Style) -> String {
    let mut table = Table::new(vec![
        Column::number("mode", ""),
        Column::words("variable"),
        Column::number("df_n/dx", "Hz per unit"),
        Column::number("f_n per x", "% per %"),
        Column::number("dzeta/dx", "per unit"),
        Column::number("reach", "of x"),
    ]);
    for mode in &piece.modes {
        let s = mode.full.eigenvalue_coefficients()[0];
        for (i, ds) in mode.full.sensitivities().into_iter().enumerate() {
            let [df, dzeta] = ds.map_or([f64::NAN; 2], |ds| first_order(s, ds));
            let [frequency, _] = frequency_and_damping(s);
            let x = piece.values[i];
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

/// What the tolerances of the variables make of frequency and damping, to first order.
fn tolerance_table(piece: &Piece, tolerances: &[f64], style: Style) -> String {
    let mut table = Table::new(vec![
        Column::number("mode", ""),
        Column::number("f_n", "Hz"),
        Column::number("worst case", "Hz"),
        Column::number("independent", "Hz"),
        Column::number("zeta", ""),
        Column::number("worst case", ""),
        Column::number("independent", ""),
    ]);
    for mode in &piece.modes {
        let Ok(bars) = mode.full.tolerance_bars(tolerances) else { continue };
        let (f, zeta) = (&bars.frequency_hz, &bars.damping_ratio);
        let bar = |x: f64| format!("±{}", six(x));
        table.row(vec![
            mode.number.to_string(),
            six(f.value),
            bar(f.worst_case),
            bar(f.independent),
            six(shown(mode.full.eigenvalue_coefficients()[0])[1]),
            bar(zeta.worst_case),
            bar(zeta.independent),
        ]);
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
    for (number, value) in expansion.numbers().into_iter().zip(&at.values) {
        let [frequency, damping] = shown(value.s);
        let word = if value.trusted { String::new() } else { style.red("outside") };
        table.row(vec![
            number.to_string(),
            six(frequency),
            six(damping),
            relative(value.error, value.s),
            word,
        ]);
    }
    table.render(style)
}

/// An error relative to the eigenvalue.
fn relative(error: f64, s: c64) -> String {
    if error.is_finite() { tiny(error / s.norm()) } else { "unbounded".to_owned() }
}

/// A distance of convergence; more than anyone asks for is told as all.
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
