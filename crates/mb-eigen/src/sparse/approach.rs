//! The way of the shift to a cluster of lowest modes that lies far from zero, as that of a chain on soft ground.
//!
//! Seen from sigma, such modes have nearly equal theta = 1 / (w - sigma), and a Krylov method needs many restarts to tell
//! them apart. A block of random vectors after a few steps of inverse iteration shows the cluster, long before any mode
//! of it has converged: its Ritz values agree while each vector is still a mixture. With T the operator and v one of them,
//!
//! ```text
//! theta = v^T M T v,   r^2 theta^2 = |T v|_M^2 - theta^2,   sigma' = sigma + 1 / (theta (1 + EDGE r))
//! ```
//!
//! r is the spread of theta in the mixture, and EDGE spreads above its mean lie beyond all of them: sigma' is below the
//! cluster at a tenth of its former distance. The inertia of its factors tells when it is not. Two or three
//! such steps, each a factorization and three block solves, take the place of some ten restarts.

use mb_algebra::Dense;

use super::shift_invert::{Known, ShiftInvert};
use super::symmetric::{Shifted, Symmetric};
use super::zeros::orthonormal;
use crate::EigenError;
use crate::krylov::SymmetricOperator;
use crate::krylov::scalar::Scalar;

/// Steps of the shift.
const MOVES: usize = 4;
/// Steps of inverse iteration at each place before it is looked at.
const STEPS: usize = 2;
/// Ritz values that spread over less than this fraction of their distance from the shift are a cluster.
const SPREAD: f64 = 0.3;
/// Spread of theta below which a vector is a mode, or as good as one.
const MIXED: f64 = 0.02;
/// Spreads of theta from its mean to beyond all modes of the mixture.
const EDGE: f64 = 1.5;
/// Tries to get below the cluster.
const TRIES: usize = 3;

/// What the block shows of the lowest modes.
struct Sight {
    /// Largest spread of theta in a vector, relative to theta.
    mixed: f64,
    /// Smallest and largest w = sigma + 1 / theta.
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
            first > 0.0 && first > sigma && last - first < SPREAD * (first - sigma)
        };
        let ends = ritz.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), w| (a.min(*w), b.max(*w)));
        if low.ncols() < 3 || !clustered(ends.0, ends.1, shifted.sigma) {
            return Ok((shifted, low));
        }
        for _ in 0..MOVES {
            let operator = ShiftInvert { problem, solver: shifted.solver.as_ref(), known };
            let (sight, next) = look(&operator, shifted.sigma, &low)?;
            low = orthonormal(problem, &none, next, 1)?.0;
            let (from, to) = (shifted.sigma, sight.edge);
            let worth = to - from > 0.5 * (sight.first - from);
            if sight.mixed < MIXED || !worth || !clustered(sight.first, sight.last, from) {
                break;
            }
            // The old factors go before the new ones come.
            drop(shifted);
            let (place, below) = self.below_cluster(from, to, known.x.ncols())?;
            shifted = place;
            if !below {
                break;
            }
            for _ in 0..STEPS {
                let operator = ShiftInvert { problem, solver: shifted.solver.as_ref(), known };
                let moved = operator.apply(low.as_ref(), operator.metric(&low).as_ref())?;
                low = orthonormal(problem, &none, moved, 1)?.0;
            }
        }
        Ok((shifted, low))
    }

    /// Factors at `to`, or nearer to `from` until no modes but the `known` ones lie below; whether that succeeded.
    fn below_cluster(&mut self, from: f64, to: f64, known: usize) -> Result<(Shifted, bool), EigenError> {
        let mut share = 1.0;
        for _ in 0..TRIES {
            let shifted = self.factor_quietly(from + share * (to - from))?;
            match shifted.solver.negative() {
                Some(negative) if negative > known => share *= 0.5,
                _ => return Ok((shifted, true)),
            }
        }
        Ok((self.factor_quietly(from)?, false))
    }
}

/// One step of inverse iteration, and what it shows.
fn look(operator: &ShiftInvert<'_>, sigma: f64, low: &Dense) -> Result<(Sight, Dense), EigenError> {
    let force = operator.metric(low);
    let next = operator.apply(low.as_ref(), force.as_ref())?;
    let first = f64::adjoint_product(force.as_ref(), next.as_ref());
    let second = f64::adjoint_product(next.as_ref(), operator.metric(&next).as_ref());
    let mut sight = Sight { mixed: 0.0, first: f64::INFINITY, last: f64::NEG_INFINITY, edge: f64::INFINITY };
    for j in 0..low.ncols() {
        let theta = first[(j, j)];
        let mixed = (second[(j, j)] / (theta * theta) - 1.0).max(0.0).sqrt();
        let w = sigma + theta.recip();
        sight.mixed = sight.mixed.max(mixed);
        (sight.first, sight.last) = (sight.first.min(w), sight.last.max(w));
        sight.edge = sight.edge.min(sigma + (theta * (1.0 + EDGE * mixed)).recip());
    }
    Ok((sight, next))
}
