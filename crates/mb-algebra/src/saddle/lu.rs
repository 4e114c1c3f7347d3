//! LU factors for A that is not symmetric, with the scaling, checks and dependent rows of the other factors.

use std::sync::Arc;

use sprs::CsMat;

use super::analysis::check_columns;
use super::factored::Factored;
use super::fallback::Fallback;
use super::half::Stored;
use super::{FactorReport, Method, SaddleAnalysis, SaddleOptions};
use crate::convert::csc;
use crate::factor::{check_square, first_non_finite};
use crate::{AlgebraError, Dense, DenseC, Sparse, SparseC, c64, sparse};

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
    /// Factors A (n x n) with the constraints G (m x n). Errors as [`super::SaddleFactor::new`], but for symmetry.
    pub fn new(a: &Sparse, phi_q: &Sparse, options: &SaddleOptions) -> Result<Self, AlgebraError> {
        build(a, phi_q, options).map(|inner| Self { inner })
    }

    /// As [`super::SaddleFactor::solve`].
    pub fn solve(&self, f: &[f64], g: &[f64]) -> Result<(Vec<f64>, Vec<f64>), AlgebraError> {
        self.inner.solve_one(f, g)
    }

    /// As [`super::SaddleFactor::solve_block`].
    pub fn solve_block(&self, f: &Dense) -> Result<(Dense, Dense), AlgebraError> {
        self.inner.solve_many(f)
    }

    /// What the factorization did.
    pub fn report(&self) -> &FactorReport {
        &self.inner.report
    }
}

impl SaddleLuComplex {
    /// As [`SaddleLu::new`].
    pub fn new(a: &SparseC, phi_q: &Sparse, options: &SaddleOptions) -> Result<Self, AlgebraError> {
        build(a, phi_q, options).map(|inner| Self { inner })
    }

    /// As [`super::SaddleFactor::solve`].
    pub fn solve(&self, f: &[c64], g: &[c64]) -> Result<(Vec<c64>, Vec<c64>), AlgebraError> {
        self.inner.solve_one(f, g)
    }

    /// As [`super::SaddleFactor::solve_block`].
    pub fn solve_block(&self, f: &DenseC) -> Result<(DenseC, DenseC), AlgebraError> {
        self.inner.solve_many(f)
    }

    /// What the factorization did.
    pub fn report(&self) -> &FactorReport {
        &self.inner.report
    }
}

fn build<T: Fallback>(
    a: &CsMat<T>,
    phi_q: &Sparse,
    options: &SaddleOptions,
) -> Result<Factored<T>, AlgebraError> {
    let n = check_square("Saddle-point factorization", a.rows(), a.cols())?;
    check_columns(n, phi_q)?;
    let (a, g) = (csc(a).into_owned(), csc(phi_q).into_owned());
    first_non_finite(&a)?;
    first_non_finite(&g)?;
    // For the dependent rows of G alone.
    let analysis = Arc::new(SaddleAnalysis::new(&sparse::identity(n), &g, options)?);
    Factored::new(&analysis, Stored::Whole(a), g, Method::Lu)
}
