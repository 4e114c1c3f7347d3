//! Keeps reports and the balance of energy during a run.

use super::energy::Explained;
use super::options::ReportTimes;
use super::trajectory::{End, Record, SingularPassage, StartShock, Trajectory};
use super::{Progress, SimulationOptions, Start};
use crate::error::ConstraintError;
use crate::method::ForwardDynamics;
use crate::violation::largest;

/// Reports, work and energy of a run.
#[derive(Debug)]
pub(super) struct Recorder {
    pub(super) trajectory: Trajectory,
    pub(super) reports: ReportTimes,
    /// Next report.
    pub(super) next: usize,
    /// True when a constraint is a function of time.
    driven: bool,
    /// Work done up to a time, and the power there.
    work: f64,
    worked_to: f64,
    power: f64,
    /// Energy where the power was last asked for.
    energy: f64,
    first: f64,
    /// Potential energy at the start, the lowest, the largest magnitude at the reports so far.
    potential: [f64; 3],
    /// Kinetic energy at the start.
    kinetic: f64,
    limit: f64,
    /// What method and tolerances explain of a departure from the balance.
    explained: Explained,
    method: String,
    /// The singular configuration that the motion is near to.
    passing: Option<SingularPassage>,
}

/// Most passages that are kept.
const MOST_PASSAGES: usize = 64;
/// Share of its length that a constraint row keeps next to the others, below which a configuration
/// counts as near to a singular one.
const NEARLY_SINGULAR: f64 = 0.05;

/// Steps before the balance is judged: in the first ones from rest hardly anything moves.
const SETTLED: usize = 5;

/// Share of the kinetic energy at the start that a first step may lose at the power of the start.
const UNRESOLVED: f64 = 0.5;

/// How power is integrated over a step: the weight of its start, then other points of it, the end the last, with theirs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quadrature(f64, &'static [(f64, f64)]);

/// Inner node of Lobatto's rule with four points.
const INNER: f64 = 0.276_393_202_250_021;

impl Quadrature {
    /// Lobatto's rule with four points, exact to fifth degree.
    pub(super) const LOBATTO: Self =
        Self(1.0 / 12.0, &[(INNER, 5.0 / 12.0), (1.0 - INNER, 5.0 / 12.0), (1.0, 1.0 / 12.0)]);
    /// The power in the middle.
    pub(super) const MIDDLE: Self = Self(0.0, &[(0.5, 1.0), (1.0, 0.0)]);
}

impl Recorder {
    /// Room for all reports; the start is reported.
    pub(super) fn new(
        dynamics: &mut ForwardDynamics<'_>,
        start: &Start,
        options: &SimulationOptions,
    ) -> Result<Self, ConstraintError> {
        let model = dynamics.model();
        let reports = options.reports(start.t);
        let times = (0..=16_i32).map(|i| start.t + (options.until - start.t) * f64::from(i) / 16.0);
        let driven = times.into_iter().any(|t| model.phi_t(&start.q, t).iter().any(|x| *x != 0.0));
        // The method's own figures are those of the start.
        dynamics.evaluate(start.t, &start.q, &start.v)?;
        let powered = driven || dynamics.terms().is_powered();
        let mut out = Self {
            // One more for an event.
            trajectory: Trajectory::with_capacity(model, dynamics.inputs(), reports.len() + 1, MOST_PASSAGES),
            reports,
            next: 1,
            driven,
            work: 0.0,
            worked_to: start.t,
            power: 0.0,
            energy: 0.0,
            first: 0.0,
            potential: [0.0; 3],
            kinetic: 0.0,
            limit: options.energy_limit,
            explained: Explained::new(&options.integrator, dynamics, &start.q, powered),
            method: options.integrator.method_name(),
            passing: None,
        };
        out.report(dynamics, start.t, &start.q, &start.v)?;
        out.power = out.power_at(dynamics, start.t, &start.q, &start.v);
        Ok(out)
    }
    /// Power of everything without potential at the last evaluation of `dynamics`, which was made
    /// here.
    fn power_at(&self, dynamics: &mut ForwardDynamics<'_>, t: f64, q: &[f64], v: &[f64]) -> f64 {
        let drives = if self.driven { dynamics.drive_power(v) } else { 0.0 };
        drives + dynamics.outside_power(t, q, v)
    }
    /// Adds the work up to time `t`, with the state inside the step given by `state`.
    pub(super) fn work_to(
        &mut self,
        dynamics: &mut ForwardDynamics<'_>,
        rule: &Quadrature,
        t: f64,
        y: &mut [f64],
        mut state: impl FnMut(f64, &mut [f64]),
    ) -> Result<(), ConstraintError> {
        let (from, h) = (self.worked_to, t - self.worked_to);
        if h <= 0.0 {
            return Ok(());
        }
        let nq = dynamics.model().nq();
        if self.driven || dynamics.terms().is_powered() {
            let Quadrature(first, others) = *rule;
            let mut sum = first * self.power;
            for (s, weight) in others {
                let at = if *s < 1.0 { from + s * h } else { t };
                state(at, y);
                if *weight == 0.0 {
                    continue;
                }
                let (q, v) = y.split_at(nq);
                if self.driven {
                    dynamics.evaluate(at, q, v)?;
                }
                self.power = self.power_at(dynamics, at, q, v);
                sum += weight * self.power;
            }
            self.work += h * sum;
        } else {
            state(t, y);
        }
        self.worked_to = t;
        let (q, v) = y.split_at(nq);
        let energy = dynamics.energies(t, q, v);
        self.potential[1] = self.potential[1].min(energy.potential);
        self.energy = energy.kinetic + energy.potential;
        self.check_balance(t, self.energy - self.work - self.first)
    }
    /// Whether dampers would take the kinetic energy of the start, at its power, within a step of length `h`.
    pub(super) fn is_shock(&self, dynamics: &mut ForwardDynamics<'_>, start: &Start, h: f64) -> bool {
        dynamics.terms().is_powered()
            && -h * dynamics.outside_power(start.t, &start.q, &start.v) > UNRESOLVED * self.kinetic
    }
    /// Begins the balance at the end of a first step that cannot follow the power: the energy at `t` is what dampers, loads
    /// and drives have left.
    pub(super) fn settle(
        &mut self,
        dynamics: &mut ForwardDynamics<'_>,
        t: f64,
        q: &[f64],
        v: &[f64],
    ) -> Result<(), ConstraintError> {
        if self.driven {
            dynamics.evaluate(t, q, v)?;
        }
        self.power = self.power_at(dynamics, t, q, v);
        let energy = dynamics.energies(t, q, v);
        self.potential[1] = self.potential[1].min(energy.potential);
        self.energy = energy.kinetic + energy.potential;
        self.work = self.energy - self.first;
        self.worked_to = t;
        self.trajectory.start_shock = Some(StartShock { time: t, taken: -self.work });
        Ok(())
    }
    /// Notes what a step of length `h` that ended at q and v may have changed of the energy.
    pub(super) fn explain(&mut self, dynamics: &ForwardDynamics<'_>, h: f64, q: &[f64], v: &[f64]) {
        self.explained.step(dynamics, h, q, v);
    }
    /// Energy in motion, and that of everything.
    fn energy_scales(&self) -> (f64, f64) {
        // What may turn into motion; the kinetic energy itself would grow with the instability.
        let [first, lowest, largest] = self.potential;
        let size = largest + self.kinetic + self.work.abs();
        (self.kinetic + (first - lowest) + self.work.abs(), size)
    }
    /// Refuses a departure from the balance that is large compared with the energy in motion.
    fn check_balance(&mut self, time: f64, drift: f64) -> Result<(), ConstraintError> {
        self.explained.see(time, drift);
        let (scale, size) = self.energy_scales();
        // What penalties hold and take is lost to the mechanism, but no instability.
        let lost = self.explained.in_penalties();
        let scale = scale + lost + self.explained.unresolved() + 1e-12 + 1e-10 * size;
        let large = self.trajectory.statistics.steps > SETTLED && (drift + lost).abs() > self.limit * scale;
        if drift.is_finite() && !large {
            return Ok(());
        }
        Err(ConstraintError::Unstable { method: self.method.clone(), time, drift, scale })
    }
    /// Keeps the state at time `t`, at which `dynamics` was evaluated.
    pub(super) fn report(
        &mut self,
        dynamics: &mut ForwardDynamics<'_>,
        t: f64,
        q: &[f64],
        v: &[f64],
    ) -> Result<(), ConstraintError> {
        dynamics.refresh_violation(t, q, v);
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let violation = square(&dynamics.terms().phi);
        let velocity_violation = square(&dynamics.terms().phi_dot);
        if !(violation.is_finite() && velocity_violation.is_finite()) {
            let row = largest(&dynamics.terms().phi).filter(|_| !violation.is_finite());
            let row = row.or_else(|| largest(&dynamics.terms().phi_dot)).map_or(0, |(row, _)| row);
            let owner = dynamics.model().row_name(row);
            return Err(ConstraintError::Overflows { owner, time: t });
        }
        // Before anything is kept: an interrupt leaves whole reports.
        let energy = dynamics.energies(t, q, v);
        let (a, lambda) = (dynamics.acceleration(), dynamics.multipliers());
        let keep = &mut self.trajectory;
        keep.times.push(t);
        keep.q.extend_from_slice(q);
        keep.v.extend_from_slice(v);
        keep.a.extend_from_slice(a);
        keep.lambda.extend_from_slice(lambda);
        let total = energy.kinetic + energy.potential - self.work;
        if self.trajectory.records.is_empty() {
            self.first = total;
            self.kinetic = energy.kinetic;
            self.potential = [energy.potential, energy.potential, energy.potential.abs()];
        }
        let drift = total - self.first;
        self.trajectory.records.push(Record {
            violation,
            velocity_violation,
            kinetic: energy.kinetic,
            potential: energy.potential,
            work: self.work,
            drift,
        });
        self.check_balance(t, drift)
    }
    /// Notes how much the weakest constraint row kept during the step that ended at `time`.
    pub(super) fn see_dependence(&mut self, time: f64, weakest: Option<(usize, f64)>) {
        let Some((row, share)) = weakest else { return };
        if share < NEARLY_SINGULAR {
            if self.passing.is_none_or(|p| share < p.share) {
                self.passing = Some(SingularPassage { time, row, share });
            }
        } else {
            self.close_passage();
        }
    }
    fn close_passage(&mut self) {
        if let Some(passage) = self.passing.take()
            && self.trajectory.singular.len() < MOST_PASSAGES
        {
            self.trajectory.singular.push(passage);
        }
    }
    /// Length of the run, s.
    pub(super) fn length(&self) -> f64 {
        self.reports.end() - self.reports.start()
    }
    /// How far the run is.
    pub(super) fn progress(&self, time: f64) -> Progress {
        Progress {
            time,
            until: self.reports.end(),
            steps: self.trajectory.statistics.steps,
            reports: self.trajectory.len(),
            bound: self.trajectory.step_bound,
        }
    }
    /// The trajectory with its end.
    pub(super) fn finish(mut self, end: End) -> Trajectory {
        self.close_passage();
        let (scale, size) = self.energy_scales();
        let keep = &mut self.trajectory;
        keep.energy_departure = self.explained.judge(scale, size, keep.statistics.steps, keep.singular.len());
        self.trajectory.end = end;
        self.trajectory
    }
}
