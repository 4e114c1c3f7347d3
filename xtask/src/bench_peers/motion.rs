//! `cargo xtask bench-peers motion`: forward dynamics of a closed chain against Exudyn, in one run.
//!
//! Both integrate the swinging N-loop linkage, whose exact motion is known; each in a process of its own on one thread,
//! in turn, and the run of least processor time counts. Writes `docs/book/src/peers-motion.md`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use super::run::output;
use crate::error::TaskError;
use crate::{Outcome, root};

/// Name of the case.
pub(super) const CASE: &str = "motion";
const FILE: &str = "docs/book/src/peers-motion.md";
/// Numbers of loops.
const LOOPS: [u32; 2] = [5, 20];
/// Length of the motion, s.
const SECONDS: &str = "10";
/// Steps of both implicit integrators.
const STEPS: [u32; 3] = [500, 1000, 4000];
/// Largest error that still counts as an answer, m.
const USABLE: f64 = 0.5;

/// What both programs report of a run, as a line of JSON.
#[derive(Clone, Debug, Deserialize)]
struct Line {
    /// Ours: integrator and accuracy.
    #[serde(default)]
    run: String,
    /// Exudyn's: number of steps.
    #[serde(default)]
    steps: u32,
    cpu_s: f64,
    error: f64,
    #[serde(default)]
    version: String,
}

/// Runs the race and writes the page.
pub(super) fn run(rounds: usize, print: bool) -> Result<Outcome, TaskError> {
    let root = root::workspace_root()?;
    let programs = Programs::prepare(&root)?;
    let mut races: Vec<(u32, Vec<Line>, Vec<Line>)> = Vec::new();
    for loops in LOOPS {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..rounds.max(1) {
            keep_best(&mut ours, programs.ours(loops)?);
            keep_best(&mut theirs, programs.exudyn(loops)?);
        }
        races.push((loops, ours, theirs));
    }
    let text = page(&races);
    let usable = |lines: &[Line]| !lines.is_empty() && lines.iter().all(|l| l.error < USABLE);
    let passed = races.iter().all(|(_, ours, theirs)| usable(ours) && usable(theirs));
    if print {
        return Ok(Outcome { text, passed });
    }
    root::write(&root, FILE, &text)?;
    Ok(Outcome { text: format!("{text}\nwritten to {FILE}\n"), passed })
}

/// The best time of each line; all rounds report the same lines.
fn keep_best(best: &mut Vec<Line>, found: Vec<Line>) {
    if best.is_empty() {
        *best = found;
        return;
    }
    for (best, line) in best.iter_mut().zip(found) {
        if line.cpu_s < best.cpu_s {
            *best = line;
        }
    }
}

/// Where both programs are.
struct Programs {
    ours: PathBuf,
    python: PathBuf,
    script: PathBuf,
}

impl Programs {
    /// Builds ours for release; puts Exudyn (PyPI) into the Python environment when it is not there.
    fn prepare(root: &Path) -> Result<Self, TaskError> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let build = ["build", "--release", "--quiet", "--package", "benchmarks", "--example", "motion_race"];
        output("cargo", Command::new(cargo).args(build).current_dir(root))?;
        let folder = root.join("target/peers/python-motion");
        let python = folder.join("bin/python");
        if !python.is_file() {
            output("python3 -m venv", Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
            output("pip", Command::new(&python).args(["-m", "pip", "install", "--quiet", "exudyn"]))?;
        }
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let script = root.join("benchmarks/peers/exudyn_four_bar.py");
        Ok(Self { ours: target.join("release/examples/motion_race"), python, script })
    }

    fn ours(&self, loops: u32) -> Result<Vec<Line>, TaskError> {
        lines("ours", Command::new(&self.ours).args([&loops.to_string(), SECONDS]))
    }

    fn exudyn(&self, loops: u32) -> Result<Vec<Line>, TaskError> {
        let mut command = Command::new(&self.python);
        command.arg(&self.script).args([&loops.to_string(), SECONDS]).args(STEPS.map(|n| n.to_string()));
        lines("Exudyn", &mut command)
    }
}

fn lines(who: &str, command: &mut Command) -> Result<Vec<Line>, TaskError> {
    for name in ["OMP_NUM_THREADS", "RAYON_NUM_THREADS"] {
        command.env(name, "1");
    }
    let text = output(who, command)?;
    let found = text.lines().filter(|line| line.starts_with('{')).map(serde_json::from_str);
    Ok(found.collect::<Result<_, _>>()?)
}

fn page(races: &[(u32, Vec<Line>, Vec<Line>)]) -> String {
    let version = races.iter().flat_map(|(_, _, theirs)| theirs).map(|l| l.version.as_str()).next();
    let mut out = format!(
        "# Peers in motion\n\n\
         Written by `cargo xtask bench-peers motion`; nothing here is typed by hand. The N-loop four-bar linkage without \
         springs, released from rest at 60 degrees from hanging, for {SECONDS} s: a closed chain of 2 N + 1 rods whose exact \
         motion is that of one pendulum. Exudyn {} (PyPI, BSD-3-Clause; rigid bodies in the plane with reference points, \
         `RevoluteJoint2D`, implicit, sparse, modified Newton, spectral radius 0.9, one thread) against this project (rods in \
         natural coordinates). Processor seconds of the integration alone, the best of some rounds in turn on a two-core \
         machine busy with other work: ratios of one run are what to keep. Error: of the first crank's tip at the end, \
         against the exact one.\n",
        version.unwrap_or("of unknown version"),
    );
    for (loops, ours, theirs) in races {
        let _infallible = write!(
            out,
            "\n## N = {loops}\n\n| integrator | steps or tolerance | time s | error m |\n| --- | ---: | ---: | ---: |\n"
        );
        let mut rows: Vec<(f64, String)> = Vec::new();
        for line in theirs {
            rows.push((line.error, row("Exudyn, implicit", &line.steps.to_string(), line)));
        }
        for line in ours {
            let (name, accuracy) = line.run.split_once(' ').unwrap_or((&line.run, ""));
            let name = match name {
                "dormand-prince" => "mb, Dormand-Prince with direct correction",
                _ => "mb, generalized-alpha",
            };
            rows.push((line.error, row(name, accuracy, line)));
        }
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, row) in &rows {
            out.push_str(row);
        }
        out.push_str(&sentence(ours, theirs));
    }
    out.push_str(
        "\nAt equal steps both implicit integrators make the same error, as they must, being of second order with the same \
         spectral radius.\n",
    );
    out
}

fn row(name: &str, accuracy: &str, line: &Line) -> String {
    format!("| {name} | {accuracy} | {:.3} | {:.1e} |\n", line.cpu_s, line.error)
}

/// Ours against theirs at equal steps, and at an error no larger than their smallest.
fn sentence(ours: &[Line], theirs: &[Line]) -> String {
    let same = |line: &Line| ours.iter().find(|o| o.run == format!("generalized-alpha {}", line.steps));
    let ratios: Vec<String> = theirs
        .iter()
        .filter_map(|line| same(line).map(|o| format!("{:.2} at {} steps", o.cpu_s / line.cpu_s, line.steps)))
        .collect();
    let mut out = format!("\nmb over Exudyn, implicit: {}.", ratios.join(", "));
    let best = theirs.iter().min_by(|a, b| a.error.total_cmp(&b.error));
    let reached = best.and_then(|best| {
        let good = ours.iter().filter(|o| o.error <= best.error);
        good.min_by(|a, b| a.cpu_s.total_cmp(&b.cpu_s)).map(|o| (best, o))
    });
    if let Some((best, o)) = reached {
        let _infallible = write!(
            out,
            " Its smallest error, {:.1e} m, takes mb {:.3} of its time ({}).",
            best.error,
            o.cpu_s / best.cpu_s,
            o.run
        );
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_programs_make_a_page() {
        let ours: Line = serde_json::from_str(
            r#"{"run": "generalized-alpha 500", "cpu_s": 1e-1, "error": 2e-3, "evaluations": 7}"#,
        )
        .unwrap();
        let theirs: Line =
            serde_json::from_str(r#"{"steps": 500, "cpu_s": 0.2, "error": 0.004, "version": "1.0"}"#)
                .unwrap();
        let text = page(&[(5, vec![ours], vec![theirs])]);
        assert!(text.contains("0.50 at 500 steps") && text.contains("0.500 of its time"), "{text}");
        assert!(text.contains("| Exudyn, implicit | 500 | 0.200 | 4.0e-3 |"), "{text}");
    }
}
