//! How many finite eigenvalues a large problem has: the degree of the determinant.
//!
//! ```text
//! det S(s) = c prod_j (s - s_j),   S(s) = [s^2 M + s C + K, Phi_i^T; Phi_i, 0],   Phi_i the independent rows
//! eigenvalues = lim d ln |det S(s)| / d ln s  as s -> infinity
//! ```
//!
//! for matrices of any kind: directions without mass, with and without damping, and coordinates that act as multipliers are
//! counted as what they are. The slope is taken between three real points far beyond all eigenvalues, ten times each
//! other, and extrapolated; it is believed where it comes out whole. Without mass means zero to the last digit, or to
//! the rounding of s^2 M compared with K: a mass that is a difference of large numbers counts as one. Three eliminations
//! without factors; for regular pencils. Ahlfors, Complex Analysis, section 4.5.2, on a circle through infinity.

use super::Problem;
use super::matrix::Matrix;
use crate::tuning;

/// Number of finite eigenvalues; none where the determinant does not show it.
pub(crate) fn count(problem: &Problem) -> Option<usize> {
    // The first point, in units of the fastest rate that entries of one row make; the others are ten and a hundred times as far.
    let first = (1.0 / tuning::EPS_1_4) * fastest(problem)?;
    let mut logarithms = [0.0; 3];
    for (k, out) in logarithms.iter_mut().enumerate() {
        let s = first * (1.0 / tuning::CLEAR).powi(i32::try_from(k).ok()?);
        *out = problem.ln_determinant(s * s, s).ok()??;
    }
    let slope = |k: usize| (logarithms[k + 1] - logarithms[k]) / (1.0 / tuning::CLEAR).ln();
    let (near, far) = (slope(0), slope(1));
    // What eigenvalues of unequal signs add falls with 1 / s.
    let limit = far + (far - near) / ((1.0 / tuning::CLEAR) - 1.0);
    let whole = limit.round();
    // How far from whole a slope may be.
    let told = (limit - whole).abs() < tuning::CLEAR && (far - near).abs() < 1.0 && whole >= 0.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number")]
    told.then_some(whole as usize)
}

/// The fastest rate, rad/s, that a coordinate could have for itself, with all that acts on it.
fn fastest(problem: &Problem) -> Option<f64> {
    let ones = vec![1.0; problem.n];
    let [c, k] = [&problem.c, &problem.k].map(|a| a.magnitude(&ones));
    let own = |a: &Matrix, i: usize| a.sparse().get(i, i).map_or(0.0, |v| v.abs());
    let rate = |over: f64, under: f64| if under > 0.0 { over / under } else { 0.0 };
    let rates = (0..problem.n).map(|i| {
        let (mass, damping) = (own(&problem.m, i), own(&problem.c, i));
        rate(k[i], mass).sqrt().max(rate(c[i], mass)).max(rate(k[i], damping))
    });
    rates.reduce(f64::max).filter(|rate| *rate > 0.0 && rate.is_finite())
}
