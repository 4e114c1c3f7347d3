//! From text to a matrix.

use super::entries::{Form, Sizes, Value};
use super::header::{FIELDS, LAYOUTS, SYMMETRIES};
use super::scan::{Lines, Whole, Word, Words, shown};
use super::{Field, Header, Layout, MOST_ROWS, MatrixMarketError, Symmetry};
use crate::{Sparse, SparseC, Triplets, c64};

/// A matrix that was read, and what its file said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixMarket<A = Sparse> {
    /// The whole matrix, both triangles; entries given for the same place are summed, zeros kept.
    pub matrix: A,
    /// The banner.
    pub header: Header,
    /// Entries of the whole matrix that were added to one given before them.
    pub repeated: usize,
}

/// Reads a real matrix.
///
/// # Errors
/// Anything that is not a matrix of finite real numbers, with line and column.
pub fn read(text: &[u8]) -> Result<MatrixMarket, MatrixMarketError> {
    let mut reader = Reader::new(text)?;
    if reader.header.field == Field::Complex {
        let reason = "complex numbers stand where a real matrix is needed";
        return Err(MatrixMarketError::Unsupported { header: reader.header, reason });
    }
    let entries: Triplets = reader.entries()?;
    let matrix = entries.to_sparse();
    let repeated = entries.len() - matrix.nnz();
    check_sums(matrix.iter().map(|(v, at)| (*v, at)), reader.lines.line)?;
    Ok(MatrixMarket { matrix, header: reader.header, repeated })
}

/// Reads a matrix of any kind as a complex one.
///
/// # Errors
/// As [`read`], complex numbers allowed.
pub fn read_complex(text: &[u8]) -> Result<MatrixMarket<SparseC>, MatrixMarketError> {
    let mut reader = Reader::new(text)?;
    let entries: Triplets<c64> = reader.entries()?;
    let matrix = entries.to_sparse_complex();
    let repeated = entries.len() - matrix.nnz();
    check_sums(matrix.iter().map(|(z, at)| (z.re + z.im, at)), reader.lines.line)?;
    Ok(MatrixMarket { matrix, header: reader.header, repeated })
}

fn check_sums(
    mut entries: impl Iterator<Item = (f64, (usize, usize))>,
    line: usize,
) -> Result<(), MatrixMarketError> {
    match entries.find(|(v, _)| !v.is_finite()) {
        Some((_, (row, col))) => Err(MatrixMarketError::SumOverflows { line, row: row + 1, col: col + 1 }),
        None => Ok(()),
    }
}

/// A text whose banner has been read.
struct Reader<'a> {
    header: Header,
    lines: Lines<'a>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8]) -> Result<Self, MatrixMarketError> {
        let mut lines = Lines::new(text);
        let first = lines.any().ok_or(MatrixMarketError::Empty)?;
        let mut words = Words::of(first);
        let is = |word: Option<Word<'_>>, what: &str| {
            word.is_some_and(|w| w.bytes.eq_ignore_ascii_case(what.as_bytes()))
        };
        if !is(words.next(), "%%MatrixMarket") || !is(words.next(), "matrix") {
            return Err(MatrixMarketError::NoBanner { found: shown(first) });
        }
        let layout = choice(&mut words, LAYOUTS.0, &LAYOUTS.1)?;
        let field = choice(&mut words, FIELDS.0, &FIELDS.1)?;
        let symmetry = choice(&mut words, SYMMETRIES.0, &SYMMETRIES.1)?;
        words.end()?;
        let header = Header { layout, field, symmetry };
        let unsupported = |reason| Err(MatrixMarketError::Unsupported { header, reason });
        match header {
            Header { field: Field::Pattern, layout: Layout::Array, .. } => {
                unsupported("an array without numbers has no entries")
            }
            Header {
                field: Field::Pattern, symmetry: Symmetry::SkewSymmetric | Symmetry::Hermitian, ..
            } => unsupported("a pattern has no signs"),
            Header { field: Field::Real | Field::Integer, symmetry: Symmetry::Hermitian, .. } => {
                unsupported("a Hermitian matrix of real numbers is called symmetric")
            }
            _ => Ok(Self { header, lines }),
        }
    }

    fn sizes(&mut self) -> Result<Sizes, MatrixMarketError> {
        let mut words = self.lines.next().ok_or(MatrixMarketError::NoSizes { line: self.lines.line })?;
        let rows = size(&mut words, "the number of rows")?;
        let cols = size(&mut words, "the number of columns")?;
        let header = self.header;
        if header.symmetry != Symmetry::General && rows != cols {
            return Err(MatrixMarketError::NotSquare { line: words.line, rows, cols, header });
        }
        let entries = match header.layout {
            Layout::Coordinate => {
                let word = words.need("the number of entries")?;
                match word.whole().ok_or_else(|| word.unexpected("the number of entries"))? {
                    Whole::Fits(n) => n,
                    Whole::Huge => return Err(too_large(&word, "number of entries")),
                }
            }
            // Both sizes are far below the square root of the range.
            Layout::Array => match header.symmetry {
                Symmetry::General => rows * cols,
                Symmetry::SkewSymmetric => rows * rows.saturating_sub(1) / 2,
                Symmetry::Symmetric | Symmetry::Hermitian => rows * (rows + 1) / 2,
            },
        };
        words.end()?;
        Ok(Sizes { rows, cols, entries })
    }

    /// All entries of both triangles.
    fn entries<T: Value>(&mut self) -> Result<Triplets<T>, MatrixMarketError> {
        let sizes = self.sizes()?;
        Form { header: self.header, sizes }.entries(&mut self.lines)
    }
}

/// One of the words that may stand in the banner.
fn choice<T: Copy>(
    words: &mut Words<'_>,
    expected: &'static str,
    known: &[(&str, T)],
) -> Result<T, MatrixMarketError> {
    let word = words.need(expected)?;
    let found = known.iter().find(|(name, _)| word.bytes.eq_ignore_ascii_case(name.as_bytes()));
    let banner = || MatrixMarketError::Banner { column: word.column, found: word.shown(), expected };
    found.map(|(_, value)| *value).ok_or_else(banner)
}

fn too_large(word: &Word<'_>, what: &'static str) -> MatrixMarketError {
    MatrixMarketError::TooLarge { line: word.line, column: word.column, what, found: word.shown() }
}

/// A number of rows or columns.
fn size(words: &mut Words<'_>, expected: &'static str) -> Result<usize, MatrixMarketError> {
    let word = words.need(expected)?;
    match word.whole().ok_or_else(|| word.unexpected(expected))? {
        Whole::Fits(n) if n <= MOST_ROWS => Ok(n),
        _ => Err(too_large(&word, expected.strip_prefix("the ").unwrap_or(expected))),
    }
}
