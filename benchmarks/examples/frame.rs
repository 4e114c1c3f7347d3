//! Stages of the analysis of a frame of beams in space, and a row of the tables of Yang et al. 2012.
//!
//! ```text
//! cargo run --release -p benchmarks --example frame STOREYS
//! ```
//!
//! One line for each stage: seconds by the clock; at the end the largest memory the process had.
#![expect(clippy::print_stdout, reason = "what a program says")]

use benchmarks::frame::{at_rest, bent, cantilever, frame, linearized, lowest, signs, table_row};
use std::error::Error;
use std::time::Instant;

fn timed<T>(name: &str, of: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let out = of();
    println!("{name:<40} {:>9.3} s", start.elapsed().as_secs_f64());
    out
}

fn main() -> Result<(), Box<dyn Error>> {
    let storeys: u32 = std::env::args().nth(1).map_or(Ok(25), |x| x.parse())?;
    let all = Instant::now();
    let model = timed("model", || frame(storeys))?;
    println!("{} coordinates, {} constraint rows", model.nv(), model.nc());
    let rest = timed("equilibrium", || at_rest(&model))?;
    println!("{} iterations by {}", rest.iterations, rest.found_by);
    let stability = timed("stability", || signs(&model, &rest))?;
    let lin = timed("linearization", || linearized(&model, &rest));
    println!("{stability}; entries of M {}, of K {}", lin.m.nnz(), lin.k.nnz());
    let spectrum = timed("20 modes", || lowest(&lin, 20))?;
    for pair in &spectrum.eigenpairs {
        if let Some(s) = pair.value() {
            println!(
                "    {:.6} Hz +- {:.1e}",
                s.im / std::f64::consts::TAU,
                pair.error_bound / std::f64::consts::TAU
            );
        }
    }
    for finding in &spectrum.findings {
        println!("    {finding}");
    }
    println!("in all {:.2} s", all.elapsed().as_secs_f64());
    drop((lin, spectrum));
    let point = bent(&model);
    for _ in 0..3 {
        timed("all blocks of a bent frame", || model.blocks(&point));
        timed("K and Phi_q of a bent frame", || model.static_blocks(&point));
    }
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|l| l.starts_with("VmHWM")).for_each(|l| println!("{l}"));
    }
    for tension in [0.0, 1e10] {
        let model = cantilever(tension)?;
        for _ in 0..5 {
            let start = Instant::now();
            let found = table_row(&model)?;
            let ms = 1e3 * start.elapsed().as_secs_f64();
            println!(
                "row of the table, tension {tension:.0e} N: {ms:.1} ms, {} pairs",
                found.spectrum.eigenpairs.len()
            );
        }
    }
    Ok(())
}
