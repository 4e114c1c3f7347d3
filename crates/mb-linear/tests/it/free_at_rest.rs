//! Shifts and turns that loads leave free, where the digits of K do not show them.

use crate::beam::rest_of;
use mb_linear::steady::{free_at_rest, lasting};
use mb_linear::{OperatingPoint, linearize_sparse};
use mb_model::Model;

/// Two balls on arms, whose sliders hang on springs of the stiffness given: the whole turns freely about `axis` unless a spring of the bearing holds it.
fn governor(axis: [f64; 3], x: [f64; 3], stiffness: f64, held: f64, friction: f64) -> Model {
    let place = |along: f64, out: f64| -> [f64; 3] { std::array::from_fn(|i| along * axis[i] + out * x[i]) };
    let gravity = axis.map(|a| -9.81 * a);
    let z =
        [axis[1] * x[2] - axis[2] * x[1], axis[2] * x[0] - axis[0] * x[2], axis[0] * x[1] - axis[1] * x[0]];
    let x_share = 0.75_f64.sqrt();
    let arm = |name: &str, side: f64| {
        format!(
            "{{ name = '{name}', mass = 5, inertia = [0.1, 0.4, 0.4], at = {:?}, orientation = {{ x = {:?}, z = {z:?} }},
                markers = {{ hinge = [-0.9, 0, 0], middle = [-0.4, 0, 0] }} }}",
            place(-0.45, side * 0.9 * x_share),
            place(-0.5, side * x_share)
        )
    };
    Model::from_toml(&format!(
        "units = 'SI'
        name = 'governor'
        gravity = {gravity:?}
        spatial-body = [
            {{ name = 'shaft', mass = 0.3, inertia = [0.02, 0.02, 0.02], at = {:?}, markers = {{ top = {:?} }} }},
            {{ name = 'slider', mass = 3, inertia = [0.01, 0.01, 0.01], at = {:?} }},
            {}, {}]
        joint = [
            {{ name = 'bearing', type = 'revolute', a = 'shaft.top', b = [0, 0, 0], axis = {axis:?} }},
            {{ name = 'guide', type = 'prismatic', a = 'slider', b = 'shaft', axis = {axis:?} }},
            {{ name = 'r', type = 'revolute', a = 'right.hinge', b = 'shaft.top', axis = {z:?} }},
            {{ name = 'l', type = 'revolute', a = 'left.hinge', b = 'shaft.top', axis = {z:?} }}]
        spring = [
            {{ name = 'rs', a = 'right.middle', b = 'slider', stiffness = {stiffness}, natural_length = 0.5 }},
            {{ name = 'ls', a = 'left.middle', b = 'slider', stiffness = {stiffness}, natural_length = 0.5 }}]
        torsion-spring = [{{ name = 'hold', joint = 'bearing', stiffness = {held}, damping = {friction} }}]",
        place(-0.5, 0.0),
        place(0.5, 0.0),
        place(-0.5, 0.0),
        arm("right", 1.0),
        arm("left", -1.0)
    ))
    .unwrap()
}

/// Free directions and second zeros.
fn found(model: &Model) -> (usize, usize) {
    let rest = rest_of(model);
    let at = OperatingPoint::from(&rest);
    let lin = linearize_sparse(model, &at);
    let free = free_at_rest(model, at.point(), &lin.k, &lin.phi_q);
    (free.ncols(), lasting(&free, &lin.c, &lin.k, &lin.phi_q))
}

#[test]
fn a_governor_on_stiff_springs_turns_freely() {
    for stiffness in [1e3, 8e5, 1e8] {
        for (axis, x) in [([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]), ([0.48, -0.36, 0.8], [0.6, 0.8, 0.0])] {
            assert_eq!(found(&governor(axis, x, stiffness, 0.0, 0.0)), (1, 1), "{stiffness} {axis:?}");
            // Friction of the bearing stops it; a spring that is soft beside the others holds it.
            assert_eq!(found(&governor(axis, x, stiffness, 0.0, 1e-6)), (1, 0), "{stiffness} {axis:?}");
            assert_eq!(found(&governor(axis, x, stiffness, 1e-4, 0.0)), (0, 0), "{stiffness} {axis:?}");
        }
    }
}

/// The governor of the IFToMM library hangs on its axis: dampers of 4e4 N s/m along it, and coordinates of rounding across it.
#[test]
fn a_governor_that_hangs_down_turns_freely() {
    let model = Model::from_toml(mb_gallery::files::FLYBALL_GOVERNOR).unwrap();
    assert_eq!(found(&model), (1, 1));
}
