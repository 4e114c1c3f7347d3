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
use crate::flow::{self, StartOptions};
use crate::names;
use crate::source::{Loaded, Text, load, load_with};
use crate::start;
use mb_analysis::parametric::{Given, Origin, Setting};
use mb_parametric::Variable;

/// How the operating points of a command are found.
#[derive(Clone, Debug)]
pub struct Place {
    /// The model with the parameters of the point of expansion.
    pub loaded: Loaded,
    /// The rest.
    pub setting: Setting,
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
        // A wrong name among the variables is reported as theirs before values are given to them.
        variables(&loaded)?;
        let (mut set, mut given) = (Vec::new(), Given::new());
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
        if !set.is_empty() {
            loaded = load_with(text, model, ("--about", &set))?;
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
        let mut setting = Setting {
            held,
            fixed,
            holding,
            frozen: args.frozen,
            instant: false,
            start: StartOptions {
                given: configuration,
                solve: !args.no_solve,
                strategy: start::strategy(args.strategy),
                time: args.time,
                inputs: vec![0.0; loaded.model.inputs().len()],
                ..StartOptions::default()
            },
            motion: Vec::new(),
            steady: start::steady(&loaded.model, args)?,
        };
        for (quantity, value) in given {
            match quantity {
                Quantity::Variable(Variable::Coordinate(i)) => {
                    let known = names::configuration_index(&loaded.model, i);
                    setting.start.given.extend(known.map(|k| (k, value)));
                }
                Quantity::Variable(Variable::Input(i)) => setting.start.inputs[i] = value,
                other => match (other, &mut setting.steady) {
                    (Quantity::Variable(Variable::Speed(i)), Some(steady)) => {
                        steady.velocities.push((i, value));
                    }
                    (Quantity::Acceleration(i), Some(steady)) => steady.accelerations.push((i, value)),
                    (other, _) => setting.motion.push((other, value)),
                },
            }
        }
        let moves = variables.iter().any(|v| matches!(v, Variable::Speed(_)))
            || setting.motion.iter().any(|(_, value)| *value != 0.0);
        setting.instant = moves && setting.steady.is_none();
        if setting.instant && !args.instant {
            return Err(RequestError::SpeedsOfAnInstant.into());
        }
        if args.instant && flow::rotates(&loaded.model) {
            return Err(RequestError::Rotates { what: "--instant" }.into());
        }
        Ok(Self { loaded, setting })
    }

    /// What has to be said of the state that was taken: speeds left aside, eigenvalues of an instant.
    pub fn notes(&self, variables: &[Variable]) -> Vec<String> {
        let mut notes = Vec::new();
        notes.extend(
            self.origin().speeds_aside(variables, "--about speed:COORDINATE=... takes them as an instant"),
        );
        if self.setting.instant {
            notes.push(
                "these are eigenvalues of the matrices of an instant: they depend on the coordinates and are no rates of growth"
                    .to_owned(),
            );
        }
        notes
    }

    /// The model with its operating points.
    pub fn origin(&self) -> Origin<'_> {
        Origin { spec: &self.loaded.spec, model: &self.loaded.model, setting: &self.setting }
    }
}
