//! Beams in space: assembly, equilibrium and modes of a frame against its storeys, and a row of the tables of Yang et
//! al. 2012.
//!
//! 25 storeys are 97,650 coordinates and 1,000 revolute joints.
#![expect(clippy::unwrap_used, reason = "a benchmark that fails has nothing to measure")]

use benchmarks::frame::{at_rest, bent, cantilever, frame, linearized, lowest, table_row};
use divan::Bencher;

fn main() {
    divan::main();
}

const STOREYS: [u32; 3] = [1, 5, 25];

#[divan::bench(args = STOREYS, sample_count = 10, sample_size = 1)]
fn assembly(bencher: Bencher, storeys: u32) {
    let model = frame(storeys).unwrap();
    let point = bent(&model);
    bencher.bench_local(|| model.blocks(&point));
}

#[divan::bench(args = STOREYS, sample_count = 3, sample_size = 1)]
fn equilibrium(bencher: Bencher, storeys: u32) {
    let model = frame(storeys).unwrap();
    bencher.bench_local(|| at_rest(&model).unwrap());
}

#[divan::bench(args = STOREYS, sample_count = 3, sample_size = 1)]
fn twenty_modes(bencher: Bencher, storeys: u32) {
    let model = frame(storeys).unwrap();
    let lin = linearized(&model, &at_rest(&model).unwrap());
    bencher.bench_local(|| lowest(&lin, 20).unwrap());
}

#[divan::bench(args = [0.0, 1e10], sample_count = 20, sample_size = 1)]
fn cantilever_row(bencher: Bencher, tension: f64) {
    let model = cantilever(tension).unwrap();
    bencher.bench_local(|| table_row(&model).unwrap());
}
