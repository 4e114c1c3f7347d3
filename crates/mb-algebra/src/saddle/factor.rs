//! Factors for symmetric A, real and complex.

use std::borrow::Cow;
use std::sync::Arc;

use sprs::CsMat;

use super::analysis::check_columns;
use super::factored::Factored;
use super::fallback::Fallback;
use super::{FactorReport, Inertia, Method, SaddleAnalysis};
use crate::convert::csc;
use crate::factor::{check_square, first_non_finite};
use crate::{AlgebraError, Dense, DenseC, Sparse, SparseC, c64};

/// Largest asymmetry taken for rounding errors of assembly, relative to the products along a row.
const ASYMMETRY_ALLOWED: f64 = 1e-8;

/// Factors of [A, G^T; G, 0] with a real symmetric A, indefinite allowed.
#[derive(Debug)]
pub struct SaddleFactor {
    inner: Factored<f64>,
}

impl SaddleFactor {
    /// Factors A (n x n, both triangles, pattern within the analysed one) with the constraints G (m x n).
    ///
    /// Dependent rows of G are found and left out; see [`FactorReport::redundant`]. Errors: shapes, entries that
    /// are not finite, asymmetry, [`super::SaddleError`].
    pub fn new(analysis: &Arc<SaddleAnalysis>, a: &Sparse, phi_q: &Sparse) -> Result<Self, AlgebraError> {
        build(analysis, Cow::Borrowed(a), phi_q).map(|inner| Self { inner })
    }

    /// As [`SaddleFactor::new`], keeping the matrix for the residuals instead of a copy.
    pub fn of_matrix(
        analysis: &Arc<SaddleAnalysis>,
        a: Sparse,
        phi_q: &Sparse,
    ) -> Result<Self, AlgebraError> {
        build(analysis, Cow::Owned(a), phi_q).map(|inner| Self { inner })
    }

    /// (x, l) with A x + G^T l = f, G x = g; f of length n, g of length m.
    ///
    /// Refined and checked in both blocks of rows. Multipliers of dependent rows have minimum norm. Errors: a
    /// right-hand side that is not finite, [`super::SaddleError::Inconsistent`],
    /// [`super::SaddleError::ResidualTooLarge`].
    pub fn solve(&self, f: &[f64], g: &[f64]) -> Result<(Vec<f64>, Vec<f64>), AlgebraError> {
        self.inner.solve_one(f, g)
    }

    /// X (n x p) and L (m x p) with A X + G^T L = F, G X = 0; F is n x p. Checked as [`SaddleFactor::solve`].
    ///
    /// Many columns at once cost a fraction of one by one.
    pub fn solve_block(&self, f: &Dense) -> Result<(Dense, Dense), AlgebraError> {
        self.inner.solve_many(f)
    }

    /// Signs of the eigenvalues of [A, G^T; G, 0]; `None` when a pivot leaves them uncertain or LU was needed.
    pub fn inertia(&self) -> Option<Inertia> {
        self.inner.inertia
    }

    /// What the factorization did.
    pub fn report(&self) -> &FactorReport {
        &self.inner.report
    }

    /// The inertia alone, without factors: as many operations as [`SaddleFactor::new`], but beside the matrix only the
    /// memory of the largest front and of the stack of updates.
    ///
    /// `None` where this quick way leaves a doubt (dependent rows, an eigenvalue near zero, a failed check);
    /// [`SaddleFactor::new`] then tells more. Errors: shapes, entries that are not finite, asymmetry.
    pub fn quick_inertia(
        analysis: &Arc<SaddleAnalysis>,
        a: Sparse,
        phi_q: &Sparse,
    ) -> Result<Option<Inertia>, AlgebraError> {
        let (a, g) = prepare(analysis, Cow::Owned(a), phi_q)?;
        if analysis.options().first_method != Method::AugmentedLdl {
            return Ok(None);
        }
        Ok(super::inertia::quick(analysis, a, g))
    }
}

/// Factors of [A, G^T; G, 0] with a complex symmetric A (A = A^T) and real G, as at a complex shift.
#[derive(Debug)]
pub struct SaddleFactorComplex {
    inner: Factored<c64>,
}

impl SaddleFactorComplex {
    /// As [`SaddleFactor::new`]; the robust method is LU.
    pub fn new(analysis: &Arc<SaddleAnalysis>, a: &SparseC, phi_q: &Sparse) -> Result<Self, AlgebraError> {
        build(analysis, Cow::Borrowed(a), phi_q).map(|inner| Self { inner })
    }

    /// As [`SaddleFactor::solve`].
    pub fn solve(&self, f: &[c64], g: &[c64]) -> Result<(Vec<c64>, Vec<c64>), AlgebraError> {
        self.inner.solve_one(f, g)
    }

    /// As [`SaddleFactor::solve_block`].
    pub fn solve_block(&self, f: &DenseC) -> Result<(DenseC, DenseC), AlgebraError> {
        self.inner.solve_many(f)
    }

    /// What the factorization did.
    pub fn report(&self) -> &FactorReport {
        &self.inner.report
    }
}

fn build<T: Fallback>(
    analysis: &Arc<SaddleAnalysis>,
    a: Cow<'_, CsMat<T>>,
    phi_q: &Sparse,
) -> Result<Factored<T>, AlgebraError> {
    let (a, g) = prepare(analysis, a, phi_q)?;
    Factored::new(analysis, a, g, analysis.options().first_method)
}

/// Checks A and G and brings them to storage by columns.
fn prepare<T: Fallback>(
    analysis: &SaddleAnalysis,
    a: Cow<'_, CsMat<T>>,
    phi_q: &Sparse,
) -> Result<(CsMat<T>, Sparse), AlgebraError> {
    let n = check_square("Saddle-point factorization", a.rows(), a.cols())?;
    check_columns(n, phi_q)?;
    if n != analysis.unknowns() || phi_q.rows() != analysis.constraints() {
        return Err(AlgebraError::ShapeMismatch {
            operation: "Factorization with a saddle-point analysis",
            expected_rows: analysis.constraints(),
            expected_cols: analysis.unknowns(),
            rows: phi_q.rows(),
            cols: n,
        });
    }
    let (a, g) = (if a.is_csc() { a.into_owned() } else { a.to_csc() }, csc(phi_q).into_owned());
    first_non_finite(&a)?;
    first_non_finite(&g)?;
    check_symmetric(&a)?;
    for (col, column) in g.outer_iterator().enumerate() {
        let known = analysis.g_cols.row(col);
        if known.len() != column.nnz() || known.iter().zip(column.indices()).any(|(&k, &r)| k as usize != r) {
            return Err(AlgebraError::PatternChanged { col });
        }
    }
    Ok((a, g))
}

/// Compares A z and A^T z for one vector z of mixed signs and sizes; names the entry when they differ.
fn check_symmetric<T: Fallback>(a: &CsMat<T>) -> Result<(), AlgebraError> {
    let n = a.cols();
    let z: Vec<f64> = (0..n)
        .map(|i| {
            let bits = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
            0.5 + bits as f64 / (1_u64 << 53) as f64
        })
        .collect();
    let mut difference = vec![T::default(); n];
    let mut sizes = vec![0.0; n];
    for (col, column) in a.outer_iterator().enumerate() {
        let (mut own, mut size) = (T::default(), 0.0);
        for (row, &value) in column.iter() {
            own += value.scaled(z[row]);
            size += value.size();
            difference[row] -= value.scaled(z[col]);
        }
        difference[col] += own;
        sizes[col] += size;
    }
    let largest = sizes.iter().fold(0.0_f64, |m, &s| m.max(s));
    if difference
        .iter()
        .zip(&sizes)
        .all(|(d, &s)| d.size() <= ASYMMETRY_ALLOWED * s.max(f64::EPSILON * largest))
    {
        return Ok(());
    }
    for (col, column) in a.outer_iterator().enumerate() {
        for (row, &value) in column.iter() {
            let facing = a.get(col, row).copied().unwrap_or_default();
            if (value - facing).size() > 0.5 * ASYMMETRY_ALLOWED * sizes[col].min(sizes[row]) {
                let (below, above) = if row > col { (value, facing) } else { (facing, value) };
                let (row, col) = (row.max(col), row.min(col));
                return Err(AlgebraError::NotSymmetric {
                    row,
                    col,
                    below: below.magnitude(),
                    above: above.magnitude(),
                });
            }
        }
    }
    Ok(())
}
