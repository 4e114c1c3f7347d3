//! What cannot go on says why, when and where.

use super::{TIGHT, double_pendulum, explicit, options};
use mb_constraints::method::Baumgarte;
use mb_constraints::simulate::{
    End, GeneralizedAlpha, Integrator, SimulationOptions, StartPolicy, StepControl, Trajectory, simulate,
};
use mb_constraints::{ConstraintError, ConstraintMethod};
use mb_model::{BlockKind, Model};
use std::ops::ControlFlow;

fn go(model: &Model, q: &[f64], options: &SimulationOptions) -> Result<Trajectory, ConstraintError> {
    let v = vec![0.0; model.nv()];
    simulate(model, 0.0, q, &v, options, &mut |_| ControlFlow::Continue(()))
}

/// A rod whose end is driven beyond its reach, at t = 0.5 s.
#[test]
fn a_limit_of_the_motion_is_named() {
    let model = Model::from_toml(
        r#"
        units = "SI"
        name = "out of reach"
        point = [{ name = "O", at = [0, 0], fixed = true }, { name = "P", at = [0.5, 0.8] }]
        rod = [{ name = "arm", ends = ["O", "P"], mass = 1, length = 1 }]
        drive = [{ name = "pull", quantity = "x", of = "P", law = "0.5 + t" }]
        "#,
    )
    .unwrap();
    for method in ConstraintMethod::all() {
        if matches!(method, ConstraintMethod::Penalty(_) | ConstraintMethod::AugmentedLagrangian(_)) {
            // They bend the constraints instead and go on; the violation shows it.
            continue;
        }
        let motion =
            go(&model, model.initial(), &options(1.0, 0.05, explicit(method.clone(), TIGHT))).unwrap();
        let End::Failed(failure) = &motion.end else { panic!("{method}: {:?}", motion.end) };
        let words = failure.to_string();
        let named = words.contains("rod 'arm'") || words.contains("drive 'pull'");
        assert!(named, "{method}: {words}");
        let last = *motion.times.last().unwrap();
        assert!((0.4..0.56).contains(&last), "{method}: {last}");
        assert!(motion.q.iter().chain(&motion.a).all(|x| x.is_finite()));
    }
}

#[test]
fn a_locked_mechanism_is_refused() {
    let model = Model::from_toml(
        r#"
        units = "SI"
        name = "triangle"
        gravity = [0, -9.81]
        point = [{ name = "A", at = [0, 0], fixed = true }, { name = "B", at = [1, 0], fixed = true },
                 { name = "C", at = [0.5, 0.8] }]
        rod = [{ name = "1", ends = ["A", "C"], mass = 1, length = 1 },
               { name = "2", ends = ["B", "C"], mass = 1, length = 1 }]
        "#,
    )
    .unwrap();
    let found = go(&model, model.initial(), &SimulationOptions::default()).unwrap_err();
    assert_eq!(found, ConstraintError::Locked { time: 0.0, rank: 2 });
}

#[test]
fn an_inconsistent_start_is_assembled_or_refused_by_name() {
    let model = double_pendulum();
    let mut q = model.initial().to_vec();
    q[3] += 0.01;
    let refuse = SimulationOptions { start: StartPolicy::Refuse, ..Default::default() };
    let found = go(&model, &q, &refuse).unwrap_err();
    let ConstraintError::InconsistentStart { list, .. } = &found else { panic!("{found}") };
    assert!(list[0].contains("joint 'elbow' (x)"), "{found}");
    let motion = go(&model, &q, &SimulationOptions::default()).unwrap();
    assert!(motion.records[0].violation < 1e-20);
}

#[test]
fn a_coordinate_without_mass_is_named() {
    let mut model = Model::new("empty", [0.0; 3]);
    model.add_block("dial", BlockKind::Angle, &[0.0]);
    let found = go(&model, model.initial(), &SimulationOptions::default()).unwrap_err();
    assert_eq!(found, ConstraintError::MassMissing { time: 0.0, coordinate: "dial.angle".into() });
}

/// Strong feedback with steps that are too long for it blows up; the balance of energy sees it.
#[test]
fn an_unstable_combination_is_found_by_its_energy() {
    let model = double_pendulum();
    let method = ConstraintMethod::Baumgarte(Baumgarte { alpha: 400.0, beta: 400.0 });
    let control = StepControl { relative: 1e3, absolute: 1.0, max_step: Some(0.01) };
    let motion = go(&model, model.initial(), &options(5.0, 0.05, explicit(method, control))).unwrap();
    let End::Failed(ConstraintError::Unstable { time, .. }) = motion.end else { panic!("{:?}", motion.end) };
    assert!(time < 5.0);
    assert!(motion.q.iter().chain(&motion.v).all(|x| x.is_finite()));
}

#[test]
fn options_out_of_range_are_refused() {
    let model = double_pendulum();
    for bad in [
        SimulationOptions { until: -1.0, ..Default::default() },
        SimulationOptions { every: 0.0, ..Default::default() },
        SimulationOptions { every: 1e-12, ..Default::default() },
        SimulationOptions {
            integrator: Integrator::GeneralizedAlpha(GeneralizedAlpha::default()),
            until: f64::NAN,
            ..Default::default()
        },
    ] {
        let found = go(&model, model.initial(), &bad).unwrap_err();
        assert!(matches!(found, ConstraintError::SimulationOption { .. }), "{found}");
    }
}
