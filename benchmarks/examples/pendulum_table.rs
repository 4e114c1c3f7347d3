//! Elapsed times of the rows of Table 4 of González et al. 2017: linearization and the whole spectrum with all vectors.
//!
//! ```text
//! cargo run --release -p benchmarks --example pendulum_table [RUNS]
//! ```
//!
//! The model of the paper, without geometric stiffness. Rows of a table in Markdown: seconds by the clock, fastest of the runs
//! (three unless given), and the operations of the symmetric eigenproblem with all vectors, about 9 k^3 for k degrees of
//! freedom, which is the floor of all three families. `RAYON_NUM_THREADS=1` for one core.
#![expect(clippy::print_stdout, reason = "what a program says")]

use benchmarks::pendulum::{Pendulum, all_minimal, all_redundant, all_unconstrained};
use mb_eigen::Spectrum;
use std::error::Error;
use std::time::Instant;

fn fastest(runs: usize, of: impl Fn() -> Result<Spectrum, Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let start = Instant::now();
        std::hint::black_box(of()?);
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn main() -> Result<(), Box<dyn Error>> {
    let runs: usize = std::env::args().nth(1).map_or(Ok(3), |x| x.parse())?;
    println!("| elements a link | MCS | RCS | UCS | floor |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    for elements in [10, 25, 50, 75, 100] {
        let pendulum = Pendulum::new(elements, false)?;
        let minimal = fastest(runs, || all_minimal(&pendulum.linearized_dense()))?;
        let redundant = fastest(runs, || all_redundant(&pendulum.linearized_dense()))?;
        let unconstrained = fastest(runs, || all_unconstrained(&pendulum.penalty_pencil()?))?;
        let k = f64::from(6 * elements + 2);
        println!(
            "| {elements} | {minimal:.4} s | {redundant:.4} s | {unconstrained:.4} s | {:.3} Gflop |",
            9e-9 * k.powi(3)
        );
    }
    Ok(())
}
