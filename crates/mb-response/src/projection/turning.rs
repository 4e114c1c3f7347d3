//! How much gyroscopic terms can take from the form of P.
//!
//! ```text
//! x* P x = k - w^2 m + w g + i (..),    g = i x* C_k x,  |g| <= rho (m + delta |x|_X^2)
//! ```
//!
//! C_k is skew, so that g is real. rho is sought by power iteration with (M + delta X)^-1 C_k, whose eigenvalues are imaginary, and
//! shown by the inertia of the Hermitian rho (M + delta X) + i C_k on the admissible motions, in real numbers that of
//!
//! ```text
//! [rho (M + delta X), -C_k; C_k, rho (M + delta X)]
//! ```
//!
//! delta keeps motions without mass away: C_k may act on them where w rho delta stays small against one.

use super::Unproved;
use super::space::Space;
use mb_algebra::{Sparse, dense, norms, sparse};
use saddle_ldlt::{SaddleAnalysis, SaddleFactor, SaddleOptions};
use std::sync::Arc;

/// w rho delta at the highest frequency, about.
const MASSLESS: f64 = 0.02;
/// Times delta is made to fit rho.
const FITS: usize = 3;
/// Steps of the power iteration.
const STEPS: usize = 12;
/// Multiples of the value found that are tried.
const MARGINS: [f64; 3] = [1.2, 2.0, 8.0];

/// rho and delta.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Turning {
    /// rad/s.
    rho: f64,
    /// (s/rad)^2.
    delta: f64,
}

impl Turning {
    /// What is shown of all motions; zero without gyroscopic terms.
    pub(super) fn proved(space: &mut Space<'_>, highest: f64) -> Result<Self, Unproved> {
        let Some(c) = space.parts.gyroscopic.clone() else { return Ok(Self::default()) };
        let mut delta = MASSLESS / (highest * highest);
        let mut seen = 0.0;
        for _ in 0..FITS {
            seen = largest(space, &c, delta)?;
            let fit = MASSLESS / (highest * (highest + seen));
            if fit > 0.5 * delta {
                break;
            }
            delta = fit;
        }
        let floor = 1e-6 * highest;
        for margin in MARGINS {
            let of = Self { rho: margin * seen.max(floor), delta };
            if of.holds(space, &c)? {
                return Ok(of);
            }
        }
        Err(Unproved::Turning)
    }

    /// Whether rho (M + delta X) + i C_k is positive definite.
    fn holds(self, space: &mut Space<'_>, c: &Sparse) -> Result<bool, Unproved> {
        let p = &space.parts.symmetric;
        let (n, m) = (p.m.rows(), space.phi.rows());
        let own = sparse::add(self.rho, &p.m, self.rho * self.delta, space.x());
        // i C_k is Hermitian but for rounding: its mirror image stands on the other side to the last digit.
        let other = sparse::transpose(c);
        let both = sparse::blocks(&[&[Some(&own), Some(&other)], &[Some(c), Some(&own)]], &[n, n], &[n, n]);
        let phi = sparse::blocks(&[&[Some(&space.phi), None], &[None, Some(&space.phi)]], &[m, m], &[n, n]);
        let analysis = SaddleAnalysis::new(&both, &phi, &SaddleOptions::default()).map(Arc::new)?;
        space.factorizations += 1;
        let inertia = SaddleFactor::full_inertia(&analysis, &[(1.0, &both)], &phi)?;
        Ok([inertia.positive, inertia.negative, inertia.zero] == [2 * n, 2 * m, 0])
    }

    /// rho that matters at these frequencies: rad/s.
    pub(super) fn rate(self) -> f64 {
        self.rho
    }

    /// The most of |w g| / |x|_X^2 for motions with m up to `outside`.
    pub(super) fn taken(self, omega: f64, outside: f64) -> f64 {
        omega.abs() * self.rho * (outside + self.delta)
    }
}

/// About the largest |g| / (m + delta |x|_X^2).
fn largest(space: &mut Space<'_>, c: &Sparse, delta: f64) -> Result<f64, Unproved> {
    let p = &space.parts.symmetric;
    let own = sparse::add(1.0, &p.m, delta, space.x());
    let options = SaddleOptions::default();
    let analysis = SaddleAnalysis::new(&own, &space.phi, &options).map(Arc::new)?;
    let factor = SaddleFactor::new(&analysis, &own, &space.phi)?;
    space.factorizations += 1;
    // Every coordinate on which C_k acts takes part in the start.
    let n = own.rows();
    let mut seed = 1;
    let start: Vec<f64> = (0..n).map(|_| super::random(&mut seed)).collect();
    let mut x = dense::from_columns(n, &[sparse::matvec(c, &start)]);
    let mut seen = 0.0;
    for _ in 0..STEPS {
        let size = norms::two(x.col_as_slice(0));
        if size == 0.0 {
            break;
        }
        let (next, _) = factor.solve_block(&dense::scale(1.0 / size, &x))?;
        let image = sparse::matvec(c, next.col_as_slice(0));
        // |S^-1 C y|_S over |y|_S, S = M + delta X, y = S^-1 x.
        let (solved, _) = factor.solve_block(&dense::from_columns(n, std::slice::from_ref(&image)))?;
        let above = dense::dot(&image, solved.col_as_slice(0)).max(0.0);
        let below = dense::dot(next.col_as_slice(0), &sparse::matvec(&own, next.col_as_slice(0)));
        if below > 0.0 {
            seen = f64::max(seen, (above / below).sqrt());
        }
        x = dense::from_columns(n, &[image]);
    }
    Ok(seen)
}
