//! Factors for symmetric A, real and complex.

use std::sync::Arc;

use sprs::CsMat;

use super::analysis::check_columns;
use super::fallback::Fallback;
use super::methods::Factored;
use super::solutions::solutions;
use super::symmetric_storage::{Half, Stored};
use super::tuning;
use super::{FactorReport, Inertia, Method, SaddleAnalysis};
use mb_algebra::convert::csc;
use mb_algebra::{AlgebraError, Dense, DenseC, Sparse, SparseC, c64};
use mb_algebra::{check_square, first_non_finite};

/// Factors of [A, G^T; G, 0] with a real symmetric A, indefinite allowed.
#[derive(Debug)]
pub struct SaddleFactor {
    pub(super) inner: Factored<f64>,
}

impl SaddleFactor {
    solutions!(f64, Dense);

    /// Factors A (n x n, both triangles, pattern within the analysed one) with the constraints G (m x n).
    ///
    /// Dependent rows of G are found and left out; see [`FactorReport::redundant`]. Errors: shapes, entries that
    /// are not finite, asymmetry, [`super::SaddleError`].
    pub fn new(analysis: &Arc<SaddleAnalysis>, a: &Sparse, phi_q: &Sparse) -> Result<Self, AlgebraError> {
        Self::of_sum(analysis, &[(1.0, a)], phi_q)
    }

    /// As [`SaddleFactor::new`] for A = sum of factor times matrix (each n x n and symmetric), formed by half only.
    pub fn of_sum(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(f64, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Self, AlgebraError> {
        build(analysis, terms, phi_q, |f, x| f * x).map(|inner| Self { inner })
    }

    /// X of [`SaddleFactor::solve_block`] alone, into an array of the shape of F that holds anything, for steps of an
    /// iteration.
    ///
    /// Up to eight columns are checked together, by a combination of them; where that would have to be refined each is checked
    /// and refined for itself. Errors as there.
    ///
    /// # Panics
    /// When X has another shape than F, or F another number of rows than A.
    pub fn solve_block_into(
        &self,
        f: faer::MatRef<'_, f64>,
        x: faer::MatMut<'_, f64>,
    ) -> Result<(), AlgebraError> {
        self.inner.solve_step((f, None), x, None)
    }

    /// X and L of [`SaddleFactor::solve_block`], checked as in [`SaddleFactor::solve_block_into`].
    pub fn solve_block_step(&self, f: &Dense) -> Result<(Dense, Dense), AlgebraError> {
        let inner = &self.inner;
        let mut x = Dense::zeros(inner.system.unknowns(), f.ncols());
        let mut l = Dense::zeros(inner.system.constraints(), f.ncols());
        inner.solve_step((f.as_ref(), None), x.as_mut(), Some(l.as_mut()))?;
        Ok((x, l))
    }

    /// X and L of [`SaddleFactor::solve_block_with`], checked as in [`SaddleFactor::solve_block_into`].
    ///
    /// # Panics
    /// When `f` and `g` do not have as many columns, or other numbers of rows than A and G.
    pub fn solve_block_step_with(&self, f: &Dense, g: &Dense) -> Result<(Dense, Dense), AlgebraError> {
        let inner = &self.inner;
        let mut x = Dense::zeros(inner.system.unknowns(), f.ncols());
        let mut l = Dense::zeros(inner.system.constraints(), f.ncols());
        inner.solve_step((f.as_ref(), Some(g.as_ref())), x.as_mut(), Some(l.as_mut()))?;
        Ok((x, l))
    }

    /// The same into arrays that hold anything, X n x p and L m x p.
    ///
    /// # Panics
    /// When X or L has another shape than that, or F another number of rows than A.
    pub fn solve_block_step_into(
        &self,
        f: faer::MatRef<'_, f64>,
        x: faer::MatMut<'_, f64>,
        l: faer::MatMut<'_, f64>,
    ) -> Result<(), AlgebraError> {
        self.inner.solve_step((f, None), x, Some(l))
    }

    /// Signs of the eigenvalues of [A, G^T; G, 0]; `None` when a pivot leaves them uncertain or single precision was needed.
    pub fn inertia(&self) -> Option<Inertia> {
        self.inner.inertia
    }

    /// The inertia of A = sum of factor times matrix with G, whatever the matrix is: a zero eigenvalue for every dependent row of G
    /// and for every direction that the constraints leave and A does not resist, to rounding.
    ///
    /// That of [`SaddleFactor::quick_inertia`] where it has one, else of factors with delayed pivots. Errors: shapes, entries
    /// that are not finite, asymmetry, memory.
    pub fn full_inertia(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(f64, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Inertia, AlgebraError> {
        let (a, g) = prepare(analysis, terms, phi_q, |f, x| f * x)?;
        super::inertia::full(analysis, a, g)
    }

    /// The inertia alone of A = sum of factor times matrix with G, without factors: as many operations as [`SaddleFactor::new`], but in addition to the matrix only the
    /// memory of the largest front and of the stack of updates.
    ///
    /// `None` if a pivot is below its threshold (dependent rows, an eigenvalue near zero, a failed check);
    /// [`SaddleFactor::new`] then reports the cause. Errors: shapes, entries that are not finite, asymmetry.
    pub fn quick_inertia(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(f64, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Option<Inertia>, AlgebraError> {
        let (a, g) = prepare(analysis, terms, phi_q, |f, x| f * x)?;
        if analysis.options().first_method != Method::AugmentedLdl {
            return Ok(None);
        }
        Ok(super::inertia::quick(analysis, a, g))
    }

    /// ln |det [A, G^T; G, 0]|, without factors as [`SaddleFactor::quick_inertia`]; A as there.
    ///
    /// Its slope against ln s at large s is the number of finite eigenvalues of a polynomial A(s). `None` if a pivot is
    /// below its threshold, as at dependent rows of G.
    pub fn ln_determinant(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(f64, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Option<f64>, AlgebraError> {
        let (a, g) = prepare(analysis, terms, phi_q, |f, x| f * x)?;
        Ok(super::inertia::ln_determinant(analysis, Stored::Half(a), g))
    }
}

/// Factors of [A, G^T; G, 0] with a complex symmetric A (A = A^T) and real G, as at a complex shift.
#[derive(Debug)]
pub struct SaddleFactorComplex {
    inner: Factored<c64>,
}

impl SaddleFactorComplex {
    solutions!(c64, DenseC);

    /// As [`SaddleFactor::new`].
    pub fn new(analysis: &Arc<SaddleAnalysis>, a: &SparseC, phi_q: &Sparse) -> Result<Self, AlgebraError> {
        build(analysis, &[(c64::new(1.0, 0.0), a)], phi_q, |f, x| f * x).map(|inner| Self { inner })
    }

    /// As [`SaddleFactor::of_sum`] with complex factors of real matrices.
    pub fn of_sum(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(c64, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Self, AlgebraError> {
        build(analysis, terms, phi_q, |f, x| f * x).map(|inner| Self { inner })
    }

    /// ln |det| + i arg det of [A, G^T; G, 0], up to multiples of 2 pi i, without factors as [`SaddleFactor::quick_inertia`]; A as
    /// in [`SaddleFactorComplex::of_sum`].
    ///
    /// By the argument principle its change along a closed curve of shifts, over 2 pi i, is the number of eigenvalues
    /// inside. `None` if a pivot is below its threshold.
    pub fn ln_determinant(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(c64, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Option<c64>, AlgebraError> {
        let (a, g) = prepare(analysis, terms, phi_q, |f, x| f * x)?;
        if analysis.options().first_method != Method::AugmentedLdl {
            return Ok(None);
        }
        Ok(super::inertia::complex_ln_determinant(analysis, Stored::Half(a), g))
    }
}

fn build<T: Fallback, U: Fallback>(
    analysis: &Arc<SaddleAnalysis>,
    terms: &[(T, &CsMat<U>)],
    phi_q: &Sparse,
    times: impl Fn(T, U) -> T,
) -> Result<Factored<T>, AlgebraError> {
    let (a, g) = prepare(analysis, terms, phi_q, times)?;
    Factored::new(analysis, Stored::Half(a), g, analysis.options().first_method)
}

/// Checks the terms of A and G; A by half and G by columns.
pub(super) fn prepare<T: Fallback, U: Fallback>(
    analysis: &SaddleAnalysis,
    terms: &[(T, &CsMat<U>)],
    phi_q: &Sparse,
    times: impl Fn(T, U) -> T,
) -> Result<(Half<T>, Sparse), AlgebraError> {
    let g = check(analysis, terms.iter().map(|(_, a)| *a), phi_q)?;
    for (_, a) in terms {
        check_symmetric(a)?;
    }
    Ok((Half::of_sum(phi_q.cols(), terms, &analysis.symbolic.place, times), g))
}

/// Checks shapes, entries and the pattern of G; G by columns.
pub(super) fn check<'a, T: Fallback>(
    analysis: &SaddleAnalysis,
    terms: impl Iterator<Item = &'a CsMat<T>>,
    phi_q: &Sparse,
) -> Result<Sparse, AlgebraError> {
    for a in terms {
        let n = check_square("Saddle-point factorization", a.rows(), a.cols())?;
        check_columns(n, phi_q)?;
        first_non_finite(a)?;
    }
    if phi_q.cols() != analysis.unknowns() || phi_q.rows() != analysis.constraints() {
        return Err(AlgebraError::ShapeMismatch {
            operation: "Factorization with a saddle-point analysis",
            expected_rows: analysis.constraints(),
            expected_cols: analysis.unknowns(),
            rows: phi_q.rows(),
            cols: phi_q.cols(),
        });
    }
    let g = csc(phi_q).into_owned();
    first_non_finite(&g)?;
    for (col, column) in g.outer_iterator().enumerate() {
        let known = analysis.g_cols.row(col);
        if known.len() != column.nnz() || known.iter().zip(column.indices()).any(|(&k, &r)| k as usize != r) {
            return Err(AlgebraError::PatternChanged { col });
        }
    }
    Ok(g)
}

/// Compares A z and A^T z for one vector z of mixed signs and sizes; names the entry when they differ.
fn check_symmetric<T: Fallback>(a: &CsMat<T>) -> Result<(), AlgebraError> {
    let n = a.cols();
    compare(a, &mut vec![0.0; n], &mut vec![T::default(); n], &mut vec![0.0; n])
}

/// As [`check_symmetric`] with memory for three vectors given.
pub(super) fn asymmetry(a: &Sparse, room: &mut [Vec<f64>; 3]) -> Result<(), AlgebraError> {
    let [z, difference, sizes] = room;
    compare(a, z, difference, sizes)
}

/// Refuses entries that are not finite.
pub(super) fn check_values(a: &Sparse) -> Result<(), AlgebraError> {
    if a.data().iter().all(|x| x.is_finite()) { Ok(()) } else { first_non_finite(a) }
}

fn compare<T: Fallback>(
    a: &CsMat<T>,
    z: &mut [f64],
    difference: &mut [T],
    sizes: &mut [f64],
) -> Result<(), AlgebraError> {
    for (i, z) in z.iter_mut().enumerate() {
        let bits = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
        *z = 0.5 + bits as f64 / (1_u64 << 53) as f64;
    }
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
        .zip(&*sizes)
        // Largest asymmetry taken for rounding errors of assembly, relative to the products along a row.
        .all(|(d, &s)| d.size() <= tuning::HALF_THE_DIGITS * s.max(f64::EPSILON * largest))
    {
        return Ok(());
    }
    for (col, column) in a.outer_iterator().enumerate() {
        for (row, &value) in column.iter() {
            let facing = a.get_outer_inner(row, col).copied().unwrap_or_default();
            if (value - facing).size() > 0.5 * tuning::HALF_THE_DIGITS * sizes[col].min(sizes[row]) {
                let (below, above) =
                    if (row > col) == a.is_csc() { (value, facing) } else { (facing, value) };
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
