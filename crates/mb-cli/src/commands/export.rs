//! `mb export`: the matrices of the linearized model as MatrixMarket files.

use crate::Answer;
use crate::args::ExportArgs;
use crate::failure::{Failure, RequestError};
use crate::flow::{self, State};
use crate::json;
use crate::outfile;
use crate::progress::Progress;
use crate::render::{Column, Style, Table, summary};
use crate::source::{Text, load};
use mb_algebra::{Sparse, matrix_market};
use mb_linear::linearize_sparse;
use serde::Serialize;
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
    let coordinates = model.coordinates().names();
    let rows: Vec<String> = (0..model.nc()).map(|i| model.row_name(i)).collect();
    let place = at.steady().map_or_else(
        || "an equilibrium".to_owned(),
        |motion| format!("a steady motion, seen from {}", motion.frame()),
    );
    let about = format!("{} ({}), linearized at {place}", model.name, loaded.file);
    let equation = "(s^2 M + s C + K) x + Phi_q^T l = 0, Phi_q x = 0; SI units, angles in rad";
    let list = |what: &str, names: &[String]| -> Vec<String> {
        names.iter().enumerate().map(|(i, name)| format!("{what} {}: {name}", i + 1)).collect()
    };
    outfile::folder(&args.out)?;
    let stage = progress.stage("writing the matrices");
    let mut written = Vec::new();
    let square = list("coordinate", &coordinates);
    let jacobian = [list("row", &rows), list("column", &coordinates)].concat();
    for (letter, title, matrix, names) in [
        ("M", "mass matrix M", &lin.m, &square),
        ("C", "damping and gyroscopic matrix C", &lin.c, &square),
        ("K", "stiffness matrix K, with the stiffness of the constraint reactions", &lin.k, &square),
        ("Phi_q", "constraint Jacobian Phi_q", &lin.phi_q, &jacobian),
    ] {
        let comments: Vec<String> = [about.clone(), title.to_owned(), equation.to_owned()]
            .into_iter()
            .chain(names.iter().cloned())
            .collect();
        written.push(write(&args.out.join(format!("{letter}.mtx")), letter, matrix, &comments)?);
    }
    drop(stage);
    if args.json {
        return Ok(Answer::right(json::export::document(&loaded, &rank, &site, &written)));
    }
    let mut out = summary::heading(&loaded, &rank, style);
    out.push_str(&summary::site_line(&site, style));
    let mut table = Table::new(vec![
        Column::words("file"),
        Column::number("rows", ""),
        Column::number("columns", ""),
        Column::number("entries", ""),
    ]);
    for w in &written {
        table.row(vec![w.file.clone(), w.rows.to_string(), w.columns.to_string(), w.entries.to_string()]);
    }
    out.push('\n');
    out.push_str(&table.render(style));
    let mut notes = summary::start_notes(model, site.start());
    notes.extend(summary::redundancy_notes(&rank));
    notes.extend(summary::steadiness(&site));
    notes.extend(summary::own_speeds(model, &site));
    out.push_str(&summary::notes(&notes, style));
    Ok(Answer::right(out))
}

fn write(
    path: &Path,
    letter: &'static str,
    matrix: &Sparse,
    comments: &[String],
) -> Result<Written, Failure> {
    outfile::write(path, |out| matrix_market::write(out, matrix, comments))?;
    let (rows, columns) = matrix.shape();
    Ok(Written { letter, file: path.display().to_string(), rows, columns, entries: matrix.nnz() })
}
