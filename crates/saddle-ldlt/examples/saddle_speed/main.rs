//! Times of saddle-point factorizations on generated cases; all on one thread.
//!
//! Times are of the processor (Linux), else of the clock. `saddle_speed floors` gives what the machine can do.
//!
//! `saddle_speed chain 200000`, `saddle_speed grounded 200000`, `saddle_speed hex 32 32 32 [right-hand sides]`.

#![expect(clippy::print_stdout, reason = "an example that reports")]

mod cases;

use std::sync::Arc;
use std::time::Instant;

/// Time of the processor spent on this thread in seconds, else of the clock.
struct Clock(Option<f64>, Instant);

impl Clock {
    fn now() -> Self {
        Self(Self::on_cpu(), Instant::now())
    }

    fn on_cpu() -> Option<f64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok().map(|ns| ns * 1e-9)
    }

    fn seconds(&self) -> f64 {
        match (self.0, Self::on_cpu()) {
            (Some(then), Some(now)) => now - then,
            _ => self.1.elapsed().as_secs_f64(),
        }
    }
}

use mb_algebra::{AlgebraError, Dense, dense, sparse};
use saddle_ldlt::{SaddleAnalysis, SaddleFactor, SaddleOptions};

fn main() -> Result<(), AlgebraError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default: usize| words.get(k).and_then(|w| w.parse().ok()).unwrap_or(default);
    if words.first().is_some_and(|w| w == "floors") {
        floors();
        return Ok(());
    }
    let (case, columns) = match words.first().map(String::as_str) {
        Some("hex") => (cases::hex(number(1, 15), number(2, 15), number(3, 15)), number(4, 32)),
        Some("grounded") => (cases::chain(number(1, 2000), 1e-2), number(2, 32)),
        _ => (cases::chain(number(1, 2000), 0.0), number(2, 32)),
    };
    let (n, m) = (case.k.cols(), case.g.rows());
    let a = sparse::add(1.0, &case.k, -1e-3, &case.m);
    println!("{} unknowns, {n} + {m}; {} entries", n + m, a.nnz() + 2 * case.g.nnz());

    let total = Clock::now();
    let clock = Clock::now();
    let analysis = Arc::new(SaddleAnalysis::new(&a, &case.g, &SaddleOptions::default())?);
    let symbolic = clock.seconds();
    let estimate = analysis.estimate();
    println!("analysis {symbolic:.3} s: {estimate:?}");

    let clock = Clock::now();
    let factor = SaddleFactor::new(&analysis, &a, &case.g)?;
    let numeric = clock.seconds();
    println!("factor and trial {numeric:.3} s, {:.1} Gflop/s", estimate.flops / numeric / 1e9);
    println!("{:?}, {:?}", factor.inertia(), factor.report());

    let f: Vec<f64> = (0..n).map(|i| (i % 11) as f64 - 5.0).collect();
    let zero = vec![0.0; m];
    let clock = Clock::now();
    let (x, _) = factor.solve(&f, &zero)?;
    let one = clock.seconds();
    println!(
        "one solve {one:.4} s, {:.2} GB/s of factor; x[0] = {:e}",
        estimate.factor_nonzeros as f64 * 16.0 / one / 1e9,
        x[0]
    );
    println!("in all {:.3} s", total.seconds());

    let block = Dense::from_fn(n, columns, |i, j| ((i * (j + 3)) % 13) as f64 - 6.0);
    let clock = Clock::now();
    let _ = factor.solve_block(&block)?;
    let many = clock.seconds();
    println!("{columns} solves {many:.3} s, {:.4} s each", many / columns as f64);
    Ok(())
}

/// Speed of a product of matrices and of reading memory.
fn floors() {
    for (n, times) in [(64, 8000), (256, 120), (1000, 2), (2000, 1)] {
        let a = Dense::from_fn(n, n, |i, j| ((i + 3 * j) % 17) as f64);
        let clock = Clock::now();
        let mut sum = 0.0;
        for _ in 0..times {
            sum += dense::mul(&a, &a)[(0, 0)];
        }
        println!(
            "product {n}: {:.1} Gflop/s ({sum:e})",
            2.0 * f64::from(times) * (n as f64).powi(3) / clock.seconds() / 1e9
        );
    }
    let x: Vec<f64> = (0..100_000_000).map(f64::from).collect();
    let clock = Clock::now();
    let mut parts = [0.0; 16];
    for part in x.chunks_exact(16) {
        parts.iter_mut().zip(part).for_each(|(p, x)| *p += x);
    }
    println!("read {:.2} GB/s ({:e})", 0.8 / clock.seconds(), parts.iter().sum::<f64>());
}
