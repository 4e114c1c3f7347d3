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
//! steps is a candidate, which the caller compares with H.

use crate::plant::Plant;
use mb_algebra::{Cholesky, Dense, dense, norms};

/// Below this share of what it is made of c b is zero.
const ZERO: f64 = 4.0 * f64::EPSILON;
/// Above this share it is not.
const CLEAR: f64 = 1e-6;

/// Matrices of the zero dynamics, the most likely number of zeros last; none where the reduced mass matrix is not positive definite. Empty
/// where the output is zero whatever the input is.
///
/// `reduced`: M_r, C_r, K_r, n x n; `r`: the basis R of the null space of Phi_q; `rate`: w, rad/s.
pub(crate) fn candidates(
    plant: &Plant,
    [m, c, k]: [&Dense; 3],
    r: &Dense,
    (output, input): (usize, usize),
    rate: f64,
) -> Option<Vec<Dense>> {
    let factor = Cholesky::new(m).ok()?;
    // L^-1 X L^-T.
    let scaled = |x: &Dense| {
        let half = factor.solve_lower(x);
        dense::transpose(&factor.solve_lower(&dense::transpose(&half)))
    };
    let (k, c) = (scaled(k), scaled(c));
    let force = factor.solve_lower(&dense::mul_transpose(r, &plant.f)).col_as_slice(input).to_vec();
    let seen = |y: &Dense| {
        let row = dense::mul(&dense::from_rows(&[&dense::row(y, output)]), r);
        factor.solve_lower(&dense::transpose(&row)).col_as_slice(0).to_vec()
    };
    let [by_q, by_v, by_a] = [&plant.by_q, &plant.by_v, &plant.by_a].map(seen);
    let n = k.nrows();
    let a = Dense::from_fn(2 * n, 2 * n, |i, j| match (i < n, j < n) {
        (true, false) if j - n == i => rate,
        (true, _) => 0.0,
        (false, true) => -k[(i - n, j)] / rate,
        (false, false) => -c[(i - n, j - n)],
    });
    let b: Vec<f64> = (0..2 * n).map(|i| if i < n { 0.0 } else { force[i - n] / rate }).collect();
    let of_k = dense::matvec_transpose(&k, &by_a);
    let of_c = dense::matvec_transpose(&c, &by_a);
    let row: Vec<f64> = (0..2 * n)
        .map(|i| if i < n { by_q[i] - of_k[i] } else { rate * (by_v[i - n] - of_c[i - n]) })
        .collect();
    let direct = plant.feedthrough[(output, input)];
    let d = direct + dense::dot(&by_a, &force);
    let size = direct.abs() + norms::two(&by_a) * norms::two(&force);
    Some(staircase(a, b, row, d, size))
}

/// The candidates of A, b, c, d; `size`: of the terms that d is the sum of.
fn staircase(mut a: Dense, mut b: Vec<f64>, mut c: Vec<f64>, d: f64, size: f64) -> Vec<Dense> {
    let mut found = Vec::new();
    if d.abs() > ZERO * size {
        found.push(Dense::from_fn(b.len(), b.len(), |i, j| a[(i, j)] - b[i] * c[j] / d));
        if d.abs() > CLEAR * size {
            return found;
        }
    }
    while !b.is_empty() {
        let (whole, length) = (norms::two(&b), norms::two(&c));
        if whole == 0.0 || length == 0.0 {
            break;
        }
        reflect(&mut a, &mut b, &c);
        let (first, rest) = (b[0], &b[1..]);
        let next: Vec<f64> = (1..b.len()).map(|j| a[(0, j)]).collect();
        let below = Dense::from_fn(rest.len(), rest.len(), |i, j| a[(i + 1, j + 1)]);
        if first.abs() > ZERO * whole {
            let moved = |i: usize, j: usize| below[(i, j)] - rest[i] * next[j] / first;
            found.push(Dense::from_fn(rest.len(), rest.len(), moved));
            if first.abs() > CLEAR * whole {
                break;
            }
        }
        (b, c, a) = (rest.to_vec(), next, below);
    }
    found
}

/// H A H and H b with the Householder reflection H that takes c to its length times the first axis, but for its sign.
fn reflect(a: &mut Dense, b: &mut [f64], c: &[f64]) {
    let mut v = c.to_vec();
    v[0] += norms::two(c).copysign(c[0]);
    let scale = 2.0 / dense::dot(&v, &v);
    let left = dense::matvec_transpose(a, &v);
    for j in 0..v.len() {
        a.col_as_slice_mut(j).iter_mut().zip(&v).for_each(|(x, v)| *x -= scale * left[j] * v);
    }
    let right = dense::matvec(a, &v);
    for j in 0..v.len() {
        let by = scale * v[j];
        a.col_as_slice_mut(j).iter_mut().zip(&right).for_each(|(x, r)| *x -= by * r);
    }
    let along = scale * dense::dot(&v, b);
    b.iter_mut().zip(&v).for_each(|(b, v)| *b -= along * v);
}
