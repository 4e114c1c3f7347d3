//! Memory that one call frees is kept for the next one.
//!
//! Work runs on a thread beside Python's ([`crate::work`]), and glibc gives such a thread's memory back to the system between two calls:
//! vectors of 1e5 unknowns would be fetched anew, page by page, in each of them.
#![expect(unsafe_code, reason = "an allocator is unsafe by its contract, and this one has a C interface")]

use std::alloc::{GlobalAlloc, Layout};

use libmimalloc_sys::{mi_option_set_default, mi_option_t, mi_option_use_numa_nodes};
use mb_algebra::memory::comes_as_zeros;
use mimalloc::MiMalloc;
use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: Memory = Memory;

/// mimalloc, with small matrices as zeros.
struct Memory;

// SAFETY: every request goes to mimalloc with what came.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised by the caller.
        unsafe { if comes_as_zeros(layout) { MiMalloc.alloc_zeroed(layout) } else { MiMalloc.alloc(layout) } }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised by the caller.
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as promised by the caller.
        unsafe { MiMalloc.realloc(memory, layout, size) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { MiMalloc.dealloc(memory, layout) }
    }
}

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
