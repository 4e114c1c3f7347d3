//! Factors that users hold, of real and complex matrices: L D L^T for symmetric A, L U for A of any kind, with one scaling, one set of
//! checks and one treatment of dependent rows.

use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use sprs::CsMat;

use super::analysis::check_columns;
use super::fallback::{Fallback, SaddleNumber};
use super::methods::Factored;
use super::symmetric_storage::{Half, Stored};
use super::tuning;
use super::{FactorReport, Inertia, Method, SaddleAnalysis};
use mb_algebra::convert::csc;
use mb_algebra::{AlgebraError, Sparse};
use mb_algebra::{check_square, first_non_finite};

/// Factors of [A, G^T; G, 0] with real G; A is real or complex as `T`, at a complex shift say, and may be indefinite.
#[derive(Debug)]
pub struct SaddleFactor<T: SaddleNumber = f64> {
    pub(super) inner: Factored<T>,
}

impl<T: SaddleNumber> SaddleFactor<T> {
    /// Factors A = A^T (n x n, both triangles, pattern within the analysed one) with the constraints G (m x n) by L D L^T.
    ///
    /// Dependent rows of G are found and left out; see [`FactorReport::redundant`]. Errors: shapes, entries that
    /// are not finite, asymmetry, [`super::SaddleError`].
    pub fn new(analysis: &Arc<SaddleAnalysis>, a: &CsMat<T>, phi_q: &Sparse) -> Result<Self, AlgebraError> {
        let (a, g) = prepare(analysis, &[(T::UNIT, a)], phi_q, |f, x| f * x)?;
        Self::symmetric(analysis, a, g)
    }

    /// As [`SaddleFactor::new`] for A = sum of factor times matrix (each n x n and symmetric), formed by half only.
    pub fn of_sum(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(T, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Self, AlgebraError> {
        let (a, g) = prepare(analysis, terms, phi_q, T::scaled)?;
        Self::symmetric(analysis, a, g)
    }

    fn symmetric(analysis: &Arc<SaddleAnalysis>, a: Half<T>, g: Sparse) -> Result<Self, AlgebraError> {
        let first = analysis.options().first_method;
        T::factored(analysis, Stored::Half(a), g, first).map(|inner| Self { inner })
    }

    /// Factors A of any kind (n x n, pattern within the analysed one) with the constraints G (m x n) by L U. Errors as
    /// [`SaddleFactor::new`], but for symmetry.
    pub fn unsymmetric(
        analysis: &Arc<SaddleAnalysis>,
        a: &CsMat<T>,
        phi_q: &Sparse,
    ) -> Result<Self, AlgebraError> {
        let (a, g) = stored(analysis, &[(T::UNIT, a)], phi_q, |f, x| f * x)?;
        Self::by_lu(analysis, a, g)
    }

    /// As [`SaddleFactor::unsymmetric`] for A = sum of factor times matrix (each n x n).
    pub fn unsymmetric_of_sum(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(T, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Self, AlgebraError> {
        let (a, g) = stored(analysis, terms, phi_q, T::scaled)?;
        Self::by_lu(analysis, a, g)
    }

    fn by_lu(analysis: &Arc<SaddleAnalysis>, a: Stored<T>, g: Sparse) -> Result<Self, AlgebraError> {
        let first = analysis.options().first_method.max(Method::AugmentedLu);
        T::factored(analysis, a, g, first).map(|inner| Self { inner })
    }

    /// (x, l) with A x + G^T l = f, G x = g; f of length n, g of length m.
    ///
    /// Refined and checked in both blocks of rows. Multipliers of dependent rows have minimum norm. Errors: a right-hand
    /// side that is not finite, [`Inconsistent`](crate::SaddleError::Inconsistent),
    /// [`ResidualTooLarge`](crate::SaddleError::ResidualTooLarge).
    pub fn solve(&self, f: &[T], g: &[T]) -> Result<(Vec<T>, Vec<T>), AlgebraError> {
        T::solve_one(&self.inner, f, g)
    }

    /// X (n x p) and L (m x p) with A X + G^T L = F, G X = 0; F is n x p. Checked as one right-hand side is.
    ///
    /// Many columns at once cost a fraction of one by one.
    pub fn solve_block(&self, f: &Mat<T>) -> Result<(Mat<T>, Mat<T>), AlgebraError> {
        T::solve_many(&self.inner, f, None, false)
    }

    /// The same with A^T in place of A, not conjugated.
    pub fn solve_block_transposed(&self, f: &Mat<T>) -> Result<(Mat<T>, Mat<T>), AlgebraError> {
        T::solve_many(&self.inner, f, None, matches!(self.inner.system.a, Stored::Pair { .. }))
    }

    /// X and L of [`SaddleFactor::solve_block`] with G X = `g`, m x p.
    ///
    /// # Panics
    /// When `f` and `g` do not have as many columns, or other numbers of rows than A and G.
    pub fn solve_block_with(&self, f: &Mat<T>, g: &Mat<T>) -> Result<(Mat<T>, Mat<T>), AlgebraError> {
        T::solve_many(&self.inner, f, Some(g), false)
    }

    /// X of [`SaddleFactor::solve_block`] alone, into an array of the shape of F that holds anything, for steps of an
    /// iteration.
    ///
    /// Up to eight columns of a real symmetric system are checked together, by a combination of them; where that would have to be refined
    /// each is checked and refined for itself. Errors as there.
    ///
    /// # Panics
    /// When X has another shape than F, or F another number of rows than A.
    pub fn solve_block_into(&self, f: MatRef<'_, T>, x: MatMut<'_, T>) -> Result<(), AlgebraError> {
        T::solve_step(&self.inner, (f, None), x, None)
    }

    /// X and L of [`SaddleFactor::solve_block`], checked as in [`SaddleFactor::solve_block_into`].
    pub fn solve_block_step(&self, f: &Mat<T>) -> Result<(Mat<T>, Mat<T>), AlgebraError> {
        self.step(f, None)
    }

    /// X and L of [`SaddleFactor::solve_block_with`], checked as in [`SaddleFactor::solve_block_into`].
    ///
    /// # Panics
    /// When `f` and `g` do not have as many columns, or other numbers of rows than A and G.
    pub fn solve_block_step_with(&self, f: &Mat<T>, g: &Mat<T>) -> Result<(Mat<T>, Mat<T>), AlgebraError> {
        self.step(f, Some(g.as_ref()))
    }

    fn step(&self, f: &Mat<T>, g: Option<MatRef<'_, T>>) -> Result<(Mat<T>, Mat<T>), AlgebraError> {
        let inner = &self.inner;
        let mut x = Mat::zeros(inner.system.unknowns(), f.ncols());
        let mut l = Mat::zeros(inner.system.constraints(), f.ncols());
        T::solve_step(inner, (f.as_ref(), g), x.as_mut(), Some(l.as_mut()))?;
        Ok((x, l))
    }

    /// X and L of [`SaddleFactor::solve_block_step`] into arrays that hold anything, X n x p and L m x p.
    ///
    /// # Panics
    /// When X or L has another shape than that, or F another number of rows than A.
    pub fn solve_block_step_into(
        &self,
        f: MatRef<'_, T>,
        x: MatMut<'_, T>,
        l: MatMut<'_, T>,
    ) -> Result<(), AlgebraError> {
        T::solve_step(&self.inner, (f, None), x, Some(l))
    }

    /// Signs of the eigenvalues of a real symmetric [A, G^T; G, 0]; `None` when a pivot leaves them uncertain or single precision was needed.
    pub fn inertia(&self) -> Option<Inertia> {
        self.inner.inertia.filter(|_| !T::COMPLEX)
    }

    /// What the factorization did.
    pub fn report(&self) -> &FactorReport {
        &self.inner.report
    }

    /// The furthest method that a solution has taken so far because those before it missed its residual; none as a rule.
    pub fn later_method(&self) -> Option<Method> {
        self.inner.later_method()
    }

    /// ln |det [A, G^T; G, 0]| + i arg det, up to multiples of 2 pi i, without factors as [`SaddleFactor::quick_inertia`]; A as in
    /// [`SaddleFactor::of_sum`]. Of real matrices the real part alone.
    ///
    /// Its slope against ln s at large s is the number of finite eigenvalues of a polynomial A(s). By the argument principle its
    /// change along a closed curve of shifts, over 2 pi i, is the number of eigenvalues inside. `None` if a pivot is
    /// below its threshold, as at dependent rows of G.
    pub fn ln_determinant(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(T, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Option<T>, AlgebraError> {
        let (a, g) = prepare(analysis, terms, phi_q, T::scaled)?;
        Ok(T::ln_determinant(analysis, Stored::Half(a), g))
    }

    /// As [`SaddleFactor::ln_determinant`], for matrices of any kind.
    pub fn unsymmetric_ln_determinant(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(T, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Option<T>, AlgebraError> {
        let (a, g) = stored(analysis, terms, phi_q, T::scaled)?;
        Ok(T::ln_determinant(analysis, a, g))
    }
}

impl SaddleFactor {
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

/// Checks shapes, entries and the pattern of G; G by columns.
fn check<'a, T: Fallback>(
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
