//! What can be wrong with a MatrixMarket file, with its line and column.

use super::{Header, MOST_ROWS};

/// Why a text is no matrix. Lines and columns of the text count from 1, as editors show them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixMarketError {
    /// The text is empty.
    #[error(
        "The file is empty; a MatrixMarket file begins with `%%MatrixMarket matrix coordinate real general` or the like."
    )]
    Empty,
    /// The first line is no banner.
    #[error(
        "The first line is `{found}`, but a MatrixMarket file begins with `%%MatrixMarket matrix`, then `coordinate` or \
         `array`, `real`, `integer`, `complex` or `pattern`, and `general`, `symmetric`, `skew-symmetric` or `hermitian`."
    )]
    NoBanner {
        /// The line, shortened.
        found: String,
    },
    /// A word of the banner that is not known.
    #[error("The banner says `{found}` where {expected} should stand.")]
    Banner {
        /// Column in the first line.
        column: usize,
        /// The word.
        found: String,
        /// The words that may stand there.
        expected: &'static str,
    },
    /// Words of the banner that exclude each other, or a kind of matrix that was not asked for.
    #[error("A file of `{header}` cannot be taken: {reason}.")]
    Unsupported {
        /// The banner.
        header: Header,
        /// Why.
        reason: &'static str,
    },
    /// Something else stands where a number should.
    #[error("Line {line}, column {column}: `{found}` stands where {expected} should.")]
    Unexpected {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// What stands there, shortened.
        found: String,
        /// What should.
        expected: &'static str,
    },
    /// A line ends too early.
    #[error("Line {line} ends at column {column}, where {expected} should stand.")]
    LineEnds {
        /// Line.
        line: usize,
        /// Column behind its end.
        column: usize,
        /// What should stand there.
        expected: &'static str,
    },
    /// A size or an index that no matrix has.
    #[error(
        "Line {line}, column {column}: the {what} {found} is too large; at most {MOST_ROWS} rows and columns are read."
    )]
    TooLarge {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// Number of rows, of columns, of entries.
        what: &'static str,
        /// The number as it stands there.
        found: String,
    },
    /// A stored triangle needs a square matrix.
    #[error(
        "Line {line}: a matrix of {rows} rows and {cols} columns is not square, so it cannot be `{header}`."
    )]
    NotSquare {
        /// Line of the sizes.
        line: usize,
        /// Rows.
        rows: usize,
        /// Columns.
        cols: usize,
        /// The banner.
        header: Header,
    },
    /// An index that is zero or beyond the size.
    #[error("Line {line}, column {column}: the {what} {found} is outside 1 to {most}.")]
    Outside {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// Row or column of the matrix.
        what: &'static str,
        /// The index as it stands there.
        found: String,
        /// Rows or columns of the matrix.
        most: usize,
    },
    /// A value that is infinite or not a number.
    #[error(
        "Line {line}, column {column}: the entry at row {row}, column {col} (from 1) is `{found}`; all entries must be finite."
    )]
    NonFinite {
        /// Line.
        line: usize,
        /// Column of the text.
        column: usize,
        /// Row of the matrix, from 1.
        row: usize,
        /// Column of the matrix, from 1.
        col: usize,
        /// The value as it stands there.
        found: String,
    },
    /// Entries at one place whose sum overflows.
    #[error(
        "Line {line}: the entries at row {row}, column {col} (from 1) add up to a number that is not finite."
    )]
    SumOverflows {
        /// Last line of the file.
        line: usize,
        /// Row of the matrix, from 1.
        row: usize,
        /// Column of the matrix, from 1.
        col: usize,
    },
    /// A diagonal entry of a skew-symmetric matrix that is not zero, or an imaginary one of a Hermitian matrix.
    #[error(
        "Line {line}, column {column}: the diagonal entry {found} at row {row} (from 1) is not one of a `{header}` matrix."
    )]
    Diagonal {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// Row of the matrix, from 1.
        row: usize,
        /// The value as it stands there.
        found: String,
        /// The banner.
        header: Header,
    },
    /// A file of one triangle with entries on both sides of the diagonal.
    #[error(
        "Line {line}, column {column}: a `{header}` file stores one triangle, but this entry (row {row}, column {col}) lies on \
         the other side of the diagonal than those before it."
    )]
    BothTriangles {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// Row of the matrix, from 1.
        row: usize,
        /// Column of the matrix, from 1.
        col: usize,
        /// The banner.
        header: Header,
    },
    /// The text ends before all entries have come.
    #[error(
        "The file ends after line {line} with {found} of the {expected} entries that its size line announces."
    )]
    TooFew {
        /// Last line.
        line: usize,
        /// Entries read.
        found: usize,
        /// Entries announced.
        expected: usize,
    },
    /// Something follows the last entry.
    #[error(
        "Line {line}, column {column}: `{found}` follows the last of the {expected} entries that the size line announces."
    )]
    TooMany {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// What stands there, shortened.
        found: String,
        /// Entries announced.
        expected: usize,
    },
    /// There is no size line.
    #[error("The file ends after line {line} without the line of sizes.")]
    NoSizes {
        /// Last line.
        line: usize,
    },
}

impl MatrixMarketError {
    /// The line to look at, from 1.
    pub fn line(&self) -> usize {
        match *self {
            Self::Empty | Self::NoBanner { .. } | Self::Banner { .. } | Self::Unsupported { .. } => 1,
            Self::Unexpected { line, .. }
            | Self::LineEnds { line, .. }
            | Self::TooLarge { line, .. }
            | Self::NotSquare { line, .. }
            | Self::Outside { line, .. }
            | Self::NonFinite { line, .. }
            | Self::SumOverflows { line, .. }
            | Self::Diagonal { line, .. }
            | Self::BothTriangles { line, .. }
            | Self::TooFew { line, .. }
            | Self::TooMany { line, .. }
            | Self::NoSizes { line } => line,
        }
    }

    /// The column in that line, from 1.
    pub fn column(&self) -> usize {
        match *self {
            Self::Banner { column, .. }
            | Self::Unexpected { column, .. }
            | Self::LineEnds { column, .. }
            | Self::TooLarge { column, .. }
            | Self::Outside { column, .. }
            | Self::NonFinite { column, .. }
            | Self::Diagonal { column, .. }
            | Self::BothTriangles { column, .. }
            | Self::TooMany { column, .. } => column,
            _ => 1,
        }
    }
}
