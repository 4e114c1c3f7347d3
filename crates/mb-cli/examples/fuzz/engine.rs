//! One run after the other, each judged: no panic, no hang, no answer that breaks the promises of the program.
//!
//! A run is a target, a seed and a number; equal ones give the same input on every machine. Inputs go through the program's own
//! entry, in one process.

use super::{clock::Clock, expressions, files, judge, matrices, models, random::Random, starts};
use mb_algebra::{matrix_market, sparse};
use mb_cli::{Answer, Styles, args, matrix_file, progress::Progress};
use mb_model::ModelSpec;
use mb_model::spec::expression;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Limit of time that every search of a run is given, and what a whole run may take of the processors' time: some searches, and
/// one factorization.
const LIMIT: Duration = Duration::from_secs(2);
const BUDGET: Duration = Duration::from_secs(20);
/// Coordinates and rows up to which a model is analysed, and up to which in all ways.
const LARGE: usize = 2000;
const SMALL: usize = 200;

/// What is made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Arithmetic expressions.
    Expressions,
    /// MatrixMarket files, read, and some of them solved.
    Matrices,
    /// JSON starts of a small model.
    Starts,
    /// Model files through the commands.
    Models,
    /// Binary matrix files, read, and some of them solved.
    Files,
}

impl Target {
    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Expressions => "expressions",
            Self::Matrices => "matrices",
            Self::Starts => "starts",
            Self::Models => "models",
            Self::Files => "files",
        }
    }
}

/// How runs ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// Runs.
    pub(crate) runs: u64,
    /// Right answers, inputs that were refused with a reason, and numerics that failed with a reason.
    pub(crate) ends: [u64; 3],
    /// Runs that broke a promise: number, input, what was wrong.
    pub(crate) finds: Vec<(u64, String, String)>,
}

/// What a run starts from and where it may write.
#[derive(Debug)]
pub(crate) struct Workshop {
    /// Model files.
    pub(crate) models: Vec<String>,
    /// Binary matrix files.
    pub(crate) files: Vec<Vec<u8>>,
    /// An empty folder.
    pub(crate) folder: PathBuf,
}

impl Workshop {
    /// Runs with the numbers `from` to `from + count`; `before` sees each number first.
    pub(crate) fn runs(
        &self,
        target: Target,
        seed: u64,
        (from, count): (u64, u64),
        before: &mut dyn FnMut(u64),
    ) -> Tally {
        let mut tally = Tally::default();
        for run in from..from + count {
            before(run);
            let mut random = Random::new(seed ^ (target as u64) << 56, run);
            let input = self.input(target, &mut random);
            let begun = Clock::start();
            let found = catch_unwind(AssertUnwindSafe(|| self.judged(target, &mut random, &input)));
            let found = match found {
                Ok(Ok(_)) if begun.worked() > BUDGET => {
                    Err(format!("it took {:.1} s", begun.worked().as_secs_f64()))
                }
                Ok(found) => found,
                Err(panic) => Err(format!("panic: {}", words(panic.as_ref()))),
            };
            tally.runs += 1;
            match found {
                Ok(code) => tally.ends[usize::from(code).min(2)] += 1,
                Err(why) => tally.finds.push((run, input, why)),
            }
        }
        tally
    }
    fn input(&self, target: Target, random: &mut Random) -> String {
        match target {
            Target::Expressions => expressions::expression(random),
            Target::Matrices => {
                let n = 1 + random.below(5);
                matrices::market(random, n)
            }
            Target::Starts => starts::start(random, &START_NAMES.map(str::to_owned)),
            Target::Models => models::model(random, &self.models),
            Target::Files => files::text(&files::file(random, &self.files)),
        }
    }
    pub(crate) fn judged(&self, target: Target, random: &mut Random, input: &str) -> Result<u8, String> {
        match target {
            Target::Expressions => expression_judged(input),
            Target::Matrices => self.matrix_judged(random, input),
            Target::Starts => {
                let (model, start) =
                    (self.write("start-model.toml", START_MODEL), self.write("start.json", input));
                let command = random.pick(&["modes", "equilibrium", "check", "state-space"]);
                let mut line = vec![command, &model, "--at", &start, "--json"];
                if random.once_in(3) {
                    line.push("--no-solve");
                }
                judge::answer(command, &answer(&line)?)
            }
            Target::Models => self.model_judged(random, input),
            Target::Files => self.file_judged(random, &files::bytes(input)),
        }
    }
    fn write(&self, name: &str, text: &str) -> String {
        let path = self.folder.join(name);
        // A run whose file is missing is refused, and counted as such.
        let _ = std::fs::write(&path, text);
        path.display().to_string()
    }
    fn matrix_judged(&self, random: &mut Random, input: &str) -> Result<u8, String> {
        let read = match matrix_market::read(input.as_bytes()) {
            Ok(read) => read,
            Err(error) => {
                judge::words(&error.to_string())?;
                return Ok(1);
            }
        };
        if !random.once_in(4) {
            return Ok(0);
        }
        let n = read.matrix.rows().min(6);
        let m = matrices::market(random, n);
        let first = self.write("K.mtx", input);
        let second = self.write("M.mtx", &m);
        let mut line = match random.below(4) {
            0 => vec!["modes", "--descriptor", &second, &first, "--json"],
            1 => vec!["modes", "--mass", &second, "--stiffness", &second, "--constraints", &first, "--json"],
            2 => vec!["modes", "--mass", &second, "--stiffness", &second, "--damping", &first, "--json"],
            _ => vec!["modes", "--mass", &second, "--stiffness", &first, "--json"],
        };
        line.extend(request(random));
        judge::answer("modes", &answer(&line)?)
    }
    /// Entries are finite and lie inside of the matrix; what is wrong is said.
    fn file_judged(&self, random: &mut Random, bytes: &[u8]) -> Result<u8, String> {
        let read = match matrix_file::read(bytes, None, "K") {
            Ok(Some(read)) => read,
            // Text.
            Ok(None) => return Ok(1),
            Err(error) => {
                judge::words(&mb_model::spec::legible(&error.to_string()))?;
                return Ok(1);
            }
        };
        let (rows, columns) = read.matrix.shape();
        if let Some((i, j, x)) = sparse::first_non_finite(&read.matrix) {
            return Err(format!("entry {i}, {j} is {x}"));
        }
        if read.matrix.iter().any(|(_, (i, j))| i >= rows || j >= columns) {
            return Err(format!("an entry lies outside of {rows} x {columns}"));
        }
        if !random.once_in(8) || rows.max(columns) > SMALL {
            return Ok(0);
        }
        let path = self.folder.join("matrix.bin");
        // A run whose file is missing is refused, and counted as such.
        let _ = std::fs::write(&path, bytes);
        let path = path.display().to_string();
        let mut line = vec!["modes", "--mass", &path, "--stiffness", &path, "--json"];
        line.extend(request(random));
        judge::answer("modes", &answer(&line)?)
    }
    fn model_judged(&self, random: &mut Random, input: &str) -> Result<u8, String> {
        let unknowns = match ModelSpec::from_toml(input).and_then(|spec| spec.build()) {
            Ok(model) => model.nv() + model.nc(),
            Err(error) => {
                error.problems().iter().try_for_each(|p| judge::words(&p.to_string()))?;
                0
            }
        };
        if unknowns > LARGE {
            return Ok(0);
        }
        let model = self.write("model.toml", input);
        let mut line = match if unknowns > SMALL { 0 } else { random.below(8) } {
            0 | 1 => vec!["check", &model],
            2 => vec!["equilibrium", &model, "--reactions"],
            3 => vec!["simulate", &model, "--until", "0.02", "--every", "0.005"],
            4 => vec!["state-space", &model, "--form", "reduced"],
            5 => vec!["equilibrium", &model, "--load-path"],
            _ => {
                let mut line = vec!["modes", &model];
                line.extend(request(random));
                line
            }
        };
        line.push("--json");
        judge::answer(line[0], &answer(&line)?)
    }
}

fn request(random: &mut Random) -> Vec<&'static str> {
    let requests: [&[&'static str]; 7] = [
        &[],
        &["--lowest", "2"],
        &["--band", "0.1", "5"],
        &["--near", "1", "--count", "2"],
        &["--largest", "1"],
        &["--all"],
        &["--near-point", "-1,2", "--count", "1"],
    ];
    requests[random.below(requests.len())].to_vec()
}

/// The program's answer to a command line.
fn answer(line: &[&str]) -> Result<Answer, String> {
    let line: Vec<OsString> = std::iter::once("mb").chain(line.iter().copied()).map(OsString::from).collect();
    let cli = args::parse(&line).map_err(|e| format!("the command line is not read: {e}"))?;
    let progress = Progress::QUIET.within(Some(LIMIT));
    Ok(mb_cli::run(&cli, Styles { progress, ..Styles::default() }))
}

/// Reads back what it writes; faults lie inside the text and are reported legibly.
fn expression_judged(input: &str) -> Result<u8, String> {
    match expression::parse(input) {
        Ok(term) => {
            let text = term.to_string();
            match expression::parse(&text) {
                Ok(again) if again == term => {}
                // What a term writes may have more operations than may be read: parentheses count.
                Err(e) if e.fault == expression::ExpressionFault::TooLong => {}
                other => return Err(format!("written as `{text}` it reads back as {other:?}")),
            }
            let value = term.eval(&|leaf| match leaf {
                expression::Leaf::Number(x) => *x,
                expression::Leaf::Name(name) => name.len() as f64,
            });
            Ok(u8::from(!value.is_finite()))
        }
        Err(error) => {
            if input.get(error.offset..).is_none() {
                return Err(format!("the fault lies at byte {} of {}", error.offset, input.len()));
            }
            judge::words(&mb_model::spec::legible(&error.to_string()))?;
            Ok(1)
        }
    }
}

fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|t| (*t).to_owned())).unwrap_or_default()
}

/// A model whose start the target `starts` gives: its configuration has a point, a body in space and an angle.
const START_MODEL: &str = include_str!("../../tests/fuzz/models/start.toml");
/// Its configuration numbers and rows, and names that it does not have.
const START_NAMES: [&str; 12] = [
    "rod.x",
    "rod.y",
    "rod.angle",
    "ball.x",
    "ball.y",
    "ball.z",
    "ball.e0",
    "ball.e1",
    "ball.e2",
    "ball.e3",
    "joint 'pin' (x)",
    "nothing.x",
];

/// The models of a folder, in the order of their names.
pub(crate) fn folder(path: &Path) -> Vec<(String, String)> {
    let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
    let mut out: Vec<(String, String)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_name()?.to_string_lossy().into_owned();
            Some((name, std::fs::read_to_string(&path).ok()?))
        })
        .collect();
    out.sort();
    out
}

/// Binary matrix files by other programs, in the order of their names.
pub(crate) fn matrix_files(root: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(root.join("crates/mb-cli/tests/matrices")) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e != "md"));
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

/// The models that runs start from: those of the gallery that are small, and those of the tree's corpus.
pub(crate) fn corpus(root: &Path) -> Vec<String> {
    let mut out: Vec<String> =
        folder(&root.join("crates/mb-gallery/models")).into_iter().map(|(_, text)| text).collect();
    out.extend(folder(&root.join("crates/mb-cli/tests/fuzz/models")).into_iter().map(|(_, text)| text));
    out
}
