//! How far the energy of a run may be off its balance, and whether it is off by more.
//!
//! The flow of a conservative mechanism keeps its energy, so that the errors of single steps add up in it and nothing
//! else does. A step that the error control accepts changes each number y by at most rtol max(|y|, atol / rtol), hence the
//! energy by at most
//!
//! ```text
//! dE = rtol (sum |(M v)_i| max(|v_i|, atol / rtol) + sum |f_i| max(|q_i|, atol / rtol))
//! ```
//!
//! To the sum over the steps comes what the methods add of their own:
//!
//! ```text
//! standard, Baumgarte        sum h |lambda^T Phi'|                           reactions work on the violation
//! augmented Lagrangian       sum h (tolerance + rounding) |a| |M v|           accelerations iterated so far
//! penalty                    alpha (|Phi'|^2 + omega^2 |Phi|^2) / 2 + integral 2 mu omega alpha |Phi'|^2
//! ```
//!
//! and for each singular configuration on the way the square root of the tolerance, the error that passing it costs. Errors
//! mostly cancel: good runs stay far below the sum. A run beyond it is reported, such as one that left its
//! branch in a singular configuration without the energy growing. One percent of the energy in motion is reported in
//! any case, also where the tolerances asked for no better. That is the whole threshold for the implicit integrator, whose
//! steps have no error control, and for runs with dampers, loads or drives, since the quadrature of their work has
//! errors too.

use super::Integrator;
use crate::method::{ConstraintMethod, ForwardDynamics, Penalty};
use mb_model::system::MotionTerms;
use mb_model::{BlockKind, Model};

/// Departure that is reported whatever explains it, relative to the energy in motion.
const COARSE: f64 = 1e-2;

/// Rounding of energies: of one evaluation, and of each step.
const ROUNDING: f64 = 1e-12;

/// A departure of the energy from its balance beyond what method and tolerances explain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyDeparture {
    /// When it was largest, s.
    pub time: f64,
    /// Energy minus its value at the start and the work done since, J.
    pub drift: f64,
    /// Energy in motion: kinetic at the start, fall of the potential, work, J.
    pub scale: f64,
    /// What steps, tolerances and method explain at most, J; none where they promise nothing: implicit steps, and
    /// runs with dampers, loads or drives.
    pub explained: Option<f64>,
}

/// What the method and the tolerances explain so far.
#[derive(Debug)]
pub(super) struct Explained {
    relative: f64,
    floor: f64,
    /// True for conservative runs with error control.
    sharp: bool,
    /// True where reactions work on the violation of the velocities.
    reactions: bool,
    /// Errors of the accelerations relative to them, compared with rounding.
    iteration: f64,
    penalty: Option<Penalty>,
    /// Energy that the absolute tolerances do not tell from zero: of such velocities, and sum tau (|M v|_1 + |f|_1) over the steps, up to
    /// which vibrations of a stiff model at rest grow from rounding. It is linear in the motion; the energy of an instability is not.
    unresolved: f64,
    /// Sum over the steps, and the largest of them.
    sum: f64,
    largest: f64,
    /// Energy in the penalties now and at most, what they took, and the power at which they do.
    held: f64,
    stored: f64,
    taken: f64,
    power: f64,
    /// The largest departure so far, and when.
    pub(super) worst: (f64, f64),
}

impl Explained {
    /// For a run whose `dynamics` was evaluated at the start with positions `q`; `powered` where work is done from outside.
    pub(super) fn new(
        integrator: &Integrator,
        dynamics: &ForwardDynamics<'_>,
        q: &[f64],
        powered: bool,
    ) -> Self {
        let mut out = Self {
            relative: 0.0,
            floor: 1.0,
            sharp: false,
            reactions: false,
            iteration: 0.0,
            penalty: None,
            unresolved: 0.0,
            sum: 0.0,
            largest: 0.0,
            held: 0.0,
            stored: 0.0,
            taken: 0.0,
            power: 0.0,
            worst: (0.0, 0.0),
        };
        match integrator {
            Integrator::DormandPrince { method, control, .. } => {
                (out.relative, out.floor) = (control.relative, control.absolute / control.relative);
                out.sharp = !powered;
                match method {
                    ConstraintMethod::Standard | ConstraintMethod::Baumgarte(_) => out.reactions = true,
                    ConstraintMethod::Penalty(p) => out.penalty = Some(*p),
                    ConstraintMethod::AugmentedLagrangian(a) => out.iteration = a.tolerance,
                    ConstraintMethod::DirectCorrection(_) | ConstraintMethod::CoordinatePartitioning(_) => {}
                }
                out.iteration += dynamics.penalty_noise().unwrap_or(0.0);
                out.unresolved = kinetic_at(dynamics.terms(), control.absolute);
            }
            Integrator::GeneralizedAlpha(alpha) => {
                out.relative = alpha.tolerance;
                out.unresolved = kinetic_at(dynamics.terms(), alpha.velocity_tolerance(q));
            }
        }
        out
    }
    /// Energy that the absolute tolerances do not tell from zero, J.
    pub(super) fn unresolved(&self) -> f64 {
        self.unresolved
    }
    /// Adds a step of length `h` that ended at q and v, where `dynamics` was evaluated last or near it.
    pub(super) fn step(&mut self, dynamics: &ForwardDynamics<'_>, h: f64, q: &[f64], v: &[f64]) {
        let terms = dynamics.terms();
        let (mut moved, mut momentum) = (0.0, 0.0);
        let mut least: f64 = terms.force.iter().map(|f| f.abs()).sum();
        for (j, v_j) in v.iter().enumerate() {
            let p = momentum_of(terms, v, j);
            moved += p.abs() * v_j.abs().max(self.floor);
            momentum += p * p;
            least += p.abs();
        }
        self.unresolved += self.relative * self.floor * least;
        moved += against_forces(dynamics.model(), terms, q, self.floor);
        let mut own = self.relative * moved;
        if self.iteration > 0.0 {
            let a: f64 = dynamics.acceleration().iter().map(|a| a * a).sum();
            own += h * self.iteration * (a * momentum).sqrt();
        }
        if self.reactions {
            let power: f64 = dynamics.multipliers().iter().zip(&terms.phi_dot).map(|(l, x)| l * x).sum();
            own += h * power.abs();
        }
        self.penalties(h, terms);
        self.sum += own;
        self.largest = self.largest.max(own);
    }
    /// Adds what penalties hold and take at the end of a step of length `h`.
    fn penalties(&mut self, h: f64, terms: &MotionTerms) {
        let Some(p) = self.penalty else { return };
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let fast = p.alpha * square(&terms.phi_dot);
        let stored = 0.5 * (fast + p.alpha * p.omega * p.omega * square(&terms.phi));
        let power = 2.0 * p.mu * p.omega * fast;
        self.taken += 0.5 * h * (power + self.power);
        self.held = stored;
        self.stored = self.stored.max(stored);
        self.power = power;
    }
    /// What penalties hold now and have taken, J: the flow of the penalty method keeps the sum of this and the energy.
    pub(super) fn in_penalties(&self) -> f64 {
        self.held + self.taken
    }
    /// Sees a departure at time `t`.
    pub(super) fn see(&mut self, t: f64, drift: f64) {
        if drift.abs() > self.worst.1.abs() {
            self.worst = (t, drift);
        }
    }
    /// The finding, if the largest departure is beyond the threshold: `scale` is the energy in motion, `size` that of all
    /// energies, which rounding is relative to.
    pub(super) fn judge(
        &self,
        scale: f64,
        size: f64,
        steps: usize,
        passages: usize,
    ) -> Option<EnergyDeparture> {
        let passing = if self.sharp { passages as f64 * self.relative.sqrt() * scale } else { 0.0 };
        let explained = self.sum + self.stored + self.taken + passing;
        let coarse = (COARSE * scale).max(self.largest);
        let bar = if self.sharp { explained.min(coarse) } else { coarse };
        let rounding = (ROUNDING + steps as f64 * f64::EPSILON) * (1.0 + size);
        let (time, drift) = self.worst;
        (drift.abs() > bar + rounding).then_some(EnergyDeparture {
            time,
            drift,
            scale,
            explained: self.sharp.then_some(explained),
        })
    }
}

/// sum |M_ij| v^2 / 2, at least the kinetic energy where no velocity is larger than `v`.
fn kinetic_at(terms: &MotionTerms, v: f64) -> f64 {
    0.5 * v * v * terms.mass.iter().map(|m| m.abs()).sum::<f64>()
}

/// (M v)_j, by column j of the symmetric M.
fn momentum_of(terms: &MotionTerms, v: &[f64], j: usize) -> f64 {
    let Some(pattern) = terms.mass_pattern() else {
        return terms.mass[j * terms.n..(j + 1) * terms.n].iter().zip(v).map(|(m, v)| m * v).sum();
    };
    let start = pattern.indptr().into_raw_storage();
    let own = start[j]..start[j + 1];
    pattern.indices()[own.clone()].iter().zip(&terms.mass[own]).map(|(i, m)| m * v[*i]).sum()
}

/// sum |f_i| max(|q_i|, floor), with a whole turn of two for rotations that are held as Euler parameters.
fn against_forces(model: &Model, terms: &MotionTerms, q: &[f64], floor: f64) -> f64 {
    let mut sum = 0.0;
    for block in model.coordinates().blocks() {
        for i in 0..block.kind.nv() {
            let turns = matches!(block.kind, BlockKind::Pose) && i >= 3;
            let size = if turns { 2.0 } else { q[block.q + i].abs() };
            sum += terms.force[block.v + i].abs() * size.max(floor);
        }
    }
    sum
}
