//! Operating points of models in any variables: at rest, held by inputs, or in motion.
//!
//! ```text
//! r(q, v, a, lambda, u) = 0,   Phi(q) = 0
//! ```
//!
//! Without held coordinates and without motion it is an equilibrium like any other. Otherwise the coordinates that are
//! variables keep their values, the inputs that hold them are solved for, velocities and accelerations are as given.

use super::quantity::{self, Quantity, quantity};
use crate::args::{Assignment, CentreArgs, ModelArgs};
use crate::failure::{Failure, RequestError};
use crate::flow::{self, Settled, StartOptions};
use crate::names;
use crate::source::{Loaded, Text, load};
use crate::start;
use mb_model::{Model, Point};
use mb_parametric::{MovingModel, ParametricError, PointRule, Variable, balanced_point};

/// Values by quantity.
pub type Given = Vec<(Quantity, f64)>;

/// How the operating points of a command are found.
#[derive(Clone, Debug)]
pub struct Place {
    /// The model with the parameters of the point of expansion.
    pub loaded: Loaded,
    /// Coordinates whose values are given.
    pub held: Vec<usize>,
    /// Those among them that are no variables.
    fixed: Vec<usize>,
    /// Inputs that hold them.
    pub holding: Vec<usize>,
    /// True when nothing follows the variables.
    pub frozen: bool,
    /// True where speeds make the point an instant of a motion, whose eigenvalues are no exponents.
    pub instant: bool,
    /// Start values, time, inputs.
    start: StartOptions,
    /// Values of speeds and accelerations.
    motion: Given,
}

/// A coordinate this far from its given value, relative to 1 or to the value, did not stay there.
const LEFT: f64 = 1e-6;

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
        // A wrong name among the variables is told as theirs before values are given to them.
        variables(&loaded)?;
        let (mut set, mut given) = (model.set.clone(), Given::new());
        // Numbers of the configuration by index.
        let mut configuration: Vec<(usize, f64)> = Vec::new();
        let known = names::configuration(&loaded.model);
        for about in &args.about {
            let Ok(Assignment { name, value }) = about.parse::<Assignment>() else {
                let file = crate::point_file::PointFile::read("--about", about)?;
                for (name, value) in file.configuration {
                    let k = known.iter().position(|k| *k == name).ok_or_else(|| {
                        RequestError::NoSuchCoordinate { option: "--about", name, known: known.clone() }
                    })?;
                    configuration.push((k, value));
                }
                let moving =
                    file.velocities.unwrap_or_default().into_iter().map(|(name, x)| ("speed:", name, x));
                let moving =
                    moving.chain(file.accelerations.into_iter().map(|(name, x)| ("acceleration:", name, x)));
                for (of, name, value) in
                    moving.chain(file.inputs.into_iter().map(|(name, x)| ("input:", name, x)))
                {
                    given.push((quantity(&loaded, "--about", &format!("{of}{name}"))?, value));
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
        let mut held: Vec<usize> =
            if free { Vec::new() } else { variables.iter().filter_map(coordinate).collect() };
        // Inputs beyond those that hold variables hold coordinates that are given: a pose.
        if holding.len() > held.len() {
            let posed = given.iter().filter_map(|(q, _)| match q {
                Quantity::Variable(Variable::Coordinate(i)) => Some(*i),
                _ => None,
            });
            let posed: Vec<usize> = posed.filter(|i| !held.contains(i)).collect();
            held.extend(posed);
        }
        let fixed = held.iter().copied().filter(|i| !variables.contains(&Variable::Coordinate(*i))).collect();
        let mut place = Self {
            held,
            fixed,
            holding,
            frozen: args.frozen,
            instant: variables.iter().any(|v| matches!(v, Variable::Speed(_))),
            start: StartOptions {
                given: configuration,
                solve: !args.no_solve,
                strategy: start::strategy(args.strategy),
                time: args.time,
                inputs: vec![0.0; loaded.model.inputs().len()],
                ..StartOptions::default()
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
        place.instant |= place.motion.iter().any(|(_, value)| *value != 0.0);
        if place.instant && !args.instant {
            return Err(RequestError::SpeedsOfAnInstant.into());
        }
        if flow::rotates(&place.loaded.model) {
            return Err(RequestError::Rotates { what: "an expansion in polynomials" }.into());
        }
        Ok(place)
    }

    /// What the operating point does while the variables move.
    pub fn rule(&self) -> PointRule {
        let holding = self.holding.clone();
        match (self.frozen, self.fixed.as_slice()) {
            (true, _) => PointRule::Frozen,
            (false, []) => PointRule::Balanced { holding },
            (false, fixed) => PointRule::Held { coordinates: fixed.to_vec(), holding },
        }
    }

    /// Coordinates whose speeds or accelerations are given, or that are held: under constraints the others follow.
    pub fn kept(&self) -> Vec<usize> {
        let given = self.motion.iter().filter_map(|(quantity, _)| match quantity {
            Quantity::Acceleration(i) | Quantity::Variable(Variable::Speed(i)) => Some(*i),
            Quantity::Variable(_) => None,
        });
        given.chain(self.held.iter().copied()).collect()
    }

    /// Coordinates given at the point of expansion that the equilibrium found from there has elsewhere: name, given, found.
    pub fn left(&self, q: &[f64]) -> Vec<(String, f64, f64)> {
        let names = names::configuration(&self.loaded.model);
        let far = |(k, value): &&(usize, f64)| (q[*k] - value).abs() > LEFT * (1.0 + value.abs());
        self.start.given.iter().filter(far).map(|(k, value)| (names[*k].clone(), *value, q[*k])).collect()
    }

    /// The operating point that the command line asks for, with the equilibrium when it is one that was searched.
    ///
    /// # Errors
    /// No assembly, no equilibrium, or a given configuration that is none.
    pub fn centre(&self) -> Result<(Point, Option<Settled>), Failure> {
        let model = &self.loaded.model;
        if self.frozen && !self.start.solve && !self.motion.is_empty() {
            // As it stands: what is left of the equations of motion is reported with the polynomials.
            let mut point = model.initial_point();
            for (k, value) in &self.start.given {
                point.q[*k] = *value;
            }
            (point.t, point.u) = (self.start.time, self.start.inputs.clone());
            point.v.fill(0.0);
            put(model, &mut point, &self.motion);
            return Ok((point, None));
        }
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
        let rest = Point { u: point.u.clone(), v: point.v.clone(), a: point.a.clone(), ..rest };
        let held: Vec<Variable> = self.held.iter().map(|i| Variable::Coordinate(*i)).collect();
        let way = held.iter().map(|v| {
            let value = |at: &Point| quantity::value(&self.loaded, v, at);
            Ok(value(&point)? - value(&rest)?)
        });
        let way = way.collect::<Result<Vec<f64>, mb_model::ModelError>>()?;
        let source = MovingModel::new(&self.loaded.spec, &rest, &held, self.rule());
        Ok((source.point(&way)?, None))
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
