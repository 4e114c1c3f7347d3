//! Elapsed times of short computations.

use std::time::{Duration, Instant};

/// Runs are repeated until they took this long together.
const ENOUGH: Duration = Duration::from_millis(40);
const FEWEST: usize = 3;
const MOST: usize = 200;

/// The result of a computation and its elapsed time in milliseconds, that of the fastest run: what else the machine does
/// only adds to the others. An error is not timed.
pub(super) fn timed<T, E>(mut work: impl FnMut() -> Result<T, E>) -> Result<(T, f64), E> {
    // The first run warms caches and is not counted.
    let result = work()?;
    let (mut runs, mut fastest) = (0, Duration::MAX);
    let started = Instant::now();
    while runs < FEWEST || (runs < MOST && started.elapsed() < ENOUGH) {
        let start = Instant::now();
        std::hint::black_box(work()?);
        fastest = fastest.min(start.elapsed());
        runs += 1;
    }
    Ok((result, fastest.as_secs_f64() * 1e3))
}

#[cfg(test)]
mod tests {
    use super::timed;

    #[test]
    fn errors_pass_and_results_stay() {
        assert_eq!(timed(|| Err::<(), _>("why")), Err("why"));
        let (value, elapsed) = timed(|| Ok::<_, ()>(7)).unwrap();
        assert!(value == 7 && elapsed >= 0.0);
    }
}
