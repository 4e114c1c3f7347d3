//! `mb sweep`: the modes of many cases, as a table; stability over a grid, with its boundaries.

mod design;
mod jobs;
mod map;
mod report;
mod rows;

pub use mb_analysis::sweep::Row;

use crate::Answer;
use crate::args::{ModelArgs, MotionArgs, StartArgs, SweepArgs};
use crate::failure::{Failure, RequestError};
use crate::history::{self, Format};
use crate::json;
use crate::outfile;
use crate::picture;
use crate::progress::{self, Progress};
use crate::render::Style;
use crate::source::{Text, load};
use jobs::Jobs;
use mb_algebra::{Stopped, Watch};
use mb_analysis::checkpoint::fingerprint;
use mb_analysis::periodic::OrbitSearch;
use mb_analysis::sweep::{
    Boundary, Case, CaseOptions, Design, Table, Taken, boundaries, in_words, looks, run as run_cases, solve,
    solve_periodic,
};
use rows::Journal;
use std::io::Write as _;
use std::ops::ControlFlow;

/// Everything the command found.
#[derive(Debug)]
pub struct Sweep {
    /// Name of the model and of its file.
    pub model: [String; 2],
    /// The values of every case.
    pub design: Design,
    /// What became of each case; none where it belongs to another shard or was not reached.
    pub rows: Vec<Option<Row>>,
    /// The state that was taken in every case.
    pub taken: Taken,
    /// The same with all that was asked for of it, in words: what rows of two runs must share.
    pub state: String,
    /// The model of the first case, which rows of two runs must share too.
    pub fingerprint: String,
    /// Number of modes of a row.
    pub count: usize,
    /// Where stability changes.
    pub boundary: Boundary,
    /// What ended the sweep before all cases were solved.
    pub stopped: Option<Stopped>,
}

impl Sweep {
    /// The table of its cases.
    fn table(&self) -> Table<'_> {
        Table { design: &self.design, state: &self.state, model: &self.fingerprint, count: self.count }
    }
}

/// Runs the command.
///
/// # Errors
/// Anything wrong with the model or the request. A case that fails is a row with its message, not an error.
pub fn run(text: &Text, args: &SweepArgs, style: Style, progress: Progress) -> Result<Answer, Failure> {
    let format = args.output.as_deref().map(history::format_of).transpose()?;
    picture::check_file("--map", args.map.as_deref())?;
    if args.motion.instant {
        return Err(RequestError::NotOfAnInstant { option: "mb sweep" }.into());
    }
    let found = analyse(text, args, progress)?;
    crate::guard::work_is_done();
    if let (Some(path), Some(format), false) = (&args.output, format, found.stopped.is_some()) {
        let bytes = match format {
            Format::Csv => rows::csv(&found),
            Format::Json => json::sweep::document(&found).into_bytes(),
            Format::Npz => crate::npz::archive(&rows::arrays(&found)),
        };
        outfile::write(path, |out| out.write_all(&bytes))?;
        Journal::remove(path);
        if let Some(jobs) = Jobs::of(args) {
            jobs.remove();
        }
    }
    if let Some(path) = args.map.as_deref().filter(|_| found.stopped.is_none()) {
        picture::write(path, &map::picture(&found))?;
    }
    let text = if args.json { json::sweep::document(&found) } else { report::words(&found, style) };
    let mut answer = Answer::right(text);
    if let Some(why) = found.stopped {
        let rest = match &args.output {
            None => "their results are not kept without --output".to_owned(),
            Some(_) if args.launcher.is_some() => "the same command goes on from here".to_owned(),
            Some(path) => format!("--resume {} goes on from here", Journal::place(path).display()),
        };
        let cases = found.rows.iter().flatten().count();
        (answer.complaint, answer.code) = match why {
            Stopped::Asked => (
                format!("Interrupted after {cases} cases; {rest}.\n"),
                progress::signalled().unwrap_or(progress::INTERRUPTED),
            ),
            Stopped::TimeUp { limit } => (
                format!(
                    "The time limit of {} s was reached after {cases} cases; {rest}.\n",
                    limit.as_secs_f64()
                ),
                crate::failure::NUMERICS,
            ),
        };
    } else if found.rows.iter().flatten().all(|row| row.case().is_none()) {
        answer.complaint.push_str("No case of the sweep could be solved.\n");
        answer.code = crate::failure::NUMERICS;
    }
    Ok(answer)
}

/// Does the analysis.
///
/// # Errors
/// As [`run`].
pub fn analyse(text: &Text, args: &SweepArgs, progress: Progress) -> Result<Sweep, Failure> {
    let design = design::of(args)?;
    let names = &design.names;
    if let Some(set) = args.model.set.iter().find(|set| names.contains(&set.name)) {
        let reason = format!("{} is a parameter of the sweep and cannot be --set too", set.name);
        return Err(RequestError::BadDesign { option: design::option(args), reason }.into());
    }
    let with = |values: &[f64]| {
        let mut model = args.model.clone();
        model.set.extend(design::assignments(names, values));
        model
    };
    // What is wrong with the model itself, or with a name, is said once and before any case.
    let first = design.points.first().ok_or(RequestError::NoCases)?;
    let loaded = load(text, &with(first)).or_else(|failure| match failure {
        Failure::Request(RequestError::NoSuchParameter { name, known, .. }) if names.contains(&name) => {
            Err(RequestError::NoSuchParameter { option: design::option(args), name, known }.into())
        }
        Failure::Request(_) => Err(failure),
        _ => load(text, &args.model),
    })?;
    crate::start::with_motion(&loaded.model, &args.start, &args.motion)?;
    let count = args.lowest;
    let taken = if let Some(period) = &args.floquet {
        Taken::Periodic(period.clone())
    } else if args.motion.given() {
        Taken::Asked
    } else {
        let strategy = crate::start::strategy(args.start.strategy);
        Taken::of(&design, &loaded.model, strategy, "--moving takes them", |values| {
            Some(load(text, &with(values)).ok()?.model)
        })
    };
    let _keeps = progress::stoppable();
    let watch = progress.watch();
    let solve_at = |case: Option<usize>, values: &[f64]| {
        case_at(text, args, (&with(values), case), &taken, &watch).map_err(|failure| failure.to_string())
    };

    let state = state_of(args, &taken);
    let mut rows: Vec<Option<Row>> = vec![None; design.len()];
    let fingerprint = fingerprint(&loaded.model);
    let table = Table { design: &design, state: &state, model: &fingerprint, count };
    for path in &args.resume {
        rows::take(path, &table, &mut rows)?;
    }
    let mut ended = None;
    if let Some(jobs) = Jobs::of(args) {
        take_files(&jobs, &table, &mut rows)?;
        let open: Vec<usize> = (0..design.len()).filter(|k| rows[*k].is_none()).collect();
        let _stage = progress.stage(&format!("{} jobs for {} cases", jobs.parts, open.len()));
        ended = match progress.unless_ended(|| jobs.run(&open)) {
            Ok(done) => {
                done?;
                None
            }
            Err(why) => Some(why),
        };
        take_files(&jobs, &table, &mut rows)?;
    }
    let mine = |case: &usize| args.shard.is_none_or(|shard| case % shard.of == shard.part - 1);
    let open: Vec<usize> =
        (0..design.len()).filter(mine).filter(|k| rows[*k].is_none() && ended.is_none()).collect();
    // Of jobs, each keeps its own.
    let output = args.output.as_deref().filter(|_| args.launcher.is_none());
    let mut journal = output.map(|path| Journal::begin(path, table, &rows)).transpose()?;
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let stage = progress.stage(&format!("solving {} cases", open.len()));
    let (mut failed, mut stopped) = (None, ended);
    let solve_case = |k: usize| solve_at(Some(k), &design.points[k]);
    let keep = |k: usize, result| {
        let row = Row::of(result);
        if let Some(Err(failure)) = journal.as_mut().map(|journal| journal.add(k, &row)) {
            failed = Some(failure);
            return ControlFlow::Break(());
        }
        rows[k] = Some(row);
        stopped = watch.look().err();
        if stopped.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    // The cases under way end with the work; those that were kept stay.
    let ended = progress.unless_ended(|| run_cases(&open, jobs, solve_case, keep));
    stopped = stopped.or(ended.err());
    drop(stage);
    if let Some(failure) = failed {
        return Err(failure);
    }
    let mut boundary = Boundary::default();
    if args.map.is_some() && stopped.is_none() {
        let _stage = progress.stage("solving for the boundaries of stability");
        let cases: Vec<Option<Case>> = rows.iter().map(|row| row.as_ref()?.case().cloned()).collect();
        boundary = boundaries(&design, &cases, |values| {
            watch.look().map_err(|why| why.to_string()).and_then(|()| solve_at(None, values))
        });
        stopped = watch.look().err();
    }
    let model = [loaded.model.name.clone(), loaded.file];
    Ok(Sweep { model, design, rows, taken, state, fingerprint, count, boundary, stopped })
}

/// Takes the cases that stand in the files of parts.
fn take_files(jobs: &Jobs<'_>, table: &Table<'_>, rows: &mut [Option<Row>]) -> Result<(), Failure> {
    jobs.files().try_for_each(|path| rows::take(&path, table, rows))
}

/// The state that cases take in words, with what the request says of the start and of the motion.
fn state_of(args: &SweepArgs, taken: &Taken) -> String {
    let (start, motion) = (&args.start, &args.motion);
    let lists = [("spin", &motion.spin), ("velocity", &motion.velocity), ("input", &start.input)];
    let mut asked: Vec<(&str, String)> = Vec::new();
    for (what, list) in lists {
        asked.extend(list.iter().map(|a| (what, format!("{}={}", a.name, a.value))));
    }
    asked.extend(start.at.iter().map(|at| ("at", at.clone())));
    asked.extend(motion.frame.iter().map(|frame| ("frame", frame.clone())));
    if start.time != 0.0 {
        asked.push(("time", start.time.to_string()));
    }
    asked.extend(args.floquet.iter().map(|period| ("period", period.clone())));
    if start.no_solve {
        asked.push(("no-solve", String::new()));
    }
    in_words(taken, asked)
}

/// One case, from the text of the model to its modes; `case`: its number in the design, none between cases.
fn case_at(
    text: &Text,
    args: &SweepArgs,
    (model, case): (&ModelArgs, Option<usize>),
    taken: &Taken,
    watch: &Watch,
) -> Result<Case, Failure> {
    let loaded = load(text, model)?;
    let count = args.lowest;
    if let Some(period) = &args.floquet {
        let given = StartArgs { no_solve: true, ..args.start.clone() };
        let (start, moving) = crate::start::with_motion(&loaded.model, &given, &args.motion)?;
        let mut search = OrbitSearch::with_period(period, start, moving);
        search.options.watch = watch.clone();
        return solve_periodic(&loaded.spec, &loaded.model, &search, count)
            .map_err(|e| Failure::from(e).with_option("--floquet"));
    }
    let moving = args.motion.moving || taken.moves(&loaded.model);
    let motion = MotionArgs { moving, ..args.motion.clone() };
    let (start, mut motion) = crate::start::with_motion(&loaded.model, &args.start, &motion)?;
    if let Some(motion) = &mut motion {
        motion.looks = looks(&loaded.model, case);
    }
    Ok(solve(&loaded.model, &CaseOptions { start, motion, count })?)
}
