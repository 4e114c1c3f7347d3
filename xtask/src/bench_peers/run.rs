//! One run of one solver in a process of its own, as it reports it.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::error::TaskError;

/// A case as its folder describes it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Description {
    /// n.
    pub(super) unknowns: usize,
    /// m.
    pub(super) constraints: usize,
    /// Modes asked for.
    pub(super) count: usize,
    /// Shifts of w to try.
    pub(super) shifts: Vec<f64>,
    /// Real and imaginary part of the s near which eigenvalues are sought; empty where the lowest w are.
    pub(super) point: Vec<f64>,
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
#[derive(Clone, Debug, Deserialize, Serialize)]
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
    /// w = -s^2, ascending; or the real parts of s, by their distance from the point.
    pub(super) values: Vec<f64>,
    /// The imaginary parts of s; empty for w.
    #[serde(default)]
    pub(super) imaginary: Vec<f64>,
    /// Whether the solver proved that nothing is missing.
    #[serde(default)]
    pub(super) proved: bool,
    /// Largest backward error of a pair.
    pub(super) residual: f64,
}

impl Run {
    /// The eigenvalues, w on the real axis.
    pub(super) fn eigenvalues(&self) -> Vec<[f64; 2]> {
        let imaginary = self.imaginary.iter().copied().chain(std::iter::repeat(0.0));
        self.values.iter().zip(imaginary).map(|(re, im)| [*re, im]).collect()
    }
}

/// Largest distance of a reference value from the nearest value found that no other reference value has taken, relative to
/// the reference; infinite when values are missing.
pub(super) fn largest_difference(found: &[[f64; 2]], reference: &[[f64; 2]]) -> f64 {
    let mut open = found.to_vec();
    let mut worst = 0.0_f64;
    for exact in reference {
        let distance = |value: &[f64; 2]| (value[0] - exact[0]).hypot(value[1] - exact[1]);
        let nearest = (0..open.len()).min_by(|&i, &j| distance(&open[i]).total_cmp(&distance(&open[j])));
        let Some(nearest) = nearest else { return f64::INFINITY };
        let difference = distance(&open.swap_remove(nearest)) / exact[0].hypot(exact[1]);
        worst = if difference.is_nan() { f64::INFINITY } else { worst.max(difference) };
    }
    worst
}

/// Runs a program that prints a [`Run`], on so many threads.
pub(super) fn child(who: &str, command: &mut Command, threads: usize) -> Result<Run, TaskError> {
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"] {
        command.env(name, threads.to_string());
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
    fn values_are_compared_whatever_their_order() {
        let reference = [[0.0, 4.0], [0.0, 2.0]];
        let is = |found: &[[f64; 2]], expected: f64| {
            (largest_difference(found, &reference) - expected).abs() < 1e-15
        };
        assert!(is(&[[0.0, 2.0], [0.0, 4.0], [9.0, 0.0]], 0.0));
        assert!(is(&[[0.0, 2.0], [1.0, 4.0]], 0.25));
        // A double value found in the place of two is a value missing.
        assert!(is(&[[0.0, 4.0], [0.0, 4.0]], 1.0));
        assert!(largest_difference(&[[0.0, 4.0]], &reference).is_infinite());
    }

    #[test]
    fn a_program_that_fails_gives_its_last_words() {
        let error = output("rustc", Command::new("rustc").arg("--no-such-option")).unwrap_err();
        assert!(error.to_string().contains("rustc"), "{error}");
        assert!(output("nobody", &mut Command::new("no-such-program-anywhere")).is_err());
    }
}
