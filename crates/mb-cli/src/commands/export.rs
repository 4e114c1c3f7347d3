//! `mb export`: the matrices of the linearized model in files that other programs read.

use crate::Answer;
use crate::args::{ExportArgs, MatrixFormatArg};
use crate::failure::{FILE, Failure, RequestError};
use crate::flow::{self, State};
use crate::json;
use crate::mat::{self, Variable};
use crate::npz::{self, Array};
use crate::outfile::Group;
use crate::progress::Progress;
use crate::render::{Column, Style, Table, summary};
use crate::source::{Text, load};
use mb_algebra::{Sparse, matrix_market, sparse};
use mb_engine::petsc;
use mb_linear::{linearize_sparse, output_maps};
use serde::Serialize;
use std::io::Write as _;
use std::path::Path;

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Its letter in the equation.
    pub letter: &'static str,
    /// Its path.
    pub file: String,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Entries of the whole matrix.
    pub entries: usize,
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model, the request, the numerics or the folder.
pub fn run(text: &Text, args: &ExportArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    let loaded = load(text, &args.model)?;
    let model = &loaded.model;
    let (start, motion) = crate::start::with_motion(model, &args.start, &args.motion)?;
    let stage = progress.stage("solving for the operating point");
    let site = flow::site(model, &start, motion.as_ref())?;
    let rank = flow::rank(model, site.point())?;
    drop(stage);
    let State::Lasting(at) = site.state() else {
        return Err(RequestError::NotOfAnInstant { option: "mb export" }.into());
    };
    let lin = linearize_sparse(model, &at);
    let all: Vec<usize> = (0..model.sensors().len()).collect();
    let inputs: Vec<usize> = (0..model.inputs().len()).collect();
    let outputs = output_maps(model, &at, &inputs, &all)?;
    let place = at.steady().map_or_else(
        || "an equilibrium".to_owned(),
        |motion| format!("a steady motion, seen from {}", motion.frame()),
    );
    let names = Names {
        about: format!("{} ({}), linearized at {place}", model.name, loaded.file),
        coordinates: model.coordinates().names(),
        rows: (0..model.nc()).map(|i| model.row_name(i)).collect(),
        inputs: model.inputs().to_vec(),
        outputs: model.sensors().iter().map(|s| s.name.clone()).collect(),
    };
    let c_out = outputs.side_by_side();
    let derivative = |primes: &'static str| names.coordinates.iter().map(move |n| format!("{n}{primes}"));
    let read: Vec<String> =
        ["", "'", "''"].into_iter().flat_map(derivative).chain(names.rows.iter().cloned()).collect();
    let d = sparse::zeros(names.outputs.len(), names.inputs.len());
    let mut list: Vec<Matrix<'_>> = vec![
        ("M", "mass matrix M", &lin.m, [&names.coordinates, &names.coordinates]),
        ("C", "damping and gyroscopic matrix C", &lin.c, [&names.coordinates, &names.coordinates]),
        (
            "K",
            "stiffness matrix K, with the stiffness of the constraint reactions",
            &lin.k,
            [&names.coordinates, &names.coordinates],
        ),
        ("Phi_q", "constraint Jacobian Phi_q", &lin.phi_q, [&names.rows, &names.coordinates]),
    ];
    if !names.inputs.is_empty() {
        list.push(("B", "input matrix B", &lin.f, [&names.coordinates, &names.inputs]));
    }
    if !names.outputs.is_empty() {
        let title = "outputs by displacements x, velocities x', accelerations x'' and multipliers l";
        list.push(("C_out", title, &c_out, [&names.outputs, &read]));
    }
    if !names.outputs.is_empty() && !names.inputs.is_empty() {
        list.push(("D", "outputs by inputs, beside what C_out reads", &d, [&names.outputs, &names.inputs]));
    }
    let mut group = Group::new(&args.out)?;
    let stage = progress.stage("writing the matrices");
    let written = match args.format {
        MatrixFormatArg::Mat => together(&mut group, &list, &names)?,
        format => {
            let one = |matrix| separate(&mut group, format, matrix, &names);
            list.iter().map(one).collect::<Result<Vec<_>, _>>()?
        }
    };
    group.finish()?;
    drop(stage);
    if args.json {
        return Ok(Answer::right(json::export::document(&loaded, &rank, &site, &written)));
    }
    let mut out = summary::heading(&loaded, &rank, style);
    out.push_str(&summary::site_line(&site, style));
    out.push('\n');
    out.push_str(&table(&written, args.format == MatrixFormatArg::Mat, style));
    let mut notes = summary::start_notes(model, site.start());
    notes.extend(summary::redundancy_notes(&rank));
    notes.extend(summary::steadiness(&site));
    notes.extend(summary::own_speeds(model, &site));
    out.push_str(&summary::notes(&notes, style));
    Ok(Answer::right(out))
}

/// The matrices with their files, or with the one file that holds them all above.
fn table(written: &[Written], together: bool, style: Style) -> String {
    let mut columns = vec![
        Column::words("matrix"),
        Column::number("rows", ""),
        Column::number("columns", ""),
        Column::number("entries", ""),
    ];
    if !together {
        columns.insert(0, Column::words("file"));
    }
    let mut table = Table::new(columns);
    for w in written {
        let sizes = [w.rows, w.columns, w.entries].map(|n| n.to_string());
        let file = (!together).then(|| w.file.clone());
        table.row(file.into_iter().chain([w.letter.to_owned()]).chain(sizes).collect());
    }
    let file = written
        .first()
        .filter(|_| together)
        .map_or_else(String::new, |w| format!("{}\n", style.bold(&w.file)));
    file + &table.render(style)
}

/// Names of rows and columns.
struct Names {
    about: String,
    coordinates: Vec<String>,
    rows: Vec<String>,
    inputs: Vec<String>,
    outputs: Vec<String>,
}

/// Letter, title, matrix, names of rows and columns.
type Matrix<'a> = (&'static str, &'static str, &'a Sparse, [&'a Vec<String>; 2]);

const EQUATION: &str = "M x'' + C x' + K x + Phi_q^T l = B u, Phi_q x = 0, y = C_out [x; x'; x''; l] + D u; SI units, angles in rad";

fn report((letter, _, matrix, _): &Matrix<'_>, path: &Path) -> Written {
    let (rows, columns) = matrix.shape();
    Written { letter, file: path.display().to_string(), rows, columns, entries: matrix.nnz() }
}

/// One file for one matrix.
fn separate(
    group: &mut Group,
    format: MatrixFormatArg,
    given: &Matrix<'_>,
    names: &Names,
) -> Result<Written, Failure> {
    let (letter, title, matrix, [rows, columns]) = given;
    let ending = match format {
        MatrixFormatArg::Npz => "npz",
        MatrixFormatArg::Petsc => "petsc",
        MatrixFormatArg::Mtx | MatrixFormatArg::Mat => "mtx",
    };
    let name = format!("{letter}.{ending}");
    let path = group.path(&name);
    match format {
        MatrixFormatArg::Npz => {
            let bytes = npz::archive(&npz::sparse(matrix));
            group.write(&name, |out| out.write_all(&bytes))?;
        }
        MatrixFormatArg::Petsc => {
            let bytes = petsc::file(matrix).ok_or_else(|| Failure::Unwritable {
                what: FILE,
                path: path.display().to_string(),
                source: std::io::Error::other(
                    "the matrix has more entries than 31-bit indices of PETSc hold",
                ),
            })?;
            group.write(&name, |out| out.write_all(&bytes))?;
        }
        MatrixFormatArg::Mtx | MatrixFormatArg::Mat => {
            let list = |what: &'static str, names: &[String]| -> Vec<String> {
                names.iter().enumerate().map(|(i, name)| format!("{what} {}: {name}", i + 1)).collect()
            };
            let of = match *letter {
                "M" | "C" | "K" => list("coordinate", rows),
                _ => [list("row", rows), list("column", columns)].concat(),
            };
            let comments: Vec<String> = [names.about.clone(), (*title).to_owned(), EQUATION.to_owned()]
                .into_iter()
                .chain(of)
                .collect();
            group.write(&name, |out| matrix_market::write(out, matrix, &comments))?;
        }
    }
    Ok(report(given, &path))
}

/// One file with all matrices and the names.
fn together(group: &mut Group, list: &[Matrix<'_>], names: &Names) -> Result<Vec<Written>, Failure> {
    const NAME: &str = "matrices.mat";
    let words = [
        Array::words("about", vec![names.about.clone(), EQUATION.to_owned()]),
        Array::words("coordinates", names.coordinates.clone()),
        Array::words("rows", names.rows.clone()),
        Array::words("inputs", names.inputs.clone()),
        Array::words("outputs", names.outputs.clone()),
    ];
    let matrices = list.iter().map(|(letter, _, matrix, _)| Variable::Sparse(letter, matrix));
    let bytes = mat::file(&matrices.chain(words.iter().map(Variable::Array)).collect::<Vec<_>>());
    group.write(NAME, |out| out.write_all(&bytes))?;
    let path = group.path(NAME);
    Ok(list.iter().map(|matrix| report(matrix, &path)).collect())
}
