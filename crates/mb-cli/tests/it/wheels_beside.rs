//! Free parts beside large stiff ones under weight, where the geometry alone does not show what is free: the entries of K do.

use crate::support::mb_with;
use std::fmt::Write as _;

/// A beam of 200 m and 1.5e9 N, in so many elements, with damping by the mass; wheels on axles in their centres, one of them on its tip.
fn model(elements: usize) -> String {
    let mut text = format!(
        r#"
units = "SI"
name = "wheels beside a beam"
gravity = [0, 0, -9.81]
[[beam]]
name = "beam"
from = [0, 0, 0]
to = [200, 0, 0]
elements = {elements}
element = "linear"
axial_strain = "green-lagrange"
density = 7860.0
youngs_modulus = 2.06e11
poissons_ratio = 0.3
damping = {{ alpha = 0.5, beta = 0 }}
section = {{ area = 100.0, second_moments = [833.3, 833.3], torsion = 1666.0, shear_factors = [1.0, 1.0] }}
[[joint]]
name = "clamp"
type = "fixed"
a = "beam.start"
b = "ground"
"#
    );
    for (name, at, other) in
        [("a", "[1, 5, 0]", "ground"), ("b", "[2, 5, 0]", "ground"), ("tip", "[200, 0, 0]", "beam.end")]
    {
        let _ = write!(
            text,
            r#"
[[spatial-body]]
name = "{name}"
mass = 2
inertia = [0.1, 0.2, 0.1]
at = {at}
[[joint]]
name = "axle-{name}"
type = "revolute"
a = "{name}"
b = "{other}"
axis = [0, 1, 0]
"#
        );
    }
    text
}

#[test]
fn wheels_are_free_however_fine_the_beam_is() {
    for elements in [60, 150, 200] {
        let text = model(elements);
        let run = mb_with(&["modes", "-", "--lowest", "8"], &text);
        let found = run.out;
        assert!(found.contains("neutral in 3 directions"), "{elements}: {found}");
        assert_eq!(found.lines().filter(|line| line.contains("rigid  ")).count(), 6, "{elements}: {found}");
        assert!(!found.contains("not determined"), "{elements}: {found}");
        // The lowest bending of the beam, k^2 sqrt(E I / (rho A L^4)) with cos k cosh k = -1, a thousandth less by shear.
        let lowest = found.lines().find(|line| line.trim_start().starts_with("7 ")).unwrap();
        let hz: f64 = lowest.split_whitespace().nth(4).unwrap().parse().unwrap();
        let bending = 1.875_f64.powi(2) * (2.06e11 * 833.3 / (7860.0 * 100.0 * 200.0_f64.powi(4))).sqrt();
        let ratio = hz * std::f64::consts::TAU / bending;
        assert!(ratio < 1.0 && ratio > 0.998, "{elements}: {lowest}");
    }
    let run = mb_with(&["equilibrium", "-"], &model(150));
    assert!(run.code == 0 && run.out.contains("neutral in 3 directions"), "{run:?}");
}

/// Bodies in a row that float on damped hinges without stiffness: six free motions and one more for each hinge, at once.
#[test]
fn a_floating_chain_of_damped_hinges_has_its_zeros() {
    let text = r#"
units = "SI"
name = "floating chain"
[[repeat]]
index = "i"
from = 1
to = 90
[[repeat.spatial-body]]
name = "s{i}"
mass = "1 + i/100"
inertia = [0.01, 0.012, 0.002]
at = [0, 0, "-i"]
markers = { top = [0, 0, 0.5], bottom = [0, 0, -0.5] }
[[repeat]]
index = "i"
from = 2
to = 90
[[repeat.joint]]
name = "j{i}"
type = "revolute"
a = "s{i}.top"
b = "s{i-1}.bottom"
axis = [1, 0, 0]
[[repeat.torsion-spring]]
name = "t{i}"
joint = "j{i}"
stiffness = 0
damping = 0.3
"#;
    let run = mb_with(&["modes", "-", "--lowest", "10"], text);
    assert!(run.code == 0 && run.out.contains("The eigenvalue at 0 Hz has at least 95 modes"), "{run:?}");
    assert_eq!(run.out.lines().filter(|line| line.contains("rigid  ")).count(), 10, "{run:?}");
}
