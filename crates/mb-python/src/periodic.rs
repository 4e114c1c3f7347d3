//! Periodic motions, their multipliers, and branches of them over a parameter.

use std::collections::BTreeMap;
use std::sync::Arc;

use mb_algebra::{Dense, Watch, c64};
use mb_analysis::{AnalysisError, names, own_velocities};
use mb_constraints::simulate::{End, SimulationOptions, StartPolicy, consistent_start, simulate};
use mb_model::Model as Mechanism;
use mb_model::spec::{ModelSpec, Value};
use mb_periodic::{
    BranchOptions, BranchPoint, Directions, Dynamics, Family, Floquet, Multiplier, Orbit as Found,
    OrbitOptions, ParameterJet, Period, PeriodicError, Stability, State, Stepper, depends_on_time,
    find_orbit, floquet, follow, follow_branch, guess_period, parameter,
};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;

use crate::arrays::{by_columns, vector};
use crate::model::Model;
use crate::options::read;
use crate::{errors, work};

/// Which motion, as `python/mb/_periodic.py` writes it; coordinates stand by index.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// A number or an expression of parameters.
    period: Option<String>,
    guess: Option<f64>,
    at: Vec<(usize, f64)>,
    velocity: Vec<(usize, f64)>,
    hold: Vec<usize>,
    settle: Option<f64>,
    time: f64,
    inputs: Vec<f64>,
    parts: usize,
    steps: usize,
    most_steps: usize,
    tolerance: f64,
}

/// Why there is no motion.
enum Failure {
    Periodic(PeriodicError),
    Analysis(AnalysisError),
    /// The period has no value.
    Period(String),
}

impl From<PeriodicError> for Failure {
    fn from(e: PeriodicError) -> Self {
        Self::Periodic(e)
    }
}

impl From<AnalysisError> for Failure {
    fn from(e: AnalysisError) -> Self {
        Self::Analysis(e)
    }
}

impl Failure {
    fn raised(&self, py: Python<'_>) -> PyErr {
        match self {
            Self::Periodic(e) => errors::periodic(py, e),
            Self::Analysis(e) => errors::analysis(py, e),
            Self::Period(why) => errors::argument(py, "period", why.clone(), None),
        }
    }
}

/// Name of the period among the parameters while it is read.
const PERIOD: &str = "period_asked_for";

/// The number that a period is, s; the reason where it is none.
fn seconds(spec: &ModelSpec, text: &str) -> Result<f64, String> {
    let found = if let Ok(number) = text.trim().parse::<f64>() {
        number
    } else {
        let mut with = spec.clone();
        with.parameters.insert(PERIOD.to_owned(), Value::from(text));
        let values = with.parameter_values().map_err(|e| format!("period is {text:?}: {e}"))?;
        values.get(PERIOD).copied().unwrap_or(f64::NAN)
    };
    if found.is_finite() && found > 0.0 {
        return Ok(found);
    }
    Err(format!("period is {text:?}, which is {found} s, but must be positive."))
}

impl Asked {
    /// The start on the constraints.
    fn start(&self, model: &Mechanism) -> Result<State, Failure> {
        let mut q = model.initial().to_vec();
        let mut hold = Vec::new();
        for (i, value) in &self.at {
            q[*i] = *value;
            hold.extend(names::velocity_index(model, *i));
        }
        let mut v = own_velocities(model, &q, self.time)?;
        for (i, value) in &self.velocity {
            v[*i] = *value;
            hold.push(*i);
        }
        let begin = consistent_start(model, &q, &v, self.time, StartPolicy::Assemble, &hold)
            .map_err(AnalysisError::from)?;
        Ok(State { t: begin.t, q: begin.q, v: begin.v })
    }

    /// The state some time later; whole periods later, where one is given.
    fn settled(
        &self,
        model: &Mechanism,
        from: &State,
        wait: f64,
        period: Option<f64>,
    ) -> Result<State, Failure> {
        let wait = period.map_or(wait, |t| (wait / t).ceil() * t);
        let options = SimulationOptions {
            until: from.t + wait,
            every: wait,
            inputs: self.inputs.clone(),
            energy_limit: f64::INFINITY,
            ..SimulationOptions::default()
        };
        let mut see = |_: &_| std::ops::ControlFlow::Continue(());
        let motion =
            simulate(model, from.t, &from.q, &from.v, &options, &mut see).map_err(AnalysisError::from)?;
        if let End::Failed(e) = motion.end {
            return Err(AnalysisError::from(e).into());
        }
        let last = motion.len() - 1;
        // Whole periods later the model is the same, so that the time of the start stays.
        let t = if period.is_some() { from.t } else { motion.times[last] };
        Ok(State { t, q: motion.q_at(last).to_vec(), v: motion.v_at(last).to_vec() })
    }

    fn find(&self, spec: &ModelSpec, model: &Mechanism) -> Result<(Found, Floquet), Failure> {
        let given = self.period.as_deref().map(|text| seconds(spec, text)).transpose();
        let given = given.map_err(Failure::Period)?;
        let mut start = self.start(model)?;
        if let Some(wait) = self.settle {
            start = self.settled(model, &start, wait, given)?;
        }
        let timed = depends_on_time(model, &self.inputs, std::slice::from_ref(&start))
            .or_else(|| model.unsteady_laws().first().map(|law| law.0.to_owned()));
        let period = match (given, self.guess, timed) {
            (Some(t), ..) => Period::Given(t),
            (None, _, Some(owner)) => return Err(PeriodicError::PeriodNeeded { owner }.into()),
            (None, Some(t), None) => Period::About(t),
            (None, None, None) => {
                Period::About(guess_period(model, &start, &self.inputs, &Watch::default())?)
            }
        };
        let options = OrbitOptions {
            parts: self.parts,
            steps: self.steps,
            most_steps: self.most_steps,
            tolerance: self.tolerance,
            hold: self.hold.clone(),
            inputs: self.inputs.clone(),
            ..OrbitOptions::default()
        };
        let orbit = find_orbit(model, &start, period, &options)?;
        let multipliers = floquet(&orbit)?;
        Ok((orbit, multipliers))
    }
}

/// A periodic motion with its multipliers.
#[pyclass(frozen, module = "mb._mb")]
pub(crate) struct Orbit {
    spec: Arc<ModelSpec>,
    model: Arc<Mechanism>,
    inputs: Vec<f64>,
    period: Option<String>,
    found: Arc<Found>,
    floquet: Floquet,
}

/// Finds a periodic motion.
#[pyfunction]
pub(crate) fn orbit(py: Python<'_>, model: &Model, asked: &str) -> PyResult<Orbit> {
    let asked: Asked = read(py, asked)?;
    let (spec, mechanism) = (model.spec(), model.mechanism());
    let (inputs, period) = (asked.inputs.clone(), asked.period.clone());
    let found = work::run(py, move || asked.find(&spec, &mechanism))?;
    let (found, floquet) = found.map_err(|e| e.raised(py))?;
    let (spec, model) = (model.spec(), model.mechanism());
    Ok(Orbit { spec, model, inputs, period, found: Arc::new(found), floquet })
}

impl Orbit {
    fn columns<'py>(
        &self,
        py: Python<'py>,
        rows: usize,
        of: impl Fn(&State) -> &[f64],
    ) -> PyResult<Bound<'py, PyAny>> {
        let numbers: Vec<f64> = self.found.states.iter().flat_map(|s| of(s).iter().copied()).collect();
        Ok(by_columns(py, (rows, self.found.states.len()), numbers)?.into_any())
    }

    fn numbers<'py>(&self, py: Python<'py>, of: impl Fn(&Multiplier) -> f64) -> Bound<'py, PyArray1<f64>> {
        vector(py, self.floquet.multipliers.iter().map(of).collect())
    }
}

#[pymethods]
impl Orbit {
    /// Times of the states, s.
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, self.found.states.iter().map(|s| s.t).collect())
    }

    /// Configurations, numbers x times.
    fn configurations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py, self.model.nq(), |s| &s.q)
    }

    /// Velocities, numbers x times.
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py, self.model.nv(), |s| &s.v)
    }

    /// Period, whether the model does not depend on time, whole turns by velocity index.
    fn motion(&self) -> (f64, bool, Vec<i32>) {
        (self.found.period, self.found.autonomous, self.found.turns.clone())
    }

    /// Steps, iterations, gap at the end, change of the motion by the last doubling, violations of position and velocity.
    fn quality(&self) -> (usize, usize, f64, f64, f64, f64) {
        let o = &self.found;
        (o.steps, o.iterations, o.defect, o.moved, o.violation[0], o.violation[1])
    }

    /// Multipliers.
    fn multipliers<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<c64>> {
        vector(py, self.floquet.multipliers.iter().map(|m| m.value).collect())
    }

    /// Exponents, 1/s; NaN where the multiplier is zero within its error.
    fn exponents<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<c64>> {
        let nan = c64::new(f64::NAN, f64::NAN);
        vector(py, self.floquet.multipliers.iter().map(|m| m.exponent.unwrap_or(nan)).collect())
    }

    /// Estimates of the errors of the multipliers.
    fn error<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.numbers(py, |m| m.error)
    }

    /// Conditions of the multipliers.
    fn condition<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.numbers(py, |m| m.condition)
    }

    /// Classes of the multipliers.
    fn kind(&self) -> Vec<String> {
        self.floquet.multipliers.iter().map(|m| m.class.to_string()).collect()
    }

    /// Stability in words, and as True, False or None; residual of the trivial multiplier; change of the monodromy matrix.
    fn stability(&self) -> (String, Option<bool>, Option<f64>, f64) {
        let verdict = match self.floquet.stability {
            Stability::Stable => Some(true),
            Stability::Unstable => Some(false),
            Stability::Undecided => None,
        };
        let f = &self.floquet;
        (f.stability.to_string(), verdict, f.trivial_residual, f.change)
    }

    /// What becomes of a disturbance along the vector of multiplier `index`: displacements, velocities x times.
    fn disturbance<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let Some(multiplier) = self.floquet.multipliers.get(index) else {
            let message =
                format!("number is {index}, but there are {} multipliers.", self.floquet.multipliers.len());
            return Err(errors::argument(py, "number", message, None));
        };
        let c = multiplier.vector.clone();
        let (model, inputs, found) = (Arc::clone(&self.model), self.inputs.clone(), Arc::clone(&self.found));
        let numbers = work::run(py, move || carried(&model, &inputs, &found, &c))?;
        let numbers = numbers.map_err(|e| errors::periodic(py, &e))?;
        Ok(by_columns(py, (self.model.nv(), self.found.states.len()), numbers)?.into_any())
    }

    /// The branch over a parameter, from its value in the model.
    fn branch<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        range: [f64; 2],
        points: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let family = Over {
            spec: Arc::clone(&self.spec),
            name: name.to_owned(),
            period: self.period.clone().filter(|_| !self.found.autonomous),
        };
        let options = BranchOptions {
            range,
            points,
            steps: self.found.steps.min(128),
            inputs: self.inputs.clone(),
            watch: Watch::default(),
        };
        let found = Arc::clone(&self.found);
        let branch = work::run(py, move || follow_branch(&family, &found, &options))?;
        let branch = branch.map_err(|e| errors::periodic(py, &e))?;
        let out = PyDict::new(py);
        let points: Vec<&BranchPoint> = branch.points.iter().collect();
        out.set_item("points", self.points(py, &points)?)?;
        let special: Vec<&BranchPoint> = branch.bifurcations.iter().map(|(_, p)| p).collect();
        out.set_item("bifurcations", self.points(py, &special)?)?;
        let kinds: Vec<String> = branch.bifurcations.iter().map(|(kind, _)| kind.to_string()).collect();
        out.set_item("kinds", kinds)?;
        out.set_item("ended", branch.ended.map(|e| e.to_string()))?;
        Ok(out)
    }
}

impl Orbit {
    /// Values, periods, configurations, velocities, multipliers, by columns.
    fn points<'py>(&self, py: Python<'py>, points: &[&BranchPoint]) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        out.set_item("value", vector(py, points.iter().map(|p| p.p).collect()))?;
        out.set_item("period", vector(py, points.iter().map(|p| p.period).collect()))?;
        let all = |of: &dyn Fn(&BranchPoint) -> Vec<f64>| points.iter().flat_map(|p| of(p)).collect();
        let (q, v): (Vec<f64>, Vec<f64>) = (all(&|p| p.state.q.clone()), all(&|p| p.state.v.clone()));
        out.set_item("q", by_columns(py, (self.model.nq(), points.len()), q)?)?;
        out.set_item("v", by_columns(py, (self.model.nv(), points.len()), v)?)?;
        let most = points.iter().map(|p| p.multipliers.len()).max().unwrap_or(0);
        let nan = c64::new(f64::NAN, f64::NAN);
        let padded = |p: &&BranchPoint| -> Vec<c64> {
            (0..most).map(|i| p.multipliers.get(i).copied().unwrap_or(nan)).collect()
        };
        let multipliers: Vec<c64> = points.iter().flat_map(padded).collect();
        out.set_item("multipliers", by_columns(py, (most, points.len()), multipliers)?)?;
        Ok(out)
    }
}

/// Displacements along the motion that begin as `c` in the coordinates of the start: n for each state.
fn carried(model: &Mechanism, inputs: &[f64], found: &Found, c: &[c64]) -> Result<Vec<c64>, PeriodicError> {
    let n = model.nv();
    let parts = [c.iter().map(|z| z.re).collect::<Vec<_>>(), c.iter().map(|z| z.im).collect()];
    let [re, im] = parts.map(|part| found.frame.change(&part));
    let side_by_side =
        |re: &[f64], im: &[f64]| Dense::from_fn(n, 2, |i, j| if j == 0 { re[i] } else { im[i] });
    let mut directions =
        Directions { x: side_by_side(&re.0, &im.0), v: side_by_side(&re.1, &im.1), parameter: false };
    let mut stepper = Stepper::new(Dynamics::new(model, inputs, &found.states[0])?)?;
    let mut out = Vec::with_capacity(n * found.states.len());
    let put = |out: &mut Vec<c64>, d: &Directions| {
        out.extend((0..n).map(|i| c64::new(d.x[(i, 0)], d.x[(i, 1)])));
    };
    put(&mut out, &directions);
    for pair in found.states.windows(2) {
        let step = pair[1].t - pair[0].t;
        let arc = follow(&mut stepper, &pair[0], step, 1, Some(directions), &Watch::default())?;
        let Some(ahead) = arc.directions else { unreachable!("directions go along") };
        directions = ahead;
        put(&mut out, &directions);
    }
    Ok(out)
}

/// A description over one of its parameters.
struct Over {
    spec: Arc<ModelSpec>,
    name: String,
    period: Option<String>,
}

impl Over {
    fn at(&self, p: f64) -> Result<ModelSpec, PeriodicError> {
        let mut spec = (*self.spec).clone();
        spec.set_parameter(&self.name, Value::Number(p)).map_err(|e| wrong(p, &e))?;
        Ok(spec)
    }
}

fn wrong(value: f64, error: &impl ToString) -> PeriodicError {
    PeriodicError::Parameter { value, reason: error.to_string().trim_end_matches('.').to_owned() }
}

impl Family for Over {
    fn model(&self, p: f64) -> Result<Mechanism, PeriodicError> {
        self.at(p)?.build().map_err(|e| wrong(p, &e))
    }
    fn jets(&self, p: f64) -> Result<mb_model::Model<ParameterJet>, PeriodicError> {
        let given = BTreeMap::from([(self.name.clone(), parameter(p))]);
        self.at(p)?.build_with(&given).map_err(|e| wrong(p, &e))
    }
    fn period(&self, p: f64) -> Result<Option<f64>, PeriodicError> {
        let spec = self.at(p)?;
        self.period.as_deref().map(|text| seconds(&spec, text).map_err(|e| wrong(p, &e))).transpose()
    }
}
