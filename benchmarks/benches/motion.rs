//! Forward dynamics: right-hand sides, whole runs of the spatial four-bar, chains of growing length.
#![expect(clippy::unwrap_used, reason = "a benchmark that fails has nothing to measure")]

use benchmarks::{bent_chain, spatial_four_bar};
use divan::Bencher;
use mb_constraints::simulate::{Integrator, SimulationOptions, StepControl, simulate};
use mb_constraints::{ConstraintMethod, ForwardDynamics};
use std::ops::ControlFlow;

fn main() {
    divan::main();
}

const METHODS: [usize; 6] = [0, 1, 2, 3, 4, 5];

/// One evaluation of the accelerations, by the number of the method in `ConstraintMethod::all`.
#[divan::bench(args = METHODS, sample_count = 200)]
fn right_hand_side(bencher: Bencher, method: usize) {
    let model = spatial_four_bar().unwrap();
    let mut dynamics = ForwardDynamics::new(&model, &ConstraintMethod::all()[method], &[]).unwrap();
    let (q, v) = (model.initial().to_vec(), model.initial_velocity().to_vec());
    bencher.bench_local(|| dynamics.evaluate(0.0, &q, &v).unwrap());
}

/// M, f, Phi_q, Phi, Phi' and gamma alone.
#[divan::bench(sample_count = 200)]
fn terms(bencher: Bencher) {
    let model = spatial_four_bar().unwrap();
    let mut terms = mb_model::system::MotionTerms::dense(&model);
    let (q, v) = (model.initial().to_vec(), model.initial_velocity().to_vec());
    bencher.bench_local(|| model.motion_terms(&q, &v, 0.0, &[], &mut terms));
}

fn run(bencher: Bencher<'_, '_>, method: usize, restart: bool) {
    let model = spatial_four_bar().unwrap();
    let method = ConstraintMethod::all()[method].clone();
    let integrator = Integrator::DormandPrince { method, control: StepControl::default(), restart };
    let options = SimulationOptions { until: 5.0, every: 0.02, integrator, ..Default::default() };
    bencher.bench_local(|| {
        let (q, v) = (model.initial(), model.initial_velocity());
        simulate(&model, 0.0, q, v, &options, &mut |_| ControlFlow::Continue(())).unwrap()
    });
}

/// Five seconds with 251 reports in one run.
#[divan::bench(args = METHODS, sample_count = 10)]
fn continuous(bencher: Bencher, method: usize) {
    run(bencher, method, false);
}

/// The same with a fresh start of the integrator at every report.
#[divan::bench(args = METHODS, sample_count = 10)]
fn restarted(bencher: Bencher, method: usize) {
    run(bencher, method, true);
}

/// One evaluation of a chain of bodies in space: sparse factors above 160 unknowns.
#[divan::bench(args = [10, 14, 15, 30, 100, 300, 1_000, 3_000, 10_000], sample_count = 5, sample_size = 1)]
fn chain(bencher: Bencher, links: u32) {
    let (model, at) = bent_chain(links).unwrap();
    let mut dynamics = ForwardDynamics::new(&model, &ConstraintMethod::Standard, &[]).unwrap();
    bencher.bench_local(|| dynamics.evaluate(0.0, &at.q, &at.v).unwrap());
}

/// A chain simulated whole: consistent start, analysis, steps, energy, reports, for a hundredth of a second.
#[divan::bench(args = [100, 1_000, 10_000], sample_count = 1, sample_size = 1)]
fn chain_whole(bencher: Bencher, links: u32) {
    let (model, at) = bent_chain(links).unwrap();
    let options = SimulationOptions {
        until: 0.01,
        every: 0.005,
        integrator: Integrator::explicit(ConstraintMethod::Standard),
        ..Default::default()
    };
    bencher.bench_local(|| {
        simulate(&model, 0.0, &at.q, &at.v, &options, &mut |_| ControlFlow::Continue(())).unwrap()
    });
}
