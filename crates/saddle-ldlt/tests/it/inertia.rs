//! Inertia of hard matrices against exact arithmetic and dense eigenvalues: zero blocks, dependent rows, singular matrices, scales.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test they are called from")]
#![expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "small whole numbers")]

use std::sync::Arc;

use mb_algebra::{AlgebraError, Dense, Scatter, Sparse, SymmetricEigen, Triplets, sparse, to_sparse};
use saddle_ldlt::{Inertia, Method, SaddleAnalysis, SaddleError, SaddleFactor, SaddleOptions};

use super::{Numbers, assembled, residuals};

/// Inertia of an integer matrix by congruences in exact arithmetic.
///
/// Elimination without fractions (Bareiss, Math. Comp. 22, 1968): all entries are minors, products of two fit in 128 bits for the
/// sizes here. The pivot over the one before is that of L D L^T. Where a diagonal is zero, another row and column is added to it.
fn exact(mut a: Vec<Vec<i128>>) -> Inertia {
    let n = a.len();
    let (mut before, mut signs) = (1_i128, [0_usize; 2]);
    for k in 0..n {
        let swap = |a: &mut Vec<Vec<i128>>, i: usize| {
            a.swap(k, i);
            for row in a.iter_mut() {
                row.swap(k, i);
            }
        };
        if let Some(i) = (k..n).find(|&i| a[i][i] != 0) {
            swap(&mut a, i);
        } else if let Some((i, j)) =
            (k..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).find(|&(i, j)| a[i][j] != 0)
        {
            for c in 0..n {
                a[i][c] += a[j][c];
            }
            for row in &mut a {
                row[i] += row[j];
            }
            swap(&mut a, i);
        } else {
            return Inertia { positive: signs[0], negative: signs[1], zero: n - k };
        }
        let pivot = a[k][k];
        signs[usize::from((pivot < 0) != (before < 0))] += 1;
        for i in k + 1..n {
            for j in k + 1..n {
                a[i][j] = (a[i][j] * pivot - a[i][k] * a[k][j]) / before;
            }
        }
        before = pivot;
    }
    Inertia { positive: signs[0], negative: signs[1], zero: 0 }
}

/// An integer saddle-point matrix with many zeros: A (n x n) and G (m x n), rows of G copied or added up now and then.
fn integers(n: usize, m: usize, numbers: &mut Numbers) -> (Sparse, Sparse) {
    let mut a = Triplets::new(n, n);
    for i in 0..n {
        if numbers.below(4) < 3 {
            a.add(i, i, numbers.below(7) as f64 - 3.0);
        }
        if i > 0 && numbers.below(4) < 3 {
            let (j, value) = (numbers.below(i), numbers.below(5) as f64 - 2.0);
            a.add(i, j, value);
            a.add(j, i, value);
        }
    }
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for r in 0..m {
        let row = if r > 0 && numbers.below(6) == 0 {
            let (p, q) = (numbers.below(r), numbers.below(r));
            let by = numbers.below(2) as f64;
            (0..n).map(|j| rows[p][j] - by * rows[q][j]).collect()
        } else {
            (0..n).map(|_| if numbers.below(4) < 2 { numbers.below(3) as f64 - 1.0 } else { 0.0 }).collect()
        };
        rows.push(row);
    }
    let mut g = Triplets::new(m, n);
    for (r, row) in rows.iter().enumerate() {
        row.iter().enumerate().filter(|(_, x)| **x != 0.0).for_each(|(j, x)| g.add(r, j, *x));
    }
    (a.to_sparse(), g.to_sparse())
}

/// D A D and E G D with powers of two, from 2^-spread to 2^spread: the inertia is that of A and G.
fn rescaled(a: &Sparse, g: &Sparse, spread: usize, numbers: &mut Numbers) -> (Sparse, Sparse) {
    let mut powers = |count: usize| -> Vec<f64> {
        (0..count).map(|_| 2_f64.powi(numbers.below(2 * spread + 1) as i32 - spread as i32)).collect()
    };
    let (d, e) = (powers(a.rows()), powers(g.rows()));
    let times = |x: &Sparse, left: &[f64], right: &[f64]| {
        let mut out = Triplets::new(x.rows(), x.cols());
        x.iter().for_each(|(value, (i, j))| out.add(i, j, value * left[i] * right[j]));
        out.to_sparse()
    };
    (times(a, &d, &d), times(g, &e, &d))
}

fn full(a: &Sparse, g: &Sparse, options: &SaddleOptions) -> Inertia {
    let analysis = Arc::new(SaddleAnalysis::new(a, g, options).unwrap());
    SaddleFactor::full_inertia(&analysis, &[(1.0, a)], g).unwrap()
}

/// Without the quick way, with and without g G^T G, and with thresholds from loose to strict.
fn ways() -> Vec<SaddleOptions> {
    let mut out = vec![SaddleOptions::default()];
    for threshold in [1e-2, 0.1, 0.5] {
        for augmentation in [1.0, 0.0] {
            let first_method = Method::DelayedLdl;
            out.push(SaddleOptions { threshold, augmentation, first_method, ..SaddleOptions::default() });
        }
    }
    out
}

#[test]
fn inertia_of_integer_matrices_is_exact() {
    let numbers = &mut Numbers(2024);
    let (mut singular, mut regular) = (0, 0);
    for case in 0..400 {
        let n = 1 + numbers.below(10);
        let m = numbers.below(n.min(4) + 1);
        let (a, g) = integers(n, m, numbers);
        let s = assembled(&a, &g);
        let expected = exact((0..n + m).map(|i| (0..n + m).map(|j| s[(i, j)] as i128).collect()).collect());
        if expected.zero > 0 {
            singular += 1;
        } else {
            regular += 1;
        }
        for spread in [0, 20] {
            let (a, g) = rescaled(&a, &g, spread, numbers);
            for options in ways() {
                assert_eq!(full(&a, &g, &options), expected, "{case} {spread} {options:?}");
            }
        }
    }
    assert!(singular > 100 && regular > 100, "{singular} {regular}");
}

/// A grid of masses without stiffness of their own, tied by rows of G and by springs of both signs; some nodes are free.
fn frame(side: usize, numbers: &mut Numbers) -> (Sparse, Sparse) {
    let n = side * side;
    let mut a = Triplets::new(n, n);
    for i in 0..n {
        if numbers.below(4) == 0 {
            a.add(i, i, numbers.next());
        }
        for j in
            [(i % side + 1 < side).then_some(i + 1), (i + side < n).then_some(i + side)].into_iter().flatten()
        {
            let value = 10_f64.powi(numbers.below(7) as i32 - 6) * numbers.next();
            a.add(i, j, value);
            a.add(j, i, value);
        }
    }
    let m = n / 3;
    let mut g = Triplets::new(m, n);
    for r in 0..m {
        g.add(r, 3 * r, 1.0);
        g.add(r, numbers.below(n), 1e-3 * numbers.next());
        g.add(r, numbers.below(n), numbers.next());
    }
    (a.to_sparse(), g.to_sparse())
}

#[test]
fn zero_diagonals_are_eliminated_by_delayed_pivots() {
    let numbers = &mut Numbers(77);
    let mut delayed = 0;
    for side in [4, 7, 11, 15] {
        for _ in 0..6 {
            let (a, g) = frame(side, numbers);
            let (n, m) = (a.cols(), g.rows());
            let s = assembled(&a, &g);
            let values = SymmetricEigen::new(&s).unwrap().values;
            let least = values.iter().fold(f64::INFINITY, |m, v| m.min(v.abs()));
            if least < 1e-9 {
                continue;
            }
            let negative = values.iter().filter(|v| **v < 0.0).count();
            let expected = Inertia { positive: n + m - negative, negative, zero: 0 };
            let f: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
            let h: Vec<f64> = (0..m).map(|_| numbers.next()).collect();
            for options in ways() {
                let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &options).unwrap());
                let factor = SaddleFactor::new(&analysis, &a, &g).unwrap();
                assert_eq!(factor.inertia(), Some(expected), "{side} {options:?}");
                let (x, l) = factor.solve(&f, &h).unwrap();
                let (top, low) = residuals(&a, &g, &x, &l, &f, &h);
                assert!(top < 1e-13 && low < 1e-13, "{side} {options:?}: {top:e} {low:e}");
                delayed += factor.report().delayed_pivots;
            }
        }
    }
    assert!(delayed > 100, "{delayed}");
}

#[test]
fn a_singular_matrix_names_what_moves_and_counts_it() {
    // A chain of springs that nothing holds, of which a row ties two ends of other unknowns.
    let n = 400;
    let mut a = Triplets::new(n, n);
    for i in 0..n - 1 {
        let k = 1.0 + (i % 5) as f64;
        for (p, q, v) in [(i, i, k), (i + 1, i + 1, k), (i, i + 1, -k), (i + 1, i, -k)] {
            a.add(p, q, v);
        }
    }
    let g = to_sparse(&Dense::from_fn(2, n, |r, j| {
        if j == 100 + r {
            1.0
        } else if j == 300 {
            -1.0
        } else {
            0.0
        }
    }));
    let a = a.to_sparse();
    for options in ways() {
        assert_eq!(full(&a, &g, &options), Inertia { positive: n - 1, negative: 2, zero: 1 });
        let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &options).unwrap());
        match SaddleFactor::new(&analysis, &a, &g) {
            Err(AlgebraError::Saddle(SaddleError::Singular { unknown })) => assert!(unknown < n),
            Err(error) => panic!("{error}"),
            Ok(factor) => assert!(factor.inertia().is_none() && !factor.report().near_singular.is_empty()),
        }
    }
}

/// Rows that are nearly parallel, at angles far above rounding, are kept, with their signs.
#[test]
fn nearly_dependent_rows_count() {
    let numbers = &mut Numbers(5);
    for angle in [1e-3, 1e-5, 1e-6] {
        let n = 30;
        let a = to_sparse(&Dense::from_fn(n, n, |i, j| if i == j { 2.0 + (i % 3) as f64 } else { 0.0 }));
        let base: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
        let other: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
        let g = Dense::from_fn(4, n, |r, j| match r {
            0 => base[j],
            1 => base[j] + angle * other[j],
            2 => 3.0 * base[j] - angle * other[(j + 7) % n],
            _ => other[(j + 3) % n],
        });
        let g = to_sparse(&g);
        for options in ways() {
            let found = full(&a, &g, &options);
            assert_eq!(found, Inertia { positive: n, negative: 4, zero: 0 }, "{angle:e} {options:?}");
        }
    }
}

/// A chain at shifts on its eigenvalues 2 - 2 cos(p pi / 60), p = 20, 30, 40: one zero, and the signs of all others.
#[test]
fn at_an_eigenvalue_the_others_are_counted() {
    let n = 59;
    for (p, shift) in [(20, 1.0), (30, 2.0), (40, 3.0)] {
        let a = to_sparse(&Dense::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => 2.0 - shift,
            1 => -1.0,
            _ => 0.0,
        }));
        let expected = Inertia { positive: n - p, negative: p - 1, zero: 1 };
        for options in ways() {
            assert_eq!(full(&a, &sparse::zeros(0, n), &options), expected, "{shift}");
        }
    }
}
