//! Memory that is asked for and may be refused, told from memory that the work cannot go on without.

use std::cell::Cell;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_asks_until_it_is_answered() {
        let mut list: Vec<f64> = vec![1.0];
        assert!(ask(|| (asks(), list.try_reserve_exact(usize::MAX / 16).is_err())) == (true, true));
        assert!(!asks() && list == [1.0]);
    }
}
