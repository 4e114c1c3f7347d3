//! The generalized-alpha method against the explicit one.

use super::{TIGHT, direct, distance, double_pendulum, explicit, options, run};
use mb_constraints::simulate::{GeneralizedAlpha, Integrator};
use mb_model::Model;

fn alpha(step: f64, spectral_radius: f64) -> Integrator {
    Integrator::GeneralizedAlpha(GeneralizedAlpha { step, spectral_radius, ..Default::default() })
}

/// Halving the step divides the error by four; positions satisfy the constraints throughout.
#[test]
fn order_is_two() {
    let model = double_pendulum();
    let direct = direct();
    let exact = run(&model, &[0.0; 6], &options(0.5, 0.1, explicit(direct, TIGHT)));
    let error = |step| {
        let motion = run(&model, &[0.0; 6], &options(0.5, 0.1, alpha(step, 0.8)));
        assert!(motion.violation().0 < 1e-18);
        distance(&motion.q, &exact.q)
    };
    let order = (error(5e-3) / error(2.5e-3)).log2();
    assert!((order - 2.0).abs() < 0.1, "{order}");
}

/// A spring a million times stiffer than the swing needs no small steps.
#[test]
fn stiff_springs_need_no_small_steps() {
    let model = Model::from_toml(
        r#"
        units = "SI"
        name = "stiff"
        gravity = [0, -9.81]
        point = [
            { name = "O", at = [0, 0], fixed = true },
            { name = "P", at = [1, 0], mass = 1 },
            { name = "Q", at = [1, -0.5], mass = 1 },
        ]
        rod = [{ name = "r", ends = ["O", "P"], mass = 1, length = 1 }]
        spring = [{ name = "s", a = "P", b = "Q", stiffness = 1e9, natural_length = 0.5, damping = 0 }]
        "#,
    )
    .unwrap();
    let motion = run(&model, &[0.0; 4], &options(2.0, 0.1, alpha(5e-3, 0.5)));
    assert_eq!(motion.statistics.steps, 400);
    // The line stays as long as it is, and the energy stays to the order of the step.
    let scale = motion.records.iter().fold(0.0_f64, |m, r| m.max(r.kinetic));
    assert!(motion.energy_drift() < 0.02 * scale, "{:e} {scale:e}", motion.energy_drift());
}

/// Held at both levels, velocities satisfy their constraints to the tolerance too; the order stays
/// two, in the plane, in space and with a redundant link.
#[test]
fn stabilized_steps_hold_velocities_and_are_of_second_order() {
    let four_bar = mb_gallery::models::SpatialFourBar::default().spec().unwrap().build().unwrap();
    for model in [double_pendulum(), four_bar, crate::support::parallelogram(-0.3)] {
        let v = model.initial_velocity().to_vec();
        let direct = direct();
        let exact = run(&model, &v, &options(0.4, 0.1, explicit(direct, TIGHT)));
        let by = |step| {
            let alpha =
                GeneralizedAlpha { step, spectral_radius: 0.8, stabilized: true, ..Default::default() };
            run(&model, &v, &options(0.4, 0.1, Integrator::GeneralizedAlpha(alpha)))
        };
        let (coarse, fine) = (by(4e-3), by(2e-3));
        for record in &fine.records[1..] {
            assert!(record.violation < 1e-18 && record.velocity_violation < 1e-18, "{record:?}");
        }
        let order = (distance(&coarse.q, &exact.q) / distance(&fine.q, &exact.q)).log2();
        assert!((order - 2.0).abs() < 0.15, "{}: {order}", model.name);
    }
}

/// One factorization serves many iterations and steps; a motion that has come away from it gets its
/// own, whose result the order of the method and the exact motions above judge.
#[test]
fn factors_serve_for_many_steps() {
    let model = double_pendulum();
    let motion = run(&model, &[0.0; 6], &options(1.0, 0.1, alpha(1e-3, 0.9)));
    let s = motion.statistics;
    assert_eq!(s.steps, 1000);
    assert!(s.factorizations > 1 && 5 * s.factorizations < s.evaluations, "{s:?}");
}

/// A damper between two masses of 1 kg that ends their relative motion in 50 microseconds.
fn damped_pair() -> Model {
    Model::from_toml(
        r#"
        units = "SI"
        name = "pair"
        gravity = [0, 0]
        point = [{ name = "P", at = [0, 0], mass = 1 }, { name = "Q", at = [1, 0], mass = 1 }]
        spring = [{ name = "s", a = "P", b = "Q", stiffness = 100, natural_length = 1, damping = 1e4 }]
        "#,
    )
    .expect("a model that moves")
}

/// One mass is thrown at the other through the damper: a plastic impact, of which steps a thousand times longer than it lasts
/// keep the momentum and the energy that is left. Steps that follow it need no such start and find the same.
#[test]
fn a_start_that_dampers_end_at_once_is_an_impact() {
    let model = damped_pair();
    let thrown = [2.0, 0.0, 0.0, 0.0];
    for step in [5e-2, 1e-3, 2e-5] {
        let until = if step < 1e-4 { 1e-2 } else { 1.0 };
        let motion = run(&model, &thrown, &options(until, 0.1 * until, alpha(step, 0.9)));
        let last = motion.len() - 1;
        let (q, v) = (motion.q_at(last), motion.point(last).v);
        // The middle moves at half the speed.
        assert!((q[0] + q[2] - 1.0 - 2.0 * until).abs() < 1e-9, "{step}: {q:?}");
        assert!((v[0] - 1.0).abs() + (v[2] - 1.0).abs() < 2e-3, "{step}: {v:?}");
        let left = motion.records[last].kinetic + motion.records[last].potential;
        assert!((left - 1.0).abs() < 1e-2, "{step}: {left}");
        match motion.start_shock {
            Some(shock) => assert!(step > 1e-4 && (shock.taken - 1.0).abs() < 2e-3, "{step}: {shock:?}"),
            None => assert!(step < 1e-4),
        }
    }
    // What rests, and what moves as one, is no shock.
    for v in [[0.0; 4], [1.0, 0.0, 1.0, 0.0]] {
        assert_eq!(run(&model, &v, &options(0.1, 0.1, alpha(1e-2, 0.9))).start_shock, None);
    }
}
