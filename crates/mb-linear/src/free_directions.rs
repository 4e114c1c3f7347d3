//! How many directions without stiffness there can be at most, known from the geometry and not from the entries of K.
//!
//! ```text
//! K x = 0, Phi_q x = 0   only if   x = Z c,  Phi_q Z c = 0
//! ```
//!
//! Z are the motions that strain no beam and no solid ([`Model::strainless`]). Their number is that of bodies and not of elements,
//! and the rank of Phi_q Z loses one digit where that of K loses two. Where the strains G of all other elements are looked at too
//! ([`Model::strain_rows`]), the directions with G Z c = 0 as well are free, however soft or stiff the elements are.

use crate::point::OperatingPoint;
use mb_algebra::{Dense, RankTolerance, Svd};
use mb_model::{Model, Point};

/// Most motions without strain checked.
pub(crate) const MOST: usize = 600;
/// Most entries of Phi_q Z.
const MOST_ENTRIES: usize = 2_000_000;
/// Singular values of Phi_q Z, with rows of length one, that are zero.
const ZERO: RankTolerance = RankTolerance { relative: 1e-10 };

/// Singular values that are none of a free direction for sure.
const HELD: f64 = 1e-7;
/// Most motions that strain no beam and no solid for which the strains of all other elements are looked at too.
const STRAINS: usize = 200;

/// Directions without stiffness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FreeDirections {
    /// There are no more.
    pub(crate) most: usize,
    /// There are as many.
    pub(crate) exact: bool,
}

/// An upper bound of the directions x with K x + Phi_q^T l = 0, Phi_q x = 0 at rest; none where the geometry does not decide: in
/// motion, under load, with stiffnesses below zero, or with more than 600 motions that strain nothing.
///
/// Where it is zero K is positive definite on the admissible directions, whatever its entries have been rounded to.
pub fn most_free_directions(model: &Model, at: &OperatingPoint) -> Option<usize> {
    if at.steady().is_some() { None } else { at_rest(model, at.point(), MOST).map(|free| free.most) }
}

/// A lower bound of them, whatever the entries of K have been rounded to; zero where the geometry does not decide.
pub fn least_free_directions(model: &Model, at: &OperatingPoint) -> usize {
    let known = at_rest(model, at.point(), MOST).filter(|free| free.exact && at.steady().is_none());
    known.map_or(0, |free| free.most)
}

/// The same at a point; none with more than `most` motions that strain nothing.
pub(crate) fn at_rest(model: &Model, point: &Point, most: usize) -> Option<FreeDirections> {
    let z = model.strainless(point, most)?.to_csr();
    let strains = if z.cols() <= STRAINS { model.strain_rows(point) } else { None };
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut row_of = vec![usize::MAX; model.nc() + strains.as_ref().map_or(0, mb_algebra::Sparse::rows)];
    let phi_q = model.phi_q(&point.q, point.t);
    let of_strains = strains.iter().flatten().map(|(value, (row, i))| (model.nc() + row, i, value));
    for (row, i, value) in phi_q.iter().chain(of_strains) {
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
    let svd = Svd::new(&Dense::from_fn(rows.len(), z.cols(), |i, j| rows[i][j])).ok()?;
    let (held, surely) = (svd.rank(ZERO).rank, svd.rank(RankTolerance { relative: HELD }).rank);
    Some(FreeDirections { most: z.cols() - held, exact: strains.is_some() && held == surely })
}
