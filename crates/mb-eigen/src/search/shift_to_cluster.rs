//! The way of the shift to a cluster of lowest modes that lies far from zero, as that of a chain on soft ground.
//!
//! Seen from sigma, such modes have nearly equal theta = 1 / (w - sigma), and a Krylov method needs many restarts to separate
//! them apart. A block of random vectors after a few steps of inverse iteration shows the cluster, long before any mode
//! of it has converged: its Ritz values agree while each vector is still a mixture. With T the operator and v a Ritz vector of it,
//!
//! ```text
//! theta = v^T M T v,   r^2 theta^2 = |T v|_M^2 - theta^2,   sigma' = sigma + 1 / (theta (1 + EDGE r))
//! ```
//!
//! r is the spread of theta in the mixture, and EDGE spreads above its mean lie beyond all of them: sigma' is below the
//! cluster at some hundredths of its former distance. The inertia of its factors shows when it is not. Two
//! such steps, each a factorization and three block solves, take the place of some ten restarts.

use mb_algebra::sorted::ascending;
use mb_algebra::{Dense, SymmetricEigen};

use super::hermitian::Symmetric;
use crate::EigenError;
use crate::error::at;
use crate::krylov::scalar::Scalar;
use crate::null_space::symmetric::orthonormal;
use crate::problem::Problem;
use crate::transform::factors::Shifted;
use crate::transform::shift_invert_symmetric::Known;
use crate::tuning;

/// Spreads of theta from its mean to beyond all modes of the mixture.
const EDGE: f64 = 1.5;

/// What the block shows of the lowest modes.
struct Sight {
    /// Largest spread of theta in a vector, relative to theta.
    mixed: f64,
    /// Smallest and largest Ritz value w = sigma + 1 / theta.
    first: f64,
    last: f64,
    /// Where the modes begin.
    edge: f64,
}

impl Symmetric<'_> {
    /// Moves the shift to below a cluster of lowest modes, if they are one; `low` (n x p, M-orthonormal, without the known
    /// modes) has been through some steps of inverse iteration, `ritz` are its Ritz values of w. Returns the place
    /// and directions rich in lowest modes.
    pub(crate) fn approach(
        &mut self,
        mut shifted: Shifted,
        known: &Known,
        mut low: Dense,
        ritz: &[f64],
    ) -> Result<(Shifted, Dense), EigenError> {
        let (problem, none) = (self.problem, Dense::zeros(self.problem.n, 0));
        let clustered = |first: f64, last: f64, sigma: f64| {
            // Ritz values that spread over less than this fraction of their distance from the shift are a cluster.
            first > 0.0 && first > sigma && last - first < tuning::PARTLY * (first - sigma)
        };
        let ends = ritz.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), w| (a.min(*w), b.max(*w)));
        if low.ncols() < 3 || !clustered(ends.0, ends.1, shifted.sigma) {
            return Ok((shifted, low));
        }
        let mut force = problem.m.mul(&low);
        // Steps of the shift.
        for _ in 0..tuning::ATTEMPTS {
            let sight = look(problem, &shifted, known, &mut low, &mut force)?;
            (low, force) = orthonormal(problem, &none, low, 1)?;
            let (from, to) = (shifted.sigma, sight.edge);
            let worth = to - from > 0.5 * (sight.first - from);
            // Spread of theta below which a vector is a mode, or as good as one.
            if sight.mixed < tuning::MINOR || !worth || !clustered(sight.first, sight.last, from) {
                break;
            }
            // The old factors go before the new ones come.
            drop(shifted);
            let (place, below) = self.below_cluster(from, to, known.x.ncols())?;
            shifted = place;
            if !below {
                break;
            }
            // Steps of inverse iteration at each place before it is looked at.
            for _ in 0..tuning::FEW_STEPS {
                shifted.solver.displacements(force.as_ref(), low.as_mut())?;
                known.project(&mut low);
                (low, force) = orthonormal(problem, &none, low, 1)?;
            }
        }
        Ok((shifted, low))
    }

    /// Factors at `to`, or nearer to `from` until no modes but the `known` ones lie below; whether that succeeded.
    fn below_cluster(&mut self, from: f64, to: f64, known: usize) -> Result<(Shifted, bool), EigenError> {
        let mut share = 1.0;
        // Tries to get below the cluster.
        for _ in 0..tuning::FEW_STEPS {
            let shifted = self.factor_quietly(from + share * (to - from))?;
            match shifted.solver.negative() {
                Some(negative) if negative > known => share *= 0.5,
                _ => return Ok((shifted, true)),
            }
        }
        Ok((self.factor_quietly(from)?, false))
    }
}

/// One step of inverse iteration, and what it shows; `force` holds M `low` before, and that of the new `low` afterwards.
fn look(
    problem: &Problem<'_>,
    shifted: &Shifted,
    known: &Known,
    low: &mut Dense,
    force: &mut Dense,
) -> Result<Sight, EigenError> {
    shifted.solver.displacements(force.as_ref(), low.as_mut())?;
    known.project(low);
    let first = f64::adjoint_product(force.as_ref(), low.as_ref());
    problem.m.mul_into(low.as_ref(), force.as_mut());
    let second = f64::adjoint_product(low.as_ref(), force.as_ref());
    let form = |matrix: &Dense, y: &[f64]| -> f64 {
        let product = |j: usize| y.iter().enumerate().map(|(i, y)| y * matrix[(i, j)]).sum::<f64>();
        y.iter().enumerate().map(|(j, y)| y * product(j)).sum()
    };
    let sigma = shifted.sigma;
    let eigen = SymmetricEigen::new(&mb_algebra::dense::symmetric_part(&first))
        .map_err(at("Ritz values of the lowest modes"))?;
    let mut sight = Sight { mixed: 0.0, first: f64::INFINITY, last: f64::NEG_INFINITY, edge: f64::INFINITY };
    for (j, &theta) in eigen.values.iter().enumerate() {
        let moved = form(&second, eigen.vectors.col_as_slice(j));
        let mixed = (moved / (theta * theta) - 1.0).max(0.0).sqrt();
        let w = sigma + theta.recip();
        sight.mixed = sight.mixed.max(mixed);
        if w < sight.first {
            sight.first = w;
            // The mixture that holds most of the lowest modes.
            sight.edge = sigma + (theta * (1.0 + EDGE * mixed)).recip();
        }
        sight.last = sight.last.max(w);
    }
    // Where the first vector is a mode already, its neighbours show how near to go.
    // Distance from the first mode, relative to the spread of the Ritz values, that is near enough.
    sight.edge = sight.edge.min(sight.first - tuning::CLEAR * (sight.last - sight.first));
    Ok(sight)
}

/// A shift near the wanted w, when they form a cluster far from the present one.
///
/// theta of the wanted modes then differ by little: with w_1 nearest to sigma, Lanczos at w_1 - (w_k - w_1) / 2 sees
/// them apart.
pub(super) fn cluster(sigma: f64, theta: &[f64], count: usize) -> Option<f64> {
    let mut w: Vec<f64> =
        theta.iter().take(count).filter(|t| **t != 0.0).map(|t| sigma + t.recip()).collect();
    ascending(&mut w, |a| (a - sigma).abs());
    let (first, last) = (*w.first()?, *w.last()?);
    let (spread, distance) = ((last - first).abs(), (first - sigma).abs());
    let next = first - 0.5 * spread;
    (spread > 0.0 && spread < tuning::PARTLY * distance && (next - sigma).abs() > 0.5 * distance)
        .then_some(next)
}
