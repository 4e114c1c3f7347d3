//! `cargo xtask bench-peers motion`: forward dynamics of a closed chain against Exudyn, in one run.
//!
//! Both integrate the swinging N-loop linkage, whose exact motion is known; each in a process of its own on one thread,
//! in turn, and the run of least processor time counts. Writes every run to `docs/book/src/peers-motion.csv` and a dozen of them to
//! `peers-motion.md`; the page follows from the data alone.

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
const DATA: &str = "docs/book/src/peers-motion.csv";
/// Columns of the data: time in processor seconds, error in m.
const HEAD: &str = "loops;program;integrator;accuracy;time;error;version\n";
/// Numbers of loops.
const LOOPS: [u32; 2] = [5, 20];
/// Length of the motion, s.
const SECONDS: &str = "10";
/// Steps of both implicit integrators.
const STEPS: [u32; 3] = [500, 1000, 4000];
/// Accuracies that the page shows: steps of the implicit integrators, tolerances of the explicit one.
const SHOWN: [&str; 4] = ["1000", "4000", "1e-6", "1e-10"];
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

/// A run as the data have it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    loops: String,
    program: String,
    integrator: String,
    accuracy: String,
    time: String,
    error: String,
    version: String,
}

/// Runs the race and writes the page.
pub(super) fn run(rounds: usize, print: bool) -> Result<Outcome, TaskError> {
    let root = root::workspace_root()?;
    let programs = Programs::prepare(&root)?;
    let mut rows: Vec<Row> = Vec::new();
    let mut passed = true;
    for loops in LOOPS {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..rounds.max(1) {
            keep_best(&mut ours, programs.ours(loops)?);
            keep_best(&mut theirs, programs.exudyn(loops)?);
        }
        passed &= [&ours, &theirs].iter().all(|l| !l.is_empty() && l.iter().all(|l| l.error < USABLE));
        rows.extend(ours.iter().map(|line| Row::ours(loops, line)));
        rows.extend(theirs.iter().map(|line| Row::exudyn(loops, line)));
    }
    let text = page(&rows);
    if print {
        return Ok(Outcome { text, passed });
    }
    root::write(&root, DATA, &csv(&rows))?;
    root::write(&root, FILE, &text)?;
    Ok(Outcome { text: format!("{text}\nwritten to {FILE} and {DATA}\n"), passed })
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

impl Row {
    fn ours(loops: u32, line: &Line) -> Self {
        let (name, accuracy) = line.run.split_once(' ').unwrap_or((&line.run, ""));
        Self::new(loops, "mb", name, accuracy, line)
    }

    fn exudyn(loops: u32, line: &Line) -> Self {
        Self::new(loops, "Exudyn", "implicit", &line.steps.to_string(), line)
    }

    fn new(loops: u32, program: &str, integrator: &str, accuracy: &str, line: &Line) -> Self {
        Self {
            loops: loops.to_string(),
            program: program.to_owned(),
            integrator: integrator.to_owned(),
            accuracy: accuracy.to_owned(),
            time: format!("{:.3}", line.cpu_s),
            error: format!("{:.1e}", line.error),
            version: line.version.clone(),
        }
    }

    /// Processor time in s and error in m; infinite where they are not numbers.
    fn measured(&self) -> [f64; 2] {
        [&self.time, &self.error].map(|cell| cell.parse().unwrap_or(f64::INFINITY))
    }
}

fn csv(rows: &[Row]) -> String {
    let mut out = HEAD.to_owned();
    for Row { loops, program, integrator, accuracy, time, error, version } in rows {
        let _infallible = writeln!(out, "{loops};{program};{integrator};{accuracy};{time};{error};{version}");
    }
    out
}

fn page(rows: &[Row]) -> String {
    let version = rows.iter().find(|row| row.program == "Exudyn").map_or("", |row| &row.version);
    let mut table = "| N | program | integrator | steps or tolerance | time s | error m |\n\
                     | ---: | --- | --- | ---: | ---: | ---: |\n"
        .to_owned();
    let mut ratios = String::new();
    for loops in LOOPS.map(|loops| loops.to_string()) {
        let mut of: Vec<&Row> = rows.iter().filter(|row| row.loops == loops).collect();
        of.sort_by(|a, b| b.measured()[1].total_cmp(&a.measured()[1]));
        for Row { program, integrator, accuracy, time, error, .. } in &of {
            if SHOWN.contains(&accuracy.as_str()) {
                let _infallible =
                    writeln!(table, "| {loops} | {program} | {integrator} | {accuracy} | {time} | {error} |");
            }
        }
        ratios.push_str(&sentence(&loops, &of));
    }
    format!(
        "# Peers in motion\n\n\
         Written by `cargo xtask bench-peers motion`. A dozen of the runs; all of them are in \
         [peers-motion.csv](peers-motion.csv).\n\n\
         {table}\n\
         {ratios}\
         ## What was run\n\n\
         - The N-loop four-bar linkage without springs, released from rest at 60 degrees from hanging, for {SECONDS} s: a closed \
         chain of 2 N + 1 rods whose exact motion is that of one pendulum.\n\
         - Exudyn {version} (PyPI, BSD-3-Clause): rigid bodies in the plane with reference points, `RevoluteJoint2D`, implicit, \
         sparse, modified Newton, spectral radius 0.9.\n\
         - `mb`: rods in natural coordinates; generalized-alpha with the same spectral radius, and Dormand-Prince with direct \
         correction.\n\
         - Time: processor seconds of the integration alone, on one thread of a machine with two cores; the best of several rounds, \
         in which the programs ran in turn. Compare times of one N.\n\
         - Error: of the first crank's tip at the end, against the exact motion.\n\n\
         Both implicit integrators are of second order with the same spectral radius: at equal steps their errors agree.\n"
    )
}

/// Ours against theirs at equal steps, and at an error no larger than their smallest.
fn sentence(loops: &str, rows: &[&Row]) -> String {
    let theirs = || rows.iter().filter(|row| row.program == "Exudyn");
    let ours = || rows.iter().filter(|row| row.program == "mb");
    let mut ratios: Vec<(f64, String)> = Vec::new();
    for line in theirs() {
        let same = |o: &&&Row| o.integrator == "generalized-alpha" && o.accuracy == line.accuracy;
        if let Some(o) = ours().find(same) {
            let ratio = o.measured()[0] / line.measured()[0];
            ratios.push((line.measured()[1], format!("{ratio:.2} at {} steps", line.accuracy)));
        }
    }
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    let ratios: Vec<String> = ratios.into_iter().map(|(_, words)| words).collect();
    let mut out = format!("N = {loops}: times of mb over those of Exudyn are {}.", ratios.join(", "));
    let best = theirs().min_by(|a, b| a.measured()[1].total_cmp(&b.measured()[1]));
    let reached = best.and_then(|best| {
        let good = ours().filter(|o| o.measured()[1] <= best.measured()[1]);
        good.min_by(|a, b| a.measured()[0].total_cmp(&b.measured()[0])).map(|o| (best, o))
    });
    if let Some((best, o)) = reached {
        let _infallible = write!(
            out,
            " For an error of {} m or less, mb takes {:.3} of Exudyn's time ({} {}).",
            best.error,
            o.measured()[0] / best.measured()[0],
            o.integrator,
            o.accuracy
        );
    }
    out.push_str("\n\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of data written by `csv`.
    fn read(data: &str) -> Vec<Row> {
        let row = |line: &str| {
            let cells: Vec<&str> = line.split(';').collect();
            let [loops, program, integrator, accuracy, time, error, version] =
                <[&str; 7]>::try_from(cells).expect("a cell for each column").map(str::to_owned);
            Row { loops, program, integrator, accuracy, time, error, version }
        };
        data.lines().skip(1).map(row).collect()
    }

    #[test]
    fn the_page_in_the_book_follows_from_its_data() {
        let root = root::workspace_root().unwrap();
        let data = root::read(&root, DATA).unwrap();
        let rows = read(&data);
        assert_eq!(csv(&rows), data);
        assert_eq!(page(&rows), root::read(&root, FILE).unwrap());
    }

    #[test]
    fn lines_of_both_programs_make_a_page() {
        let ours: Line = serde_json::from_str(
            r#"{"run": "generalized-alpha 1000", "cpu_s": 1e-1, "error": 2e-3, "evaluations": 7}"#,
        )
        .unwrap();
        let theirs: Line =
            serde_json::from_str(r#"{"steps": 1000, "cpu_s": 0.2, "error": 0.004, "version": "1.0"}"#)
                .unwrap();
        let text = page(&[Row::ours(5, &ours), Row::exudyn(5, &theirs)]);
        assert!(text.contains("0.50 at 1000 steps") && text.contains("0.500 of Exudyn's time"), "{text}");
        assert!(text.contains("| 5 | Exudyn | implicit | 1000 | 0.200 | 4.0e-3 |"), "{text}");
    }
}
