//! The run of the explicit integrator: steps, reports in between, corrections, events.

use super::dormand_prince::{DormandPrince, StepControl, Stepped};
use super::events::Watch;
use super::recorder::{Quadrature, Recorder};
use super::trajectory::{End, StepBound, Trajectory};
use super::{Progress, SimulationOptions, Start};
use crate::error::ConstraintError;
use crate::method::ForwardDynamics;
use crate::violation::largest;
use mb_algebra::interrupt;
use std::ops::ControlFlow;

/// Share of its length below which a constraint row is named as the cause of a collapse.
const NEARLY_DEPENDENT: f64 = 1e-2;

/// Rounding errors beyond this multiple of the relative tolerance keep the step control from any step.
const DROWNED: f64 = 10.0;

/// So many steps must bring the run on by this share of its length: slower ones never end, but where they follow motions at a steady pace.
const CRAWL: (usize, f64) = (2_000, 1e-5);
/// Step times the largest rate, and pace beside the one before, from which on steps follow motions.
const FOLLOWS: f64 = 0.05;
const STEADY: f64 = 0.5;

/// Steps this much shorter than the reports, and a run of so many of them, are reported with the frequency that bounds
/// them.
const SHORT: f64 = 0.05;
const MANY: f64 = 20_000.0;
/// Steps from one estimate of the frequency to the next.
const LOOK: usize = 100;

/// Integrates from a consistent start.
pub(super) fn run(
    mut dynamics: ForwardDynamics<'_>,
    start: &Start,
    options: &SimulationOptions,
    control: StepControl,
    restart: bool,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Trajectory, ConstraintError> {
    dynamics.expect_accuracy(control.absolute);
    let mut recorder = Recorder::new(&mut dynamics, start, options)?;
    let noise = dynamics.penalty_noise();
    let watch = Watch::new(&options.events, &dynamics, start.t, &start.q, &start.v);
    let size = start.q.len() + start.v.len();
    let mut run = Run {
        integrator: DormandPrince::new(size, control),
        y: start.q.iter().chain(&start.v).copied().collect(),
        between: vec![0.0; size],
        evaluations: 0,
        watch,
        dynamics,
        every: options.every,
        relative: control.relative,
        last_look: start.t,
        gone: 0.0,
        fastest: 0.0,
    };
    let end = interrupt::attempt(|| run.all(&mut recorder, restart, observer));
    recorder.trajectory.penalty_noise = noise;
    recorder.trajectory.statistics.evaluations = run.evaluations;
    recorder.trajectory.statistics.capped = run.dynamics.capped();
    Ok(recorder.finish(end.map_or(End::Interrupted, |end| end.unwrap_or_else(End::Failed))))
}

struct Run<'m, 'o> {
    integrator: DormandPrince,
    /// State at the end of the last step.
    y: Vec<f64>,
    /// State at a report inside a step.
    between: Vec<f64>,
    evaluations: usize,
    watch: Watch<'o>,
    dynamics: ForwardDynamics<'m>,
    every: f64,
    /// Relative tolerance.
    relative: f64,
    /// Time at which the pace was checked last, and how far the run had come since the time before.
    last_look: f64,
    gone: f64,
    /// Largest rate met since then, 1/s.
    fastest: f64,
}

impl Run<'_, '_> {
    fn all(
        &mut self,
        recorder: &mut Recorder,
        restart: bool,
        observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<End, ConstraintError> {
        let mut t = recorder.reports.start();
        let last = recorder.reports.len() - 1;
        let mut k = if restart { 1 } else { last };
        loop {
            let goal = recorder.reports.at(k);
            let Self { integrator, dynamics, evaluations, .. } = self;
            let first = if restart { goal - t } else { self.every };
            integrator.begin(t, &self.y, goal, first, &mut |t, y, dy| {
                *evaluations += 1;
                dynamics.rates(t, y, dy)
            })?;
            while self.integrator.time() < goal {
                interrupt::check();
                if let Some(end) = self.step(recorder)? {
                    return Ok(end);
                }
                if observer(&recorder.progress(self.integrator.time())).is_break() {
                    return Ok(End::Interrupted);
                }
            }
            if k == last {
                return Ok(End::Finished);
            }
            (t, k) = (goal, k + 1);
        }
    }
    /// One step with everything that belongs to it.
    fn step(&mut self, recorder: &mut Recorder) -> Result<Option<End>, ConstraintError> {
        let Self { integrator, dynamics, evaluations, .. } = self;
        let stepped = integrator.step(&mut |t, y, dy| {
            *evaluations += 1;
            dynamics.rates(t, y, dy)
        })?;
        match stepped {
            Stepped::Accepted(rejected) => {
                recorder.trajectory.statistics.steps += 1;
                recorder.trajectory.statistics.rejected += rejected;
                self.check_pace(recorder)?;
            }
            Stepped::TooSmall { step, index, cause } => {
                return Err(self.collapsed(step, index, cause));
            }
        }
        let (from, to) = (self.integrator.time_before(), self.integrator.time());
        recorder.see_dependence(to, self.dynamics.take_weakest());
        let (q, v) = self.integrator.state().split_at(self.dynamics.model().nq());
        recorder.explain(&self.dynamics, to - from, q, v);
        let mut event = None;
        if !self.watch.is_empty() {
            let Self { integrator, dynamics, between, watch, .. } = self;
            event = watch.first(dynamics, from, to, between, |t, y| integrator.inside(t, y))?;
        }
        let stop = event.as_ref().map_or(to, |e| e.0);
        let mut reported = false;
        while recorder.next < recorder.reports.len() && recorder.reports.at(recorder.next) < stop {
            let t = recorder.reports.at(recorder.next);
            self.report_inside(recorder, t)?;
            recorder.next += 1;
            reported = true;
        }
        if let Some((t, name)) = event {
            self.report_inside(recorder, t)?;
            return Ok(Some(End::Event(name)));
        }
        let Self { integrator, dynamics, between, .. } = self;
        recorder.work_to(dynamics, &Quadrature::LOBATTO, to, between, |t, y| integrator.inside(t, y))?;
        self.y.copy_from_slice(self.integrator.state());
        let ends = recorder.next < recorder.reports.len() && recorder.reports.at(recorder.next) <= to;
        let corrects =
            self.dynamics.corrects_steps() || (self.dynamics.corrects_reports() && (reported || ends));
        if corrects {
            correct(&mut self.dynamics, recorder, to, &mut self.y)?;
            self.integrator.replace(&self.y);
        }
        if ends {
            let (q, v) = self.y.split_at(self.dynamics.model().nq());
            self.dynamics.evaluate(to, q, v)?;
            recorder.report(&mut self.dynamics, to, q, v)?;
            recorder.next += 1;
        }
        Ok(None)
    }
    /// Refuses to crawl, and notes what makes steps short and many.
    fn check_pace(&mut self, recorder: &mut Recorder) -> Result<(), ConstraintError> {
        let steps = recorder.trajectory.statistics.steps;
        if steps.is_multiple_of(LOOK) {
            let nq = self.dynamics.model().nq();
            self.fastest = self.fastest.max(self.integrator.fastest(nq));
        }
        if !steps.is_multiple_of(CRAWL.0) {
            return Ok(());
        }
        let (t, length) = (self.integrator.time(), recorder.length());
        let gone = t - self.last_look;
        let before = std::mem::replace(&mut self.gone, gone);
        self.last_look = t;
        let step = gone / CRAWL.0 as f64;
        let fastest = std::mem::take(&mut self.fastest);
        if step < SHORT * self.every && length > MANY * step && fastest > 0.0 {
            let (frequency_hz, steps) = (fastest / std::f64::consts::TAU, length / step);
            recorder.trajectory.step_bound = Some(StepBound { frequency_hz, step, steps });
        }
        let follows = step * fastest >= FOLLOWS && gone >= STEADY * before;
        if gone >= CRAWL.1 * length || follows {
            return Ok(());
        }
        Err(self.collapsed(step, self.integrator.worst(), None))
    }
    /// Reports the interpolated state, corrected where the method corrects.
    fn report_inside(&mut self, recorder: &mut Recorder, t: f64) -> Result<(), ConstraintError> {
        let Self { integrator, dynamics, between, .. } = self;
        recorder.work_to(dynamics, &Quadrature::LOBATTO, t, between, |t, y| integrator.inside(t, y))?;
        integrator.inside(t, between);
        if dynamics.corrects_reports() {
            correct(dynamics, recorder, t, between)?;
        }
        let (q, v) = between.split_at(dynamics.model().nq());
        dynamics.evaluate(t, q, v)?;
        recorder.report(dynamics, t, q, v)
    }
    /// The failure of a step that fell below the resolution of time.
    fn collapsed(&mut self, step: f64, index: usize, cause: Option<ConstraintError>) -> ConstraintError {
        let model = self.dynamics.model();
        let nq = model.nq();
        let coordinate = if index >= nq {
            format!("the velocity of {}", model.coordinate_name(index - nq))
        } else {
            let blocks = model.coordinates().blocks();
            let k = blocks.partition_point(|b| b.q <= index).saturating_sub(1);
            format!("the configuration of {}", blocks[k].name)
        };
        let mut constraint = cause.map_or(String::new(), |c| {
            format!("; the last trial failed ({})", c.to_string().trim_end_matches('.'))
        });
        if let Some((row, share)) = self.dynamics.weakest_row()
            && share < NEARLY_DEPENDENT
        {
            constraint = format!(
                "{constraint}, while {} comes to depend on the other constraints ({share:.1e} of it is left)",
                model.row_name(row)
            );
        } else if let Some((row, violation)) = largest(&self.dynamics.terms().phi)
            && violation > 1e-6
        {
            constraint = format!("{constraint}, with {} violated by {violation:.1e}", model.row_name(row));
        }
        if let Some(noise) = self.dynamics.penalty_noise()
            && noise > DROWNED * self.relative
        {
            constraint = format!(
                "{constraint}; the penalty leaves rounding errors of about {noise:.0e} of the accelerations, more than the relative tolerance of {:.0e} bears: a smaller alpha helps, or larger tolerances",
                self.relative
            );
        }
        ConstraintError::StepTooSmall { time: self.integrator.time_before(), step, coordinate, constraint }
    }
}

/// Corrects a state in place and counts it.
fn correct(
    dynamics: &mut ForwardDynamics<'_>,
    recorder: &mut Recorder,
    t: f64,
    y: &mut [f64],
) -> Result<(), ConstraintError> {
    let (q, v) = y.split_at_mut(dynamics.model().nq());
    let done = dynamics.correct(t, q, v)?;
    let statistics = &mut recorder.trajectory.statistics;
    statistics.corrections += 1;
    statistics.most_iterations = statistics.most_iterations.max(done.iterations);
    Ok(())
}
