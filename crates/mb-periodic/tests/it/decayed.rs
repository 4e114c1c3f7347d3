//! Multipliers hundreds of decades below the others.

use super::support::{model, start};
use mb_algebra::c64;
use mb_periodic::{Class, OrbitOptions, Period, find_orbit, floquet};
use std::f64::consts::TAU;

/// A pendulum that hangs on a pivot which goes up and down, with a strong damper in its joint.
const SHAKEN: &str = "units = \"SI\"\nname = \"shaken\"\ngravity = [0, \"-g\"]\n\
    body = [\n\
    { name = \"pivot\", mass = 1, inertia = 1, at = [0, \"Y\"], angle = 0 },\n\
    { name = \"pendulum\", mass = \"m\", inertia = \"J\", center_of_mass = [0, \"-l\"], at = [0, \"Y\"], angle = 0 },\n]\n\
    joint = [\n\
    { name = \"rail\", type = \"prismatic\", a = \"pivot\", b = [0, 0], axis = [0, 1] },\n\
    { name = \"pin\", type = \"revolute\", a = \"pendulum\", b = \"pivot\" },\n]\n\
    drive = [{ name = \"shake\", quantity = \"y\", of = \"pivot\", law = \"Y*cos(W*t)\" }]\n\
    torsion-spring = [{ name = \"oil\", a = \"pendulum\", b = \"pivot\", stiffness = \"k\", damping = \"c\" }]\n\
    [parameters]\ng = 9.81\nY = 0.05\nW = 40\nm = 1.0\nJ = 0.1\nl = 0.5\nk = 5.0\nc = 100\n";

/// By Liouville's formula the multipliers of I p'' + c p' + k(t) p = 0 have the product exp(-c T / I), I = J + m l^2: for the largest c
/// below it is e^-448, and rounding of the matrix is e^-36. The larger one hardly decays: by k / c to first order.
#[test]
fn the_product_of_multipliers_is_that_of_liouville() {
    for (c, k) in [(30.0, 5.0), (300.0, 5.0), (1000.0, 50.0)] {
        let m = model(SHAKEN, &[("c", c), ("k", k)]);
        let period = TAU / 40.0;
        let options = OrbitOptions { decayed: true, ..OrbitOptions::default() };
        let found = floquet(&find_orbit(&m, &start(&m), Period::Given(period), &options).unwrap()).unwrap();
        let exponents: Vec<f64> = found.multipliers.iter().map(|m| m.exponent.unwrap().re).collect();
        let expected = -c / (0.1 + 0.25);
        let sum: f64 = exponents.iter().sum();
        assert!((sum - expected).abs() < 1e-8 * expected.abs(), "c = {c}: {exponents:?} {expected}");
        assert_eq!(found.multipliers[1].class, Class::Decaying);
        let share = found.multipliers[1].error / found.multipliers[1].value.norm();
        assert!(share < 1e-7, "c = {c}: {:?}", found.multipliers);
    }
}

/// Without being asked for they stay what rounding leaves, without an exponent.
#[test]
fn they_are_resolved_where_they_are_asked_for() {
    let m = model(SHAKEN, &[("c", 300.0)]);
    let options = OrbitOptions::default();
    let found = find_orbit(&m, &start(&m), Period::Given(TAU / 40.0), &options).unwrap();
    assert!(found.decayed.is_empty());
    assert_eq!(floquet(&found).unwrap().multipliers[1].exponent, None);
}

/// A shaken pendulum without damping whose lower position grows as the period-doubled motion does: the product of its multipliers is +1 by
/// Liouville's formula, so that a negative one has a negative partner, six decades below.
#[test]
fn partners_of_negative_multipliers_are_negative() {
    let m = model(SHAKEN, &[("c", 0.0), ("k", 0.0), ("Y", 7.0), ("W", 4.0)]);
    let options = OrbitOptions { decayed: true, ..OrbitOptions::default() };
    let found = floquet(&find_orbit(&m, &start(&m), Period::Given(TAU / 4.0), &options).unwrap()).unwrap();
    let [large, small] = &found.multipliers[..] else { panic!("{:?}", found.multipliers) };
    assert!(large.value.re < -400.0, "{large:?}");
    let product = large.value * small.value;
    assert!((product - 1.0).norm() < 1e-9, "{product}");
    assert!(small.error < 1e-9 * small.value.norm(), "{small:?}");
}

/// A pendulum that hangs, I p'' + c p' + k p = 0 with k = m g l: over a period T the pair exp(-c T / 2 I) exp(+-i w T) keeps its argument
/// however small it becomes.
#[test]
fn pairs_keep_their_argument_in_decay() {
    let (inertia, c, stiffness) = (0.1 + 0.25, 1.0, 9.81 * 0.5);
    let decay = c / (2.0 * inertia);
    let frequency = f64::sqrt(stiffness / inertia - decay * decay);
    let m = model(SHAKEN, &[("c", c), ("k", 0.0), ("Y", 0.0)]);
    let options = OrbitOptions { decayed: true, ..OrbitOptions::default() };
    for period in [5.0, 8.0, 9.3, 30.0] {
        let found = floquet(&find_orbit(&m, &start(&m), Period::Given(period), &options).unwrap()).unwrap();
        for (multiplier, side) in found.multipliers.iter().zip([1.0, -1.0]) {
            let angle = (frequency * period).sin().signum() * side * frequency * period;
            let expected = c64::from_polar((-decay * period).exp(), angle);
            let off = (multiplier.value - expected).norm();
            assert!(off < 1e-8 * expected.norm(), "T = {period}: {multiplier:?} {expected}");
            assert!(
                off <= multiplier.error.max(1e-12 * expected.norm()),
                "T = {period}: {off:.1e} {multiplier:?}"
            );
        }
    }
}
