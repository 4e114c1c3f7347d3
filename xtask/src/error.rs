//! Errors of the tasks: why one could not run.

use mb_gallery::GalleryError;

/// Why a task could not run. Failed checks are results, not errors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum TaskError {
    /// The task was not started inside the source tree.
    #[error("no workspace found above the current folder; run `cargo xtask` inside the source tree.")]
    NoWorkspace,
    /// A file of the source tree cannot be read or written.
    #[error("{file} cannot be {action}: {source}.")]
    File {
        /// Place in the source tree.
        file: String,
        /// `read` or `written`.
        action: &'static str,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A TOML file of the project is malformed.
    #[error("{file} is malformed: {why}")]
    Malformed {
        /// Place in the source tree.
        file: String,
        /// The parser's words.
        why: String,
    },
    /// A fixture is malformed.
    #[error(transparent)]
    Fixture(#[from] GalleryError),
    /// `--paper` names no paper.
    #[error("there is no paper `{key}`; known are {known}.")]
    UnknownPaper {
        /// What was asked for.
        key: String,
        /// The keys that exist.
        known: String,
    },
    /// A fixture is marked as implemented, but no code computes it.
    #[error("fixtures/{id}.toml is marked as implemented, but no code computes it.")]
    NoComputation {
        /// Table.
        id: String,
    },
    /// The report cannot be written as JSON.
    #[error("the report cannot be written as JSON: {0}.")]
    Json(#[from] serde_json::Error),
}
