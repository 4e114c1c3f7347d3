//! What shows that a direction is in the null space of a symmetric K on the admissible directions.
//!
//! ```text
//! e = |x^T K x| / (|x|^T |K| |x|),   x^T K x in double-double precision
//! ```
//!
//! e is the relative change of all entries that makes the form zero. Rounding of each entry to the nearest number changes it by u/2 at most,
//! the operations that a sum over elements takes by a few u; where e is larger, K as written has no zero there, however small w is.

use mb_algebra::Dense;

use super::departure;
use crate::numeric::{double_double, vectors};
use crate::problem::Problem;
use crate::tuning;

/// Whether w is so small a part of the shift that inverse iteration there does not tell it from zero.
pub(crate) fn is_still(w: f64, sigma: f64) -> bool {
    w.abs() <= tuning::MINOR * sigma.abs()
}

/// What a direction shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    /// e.
    pub(crate) energy: f64,
    /// How far K x + Phi^T l is from zero, by components.
    pub(crate) departure: f64,
}

impl Evidence {
    /// Of columns x, n x p, with multipliers l of the independent rows at length one, r x p.
    pub(crate) fn of(problem: &Problem, x: &Dense, l: &Dense) -> Vec<Self> {
        let departures = departure::by_components(problem, x, l);
        departures
            .into_iter()
            .enumerate()
            .map(|(j, departure)| Self { energy: energy(problem, x.col_as_slice(j)), departure })
            .collect()
    }

    /// Whether the direction counts as null, with Rayleigh quotient w at the shift sigma.
    ///
    /// `next`: the smallest |w| that is clear of zero; `tolerance`: that of the components.
    pub(crate) fn is_null(self, w: f64, sigma: f64, next: Option<f64>, tolerance: f64) -> bool {
        let Self { energy, departure } = self;
        let still = is_still(w, sigma);
        // Quotient of the next w and one whose energy is above rounding, though below the tolerance, from which on that is zero too.
        let gap = next.is_none_or(|next| next > tuning::GAP * w.abs());
        (energy <= tuning::FEW_ROUNDINGS && (still || departure <= tolerance))
            // Share of the tolerance for an energy, whose error is of second order in those of the vector.
            || (still && energy <= tuning::CLEAR * tolerance && gap)
    }
}

/// e of one vector; zero where nothing but rounding of x meets entries of K.
pub(crate) fn energy(problem: &Problem, x: &[f64]) -> f64 {
    let rough = problem.k.relative_form(x);
    if rough > tuning::SUM_ROUNDINGS || rough == 0.0 {
        return rough;
    }
    let z = vectors::complex(x);
    let form = double_double::bilinear_sparse(problem.k.sparse(), &z, &z).norm();
    let sizes: Vec<f64> = x.iter().map(|v| v.abs()).collect();
    let terms: f64 = problem.k.magnitude(&sizes).iter().zip(&sizes).map(|(k, x)| k * x).sum();
    form / terms
}
