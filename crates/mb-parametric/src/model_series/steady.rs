//! The balance of a steady motion: its matrix, what is free along the motion, and whether the terms of the series balance.
//!
//! Seen from the frame that moves along, a steady motion is a problem of statics with K + C S + M S^2 in place of K. A step along the motion
//! changes nothing, so that this matrix is singular along it, and along every other turn or shift that forces do not depend on: one
//! coordinate of each is held by a spring. The forces do no work on it where the motion goes on at the values around, so that the
//! spring takes none; where they do, as drag does that no torque balances, something is left that shows it.

use super::balance::Balance;
use super::capacity::Moving;
use super::jacobian::{Change, Unknowns};
use super::{PointRule, Variable, turning};
use crate::steady::SteadyRule;
use crate::{MultiIndexSet, ParametricError};
use mb_algebra::{QuadraticPencil, RankTolerance, Scatter, Sparse, Svd, Triplets, norms};
use mb_model::system::{Blocks, LinearizedBlocks};
use mb_model::{Data, Model, Point};
use mb_scalar::jet::{DynJet, Monomials};

/// Largest turn of a Newton step, rad.
const LARGEST_TURN: f64 = 0.3;
/// Share of what was to be balanced that may be left of the terms of one degree.
const LEFT: f64 = 1e-6;
/// The same of the largest forces and speeds at work, for a change of the variables by themselves.
const ROUNDING: f64 = 1e-9;

/// M, C, K and `Phi_q` in the frame.
pub(super) fn blocks(model: &Model, at: &Point, rule: &SteadyRule) -> LinearizedBlocks {
    let rule = PointRule::Steady(Box::new(rule.clone()));
    let QuadraticPencil { m, c, k, phi_q } = turning::at_point::<Sparse>(model, at, &rule);
    Blocks { m, c, k, phi_q }
}

/// The part of a Newton step that turns nothing by more than is allowed at once.
pub(super) fn part(model: &Model, unknowns: &Unknowns, change: &Change) -> f64 {
    let mut d = vec![0.0; model.nv()];
    unknowns.free.iter().zip(&change.free).for_each(|(&i, x)| d[i] = *x);
    let turn = model.coordinates().largest_turn(&d);
    if turn > LARGEST_TURN { LARGEST_TURN / turn } else { 1.0 }
}

/// Holds one coordinate of every direction in which nothing changes, by springs in the scaled matrix.
///
/// Errors: those of the decomposition that finds the directions of a small model.
pub(super) fn pin(
    model: &Model,
    at: &Point,
    free: &[usize],
    matrix: &mut Triplets,
    small: bool,
) -> Result<(), ParametricError> {
    let place = |i: usize| free.iter().position(|j| *j == i);
    if !small {
        if let Some(col) = fastest(model, &at.v).and_then(place) {
            matrix.add(free[col], col, 1.0);
        }
        return Ok(());
    }
    let svd = Svd::new(&matrix.to_dense())?;
    let mut loose = svd.null_space(RankTolerance::default());
    for k in 0..loose.ncols() {
        // The largest entry of a coordinate among the directions that are left; what it holds is taken out of the others.
        let entries = (k..loose.ncols()).flat_map(|j| (0..free.len()).map(move |i| (i, j)));
        let Some((i, j)) = entries.max_by(|a, b| loose[*a].abs().total_cmp(&loose[*b].abs())) else { break };
        if loose[(i, j)].abs() <= f64::EPSILON.sqrt() {
            break;
        }
        matrix.add(free[i], i, 1.0);
        for row in 0..loose.nrows() {
            let other = loose[(row, k)];
            loose[(row, k)] = loose[(row, j)];
            loose[(row, j)] = other;
        }
        for other in k + 1..loose.ncols() {
            let factor = loose[(i, other)] / loose[(i, k)];
            for row in 0..loose.nrows() {
                loose[(row, other)] -= factor * loose[(row, k)];
            }
        }
    }
    Ok(())
}

/// The coordinate that turns fastest, or else moves fastest; none at rest.
fn fastest(model: &Model, v: &[f64]) -> Option<usize> {
    let blocks = model.coordinates().blocks().iter();
    let all =
        blocks.flat_map(|b| (0..b.kind.nv()).map(move |i| (b.kind.turns(i), v[b.v + i].abs(), b.v + i)));
    let moving = all.filter(|(_, speed, _)| *speed > 0.0);
    moving.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))).map(|(.., i)| i)
}

/// The refusal of a motion along which forces are left.
pub(super) fn unbalanced(model: &Model, residual: &[f64]) -> ParametricError {
    let worst = (0..residual.len()).max_by(|i, j| residual[*i].abs().total_cmp(&residual[*j].abs()));
    let reason = does_not_balance(&model.coordinate_name(worst.unwrap_or_default()));
    ParametricError::NotSteady { when: "at values near by".to_owned(), reason }
}

fn does_not_balance(equation: &str) -> String {
    format!(
        "the forces along {equation} do not balance, as where drag grows with the speed and no torque with it"
    )
}

/// A steady motion in jets, with what it was made of.
pub(super) struct Terms<'a, const CAP: usize>
where
    DynJet<CAP>: Data,
{
    pub(super) plain: &'a Model,
    pub(super) model: &'a Model<DynJet<CAP>>,
    pub(super) centre: &'a Point,
    pub(super) point: &'a Point<DynJet<CAP>>,
    pub(super) moving: &'a Moving<CAP>,
    pub(super) rule: &'a SteadyRule,
    pub(super) balance: &'a Balance,
    pub(super) set: &'a MultiIndexSet,
    pub(super) table: &'static Monomials,
}

impl<const CAP: usize> Terms<'_, CAP>
where
    DynJet<CAP>: Data,
{
    /// The largest coefficient of a term.
    fn largest(&self, list: &[DynJet<CAP>], term: usize) -> f64 {
        list.iter().fold(0.0, |a, x| x.coefficients(self.table)[term].abs().max(a))
    }

    /// Checks that forces balance and constraints go along in every term; `values` are those of the variables at the centre.
    ///
    /// Errors: [`ParametricError::NotSteady`] with the variable and the equation that does not hold.
    pub(super) fn check(&self, variables: &[Variable], values: &[f64]) -> Result<(), ParametricError> {
        let Self { plain, model, centre, point, .. } = *self;
        let when = |term: usize| {
            let k = self.set.exponents(term).iter().position(|e| *e > 0);
            k.map_or_else(String::new, |k| format!("while {} changes", variables[k].name(plain)))
        };
        let factors = self.rule.factors(model, &point.q, point.t);
        let (mass, stiffness) = plain.largest_entries(centre);
        let forces = plain.largest_force(centre).max(1e-6 * (mass + stiffness));
        let speed = norms::max_abs_vec(&centre.v);
        let (k, phi) =
            (self.balance.jacobian.largest_stiffness(), self.balance.jacobian.largest_constraint());
        let residual = model.residual(point);
        let rates = model.phi_dot(&point.q, &point.v, point.t);
        for term in 1..self.set.len() {
            // What a change of the variables by themselves divides.
            let unit: f64 = (self.set.exponents(term).iter().zip(values))
                .map(|(e, x)| if *x == 0.0 { 1.0 } else { x.abs().powi(i32::from(*e)) })
                .product();
            let speeds = self.largest(&factors, term);
            let loads = k * self.largest(&self.moving.delta, term)
                + phi * self.largest(&self.moving.lambda, term)
                + forces * speeds;
            let fast = phi * (self.largest(&point.v, term) + speed * speeds);
            let not_steady = |reason| Err(ParametricError::NotSteady { when: when(term), reason });
            if let Some(i) = self.over(&residual, term, LEFT * loads + ROUNDING * forces / unit) {
                return not_steady(does_not_balance(&plain.coordinate_name(i)));
            }
            if let Some(i) = self.over(&rates, term, LEFT * fast + ROUNDING * phi * speed / unit) {
                return not_steady(format!(
                    "the velocities break {}, as where an axis moves",
                    plain.row_name(i)
                ));
            }
        }
        Ok(())
    }

    /// The equation that is off by most in a term, where that is more than is allowed.
    fn over(&self, list: &[DynJet<CAP>], term: usize, allowed: f64) -> Option<usize> {
        let left = list.iter().map(|x| x.coefficients(self.table)[term].abs());
        let worst = left.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        worst.filter(|(_, left)| left.is_nan() || *left > allowed).map(|(i, _)| i)
    }
}
