//! Factors and determinants of a M + b C + K with the constraints, on one analysis of their pattern.

use std::borrow::Cow;
use std::sync::Arc;

use mb_algebra::{AlgebraError, Sparse};
use saddle_ldlt::{
    Inertia, SaddleAnalysis, SaddleFactor, SaddleNumber, SaddleOptions, SaddleSingle, memory_for,
};

use super::Problem;
use super::matrix::Matrix;
use crate::error::at;
use crate::krylov::scalar::Scalar;
use crate::search::mixed_precision::ShortSolve;
use crate::transform::factors::{SaddleSolve, ShiftSolve};
use crate::{EigenError, tuning};

/// What each row costs in addition to the operations of its elimination, in operations.
const OPERATIONS_PER_ROW: f64 = 1e4;
/// Bytes of factors that may stay while others are made.
const SMALL_FACTORS: u64 = 256 << 20;
/// What an error of the analysis is about.
const ANALYSIS: &str = "Structure of the factors";

impl Problem<'_> {
    /// Order and structure of the factors, made once.
    pub(super) fn analysis(&self) -> Result<Arc<SaddleAnalysis>, AlgebraError> {
        if let Some(analysis) = self.analysis.get() {
            return Ok(Arc::clone(analysis));
        }
        let memory_limit = self.memory_limit;
        // Backward error of a solve above which it is refined.
        let options =
            SaddleOptions { refine_above: tuning::MANY_ROUNDINGS, memory_limit, ..SaddleOptions::default() };
        let made = Arc::new(SaddleAnalysis::new(&self.pattern(), self.rows.independent.sparse(), &options)?);
        Ok(Arc::clone(self.analysis.get_or_init(|| made)))
    }

    /// A matrix with the pattern of all combinations: K itself where M is a diagonal inside it and nothing else is there.
    fn pattern(&self) -> Cow<'_, Sparse> {
        let k = self.k.for_factors();
        let whole = || k.outer_iterator().enumerate().all(|(i, line)| line.get(i).is_some());
        if self.c.is_zero() && self.m.is_diagonal() && whole() {
            Cow::Borrowed(k)
        } else {
            Cow::Owned(self.combine(1.0, 1.0, 1.0))
        }
    }

    /// Whether factors take so little memory that they may stay while others are made.
    pub(crate) fn has_small_factors(&self) -> bool {
        let limit = self.memory_limit.map_or(SMALL_FACTORS, |limit| SMALL_FACTORS.min(limit / 4));
        self.analysis().is_ok_and(|analysis| analysis.estimate().bytes <= limit)
    }

    /// Refuses a Krylov basis that does not fit in memory: vectors, their images, and as much again at a restart.
    pub(crate) fn check_basis(&self, vectors: usize, length: usize) -> Result<(), EigenError> {
        let needed = 24 * vectors as u64 * length as u64;
        let available = memory_for(needed, self.memory_limit).unwrap_or(u64::MAX);
        let what = "The vectors of the Krylov basis";
        if needed <= available { Ok(()) } else { Err(EigenError::OutOfMemory { what, needed, available }) }
    }

    /// Whether the shifted matrix is symmetric whatever the shift.
    pub(super) fn symmetric_matrices(&self) -> bool {
        self.m.symmetric && self.k.symmetric && (self.c.is_zero() || self.c.symmetric)
    }

    /// Factors a M + b C + K with the constraints.
    pub(crate) fn factor<T: Scalar + SaddleNumber>(
        &self,
        a: T,
        b: T,
    ) -> Result<Arc<dyn ShiftSolve<T>>, AlgebraError> {
        Ok(Arc::new(self.saddle([a, b, T::real(1.0)])?))
    }

    /// Factors the sum of M, C and K times numbers.
    fn saddle<T: SaddleNumber>(&self, by: [T; 3]) -> Result<SaddleSolve<T>, AlgebraError> {
        let (analysis, terms, phi) = (self.analysis()?, self.terms(by), self.rows.independent.sparse());
        let factor = if self.symmetric_matrices() {
            SaddleFactor::of_sum(&analysis, &terms, phi)?
        } else {
            SaddleFactor::unsymmetric_of_sum(&analysis, &terms, phi)?
        };
        SaddleSolve::new(factor, self.rows.rank)
    }

    /// Factors a M + K of an undamped symmetric problem in single precision.
    pub(crate) fn factor_short(&self, a: f64) -> Result<ShortSolve, AlgebraError> {
        let (analysis, phi) = (self.analysis()?, self.rows.independent.sparse());
        let factor = SaddleSingle::of_sum(&analysis, &self.terms([a, 0.0, 1.0]), phi)?;
        Ok(ShortSolve::new(factor))
    }

    /// Estimated operations of a factorization; zero where the structure cannot be analysed, which the factorization reports.
    pub(crate) fn factor_operations(&self) -> f64 {
        self.analysis().map_or(0.0, |analysis| analysis.estimate().flops)
    }

    /// Entries of the factors; zero where the structure cannot be analysed, which the factorization reports.
    pub(crate) fn factor_entries(&self) -> usize {
        self.analysis().map_or(0, |analysis| analysis.estimate().factor_nonzeros)
    }

    /// Whether the factors are light compared with the vectors of a basis.
    pub(crate) fn has_light_factors(&self) -> bool {
        // Entries of a factor in a row up to which it is light compared with the vectors of a basis.
        self.factor_entries() <= tuning::TINY * (self.n + self.rows.rank)
    }

    /// Factors a M + b C + K of a symmetric problem, though they may have few right digits.
    pub(crate) fn factor_roughly<T: Scalar + SaddleNumber>(
        &self,
        a: T,
        b: T,
    ) -> Result<Arc<dyn ShiftSolve<T>>, AlgebraError> {
        let (analysis, phi) = (self.analysis()?, self.rows.independent.sparse());
        let factor = SaddleFactor::of_sum(&analysis, &self.terms([a, b, T::real(1.0)]), phi)?;
        Ok(Arc::new(SaddleSolve::rough(factor, self.rows.rank)))
    }

    /// Factors the leading matrix, M or C, with the constraints; its own analysis, since it is often diagonal.
    pub(crate) fn factor_leading(&self, leading: &Matrix) -> Result<Arc<dyn ShiftSolve<f64>>, AlgebraError> {
        if leading.is_zero() {
            return Err(AlgebraError::Singular { index: 0, pivot: 0.0 });
        }
        let (a, phi, rank) = (leading.for_factors(), self.rows.independent.sparse(), self.rows.rank);
        let options = SaddleOptions { refine_above: tuning::MANY_ROUNDINGS, ..SaddleOptions::default() };
        let analysis = Arc::new(SaddleAnalysis::new(a, phi, &options)?);
        let factor = if leading.symmetric {
            SaddleFactor::new(&analysis, a, phi)?
        } else {
            SaddleFactor::unsymmetric(&analysis, a, phi)?
        };
        Ok(Arc::new(SaddleSolve::new(factor, rank)?))
    }

    /// Negative eigenvalues of a M + K on the admissible directions, without keeping factors; none where that leaves a
    /// doubt.
    pub(crate) fn quick_negative(&self, a: f64) -> Option<usize> {
        // What went wrong is reported by the factorization that follows.
        self.negative_by(a, |analysis, terms, phi| SaddleFactor::quick_inertia(analysis, terms, phi).ok()?)
    }

    /// The same by delayed pivots where the quick way leaves a doubt; none where these fail too.
    pub(crate) fn negative(&self, a: f64) -> Option<usize> {
        self.negative_by(a, |analysis, terms, phi| SaddleFactor::full_inertia(analysis, terms, phi).ok())
    }

    fn negative_by(
        &self,
        a: f64,
        inertia: impl FnOnce(&Arc<SaddleAnalysis>, &[(f64, &Sparse)], &Sparse) -> Option<Inertia>,
    ) -> Option<usize> {
        if !(self.symmetric_matrices() && self.undamped()) {
            return None;
        }
        let analysis = self.analysis().ok()?;
        let found = inertia(&analysis, &self.terms([a, 0.0, 1.0]), self.rows.independent.sparse())?;
        // Every independent constraint adds one positive and one negative eigenvalue.
        found.negative.checked_sub(self.rows.rank)
    }

    /// ln |det| (+ i arg det of complex numbers, up to multiples of 2 pi i) of a M + b C + K with the constraints, without keeping
    /// factors; none where a pivot is below its threshold.
    pub(crate) fn ln_determinant<T: Scalar + SaddleNumber>(
        &self,
        a: T,
        b: T,
    ) -> Result<Option<T>, EigenError> {
        let analysis = self.analysis().map_err(at(ANALYSIS))?;
        let (terms, phi) = (self.terms([a, b, T::real(1.0)]), self.rows.independent.sparse());
        let found = if self.symmetric_matrices() {
            SaddleFactor::ln_determinant(&analysis, &terms, phi)
        } else {
            SaddleFactor::unsymmetric_ln_determinant(&analysis, &terms, phi)
        };
        // A matrix that cannot be eliminated gives no count, which is reported.
        Ok(found.ok().flatten())
    }

    /// Estimated operations of a complex elimination, with what goes through memory.
    pub(crate) fn elimination_operations(&self) -> Result<f64, EigenError> {
        let estimate = self.analysis().map_err(at(ANALYSIS))?.estimate();
        let sides = if self.symmetric_matrices() { 1.0 } else { 2.0 };
        Ok(sides * (4.0 * estimate.flops + OPERATIONS_PER_ROW * (self.n + self.rows.rank) as f64))
    }
}
