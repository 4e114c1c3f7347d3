//! LU factors for A that is not symmetric, with the scaling, checks and dependent rows of the other factors.

use std::sync::Arc;

use sprs::CsMat;

use super::factor::check;
use super::fallback::Fallback;
use super::methods::Factored;
use super::solutions::solutions;
use super::symmetric_storage::{Half, Stored};
use super::{FactorReport, Method, SaddleAnalysis};
use mb_algebra::{AlgebraError, Dense, DenseC, Sparse, SparseC, c64};

/// LU factors of [A, G^T; G, 0] with a real A of any kind.
#[derive(Debug)]
pub struct SaddleLu {
    inner: Factored<f64>,
}

/// LU factors of [A, G^T; G, 0] with a complex A of any kind and real G.
#[derive(Debug)]
pub struct SaddleLuComplex {
    inner: Factored<c64>,
}

impl SaddleLu {
    solutions!(f64, Dense);

    /// Factors A (n x n, pattern within the analysed one) with the constraints G (m x n). Errors as
    /// [`super::SaddleFactor::new`], but for symmetry.
    pub fn new(analysis: &Arc<SaddleAnalysis>, a: &Sparse, phi_q: &Sparse) -> Result<Self, AlgebraError> {
        Self::of_sum(analysis, &[(1.0, a)], phi_q)
    }

    /// As [`SaddleLu::new`] for A = sum of factor times matrix (each n x n).
    pub fn of_sum(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(f64, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Self, AlgebraError> {
        build(analysis, terms, phi_q, |f, x| f * x).map(|inner| Self { inner })
    }

    /// As [`super::SaddleFactor::ln_determinant`], for matrices of any kind.
    pub fn ln_determinant(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(f64, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Option<f64>, AlgebraError> {
        let (a, g) = stored(analysis, terms, phi_q, |f, x| f * x)?;
        Ok(super::inertia::ln_determinant(analysis, a, g))
    }

    /// X (n x p) and L (m x p) with A^T X + G^T L = F, G X = 0; F is n x p. Checked as [`super::SaddleFactor::solve`].
    pub fn solve_block_transposed(&self, f: &Dense) -> Result<(Dense, Dense), AlgebraError> {
        self.inner.solve_many(f, None, true)
    }
}

impl SaddleLuComplex {
    solutions!(c64, DenseC);

    /// As [`SaddleLu::new`].
    pub fn new(analysis: &Arc<SaddleAnalysis>, a: &SparseC, phi_q: &Sparse) -> Result<Self, AlgebraError> {
        build(analysis, &[(c64::new(1.0, 0.0), a)], phi_q, |f, x| f * x).map(|inner| Self { inner })
    }

    /// As [`SaddleLu::of_sum`] with complex factors of real matrices.
    pub fn of_sum(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(c64, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Self, AlgebraError> {
        build(analysis, terms, phi_q, |f, x| f * x).map(|inner| Self { inner })
    }

    /// As [`super::SaddleFactorComplex::ln_determinant`], for matrices of any kind.
    pub fn ln_determinant(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(c64, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Option<c64>, AlgebraError> {
        let (a, g) = stored(analysis, terms, phi_q, |f, x| f * x)?;
        Ok(super::inertia::complex_ln_determinant(analysis, a, g))
    }

    /// As [`SaddleLu::solve_block_transposed`]; the transpose is not conjugated.
    pub fn solve_block_transposed(&self, f: &DenseC) -> Result<(DenseC, DenseC), AlgebraError> {
        self.inner.solve_many(f, None, true)
    }
}

fn build<T: Fallback, U: Fallback>(
    analysis: &Arc<SaddleAnalysis>,
    terms: &[(T, &CsMat<U>)],
    phi_q: &Sparse,
    times: impl Fn(T, U) -> T,
) -> Result<Factored<T>, AlgebraError> {
    let (a, g) = stored(analysis, terms, phi_q, times)?;
    Factored::new(analysis, a, g, analysis.options().first_method.max(Method::AugmentedLu))
}

/// Checks the terms of A and G; A by both halves and G by columns.
pub(super) fn stored<T: Fallback, U: Fallback>(
    analysis: &Arc<SaddleAnalysis>,
    terms: &[(T, &CsMat<U>)],
    phi_q: &Sparse,
    times: impl Fn(T, U) -> T,
) -> Result<(Stored<T>, Sparse), AlgebraError> {
    let g = check(analysis, terms.iter().map(|(_, a)| *a), phi_q)?;
    Ok((halves(analysis, phi_q.cols(), terms, times), g))
}

/// The lower half of the sum by columns and the upper one by rows.
fn halves<T: Fallback, U: Fallback>(
    analysis: &SaddleAnalysis,
    n: usize,
    terms: &[(T, &CsMat<U>)],
    times: impl Fn(T, U) -> T,
) -> Stored<T> {
    let half = |by_columns: bool| {
        let turned: Vec<_> = terms
            .iter()
            .map(|(factor, a)| (*factor, (a.is_csc() != by_columns).then(|| a.to_other_storage()), *a))
            .collect();
        let terms: Vec<(T, &CsMat<U>)> =
            turned.iter().map(|(factor, turned, a)| (*factor, turned.as_ref().unwrap_or(a))).collect();
        Half::of_sum(n, &terms, &analysis.symbolic.place, &times)
    };
    Stored::Pair { lower: half(true), upper: half(false) }
}
