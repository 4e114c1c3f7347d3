//! Velocity rows in motion: a sled on a skate in closed form, a disc that wobbles, a ball on a slope.

use super::{TIGHT, direct, explicit, iterated, options, partitioning, run};
use mb_constraints::ConstraintMethod;
use mb_constraints::method::{Baumgarte, Penalty};
use mb_constraints::simulate::{GeneralizedAlpha, Integrator};
use mb_gallery::files;
use mb_model::Model;

fn model(text: &str) -> Model {
    Model::from_toml(text).unwrap_or_else(|e| panic!("{e}"))
}

/// The methods that hold a constraint to more than the error of a step.
fn methods() -> [ConstraintMethod; 5] {
    [
        ConstraintMethod::Standard,
        ConstraintMethod::Baumgarte(Baumgarte::default()),
        direct(),
        partitioning(),
        iterated(),
    ]
}

/// v' = a p^2, (J + m a^2) p' = -m a v p: v = V tanh(k t), p = V sqrt(m / (J + m a^2)) / cosh(k t), k = m a V / (J + m a^2) for a
/// sled that starts by turning about its blade.
#[test]
fn a_sled_on_a_skate_moves_as_the_closed_form_says() {
    let (m, inertia, a) = (2.0_f64, 0.3, 0.4);
    let model = model(files::SKATE);
    let about_blade = inertia + m * a * a;
    let turn = 2.0;
    let fast = turn * f64::sqrt(about_blade / m);
    let rate = m * a * fast / about_blade;
    let alpha = GeneralizedAlpha { step: 1e-3, ..Default::default() };
    let stabilized = GeneralizedAlpha { stabilized: true, ..alpha };
    let penalty = ConstraintMethod::Penalty(Penalty::default());
    let integrators = methods().into_iter().map(|m| (explicit(m, TIGHT), 1e-8)).chain([
        (explicit(penalty, TIGHT), 1e-3),
        (Integrator::GeneralizedAlpha(alpha), 1e-5),
        (Integrator::GeneralizedAlpha(stabilized), 1e-5),
    ]);
    for (integrator, tolerance) in integrators {
        let name = integrator.method_name().clone();
        let motion = run(&model, &[0.0, a * turn, turn], &options(1.0, 0.25, integrator));
        for k in 0..motion.len() {
            let (t, q, v) = (motion.times[k], motion.q_at(k), &motion.point(k).v);
            let ahead = v[0] * q[2].cos() + v[1] * q[2].sin();
            let (ahead_exact, turn_exact) = (fast * (rate * t).tanh(), turn / (rate * t).cosh());
            assert!((ahead - ahead_exact).abs() < tolerance, "{name} at {t}: {ahead} {ahead_exact}");
            assert!((v[2] - turn_exact).abs() < tolerance, "{name} at {t}: {} {turn_exact}", v[2]);
        }
    }
}

/// A disc that leans and turns keeps its energy and its constraints; all methods find one motion.
#[test]
fn a_wobbling_disc_keeps_its_energy_and_does_not_slip() {
    let model = model(files::ROLLING_DISC);
    // Leaning by 0.2 with the heading along x: the centre has v = w x (c - p), p - c = -r (up in the disc).
    let (r, lean, w) = (0.2, 0.2_f64, [0.3, 6.0, 0.8]);
    let (s, c) = lean.sin_cos();
    let q = [0.0, 0.0, r * c, (0.5 * lean).cos(), (0.5 * lean).sin(), 0.0, 0.0];
    // In body axes v = w x (0, 0, r).
    let body = [w[1] * r, -w[0] * r, 0.0];
    let v = [body[0], c * body[1], s * body[1], w[0], w[1], w[2]];
    let mut exact: Option<Vec<f64>> = None;
    for method in [partitioning(), direct(), ConstraintMethod::Baumgarte(Baumgarte::default()), iterated()] {
        let name = method.to_string();
        let options = options(2.0, 0.5, explicit(method, TIGHT));
        let motion = mb_constraints::simulate::simulate(&model, 0.0, &q, &v, &options, &mut |_| {
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        super::no_departure(&motion, &name);
        assert!(motion.energy_drift() < 1e-8, "{name}: {:e} J", motion.energy_drift());
        for record in &motion.records {
            assert!(record.violation < 1e-16 && record.velocity_violation < 1e-14, "{name}: {record:?}");
        }
        let last = motion.q_at(motion.len() - 1).to_vec();
        let reference = exact.get_or_insert_with(|| last.clone());
        assert!(super::distance(&last, reference) < 1e-6, "{name}: {last:?} {reference:?}");
    }
}

/// A solid ball on a slope: its acceleration down the slope is 5/7 g sin, whatever it turns about, and friction is 2/7 m g sin.
#[test]
fn a_ball_rolls_down_a_slope_with_five_sevenths_of_the_weight() {
    let slope = 0.3_f64;
    let (s, c) = slope.sin_cos();
    let text = format!(
        r#"
        units = "SI"
        name = "ball"
        gravity = [0, 0, -9.81]
        spatial-body = [{{ name = "ball", mass = 2, inertia = [0.008, 0.008, 0.008], at = [{x}, 0, {z}] }}]
        rolling = [{{ name = "contact", wheel = "ball", radius = 0.1, normal = [{s}, 0, {c}] }}]
    "#,
        x = 0.1 * s,
        z = 0.1 * c
    );
    let model = model(&text);
    let motion = run(&model, &[0.0; 6], &options(1.0, 0.5, explicit(direct(), TIGHT)));
    let last = motion.point(motion.len() - 1);
    let down = last.v[0] * c - last.v[2] * s;
    assert!((down - 5.0 / 7.0 * 9.81 * s).abs() < 1e-9, "{down}");
    // The normal force and the friction are minus the multipliers.
    assert!((last.lambda[0] + 2.0 * 9.81 * c).abs() < 1e-8, "{:?}", last.lambda);
    let friction = f64::hypot(last.lambda[1], last.lambda[2]);
    assert!((friction - 2.0 / 7.0 * 2.0 * 9.81 * s).abs() < 1e-8, "{:?}", last.lambda);
}
