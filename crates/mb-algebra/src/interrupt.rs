//! Long work that another thread can end.
//!
//! ```
//! use mb_algebra::interrupt::{self, Interrupt, Interrupted};
//!
//! let flag = Interrupt::new();
//! assert_eq!(flag.scope(|| 6 * 7), Ok(42));
//! // Another thread, or the handler of a signal, holds a clone and sets it.
//! flag.clone().set();
//! let ended = flag.scope(|| loop {
//!     interrupt::check();
//! });
//! assert_eq!(ended, Err(Interrupted));
//! ```
//!
//! Factorizations look at the flag at every front, eigenvalue searches at every solve, and all iterations of this workspace at
//! every step ([`check`]). A flag that is set unwinds the stack to its scope, like a panic without a message: nothing between
//! needs an error of its own, and no fallback takes an interrupt for a failure of its method. Salsa cancels queries in the same
//! way. What the work owns is dropped on the way. Without a scope, [`check`] does nothing.
//!
//! Eigenvalues of a dense general matrix look at it at every step of the iteration. Its Hessenberg form, and one call of a dense
//! routine for symmetric matrices, pencils or singular values, have no such place inside: work ends before or behind them.
//! Programs compiled with `panic = "abort"` end at an interrupt.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A flag that ends the work in its scope, and counts its steps; clones are the same flag.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    set: AtomicBool,
    steps: AtomicU64,
}

/// The work was ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

/// What unwinds.
struct Unwinding;

thread_local! {
    /// The flag of the innermost scope on this thread.
    static CURRENT: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

/// Puts the outer flag back, however the work ends.
struct Outer(Option<Interrupt>);

impl Drop for Outer {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

impl Interrupt {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the work to end; it does at its next step.
    pub fn set(&self) {
        self.0.set.store(true, Ordering::Relaxed);
    }

    /// Whether the work was asked to end.
    pub fn is_set(&self) -> bool {
        self.0.set.load(Ordering::Relaxed)
    }

    /// Steps that the work has done: it goes on as long as they grow.
    pub fn steps(&self) -> u64 {
        self.0.steps.load(Ordering::Relaxed)
    }

    /// Does `work`, which ends when the flag is set.
    ///
    /// Errors: [`Interrupted`]. A panic of the work goes on.
    pub fn scope<T>(&self, work: impl FnOnce() -> T) -> Result<T, Interrupted> {
        // What the work leaves half done is its own and dropped: nobody sees it.
        catch_unwind(AssertUnwindSafe(|| entered(Some(self.clone()), work))).map_err(|payload| {
            if payload.is::<Unwinding>() && self.is_set() { Interrupted } else { resume_unwind(payload) }
        })
    }
}

fn entered<T>(flag: Option<Interrupt>, work: impl FnOnce() -> T) -> T {
    let _outer = Outer(CURRENT.replace(flag));
    work()
}

/// A step of the work: ends it here if the flag of its scope is set.
#[inline]
pub fn check() {
    let asked = |flag: &Interrupt| {
        flag.0.steps.fetch_add(1, Ordering::Relaxed);
        flag.is_set()
    };
    if CURRENT.with_borrow(|flag| flag.as_ref().is_some_and(asked)) {
        resume_unwind(Box::new(Unwinding));
    }
}

/// The scope of this thread, for work that is handed to others.
#[derive(Clone, Debug)]
pub struct Scope(Option<Interrupt>);

/// The scope that the calling thread works in.
pub fn scope_here() -> Scope {
    Scope(CURRENT.with_borrow(Clone::clone))
}

impl Scope {
    /// Does `work` in this scope, on whatever thread.
    pub fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        entered(self.0.clone(), work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_on_all_threads_and_leaves_nothing_behind() {
        let flag = Interrupt::new();
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
        assert_eq!(ended, Err(Interrupted));
        // Outside of the scope nothing ends.
        check();
    }

    #[test]
    fn scopes_nest_and_panics_go_on() {
        let (outer, inner) = (Interrupt::new(), Interrupt::new());
        inner.set();
        let found = outer.scope(|| {
            let ended = inner.scope(check);
            // The outer flag is the current one again.
            check();
            ended
        });
        assert_eq!(found, Ok(Err(Interrupted)));
        let panicked =
            catch_unwind(AssertUnwindSafe(|| outer.scope(|| std::panic::resume_unwind(Box::new("x")))));
        assert!(panicked.is_err());
    }
}
