//! Truncated Taylor series in several parameters.
//!
//! A [`Jet<P, N>`](Jet) holds the coefficients of
//!
//! ```text
//! f(x0 + d) = sum over |sigma| <= order of  c[sigma] d^sigma,   N = C(P + order, P)
//! ```
//!
//! in `P` parameters. Sums, products and the elementary functions act on it exactly (to
//! rounding): the result holds all partial derivatives up to the order, divided by `sigma!`.
//! Coefficients stand in graded order, within a degree with the higher power of the earlier
//! parameter first: `1, x0, x1, x0^2, x0 x1, x1^2, ...`.
//!
//! ```
//! use mb_scalar::Real;
//! use mb_scalar::jet::Jet;
//!
//! type J = Jet<2, 10>; // two parameters, order 3
//! let (k, m) = (J::variable(0, 4.0), J::variable(1, 1.0));
//! let omega = (k / m).sqrt(); // natural frequency about k = 4, m = 1
//! assert_eq!(omega.value(), 2.0);
//! assert_eq!(omega.coefficient([1, 0]), 0.25); // 1 / (2 sqrt(k m))
//! assert_eq!(omega.coefficient([0, 1]), -1.0); // -sqrt(k / m) / (2 m)
//! let nearby = omega.evaluate([0.1, -0.05]);
//! assert!((nearby - (4.1_f64 / 0.95).sqrt()).abs() < 2e-5); // about the 4th power of the distance
//! ```
//!
//! Products cost one multiplication for each pair of monomials that is kept, `C(2P + order,
//! order)`; every elementary function costs about one or two products, because each degree
//! follows from the lower ones through the Euler operator `sum x_k d/dx_k` (which multiplies
//! degree `d` by `d`): `x exp' = x' exp` and so on, as in Griewank and Walther, *Evaluating
//! Derivatives*, ch. 13, for one variable.
//!
//! Jets are for exact derivatives of formulas. They do not enter factorizations: factor the
//! value and find the series degree by degree.

mod dynamic;
mod functions;
mod kernel;
mod ops;
mod tables;
#[cfg(test)]
#[expect(clippy::float_cmp, reason = "integers and powers of two are computed exactly")]
mod tests;

use core::cmp::Ordering;
use tables::Tables;

pub use dynamic::{DynJet, Monomials, MonomialsError};

/// Taylor series in `P` parameters with `N = C(P + order, P)` coefficients in graded order.
///
/// Comparison sees the value only; equality sees every coefficient. A combination of `P` and
/// `N` that belongs to no order does not compile:
///
/// ```compile_fail
/// // Two parameters have 1, 3, 6, 10, ... coefficients.
/// let x = mb_scalar::jet::Jet::<2, 7>::variable(0, 1.0);
/// let y = x * x;
/// ```
///
/// Size and cost grow quickly: `Jet<4, 70>` is order 4 in four parameters, `Jet<6, 210>` order
/// 4 in six, `Jet<1, 21>` order 20 in one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet<const P: usize, const N: usize>(
    /// The coefficients, numbered as in [`Jet::INDEX`].
    pub [f64; N],
);

impl<const P: usize, const N: usize> Jet<P, N> {
    const TABLES: &'static Tables<P, N> = &Tables::new();
    /// Highest total degree that is kept.
    pub const ORDER: usize = Self::TABLES.order;
    /// Exponents of every coefficient.
    pub const INDEX: &'static [[u8; P]; N] = &Self::TABLES.index;

    /// The constant `x`.
    pub const fn constant(x: f64) -> Self {
        let mut c = [0.0; N];
        c[0] = x;
        Self(c)
    }

    /// Parameter `k` about the value `x`.
    ///
    /// # Panics
    /// When `k >= P`, or the order is 0 (which keeps no derivative).
    pub const fn variable(k: usize, x: f64) -> Self {
        assert!(k < P, "a jet's parameter number must be below P");
        assert!(Self::ORDER > 0, "a jet of order 0 has no variables");
        let mut jet = Self::constant(x);
        jet.0[1 + k] = 1.0;
        jet
    }

    /// Number of the multi-index `sigma` among the coefficients; `None` above the order.
    pub fn number(sigma: [u8; P]) -> Option<usize> {
        let degree: usize = sigma.iter().map(|&e| usize::from(e)).sum();
        (degree <= Self::ORDER).then(|| tables::rank(&sigma))
    }

    /// The coefficient of `d^sigma`, which is the partial derivative divided by `sigma!`;
    /// NaN above the order, where it is not known.
    pub fn coefficient(&self, sigma: [u8; P]) -> f64 {
        Self::number(sigma).map_or(f64::NAN, |i| self.0[i])
    }

    /// The partial derivative: the coefficient times `sigma!`.
    pub fn derivative(&self, sigma: [u8; P]) -> f64 {
        let factorial: f64 = sigma.iter().flat_map(|&e| 1..=e).map(f64::from).product();
        self.coefficient(sigma) * factorial
    }

    /// The coefficients of total degree `degree`; empty above the order.
    pub fn homogeneous(&self, degree: usize) -> &[f64] {
        if degree > Self::ORDER {
            return &[];
        }
        &self.0[Self::range(degree)]
    }

    /// The polynomial at the distance `d` from the expansion point.
    pub fn evaluate(&self, d: [f64; P]) -> f64 {
        let monomial =
            |sigma: &[u8; P]| -> f64 { sigma.iter().zip(d).map(|(&e, x)| x.powi(i32::from(e))).product() };
        self.0.iter().zip(Self::INDEX).map(|(c, sigma)| c * monomial(sigma)).sum()
    }

    /// Where the coefficients of one degree stand.
    #[inline]
    fn range(degree: usize) -> core::ops::Range<usize> {
        Self::TABLES.start[degree]..Self::TABLES.start[degree + 1]
    }
}

impl<const P: usize, const N: usize> Default for Jet<P, N> {
    fn default() -> Self {
        Self([0.0; N])
    }
}

impl<const P: usize, const N: usize> PartialOrd for Jet<P, N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.0[0].partial_cmp(&other.0[0])
    }
}
