//! Memory that is freed is kept for the next array.
//!
//! Vectors of large problems come and go by the dozen. The C library of Linux (glibc) gives each array beyond 128 KiB back to the
//! system and asks for the next one anew, whose pages the system clears one by one.
//! When an array of up to 32 MiB is freed, it keeps arrays of up to that size from then on, and up to twice that size of them
//! unused (`man 3 mallopt`, `M_MMAP_THRESHOLD`). One array that is never written to, allocated and freed, has this effect, which spares
//! a tenth of the pages fetched for chains and blocks (a quarter for a chain of 1e4 unknowns); other systems take no notice.

use std::hint::black_box;
use std::sync::Once;

use crate::tuning;

/// Largest array that glibc learns from, less its own few bytes with room.
const LARGEST: usize = (32 << 20) - (16 << 10);

/// Shows the system's allocator that arrays of length n come and go.
pub(super) fn keep_for_vectors_of(n: usize) {
    static TOLD: Once = Once::new();
    // Length of vectors from which on it pays.
    if n >= tuning::LONG {
        TOLD.call_once(|| drop(black_box(Vec::<u8>::with_capacity(black_box(LARGEST)))));
    }
}
