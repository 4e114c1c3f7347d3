//! A pendulum of finite amplitude: its period is a complete elliptic integral, both multipliers are one.

use crate::support::model;
use mb_periodic::{Class, OrbitOptions, Period, PeriodicError, State, find_orbit, floquet, guess_period};
use std::f64::consts::{PI, TAU};

const PENDULUM: &str = r#"
units = "SI"
name = "pendulum"
gravity = [0, -9.81]
[parameters]
angle = 1.0
[[body]]
name = "rod"
mass = 2.0
inertia = 0.5
center_of_mass = [0, -0.8]
at = [0, 0]
angle = "angle"
[[joint]]
name = "pin"
type = "revolute"
a = "rod"
b = [0, 0]
"#;

/// 4 K(sin(angle / 2)) / w0 by the arithmetic-geometric mean.
fn period(angle: f64) -> f64 {
    let w0 = (2.0 * 9.81 * 0.8 / (0.5 + 2.0 * 0.8_f64.powi(2))).sqrt();
    let (mut a, mut b) = (1.0_f64, (0.5 * angle).cos());
    for _ in 0..30 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    TAU / (w0 * a)
}

#[test]
fn the_period_is_a_complete_elliptic_integral() {
    for angle in [0.5, 2.0, 3.0] {
        let model = model(PENDULUM, &[("angle", angle)]);
        let exact = period(angle);
        let start = State { t: 0.0, q: model.initial().to_vec(), v: vec![0.0; 3] };
        // The angle at the start is held: the member of the family is chosen by it.
        let options = OrbitOptions { hold: vec![2], ..OrbitOptions::default() };
        let orbit = find_orbit(&model, &start, Period::About(1.02 * exact), &options).unwrap();
        assert!(orbit.autonomous);
        let off = (orbit.period - exact).abs() / exact;
        assert!(off < 1e-11, "{angle}: {} for {exact}, {off:e} off, {} steps", orbit.period, orbit.steps);
        assert!(orbit.violation.iter().all(|x| *x < 1e-12), "{:?}", orbit.violation);
        let found = floquet(&orbit).unwrap();
        assert_eq!(found.multipliers.len(), 2);
        for m in &found.multipliers {
            assert!((m.value - 1.0).norm() <= m.error && m.error < 1e-9, "{angle}: {m:?}");
        }
        assert_eq!(found.multipliers.iter().filter(|m| m.class == Class::Trivial).count(), 1);
        assert_eq!(found.multipliers.iter().filter(|m| m.class == Class::Neutral).count(), 1);
    }
}

/// A rod of a length, whose numbers grow with it.
const ROD: &str = r#"
units = "SI"
name = "rod"
gravity = [0, -9.81]
[parameters]
L = 1.5
angle = 1.0
[[body]]
name = "rod"
mass = 2.0
inertia = "2*L^2/12"
at = ["L/2*sin(angle)", "-L/2*cos(angle)"]
angle = "angle"
markers = { top = [0, "L/2"] }
[[joint]]
name = "pin"
type = "revolute"
a = "rod.top"
b = "ground"
"#;

/// Period of the rod, which swings as a point on two thirds of its length does.
fn period_of_rod(length: f64, angle: f64) -> f64 {
    let (mut a, mut b) = (1.0_f64, (0.5 * angle).cos());
    for _ in 0..30 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    TAU / ((1.5 * 9.81 / length).sqrt() * a)
}

/// Start of the rod at rest, and the options that hold its angle.
fn rod(length: f64, angle: f64) -> (mb_model::Model, State, OrbitOptions) {
    let model = model(ROD, &[("L", length), ("angle", angle)]);
    let start = State { t: 0.0, q: model.initial().to_vec(), v: vec![0.0; 3] };
    (model, start, OrbitOptions { hold: vec![2], ..OrbitOptions::default() })
}

/// From small amplitudes to nearly upright the first guess is the period and not a part or a multiple of it: the other end of a wide swing is
/// near to its start, and small amplitudes are slow against the period.
#[test]
fn the_first_guess_is_the_period_at_all_amplitudes() {
    for degrees in [0.001_f64, 0.1, 1.0, 30.0, 135.0, 150.0, 170.0, 178.0] {
        let (model, start, _) = rod(1.5, degrees.to_radians());
        let exact = period_of_rod(1.5, degrees.to_radians());
        let guess = guess_period(&model, &start, &[], &mb_algebra::Watch::default()).unwrap();
        assert!((guess - exact).abs() < 5e-3 * exact, "{degrees} degrees: {guess} for {exact}");
    }
}

/// A guess near to twice or three times the period leads to the period.
#[test]
fn the_least_period_is_found_from_its_multiples() {
    for (angle, times) in [(0.002, 2_u8), (0.5, 3), (2.0, 2)] {
        let (model, start, options) = rod(1.5, angle);
        let exact = period_of_rod(1.5, angle);
        let about = Period::About((1.0 + 1e-4) * f64::from(times) * exact);
        let orbit = find_orbit(&model, &start, about, &options).unwrap();
        assert!((orbit.period - exact).abs() < 1e-9 * exact, "{} for {exact}", orbit.period);
        assert_eq!(orbit.returns, usize::from(times));
        // A period that is asked for stays.
        let given = find_orbit(&model, &start, Period::Given(f64::from(times) * exact), &options).unwrap();
        assert_eq!(given.returns, usize::from(times));
        assert!(given.period > 1.9 * exact);
    }
}

/// A small amplitude that nothing holds: the family hardly changes its period, and what is left of the integration's error is no gap to close.
#[test]
fn small_amplitudes_need_nothing_held() {
    for angle in [2e-4, 2e-3, 2e-2] {
        let (model, start, _) = rod(1.5, angle);
        let exact = period_of_rod(1.5, angle);
        let about = Period::About((1.0 + 2e-5) * exact);
        let orbit = find_orbit(&model, &start, about, &OrbitOptions::default()).unwrap();
        assert!((orbit.period - exact).abs() < 1e-6 * exact, "{angle}: {} for {exact}", orbit.period);
    }
}

/// The partner of the trivial multiplier is one, since energy is kept: it does not grow, whatever the length.
#[test]
fn the_partner_of_the_trivial_multiplier_never_grows() {
    for k in (0..24).step_by(2) {
        let (length, angle) = (0.3 * 1.2_f64.powi(k), 0.4 + 0.11 * f64::from(k));
        let (model, start, options) = rod(length, angle);
        let about = Period::About(1.01 * period_of_rod(length, angle));
        let found = floquet(&find_orbit(&model, &start, about, &options).unwrap()).unwrap();
        for m in &found.multipliers {
            assert!((m.value - 1.0).norm() <= m.error && m.error < 1e-8, "L = {length}: {m:?}");
            assert!(matches!(m.class, Class::Trivial | Class::Neutral), "L = {length}: {m:?}");
        }
    }
}

/// A pendulum that goes round and round: the angle is periodic but for a whole turn.
#[test]
fn whole_turns_are_periodic() {
    let model = model(PENDULUM, &[("angle", 0.0)]);
    let (inertia, moment) = (0.5 + 2.0 * 0.8 * 0.8, 2.0 * 9.81 * 0.8);
    let speed = 9.0_f64;
    // Its energy gives the speed everywhere; the trapezoidal rule converges geometrically for the periodic 1 / speed.
    let n = 400;
    let at = |k: i32| {
        (speed * speed - 2.0 * moment / inertia * (1.0 - (TAU * f64::from(k) / f64::from(n)).cos())).sqrt()
    };
    let exact: f64 = (0..n).map(|k| TAU / f64::from(n) / at(k)).sum();
    let start = State { t: 0.0, q: vec![0.0, 0.0, 0.0], v: vec![0.0, 0.0, speed] };
    // The angle at the start gives the phase, its speed the member of the family: the nearest one.
    let orbit = find_orbit(&model, &start, Period::About(exact), &OrbitOptions::default()).unwrap();
    assert_eq!(orbit.turns, [0, 0, 1]);
    let off = (orbit.period - exact).abs() / exact;
    assert!(off < 1e-10, "{off:e}");
}

#[test]
fn a_time_that_is_no_period_is_refused_with_the_drive_named() {
    let driven =
        format!("{PENDULUM}\n[[torque]]\nname = \"motor\"\non = \"rod\"\nmagnitude = \"sin(2*t)\"\n");
    let model = model(&driven, &[("angle", 0.0)]);
    let start = State { t: 0.0, q: vec![0.0; 3], v: vec![0.0; 3] };
    let error = find_orbit(&model, &start, Period::Given(3.0), &OrbitOptions::default()).unwrap_err();
    assert!(matches!(&error, PeriodicError::NotAPeriod { owner, .. } if owner.contains("motor")), "{error}");
    let orbit = find_orbit(&model, &start, Period::Given(PI), &OrbitOptions::default()).unwrap();
    assert!(!orbit.autonomous && orbit.defect < 1e-12);
}

/// Without anything held the nearest member of the family is found from a guess.
#[test]
fn a_member_of_the_family_is_found_without_holding_it() {
    let model = model(PENDULUM, &[("angle", 0.5 * PI)]);
    let start = State { t: 0.0, q: model.initial().to_vec(), v: vec![0.0; 3] };
    let guess = guess_period(&model, &start, &[], &mb_algebra::Watch::default()).unwrap();
    assert!((guess / period(0.5 * PI) - 1.0).abs() < 0.05, "{guess}");
    let orbit = find_orbit(&model, &start, Period::About(guess), &OrbitOptions::default()).unwrap();
    let off = (orbit.period / period(orbit.states[0].q[2]) - 1.0).abs();
    assert!(off < 1e-11 && orbit.iterations <= 12, "{off:e}, {} iterations", orbit.iterations);
}

/// A point on a massless rod, let go level: its coordinates are no angle, and the family is parted from them by little.
#[test]
fn a_point_on_a_rod_let_go_level() {
    let text = "units = \"SI\"\nname = \"point\"\ngravity = [0, -9.81]\n[[point]]\nname = \"O\"\nat = [0, 0]\nfixed = true\n\
                [[point]]\nname = \"P\"\nat = [-1, 0]\nmass = 1\n[[joint]]\nname = \"rod\"\ntype = \"distance\"\na = \"O\"\n\
                b = \"P\"\nlength = 1\n";
    let model = model(text, &[]);
    let start = State { t: 0.0, q: model.initial().to_vec(), v: vec![0.0; model.nv()] };
    let guess = guess_period(&model, &start, &[], &mb_algebra::Watch::default()).unwrap();
    let orbit = find_orbit(&model, &start, Period::About(guess), &OrbitOptions::default()).unwrap();
    let energy = |s: &State| 0.5 * s.v.iter().map(|v| v * v).sum::<f64>() + 9.81 * s.q[model.nq() - 1];
    // The amplitude follows from the energy: g (1 - cos A) = e + g.
    let amplitude = (-energy(&orbit.states[0]) / 9.81).acos();
    let (mut a, mut b) = (1.0_f64, (0.5 * amplitude).cos());
    for _ in 0..30 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let exact = TAU / (9.81_f64.sqrt() * a);
    assert!((orbit.period / exact - 1.0).abs() < 1e-11 && orbit.iterations <= 16, "{} {exact}", orbit.period);
}
