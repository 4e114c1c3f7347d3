//! What is said of `--checkpoint`.

use crate::failure::{FILE, Failure, RequestError};
use mb_analysis::checkpoint::CheckpointError;
use std::path::Path;

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Self {
        match error {
            CheckpointError::NotThisRun { path, reason } => {
                RequestError::BadCheckpoint { path: path.display().to_string(), reason: reason.to_string() }
                    .into()
            }
            CheckpointError::Unwritable { path, source } => {
                Self::Unwritable { what: FILE, path: path.display().to_string(), source }
            }
        }
    }
}

/// How a message about an early end goes on.
pub fn advice(path: Option<&Path>) -> String {
    path.map_or_else(
        || "--checkpoint FILE lets such a run go on".to_owned(),
        |path| format!("the same command line goes on from {}", path.display()),
    )
}
