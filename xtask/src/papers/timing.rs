//! Elapsed times of short computations.

use std::time::{Duration, Instant};

/// Runs are repeated until they took this long together.
const ENOUGH: Duration = Duration::from_millis(40);
const FEWEST: usize = 3;
const MOST: usize = 200;

/// The result of a computation and its median elapsed time in milliseconds; an error is not timed.
pub(super) fn timed<T, E>(mut work: impl FnMut() -> Result<T, E>) -> Result<(T, f64), E> {
    // The first run warms caches and is not counted.
    let result = work()?;
    let mut times = Vec::new();
    let started = Instant::now();
    while times.len() < FEWEST || (times.len() < MOST && started.elapsed() < ENOUGH) {
        let start = Instant::now();
        std::hint::black_box(work()?);
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok((result, times[times.len() / 2]))
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
