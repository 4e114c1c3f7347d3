//! A model at other values of the variables.

use super::balance::balance_centre;
use super::capacity::held_by;
use super::jacobian::Unknowns;
use super::source::check;
use super::{PointRule, Variable, turning};
use crate::storage::Storage;
use crate::{MultiIndexSet, ParametricError};
use mb_algebra::QuadraticPencil;
use mb_model::{AnySource, Data, Model, ModelError, ModelSource, Point};
use std::collections::BTreeMap;

/// Halvings of the way to a point whose equilibrium Newton's method does not find at once.
const HALVINGS: u32 = 6;

/// A source some of whose parameters have other values.
pub(crate) struct Shifted<'a> {
    source: &'a dyn AnySource,
    values: BTreeMap<String, f64>,
}

impl ModelSource for Shifted<'_> {
    fn model<P: Data>(&self, given: &BTreeMap<String, P>) -> Result<Model<P>, ModelError> {
        let mut all = given.clone();
        for (name, value) in &self.values {
            all.entry(name.clone()).or_insert_with(|| P::cst(*value));
        }
        P::model_of(self.source, &all)
    }

    fn parameter(&self, name: &str) -> Result<Option<f64>, ModelError> {
        match self.values.get(name) {
            Some(value) => Ok(Some(*value)),
            None => self.source.value_of(name),
        }
    }
}

/// The source, its model and the point with the variables moved by `at`; the point is not yet balanced.
pub(crate) fn moved<'a>(
    source: &'a dyn AnySource,
    centre: &Point,
    variables: &[Variable],
    at: &[f64],
) -> Result<(Shifted<'a>, Model, Point), ParametricError> {
    let set = MultiIndexSet::total(variables.len(), 0)?;
    // The length of the point and its values.
    set.monomials(at)?;
    let mut values = BTreeMap::new();
    for (variable, x) in variables.iter().zip(at) {
        if let Variable::Parameter(name) = variable {
            // A name that there is not is found by the check.
            if let Some(value) = source.value_of(name)? {
                values.insert(name.clone(), value + x);
            }
        }
    }
    let shifted = Shifted { source, values };
    let model = shifted.model::<f64>(&BTreeMap::new())?;
    check(source, &model, centre, variables, &set)?;
    let mut point = centre.clone();
    let mut d = vec![0.0; model.nv()];
    for (variable, x) in variables.iter().zip(at) {
        match variable {
            Variable::Parameter(_) => {}
            Variable::Coordinate(i) => d[*i] = *x,
            Variable::Speed(i) => point.v[*i] += x,
            Variable::Input(i) => point.u[*i] += x,
        }
    }
    if d.iter().any(|x| *x != 0.0) {
        point.q = model.coordinates().retract(&point.q, &d);
    }
    Ok((shifted, model, point))
}

/// The model and the operating point at `at`; `following` are the coordinates whose speeds follow from constraints.
pub(crate) fn point_at(
    source: &dyn AnySource,
    centre: &Point,
    variables: &[Variable],
    at: &[f64],
    rule: &PointRule,
    following: &[usize],
) -> Result<(Model, Point), ParametricError> {
    let (mut from, mut reached, mut step) = (centre.clone(), 0.0_f64, 1.0_f64);
    let mut least = 0.5_f64.powi(i32::try_from(HALVINGS).unwrap_or(0));
    if *rule == PointRule::Frozen {
        least = 1.0;
    }
    loop {
        let share = (reached + step).min(1.0);
        match balanced(source, centre, &from, variables, at, [reached, share], rule, following) {
            Ok(found) if share >= 1.0 => return Ok(found),
            Ok((_, point)) => (from, reached) = (point, share),
            Err(ParametricError::NotBalanced { .. }) if step > least => step *= 0.5,
            Err(ParametricError::NotBalanced { reason, singular }) => {
                let d: Vec<f64> = at.iter().map(|x| x * share).collect();
                let place = place(source, centre, variables, &d)?;
                return Err(ParametricError::NotBalanced {
                    reason: format!("{reason}, at {place}"),
                    singular,
                });
            }
            Err(error) => return Err(error),
        }
    }
}

/// The values of variables that are moved by `d`, in words.
fn place(
    source: &dyn AnySource,
    centre: &Point,
    variables: &[Variable],
    d: &[f64],
) -> Result<String, ParametricError> {
    let (_, model, point) = moved(source, centre, variables, d)?;
    let mut words = Vec::new();
    for (variable, d) in variables.iter().zip(d) {
        words.push(match variable {
            Variable::Parameter(name) => {
                format!("{name} = {}", source.value_of(name)?.unwrap_or(0.0) + d)
            }
            Variable::Coordinate(i) => format!("{} moved by {}", model.coordinate_name(*i), *d),
            Variable::Speed(i) => {
                format!("velocity of {} = {}", model.coordinate_name(*i), point.v[*i])
            }
            Variable::Input(i) => format!("{} = {}", model.inputs()[*i], point.u[*i]),
        });
    }
    Ok(words.join(", "))
}

/// The matrices of a model at a point, in the frame of its motion where the rule says that it is steady.
pub(crate) fn matrices_of<A: Storage>(model: &Model, point: &Point, rule: &PointRule) -> QuadraticPencil<A> {
    turning::at_point(model, point, rule)
}

/// The model and its point with the variables moved by the second share of `at`, starting from the
/// point `from` at the first share.
#[expect(clippy::too_many_arguments, reason = "what a point of a model depends on")]
fn balanced(
    source: &dyn AnySource,
    centre: &Point,
    from: &Point,
    variables: &[Variable],
    at: &[f64],
    [before, share]: [f64; 2],
    rule: &PointRule,
    following: &[usize],
) -> Result<(Model, Point), ParametricError> {
    let d: Vec<f64> = at.iter().map(|x| x * share).collect();
    let (_, model, target) = moved(source, centre, variables, &d)?;
    let Some((fixed, holding)) = rule.holds() else { return Ok((model, target)) };
    let held = held_by(&model, variables, fixed, holding)?;
    // Held coordinates and given speeds as the variables say, all else from the neighbour.
    let mut start = Point { t: target.t, v: target.v.clone(), a: target.a.clone(), ..from.clone() };
    for &i in following {
        (start.v[i], start.a[i]) = (from.v[i], from.a[i]);
    }
    let mut d = vec![0.0; model.nv()];
    for (variable, x) in variables.iter().zip(at) {
        match variable {
            Variable::Input(i) => start.u[*i] = target.u[*i],
            Variable::Coordinate(i) => d[*i] = (share - before) * x,
            Variable::Parameter(_) | Variable::Speed(_) => {}
        }
    }
    start.q = model.coordinates().retract(&start.q, &d);
    let unknowns = Unknowns::new(&model, &held, holding, following)?.in_motion(rule.steady());
    balance_centre(&model, &mut start, &unknowns)?;
    Ok((model, start))
}
