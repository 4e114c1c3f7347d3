//! Constant coefficients: the exponents are the eigenvalues of the linearized model.

use crate::support::{model, start};
use mb_eigen::{DenseOptions, dense};
use mb_linear::{Equilibrium, EquilibriumOptions, OperatingPoint, linearize};
use mb_periodic::{OrbitOptions, Period, find_orbit, floquet};

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
