//! What may be wrong with a binary file of matrices.

use thiserror::Error;

/// Why a binary file gives no matrix; the path is the caller's.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MatrixFileError {
    /// The bytes end too early.
    #[error(
        "It ends in the middle of {what}: it is cut off, or its first bytes are those of another format."
    )]
    Torn {
        /// The part that is incomplete.
        what: String,
    },
    /// The bytes contradict the format.
    #[error("It does not follow its format: {why}.")]
    Malformed {
        /// The contradiction.
        why: String,
    },
    /// A valid file of a kind that is not read.
    #[error("{what} {remedy}")]
    NotRead {
        /// The kind.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Entries that are not real numbers.
    #[error("The entries of `{name}` are {kind}; matrices of real numbers are read.")]
    NotReal {
        /// Name of the array.
        name: String,
        /// What they are.
        kind: String,
    },
    /// An entry that is not finite.
    #[error("The entry in row {row}, column {col} (from 1) is {value}: entries are finite numbers.")]
    NotFinite {
        /// Row, from 1.
        row: usize,
        /// Column, from 1.
        col: usize,
        /// The entry.
        value: f64,
    },
    /// Entries of one place whose sum is beyond what a double holds.
    #[error(
        "The entries in row {row}, column {col} (from 1) add up to {value}: a place that is given several times has the sum, a finite number."
    )]
    SumNotFinite {
        /// Row, from 1.
        row: usize,
        /// Column, from 1.
        col: usize,
        /// The sum.
        value: f64,
    },
    /// More rows or columns than are read.
    #[error("It has {rows} rows and {cols} columns; at most {most} of each are read.")]
    TooLarge {
        /// Rows.
        rows: u64,
        /// Columns.
        cols: u64,
        /// The limit.
        most: usize,
    },
    /// No matrix at all.
    #[error("It holds no matrix of two dimensions{}.", among(.names))]
    NoMatrix {
        /// What it holds instead.
        names: Vec<String>,
    },
    /// Several matrices, none with the letter that is asked for.
    #[error("It holds several matrices ({}), none with the name {letter}: write FILE:NAME.", .names.join(", "))]
    Several {
        /// The letter in the equation.
        letter: String,
        /// Their names.
        names: Vec<String>,
    },
    /// A name that the file does not have.
    #[error("It holds no matrix `{name}`{}.", among(.names))]
    NoSuchMatrix {
        /// The name.
        name: String,
        /// The names there are.
        names: Vec<String>,
    },
}

fn among(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(", only {}", names.join(", ")) }
}

impl MatrixFileError {
    /// Bytes that end in the middle of something.
    pub(super) fn torn(what: &str) -> Self {
        Self::Torn { what: what.to_owned() }
    }
    /// A contradiction.
    pub(super) fn malformed(why: impl Into<String>) -> Self {
        Self::Malformed { why: why.into() }
    }
}
