//! Constant coefficients: the exponents are the eigenvalues of the linearized model.

use crate::support::{model, start};
use mb_eigen::{DenseOptions, dense};
use mb_linear::{Equilibrium, EquilibriumOptions, OperatingPoint, linearize};
use mb_periodic::{OrbitOptions, Period, find_orbit, floquet};
use std::f64::consts::TAU;

/// Two damped links that hang: four eigenvalues, two pairs.
const HANGING: &str = r#"
units = "SI"
name = "double pendulum"
gravity = [0, -9.81]
[[body]]
name = "a"
mass = 2.0
inertia = 0.3
center_of_mass = [0, -0.5]
at = [0, 0]
angle = 0
markers.end = [0, -1]
[[body]]
name = "b"
mass = 1.0
inertia = 0.1
center_of_mass = [0, -0.4]
at = [0, -1]
angle = 0
[[joint]]
name = "pin"
type = "revolute"
a = "a"
b = [0, 0]
[[joint]]
name = "knee"
type = "revolute"
a = "b"
b = "a.end"
[[torsion-spring]]
name = "rubber"
a = "b"
b = "a"
stiffness = 3.0
damping = 0.7
"#;

#[test]
fn exponents_are_the_eigenvalues_of_the_linearized_model() {
    let model = model(HANGING, &[]);
    let rest = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).unwrap();
    let lin = linearize(&model, &OperatingPoint::from(&rest));
    let spectrum = dense::solve(&lin.pencil(), &DenseOptions::default()).unwrap();
    let values = spectrum.motion_values();
    assert_eq!(values.len(), 4);
    // A model that does not depend on time has every time as a period.
    let period = 0.4;
    let orbit = find_orbit(&model, &start(&model), Period::Given(period), &OrbitOptions::default()).unwrap();
    let found = floquet(&orbit).unwrap();
    assert_eq!(found.multipliers.len(), 4);
    for m in &found.multipliers {
        let nearest =
            values.iter().map(|s| ((s * period).exp() - m.value).norm()).fold(f64::INFINITY, f64::min);
        assert!(nearest <= m.error && m.error < 1e-10, "{m:?}: {nearest:e}");
        let s = m.exponent.unwrap();
        let nearest = values.iter().map(|v| (v - s).norm()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-10, "{s} {nearest:e}");
    }
}

/// A mass on two pairs of springs on a turntable that a motor turns: in the table's frame the motion is steady.
const TURNTABLE: &str = r#"
units = "SI"
name = "turntable"
gravity = [0, 0]
parameters = { W = 20 }
body = [{ name = "table", mass = 1, inertia = 1000, at = [0, 0], angle = 0, angular_velocity = "W", markers = { e = [1, 0], w = [-1, 0], n = [0, 1], s = [0, -1] } }]
joint = [{ name = "axle", type = "revolute", a = "table", b = [0, 0] }]
point = [{ name = "m", at = [0, 0], mass = 1 }]
spring = [
    { name = "east", a = "table.e", b = "m", stiffness = 1000, natural_length = 1, damping = 3 },
    { name = "west", a = "table.w", b = "m", stiffness = 1000, natural_length = 1 },
    { name = "north", a = "table.n", b = "m", stiffness = 100, natural_length = 1 },
    { name = "south", a = "table.s", b = "m", stiffness = 100, natural_length = 1 },
]
drive = [{ name = "motor", quantity = "angle", of = "table", law = "W*t" }]
"#;

/// Seen from the ground the coefficients turn, and Floquet's exponents are the eigenvalues of the steady motion in its frame.
#[test]
fn exponents_of_a_steady_motion_are_its_eigenvalues() {
    for w in [10.0, 20.0, 50.0] {
        let model = model(TURNTABLE, &[("W", w)]);
        let begin = start(&model);
        let (q, v) = (begin.q.clone(), begin.v.clone());
        let at = OperatingPoint::of_motion(&model, q, v, 0.0, Vec::new(), 1e-9).unwrap();
        assert!(at.steady().is_some());
        let spectrum = dense::solve(&linearize(&model, &at).pencil(), &DenseOptions::default()).unwrap();
        let values = spectrum.motion_values();
        assert_eq!(values.len(), 4);
        let period = TAU / w;
        let orbit = find_orbit(&model, &begin, Period::Given(period), &OrbitOptions::default()).unwrap();
        let found = floquet(&orbit).unwrap();
        assert_eq!(found.multipliers.len(), 4);
        for m in &found.multipliers {
            let off = |s: &mb_algebra::c64| ((s * period).exp() - m.value).norm();
            let nearest = values.iter().map(off).fold(f64::INFINITY, f64::min);
            assert!(nearest <= 1e-10 * m.value.norm().max(1.0), "W = {w}: {} by {nearest:e}", m.value);
        }
    }
}
