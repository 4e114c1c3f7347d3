//! Times the whole spectrum of the flexible pendulum in its three forms: `structure 100`.
#![expect(clippy::print_stdout, reason = "a program that reports")]

#[path = "cases/pendulum.rs"]
mod pendulum;

use std::time::Instant;

use mb_algebra::{QuadraticPencil, dense, sparse as sparse_matrix};
use mb_eigen::descriptor::{self, DescriptorStructure, Transferred};
use mb_eigen::penalty::{self, PenaltyPencil};
use mb_eigen::sparse::{self, Request, SparseOptions};
use mb_eigen::{DenseOptions, Spectrum};
use saddle_ldlt::{SaddleAnalysis, SaddleOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let elements = std::env::args().nth(1).unwrap_or_else(|| "100".to_owned()).parse()?;
    let which = std::env::args().nth(2).unwrap_or_default();
    if which == "s" {
        return lowest_four(elements);
    }
    let pencil = pendulum::flexible_pendulum(elements).to_dense();
    println!("n = {}, m = {}", pencil.m.nrows(), pencil.phi_q.nrows());
    let options = DenseOptions::default();
    for _ in 0..2 {
        if !which.starts_with('u') {
            let start = Instant::now();
            let spectrum = mb_eigen::dense::solve(&pencil, &options)?;
            report("MCS", start, &spectrum);
            let start = Instant::now();
            let structure =
                DescriptorStructure { pencil: pencil.clone(), transferred: Transferred::default() };
            let spectrum = descriptor::solve(&structure, &options)?;
            report("RCS", start, &spectrum);
        }
        if !which.starts_with('m') {
            let unconstrained = penalty(&pencil, 1e7, 1.0, 10.0);
            let start = Instant::now();
            let spectrum = penalty::solve(&unconstrained, &options)?;
            report("UCS", start, &spectrum);
        }
    }
    Ok(())
}

/// The first four pairs by the sparse analysis.
fn lowest_four(elements: usize) -> Result<(), Box<dyn std::error::Error>> {
    let pencil = pendulum::flexible_pendulum(elements);
    println!("n = {}", pencil.m.rows());
    let estimate = SaddleAnalysis::new(
        &sparse_matrix::add(1.0, &pencil.k, 1.0, &pencil.m),
        &pencil.phi_q,
        &SaddleOptions::default(),
    )?
    .estimate();
    println!("factor: {} numbers, {:.3e} flops", estimate.factor_nonzeros, estimate.flops);
    for _ in 0..3 {
        let start = Instant::now();
        let spectrum = sparse::solve(&pencil, &Request::Lowest { count: 4 }, &SparseOptions::default())?;
        report("sparse", start, &spectrum);
    }
    Ok(())
}

/// The penalty form with Xi = alpha I, Theta = 2 xi omega I, Omega = omega^2 I.
fn penalty(pencil: &QuadraticPencil, alpha: f64, xi: f64, omega: f64) -> PenaltyPencil {
    let outer = dense::mul_transpose(&pencil.phi_q, &pencil.phi_q);
    let with = |a: &mb_algebra::Dense, by: f64| dense::add(1.0, a, alpha * by, &outer);
    PenaltyPencil {
        m: with(&pencil.m, 1.0),
        c: with(&pencil.c, 2.0 * xi * omega),
        k: with(&pencil.k, omega * omega),
        phi_q: pencil.phi_q.clone(),
        xi: dense::scale(alpha, &dense::identity(pencil.phi_q.nrows())),
    }
}

fn report(name: &str, start: Instant, spectrum: &Spectrum) {
    println!("{name}: {:.4} s, {} pairs", start.elapsed().as_secs_f64(), spectrum.eigenpairs.len());
    for pair in
        spectrum.eigenpairs.iter().filter(|pair| pair.alpha.im > 0.0 && pair.class.is_motion()).take(4)
    {
        if let Some(s) = pair.value() {
            println!(
                "  {:+.6e} {:+.15} i  bound {:.1e}  backward {:.1e}  share {:?}",
                s.re, s.im, pair.error_bound, pair.backward_error, pair.penalty_share
            );
        }
    }
    let worst = spectrum.eigenpairs.iter().map(|p| p.backward_error).fold(0.0, f64::max);
    println!("  worst backward error {worst:.1e}, {:?}", spectrum.counts.found);
    for finding in spectrum.findings.iter().take(6) {
        println!("  {finding}");
    }
}
