//! Times of saddle-point factorizations on generated cases; CPU time of the process, which runs on one thread.
//!
//! `saddle_speed chain 200000`, `saddle_speed grounded 200000`, `saddle_speed hex 32 32 32 [right-hand sides]`.

mod cases;

use std::sync::Arc;
use std::time::Instant;

use mb_algebra::saddle::{SaddleAnalysis, SaddleFactor, SaddleOptions};
use mb_algebra::{AlgebraError, Dense, sparse};

fn main() -> Result<(), AlgebraError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default: usize| words.get(k).and_then(|w| w.parse().ok()).unwrap_or(default);
    let (case, columns) = match words.first().map(String::as_str) {
        Some("hex") => (cases::hex(number(1, 15), number(2, 15), number(3, 15)), number(4, 32)),
        Some("grounded") => (cases::chain(number(1, 2000), 1e-2), number(2, 32)),
        _ => (cases::chain(number(1, 2000), 0.0), number(2, 32)),
    };
    let (n, m) = (case.k.cols(), case.g.rows());
    let a = sparse::add(1.0, &case.k, -1e-3, &case.m);
    println!("{} unknowns, {n} + {m}; {} entries", n + m, a.nnz() + 2 * case.g.nnz());

    let total = Instant::now();
    let clock = Instant::now();
    let analysis = Arc::new(SaddleAnalysis::new(&a, &case.g, &SaddleOptions::default())?);
    let symbolic = clock.elapsed().as_secs_f64();
    let estimate = analysis.estimate();
    println!("analysis {symbolic:.3} s: {estimate:?}");

    let clock = Instant::now();
    let factor = SaddleFactor::new(&analysis, &a, &case.g)?;
    let numeric = clock.elapsed().as_secs_f64();
    println!("factor and trial {numeric:.3} s, {:.1} Gflop/s", estimate.flops / numeric / 1e9);
    println!("{:?}, {:?}", factor.inertia(), factor.report());

    let f: Vec<f64> = (0..n).map(|i| (i % 11) as f64 - 5.0).collect();
    let zero = vec![0.0; m];
    let clock = Instant::now();
    let (x, _) = factor.solve(&f, &zero)?;
    let one = clock.elapsed().as_secs_f64();
    println!("one solve {one:.4} s, {:.2} GB/s of factor; x[0] = {:e}", estimate.factor_nonzeros as f64 * 16.0 / one / 1e9, x[0]);
    println!("in all {:.3} s", total.elapsed().as_secs_f64());

    let block = Dense::from_fn(n, columns, |i, j| ((i * (j + 3)) % 13) as f64 - 6.0);
    let clock = Instant::now();
    let _ = factor.solve_block(&block)?;
    let many = clock.elapsed().as_secs_f64();
    println!("{columns} solves {many:.3} s, {:.4} s each", many / columns as f64);
    Ok(())
}
