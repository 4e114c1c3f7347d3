//! The zero dynamics of one transfer function: what moves while the output stays zero.
//!
//! ```text
//! x' = A x + b u,  y = c x + d u,   x = (L^T z, L^T z' / w),  M_r = L L^T
//! A = [0, w I; -L^-1 K_r L^-T / w, -L^-1 C_r L^-T]
//! ```
//!
//! With d not zero the zeros are the eigenvalues of A - b c / d. Otherwise y = 0 keeps x on the null space of c, with an orthonormal basis V
//! (a Householder reflection), and y' = c A x + (c b) u. Where c b is not zero, u follows, and the zeros are the eigenvalues of
//!
//! ```text
//! V^T (A - b c A / (c b)) V
//! ```
//!
//! Where it is zero, V^T A V, V^T b and c A V take the places of A, b and c. So there are as many zeros as the states less the relative
//! degree, and no infinite eigenvalue has to be told from a large one. Rounding leaves open whether a small c b is zero: each such number of
//! steps is a candidate, which the caller compares with H. With structural damping (1 + i eta) K_r stands in place of K_r.

use crate::direct::Response;
use mb_algebra::{Cholesky, Dense, DenseC, c64, dense, norms};

/// Below this share of what it is made of c b is zero.
const ZERO: f64 = 4.0 * f64::EPSILON;
/// Above this share it is not.
const CLEAR: f64 = 1e-6;

/// Matrices of the zero dynamics, the most likely number of zeros last; none where the reduced mass matrix is neither positive definite nor
/// zero with equations of first order that can be solved for x'. Empty where the output is zero whatever the input is.
///
/// `reduced`: M_r, C_r, K_r, n x n; `r`: the basis R of the null space of Phi_q; `rate`: w, rad/s.
pub(crate) fn candidates(
    response: &Response,
    [m, c, k]: [&Dense; 3],
    r: &Dense,
    (output, input): (usize, usize),
    rate: f64,
) -> Option<Vec<DenseC>> {
    let plant = &response.plant;
    if norms::max_abs(m) == 0.0 {
        let [a, b, c, d] = response.first_order()?;
        let real = |x: &f64| c64::new(*x, 0.0);
        let b: Vec<c64> = b.col_as_slice(input).iter().map(real).collect();
        let c: Vec<c64> = dense::row(&c, output).iter().map(real).collect();
        let d = real(&d[(output, input)]);
        // At s of the size of the eigenvalues C (s I - A)^-1 B is of this size.
        let size = d.norm() + norms::two_complex(&b) * norms::two_complex(&c) / rate;
        return Some(staircase(dense::to_complex(&a), b, c, d, size));
    }
    let factor = Cholesky::new(m).ok()?;
    // L^-1 X L^-T.
    let scaled = |x: &Dense| {
        let half = factor.solve_lower(x);
        dense::transpose(&factor.solve_lower(&dense::transpose(&half)))
    };
    let (k, c) = (scaled(k), scaled(c));
    let lossy = c64::new(1.0, plant.loss);
    let force = factor.solve_lower(&dense::mul_transpose(r, &plant.f)).col_as_slice(input).to_vec();
    let seen = |y: &Dense| {
        let row = dense::mul(&dense::from_rows(&[&dense::row(y, output)]), r);
        factor.solve_lower(&dense::transpose(&row)).col_as_slice(0).to_vec()
    };
    let [by_q, by_v, by_a, by_loss] = [&plant.by_q, &plant.by_v, &plant.by_a, &response.lossy].map(seen);
    let n = k.nrows();
    let real = |x: f64| c64::new(x, 0.0);
    let a = DenseC::from_fn(2 * n, 2 * n, |i, j| match (i < n, j < n) {
        (true, false) if j - n == i => real(rate),
        (true, _) => real(0.0),
        (false, true) => -lossy * k[(i - n, j)] / rate,
        (false, false) => real(-c[(i - n, j - n)]),
    });
    let b: Vec<c64> = (0..2 * n).map(|i| real(if i < n { 0.0 } else { force[i - n] / rate })).collect();
    let of_k = dense::matvec_transpose(&k, &by_a);
    let of_c = dense::matvec_transpose(&c, &by_a);
    let row: Vec<c64> = (0..2 * n)
        .map(|i| {
            if i < n {
                c64::new(by_q[i], by_loss[i]) - lossy * of_k[i]
            } else {
                real(rate * (by_v[i - n] - of_c[i - n]))
            }
        })
        .collect();
    let direct = plant.feedthrough[(output, input)];
    let d = direct + dense::dot(&by_a, &force);
    let size = direct.abs() + norms::two(&by_a) * norms::two(&force);
    Some(staircase(a, b, row, real(d), size))
}

/// The candidates of A, b, c, d; `size`: of the terms that d is the sum of.
fn staircase(mut a: DenseC, mut b: Vec<c64>, mut c: Vec<c64>, d: c64, size: f64) -> Vec<DenseC> {
    let mut found = Vec::new();
    if d.norm() > ZERO * size {
        found.push(DenseC::from_fn(b.len(), b.len(), |i, j| a[(i, j)] - b[i] * c[j] / d));
        if d.norm() > CLEAR * size {
            return found;
        }
    }
    while !b.is_empty() {
        let (whole, length) = (norms::two_complex(&b), norms::two_complex(&c));
        if whole == 0.0 || length == 0.0 {
            break;
        }
        reflect(&mut a, &mut b, &c);
        let (first, rest) = (b[0], &b[1..]);
        let next: Vec<c64> = (1..b.len()).map(|j| a[(0, j)]).collect();
        let below = DenseC::from_fn(rest.len(), rest.len(), |i, j| a[(i + 1, j + 1)]);
        if first.norm() > ZERO * whole {
            let moved = |i: usize, j: usize| below[(i, j)] - rest[i] * next[j] / first;
            found.push(DenseC::from_fn(rest.len(), rest.len(), moved));
            if first.norm() > CLEAR * whole {
                break;
            }
        }
        (b, c, a) = (rest.to_vec(), next, below);
    }
    found
}

/// H A H and H b with the Householder reflection H that takes the conjugate of c to its length times the first axis, but for a factor of
/// magnitude one: c H is along the first axis then.
fn reflect(a: &mut DenseC, b: &mut [c64], c: &[c64]) {
    let mut v: Vec<c64> = c.iter().map(c64::conj).collect();
    let first = if v[0].norm() > 0.0 { v[0] / v[0].norm() } else { c64::new(1.0, 0.0) };
    v[0] += first * norms::two_complex(c);
    let scale = 2.0 / v.iter().map(c64::norm_sqr).sum::<f64>();
    // v^H x.
    let product = |x: &[c64]| v.iter().zip(x).map(|(v, x)| v.conj() * x).sum::<c64>();
    let mut right = vec![c64::new(0.0, 0.0); v.len()];
    for (j, by) in v.iter().enumerate() {
        let column = a.col_as_slice_mut(j);
        let along = scale * product(column);
        for ((x, v), right) in column.iter_mut().zip(&v).zip(&mut right) {
            *x -= along * v;
            *right += *x * by;
        }
    }
    for (j, by) in v.iter().enumerate() {
        let by = scale * by.conj();
        a.col_as_slice_mut(j).iter_mut().zip(&right).for_each(|(x, r)| *x -= by * r);
    }
    let along = scale * product(b);
    b.iter_mut().zip(&v).for_each(|(b, v)| *b -= along * v);
}
