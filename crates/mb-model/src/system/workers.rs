//! Pieces of work shared out among the cores, each of which keeps its memory from piece to piece.

use mb_algebra::interrupt;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// What `each` makes of the pieces, in their order; a core takes the next piece when it is done with one, unless an interrupt ends the work.
pub(super) fn share_out<T: Send, R: Send, Room: Default>(
    pieces: Vec<T>,
    each: impl Fn(&mut Room, T) -> R + Sync,
) -> Vec<R> {
    let cores = rayon::current_num_threads().min(pieces.len());
    if cores <= 1 {
        let mut room = Room::default();
        let each = |piece| {
            interrupt::check();
            each(&mut room, piece)
        };
        return pieces.into_iter().map(each).collect();
    }
    let scope = interrupt::scope_here();
    let count = pieces.len();
    let queue = Mutex::new(pieces.into_iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let done: Vec<Vec<(usize, R)>> = (0..cores)
        .into_par_iter()
        .with_max_len(1)
        .map(|_| {
            let mut room = Room::default();
            let each = |(k, piece)| {
                interrupt::check();
                (k, each(&mut room, piece))
            };
            scope.enter(|| std::iter::from_fn(next).map(each).collect())
        })
        .collect();
    let mut sorted: Vec<(usize, R)> = Vec::with_capacity(count);
    sorted.extend(done.into_iter().flatten());
    sorted.sort_unstable_by_key(|(k, _)| *k);
    sorted.into_iter().map(|(_, r)| r).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_ends_the_work_of_all_cores() {
        let watch = interrupt::Watch::after(10);
        let done = std::sync::atomic::AtomicUsize::new(0);
        let ended = watch.scope(|| {
            share_out((0..10_000).collect(), |(): &mut (), _: usize| {
                done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            })
        });
        assert!(ended.is_err());
        assert!(done.into_inner() <= 10 + rayon::current_num_threads());
    }

    #[test]
    fn answers_come_in_the_order_of_the_pieces() {
        let squares = share_out((0..100).collect(), |calls: &mut usize, k: usize| {
            *calls += 1;
            (k * k, *calls)
        });
        assert!(squares.iter().enumerate().all(|(k, (square, calls))| *square == k * k && *calls >= 1));
        assert_eq!(squares.len(), 100);
        assert!(share_out(Vec::<usize>::new(), |(): &mut (), k| k).is_empty());
    }
}
