//! Calls on given matrices, to be compared with the same calls from Python.
//!
//! ```text
//! cargo run --release -p benchmarks --example matrix_calls NAME
//! ```
//!
//! For every line of standard input, a number, so many calls in a row and a line with the shortest of their times in seconds: calls from
//! another program can take turns with them. `benchmarks/python_package.py` makes the same matrices.
#![expect(clippy::print_stdout, reason = "what a program says")]

use mb_algebra::{QuadraticPencil, Sparse, sparse};
use mb_eigen::sparse::{Request, SparseOptions, solve};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

/// K of `n` masses between springs of stiffness one.
fn chain(n: usize) -> Sparse {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for j in 0..n {
        for i in j.saturating_sub(1)..(j + 2).min(n) {
            indices.push(i);
            values.push(if i == j { 2.0 } else { -1.0 });
        }
        starts.push(indices.len());
    }
    Sparse::new_csc((n, n), starts, indices, values)
}

/// A full matrix: 1 / (1 + |i - j|), and n on the diagonal.
fn full(n: usize) -> Sparse {
    let starts = (0..=n).map(|j| j * n).collect();
    let indices = (0..n * n).map(|k| k % n).collect();
    let entry =
        |i: usize, j: usize| ((1 + i.abs_diff(j)) as f64).recip() + if i == j { n as f64 } else { 0.0 };
    let values = (0..n * n).map(|k| entry(k % n, k / n)).collect();
    Sparse::new_csc((n, n), starts, indices, values)
}

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let (k, request) = match name.as_str() {
        "full 12, all" => (full(12), Request::All),
        "chain 10000, lowest 20" => (chain(10_000), Request::Lowest { count: 20 }),
        "chain 60000, lowest 20" => (chain(60_000), Request::Lowest { count: 20 }),
        "full 30, all" => (full(30), Request::All),
        "full 100, all" => (full(100), Request::All),
        "full 300, all" => (full(300), Request::All),
        other => return Err(format!("no call has the name '{other}'").into()),
    };
    let n = k.rows();
    let pencil =
        QuadraticPencil { m: sparse::identity(n), c: sparse::zeros(n, n), phi_q: sparse::zeros(0, n), k };
    for line in std::io::stdin().lines() {
        let mut shortest = f64::INFINITY;
        for _ in 0..line?.trim().parse()? {
            let start = Instant::now();
            black_box(solve(&pencil, &request, &SparseOptions::default())?);
            shortest = shortest.min(start.elapsed().as_secs_f64());
        }
        println!("{shortest:.9}");
    }
    Ok(())
}
