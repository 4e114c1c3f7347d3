//! A run in parts, so that it can go on after an end from outside with the same bits.
//!
//! Each part covers the same number of reports and begins afresh from the configuration and velocities at its first one, so that
//! what comes after a part depends on these alone. A run that was ended goes on from its last whole part exactly as it would have
//! gone on by itself. The file appears whole or not at all, and is removed when the run has finished.
//!
//! Numbers stand in the file as the shortest decimals that read back as the same double.

use super::SimulateArgs;
use crate::failure::{Failure, RequestError};
use crate::outfile;
use crate::picture::PictureFormat;
use crate::source::{LARGEST_FILE, Text, read_file};
use mb_constraints::simulate::{
    self, End, Progress, Record, SimulationOptions, StartPolicy, Statistics, Trajectory,
};
use mb_linear::LinearError;
use mb_model::Model;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// Reports of a part.
const REPORTS: usize = 100;
/// Between two files on the way; bits depend on the parts alone.
const PAUSE: Duration = Duration::from_secs(2);

/// Changes whenever the meaning of a file does.
const VERSION: u32 = 1;

/// What a file holds; lists of numbers are texts, parted by spaces.
#[derive(Debug, Serialize, Deserialize)]
struct File {
    version: u32,
    /// Model, program and options: a run goes on only as the same run.
    run: String,
    counts: [usize; 7],
    times: String,
    q: String,
    v: String,
    a: String,
    lambda: String,
    records: String,
}

/// What makes a run this run: program, model and all that the command line says of it.
pub(super) fn identity(text: &Text, args: &SimulateArgs) -> String {
    let same = SimulateArgs {
        output: None,
        plot: None,
        plot_format: PictureFormat::Svg,
        json: false,
        reactions: false,
        checkpoint: None,
        ..args.clone()
    };
    let mut hasher = DefaultHasher::new();
    (&text.content, format!("{same:?}")).hash(&mut hasher);
    format!("mb {} {:016x}", env!("CARGO_PKG_VERSION"), hasher.finish())
}

/// Simulates in parts, from the last one that the file at `path` has.
///
/// # Errors
/// The errors of [`simulate::simulate`]; a file of another run; [`Failure::Unwritable`].
pub(super) fn simulate(
    path: &Path,
    run: &str,
    model: &Model,
    t: f64,
    (q, v): (&[f64], &[f64]),
    options: &SimulationOptions,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Trajectory, Failure> {
    let mut motion = read(path, run, model, &options.inputs)?;
    let mut written = Instant::now();
    loop {
        let from = motion.len().checked_sub(1);
        let begin = from.map_or(t, |i| motion.times[i]);
        let (q, v) = match from {
            Some(i) => (motion.q_at(i).to_vec(), motion.v_at(i).to_vec()),
            None => (q.to_vec(), v.to_vec()),
        };
        let start = if from.is_some() { StartPolicy::Keep } else { options.start };
        // Counted from the start of the run, so that parts end at the same doubles however often it was ended.
        let reports = from.unwrap_or(0) + REPORTS;
        let end = t + reports as f64 * options.every;
        let last = end >= options.until - 0.5 * options.every;
        let until = if last { options.until } else { end };
        let part = SimulationOptions { until, start, ..options.clone() };
        let mut see = |p: &Progress| observer(&Progress { until: options.until, ..*p });
        let next = simulate::simulate(model, begin, &q, &v, &part, &mut see).map_err(LinearError::from)?;
        let whole = next.end == End::Finished;
        let before = motion.clone();
        motion.append(next);
        if !whole {
            // A part that was ended is answered, and computed again.
            write(path, run, &before)?;
            return Ok(motion);
        }
        if last {
            return Ok(motion);
        }
        if written.elapsed() >= PAUSE {
            write(path, run, &motion)?;
            written = Instant::now();
        }
    }
}

/// Removes the file of a run that has finished.
///
/// # Errors
/// [`Failure::Unwritable`].
pub(super) fn remove(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::Unwritable { path: path.display().to_string(), source })
        }
        _ => Ok(()),
    }
}

/// The motion that a file has; none without a file.
fn read(path: &Path, run: &str, model: &Model, inputs: &[f64]) -> Result<Trajectory, Failure> {
    let mut motion = Trajectory::empty(model, inputs);
    let shown = path.display().to_string();
    let bad = |reason: &str| RequestError::BadCheckpoint { path: shown.clone(), reason: reason.to_owned() };
    let bytes = match read_file(path, LARGEST_FILE) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(motion),
        Err(e) => return Err(bad(&e.to_string()).into()),
    };
    let file: File =
        serde_json::from_slice(&bytes).map_err(|_| bad("it is no checkpoint of this program"))?;
    if file.version != VERSION || file.run != run {
        return Err(bad("it belongs to another run: another model, other options or another version").into());
    }
    let list = |text: &str, each: usize| {
        let reports = file.times.split_whitespace().count();
        numbers(text)
            .filter(|list| list.len() == reports * each)
            .ok_or_else(|| bad("its numbers are not whole"))
    };
    motion.times = list(&file.times, 1)?;
    motion.q = list(&file.q, model.nq())?;
    motion.v = list(&file.v, model.nv())?;
    motion.a = list(&file.a, model.nv())?;
    motion.lambda = list(&file.lambda, model.nc())?;
    motion.records = list(&file.records, 6)?
        .chunks_exact(6)
        .map(|r| Record {
            violation: r[0],
            velocity_violation: r[1],
            kinetic: r[2],
            potential: r[3],
            work: r[4],
            drift: r[5],
        })
        .collect();
    let [steps, rejected, evaluations, capped, corrections, most_iterations, factorizations] = file.counts;
    motion.statistics =
        Statistics { steps, rejected, evaluations, capped, corrections, most_iterations, factorizations };
    Ok(motion)
}

/// Writes the motion so far.
///
/// # Errors
/// [`Failure::Unwritable`].
fn write(path: &Path, run: &str, motion: &Trajectory) -> Result<(), Failure> {
    let s = &motion.statistics;
    let of = |r: &Record| [r.violation, r.velocity_violation, r.kinetic, r.potential, r.work, r.drift];
    let file = File {
        version: VERSION,
        run: run.to_owned(),
        counts: [
            s.steps,
            s.rejected,
            s.evaluations,
            s.capped,
            s.corrections,
            s.most_iterations,
            s.factorizations,
        ],
        times: decimals(&motion.times),
        q: decimals(&motion.q),
        v: decimals(&motion.v),
        a: decimals(&motion.a),
        lambda: decimals(&motion.lambda),
        records: decimals(&motion.records.iter().flat_map(of).collect::<Vec<f64>>()),
    };
    let text = serde_json::to_string(&file).unwrap_or_default();
    outfile::write(path, |out| out.write_all(text.as_bytes()))
}

fn decimals(list: &[f64]) -> String {
    let words: Vec<String> = list.iter().map(|x| format!("{x:?}")).collect();
    words.join(" ")
}

fn numbers(text: &str) -> Option<Vec<f64>> {
    text.split_whitespace().map(|word| word.parse().ok()).collect()
}
