//! Eigenvalues: both kinds of vectors satisfy their equations, two routes agree.

use mb_algebra::{
    Dense, DenseC, GeneralEigen, Lu, Qz, RankQr, RankTolerance, SymmetricDefiniteEigen, SymmetricEigen, c64,
    dense, norms,
};
use proptest::prelude::*;

use crate::random::{definite, matrix, permutation, square};

/// Worst |beta A x - alpha B x| / (beta |A| + |alpha| |B|) over all columns.
fn backward_error(a: &Dense, b: &Dense, alpha: &[c64], beta: &[f64], x: &DenseC) -> f64 {
    let (norm_a, norm_b) = (norms::frobenius(a), norms::frobenius(b));
    let error = |j: usize| {
        let x = x.col_as_slice(j);
        let (ax, bx) = (dense::matvec_complex(a, x), dense::matvec_complex(b, x));
        let r: Vec<c64> = ax.iter().zip(bx).map(|(ax, bx)| ax * beta[j] - bx * alpha[j]).collect();
        norms::two_complex(&r) / (beta[j] * norm_a + alpha[j].norm() * norm_b)
    };
    (0..alpha.len()).map(error).fold(0.0, f64::max)
}

fn conjugate(alpha: &[c64]) -> Vec<c64> {
    alpha.iter().map(c64::conj).collect()
}

fn sorted_real(values: impl Iterator<Item = c64>) -> Vec<f64> {
    let mut out: Vec<f64> = values.map(|s| s.re).collect();
    out.sort_by(f64::total_cmp);
    out
}

proptest! {
    #[test]
    fn general_vectors_satisfy_their_equations(a in square(25)) {
        let n = a.nrows();
        let eigen = GeneralEigen::new(&a, true).unwrap();
        let (one, identity) = (vec![1.0; n], dense::identity(n));
        let right = backward_error(&a, &identity, &eigen.values, &one, &eigen.right);
        let left = eigen.left.unwrap();
        let left = backward_error(&dense::transpose(&a), &identity, &conjugate(&eigen.values), &one, &left);
        prop_assert!(right < 1e-13 && left < 1e-13, "{:e} {:e}", right, left);
    }

    #[test]
    fn sum_and_product_of_the_values_are_trace_and_determinant(a in square(12)) {
        let values = GeneralEigen::values(&a).unwrap();
        let trace: f64 = (0..a.nrows()).map(|i| a[(i, i)]).sum();
        prop_assert!((values.iter().sum::<c64>() - trace).norm() < 1e-12);
        let lu = Lu::new(&a);
        prop_assume!(lu.is_ok());
        let lu = lu.unwrap();
        let (sign, log) = lu.sign_and_log_determinant();
        let product: c64 = values.iter().product();
        // Errors of the product are those of a determinant: relative to the product of the row norms.
        let hadamard: f64 = (0..a.nrows()).map(|i| norms::two(&dense::row(&a, i))).product();
        prop_assert!((product - sign * log.exp()).norm() < 1e-11 * hadamard);
    }

    #[test]
    fn left_and_right_vectors_of_different_values_are_orthogonal(a in square(10)) {
        let eigen = GeneralEigen::new(&a, true).unwrap();
        let left = eigen.left.as_ref().unwrap();
        let n = a.nrows();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j) {
            let y = left.col_as_slice(i);
            let product: c64 = y.iter().zip(eigen.right.col_as_slice(j)).map(|(y, x)| y.conj() * x).sum();
            let distance = (eigen.values[i] - eigen.values[j]).norm();
            // (s_i - s_j) y_i^H x_j is the difference of two residuals.
            prop_assert!(product.norm() * distance < 1e-12);
        }
    }

    #[test]
    fn symmetric_and_general_routes_agree(
        (a, order) in (1..12_usize).prop_flat_map(|n| (matrix(n, n), permutation(n))),
    ) {
        let a = dense::symmetric_part(&a);
        let symmetric = SymmetricEigen::new(&a).unwrap();
        prop_assert!(symmetric.values.windows(2).all(|w| w[0] <= w[1]));
        let shuffled = dense::select_columns(&dense::select_rows(&a, &order), &order);
        let general = sorted_real(GeneralEigen::values(&shuffled).unwrap().into_iter());
        prop_assert!(general.iter().zip(&symmetric.values).all(|(g, s)| (g - s).abs() < 1e-12));
        let x = &symmetric.vectors;
        let identity = dense::mul_transpose(x, x);
        prop_assert!(norms::max_abs(&dense::add(1.0, &identity, -1.0, &dense::identity(a.nrows()))) < 1e-13);
    }

    #[test]
    fn units_of_the_unknowns_do_not_matter(
        (a, powers) in (1..10_usize).prop_flat_map(|n| (matrix(n, n), prop::collection::vec(-8..9_i32, n))),
    ) {
        // D^-1 A D with D from 1e-8 to 1e8 has the eigenvalues of the symmetric A, to all digits of A.
        let a = dense::symmetric_part(&a);
        let d: Vec<f64> = powers.into_iter().map(|p| 10_f64.powi(p)).collect();
        let n = a.nrows();
        let scaled = Dense::from_fn(n, n, |i, j| a[(i, j)] * d[j] / d[i]);
        let eigen = GeneralEigen::new(&scaled, true).unwrap();
        let exact = SymmetricEigen::new(&a).unwrap().values;
        let found = sorted_real(eigen.values.iter().copied());
        prop_assert!(found.iter().zip(&exact).all(|(f, e)| (f - e).abs() < 1e-11), "{:?} {:?}", found, exact);
    }

    #[test]
    fn definite_pencils_agree_with_qz(
        (k, m) in (1..9_usize).prop_flat_map(|n| (matrix(n, n), definite(n))),
    ) {
        let k = dense::symmetric_part(&k);
        let n = k.nrows();
        let definite = SymmetricDefiniteEigen::new(&k, &m).unwrap();
        let x = &definite.vectors;
        let mass = dense::mul_transpose(x, &dense::mul(&m, x));
        prop_assert!(norms::max_abs(&dense::add(1.0, &mass, -1.0, &dense::identity(n))) < 1e-11);
        let qz = Qz::new(&k, &m, false).unwrap();
        let ratios = sorted_real(qz.alpha.iter().zip(&qz.beta).map(|(alpha, beta)| alpha / beta));
        prop_assert!(ratios.iter().zip(&definite.values).all(|(q, d)| (q - d).abs() < 1e-10));
    }

    #[test]
    fn qz_vectors_satisfy_their_equations(
        (a, b, zeros) in (1..15_usize).prop_flat_map(|n| (matrix(n, n), matrix(n, n), 0..=n)),
    ) {
        // B loses some columns: so many infinite eigenvalues at least.
        let n = a.nrows();
        let b = Dense::from_fn(n, n, |i, j| if j < zeros { 0.0 } else { b[(i, j)] });
        let qz = Qz::new(&a, &b, true).unwrap();
        let right = backward_error(&a, &b, &qz.alpha, &qz.beta, &qz.right);
        let (at, bt) = (dense::transpose(&a), dense::transpose(&b));
        let left = backward_error(&at, &bt, &conjugate(&qz.alpha), &qz.beta, qz.left.as_ref().unwrap());
        prop_assert!(right < 1e-13 && left < 1e-13, "{:e} {:e}", right, left);
        let infinite = qz.alpha.iter().zip(&qz.beta).filter(|(alpha, beta)| **beta < 1e-12 * alpha.norm());
        prop_assert!(infinite.count() >= zeros);
    }

    #[test]
    fn qz_of_a_constrained_chain_holds_the_values_on_the_null_space(
        (m, k, phi) in (4..12_usize, 1..4_usize).prop_flat_map(|(n, c)| (definite(n), definite(n), matrix(c, n))),
    ) {
        // E y' = A y with y = (q, v, l) against N^T M N p'' + N^T K N p = 0, q = N p.
        let (n, c) = (m.nrows(), phi.nrows());
        let qr = RankQr::new(&phi, RankTolerance::default()).unwrap();
        prop_assume!(qr.rank() == c && qr.pivot_magnitudes()[c - 1] > 0.1);
        let null = qr.null_space();
        let on_null = |a: &Dense| dense::symmetric_part(&dense::mul_transpose(&null, &dense::mul(a, &null)));
        let reduced = SymmetricDefiniteEigen::new(&on_null(&k), &on_null(&m)).unwrap();
        let (mut a, mut e) = (dense::zeros(2 * n + c, 2 * n + c), dense::zeros(2 * n + c, 2 * n + c));
        for i in 0..n {
            a[(i, n + i)] = 1.0;
            e[(i, i)] = 1.0;
            for j in 0..n {
                a[(n + i, j)] = -k[(i, j)];
                e[(n + i, n + j)] = m[(i, j)];
            }
            for j in 0..c {
                a[(n + i, 2 * n + j)] = -phi[(j, i)];
                a[(2 * n + j, i)] = -phi[(j, i)];
            }
        }
        let qz = Qz::new(&a, &e, true).unwrap();
        prop_assert!(backward_error(&a, &e, &qz.alpha, &qz.beta, &qz.right) < 1e-13);
        for value in reduced.values {
            let exact = c64::new(0.0, value.sqrt());
            let distance = |(alpha, beta): (&c64, &f64)| (alpha / beta - exact).norm();
            let nearest = qz.alpha.iter().zip(&qz.beta).map(distance).fold(f64::INFINITY, f64::min);
            prop_assert!(nearest < 1e-9 * (1.0 + exact.norm()), "{}: {:e}", exact, nearest);
        }
    }

    #[test]
    fn qz_turns_over_with_the_pencil((a, b) in (1..8_usize).prop_flat_map(|n| (definite(n), definite(n)))) {
        let (one, other) = (Qz::new(&a, &b, false).unwrap(), Qz::new(&b, &a, false).unwrap());
        let ratios = sorted_real(one.alpha.iter().zip(&one.beta).map(|(alpha, beta)| alpha / beta));
        let mut inverse = sorted_real(other.alpha.iter().zip(&other.beta).map(|(alpha, beta)| beta / alpha));
        inverse.sort_by(f64::total_cmp);
        prop_assert!(ratios.iter().zip(&inverse).all(|(r, i)| (r - i).abs() < 1e-10 * r.abs()));
    }
}
