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
