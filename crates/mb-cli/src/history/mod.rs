//! Time histories in files: CSV, JSON, NPZ; figures. Files appear whole or not at all.

pub mod plot;

use crate::failure::{Failure, RequestError};
use crate::names;
use crate::npz::{self, Array};
use crate::outfile;
use mb_constraints::simulate::Trajectory;
use mb_model::Model;
use std::io::{self, Write as _};
use std::path::Path;

/// Formats of a time history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One line for each report, with a line of names.
    Csv,
    /// An object of lists by name.
    Json,
    /// An archive of arrays as numpy reads it.
    Npz,
}

/// The format that a file's ending asks for.
///
/// # Errors
/// [`RequestError::UnknownFormat`].
pub fn format_of(path: &Path) -> Result<Format, RequestError> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("csv") => Ok(Format::Csv),
        Some("json") => Ok(Format::Json),
        Some("npz") => Ok(Format::Npz),
        _ => Err(RequestError::UnknownFormat {
            option: "--output",
            path: path.display().to_string(),
            known: ".csv, .json or .npz",
        }),
    }
}

/// A named list of numbers, one for each report.
pub type Column = (String, Vec<f64>);

/// The time history by name: time, outputs, coordinates, velocities, multipliers, violation and
/// energy. All units are SI; the reaction of row i on the bodies is -Phi_q^T e_i times its multiplier.
/// With `reactions`, also the force (N) and moment (N m, about that place) of every joint and rod on
/// the body of its first place, in ground axes.
pub fn columns(model: &Model, motion: &Trajectory, reactions: bool) -> Vec<Column> {
    let mut out: Vec<Column> = vec![("time".to_owned(), motion.times.clone())];
    let outputs = motion.outputs(model);
    for (k, sensor) in model.sensors().iter().enumerate() {
        out.push((sensor.name.clone(), outputs.iter().map(|row| row[k]).collect()));
    }
    let every =
        |values: &[f64], n: usize, k: usize| values.iter().skip(k).step_by(n.max(1)).copied().collect();
    for (k, name) in names::configuration(model).into_iter().enumerate() {
        out.push((name, every(&motion.q, model.nq(), k)));
    }
    for k in 0..model.nv() {
        out.push((format!("velocity of {}", model.coordinate_name(k)), every(&motion.v, model.nv(), k)));
    }
    for k in 0..model.nc() {
        out.push((format!("multiplier of {}", model.row_name(k)), every(&motion.lambda, model.nc(), k)));
    }
    if reactions {
        out.extend(reaction_columns(model, motion));
    }
    // Violation by constraint, in the unit of the row.
    let phi: Vec<Vec<f64>> = (0..motion.len()).map(|i| model.phi(motion.q_at(i), motion.times[i])).collect();
    for k in 0..model.nc() {
        out.push((format!("violation of {}", model.row_name(k)), phi.iter().map(|row| row[k]).collect()));
    }
    let records = &motion.records;
    out.push(("violation".to_owned(), records.iter().map(|r| r.violation).collect()));
    out.push(("velocity violation".to_owned(), records.iter().map(|r| r.velocity_violation).collect()));
    out.push(("kinetic energy".to_owned(), records.iter().map(|r| r.kinetic).collect()));
    out.push(("potential energy".to_owned(), records.iter().map(|r| r.potential).collect()));
    out.push(("work".to_owned(), records.iter().map(|r| r.work).collect()));
    out.push(("energy drift".to_owned(), records.iter().map(|r| r.drift).collect()));
    out
}

/// Components that can differ from zero: all in space, those of the plane else.
fn reaction_columns(model: &Model, motion: &Trajectory) -> Vec<Column> {
    let in_space = !model.is_planar();
    let mut out = Vec::new();
    for reaction in model.reactions() {
        let wrenches: Vec<_> = (0..motion.len()).map(|i| model.wrench(&reaction, &motion.point(i))).collect();
        for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
            if in_space || k < 2 {
                let values = wrenches.iter().map(|w| w.force[k]).collect();
                out.push((format!("force {axis} of {}", reaction.owner), values));
            }
        }
        for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
            if in_space || k == 2 {
                let values = wrenches.iter().map(|w| w.moment[k]).collect();
                out.push((format!("moment {axis} of {}", reaction.owner), values));
            }
        }
    }
    out
}

/// Writes the time history.
///
/// # Errors
/// [`Failure::Unwritable`].
pub fn write(
    path: &Path,
    format: Format,
    model: &Model,
    motion: &Trajectory,
    reactions: bool,
) -> Result<(), Failure> {
    let columns = columns(model, motion, reactions);
    outfile::write(path, |out| match format {
        Format::Csv => write_csv(out, &columns),
        Format::Json => {
            let object: serde_json::Map<String, serde_json::Value> =
                columns.into_iter().map(|(name, values)| (name, values.into())).collect();
            out.write_all(crate::json::text(&object).as_bytes())
        }
        Format::Npz => {
            let array = |(name, values): (String, Vec<f64>)| Array::real(&name, &[values.len()], values);
            out.write_all(&npz::archive(&columns.into_iter().map(array).collect::<Vec<_>>()))
        }
    })
}

/// A name as a quoted cell that no table program takes for a formula.
pub fn head(name: &str) -> String {
    let mark = if name.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{mark}{}\"", name.replace('"', "\"\""))
}

/// A line of names and one of numbers for each entry, which read back exactly.
///
/// # Errors
/// Those of writing.
pub fn write_csv(out: &mut impl io::Write, columns: &[Column]) -> io::Result<()> {
    let heads: Vec<String> = columns.iter().map(|(name, _)| head(name)).collect();
    writeln!(out, "{}", heads.join(","))?;
    for i in 0..columns.first().map_or(0, |c| c.1.len()) {
        for (k, (_, values)) in columns.iter().enumerate() {
            write!(out, "{}{:?}", if k > 0 { "," } else { "" }, values[i])?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The same in memory.
pub fn csv(columns: &[Column]) -> Vec<u8> {
    let mut out = Vec::new();
    let _infallible = write_csv(&mut out, columns);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_reads_back_exactly() {
        let bytes = csv(&[("time".into(), vec![0.0, 0.1]), ("a \"b\"".into(), vec![1.0 / 3.0, -1e-300])]);
        let text = String::from_utf8(bytes).unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("\"time\",\"a \"\"b\"\"\""));
        let cells: Vec<f64> = lines.flat_map(|l| l.split(',')).map(|c| c.parse().unwrap()).collect();
        assert_eq!(cells, [0.0, 1.0 / 3.0, 0.1, -1e-300]);
    }

    #[test]
    fn no_name_is_a_formula() {
        assert_eq!(head("crank.x"), "\"crank.x\"");
        for name in ["=1+1", "+a", "-b.x", "@c"] {
            assert_eq!(head(name), format!("\"'{name}\""));
        }
    }

    #[test]
    fn formats_follow_the_ending() {
        assert_eq!(format_of(Path::new("a/b.npz")).ok(), Some(Format::Npz));
        assert!(format_of(Path::new("motion")).is_err());
    }
}
