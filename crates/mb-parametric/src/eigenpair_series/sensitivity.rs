//! Derivatives of frequency and damping, and what tolerances of the parameters make of them.
//!
//! ```text
//! f = |s| / 2 pi,                    df = Re(conj(s) ds) / (2 pi |s|)
//! xi = -Re s / |s|,                  dxi = -(Re ds |s| - Re s Re(conj(s) ds) / |s|) / |s|^2
//! ```
//!
//! A parameter known to +-tolerance moves them by derivative times tolerance. The spread by all of
//! them is the sum of magnitudes (the worst case) or the root of the sum of squares (independent
//! deviations, of as many standard deviations as the tolerances are).

use super::EigenpairSeries;
use crate::ParametricError;
use mb_algebra::c64;
use std::f64::consts::TAU;

/// A value and what uncertain parameters make of it, to first order.
#[derive(Clone, Debug, PartialEq)]
pub struct ToleranceSpread {
    /// The value itself.
    pub value: f64,
    /// Largest deviation: all parameters at the ends that add up.
    pub worst_case: f64,
    /// Deviation of independent parameters: root of the sum of squares.
    pub independent: f64,
    /// Derivative times tolerance of each parameter, with sign.
    pub shares: Vec<f64>,
}

/// Frequency and damping with their spreads.
#[derive(Clone, Debug, PartialEq)]
pub struct ToleranceSpreads {
    /// |s| / 2 pi, Hz: the undamped frequency.
    pub frequency_hz: ToleranceSpread,
    /// -Re s / |s|.
    pub damping_ratio: ToleranceSpread,
    /// Largest second-order change of s within the tolerances relative to the first-order one,
    /// estimated from the terms of second degree; the spreads are of little use where it is not small. None
    /// when the series has no second degree.
    pub curvature: Option<f64>,
}

impl EigenpairSeries {
    /// ds/dx of every parameter at the distance `d` from the expansion point, rad/s per unit of
    /// it, from all terms.
    ///
    /// Errors: `d` of another length than the number of parameters, or not finite.
    pub fn sensitivities_at(&self, d: &[f64]) -> Result<Vec<c64>, ParametricError> {
        let monomials = self.set.monomials(d)?;
        let mut out = vec![c64::ZERO; self.set.parameters()];
        for (number, sigma) in self.set.iter().enumerate() {
            for (k, &e) in sigma.iter().enumerate().filter(|(_, e)| **e > 0) {
                let mut smaller = sigma.to_vec();
                smaller[k] -= 1;
                // The set holds all smaller indices.
                if let Some(lower) = self.set.number(&smaller) {
                    out[k] += self.s[number] * monomials[lower] * f64::from(e);
                }
            }
        }
        Ok(out)
    }

    /// Frequency and damping ratio at the expansion point with the spreads that `tolerances` make,
    /// one (not negative) for each parameter and in its unit.
    ///
    /// Errors: a list of another length, values that are not finite; a set without first degree
    /// of some parameter is [`ParametricError::OrderNotExpanded`].
    pub fn tolerance_spreads(&self, tolerances: &[f64]) -> Result<ToleranceSpreads, ParametricError> {
        let monomials = self.set.monomials(tolerances)?;
        let first: Option<Vec<c64>> = self.sensitivities().into_iter().collect();
        let Some(first) = first else {
            return Err(ParametricError::OrderNotExpanded { requested: 1, available: 0 });
        };
        let changes: Vec<c64> = first.iter().zip(tolerances).map(|(ds, t)| ds * t.abs()).collect();
        let (s, size) = (self.s[0], self.s[0].norm());
        let radial = |ds: &c64| if size > 0.0 { (s.conj() * ds).re / size } else { ds.norm() };
        let ratio = |ds: &c64| if size > 0.0 { -(ds.re - s.re * radial(ds) / size) / size } else { 0.0 };
        let damping = if size > 0.0 { -s.re / size } else { 0.0 };
        let spread = |value: f64, shares: Vec<f64>| ToleranceSpread {
            value,
            worst_case: shares.iter().map(|x| x.abs()).sum(),
            independent: mb_algebra::norms::two(&shares),
            shares,
        };
        let largest: f64 = changes.iter().map(|c| c.norm()).sum();
        let second: f64 =
            self.set.homogeneous(2).map(|number| self.s[number].norm() * monomials[number].abs()).sum();
        let curvature = (self.order() >= 2).then(|| if second == 0.0 { 0.0 } else { second / largest });
        Ok(ToleranceSpreads {
            frequency_hz: spread(size / TAU, changes.iter().map(|ds| radial(ds) / TAU).collect()),
            damping_ratio: spread(damping, changes.iter().map(ratio).collect()),
            curvature,
        })
    }
}
