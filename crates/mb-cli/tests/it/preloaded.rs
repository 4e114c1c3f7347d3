//! Mechanisms whose joints carry forces at rest: lengths of any size, and penalties that give way under the forces.

use crate::support::mb_with;
use serde_json::Value;

/// A plate on two parallel rods of length `l`, `g` in the same unit of length; the start leans by 3 : 4.
fn swing(l: f64, g: f64) -> String {
    let (x, y, half) = (0.6 * l, -0.8 * l, 0.3 * l);
    format!(
        "units = 'SI'\nname = 'swing'\ngravity = [0, -{g}]\n\
         [[body]]\nname = 'plate'\nmass = 2\ninertia = {}\nat = [{x}, {y}]\nmarkers = {{ p = [-{half}, 0], q = [{half}, 0] }}\n\
         [[joint]]\nname = 'left'\ntype = 'distance'\na = 'plate.p'\nb = [-{half}, 0]\n\
         [[joint]]\nname = 'right'\ntype = 'distance'\na = 'plate.q'\nb = [{half}, 0]\n",
        0.1 * l * l
    )
}

/// A slider-crank that hangs from a stretched spring.
const SLIDER_CRANK: &str = "
units = 'SI'
name = 'slider-crank'
gravity = [0, -9.81]
[[body]]
name = 'crank'
mass = 0.07
inertia = 9e-4
at = [0, 0]
center_of_mass = [0.15, 0.026]
angle = -2
markers.e = [0.387, 0]
[[body]]
name = 'rod'
mass = 0.106
inertia = 4.4e-3
at = ['0.387*cos(2)', '-0.387*sin(2)']
center_of_mass = [0.216, -0.05]
angle = 0.58
markers.e = [0.592, 0]
[[body]]
name = 'slider'
mass = 0.606
inertia = 0.041
at = ['0.387*cos(2) + 0.592*cos(0.58)', '-0.387*sin(2) + 0.592*sin(0.58)']
angle = 0
[[joint]]
name = 'A'
type = 'revolute'
a = 'crank'
b = 'ground'
[[joint]]
name = 'B'
type = 'revolute'
a = 'rod'
b = 'crank.e'
[[joint]]
name = 'C'
type = 'revolute'
a = 'rod.e'
b = 'slider'
[[joint]]
name = 'D'
type = 'prismatic'
a = 'slider'
b = [0, '-0.387*sin(2) + 0.592*sin(0.58)']
axis = [1, 0]
[[spring]]
name = 's'
a = [0.91, '-0.387*sin(2) + 0.592*sin(0.58)']
b = 'slider'
stiffness = 6e4
natural_length = 0.75
";

/// The first eigenvalue that is found, with its error bound.
fn first(text: &str, formulation: &str) -> ([f64; 2], f64) {
    let run = mb_with(&["modes", "-", "--json", "--formulation", formulation], text);
    assert_eq!(run.code, 0, "{run:?}");
    let found: Value = serde_json::from_str(&run.out).unwrap();
    let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
    let pair = pairs.iter().find(|pair| pair["class"]["kind"] == "physical").unwrap();
    let number = |key: &str| pair[key].as_f64().unwrap();
    ([number("re"), number("im")], number("error_bound"))
}

/// The plate does not turn: w^2 = g / l, whatever the unit of length.
#[test]
fn rods_of_any_length_hold_their_length_as_well_as_numbers_can() {
    for l in [1e-3, 1.0, 3e3, 1e4, 1e6] {
        let ([re, im], bound) = first(&swing(l, 9.81 * l), "minimal");
        assert!(re.abs() <= bound && (im - 9.81_f64.sqrt()).abs() <= bound, "{l}: {re} {im} {bound}");
        assert!(bound < 1e-7, "{l}: {bound}");
    }
}

#[test]
fn chosen_penalties_hold_the_forces_at_rest() {
    for text in [SLIDER_CRANK.to_owned(), swing(1.0, 9.81)] {
        let (exact, _) = first(&text, "minimal");
        let (penalized, _) = first(&text, "unconstrained");
        let off = (exact[0] - penalized[0]).hypot(exact[1] - penalized[1]);
        assert!(off <= 1e-5 * exact[0].hypot(exact[1]), "{exact:?} {penalized:?}");
    }
}
