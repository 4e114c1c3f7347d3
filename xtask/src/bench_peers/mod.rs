//! `cargo xtask bench-peers`: the sparse eigensolver against SciPy, PARDISO and SLEPc, on the same matrices, in one run.
//!
//! Makes a Python environment with SciPy and PARDISO (`pypardiso`, from PyPI) under `target/peers`, takes SLEPc from the system where it is
//! installed (Debian: `python3-slepc4py-real`); who is missing is named and skipped. Writes the cases, runs all solvers in turn, each in a process of its own on one
//! thread, compares their answers and writes `docs/book/src/peers.csv` and `peers.md`. Nothing of this is needed to build or
//! test. Results are kept, so that cases may be run one after the other: the page holds the last result of each. The case
//! `motion` is the race of forward dynamics against Exudyn, with a page of its own (motion.rs).

mod environment;
mod kept;
mod motion;
mod run;
mod table;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use clap::Args;
use serde::{Deserialize, Serialize};

use self::environment::{Environment, Solver};
use self::run::{Description, Run};
use crate::error::TaskError;
use crate::{Outcome, root};

const FILE: &str = "docs/book/src/peers.md";
const DATA: &str = "docs/book/src/peers.csv";
/// Cases when none are named, and those that take minutes and gigabytes.
const USUAL: [&str; 24] = [
    "c1e3", "h1e3", "c1e4", "g1e4", "h1e4x1", "h1e4", "c1e5", "g1e5", "h1e5", "c1e6", "s1e5", "p1e5", "f1e5",
    "t3e4", "r1e4", "q1e4", "d1e3", "d1e4", "d1e5", "b1e4", "y1e3", "y1e4", "u1e3", "u1e4",
];
const LARGE: [&str; 2] = ["h3e5", "h1e6"];
/// Relative difference of two answers to the same question that is reported.
const AGREEMENT: f64 = 1e-6;

/// Arguments of `bench-peers`.
#[derive(Args)]
pub(crate) struct BenchPeers {
    /// Cases by family and unknowns, with x by how many modes, as in `h1e4` and `h1e4x1`: c (chain), g (grounded chain), h (hexahedral block),
    /// s (slender), p (plate), t (two blocks tied by a mortar), f (frame with joints off its nodes), r (100 dense constraints), q (1,000
    /// half-dense ones), d (damped block), b (20 dashpots), y (gyroscopic block), u (unsymmetric stiffness); or `motion` alone, forward
    /// dynamics against Exudyn.
    #[arg(value_name = "CASE")]
    cases: Vec<String>,
    /// In addition to the usual cases the large ones: a block of 3e5 unknowns and a slender one of 1e6.
    #[arg(long)]
    large: bool,
    /// Rounds in which every solver runs once; the best time of each counts.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Cases without SciPy: its factorization takes minutes and gigabytes on large blocks.
    #[arg(long, value_delimiter = ',', default_value = "h1e5,h3e5,h1e6,s1e5,p1e5,t3e4,r1e4,q1e4,d1e5,y1e5")]
    without_scipy: Vec<String>,
    /// Forget the results of cases run before.
    #[arg(long)]
    fresh: bool,
    /// Print the table instead of writing it.
    #[arg(long)]
    print: bool,
}

/// The best runs of one solver on one case.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Entry {
    solver: Solver,
    /// The run with the least processor time.
    best: Option<Run>,
    /// Shift of w of that run.
    shift: f64,
    /// Why there is none.
    failure: Option<String>,
    /// Whether the solver is not to be had here.
    #[serde(default)]
    missing: bool,
}

/// One case with all its runs.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Race {
    name: String,
    /// Commit our program was built from.
    commit: String,
    description: Description,
    entries: Vec<Entry>,
}

impl BenchPeers {
    /// Runs the task.
    pub(crate) fn run(&self) -> Result<Outcome, TaskError> {
        if self.cases == [motion::CASE] {
            return motion::run(self.rounds, self.print);
        }
        let root = root::workspace_root()?;
        let folder = root.join("target/peers");
        let environment = Environment::prepare(&root, &folder)?;
        let mut names = self.cases.clone();
        if names.is_empty() {
            names.extend(USUAL.map(str::to_owned));
            names.extend(LARGE.map(str::to_owned).into_iter().filter(|_| self.large));
        }
        let results = folder.join("results");
        if self.fresh {
            let _nothing_to_forget = fs::remove_dir_all(&results);
        }
        for name in names {
            kept::keep(&results, &self.race(&environment, &folder.join("case"), name)?)?;
        }
        let races = kept::all(&results)?;
        let lines = table::lines(&races);
        let text = table::markdown(&lines);
        let mut differences = String::new();
        for race in &races {
            for (solver, error) in race.disagreements() {
                let (name, solver) = (&race.name, solver.title());
                let _infallible =
                    writeln!(differences, "{name}: {solver} differs from the reference by {error:.1e}");
            }
        }
        // All answers agree, with each other and with the formula where there is one.
        let passed = races.iter().all(|race| race.disagreements().is_empty());
        if self.print {
            return Ok(Outcome { text: text + &differences, passed });
        }
        root::write(&root, DATA, &table::csv(&lines))?;
        root::write(&root, FILE, &text)?;
        Ok(Outcome { text: format!("{text}\n{differences}written to {FILE} and {DATA}\n"), passed })
    }

    fn race(&self, environment: &Environment, folder: &Path, name: String) -> Result<Race, TaskError> {
        let written = environment.write_case(&name, folder);
        let description = written.and_then(|()| Description::read(folder))?;
        let skip = self.without_scipy.contains(&name);
        let quadratic = !description.point.is_empty();
        let solvers = Environment::solvers(quadratic).filter(|s| !(skip && s.is_scipy()));
        let entry = |solver| {
            let missing = environment.missing(solver, quadratic);
            Entry { solver, best: None, shift: 0.0, failure: missing.clone(), missing: missing.is_some() }
        };
        let mut entries: Vec<Entry> = solvers.map(entry).collect();
        for _ in 0..self.rounds.max(1) {
            for entry in entries.iter_mut().filter(|entry| !entry.missing) {
                // The point of a quadratic problem is the shift.
                let told = entry.solver.takes_shift() && !quadratic;
                let shifts = if told { &description.shifts[..] } else { &[0.0] };
                for &shift in shifts {
                    match environment.run(entry.solver, &name, folder, quadratic, shift) {
                        Ok(run) => entry.take(run, shift),
                        Err(TaskError::Peer { why, .. }) => entry.failure = Some(why),
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        // The matrices of a large case fill the disk.
        let _left_behind = fs::remove_dir_all(folder);
        Ok(Race { name, commit: environment.commit.clone(), description, entries })
    }
}

impl Entry {
    /// Title of our run that was asked for a proof and found it too large.
    const TOO_LARGE: &str = "ours, too large to be proved";

    fn take(&mut self, run: Run, shift: f64) {
        if self.best.as_ref().is_none_or(|best| run.cpu_s < best.cpu_s) {
            (self.best, self.shift) = (Some(run), shift);
        }
    }

    /// Name in the table.
    fn title(&self) -> &'static str {
        match (self.solver, &self.best) {
            (Solver::Ours, Some(run)) if !run.proved => Self::TOO_LARGE,
            (solver, _) => solver.title(),
        }
    }

    /// Largest relative error of w or s: against the formula where there is one, else against ours.
    fn error(&self, race: &Race) -> Option<f64> {
        let run = self.best.as_ref()?;
        Some(run::largest_difference(&run.eigenvalues(), &race.reference()?))
    }
}

impl Race {
    /// What the answers are compared with.
    fn reference(&self) -> Option<Vec<[f64; 2]>> {
        if !self.description.exact.is_empty() {
            return Some(self.description.exact.iter().map(|w| [*w, 0.0]).collect());
        }
        let ours = self.entries.iter().find(|entry| entry.solver == Solver::Ours)?;
        ours.best.as_ref().map(Run::eigenvalues)
    }

    /// Solvers whose answers differ from the reference.
    fn disagreements(&self) -> Vec<(Solver, f64)> {
        let errors = self.entries.iter().filter_map(|entry| Some((entry.solver, entry.error(self)?)));
        errors.filter(|(_, error)| error.is_nan() || *error > AGREEMENT).collect()
    }
}
