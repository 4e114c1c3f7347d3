//! The allocator of the program `mb`: an end in words where memory is refused.
//!
//! What is large asks first and is refused in words of its own ([`mb_algebra::memory`]). Without any other the standard library
//! aborts the process: the signal SIGABRT, no exit code of the program's. Instead a sentence that was made at the start is
//! written, and the program ends as at any limit.

#![expect(unsafe_code, reason = "an allocator is unsafe by its contract")]

use mb_algebra::memory::comes_as_zeros;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;

/// The allocator of the system, with an end in words.
#[derive(Debug)]
pub struct Memory;

/// What is written on an end for want of memory, and the exit code.
static END: OnceLock<(String, u8)> = OnceLock::new();

/// From now on the program ends with `words` and the exit code `code` where memory is refused that it cannot go on without.
pub fn end_in_words(words: String, code: u8) {
    let _ = END.set((words, code));
}

/// Ends the program as where memory is refused: threads that cannot begin have no memory for their stacks.
pub(crate) fn refused() {
    if let Some((words, code)) = END.get() {
        end(words, i32::from(*code));
    }
}

/// Memory as it came; does not return where it was refused and nobody asked.
fn or_end(memory: *mut u8) -> *mut u8 {
    if memory.is_null()
        && !mb_algebra::memory::asks()
        && let Some((words, code)) = END.get()
    {
        end(words, i32::from(*code));
    }
    memory
}

/// Ends the program in the middle of an allocation: takes no memory and waits for no lock.
fn end(words: &str, code: i32) -> ! {
    use std::io::Write;
    crate::outfile::discard_drafts_at_once();
    let _ = std::io::stderr().write_all(words.as_bytes());
    #[cfg(unix)]
    signal_hook::low_level::exit(code);
    #[cfg(not(unix))]
    std::process::exit(code);
}

// SAFETY: every request goes to the system's allocator with what came.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised by the caller.
        or_end(unsafe {
            if comes_as_zeros(layout) { System.alloc_zeroed(layout) } else { System.alloc(layout) }
        })
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised by the caller.
        or_end(unsafe { System.alloc_zeroed(layout) })
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as promised by the caller.
        or_end(unsafe { System.realloc(memory, layout, size) })
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}
