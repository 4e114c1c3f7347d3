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
//!
//! Inputs with a density S_u(f) per Hz, one-sided, on a band:
//!
//! ```text
//! E y^2 = integral of |H|^2 S_u df
//! ```
//!
//! by Gauss-Kronrod rules of 7 and 15 nodes on intervals that end at resonances and at corners of S_u, halved until the
//! difference of the two rules meets the tolerance.

use crate::error::ResponseError;
use mb_algebra::{Dense, GeneralEigen, Lu, balance, dense, norms};

/// Steps of the iteration at most; it doubles the digits once it converges.
const STEPS: usize = 60;
/// Intervals of an integral at most.
const INTERVALS: usize = 20_000;
/// Nodes of the rule of Kronrod, positive half (QUADPACK, qk15).
const NODES: [f64; 8] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_4,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_47,
    0.0,
];
const KRONROD: [f64; 8] = [
    0.022_935_322_010_529_224,
    0.063_092_092_629_978_55,
    0.104_790_010_322_250_18,
    0.140_653_259_715_525_92,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_4,
    0.204_432_940_075_298_9,
    0.209_482_141_084_727_82,
];
const GAUSS: [f64; 4] =
    [0.129_484_966_168_869_7, 0.279_705_391_489_276_67, 0.381_830_050_505_118_9, 0.417_959_183_673_469_4];

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

/// A mean square over a band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanSquare {
    /// Integral of |H|^2 S_u df.
    pub value: f64,
    /// Estimate of the error of the integration, and what the bounds of H add.
    pub error: f64,
    /// Evaluations of H.
    pub evaluations: usize,
}

/// Integral of `density` over the band in Hz; it returns the density of the output and the bound of its error.
///
/// `corners`: frequencies in Hz at which the density has corners or peaks. `tolerance` is relative.
///
/// # Errors
/// What `density` fails with; [`ResponseError::Unsettled`].
pub fn mean_square(
    density: &mut dyn FnMut(f64) -> Result<(f64, f64), ResponseError>,
    [from, to]: [f64; 2],
    corners: &[f64],
    tolerance: f64,
) -> Result<MeanSquare, ResponseError> {
    let mut ends: Vec<f64> = corners.iter().copied().filter(|f| *f > from && *f < to).collect();
    ends.extend([from, to]);
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    let mut evaluations = 0;
    let mut parts = Vec::new();
    for pair in ends.windows(2) {
        parts.push(rule(density, pair[0], pair[1], &mut evaluations)?);
    }
    loop {
        let (value, error) = parts.iter().fold((0.0, 0.0), |(v, e), p| (v + p.value, e + p.error));
        let bounds: f64 = parts.iter().map(|p| p.bounds).sum();
        if error <= tolerance * value {
            return Ok(MeanSquare { value, error: error + bounds, evaluations });
        }
        if parts.len() >= INTERVALS {
            return Err(ResponseError::Unsettled { error, evaluations });
        }
        let worst = parts.iter().enumerate().max_by(|a, b| a.1.error.total_cmp(&b.1.error)).map(|(k, _)| k);
        let Some(k) = worst else { return Ok(MeanSquare { value, error, evaluations }) };
        let Part { from, to, .. } = parts.swap_remove(k);
        let middle = 0.5 * (from + to);
        parts.push(rule(density, from, middle, &mut evaluations)?);
        parts.push(rule(density, middle, to, &mut evaluations)?);
    }
}

struct Part {
    from: f64,
    to: f64,
    value: f64,
    error: f64,
    bounds: f64,
}

/// Both rules on one interval.
fn rule(
    density: &mut dyn FnMut(f64) -> Result<(f64, f64), ResponseError>,
    from: f64,
    to: f64,
    evaluations: &mut usize,
) -> Result<Part, ResponseError> {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let (mut fine, mut coarse, mut bounds) = (0.0, 0.0, 0.0);
    for (k, node) in NODES.iter().enumerate() {
        let places: &[f64] = if *node == 0.0 { &[0.0] } else { &[-1.0, 1.0] };
        for sign in places {
            let (value, bound) = density(middle + sign * node * half)?;
            *evaluations += 1;
            fine += KRONROD[k] * value;
            bounds += KRONROD[k] * bound;
            if k % 2 == 1 {
                coarse += GAUSS[k / 2] * value;
            }
        }
    }
    Ok(Part { from, to, value: half * fine, error: half * (fine - coarse).abs(), bounds: half * bounds })
}
