//! Variance of outputs for random inputs.
//!
//! White noise of intensity S (two-sided density per rad/s times 2 pi, so that E u(t) u(t')^T = S delta(t - t')) into
//! x' = A x + B u, y = C x:
//!
//! ```text
//! A P + P A^T + B S B^T = 0,   E y y^T = C P C^T
//! ```
//!
//! by the Newton iteration of the matrix sign function (Roberts, Int. J. Control 32, 1980). With the residual R of the
//! computed P and Z of A Z + Z A^T + I = 0 the error of P is at most |R| Z in the order of definite matrices, hence the bound
//! |R| c Z c^T of a variance; Z is computed too and bounded alike.

use crate::error::ResponseError;
use mb_algebra::{Dense, GeneralEigen, Lu, balance, dense, norms};

/// Steps of the iteration at most; it doubles the digits once it converges.
const STEPS: usize = 60;

/// A variance with the bound of its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variance {
    /// E y^2.
    pub value: f64,
    /// Bound of its error.
    pub bound: f64,
}

/// Variances of the outputs for white noise of intensity `intensity` (inputs x inputs, symmetric), by output.
///
/// `a` k x k, `b` k x inputs, `c` outputs x k, without feedthrough.
///
/// # Errors
/// [`ResponseError::Unstable`]; [`ResponseError::NoDigits`]; shapes that do not fit.
pub fn white_noise(
    a: &Dense,
    b: &Dense,
    c: &Dense,
    intensity: &Dense,
) -> Result<Vec<Variance>, ResponseError> {
    let k = a.nrows();
    for (matrix, shape, expected) in
        [("A", a.shape(), (k, k)), ("B", b.shape(), (k, intensity.nrows())), ("C", c.shape(), (c.nrows(), k))]
    {
        if shape != expected {
            let ((rows, cols), (expected_rows, expected_cols)) = (shape, expected);
            return Err(ResponseError::Shape { matrix, rows, cols, expected_rows, expected_cols });
        }
    }
    if k == 0 {
        return Ok(vec![Variance { value: 0.0, bound: 0.0 }; c.nrows()]);
    }
    let real = GeneralEigen::values(a)?.iter().map(|s| s.re).fold(f64::NEG_INFINITY, f64::max);
    if real >= 0.0 {
        return Err(ResponseError::Unstable { real });
    }
    // States in units that bring rows and columns of A to like norms: rates of stiff systems exceed displacements by their frequencies,
    // and bounds by norms would be those of the largest unit.
    let (a, d) = balance(a);
    let b = &Dense::from_fn(k, b.ncols(), |i, j| b[(i, j)] / d[i]);
    let c = &Dense::from_fn(c.nrows(), k, |i, j| c[(i, j)] * d[j]);
    let a = &a;
    let driven = dense::mul(&dense::mul(b, intensity), &dense::transpose(b));
    let [p, z] = lyapunov(a, [driven.clone(), dense::identity(k)])?;
    let residual = |x: &Dense, q: &Dense| {
        let ax = dense::mul(a, x);
        let sum = &(&ax + &dense::transpose(&ax)) + q;
        // Rounding of the products is part of it.
        norms::frobenius(&sum)
            + 4.0 * f64::EPSILON * (k as f64).sqrt() * norms::frobenius(a) * norms::frobenius(x)
    };
    let (of_p, of_z) = (residual(&p, &driven), residual(&z, &dense::identity(k)));
    // Z (1 - |R_z|) <= computed Z <= Z (1 + |R_z|).
    if !(of_z < 0.5 && of_p.is_finite()) {
        return Err(ResponseError::NoDigits);
    }
    Ok((0..c.nrows())
        .map(|o| {
            let row = dense::row(c, o);
            let of = |x: &Dense| dense::dot(&row, &dense::matvec(x, &row));
            Variance { value: of(&p), bound: of_p * of(&z) / (1.0 - of_z) }
        })
        .collect())
}

/// Solutions of A X + X A^T + Q = 0 for symmetric Q and stable A.
fn lyapunov(a: &Dense, q: [Dense; 2]) -> Result<[Dense; 2], ResponseError> {
    let k = a.nrows();
    let (mut a, mut q) = (a.clone(), q);
    for _ in 0..STEPS {
        let lu = Lu::new(&a)?;
        let inverse = lu.solve_mat(&dense::identity(k));
        // Scaling by norms: c^2 = |A| / |A^-1|.
        let scale = (norms::frobenius(&a) / norms::frobenius(&inverse)).sqrt();
        let next = &dense::scale(0.5 / scale, &a) + &dense::scale(0.5 * scale, &inverse);
        q = q.map(|q| {
            let turned = dense::mul(&dense::mul(&inverse, &q), &dense::transpose(&inverse));
            dense::symmetric_part(&(&dense::scale(0.5 / scale, &q) + &dense::scale(0.5 * scale, &turned)))
        });
        let change = norms::frobenius(&(&next - &a));
        a = next;
        if change <= 1e-13 * norms::frobenius(&a) {
            break;
        }
    }
    Ok(q.map(|q| dense::scale(0.5, &q)))
}
