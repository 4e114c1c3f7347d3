//! Simulation of constrained motion: integrators, reports, energy balance, events.
//!
//! [`simulate`] makes the start consistent, integrates, and keeps what it computed whatever happens
//! on the way: a failure is the [`End`] of the [`Trajectory`], an error only where nothing could
//! begin. Nothing is allocated between the first report and the last, for dense and sparse models, explicit and
//! implicit steps. Memory is taken all the same for events, by elements from outside that take some, and in
//! large models and implicit steps for redundant constraints and whatever else the factors in place leave in doubt.

mod dormand_prince;
mod energy;
mod events;
mod explicit;
mod general_rank;
mod generalized_alpha;
mod increment;
mod newton;
mod options;
mod recorder;
mod start;
mod step_system;
mod trajectory;

pub use dormand_prince::StepControl;
pub use energy::EnergyDeparture;
pub use generalized_alpha::GeneralizedAlpha;
pub use options::{Crossing, Event, Integrator, SimulationOptions};
pub use start::{Start, StartPolicy, consistent_start};
pub use trajectory::{End, Record, SingularPassage, StartShock, Statistics, StepBound, Trajectory};

use crate::error::ConstraintError;
use crate::method::{ConstraintMethod, ForwardDynamics};
use crate::rank::constraint_rank;
use mb_algebra::RankTolerance;
use mb_model::Model;
use std::ops::ControlFlow;

/// How far a simulation is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Time reached, s.
    pub time: f64,
    /// Time at the end, s.
    pub until: f64,
    /// Accepted steps.
    pub steps: usize,
    /// Reports kept.
    pub reports: usize,
    /// What bounds explicit steps, where they are short and many.
    pub bound: Option<StepBound>,
}

/// Simulates a motion from configuration `q` and velocities `v` at time `t`.
///
/// `observer` sees every accepted step and may stop the run, and so does the end of the watch in whose scope it is, within a step; what
/// was computed is kept.
///
/// # Errors
/// Options or parameters out of range, a start that cannot be made consistent, a locked mechanism,
/// accelerations that cannot be computed at the start. Later failures are [`End::Failed`].
///
/// # Panics
/// When the sizes of `q`, `v` or the inputs are not the model's.
pub fn simulate(
    model: &Model,
    t: f64,
    q: &[f64],
    v: &[f64],
    options: &SimulationOptions,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Trajectory, ConstraintError> {
    options.check(t, 1 + model.nq() + 2 * model.nv() + model.nc())?;
    let inputs =
        if options.inputs.is_empty() { vec![0.0; model.inputs().len()] } else { options.inputs.clone() };
    let start = consistent_start(model, q, v, t, options.start, &options.hold)?;
    let rank = constraint_rank(model, &start.q, t, RankTolerance::default())?.rank();
    start::check_mobility(model, &start, options.until, rank)?;
    match &options.integrator {
        Integrator::DormandPrince { method, control, restart } => {
            let mut dynamics = ForwardDynamics::new(model, method, &inputs)?;
            if let Some(most) = general_rank::general_rank(model, &start, rank)? {
                dynamics.limit_rank(most);
            }
            explicit::run(dynamics, &start, options, *control, *restart, observer)
        }
        Integrator::GeneralizedAlpha(alpha) => {
            let dynamics = ForwardDynamics::new(model, &ConstraintMethod::Standard, &inputs)?;
            generalized_alpha::run(dynamics, &start, options, alpha, observer)
        }
    }
}
