//! Times the sparse analysis of one case: `measure h 14 20` (hexahedra), `c 2500 20` (cantilever), `g ..` (grounded).
#![expect(clippy::print_stdout, reason = "a program that reports")]

mod cases;

use std::time::Instant;

use mb_eigen::sparse::{Request, SparseOptions, solve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let text = |i: usize, default: &str| arguments.get(i).cloned().unwrap_or_else(|| default.to_owned());
    let size: usize = text(2, "14").parse()?;
    let count: usize = text(3, "20").parse()?;
    let pencil = match text(1, "h").as_str() {
        "c" => cases::beam_chain(size, 0.0, true),
        "g" => cases::beam_chain(size, 1e8, true),
        "s" => cases::spring_chain(size, 1.0, 1e4),
        "f" => cases::hex_block(size, false),
        _ => cases::hex_block(size, true),
    };
    println!("n = {}, m = {}, count = {count}", pencil.m.rows(), pencil.phi_q.rows());
    let mut options = SparseOptions::default();
    if let Ok(block) = text(4, "").parse() {
        options.expert.block = Some(block);
    }
    options.expert.subspace = std::env::var("SUBSPACE").ok().and_then(|text| text.parse().ok());
    options.prove_complete = text(5, "prove") == "prove";
    let (before, busy) = (Instant::now(), busy_seconds());
    let request = match (text(6, "").parse(), text(7, "").parse()) {
        (Ok(from_hz), Ok(to_hz)) => Request::Band { from_hz, to_hz, max_damping_ratio: None },
        (Ok(hz), _) => Request::NearFrequency { hz, count },
        _ => Request::Lowest { count },
    };
    let spectrum = solve(&pencil, &request, &options)?;
    if let Some(times) = std::env::var("REPEAT").ok().and_then(|text| text.parse::<u32>().ok()) {
        let mut best = f64::INFINITY;
        for _ in 0..times {
            let before = Instant::now();
            solve(&pencil, &request, &options)?;
            best = best.min(before.elapsed().as_secs_f64());
        }
        println!("fastest of {times}: {:.3} ms", 1e3 * best);
        return Ok(());
    }
    println!("{:.4} s, on a core {:.4} s", before.elapsed().as_secs_f64(), busy_seconds() - busy);
    for pair in spectrum.eigenpairs.iter().filter(|pair| pair.alpha.im >= 0.0) {
        println!(
            "{:.12e} Hz +- {:.1e}  backward {:.1e}  violation {:.1e}  {}",
            pair.natural_frequency_hz().unwrap_or(f64::NAN),
            pair.error_bound / std::f64::consts::TAU,
            pair.backward_error,
            pair.constraint_violation,
            pair.class
        );
    }
    for finding in &spectrum.findings {
        println!("{finding}");
    }
    Ok(())
}

/// Time this process has spent on cores, where the system reports it (Linux).
fn busy_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|t| t.parse::<f64>().ok());
    nanoseconds.map_or(f64::NAN, |t| t * 1e-9)
}
