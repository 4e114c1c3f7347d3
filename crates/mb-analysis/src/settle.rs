//! From a model to a verified equilibrium.

use crate::error::AnalysisError;
use crate::names;
use crate::signs::judged;
use mb_algebra::{Stopped, Watch};
use mb_constraints::{AssemblyOptions, assemble, largest};
use mb_linear::equilibrium::SearchOptions;
use mb_linear::{
    Equilibrium, EquilibriumOptions, LoadPath, LoadPathOptions, OperatingPoint, Stability, Strategy,
    find_equilibria, load_path_judged, stability,
};
use mb_model::Model;

/// Where the search for the equilibrium starts.
#[derive(Clone, Debug, PartialEq)]
pub struct StartOptions {
    /// Start values: index of the configuration number, value. The others start as the model says.
    pub given: Vec<(usize, f64)>,
    /// False to verify the start instead of solving.
    pub solve: bool,
    /// Methods.
    pub strategy: Strategy,
    /// Time, s.
    pub time: f64,
    /// Inputs; empty means zero.
    pub inputs: Vec<f64>,
    /// What ends the search from outside.
    pub watch: Watch,
}

impl Default for StartOptions {
    /// The model's own start at t = 0, inputs zero; the equilibrium is solved for.
    fn default() -> Self {
        Self {
            given: Vec::new(),
            solve: true,
            strategy: Strategy::Automatic,
            time: 0.0,
            inputs: Vec::new(),
            watch: Watch::default(),
        }
    }
}

impl StartOptions {
    pub(crate) fn equilibrium(&self) -> EquilibriumOptions {
        EquilibriumOptions {
            strategy: self.strategy,
            time: self.time,
            inputs: self.inputs.clone(),
            watch: self.watch.clone(),
            ..EquilibriumOptions::default()
        }
    }
    /// The configuration to start from, before assembly.
    pub fn configuration(&self, model: &Model) -> Vec<f64> {
        let mut q = model.initial().to_vec();
        for (i, value) in &self.given {
            q[*i] = *value;
        }
        q
    }
}

/// An assembled start.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// The configuration, with Phi = 0.
    pub q: Vec<f64>,
    /// The configuration before.
    pub before: Vec<f64>,
    /// The worst violated constraint row before assembly, and its violation; none without
    /// constraints.
    pub violation: Option<(usize, f64)>,
    /// Length of the way to the assembled configuration.
    pub moved: f64,
    /// Given start values that could not be kept, by name.
    pub not_kept: Vec<String>,
}

/// Assembles the start. Given start values are kept where the constraints allow it.
///
/// # Errors
/// [`AnalysisError::Linear`] with the constraint that stays violated.
pub fn assembled_start(model: &Model, options: &StartOptions) -> Result<Start, AnalysisError> {
    let q = options.configuration(model);
    let violation = largest(&model.phi(&q, options.time));
    let hold: Vec<usize> =
        options.given.iter().filter_map(|(i, _)| names::velocity_index(model, *i)).collect();
    let held = AssemblyOptions { hold, ..AssemblyOptions::default() };
    let assembled = match assemble(model, &q, options.time, &held) {
        Ok(there) => there,
        Err(_) if !held.hold.is_empty() => {
            assemble(model, &q, options.time, &AssemblyOptions::default()).map_err(linear)?
        }
        Err(e) => return Err(linear(e)),
    };
    let known = names::configuration(model);
    let lost = |(i, value): &&(usize, f64)| (assembled.q[*i] - value).abs() > 1e-9 * (1.0 + value.abs());
    let not_kept = options.given.iter().filter(lost).map(|(i, _)| known[*i].clone()).collect();
    Ok(Start { q: assembled.q, before: q, violation, moved: assembled.moved, not_kept })
}

fn linear(e: mb_constraints::ConstraintError) -> AnalysisError {
    AnalysisError::Linear(e.into())
}

/// A verified equilibrium.
#[derive(Clone, Debug)]
pub struct Settled {
    /// The equilibrium.
    pub equilibrium: Equilibrium,
    /// Its stability by stiffness.
    pub stability: Stability,
    /// The start it was found from; none when the start was only verified.
    pub start: Option<Start>,
}

impl Settled {
    /// The point to linearize at.
    pub fn operating_point(&self) -> OperatingPoint {
        OperatingPoint::from(&self.equilibrium)
    }
}

/// Refuses a time at which a drive is moving: the verification of an equilibrium would only say
/// that a rate is left over.
fn check_drives(model: &Model, options: &StartOptions) -> Result<(), AnalysisError> {
    let (q, time) = (options.configuration(model), options.time);
    let (rates, accelerations) = (model.phi_t(&q, time), model.phi_tt(&q, time));
    let allowed = EquilibriumOptions::default().tolerance;
    match (0..model.nc()).find(|i| rates[*i].abs().max(accelerations[*i].abs()) > allowed) {
        Some(i) => Err(AnalysisError::Moving {
            row: model.row_name(i),
            time,
            rate: rates[i],
            acceleration: accelerations[i],
        }),
        None => Ok(()),
    }
}

/// Finds or verifies the equilibrium.
///
/// # Errors
/// [`AnalysisError::Moving`]; [`AnalysisError::Linear`]: no assembly, no equilibrium, or a given
/// configuration that is none.
pub fn settle(model: &Model, options: &StartOptions) -> Result<Settled, AnalysisError> {
    check_drives(model, options)?;
    let solve = options.equilibrium();
    let (equilibrium, start) = if options.solve {
        let start = assembled_start(model, options)?;
        (Equilibrium::solve(model, &start.q, &solve)?, Some(start))
    } else {
        (Equilibrium::verify(model, options.configuration(model), &solve)?, None)
    };
    let stability = judged(model, &equilibrium, stability(model, &equilibrium)?);
    Ok(Settled { equilibrium, stability, start })
}

/// Equilibria along growing loads, from the assembled start.
///
/// # Errors
/// As [`settle`], when not even a small part of the loads has an equilibrium.
pub fn along_loads(model: &Model, options: &StartOptions) -> Result<LoadPath, AnalysisError> {
    check_drives(model, options)?;
    let start = assembled_start(model, options)?;
    let path = LoadPathOptions { solve: options.equilibrium(), ..LoadPathOptions::default() };
    Ok(load_path_judged(model, &start.q, &path, &judged)?)
}

/// Equilibria that a search found, and how far it came.
#[derive(Clone, Debug)]
pub struct Several {
    /// The equilibria, at least one, stable ones first.
    pub found: Vec<Settled>,
    /// Scattered starts that were asked for.
    pub starts: usize,
    /// Those that were tried to their end.
    pub tried: usize,
    /// Why the others were not; none where all were tried.
    pub stopped: Option<Stopped>,
}

/// Every equilibrium that is found from scattered starts, stable ones first. What was found before a limit of time or a signal
/// is an answer.
///
/// # Errors
/// As [`settle`], when no start leads to an equilibrium.
pub fn equilibria(model: &Model, options: &StartOptions, starts: usize) -> Result<Several, AnalysisError> {
    check_drives(model, options)?;
    let mut found = Vec::new();
    if let Ok(first) = settle(model, options) {
        found.push(first);
    }
    let search = SearchOptions { starts, solve: options.equilibrium(), ..SearchOptions::default() };
    let (tried, stopped) = match find_equilibria(model, &search) {
        Ok(list) => {
            for (equilibrium, stability) in list.found {
                let equilibrium = within_a_turn(model, equilibrium, &search.solve);
                if found.iter().all(|f| !same(model, f.equilibrium.q(), equilibrium.q())) {
                    let stability = judged(model, &equilibrium, stability);
                    found.push(Settled { equilibrium, stability, start: None });
                }
            }
            (list.tried, list.stopped)
        }
        Err(e) if found.is_empty() => return Err(e.into()),
        // The equilibrium of the given start is an answer.
        Err(_) => (0, search.solve.watch.look().err()),
    };
    found.sort_by_key(|f| f.stability != Stability::Stable);
    Ok(Several { found, starts, tried, stopped })
}

/// The same equilibrium with its angles between -pi and pi, where it is the same: springs and joints may count turns.
fn within_a_turn(model: &Model, found: Equilibrium, options: &EquilibriumOptions) -> Equilibrium {
    let turn = std::f64::consts::TAU;
    let less = |(x, unit): (&f64, &str)| if unit == "rad" { x - turn * (x / turn).round() } else { *x };
    let q: Vec<f64> = found.q().iter().zip(names::units(model)).map(less).collect();
    if q == found.q() {
        return found;
    }
    match Equilibrium::verify(model, q, options) {
        Ok(mut same) => {
            (same.iterations, same.found_by) = (found.iterations, found.found_by);
            same
        }
        Err(_) => found,
    }
}

/// Equal up to 1e-6, angles modulo a full turn.
fn same(model: &Model, a: &[f64], b: &[f64]) -> bool {
    let units = names::units(model);
    a.iter().zip(b).zip(units).all(|((a, b), unit)| {
        let turn = std::f64::consts::TAU;
        let d = a - b;
        let d = if unit == "rad" { d - turn * (d / turn).round() } else { d };
        d.abs() < 1e-6
    })
}
