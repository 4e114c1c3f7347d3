//! `mb modes --mass M.mtx --stiffness K.mtx ..` and `--descriptor E.mtx A.mtx`: the same table for matrices.

use crate::Answer;
use crate::args::ModesArgs;
use crate::failure::{Failure, RequestError};
use crate::flow::{FormulationSpectrum, part};
use crate::json;
use crate::matrices::{Matrices, MatrixProblem};
use crate::names;
use crate::output::{ShapeFormat, Shapes};
use crate::progress::Progress;
use crate::render::{Style, modes, summary};
use mb_analysis::request::words;
use mb_eigen::Finding;
use mb_eigen::sparse::Request;
use std::fmt::Write as _;

/// Everything the command found.
#[derive(Debug)]
pub struct MatrixModes {
    /// The files and what they hold.
    pub matrices: Matrices,
    /// The spectrum.
    pub result: FormulationSpectrum,
    /// Why not all modes are there, when that was not asked for.
    pub chosen: bool,
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the files, the request or the numerics.
pub fn run(args: &ModesArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    if let Some(option) = args.of_a_model() {
        return Err(RequestError::NeedsModel { option }.into());
    }
    if let Some(path) = &args.output.shapes {
        ShapeFormat::of(path)?;
    }
    if args.engine.only_prepares() {
        return prepare(args);
    }
    let found = analyse(args, progress)?;
    let coordinate = names_of(&found.matrices);
    if let Some(path) = &args.output.shapes {
        let lines = modes::lines(&found.result.spectrum, args.request.all);
        Shapes { coordinate: &coordinate, lines, left: args.output.left }.write(path)?;
    }
    let text =
        if args.output.json { json::modes::of_matrices(&found, args) } else { render(&found, args, style) };
    Ok(Answer::spectra(text, std::slice::from_ref(&found.result)))
}

/// A folder for the engine, or an estimate.
fn prepare(args: &ModesArgs) -> Result<Answer, Failure> {
    args.request.check()?;
    let request = args.request.for_engine(args.engine.option())?;
    let matrices = Matrices::read(&args.matrices)?;
    let options = part::options(&args.solver, &args.output);
    let words = words(&request);
    let problem = part::engine_problem(&matrices, &request, &words, &options)?;
    let text = crate::engine::prepare(&problem, &args.engine)?;
    Ok(Answer::right(text))
}

/// `coordinate 17`, counted as in the files.
fn names_of(matrices: &Matrices) -> impl Fn(usize) -> String {
    let unknown = matrices.unknown();
    move |i| format!("{unknown} {}", i + 1)
}

/// Does the analysis.
///
/// # Errors
/// As [`run`].
pub fn analyse(args: &ModesArgs, progress: Progress) -> Result<MatrixModes, Failure> {
    args.request.check()?;
    let stage = progress.stage("reading the matrices");
    let matrices = Matrices::read(&args.matrices)?;
    drop(stage);
    let (n, _) = matrices.sizes();
    let chosen = args.request.part().is_none() && !args.request.all && n > part::ALL_UP_TO;
    let request = match args.request.part() {
        Some(request) => request,
        None if chosen => Request::Lowest { count: part::LOWEST },
        None => Request::All,
    };
    args.solver.check(request != Request::All)?;
    let options = part::options(&args.solver, &args.output);
    let result = if args.engine.answers() {
        let request = args.request.for_engine(args.engine.option())?;
        part::of_matrices_by_engine(&matrices, request, &options, &args.engine, progress)?
    } else {
        let _stage = progress.stage(&format!("computing {}", words(&request)));
        progress
            .unless_ended(|| part::of_matrices(&matrices, request, &options))
            .map_err(Failure::Stopped)??
    };
    Ok(MatrixModes { matrices, result, chosen })
}

fn render(found: &MatrixModes, args: &ModesArgs, style: Style) -> String {
    let files: Vec<String> =
        found.matrices.files.iter().map(|f| format!("{} = {}", f.letter, f.path)).collect();
    let mut out = format!("{}\n", style.bold(&files.join(", ")));
    let counts = &found.result.spectrum.counts;
    let _ = match found.matrices.problem {
        MatrixProblem::SecondOrder(_) => writeln!(
            out,
            "{}, {} of rank {}, {}",
            names::count(counts.n, "coordinate", "coordinates"),
            names::count(counts.m, "constraint row", "constraint rows"),
            counts.rank,
            names::count(counts.n - counts.rank.min(counts.n), "degree of freedom", "degrees of freedom"),
        ),
        MatrixProblem::Descriptor(_) => {
            let states = names::count(found.matrices.sizes().0, "state", "states");
            if counts.n < found.matrices.sizes().0 {
                let rows = names::count(counts.m, "constraint row", "constraint rows");
                let coordinates = names::count(counts.n, "coordinate", "coordinates");
                writeln!(out, "{states}: {coordinates}, their rates and {rows} of rank {}", counts.rank)
            } else {
                writeln!(out, "{states}")
            }
        }
    };
    let all = args.request.all;
    let asked = found.result.request.as_ref().map_or_else(String::new, |r| format!(": {}", words(r)));
    let _ = writeln!(out, "\n{}{asked}", style.bold(&found.result.name));
    out.push_str(&modes::table(&found.result, all, style));
    out.push('\n');
    out.push_str(&modes::counts(&found.result));
    let mut notes = Vec::new();
    if found.chosen {
        notes.push(format!(
            "more than {} unknowns, so only the lowest modes: --lowest, --near, --band or --all ask for others",
            part::ALL_UP_TO
        ));
    }
    for file in found.matrices.files.iter().filter(|f| f.repeated > 0) {
        let entries = names::count(file.repeated, "entry was", "entries were");
        notes.push(format!("{}: {entries} added to others at the same place", file.path));
    }
    notes.extend(redundant_rows(&found.result.spectrum.findings, |i| format!("constraint row {}", i + 1)));
    notes.extend(modes::findings(&found.result, all));
    out.push_str(&summary::notes(&notes, style));
    if args.output.vectors {
        let coordinate = names_of(&found.matrices);
        out.push_str(&modes::shapes(&coordinate, &found.result, all, args.output.left, style));
    }
    out
}

/// Most redundant rows that are named.
const ROWS: usize = 12;

/// Redundant rows of a sparse analysis by name.
pub fn redundant_rows(findings: &[Finding], name: impl Fn(usize) -> String) -> Vec<String> {
    let mut notes = Vec::new();
    for finding in findings {
        match finding {
            Finding::RedundantConstraints { rows, .. } => {
                let named: Vec<String> = rows.iter().take(ROWS).map(|i| name(*i)).collect();
                let more = rows.len().saturating_sub(ROWS);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                notes.push(format!(
                    "redundant: {}{more} follow{} from the others; the multipliers are the shortest ones",
                    named.join(", "),
                    if rows.len() == 1 { "s" } else { "" }
                ));
            }
            Finding::UncertainConstraintRank { .. } => notes.push(finding.to_string()),
            _ => {}
        }
    }
    notes
}
