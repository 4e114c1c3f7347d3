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
use mb_algebra::{RankTolerance, Svd, dense, norms};
use mb_constraints::{NullSpace, NullSpaceMethod, normalized_rows};
use mb_model::{Model, Point};

/// A stiffness that depends on the choice of multipliers.
#[derive(Clone, Debug, PartialEq)]
pub struct Undetermined {
    /// Constraint rows whose multipliers are not determined, by owner and axis.
    pub rows: Vec<String>,
    /// Change of the stiffness on the admissible displacements compared with that of all displacements: 1 is all of it.
    pub share: f64,
}

/// Entries below this share are rounding: multipliers and stiffness come from sums of at most thousands of terms.
const ROUNDING: f64 = 1e-9;

/// Singular values of the constraint rows, of length one each, up to which a configuration is not distinguished from a
/// singular one near it.
const NEAR: f64 = 1e-6;

/// What a stiffness has to change by where rows depend on each other only nearly.
const CLEARLY: f64 = 1e-3;

/// Parts of a null vector below this share of the largest take no part in it.
const TAKES_PART: f64 = 1e-6;

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
    let phi_q = model.phi_q(&point.q, point.t).to_dense();
    let basis = NullSpace::new(&phi_q, &NullSpaceMethod::Qr, tolerance, |i| model.coordinate_name(i))?;
    if basis.rank == phi_q.nrows() {
        return Ok(None);
    }
    let null = Svd::new(&dense::transpose(&normalized_rows(&phi_q)))?.null_space(tolerance);
    let (mut rows, mut share) = (vec![false; phi_q.nrows()], 0.0_f64);
    for column in 0..null.ncols() {
        let size = |i: usize| norms::two(&dense::row(&phi_q, i));
        let scaled = |i: usize| if size(i) > 0.0 { null[(i, column)] / size(i) } else { 0.0 };
        let mu: Vec<f64> = (0..phi_q.nrows()).map(scaled).collect();
        let stiffness = |mu: &[f64]| model.reaction_stiffness(&point.q, point.t, mu).to_dense();
        let all = norms::max_abs(&stiffness(&mu.iter().map(|x| x.abs()).collect::<Vec<_>>()));
        let k = stiffness(&mu);
        let on_tangent = norms::max_abs(&dense::mul_transpose(&basis.r, &dense::mul(&k, &basis.r)));
        if on_tangent > changes * all {
            share = share.max(on_tangent / all);
            let largest = norms::max_abs_vec(&dense::column(&null, column));
            for (i, takes) in rows.iter_mut().enumerate() {
                *takes |= null[(i, column)].abs() > TAKES_PART * largest;
            }
        }
    }
    let named = rows.iter().enumerate().filter(|(_, takes)| **takes).map(|(i, _)| model.row_name(i));
    Ok((share > 0.0).then(|| Undetermined { rows: named.collect(), share }))
}
