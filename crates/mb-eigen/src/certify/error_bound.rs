//! From residuals and sensitivities to distances on s: the one rule of error bounds, dense and sparse.
//!
//! ```text
//! simple eigenvalue      2 rho / d,               d = |y^H (2 s M + C) x|
//! near a double one      4 sqrt(rho / a),         a = |y^H M x|
//! double by structure    2 sqrt(rho / curvature)
//! ```
//!
//! rho is the weighted residual of certify/dense.rs. The first is first order in rho with a factor of two to spare; it
//! holds while it is small against d / a, the distance of the second zero of the quadratic a delta^2 + d delta = rho.
//! Eigenvalues whose bounds meet, or whose left and right vectors are nearly orthogonal, are bounded together, by what stands in
//! [`cluster`].

mod cluster;
mod sensitivity;

use mb_algebra::c64;

use super::dense::Forms;
use crate::{Eigenpair, tuning};

pub(crate) use cluster::{Column, Estimate, Source, alignment, together};
pub(crate) use sensitivity::{Factored, Solved, sensitivity};

/// What is known of one eigenvalue, in terms of s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) s: c64,
    /// Weighted residual.
    pub(crate) rho: f64,
    /// y^H M x and y^H C x.
    pub(crate) m: c64,
    pub(crate) c: c64,
    /// Length of the chain by structure, and |y^H (second-order coefficient) x| for a chain of two.
    pub(crate) chain: usize,
    pub(crate) curvature: f64,
}

impl Measured {
    /// y^H (2 s M + C) x.
    fn slope(&self) -> c64 {
        self.s * self.m * 2.0 + self.c
    }

    /// Whether left and right vector are orthogonal but for rounding.
    pub(crate) fn is_defective(&self) -> bool {
        let terms = 2.0 * self.s.norm() * self.m.norm() + self.c.norm();
        // Left and right vector count as orthogonal when y^H (2 s M + C) x falls below this fraction of its terms: 500 roundings of them.
        self.chain > 1 || self.slope().norm() <= tuning::SOLVE_ROUNDINGS * terms
    }

    /// Factor on the left vector so that y^H (2 s M + C) x = 1; one where that form vanishes.
    pub(crate) fn left_scale(&self) -> c64 {
        let d = self.slope();
        if self.is_defective() || d.norm() == 0.0 { c64::new(1.0, 0.0) } else { d.conj().inv() }
    }

    /// Bound on the distance from s to an eigenvalue, rad/s, of this eigenpair by itself.
    pub(crate) fn alone(&self) -> f64 {
        if self.rho == 0.0 {
            return 0.0;
        }
        let bound = if self.chain > 1 {
            2.0 * (self.rho / self.curvature).sqrt()
        } else {
            let (d, a) = (self.slope().norm(), self.m.norm());
            let first_order = 2.0 * self.rho / d;
            // The second zero of a quadratic with these coefficients lies at d / a.
            if first_order <= tuning::PARTLY * d / a || a == 0.0 {
                first_order
            } else {
                4.0 * (self.rho / a).sqrt()
            }
        };
        if bound.is_nan() { f64::INFINITY } else { bound }
    }
}

/// Condition number of a simple eigenvalue alpha / beta with s in units of `gamma`; infinite of one that is indeterminate.
///
/// `norms`: |M|, |C| and |K|.
pub(crate) fn condition((alpha, beta): (c64, f64), gamma: f64, forms: Forms, norms: [f64; 3]) -> f64 {
    let h = alpha.norm().hypot(beta * gamma);
    if h == 0.0 {
        return f64::INFINITY;
    }
    let (alpha, beta) = (alpha / h, beta * gamma / h);
    let (m, c, k) = (forms.m * gamma * gamma, forms.c * gamma, forms.k);
    let by_alpha = alpha * m * 2.0 + c * beta;
    let by_beta = alpha * c + k * (2.0 * beta);
    let below = (by_alpha * beta - alpha.conj() * by_beta).norm();
    let (a, b, [of_m, of_c, of_k]) = (alpha.norm(), beta, norms);
    let above = (a * a * gamma * gamma * of_m).hypot(a * b * gamma * of_c).hypot(b * b * of_k);
    if below > 0.0 { above / below } else { f64::INFINITY }
}

/// Bound on s of a residual and a slope in the metric of the mass.
pub(crate) fn in_metric(residual: f64, slope: f64) -> f64 {
    let first_order = 2.0 * residual / slope;
    if first_order <= tuning::PARTLY * slope { first_order } else { 4.0 * residual.sqrt() }
}

/// Bound on s of an eigenpair by both of its vectors.
///
/// rho weighs the residual with the left vector as it is: what that vector lacks, times a residual that is more than rounding, is of second
/// order, and with entries of all sizes outweighs the first. `astray`: the bound of the left vector, which says as much of the same eigenvalue.
pub(crate) fn of_both(pair: &Eigenpair, astray: f64, rounding: f64) -> f64 {
    // Backward error over that of rounding from which on an eigenpair was not solved to rounding.
    if pair.backward_error > tuning::TWICE * rounding {
        pair.error_bound.max(astray)
    } else {
        pair.error_bound
    }
}
