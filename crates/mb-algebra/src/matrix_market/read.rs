//! From text to a matrix.

use super::header::{FIELDS, LAYOUTS, SYMMETRIES};
use super::scan::{Lines, Whole, Word, Words, shown};
use super::{Field, Header, Layout, MOST_ROWS, MatrixMarketError, Symmetry};
use crate::{Scatter, Sparse, SparseC, Triplets, c64};

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
    let entries = reader.entries()?;
    let matrix = entries.map(|z| z.re).to_sparse();
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
    let entries = reader.entries()?;
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

/// Sizes with the line they stand in.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    rows: usize,
    cols: usize,
    entries: usize,
}

/// A text whose banner has been read.
struct Reader<'a> {
    header: Header,
    lines: Lines<'a>,
    /// Bytes of the text, which bound the entries it can hold.
    length: usize,
    /// Side of the diagonal that the entries of a triangle are on: true below.
    below: Option<bool>,
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
                unsupported("an array without numbers says nothing")
            }
            Header {
                field: Field::Pattern, symmetry: Symmetry::SkewSymmetric | Symmetry::Hermitian, ..
            } => unsupported("a pattern has no signs"),
            Header { field: Field::Real | Field::Integer, symmetry: Symmetry::Hermitian, .. } => {
                unsupported("a Hermitian matrix of real numbers is called symmetric")
            }
            _ => Ok(Self { header, lines, length: text.len(), below: None }),
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
            // Both sizes are far below the root of the range.
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
    fn entries(&mut self) -> Result<Triplets<c64>, MatrixMarketError> {
        let sizes = self.sizes()?;
        // A corrupt count must not claim memory: an entry takes two bytes of text at least.
        let mut out = Triplets::with_capacity(sizes.rows, sizes.cols, sizes.entries.min(self.length / 2));
        let skew = self.header.symmetry == Symmetry::SkewSymmetric;
        // Place of the next entry of an array.
        let (mut row, mut col) = (usize::from(skew), 0);
        for found in 0..sizes.entries {
            let Some(mut words) = self.lines.next() else {
                return Err(MatrixMarketError::TooFew {
                    line: self.lines.line,
                    found,
                    expected: sizes.entries,
                });
            };
            let first = words.clone().next();
            if self.header.layout == Layout::Coordinate {
                row = index(&mut words, "row", sizes.rows)?;
                col = index(&mut words, "column", sizes.cols)?;
            }
            let (value, at) = self.value(&mut words, row, col)?;
            words.end()?;
            self.check_place(first, at, row, col, value)?;
            self.add(&mut out, row, col, value);
            row += 1;
            if self.header.layout == Layout::Array && row == sizes.rows {
                col += 1;
                row = match self.header.symmetry {
                    Symmetry::General => 0,
                    Symmetry::SkewSymmetric => col + 1,
                    Symmetry::Symmetric | Symmetry::Hermitian => col,
                };
            }
        }
        if let Some(word) = self.lines.next().and_then(|mut words| words.next()) {
            let (line, column) = (word.line, word.column);
            return Err(MatrixMarketError::TooMany {
                line,
                column,
                found: word.shown(),
                expected: sizes.entries,
            });
        }
        Ok(out)
    }

    /// The value of an entry, and the word it begins with.
    fn value(
        &self,
        words: &mut Words<'a>,
        row: usize,
        col: usize,
    ) -> Result<(c64, Option<Word<'a>>), MatrixMarketError> {
        let mut number = |expected, of: fn(&Word<'a>) -> Option<f64>| {
            let word = words.need(expected)?;
            let value = of(&word).ok_or_else(|| word.unexpected(expected))?;
            if value.is_finite() {
                return Ok((value, word));
            }
            let (line, column, found) = (word.line, word.column, word.shown());
            Err(MatrixMarketError::NonFinite { line, column, row: row + 1, col: col + 1, found })
        };
        Ok(match self.header.field {
            Field::Pattern => (c64::new(1.0, 0.0), None),
            Field::Real => number("a number", Word::real).map(|(x, w)| (c64::new(x, 0.0), Some(w)))?,
            Field::Integer => {
                number("a whole number", Word::integer).map(|(x, w)| (c64::new(x, 0.0), Some(w)))?
            }
            Field::Complex => {
                let (re, word) = number("a real part", Word::real)?;
                (c64::new(re, number("an imaginary part", Word::real)?.0), Some(word))
            }
        })
    }

    /// Checks that an entry is one of the stored triangle.
    fn check_place(
        &mut self,
        first: Option<Word<'_>>,
        value_at: Option<Word<'_>>,
        row: usize,
        col: usize,
        value: c64,
    ) -> Result<(), MatrixMarketError> {
        let header = self.header;
        if header.symmetry == Symmetry::General {
            return Ok(());
        }
        let (row_1, col_1) = (row + 1, col + 1);
        if row == col {
            let bad = match header.symmetry {
                Symmetry::SkewSymmetric => value != c64::new(0.0, 0.0),
                Symmetry::Hermitian => value.im != 0.0,
                _ => false,
            };
            return match value_at.filter(|_| bad) {
                Some(word) => Err(MatrixMarketError::Diagonal {
                    line: word.line,
                    column: word.column,
                    row: row_1,
                    found: word.shown(),
                    header,
                }),
                None => Ok(()),
            };
        }
        let below = row > col;
        match first.filter(|_| *self.below.get_or_insert(below) != below) {
            Some(word) => Err(MatrixMarketError::BothTriangles {
                line: word.line,
                column: word.column,
                row: row_1,
                col: col_1,
                header,
            }),
            None => Ok(()),
        }
    }

    /// Adds an entry and its mirror image.
    fn add(&self, out: &mut Triplets<c64>, row: usize, col: usize, value: c64) {
        out.add(row, col, value);
        if row == col {
            return;
        }
        match self.header.symmetry {
            Symmetry::General => {}
            Symmetry::Symmetric => out.add(col, row, value),
            Symmetry::SkewSymmetric => out.add(col, row, -value),
            Symmetry::Hermitian => out.add(col, row, value.conj()),
        }
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

/// An index from 1, as one from 0.
fn index(words: &mut Words<'_>, what: &'static str, most: usize) -> Result<usize, MatrixMarketError> {
    let expected = if what == "row" { "the row of an entry" } else { "the column of an entry" };
    let word = words.need(expected)?;
    match word.whole() {
        Some(Whole::Fits(n)) if (1..=most).contains(&n) => Ok(n - 1),
        None if word.integer().is_none() => Err(word.unexpected(expected)),
        _ => Err(MatrixMarketError::Outside {
            line: word.line,
            column: word.column,
            what,
            found: word.shown(),
            most,
        }),
    }
}
