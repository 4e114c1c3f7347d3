//! Multipliers at a point of an orbit, those of least norm, and what they leave of the forces.

use mb_algebra::AlgebraError;
use mb_constraints::minimum_norm_multipliers;
use mb_model::{Model, Point};

/// The multipliers and what they leave: m and n numbers.
///
/// # Errors
/// Entries that are not finite.
pub(super) fn multipliers(model: &Model, there: &Point) -> Result<(Vec<f64>, Vec<f64>), AlgebraError> {
    let there = Point { lambda: vec![0.0; model.nc()], ..there.clone() };
    let free: Vec<f64> = model.residual(&there).iter().map(|x| -x).collect();
    minimum_norm_multipliers(&model.phi_q(&there.q, there.t).to_sparse(), &free)
}
