//! Cases side by side on a number of threads.

use mb_algebra::interrupt;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// Solves `cases` on `jobs` threads and hands each result over in the order in which they end.
///
/// One job works on the thread of the caller. Work goes on until all cases are done or `ended` breaks; cases under way are then finished and dropped. The threads work in the
/// scope of the caller ([`interrupt`]): an interrupt ends them all, and a panic of a case goes on in the caller.
pub fn run<T: Send>(
    cases: &[usize],
    jobs: usize,
    solve: impl Fn(usize) -> T + Sync,
    mut ended: impl FnMut(usize, T) -> ControlFlow<()>,
) {
    if jobs <= 1 {
        for case in cases {
            if ended(*case, solve(*case)).is_break() {
                return;
            }
        }
        return;
    }
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (give, take) = channel();
    let here = interrupt::scope_here();
    let work = |give: std::sync::mpsc::Sender<(usize, T)>| {
        while !stop.load(Ordering::Relaxed) {
            let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            if give.send((*case, solve(*case))).is_err() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        // Fewer threads where the system refuses more; without any the thread of the caller does the work, and the results come after it.
        let started = (0..jobs.min(cases.len())).map_while(|_| {
            let give = give.clone();
            std::thread::Builder::new().spawn_scoped(scope, || here.enter(|| work(give))).ok()
        });
        let started: Vec<_> = started.collect();
        if started.is_empty() {
            work(give);
        } else {
            drop(give);
        }
        for (case, result) in take {
            if ended(case, result).is_break() {
                stop.store(true, Ordering::Relaxed);
                break;
            }
        }
        for thread in started {
            if let Err(panic) = thread.join() {
                resume_unwind(panic);
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
        let (here, mut order) = (std::thread::current().id(), Vec::new());
        run(
            &cases,
            1,
            |_| std::thread::current().id(),
            |k, thread| {
                order.push(k);
                assert_eq!(thread, here);
                if k == 6 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert_eq!(order, [0, 1, 2, 3, 4, 5, 6]);
        assert!(solved.load(Ordering::Relaxed) <= 100);
    }

    #[test]
    fn an_interrupt_ends_all_threads() {
        let flag = interrupt::Watch::new();
        let asked = flag.clone();
        let cases: Vec<usize> = (0..8).collect();
        let endless = |k: usize| -> usize {
            if k == 3 {
                asked.set();
            }
            if k < 2 {
                return k;
            }
            loop {
                interrupt::check();
                std::thread::yield_now();
            }
        };
        let ended = flag.scope(|| run(&cases, 2, endless, |_, _| ControlFlow::Continue(())));
        assert_eq!(ended, Err(interrupt::Stopped::Asked));
    }
}
