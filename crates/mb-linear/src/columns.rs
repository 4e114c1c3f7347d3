//! The linearization by ranges of columns, for models whose matrices are larger than what may be kept of them.

use crate::entries::Extremes;
use crate::point::OperatingPoint;
use crate::turning::Turning;
use mb_algebra::{Sparse, sparse};
use mb_model::Model;
use mb_model::system::Blocks;

/// Hands over M, C and K of one range of columns after the other, n x width each, with the entries that
/// [`linearize_sparse`](crate::linearize_sparse) has, and gives Phi_q, m x n.
///
/// None, before anything or at the end, where the matrices are needed as a whole: with velocity rows, where bodies in space or the frame of
/// the motion turn, with K in parts, and with entries that are nothing compared with the largest.
///
/// # Errors
/// Those of `take`.
pub fn linearize_by_columns<E>(
    model: &Model,
    at: &OperatingPoint,
    mut take: impl FnMut([&Sparse; 3]) -> Result<(), E>,
) -> Result<Option<Sparse>, E> {
    let point = at.point();
    let turns = at.steady().is_some_and(|motion| !motion.generator().is_zero());
    let whole = model.has_velocity_rows() || model.has_parts();
    if whole || turns || Turning::new(model, point).is_some() {
        return Ok(None);
    }
    let mut extremes = [Extremes::default(); 4];
    let mut phi_q = Vec::new();
    model.blocks_by_columns(point, |blocks| {
        let Blocks { m, c, k, phi_q: phi } = blocks;
        for (extremes, matrix) in extremes.iter_mut().zip([&m, &c, &k, &phi]) {
            extremes.add(matrix);
        }
        phi_q.push(phi);
        take([&m, &c, &k])
    })?;
    if extremes.iter().any(Extremes::hold_nothing) {
        return Ok(None);
    }
    let widths: Vec<usize> = phi_q.iter().map(Sparse::cols).collect();
    let blocks: Vec<Option<&Sparse>> = phi_q.iter().map(Some).collect();
    Ok(Some(sparse::blocks(&[&blocks], &[model.nc()], &widths)))
}
