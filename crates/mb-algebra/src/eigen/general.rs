//! A x = s x and y^H A = s y^H of a dense real matrix.
//!
//! Balancing ([`super::balance`]), real Schur form ([`super::schur`]), back substitution on it (Golub and Van Loan, Matrix
//! Computations, sections 7.4 to 7.6). Costs about 25 n^3 operations with vectors.
//! The results are checked against A.

use super::balance::balance;
use super::schur::RealSchur;
use crate::factor::{check_finite, check_square};
use crate::{AlgebraError, Dense, DenseC, c64, dense, norms};

const NAME: &str = "The QR iteration";

/// Eigenvalues with right and, on demand, left eigenvectors of a real matrix.
///
/// Conjugate pairs are adjacent, the one with positive imaginary part first; otherwise the order is arbitrary.
#[derive(Clone, Debug)]
pub struct GeneralEigen {
    /// Eigenvalues s, n of them.
    pub values: Vec<c64>,
    /// Right eigenvectors as columns, n x n, of 2-norm one.
    pub right: DenseC,
    /// Left eigenvectors as columns, y^H A = s y^H, n x n, of 2-norm one.
    pub left: Option<DenseC>,
}

impl GeneralEigen {
    /// Eigenvalues and vectors of an n x n matrix.
    ///
    /// Errors: not square, not finite, [`AlgebraError::NoConvergence`].
    pub fn new(a: &Dense, left: bool) -> Result<Self, AlgebraError> {
        let n = check_square("An eigenvalue problem", a.nrows(), a.ncols())?;
        check_finite(a)?;
        let (balanced, scale) = balance(a);
        let schur = RealSchur::new(&balanced, true).ok_or(stopped(n))?;
        let (values, mut right) = (finite(schur.values())?, schur.right());
        let mut left = left.then(|| schur.left());
        check_pairs(&balanced, &values, &right)?;
        scale_rows(&mut right, &scale);
        if let Some(left) = &mut left {
            let conjugate: Vec<c64> = values.iter().map(c64::conj).collect();
            check_pairs(&dense::transpose(&balanced), &conjugate, left)?;
            scale_rows(left, &scale.iter().map(|d| d.recip()).collect::<Vec<_>>());
        }
        let right = complex_columns(&values, &right);
        let left = left.map(|left| complex_columns(&values, &left));
        Ok(Self { values, right, left })
    }

    /// Eigenvalues only, in about half the time.
    ///
    /// Errors as [`GeneralEigen::new`].
    pub fn values(a: &Dense) -> Result<Vec<c64>, AlgebraError> {
        let n = check_square("An eigenvalue problem", a.nrows(), a.ncols())?;
        check_finite(a)?;
        let (balanced, _) = balance(a);
        let values = finite(RealSchur::new(&balanced, false).ok_or(stopped(n))?.values())?;
        let trace: f64 = (0..n).map(|i| a[(i, i)]).sum();
        let sum: c64 = values.iter().sum();
        if (sum - trace).norm() > ALLOWED * n as f64 * norms::frobenius(&balanced) {
            return Err(stopped(n));
        }
        Ok(values)
    }
}

fn stopped(size: usize) -> AlgebraError {
    AlgebraError::NoConvergence { algorithm: NAME, size }
}

/// Eigenvalues of a matrix at the edge of the range of doubles may lie beyond it.
fn finite(values: Vec<c64>) -> Result<Vec<c64>, AlgebraError> {
    if values.iter().all(|s| s.is_finite()) {
        Ok(values)
    } else {
        Err(AlgebraError::NonFiniteResult { algorithm: NAME, size: values.len() })
    }
}

fn scale_rows(a: &mut Dense, scale: &[f64]) {
    for j in 0..a.ncols() {
        a.col_as_slice_mut(j).iter_mut().zip(scale).for_each(|(v, s)| *v *= s);
    }
}

/// Backward error of an eigenpair, relative to the norm of A, above which the iteration counts as stopped early.
const ALLOWED: f64 = 1e-10;

/// Checks A x = s x for vectors packed as real columns: a pair holds real and imaginary part side by side.
fn check_pairs(a: &Dense, values: &[c64], packed: &Dense) -> Result<(), AlgebraError> {
    let n = a.nrows();
    let product = dense::mul(a, packed);
    let scale = norms::frobenius(a);
    let mut j = 0;
    while j < n {
        let s = values[j];
        let width = if s.im == 0.0 { 1 } else { 2 };
        let (mut size, mut error) = (0.0_f64, 0.0_f64);
        for i in 0..n {
            let part = |m: &Dense| c64::new(m[(i, j)], if width == 2 { m[(i, j + 1)] } else { 0.0 });
            size += part(packed).norm_sqr();
            error += (part(&product) - s * part(packed)).norm_sqr();
        }
        let converged = error.sqrt() <= ALLOWED * n as f64 * scale * size.sqrt();
        if !(size > 0.0 && size.is_finite() && converged) {
            return Err(stopped(n));
        }
        j += width;
    }
    Ok(())
}

/// Unpacks real and imaginary columns into complex ones of 2-norm one.
fn complex_columns(values: &[c64], packed: &Dense) -> DenseC {
    let n = values.len();
    let mut out = DenseC::zeros(n, n);
    let mut j = 0;
    while j < n {
        let pair = values[j].im != 0.0;
        let re = packed.col_as_slice(j);
        if pair {
            let im = packed.col_as_slice(j + 1);
            let scale = norms::two(re).hypot(norms::two(im)).recip();
            for i in 0..n {
                let z = c64::new(re[i], im[i]) * scale;
                out[(i, j)] = z;
                out[(i, j + 1)] = z.conj();
            }
            j += 2;
        } else {
            let scale = norms::two(re).recip();
            for i in 0..n {
                out[(i, j)] = c64::new(re[i] * scale, 0.0);
            }
            j += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn residuals(a: &Dense, eigen: &GeneralEigen) -> f64 {
        let a = dense::to_complex(a);
        let n = a.nrows();
        let s = DenseC::from_fn(n, n, |i, j| if i == j { eigen.values[i] } else { c64::new(0.0, 0.0) });
        let worst = |lhs: &DenseC, rhs: &DenseC| {
            norms::max_abs(&DenseC::from_fn(n, n, |i, j| lhs[(i, j)] - rhs[(i, j)]))
        };
        let right = worst(&dense::mul_complex(&a, &eigen.right), &dense::mul_complex(&eigen.right, &s));
        let y = eigen.left.as_ref().unwrap().adjoint().to_owned();
        let y = DenseC::from_fn(n, n, |i, j| y[(i, j)]);
        right.max(worst(&dense::mul_complex(&y, &a), &dense::mul_complex(&s, &y)))
    }

    #[test]
    fn both_kinds_of_vectors_satisfy_their_equation() {
        for n in [1, 2, 3, 7, 20, 86] {
            let a = Dense::from_fn(n, n, |i, j| (((i * 31 + j * 17) % 23) as f64 - 11.0) / 3.0);
            let eigen = GeneralEigen::new(&a, true).unwrap();
            assert!(residuals(&a, &eigen) < 1e-12 * n as f64, "n = {n}: {:e}", residuals(&a, &eigen));
            let mut only = GeneralEigen::values(&a).unwrap();
            for value in &eigen.values {
                let at = (0..only.len())
                    .min_by(|&i, &j| (only[i] - value).norm().total_cmp(&(only[j] - value).norm()));
                let nearest = only.swap_remove(at.unwrap());
                assert!((nearest - value).norm() < 1e-10, "{nearest} {value}");
            }
        }
    }

    #[test]
    fn a_damped_oscillator_has_the_known_pair() {
        let (omega, zeta) = (3.0_f64, 0.1);
        let a = dense::from_rows(&[&[0.0, 1.0], &[-omega * omega, -2.0 * zeta * omega]]);
        let eigen = GeneralEigen::new(&a, false).unwrap();
        let exact = c64::new(-zeta * omega, omega * (1.0 - zeta * zeta).sqrt());
        assert!((eigen.values[0] - exact).norm() < 1e-14 && eigen.left.is_none());
        assert_eq!(eigen.values[1], eigen.values[0].conj());
    }

    #[test]
    fn stiff_and_soft_oscillators_keep_their_digits_in_one_matrix() {
        // Uncoupled by themselves, coupled by a turn of the coordinates that mixes nothing else.
        let (stiff, soft) = (1e8_f64, 1e-2_f64);
        let mut a = dense::zeros(4, 4);
        a[(0, 2)] = 1.0;
        a[(1, 3)] = 1.0;
        a[(2, 0)] = -stiff * stiff;
        a[(3, 1)] = -soft * soft;
        let eigen = GeneralEigen::new(&a, true).unwrap();
        for exact in [stiff, soft] {
            let nearest = eigen.values.iter().map(|s| (s - c64::new(0.0, exact)).norm() / exact);
            assert!(nearest.fold(f64::INFINITY, f64::min) < 1e-13);
        }
        for j in 0..4 {
            // Displacement and velocity stand in the ratio of the eigenvalue.
            let (x, s) = (eigen.right.col_as_slice(j), eigen.values[j]);
            assert!((x[2] - s * x[0]).norm() < 1e-13 && (x[3] - s * x[1]).norm() < 1e-13);
        }
    }

    #[test]
    fn a_defective_matrix_has_finite_vectors() {
        let a = dense::from_rows(&[&[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0], &[0.0, 0.0, 0.0]]);
        let eigen = GeneralEigen::new(&a, true).unwrap();
        assert!(eigen.values.iter().all(|s| s.norm() < 1e-15));
        assert!(residuals(&a, &eigen) < 1e-15);
    }

    #[test]
    fn refusals() {
        let mut a = dense::identity(2);
        a[(0, 1)] = f64::INFINITY;
        assert_eq!(GeneralEigen::new(&a, false).unwrap_err(), AlgebraError::NonFinite { row: 0, col: 1 });
        assert!(GeneralEigen::new(&dense::zeros(2, 3), false).is_err());
        assert!(GeneralEigen::new(&dense::zeros(0, 0), true).unwrap().values.is_empty());
        let zero = GeneralEigen::new(&dense::zeros(3, 3), true).unwrap();
        assert!(zero.values.iter().all(|s| s.norm() < f64::MIN_POSITIVE));
    }
}
