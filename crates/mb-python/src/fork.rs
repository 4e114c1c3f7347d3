//! Processes that were forked from one that had used the package: `multiprocessing` with the start method `fork`.
//!
//! Only the forking thread goes on in the child; neither the workers of [`crate::work`] nor the threads of rayon's global pool do.
//! There, work runs in a pool that the child starts. Threads outside of a pool would ask the global one: work in a child has no watch,
//! so that dense routines stay on its thread, and sweeps have one job.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// The process that loaded the module; 0 before that.
static BORN_IN: AtomicU32 = AtomicU32::new(0);

/// The pool of a child, with its process.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Remembers the process that loads the module.
pub(crate) fn born() {
    BORN_IN.store(std::process::id(), Ordering::Relaxed);
}

/// Whether this process was forked from the one that loaded the module.
pub(crate) fn is_child() -> bool {
    BORN_IN.load(Ordering::Relaxed) != std::process::id()
}

/// The pool of this child.
pub(crate) fn pool(stack: usize) -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
    let mut kept = POOL.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let here = std::process::id();
    if let Some((process, pool)) = &*kept
        && *process == here
    {
        return Ok(Arc::clone(pool));
    }
    let pool = Arc::new(ThreadPoolBuilder::new().stack_size(stack).build()?);
    // The pool of a parent that was forked itself has no threads that could be told to end.
    std::mem::forget(kept.replace((here, Arc::clone(&pool))));
    Ok(pool)
}
