//! Periodic motions, their multipliers, and branches of them over a parameter.

use std::path::PathBuf;
use std::sync::Arc;

use mb_algebra::{Dense, Watch, c64};
use mb_analysis::floquet_diagram::{Exponent, floquet_diagram};
use mb_analysis::periodic::{OrbitError, OrbitSearch, OverParameter, periodic_motion};
use mb_model::Model as Mechanism;
use mb_model::spec::ModelSpec;
use mb_periodic::{
    BranchOptions, BranchPoint, Directions, Dynamics, Floquet, Multiplier, Orbit as Found, OrbitOptions,
    PeriodicError, Stability, State, Stepper, follow, follow_branch,
};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;

use crate::arrays::{by_columns, vector};
use crate::kept::{self, Steps};
use crate::model::Model;
use crate::options::read;
use crate::{errors, work};

/// Which motion, as `python/mb/_periodic.py` writes it; coordinates stand by index.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// A number or an expression of parameters.
    period: Option<String>,
    /// The period of a motion in a file.
    known: Option<f64>,
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

impl Asked {
    fn find(self, spec: &ModelSpec, model: &Mechanism) -> Result<(Found, Floquet), OrbitError> {
        periodic_motion(spec, model, &self.search(), &mut |_| ())
    }
    fn search(self) -> OrbitSearch {
        let options = OrbitOptions {
            parts: self.parts,
            steps: self.steps,
            most_steps: self.most_steps,
            tolerance: self.tolerance,
            hold: self.hold,
            inputs: self.inputs,
            decayed: true,
            ..OrbitOptions::default()
        };
        OrbitSearch {
            period: self.period,
            known: self.known,
            guess: self.guess,
            given: self.at,
            velocities: self.velocity,
            settle: self.settle,
            time: self.time,
            options,
        }
    }
}

fn raised(py: Python<'_>, error: &OrbitError) -> PyErr {
    match error {
        OrbitError::Periodic(e) => errors::periodic(py, e),
        OrbitError::Analysis(e) => errors::analysis(py, e),
        OrbitError::Period { text, reason } => {
            errors::argument(py, "period", format!("period is {text:?}: {reason}."), None)
        }
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
    let (found, floquet) = found.map_err(|e| raised(py, &e))?;
    let (spec, model) = (model.spec(), model.mechanism());
    Ok(Orbit { spec, model, inputs, period, found: Arc::new(found), floquet })
}

/// Floquet exponents over a parameter.
#[pyfunction]
pub(crate) fn exponents<'py>(
    py: Python<'py>,
    model: &Model,
    asked: &str,
    name: String,
    range: [f64; 2],
    samples: usize,
    checkpoint: Option<PathBuf>,
) -> PyResult<Bound<'py, PyDict>> {
    let given: Asked = read(py, asked)?;
    let run = ("exponents", model, &(asked, name.clone(), range, samples));
    let spec = model.spec();
    let work = move |steps: &mut Steps| floquet_diagram(&spec, &name, range, samples, &given.search(), steps);
    let found = kept::run(py, checkpoint, run, work, Result::is_ok, |_| Ok(()))?;
    let found = found.map_err(|e| raised(py, &e))?;
    let (modes, values) = (found.exponents.len(), found.values.len());
    let table = |of: &dyn Fn(&Exponent) -> f64| -> PyResult<Bound<'py, PyAny>> {
        let numbers = (0..values)
            .flat_map(|k| found.exponents.iter().map(move |mode| mode[k].as_ref()))
            .map(|e| e.map_or(f64::NAN, of));
        Ok(by_columns(py, (modes, values), numbers.collect())?.into_any())
    };
    let out = PyDict::new(py);
    out.set_item("re", table(&|e| e.s.re)?)?;
    out.set_item("im", table(&|e| e.s.im)?)?;
    out.set_item("error", table(&|e| e.error)?)?;
    out.set_item("values", vector(py, found.values.clone()))?;
    out.set_item("periods", vector(py, found.periods.clone()))?;
    let parts = |end: Option<[f64; 2]>| (end.map(|x| x[0]), end.map(|x| x[1]));
    let ranges = found.grows.iter().map(|g| {
        let ((from, from_error), (to, to_error)) = (parts(g.from), parts(g.to));
        (from, from_error, to, to_error, g.growth[0], g.growth[1])
    });
    out.set_item("unstable", ranges.collect::<Vec<_>>())?;
    out.set_item("undecided", found.undecided.iter().map(|[a, b]| (*a, *b)).collect::<Vec<_>>())?;
    Ok(out)
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

    /// Accelerations and multipliers at the start.
    #[expect(clippy::type_complexity, reason = "a tuple that Python takes apart")]
    fn start<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let state = &self.found.states[0];
        let mut dynamics =
            Dynamics::new(&self.model, &self.inputs, state).map_err(|e| errors::periodic(py, &e))?;
        let point = dynamics.point(state.t, &state.q, &state.v).map_err(|e| errors::periodic(py, &e))?;
        Ok((vector(py, point.a.clone()), vector(py, point.lambda.clone())))
    }

    /// Constant inputs along the motion.
    fn inputs(&self) -> Vec<f64> {
        self.inputs.clone()
    }

    /// Period, whether the model does not depend on time, whole turns by velocity index, how often the least period goes into the one found
    /// first or given.
    fn motion(&self) -> (f64, bool, Vec<i32>, usize) {
        (self.found.period, self.found.autonomous, self.found.turns.clone(), self.found.returns)
    }

    /// Where the motion comes back to: displacement of the origin, m, and rotation vector, rad.
    fn displacement(&self) -> ([f64; 3], [f64; 3]) {
        (self.found.displacement.shift, self.found.displacement.turn())
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
            Stability::Undecided | Stability::Unresolved => None,
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
        let (spec, name) = (Arc::clone(&self.spec), name.to_owned());
        let period = self.period.clone().filter(|_| !self.found.autonomous);
        let options = BranchOptions {
            range,
            points,
            steps: self.found.steps.min(128),
            inputs: self.inputs.clone(),
            watch: Watch::default(),
        };
        let found = Arc::clone(&self.found);
        let branch = work::run(py, move || {
            let family = OverParameter { spec: &spec, name: &name, period: period.as_deref() };
            follow_branch(&family, &found, &options)
        })?;
        let branch = branch.map_err(|e| errors::periodic(py, &e))?;
        let out = PyDict::new(py);
        let points: Vec<&BranchPoint> = branch.points.iter().collect();
        out.set_item("points", self.points(py, &points)?)?;
        let special: Vec<&BranchPoint> = branch.bifurcations.iter().map(|(_, p)| p).collect();
        out.set_item("bifurcations", self.points(py, &special)?)?;
        let kinds: Vec<String> = branch.bifurcations.iter().map(|(kind, _)| kind.to_string()).collect();
        out.set_item("kinds", kinds)?;
        let open = branch.not_located.iter().map(|(kind, between)| (kind.to_string(), *between));
        out.set_item("not_located", open.collect::<Vec<_>>())?;
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
