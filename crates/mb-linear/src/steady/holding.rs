//! Multipliers at a point of an orbit, those of least norm, and what they leave of the forces.
//!
//! Rows that are independent beyond doubt are factored by QR; where pivots leave a doubt about the rank, singular values decide it, which
//! takes some times as long.

use mb_algebra::{AlgebraError, Dense, RankQr, RankTolerance, dense};
use mb_constraints::minimum_norm_multipliers;
use mb_model::{Model, Point};

/// Most velocities of a model whose rows are factored as a dense matrix.
const SMALL: usize = 120;

/// Pivots above this share of the largest are those of independent rows.
const INDEPENDENT: f64 = 1e-6;

/// The multipliers and what they leave: m and n numbers.
///
/// # Errors
/// Entries that are not finite.
pub(super) fn multipliers(model: &Model, there: &Point) -> Result<(Vec<f64>, Vec<f64>), AlgebraError> {
    let there = Point { lambda: vec![0.0; model.nc()], ..there.clone() };
    let free: Vec<f64> = model.residual(&there).iter().map(|x| -x).collect();
    let phi_q = model.phi_q(&there.q, there.t);
    let dense = (model.nv() <= SMALL && model.nc() <= model.nv()).then(|| phi_q.to_dense());
    let Some((rows, qr)) = dense.and_then(|rows| independent(&rows).map(|qr| (rows, qr))) else {
        return minimum_norm_multipliers(&phi_q.to_sparse(), &free);
    };
    let lambda = qr.solve_transpose(&free);
    let held = dense::matvec_transpose(&rows, &lambda);
    let rest = free.iter().zip(&held).map(|(f, h)| f - h).collect();
    Ok((lambda, rest))
}

/// The factors of rows that are independent beyond doubt.
fn independent(rows: &Dense) -> Option<RankQr> {
    let qr = RankQr::new(rows, RankTolerance { relative: INDEPENDENT }).ok()?;
    (qr.rank() == rows.nrows()).then_some(qr)
}
