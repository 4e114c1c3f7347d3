//! `cargo xtask fuzz`: random inputs by the million through the program's own entry.
//!
//! Arguments: SECONDS SEED FROM [TARGET [RUNS]]. Prints one line for each target: its name, runs, right answers, refusals,
//! failed numerics, finds. Finds go to the standard error with their input. A run that does not end is named and ends the program.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports")]

mod clock;
mod engine;
mod expressions;
mod files;
mod judge;
mod matrices;
mod models;
mod random;
mod starts;

use clock::Clock;
use engine::{Tally, Target, Workshop, corpus, matrix_files};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Runs between two readings of the clock.
const SLICE: u64 = 50;
/// All targets, the quick ones first.
const TARGETS: [Target; 5] =
    [Target::Expressions, Target::Matrices, Target::Files, Target::Starts, Target::Models];

/// Share of the time for each target, in the order of [`TARGETS`].
const SHARES: [f64; 5] = [0.05, 0.1, 0.1, 0.25, 0.5];
/// A run that works for longer hangs, and so does one that waits for longer.
const HANGS: Duration = Duration::from_secs(60);
const WAITS: Duration = Duration::from_secs(3600);

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default: u64| args.get(k).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (seconds, seed, from) = (number(0, 60), number(1, 1), number(2, 0));
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => {
            eprintln!("no temporary folder: {error}");
            return ExitCode::from(2);
        }
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workshop =
        Workshop { models: corpus(&root), files: matrix_files(&root), folder: folder.path().to_owned() };
    std::panic::set_hook(Box::new(|info| {
        if std::env::var_os("FUZZ_TRACE").is_some() {
            eprintln!("{info}\n{}", std::backtrace::Backtrace::force_capture());
        }
    }));
    let current = watched(seed);
    let mut found = false;
    for (k, target) in TARGETS.into_iter().enumerate() {
        if args.get(3).is_some_and(|name| name != target.name()) {
            continue;
        }
        let time = if args.len() > 3 { seconds as f64 } else { SHARES[k] * seconds as f64 };
        let (begun, most) = (Instant::now(), number(4, u64::MAX));
        let mut sum = Tally::default();
        while begun.elapsed().as_secs_f64() < time && sum.runs < most {
            let slice = (from + sum.runs, SLICE.min(most - sum.runs));
            let tally = workshop.runs(target, seed, slice, &mut |run| current.store(run, Ordering::Relaxed));
            for (run, input, why) in &tally.finds {
                eprintln!("find: {} seed {seed} run {run}: {why}\n---\n{input}\n---", target.name());
            }
            sum.runs += tally.runs;
            sum.ends.iter_mut().zip(tally.ends).for_each(|(a, b)| *a += b);
            sum.finds.extend(tally.finds);
        }
        current.store(u64::MAX, Ordering::Relaxed);
        let [right, refused, failed] = sum.ends;
        println!("{};{};{right};{refused};{failed};{}", target.name(), sum.runs, sum.finds.len());
        found |= !sum.finds.is_empty();
    }
    ExitCode::from(u8::from(found))
}

/// The number of the run that is under way; a thread ends the program when it stays the same for too long.
fn watched(seed: u64) -> Arc<AtomicU64> {
    let current = Arc::new(AtomicU64::new(u64::MAX));
    let seen = Arc::clone(&current);
    std::thread::spawn(move || {
        let (mut last, mut since) = (u64::MAX, Clock::start());
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let now = seen.load(Ordering::Relaxed);
            if now != last {
                (last, since) = (now, Clock::start());
            } else if now != u64::MAX && (since.worked() > HANGS || since.passed() > WAITS) {
                eprintln!("find: seed {seed} run {now} does not end");
                std::process::exit(3);
            }
        }
    });
    current
}
