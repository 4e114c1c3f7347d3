//! N-loop four-bar linkage: the three families, and assembly against the number of loops.
#![expect(clippy::unwrap_used, reason = "a benchmark that fails has nothing to measure")]

use benchmarks::{Case, assembly_point, linkage};
use divan::Bencher;

fn main() {
    divan::main();
}

const LOOPS: [u32; 3] = [1, 5, 20];

#[divan::bench(args = LOOPS)]
fn minimal(bencher: Bencher, loops: u32) {
    let case = Case::new(loops).unwrap();
    bencher.bench_local(|| case.minimal().unwrap());
}

#[divan::bench(args = LOOPS)]
fn redundant(bencher: Bencher, loops: u32) {
    let case = Case::new(loops).unwrap();
    bencher.bench_local(|| case.redundant().unwrap());
}

#[divan::bench(args = LOOPS)]
fn unconstrained_physical(bencher: Bencher, loops: u32) {
    let case = Case::new(loops).unwrap();
    bencher.bench_local(|| case.unconstrained_physical().unwrap());
}

#[divan::bench(args = LOOPS)]
fn unconstrained_all(bencher: Bencher, loops: u32) {
    let case = Case::new(loops).unwrap();
    bencher.bench_local(|| case.unconstrained_all().unwrap());
}

/// M, C, K and Phi_q as sparse matrices.
#[divan::bench(args = [10, 100, 1_000, 10_000, 100_000], sample_count = 10)]
fn assemble(bencher: Bencher, loops: u32) {
    let model = linkage(loops).unwrap();
    let point = assembly_point(&model);
    bencher.bench_local(|| model.blocks(&point));
}
