//! Factors in single precision for steps whose residuals are formed in double: half of the memory and of the time.
//!
//! ```text
//! rough        x ~ (L D L^T)^-1 f                       a few digits: what a correction needs
//! solve        x <- x + (L D L^T)^-1 (f - S x), ...     all digits, by refinement
//! ```
//!
//! L, D in single precision ([`super::single_precision`]). Corrections of eigenvectors need no more than two digits of a solution as
//! long as residuals are right; the few solutions that need all of them are refined and checked as those of
//! [`super::SaddleFactor`] are. The signs of D count as the inertia of S where refinement shows that they are
//! ([`super::inertia_single`]). There is no other method behind these factors: what they cannot solve is an error.

use std::sync::Arc;

use faer::ColMut;

use super::block_passes::{by_rows, into_columns};
use super::factor::prepare;
use super::methods::trial;
use super::refined_solve::{System, accept};
use super::symmetric_storage::Stored;
use super::tuning;

use super::inertia_single;
use super::single_precision::{REFINEMENTS, SingleLdl};
use super::{BlockError, Inertia, SaddleAnalysis, SaddleError, SaddleOptions};
use mb_algebra::{AlgebraError, Dense, Sparse};

/// Factors in single precision of [A, G^T; G, 0] with a real symmetric A, indefinite allowed, and independent rows of G.
#[derive(Debug)]
pub struct SaddleSingle {
    system: System<f64>,
    factors: SingleLdl,
    options: SaddleOptions,
    trial: BlockError,
    trial_refinements: usize,
}

impl SaddleSingle {
    /// Factors A = sum of factor times matrix (each n x n and symmetric, pattern within the analysed one) with G (m x n).
    ///
    /// Errors: shapes, entries that are not finite, asymmetry, memory, dependent rows of G, and a trial solution that
    /// refinement does not bring to the tolerance, as of matrices with a condition beyond 1e7.
    pub fn of_sum(
        analysis: &Arc<SaddleAnalysis>,
        terms: &[(f64, &Sparse)],
        phi_q: &Sparse,
    ) -> Result<Self, AlgebraError> {
        let (a, g) = prepare(analysis, terms, phi_q, |f, x| f * x)?;
        analysis.check_memory(size_of::<f32>())?;
        let system = System::new(Stored::Half(a), g, &analysis.g_cols, &analysis.g_rows);
        let Stored::Half(a) = &system.a else { unreachable!("as made") };
        let factors = SingleLdl::new(analysis, &system, a)?;
        let options = SaddleOptions { max_refinements: REFINEMENTS, ..analysis.options.clone() };
        // Backward error of the trial at which refinement has shown enough.
        let found =
            trial(&system, &factors, &SaddleOptions { refine_above: tuning::SOLVED, ..options.clone() })?;
        let BlockError { displacement, constraint } = found.error;
        // Backward error of the trial above which refinement has come to a halt far above rounding.
        if found.error.worst() > tuning::HEALTHY {
            return Err(SaddleError::ResidualTooLarge {
                displacement,
                constraint,
                tolerance: tuning::HEALTHY,
            }
            .into());
        }
        Ok(Self { system, factors, options, trial: found.error, trial_refinements: found.refinements })
    }

    /// Number of constraints m.
    pub fn constraints(&self) -> usize {
        self.system.constraints()
    }

    /// Errors of the trial solution after refinement.
    pub fn trial(&self) -> BlockError {
        self.trial
    }

    /// Steps of refinement the trial took: each gains the digits that one solution with the factors has.
    pub fn trial_refinements(&self) -> usize {
        self.trial_refinements
    }

    /// X (n x p) of A X + G^T L = F, G X = 0, to the few digits the factors have, unchecked; F is n x p and finite.
    pub fn rough_block(&self, f: &Dense) -> Dense {
        let n = self.system.unknowns();
        assert_eq!(f.nrows(), n, "saddle-point solve: right-hand side of wrong length");
        let mut x = Dense::zeros(n, f.ncols());
        let from: Vec<&[f64]> = (0..f.ncols()).map(|k| f.col_as_slice(k)).collect();
        let to = x.as_mut().col_iter_mut().filter_map(ColMut::try_as_col_major_mut);
        let mut to: Vec<&mut [f64]> = to.map(ColMut::as_slice_mut).collect();
        for (f, x) in from.chunks(tuning::WIDTH).zip(to.chunks_mut(tuning::WIDTH)) {
            self.factors.rough(&self.system.scaling.unknowns, f, x);
        }
        x
    }

    /// X (n x p) and L (m x p) of A X + G^T L = F, G X = 0, refined and checked as by [`super::SaddleFactor::solve_block`];
    /// F is n x p. Errors: a right-hand side that is not finite, [`super::SaddleError::ResidualTooLarge`].
    pub fn solve_block(&self, f: &Dense) -> Result<(Dense, Dense), AlgebraError> {
        self.refined(f, &self.options)
    }

    /// The same to a backward error of `tolerance` only: corrections of a known solution need no more.
    pub fn correct_block(&self, f: &Dense, tolerance: f64) -> Result<(Dense, Dense), AlgebraError> {
        self.refined(f, &SaddleOptions { refine_above: tolerance, tolerance, ..self.options.clone() })
    }

    fn refined(&self, f: &Dense, options: &SaddleOptions) -> Result<(Dense, Dense), AlgebraError> {
        let (n, m, p) = (self.system.unknowns(), self.system.constraints(), f.ncols());
        assert_eq!(f.nrows(), n, "saddle-point solve: right-hand side of wrong length");
        let (mut x, mut l) = (Dense::zeros(n, p), Dense::zeros(m, p));
        for first in (0..p).step_by(tuning::WIDTH) {
            let width = tuning::WIDTH.min(p - first);
            let columns: Vec<&[f64]> = (first..first + width).map(|k| f.col_as_slice(k)).collect();
            let mut rows = self.system.pool.any(n * width);
            by_rows(&columns, first, &mut rows)?;
            let found = self.system.solve(&self.factors, options, &rows, &[], width, false);
            let found = accept(found, options.tolerance)?;
            self.system.pool.give(rows);
            into_columns(&found.x, x.as_mut().subcols_mut(first, width));
            if m > 0 {
                into_columns(&found.l, l.as_mut().subcols_mut(first, width));
            }
            self.system.pool.give(found.x);
            self.system.pool.give(found.l);
        }
        Ok((x, l))
    }

    /// Signs of the eigenvalues of [A, G^T; G, 0], where some steps of refinement show them to be those of D; costs a few
    /// solutions.
    pub fn inertia(&self) -> Option<Inertia> {
        inertia_single::of_factors(&self.system, &self.factors)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::SaddleSingle;
    use crate::{SaddleAnalysis, SaddleFactor, SaddleOptions, samples};
    use mb_algebra::{AlgebraError, Dense, Sparse};

    fn both(a: &Sparse, g: &Sparse) -> (SaddleFactor, Result<SaddleSingle, AlgebraError>) {
        let analysis = Arc::new(SaddleAnalysis::new(a, g, &SaddleOptions::default()).unwrap());
        (SaddleFactor::new(&analysis, a, g).unwrap(), SaddleSingle::of_sum(&analysis, &[(1.0, a)], g))
    }

    fn far(a: &Dense, b: &Dense) -> f64 {
        let size = |x: &Dense| mb_algebra::norms::frobenius(x);
        size(&mb_algebra::dense::add(1.0, a, -1.0, b)) / size(b)
    }

    #[test]
    fn rough_solutions_have_a_few_digits_and_refined_ones_all() {
        let (a, g) = samples::plate(30, 1.0, -0.037);
        let (double, short) = both(&a, &g);
        let short = short.unwrap();
        // Eleven columns: a whole block and a part of one.
        let f = Dense::from_fn(900, 11, |i, j| ((i * (j + 3)) % 13) as f64 - 6.0);
        let (x, l) = double.solve_block(&f).unwrap();
        let rough = far(&short.rough_block(&f), &x);
        assert!(rough < 1e-3 && rough > 1e-12, "{rough:e}");
        let corrected = far(&short.correct_block(&f, 1e-7).unwrap().0, &x);
        assert!(corrected < 1e-5, "{corrected:e}");
        let (y, k) = short.solve_block(&f).unwrap();
        assert!(far(&y, &x) < 1e-11 && far(&k, &l) < 1e-11);
        assert!(short.trial().worst() < 1e-13 && short.trial_refinements() > 0);
        assert_eq!(short.inertia(), double.inertia());
        assert!(
            short.inertia().is_some_and(|inertia| inertia.negative > 30),
            "some modes lie below the shift"
        );
    }

    #[test]
    fn a_matrix_singular_to_single_precision_has_no_inertia() {
        let side = 30;
        let w = 2.0 * (0.25 * std::f64::consts::PI / (side as f64 - 0.5)).sin();
        for relative in [1e-4, 1e-10] {
            let (a, g) = samples::plate(side, 1.0, -w * w * (1.0 + relative));
            let (double, short) = both(&a, &g);
            // Refused, or made and in doubt; with a distance that single precision sees, both agree.
            let found = short.ok().and_then(|short| short.inertia());
            assert_eq!(found, double.inertia().filter(|_| relative > 1e-6), "{relative:e}");
        }
    }
}
