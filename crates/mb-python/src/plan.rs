//! Which modes are expanded where, in which variables.

use mb_algebra::c64;
use mb_analysis::parametric::{
    Choice, Expansion, Origin, Quantity, Region, SeriesError, Setting, Wanted, close_groups, variable,
};
use mb_analysis::{MotionOptions, StartOptions, names};
use mb_eigen::{Class, Spectrum};
use mb_linear::steady::Spin;
use mb_linear::{FrameChoice, Strategy};
use mb_model::Model as Mechanism;
use mb_model::spec::ModelSpec;
use mb_parametric::{Journal, Variable};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::errors;
use crate::model::Model;
use crate::options::{StrategyWord, read};
use crate::spectrum::modes_of;

/// What is expanded where, as `python/mb/_series.py` writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a keyword of its own")]
struct Asked {
    variables: Vec<String>,
    at: Vec<(String, f64)>,
    hold: Vec<String>,
    frozen: bool,
    instant: bool,
    moving: bool,
    spins: Vec<(String, f64)>,
    frame: Option<String>,
    solve: bool,
    strategy: StrategyWord,
    time: f64,
    order: usize,
    accuracy: Option<f64>,
    /// Lowest and highest value of each variable, where it has an interval.
    region: Option<Vec<Option<[f64; 2]>>>,
    picked: Picked,
    groups: Vec<Group>,
}

impl Asked {
    /// The steady motion that is asked for.
    fn steady(&self) -> Option<MotionOptions> {
        let asked = self.moving || !self.spins.is_empty() || self.frame.is_some();
        asked.then(|| MotionOptions {
            spins: self.spins.iter().map(|(joint, speed)| Spin::behind(joint.clone(), *speed)).collect(),
            frame: FrameChoice::named(self.frame.as_deref()),
            ..MotionOptions::default()
        })
    }
}

/// Modes one by one: the first ones that oscillate, by number from 0, or every physical one.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Picked {
    First(usize),
    Numbers(Vec<usize>),
    All,
}

/// Modes together: by number, or those of the others that are closer to each other than a share of their size.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Group {
    Numbers(Vec<usize>),
    Within(f64),
}

/// A request that has been understood.
pub(crate) struct Plan {
    asked: Asked,
    variables: Vec<Variable>,
    setting: Setting,
}

impl Plan {
    pub(crate) fn new(py: Python<'_>, model: &Model, asked: &str) -> PyResult<Self> {
        let asked: Asked = read(py, asked)?;
        let (spec, mechanism) = (model.spec(), model.mechanism());
        let meaning = |argument: &str, name: &str| {
            variable::quantity(&spec, &mechanism, name).map_err(|e| errors::unknown(py, argument, &e))
        };
        let mut variables = Vec::new();
        for name in &asked.variables {
            match meaning("variables", name)? {
                Quantity::Variable(v) => variables.push(v),
                Quantity::Acceleration(_) => {
                    let message =
                        format!("variables: '{name}' is an acceleration, in which no polynomials are made.");
                    return Err(errors::argument(py, "variables", message, None));
                }
            }
        }
        if asked.instant && mb_analysis::rotates(&mechanism) {
            let message = "instant: the model has steady rotations, whose motion is no instant.".to_owned();
            return Err(errors::argument(py, "instant", message, None));
        }
        let mut setting = Setting {
            frozen: asked.frozen,
            start: StartOptions {
                given: Vec::new(),
                solve: asked.solve,
                strategy: Strategy::from(asked.strategy),
                time: asked.time,
                inputs: vec![0.0; mechanism.inputs().len()],
                ..StartOptions::default()
            },
            steady: asked.steady(),
            ..Setting::default()
        };
        let known = names::configuration(&mechanism);
        for (name, value) in &asked.at {
            // Euler parameters are numbers of the configuration, but no coordinates.
            if let Some(k) = known.iter().position(|k| k == name) {
                setting.start.given.push((k, *value));
                continue;
            }
            match meaning("at", name)? {
                Quantity::Variable(Variable::Coordinate(i)) => {
                    setting
                        .start
                        .given
                        .extend(names::configuration_index(&mechanism, i).map(|k| (k, *value)));
                }
                Quantity::Variable(Variable::Input(i)) => setting.start.inputs[i] = *value,
                Quantity::Variable(Variable::Parameter(name)) => {
                    return Err(errors::internal(py, &format!("the parameter {name} among start values")));
                }
                other => match (other, &mut setting.steady) {
                    (Quantity::Variable(Variable::Speed(i)), Some(steady)) => {
                        steady.velocities.push((i, *value));
                    }
                    (Quantity::Acceleration(i), Some(steady)) => steady.accelerations.push((i, *value)),
                    (other, _) => setting.motion.push((other, *value)),
                },
            }
        }
        for name in &asked.hold {
            let Quantity::Variable(Variable::Input(i)) = meaning("hold", name)? else {
                let message = format!("hold: '{name}' is no input of the model.");
                return Err(errors::argument(py, "hold", message, None));
            };
            setting.holding.push(i);
        }
        let coordinate = |v: &Variable| if let Variable::Coordinate(i) = v { Some(*i) } else { None };
        if !(asked.frozen && setting.holding.is_empty()) {
            setting.held = variables.iter().filter_map(coordinate).collect();
        }
        let moves = variables.iter().any(|v| matches!(v, Variable::Speed(_)))
            || setting.motion.iter().any(|(_, value)| *value != 0.0);
        setting.instant = moves && setting.steady.is_none();
        if setting.instant && !asked.instant {
            let message = "Speeds or accelerations make the point an instant of a motion, whose eigenvalues are those of frozen \
                           matrices and no rates of growth: instant=True asks for them, moving=True for the exponents of a steady motion.";
            return Err(errors::argument(py, "instant", message.to_owned(), None));
        }
        Ok(Self { asked, variables, setting })
    }

    /// How operating points are found.
    pub(crate) fn setting(&self) -> &Setting {
        &self.setting
    }

    /// The modes asked for; those in groups are taken out.
    fn choose(&self, spectrum: &Spectrum) -> Result<Choice, SeriesError> {
        let (motion, _) = modes_of(&spectrum.eigenpairs);
        let physical = |i: &usize| spectrum.eigenpairs[motion[*i].index].class == Class::Physical;
        let picked = |list: &[usize]| -> Result<Vec<(usize, usize)>, SeriesError> {
            let one = |i: &usize| match motion.get(*i) {
                Some(mode) => Ok((*i, mode.index)),
                None => Err(SeriesError::BadModes {
                    list: format!("{list:?}"),
                    why: format!("there are {}, counted from 0", motion.len()),
                }),
            };
            list.iter().map(one).collect()
        };
        let mut groups: Vec<Vec<(usize, usize)>> =
            self.named_groups().map(|g| picked(g)).collect::<Result<_, _>>()?;
        let mut single = match &self.asked.picked {
            Picked::Numbers(list) => picked(list)?,
            Picked::All => picked(&(0..motion.len()).filter(physical).collect::<Vec<_>>())?,
            Picked::First(count) => {
                let all: Vec<usize> = (0..motion.len()).filter(physical).collect();
                let oscillates = |i: &usize| spectrum.eigenpairs[motion[*i].index].alpha.im != 0.0;
                let first: Vec<usize> = all.iter().copied().filter(oscillates).collect();
                let first = if first.is_empty() { all } else { first };
                picked(&first[..first.len().min(*count)])?
            }
        };
        single.retain(|(i, _)| !groups.iter().flatten().any(|(k, _)| k == i));
        let shares = self.asked.groups.iter();
        for share in shares.filter_map(|g| if let Group::Within(share) = g { Some(share) } else { None }) {
            let value = |(_, k): &(usize, usize)| spectrum.eigenpairs[*k].value().unwrap_or(c64::ZERO);
            let values: Vec<c64> = single.iter().map(value).collect();
            for group in close_groups(&values, *share) {
                groups.push(group.iter().map(|i| single[*i]).collect());
            }
            single.retain(|(i, _)| !groups.iter().flatten().any(|(k, _)| k == i));
        }
        if single.is_empty() && groups.is_empty() {
            let why = "the model has no physical mode there".to_owned();
            return Err(SeriesError::BadModes { list: "asked for".to_owned(), why });
        }
        Ok(Choice { single, groups })
    }

    fn named_groups(&self) -> impl Iterator<Item = &Vec<usize>> {
        self.asked.groups.iter().filter_map(|g| if let Group::Numbers(list) = g { Some(list) } else { None })
    }

    /// Whether any mode may be meant.
    fn any(&self) -> bool {
        matches!(self.asked.picked, Picked::All)
            || self.asked.groups.iter().any(|g| matches!(g, Group::Within(_)))
    }

    fn lowest(&self) -> usize {
        let listed = match &self.asked.picked {
            Picked::First(count) => *count,
            Picked::Numbers(list) => list.iter().max().map_or(0, |most| most + 1),
            Picked::All => 0,
        };
        let grouped = self.named_groups().flatten().max().map_or(0, |most| most + 1);
        listed.max(grouped)
    }

    /// The polynomials; modes or centres that the journal has kept are taken from there.
    pub(crate) fn expand(
        &self,
        spec: &ModelSpec,
        model: &Mechanism,
        journal: &mut dyn Journal,
    ) -> Result<Expansion, SeriesError> {
        let origin = Origin { spec, model, setting: &self.setting };
        let about = Expansion::about(&origin, self.variables.clone(), origin.centre()?)?;
        let region = self.asked.region.as_ref().map(|list| -> Region {
            let ends = list.iter().zip(&about.values);
            ends.map(|(ends, x)| ends.map_or([0.0; 2], |[low, high]| [low - x, high - x])).collect()
        });
        let wanted =
            Wanted { lowest: self.lowest(), all: self.any(), choose: &|spectrum| self.choose(spectrum) };
        match (self.asked.accuracy, region) {
            (Some(accuracy), Some(region)) => about.to_accuracy(&origin, accuracy, region, &wanted, journal),
            (_, region) => {
                let mut expansion = about.to_order(&origin, self.asked.order, &wanted, journal)?;
                if let Some(region) = region {
                    expansion.judge(&origin, region)?;
                }
                Ok(expansion)
            }
        }
    }
}
