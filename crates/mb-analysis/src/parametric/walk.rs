//! Matrices along a path, each operating point found from the nearest one that is known.
//!
//! A mechanism may have several equilibria at one place; a search that starts far away may end in another one. Points of
//! a path are near each other, so each search starts from its neighbour and stays on the same branch.

use super::expansion::Expansion;
use super::origin::Origin;
use super::steady::{self, SteadyCentre, Witness};
use super::storage::Solved;
use mb_algebra::QuadraticPencil;
use mb_model::Point;
use mb_model::spec::{ModelSpec, Value};
use mb_parametric::journal::{Reader, Writer};
use mb_parametric::{
    MovingModel, MultiIndexSet, ParametricError, PencilSeries, PointRule, SeriesSource, Variable,
};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

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
    /// By what steady motions on the way are recognized.
    witness: Option<Witness>,
    /// Coordinates whose speeds follow from constraints, the same all the way.
    following: Vec<usize>,
    known: RefCell<Vec<Known>>,
    /// The matrices asked for last, with where they belong: a track asks at each sample several times.
    last: RefCell<VecDeque<(Vec<f64>, QuadraticPencil<A>)>>,
    /// How many of the known points were reported ([`SeriesSource::learnt`]).
    reported: Cell<usize>,
    /// How often matrices were assembled.
    assembled: Cell<usize>,
}

/// Matrices that are kept.
const KEPT: usize = 4;

impl<'a, A: Solved> Walk<'a, A> {
    /// A walk that begins at the first centre of an expansion.
    ///
    /// # Errors
    /// A speed among the variables that follows from constraints.
    pub fn new(origin: &Origin<'a>, expansion: &Expansion) -> Result<Self, ParametricError> {
        let piece = &expansion.pieces[0];
        let witness = expansion.steady.as_ref().map(SteadyCentre::witness);
        let (variables, values) = (&expansion.variables, &piece.values);
        let walk = Self::about(origin, (variables, values), piece.point.centre(), expansion.rule(origin))?;
        Ok(Self { witness, ..walk })
    }

    /// A walk that begins at `centre`, where the variables have these values.
    fn about(
        origin: &Origin<'a>,
        (variables, values): (&[Variable], &[f64]),
        centre: &Point,
        rule: PointRule,
    ) -> Result<Self, ParametricError> {
        let spec = origin.spec;
        let first: MovingModel<'_, A> = MovingModel::about(spec, centre, variables, rule.clone());
        Ok(Self {
            spec,
            variables: variables.to_vec(),
            values: values.to_vec(),
            following: first.keeping(&origin.kept()).following()?,
            rule,
            witness: None,
            known: RefCell::new(vec![(vec![0.0; values.len()], centre.clone())]),
            last: RefCell::default(),
            reported: Cell::new(1),
            assembled: Cell::new(0),
        })
    }

    /// How often matrices were assembled so far.
    pub fn assembled(&self) -> usize {
        self.assembled.get()
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

    /// Calls `work` with the model about the point, which is searched for from the nearest known one and known from then on; with the
    /// distance from the first one where points are frozen.
    ///
    /// So `work` depends on the point alone, whether it was found just now, before, or in an earlier run.
    fn near<T>(
        &self,
        at: &[f64],
        work: impl Fn(&MovingModel<'_, A>, &[f64]) -> Result<T, ParametricError>,
    ) -> Result<T, ParametricError> {
        let (spec, (from, point)) = self.nearest(at)?;
        let source = MovingModel::about(&spec, &point, &self.variables, self.rule.clone())
            .with_following(&self.following);
        let d: Vec<f64> = at.iter().zip(&from).map(|(a, b)| a - b).collect();
        if self.rule == PointRule::Frozen || d.iter().all(|x| *x == 0.0) {
            return work(&source, &d);
        }
        let there = source.point(&d)?;
        if let Some(witness) = &self.witness {
            let (variables, values) = (&self.variables, &self.values);
            let model = steady::model_at(self.spec, variables, values, at)?;
            witness.check(&model, &there, || steady::at_values(&model, variables, values, at))?;
        }
        self.known.borrow_mut().push((at.to_vec(), there));
        self.near(at, work)
    }
}

impl<A: Solved> SeriesSource for Walk<'_, A> {
    type Matrix = A;

    fn parameters(&self) -> usize {
        self.variables.len()
    }

    fn matrices(&self, at: &[f64]) -> Result<QuadraticPencil<A>, ParametricError> {
        if let Some((_, known)) = self.last.borrow().iter().find(|(x, _)| x == at) {
            return Ok(known.clone());
        }
        // Points found on the way are in balance as they are.
        let found_before = at.iter().any(|x| *x != 0.0);
        let found = self.near(at, |source, d| {
            let here = found_before && d.iter().all(|x| *x == 0.0);
            if here { source.matrices_here() } else { source.matrices(d) }
        })?;
        self.assembled.set(self.assembled.get() + 1);
        let mut last = self.last.borrow_mut();
        last.truncate(KEPT - 1);
        last.push_front((at.to_vec(), found.clone()));
        Ok(found)
    }

    fn series(&self, at: &[f64], set: &MultiIndexSet) -> Result<PencilSeries<A>, ParametricError> {
        self.near(at, |source, d| source.series(d, set))
    }

    fn learnt(&self) -> Vec<f64> {
        let known = self.known.borrow();
        let mut out = Writer::default();
        for (at, p) in &known[self.reported.replace(known.len())..] {
            out.list(at).list(&p.q).list(&p.v).list(&p.a).list(&p.lambda).number(p.t).list(&p.u);
        }
        out.done()
    }

    fn learn(&self, learnt: &[f64]) {
        let mut from = Reader::new(learnt);
        let mut point = || {
            let at = from.list()?;
            let (q, v, a, lambda) = (from.list()?, from.list()?, from.list()?, from.list()?);
            Some((at, Point { q, v, a, lambda, t: from.number()?, u: from.list()? }))
        };
        let mut known = self.known.borrow_mut();
        known.extend(std::iter::from_fn(&mut point));
        self.reported.set(known.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parametric::origin::Setting;
    use mb_algebra::Dense;

    const MODEL: &str = r#"
units = "SI"
name = "one loop"
gravity = [0.0, -9.81]
[parameters]
k = 25.0
[[point]]
name = "A"
at = [0.0, 0.0]
fixed = true
[[point]]
name = "B"
at = [0.6, -0.8]
[[rod]]
name = "arm"
ends = ["A", "B"]
mass = 2.0
length = 1.0
[[point]]
name = "C"
at = [1.0, 0.0]
fixed = true
[[spring]]
name = "spring"
a = "B"
b = "C"
stiffness = "k"
natural_length = 1.0
"#;

    #[test]
    fn matrices_asked_for_again_are_not_assembled_again() {
        let spec = ModelSpec::from_toml(MODEL).unwrap();
        let model = spec.build().unwrap();
        let setting = Setting::default();
        let origin = Origin { spec: &spec, model: &model, setting: &setting };
        let centre = origin.centre().unwrap().point;
        let variables = [Variable::Parameter("k".to_owned())];
        let walk: Walk<'_, Dense> =
            Walk::about(&origin, (&variables, &[25.0]), &centre, origin.rule()).unwrap();
        let first = walk.matrices(&[0.5]).unwrap();
        // What a track asks: the next sample, the likeness to the one before, encounters between both.
        for at in [1.0, 0.5, 1.0, 0.5] {
            walk.matrices(&[at]).unwrap();
        }
        assert_eq!(walk.assembled(), 2);
        assert_eq!(walk.matrices(&[0.5]).unwrap(), first);
        assert_ne!(walk.matrices(&[1.0]).unwrap().k, first.k);
        // Only the last few are kept.
        for i in 0..KEPT {
            walk.matrices(&[1.5 + i as f64]).unwrap();
        }
        walk.matrices(&[0.5]).unwrap();
        assert_eq!(walk.assembled(), 3 + KEPT);
    }
}
