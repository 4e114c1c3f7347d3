//! Memory that one call frees is kept for the next one.
//!
//! Work runs on a thread beside Python's ([`crate::work`]), and glibc gives such a thread's memory back to the system between two calls:
//! vectors of 1e5 unknowns would be fetched anew, page by page, in each of them.
#![expect(unsafe_code, reason = "the allocator has a C interface")]

use libmimalloc_sys::{mi_option_set_default, mi_option_t, mi_option_use_numa_nodes};
use mimalloc::MiMalloc;
use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// `mi_option_purge_delay`, which stands before this one in `mimalloc.h`.
const PURGE_DELAY: mi_option_t = mi_option_use_numa_nodes - 1;
/// Milliseconds after which memory that is not used goes back to the system, all at once. Default 10, less than one call of a loop takes.
const KEPT: i32 = 10_000;

/// Bytes that the system has left, where so many are needed that they may be missing; None where it does not say.
#[pyfunction]
pub(crate) fn memory_for(needed: u64) -> Option<u64> {
    saddle_ldlt::memory_for(needed, None)
}

/// Keeps free memory for a while; the environment variable `MIMALLOC_PURGE_DELAY` goes first.
pub(crate) fn keep_between_calls() {
    // SAFETY: an option is a number within the allocator.
    unsafe { mi_option_set_default(PURGE_DELAY, KEPT.into()) };
}
