//! A rod on a pin, whose motion is known.

use super::{TIGHT, direct, distance, explicit, options, run};
use mb_constraints::ConstraintMethod;
use mb_constraints::method::{Baumgarte, Penalty};
use mb_constraints::simulate::{Crossing, End, Event, GeneralizedAlpha, Integrator, StepControl, Trajectory};
use mb_gallery::models::RodPendulum;
use mb_model::Model;
use mb_model::spec::{OutputQuantity, OutputSpec};
use std::f64::consts::{FRAC_PI_2, PI};

const LENGTH: f64 = 1.5;
const GRAVITY: f64 = 9.81;

/// The rod at `angle` from hanging, with the sway of its end as the sensor.
fn pendulum(angle: f64) -> Model {
    let mut spec = RodPendulum { length: LENGTH, mass: 2.0, gravity: GRAVITY, upright: false }.spec();
    let (s, c) = angle.sin_cos();
    spec.points[1].at = Some([(LENGTH * s).into(), (-LENGTH * c).into()]);
    spec.outputs.push(OutputSpec::new("sway", OutputQuantity::X, "P"));
    spec.build().expect("a rod on a pin")
}

/// Period at an amplitude: 2 pi / omega over the arithmetic-geometric mean of 1 and cos(A / 2).
fn period(amplitude: f64) -> f64 {
    let (mut a, mut b) = (1.0, (0.5 * amplitude).cos());
    while (a - b).abs() > 1e-15 {
        (a, b) = (f64::midpoint(a, b), (a * b).sqrt());
    }
    2.0 * PI / (1.5 * GRAVITY / LENGTH).sqrt() / a
}

fn swings(method: ConstraintMethod, control: StepControl, amplitude: f64, periods: f64) -> Trajectory {
    let model = pendulum(amplitude);
    let until = periods * period(amplitude);
    run(&model, &[0.0; 2], &options(until, until / 50.0, explicit(method, control)))
}

/// After a whole period every method is back where it began, at tight tolerances.
#[test]
fn a_period_is_the_elliptic_integral() {
    for method in ConstraintMethod::all() {
        let motion = swings(method.clone(), TIGHT, 2.0, 1.0);
        let back = distance(motion.q_at(motion.len() - 1), motion.q_at(0));
        let allowed = match method {
            ConstraintMethod::Penalty(_) => 1e-4,
            ConstraintMethod::AugmentedLagrangian(_) => 1e-6,
            _ => 2e-9,
        };
        assert!(back < allowed, "{method}: {back:e}");
    }
}

/// The standard method's violation grows, Baumgarte's stays where it is, corrections leave rounding.
#[test]
fn violation_grows_or_stays() {
    let by = |method| {
        let motion = swings(method, StepControl::default(), 2.0, 20.0);
        let at = |i: usize| motion.records[i].violation;
        (at(25), at(50), motion.violation().0)
    };
    let (half, full, _) = by(ConstraintMethod::Standard);
    assert!(full > 3.0 * half && full > 1e-12);
    let (_, _, stabilised) = by(ConstraintMethod::Baumgarte(Baumgarte::default()));
    assert!(stabilised < 0.01 * full);
    for method in &ConstraintMethod::all()[4..] {
        assert!(by(method.clone()).2 < 1e-25, "{method}");
    }
}

/// The energy's departure with projection grows linearly, well below steps times tolerance.
#[test]
fn energy_drift_with_projection_is_linear() {
    let direct = direct();
    let motion = swings(direct, StepControl::default(), 1.0, 200.0);
    // m g L / 2 (1 - cos 1), the fall of the mass centre.
    let scale = 2.0 * GRAVITY * LENGTH / 2.0 * (1.0 - 1.0_f64.cos());
    let (half, full) = (motion.records[25].drift, motion.records[50].drift);
    assert!((full / half - 2.0).abs() < 0.1, "{half:e} {full:e}");
    let bound = motion.statistics.steps as f64 * StepControl::default().relative;
    assert!(full.abs() / scale < bound, "{:e} {bound:e}", full / scale);
}

/// The penalty method's energy error falls as 1 / alpha. [flores2018, Sec. 2]
#[test]
fn penalty_error_falls_with_its_factor() {
    let drift = |alpha: f64| {
        let method = ConstraintMethod::Penalty(Penalty { alpha, ..Default::default() });
        swings(method, TIGHT, 2.0, 2.0).energy_drift()
    };
    let (coarse, fine) = (drift(1e4), drift(1e5));
    assert!((coarse / fine / 10.0 - 1.0).abs() < 0.1, "{coarse:e} {fine:e}");
}

/// The penalty violation is lambda / alpha seen through 1 / (s^2 + 2 mu omega s + omega^2).
#[test]
fn penalty_violation_is_a_filtered_multiplier() {
    let penalty = Penalty { alpha: 1e5, omega: 10.0, mu: 0.7 };
    let model = pendulum(1.0);
    let h = 1e-3;
    let motion =
        run(&model, &[0.0; 2], &options(2.0, h, explicit(ConstraintMethod::Penalty(penalty), TIGHT)));
    // The filter, exactly for a multiplier that is linear between reports: two steps of a fine
    // Runge-Kutta scheme of fourth order in each.
    let (mut x, mut y) = (0.0, 0.0);
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    let rate = |x: f64, y: f64, l: f64| {
        (y, l / penalty.alpha - 2.0 * penalty.mu * penalty.omega * y - penalty.omega * penalty.omega * x)
    };
    for i in 1..motion.len() {
        let (l0, l1) = (motion.lambda[i - 1], motion.lambda[i]);
        let middle = f64::midpoint(l0, l1);
        let k1 = rate(x, y, l0);
        let k2 = rate(x + 0.5 * h * k1.0, y + 0.5 * h * k1.1, middle);
        let k3 = rate(x + 0.5 * h * k2.0, y + 0.5 * h * k2.1, middle);
        let k4 = rate(x + h * k3.0, y + h * k3.1, l1);
        x += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
        y += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
        let violation = model.phi(motion.q_at(i), 0.0)[0];
        worst = worst.max((violation - x).abs());
        largest = largest.max(x.abs());
    }
    assert!(worst < 1e-4 * largest, "{worst:e} of {largest:e}");
}

/// The end passes below the pin after a quarter of a period, and the run stops there.
#[test]
fn an_event_stops_the_run_at_its_time() {
    let model = pendulum(FRAC_PI_2);
    let implicit = GeneralizedAlpha { step: 1e-3, spectral_radius: 1.0, ..Default::default() };
    let direct = direct();
    for (integrator, allowed) in
        [(explicit(direct, TIGHT), 1e-9), (Integrator::GeneralizedAlpha(implicit), 2e-5)]
    {
        let mut options = options(10.0, 0.05, integrator);
        options.events =
            vec![Event { name: "below".into(), sensor: 0, level: 0.0, crossing: Crossing::Falling }];
        let motion = run(&model, &[0.0; 2], &options);
        assert_eq!(motion.end, End::Event("below".into()));
        let t = *motion.times.last().unwrap();
        assert!((t - 0.25 * period(FRAC_PI_2)).abs() < allowed, "{t}");
        // The reports before it are all there.
        assert!((motion.times[motion.len() - 2] / 0.05).round() * 0.05 + 0.05 > t);
    }
}

/// Small swings have the eigenvalue's frequency.
#[test]
fn small_swings_have_the_frequency_of_the_linear_model() {
    let pendulum_of = RodPendulum { length: LENGTH, mass: 2.0, gravity: GRAVITY, upright: false };
    let omega = pendulum_of.eigenvalues()[0].im;
    let model = pendulum(1e-4);
    let mut options = options(4.0, 0.01, explicit(ConstraintMethod::Standard, TIGHT));
    options.events = vec![Event { name: "back".into(), sensor: 0, level: 0.0, crossing: Crossing::Rising }];
    let motion = run(&model, &[0.0; 2], &options);
    let t = *motion.times.last().unwrap();
    assert!((1.5 * PI / t / omega - 1.0).abs() < 1e-8);
}
