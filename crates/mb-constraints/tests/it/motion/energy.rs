//! The energy shows runs that cannot be trusted, and only those; good runs are seen by the other tests of motions.

use super::{double_pendulum, explicit, options};
use mb_constraints::method::{AugmentedLagrangian, Penalty};
use mb_constraints::simulate::{
    End, EnergyDeparture, GeneralizedAlpha, Integrator, SimulationOptions, StepControl, Trajectory, simulate,
};
use mb_constraints::{ConstraintError, ConstraintMethod};
use mb_gallery::models::TurningFourBar;
use mb_model::Model;
use std::ops::ControlFlow;

fn go(model: &Model, options: &SimulationOptions) -> Trajectory {
    simulate(model, 0.0, model.initial(), model.initial_velocity(), options, &mut |_| {
        ControlFlow::Continue(())
    })
    .expect("a mechanism that moves")
}

/// At small tolerances a large penalty takes the turning linkage into the other branch: the run finishes, the energy in motion
/// stays below its limit, and yet the balance shows it.
#[test]
fn a_run_that_left_its_branch_is_reported() {
    let bar = TurningFourBar::default();
    let model = bar.spec().unwrap().build().unwrap();
    let control = StepControl { relative: 1e-9, absolute: 1e-11, max_step: None };
    let method = ConstraintMethod::AugmentedLagrangian(AugmentedLagrangian::default());
    let motion = go(&model, &options(10.0, 0.1, explicit(method, control)));
    assert_eq!(motion.end, End::Finished);
    let last = motion.len() - 1;
    let off: f64 = motion.q_at(last).iter().zip(bar.at(10.0).unwrap()).map(|(a, b)| (a - b).abs()).sum();
    assert!(off > 0.1, "on its branch: {off}");
    let EnergyDeparture { time, drift, scale, explained } = motion.energy_departure.expect("a drift");
    assert!(drift.abs() > 0.01 * scale && drift.abs() > explained.unwrap(), "{drift} {scale} {explained:?}");
    assert!(motion.singular.iter().any(|p| p.time < time) && time <= 10.0, "{time}");
}

/// Penalties far too small release the constraints, which takes energy: reported from one percent on, whatever explains it.
#[test]
fn penalties_that_take_energy_are_reported() {
    let model = double_pendulum();
    let by = |alpha: f64| {
        let method = ConstraintMethod::Penalty(Penalty { alpha, ..Penalty::default() });
        go(&model, &options(2.0, 0.05, explicit(method, StepControl::default())))
    };
    let (loose, firm) = (by(30.0), by(1e6));
    let found = loose.energy_departure.expect("a drift");
    assert!(found.drift.abs() > 0.01 * found.scale, "{found:?}");
    assert_eq!(firm.energy_departure, None);
}

/// A mass of one kilogram this far from a fixed point, on a spring of one metre.
fn on_a_stiff_spring(distance: f64, gravity: f64) -> Model {
    Model::from_toml(&format!(
        r#"
        units = "SI"
        name = "stiff"
        gravity = [0, -{gravity}]
        point = [{{ name = "O", at = [0, 0], fixed = true }}, {{ name = "P", at = [{distance}, 0], mass = 1 }}]
        spring = [{{ name = "s", a = "O", b = "P", stiffness = 1e4, natural_length = 1, damping = 0 }}]
        "#
    ))
    .expect("a model that holds")
}

/// A stiff spring that turns, with steps a hundred times its period and no damping by the method: Newton's method may converge and the energy
/// grows all the same. The run is stopped by it or it is reported; with small steps nothing is.
#[test]
fn implicit_steps_that_are_too_long_are_reported() {
    let model = on_a_stiff_spring(1.0, 9.81);
    let by = |step| {
        let alpha = GeneralizedAlpha { step, spectral_radius: 1.0, ..Default::default() };
        go(&model, &options(10.0, 0.1, Integrator::GeneralizedAlpha(alpha)))
    };
    let wild = by(0.05);
    let told =
        matches!(wild.end, End::Failed(ConstraintError::Unstable { .. })) || wild.energy_departure.is_some();
    assert!(told, "{:?} {:e}", wild.end, wild.energy_drift());
    assert!(wild.q.iter().chain(&wild.v).all(|x| x.is_finite()));
    let fine = by(5e-4);
    assert_eq!((&fine.end, fine.energy_departure), (&End::Finished, None), "{:e}", fine.energy_drift());
}

/// Explicit steps beyond the limit of stability, forced by tolerances that let them pass: ended by the energy long before numbers
/// overflow, with the figures of the balance.
#[test]
fn explicit_steps_that_explode_are_ended() {
    let model = on_a_stiff_spring(1.01, 0.0);
    let control = StepControl { relative: 1e3, absolute: 1.0, max_step: Some(0.04) };
    let motion = go(&model, &options(10.0, 0.1, explicit(ConstraintMethod::Standard, control)));
    let End::Failed(ConstraintError::Unstable { drift, scale, .. }) = motion.end else {
        panic!("{:?}", motion.end)
    };
    assert!(drift.abs() > 0.5 * scale);
}

/// Rounding of a stiff beam at rest grows under explicit steps up to the tolerances, and no further: no instability, no departure.
#[test]
fn rounding_of_a_stiff_model_at_rest_is_no_instability() {
    let text = mb_gallery::catalogue::generate("beam-cantilever", &[]).unwrap();
    let model = Model::from_toml(&text).unwrap();
    let speeds: Vec<f64> =
        model.initial_velocity().iter().enumerate().map(|(i, v)| v + 1e-33 * (i as f64).sin()).collect();
    for method in ConstraintMethod::all() {
        let options = options(0.1, 0.01, explicit(method, StepControl::default()));
        let motion =
            simulate(&model, 0.0, model.initial(), &speeds, &options, &mut |_| ControlFlow::Continue(()));
        let motion = motion.expect("a beam at rest");
        assert_eq!(
            (&motion.end, motion.energy_departure),
            (&End::Finished, None),
            "{:e}",
            motion.energy_drift()
        );
    }
}

/// A spring that swings sixteen times a second: where reports ask for one look in five seconds, the many steps in
/// between are reported with that frequency; where they ask for every swing, they are what was asked for.
#[test]
fn short_steps_are_reported_with_what_binds_them() {
    let model = on_a_stiff_spring(1.01, 0.0);
    let by = |every: f64| {
        go(&model, &options(60.0, every, explicit(ConstraintMethod::Standard, StepControl::default())))
    };
    let (seldom, often) = (by(5.0), by(0.02));
    let bound = seldom.step_bound.expect("many steps");
    let swing = 100.0 / std::f64::consts::TAU;
    assert!((bound.frequency_hz - swing).abs() < 0.3 * swing, "{bound:?}");
    let steps = seldom.statistics.steps as f64;
    assert!(
        (bound.steps - steps).abs() < 0.2 * steps && (bound.step * steps - 60.0).abs() < 12.0,
        "{bound:?}"
    );
    assert_eq!((often.step_bound, often.end), (None, End::Finished));
}

/// A body at rest has no energy in motion: rounding of its large weight, and what the start's assembly leaves, are no departure.
#[test]
fn what_rests_has_no_departure() {
    let model = Model::from_toml(
        r#"
        units = "SI"
        name = "at rest"
        gravity = [0, -9.81]
        point = [{ name = "O", at = [0, 1], fixed = true }, { name = "P", at = [0, 0], mass = 1e4 }]
        rod = [{ name = "arm", ends = ["O", "P"], mass = 1e3, length = 1 }]
        "#,
    )
    .unwrap();
    for method in ConstraintMethod::all() {
        let motion = go(&model, &options(2.0, 0.1, explicit(method.clone(), StepControl::default())));
        assert_eq!(motion.end, End::Finished, "{method}");
        // Penalties let what rests sag.
        if !matches!(method, ConstraintMethod::Penalty(_)) {
            assert_eq!(motion.energy_departure, None, "{method}");
        }
    }
    let implicit = Integrator::GeneralizedAlpha(GeneralizedAlpha::default());
    assert_eq!(go(&model, &options(0.2, 0.1, implicit)).energy_departure, None);
}
