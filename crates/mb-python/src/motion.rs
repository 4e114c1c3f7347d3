//! Motion in time.

#![expect(
    clippy::struct_excessive_bools,
    clippy::needless_pass_by_value,
    reason = "signatures are those that Python calls: options and arguments by value"
)]

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mb_analysis::simulate_in_parts;
use mb_constraints::ConstraintMethod;
use mb_constraints::method::{
    AugmentedLagrangian, Baumgarte, CoordinatePartitioning, CorrectionTime, CorrectionWeight,
    DirectCorrection, Penalty,
};
use mb_constraints::simulate::{
    Crossing, End, Event, GeneralizedAlpha, Integrator, SimulationOptions, StartPolicy, StepControl,
    Trajectory, simulate as integrate,
};
use mb_model::Model as Mechanism;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;

use crate::arrays::{by_columns, vector};
use crate::errors;
use crate::kept::{self, Steps};
use crate::model::Model;
use crate::options::read;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    until: f64,
    every: f64,
    time: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    hold: Vec<usize>,
    inputs: Vec<f64>,
    start: String,
    method: String,
    integrator: String,
    rtol: f64,
    atol: f64,
    step: Option<f64>,
    restart: bool,
    stabilized: bool,
    alpha: Option<f64>,
    beta: f64,
    time_constant: Option<f64>,
    omega: f64,
    mu: f64,
    iterate_to: f64,
    most_iterations: usize,
    cutoff: f64,
    correct_reports: bool,
    mass_weighted: bool,
    stop: Vec<(usize, String, f64, String)>,
}

impl Run {
    fn method(&self) -> ConstraintMethod {
        let penalty = Penalty { alpha: self.alpha.unwrap_or(1e7), omega: self.omega, mu: self.mu };
        match self.method.as_str() {
            "standard" => ConstraintMethod::Standard,
            "baumgarte" => {
                let given = Baumgarte { alpha: self.alpha.unwrap_or(5.0), beta: self.beta };
                ConstraintMethod::Baumgarte(self.time_constant.map_or(given, Baumgarte::critical))
            }
            "penalty" => ConstraintMethod::Penalty(penalty),
            "augmented-lagrangian" => ConstraintMethod::AugmentedLagrangian(AugmentedLagrangian {
                penalty,
                tolerance: self.iterate_to,
                max_iterations: self.most_iterations,
            }),
            "coordinate-partitioning" => {
                ConstraintMethod::CoordinatePartitioning(CoordinatePartitioning::default())
            }
            _ => ConstraintMethod::DirectCorrection(DirectCorrection {
                when: if self.correct_reports {
                    CorrectionTime::EveryReport
                } else {
                    CorrectionTime::EveryStep
                },
                weight: if self.mass_weighted { CorrectionWeight::Mass } else { CorrectionWeight::Identity },
                cutoff: self.cutoff,
                ..DirectCorrection::default()
            }),
        }
    }

    fn options(&self) -> SimulationOptions {
        let integrator = if self.integrator == "generalized-alpha" {
            let rest = GeneralizedAlpha::default();
            let step = self.step.unwrap_or(rest.step);
            Integrator::GeneralizedAlpha(GeneralizedAlpha { step, stabilized: self.stabilized, ..rest })
        } else {
            Integrator::DormandPrince {
                method: self.method(),
                control: StepControl { relative: self.rtol, absolute: self.atol, max_step: self.step },
                restart: self.restart,
            }
        };
        let event = |(sensor, name, level, sense): &(usize, String, f64, String)| Event {
            name: name.clone(),
            sensor: *sensor,
            level: *level,
            crossing: match sense.as_str() {
                ">" => Crossing::Rising,
                "<" => Crossing::Falling,
                _ => Crossing::Either,
            },
        };
        SimulationOptions {
            until: self.until,
            every: self.every,
            integrator,
            inputs: self.inputs.clone(),
            start: match self.start.as_str() {
                "refuse" => StartPolicy::Refuse,
                "keep" => StartPolicy::Keep,
                _ => StartPolicy::Assemble,
            },
            hold: self.hold.clone(),
            events: self.stop.iter().map(event).collect(),
            ..SimulationOptions::default()
        }
    }
}

/// A motion, report by report.
#[pyclass(frozen, module = "mb._mb")]
pub(crate) struct Motion {
    model: Arc<Mechanism>,
    motion: Arc<Trajectory>,
}

impl Motion {
    /// The motion, shared with longer work.
    pub(crate) fn trajectory(&self) -> Arc<Trajectory> {
        Arc::clone(&self.motion)
    }
}

/// Integrates a motion; `progress` is called with the time reached, now and then. With a `checkpoint` the run is integrated in
/// parts, which are kept there.
#[pyfunction]
pub(crate) fn simulate(
    py: Python<'_>,
    model: &Model,
    run: &str,
    progress: Option<Bound<'_, PyAny>>,
    checkpoint: Option<PathBuf>,
) -> PyResult<Motion> {
    let kept_as = ("simulate", model, &run);
    let run: Run = read(py, run)?;
    let model = model.mechanism();
    let held = Arc::clone(&model);
    let reached = Arc::new(AtomicU64::new(run.time.to_bits()));
    let seen = Arc::clone(&reached);
    let options = run.options();
    let job = move |steps: &mut Steps| {
        let mut watch = |p: &mb_constraints::simulate::Progress| {
            seen.store(p.time.to_bits(), Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        if steps.are_kept() {
            simulate_in_parts(steps, &model, run.time, (&run.q, &run.v), &options, &mut watch)
        } else {
            integrate(&model, run.time, &run.q, &run.v, &options, &mut watch)
        }
    };
    let finished =
        |motion: &Result<Trajectory, _>| motion.as_ref().is_ok_and(|m| !matches!(m.end, End::Failed(_)));
    let motion = kept::run(py, checkpoint, kept_as, job, finished, |_| match &progress {
        Some(call) => call.call1((f64::from_bits(reached.load(Ordering::Relaxed)),)).map(|_| ()),
        None => Ok(()),
    })?;
    let motion = motion.map_err(|e| errors::analysis(py, &e.into()))?;
    Ok(Motion { model: held, motion: Arc::new(motion) })
}

#[pymethods]
impl Motion {
    /// Times of the reports, s.
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, self.motion.times.clone())
    }

    /// `q`, `v`, `a` or `lambda`: numbers x reports.
    fn states<'py>(&self, py: Python<'py>, which: &str) -> PyResult<Bound<'py, PyAny>> {
        let (numbers, rows) = match which {
            "q" => (&self.motion.q, self.model.nq()),
            "v" => (&self.motion.v, self.model.nv()),
            "a" => (&self.motion.a, self.model.nv()),
            _ => (&self.motion.lambda, self.model.nc()),
        };
        Ok(by_columns(py, (rows, self.motion.len()), numbers.clone())?.into_any())
    }

    /// Outputs: sensors x reports.
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numbers = self.motion.outputs(&self.model).concat();
        Ok(by_columns(py, (self.model.sensors().len(), self.motion.len()), numbers)?.into_any())
    }

    /// Violation and energies at the reports.
    fn records<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        let records = &self.motion.records;
        let put = |name: &str, of: fn(&mb_constraints::simulate::Record) -> f64| {
            out.set_item(name, vector(py, records.iter().map(of).collect()))
        };
        put("violation", |r| r.violation)?;
        put("velocity_violation", |r| r.velocity_violation)?;
        put("kinetic", |r| r.kinetic)?;
        put("potential", |r| r.potential)?;
        put("work", |r| r.work)?;
        put("drift", |r| r.drift)?;
        Ok(out)
    }

    /// How it ended: `finished`, `event`, `interrupted` or `failed`, and the event or the reason.
    fn end(&self) -> (&'static str, String) {
        match &self.motion.end {
            End::Finished => ("finished", String::new()),
            End::Event(name) => ("event", name.clone()),
            End::Interrupted => ("interrupted", String::new()),
            End::Failed(e) => ("failed", e.to_string()),
        }
    }

    /// Counts of the integration.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let s = &self.motion.statistics;
        let out = PyDict::new(py);
        out.set_item("steps", s.steps)?;
        out.set_item("rejected", s.rejected)?;
        out.set_item("evaluations", s.evaluations)?;
        out.set_item("capped", s.capped)?;
        out.set_item("corrections", s.corrections)?;
        out.set_item("most_iterations", s.most_iterations)?;
        out.set_item("factorizations", s.factorizations)?;
        Ok(out)
    }

    /// Singular configurations passed: time, name of the row, share of its length that it kept.
    fn singular(&self) -> Vec<(f64, String, f64)> {
        let passages = self.motion.singular.iter();
        passages.map(|s| (s.time, self.model.row_name(s.row), s.share)).collect()
    }

    /// Largest departure of the energy from its balance, where it is a reason to doubt the run.
    fn doubtful_energy(&self) -> bool {
        self.motion.energy_departure.is_some()
    }

    /// Forces and moments of joints and rods: names, then (3 forces, 3 moments) of each at every report.
    fn reactions<'py>(&self, py: Python<'py>) -> PyResult<(Vec<String>, Bound<'py, PyAny>)> {
        let reactions = self.model.reactions();
        let mut numbers: Vec<f64> = Vec::with_capacity(6 * reactions.len() * self.motion.len());
        for i in 0..self.motion.len() {
            let point = self.motion.point(i);
            for reaction in &reactions {
                let wrench = self.model.wrench(reaction, &point);
                numbers.extend(wrench.force.iter().chain(&wrench.moment));
            }
        }
        let array = by_columns(py, (6 * reactions.len(), self.motion.len()), numbers)?.into_any();
        Ok((reactions.into_iter().map(|r| r.owner).collect(), array))
    }
}
