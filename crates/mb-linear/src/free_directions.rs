//! How many directions without stiffness there can be at most, known from the geometry and not from the entries of K.
//!
//! ```text
//! K x = 0, Phi_q x = 0   only if   x = Z c,  Phi_q Z c = 0
//! ```
//!
//! Z are the motions that strain no beam and no solid ([`Model::strainless`]). Their number is that of bodies and not of elements,
//! and the rank of Phi_q Z loses one digit where that of K loses two.

use crate::point::OperatingPoint;
use mb_algebra::{Dense, RankTolerance, Svd};
use mb_model::{Model, Point};

/// Most motions without strain checked.
pub(crate) const MOST: usize = 600;
/// Most entries of Phi_q Z.
const MOST_ENTRIES: usize = 2_000_000;
/// Singular values of Phi_q Z, with rows of length one, that are zero.
const ZERO: RankTolerance = RankTolerance { relative: 1e-10 };

/// An upper bound of the directions x with K x + Phi_q^T l = 0, Phi_q x = 0 at rest; none where the geometry does not decide: in
/// motion, under load, with stiffnesses below zero, or with more than 600 motions that strain nothing.
///
/// Where it is zero K is positive definite on the admissible directions, whatever its entries have been rounded to.
pub fn most_free_directions(model: &Model, at: &OperatingPoint) -> Option<usize> {
    if at.steady().is_some() { None } else { at_rest(model, at.point(), MOST) }
}

/// The same at a point; none with more than `most` motions that strain nothing.
pub(crate) fn at_rest(model: &Model, point: &Point, most: usize) -> Option<usize> {
    let z = model.strainless(point, most)?.to_csr();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut row_of = vec![usize::MAX; model.nc()];
    for (row, i, value) in model.phi_q(&point.q, point.t).iter() {
        let Some(fields) = z.outer_view(i).filter(|fields| fields.nnz() > 0) else { continue };
        if row_of[row] == usize::MAX {
            row_of[row] = rows.len();
            rows.push(vec![0.0; z.cols()]);
            if rows.len() * z.cols() > MOST_ENTRIES {
                return None;
            }
        }
        for (j, field) in fields.iter() {
            rows[row_of[row]][j] += value * field;
        }
    }
    for row in &mut rows {
        let length = mb_algebra::norms::two(row);
        if length > 0.0 {
            for v in row.iter_mut() {
                *v /= length;
            }
        }
    }
    let held = Svd::new(&Dense::from_fn(rows.len(), z.cols(), |i, j| rows[i][j])).ok()?.rank(ZERO).rank;
    Some(z.cols() - held)
}
