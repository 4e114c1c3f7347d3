//! Pieces of work shared out among the cores, each of which keeps its memory from piece to piece.

use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// What `each` makes of the pieces, in their order; a core takes the next piece when it is done with one.
pub(super) fn share_out<T: Send, R: Send, Room: Default>(
    pieces: Vec<T>,
    each: impl Fn(&mut Room, T) -> R + Sync,
) -> Vec<R> {
    let cores = rayon::current_num_threads().min(pieces.len());
    if cores <= 1 {
        let mut room = Room::default();
        return pieces.into_iter().map(|piece| each(&mut room, piece)).collect();
    }
    let count = pieces.len();
    let queue = Mutex::new(pieces.into_iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let done: Vec<Vec<(usize, R)>> = (0..cores)
        .into_par_iter()
        .with_max_len(1)
        .map(|_| {
            let mut room = Room::default();
            std::iter::from_fn(next).map(|(k, piece)| (k, each(&mut room, piece))).collect()
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
