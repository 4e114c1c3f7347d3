//! Eigenpairs as polynomials against solving again: the arm of palomba2019 (23 unknowns, four
//! parameters, order 4), and a sparse grid of 10,000 unknowns.
#![expect(clippy::unwrap_used, reason = "a benchmark that fails has nothing to measure")]

use benchmarks::parametric::{Arm, Grid};
use divan::Bencher;
use mb_algebra::c64;
use mb_eigen::DenseOptions;
use mb_eigen::sparse::{self, Request, SparseOptions};
use mb_parametric::{ExpandOptions, MultiIndexSet, StartingEigenpair, expand, expand_all};
use std::hint::black_box;

fn main() {
    divan::main();
}

#[divan::bench]
fn arm_matrices(bencher: Bencher) {
    let arm = Arm::new().unwrap();
    bencher.bench_local(|| arm.matrices().unwrap());
}

#[divan::bench]
fn arm_three_pairs(bencher: Bencher) {
    let arm = Arm::new().unwrap();
    bencher.bench_local(|| arm.expand().unwrap());
}

/// Three eigenvalues at 51 points.
#[divan::bench]
fn arm_evaluation(bencher: Bencher) {
    let arm = Arm::new().unwrap();
    let modes = arm.expand().unwrap();
    let points = arm.points();
    let set = modes[0].set().clone();
    let mut monomials = Vec::new();
    let mut out = vec![[c64::ZERO; 3]; points.len()];
    bencher.bench_local(|| {
        for (d, out) in black_box(&points).iter().zip(&mut out) {
            set.monomials_into(d, &mut monomials).unwrap();
            for (s, mode) in out.iter_mut().zip(&modes) {
                *s = mode.eigenvalue_from(&monomials);
            }
        }
        black_box(out[50])
    });
}

/// The eigenproblems of 51 points, all values and vectors.
#[divan::bench]
fn arm_eigenproblems(bencher: Bencher) {
    let arm = Arm::new().unwrap();
    let exact = arm.exact().unwrap();
    bencher.bench_local(|| {
        exact
            .iter()
            .map(|p| mb_eigen::dense::solve(p, &DenseOptions::default()).unwrap().eigenpairs.len())
            .sum::<usize>()
    });
}

const SIDE: usize = 100;

/// The ten lowest pairs of the grid, solved anew: one of ten re-solves.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn grid_one_solve(bencher: Bencher) {
    let grid = Grid::new(SIDE).unwrap();
    bencher.bench_local(|| {
        sparse::solve(&grid.centre, &Request::Lowest { count: 10 }, &SparseOptions::default())
            .unwrap()
            .eigenpairs
            .len()
    });
}

fn lowest(grid: &Grid) -> Vec<StartingEigenpair> {
    let found =
        sparse::solve(&grid.centre, &Request::Lowest { count: 10 }, &SparseOptions::default()).unwrap();
    let pair = |pair: &mb_eigen::Eigenpair| {
        Some(StartingEigenpair { s: pair.value().filter(|s| s.im > 0.0)?, vector: pair.right.to_vec() })
    };
    found.eigenpairs.iter().filter_map(pair).collect()
}

/// Ten pairs of the grid in two parameters to order 4, one core.
#[divan::bench(sample_count = 2, sample_size = 1)]
fn grid_ten_pairs(bencher: Bencher) {
    let grid = Grid::new(SIDE).unwrap();
    let starts = lowest(&grid);
    let set = MultiIndexSet::total(2, 4).unwrap();
    bencher.bench_local(|| {
        starts
            .iter()
            .map(|s| expand(&grid.pencil, s, &set, &ExpandOptions::default()).unwrap().gap())
            .sum::<f64>()
    });
}

/// The same shared out over all cores.
#[divan::bench(sample_count = 2, sample_size = 1)]
fn grid_ten_pairs_all_cores(bencher: Bencher) {
    let grid = Grid::new(SIDE).unwrap();
    let starts = lowest(&grid);
    let set = MultiIndexSet::total(2, 4).unwrap();
    bencher.bench_local(|| {
        expand_all(&grid.pencil, &starts, &set, &ExpandOptions::default()).into_iter().flatten().count()
    });
}
