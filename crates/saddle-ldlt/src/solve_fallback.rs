//! Solutions that the factors in use miss, by the method behind them.
//!
//! Factors may pass their trial and yet miss another right-hand side. The method behind the one in use is then factored, once, when
//! it is first asked for, and its solution counts if it passes the same check: delayed pivots behind L D L^T without, pivoting
//! over the whole matrix behind L U with pivoting restricted to the front, where memory allows it.
//!
//! Every solve begins with the method in use, so that no solution depends on which others were asked for before.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::fallback::Fallback;
use super::ldl::AugmentedLdl;
use super::refined_solve::{Boxed, Checked, System, accept};
use super::symmetric_storage::Stored;
use super::{Method, SaddleAnalysis, SaddleOptions};

/// Entries of LU with exchanges over the whole matrix for one of L D L^T, as measured on solids.
const LU_FILL: usize = 10;

/// The method behind the one in use, factored when first asked for; `None` inside where it has no factors.
#[derive(Debug)]
pub(super) struct Later<T: Fallback> {
    method: Option<Method>,
    solver: OnceLock<Option<Boxed<T>>>,
    /// Whether it has given a solution.
    used: AtomicBool,
}

impl<T: Fallback> Later<T> {
    /// What stands behind `method`. Behind single precision there is nothing: all else needs more memory.
    pub(super) fn behind(method: Method) -> Self {
        let method = match method {
            Method::AugmentedLdl => Some(Method::DelayedLdl),
            Method::AugmentedLu => Some(Method::Lu),
            Method::SingleLdl | Method::DelayedLdl | Method::Lu => None,
        };
        Self { method, solver: OnceLock::new(), used: AtomicBool::new(false) }
    }

    /// Forgets its factors, for another matrix.
    pub(super) fn forget(&mut self) {
        self.solver.take();
        *self.used.get_mut() = false;
    }

    /// The method, where it has given a solution.
    pub(super) fn used(&self) -> Option<Method> {
        self.method.filter(|_| self.used.load(Ordering::Relaxed))
    }

    /// A solution that passes the check; arguments as in [`System::solve`].
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
        let made = self.solver.get_or_init(|| make(self.method?, analysis, system, dropped));
        let found = system.solve(&**made.as_ref()?, options, f, g, width, transposed);
        let found = accept(found, options.tolerance).ok()?;
        self.used.store(true, Ordering::Relaxed);
        Some(found)
    }
}

/// Factors by one method, where it has some and they fit.
fn make<T: Fallback>(
    method: Method,
    analysis: &Arc<SaddleAnalysis>,
    system: &System<T>,
    dropped: &[bool],
) -> Option<Boxed<T>> {
    let fits = |numbers: usize| analysis.check_memory(numbers * size_of::<T>()).is_ok();
    match (method, &system.a) {
        (Method::DelayedLdl, Stored::Half(a)) if fits(1) => {
            let made = AugmentedLdl::delayed(analysis, system, a, dropped).ok()?;
            Some(Box::new(made))
        }
        (Method::Lu, _) if fits(LU_FILL) => T::lu(system, dropped).ok(),
        _ => None,
    }
}
