//! The end of long work from outside: a wish to stop, and a limit of time.
//!
//! Every loop that may run for long looks at its [`Watch`] once a step. A watch that nobody set costs a branch.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why work stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// Somebody asked for it.
    #[error("it was interrupted")]
    Asked,
    /// Its time was over.
    #[error("its time limit of {} s was reached", limit.as_secs_f64())]
    TimeUp {
        /// The limit.
        limit: Duration,
    },
}

/// What long work looks at.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    asked: Option<Arc<AtomicBool>>,
    end: Option<(Instant, Duration)>,
}

impl Watch {
    /// Ends when `asked` becomes true.
    pub fn on(asked: Arc<AtomicBool>) -> Self {
        Self { asked: Some(asked), end: None }
    }
    /// The same, and not later than `limit` from now, unless it has a limit already.
    pub fn or_within(mut self, limit: Duration) -> Self {
        self.end = self.end.or_else(|| Instant::now().checked_add(limit).map(|end| (end, limit)));
        self
    }
    /// Whether work may go on.
    ///
    /// # Errors
    /// Why it may not.
    pub fn look(&self) -> Result<(), Stopped> {
        if self.asked.as_ref().is_some_and(|asked| asked.load(Ordering::Relaxed)) {
            return Err(Stopped::Asked);
        }
        match self.end {
            Some((end, limit)) if Instant::now() >= end => Err(Stopped::TimeUp { limit }),
            _ => Ok(()),
        }
    }
}

/// Watches are equal when they wait for the same: options that differ in nothing else are equal.
impl PartialEq for Watch {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.asked, &other.asked) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        same && self.end == other.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_by_a_wish_and_by_its_time() {
        assert_eq!(Watch::default().look(), Ok(()));
        let asked = Arc::new(AtomicBool::new(false));
        let watch = Watch::on(Arc::clone(&asked)).or_within(Duration::from_secs(3600));
        assert_eq!(watch.look(), Ok(()));
        asked.store(true, Ordering::Relaxed);
        assert_eq!(watch.look(), Err(Stopped::Asked));
        let limit = Duration::ZERO;
        let over = Watch::default().or_within(limit).or_within(Duration::from_secs(3600));
        assert_eq!(over.look(), Err(Stopped::TimeUp { limit }));
    }
}
