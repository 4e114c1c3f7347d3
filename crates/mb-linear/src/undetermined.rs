//! Configurations where the first derivatives of the constraints do not determine the linearization.
//!
//! Where rows of Phi_q depend on each other there are mu with Phi_q^T mu = 0, and lambda + x mu balances the forces as lambda
//! does, for any x. The stiffness of the reactions on the admissible displacements R changes by
//!
//! ```text
//! x R^T d(Phi_q^T mu)/dq R
//! ```
//!
//! For constraints that merely say the same thing twice this is zero: every admissible displacement belongs to a motion, along
//! which mu . Phi stays zero to second order. Where it is not, displacements that satisfy Phi_q x = 0 are no motions (a singular
//! configuration, in which branches of motion meet or the constraints lock to second order), and the spectrum depends on which
//! of the multipliers are taken.
//!
//! Newton's method comes to such a configuration only up to the square root of rounding, because constraints that meet to second order
//! hold to rounding in the whole neighbourhood:
//!
//! ```text
//! Phi ~ sigma d,  d ~ sigma   =>   |Phi| <= 1e-12 where the smallest singular value of Phi_q is sigma <= 1e-6
//! ```
//!
//! A point with such a singular value is not distinguished from the singular one, so that it counts as that.

use crate::error::LinearError;
use mb_algebra::{Dense, RankTolerance, RowDependence, RowRank, Sparse, dense, norms, to_dense};
use mb_constraints::{NullSpace, NullSpaceMethod, unit_rows};
use mb_model::{Model, Point};

/// A stiffness that depends on the choice of multipliers.
#[derive(Clone, Debug, PartialEq)]
pub struct Undetermined {
    /// Constraint rows whose multipliers are not determined, by owner and axis.
    pub rows: Vec<String>,
    /// Change of the stiffness on the admissible displacements compared with that of all displacements: 1 is all of it.
    pub share: f64,
    /// Multipliers that balance themselves and change the stiffness, m numbers each.
    pub sets: Vec<Vec<f64>>,
    /// Up to which the rows depend on each other.
    pub tolerance: RankTolerance,
}

/// Entries below this share are rounding: multipliers and stiffness come from sums of at most thousands of terms.
const ROUNDING: f64 = 1e-9;

/// Singular values of the constraint rows, of length one each, up to which a configuration is not distinguished from a
/// singular one near it.
const NEAR: f64 = 1e-6;

/// What a stiffness has to change by where rows depend on each other only nearly.
const CLEARLY: f64 = 1e-3;

/// Whether the stiffness at a point depends on which multipliers are taken, by dense matrices.
///
/// # Errors
/// Entries that are not finite.
pub fn undetermined(model: &Model, point: &Point) -> Result<Option<Undetermined>, LinearError> {
    let exact = within(model, point, RankTolerance::default(), ROUNDING)?;
    if exact.is_some() { Ok(exact) } else { within(model, point, RankTolerance { relative: NEAR }, CLEARLY) }
}

/// As [`undetermined`], with rows that depend on each other up to a tolerance, and a stiffness that changes by a share.
fn within(
    model: &Model,
    point: &Point,
    tolerance: RankTolerance,
    changes: f64,
) -> Result<Option<Undetermined>, LinearError> {
    let phi_q = model.phi_q(&point.q, point.t).to_sparse();
    let (unit, scales) = unit_rows(&phi_q);
    let dependent = RowRank::new(&unit, tolerance)?.dependences;
    if dependent.is_empty() {
        return Ok(None);
    }
    let basis =
        NullSpace::new(&to_dense(&phi_q), &NullSpaceMethod::Qr, tolerance, |i| model.coordinate_name(i))?;
    if basis.r.ncols() == 0 {
        return Ok(None);
    }
    let (mut takes_part, mut share, mut sets) = (vec![false; phi_q.rows()], 0.0_f64, Vec::new());
    let mut mu = vec![0.0; phi_q.rows()];
    for RowDependence { row, combination } in dependent {
        // mu = e_row - sum by e_k in rows of length one; of a row that is zero here, e_row.
        let terms = || combination.iter().map(|(k, by)| (*k, -by)).chain([(row, 1.0)]);
        terms().for_each(|(k, by)| mu[k] = if scales[k] > 0.0 { by * scales[k] } else { by });
        let stiffness = |mu: &[f64]| model.reaction_stiffness(&point.q, point.t, mu).to_sparse();
        let on_tangent = largest_on(&basis.r, &stiffness(&mu));
        let largest = |mu: &[f64]| norms::max_abs_vec(stiffness(mu).data());
        // What the rows have one by one: of all together they may cancel each other, whatever the signs.
        let all = || -> f64 {
            let rows = (0..mu.len()).filter(|i| mu[*i] != 0.0);
            let alone =
                |i: usize| (0..mu.len()).map(|k| if k == i { mu[i] } else { 0.0 }).collect::<Vec<f64>>();
            rows.map(|i| largest(&alone(i))).sum()
        };
        // The sum takes an assembly for each row, and is not needed where the stiffness of all is large.
        let all = if on_tangent > changes * largest(&mu) { all() } else { f64::INFINITY };
        if on_tangent > changes * all {
            share = share.max(on_tangent / all);
            sets.push(mu.clone());
            terms().for_each(|(k, _)| takes_part[k] = true);
        }
        terms().for_each(|(k, _)| mu[k] = 0.0);
    }
    let named = takes_part.iter().enumerate().filter(|(_, takes)| **takes).map(|(i, _)| model.row_name(i));
    Ok((share > 0.0).then(|| Undetermined { rows: named.collect(), share, sets, tolerance }))
}

/// Largest entry of R^T K R, by the coordinates that K touches.
fn largest_on(r: &Dense, k: &Sparse) -> f64 {
    let mut touched: Vec<usize> = k.iter().flat_map(|(_, (i, j))| [i, j]).collect();
    touched.sort_unstable();
    touched.dedup();
    let place = |i: usize| touched.binary_search(&i).unwrap_or(0);
    let mut own = Dense::zeros(touched.len(), touched.len());
    k.iter().for_each(|(v, (i, j))| own[(place(i), place(j))] += *v);
    let r = dense::select_rows(r, &touched);
    norms::max_abs(&dense::mul_transpose(&r, &dense::mul(&own, &r)))
}
