//! Mode shapes as files: MatrixMarket, CSV, JSON.

use crate::failure::{Failure, RequestError};
use crate::json::{self, Head};
use crate::outfile;
use crate::render::modes::Line;
use crate::render::six;
use mb_algebra::{DenseC, c64, matrix_market};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// What `--shapes` can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeFormat {
    /// A complex array, a column for each mode.
    MatrixMarket,
    /// A row for each coordinate, two columns for each mode.
    Csv,
    /// An object with names, values and vectors.
    Json,
}

impl ShapeFormat {
    /// The format by the ending of the name.
    ///
    /// # Errors
    /// [`RequestError::UnknownFormat`].
    pub fn of(path: &Path) -> Result<Self, RequestError> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("mtx") => Ok(Self::MatrixMarket),
            Some("csv") => Ok(Self::Csv),
            Some("json") => Ok(Self::Json),
            _ => Err(RequestError::UnknownFormat {
                option: "--shapes",
                path: path.display().to_string(),
                known: ".mtx, .csv or .json",
            }),
        }
    }
}

/// Mode shapes to be written.
pub struct Shapes<'a> {
    /// Names of the coordinates, n.
    pub coordinate: &'a dyn Fn(usize) -> String,
    /// The lines of the mode table.
    pub lines: Vec<Line<'a>>,
    /// Whether the left vectors go along.
    pub left: bool,
}

impl Shapes<'_> {
    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// [`RequestError::UnknownFormat`], [`Failure::Unwritable`].
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let format = ShapeFormat::of(path)?;
        outfile::write(path, |out| match format {
            ShapeFormat::MatrixMarket => self.matrix_market(out),
            ShapeFormat::Csv => self.csv(out),
            ShapeFormat::Json => out.write_all(self.json().as_bytes()),
        })
    }

    /// The vectors column by column, each with the head of its column.
    fn columns(&self) -> Vec<(String, &[c64])> {
        let rights = self.lines.iter().map(|l| (format!("mode{}", l.number), l.pair.right.as_slice()));
        let lefts = self.lines.iter().filter(|_| self.left);
        rights.chain(lefts.map(|l| (format!("mode{}_left", l.number), l.pair.left.as_slice()))).collect()
    }

    fn rows(&self) -> usize {
        self.lines.first().map_or(0, |l| l.pair.right.len())
    }

    fn matrix_market(&self, out: &mut impl Write) -> io::Result<()> {
        let columns = self.columns();
        let mut comments = Vec::new();
        for (j, (head, _)) in columns.iter().enumerate() {
            let pair = self.lines[j % self.lines.len()].pair;
            let value = pair.value().map_or_else(
                || pair.class.to_string(),
                |s| {
                    format!(
                        "s = {:e} {:+e}i rad/s, {} Hz, {}",
                        s.re,
                        s.im,
                        six(s.im.abs() / std::f64::consts::TAU),
                        pair.class
                    )
                },
            );
            comments.push(format!("column {}: {head}, {value}", j + 1));
        }
        comments.extend((0..self.rows()).map(|i| format!("row {}: {}", i + 1, (self.coordinate)(i))));
        let matrix = DenseC::from_fn(self.rows(), columns.len(), |i, j| columns[j].1[i]);
        matrix_market::write_array_complex(out, &matrix, &comments)
    }

    fn csv(&self, out: &mut impl Write) -> io::Result<()> {
        let columns = self.columns();
        write!(out, "coordinate")?;
        columns.iter().try_for_each(|(head, _)| write!(out, ",{head}_re,{head}_im"))?;
        writeln!(out)?;
        for i in 0..self.rows() {
            write!(out, "{}", quoted(&(self.coordinate)(i)))?;
            columns.iter().try_for_each(|(_, x)| write!(out, ",{:e},{:e}", x[i].re, x[i].im))?;
            writeln!(out)?;
        }
        Ok(())
    }

    fn json(&self) -> String {
        let modes = self.lines.iter().map(|l| ModeView {
            number: l.number,
            re: l.pair.value().map(|s| s.re),
            im: l.pair.value().map(|s| s.im),
            conjugate: l.conjugate,
            right: json::parts::complex(&l.pair.right),
            left: self.left.then(|| json::parts::complex(&l.pair.left)),
        });
        json::text(&Document {
            head: Head::of("shapes"),
            coordinates: (0..self.rows()).map(self.coordinate).collect(),
            modes: modes.collect(),
        })
    }
}

#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    head: Head,
    coordinates: Vec<String>,
    modes: Vec<ModeView>,
}

#[derive(Serialize)]
struct ModeView {
    number: usize,
    re: Option<f64>,
    im: Option<f64>,
    conjugate: bool,
    right: Vec<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<Vec<[f64; 2]>>,
}

/// A field of a CSV file.
fn quoted(text: &str) -> String {
    let plain = !text.contains([',', '"', '\n', '\r']) && !text.starts_with(['=', '+', '-', '@', '\t']);
    if plain { text.to_owned() } else { crate::history::head(text) }
}
