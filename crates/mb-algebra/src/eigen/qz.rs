//! beta A x = alpha B x and beta y^H A = alpha y^H B of dense real matrices, B possibly singular.
//!
//! A = Q S Z^T, B = Q T Z^T with S quasi-triangular and T triangular (Moler and Stewart, 1973; Golub and Van
//! Loan, Matrix Computations, section 7.7). An eigenvalue is the pair (alpha, beta), never divided here:
//! beta = 0 is infinite, both zero to rounding means that the pencil is singular and the quotient is undetermined.
//!
//! The cross-check for small problems: costs about 66 n^3 operations, and constraint equations of index three
//! make infinite eigenvalues that rounding spreads to magnitudes near eps^(-1/3) and eps^(-1/2). Remove the
//! constraints first where that matters.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::ComputeEigenvectors;
use faer::linalg::gevd::gen_hessenberg::generalized_hessenberg;
use faer::linalg::gevd::qz_real::hessenberg_to_qz;
use faer::linalg::gevd::{GevdParams, gevd_scratch};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
    apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, recommended_block_size};
use faer::{Auto, ColMut, Conj, Par, Spec};

use super::quasi_triangular::null_vector;
use crate::factor::{check_finite, check_square};
use crate::{AlgebraError, Dense, DenseC, c64, dense, interrupt, norms};

const NAME: &str = "The QZ iteration";

/// Backward error of an eigenpair above which the iteration counts as stopped early.
const ALLOWED: f64 = 1e-10;

/// Generalized eigenvalues as pairs, with right and, on demand, left eigenvectors.
///
/// Conjugate pairs are adjacent, the one with positive imaginary part first; otherwise the order is arbitrary.
#[derive(Clone, Debug)]
pub struct Qz {
    /// Numerators, n of them.
    pub alpha: Vec<c64>,
    /// Denominators, n of them, never negative.
    pub beta: Vec<f64>,
    /// Right eigenvectors as columns, beta A x = alpha B x, n x n, of 2-norm one.
    pub right: DenseC,
    /// Left eigenvectors as columns, beta y^H A = alpha y^H B, n x n, of 2-norm one.
    pub left: Option<DenseC>,
}

impl Qz {
    /// Eigenvalues and vectors of the pencil (A, B), both n x n.
    ///
    /// Errors: shapes, not finite, [`AlgebraError::NoConvergence`].
    pub fn new(a: &Dense, b: &Dense, left: bool) -> Result<Self, AlgebraError> {
        let n = check_square("A generalized eigenvalue problem", a.nrows(), a.ncols())?;
        if b.shape() != (n, n) {
            return Err(AlgebraError::ShapeMismatch {
                operation: "A generalized eigenvalue problem",
                expected_rows: n,
                expected_cols: n,
                rows: b.nrows(),
                cols: b.ncols(),
            });
        }
        check_finite(a)?;
        check_finite(b)?;
        let schur = Schur::new(a, b)?;
        let right = schur.vectors(Side::Right);
        let left = left.then(|| schur.vectors(Side::Left));
        let Schur { alpha, beta, .. } = schur;
        check(a, b, &alpha, &beta, &right)?;
        if let Some(left) = &left {
            let conjugate: Vec<c64> = alpha.iter().map(c64::conj).collect();
            check(&dense::transpose(a), &dense::transpose(b), &conjugate, &beta, left)?;
        }
        Ok(Self { alpha, beta, right, left })
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Right,
    Left,
}

/// Generalized real Schur form.
struct Schur {
    s: Dense,
    t: Dense,
    q: Dense,
    z: Dense,
    alpha: Vec<c64>,
    beta: Vec<f64>,
}

impl Schur {
    fn new(a: &Dense, b: &Dense) -> Result<Self, AlgebraError> {
        let n = a.nrows();
        let (s, t) = (a.clone(), b.clone());
        let Self { s, t, q, z, mut alpha, mut beta } =
            interrupt::aside(66.0 * interrupt::cube(n), move || Self::iterated(s, t));
        let finite = alpha.iter().all(|z| z.is_finite()) && beta.iter().all(|b| b.is_finite());
        if !finite || [&s, &t, &q, &z].into_iter().any(|m| dense::first_non_finite(m).is_some()) {
            return Err(AlgebraError::NonFiniteResult { algorithm: NAME, size: n });
        }
        normalize(&mut alpha, &mut beta)?;
        Ok(Self { s, t, q, z, alpha, beta })
    }

    /// The form of the pencil of S and T by the iteration.
    fn iterated(mut s: Dense, mut t: Dense) -> Self {
        let n = s.nrows();
        let (mut q, mut z) = (dense::identity(n), dense::identity(n));
        let (mut re, mut im, mut beta) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        if n > 0 {
            let mut params: Spec<GevdParams, f64> = <GevdParams as Auto<f64>>::auto().into();
            // Single sweeps only: the library's blocked iteration can repeat a deflation attempt that cannot
            // succeed, 40 s instead of 0.08 s for a constrained chain of 150 equations, and gains little.
            params.schur.blocking_threshold = n + 1;
            let yes = ComputeEigenvectors::Yes;
            let mut buffer = MemBuffer::new(gevd_scratch::<f64>(n, yes, yes, Par::Seq, params));
            let stack = MemStack::new(&mut buffer);
            triangularize(&mut s, &mut t, &mut q, stack);
            let (left, right) = (Some(q.as_mut()), Some(z.as_mut()));
            generalized_hessenberg(s.as_mut(), t.as_mut(), left, right, Par::Seq, stack, params.hessenberg);
            hessenberg_to_qz(
                s.as_mut(),
                t.as_mut(),
                Some(q.as_mut()),
                Some(z.as_mut()),
                ColMut::from_slice_mut(&mut re),
                ColMut::from_slice_mut(&mut im),
                ColMut::from_slice_mut(&mut beta),
                yes,
                Par::Seq,
                params.schur,
                stack,
            );
        }
        let alpha = re.into_iter().zip(im).map(|(re, im)| c64::new(re, im)).collect();
        Self { s, t, q, z, alpha, beta }
    }

    fn vectors(&self, side: Side) -> DenseC {
        let n = self.alpha.len();
        let last = n.wrapping_sub(1);
        let (norm_s, norm_t) = (norms::frobenius(&self.s), norms::frobenius(&self.t));
        let mut reduced = DenseC::zeros(n, n);
        // Positions of 2 x 2 blocks, in the order of the substitution.
        let mut pair_starts: Vec<bool> = self.alpha.iter().map(|z| z.im > 0.0).collect();
        if side == Side::Left {
            // The transpose, read backwards, is upper triangular: position k there is n - 1 - k here.
            pair_starts = (0..n).map(|k| self.alpha[last - k].im < 0.0).collect();
        }
        let mut j = 0;
        while j < n {
            // Only the ratio matters: bring beta S - alpha T to norm one or below.
            let size = (self.beta[j] * norm_s).max(self.alpha[j].norm() * norm_t);
            let scale = if size > 0.0 { size.recip() } else { 0.0 };
            let (alpha, beta) = (self.alpha[j] * scale, self.beta[j] * scale);
            let pair = self.alpha[j].im > 0.0;
            let entry = |row: usize, col: usize| beta * self.s[(row, col)] - alpha * self.t[(row, col)];
            let x = match side {
                Side::Right => null_vector(j, &pair_starts, f64::EPSILON, entry),
                Side::Left => {
                    let start = if pair { last - (j + 1) } else { last - j };
                    let mirrored = |row: usize, col: usize| entry(last - col, last - row).conj();
                    let mut y = null_vector(start, &pair_starts, f64::EPSILON, mirrored);
                    y.reverse();
                    y
                }
            };
            reduced.col_as_slice_mut(j).copy_from_slice(&x);
            j += if pair { 2 } else { 1 };
        }
        let basis = if side == Side::Right { &self.z } else { &self.q };
        self.to_original(basis, &reduced)
    }

    /// Multiplies by Z or Q, scales to 2-norm one and fills in the conjugates.
    fn to_original(&self, basis: &Dense, reduced: &DenseC) -> DenseC {
        let n = self.alpha.len();
        let re = dense::mul(basis, &Dense::from_fn(n, n, |i, j| reduced[(i, j)].re));
        let im = dense::mul(basis, &Dense::from_fn(n, n, |i, j| reduced[(i, j)].im));
        let mut out = DenseC::zeros(n, n);
        for j in 0..n {
            if self.alpha[j].im < 0.0 {
                continue;
            }
            let scale = norms::two(re.col_as_slice(j)).hypot(norms::two(im.col_as_slice(j))).recip();
            for i in 0..n {
                let z = c64::new(re[(i, j)], im[(i, j)]) * scale;
                out[(i, j)] = z;
                if self.alpha[j].im > 0.0 {
                    out[(i, j + 1)] = z.conj();
                }
            }
        }
        out
    }
}

/// B = Q0 R: puts R into `t`, Q0^T A into `s` and Q0 into `q`.
fn triangularize(s: &mut Dense, t: &mut Dense, q: &mut Dense, stack: &mut MemStack) {
    let n = t.nrows();
    let mut tau = Dense::zeros(recommended_block_size::<f64>(n, n), n);
    qr_in_place(t.as_mut(), tau.as_mut(), Par::Seq, stack, faer::prelude::default());
    let (basis, tau) = (t.as_ref(), tau.as_ref());
    apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj(
        basis,
        tau,
        Conj::Yes,
        s.as_mut(),
        Par::Seq,
        stack,
    );
    apply_block_householder_sequence_on_the_left_in_place_with_conj(
        basis,
        tau,
        Conj::No,
        q.as_mut(),
        Par::Seq,
        stack,
    );
    for j in 0..n {
        t.col_as_slice_mut(j)[j + 1..].fill(0.0);
    }
}

/// Makes beta non-negative and conjugate pairs exact, or says that values are not paired.
fn normalize(alpha: &mut [c64], beta: &mut [f64]) -> Result<(), AlgebraError> {
    let n = alpha.len();
    for (alpha, beta) in alpha.iter_mut().zip(beta.iter_mut()) {
        if *beta < 0.0 {
            (*alpha, *beta) = (-*alpha, -*beta);
        }
        // A negative zero would make beta = 0 look negative.
        *beta += 0.0;
    }
    let mut j = 0;
    while j < n {
        if alpha[j].im == 0.0 {
            j += 1;
            continue;
        }
        if j + 1 == n || alpha[j].im.signum() == alpha[j + 1].im.signum() || alpha[j + 1].im == 0.0 {
            return Err(AlgebraError::NoConvergence { algorithm: NAME, size: n });
        }
        alpha[j].im = alpha[j].im.abs();
        alpha[j + 1] = alpha[j].conj();
        beta[j + 1] = beta[j];
        j += 2;
    }
    Ok(())
}

/// Checks |beta A x - alpha B x| against (|beta| |A| + |alpha| |B|) |x|.
fn check(a: &Dense, b: &Dense, alpha: &[c64], beta: &[f64], x: &DenseC) -> Result<(), AlgebraError> {
    let n = a.nrows();
    let (norm_a, norm_b) = (norms::frobenius(a), norms::frobenius(b));
    for j in 0..n {
        let x = x.col_as_slice(j);
        let (ax, bx) = (dense::matvec_complex(a, x), dense::matvec_complex(b, x));
        let residual: Vec<c64> = ax.iter().zip(bx).map(|(ax, bx)| ax * beta[j] - bx * alpha[j]).collect();
        let scale = beta[j] * norm_a + alpha[j].norm() * norm_b;
        let good = norms::two_complex(&residual) <= ALLOWED * n as f64 * scale;
        if !good {
            return Err(AlgebraError::NoConvergence { algorithm: NAME, size: n });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worst backward error of both kinds of vectors.
    fn backward_error(a: &Dense, b: &Dense, qz: &Qz) -> f64 {
        let (at, bt) = (dense::transpose(a), dense::transpose(b));
        let (norm_a, norm_b) = (norms::frobenius(a), norms::frobenius(b));
        let left = qz.left.as_ref().unwrap();
        let mut worst = 0.0_f64;
        for j in 0..a.nrows() {
            for (a, b, alpha, x) in [(a, b, qz.alpha[j], &qz.right), (&at, &bt, qz.alpha[j].conj(), left)] {
                let x = x.col_as_slice(j);
                assert!((norms::two_complex(x) - 1.0).abs() < 1e-14);
                let (ax, bx) = (dense::matvec_complex(a, x), dense::matvec_complex(b, x));
                let r: Vec<c64> = ax.iter().zip(bx).map(|(ax, bx)| ax * qz.beta[j] - bx * alpha).collect();
                let scale = qz.beta[j] * norm_a + alpha.norm() * norm_b;
                worst = worst.max(norms::two_complex(&r) / scale.max(f64::MIN_POSITIVE));
            }
        }
        worst
    }

    fn scrambled(n: usize, seed: usize) -> Dense {
        Dense::from_fn(n, n, |i, j| (((i * 37 + j * 23 + i * j * seed) % 29) as f64 - 14.0) / 7.0)
    }

    #[test]
    fn both_kinds_of_vectors_satisfy_their_equation() {
        for n in [1, 2, 3, 5, 12, 40, 90] {
            let (a, b) = (scrambled(n, 5), scrambled(n, 3));
            let qz = Qz::new(&a, &b, true).unwrap();
            let error = backward_error(&a, &b, &qz);
            assert!(error < 1e-14 * (n as f64), "n = {n}: {error:e}");
        }
    }

    #[test]
    fn with_the_identity_it_agrees_with_the_standard_problem() {
        let a = scrambled(8, 1);
        let qz = Qz::new(&a, &dense::identity(8), false).unwrap();
        let eigen = crate::GeneralEigen::new(&a, false).unwrap();
        for (alpha, beta) in qz.alpha.iter().zip(&qz.beta) {
            let s = alpha / beta;
            let nearest = eigen.values.iter().map(|v| (v - s).norm()).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-12, "{s}: {nearest:e}");
        }
    }

    #[test]
    fn a_pendulum_with_its_constraint_has_two_finite_eigenvalues() {
        // Mass 1, length 1, gravity g, about the lowest point: x free, y held; the reaction gives x its stiffness.
        let g = 9.81;
        let mut a = dense::zeros(5, 5);
        let e = dense::diagonal(&[1.0, 1.0, 1.0, 1.0, 0.0]);
        for (row, col, value) in
            [(0, 2, 1.0), (1, 3, 1.0), (2, 0, -g), (3, 1, -g), (3, 4, -1.0), (4, 1, -1.0)]
        {
            a[(row, col)] = value;
        }
        let qz = Qz::new(&a, &e, true).unwrap();
        assert!(backward_error(&a, &e, &qz) < 1e-14);
        let finite: Vec<c64> = qz
            .alpha
            .iter()
            .zip(&qz.beta)
            .filter(|(alpha, beta)| **beta > 1e-8 * alpha.norm())
            .map(|(alpha, beta)| alpha / beta)
            .collect();
        assert_eq!(finite.len(), 2);
        assert!(finite.iter().all(|s| s.re.abs() < 1e-13 && (s.im.abs() - g.sqrt()).abs() < 1e-13));
    }

    #[test]
    fn repeated_infinite_and_zero_eigenvalues_have_finite_vectors() {
        // Jordan Jordan chains of the infinite eigenvalue and at zero, and semisimple repeats.
        let jordan = Dense::from_fn(4, 4, |i, j| if j == i + 1 { 1.0 } else { 0.0 });
        for (a, b) in [
            (dense::identity(4), jordan.clone()),
            (jordan.clone(), dense::identity(4)),
            (dense::identity(4), dense::zeros(4, 4)),
            (dense::zeros(4, 4), dense::identity(4)),
            (dense::identity(4), dense::diagonal(&[1.0, 1.0, 0.0, 0.0])),
        ] {
            let qz = Qz::new(&a, &b, true).unwrap();
            assert!(backward_error(&a, &b, &qz) < 1e-15);
        }
    }

    #[test]
    fn a_singular_pencil_gives_a_pair_of_zeros() {
        let (a, b) = (dense::diagonal(&[2.0, 0.0]), dense::diagonal(&[1.0, 0.0]));
        let qz = Qz::new(&a, &b, true).unwrap();
        let indeterminate = |j: &usize| qz.alpha[*j].norm() < 1e-15 && qz.beta[*j] < 1e-15;
        assert_eq!((0..2).filter(indeterminate).count(), 1);
    }

    #[test]
    fn refusals() {
        assert!(Qz::new(&dense::zeros(0, 0), &dense::zeros(0, 0), true).unwrap().alpha.is_empty());
        let wrong = Qz::new(&dense::identity(2), &dense::identity(3), true);
        assert!(matches!(wrong, Err(AlgebraError::ShapeMismatch { expected_rows: 2, rows: 3, .. })));
        let bad = Qz::new(&dense::identity(1), &dense::diagonal(&[f64::NAN]), true);
        assert_eq!(bad.unwrap_err(), AlgebraError::NonFinite { row: 0, col: 0 });
    }
}
