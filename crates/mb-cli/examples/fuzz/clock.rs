//! What a run takes: time of the processors, so that a busy machine makes no finds.

use std::time::{Duration, Instant};

/// One hundredth of a second: what Linux counts the time of processes in, on every machine.
const TICK: Duration = Duration::from_millis(10);

/// A clock that runs while this process works.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    begun: Instant,
    used: Option<Duration>,
}

impl Clock {
    /// A clock that begins now.
    pub(crate) fn start() -> Self {
        Self { begun: Instant::now(), used: used() }
    }
    /// Time that the threads of this process have worked since, in sum; the time that passed where the system does not report it.
    pub(crate) fn worked(self) -> Duration {
        let passed = self.begun.elapsed();
        match (self.used, used()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => passed,
        }
    }
    /// Time that passed.
    pub(crate) fn passed(self) -> Duration {
        self.begun.elapsed()
    }
}

/// Time that this process has worked; none where the system does not report it.
fn used() -> Option<Duration> {
    ticks(&std::fs::read_to_string("/proc/self/stat").ok()?).map(|ticks| TICK * ticks)
}

/// Ticks in the program and in the system for it: fields 14 and 15 of the line, where the name in parentheses is field 2.
pub(crate) fn ticks(line: &str) -> Option<u32> {
    let mut fields = line.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u32>().ok();
    next()?.checked_add(next()?)
}
