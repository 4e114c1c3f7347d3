//! Steps from an eigenvalue of the constrained problem to that of the penalty problem next to it.
//!
//! ```text
//! z <- S(sigma)^-1 ((s + sigma) M' + C') z,   s from the quotient of z,   z = (x, e)
//! ```
//!
//! S is the saddle-point matrix of the problem with violations (lowest.rs). At the fixed point z and the multipliers of the solve are
//! an exact eigenvector however far sigma is, and each step gains the factor |s - sigma| over the distance to the next eigenvalue. Where
//! eigenvalues of the penalty are as near as s itself the steps lead anywhere between them: what they found is judged
//! in settled.rs.

use std::sync::Arc;

use mb_algebra::{DenseC, c64};

use crate::EigenError;
use crate::krylov::scalar::norm;
use crate::numeric::vectors::conjugate;
use crate::problem::Problem;
use crate::problem::matrix::Matrix;
use crate::problem::uncertified::Uncertified;
use crate::transform::factors::{Effort, ShiftSolve};
use crate::tuning;

/// Where a factorization is tried again when sigma is an eigenvalue, relative to sigma: next to stiffnesses of 1e12
/// times that of the mode, as those of long links, a matrix is singular to the last digit in a wide neighbourhood.
const ASIDE: [f64; 7] = [0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.02, 0.1];

/// The eigenvalue of the penalty problem that the steps lead to; none where no factor near s is of use, or they do
/// not settle.
pub(super) fn follow(problem: &Problem<'_>, start: &Uncertified) -> Result<Option<Uncertified>, EigenError> {
    for aside in ASIDE {
        let sigma = start.s * (1.0 + aside);
        let solver = match problem.factor(sigma * sigma, sigma) {
            Ok(solver) => solver,
            Err(error) => {
                crate::error::only_here(error)?;
                continue;
            }
        };
        match settled(problem, start.clone(), sigma, &solver) {
            Ok(found) => return Ok(found),
            Err(error @ EigenError::OutOfMemory { .. }) => return Err(error),
            // Too near to an eigenvalue for a solution.
            Err(_) => {}
        }
    }
    Ok(None)
}

/// The steps with one factor.
fn settled(
    problem: &Problem<'_>,
    mut approx: Uncertified,
    sigma: c64,
    solver: &Arc<dyn ShiftSolve<c64>>,
) -> Result<Option<Uncertified>, EigenError> {
    let mut left = approx.left.as_ref().map(|(left, _)| conjugate(left));
    // Solves with one factorization at most.
    for step in 0..tuning::STEPS {
        let solved = |z: &[c64], transposed: bool| -> Result<_, EigenError> {
            let force = moved(problem, approx.s, sigma, z, transposed);
            let solution = solver.solve(&force, transposed, Effort::Final)?;
            Ok(unit(&solution.x, &problem.rows.multipliers(&solution.l)))
        };
        let (z, l) = solved(&approx.right, false)?;
        if let Some(v) = &mut left {
            let (turned, mu) = solved(v, true)?;
            approx.left = Some((conjugate(&turned).into(), conjugate(&mu).into()));
            *v = turned;
        }
        let next = quotient(problem, approx.s, &z, left.as_deref().unwrap_or(&z));
        let change = (next - approx.s).norm() / next.norm();
        (approx.s, approx.right, approx.multipliers) = (next, z.into(), l.into());
        // A change of s below this fraction is the last: the next one would be its square, times what a step gains.
        if change <= tuning::SQRT_EPS && step > 0 {
            return Ok(Some(approx));
        }
    }
    Ok(None)
}

/// ((s + sigma) M' + C') z.
fn moved(problem: &Problem<'_>, s: c64, sigma: c64, z: &[c64], transposed: bool) -> DenseC {
    let z = DenseC::from_fn(z.len(), 1, |i, _| z[i]);
    let apply = |a: &Matrix<'_>| {
        if transposed && !a.symmetric { a.mul_transpose(&z) } else { a.mul(&z) }
    };
    let (m, c) = (apply(&problem.m), apply(&problem.c));
    DenseC::from_fn(z.nrows(), 1, |i, _| (s + sigma) * m[(i, 0)] + c[(i, 0)])
}

/// A vector at length one, its multipliers on the same scale.
fn unit(z: &DenseC, l: &DenseC) -> (Vec<c64>, Vec<c64>) {
    let (z, l) = (z.col_as_slice(0), if l.nrows() > 0 { l.col_as_slice(0) } else { &[] });
    let by = norm(z).recip();
    (z.iter().map(|z| z * by).collect(), l.iter().map(|l| l * by).collect())
}

/// The eigenvalue of v^T (s^2 M' + s C' + K') z next to s.
fn quotient(problem: &Problem<'_>, s: c64, z: &[c64], v: &[c64]) -> c64 {
    let column = DenseC::from_fn(z.len(), 1, |i, _| z[i]);
    let form = |a: &Matrix<'_>| -> c64 {
        let az = a.mul(&column);
        v.iter().enumerate().map(|(i, v)| v * az[(i, 0)]).sum()
    };
    let (m, c, k) = (form(&problem.m), form(&problem.c), form(&problem.k));
    let mut root = s;
    for _ in 0..4 {
        let step = ((root * m + c) * root + k) / (root * m * 2.0 + c);
        if !step.is_finite() {
            return s;
        }
        root -= step;
    }
    if s.im == 0.0 { c64::new(root.re, 0.0) } else { root }
}
