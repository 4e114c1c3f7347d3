//! Flexible double pendulum: linearization and eigenpairs apart, against the elements of a link.
//!
//! Whole spectra take half a second each; `cargo bench -p benchmarks --bench flexible_pendulum first` leaves them out.
#![expect(clippy::unwrap_used, reason = "a benchmark that fails has nothing to measure")]

use benchmarks::pendulum::{
    Pendulum, all_minimal, all_redundant, all_unconstrained, first_constrained, first_unconstrained,
};
use divan::Bencher;

fn main() {
    divan::main();
}

const ELEMENTS: [u32; 3] = [100, 1_000, 10_000];

#[divan::bench(args = ELEMENTS, sample_count = 10, sample_size = 1)]
fn equilibrium(bencher: Bencher, elements: u32) {
    let pendulum = Pendulum::new(elements, true).unwrap();
    bencher.bench_local(|| pendulum.equilibrium().unwrap());
}

#[divan::bench(args = ELEMENTS, sample_count = 10, sample_size = 1)]
fn linearization(bencher: Bencher, elements: u32) {
    let pendulum = Pendulum::new(elements, true).unwrap();
    bencher.bench_local(|| pendulum.linearized());
}

#[divan::bench(args = ELEMENTS, sample_count = 10, sample_size = 1)]
fn first_pairs_constrained(bencher: Bencher, elements: u32) {
    let lin = Pendulum::new(elements, true).unwrap().linearized();
    bencher.bench_local(|| first_constrained(&lin).unwrap());
}

#[divan::bench(args = ELEMENTS, sample_count = 10, sample_size = 1)]
fn linearization_penalty(bencher: Bencher, elements: u32) {
    let pendulum = Pendulum::new(elements, true).unwrap();
    bencher.bench_local(|| pendulum.linearized_penalty().unwrap());
}

#[divan::bench(args = [100, 1_000], sample_count = 10, sample_size = 1)]
fn first_pairs_unconstrained(bencher: Bencher, elements: u32) {
    let pendulum = Pendulum::new(elements, true).unwrap();
    let blocks = || pendulum.linearized_penalty().unwrap();
    bencher.with_inputs(blocks).bench_local_values(|blocks| first_unconstrained(&blocks).unwrap());
}

#[divan::bench(args = [100], sample_count = 5, sample_size = 1)]
fn whole_minimal(bencher: Bencher, elements: u32) {
    let lin = Pendulum::new(elements, false).unwrap().linearized_dense();
    bencher.bench_local(|| all_minimal(&lin).unwrap());
}

#[divan::bench(args = [100], sample_count = 5, sample_size = 1)]
fn whole_redundant(bencher: Bencher, elements: u32) {
    let lin = Pendulum::new(elements, false).unwrap().linearized_dense();
    bencher.bench_local(|| all_redundant(&lin).unwrap());
}

#[divan::bench(args = [100], sample_count = 5, sample_size = 1)]
fn whole_unconstrained(bencher: Bencher, elements: u32) {
    let pencil = Pendulum::new(elements, false).unwrap().penalty_pencil().unwrap();
    bencher.bench_local(|| all_unconstrained(&pencil).unwrap());
}
