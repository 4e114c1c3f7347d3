//! Left and right vectors: palomba2019, Eqs. (17) and (18), as identities.
//!
//! With w = (x, s x), z = (y, conj(s) y), B = [C M; M 0], A = [-K 0; 0 M]:  z_i^H B w_j = delta_ij,
//! z_i^H A w_j = s_i delta_ij. Multipliers drop out, since Phi_q x = 0 and Phi_q y = 0.

use mb_algebra::{QuadraticPencil, Sparse, c64, dense, sparse as ops};
use mb_eigen::direct::{self, DirectOptions};
use mb_eigen::sparse::{self, Request, SparseOptions};
use mb_eigen::{DenseOptions, Eigenpair};

use crate::sparse::agreement::krylov;
use crate::sparse::random::{KINDS, problem};

fn inner(y: &[c64], x: &[c64]) -> c64 {
    y.iter().zip(x).map(|(y, x)| y.conj() * x).sum()
}

fn assert_biorthonormal(pencil: &QuadraticPencil<Sparse>, pairs: &[Eigenpair], what: &str) {
    // Semisimple eigenvalues; double zeros share a vector.
    let pairs: Vec<&Eigenpair> = pairs.iter().filter(|pair| pair.condition.is_finite()).collect();
    assert!(!pairs.is_empty(), "{what}");
    for (j, right) in pairs.iter().enumerate() {
        let s_j = right.value().unwrap();
        let [m, c, k] = [&pencil.m, &pencil.c, &pencil.k].map(|a| ops::matvec_complex(a, &right.right));
        for (i, left) in pairs.iter().enumerate() {
            let s_i = left.value().unwrap();
            let [m, c, k] = [&m, &c, &k].map(|v| inner(&left.left, v));
            let b = c + m * (s_i + s_j);
            let a = m * s_i * s_j - k;
            let (one, root) = if i == j { (1.0, s_i) } else { (0.0, c64::new(0.0, 0.0)) };
            let size = 1.0 + c.norm() + m.norm() * (s_i.norm() + s_j.norm());
            assert!((b - one).norm() < 1e-8 * size, "{what}: (18), {s_i} and {s_j}: {b}");
            let size = s_i.norm() + m.norm() * s_i.norm() * s_j.norm() + k.norm();
            assert!((a - root).norm() < 1e-8 * size, "{what}: (17), {s_i} and {s_j}: {a}");
        }
        // y^H (s^2 M + s C + K) + mu^H Phi_q = 0.
        let [m, c, k] = [&pencil.m, &pencil.c, &pencil.k]
            .map(|a| ops::matvec_complex(&ops::transpose(a), &conjugate(&right.left)));
        let react = ops::matvec_complex(&ops::transpose(&pencil.phi_q), &conjugate(&right.left_multipliers));
        let size = mb_algebra::norms::two_complex(&k) + mb_algebra::norms::two_complex(&react);
        for i in 0..m.len() {
            let rest = s_j * (s_j * m[i] + c[i]) + k[i] + react[i];
            assert!(rest.norm() < 1e-8 * size, "{what}: left equation of {s_j}: {rest}");
        }
        let held = ops::matvec_complex(&pencil.phi_q, &right.left);
        let length = mb_algebra::norms::two_complex(&right.left);
        assert!(mb_algebra::norms::two_complex(&held) < 1e-8 * length, "{what}: {s_j}");
    }
}

fn conjugate(x: &[c64]) -> Vec<c64> {
    x.iter().map(c64::conj).collect()
}

fn by_every_solver(pencil: &QuadraticPencil<Sparse>, count: usize, what: &str) -> Vec<Vec<Eigenpair>> {
    let all = mb_eigen::dense::solve(&pencil.to_dense(), &DenseOptions::default()).unwrap();
    let dense_pairs: Vec<Eigenpair> = all.motion().cloned().collect();
    assert_biorthonormal(pencil, &dense_pairs, &format!("{what} dense"));
    let asked = SparseOptions { left_vectors: true, ..krylov() };
    let lowest = sparse::solve(pencil, &Request::Lowest { count }, &asked).unwrap().eigenpairs;
    assert_biorthonormal(pencil, &lowest, &format!("{what} sparse"));
    let unasked = sparse::solve(pencil, &Request::Lowest { count }, &krylov()).unwrap().eigenpairs;
    assert_eq!(unasked.len(), lowest.len(), "{what}");
    for (pair, with) in unasked.iter().zip(&lowest) {
        assert!(pair.left.is_empty() && pair.left_multipliers.is_empty(), "{what}");
        let (s, t) = (pair.value().unwrap(), with.value().unwrap());
        assert!((s - t).norm() <= pair.error_bound + with.error_bound, "{what}: {s} {t}");
        let similar = with.error_bound * 2.0 + 1e-12 * t.norm();
        assert!(pair.error_bound <= similar, "{what}: bounds {:e} {:e}", pair.error_bound, with.error_bound);
    }
    let direct = direct::solve(pencil, count, &DirectOptions::default()).unwrap().spectrum.eigenpairs;
    assert_biorthonormal(pencil, &direct, &format!("{what} direct"));
    vec![dense_pairs, lowest, direct]
}

#[test]
fn vectors_are_biorthonormal_for_every_kind_and_solver() {
    for kind in KINDS {
        for seed in 1..3 {
            by_every_solver(&problem(kind, 22, 4, seed), 5, &format!("{kind:?} seed {seed}"));
        }
    }
}

#[test]
fn repeated_eigenvalues_come_back_in_full_with_biorthonormal_vectors() {
    // The same damped and circulatory system three times, side by side, hidden by a change of coordinates x = R z with
    // integer entries and integer inverse: every eigenvalue is triple and semisimple.
    let one = |a: &[[f64; 2]; 2]| {
        mb_algebra::Dense::from_fn(6, 6, |i, j| if i / 2 == j / 2 { a[i % 2][j % 2] } else { 0.0 })
    };
    let r = mb_algebra::Dense::from_fn(6, 6, |i, j| match (i, j) {
        (i, j) if i == j => 1.0,
        (0, 2) | (1, 4) | (3, 5) => 1.0,
        (0, 5) => -1.0,
        _ => 0.0,
    });
    let through = |a: &mb_algebra::Dense| dense::mul_transpose(&r, &dense::mul(a, &r));
    for (what, c, k) in [
        ("undamped", [[0.0, 0.0], [0.0, 0.0]], [[5.0, -1.0], [-1.0, 3.0]]),
        ("damped", [[0.25, 0.125], [0.125, 0.5]], [[5.0, -1.0], [-1.0, 3.0]]),
        ("gyroscopic", [[0.0, 2.0], [-2.0, 0.0]], [[5.0, 0.0], [0.0, 3.0]]),
        ("follower force", [[0.25, 0.0], [0.0, 0.5]], [[5.0, -1.0], [2.0, 3.0]]),
    ] {
        let pencil = QuadraticPencil {
            m: through(&one(&[[2.0, 0.0], [0.0, 1.0]])),
            c: through(&one(&c)),
            k: through(&one(&k)),
            phi_q: dense::zeros(0, 6),
        };
        let single = QuadraticPencil {
            m: dense::diagonal(&[2.0, 1.0]),
            c: dense::from_rows(&c),
            k: dense::from_rows(&k),
            phi_q: dense::zeros(0, 2),
        };
        let roots = mb_eigen::dense::solve(&single, &DenseOptions::default()).unwrap();
        for pairs in by_every_solver(&pencil.to_sparse(), 6, what) {
            assert_eq!(pairs.len(), 12, "{what}");
            for root in &roots.eigenpairs {
                let s = root.value().unwrap();
                let near = pairs
                    .iter()
                    .filter(|p| (p.value().unwrap() - s).norm() <= p.error_bound + root.error_bound);
                assert_eq!(near.count(), 3, "{what}: {s}");
            }
        }
    }
}

/// Three equal chains with damping in proportion to stiffness: each eigenvalue is triple, and its vectors are real
/// ones, orthogonal by M.
#[test]
fn repeated_eigenvalues_of_proportional_damping_have_real_shapes() {
    let (n, copies) = (40, 3);
    let spring = |i: usize, j: usize| if i == j { 2.0 } else { -f64::from(u8::from(i.abs_diff(j) == 1)) };
    let block =
        |a: &dyn Fn(usize, usize) -> f64| {
            mb_algebra::Dense::from_fn(n * copies, n * copies, |i, j| {
                if i / n == j / n { a(i % n, j % n) } else { 0.0 }
            })
        };
    // Turned among the copies, so that no vector of coordinates is one of a copy.
    let mix = mb_algebra::Dense::from_fn(n * copies, n * copies, |i, j| {
        let turn = [[2.0, -1.0, 2.0], [2.0, 2.0, -1.0], [-1.0, 2.0, 2.0]];
        if i % n == j % n { turn[i / n][j / n] / 3.0 } else { 0.0 }
    });
    let through = |a: &mb_algebra::Dense| dense::mul_transpose(&mix, &dense::mul(a, &mix));
    let pencil = QuadraticPencil {
        m: through(&block(&|i, j| f64::from(u8::from(i == j)) * (1.0 + i as f64 / 64.0))),
        c: through(&block(&|i, j| spring(i, j) / 256.0)),
        k: through(&block(&spring)),
        phi_q: dense::zeros(0, n * copies),
    }
    .to_sparse();
    let options = SparseOptions { left_vectors: true, ..krylov() };
    let found = sparse::solve(&pencil, &Request::Lowest { count: 6 }, &options).unwrap();
    let pairs: Vec<&Eigenpair> = found.motion().filter(|p| p.value().unwrap().im > 0.0).collect();
    assert_eq!(pairs.len(), 6);
    for (i, pair) in pairs.iter().enumerate() {
        let x = &pair.right;
        let square: c64 = x.iter().map(|v| v * v).sum();
        let length: f64 = x.iter().map(c64::norm_sqr).sum();
        assert!((square.norm() - length).abs() < 1e-9 * length, "mode {i} circles: {square} of {length}");
        let mx = ops::matvec_complex(&pencil.m, x);
        for other in &pairs[..i] {
            assert!(inner(&other.right, &mx).norm() < 1e-8 * inner(x, &mx).norm(), "mode {i}");
        }
    }
    assert_biorthonormal(&pencil, &found.eigenpairs, "three chains");
}
