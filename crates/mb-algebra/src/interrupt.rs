//! Long work that another thread or a limit of time can end.
//!
//! ```
//! use mb_algebra::interrupt::{self, Stopped, Watch};
//!
//! let watch = Watch::new();
//! assert_eq!(watch.scope(|| 6 * 7), Ok(42));
//! // Another thread, or the handler of a signal, holds a clone and sets it.
//! watch.clone().set();
//! let ended = watch.scope(|| loop {
//!     interrupt::check();
//! });
//! assert_eq!(ended, Err(Stopped::Asked));
//! ```
//!
//! There is one [`Watch`] and there are two ways to look at it. A loop that keeps what it has asks [`Watch::look`] once a step and
//! ends by itself. All else looks with [`check`]: factorizations at every front, eigenvalue searches at every solve, and all
//! iterations of this workspace at every step. A watch that is over unwinds the stack to its scope, like a panic without a message:
//! nothing between needs an error of its own, and no fallback takes an interrupt for a failure of its method. Salsa cancels queries
//! in the same way. What the work owns is dropped on the way; a loop within the scope that wants to keep its earlier steps does each
//! of them in [`attempt`]. Without a scope, [`check`] does nothing.
//!
//! One call of a dense routine of another library has no such place inside: large ones run on a thread of their own ([`aside`]), which
//! an interrupt leaves behind. Programs compiled with `panic = "abort"` end at an interrupt.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// What long work looks at: a wish to stop, which clones share, and a limit of time. It counts the steps of the work.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    flag: Option<Arc<Flag>>,
    end: Option<(Instant, Duration)>,
    /// Steps after which the work ends.
    most: Option<u64>,
}

#[derive(Debug, Default)]
struct Flag {
    set: AtomicBool,
    steps: AtomicU64,
}

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

/// What unwinds.
struct Unwinding(Stopped);

/// The scope of a thread, for work that is handed to others.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// What the work looks at.
    watch: Option<Watch>,
    /// What it looked at before its answer was being made, and what [`optional`] parts of that look at.
    before: Option<Watch>,
}

thread_local! {
    /// The innermost scope on this thread.
    static CURRENT: RefCell<Scope> = const { RefCell::new(Scope { watch: None, before: None }) };
}

/// Puts the outer scope back, however the work ends.
struct Outer(Scope);

impl Drop for Outer {
    fn drop(&mut self) {
        CURRENT.set(std::mem::take(&mut self.0));
    }
}

impl Watch {
    /// A watch that can be set. The default one cannot: it costs a branch.
    pub fn new() -> Self {
        Self { flag: Some(Arc::default()), ..Self::default() }
    }

    /// A watch that ends work on one thread after so many steps: at the same place in every run.
    pub fn after(steps: u64) -> Self {
        Self { most: Some(steps), ..Self::new() }
    }

    /// The same, and not later than `limit` from now, unless it has a limit already.
    #[must_use]
    pub fn or_within(mut self, limit: Duration) -> Self {
        self.end = self.end.or_else(|| Instant::now().checked_add(limit).map(|end| (end, limit)));
        self
    }

    /// The same, and not later than `end`, which is `limit` after the work began, unless it has a limit already.
    #[must_use]
    pub fn or_until(mut self, end: Instant, limit: Duration) -> Self {
        self.end = self.end.or(Some((end, limit)));
        self
    }

    /// Asks the work to end; it does at its next step.
    pub fn set(&self) {
        if let Some(flag) = &self.flag {
            flag.set.store(true, Ordering::Relaxed);
        }
    }

    /// Whether work may go on.
    ///
    /// # Errors
    /// Why it may not.
    pub fn look(&self) -> Result<(), Stopped> {
        if self.flag.as_ref().is_some_and(|flag| flag.set.load(Ordering::Relaxed)) {
            return Err(Stopped::Asked);
        }
        if self.most.is_some_and(|most| self.steps() > most) {
            return Err(Stopped::Asked);
        }
        match self.end {
            Some((end, limit)) if Instant::now() >= end => Err(Stopped::TimeUp { limit }),
            _ => Ok(()),
        }
    }

    /// Steps that the work has done; they do not grow within one call that runs [`aside`].
    pub fn steps(&self) -> u64 {
        self.flag.as_ref().map_or(0, |flag| flag.steps.load(Ordering::Relaxed))
    }

    /// Does `work`, which ends when the watch is over.
    ///
    /// # Errors
    /// Why it ended. A panic of the work goes on.
    pub fn scope<T>(&self, work: impl FnOnce() -> T) -> Result<T, Stopped> {
        caught(|| entered(Scope { watch: Some(self.clone()), before: None }, work))
    }
}

/// Watches are equal when they wait for the same: options that differ in nothing else are equal.
impl PartialEq for Watch {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.flag, &other.flag) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        same && self.end == other.end && self.most == other.most
    }
}

fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    // What the work leaves half done is its own and dropped: nobody sees it.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<Unwinding>() {
        Ok(unwinding) => unwinding.0,
        Err(panic) => resume_unwind(panic),
    })
}

fn entered<T>(scope: Scope, work: impl FnOnce() -> T) -> T {
    let _outer = Outer(CURRENT.replace(scope));
    work()
}

/// Does one step of the work in the scope of the caller, which keeps the steps before it.
///
/// # Errors
/// Why the step ended. A panic goes on.
pub fn attempt<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    caught(work)
}

/// Does what makes an answer of the steps that were kept: no interrupt ends it but for its [`optional`] parts.
pub fn finish<T>(work: impl FnOnce() -> T) -> T {
    let Scope { watch, before } = scope_here();
    entered(Scope { watch: None, before: watch.or(before) }, work)
}

/// Does what makes an answer better that is complete without it: within [`finish`] an interrupt ends this alone.
///
/// # Errors
/// Why it ended.
pub fn optional<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    let Scope { watch: None, before: Some(watch) } = scope_here() else { return Ok(work()) };
    watch.scope(|| {
        check();
        work()
    })
}

/// A step of the work: ends it here if the watch of its scope is over.
#[inline]
pub fn check() {
    look_after(1);
}

/// Counts steps and ends the work here if the watch of its scope is over.
#[inline]
fn look_after(steps: u64) {
    let over = |watch: &Watch| {
        if let Some(flag) = &watch.flag {
            flag.steps.fetch_add(steps, Ordering::Relaxed);
        }
        watch.look().err()
    };
    if let Some(why) = CURRENT.with_borrow(|scope| scope.watch.as_ref().and_then(over)) {
        resume_unwind(Box::new(Unwinding(why)));
    }
}

/// Operations from which a routine may take so long that an interrupt must not wait for it: a tenth of a second at a gigaflop a second.
const LONG: f64 = 1e8;
/// How often a caller looks at its watch while such a routine runs, and the stack of its thread in bytes.
const LOOK_EVERY: Duration = Duration::from_millis(20);
const STACK: usize = 8 << 20;

/// Whether [`aside`] takes work of so many operations to another thread, for which its data are copied.
pub fn is_long(operations: f64) -> bool {
    operations >= LONG && CURRENT.with_borrow(|scope| scope.watch.is_some())
}

/// n^3, of which the operations of dense routines are multiples.
pub(crate) fn cube(n: usize) -> f64 {
    (n as f64).powi(3)
}

/// Does `work` of about so many operations as a step; it owns its data and does not look at the watch itself.
///
/// In a scope, long work runs on a thread of its own while the caller looks at the watch. Where the watch is over, the stack of the
/// caller unwinds at once; the thread goes on to the end of `work`, which nobody waits for, and then frees its memory.
pub fn aside<T: Send + 'static>(operations: f64, work: impl FnOnce() -> T + Send + 'static) -> T {
    check();
    if !is_long(operations) {
        return work();
    }
    let (send, receive) = sync_channel(1);
    // The work is kept where both can take it: without another thread the caller does it.
    let work = Arc::new(Mutex::new(Some(work)));
    let taken = Arc::clone(&work);
    let take = |work: &Mutex<Option<_>>| work.lock().ok().and_then(|mut work| work.take());
    let spawned = thread::Builder::new().stack_size(STACK).spawn(move || {
        if let Some(work) = take(&taken) {
            // Nobody may be waiting any more.
            let _ = send.send(catch_unwind(AssertUnwindSafe(work)));
        }
    });
    if spawned.is_err()
        && let Some(work) = take(&work)
    {
        return work();
    }
    loop {
        match receive.recv_timeout(LOOK_EVERY) {
            Ok(Ok(done)) => return done,
            Ok(Err(panic)) => resume_unwind(panic),
            // To wait is no step: how often depends on the clock.
            Err(RecvTimeoutError::Timeout) => look_after(0),
            Err(RecvTimeoutError::Disconnected) => unreachable!("a thread sends its result or its panic"),
        }
    }
}

/// The scope that the calling thread works in.
pub fn scope_here() -> Scope {
    CURRENT.with_borrow(Clone::clone)
}

impl Scope {
    /// Does `work` in this scope, on whatever thread.
    pub fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        entered(self.clone(), work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_on_all_threads_and_leaves_nothing_behind() {
        let flag = Watch::new();
        let asked = flag.clone();
        let ended = flag.scope(|| {
            let here = scope_here();
            let endless = || -> usize {
                loop {
                    check();
                    std::thread::yield_now();
                }
            };
            crate::side_by_side(
                || here.enter(endless),
                || {
                    asked.set();
                    here.enter(endless)
                },
            )
        });
        assert_eq!(ended, Err(Stopped::Asked));
        // Outside of the scope nothing ends.
        check();
    }

    #[test]
    fn an_interrupt_does_not_wait_for_work_aside() {
        let (watch, (held, done)) = (Watch::new(), std::sync::mpsc::channel::<()>());
        let ended = watch.scope(|| {
            let small = aside(1.0, || thread::current().id());
            assert_eq!(small, thread::current().id());
            let large = aside(LONG, || thread::current().id());
            assert_ne!(large, small);
            let asked = watch.clone();
            // This work never ends by itself: its end of the channel is held here.
            aside(LONG, move || {
                asked.set();
                done.recv().is_ok()
            })
        });
        assert_eq!(ended, Err(Stopped::Asked));
        drop(held);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            Watch::new().scope(|| aside(LONG, || std::panic::resume_unwind(Box::new("x"))))
        }));
        assert!(panicked.is_err());
        // Without a scope nobody looks.
        assert_eq!(aside(LONG, || thread::current().id()), thread::current().id());
    }

    #[test]
    fn an_interrupt_ends_what_an_answer_can_do_without() {
        let watch = Watch::new();
        let asked = watch.clone();
        let ended = watch.scope(|| {
            // Outside of an answer an interrupt ends all.
            assert_eq!(optional(|| 1), Ok(1));
            finish(|| {
                assert_eq!(optional(|| 2), Ok(2));
                asked.set();
                check();
                let here = scope_here();
                let aside = thread::scope(|threads| threads.spawn(|| here.enter(|| optional(|| 3))).join());
                assert_eq!((optional(|| 4), aside.unwrap()), (Err(Stopped::Asked), Err(Stopped::Asked)));
                check();
            });
            optional(check)
        });
        assert_eq!(ended, Err(Stopped::Asked));
        assert_eq!(finish(|| optional(|| 5)), Ok(5));
    }

    #[test]
    fn scopes_nest_and_panics_go_on() {
        let (outer, inner) = (Watch::new(), Watch::new());
        inner.set();
        let found = outer.scope(|| {
            let ended = inner.scope(check);
            // The outer flag is the current one again.
            check();
            ended
        });
        assert_eq!(found, Ok(Err(Stopped::Asked)));
        let panicked =
            catch_unwind(AssertUnwindSafe(|| outer.scope(|| std::panic::resume_unwind(Box::new("x")))));
        assert!(panicked.is_err());
    }

    #[test]
    fn work_ends_by_a_wish_and_by_its_time() {
        assert_eq!(Watch::default().look(), Ok(()));
        let three = Watch::after(3);
        assert_eq!(three.scope(|| (0..3).for_each(|_| check())), Ok(()));
        assert_eq!(three.scope(check), Err(Stopped::Asked));
        let watch = Watch::new().or_within(Duration::from_secs(3600));
        assert_eq!(watch.look(), Ok(()));
        watch.set();
        assert_eq!(watch.look(), Err(Stopped::Asked));
        let limit = Duration::ZERO;
        let over = Watch::default().or_within(limit).or_within(Duration::from_secs(3600));
        assert_eq!(over.look(), Err(Stopped::TimeUp { limit }));
        assert_eq!(over.scope(check), Err(Stopped::TimeUp { limit }));
    }

    #[test]
    fn steps_that_were_done_are_kept_and_can_be_finished() {
        let watch = Watch::new();
        let kept = watch.scope(|| {
            let mut steps = Vec::new();
            for k in 0.. {
                if k == 3 {
                    watch.set();
                }
                match attempt(|| {
                    check();
                    k
                }) {
                    Ok(step) => steps.push(step),
                    Err(_) => break,
                }
            }
            finish(|| {
                check();
                steps.len()
            })
        });
        assert_eq!(kept, Ok(3));
    }
}
