//! The measurements, made with the library as any user would.

mod explicit_run;
mod features;
pub(crate) mod hanging;
pub(crate) mod linkage;
pub(crate) mod pendulum;
mod singular;
mod solvers;
pub(crate) mod sparsity;
pub(crate) mod spectra;
pub(crate) mod statements;

use mb_gallery::models::FourBar;
use mb_linear::formulation::unconstrained::Penalty;

pub(crate) use self::solvers::comparisons;
use super::results::Results;

/// The paper's numbers of loops.
const LOOPS: [u32; 5] = [1, 5, 10, 15, 20];

/// The paper's penalty parameters for the linkage: alpha = 1e6, xi = 1, omega = 10.
pub(super) fn penalty() -> Penalty {
    Penalty::scalar(1e6, 1.0, 10.0)
}

/// The paper's linkage, with the dampers of Table 2 or without.
pub(super) fn four_bar(loops: u32, damped: bool) -> FourBar {
    FourBar { loops, damping: if damped { 1.0 } else { 0.0 }, ..FourBar::default() }
}

impl Results {
    /// Measures everything once. What fails is reported in the cells it would have filled.
    pub(crate) fn measure() -> Self {
        let mut linkages = Vec::new();
        for damped in [false, true] {
            linkages.extend(LOOPS.map(|loops| linkage::measure(&four_bar(loops, damped))));
        }
        let counted =
            [1, 20].map(|loops| linkage::count(&four_bar(loops, false))).into_iter().flatten().collect();
        let singular = singular::measure();
        let features = features::measure(&four_bar(1, true));
        Self { linkages, counted, singular, features }
    }
}
