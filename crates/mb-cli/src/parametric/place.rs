//! Operating points of models in any variables: at rest, held by inputs, or in motion.
//!
//! ```text
//! r(q, v, a, lambda, u) = 0,   Phi(q) = 0
//! ```
//!
//! Without held coordinates and without motion it is an equilibrium like any other. Otherwise the coordinates that are
//! variables keep their values, the inputs that hold them are solved for, velocities and accelerations are as given.

use super::quantity::{Quantity, quantity};
use crate::args::{Assignment, CentreArgs, ModelArgs};
use crate::failure::{Failure, RequestError};
use crate::flow::{self, Settled, StartOptions};
use crate::names;
use crate::source::{Loaded, Text, load};
use crate::start;
use mb_linear::{Equilibrium, EquilibriumOptions};
use mb_model::spec::Value;
use mb_model::{Model, ModelSource, Point};
use mb_parametric::{ParametricError, PointRule, Variable, balanced_point};
use std::collections::BTreeMap;

/// Shortest part of the way between two points that is tried.
const LEAST_STEP: f64 = 1.0 / 256.0;

/// Values by quantity.
pub type Given = Vec<(Quantity, f64)>;

/// How the operating points of a command are found.
#[derive(Clone, Debug)]
pub struct Place {
    /// The model with the parameters of the point of expansion.
    pub loaded: Loaded,
    /// Coordinates whose values are given.
    pub held: Vec<usize>,
    /// Inputs that hold them.
    pub holding: Vec<usize>,
    /// True when nothing follows the variables.
    pub frozen: bool,
    /// Start values, time, inputs.
    start: StartOptions,
    /// Values of speeds and accelerations.
    motion: Given,
}

impl Place {
    /// Reads model, values and inputs; the `variables` decide which coordinates are held.
    ///
    /// # Errors
    /// Anything wrong with the model or a name.
    pub fn new(
        text: &Text,
        model: &ModelArgs,
        args: &CentreArgs,
        variables: impl Fn(&Loaded) -> Result<Vec<Variable>, RequestError>,
    ) -> Result<Self, Failure> {
        let mut loaded = load(text, model)?;
        let (mut set, mut given) = (model.set.clone(), Given::new());
        // Numbers of the configuration by index.
        let mut configuration: Vec<(usize, f64)> = Vec::new();
        let known = names::configuration(&loaded.model);
        for about in &args.about {
            let Ok(Assignment { name, value }) = about.parse::<Assignment>() else {
                for (name, value) in start::read_configuration("--about", about)? {
                    let k = known.iter().position(|k| *k == name).ok_or_else(|| {
                        RequestError::NoSuchCoordinate { option: "--about", name, known: known.clone() }
                    })?;
                    configuration.push((k, value));
                }
                continue;
            };
            match quantity(&loaded, "--about", &name)? {
                Quantity::Variable(Variable::Parameter(name)) => set.push(Assignment { name, value }),
                other => given.push((other, start::finite("--about", &name, &value)?)),
            }
        }
        if set.len() > model.set.len() {
            loaded = load(text, &ModelArgs { model: model.model.clone(), set })?;
        }
        let variables = variables(&loaded)?;
        let input = |name: &String| {
            let known = loaded.model.inputs();
            known.iter().position(|k| k == name).ok_or_else(|| RequestError::NoSuchInput {
                option: "--hold",
                name: name.clone(),
                known: known.to_vec(),
            })
        };
        let holding = args.hold.iter().map(input).collect::<Result<Vec<_>, _>>()?;
        let coordinate = |v: &Variable| if let Variable::Coordinate(i) = v { Some(*i) } else { None };
        let free = args.frozen && holding.is_empty();
        let held = if free { Vec::new() } else { variables.iter().filter_map(coordinate).collect() };
        let mut place = Self {
            held,
            holding,
            frozen: args.frozen,
            start: StartOptions {
                given: configuration,
                solve: !args.no_solve,
                strategy: start::strategy(args.strategy),
                time: args.time,
                inputs: vec![0.0; loaded.model.inputs().len()],
            },
            motion: Vec::new(),
            loaded,
        };
        for (quantity, value) in given {
            match quantity {
                Quantity::Variable(Variable::Coordinate(i)) => {
                    let known = names::configuration_index(&place.loaded.model, i);
                    place.start.given.extend(known.map(|k| (k, value)));
                }
                Quantity::Variable(Variable::Input(i)) => place.start.inputs[i] = value,
                other => place.motion.push((other, value)),
            }
        }
        Ok(place)
    }

    /// What the operating point does while the variables move.
    pub fn rule(&self) -> PointRule {
        if self.frozen { PointRule::Frozen } else { PointRule::Balanced { holding: self.holding.clone() } }
    }

    /// The operating point that the command line asks for, with the equilibrium when it is one that was searched.
    ///
    /// # Errors
    /// No assembly, no equilibrium, or a given configuration that is none.
    pub fn centre(&self) -> Result<(Point, Option<Settled>), Failure> {
        let model = &self.loaded.model;
        if self.held.is_empty() && self.motion.is_empty() {
            let settled = flow::settle(model, &self.start)?;
            return Ok((settled.equilibrium.point().clone(), Some(settled)));
        }
        // Coordinates that are held keep the values they start from.
        let mut start = self.start.clone();
        for i in &self.held {
            let known = names::configuration_index(model, *i);
            if let Some(k) = known.filter(|k| start.given.iter().all(|(g, _)| g != k)) {
                start.given.push((k, model.initial()[k]));
            }
        }
        let q = flow::assembled_start(model, &start)?.q;
        let mut point = Point { q, t: start.time, u: start.inputs, ..model.initial_point() };
        point.v.fill(0.0);
        put(model, &mut point, &self.motion);
        let direct = balanced_point(model, &point, &self.held, &self.holding);
        let Err(ParametricError::NotBalanced { .. }) = direct else { return Ok((direct?, None)) };
        // From rest, where the other coordinates fit each other, along the held ones.
        let rest = flow::settle(model, &self.start)?.equilibrium.point().clone();
        Ok((self.walk(model, &Point { u: point.u.clone(), ..rest }, &point)?, None))
    }

    /// The balanced point at the held coordinates and the motion of `to`, from one near `from`, in as many steps as
    /// Newton's method needs.
    fn walk(&self, model: &Model, from: &Point, to: &Point) -> Result<Point, ParametricError> {
        let between = |a: &[f64], b: &[f64], share: f64| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| a + share * (b - a)).collect()
        };
        let (mut here, mut done, mut step) = (from.clone(), 0.0_f64, 1.0_f64);
        loop {
            let share = (done + step).min(1.0);
            let mut next = here.clone();
            for i in &self.held {
                if let Some(k) = names::configuration_index(model, *i) {
                    next.q[k] = from.q[k] + share * (to.q[k] - from.q[k]);
                }
            }
            for i in (0..next.u.len()).filter(|i| !self.holding.contains(i)) {
                next.u[i] = from.u[i] + share * (to.u[i] - from.u[i]);
            }
            next.v = between(&from.v, &to.v, share);
            next.a = between(&from.a, &to.a, share);
            match balanced_point(model, &next, &self.held, &self.holding) {
                Ok(point) if share >= 1.0 => return Ok(point),
                Ok(point) => (here, done) = (point, share),
                Err(ParametricError::NotBalanced { .. }) if step > LEAST_STEP => step *= 0.5,
                Err(error) => return Err(error),
            }
        }
    }

    /// The model and the operating point with some quantities at other values, found from a point near by.
    ///
    /// # Errors
    /// As [`Place::centre`].
    pub fn at(&self, near: &Point, given: &Given) -> Result<(Model, Point), Failure> {
        let mut spec = self.loaded.spec.clone();
        for (quantity, value) in given {
            if let Quantity::Variable(Variable::Parameter(name)) = quantity {
                spec.set_parameter(name, Value::Number(*value))?;
            }
        }
        let model = spec.model::<f64>(&BTreeMap::new())?;
        let mut point = near.clone();
        put(&model, &mut point, given);
        if self.frozen {
            return Ok((model, point));
        }
        let still = point.v.iter().chain(&point.a).all(|x| *x == 0.0);
        if self.held.is_empty() && still {
            let options = EquilibriumOptions {
                strategy: self.start.strategy,
                time: self.start.time,
                inputs: point.u.clone(),
                ..EquilibriumOptions::default()
            };
            let equilibrium = Equilibrium::solve(&model, &point.q, &options)?;
            let point = equilibrium.point().clone();
            return Ok((model, point));
        }
        let point = self.walk(&model, near, &point)?;
        Ok((model, point))
    }
}

/// Sets what is given of a point; parameters are the model's.
fn put(model: &Model, point: &mut Point, given: &Given) {
    for (quantity, value) in given {
        match quantity {
            Quantity::Acceleration(i) => point.a[*i] = *value,
            Quantity::Variable(Variable::Speed(i)) => point.v[*i] = *value,
            Quantity::Variable(Variable::Input(i)) => point.u[*i] = *value,
            Quantity::Variable(Variable::Coordinate(i)) => {
                if let Some(k) = names::configuration_index(model, *i) {
                    point.q[k] = *value;
                }
            }
            Quantity::Variable(Variable::Parameter(_)) => {}
        }
    }
}

/// The matrices of (s^2 M + s C + K) x + Phi_q^T l = 0, Phi_q x = 0 at a point.
pub fn pencil(model: &Model, point: &Point) -> mb_algebra::QuadraticPencil {
    // The point was found in balance, or is frozen on purpose.
    let blocks = model.dense_blocks(point);
    mb_algebra::QuadraticPencil { m: blocks.m, c: blocks.c, k: blocks.k, phi_q: blocks.phi_q }
}
