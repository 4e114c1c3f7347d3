//! What the programs' allocators know of the work: which memory may be refused, and which is to come as zeros.

use std::alloc::Layout;
use std::cell::Cell;

/// Bytes of a cache line, at which columns of matrices begin.
const LINE: usize = 64;
/// Bytes of a matrix up to which clearing it costs less than it saves.
const SMALL_MATRIX: usize = 1 << 16;

thread_local! {
    /// Whether this thread asks for memory that may be refused.
    static ASKS: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread asks for memory that may be refused: an allocator that ends the program in words then leaves that to the
/// caller.
pub fn asks() -> bool {
    ASKS.get()
}

/// Does a request for memory that may be refused.
pub fn ask<R>(request: impl FnOnce() -> R) -> R {
    ASKS.set(true);
    let answer = request();
    ASKS.set(false);
    answer
}

/// Whether a block is that of a small matrix, which allocators fill with zeros.
///
/// Between columns that begin at cache lines stands what nobody sets. Products compute whole lines and drop that part, but whole numbers
/// that were there before, indices of sparse matrices, are subnormal numbers, with which a multiplication takes more than a hundred
/// cycles: of all modes of 30 and 60 unknowns that is a tenth and a fifth of the time.
pub const fn comes_as_zeros(layout: Layout) -> bool {
    layout.align() >= LINE && layout.size() <= SMALL_MATRIX
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dense;

    /// What the columns of a matrix begin at is what the rule counts on.
    #[test]
    fn blocks_of_small_matrices_are_told_from_others() {
        let columns = Dense::zeros(30, 2);
        assert_eq!(columns.col_stride().unsigned_abs() * 8 % LINE, 0);
        let block = |size, align| Layout::from_size_align(size, align).unwrap();
        assert!(comes_as_zeros(block(7680, LINE)) && comes_as_zeros(block(512, 2 * LINE)));
        assert!(!comes_as_zeros(block(7680, 8)) && !comes_as_zeros(block(2 * SMALL_MATRIX, LINE)));
    }

    #[test]
    fn a_request_asks_until_it_is_answered() {
        let mut list: Vec<f64> = vec![1.0];
        assert!(ask(|| (asks(), list.try_reserve_exact(usize::MAX / 16).is_err())) == (true, true));
        assert!(!asks() && list == [1.0]);
    }
}
