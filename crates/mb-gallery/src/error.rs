//! Errors of the fixture reader.

/// What can be wrong with a printed number or with a fixture file.
///
/// Files are named by their place under `fixtures/`, never by a path of this machine.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GalleryError {
    /// A string is not a number as a paper would print it.
    #[error("`{text}` is not a printed number: {why}.")]
    NotANumber {
        /// The string as it stands in the fixture.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A fixture file cannot be read.
    #[error("fixtures/{file} cannot be read: {why}.")]
    Unreadable {
        /// Place under `fixtures/`.
        file: String,
        /// The operating system's words.
        why: String,
    },
    /// A fixture file is not valid TOML of the table format.
    #[error("fixtures/{file} is not a valid table: {why}")]
    Syntax {
        /// Place under `fixtures/`.
        file: String,
        /// The parser's words, with line and column.
        why: String,
    },
    /// A fixture file is well formed but contradicts itself.
    #[error("fixtures/{file}, {place}: {why}.")]
    Invalid {
        /// Place under `fixtures/`.
        file: String,
        /// Row and column, or the name of a key.
        place: String,
        /// What is wrong.
        why: String,
    },
}
