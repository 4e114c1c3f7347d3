//! Multipliers that keep the rounding of stiff parts out of the equations of what hangs on them.
//!
//! Equations of a fine beam have the rounding of its stiffness times its coordinates, and no multipliers balance that. Least squares spread it
//! over all equations that share a multiplier: a moment of 1e-11 N m on a wheel that turns freely on its axle, whose stiffness of reactions is
//! then no longer symmetric and hides a free motion. Here the equations are weighed by their rounding, so that it stays where it comes from:
//!
//! ```text
//! lambda <- lambda + d,   d the shortest with the least |W (r - Phi_q^T d)|,   W = diag(1 / rounding)
//! ```
//!
//! Rows that repeat others have the same null space before and after, so that the sum is the shortest one again.

use crate::error::LinearError;
use mb_algebra::{Sparse, norms, sparse};
use mb_constraints::minimum_norm_multipliers;
use mb_model::{Model, Point};

/// Least rounding of an equation, as a share of the largest: its square is beyond double precision, and ranks of the weighed rows are
/// still certain.
const LEAST: f64 = 1e-9;

/// How much larger than the rest of its equations a multiplier may be that is nothing else: equations of a body have several of them.
const OWN_SIZE: f64 = 100.0;

/// Corrects multipliers that leave `rest` (nv) of the forces, where that is more than rounding of an equation on its own.
pub(super) fn correct(
    model: &Model,
    point: &mut Point,
    phi_q: &Sparse,
    rest: &[f64],
) -> Result<(), LinearError> {
    if phi_q.rows() == 0 || rest.iter().all(|r| *r == 0.0) {
        return Ok(());
    }
    let rounding = model.rounding_of_forces(point);
    let least = LEAST * norms::max_abs_vec(&rounding);
    if rest.iter().zip(&rounding).all(|(r, own)| r.abs() <= *own) || !(least > 0.0 && least.is_finite()) {
        return Ok(());
    }
    // Powers of two: nothing is rounded.
    let weights: Vec<f64> = rounding.iter().map(|own| (-own.max(least).log2()).round().exp2()).collect();
    let weighed = |r: &[f64]| r.iter().zip(&weights).map(|(r, w)| r * w).collect::<Vec<f64>>();
    let before = weighed(rest);
    let rows = sparse::mul(phi_q, &sparse::diagonal(&weights));
    let (change, after) = minimum_norm_multipliers(&rows, &before)?;
    if norms::two(&after) < norms::two(&before) {
        point.lambda.iter_mut().zip(&change).for_each(|(lambda, d)| *lambda += d);
        let left: Vec<f64> = after.iter().zip(&weights).map(|(r, w)| r / w).collect();
        drop_what_is_left(&mut point.lambda, phi_q, |j| (rounding[j] <= least).then(|| left[j].abs()));
    }
    Ok(())
}

/// Multipliers that are nothing but what is left of the quiet equations they stand in are zero: their stiffness would be rounding, alone in
/// its rows. `left`: the size of that in an equation, none where it has rounding of other parts.
fn drop_what_is_left(lambda: &mut [f64], phi_q: &Sparse, left: impl Fn(usize) -> Option<f64>) {
    let mut most: Vec<Option<(f64, f64)>> = vec![None; lambda.len()];
    for (value, (row, j)) in phi_q {
        if let Some(left) = left(j).filter(|_| *value != 0.0) {
            let (force, rest) = most[row].unwrap_or_default();
            most[row] = Some((force.max((value * lambda[row]).abs()), rest.max(left)));
        }
    }
    for (lambda, most) in lambda.iter_mut().zip(most) {
        if most.is_some_and(|(force, rest)| force <= OWN_SIZE * rest) {
            *lambda = 0.0;
        }
    }
}
