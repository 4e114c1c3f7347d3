//! Forward dynamics: methods, integrators, energy, failures.

mod coupling;
mod energy;
mod failures;
mod implicit;
mod methods;
mod pendulum;
mod published;
mod rolling;
mod runs;
mod space_more;
mod spatial;

use mb_constraints::method::{AugmentedLagrangian, CoordinatePartitioning, DirectCorrection};
use mb_constraints::simulate::{End, Integrator, SimulationOptions, StepControl, Trajectory, simulate};
use mb_constraints::{ConstraintMethod, ForwardDynamics};
use mb_gallery::models::{DoublePendulum, FourBar};
use mb_model::Model;
use std::ops::ControlFlow;

/// Tolerances far below the defaults.
pub(crate) const TIGHT: StepControl = StepControl { relative: 1e-11, absolute: 1e-13, max_step: None };

pub(crate) fn direct() -> ConstraintMethod {
    ConstraintMethod::DirectCorrection(DirectCorrection::default())
}

pub(crate) fn partitioning() -> ConstraintMethod {
    ConstraintMethod::CoordinatePartitioning(CoordinatePartitioning::default())
}

pub(crate) fn iterated() -> ConstraintMethod {
    ConstraintMethod::AugmentedLagrangian(AugmentedLagrangian::default())
}

pub(crate) fn explicit(method: ConstraintMethod, control: StepControl) -> Integrator {
    Integrator::DormandPrince { method, control, restart: false }
}

pub(crate) fn options(until: f64, every: f64, integrator: Integrator) -> SimulationOptions {
    SimulationOptions { until, every, integrator, ..SimulationOptions::default() }
}

/// Runs from the model's own start, moved by `v`.
pub(crate) fn run(model: &Model, v: &[f64], options: &SimulationOptions) -> Trajectory {
    let mut keep = |_: &_| ControlFlow::Continue(());
    let motion = simulate(model, 0.0, model.initial(), v, options, &mut keep).expect("a model that moves");
    if let End::Failed(failure) = &motion.end {
        panic!("{}: {failure}", options.integrator.method_name());
    }
    no_departure(&motion, &options.integrator.method_name());
    motion
}

/// A good run gives no reason for doubt.
pub(crate) fn no_departure(motion: &Trajectory, name: &str) {
    assert_eq!(motion.energy_departure, None, "{name}: {:e} J", motion.energy_drift());
}

/// A four-bar linkage of two loops with springs and damping, swinging.
pub(crate) fn linkage() -> (Model, Vec<f64>, Vec<f64>) {
    let bar = FourBar { loops: 2, damping: 0.7, ..FourBar::default() };
    let model = bar.spec().expect("a model that moves").build().expect("a model that moves");
    let v = bar.tangent(2.1).iter().map(|x| 0.3 * x).collect();
    (model, bar.configuration(2.1), v)
}

/// Two rods as rigid bodies, released from the horizontal.
pub(crate) fn double_pendulum() -> Model {
    let mut spec = DoublePendulum::default().spec().expect("a model that moves");
    spec.bodies[0].angle = Some(0.0.into());
    spec.bodies[1].angle = Some(0.5.into());
    spec.build().expect("a model that moves")
}

/// Accelerations and multipliers of a method at a state.
pub(crate) fn evaluated(
    model: &Model,
    method: &ConstraintMethod,
    q: &[f64],
    v: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let mut dynamics =
        ForwardDynamics::new(model, method, &vec![0.0; model.inputs().len()]).expect("a model that moves");
    dynamics.evaluate(0.0, q, v).expect("a model that moves");
    (dynamics.acceleration().to_vec(), dynamics.multipliers().to_vec())
}

pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |d, (a, b)| d.max((a - b).abs()))
}

pub(crate) fn size(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |s, a| s.max(a.abs()))
}
