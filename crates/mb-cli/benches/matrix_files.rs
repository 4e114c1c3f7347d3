//! Reading of matrices from text and binary files, bytes a second: a grid of 80 x 80 x 80 unknowns with seven entries a row.
#![expect(clippy::unwrap_used, reason = "a benchmark that fails has nothing to measure")]

use divan::Bencher;
use divan::counter::BytesCount;
use mb_algebra::{Scatter as _, Sparse, Triplets, matrix_market};
use mb_cli::mat::{self, Variable};
use mb_cli::{matrix_file, npz};

fn main() {
    divan::main();
}

/// The stiffness of equal springs between neighbours, with digits as measured values have them.
fn grid() -> Sparse {
    const SIDE: usize = 80;
    let n = SIDE * SIDE * SIDE;
    let mut entries = Triplets::with_capacity(n, n, 7 * n);
    for i in 0..n {
        entries.add(i, i, 6.1 + 0.1 * (i as f64).sin());
        for (step, place) in [(1, i % SIDE), (SIDE, i / SIDE % SIDE), (SIDE * SIDE, i / SIDE / SIDE)] {
            if place + 1 < SIDE {
                let spring = -1.0 + 0.01 * (i as f64).cos();
                entries.add(i, i + step, spring);
                entries.add(i + step, i, spring);
            }
        }
    }
    entries.to_sparse()
}

fn binary(bencher: Bencher<'_, '_>, bytes: &[u8]) {
    bencher
        .counter(BytesCount::of_slice(bytes))
        .bench_local(|| matrix_file::read(bytes, None, "K").unwrap().unwrap().matrix);
}

#[divan::bench(sample_count = 5)]
fn matrix_market_text(bencher: Bencher) {
    let mut text = Vec::new();
    matrix_market::write(&mut text, &grid(), &[]).unwrap();
    bencher.counter(BytesCount::of_slice(&text)).bench_local(|| matrix_market::read(&text).unwrap().matrix);
}

#[divan::bench(sample_count = 5)]
fn scipy_npz(bencher: Bencher) {
    binary(bencher, &npz::archive(&npz::sparse(&grid())));
}

#[divan::bench(sample_count = 5)]
fn matlab_mat(bencher: Bencher) {
    binary(bencher, &mat::file(&[Variable::Sparse("K", &grid())]));
}

#[divan::bench(sample_count = 5)]
fn petsc_binary(bencher: Bencher) {
    binary(bencher, &mb_engine::petsc::file(&grid()).unwrap());
}
