//! Matrices along a path, each operating point found from the nearest one that is known.
//!
//! A mechanism may have several equilibria at one place; a search that starts far away may end in another one. Points of
//! a path are near each other, so each search starts from its neighbour and stays on the same branch.

use super::origin::Origin;
use super::storage::Solved;
use mb_algebra::QuadraticPencil;
use mb_model::Point;
use mb_model::spec::{ModelSpec, Value};
use mb_parametric::{
    MovingModel, MultiIndexSet, ParametricError, PencilSeries, PointRule, SeriesSource, Variable,
};
use std::cell::RefCell;
use std::marker::PhantomData;

/// A point that is known: its distance from the first one, and the operating point there.
type Known = (Vec<f64>, Point);

/// A model whose operating points are remembered.
#[derive(Debug)]
pub struct Walk<'a, A> {
    spec: &'a ModelSpec,
    variables: Vec<Variable>,
    /// Values of the variables at the first point.
    values: Vec<f64>,
    rule: PointRule,
    /// Coordinates whose speeds follow from constraints, the same all the way.
    following: Vec<usize>,
    known: RefCell<Vec<Known>>,
    storage: PhantomData<A>,
}

impl<'a, A: Solved> Walk<'a, A> {
    /// A walk that begins at `centre`, where the variables have these values.
    ///
    /// # Errors
    /// A speed among the variables that follows from constraints.
    pub fn new(
        origin: &Origin<'a>,
        variables: &[Variable],
        values: &[f64],
        centre: &Point,
    ) -> Result<Self, ParametricError> {
        let spec = origin.spec;
        let first: MovingModel<'_, A> = MovingModel::about(spec, centre, variables, origin.rule());
        Ok(Self {
            spec,
            variables: variables.to_vec(),
            values: values.to_vec(),
            rule: origin.rule(),
            following: first.keeping(&origin.kept()).following()?,
            known: RefCell::new(vec![(vec![0.0; values.len()], centre.clone())]),
            storage: PhantomData,
        })
    }

    /// The nearest point that is known, with the model's description there.
    fn nearest(&self, at: &[f64]) -> Result<(ModelSpec, Known), ParametricError> {
        let known = self.known.borrow();
        let distance = |k: &Known| -> f64 { k.0.iter().zip(at).map(|(a, b)| (a - b).powi(2)).sum() };
        // The first point is always known. A frozen point moves with its variables alone, from there.
        let near = known.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(&known[0]);
        let near = if self.rule == PointRule::Frozen { &known[0] } else { near };
        let mut spec = self.spec.clone();
        for ((variable, value), d) in self.variables.iter().zip(&self.values).zip(&near.0) {
            if let Variable::Parameter(name) = variable {
                spec.set_parameter(name, Value::Number(value + d))?;
            }
        }
        Ok((spec, near.clone()))
    }

    /// Calls `work` with the model about the nearest known point and the distance from there.
    fn near<T>(
        &self,
        at: &[f64],
        work: impl Fn(&MovingModel<'_, A>, &[f64]) -> Result<T, ParametricError>,
    ) -> Result<T, ParametricError> {
        let (spec, (from, point)) = self.nearest(at)?;
        let source = MovingModel::about(&spec, &point, &self.variables, self.rule.clone())
            .with_following(&self.following);
        let d: Vec<f64> = at.iter().zip(&from).map(|(a, b)| a - b).collect();
        if d.iter().any(|x| *x != 0.0) {
            let there = source.point(&d)?;
            self.known.borrow_mut().push((at.to_vec(), there));
        }
        work(&source, &d)
    }
}

impl<A: Solved> SeriesSource for Walk<'_, A> {
    type Matrix = A;

    fn parameters(&self) -> usize {
        self.variables.len()
    }

    fn matrices(&self, at: &[f64]) -> Result<QuadraticPencil<A>, ParametricError> {
        self.near(at, |source, d| source.matrices(d))
    }

    fn series(&self, at: &[f64], set: &MultiIndexSet) -> Result<PencilSeries<A>, ParametricError> {
        self.near(at, |source, d| source.series(d, set))
    }
}
