//! What long work is at, on a terminal only, and its end by a signal or a limit of time.

use mb_algebra::{Stopped, Watch};
use std::io::{IsTerminal, Write};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);
/// Between two updates.
const TICK: Duration = Duration::from_millis(250);
/// Back to the start of the line, and clear it.
const CLEAR: &str = "\r\x1b[2K";

/// Whether progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    on: bool,
    /// Time that searches may take, where the command line says so.
    limit: Option<Duration>,
}

/// Work under way; the line disappears when this is dropped.
#[derive(Debug)]
pub struct Stage {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Nothing is shown.
    pub const QUIET: Self = Self { on: false, limit: None };

    /// Shown when the standard error is a terminal that can clear a line.
    pub fn of_terminal() -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
        Self { on: std::io::stderr().is_terminal() && !dumb, limit: None }
    }

    /// The same with a limit of time for every search.
    pub fn within(self, limit: Option<Duration>) -> Self {
        Self { limit, ..self }
    }
    /// What a search that begins now checks for its end.
    pub fn watch(self) -> Watch {
        let asked = ASKED.clone();
        match self.limit {
            Some(limit) => asked.or_within(limit),
            None => asked,
        }
    }
    /// Does work that is ended as soon as a signal comes or the limit of time of the program is over: it gives what it has kept, or is
    /// dropped, and the caller goes on with what it has.
    ///
    /// # Errors
    /// Why it ended.
    pub fn unless_ended<T>(self, work: impl FnOnce() -> T) -> Result<T, Stopped> {
        let _keeps = stoppable();
        // The limit of a search may end before that of the program, whose default one is longer.
        let own = self.limit.and_then(|limit| Some((Instant::now().checked_add(limit)?, limit)));
        let ends = [crate::guard::end(), own].into_iter().flatten();
        let watch = match ends.min_by_key(|(end, _)| *end) {
            Some((end, limit)) => ASKED.clone().or_until(end, limit),
            None => ASKED.clone(),
        };
        watch.look()?;
        watch.scope(work)
    }
    /// True when progress is shown.
    pub fn is_on(self) -> bool {
        self.on
    }
    /// Begins some work.
    pub fn stage(self, what: &str) -> Stage {
        if !self.on {
            return Stage { running: None };
        }
        let (stop, stopped) = channel::<()>();
        let what = what.to_owned();
        let show = move || {
            let begun = Instant::now();
            let mut wait = PATIENCE;
            let mut shown = false;
            while stopped.recv_timeout(wait) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                wait = TICK;
                shown = true;
                let mut err = std::io::stderr().lock();
                let _ = write!(err, "{CLEAR}{what} ... {:.0} s", begun.elapsed().as_secs_f64());
                let _ = err.flush();
            }
            if shown {
                clear();
            }
        };
        // Without a thread nothing is shown.
        let shown = std::thread::Builder::new().spawn(show).ok();
        Stage { running: shown.map(|thread| (stop, thread)) }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            drop(stop);
            // It only writes to the terminal; nothing depends on how that went.
            let _ = thread.join();
        }
    }
}

fn clear() {
    let mut err = std::io::stderr().lock();
    let _ = write!(err, "{CLEAR}");
    let _ = err.flush();
}

/// Work under way that can stop and keep what it has.
static STOPPABLE: AtomicUsize = AtomicUsize::new(0);
/// What it checks; set by a signal.
static ASKED: LazyLock<Watch> = LazyLock::new(Watch::new);
/// The exit code of the first signal; zero before.
static CODE: AtomicU8 = AtomicU8::new(0);

/// Exit codes of programs that a signal ends: 128 and its number. This one is that of Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Work that can stop by itself, until this is dropped.
#[derive(Debug)]
pub struct Stoppable(());

/// Begins work that stops by itself at a signal and keeps what it has.
pub fn stoppable() -> Stoppable {
    STOPPABLE.fetch_add(1, Ordering::Relaxed);
    Stoppable(())
}

impl Drop for Stoppable {
    fn drop(&mut self) {
        STOPPABLE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The exit code of the signal that was asked to stop, if there was one.
pub fn signalled() -> Option<u8> {
    Some(CODE.load(Ordering::Relaxed)).filter(|code| *code > 0)
}

/// Makes signals end the program cleanly: no rest of a progress line, no half-written files, the exit code that shells expect.
///
/// Work that can stop is asked to first; a second signal ends it like any other.
pub fn end_on_signals() {
    let on = Progress::of_terminal().on;
    // Without handlers the system ends the program all the same.
    signals::handle(move |code| {
        if STOPPABLE.load(Ordering::Relaxed) > 0 && CODE.swap(code, Ordering::Relaxed) == 0 {
            ASKED.set();
            return;
        }
        if on {
            clear();
        }
        crate::outfile::discard_drafts();
        let word = if code == INTERRUPTED { "Interrupted." } else { "Terminated." };
        // A second signal ends work that had something to keep.
        let kept =
            if CODE.swap(code, Ordering::Relaxed) == 0 { " There is no part of an answer yet." } else { "" };
        let _ = writeln!(std::io::stderr(), "{word}{kept}");
        std::process::exit(i32::from(code));
    });
}

#[cfg(unix)]
mod signals {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use std::sync::Arc;

    /// Calls `act` with the exit code at every signal that asks for an end, on a thread of its own: Ctrl-C, a request to
    /// terminate, a terminal that is closed, a limit of processor time.
    pub(super) fn handle(act: impl Fn(u8) + Send + 'static) {
        // A file beyond the limit of its size is then an error of the write, which has words, and no end of the program.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
        let ignored = ignored();
        let heeded = [SIGINT, SIGTERM, SIGHUP, SIGXCPU].into_iter().filter(|s| ignored & (1 << (s - 1)) == 0);
        let Ok(mut signals) = Signals::new(heeded) else { return };
        // Without a thread a signal does what the system has it do.
        let _ = std::thread::Builder::new().spawn(move || {
            for signal in signals.forever() {
                act(u8::try_from(128 + signal).unwrap_or(super::INTERRUPTED));
            }
        });
    }

    /// The signals that whoever began the program has it ignore, as `nohup` does, a bit for each; none where the system does
    /// not report them.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
    }
}

#[cfg(not(unix))]
mod signals {
    /// Calls `act` with the exit code at every Ctrl-C, on a thread of its own.
    pub(super) fn handle(act: impl Fn(u8) + Send + 'static) {
        let _ = ctrlc::set_handler(move || act(super::INTERRUPTED));
    }
}
