//! Couplings of motions against closed forms: gears, a rack, a belt, a differential, an epicyclic train, a rope.

use crate::support::frequencies;
use mb_constraints::NullSpaceMethod;
use mb_linear::formulation::minimal::minimal;
use mb_linear::{Equilibrium, EquilibriumOptions, OperatingPoint, linearize};
use mb_model::Model;

fn model(text: &str) -> Model {
    Model::from_toml(&format!("units = \"SI\"\nname = \"train\"\n{text}")).unwrap_or_else(|e| panic!("{e}"))
}

/// Frequencies at rest, ascending, rad/s.
fn modes(text: &str) -> Vec<f64> {
    let model = model(text);
    let rest = Equilibrium::solve(&model, model.initial(), &EquilibriumOptions::default()).unwrap();
    let lin = linearize(&model, &OperatingPoint::from(&rest));
    let system = minimal(&model, &lin, &NullSpaceMethod::Qr).unwrap();
    frequencies(&system.k, &system.m)
}

fn agree(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-11 * b.max(1.0), "{found:?} {expected:?}");
    }
}

/// Two shafts along axes that cross, springs to the ground on both:
/// z_a a + z_b b = 0,  w^2 = (k_a + k_b r^2) / (J_a + J_b r^2) with r = z_a / z_b.
#[test]
fn gears_in_space_on_shafts_of_any_direction() {
    for (teeth, axis_b) in
        [([20.0, 60.0], "[0, 0, 1]"), ([17.0, -39.0], "[0, 0, 1]"), ([12.0, 30.0], "[1, 2, -1]")]
    {
        let [za, zb] = teeth;
        let found = modes(&format!(
            "spatial-body = [
                {{ name = 'a', mass = 1, inertia = [0.3, 0.3, 0.3], at = [0, 0, 0] }},
                {{ name = 'b', mass = 1, inertia = [0.9, 0.9, 0.9], at = [1, 0, 0] }},
            ]
            joint = [
                {{ name = 'p', type = 'revolute', a = 'a', b = 'ground', axis = [0, 0, 1] }},
                {{ name = 'q', type = 'revolute', a = 'b', b = 'ground', axis = {axis_b} }},
            ]
            torsion-spring = [
                {{ name = 'kp', joint = 'p', stiffness = 40 }}, {{ name = 'kq', joint = 'q', stiffness = 70 }},
            ]
            coupling = [{{ name = 'mesh', terms = [
                {{ quantity = 'angle', of = 'p', factor = {za} }}, {{ quantity = 'angle', of = 'q', factor = {zb} }},
            ] }}]"
        ));
        let r: f64 = za / zb;
        agree(&found, &[((40.0 + 70.0 * r * r) / (0.3 + 0.9 * r * r)).sqrt()]);
    }
}

/// A pinion and a rack on a spring: w^2 = k / (m + J / r^2), in space and in the plane.
#[test]
fn a_rack_carries_the_inertia_of_its_pinion() {
    let (j, m, k, r) = (0.02_f64, 3.0, 500.0, 0.04);
    let expected = [(k / (m + j / (r * r))).sqrt()];
    let space = modes(&format!(
        "spatial-body = [
            {{ name = 'pinion', mass = 1, inertia = [1, 1, {j}], at = [0, 0, 0] }},
            {{ name = 'rack', mass = {m}, inertia = [1, 1, 1], at = [0.2, {r}, 0] }},
        ]
        joint = [
            {{ name = 'axle', type = 'revolute', a = 'pinion', b = 'ground', axis = [0, 0, 1] }},
            {{ name = 'slide', type = 'prismatic', a = 'rack', b = 'ground', axis = [1, 0, 0] }},
        ]
        spring = [{{ name = 's', a = 'rack', b = [2.2, {r}, 0], stiffness = {k}, natural_length = 2 }}]
        coupling = [{{ name = 'mesh', terms = [
            {{ quantity = 'angle', of = 'axle', factor = {r} }}, {{ quantity = 'displacement', of = 'slide', factor = 1 }},
        ] }}]"
    ));
    agree(&space, &expected);
    let plane = modes(&format!(
        "body = [
            {{ name = 'pinion', mass = 1, inertia = {j}, at = [0, 0] }},
            {{ name = 'rack', mass = {m}, inertia = 1, at = [0.2, {r}] }},
        ]
        joint = [
            {{ name = 'axle', type = 'revolute', a = 'pinion', b = [0, 0] }},
            {{ name = 'slide', type = 'prismatic', a = 'rack', b = [0, {r}], axis = [1, 0] }},
        ]
        spring = [{{ name = 's', a = 'rack', b = [2.2, {r}], stiffness = {k}, natural_length = 2 }}]
        coupling = [{{ name = 'mesh', terms = [
            {{ quantity = 'angle', of = 'pinion', factor = {r} }}, {{ quantity = 'x', of = 'rack', factor = 1 }},
        ] }}]"
    ));
    agree(&plane, &expected);
}

/// Three shafts, x_1 + x_2 = 2 x_3, a spring on each: M and K on the two free angles, by hand.
#[test]
fn a_differential_couples_three_shafts() {
    let (j, k) = ([0.2_f64, 0.3, 0.5], [30.0_f64, 20.0, 90.0]);
    let shafts: Vec<String> = (0..3)
        .map(|i| {
            format!(
                "[[body]]\nname = 's{i}'\nmass = 1\ninertia = {}\nat = [{i}, 0]\n
                [[joint]]\nname = 'j{i}'\ntype = 'revolute'\na = 's{i}'\nb = [{i}, 0]\n
                [[torsion-spring]]\nname = 'k{i}'\na = 's{i}'\nb = 'ground'\nstiffness = {}\n",
                j[i], k[i]
            )
        })
        .collect();
    let text = format!(
        "{}[[coupling]]\nname = 'differential'\nterms = [{{ quantity = 'angle', of = 's0', factor = 1 }},
        {{ quantity = 'angle', of = 's1', factor = 1 }}, {{ quantity = 'angle', of = 's2', factor = -2 }}]",
        shafts.concat()
    );
    // x_3 = (x_1 + x_2) / 2:  A = [[a_1 + a_3/4, a_3/4], [a_3/4, a_2 + a_3/4]] for J and k.
    let form = |a: [f64; 3]| [a[0] + a[2] / 4.0, a[2] / 4.0, a[1] + a[2] / 4.0];
    let ([m11, m12, m22], [k11, k12, k22]) = (form(j), form(k));
    let (a, b, c) = (m11 * m22 - m12 * m12, m11 * k22 + m22 * k11 - 2.0 * m12 * k12, k11 * k22 - k12 * k12);
    let root = (b * b - 4.0 * a * c).sqrt();
    agree(&modes(&text), &[((b - root) / (2.0 * a)).sqrt(), ((b + root) / (2.0 * a)).sqrt()]);
}

/// Sun, planet on an arm, ring fixed: the angles of the sun and the planet against the arm mesh by their teeth, the planet
/// against the arm with the ring that is fixed. Willis: sun = (1 + z_r / z_s) arm, planet against arm = -(z_r / z_p) arm.
#[test]
fn an_epicyclic_train_by_willis() {
    let (zs, zp) = (20.0_f64, 15.0);
    let zr = zs + 2.0 * zp;
    let (js, jp, ja, mp, module) = (0.01_f64, 0.004, 0.05, 0.6, 0.002);
    let arm = (zs + zp) * module / 2.0;
    let k = 300.0;
    let found = modes(&format!(
        "body = [
            {{ name = 'sun', mass = 1, inertia = {js}, at = [0, 0] }},
            {{ name = 'arm', mass = 1, inertia = {ja}, at = [0, 0], markers = {{ pin = [{arm}, 0] }} }},
            {{ name = 'planet', mass = {mp}, inertia = {jp}, at = [{arm}, 0] }},
        ]
        joint = [
            {{ name = 'a', type = 'revolute', a = 'sun', b = [0, 0] }}, {{ name = 'b', type = 'revolute', a = 'arm', b = [0, 0] }},
            {{ name = 'c', type = 'revolute', a = 'planet', b = 'arm.pin' }},
        ]
        torsion-spring = [{{ name = 'k', a = 'sun', b = 'ground', stiffness = {k} }}]
        coupling = [
            {{ name = 'inner', terms = [
                {{ quantity = 'angle', of = 'sun', from = 'arm', factor = {zs} }},
                {{ quantity = 'angle', of = 'planet', from = 'arm', factor = {zp} }},
            ] }},
            {{ name = 'outer', terms = [
                {{ quantity = 'angle', of = 'arm', factor = {zr} }},
                {{ quantity = 'angle', of = 'planet', from = 'arm', factor = {zp} }},
            ] }},
        ]"
    ));
    let sun = 1.0 + zr / zs;
    let planet = 1.0 - zr / zp;
    let inertia = js * sun * sun + ja + mp * arm * arm + jp * planet * planet;
    agree(&found, &[(k * sun * sun / inertia).sqrt()]);
}

/// Two weights on a rope over pulleys that weigh nothing, one on a spring: l_1 + l_2 stays, w^2 = k / (m_1 + m_2).
#[test]
fn a_rope_over_pulleys_keeps_its_length() {
    let found = modes(
        "gravity = [0, -9.81]
        point = [{ name = 'A', at = [0, 0], mass = 2 }, { name = 'B', at = [1, -0.3], mass = 3 }]
        joint = [
            { name = 'a', type = 'point-on-line', a = 'A', b = [0, 0], axis = [0, 1] },
            { name = 'b', type = 'point-on-line', a = 'B', b = [1, 0], axis = [0, 1] },
        ]
        spring = [{ name = 's', a = 'A', b = [0, -1], stiffness = 200, natural_length = 1 }]
        coupling = [{ name = 'rope', terms = [
            { quantity = 'distance', of = 'A', from = [0, 2], factor = 1 }, { quantity = 'distance', of = 'B', from = [1, 2], factor = 1 },
        ] }]",
    );
    agree(&found, &[(200.0_f64 / 5.0).sqrt()]);
}
