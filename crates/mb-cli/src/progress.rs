//! What long work is at, on a terminal only.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
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
}

/// Work under way; the line disappears when this is dropped.
#[derive(Debug)]
pub struct Stage {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Nothing is shown.
    pub const QUIET: Self = Self { on: false };

    /// Shown when the standard error is a terminal that can clear a line.
    pub fn of_terminal() -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
        Self { on: std::io::stderr().is_terminal() && !dumb }
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
        Stage { running: Some((stop, std::thread::spawn(show))) }
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

/// Work is under way that can stop and keep what it has.
static STOPPABLE: AtomicBool = AtomicBool::new(false);
/// It was asked to.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Work that can stop by itself, until this is dropped.
#[derive(Debug)]
pub struct Stoppable(());

/// Begins work that stops by itself at Ctrl-C and keeps what it has.
pub fn stoppable() -> Stoppable {
    STOPPABLE.store(true, Ordering::Relaxed);
    Stoppable(())
}

impl Stoppable {
    /// True when the work is to stop.
    pub fn is_asked(&self) -> bool {
        ASKED.load(Ordering::Relaxed)
    }
}

impl Drop for Stoppable {
    fn drop(&mut self) {
        STOPPABLE.store(false, Ordering::Relaxed);
    }
}

/// Makes Ctrl-C end the program cleanly: no rest of a progress line, no half-written files, exit code 130.
pub fn end_on_interrupt() {
    let on = Progress::of_terminal().on;
    // Without a handler the system ends the program all the same.
    let _ = ctrlc::set_handler(move || {
        // Work that can stop is asked to first; a second time ends it like any other.
        if STOPPABLE.load(Ordering::Relaxed) && !ASKED.swap(true, Ordering::Relaxed) {
            return;
        }
        if on {
            clear();
        }
        crate::outfile::discard_drafts();
        let _ = writeln!(std::io::stderr(), "Interrupted.");
        std::process::exit(130);
    });
}
