//! The entries of a text, read in pieces of whole lines by all threads.
//!
//! Every piece is read as if it were the whole text; what depends on those before it (the number of entries announced, the
//! triangle that is stored) is checked afterwards, in order, so that the first mistake of the text is the one that is named
//! however many threads there are.

use rayon::prelude::*;

use super::scan::{Lines, Whole, Word, Words};
use super::{Field, Header, Layout, MatrixMarketError, Symmetry};
use crate::{Scatter, Triplets, c64};

/// Bytes of a piece.
const PIECE: usize = 1 << 20;
/// Bytes of text that an entry of a piece takes at least, for the memory claimed at first.
const SHORT_LINE: usize = 12;

/// A number as it is stored.
pub(super) trait Value: Copy + Send {
    fn of(z: c64) -> Self;
}

impl Value for f64 {
    fn of(z: c64) -> Self {
        z.re
    }
}

impl Value for c64 {
    fn of(z: c64) -> Self {
        z
    }
}

/// What the line of sizes says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) entries: usize,
}

/// What entries have to be like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) header: Header,
    pub(super) sizes: Sizes,
}

/// What stands in one piece.
struct Piece<'a, T> {
    /// The piece from its beginning.
    text: Lines<'a>,
    /// The same from where reading ended.
    rest: Lines<'a>,
    /// Entries of both triangles.
    entries: Triplets<T>,
    /// Entries as they stand in the text.
    found: usize,
    /// The first entry off the diagonal of a file that stores one triangle.
    side: Option<Side>,
    /// Why reading ended too early.
    error: Option<MatrixMarketError>,
}

/// An entry off the diagonal.
#[derive(Clone, Copy)]
struct Side {
    below: bool,
    /// Number of the entry in its piece.
    index: usize,
    /// Place in the text and in the matrix, from 1.
    line: usize,
    column: usize,
    row: usize,
    col: usize,
}

impl Side {
    fn wrong(self, header: Header) -> MatrixMarketError {
        let Self { line, column, row, col, .. } = self;
        MatrixMarketError::BothTriangles { line, column, row, col, header }
    }
}

impl Form {
    /// All entries of both triangles; `lines` ends with the last one read.
    pub(super) fn entries<T: Value>(self, lines: &mut Lines<'_>) -> Result<Triplets<T>, MatrixMarketError> {
        // Values of an array have their places from their order.
        let texts = match self.header.layout {
            Layout::Coordinate => lines.pieces(PIECE),
            Layout::Array => vec![lines.clone()],
        };
        let pieces: Vec<Piece<'_, T>> = texts.into_par_iter().map(|text| self.piece(text)).collect();
        let expected = self.sizes.entries;
        let mut out = Triplets::with_capacity(
            self.sizes.rows,
            self.sizes.cols,
            pieces.iter().map(|p| p.entries.len()).sum(),
        );
        let (mut found, mut below) = (0, None);
        for mut piece in pieces {
            let left = expected - found;
            let other = |side: &Side| *below.get_or_insert(side.below) != side.below && side.index < left;
            if let Some(side) = piece.side.filter(other) {
                return Err(side.wrong(self.header));
            }
            let mut follows = piece.text.clone();
            if piece.found >= left
                && (0..left).all(|_| follows.next().is_some())
                && let Some(word) = follows.next().and_then(|mut words| words.next())
            {
                let (line, column, found) = (word.line, word.column, word.shown());
                return Err(MatrixMarketError::TooMany { line, column, found, expected });
            }
            if let Some(error) = piece.error.take() {
                return Err(error);
            }
            found += piece.found;
            out.append(piece.entries);
            *lines = piece.rest;
        }
        if found < expected {
            return Err(MatrixMarketError::TooFew { line: lines.line, found, expected });
        }
        Ok(out)
    }

    /// Reads a piece up to its end, a mistake, or as many entries as the whole text may have.
    fn piece<T: Value>(self, text: Lines<'_>) -> Piece<'_, T> {
        let Sizes { rows, cols, entries } = self.sizes;
        let mut out = Piece {
            rest: text.clone(),
            // A corrupt count must not claim memory.
            entries: Triplets::with_capacity(rows, cols, entries.min(text.bytes() / SHORT_LINE)),
            text,
            found: 0,
            side: None,
            error: None,
        };
        let skew = self.header.symmetry == Symmetry::SkewSymmetric;
        // Place of the next entry of an array.
        let mut at = (usize::from(skew), 0);
        while out.found < entries {
            let Some(words) = out.rest.next() else { break };
            match self.entry(words, at, &mut out.side, out.found) {
                Ok((row, col, value)) => {
                    self.add(&mut out.entries, row, col, value);
                    if self.header.layout == Layout::Array {
                        at = self.after(row, col);
                    }
                }
                Err(error) => {
                    out.error = Some(error);
                    break;
                }
            }
            out.found += 1;
        }
        out
    }

    /// The place behind one of an array.
    fn after(self, row: usize, col: usize) -> (usize, usize) {
        if row + 1 < self.sizes.rows {
            return (row + 1, col);
        }
        let row = match self.header.symmetry {
            Symmetry::General => 0,
            Symmetry::SkewSymmetric => col + 2,
            Symmetry::Symmetric | Symmetry::Hermitian => col + 1,
        };
        (row, col + 1)
    }

    /// The entry of a line.
    fn entry(
        self,
        mut words: Words<'_>,
        (mut row, mut col): (usize, usize),
        side: &mut Option<Side>,
        index: usize,
    ) -> Result<(usize, usize, c64), MatrixMarketError> {
        let line = words.clone();
        if self.header.layout == Layout::Coordinate {
            row = place(&mut words, "row", self.sizes.rows)?;
            col = place(&mut words, "column", self.sizes.cols)?;
        }
        let (value, at) = self.value(&mut words, row, col)?;
        words.end()?;
        if self.header.symmetry == Symmetry::General {
            return Ok((row, col, value));
        }
        if row == col {
            self.check_diagonal(row, value, at)?;
            return Ok((row, col, value));
        }
        let (row_1, col_1, below) = (row + 1, col + 1, row > col);
        if side.is_none_or(|side| side.below != below)
            && let Some(word) = line.clone().next()
        {
            let (line, column) = (word.line, word.column);
            let own = Side { below, index, line, column, row: row_1, col: col_1 };
            if side.is_some() {
                return Err(own.wrong(self.header));
            }
            *side = Some(own);
        }
        Ok((row, col, value))
    }

    /// The value of an entry, and the word it begins with.
    fn value<'a>(
        self,
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

    /// Checks the diagonal of a skew-symmetric or Hermitian matrix.
    fn check_diagonal(self, row: usize, value: c64, at: Option<Word<'_>>) -> Result<(), MatrixMarketError> {
        let bad = match self.header.symmetry {
            Symmetry::SkewSymmetric => value != c64::new(0.0, 0.0),
            Symmetry::Hermitian => value.im != 0.0,
            Symmetry::General | Symmetry::Symmetric => false,
        };
        match at.filter(|_| bad) {
            Some(word) => Err(MatrixMarketError::Diagonal {
                line: word.line,
                column: word.column,
                row: row + 1,
                found: word.shown(),
                header: self.header,
            }),
            None => Ok(()),
        }
    }

    /// Adds an entry and its mirror image.
    fn add<T: Value>(self, out: &mut Triplets<T>, row: usize, col: usize, value: c64) {
        out.add(row, col, T::of(value));
        if row == col {
            return;
        }
        match self.header.symmetry {
            Symmetry::General => {}
            Symmetry::Symmetric => out.add(col, row, T::of(value)),
            Symmetry::SkewSymmetric => out.add(col, row, T::of(-value)),
            Symmetry::Hermitian => out.add(col, row, T::of(value.conj())),
        }
    }
}

/// An index from 1, as one from 0.
fn place(words: &mut Words<'_>, what: &'static str, most: usize) -> Result<usize, MatrixMarketError> {
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
