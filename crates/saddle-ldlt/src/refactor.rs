//! Factors of one matrix after another in the same memory, for the steps of an integrator.
//!
//! Values, scaling, panels, stack and the vectors of solutions stay where they are: after the first few calls nothing is
//! asked of the system. Only the augmented L D L^T goes this way, without its trial: each solution is checked all the same. Whatever it
//! leaves in doubt (a pivot that is noise, a row that depends on others) is for a factorization from the beginning, with all methods.

use super::factor::{SaddleFactor, asymmetry, check_values};
use super::methods::{Factored, certain_inertia, near_singular};
use super::refined_solve::Checked;
use super::{BlockError, Method};
use mb_algebra::{AlgebraError, Sparse};

impl SaddleFactor {
    /// Factors other matrices of the same patterns (A n x n by columns, both triangles, G m x n by columns) in the memory of these factors.
    ///
    /// False where the patterns differ, where these factors are of another method than the augmented L D L^T or have dependent rows, and
    /// where the new ones would have pivots below their threshold: they are of no use then, and [`SaddleFactor::new`] reports the cause. Errors: entries that are not
    /// finite, asymmetry, memory.
    pub fn refactor(&mut self, a: &Sparse, phi_q: &Sparse) -> Result<bool, AlgebraError> {
        self.inner.refactor(a, phi_q)
    }

    /// As [`SaddleFactor::solve`] with x (n numbers) and l (m numbers) given; takes no memory after the first few calls.
    ///
    /// # Panics
    /// When x or l are of another length.
    pub fn solve_into(&self, f: &[f64], g: &[f64], x: &mut [f64], l: &mut [f64]) -> Result<(), AlgebraError> {
        self.inner.solve_one_with(f, g, |found| {
            x.copy_from_slice(&found.x);
            l.copy_from_slice(&found.l);
        })
    }
}

impl Factored<f64> {
    /// One right-hand side; its solution is shown to `see` and taken back.
    fn solve_one_with(
        &self,
        f: &[f64],
        g: &[f64],
        see: impl FnOnce(&Checked<f64>),
    ) -> Result<(), AlgebraError> {
        let found = self.checked_one(f, g)?;
        see(&found);
        self.system.pool.give(found.x);
        self.system.pool.give(found.l);
        Ok(())
    }

    fn refactor(&mut self, a: &Sparse, g: &Sparse) -> Result<bool, AlgebraError> {
        check_values(a)?;
        check_values(g)?;
        let Self { analysis, system, solver, dependent, later, inertia, report, spoiled, .. } = self;
        let Some(ldl) = solver.augmented_ldl() else { return Ok(false) };
        let n = system.unknowns();
        if !dependent.rows.is_empty() || a.cols() != n || g.cols() != n {
            return Ok(false);
        }
        // The vectors of solutions serve for it as well.
        let mut room = [(); 3].map(|()| system.pool.take(n));
        let checked = asymmetry(a, &mut room);
        for array in room {
            system.pool.give(array);
        }
        checked?;
        later.forget();
        *spoiled.get_mut() = false;
        if !system.refill(a, g, analysis) || !ldl.renew(system)? {
            return Ok(false);
        }
        let summary = &ldl.numeric.pivots.summary;
        let doubt = !summary.null.is_empty()
            || summary.doubtful.iter().any(|(u, _)| *u as usize >= n)
            || near_singular(summary, n).next().is_some();
        if doubt {
            return Ok(false);
        }
        *inertia = certain_inertia(summary, system.constraints());
        report.method = Method::AugmentedLdl;
        report.failed.clear();
        report.near_singular.clear();
        report.delayed_pivots = 0;
        (report.trial, report.trial_refinements) = (BlockError::default(), 0);
        (report.replaced_pivots, report.pivot_pairs, report.growth) = (0, summary.pairs, summary.growth);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::{SaddleAnalysis, SaddleOptions};
    use mb_algebra::{Scatter, Triplets};

    /// A chain of masses on springs, every third one tied to its neighbour.
    fn chain(n: usize, stiffness: f64, tie: f64) -> (Sparse, Sparse) {
        let (mut a, mut g) = (Triplets::new(n, n), Triplets::new(n / 3, n));
        for i in 0..n {
            a.add(i, i, 2.0 * stiffness + (i % 5) as f64);
            if i + 1 < n {
                a.add(i, i + 1, -stiffness);
                a.add(i + 1, i, -stiffness);
            }
        }
        for r in 0..n / 3 {
            g.add(r, 3 * r, 1.0);
            g.add(r, 3 * r + 1, -tie);
        }
        (a.to_sparse(), g.to_sparse())
    }

    #[test]
    fn factors_in_the_same_memory_are_those_of_the_new_matrix() {
        let (a, g) = chain(60, 1.0, 1.0);
        let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap());
        let mut factor = SaddleFactor::new(&analysis, &a, &g).unwrap();
        let f: Vec<f64> = (0..60).map(|i| f64::from(i % 7) - 3.0).collect();
        let h: Vec<f64> = (0..20).map(|i| f64::from(i % 3)).collect();
        let (mut x, mut l) = (vec![0.0; 60], vec![0.0; 20]);
        for (stiffness, tie) in [(5.0, 0.5), (1e9, 2.0), (1e-6, 1e3)] {
            let (a, g) = chain(60, stiffness, tie);
            assert!(factor.refactor(&a, &g).unwrap());
            factor.solve_into(&f, &h, &mut x, &mut l).unwrap();
            let fresh = SaddleFactor::new(&analysis, &a, &g).unwrap();
            let (y, m) = fresh.solve(&f, &h).unwrap();
            let far = |a: &[f64], b: &[f64]| {
                let size = b.iter().fold(0.0_f64, |s, b| s.max(b.abs()));
                a.iter().zip(b).fold(0.0_f64, |d, (a, b)| d.max((a - b).abs())) / size
            };
            assert!(far(&x, &y) < 1e-12 && far(&l, &m) < 1e-12, "{stiffness}");
            assert_eq!(factor.inertia(), fresh.inertia());
        }
    }

    #[test]
    fn what_is_in_doubt_is_left_to_factors_from_the_beginning() {
        let (a, g) = chain(60, 1.0, 1.0);
        let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap());
        let mut factor = SaddleFactor::new(&analysis, &a, &g).unwrap();
        // Another pattern.
        let (other, _) = chain(57, 1.0, 1.0);
        assert!(!factor.refactor(&other, &g).unwrap());
        assert!(!factor.refactor(&mb_algebra::sparse::identity(60), &g).unwrap());
        // A row that vanishes depends on the others.
        let mut none = g.clone();
        none.data_mut()[..2].fill(0.0);
        assert!(!factor.refactor(&a, &none).unwrap());
        // Numbers that are none, and an unsymmetric matrix.
        none.data_mut()[0] = f64::NAN;
        assert!(matches!(factor.refactor(&a, &none), Err(AlgebraError::NonFinite { .. })));
        let mut skew = a.clone();
        skew.data_mut()[1] += 1.0;
        assert!(matches!(factor.refactor(&skew, &g), Err(AlgebraError::NotSymmetric { .. })));
        // And it serves again.
        assert!(factor.refactor(&a, &g).unwrap());
    }
}
