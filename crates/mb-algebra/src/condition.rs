//! Condition numbers: how many digits a solution can lose.

use crate::factor::Entry;
use crate::{AlgebraError, Dense, Svd};

/// Condition number in the 2-norm, largest over smallest singular value; infinite when singular.
///
/// Costs a singular value decomposition. Errors: entries that are not finite, no convergence.
pub fn two(a: &Dense) -> Result<f64, AlgebraError> {
    Ok(Svd::new(a)?.condition())
}

/// Estimate of 1 / (|A| |A^-1|) in the 1-norm, from a few solves; n is the size, `norm_one` is |A|.
///
/// Hager (1984) as improved by Higham (1988, algorithm 4.1; LAPACK's xLACON): the estimate of |A^-1| is a lower
/// bound, nearly always within a factor of three. Zero when the solves overflow.
pub fn reciprocal_one(
    n: usize,
    norm_one: f64,
    solve: impl Fn(&[f64]) -> Vec<f64>,
    solve_transpose: impl Fn(&[f64]) -> Vec<f64>,
) -> f64 {
    reciprocal(n, norm_one, solve, solve_transpose)
}

/// Steps of the estimator; it seldom takes more than two.
const MAX_STEPS: usize = 5;

pub(crate) fn reciprocal<T: Entry>(
    n: usize,
    norm_one: f64,
    solve: impl Fn(&[T]) -> Vec<T>,
    solve_transpose: impl Fn(&[T]) -> Vec<T>,
) -> f64 {
    if n == 0 {
        return 1.0;
    }
    let inverse = inverse_norm_one(n, solve, |b| {
        let conjugate = |x: &[T]| x.iter().map(|x| x.conjugate()).collect::<Vec<_>>();
        conjugate(&solve_transpose(&conjugate(b)))
    });
    let reciprocal = (norm_one * inverse).recip();
    if reciprocal.is_finite() { reciprocal } else { 0.0 }
}

/// |A^-1| in the 1-norm from below, by climbing the convex function |A^-1 x| over the unit ball.
fn inverse_norm_one<T: Entry>(
    n: usize,
    solve: impl Fn(&[T]) -> Vec<T>,
    solve_adjoint: impl Fn(&[T]) -> Vec<T>,
) -> f64 {
    let sum = |x: &[T]| x.iter().map(|x| x.magnitude()).sum::<f64>();
    let mut v = solve(&vec![T::from_real((n as f64).recip()); n]);
    let mut estimate = sum(&v);
    if n == 1 {
        return estimate;
    }
    let mut last = None;
    for _ in 0..MAX_STEPS {
        let gradient = solve_adjoint(&v.iter().map(|v| v.phase()).collect::<Vec<_>>());
        let steepest = (0..n).max_by(|&i, &j| gradient[i].magnitude().total_cmp(&gradient[j].magnitude()));
        if steepest.is_none() || steepest == last {
            break;
        }
        last = steepest;
        let mut corner = vec![T::default(); n];
        corner[steepest.unwrap_or(0)] = T::UNIT;
        v = solve(&corner);
        let next = sum(&v);
        if next.is_nan() || next <= estimate {
            break;
        }
        estimate = next;
    }
    // A vector of mixed signs catches the matrices that fool the climb.
    let alternating: Vec<T> = (0..n)
        .map(|i| {
            let size = 1.0 + i as f64 / (n - 1) as f64;
            T::from_real(if i % 2 == 0 { size } else { -size })
        })
        .collect();
    estimate.max(2.0 * sum(&solve(&alternating)) / (3.0 * n as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cholesky, DenseC, Lu, LuComplex, SparseLu, c64, dense, norms, to_sparse};

    #[test]
    fn the_estimate_is_close_to_the_true_condition() {
        let mut checked = 0;
        for seed in 0..20 {
            let n = 3 + seed;
            let a =
                Dense::from_fn(n, n, |i, j| (((i * 13 + j * 29 + seed * i * j) % 31) as f64 - 15.0) / 4.0);
            let Ok(lu) = Lu::new(&a) else { continue };
            let inverse = lu.solve_mat(&dense::identity(n));
            let exact = (norms::one(&a) * norms::one(&inverse)).recip();
            if exact < 1e-12 {
                continue;
            }
            checked += 1;
            for estimate in [lu.rcond(), SparseLu::new(&to_sparse(&a)).unwrap().rcond()] {
                assert!(
                    estimate >= exact * (1.0 - 1e-6) && estimate <= 10.0 * exact,
                    "{estimate:e} {exact:e}"
                );
            }
        }
        assert!(checked > 5);
    }

    #[test]
    fn diagonal_matrices_are_exact() {
        let a = dense::diagonal(&[1e-3, 1.0, 1e3]);
        assert!((Lu::new(&a).unwrap().rcond() * 1e6 - 1.0).abs() < 1e-12);
        assert!((Cholesky::new(&a).unwrap().rcond() * 1e6 - 1.0).abs() < 1e-12);
        assert!((two(&a).unwrap() / 1e6 - 1.0).abs() < 1e-12);
        let complex = DenseC::from_fn(3, 3, |i, j| a[(i, j)] * c64::new(0.0, 1.0));
        assert!((LuComplex::new(&complex).unwrap().rcond() * 1e6 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_nearly_singular_matrix_is_seen() {
        let a = Dense::from_fn(3, 3, |i, j| (3 * i + j) as f64 + 1.0);
        if let Ok(lu) = Lu::new(&a) {
            assert!(lu.rcond() < 1e-15);
        }
    }
}
