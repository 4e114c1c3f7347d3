//! What a penalty puts in the place of constraints.
//!
//! ```text
//! e = Phi_q x,   l = D(s) e,   D(s) = s^2 Xi + s Xi Theta + Xi Omega
//! ```
//!
//! Sizes: Xi, Theta, Omega m x m, e and l of length m. Fails where D(s) is singular, at an eigenvalue of the penalty
//! alone.

use mb_algebra::{Dense, DenseC, LuComplex, PenaltyBlocks, c64, dense};

use crate::tuning;

/// Xi, Xi Theta and Xi Omega.
pub(crate) struct Springs {
    pub(super) mass: Dense,
    pub(super) damping: Dense,
    stiffness: Dense,
    diagonal: bool,
}

impl Springs {
    pub(crate) fn new(blocks: &PenaltyBlocks) -> Self {
        let xi = &blocks.xi;
        let m = xi.nrows();
        let off = |a: &Dense| (0..m).any(|j| (0..m).any(|i| i != j && a[(i, j)] != 0.0));
        let by_row = |a: &Dense| Dense::from_fn(m, m, |i, j| xi[(i, i)] * a[(i, j)]);
        let by_xi: &dyn Fn(&Dense) -> Dense = if off(xi) { &|a| dense::mul(xi, a) } else { &by_row };
        let (damping, stiffness) = (by_xi(&blocks.theta), by_xi(&blocks.omega));
        let diagonal = ![xi, &damping, &stiffness].into_iter().any(off);
        Self { mass: xi.clone(), damping, stiffness, diagonal }
    }

    /// Whether D(s) may be factored in every step.
    pub(crate) fn is_cheap(&self) -> bool {
        // Rows up to which D(s) may have entries off its diagonal: it is factored in every step.
        self.diagonal || self.mass.nrows() <= tuning::SMALL
    }

    /// Xi, Xi Theta and Xi Omega.
    pub(crate) fn matrices(&self) -> [&Dense; 3] {
        [&self.mass, &self.damping, &self.stiffness]
    }

    fn at(&self, s: c64, i: usize, j: usize) -> c64 {
        (s * self.mass[(i, j)] + self.damping[(i, j)]) * s + self.stiffness[(i, j)]
    }

    /// D(s) e.
    pub(crate) fn force(&self, s: c64, e: &[c64]) -> Vec<c64> {
        if self.diagonal {
            return e.iter().enumerate().map(|(i, e)| self.at(s, i, i) * e).collect();
        }
        let row = |i: usize| e.iter().enumerate().map(|(j, e)| self.at(s, i, j) * e).sum();
        (0..e.len()).map(row).collect()
    }

    /// D(s)^-1 r; none where that is singular.
    pub(crate) fn response(&self, s: c64, r: &[c64]) -> Option<Vec<c64>> {
        let m = r.len();
        let out: Vec<c64> = if self.diagonal {
            r.iter().enumerate().map(|(i, r)| r / self.at(s, i, i)).collect()
        } else {
            LuComplex::new(&DenseC::from_fn(m, m, |i, j| self.at(s, i, j))).ok()?.solve(r)
        };
        out.iter().all(|e| e.is_finite()).then_some(out)
    }

    /// sqrt(q^H Xi^-1 q); infinite where Xi has no inverse or is not definite.
    pub(crate) fn in_metric(&self, q: &[c64]) -> f64 {
        let m = q.len();
        let square = if self.diagonal {
            q.iter().enumerate().map(|(i, q)| q.norm_sqr() / self.mass[(i, i)]).sum()
        } else {
            let mass = DenseC::from_fn(m, m, |i, j| c64::new(self.mass[(i, j)], 0.0));
            let Ok(factor) = LuComplex::new(&mass) else { return f64::INFINITY };
            q.iter().zip(factor.solve(q)).map(|(q, x)| (q.conj() * x).re).sum::<f64>()
        };
        if square >= 0.0 { square.sqrt() } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{sparse, to_sparse};

    #[test]
    fn the_response_to_a_force_is_the_violation_that_makes_it() {
        let diagonal = dense::diagonal(&[2.0, 5.0, 0.5]);
        let full = Dense::from_fn(3, 3, |i, j| if i == j { 4.0 } else { 0.5 / (1 + i + j) as f64 });
        for xi in [diagonal, full] {
            let blocks = PenaltyBlocks {
                m: sparse::identity(3),
                c: sparse::zeros(3, 3),
                k: sparse::identity(3),
                phi_q: to_sparse(&dense::identity(3)),
                theta: dense::scale(3.0, &dense::identity(3)),
                omega: dense::scale(7.0, &dense::identity(3)),
                xi,
                k_parts: None,
            };
            let springs = Springs::new(&blocks);
            let s = c64::new(-0.1, 2.0);
            let e = [c64::new(1.0, 0.5), c64::new(-2.0, 0.0), c64::new(0.0, 3.0)];
            // All of D is Xi times one number.
            let by = s * s + 3.0 * s + 7.0;
            let expected = dense::matvec_complex(&blocks.xi, &e);
            let force = springs.force(s, &e);
            let back = springs.response(s, &force).unwrap();
            let square: c64 = e.iter().zip(&expected).map(|(e, x)| e.conj() * x).sum();
            assert!((springs.in_metric(&expected) - square.re.sqrt()).abs() < 1e-13 * square.re);
            for i in 0..3 {
                assert!((force[i] - by * expected[i]).norm() < 1e-13 * force[i].norm());
                assert!((back[i] - e[i]).norm() < 1e-13);
            }
        }
    }

    #[test]
    fn an_eigenvalue_of_the_penalty_has_no_response() {
        let one = dense::identity(1);
        let blocks = PenaltyBlocks {
            m: sparse::identity(1),
            c: sparse::zeros(1, 1),
            k: sparse::identity(1),
            phi_q: to_sparse(&one),
            xi: one.clone(),
            theta: dense::scale(0.0, &one),
            omega: dense::scale(4.0, &one),
            k_parts: None,
        };
        let springs = Springs::new(&blocks);
        assert!(springs.response(c64::new(0.0, 2.0), &[c64::new(1.0, 0.0)]).is_none());
    }
}
