//! Inverse iteration on the original, unreduced problem.
//!
//! ```text
//! [Q(s)  Phi_i^T] [u]   [Q'(s) x]
//! [Phi_i    0   ] [.] = [   0   ],   x <- u / |u|,   s <- s - y^H Q(s) x / y^H Q'(s) x
//! ```
//!
//! Q(s) = s^2 M + s C + K, Q' = 2 s M + C, Phi_i the independent rows of Phi_q at length one times the largest entry
//! of Q (the scaling of yang2012, section 3); y comes from the adjoint system. Two solves with one factor, then a new
//! shift; the quotient converges quadratically or faster. It restores the digits that an orthonormal reduction of
//! stiff problems loses in the low eigenvalues (gonzalez2017, Table 5, judges by such values). Size of the system: n +
//! r. Fails (by stalling) at defective roots, where the vectors' own error is the square root of rounding.

use mb_algebra::sorted::ascending;
use mb_algebra::{Dense, DenseC, LuComplex, QuadraticPencil, c64, dense, norms};

use super::constraint_basis::ConstraintBasis;
use super::{Kind, Raw};
use crate::certify::dense::Certifier;
use crate::numeric::check;
use crate::numeric::vectors;
use crate::numeric::vectors::inner;
use crate::options::Refinement;
use crate::{DenseOptions, EigenError, Eigenpair, Finding, tuning};

/// Polishes one finite eigenpair on the matrices as given and certifies it anew.
///
/// `pencil`: M, C, K n x n, Phi_q m x n. The class and the penalty share are kept. Errors: shapes,
/// [`EigenError::NotFinite`], [`EigenError::NotConverged`].
pub fn polish(
    pencil: &QuadraticPencil,
    pair: &Eigenpair,
    options: &DenseOptions,
) -> Result<Eigenpair, EigenError> {
    check::quadratic(pencil)?;
    let basis = ConstraintBasis::new(&pencil.phi_q, options.constraint_rank)?;
    let s = pair.value().ok_or(EigenError::NotFinite)?;
    let system = System::new(pencil, &basis);
    let start = Raw::finite(s, pair.right.to_vec(), Some(pair.left.to_vec()), false);
    let (better, steps) = system.iterate(&start);
    let certified = Certifier::new(pencil, &basis).certify(vec![better], Refinement::RayleighQuotient);
    let found = certified.into_iter().next().ok_or(EigenError::NotFinite)?;
    // Backward error above which an iteration that ended has failed.
    if found.backward_error > tuning::EPS_3_4.max(pair.backward_error) {
        return Err(EigenError::NotConverged {
            re: s.re,
            im: s.im,
            backward_error: found.backward_error,
            iterations: steps,
        });
    }
    Ok(Eigenpair { class: pair.class, penalty_share: pair.penalty_share, chain: pair.chain, ..found })
}

/// Polishes the eigenvalues of smallest magnitude where the options ask for it.
pub(crate) fn lowest(
    pencil: &QuadraticPencil,
    basis: &ConstraintBasis,
    raws: &mut [Raw],
    refinement: Refinement,
) -> Vec<Finding> {
    let Refinement::InverseIteration { lowest } = refinement else { return Vec::new() };
    let system = System::new(pencil, basis);
    let mut order: Vec<usize> = (0..raws.len()).filter(|&j| raws[j].kind == Kind::Ordinary).collect();
    ascending(&mut order, |&i| raws[i].value().norm());
    let mut findings = Vec::new();
    for &j in order.iter().take(lowest) {
        let before = system.backward_error(&raws[j]);
        let (better, _) = system.iterate(&raws[j]);
        let after = system.backward_error(&better);
        if after <= before.max(tuning::EPS_3_4) {
            raws[j] = better;
        } else {
            let s = raws[j].value();
            findings.push(Finding::PolishStalled { re: s.re, im: s.im, backward_error: before });
        }
    }
    findings
}

/// The bordered system of one problem.
pub(crate) struct System<'a> {
    pencil: &'a QuadraticPencil,
    rows: Dense,
    null: Option<&'a Dense>,
    norm: [f64; 3],
}

impl<'a> System<'a> {
    pub(crate) fn new(pencil: &'a QuadraticPencil, basis: &'a ConstraintBasis) -> Self {
        let norm = [&pencil.m, &pencil.c, &pencil.k].map(vectors::norm_bound);
        Self { pencil, rows: basis.independent_unit_rows(), null: basis.null(), norm }
    }

    /// (alpha^2 M + alpha beta C + beta^2 K) x.
    pub(crate) fn homogeneous(&self, alpha: c64, beta: f64, x: &[c64]) -> Vec<c64> {
        let [m, c, k] = [&self.pencil.m, &self.pencil.c, &self.pencil.k].map(|a| dense::matvec_complex(a, x));
        (0..x.len()).map(|i| alpha * (alpha * m[i] + c[i] * beta) + k[i] * (beta * beta)).collect()
    }

    /// |alpha|^2 |M| + |alpha| beta |C| + beta^2 |K|.
    pub(crate) fn scale(&self, alpha: f64, beta: f64) -> f64 {
        alpha * alpha * self.norm[0] + alpha * beta * self.norm[1] + beta * beta * self.norm[2]
    }

    /// Q(s) x.
    fn apply(&self, s: c64, x: &[c64]) -> Vec<c64> {
        self.homogeneous(s, 1.0, x)
    }

    /// Q'(s) x, or Q'(s)^H y.
    fn slope(&self, s: c64, x: &[c64], adjoint: bool) -> Vec<c64> {
        let product = |a: &Dense| if adjoint { transpose_product(a, x) } else { dense::matvec_complex(a, x) };
        let s = if adjoint { s.conj() } else { s };
        let (m, c) = (product(&self.pencil.m), product(&self.pencil.c));
        m.into_iter().zip(c).map(|(m, c)| s * m * 2.0 + c).collect()
    }

    /// Factors of the bordered matrix, and the factor on the rows of its constraints; none where it is singular.
    pub(crate) fn factor(&self, s: c64) -> Option<(LuComplex, f64)> {
        let (n, r) = (self.pencil.m.nrows(), self.rows.nrows());
        let p = self.pencil;
        let mut a = DenseC::zeros(n + r, n + r);
        let mut largest = 0.0_f64;
        for j in 0..n {
            for i in 0..n {
                let q = s * (s * p.m[(i, j)] + p.c[(i, j)]) + p.k[(i, j)];
                largest = largest.max(q.norm());
                a[(i, j)] = q;
            }
        }
        let scale = if largest > 0.0 { largest } else { 1.0 };
        for j in 0..n {
            for i in 0..r {
                let phi = c64::new(scale * self.rows[(i, j)], 0.0);
                a[(n + i, j)] = phi;
                a[(j, n + i)] = phi;
            }
        }
        LuComplex::new(&a).ok().map(|lu| (lu, scale))
    }

    /// Improves an eigenvalue; returns it with the number of steps. The eigenpair with the smallest residual wins.
    pub(crate) fn iterate(&self, start: &Raw) -> (Raw, usize) {
        let n = self.pencil.m.nrows();
        let left = start.left.clone().unwrap_or_else(|| vectors::conjugate(&start.right));
        let mut now = (start.value(), start.right.clone(), left);
        vectors::normalize(&mut now.1);
        vectors::normalize(&mut now.2);
        let mut best = (self.relative_residual(now.0, &now.1), now.clone());
        let mut steps = 0;
        // New shifts at most.
        for _ in 0..tuning::ATTEMPTS {
            // On the eigenvalue itself the matrix may be exactly singular; a few roundings aside it is not.
            let aside = now.0 * (1.0 + tuning::SUM_ROUNDINGS);
            let Some((lu, _)) = self.factor(now.0).or_else(|| self.factor(aside)) else { break };
            let shift = now.0;
            let mut change = f64::INFINITY;
            for _ in 0..2 {
                steps += 1;
                let Some(x) = solve(&lu, self.slope(shift, &now.1, false), n, false) else { break };
                let Some(y) = solve(&lu, self.slope(shift, &now.2, true), n, true) else { break };
                let step = inner(&y, &self.apply(now.0, &x)) / inner(&y, &self.slope(now.0, &x, false));
                if !step.is_finite() {
                    break;
                }
                let mut s = now.0 - step;
                if start.alpha.im == 0.0 {
                    s.im = 0.0;
                }
                if start.alpha.re == 0.0 && norms::max_abs(&self.pencil.c) == 0.0 {
                    s.re = 0.0;
                }
                change = step.norm() / s.norm().max(f64::MIN_POSITIVE);
                now = (s, x, y);
                let residual = self.relative_residual(now.0, &now.1);
                if residual <= best.0 {
                    best = (residual, now.clone());
                }
            }
            // A relative change of s below this ends the iteration: what is left is of the order of its square.
            if change <= tuning::EPS_2_3 {
                break;
            }
        }
        let (s, x, y) = best.1;
        let left = start.left.as_ref().map(|_| y);
        (Raw { kind: start.kind, chain: start.chain, ..Raw::finite(s, x, left, start.mirror) }, steps)
    }

    /// Residual of the eigenvalue over the norms of its terms.
    pub(crate) fn backward_error(&self, raw: &Raw) -> f64 {
        let mut x = raw.right.clone();
        vectors::normalize(&mut x);
        self.relative_residual(raw.value(), &x)
    }

    /// |R_0^T Q(s) x| over the norms of its terms: the part that no multiplier balances.
    fn relative_residual(&self, s: c64, x: &[c64]) -> f64 {
        let q = self.apply(s, x);
        let size = self.scale(s.norm(), 1.0);
        let rest = match self.null {
            None => norms::two_complex(&q),
            Some(null) => norms::two_complex(&transpose_product(null, &q)),
        };
        if rest > 0.0 { rest / size.max(f64::MIN_POSITIVE) } else { 0.0 }
    }
}

/// A^T x for a complex vector.
fn transpose_product(a: &Dense, x: &[c64]) -> Vec<c64> {
    (0..a.ncols()).map(|j| a.col_as_slice(j).iter().zip(x).map(|(a, x)| x * a).sum()).collect()
}

/// First n entries of the solution, at length one; the adjoint system on demand.
fn solve(lu: &LuComplex, rhs: Vec<c64>, n: usize, adjoint: bool) -> Option<Vec<c64>> {
    let mut b = rhs;
    b.resize(lu.size(), vectors::ZERO);
    let mut u =
        if adjoint { vectors::conjugate(&lu.solve_transpose(&vectors::conjugate(&b))) } else { lu.solve(&b) };
    u.truncate(n);
    vectors::normalize(&mut u);
    u.iter().all(|z| z.is_finite()).then_some(u)
}
