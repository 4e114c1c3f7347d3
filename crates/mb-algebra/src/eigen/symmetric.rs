//! K x = w x and K x = w M x with dense symmetric K and positive definite M.
//!
//! The pencil goes to the standard problem L^-1 K L^-T y = w y, M = L L^T, x = L^-T y (Golub and Van Loan,
//! Matrix Computations, section 8.7.2). Errors of w are of order eps |K| |M^-1|: eigenvalues far below that
//! lose digits when M is ill conditioned.
//!
//! The tridiagonal problem goes to the QR iteration at every size. The library's divide and conquer, its choice from
//! 128 unknowns on, is a fifth faster but leaves residuals of up to 1e-3 of the norm on graded matrices (stiff finite
//! elements), where the QR iteration leaves 1e-14.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{
    ComputeEigenvectors, SelfAdjointEvdParams, self_adjoint_evd, self_adjoint_evd_scratch,
};
use faer::{Auto, Par, Spec};

use crate::factor::{check_finite, check_square, check_symmetric};
use crate::{AlgebraError, Cholesky, Dense, dense, interrupt};

/// Eigenvalues and orthonormal eigenvectors of a symmetric matrix.
#[derive(Clone, Debug)]
pub struct SymmetricEigen {
    /// Eigenvalues in increasing order, n of them.
    pub values: Vec<f64>,
    /// Eigenvectors as columns, n x n, orthonormal.
    pub vectors: Dense,
}

impl SymmetricEigen {
    /// Solves K x = w x for an n x n matrix; an asymmetry up to 1e-8 of the largest entry is averaged away.
    ///
    /// Errors: not square, not finite, not symmetric, no convergence.
    pub fn new(k: &Dense) -> Result<Self, AlgebraError> {
        let n = check_square("A symmetric eigenvalue problem", k.nrows(), k.ncols())?;
        check_finite(k)?;
        check_symmetric(k)?;
        let k = dense::symmetric_part(k);
        let (values, vectors) = interrupt::aside(9.0 * interrupt::cube(n), move || iterate(&k))
            .ok_or(AlgebraError::NoConvergence { algorithm: "The symmetric QR iteration", size: n })?;
        if values.iter().any(|v| !v.is_finite()) || dense::first_non_finite(&vectors).is_some() {
            return Err(AlgebraError::NonFiniteResult { algorithm: "The symmetric QR iteration", size: n });
        }
        Ok(Self { values, vectors })
    }
}

/// Eigenvalues and eigenvectors; none if the iteration does not converge.
fn iterate(k: &Dense) -> Option<(Vec<f64>, Dense)> {
    let n = k.nrows();
    let (mut values, mut vectors) = (vec![0.0; n], Dense::zeros(n, n));
    if n > 0 {
        let mut params = <SelfAdjointEvdParams as Auto<f64>>::auto();
        params.recursion_threshold = usize::MAX;
        let params: Spec<SelfAdjointEvdParams, f64> = params.into();
        let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, params);
        let mut buffer = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut buffer);
        let diagonal = DiagMut::from_slice_mut(&mut values);
        self_adjoint_evd(k.as_ref(), diagonal, Some(vectors.as_mut()), Par::Seq, stack, params).ok()?;
    }
    Some((values, vectors))
}

/// Eigenvalues and M-orthonormal eigenvectors of K x = w M x.
#[derive(Clone, Debug)]
pub struct SymmetricDefiniteEigen {
    /// Eigenvalues w in increasing order, n of them.
    pub values: Vec<f64>,
    /// Eigenvectors as columns, n x n, with X^T M X = I.
    pub vectors: Dense,
}

impl SymmetricDefiniteEigen {
    /// Solves K x = w M x; K symmetric, M symmetric positive definite, both n x n.
    ///
    /// Errors: shapes, not finite, not symmetric, [`AlgebraError::NotPositiveDefinite`] for M, no convergence.
    pub fn new(k: &Dense, m: &Dense) -> Result<Self, AlgebraError> {
        let n = check_square("A symmetric eigenvalue problem", k.nrows(), k.ncols())?;
        if m.shape() != (n, n) {
            return Err(AlgebraError::ShapeMismatch {
                operation: "A symmetric definite pencil",
                expected_rows: n,
                expected_cols: n,
                rows: m.nrows(),
                cols: m.ncols(),
            });
        }
        check_finite(k)?;
        check_symmetric(k)?;
        let chol = Cholesky::new(m)?;
        let half = chol.solve_lower(&dense::symmetric_part(k));
        let reduced = dense::symmetric_part(&chol.solve_lower(&dense::transpose(&half)));
        let SymmetricEigen { values, vectors } = SymmetricEigen::new(&reduced)?;
        Ok(Self { values, vectors: chol.solve_lower_transpose(&vectors) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::norms;

    #[test]
    fn a_fixed_chain_has_the_known_eigenvalues() {
        let n = 12;
        let k = Dense::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        });
        let eigen = SymmetricEigen::new(&k).unwrap();
        for (j, value) in eigen.values.iter().enumerate() {
            let angle = std::f64::consts::PI * (j + 1) as f64 / (2 * (n + 1)) as f64;
            assert!((value - 4.0 * angle.sin().powi(2)).abs() < 1e-14);
        }
        let residual = dense::add(
            1.0,
            &dense::mul(&k, &eigen.vectors),
            -1.0,
            &dense::mul(&eigen.vectors, &dense::diagonal(&eigen.values)),
        );
        assert!(norms::max_abs(&residual) < 1e-14);
    }

    #[test]
    fn graded_matrices_keep_small_residuals_at_any_size() {
        // L^-1 of a chain's mass between the squares of its stiffness: eigenvalues over ten decades.
        let n = 300;
        let k = Dense::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => 6.0,
            1 => -4.0,
            2 => 1.0,
            _ => 0.0,
        });
        let mass: Vec<f64> =
            (0..n).map(|i| if i % 2 == 0 { 1.0 } else { 1e-4 * (1 + i % 7) as f64 }).collect();
        let a = Dense::from_fn(n, n, |i, j| k[(i, j)] / (mass[i] * mass[j]).sqrt());
        let eigen = SymmetricEigen::new(&a).unwrap();
        let x = &eigen.vectors;
        let scaled = dense::mul(x, &dense::diagonal(&eigen.values));
        let residual = norms::frobenius(&dense::add(1.0, &dense::mul(&a, x), -1.0, &scaled));
        assert!(residual < 1e-13 * norms::frobenius(&a), "{residual:e}");
        let gram = dense::add(1.0, &dense::mul_transpose(x, x), -1.0, &dense::identity(n));
        assert!(norms::frobenius(&gram) < 1e-12);
    }

    #[test]
    fn pencil_vectors_are_mass_orthonormal() {
        let k = dense::from_rows(&[&[3.0, -1.0, 0.0], &[-1.0, 2.0, -1.0], &[0.0, -1.0, 1.0]]);
        let m = dense::from_rows(&[&[2.0, 0.5, 0.0], &[0.5, 3.0, 0.0], &[0.0, 0.0, 0.25]]);
        let eigen = SymmetricDefiniteEigen::new(&k, &m).unwrap();
        let x = &eigen.vectors;
        let mass = dense::mul_transpose(x, &dense::mul(&m, x));
        let stiffness = dense::mul_transpose(x, &dense::mul(&k, x));
        assert!(norms::max_abs(&dense::add(1.0, &mass, -1.0, &dense::identity(3))) < 1e-14);
        assert!(norms::max_abs(&dense::add(1.0, &stiffness, -1.0, &dense::diagonal(&eigen.values))) < 1e-13);
    }

    #[test]
    fn sizes_zero_and_one_and_refusals() {
        assert_eq!(SymmetricEigen::new(&dense::zeros(0, 0)).unwrap().values, [0.0; 0]);
        let one = SymmetricDefiniteEigen::new(&dense::diagonal(&[8.0]), &dense::diagonal(&[4.0])).unwrap();
        assert!((one.values[0] - 2.0).abs() < 1e-15);
        let massless = SymmetricDefiniteEigen::new(&dense::identity(2), &dense::diagonal(&[1.0, 0.0]));
        assert_eq!(massless.unwrap_err(), AlgebraError::NotPositiveDefinite { index: 1, pivot: 0.0 });
        let upper = dense::from_rows(&[&[1.0, 1.0], &[0.0, 1.0]]);
        assert!(matches!(SymmetricEigen::new(&upper), Err(AlgebraError::NotSymmetric { .. })));
    }
}
