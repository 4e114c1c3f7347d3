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
    /// `setup` does not know the package manager of this system.
    #[error(
        "setup knows Debian, Ubuntu, Fedora, Arch and macOS, not `{system}`. Install by hand: ARPACK-NG with its C \
         interface (ICB). Nothing needs it: without it the built-in solvers are used."
    )]
    UnknownSystem {
        /// Name of the system.
        system: String,
    },
    /// `setup` has no right to install.
    #[error("installing needs root or sudo. Run as root: {commands}")]
    NoRight {
        /// What to run.
        commands: String,
    },
    /// A command of `setup` failed.
    #[error("`{command}` failed: {why}.")]
    Command {
        /// The command.
        command: String,
        /// Its end.
        why: String,
    },
    /// All commands of `setup` ran, and something is still not found.
    #[error("all commands succeeded, but the library cannot be used: {why}")]
    StillMissing {
        /// What is wrong with it.
        why: String,
    },
    /// A program of the race against other solvers failed.
    #[error("{who} failed: {why}")]
    Peer {
        /// The program.
        who: String,
        /// Its last words.
        why: String,
    },
    /// The report cannot be written as JSON.
    #[error("the report cannot be written as JSON: {0}.")]
    Json(#[from] serde_json::Error),
}
