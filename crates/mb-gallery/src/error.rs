//! Errors of the fixture reader and of the catalogue.

/// What can be wrong with a printed number, with a fixture file, or with what is asked of the catalogue.
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
    /// The catalogue has no model of this name.
    #[error("no model is named `{name}`; there are {}", known.join(", "))]
    NoSuchModel {
        /// The name.
        name: String,
        /// Those that exist.
        known: Vec<String>,
    },
    /// A model of the catalogue has no parameter of this name.
    #[error("the model has no parameter `{name}`{}", listed(known))]
    NoSuchParameter {
        /// The name.
        name: String,
        /// Those that exist.
        known: Vec<String>,
    },
}

fn listed(known: &[String]) -> String {
    if known.is_empty() { "; it has none".to_owned() } else { format!("; there are {}", known.join(", ")) }
}
