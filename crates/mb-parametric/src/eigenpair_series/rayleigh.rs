//! Two-sided Rayleigh quotient of the expanded vectors, where it helps.
//!
//! ```text
//! z^T A(s) phi + z^T Phi_q^T l + mu^T Phi_q phi = 0,      A(s) = s^2 M + s C + K
//! ```
//!
//! with the exact matrices at a point is a quadratic equation in s. Its error is the product of
//! the errors of both vectors, so it gains digits when both are good and loses some where they
//! are not. Which of the two is decided by the same products: with r the residual for the corrected
//! value and dz the next terms of the left vector,
//!
//! ```text
//! error of the quotient ~ |dz^T r + dmu^T g| / |z^T A'(s) phi|
//! ```
//!
//! The quotient is taken only where this is well below the change that it makes, and well below the error that the terms of
//! s themselves show: far out at low order the change may be nothing but the error of the quotient.

use super::{EigenpairSeries, ErrorBasis, Evaluation};
use crate::ParametricError;
use crate::bordered::{residual, slope_times};
use crate::storage::Storage;
use crate::vectors::{axpy, dot, zeros};
use mb_algebra::{QuadraticPencil, c64};

/// The estimated error must fall below this part of the change, and of the estimated error of the series.
const GAIN: f64 = 0.3;

/// An evaluation with the quotient taken where it helps.
#[derive(Clone, Debug, PartialEq)]
pub struct Corrected {
    /// The better of the two: its `s` and `error` are those of the quotient when it was taken.
    pub at: Evaluation,
    /// Whether the quotient was taken.
    pub applied: bool,
    /// Estimated error of the series' value, rad/s: the change the quotient makes.
    pub before: f64,
    /// Estimated error of the quotient, rad/s. Infinite where the left vector was not expanded.
    pub after: f64,
}

impl EigenpairSeries {
    /// Evaluates to `order` and corrects the eigenvalue by the two-sided Rayleigh quotient with
    /// the exact matrices at the point, unless that would make it worse. Needs the series of the
    /// left vector ([`crate::ExpandOptions::left`]); without it nothing is corrected.
    ///
    /// Errors: the errors of [`EigenpairSeries::evaluate`] and [`EigenpairSeries::check`].
    pub fn evaluate_corrected<A: Storage>(
        &self,
        d: &[f64],
        order: usize,
        exact: &QuadraticPencil<A>,
    ) -> Result<Corrected, ParametricError> {
        let at = self.evaluate(d, order)?;
        self.check(&at, exact)?;
        let monomials = self.set.monomials(d)?;
        if self.left.vectors.len() < self.set.len() {
            let before = at.error;
            return Ok(Corrected { at, applied: false, before, after: f64::INFINITY });
        }
        let used = self.set.homogeneous(order).end;
        let part = |range: std::ops::Range<usize>, list: &[Vec<c64>]| {
            let mut out = zeros(list[0].len());
            for number in range {
                axpy(&mut out, c64::from(monomials[number]), &list[number]);
            }
            out
        };
        let (z, mu) = (part(0..used, &self.left.vectors), part(0..used, &self.left.multipliers));
        let Some(s) = quotient(exact, &z, &mu, &at) else {
            let before = at.error;
            return Ok(Corrected { at, applied: false, before, after: f64::INFINITY });
        };
        let before = (s - at.s).norm();
        let r = residual(exact, s, &at.vector, &at.multipliers);
        let slope = dot(&z, &slope_times(exact, s, &at.vector)).norm();
        // The next two degrees of the left vector, or the last one where there are none, and all that were not used together.
        let next =
            if order < self.order() { order + 1..=(order + 2).min(self.order()) } else { order..=order };
        let off = |range: std::ops::Range<usize>| {
            let dz = part(range.clone(), &self.left.vectors);
            let dmu = part(range, &self.left.multipliers);
            (dot(&dz, &r.x) + dot(&dmu, &r.l)).norm() / slope
        };
        let after =
            next.map(|degree| off(self.set.homogeneous(degree))).fold(off(used..self.set.len()), f64::max);
        let applied = after < GAIN * before.min(at.error);
        if !applied {
            return Ok(Corrected { at, applied, before, after });
        }
        let at = Evaluation { s, error: after, basis: ErrorBasis::TwoSided, ..at };
        Ok(Corrected { at, applied, before, after })
    }
}

/// The root of the quadratic equation next to the value of the series.
fn quotient<A: Storage>(exact: &QuadraticPencil<A>, z: &[c64], mu: &[c64], at: &Evaluation) -> Option<c64> {
    let form = |a: &A| {
        let mut out = zeros(z.len());
        a.add_product(c64::ONE, &at.vector, &mut out);
        dot(z, &out)
    };
    let (m, c) = (form(&exact.m), form(&exact.c));
    let rest = residual(exact, c64::ZERO, &at.vector, &at.multipliers);
    let k = dot(z, &rest.x) + dot(mu, &rest.l);
    let mut s = at.s;
    for _ in 0..20 {
        let step = ((s * m + c) * s + k) / (2.0 * s * m + c);
        s -= step;
        if !(s.re.is_finite() && s.im.is_finite()) {
            return None;
        }
        if step.norm() <= 4.0 * f64::EPSILON * s.norm() {
            return Some(s);
        }
    }
    Some(s)
}
