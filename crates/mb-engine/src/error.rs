//! What can be wrong with a package or its results.

use mb_eigen::EigenError;

use crate::FORMAT;

/// Failure of an exchange with the engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// Another version of the exchange.
    #[error(
        "`{file}` has version {found} of the exchange with the engine, and this program reads version {FORMAT}. Write the folder \
         and build the engine with the same version of the program: cargo xtask setup --engine."
    )]
    Format {
        /// The file.
        file: String,
        /// Its version.
        found: u32,
    },
    /// A file that does not follow its format.
    #[error("`{file}` cannot be understood: {why}.")]
    Malformed {
        /// The file.
        file: String,
        /// Why.
        why: String,
    },
    /// A file that changed since it was written.
    #[error("`{file}` is not as it was written: {why}. Write the folder again.")]
    Changed {
        /// The file.
        file: String,
        /// In what.
        why: String,
    },
    /// The folder is of another model or request.
    #[error(
        "The folder was written for another model, request or option than those given now (its request: {request}). Read it with \
         those that it was written with."
    )]
    OtherPackage {
        /// What the manifest says.
        request: String,
    },
    /// No results yet.
    #[error(
        "The engine has not ended: the folder has no `{file}`. Run `run.sh` in it, or hand `slurm.sh` to the queue, and read it \
         again; a run that was killed is repeated as it is, and goes on behind the slices of a band that it has finished."
    )]
    NoResults {
        /// The file that is missing.
        file: String,
    },
    /// Results that end too early, or were changed.
    #[error(
        "The results of the engine are not whole: `{file}` {why}. Run the engine again: `run.sh` in the folder."
    )]
    HalfWritten {
        /// The file.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// Results of another package in the same folder.
    #[error(
        "The results in the folder are those of another package. Run the engine again: `run.sh` in the folder."
    )]
    OtherResults,
    /// The engine ended with an error.
    #[error("The engine ended while {stage}: {what}{words}")]
    Engine {
        /// What it was doing.
        stage: String,
        /// What went wrong and what to do.
        what: &'static str,
        /// What it said itself.
        words: String,
    },
    /// The driver is not there.
    #[error("The distributed engine is not there: no `{program}` in {places}.")]
    NoDriver {
        /// The program.
        program: String,
        /// The folders that were searched.
        places: String,
    },
    /// The driver did not come to an end.
    #[error("The engine, started by `{launcher}`, failed: {why}.{}", if log.is_empty() { String::new() } else { format!(" Its last lines: {log}") })]
    Run {
        /// What starts it.
        launcher: String,
        /// What went wrong.
        why: String,
        /// The last lines it wrote.
        log: String,
    },
    /// A folder that cannot be written.
    #[error("The folder `{path}` cannot be written: {source}.")]
    Folder {
        /// The folder.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A folder without a manifest that can be read.
    #[error("The manifest of the engine's folder `{path}` cannot be read: {source}.")]
    NoManifest {
        /// The manifest.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The problem, or the answer.
    #[error(transparent)]
    Eigen(#[from] EigenError),
    /// A place to write to failed.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

impl EngineError {
    /// True when the problem, the folder or the machine is not as it must be, false when the run or its numerics failed; of an
    /// eigenanalysis `wrong_eigen` decides.
    pub fn is_wrong_request(&self, wrong_eigen: impl Fn(&EigenError) -> bool) -> bool {
        match self {
            Self::Eigen(source) => wrong_eigen(source),
            Self::Engine { .. } | Self::Run { .. } => false,
            _ => true,
        }
    }
}
