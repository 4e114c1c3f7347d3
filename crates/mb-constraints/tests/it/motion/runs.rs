//! Whole runs: methods side by side, loops, balance of energy with damping and drives.

use super::{TIGHT, direct, distance, double_pendulum, explicit, linkage, options, partitioning, run, size};
use crate::support::parallelogram;
use mb_algebra::Watch;
use mb_constraints::ConstraintMethod;
use mb_constraints::method::{CorrectionTime, DirectCorrection};
use mb_constraints::simulate::{End, GeneralizedAlpha, Integrator, SimulationOptions, StepControl, simulate};
use mb_model::Model;
use std::ops::ControlFlow;

/// At tight tolerances the methods give one motion; the multipliers agree as well.
#[test]
fn methods_give_one_motion() {
    let model = double_pendulum();
    let motion = |method| run(&model, &[0.0; 6], &options(1.0, 0.1, explicit(method, TIGHT)));
    let yardstick = motion(partitioning());
    for method in &ConstraintMethod::all()[..5] {
        let ours = motion(method.clone());
        let allowed = match method {
            ConstraintMethod::Penalty(_) => 1e-3,
            ConstraintMethod::AugmentedLagrangian(_) => 1e-6,
            _ => 1e-8,
        };
        assert!(distance(&ours.q, &yardstick.q) < allowed, "{method}");
        assert!(
            distance(&ours.lambda, &yardstick.lambda) < 100.0 * allowed * size(&yardstick.lambda),
            "{method}"
        );
    }
}

/// A redundant link changes nothing of the motion, whatever holds the constraints.
#[test]
fn redundant_rows_do_not_change_the_motion() {
    let model = parallelogram(-0.3);
    let motion = |method| run(&model, &[0.0; 3], &options(2.0, 0.1, explicit(method, TIGHT)));
    let yardstick = motion(partitioning());
    // The coupler turns nowhere and falls as a point mass on a circle.
    assert!(yardstick.q.chunks(3).all(|q| q[2].abs() < 1e-12));
    for method in &ConstraintMethod::all()[..5] {
        let ours = motion(method.clone());
        let allowed = if matches!(method, ConstraintMethod::Penalty(_)) { 1e-3 } else { 1e-7 };
        assert!(distance(&ours.q, &yardstick.q) < allowed, "{method}");
    }
}

/// Dampers take what the energy loses: the balance holds to the tolerance of the integration.
#[test]
fn energy_is_balanced_with_dampers() {
    let (model, q, v) = linkage();
    let options = options(3.0, 0.1, explicit(direct(), TIGHT));
    let motion = simulate(&model, 0.0, &q, &v, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    let last = motion.records.last().unwrap();
    assert!(last.work < -0.05, "{}", last.work);
    assert!(motion.energy_drift() < 1e-8, "{:e}", motion.energy_drift());
}

/// Whenever a run is ended, within a step or between two, it has the first reports of a whole one, bit by bit.
#[test]
fn a_run_that_is_ended_keeps_whole_reports() {
    let (model, q, v) = linkage();
    let alpha = Integrator::GeneralizedAlpha(GeneralizedAlpha { step: 0.02, ..GeneralizedAlpha::default() });
    for integrator in [explicit(direct(), TIGHT), alpha] {
        let options = options(1.0, 0.1, integrator);
        let go = || simulate(&model, 0.0, &q, &v, &options, &mut |_| ControlFlow::Continue(()));
        let counter = Watch::after(u64::MAX);
        let whole = counter.scope(go).unwrap().unwrap();
        let steps = counter.steps();
        let mut ended = 0;
        for part in 1..20 {
            // Before the motion begins there is nothing to keep.
            let Ok(found) = Watch::after(part * steps / 20).scope(go) else { continue };
            let found = found.unwrap();
            let n = found.len();
            assert!(found.end == End::Interrupted && n > 0 && n < whole.len(), "{part}: {n}");
            assert_eq!(
                (found.q.as_slice(), found.times.as_slice()),
                (&whole.q[..found.q.len()], &whole.times[..n])
            );
            assert_eq!(
                [found.q.len(), found.a.len(), found.records.len()],
                [n * model.nq(), n * model.nv(), n]
            );
            ended += 1;
        }
        assert!(ended > 10, "{ended}");
    }
}

/// A drive's work is balanced too: a rod turned at constant speed against gravity.
#[test]
fn energy_is_balanced_with_drives() {
    let model = Model::from_toml(
        r#"
        units = "SI"
        name = "driven rod"
        gravity = [0, -9.81]
        body = [{ name = "rod", mass = 2, inertia = 0.1, center_of_mass = [0.5, 0], at = [0, 0], angle = 0 }]
        joint = [{ name = "pin", type = "revolute", a = "rod", b = [0, 0] }]
        drive = [{ name = "motor", quantity = "angle", of = "rod", law = "2*t + 0.3*sin(5*t)" }]
        "#,
    )
    .unwrap();
    let integrator = explicit(direct(), TIGHT);
    let motion = run(&model, &[0.0; 3], &options(1.0, 0.05, integrator));
    assert!(motion.records.last().unwrap().work.abs() > 1.0);
    assert!(motion.energy_drift() < 1e-9, "{:e}", motion.energy_drift());
    let angle = motion.q_at(motion.len() - 1)[2];
    assert!((angle - 2.0 - 0.3 * 5.0_f64.sin()).abs() < 1e-9);
}

/// A fresh start at every report takes more evaluations and gives the same motion.
#[test]
fn restarting_costs_evaluations() {
    let model = double_pendulum();
    let by = |restart| {
        let when = if restart { CorrectionTime::EveryReport } else { CorrectionTime::EveryStep };
        let method = ConstraintMethod::DirectCorrection(DirectCorrection { when, ..Default::default() });
        let integrator = Integrator::DormandPrince { method, control: StepControl::default(), restart };
        run(&model, &[0.0; 6], &options(1.0, 0.02, integrator))
    };
    let (continuous, restarted) = (by(false), by(true));
    assert!(restarted.statistics.evaluations > 2 * continuous.statistics.evaluations);
    assert!(distance(&continuous.q, &restarted.q) < 1e-4);
    // One more evaluation for each step after a correction: seven a step and one at the start.
    let s = continuous.statistics;
    assert_eq!(s.evaluations, 7 * s.steps + 6 * s.rejected);
    assert_eq!(restarted.statistics.corrections, 50);
    assert!(s.most_iterations <= 3);
}

/// The caller may stop a run and keeps what was computed.
#[test]
fn an_interrupted_run_keeps_its_reports() {
    let model = double_pendulum();
    let options = SimulationOptions { until: 5.0, every: 0.1, ..Default::default() };
    let mut stop = |p: &mb_constraints::simulate::Progress| {
        if p.time > 1.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let motion = simulate(&model, 0.0, model.initial(), &[0.0; 6], &options, &mut stop).unwrap();
    assert_eq!(motion.end, End::Interrupted);
    assert!(motion.len() >= 11 && *motion.times.last().unwrap() < 2.0);
}
