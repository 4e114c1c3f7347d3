//! Schur forms held against their definition, and eigenvalues against closed forms.

use super::*;

/// Numbers between -1/2 and 1/2 that look arbitrary.
fn arbitrary(seed: &mut u64) -> f64 {
    for shift in [13_i32, -7, 17] {
        *seed ^= if shift > 0 { *seed << shift } else { *seed >> -shift };
    }
    (*seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
}

/// H A H for three arbitrary reflections H.
fn hidden(mut a: Dense, seed: &mut u64) -> Dense {
    let n = a.nrows();
    for _ in 0..3 {
        let x: Vec<f64> = (0..n).map(|_| arbitrary(seed)).collect();
        let factor = 2.0 / dense::dot(&x, &x);
        let h = Dense::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 } - factor * x[i] * x[j]);
        a = dense::mul(&dense::mul(&h, &a), &h);
    }
    a
}

/// Matrices on which deflation and exchange have a hard time.
fn special(kind: usize, n: usize, seed: &mut u64) -> Dense {
    let pair = |i: usize, j: usize, omega: f64| {
        if i.is_multiple_of(2) && j == i + 1 {
            omega
        } else if j.is_multiple_of(2) && i == j + 1 {
            -omega
        } else {
            0.0
        }
    };
    match kind {
        // One chain of principal vectors.
        0 => hidden(Dense::from_fn(n, n, |i, j| f64::from(u8::from(j == i || j == i + 1))), seed),
        // Roots of unity, all of one magnitude.
        1 => Dense::from_fn(n, n, |i, j| f64::from(u8::from(i == (j + 1) % n))),
        // Pairs that agree, coupled into chains.
        2 => hidden(
            Dense::from_fn(n, n, |i, j| pair(i, j, 1.0) + f64::from(u8::from(i % 4 < 2 && j == i + 2))),
            seed,
        ),
        // Pairs of one magnitude but other angles.
        3 => {
            let angle = |i: usize| 1.0 + (i / 2) as f64 / n as f64;
            let entry = |i: usize, j: usize| {
                if i == j { angle(i).cos() } else { pair(i, j, angle(i.min(j)).sin()) }
            };
            hidden(Dense::from_fn(n, n, entry), seed)
        }
        // Entries over sixty orders of magnitude.
        4 => Dense::from_fn(n, n, |_, _| arbitrary(seed) * 10_f64.powf(60.0 * arbitrary(seed))),
        // Few different numbers, most of them zero: a matrix of low rank, and many equal eigenvalues.
        5 => Dense::from_fn(
            n,
            n,
            |i, j| if (i * 7 + j * 3) % 11 == 0 { ((i + j) % 3) as f64 - 1.0 } else { 0.0 },
        ),
        // A state matrix without damping: pairs of rigid motions, and stiff ones.
        6 => {
            let half = n / 2;
            Dense::from_fn(n, n, |i, j| {
                if i < half {
                    f64::from(u8::from(j == i + half))
                } else if j + half == i && j + 6 < half {
                    -1e12 * (1 + j % 3) as f64
                } else {
                    0.0
                }
            })
        }
        // A companion matrix with coefficients that grow.
        7 => Dense::from_fn(n, n, |i, j| {
            if i == j + 1 {
                1.0
            } else if j + 1 == n {
                arbitrary(seed) * 1e8
            } else {
                0.0
            }
        }),
        _ => Dense::from_fn(n, n, |_, _| arbitrary(seed)),
    }
}

/// Worst defect of A = scale Z T Z^T, Z^T Z = I and the shape of T, relative to A.
fn defect(a: &Dense, schur: &RealSchur) -> f64 {
    let n = a.nrows();
    let z = schur.z.as_ref().unwrap();
    let t = &schur.t;
    let back = dense::mul(&dense::mul(z, t), &dense::transpose(z));
    let size = norms::frobenius(a) / schur.scale;
    let mut worst = 0.0_f64;
    let gram = dense::mul_transpose(z, z);
    for j in 0..n {
        for i in 0..n {
            let unit = if i == j { 1.0 } else { 0.0 };
            worst = worst.max((gram[(i, j)] - unit).abs());
            worst = worst.max((back[(i, j)] - a[(i, j)] / schur.scale).abs() / size.max(f64::MIN_POSITIVE));
            assert!(i <= j + 1 || t[(i, j)] == 0.0, "not quasi-triangular at ({i}, {j})");
        }
        if j + 1 < n && t[(j + 1, j)] != 0.0 {
            assert!(j + 2 >= n || t[(j + 2, j + 1)] == 0.0, "a block of three rows at {j}");
            assert!(t[(j, j)].to_bits() == t[(j + 1, j + 1)].to_bits(), "block at {j}");
            assert!(t[(j, j + 1)].signum() != t[(j + 1, j)].signum(), "block at {j}");
        }
    }
    worst
}

#[test]
fn schur_forms_of_special_matrices_are_what_they_should_be() {
    let mut seed = 1;
    for kind in 0..9 {
        for n in [1, 2, 3, 4, 17, 80, 101, 130] {
            let a = special(kind, n, &mut seed);
            let schur =
                RealSchur::new(&a, true).unwrap_or_else(|| panic!("kind {kind}, n = {n}: no convergence"));
            let worst = defect(&a, &schur);
            assert!(worst < 2e-15 * n.max(10) as f64, "kind {kind}, n = {n}: {worst:e}");
            assert_eq!(RealSchur::new(&a, false).map(|schur| schur.values.len()), Some(n));
        }
    }
}

#[test]
fn roots_of_unity_in_any_number() {
    for n in [40, 90, 163] {
        let a = special(1, n, &mut 1);
        for vectors in [false, true] {
            let mut found = RealSchur::new(&a, vectors).unwrap().values();
            for k in 0..n {
                let exact = c64::from_polar(1.0, std::f64::consts::TAU * k as f64 / n as f64);
                let at = (0..found.len())
                    .min_by(|&i, &j| (found[i] - exact).norm().total_cmp(&(found[j] - exact).norm()))
                    .unwrap();
                assert!((found.swap_remove(at) - exact).norm() < 1e-13, "root {k} of {n}");
            }
        }
    }
}

#[test]
fn the_range_of_doubles_is_no_limit() {
    let mut seed = 5;
    let plain = special(8, 90, &mut seed);
    let values = RealSchur::new(&plain, true).unwrap().values();
    for exponent in [-900, 900] {
        let factor = 2.0_f64.powi(exponent);
        let scaled = RealSchur::new(&plain.map(|x| x * factor), true).unwrap().values();
        for (a, b) in values.iter().zip(scaled) {
            assert_eq!(a * factor, b, "the same numbers times a power of two");
        }
    }
}

#[test]
fn an_interrupt_ends_the_iteration() {
    let flag = crate::interrupt::Watch::new();
    flag.set();
    let a = special(8, 90, &mut 3);
    assert!(flag.scope(|| RealSchur::new(&a, true).is_some()).is_err());
}

#[test]
#[ignore = "minutes: many matrices of each kind"]
fn many_special_matrices() {
    let mut seed = 11;
    for round in 0..40 {
        for kind in 0..9 {
            for n in [50 + 3 * round, 79 + round, 200 - round] {
                let a = special(kind, n, &mut seed);
                let schur = RealSchur::new(&a, true).unwrap_or_else(|| panic!("kind {kind}, n = {n}"));
                let worst = defect(&a, &schur);
                assert!(worst < 2e-15 * n as f64, "kind {kind}, n = {n}: {worst:e}");
            }
        }
    }
}
