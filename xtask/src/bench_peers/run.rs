//! One run of one solver in a process of its own, as it reports it.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::error::TaskError;

/// A case as its folder describes it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Description {
    /// n.
    pub(super) unknowns: usize,
    /// m.
    pub(super) constraints: usize,
    /// Modes asked for.
    pub(super) count: usize,
    /// Shifts of w to try.
    pub(super) shifts: Vec<f64>,
    /// The lowest w by formula; empty where there is none.
    pub(super) exact: Vec<f64>,
}

impl Description {
    /// Reads `case.json`.
    pub(super) fn read(folder: &Path) -> Result<Self, TaskError> {
        let text = fs::read_to_string(folder.join("case.json")).map_err(|source| TaskError::File {
            file: "case.json".to_owned(),
            action: "read",
            source,
        })?;
        Ok(serde_json::from_str(&text)?)
    }
}

/// What a solver reports, as one line of JSON.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Run {
    /// The solver and its version.
    pub(super) version: String,
    /// Processor time until the program can begin, s.
    pub(super) startup_s: f64,
    /// Processor time from the matrices to the answers, s.
    pub(super) cpu_s: f64,
    /// The same by the clock, s.
    pub(super) wall_s: f64,
    /// Largest resident memory meanwhile, MiB.
    pub(super) peak_mib: f64,
    /// w = -s^2, ascending.
    pub(super) values: Vec<f64>,
    /// Largest backward error of a pair.
    pub(super) residual: f64,
}

/// Runs a program that prints a [`Run`], on one thread.
pub(super) fn child(who: &str, command: &mut Command) -> Result<Run, TaskError> {
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"] {
        command.env(name, "1");
    }
    let text = output(who, command)?;
    match text.lines().rev().find(|line| line.starts_with('{')) {
        Some(line) => Ok(serde_json::from_str(line)?),
        None => Err(TaskError::Peer { who: who.to_owned(), why: "it reported nothing".to_owned() }),
    }
}

/// Runs a program and returns what it printed; its last words are the reason when it fails.
pub(super) fn output(who: &str, command: &mut Command) -> Result<String, TaskError> {
    let failed = |why: String| TaskError::Peer { who: who.to_owned(), why };
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let last = words.lines().rev().find(|line| !line.trim().is_empty());
    Err(failed(last.unwrap_or("it ended without a word").trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_fails_gives_its_last_words() {
        let error = output("rustc", Command::new("rustc").arg("--no-such-option")).unwrap_err();
        assert!(error.to_string().contains("rustc"), "{error}");
        assert!(output("nobody", &mut Command::new("no-such-program-anywhere")).is_err());
    }
}
