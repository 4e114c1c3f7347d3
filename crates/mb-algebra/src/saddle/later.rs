//! What is left when a solution misses its residual although the factors passed their trial.
//!
//! The trial is one right-hand side; another may bring out what exchanges inside blocks left behind. The methods behind the one
//! in use are then factored, each when it is first asked for, and their solution counts if it passes the same check: those of
//! the ladder where memory allows them, and for small systems LU of the dense matrix (N^2 numbers, 2/3 N^3 operations) and its
//! singular values (2 N^2 numbers, about 20 N^3 operations), whose solution is the shortest that leaves the least residual.
//! N = n + m. Golub and Van Loan, Matrix Computations, sections 3.4 and 5.5.
//!
//! Every solve begins with the method in use, so that no solution depends on which others were asked for before.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::augmented_lu::AugmentedLu;
use super::checked::{Checked, ScaledSolve, System, accept};
use super::fallback::Fallback;
use super::{Method, SaddleAnalysis, SaddleOptions};

/// Entries of LU with exchanges over the whole matrix for one of L D L^T, as measured on solids.
const LU_FILL: usize = 10;
/// Largest N of dense LU.
const DENSE_UP_TO: usize = 1500;
/// Largest N of which singular values are taken.
const SHORTEST_UP_TO: usize = 300;

/// A solver behind the trait all methods share.
pub(super) type Boxed<T> = Box<dyn ScaledSolve<T>>;

/// The methods behind the one in use.
#[derive(Debug)]
pub(super) struct Later<T: Fallback> {
    rungs: Vec<Rung<T>>,
    /// One more than the furthest rung that gave a solution.
    furthest: AtomicUsize,
}

/// A method, factored when first asked for; `None` inside where it has no factors.
#[derive(Debug)]
struct Rung<T: Fallback> {
    method: Method,
    solver: OnceLock<Option<Boxed<T>>>,
}

impl<T: Fallback> Later<T> {
    /// The methods behind `method`. Behind single precision there is none: all of them need more memory.
    pub(super) fn behind(method: Method, symmetric: bool) -> Self {
        let ladder =
            [Method::ThresholdLdl, Method::AugmentedLu, Method::Lu, Method::DenseLu, Method::Shortest];
        let left = |m: &Method| {
            *m > method && method != Method::SingleLdl && (symmetric || *m != Method::ThresholdLdl)
        };
        let rungs = ladder.into_iter().filter(left);
        let rungs = rungs.map(|method| Rung { method, solver: OnceLock::new() }).collect();
        Self { rungs, furthest: AtomicUsize::new(0) }
    }

    /// Forgets all factors, for another matrix.
    pub(super) fn forget(&mut self) {
        for rung in &mut self.rungs {
            rung.solver.take();
        }
        self.furthest = AtomicUsize::new(0);
    }

    /// The furthest method that gave a solution.
    pub(super) fn used(&self) -> Option<Method> {
        let furthest = self.furthest.load(Ordering::Relaxed).checked_sub(1)?;
        self.rungs.get(furthest).map(|rung| rung.method)
    }

    /// The first solution that passes the check; arguments as in [`System::solve`].
    #[expect(clippy::too_many_arguments, reason = "the system of equations with what made its factors")]
    pub(super) fn solve(
        &self,
        analysis: &Arc<SaddleAnalysis>,
        system: &System<T>,
        options: &SaddleOptions,
        dropped: &[bool],
        (f, g): (&[T], &[T]),
        width: usize,
        transposed: bool,
    ) -> Option<Checked<T>> {
        for (k, rung) in self.rungs.iter().enumerate() {
            let made = rung.solver.get_or_init(|| make(rung.method, analysis, system, dropped));
            let Some(solver) = made else { continue };
            let found = system.solve(&**solver, options, f, g, width, transposed);
            if let Ok(found) = accept(found, options.tolerance) {
                self.furthest.fetch_max(k + 1, Ordering::Relaxed);
                return Some(found);
            }
        }
        None
    }
}

/// Factors by one method, where it has some and they fit.
fn make<T: Fallback>(
    method: Method,
    analysis: &Arc<SaddleAnalysis>,
    system: &System<T>,
    dropped: &[bool],
) -> Option<Boxed<T>> {
    let size = system.unknowns() + system.constraints();
    let fits = |numbers: usize| analysis.check_memory(numbers * size_of::<T>()).is_ok();
    match method {
        Method::AugmentedLdl | Method::SingleLdl => None,
        Method::AugmentedLu => {
            let made = fits(2).then(|| AugmentedLu::new(analysis, system, dropped))?.ok()?;
            Some(Box::new(made))
        }
        Method::ThresholdLdl | Method::Lu => {
            let fits = fits(if method == Method::Lu { LU_FILL } else { 2 });
            fits.then(|| T::robust(method, system, dropped))??.ok().map(|(solver, _)| solver)
        }
        Method::DenseLu => (size <= DENSE_UP_TO).then(|| T::dense(system, dropped))?,
        Method::Shortest => (size <= SHORTEST_UP_TO).then(|| T::shortest(system, dropped))?,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::saddle::lu::stored;
    use crate::{Dense, SparseC, c64, dense, sparse, to_sparse};

    /// An unsymmetric A with two constraints, and right-hand sides of known solutions.
    fn matrices() -> (crate::Sparse, crate::Sparse) {
        let n = 7;
        let a =
            Dense::from_fn(n, n, |i, j| if i == j { 3.0 } else { ((2 * i + 5 * j) % 7) as f64 / 4.0 - 0.6 });
        let g =
            dense::from_rows(&[&[1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0], &[0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 3.0]]);
        (to_sparse(&a), to_sparse(&g))
    }

    /// Solves with the last methods alone, both ways, and measures what they leave.
    fn check<T: Fallback>(system: &System<T>, analysis: &Arc<SaddleAnalysis>) {
        let (n, m) = (system.unknowns(), system.constraints());
        let symmetric = matches!(system.a, crate::saddle::half::Stored::Half(_));
        let f: Vec<T> = (0..n).map(|i| T::from_real(1.0 - i as f64).scaled(0.5)).collect();
        for (behind, by) in [(Method::Lu, Method::DenseLu), (Method::DenseLu, Method::Shortest)] {
            let later = Later::behind(behind, symmetric);
            assert_eq!(later.used(), None);
            for transposed in [false, true] {
                let found = later
                    .solve(analysis, system, &analysis.options, &vec![false; m], (&f, &[]), 1, transposed)
                    .unwrap();
                assert!(found.error.worst() < 1e-15, "{by}: {:?}", found.error);
                assert_eq!(later.used(), Some(by));
            }
        }
    }

    #[test]
    fn dense_methods_solve_both_ways() {
        let (a, g) = matrices();
        let analysis = Arc::new(SaddleAnalysis::new(&a, &g, &SaddleOptions::default()).unwrap());
        let terms = stored(&analysis, &[(1.0, &a)], &g, |f, x| f * x).unwrap();
        check(&System::new(terms.0, terms.1, &analysis.g_cols, &analysis.g_rows), &analysis);
        let turned: SparseC = a.map(|v| c64::new(*v, 0.3 - v * v));
        let terms = stored(&analysis, &[(c64::new(0.8, 0.1), &turned)], &g, |f, x| f * x).unwrap();
        check(&System::new(terms.0, terms.1, &analysis.g_cols, &analysis.g_rows), &analysis);
    }

    #[test]
    fn a_singular_matrix_has_a_shortest_solution_where_there_is_one() {
        // Two free masses on a spring: forces in balance.
        let k = to_sparse(&dense::from_rows(&[&[2.0, -2.0], &[-2.0, 2.0]]));
        let g = sparse::zeros(0, 2);
        let analysis = Arc::new(SaddleAnalysis::new(&k, &g, &SaddleOptions::default()).unwrap());
        let (a, g) = stored(&analysis, &[(1.0, &k)], &g, |f, x| f * x).unwrap();
        let system = System::new(a, g, &analysis.g_cols, &analysis.g_rows);
        let later = Later::behind(Method::DenseLu, false);
        let solve = |f: [f64; 2]| {
            later.solve(&analysis, &system, &analysis.options, &[], (&f, &[]), 1, false).map(|found| found.x)
        };
        let x = solve([1.0, -1.0]).unwrap();
        assert!((x[0] - 0.25).abs() < 1e-15 && (x[1] + 0.25).abs() < 1e-15);
        assert!(solve([1.0, 1.0]).is_none());
        assert!(Later::<f64>::behind(Method::SingleLdl, true).rungs.is_empty());
    }
}
