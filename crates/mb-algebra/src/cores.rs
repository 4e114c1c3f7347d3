//! Work in two parts on two cores.

use crate::interrupt;

/// Makes the threads that share work, one for each core; false where the system refuses them, and what shares work would panic.
pub fn start_threads() -> bool {
    let made = rayon::ThreadPoolBuilder::new().build_global();
    // They are there already: the only other reason.
    made.map_or_else(|e| std::error::Error::source(&e).is_none(), |()| true)
}

/// Both on two cores, where there are two; the numbers do not depend on it.
pub fn side_by_side<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    if rayon::current_num_threads() < 2 {
        return (first(), second());
    }
    let scope = interrupt::scope_here();
    rayon::join(|| scope.enter(first), || scope.enter(second))
}
