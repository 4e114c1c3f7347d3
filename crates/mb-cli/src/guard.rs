//! The last resort: a program that ends by itself, in words, before its time or the memory of the machine is used up.
//!
//! Searches check their own budgets and end with what they have. What has none, such as one factorization or the reading of a
//! file, is ended from here.

use crate::failure::NUMERICS;
use crate::{memory, outfile};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Between two looks.
const LOOK: Duration = Duration::from_millis(100);
/// Work that checks its own limit gets this share of it, and not less than this, to end by itself.
const GRACE: (f64, Duration) = (0.1, Duration::from_secs(2));
/// The limit of commands that nobody limits: ten minutes, and this much for every coordinate and constraint row.
const DEFAULT: Duration = Duration::from_secs(600);
const FOR_EACH: Duration = Duration::from_millis(200);
/// Share of the memory left at the start that may be used.
const SHARE: f64 = 0.9;

/// The remedy where the address space is limited.
const SMALLER: &str = "make the model or the request smaller, or the limit (ulimit -v) larger";

/// The limit in ms from the start; zero for none.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Gives a command that has no limit one in proportion to its model or matrices.
pub fn size(unknowns: usize) {
    let limit = DEFAULT + FOR_EACH.saturating_mul(u32::try_from(unknowns).unwrap_or(u32::MAX));
    let _ = LIMIT.compare_exchange(0, milliseconds(limit), Ordering::Relaxed, Ordering::Relaxed);
}

/// From here on only what was computed is written: the limit of time has ended the work where it had to, and would lose it.
pub fn work_is_done() {
    LIMIT.store(0, Ordering::Relaxed);
}

/// When the program began.
static BEGUN: OnceLock<Instant> = OnceLock::new();

/// The limit from the start of the program; zero for none.
fn limit() -> Duration {
    Duration::from_millis(LIMIT.load(Ordering::Relaxed))
}

/// When the time of the program is over, and its limit; none where nothing is watched or limited.
pub fn end() -> Option<(Instant, Duration)> {
    let limit = limit();
    let end = BEGUN.get()?.checked_add(limit)?;
    (limit > Duration::ZERO).then_some((end, limit))
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Watches time and memory until the program ends; `json` for errors as documents.
pub fn start(limit: Option<Duration>, json: bool) {
    let begun = *BEGUN.get_or_init(Instant::now);
    LIMIT.store(limit.map_or(0, milliseconds), Ordering::Relaxed);
    let (words, help) = ("The memory that the program may take is used up.", SMALLER);
    memory::end_in_words(in_words(words, help, json), NUMERICS);
    let most = saddle_ldlt::available_memory().map(|left| own_memory().unwrap_or(0) + part(left));
    let watch = move || {
        loop {
            std::thread::sleep(LOOK);
            let limit = self::limit();
            if limit > Duration::ZERO && begun.elapsed() > limit + GRACE.1.max(limit.mul_f64(GRACE.0)) {
                let seconds = limit.as_secs_f64();
                end_program(
                    &format!("The time limit of {seconds} s was reached."),
                    "--time-limit SECONDS changes it",
                    json,
                );
            }
            if let (Some(most), Some(used)) = (most, own_memory())
                && used > most
            {
                let used = used as f64 / f64::from(1 << 30);
                let words = format!("The work needs more memory than there is: {used:.1} GiB are used.");
                end_program(&words, "make the model or the request smaller", json);
            }
            if let Some((used, most)) = saddle_ldlt::address_space()
                && used > part(most)
            {
                let [used, most] = [used, most].map(|bytes| bytes as f64 / f64::from(1 << 30));
                let words = format!(
                    "The work needs more memory than it may take: {used:.1} GiB of an address space of {most:.1} GiB are used."
                );
                end_program(&words, SMALLER, json);
            }
        }
    };
    // Without the thread the program goes on unguarded.
    let _ = std::thread::Builder::new().name("guard".to_owned()).spawn(watch);
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a number of bytes")]
fn part(bytes: u64) -> u64 {
    (SHARE * bytes as f64) as u64
}

/// Memory of this process in bytes; none where the system does not report it.
fn own_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| 1024 * kib)
}

/// The text of an end at a limit.
fn in_words(words: &str, help: &str, json: bool) -> String {
    if json { crate::json::limit(words, help) } else { format!("error: {words}\n  = help: {help}\n") }
}

fn end_program(words: &str, help: &str, json: bool) -> ! {
    outfile::discard_drafts();
    let _ = std::io::stderr().write_all(in_words(words, help, json).as_bytes());
    std::process::exit(i32::from(NUMERICS));
}
