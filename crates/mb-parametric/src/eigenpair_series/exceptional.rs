//! Where two eigenvalues meet, from the series of both.
//!
//! At a (complex) parameter value where the eigenvalues a and b meet, each has a branch point and
//! its series ends to converge. The square of their difference does not:
//!
//! ```text
//! delta(t) = (a(x0 + t e) - b(x0 + t e))^2
//! ```
//!
//! is analytic there and has a simple zero. The smallest root of its Taylor polynomial is thus the
//! nearest such point, and the root of the polynomial with one degree less says how well it is
//! known. This judges the radius of convergence by a second pair, independently of the fall of the
//! terms. The second pair may be the conjugate of the first, which meets it where a vibration
//! ceases to be one.

use super::EigenpairSeries;
use crate::ParametricError;
use mb_algebra::c64;

/// A point where two eigenvalues meet, along a direction from the expansion point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExceptionalPoint {
    /// The multiple of the direction; complex unless they meet at real values of the parameters.
    pub t: c64,
    /// How far it moved when the last degree was added; small when it is to be believed.
    pub uncertainty: f64,
}

impl ExceptionalPoint {
    /// Distance from the expansion point: the series converge for |t| below it, if no other such
    /// point is nearer.
    pub fn distance(&self) -> f64 {
        self.t.norm()
    }

    /// Whether the uncertainty is below a quarter of the distance.
    pub fn is_settled(&self) -> bool {
        self.uncertainty < 0.25 * self.distance()
    }
}

impl EigenpairSeries {
    /// The nearest point along `direction` (and complex multiples of it) where this eigenvalue
    /// meets that of `other`; none when the series say they never meet.
    ///
    /// Errors: `direction` of another length than the number of parameters of either, or not
    /// finite.
    pub fn meeting(
        &self,
        other: &Self,
        direction: &[f64],
    ) -> Result<Option<ExceptionalPoint>, ParametricError> {
        Ok(nearest_root(&self.along(direction)?, &other.along(direction)?))
    }

    /// As [`EigenpairSeries::meeting`] with its own conjugate.
    ///
    /// Errors: as [`EigenpairSeries::meeting`].
    pub fn meeting_conjugate(&self, direction: &[f64]) -> Result<Option<ExceptionalPoint>, ParametricError> {
        let own = self.along(direction)?;
        if own[0].im == 0.0 {
            return Ok(None);
        }
        let conjugate: Vec<c64> = own.iter().map(c64::conj).collect();
        Ok(nearest_root(&own, &conjugate))
    }

    /// The coefficients of s(x0 + t direction) by powers of t.
    ///
    /// Errors: `direction` of another length than the number of parameters, or not finite.
    pub fn along(&self, direction: &[f64]) -> Result<Vec<c64>, ParametricError> {
        Ok(self.parts(&self.set.monomials(direction)?))
    }
}

/// The smallest root of (a - b)^2 that the last degrees agree on best.
fn nearest_root(a: &[c64], b: &[c64]) -> Option<ExceptionalPoint> {
    let length = a.len().min(b.len());
    let difference: Vec<c64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let mut delta: Vec<c64> =
        (0..length).map(|k| (0..=k).map(|i| difference[i] * difference[k - i]).sum()).collect();
    // What rounding leaves of coefficients that are zero.
    let size = |k: usize| (0..=k).map(|i| difference[i].norm() * difference[k - i].norm()).sum::<f64>();
    while let Some(last) = delta.len().checked_sub(1).filter(|&k| k > 0) {
        if delta[last].norm() > 1e-12 * size(last) {
            break;
        }
        delta.pop();
    }
    if delta.len() < 2 {
        return None;
    }
    let closest = |list: &[c64], t: c64| list.iter().map(|r| (r - t).norm()).fold(f64::INFINITY, f64::min);
    let smallest = |list: &[c64]| list.iter().copied().min_by(|x, y| x.norm().total_cmp(&y.norm()));
    let roots = roots(&delta);
    let t = smallest(&roots)?;
    let uncertainty = if delta.len() < length {
        // The polynomial ends: no degree is missing.
        0.0
    } else {
        closest(&self::roots(&delta[..delta.len() - 1]), t)
    };
    Some(ExceptionalPoint { t, uncertainty })
}

/// All roots of a polynomial by increasing powers, by the iteration of Ehrlich and Aberth; the
/// last coefficient is not zero. Roots at which it does not settle are left out.
fn roots(polynomial: &[c64]) -> Vec<c64> {
    let degree = polynomial.len().saturating_sub(1);
    let leading = polynomial[degree];
    if degree == 0 || leading == c64::ZERO {
        return Vec::new();
    }
    // Scaled so that the product of the roots has magnitude one.
    let first = polynomial.iter().position(|c| *c != c64::ZERO).unwrap_or(0);
    if first > 0 {
        return vec![c64::ZERO];
    }
    let scale = (polynomial[0].norm() / leading.norm()).powf(1.0 / degree as f64);
    let mut power = 1.0;
    let mut p = Vec::with_capacity(degree + 1);
    for c in polynomial {
        p.push(c * power / polynomial[0].norm());
        power *= scale;
    }
    let value = |x: c64| {
        let (mut f, mut df) = (c64::ZERO, c64::ZERO);
        for c in p.iter().rev() {
            df = df * x + f;
            f = f * x + c;
        }
        (f, df)
    };
    let turn = |i: usize| std::f64::consts::TAU * i as f64 / degree as f64 + 0.4;
    let mut x: Vec<c64> = (0..degree).map(|i| c64::from_polar(1.0, turn(i))).collect();
    let mut step = vec![f64::INFINITY; degree];
    for _ in 0..200 {
        for i in 0..degree {
            let (f, df) = value(x[i]);
            let newton = f / df;
            let others: c64 = (0..degree).filter(|&j| j != i).map(|j| (x[i] - x[j]).inv()).sum();
            let change = newton / (c64::ONE - newton * others);
            if change.re.is_finite() && change.im.is_finite() {
                x[i] -= change;
                step[i] = change.norm();
            }
        }
        if step.iter().zip(&x).all(|(s, x)| *s <= 1e-13 * x.norm().max(1e-3)) {
            break;
        }
    }
    let settled = x.iter().zip(&step).filter(|(x, s)| **s <= 1e-6 * x.norm().max(1e-3));
    settled.map(|(x, _)| x * scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_polynomials_with_known_ones() {
        let known = [c64::new(0.5, 0.0), c64::new(-2.0, 1.0), c64::new(300.0, -40.0), c64::new(0.0, 7.0)];
        let mut p = vec![c64::ONE];
        for root in known {
            let mut next = vec![c64::ZERO; p.len() + 1];
            for (i, c) in p.iter().enumerate() {
                next[i] -= c * root;
                next[i + 1] += c;
            }
            p = next;
        }
        let found = roots(&p);
        assert_eq!(found.len(), 4);
        for root in known {
            let off = found.iter().map(|x| (x - root).norm()).fold(f64::INFINITY, f64::min);
            assert!(off < 1e-11 * root.norm(), "{root} {off}");
        }
    }

    #[test]
    fn square_roots_meet_where_their_radicand_vanishes() {
        // a, b = +- sqrt(1 - t / z) with z = 0.3 + 0.4i: delta = 4 (1 - t / z).
        let z = c64::new(0.3, 0.4);
        let mut a = vec![c64::ONE];
        for k in 1..=8 {
            let k = f64::from(k);
            let next = -a[a.len() - 1] * (1.5 - k) / k / z;
            a.push(next);
        }
        let b: Vec<c64> = a.iter().map(|x| -x).collect();
        let point = nearest_root(&a, &b).unwrap();
        assert!((point.t - z).norm() < 1e-12 && point.is_settled(), "{point:?}");
        // Values that keep their distance never meet.
        let shifted: Vec<c64> =
            a.iter().enumerate().map(|(k, x)| if k == 0 { x + 1.0 } else { *x }).collect();
        assert_eq!(nearest_root(&a, &shifted), None);
    }
}
