//! Operating points of models in any variables: at rest, held by inputs, or in motion.
//!
//! ```text
//! r(q, v, a, lambda, u) = 0,   Phi(q) = 0
//! ```
//!
//! Without held coordinates and without motion it is an equilibrium like any other. Otherwise the coordinates that are
//! variables keep their values, the inputs that hold them are solved for, velocities and accelerations are as given.

use super::error::SeriesError;
use super::expansion::Centre;
use super::steady::{self, SteadyCentre};
use super::variable::{self, Quantity};
use crate::check::rigid_modes;
use crate::free::free_motions;
use crate::{
    MotionOptions, StartOptions, assembled_start, moving_point, names, own_speeds, settle, speeds_aside,
};
use mb_model::spec::ModelSpec;
use mb_model::{Model, Point};
use mb_parametric::{MovingModel, ParametricError, PointRule, Variable, balanced_point};

/// Values by quantity.
pub type Given = Vec<(Quantity, f64)>;

/// How operating points are found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setting {
    /// Coordinates whose values are given.
    pub held: Vec<usize>,
    /// Coordinates among them that are no variables: a pose.
    pub fixed: Vec<usize>,
    /// Inputs that hold them.
    pub holding: Vec<usize>,
    /// True when nothing follows the variables.
    pub frozen: bool,
    /// True where speeds make the point an instant of a motion, whose eigenvalues are no exponents.
    pub instant: bool,
    /// Start values, time, inputs.
    pub start: StartOptions,
    /// Values of speeds and accelerations.
    pub motion: Given,
    /// A steady motion to expand about; without it the model's own where its tables say that it turns.
    pub steady: Option<MotionOptions>,
}

/// A model with the parameters of the point of expansion, and how its operating points are found.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Its description.
    pub spec: &'a ModelSpec,
    /// The model.
    pub model: &'a Model,
    /// How operating points are found.
    pub setting: &'a Setting,
}

/// A coordinate this far from its given value, relative to 1 or to the value, did not stay there.
const LEFT: f64 = 1e-6;

impl Origin<'_> {
    /// What the operating point does while the variables move, at rest or at an instant.
    pub fn rule(&self) -> PointRule {
        let holding = self.setting.holding.clone();
        match (self.setting.frozen, self.setting.fixed.as_slice()) {
            (true, _) => PointRule::Frozen,
            (false, []) => PointRule::Balanced { holding },
            (false, fixed) => PointRule::Held { coordinates: fixed.to_vec(), holding },
        }
    }

    /// Coordinates whose speeds or accelerations are given, or that are held: under constraints the others follow.
    pub fn kept(&self) -> Vec<usize> {
        let given = self.setting.motion.iter().filter_map(|(quantity, _)| match quantity {
            Quantity::Acceleration(i) | Quantity::Variable(Variable::Speed(i)) => Some(*i),
            Quantity::Variable(_) => None,
        });
        given.chain(self.setting.held.iter().copied()).collect()
    }

    /// Coordinates given at the point of expansion that the equilibrium found from there has elsewhere: name, given, found.
    pub fn left(&self, q: &[f64]) -> Vec<(String, f64, f64)> {
        let names = names::configuration(self.model);
        let far = |(k, value): &&(usize, f64)| (q[*k] - value).abs() > LEFT * (1.0 + value.abs());
        self.setting
            .start
            .given
            .iter()
            .filter(far)
            .map(|(k, value)| (names[*k].clone(), *value, q[*k]))
            .collect()
    }

    /// What is said of the model's own speeds, where they are neither given nor among the variables; `taken_by` says what takes
    /// them.
    pub fn speeds_aside(&self, variables: &[Variable], taken_by: &str) -> Option<String> {
        let given = self.setting.motion.iter().filter_map(|(quantity, _)| match quantity {
            Quantity::Variable(variable) => Some(variable),
            Quantity::Acceleration(_) => None,
        });
        let speed = |v: &Variable| if let Variable::Speed(i) = v { Some(*i) } else { None };
        let taken: Vec<usize> = given.chain(variables).filter_map(speed).collect();
        if steady::own(self.model, self.setting.steady.as_ref()).is_some() && !self.setting.instant {
            return None;
        }
        if !self.setting.instant {
            return speeds_aside(self.model, taken_by);
        }
        let others = own_speeds(self.model, &taken)?;
        Some(format!("the model has speeds ({others} per second) that this instant leaves aside, {taken_by}"))
    }

    /// The error, with the free motions by name where they leave an equilibrium that does not follow from the parameters.
    pub(super) fn named(&self, error: SeriesError) -> SeriesError {
        let SeriesError::Parametric {
            mode: None,
            source: ParametricError::NotBalanced { singular: true, .. },
        } = error
        else {
            return error;
        };
        let free = settle(self.model, &self.setting.start)
            .and_then(|settled| free_motions(self.model, &settled.operating_point()))
            .map(|found| rigid_modes(self.model, &found))
            .unwrap_or_default();
        let names: Vec<&str> =
            free.iter().filter_map(|mode| Some(mode.dominant.first()?.0.as_str())).collect();
        if names.is_empty() {
            return error;
        }
        let move_freely = if names.len() == 1 { "moves freely" } else { "move freely" };
        let reason =
            format!("the equilibrium there is not isolated, because {} {move_freely}", names.join(", "));
        SeriesError::Parametric {
            mode: None,
            source: ParametricError::NotBalanced { reason, singular: true },
        }
    }
    /// The operating point to expand about, with the equilibrium when it is one that was searched.
    ///
    /// # Errors
    /// No assembly, no equilibrium, or a given configuration that is none.
    pub fn centre(&self) -> Result<Centre, SeriesError> {
        let model = self.model;
        let start = &self.setting.start;
        if !self.setting.instant
            && let Some(options) = steady::own(model, self.setting.steady.as_ref())
        {
            return self.steady(&options);
        }
        if self.setting.frozen && !start.solve && !self.setting.motion.is_empty() {
            // As it stands: what is left of the equations of motion is reported with the polynomials.
            let mut point = model.initial_point();
            for (k, value) in &start.given {
                point.q[*k] = *value;
            }
            (point.t, point.u) = (start.time, start.inputs.clone());
            point.v.fill(0.0);
            put(model, &mut point, &self.setting.motion);
            return Ok(Centre::given(point));
        }
        if self.setting.held.is_empty() && self.setting.motion.is_empty() {
            let settled = settle(model, &self.setting.start)?;
            return Ok(Centre::at_rest(settled));
        }
        // Coordinates that are held keep the values they start from.
        let mut start = self.setting.start.clone();
        for i in &self.setting.held {
            let known = names::configuration_index(model, *i);
            if let Some(k) = known.filter(|k| start.given.iter().all(|(g, _)| g != k)) {
                start.given.push((k, model.initial()[k]));
            }
        }
        let q = assembled_start(model, &start)?.q;
        let mut point = Point { q, t: start.time, u: start.inputs, ..model.initial_point() };
        point.v.fill(0.0);
        put(model, &mut point, &self.setting.motion);
        let direct = balanced_point(model, &point, &self.setting.held, &self.setting.holding);
        let Err(ParametricError::NotBalanced { .. }) = direct else {
            return Ok(Centre::given(direct?));
        };
        // From rest, where the other coordinates fit each other, along the held ones.
        let rest = settle(model, &self.setting.start)?.equilibrium.point().clone();
        let rest = Point { u: point.u.clone(), v: point.v.clone(), a: point.a.clone(), ..rest };
        let held: Vec<Variable> = self.setting.held.iter().map(|i| Variable::Coordinate(*i)).collect();
        let way = held.iter().map(|v| {
            let value = |at: &Point| variable::value(self.spec, model, v, at);
            Ok(value(&point)? - value(&rest)?)
        });
        let way = way.collect::<Result<Vec<f64>, mb_model::ModelError>>()?;
        let source = MovingModel::new(self.spec, &rest, &held, self.rule());
        Ok(Centre::given(source.point(&way)?))
    }

    /// The steady motion to expand about; at rest where its speeds are zero.
    fn steady(&self, options: &MotionOptions) -> Result<Centre, SeriesError> {
        let Setting { frozen, held, holding, start, .. } = self.setting;
        let refused = |reason: &str| Err(SeriesError::NoSteadySeries { reason: reason.to_owned() });
        if *frozen {
            return refused("a frozen point does not follow the speeds");
        }
        if !(held.is_empty() && holding.is_empty()) {
            return refused("its coordinates follow from the speeds and are not held by inputs");
        }
        let moving = moving_point(self.model, start, options)?;
        let point = moving.at.point().clone();
        let steady = SteadyCentre::new(self.model, options, moving)?;
        if steady.is_none() {
            return refused(
                "nothing moves at the point of expansion; expand about another value of the speed",
            );
        }
        Ok(Centre { point, settled: None, steady })
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
