//! Backward error of a solution and its refinement.
//!
//! w = max over rows i of |b - A x|_i / (|A| |x| + |b|)_i: the smallest relative change of the entries of A and
//! b that makes x exact (Oettli and Prager, 1964). Taken row by row, so that large rows cannot hide a wrong
//! solution in small ones. Rows whose denominator is mere rounding get (|A| |x|)_i + |A_i| |x| instead
//! (Arioli, Demmel and Duff, 1989, equations 2.6 and 3.3; infinity norms).
//! One step of refinement in working precision makes w of the order of rounding unless the factors are poor
//! (Skeel, 1980).

use super::entry::Entry;
use crate::AlgebraError;

/// b - A x.
pub(crate) fn residual<T: Entry>(a: &sprs::CsMat<T>, x: &[T], b: &[T]) -> Vec<T> {
    let mut r = b.to_vec();
    for (&value, (row, col)) in a {
        r[row] -= value * x[col];
    }
    r
}

/// Backward error w of x, given its residual r = b - A x.
pub(crate) fn backward_error<T: Entry>(a: &sprs::CsMat<T>, x: &[T], b: &[T], r: &[T]) -> f64 {
    let n = b.len();
    let largest = x.iter().map(|x| x.magnitude()).fold(0.0, f64::max);
    let (mut products, mut row_sums) = (vec![0.0; n], vec![0.0; n]);
    for (&value, (row, col)) in a {
        let size = value.magnitude();
        products[row] += size * x[col].magnitude();
        row_sums[row] += size;
    }
    let mut worst = 0.0;
    for i in 0..n {
        let (r, b) = (r[i].magnitude(), b[i].magnitude());
        let full = row_sums[i] * largest;
        let usual = products[i] + b;
        let rounding = 1e3 * n as f64 * f64::EPSILON * (full + b);
        let scale = if usual > rounding { usual } else { products[i] + full };
        let error = if r == 0.0 { 0.0 } else { r / scale };
        if error > worst || error.is_nan() {
            worst = error;
        }
        if worst.is_nan() {
            break;
        }
    }
    worst
}

/// Steps after the first one, taken while the error is above the tolerance and still halves.
const MORE_STEPS: usize = 3;

/// Solves A x = b with at least one step of refinement, and checks the backward error of x.
pub(crate) fn solve_refined<T: Entry>(
    a: &sprs::CsMat<T>,
    b: &[T],
    tolerance: f64,
    solve: impl Fn(&[T]) -> Vec<T>,
) -> Result<Vec<T>, AlgebraError> {
    let improved = |x: &[T], r: &[T]| {
        let mut better = x.to_vec();
        for (x, d) in better.iter_mut().zip(solve(r)) {
            *x += d;
        }
        let r = residual(a, &better, b);
        let error = backward_error(a, &better, b, &r);
        (better, r, error)
    };
    let x = solve(b);
    let r = residual(a, &x, b);
    let (mut x, mut r, mut error) = improved(&x, &r);
    for _ in 0..MORE_STEPS {
        if error <= tolerance {
            break;
        }
        let next = improved(&x, &r);
        let halved = next.2 < 0.5 * error;
        if next.2 < error {
            (x, r, error) = next;
        }
        if !halved {
            break;
        }
    }
    if error <= tolerance {
        Ok(x)
    } else {
        Err(AlgebraError::ResidualTooLarge { residual: error, tolerance })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dense, sparse, to_sparse};

    #[test]
    fn the_error_is_seen_row_by_row() {
        let a = sparse::diagonal(&[1e12, 1.0]);
        let (x, b) = ([1.0, 1.0], [1e12, 2.0]);
        let r = residual(&a, &x, &b);
        assert_eq!(r, [0.0, 1.0]);
        assert!((backward_error(&a, &x, &b, &r) - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn rounding_in_a_row_of_zeros_is_no_error() {
        let a = sparse::identity(2);
        let (x, b) = ([1.0, 1e-18], [1.0, 0.0]);
        let error = backward_error(&a, &x, &b, &residual(&a, &x, &b));
        assert!(error < 1e-15, "{error:e}");
    }

    #[test]
    fn refinement_mends_a_poor_solver_and_refuses_a_bad_one() {
        let a = to_sparse(&dense::from_rows(&[&[3.0, 1.0], &[1.0, 2.0]]));
        let b = [5.0, 5.0];
        let solver = |error: f64| {
            move |b: &[f64]| {
                let exact = [(2.0 * b[0] - b[1]) / 5.0, (3.0 * b[1] - b[0]) / 5.0];
                vec![exact[0] * (1.0 + error), exact[1] * (1.0 - error)]
            }
        };
        let x = solve_refined(&a, &b, 1e-12, solver(1e-3)).unwrap();
        assert!((x[0] - 1.0).abs() < 1e-11 && (x[1] - 2.0).abs() < 1e-11);
        let refused = solve_refined(&a, &b, 1e-12, solver(0.9)).unwrap_err();
        assert!(matches!(refused, AlgebraError::ResidualTooLarge { residual, .. } if residual > 1e-3));
        let nan = solve_refined(&a, &b, 1e-12, |b| vec![f64::NAN; b.len()]);
        assert!(matches!(nan, Err(AlgebraError::ResidualTooLarge { residual, .. }) if residual.is_nan()));
    }
}
