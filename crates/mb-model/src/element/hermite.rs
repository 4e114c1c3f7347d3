//! Linear and cubic (Hermite) interpolation on a line, and its exact integrals.
//!
//! On an element of length h with xi = x/h in [0, 1] the axial displacement has the end values
//! (u_a, u_b); the deflection has (w_a, h w_a', w_b, h w_b'), rotations scaled by h, so that all
//! matrices here are plain numbers:
//!
//! ```text
//! L = [1 - xi, xi]
//! H = [1 - 3 xi^2 + 2 xi^3, xi - 2 xi^2 + xi^3, 3 xi^2 - 2 xi^3, -xi^2 + xi^3]
//! ```
//!
//! Integrals are over xi from 0 to 1. Standard in every text on finite beam elements; the
//! tests find each by Gauss quadrature of the functions above.

#![expect(clippy::inline_always, reason = "what is compiled for a processor must be in one piece")]

use mb_scalar::Real;

/// Integral of L.
pub(super) const LINEAR: [f64; 2] = [1.0 / 2.0, 1.0 / 2.0];
/// Integral of H.
pub(super) const CUBIC: [f64; 4] = [1.0 / 2.0, 1.0 / 12.0, 1.0 / 2.0, -1.0 / 12.0];
/// Integral of L^T L.
pub(super) const LINEAR_LINEAR: [[f64; 2]; 2] = [[1.0 / 3.0, 1.0 / 6.0], [1.0 / 6.0, 1.0 / 3.0]];
/// Integral of L^T H.
pub(super) const LINEAR_CUBIC: [[f64; 4]; 2] =
    [[7.0 / 20.0, 1.0 / 20.0, 3.0 / 20.0, -1.0 / 30.0], [3.0 / 20.0, 1.0 / 30.0, 7.0 / 20.0, -1.0 / 20.0]];
/// Integral of H^T H.
pub(super) const CUBIC_CUBIC: [[f64; 4]; 4] = [
    [156.0 / 420.0, 22.0 / 420.0, 54.0 / 420.0, -13.0 / 420.0],
    [22.0 / 420.0, 4.0 / 420.0, 13.0 / 420.0, -3.0 / 420.0],
    [54.0 / 420.0, 13.0 / 420.0, 156.0 / 420.0, -22.0 / 420.0],
    [-13.0 / 420.0, -3.0 / 420.0, -22.0 / 420.0, 4.0 / 420.0],
];
/// Integral of H'^T H'.
pub(super) const SLOPE_SLOPE: [[f64; 4]; 4] = [
    [36.0 / 30.0, 3.0 / 30.0, -36.0 / 30.0, 3.0 / 30.0],
    [3.0 / 30.0, 4.0 / 30.0, -3.0 / 30.0, -1.0 / 30.0],
    [-36.0 / 30.0, -3.0 / 30.0, 36.0 / 30.0, -3.0 / 30.0],
    [3.0 / 30.0, -1.0 / 30.0, -3.0 / 30.0, 4.0 / 30.0],
];
/// Integral of H''^T H''.
pub(super) const BEND_BEND: [[f64; 4]; 4] =
    [[12.0, 6.0, -12.0, 6.0], [6.0, 4.0, -6.0, 2.0], [-12.0, -6.0, 12.0, -6.0], [6.0, 2.0, -6.0, 4.0]];

/// H at xi.
pub(super) fn cubic<S: Real>(xi: S) -> [S; 4] {
    let (x2, x3) = (xi * xi, xi * xi * xi);
    let bump = x2.scale(3.0) - x3.scale(2.0);
    [S::one() - bump, xi - x2.scale(2.0) + x3, bump, x3 - x2]
}
/// dH/dxi at xi.
pub(super) fn cubic_slope<S: Real>(xi: S) -> [S; 4] {
    let x2 = xi * xi;
    let bump = (xi - x2).scale(6.0);
    [-bump, S::one() - xi.scale(4.0) + x2.scale(3.0), bump, x2.scale(3.0) - xi.scale(2.0)]
}

/// y += A x with constant coefficients.
#[inline(always)]
pub(super) fn add_times<S: Real, const M: usize, const N: usize>(
    a: &[[f64; N]; M],
    x: &[S; N],
    y: &mut [S; M],
) {
    for (y, row) in y.iter_mut().zip(a) {
        for (a, x) in row.iter().zip(x) {
            *y += x.scale(*a);
        }
    }
}
/// y += A^T x with constant coefficients.
#[inline(always)]
pub(super) fn add_transpose_times<S: Real, const M: usize, const N: usize>(
    a: &[[f64; N]; M],
    x: &[S; M],
    y: &mut [S; N],
) {
    for (row, x) in a.iter().zip(x) {
        for (y, a) in y.iter_mut().zip(row) {
            *y += x.scale(*a);
        }
    }
}
/// x . y
#[inline(always)]
pub(super) fn dot<S: Real, const N: usize>(x: &[S; N], y: &[S; N]) -> S {
    let mut sum = S::zero();
    for (x, y) in x.iter().zip(y) {
        sum += *x * *y;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_scalar::Dual;

    /// Four-point Gauss quadrature on [0, 1], exact to degree seven.
    fn integral(f: impl Fn(f64) -> f64) -> f64 {
        let outer = (3.0 / 7.0 + 2.0 / 7.0 * (6.0_f64 / 5.0).sqrt()).sqrt();
        let inner = (3.0 / 7.0 - 2.0 / 7.0 * (6.0_f64 / 5.0).sqrt()).sqrt();
        let root = 30.0_f64.sqrt();
        let weights = [(18.0 - root) / 36.0, (18.0 + root) / 36.0];
        [(outer, weights[0]), (inner, weights[1])]
            .iter()
            .flat_map(|(x, w)| [(*x, *w), (-x, *w)])
            .map(|(x, w)| 0.5 * w * f(0.5 * (1.0 + x)))
            .sum()
    }
    fn linear(x: f64) -> [f64; 2] {
        [1.0 - x, x]
    }
    /// Second derivatives, by a dual number through the slopes.
    fn bend(x: f64) -> [f64; 4] {
        cubic_slope(Dual::variable(x)).map(|s| s.eps)
    }
    fn close(found: f64, exact: f64) {
        assert!((found - exact).abs() < 1e-14, "{found} {exact}");
    }

    #[test]
    fn integrals_are_those_of_the_functions() {
        for i in 0..4 {
            close(integral(|x| cubic(x)[i]), CUBIC[i]);
            for j in 0..4 {
                close(integral(|x| cubic(x)[i] * cubic(x)[j]), CUBIC_CUBIC[i][j]);
                close(integral(|x| cubic_slope(x)[i] * cubic_slope(x)[j]), SLOPE_SLOPE[i][j]);
                close(integral(|x| bend(x)[i] * bend(x)[j]), BEND_BEND[i][j]);
            }
        }
        for i in 0..2 {
            close(integral(|x| linear(x)[i]), LINEAR[i]);
            for j in 0..4 {
                close(integral(|x| linear(x)[i] * cubic(x)[j]), LINEAR_CUBIC[i][j]);
            }
            for j in 0..2 {
                close(integral(|x| linear(x)[i] * linear(x)[j]), LINEAR_LINEAR[i][j]);
            }
        }
    }

    #[test]
    fn slopes_are_derivatives_and_ends_are_nodes() {
        for x in [0.0, 0.2, 0.7, 1.0] {
            let (values, slopes) = (cubic(Dual::variable(x)), cubic_slope(x));
            for i in 0..4 {
                close(values[i].eps, slopes[i]);
            }
        }
        assert_eq!((cubic(0.0), cubic_slope(0.0)), ([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]));
        assert_eq!((cubic(1.0), cubic_slope(1.0)), ([0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]));
    }
}
