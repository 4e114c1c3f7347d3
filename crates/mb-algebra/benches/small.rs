//! Times of factorizations at the sizes of one vehicle or mechanism: `cargo bench -p mb-algebra`.

use divan::{Bencher, black_box};
use mb_algebra::{Dense, GeneralEigen, Lu, Qz, RankQr, RankTolerance, Svd, SymmetricEigen, dense};

fn main() {
    divan::main();
}

fn sample(n: usize) -> Dense {
    Dense::from_fn(n, n, |i, j| {
        ((i * 31 + j * 17 + i * j) % 23) as f64 - 11.0 + if i == j { 30.0 } else { 0.0 }
    })
}

#[divan::bench(args = [12, 42, 86])]
fn lu(bencher: Bencher<'_, '_>, n: usize) {
    let a = sample(n);
    bencher.bench(|| Lu::new(black_box(&a)));
}

#[divan::bench(args = [42])]
fn lu_refactor_and_solve(bencher: Bencher<'_, '_>, n: usize) {
    let (a, b) = (sample(n), vec![1.0; n]);
    let mut lu = Lu::new(&a).ok();
    bencher.bench_local(|| {
        lu.as_mut().map(|lu| {
            let outcome = lu.refactor(black_box(&a));
            (outcome, lu.solve(&b))
        })
    });
}

#[divan::bench(args = [42])]
fn rank_qr(bencher: Bencher<'_, '_>, n: usize) {
    let a = dense::select_rows(&sample(n), &(0..n / 2).collect::<Vec<_>>());
    bencher.bench(|| RankQr::new(black_box(&a), RankTolerance::default()).map(|qr| qr.null_space()));
}

#[divan::bench(args = [42])]
fn svd(bencher: Bencher<'_, '_>, n: usize) {
    let a = sample(n);
    bencher.bench(|| Svd::new(black_box(&a)));
}

#[divan::bench(args = [42, 86])]
fn symmetric_eigen(bencher: Bencher<'_, '_>, n: usize) {
    let a = dense::symmetric_part(&sample(n));
    bencher.bench(|| SymmetricEigen::new(black_box(&a)));
}

#[divan::bench(args = [42, 86])]
fn general_eigen_values(bencher: Bencher<'_, '_>, n: usize) {
    let a = sample(n);
    bencher.bench(|| GeneralEigen::values(black_box(&a)));
}

#[divan::bench(args = [42, 86])]
fn general_eigen_both_vectors(bencher: Bencher<'_, '_>, n: usize) {
    let a = sample(n);
    bencher.bench(|| GeneralEigen::new(black_box(&a), true));
}

#[divan::bench(args = [42, 86])]
fn qz_both_vectors(bencher: Bencher<'_, '_>, n: usize) {
    let (a, b) = (sample(n), dense::symmetric_part(&sample(n)));
    bencher.bench(|| Qz::new(black_box(&a), black_box(&b), true));
}
