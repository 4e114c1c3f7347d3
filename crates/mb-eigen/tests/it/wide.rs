//! Eigenvalues further apart than the digits of double precision, of matrices that have them exactly.

use mb_algebra::{Dense, QuadraticPencil, c64, dense};
use mb_eigen::sparse::{self, Request, SparseOptions};
use mb_eigen::{Class, DenseOptions, Spectrum};

/// M = T^T D_m T, K = T^T D_k T, whose w are the quotients of the diagonals. All entries are sums of few powers of two.
fn congruent(t: &Dense, diagonals: [&[f64]; 2]) -> QuadraticPencil {
    let n = t.nrows();
    let [m, k] = diagonals.map(|d| dense::mul_transpose(t, &dense::mul(&dense::diagonal(d), t)));
    QuadraticPencil { m, c: dense::zeros(n, n), k, phi_q: dense::zeros(0, n) }
}

/// Ones on two diagonals: coordinates are differences of neighbours.
fn neighbours(n: usize) -> Dense {
    Dense::from_fn(n, n, |i, j| if i == j || j == i + 1 { 1.0 } else { 0.0 })
}

/// Ones in the last row and above the diagonal, lower bits in other places.
fn across(n: usize) -> Dense {
    let sign = |i: usize, j: usize| if (i + j).is_multiple_of(3) { -1.0 } else { 1.0 };
    Dense::from_fn(n, n, |i, j| {
        if i + 1 == n || i == j {
            1.0
        } else if j > i {
            sign(i, j)
        } else {
            0.0
        }
    })
}

fn assert_exact(found: &Spectrum, w: &[f64], what: &str) {
    let mut exact: Vec<f64> = w.iter().map(|w| w.sqrt()).collect();
    exact.sort_by(f64::total_cmp);
    assert!(found.eigenpairs.iter().all(|pair| pair.class == Class::Physical), "{what}: {found:?}");
    let upper = found.eigenpairs.iter().filter(|pair| pair.alpha.im > 0.0);
    let values: Vec<(f64, f64)> = upper.map(|pair| (pair.value().unwrap().im, pair.error_bound)).collect();
    assert!(!values.is_empty() && values.len() <= exact.len(), "{what}");
    for ((s, bound), exact) in values.into_iter().zip(exact) {
        assert!((s - exact).abs() <= bound, "{what}: {s} is {exact}, bound {bound:e}");
        assert!(bound <= 1e-9 * s, "{what}: {s}, bound {bound:e}");
    }
}

/// All modes and the lowest ones, in coordinates of one size and of many.
fn assert_solved(pencil: &QuadraticPencil, w: &[f64], what: &str) {
    let scaled = |a: &Dense| {
        let d = |i: usize| [0.25, 1.0, 4.0, 0.5, 2.0][2 * i % 5];
        Dense::from_fn(a.nrows(), a.ncols(), |i, j| d(i) * a[(i, j)] * d(j))
    };
    let [m, c, k] = [&pencil.m, &pencil.c, &pencil.k].map(scaled);
    for pencil in [pencil.clone(), QuadraticPencil { m, c, k, phi_q: pencil.phi_q.clone() }] {
        let all = mb_eigen::dense::solve(&pencil, &DenseOptions::default()).unwrap();
        assert_eq!(all.eigenpairs.len(), 2 * w.len(), "{what}");
        assert_exact(&all, w, what);
        // The band holds the lower half.
        let mut sorted: Vec<f64> = w.iter().map(|w| w.sqrt() / std::f64::consts::TAU).collect();
        sorted.sort_by(f64::total_cmp);
        let to_hz = f64::midpoint(sorted[w.len() / 2 - 1], sorted[w.len() / 2]);
        let band = Request::Band { from_hz: 0.0, to_hz, max_damping_ratio: None };
        for (request, count) in [
            (Request::Lowest { count: w.len() - 1 }, w.len() - 1),
            (Request::Lowest { count: 1 }, 1),
            (band, w.len() / 2),
        ] {
            let some = sparse::solve(&pencil.to_sparse(), &request, &SparseOptions::default()).unwrap();
            assert_eq!(some.eigenpairs.len(), 2 * count, "{what}: {request:?}");
            assert_exact(&some, w, what);
        }
    }
}

#[test]
fn modes_of_springs_of_all_sizes_have_their_digits() {
    for (step, light) in
        [(2.0_f64.powi(10), 1.0), (2.0_f64.powi(10), 2.0_f64.powi(-9)), (2.0_f64.powi(8), 2.0_f64.powi(-10))]
    {
        let powers = |by: f64| -> Vec<f64> { (0..6).map(|i| by.powi(i)).collect() };
        let (m, k) = (powers(light), powers(step));
        let w: Vec<f64> = k.iter().zip(&m).map(|(k, m)| k / m).collect();
        assert_solved(&congruent(&neighbours(6), [&m, &k]), &w, &format!("{step} {light}"));
    }
}

#[test]
fn penalties_at_the_last_digit_leave_the_modes_that_the_entries_have() {
    for (n, stiff) in [(4, 50), (5, 49), (7, 48)] {
        let mut k: Vec<f64> = (1..=n).map(|i| i as f64).collect();
        k[n - 1] = 2.0_f64.powi(stiff);
        assert_solved(&congruent(&across(n), [&vec![1.0; n], &k]), &k, &format!("{n} {stiff}"));
    }
}

/// Blocks of six coordinates, of stiffnesses apart by 2^10 and masses by 2^-9, each block a little stiffer than the one before.
#[test]
fn bounds_of_more_modes_than_have_their_digits_hold() {
    let (blocks, size) = (20, 6);
    let powers = |by: f64| -> Vec<f64> { (0..6).map(|i| by.powi(i)).collect() };
    let n = blocks * size;
    let place = |block: usize, i: usize| (7 * (size * block + i)) % n;
    let [mut m, mut k] = [dense::zeros(n, n), dense::zeros(n, n)];
    let mut exact = Vec::new();
    for block in 0..blocks {
        let stiffer = 1.0 + block as f64 / 8.0;
        let d_k: Vec<f64> = powers(2.0_f64.powi(10)).iter().map(|k| k * stiffer).collect();
        let d_m = powers(2.0_f64.powi(-9));
        exact.extend(d_k.iter().zip(&d_m).map(|(k, m)| (k / m).sqrt()));
        let own = congruent(&neighbours(size), [&d_m, &d_k]);
        for i in 0..size {
            for j in 0..size {
                let to = (place(block, i), place(block, j));
                (m[to], k[to]) = (own.m[(i, j)], own.k[(i, j)]);
            }
        }
    }
    let pencil = QuadraticPencil { m, c: dense::zeros(n, n), k, phi_q: dense::zeros(0, n) };
    let found = mb_eigen::dense::solve(&pencil, &DenseOptions::default()).unwrap();
    let upper = found.eigenpairs.iter().filter(|pair| pair.alpha.im >= 0.0 && pair.alpha.re >= 0.0);
    for pair in upper.filter(|pair| pair.class == Class::Physical) {
        let s = pair.value().unwrap();
        let away = exact.iter().map(|w| (s - c64::new(0.0, *w)).norm()).fold(f64::INFINITY, f64::min);
        assert!(away <= pair.error_bound, "{s} is {away:e} off, bound {:e}", pair.error_bound);
    }
}

/// A chain whose last node has a damper and a penalty and no mass. Without its coordinate
///
/// ```text
/// p = (m_1 s^2 + z_11) (m_2 s^2 + z_22 - z_23^2 / z_33) - z_12^2,   z_ij = c_ij s + k_ij
/// ```
///
/// has the slow eigenvalues as its zeros: a step of Newton's method is as long as such a value is off.
#[test]
fn penalties_on_massless_coordinates_with_dampers_leave_the_slow_modes() {
    let mass = [1.0, 3.0];
    let stiffness = |penalty: f64| {
        dense::from_rows(&[&[27.0, -17.0, 0.0], &[-17.0, 27.0, -10.0], &[0.0, -10.0, 15.0 + penalty]])
    };
    let c = dense::scale(7.0 / 1024.0, &stiffness(0.0));
    for penalty in [1e9, 1e11, 1e12, 1e13, 1e15] {
        let k = stiffness(penalty);
        let m = dense::diagonal(&[mass[0], mass[1], 0.0]);
        let pencil = QuadraticPencil { m, c: c.clone(), k: k.clone(), phi_q: dense::zeros(0, 3) };
        let found = mb_eigen::dense::solve(&pencil, &DenseOptions::default()).unwrap();
        assert_eq!((found.counts.found.motion(), found.counts.found.infinite), (5, 1), "{penalty}");
        assert!(found.counts.mismatches().is_empty(), "{penalty}");
        let p = |s: c64| {
            let z = |i: usize, j: usize| s * c[(i, j)] + k[(i, j)];
            let [first, second] = [0, 1].map(|i| s * s * mass[i] + z(i, i));
            first * (second - z(1, 2) * z(1, 2) / z(2, 2)) - z(0, 1) * z(0, 1)
        };
        let mut slow = 0;
        for pair in &found.eigenpairs {
            let Some(s) = pair.value() else { continue };
            assert!(pair.error_bound <= 1e-9 * s.norm(), "{penalty}: {s} {:e}", pair.error_bound);
            if s.im == 0.0 {
                // Of the massless node by itself; the others move it by what they weigh against the penalty.
                let rate = -k[(2, 2)] / c[(2, 2)];
                assert!((s - rate).norm() <= 100.0 / penalty * s.norm(), "{penalty}: {s}");
                continue;
            }
            let beside = s * 1e-6;
            let slope = (p(s + beside) - p(s - beside)) / (2.0 * beside);
            let step = (p(s) / slope).norm();
            assert!(step <= 1e-13 * s.norm(), "{penalty}: {s} {step:e}");
            slow += 1;
        }
        assert_eq!(slow, 4, "{penalty}");
    }
}
