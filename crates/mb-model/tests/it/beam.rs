//! Geometrically exact beams: energy, rigid motions, damping, mass, and the model file.

use mb_model::element::{AxialStrain, BeamStation, Interpolation};
use mb_model::system::MotionTerms;
use mb_model::{BeamData, BeamMaterial, BeamNode, BeamSection, Model, ModelSpec, Shear};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use proptest::prelude::*;

fn data(interpolation: Interpolation, axial_strain: AxialStrain, beta: f64) -> BeamData {
    let material = BeamMaterial { density: 3.0, youngs_modulus: 40.0, shear_modulus: 17.0 };
    let section =
        BeamSection { area: 1.3, second_moments: [0.4, 0.9], torsion: 0.7, shear_factors: [0.8, 0.6] };
    BeamData { interpolation, axial_strain, beta, ..BeamData::new(section, material) }
}

/// A helix, turned about itself: curved in both planes and twisted.
fn stations(count: usize) -> Vec<BeamStation> {
    (0..count)
        .map(|k| {
            let s = 0.4 * k as f64;
            let turn = UnitQuaternion::from_euler_angles(0.2 * s, 0.3 * s, 0.5 * s);
            let q = turn.quaternion();
            BeamStation { at: [s.sin(), 1.0 - s.cos(), 0.1 * s], euler: [q.w, q.i, q.j, q.k] }
        })
        .collect()
}

fn beam(data: &BeamData) -> (Model, Vec<BeamNode>) {
    let mut model = Model::new("beam", [0.3, -9.0, 2.0]);
    let nodes = model.add_beam_nodes("b", &stations(5));
    model.add_beam_elements("beam 'b'", data, &nodes);
    (model, nodes)
}

fn kinds() -> [BeamData; 4] {
    use AxialStrain::{Exact, GreenLagrange};
    use Interpolation::{Linear, Quadratic};
    [(Linear, Exact), (Linear, GreenLagrange), (Quadratic, Exact), (Quadratic, GreenLagrange)]
        .map(|(shape, strain)| data(shape, strain, 0.0))
}

fn numbers(n: usize, size: f64) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-size..size, n)
}

/// Moves every place by one rigid motion, and turns every node with it.
fn moved(q: &[f64], turn: &UnitQuaternion<f64>, shift: &Vector3<f64>) -> Vec<f64> {
    let pose = |p: &[f64]| {
        let x = turn * Vector3::new(p[0], p[1], p[2]) + shift;
        let e = turn.quaternion() * Quaternion::new(p[3], p[4], p[5], p[6]);
        [x.x, x.y, x.z, e.w, e.i, e.j, e.k]
    };
    q.chunks(7).flat_map(pose).collect()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |s, x| s.max(x.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// The power that no energy accounts for: forces are the gradient of the energies, and
    /// gyroscopic ones do no work.
    #[test]
    fn energy_is_conserved_at_large_rotations(d in numbers(30, 0.8), v in numbers(30, 2.0)) {
        for data in kinds() {
            let (model, _) = beam(&data);
            let q = model.coordinates().retract(model.initial(), &d);
            let mut terms = MotionTerms::dense(&model);
            let e = model.energies(&q, &v, 0.0, &[], &mut terms);
            prop_assert!(e.power.abs() < 1e-11 * (e.kinetic + e.potential.abs()), "{data:?}: {e:?}");
        }
    }

    /// Strains see no rigid motion: neither do the forces, in the axes that turn with it.
    #[test]
    fn rigid_motions_change_nothing(d in numbers(30, 0.5), a in numbers(6, 3.0)) {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(a[0], a[1], a[2]));
        let shift = Vector3::new(a[3], a[4], a[5]);
        for data in kinds() {
            let (mut model, _) = beam(&data);
            model.gravity = [0.0; 3];
            let natural = mb_model::Point { q: moved(model.initial(), &turn, &shift), ..model.initial_point() };
            prop_assert!(largest(&model.residual(&natural)) < 1e-12);
            let q = model.coordinates().retract(model.initial(), &d);
            let there = mb_model::Point { q: moved(&q, &turn, &shift), ..model.initial_point() };
            let here = mb_model::Point { q, ..model.initial_point() };
            let (r, s) = (model.residual(&here), model.residual(&there));
            for (r, s) in r.chunks(6).zip(s.chunks(6)) {
                let turned = turn * Vector3::new(r[0], r[1], r[2]) - Vector3::new(s[0], s[1], s[2]);
                let moment = Vector3::new(r[3], r[4], r[5]) - Vector3::new(s[3], s[4], s[5]);
                prop_assert!(turned.norm().max(moment.norm()) < 1e-11);
            }
        }
    }

    /// Damping takes away beta times twice the elastic energy that the strain rates would have, and nothing from a
    /// rigid motion.
    #[test]
    fn damping_dissipates_and_spares_rigid_motions(d in numbers(30, 0.5), v in numbers(30, 1.0), w in numbers(6, 1.0)) {
        for plain in kinds() {
            let beta = 0.07;
            let (damped, _) = beam(&BeamData { beta, ..plain });
            let mut terms = MotionTerms::dense(&damped);
            let q = damped.coordinates().retract(damped.initial(), &d);
            let power = |v: &[f64], terms: &mut MotionTerms| damped.energies(&q, v, 0.0, &[], terms).power;
            let lost = power(&v, &mut terms);
            prop_assert!(lost < 0.0);
            // Quadratic in the velocities.
            let twice: Vec<f64> = v.iter().map(|v| 2.0 * v).collect();
            prop_assert!((power(&twice, &mut terms) / lost - 4.0).abs() < 1e-9);
            let (shift, spin) = (Vector3::new(w[0], w[1], w[2]), Vector3::new(w[3], w[4], w[5]));
            let rigid: Vec<f64> = q
                .chunks(7)
                .flat_map(|p| {
                    let x = shift + spin.cross(&Vector3::new(p[0], p[1], p[2]));
                    let turn = UnitQuaternion::from_quaternion(Quaternion::new(p[3], p[4], p[5], p[6]));
                    let own = turn.inverse() * spin;
                    [x.x, x.y, x.z, own.x, own.y, own.z]
                })
                .collect();
            prop_assert!(power(&rigid, &mut terms).abs() < 1e-12 * lost.abs().max(1.0));
        }
    }
}

/// Near the natural shape the damping matrix is beta times the stiffness.
#[test]
fn damping_is_proportional_to_stiffness() {
    for plain in kinds() {
        let (mut model, _) = beam(&BeamData { beta: 0.25, ..plain });
        model.gravity = [0.0; 3];
        let p = model.initial_point();
        let (k, c) = (model.stiffness(&p).to_dense(), model.damping(&p).to_dense());
        for i in 0..30 {
            for j in 0..30 {
                assert!((c[(i, j)] - 0.25 * k[(i, j)]).abs() < 1e-12 * 40.0);
            }
        }
    }
}

/// A straight beam that turns as a whole has the energy of a rigid bar.
#[test]
fn mass_of_a_straight_beam_is_that_of_a_bar() {
    for data in kinds() {
        let mut model = Model::new("bar", [0.0; 3]);
        let at = |k: usize| BeamStation { at: [0.5 * k as f64, 0.0, 0.0], euler: [1.0, 0.0, 0.0, 0.0] };
        let nodes = model.add_beam_nodes("b", &(0..5).map(at).collect::<Vec<_>>());
        model.add_beam_elements("beam 'b'", &data, &nodes);
        let mass = data.mass_per_length() * 2.0;
        for axis in 0..3 {
            let mut w = Vector3::zeros();
            w[axis] = 1.0;
            let velocity = |k: usize| {
                let x = w.cross(&Vector3::new(0.5 * k as f64, 0.0, 0.0));
                [x.x, x.y, x.z, w.x, w.y, w.z]
            };
            let point = mb_model::Point { v: (0..5).flat_map(velocity).collect(), ..model.initial_point() };
            let slender = if axis == 0 { 0.0 } else { mass * 4.0 / 3.0 };
            let expected = 0.5 * (slender + 2.0 * data.inertia_per_length()[axis]);
            assert!((model.kinetic_energy(&point) - expected).abs() < 1e-13 * expected);
        }
    }
}

/// Sections that stay perpendicular: shear stiffness follows the elements up to what the whole beam needs, unless the section
/// has more of it; elements of two nodes need no more than 12 EI / h^2.
#[test]
fn rigid_shear_follows_the_elements() {
    let plain = data(Interpolation::Quadratic, AxialStrain::Exact, 0.0);
    let rigid = BeamData { shear: Shear::Rigid, ..plain };
    let of = |length: f64, whole: f64| rigid.law_of_element(length, whole);
    let (long, short) = (of(2.0, 2.0), of(0.5, 2.0));
    let bending = plain.law().moment;
    // Shear along y bends about z.
    for (shear, about) in [(1, 2), (2, 1)] {
        assert!((long.force[shear] / bending[about] * 4.0 / 1e6 - 1.0).abs() < 1e-12);
        assert!((short.force[shear] / long.force[shear] - 16.0).abs() < 1e-9);
        // From ten elements on no more than one of them needs.
        for pieces in [10.0, 100.0, 1000.0] {
            let fine = of(2.0 / pieces, 2.0);
            assert!((fine.force[shear] / bending[about] * 4.0 / 1e8 - 1.0).abs() < 1e-12);
        }
        let two = BeamData { interpolation: Interpolation::Linear, ..rigid };
        let law = two.law_of_element(0.5, 2.0);
        assert!((law.force[shear] / bending[about] * 0.25 / 12.0 - 1.0).abs() < 1e-12);
    }
    assert_eq!((long.moment, long.force[0]), (bending, plain.law().force[0]));
    assert_eq!(of(1e6, 1e6), plain.law());
    assert_eq!(plain.law_of_element(0.5, 2.0), plain.law());
}

const FRAME: &str = r#"
units = "SI"
name = "frame"
gravity = [0, 0, -9.81]
parameters = { L = 2.0 }
[[spatial-body]]
name = "hub"
mass = 3.0
inertia = [0.1, 0.1, 0.1]
at = [0, 0, 1]
orientation = { axis = [0, 1, 0], angle = 0.4 }
markers.rim = [0.2, 0, 0.1]
[[beam]]
name = "boom"
from = "hub.rim"
to = [3, 0, 1]
elements = 4
density = 7850
youngs_modulus = 2.1e11
poissons_ratio = 0.3
section = { radius = 0.02, inner_radius = 0.015 }
markers = { near = 0.4, mid = "L/2" }
damping = { beta = 1e-4 }
[[beam]]
name = "arc"
from = "boom.end"
to = [3, "L", 1]
through = [4, "L/2", 1]
y = [0, 0, 1]
twist = "deg(30)"
elements = 3
element = "linear"
density = 7850
youngs_modulus = 2.1e11
shear_modulus = 8e10
section = { width = 0.02, height = 0.04, web = 0.002, flange = 0.003 }
[[joint]]
name = "foot"
type = "spherical"
a = "arc.end"
b = "ground"
[[force]]
name = "load"
at = "boom.mid"
vector = [0, 0, -1]
[[torque]]
name = "turn"
on = "arc.node2"
direction = [1, 0, 0]
magnitude = 1.0
[[output]]
name = "sag"
quantity = "z"
of = "boom.node3"
"#;

#[test]
fn model_file() {
    let model = Model::from_toml(FRAME).expect("a good file");
    // The hub; boom: two markers divide elements, so 6 elements and 13 nodes of which the first is the hub's; arc: 4 nodes
    // of which the first is the boom's last.
    assert_eq!(model.nv(), 6 * (1 + 12 + 3));
    assert_eq!(model.coordinate_name(6), "boom[2].x");
    assert_eq!(model.coordinate_name(6 * 13), "arc[2].x");
    // Unloaded it is without stress, wherever it is attached.
    let mut still = model.clone();
    still.gravity = [0.0; 3];
    let mut point = still.initial_point();
    let forces = still.residual(&point);
    let loads: Vec<f64> = forces.iter().copied().filter(|r| r.abs() > 1e-6).collect();
    assert_eq!(loads.len(), 1 + 3, "only the force and the torque in section axes: {loads:?}");
    // The arc is a half circle of radius 1 about (3, 1, 1).
    for block in &still.coordinates().blocks()[13..] {
        let q = &point.q[block.q..];
        let (x, y) = (q[0] - 3.0, q[1] - 1.0);
        assert!((x.hypot(y) - 1.0).abs() < 1e-12 && x > -1e-12 && (q[2] - 1.0).abs() < 1e-12);
    }
    // Weight: what the uniform acceleration -g takes.
    point.a = (0..model.nv()).map(|i| if i % 6 == 2 { -9.81 } else { 0.0 }).collect();
    let point = mb_model::Point { q: model.initial().to_vec(), ..point };
    let fall = model.residual(&point);
    for (i, (r, load)) in fall.iter().zip(&forces).enumerate() {
        assert!((r - load).abs() < 1e-9, "{}: {r} {load}", model.coordinate_name(i));
    }
    let spec = ModelSpec::from_toml(FRAME).expect("a good file");
    assert_eq!(ModelSpec::from_toml(&spec.to_toml().expect("TOML")).expect("a good file"), spec);
}

#[test]
fn bad_beams_are_reported() {
    let with = |old: &str, new: &str| {
        assert_eq!(FRAME.matches(old).count(), 1, "{old}");
        FRAME.replace(old, new)
    };
    let text = crate::spec_errors::reports([
        ("zero length", with("to = [3, 0, 1]", "to = \"hub.rim\"")),
        ("y along the beam", with("twist =", "y = [0, 0, 0]\ntwist =").replace("y = [0, 0, 1]\n", "")),
        ("arc on a line", with("through = [4, \"L/2\", 1]", "through = [3, 1, 1]")),
        ("end on a point", with("from = \"boom.end\"", "from = \"boom\"")),
        ("node that is not there", with("boom.node3", "boom.node14")),
        ("place that is not there", with("boom.mid", "boom.middle")),
        ("marker beyond", with("near = 0.4", "near = 40")),
        ("no elements", with("elements = 4", "elements = 0")),
        ("two ways of shear", with("poissons_ratio = 0.3", "poissons_ratio = 0.3\nshear_modulus = 8e10")),
        ("no shear", with("poissons_ratio = 0.3\n", "")),
        ("Poisson", with("poissons_ratio = 0.3", "poissons_ratio = 0.7")),
        ("section of two kinds", with("radius = 0.02,", "width = 0.02,")),
        ("thick tube", with("inner_radius = 0.015", "inner_radius = 0.02")),
        ("flanges that meet", with("flange = 0.003", "flange = 0.02")),
        ("attached to itself", with("from = \"boom.end\"", "from = \"arc.end\"")),
        ("attached to a later one", with("from = \"hub.rim\"", "from = \"arc.end\"")),
        ("reserved marker", with("near = 0.4", "end = 0.4")),
        (
            "section of a link",
            with("radius = 0.02, inner_radius = 0.015", "area = 1e-4, second_moment = 1e-9"),
        ),
        (
            "rigid and by factors",
            with("inner_radius = 0.015 }", "shear_factors = [0.9, 0.9] }\nshear = \"rigid\""),
        ),
    ]);
    insta::assert_snapshot!(text);
}
