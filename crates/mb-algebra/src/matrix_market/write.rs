//! From a matrix to text. Numbers are written with as many digits as it takes to read them back exactly.

use std::io::{self, Write};

use super::header::{Field, Header, Layout, Symmetry};
use crate::convert::csc;
use crate::{Dense, DenseC, Sparse, sparse};

fn head(out: &mut impl Write, header: Header, comments: &[String]) -> io::Result<()> {
    writeln!(out, "%%MatrixMarket matrix {header}")?;
    // A comment of several lines stays a comment.
    comments.iter().flat_map(|c| c.lines()).try_for_each(|line| writeln!(out, "% {line}"))
}

/// Writes a sparse matrix: as symmetric where it is so to the last bit, as general otherwise.
///
/// `comments` are lines below the banner.
///
/// # Errors
/// The errors of the writer.
pub fn write(out: &mut impl Write, a: &Sparse, comments: &[String]) -> io::Result<()> {
    let symmetric = a.rows() == a.cols() && a.rows() > 0 && sparse::is_symmetric(a, 0.0).is_ok();
    let symmetry = if symmetric { Symmetry::Symmetric } else { Symmetry::General };
    head(out, Header { layout: Layout::Coordinate, field: Field::Real, symmetry }, comments)?;
    let a = csc(a);
    let stored = |&(_, (row, col)): &(&f64, (usize, usize))| !symmetric || row >= col;
    writeln!(out, "{} {} {}", a.rows(), a.cols(), a.iter().filter(stored).count())?;
    for (value, (row, col)) in a.iter().filter(stored) {
        writeln!(out, "{} {} {value:e}", row + 1, col + 1)?;
    }
    Ok(())
}

/// Writes a dense matrix as an array of all its entries.
///
/// # Errors
/// The errors of the writer.
pub fn write_array(out: &mut impl Write, a: &Dense, comments: &[String]) -> io::Result<()> {
    let header = Header { layout: Layout::Array, field: Field::Real, symmetry: Symmetry::General };
    head(out, header, comments)?;
    writeln!(out, "{} {}", a.nrows(), a.ncols())?;
    (0..a.ncols()).flat_map(|j| a.col_as_slice(j)).try_for_each(|x| writeln!(out, "{x:e}"))
}

/// Writes a dense complex matrix as an array of all its entries.
///
/// # Errors
/// The errors of the writer.
pub fn write_array_complex(out: &mut impl Write, a: &DenseC, comments: &[String]) -> io::Result<()> {
    let header = Header { layout: Layout::Array, field: Field::Complex, symmetry: Symmetry::General };
    head(out, header, comments)?;
    writeln!(out, "{} {}", a.nrows(), a.ncols())?;
    let entries = (0..a.ncols()).flat_map(|j| a.col_as_slice(j));
    entries.into_iter().try_for_each(|z| writeln!(out, "{:e} {:e}", z.re, z.im))
}
