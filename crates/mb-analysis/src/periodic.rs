//! The search of a periodic motion of a model: its start, its period, and branches of it over a parameter.
//!
//! ```text
//! start -> assembled -> settled by simulation -> period given, known or guessed -> periodic motion -> multipliers
//! ```

use crate::StartOptions;
use crate::error::AnalysisError;
use crate::names;
use crate::site::{MotionOptions, own_velocities};
use mb_constraints::simulate::{End, SimulationOptions, StartPolicy, consistent_start, simulate};
use mb_linear::LinearError;
use mb_model::spec::{ModelSpec, Value};
use mb_model::{Model, ModelError};
use mb_periodic::{
    Family, Floquet, Orbit, OrbitOptions, ParameterJet, Period, PeriodicError, State, depends_on_time,
    find_orbit, floquet, guess_periods, parameter,
};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Which periodic motion, and how it is computed.
#[derive(Clone, Debug, Default)]
pub struct OrbitSearch {
    /// The period, s: a number or an expression of parameters.
    pub period: Option<String>,
    /// The period of a motion that was found before, s: given where the model depends on time, else near to it.
    pub known: Option<f64>,
    /// About the period of a model that does not depend on time, s.
    pub guess: Option<f64>,
    /// Start values of configuration numbers by index; the others start as the model says.
    pub given: Vec<(usize, f64)>,
    /// Start values of velocities by index.
    pub velocities: Vec<(usize, f64)>,
    /// Seconds by which the motion is followed first; whole periods, where one is given.
    pub settle: Option<f64>,
    /// Time at the start, s.
    pub time: f64,
    /// How it is solved for, with constant inputs.
    pub options: OrbitOptions,
}

/// Why there is no periodic motion.
#[derive(Clone, Debug, thiserror::Error)]
pub enum OrbitError {
    /// The start cannot be assembled, or the simulation of its way failed.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// The search failed.
    #[error(transparent)]
    Periodic(#[from] PeriodicError),
    /// The period has no value.
    #[error("The period {text:?}: {reason}.")]
    Period {
        /// As it was asked for.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Name of the period among the parameters while it is read.
const PERIOD: &str = "period_asked_for";

/// The period that a number or an expression of parameters gives, s.
///
/// # Errors
/// [`OrbitError::Period`].
pub fn period(spec: &ModelSpec, text: &str) -> Result<f64, OrbitError> {
    let wrong = |reason: String| OrbitError::Period { text: text.to_owned(), reason };
    let found = if let Ok(number) = text.trim().parse::<f64>() {
        number
    } else {
        // The name is not the user's, so that it is taken out of messages.
        let own = format!("parameter '{PERIOD}': ");
        let mut with = spec.clone();
        with.parameters.insert(PERIOD.to_owned(), Value::from(text));
        let values = with.parameter_values().map_err(|e| wrong(reason(&e).replace(&own, "")))?;
        values.get(PERIOD).copied().unwrap_or(f64::NAN)
    };
    if (1e-100..=1e100).contains(&found) {
        return Ok(found);
    }
    let range = if found > 0.0 { "between 1e-100 and 1e100 s" } else { "positive" };
    Err(wrong(format!("it is {found:?} s, and must be {range}")))
}

/// What is wrong, to stand inside a sentence.
fn reason(error: &ModelError) -> String {
    error.to_string().trim_end_matches('.').to_owned()
}

/// Finds a periodic motion and its multipliers; `begins` is called with what is done next.
///
/// # Errors
/// [`OrbitError`].
pub fn periodic_motion(
    spec: &ModelSpec,
    model: &Model,
    search: &OrbitSearch,
    begins: &mut dyn FnMut(&'static str),
) -> Result<(Orbit, Floquet), OrbitError> {
    let asked = search.period.as_deref().map(|text| period(spec, text)).transpose()?;
    begins("making the start consistent");
    let mut state = search.start(model)?;
    if let Some(seconds) = search.settle {
        begins("letting the motion settle");
        state = search.settled(model, &state, seconds, asked)?;
    }
    let options = &search.options;
    let timed = depends_on_time(model, &options.inputs, std::slice::from_ref(&state))
        .or_else(|| model.unsteady_laws().first().map(|law| law.0.to_owned()));
    let period = match (asked, search.known, timed, search.guess) {
        (Some(t), ..) | (None, Some(t), Some(_), _) => Period::Given(t),
        (None, Some(t), None, _) | (None, None, None, Some(t)) => Period::About(t),
        (None, None, Some(owner), _) => return Err(PeriodicError::PeriodNeeded { owner }.into()),
        (None, None, None, None) => {
            begins("searching for a return of the motion");
            let guesses = guess_periods(model, &state, &options.inputs, &options.watch)?;
            begins("solving for the periodic motion");
            let orbit = first_near(model, &state, &guesses, options)?;
            let multipliers = floquet(&orbit)?;
            return Ok((orbit, multipliers));
        }
    };
    begins("solving for the periodic motion");
    let orbit = find_orbit(model, &state, period, options)?;
    let multipliers = floquet(&orbit)?;
    Ok((orbit, multipliers))
}

/// Share by which the period of a motion may be off its guess, for which another guess is not tried.
const NEAR: f64 = 0.1;

/// The first motion whose period, or a whole number of it, is near to its guess; else the first one that is found.
fn first_near(
    model: &Model,
    start: &State,
    guesses: &[f64],
    options: &OrbitOptions,
) -> Result<Orbit, PeriodicError> {
    let mut other: Option<Result<Orbit, PeriodicError>> = None;
    for guess in guesses {
        match find_orbit(model, start, Period::About(*guess), options) {
            Ok(orbit) if (orbit.returns as f64 * orbit.period - guess).abs() <= NEAR * guess => {
                return Ok(orbit);
            }
            Err(e @ PeriodicError::Stopped(_)) => return Err(e),
            Ok(orbit) if !matches!(other, Some(Ok(_))) => other = Some(Ok(orbit)),
            Ok(_) => {}
            Err(e) => {
                other.get_or_insert(Err(e));
            }
        }
    }
    other.unwrap_or(Err(PeriodicError::NoReturn { until: 0.0 }))
}

impl OrbitSearch {
    /// The motion of a period, s, a number or an expression of parameters, that starts with the values, speeds and inputs asked for.
    pub fn with_period(period: &str, start: StartOptions, motion: Option<MotionOptions>) -> Self {
        Self {
            period: Some(period.to_owned()),
            given: start.given,
            velocities: motion.map(|m| m.velocities).unwrap_or_default(),
            time: start.time,
            options: OrbitOptions { inputs: start.inputs, ..OrbitOptions::default() },
            ..Self::default()
        }
    }
    /// The start on the constraints; what is given stays where they allow it.
    fn start(&self, model: &Model) -> Result<State, OrbitError> {
        let mut q = model.initial().to_vec();
        let mut hold = Vec::new();
        for (i, value) in &self.given {
            q[*i] = *value;
            hold.extend(names::velocity_index(model, *i));
        }
        let mut v = own_velocities(model, &q, self.time)?;
        for (i, value) in &self.velocities {
            v[*i] = *value;
            hold.push(*i);
        }
        let begin = consistent_start(model, &q, &v, self.time, StartPolicy::Assemble, &hold)
            .map_err(|e| AnalysisError::from(LinearError::from(e)))?;
        Ok(State { t: begin.t, q: begin.q, v: begin.v })
    }
    /// The state after some time; after whole periods, where one is given.
    fn settled(
        &self,
        model: &Model,
        from: &State,
        seconds: f64,
        period: Option<f64>,
    ) -> Result<State, OrbitError> {
        let watch = &self.options.watch;
        let seconds = period.map_or(seconds, |t| (seconds / t).ceil() * t);
        let options = SimulationOptions {
            until: from.t + seconds,
            every: seconds,
            inputs: self.options.inputs.clone(),
            energy_limit: f64::INFINITY,
            ..SimulationOptions::default()
        };
        let mut see =
            |_: &_| if watch.look().is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let failed = |e| OrbitError::from(AnalysisError::from(LinearError::from(e)));
        let motion = simulate(model, from.t, &from.q, &from.v, &options, &mut see).map_err(failed)?;
        watch.look().map_err(PeriodicError::from)?;
        if let End::Failed(failure) = motion.end {
            return Err(failed(failure));
        }
        let last = motion.len() - 1;
        // Whole periods later the model is the same, so that the time of the start stays.
        let t = if period.is_some() { from.t } else { motion.times[last] };
        Ok(State { t, q: motion.q_at(last).to_vec(), v: motion.v_at(last).to_vec() })
    }
}

/// A description over one of its parameters.
#[derive(Clone, Debug)]
pub struct OverParameter<'s> {
    /// The description.
    pub spec: &'s ModelSpec,
    /// The parameter.
    pub name: &'s str,
    /// The period as it was asked for; none where it is solved for.
    pub period: Option<&'s str>,
}

impl OverParameter<'_> {
    fn at(&self, p: f64) -> Result<ModelSpec, PeriodicError> {
        let mut spec = self.spec.clone();
        spec.set_parameter(self.name, Value::Number(p)).map_err(|e| wrong(p, &e))?;
        Ok(spec)
    }
}

fn wrong(value: f64, error: &ModelError) -> PeriodicError {
    PeriodicError::Parameter { value, reason: reason(error) }
}

impl Family for OverParameter<'_> {
    fn model(&self, p: f64) -> Result<Model, PeriodicError> {
        self.at(p)?.build().map_err(|e| wrong(p, &e))
    }
    fn jets(&self, p: f64) -> Result<Model<ParameterJet>, PeriodicError> {
        let given = BTreeMap::from([(self.name.to_owned(), parameter(p))]);
        self.at(p)?.build_with(&given).map_err(|e| wrong(p, &e))
    }
    fn period(&self, p: f64) -> Result<Option<f64>, PeriodicError> {
        let Some(text) = self.period else { return Ok(None) };
        let failed = |e: OrbitError| PeriodicError::Parameter {
            value: p,
            reason: e.to_string().trim_end_matches('.').to_owned(),
        };
        period(&self.at(p)?, text).map(Some).map_err(failed)
    }
}
