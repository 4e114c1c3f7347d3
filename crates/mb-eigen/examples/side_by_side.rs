//! Two shifts one after the other and side by side on two cores, through one symbolic analysis: `side_by_side h 32 [SOLVES]`
//! (hexahedra), `c` and `g` (chains), as in `measure`.
//!
//! Each side is a factorization and `SOLVES` blocks of eight right-hand sides. Times are by the clock and of the processor;
//! on a machine that others use as well the clock says nothing, and the speed-up that the processor's times allow is what
//! to keep: the sum of both sides alone over the longer of both sides together.
#![expect(clippy::print_stdout, reason = "a program that reports")]

#[expect(dead_code, reason = "the measuring program has more families")]
mod cases;

use std::sync::Arc;
use std::time::Instant;

use mb_algebra::{AlgebraError, Dense, QuadraticPencil, Sparse, sparse};
use saddle_ldlt::{SaddleAnalysis, SaddleFactor, SaddleOptions};

/// Right-hand sides of a block.
const BLOCK: usize = 8;

/// Time by the clock and of the processor on this thread, seconds.
#[derive(Clone, Copy)]
struct Times {
    wall: f64,
    cpu: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let number = |k: usize, default: usize| words.get(k).and_then(|w| w.parse().ok()).unwrap_or(default);
    let size = number(2, 20);
    let pencil = match words.get(1).map(String::as_str) {
        Some("c") => cases::beam_chain(size, 0.0, true),
        Some("g") => cases::beam_chain(size, 1e8, true),
        _ => cases::hex_block(size, true),
    };
    let solves = number(3, 10);
    let pattern = sparse::add(1.0, &pencil.k, 1.0, &pencil.m);
    let analysis = Arc::new(SaddleAnalysis::new(&pattern, &pencil.phi_q, &SaddleOptions::default())?);
    println!("{} unknowns, {} constraints", pencil.k.rows(), pencil.phi_q.rows());
    // Below and far inside the spectrum, by the trace of K over that of M.
    let trace = |a: &Sparse| a.iter().filter(|(_, (i, j))| i == j).map(|(v, _)| v).sum::<f64>();
    let mean = trace(&pencil.k) / trace(&pencil.m);
    let shifts = [-1e-8 * mean, 1e-3 * mean];
    let side = |shift: f64| side(&analysis, &pencil, shift, solves);
    let clock = Instant::now();
    let (first, second) = (side(shifts[0])?, side(shifts[1])?);
    let apart = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let (one, other) = rayon::join(|| side(shifts[0]), || side(shifts[1]));
    let together = clock.elapsed().as_secs_f64();
    let (one, other) = (one?, other?);
    let show = |what: &str, t: Times| {
        println!("{what:28} {:8.3} s by the clock, {:8.3} s of the processor", t.wall, t.cpu);
    };
    show("first, alone", first);
    show("second, alone", second);
    show("first, next to the second", one);
    show("second, next to the first", other);
    println!(
        "one after the other {apart:.3} s, side by side {together:.3} s: {:.2} times faster",
        apart / together
    );
    let allowed = (first.cpu + second.cpu) / one.cpu.max(other.cpu);
    println!("by the processor's times {allowed:.2} times");
    Ok(())
}

/// One shift: factors and solutions.
fn side(
    analysis: &Arc<SaddleAnalysis>,
    pencil: &QuadraticPencil<Sparse>,
    shift: f64,
    solves: usize,
) -> Result<Times, AlgebraError> {
    let (clock, before) = (Instant::now(), busy_seconds());
    let factor = SaddleFactor::of_sum(analysis, &[(1.0, &pencil.k), (-shift, &pencil.m)], &pencil.phi_q)?;
    let block = Dense::from_fn(pencil.k.rows(), BLOCK, |i, j| ((i * (j + 3)) % 13) as f64 - 6.0);
    for _ in 0..solves {
        let _ = factor.solve_block(&block)?;
    }
    Ok(Times { wall: clock.elapsed().as_secs_f64(), cpu: busy_seconds() - before })
}

/// Time this thread has spent on a core, where the system reports it (Linux).
fn busy_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|t| t.parse::<f64>().ok());
    nanoseconds.map_or(f64::NAN, |t| t * 1e-9)
}
