//! What a simulation gives: states at the reports, violation, energy, statistics.

use super::energy::EnergyDeparture;
use crate::error::ConstraintError;
use mb_model::{Model, Point};

/// Measures of one report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Record {
    /// Phi^T Phi.
    pub violation: f64,
    /// Phi'^T Phi'.
    pub velocity_violation: f64,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy of weight and springs, J.
    pub potential: f64,
    /// Work of dampers, loads and drives since the start, J.
    pub work: f64,
    /// kinetic + potential - work minus its value at the start, J: zero for exact motion.
    pub drift: f64,
}

/// How a simulation ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// At the time asked for.
    Finished,
    /// At the event of this name.
    Event(String),
    /// By the caller.
    Interrupted,
    /// By a failure; what was computed before is kept.
    Failed(ConstraintError),
}

/// Counts of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Accepted steps.
    pub steps: usize,
    /// Rejected trial steps.
    pub rejected: usize,
    /// Evaluations of the right-hand side by the integrator; those for reports are not counted.
    pub evaluations: usize,
    /// Evaluations that ended at the cap on iterations of the augmented Lagrangian.
    pub capped: usize,
    /// Corrections of the state.
    pub corrections: usize,
    /// Most iterations on the positions in one correction.
    pub most_iterations: usize,
    /// Factorizations of the implicit integrator.
    pub factorizations: usize,
}

/// A configuration in which, or near to which, constraints depend on each other that do not
/// elsewhere: the mechanism may branch there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SingularPassage {
    /// End of the step in which the motion was nearest to it, s.
    pub time: f64,
    /// The constraint row that depends most on the others.
    pub row: usize,
    /// Share of its length that the row kept next to the others; zero where it counted as dependent.
    pub share: f64,
}

/// What bounds the steps of the explicit integrator, where they are far shorter than the reports ask for and many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepBound {
    /// About the highest frequency that the steps have to follow, oscillating or decaying, Hz.
    pub frequency_hz: f64,
    /// Mean of the last steps, s.
    pub step: f64,
    /// Steps that the whole run takes at this pace.
    pub steps: f64,
}

/// A start whose motion dampers take within the first implicit step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartShock {
    /// End of that step, s.
    pub time: f64,
    /// Energy that dampers, loads and drives took from the mechanism in it, J; given to it when negative.
    pub taken: f64,
}

/// A simulated motion, report by report.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Times of the reports, s.
    pub times: Vec<f64>,
    /// Configurations, one after the other, nq numbers each.
    pub q: Vec<f64>,
    /// Velocities, nv numbers each.
    pub v: Vec<f64>,
    /// Accelerations, nv numbers each.
    pub a: Vec<f64>,
    /// Multipliers, nc numbers each.
    pub lambda: Vec<f64>,
    /// Violation and energy.
    pub records: Vec<Record>,
    /// Inputs, constant.
    pub inputs: Vec<f64>,
    /// Singular configurations on the way, at most 64; of models that are integrated explicitly by
    /// dense factors.
    pub singular: Vec<SingularPassage>,
    /// Rounding errors of the accelerations by penalties at the start, relative to them; see
    /// [`crate::ForwardDynamics::penalty_noise`].
    pub penalty_noise: Option<f64>,
    /// The largest departure of the energy from its balance, where it is beyond what method and tolerances explain: a
    /// reason to doubt a run that finished.
    pub energy_departure: Option<EnergyDeparture>,
    /// What makes explicit steps short and many, if they are.
    pub step_bound: Option<StepBound>,
    /// That the first implicit step was made by the implicit Euler method, because dampers end the motion of the start within
    /// it; the balance of energy begins at its end.
    pub start_shock: Option<StartShock>,
    /// Counts.
    pub statistics: Statistics,
    /// How it ended.
    pub end: End,
    sizes: [usize; 3],
}

impl Trajectory {
    pub(super) fn with_capacity(model: &Model, inputs: &[f64], reports: usize, passages: usize) -> Self {
        let sizes = [model.nq(), model.nv(), model.nc()];
        let room = |n: usize| Vec::with_capacity(n * reports);
        Self {
            times: room(1),
            q: room(sizes[0]),
            v: room(sizes[1]),
            a: room(sizes[1]),
            lambda: room(sizes[2]),
            records: Vec::with_capacity(reports),
            inputs: inputs.to_vec(),
            singular: Vec::with_capacity(passages),
            penalty_noise: None,
            energy_departure: None,
            step_bound: None,
            start_shock: None,
            statistics: Statistics::default(),
            end: End::Finished,
            sizes,
        }
    }
    /// A motion without reports.
    pub fn empty(model: &Model, inputs: &[f64]) -> Self {
        Self::with_capacity(model, inputs, 0, 0)
    }
    /// Adds a motion that begins where this one ends, whose first report is the last one of this. Work and drift go on from
    /// there; what describes the whole run (the end, bounds and departures) is that of the later part, or the worse of both.
    pub fn append(&mut self, next: Self) {
        let skip = usize::from(!self.is_empty());
        let (work, drift) = self.records.last().map_or((0.0, 0.0), |r| (r.work, r.drift));
        self.times.extend_from_slice(&next.times[skip..]);
        let lists = [
            (&mut self.q, &next.q, 0),
            (&mut self.v, &next.v, 1),
            (&mut self.a, &next.a, 1),
            (&mut self.lambda, &next.lambda, 2),
        ];
        for (own, other, kind) in lists {
            own.extend_from_slice(&other[skip * self.sizes[kind]..]);
        }
        let later = |r: &Record| Record { work: r.work + work, drift: r.drift + drift, ..*r };
        self.records.extend(next.records[skip..].iter().map(later));
        self.singular.extend(next.singular);
        self.penalty_noise = self.penalty_noise.or(next.penalty_noise);
        self.energy_departure = self.energy_departure.or(next.energy_departure);
        self.step_bound = next.step_bound.or(self.step_bound);
        self.start_shock = self.start_shock.or(next.start_shock);
        let (s, n) = (&mut self.statistics, next.statistics);
        s.steps += n.steps;
        s.rejected += n.rejected;
        s.evaluations += n.evaluations;
        s.capped += n.capped;
        s.corrections += n.corrections;
        s.most_iterations = s.most_iterations.max(n.most_iterations);
        s.factorizations += n.factorizations;
        self.end = next.end;
    }
    /// Number of reports.
    pub fn len(&self) -> usize {
        self.times.len()
    }
    /// True without reports.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }
    /// Configuration at report `i`.
    pub fn q_at(&self, i: usize) -> &[f64] {
        &self.q[i * self.sizes[0]..(i + 1) * self.sizes[0]]
    }
    /// Velocities at report `i`.
    pub fn v_at(&self, i: usize) -> &[f64] {
        &self.v[i * self.sizes[1]..(i + 1) * self.sizes[1]]
    }
    /// The motion at report `i`, for sensors and reactions.
    pub fn point(&self, i: usize) -> Point {
        let of = |values: &[f64], n: usize| values[i * n..(i + 1) * n].to_vec();
        Point {
            q: of(&self.q, self.sizes[0]),
            v: of(&self.v, self.sizes[1]),
            a: of(&self.a, self.sizes[1]),
            lambda: of(&self.lambda, self.sizes[2]),
            t: self.times[i],
            u: self.inputs.clone(),
        }
    }
    /// Largest and mean Phi^T Phi of the reports.
    pub fn violation(&self) -> (f64, f64) {
        let largest = self.records.iter().fold(0.0_f64, |m, r| m.max(r.violation));
        let sum: f64 = self.records.iter().map(|r| r.violation).sum();
        (largest, if self.records.is_empty() { 0.0 } else { sum / self.records.len() as f64 })
    }
    /// Largest departure of the energy from its balance, J.
    pub fn energy_drift(&self) -> f64 {
        self.records.iter().fold(0.0_f64, |m, r| m.max(r.drift.abs()))
    }
    /// Values of all sensors at every report: reports x sensors.
    pub fn outputs(&self, model: &Model) -> Vec<Vec<f64>> {
        (0..self.len()).map(|i| model.outputs(&self.point(i))).collect()
    }
}
