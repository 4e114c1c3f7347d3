//! Cases side by side on a number of threads.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// Solves `cases` on `jobs` threads and hands each result over in the order in which they end.
///
/// Work goes on until all cases are done or `ended` breaks; cases under way are then finished and dropped.
pub fn run<T: Send>(
    cases: &[usize],
    jobs: usize,
    solve: impl Fn(usize) -> T + Sync,
    mut ended: impl FnMut(usize, T) -> ControlFlow<()>,
) {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (give, take) = channel();
    let work = |give: std::sync::mpsc::Sender<(usize, T)>| {
        while !stop.load(Ordering::Relaxed) {
            let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            if give.send((*case, solve(*case))).is_err() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, cases.len().max(1)) {
            let give = give.clone();
            scope.spawn(|| work(give));
        }
        drop(give);
        for (case, result) in take {
            if ended(case, result).is_break() {
                stop.store(true, Ordering::Relaxed);
                break;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_comes_once_and_a_break_ends_the_work() {
        let cases: Vec<usize> = (0..100).collect();
        let mut seen = vec![0; 100];
        run(
            &cases,
            3,
            |k| k * k,
            |k, square| {
                assert_eq!(square, k * k);
                seen[k] += 1;
                ControlFlow::Continue(())
            },
        );
        assert!(seen.iter().all(|n| *n == 1));
        let (mut count, solved) = (0, AtomicUsize::new(0));
        run(
            &cases,
            2,
            |_| solved.fetch_add(1, Ordering::Relaxed),
            |_, _| {
                count += 1;
                if count == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert_eq!(count, 5);
        assert!(solved.load(Ordering::Relaxed) <= 100);
    }
}
