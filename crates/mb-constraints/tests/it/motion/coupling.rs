//! Gears in motion, through many turns of joints in space.

use super::{TIGHT, direct, explicit, options, partitioning, run};
use mb_model::Model;

/// A motor with a torque drives a wheel through gears: the wheel's angle is t^2 / 2 times the acceleration
/// torque / (J_a + J_b r^2), r = z_a / z_b, of the motor, and the other way round by r.
#[test]
fn gears_hold_through_many_turns() {
    let (za, zb, ja, jb, torque, until) = (17.0_f64, 42.0, 0.02, 0.4, 3.0, 2.2);
    let model = Model::from_toml(&format!(
        "units = 'SI'
        name = 'gears'
        spatial-body = [
            {{ name = 'a', mass = 1, inertia = [1, 1, {ja}], at = [0, 0, 0] }},
            {{ name = 'b', mass = 1, inertia = [1, 1, {jb}], at = [1, 0, 0] }},
        ]
        joint = [
            {{ name = 'p', type = 'revolute', a = 'a', b = 'ground', axis = [0, 0, 1] }},
            {{ name = 'q', type = 'revolute', a = 'b', b = 'ground', axis = [0, 0, 1] }},
        ]
        torque = [{{ name = 'motor', on = 'p', magnitude = {torque} }}]
        coupling = [{{ name = 'mesh', terms = [
            {{ quantity = 'angle', of = 'p', factor = {za} }}, {{ quantity = 'angle', of = 'q', factor = {zb} }},
        ] }}]"
    ))
    .expect("a train of gears");
    let r = za / zb;
    let angle = torque / (ja + jb * r * r) * until * until / 2.0;
    assert!(angle > 12.0 * std::f64::consts::TAU, "many turns: {angle}");
    for method in [direct(), partitioning()] {
        let motion = run(&model, &[0.0; 12], &options(until, 0.5, explicit(method, TIGHT)));
        let q = motion.q_at(motion.len() - 1);
        for (first, expected) in [(3, angle), (10, -r * angle)] {
            // Euler parameters of a turn about z: cos and sin of half the angle.
            let (sin, cos) = (expected / 2.0).sin_cos();
            let off = (q[first] * sin - q[first + 3] * cos).abs();
            assert!(off < 1e-7, "{first}: {off}");
        }
    }
}
