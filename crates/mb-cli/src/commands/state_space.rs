//! `mb state-space`: the linear system with the model's inputs and outputs.

use crate::Answer;
use crate::args::{FormArg, StateSpaceArgs};
use crate::failure::{Failure, NUMERICS, RequestError};
use crate::flow::response::MINIMAL_TOLERANCE;
use crate::flow::{self, Site, State};
use crate::json;
use crate::mat::{self, Variable};
use crate::names;
use crate::npz::{self, Array};
use crate::outfile;
use crate::progress::Progress;
use crate::render::{Column, Style, Table, six, summary};
use crate::source::{Loaded, Text, load};
use mb_algebra::{Dense, dense};
use mb_constraints::ConstraintRank;
use mb_eigen::Finding;
use mb_linear::{DescriptorSystem, StateSpace, descriptor, descriptor_of_instant, linearize_instant};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Systems up to this many states are printed as text.
const SMALL: usize = 14;

/// Everything the command found.
#[derive(Debug)]
pub struct System {
    /// Rank of the constraints.
    pub rank: ConstraintRank,
    /// The equilibrium, or the point of a motion.
    pub site: Site,
    /// The linear system.
    pub form: LinearForm,
    /// That it depends on which multipliers are taken.
    pub undetermined: Option<Finding>,
    /// The model.
    pub loaded: Loaded,
}

impl System {
    /// What has to be said in addition to the matrices.
    pub fn notes(&self) -> Vec<String> {
        let model = &self.loaded.model;
        let mut notes = summary::start_notes(model, self.site.start());
        notes.extend(summary::redundancy_notes(&self.rank));
        notes.extend(summary::steadiness(&self.site));
        notes.extend(summary::own_speeds(model, &self.site));
        notes.extend(self.undetermined.as_ref().map(ToString::to_string));
        notes
    }
}

/// The linear system in the form asked for.
#[derive(Debug)]
pub enum LinearForm {
    /// E x' = A x + B u.
    Descriptor(Box<DescriptorSystem>),
    /// x' = A x + B u.
    Reduced(StateSpace),
    /// The same without states that are not reached or not seen.
    Minimal(StateSpace),
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model, the request or the numerics.
pub fn run(text: &Text, args: &StateSpaceArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    let format = args.output.as_deref().map(format_of).transpose()?;
    let loaded = load(text, &args.model)?;
    let model = &loaded.model;
    flow::check_size(model, flow::MOST_ROWS)?;
    let (mut start, motion) = crate::start::with_motion(model, &args.start, &args.motion)?;
    start.watch = progress.watch();
    let site = flow::site(model, &start, motion.as_ref())?;
    let rank = flow::rank(model, site.point())?;
    let full = match site.state() {
        State::Lasting(at) => descriptor(model, &at, &flow::linear(model, &at)?)?,
        State::Instant(at) => descriptor_of_instant(model, &at, &linearize_instant(model, &at))?,
    };
    let form = match if args.minimal { FormArg::Minimal } else { args.form } {
        FormArg::Descriptor => LinearForm::Descriptor(Box::new(full)),
        FormArg::Reduced => LinearForm::Reduced(full.to_state_space()?),
        FormArg::Minimal => LinearForm::Minimal(full.to_state_space()?.minimal(MINIMAL_TOLERANCE)?),
    };
    let undetermined = match site.state() {
        State::Lasting(at) => flow::undetermined(model, &at)?,
        State::Instant(_) => None,
    };
    let found = System { rank, site, form, undetermined, loaded };
    if let (Some(path), Some(format)) = (&args.output, format) {
        let bytes = match format {
            Format::Json => json::state_space::document(&found).into_bytes(),
            Format::Npz => npz::archive(&arrays(&found)),
            Format::Mat => mat::file(&arrays(&found).iter().map(Variable::Array).collect::<Vec<_>>()),
        };
        outfile::write(path, |out| out.write_all(&bytes))?;
    }
    let text = if args.json {
        json::state_space::document(&found)
    } else {
        render(&found, args.output.as_deref(), style)
    };
    let complaint = found.undetermined.map_or_else(String::new, |_| {
        "The constraints do not determine the matrices, see the notes.\n".to_owned()
    });
    let code = if complaint.is_empty() { 0 } else { NUMERICS };
    Ok(Answer { text, complaint, code })
}

/// Formats of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Npz,
    Mat,
}

fn format_of(path: &Path) -> Result<Format, RequestError> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("json") => Ok(Format::Json),
        Some("npz") => Ok(Format::Npz),
        Some("mat") => Ok(Format::Mat),
        _ => Err(RequestError::UnknownFormat {
            option: "--output",
            path: path.display().to_string(),
            known: ".mat, .npz or .json",
        }),
    }
}

/// The matrices (`E` of the descriptor form alone), names of states, inputs and outputs, units of the inputs and outputs,
/// and the point at which the model was linearized: configuration with names and units, velocities of the coordinates, inputs, time.
fn arrays(found: &System) -> Vec<Array> {
    let model = &found.loaded.model;
    let (matrices, states): (Vec<(&str, &Dense)>, &[String]) = match &found.form {
        LinearForm::Descriptor(s) => {
            (vec![("E", &s.e), ("A", &s.a), ("B", &s.b), ("C", &s.c), ("D", &s.d)], &s.states)
        }
        LinearForm::Reduced(s) | LinearForm::Minimal(s) => {
            (vec![("A", &s.a), ("B", &s.b), ("C", &s.c), ("D", &s.d)], &s.states)
        }
    };
    let rows = |a: &Dense| (0..a.nrows()).flat_map(|i| dense::row(a, i)).collect();
    let mut out: Vec<Array> =
        matrices.into_iter().map(|(name, a)| Array::real(name, &[a.nrows(), a.ncols()], rows(a))).collect();
    let sensors = model.sensors();
    let q = &found.site.point().q;
    out.extend([
        Array::words("states", states.to_vec()),
        Array::words("inputs", model.inputs().to_vec()),
        Array::words("input_units", model.input_units().into_iter().map(str::to_owned).collect()),
        Array::words("outputs", sensors.iter().map(|s| s.name.clone()).collect()),
        Array::words("output_units", sensors.iter().map(|s| s.reading.unit().to_owned()).collect()),
        Array::words("coordinates", names::configuration(model)),
        Array::words("coordinate_units", names::units(model).into_iter().map(str::to_owned).collect()),
        Array::real("configuration", &[q.len()], q.clone()),
        Array::real("velocity", &[model.nv()], found.site.point().v.clone()),
        Array::real("input_values", &[model.inputs().len()], found.site.point().u.clone()),
        Array::real("time", &[], vec![found.site.point().t]),
    ]);
    out
}

fn render(found: &System, file: Option<&Path>, style: Style) -> String {
    let mut out = summary::heading(&found.loaded, &found.rank, style);
    out.push_str(&summary::site_line(&found.site, style));
    let (title, states, matrices): (&str, Vec<String>, Vec<(&str, &Dense)>) = match &found.form {
        LinearForm::Descriptor(s) => (
            "E x' = A x + B u,  y = C x + D u",
            s.states.clone(),
            vec![("E", &s.e), ("A", &s.a), ("B", &s.b), ("C", &s.c), ("D", &s.d)],
        ),
        LinearForm::Reduced(s) => (
            "x' = A x + B u,  y = C x + D u  (x: independent coordinates, then their rates)",
            s.states.clone(),
            vec![("A", &s.a), ("B", &s.b), ("C", &s.c), ("D", &s.d)],
        ),
        LinearForm::Minimal(s) => (
            "x' = A x + B u,  y = C x + D u  (every state is reached by an input and seen by an output)",
            s.states.clone(),
            vec![("A", &s.a), ("B", &s.b), ("C", &s.c), ("D", &s.d)],
        ),
    };
    let model = &found.loaded.model;
    let outputs: Vec<String> = model.sensors().iter().map(|s| s.name.clone()).collect();
    let _ = writeln!(
        out,
        "\n{}\n{}, {}, {}",
        style.bold(title),
        names::count(states.len(), "state", "states"),
        names::count(model.inputs().len(), "input", "inputs"),
        names::count(outputs.len(), "output", "outputs"),
    );
    let small = states.len() <= SMALL;
    match file {
        Some(path) => {
            let _ =
                writeln!(out, "{}: matrices, names, units and the point of linearization", path.display());
        }
        None if small => {}
        None => out.push_str("too large to print; -o FILE or --json has the matrices\n"),
    }
    let shown = |a: &Dense| small && a.nrows() > 0 && a.ncols() > 0;
    for (name, matrix) in matrices.into_iter().filter(|(_, a)| shown(a)) {
        let row_names = if matches!(name, "C" | "D") { &outputs } else { &states };
        let column_names = if matches!(name, "B" | "D") { model.inputs() } else { &states };
        let _ = writeln!(out, "\n{}", style.bold(name));
        out.push_str(&print(matrix, row_names, column_names, style));
    }
    out.push_str(&summary::notes(&found.notes(), style));
    out
}

fn print(matrix: &Dense, rows: &[String], columns: &[String], style: Style) -> String {
    let mut heads = vec![Column::words("")];
    heads.extend(columns.iter().map(|c| Column::number(c, "")));
    let mut table = Table::new(heads);
    let entries: Vec<f64> =
        (0..matrix.nrows()).flat_map(|i| (0..matrix.ncols()).map(move |j| matrix[(i, j)])).collect();
    let noise = summary::rounding(&entries);
    for (i, name) in rows.iter().enumerate().take(matrix.nrows()) {
        let mut row = vec![name.clone()];
        row.extend((0..matrix.ncols()).map(|j| six(noise(matrix[(i, j)]))));
        table.row(row);
    }
    table.render(style)
}
