//! Dense analyses at the sizes of gonzalez2017, Table 1: the N-loop four-bar linkage, n = 2N + 3, one degree of freedom.
//!
//! Printed there for N = 20 (MATLAB, linearization included): minimal 0.752 ms, redundant 4.517 ms, penalty 6.152 ms.

#[path = "../tests/it/systems.rs"]
#[expect(clippy::unwrap_used, dead_code, reason = "shared with the tests")]
mod systems;

use divan::{Bencher, black_box};
use mb_eigen::descriptor::{DescriptorStructure, Transferred};
use mb_eigen::{DenseOptions, Refinement, descriptor, penalty};

fn main() {
    divan::main();
}

/// (loops, damper).
const CASES: [(usize, f64); 3] = [(1, 0.0), (20, 0.0), (20, 1.0)];

#[divan::bench(args = CASES)]
fn minimal(bencher: Bencher<'_, '_>, (loops, damper): (usize, f64)) {
    let (pencil, _) = systems::four_bar(loops, damper);
    bencher.bench(|| mb_eigen::dense::solve(black_box(&pencil), &DenseOptions::default()));
}

#[divan::bench(args = CASES)]
fn descriptor_by_structure(bencher: Bencher<'_, '_>, (loops, damper): (usize, f64)) {
    let (pencil, _) = systems::four_bar(loops, damper);
    let structure = DescriptorStructure { pencil, transferred: Transferred::default() };
    bencher.bench(|| descriptor::solve(black_box(&structure), &DenseOptions::default()));
}

#[divan::bench(args = CASES)]
fn penalty_physical_pair(bencher: Bencher<'_, '_>, (loops, damper): (usize, f64)) {
    let pencil = systems::penalty(&systems::four_bar(loops, damper).0, 1e6, 1.0, 10.0);
    bencher.bench(|| penalty::physical_eigenpairs(black_box(&pencil), &DenseOptions::default()));
}

#[divan::bench(args = CASES)]
fn penalty_whole_spectrum(bencher: Bencher<'_, '_>, (loops, damper): (usize, f64)) {
    let pencil = systems::penalty(&systems::four_bar(loops, damper).0, 1e6, 1.0, 10.0);
    bencher.bench(|| penalty::solve(black_box(&pencil), &DenseOptions::default()));
}

/// A grounded chain without constraints: the symmetric path, and the companion form with a damper at one end.
#[divan::bench(args = [1, 10, 50, 100])]
fn chain_undamped(bencher: Bencher<'_, '_>, n: usize) {
    let pencil = systems::chain(n, 1.0, 100.0, true);
    bencher.bench(|| mb_eigen::dense::solve(black_box(&pencil), &DenseOptions::default()));
}

#[divan::bench(args = [1, 10, 50, 100])]
fn chain_damped(bencher: Bencher<'_, '_>, n: usize) {
    let mut pencil = systems::chain(n, 1.0, 100.0, true);
    pencil.c[(0, 0)] = 3.0;
    bencher.bench(|| mb_eigen::dense::solve(black_box(&pencil), &DenseOptions::default()));
}

/// Inverse iteration on the saddle-point matrix.
#[divan::bench(args = CASES)]
fn minimal_polished(bencher: Bencher<'_, '_>, (loops, damper): (usize, f64)) {
    let (pencil, _) = systems::four_bar(loops, damper);
    let refinement = Refinement::InverseIteration { lowest: 4 };
    let options = DenseOptions { refinement, ..DenseOptions::default() };
    bencher.bench(|| mb_eigen::dense::solve(black_box(&pencil), &options));
}
