//! Times the sparse analysis, with proof, of every model of the list that has a rest and at most `LIMIT` unknowns.
//!
//! `small_models [NAME]`: the fastest of many runs, for four modes and for twenty, and the dense analysis of the whole.
#![expect(clippy::print_stdout, reason = "a program that reports")]

use std::time::Instant;

use mb_algebra::{QuadraticPencil, Sparse};
use mb_cli::gallery::MODELS;
use mb_eigen::sparse::{Request, SparseOptions, solve};
use mb_eigen::{DenseOptions, EigenError};
use mb_linear::{Equilibrium, EquilibriumOptions, OperatingPoint, linearize_sparse};
use mb_model::Model;

/// Unknowns of the largest model.
const LIMIT: usize = 100;
/// Runs of each analysis.
const RUNS: usize = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let only = std::env::args().nth(1);
    println!("{:32} {:>4} {:>4} {:>9} {:>9} {:>9} ms", "model", "n", "m", "4 modes", "20 modes", "dense");
    for entry in MODELS.iter().filter(|entry| only.as_ref().is_none_or(|name| name == entry.name)) {
        let model = Model::from_toml(entry.text)?;
        let Ok(rest) = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()) else {
            continue;
        };
        let pencil = linearize_sparse(&model, &OperatingPoint::from(&rest)).pencil();
        report(entry.name, &pencil)?;
    }
    if only.is_none() {
        for masses in [30, 60, 100] {
            report(&format!("chain of {masses} masses"), &chain(masses))?;
        }
    }
    Ok(())
}

fn report(name: &str, pencil: &QuadraticPencil<Sparse>) -> Result<(), EigenError> {
    let (n, m) = (pencil.m.rows(), pencil.phi_q.rows());
    if n > LIMIT {
        return Ok(());
    }
    let options = SparseOptions::default();
    let lowest = |count| fastest(|| solve(pencil, &Request::Lowest { count }, &options).map(drop));
    let dense = pencil.to_dense();
    let whole = fastest(|| mb_eigen::dense::solve(&dense, &DenseOptions::default()).map(drop))?;
    println!("{name:32} {n:4} {m:4} {:9.3} {:9.3} {whole:9.3}", lowest(4)?, lowest(20)?);
    Ok(())
}

/// Milliseconds of the fastest run.
fn fastest(mut work: impl FnMut() -> Result<(), EigenError>) -> Result<f64, EigenError> {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let before = Instant::now();
        work()?;
        best = best.min(before.elapsed().as_secs_f64());
    }
    Ok(1e3 * best)
}

/// Masses on springs in a row, the ends held by constraints.
fn chain(masses: usize) -> QuadraticPencil<Sparse> {
    use mb_algebra::{Scatter, Triplets, sparse};
    let mut k = Triplets::new(masses, masses);
    for i in 0..masses - 1 {
        for (a, b, v) in [(i, i, 1.0), (i + 1, i + 1, 1.0), (i, i + 1, -1.0), (i + 1, i, -1.0)] {
            k.add(a, b, 1e4 * v);
        }
    }
    let mut phi = Triplets::new(2, masses);
    phi.add(0, 0, 1.0);
    phi.add(1, masses - 1, 1.0);
    QuadraticPencil {
        m: sparse::identity(masses),
        c: sparse::zeros(masses, masses),
        k: k.to_sparse(),
        phi_q: phi.to_sparse(),
    }
}
