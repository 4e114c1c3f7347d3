//! How far and how well the series can be trusted.
//!
//! **Residual.** With r = A(s) phi + Phi_q^T l and g = Phi_q phi from exact matrices at the
//! point, and (z, mu) the conjugated left vector with its multipliers,
//!
//! ```text
//! ds = -(z^T r + mu^T g) / (z^T A'(s) phi)
//! ```
//!
//! is the correction of s to first order. With the constant left vector its relative error is
//! of the order of the distance, with the expanded one of the order of the error itself.
//!
//! **Radius.** The terms behave as `|a_k| ~ k^(-3/2) R^(-k)` towards a branch point, where the
//! eigenvalue meets another one, and as `R^(-k)` towards a pole of the vector's gauge. The root
//! test with that factor, fitted to the later half of the degrees, gives R. Towards a conjugate
//! pair of branch points `R exp(+-i theta)`, which is the rule, the terms swing and the root test
//! is misled; then `b_k = k^(3/2) a_k` satisfies
//!
//! ```text
//! b_(k+1) = p b_k + q b_(k-1),    R = 1 / (largest root of z^2 = p z + q)
//! ```
//!
//! This ratio test, with p and q by least squares over the later degrees, counts where the terms
//! obey it.

use super::evaluate::Terms;
use super::{EigenpairSeries, Evaluation};
use crate::ParametricError;
use crate::bordered::{residual, size_of, slope_times};
use crate::pencil_series::check_shape;
use crate::storage::Storage;
use crate::vectors::{axpy, dot, zeros};
use mb_algebra::{QuadraticPencil, c64, norms};

/// A term that lies so far (as a logarithm) below the line through its neighbours vanishes by chance.
const BY_CHANCE: f64 = 1.6;

/// What the exact matrices at a point say about an evaluated eigenpair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidualEstimate {
    /// The correction ds, rad/s; `s + correction` is a better eigenvalue while the estimate is
    /// valid. Infinite when the left and right vectors are orthogonal, so that it is uninformative.
    pub correction: c64,
    /// Residual of the equations of motion relative to
    /// (|s|^2 |M| + |s| |C| + |K|) |phi| + |Phi_q| |l|, Frobenius norms.
    pub backward_error: f64,
    /// Violation of the constraints relative to |Phi_q| |phi|.
    pub constraint_error: f64,
}

impl ResidualEstimate {
    /// Estimated error of the eigenvalue, rad/s.
    pub fn error(&self) -> f64 {
        self.correction.norm()
    }
}

/// Estimated distances of convergence along a direction, as multiples of that direction.
///
/// Infinite when the series ends; none when there are fewer than three degrees to estimate from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Radius {
    /// Of the eigenvalue.
    pub eigenvalue: Option<f64>,
    /// Of the right vector; smaller when its gauge fails first.
    pub vector: Option<f64>,
}

impl EigenpairSeries {
    /// Checks an evaluated eigenpair with the exact matrices at its point.
    ///
    /// Errors: matrices of other shapes than the series', or not finite.
    pub fn check<A: Storage>(
        &self,
        at: &Evaluation,
        exact: &QuadraticPencil<A>,
    ) -> Result<ResidualEstimate, ParametricError> {
        let (n, nc) = (at.vector.len(), at.multipliers.len());
        let shaped =
            [("M", &exact.m, n), ("C", &exact.c, n), ("K", &exact.k, n), ("Phi_q", &exact.phi_q, nc)];
        for (matrix, a, rows) in shaped {
            check_shape(matrix, a.size(), (rows, n))?;
            if let Some((row, col)) = a.not_finite() {
                return Err(mb_algebra::AlgebraError::NonFinite { row, col }.into());
            }
        }
        let r = residual(exact, at.s, &at.vector, &at.multipliers);
        let (z, mu) = self.left_at(&at.d)?;
        let slope = dot(&z, &slope_times(exact, at.s, &at.vector));
        let correction = -(dot(&z, &r.x) + dot(&mu, &r.l)) / slope;
        let finite = correction.re.is_finite() && correction.im.is_finite();
        let size = norms::two_complex(&at.vector);
        let jacobian = norms::frobenius(&exact.phi_q);
        let scale =
            size_of(exact, at.s, norms::frobenius) * size + jacobian * norms::two_complex(&at.multipliers);
        Ok(ResidualEstimate {
            correction: if finite { correction } else { c64::from(f64::INFINITY) },
            backward_error: relative(norms::two_complex(&r.x), scale),
            constraint_error: relative(norms::two_complex(&r.l), jacobian * size),
        })
    }

    /// Estimated convergence distances along `direction` (one entry for each parameter):
    /// the series converges at `x0 + t direction` for |t| below it.
    ///
    /// An extrapolation from the terms there are, best from order 6 on; 10 to 20 % is usual. The length of `direction` does not matter:
    /// the terms are looked at where those of the first degrees are as large as s itself, since a step of one newton per metre of a
    /// spring of thousands leaves nothing of the higher ones beside rounding.
    ///
    /// Errors: `direction` of another length than the number of parameters, or not finite.
    pub fn radius(&self, direction: &[f64]) -> Result<Radius, ParametricError> {
        let step = self.visible_step(&self.parts(&self.set.monomials(direction)?));
        let scaled: Vec<f64> = direction.iter().map(|x| x * step).collect();
        let monomials = self.set.monomials(&scaled)?;
        let found = self.radius_of(&monomials, &self.terms(&monomials));
        let back = |r: Option<f64>| r.map(|r| r * step);
        Ok(Radius { eigenvalue: back(found.eigenvalue), vector: back(found.vector) })
    }

    /// The distance along a direction with these parts at which that of the first or second degree, where it is more than rounding, is as
    /// large as s; one where both are rounding.
    ///
    /// ```text
    /// min over k = 1, 2 of (|s| / |a_k|)^(1/k)
    /// ```
    fn visible_step(&self, parts: &[c64]) -> f64 {
        let (size, floor) = (self.s[0].norm(), self.floor(self.s[0].norm()));
        let visible = parts.iter().map(|part| part.norm()).enumerate().skip(1).take(2);
        let steps =
            visible.filter(|(_, part)| *part > floor).map(|(k, part)| (size / part).powf((k as f64).recip()));
        steps.reduce(f64::min).filter(|step| step.is_finite() && *step > 0.0).unwrap_or(1.0)
    }

    /// About what rounding leaves of a term of that size where the exact one is zero.
    fn floor(&self, size: f64) -> f64 {
        1e-14 * size * self.condition.clamp(1.0, 1e6)
    }

    /// The root tests of both.
    fn radius_of(&self, monomials: &[f64], terms: &Terms) -> Radius {
        let floor = self.floor(self.s[0].norm());
        Radius {
            eigenvalue: ratio_test(&self.parts(monomials), floor).or_else(|| root_test(&terms.s[1..], floor)),
            vector: root_test(&terms.vector[1..], self.floor(1.0)),
        }
    }

    /// Distance of the point with these terms as a share of the radius of convergence.
    pub(super) fn share(&self, monomials: &[f64], terms: &Terms) -> Option<f64> {
        let radius = self.radius_of(monomials, terms);
        let share = |r: f64| if r.is_infinite() { 0.0 } else { r.recip() };
        match (radius.eigenvalue, radius.vector) {
            (None, None) => None,
            (Some(r), None) | (None, Some(r)) => Some(share(r)),
            (Some(a), Some(b)) => Some(share(a.min(b))),
        }
    }

    /// The left vector and multipliers at a point, constant ones if no more is known.
    fn left_at(&self, d: &[f64]) -> Result<(Vec<c64>, Vec<c64>), ParametricError> {
        let monomials = self.set.monomials(d)?;
        let sum = |list: &[Vec<c64>]| {
            let mut out = zeros(list[0].len());
            for (coefficient, x) in list.iter().zip(&monomials).rev() {
                axpy(&mut out, c64::from(*x), coefficient);
            }
            out
        };
        Ok((sum(&self.left.vectors), sum(&self.left.multipliers)))
    }
}

/// a / b, with 0 / 0 = 0.
fn relative(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b }
}

/// R from the parts of all degrees by their three-term recurrence; none where fewer than three
/// equations determine it, terms are rounding, or they do not obey one.
fn ratio_test(parts: &[c64], floor: f64) -> Option<f64> {
    let order = parts.len() - 1;
    if order < 5 || parts[order - 4..].iter().any(|a| a.norm() <= floor) {
        return None;
    }
    // Scaled so that all terms are of one size.
    let rate = (parts[order].norm() / parts[order - 4].norm()).powf(0.25);
    let b = |k: usize| {
        let k3 = (k as f64).powf(1.5);
        parts[k] * k3 / rate.powi(i32::try_from(k).unwrap_or(i32::MAX) - i32::try_from(order).unwrap_or(0))
    };
    let (mut a11, mut a12, mut a22, mut r1, mut r2, mut size) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    let first = (order / 2).max(2).min(order - 3);
    let real = |x: c64, y: c64| (x.conj() * y).re;
    for k in first..order {
        let (x, y, z) = (b(k), b(k - 1), b(k + 1));
        a11 += x.norm_sqr();
        a12 += real(x, y);
        a22 += y.norm_sqr();
        r1 += real(x, z);
        r2 += real(y, z);
        size += z.norm_sqr();
    }
    let determinant = a11 * a22 - a12 * a12;
    if determinant <= 1e-6 * a11 * a22 {
        return None;
    }
    let (p, q) = ((r1 * a22 - r2 * a12) / determinant, (a11 * r2 - a12 * r1) / determinant);
    let misfit = size - p * r1 - q * r2;
    if misfit > 0.02 * size {
        return None;
    }
    let root = (c64::from(p * p / 4.0 + q)).sqrt();
    let largest = (root + p / 2.0).norm().max((root - p / 2.0).norm());
    let radius = 1.0 / (largest * rate);
    radius.is_finite().then_some(radius)
}

/// R from the magnitudes of degrees 1, 2, ...: minus the slope of log(k^(3/2) |a_k|) over the
/// later half, by least squares. Terms at the floor count as zero, and terms far below both their
/// neighbours, which vanish by chance in a direction, do not count; earlier ones stand in for them.
fn root_test(terms: &[f64], floor: f64) -> Option<f64> {
    let order = terms.len();
    if order < 3 {
        return None;
    }
    let log = |i: usize| terms[i].ln() + 1.5 * ((i + 1) as f64).ln();
    let by_chance = |i: usize| {
        let inside = i > 0 && i + 1 < order && terms[i - 1] > floor && terms[i + 1] > floor;
        inside && log(i) < 0.5 * (log(i - 1) + log(i + 1)) - BY_CHANCE
    };
    // The later half, but at least three degrees.
    let from = (order / 2).min(order - 3);
    let mut points: Vec<(f64, f64)> = (from..order)
        .filter(|&i| terms[i] > floor && !by_chance(i))
        .map(|i| ((i + 1) as f64, log(i)))
        .collect();
    let zeros = (from..order).filter(|&i| terms[i] <= floor).count();
    let earlier = (0..from).rev().filter(|&i| terms[i] > floor && !by_chance(i));
    let missing = (order - from).min(3).saturating_sub(points.len() + zeros);
    points.extend(earlier.take(missing).map(|i| ((i + 1) as f64, log(i))));
    match points.len() {
        0 => Some(f64::INFINITY),
        1 => None,
        count => {
            let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / count as f64;
            let (k, y) = (mean(|p| p.0), mean(|p| p.1));
            let slope = points.iter().map(|p| (p.0 - k) * (p.1 - y)).sum::<f64>()
                / points.iter().map(|p| (p.0 - k).powi(2)).sum::<f64>();
            Some((-slope).exp())
        }
    }
}
