//! Stages of the first pairs of the flexible double pendulum, each with what it must at least do.
//!
//! ```text
//! cargo run --release -p benchmarks --example pendulum_stages ELEMENTS [RUNS]
//! ```
//!
//! Fastest of the runs (three unless given), seconds by the clock; `RAYON_NUM_THREADS=1` for one core.
#![expect(clippy::print_stdout, reason = "what a program says")]

use benchmarks::pendulum::{Pendulum, first_constrained, first_unconstrained};
use mb_algebra::{Dense, Sparse, sparse};
use mb_eigen::Spectrum;
use saddle_ldlt::{SaddleAnalysis, SaddleFactor, SaddleOptions};
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

/// Shift of w = s^2, of the size the analysis takes.
const SHIFT: f64 = 1e-2;

fn timed<T>(
    name: &str,
    runs: usize,
    mut of: impl FnMut() -> Result<T, Box<dyn Error>>,
) -> Result<T, Box<dyn Error>> {
    let mut best = f64::INFINITY;
    let mut out = None;
    for _ in 0..runs {
        let start = Instant::now();
        let found = of()?;
        best = best.min(start.elapsed().as_secs_f64());
        out = Some(found);
    }
    println!("{name:<44} {:>9.2} ms", 1e3 * best);
    out.ok_or_else(|| "no run".into())
}

fn say(spectrum: &Spectrum) {
    for pair in spectrum.eigenpairs.iter().filter(|pair| pair.alpha.im > 0.0) {
        if let Some(s) = pair.value() {
            println!("    {:.12} {:+.12}i rad/s, bound {:.1e}", s.re, s.im, pair.error_bound);
        }
    }
    for finding in &spectrum.findings {
        println!("    {finding}");
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let elements: u32 = words.next().map_or(Ok(10_000), |x| x.parse())?;
    let runs: usize = words.next().map_or(Ok(3), |x| x.parse())?;
    let pendulum = timed("model and equilibria", 1, || Pendulum::new(elements, true))?;
    let lin = timed("linearization", runs, || Ok(pendulum.linearized()))?;
    let phi_q: Sparse = lin.phi_q.to_csr();
    println!("    {} unknowns; entries of M {}, of K {}", lin.m.rows(), lin.m.nnz(), lin.k.nnz());
    let options = SaddleOptions::default();
    let terms = [(1.0, &lin.k), (SHIFT, &lin.m)];
    let pattern = sparse::add(1.0, &lin.k, 1.0, &lin.m);
    let analysis = timed("ordering and symbolic factorization", runs, || {
        Ok(Arc::new(SaddleAnalysis::new(&pattern, &phi_q, &options)?))
    })?;
    let estimate = analysis.estimate();
    println!(
        "    {} numbers of the factor, {:.1} MB, {:.1} Mflop",
        estimate.factor_nonzeros,
        8e-6 * estimate.factor_nonzeros as f64,
        1e-6 * estimate.flops
    );
    timed("signs of the factor alone", runs, || Ok(SaddleFactor::quick_inertia(&analysis, &terms, &phi_q)?))?;
    let factor =
        timed("factorization with its trial", runs, || Ok(SaddleFactor::of_sum(&analysis, &terms, &phi_q)?))?;
    for columns in [1, 5, 8] {
        let f = Dense::from_fn(lin.m.rows(), columns, |i, j| ((i * (7 + j)) % 13) as f64 - 6.0);
        timed(&format!("solution of {columns} columns, checked"), runs, || Ok(factor.solve_block(&f)?))?;
    }
    let spectrum = timed("first four, MCS and RCS", runs, || first_constrained(&lin))?;
    say(&spectrum);
    let blocks = timed("linearization, penalty form", runs, || pendulum.linearized_penalty())?;
    let spectrum = timed("first four, UCS", runs, || first_unconstrained(&blocks))?;
    say(&spectrum);
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|l| l.starts_with("VmHWM")).for_each(|l| println!("{l}"));
    }
    Ok(())
}
