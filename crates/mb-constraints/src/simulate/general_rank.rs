//! The rank that constraints have in general: not at a singular start, and not near the constraints.
//!
//! ```text
//! d = (I - Phi_q^+ Phi_q) z,   q_1 = assembled(q (+) d),   r = max(rank Phi_q(q), rank Phi_q(q_1))
//! ```
//!
//! A start may be singular, and has fewer independent rows then than the configurations around it; z has no direction of
//! its own, so that q_1 is one of these. In an overconstrained mechanism r stays below m wherever it moves, but its redundant rows
//! are independent by the errors of an integration.

use super::Start;
use crate::assembly::{AssemblyOptions, assemble};
use crate::error::ConstraintError;
use crate::rank::{DENSE_RANK_UP_TO, constraint_rank};
use crate::saddle::Saddle;
use mb_algebra::{RankTolerance, norms, sparse};
use mb_model::Model;

/// Length of the way to the other configuration, in m and rad.
const WAY: f64 = 1e-2;

/// The general rank, with that of the start given; none where no row is redundant, or where it is not found.
pub(super) fn general_rank(
    model: &Model,
    start: &Start,
    rank: usize,
) -> Result<Option<usize>, ConstraintError> {
    let (n, m) = (model.nv(), model.nc());
    if rank == m || n + m > DENSE_RANK_UP_TO {
        return Ok(None);
    }
    if rank == n {
        return Ok(Some(rank));
    }
    // Multiples of the golden ratio: spread evenly, in no order.
    let spread = |i: usize| (0.618_033_988_749_895 * (i + 1) as f64).fract() - 0.5;
    let z: Vec<f64> = (0..n).map(spread).collect();
    let phi_q = model.phi_q(&start.q, start.t).to_sparse();
    let mut d = Saddle::sparse(&sparse::identity(n), &phi_q)?.solve(&z, &vec![0.0; m]).0;
    let length = norms::two(&d);
    if length.is_nan() || length <= 0.0 {
        return Ok(None);
    }
    for x in &mut d {
        *x *= WAY / length;
    }
    let beside = model.coordinates().retract(&start.q, &d);
    let Ok(there) = assemble(model, &beside, start.t, &AssemblyOptions::default()) else { return Ok(None) };
    let other = constraint_rank(model, &there.q, start.t, RankTolerance::default())?.rank();
    Ok(Some(rank.max(other)))
}
