//! While a simulation runs: a bar on the terminal, and the wish to stop.

use crate::progress::{self, Progress, Stoppable};
use mb_algebra::{Stopped, Watch};
use mb_constraints::simulate;
use std::cell::Cell;
use std::io::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Time between two pictures of the bar.
const PICTURE: Duration = Duration::from_millis(100);
const WIDTH: usize = 30;

/// The bar; it is drawn only on a terminal.
#[derive(Debug)]
pub(super) struct Live {
    watch: Watch,
    _stoppable: Stoppable,
    terminal: bool,
    last: Cell<Instant>,
    drawn: Cell<bool>,
}

impl Live {
    /// From now on a signal or the limit of time ends the run, which keeps what it has.
    pub(super) fn new(progress: Progress, limit: Duration) -> Self {
        Self {
            watch: progress.watch().or_within(limit),
            _stoppable: progress::stoppable(),
            terminal: progress.is_on(),
            last: Cell::new(Instant::now()),
            drawn: Cell::new(false),
        }
    }
    /// Sees a step; draws now and then.
    pub(super) fn see(&self, name: &str, p: &simulate::Progress) -> ControlFlow<()> {
        if self.watch.look().is_err() {
            return ControlFlow::Break(());
        }
        if self.terminal && self.last.get().elapsed() >= PICTURE {
            self.last.set(Instant::now());
            self.drawn.set(true);
            // The bar is a convenience: a terminal that is gone is no failure of the run.
            let _ = write!(std::io::stderr().lock(), "\r{}", bar(name, p));
        }
        ControlFlow::Continue(())
    }
    /// Does work that the same ends within a step.
    ///
    /// # Errors
    /// Why it ended, with nothing to keep.
    pub(super) fn during<T>(&self, work: impl FnOnce() -> T) -> Result<T, Stopped> {
        self.watch.scope(work)
    }
    /// Why the run was ended, if it was.
    pub(super) fn stopped(&self) -> Option<Stopped> {
        self.watch.look().err()
    }
    /// Removes the bar.
    pub(super) fn clear(&self) {
        if self.drawn.replace(false) {
            let _ = write!(std::io::stderr().lock(), "\r{:120}\r", "");
        }
    }
}

fn bar(name: &str, p: &simulate::Progress) -> String {
    let share = if p.until > 0.0 { (p.time / p.until).clamp(0.0, 1.0) } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the width")]
    let full = (share * WIDTH as f64) as usize;
    let (done, open) = ("#".repeat(full), "-".repeat(WIDTH - full));
    let bound = p.bound.map_or(String::new(), |b| format!(", bound by {:.0e} Hz", b.frequency_hz));
    format!("{name:24} [{done}{open}] {:3.0} %  t = {:.4} s, {} steps{bound}", 100.0 * share, p.time, p.steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_shows_the_share() {
        let mut progress = simulate::Progress { time: 1.0, until: 2.0, steps: 7, reports: 3, bound: None };
        let text = bar("standard", &progress);
        assert!(text.contains("[###############---------------]  50 %") && text.ends_with("steps"), "{text}");
        progress.bound = Some(simulate::StepBound { frequency_hz: 31_400.0, step: 1e-6, steps: 1e6 });
        assert!(bar("standard", &progress).ends_with("7 steps, bound by 3e4 Hz"));
    }
}
