//! Bodies in space: closed forms of their vibrations, at rest and in steady motion.

use crate::support::frequencies;
use mb_algebra::{Dense, RankTolerance, norms};
use mb_constraints::{AssemblyOptions, NullSpaceMethod, assemble, constraint_rank};
use mb_gallery::models::{SpatialFourBar, SpatialPendulum, Top, spatial_chain};
use mb_linear::formulation::minimal::minimal;
use mb_linear::formulation::unconstrained::{Penalty, penalty_equilibrium, unconstrained};
use mb_linear::{
    Equilibrium, EquilibriumOptions, Frame, FrameChoice, Instant, LinearizedSystem, OperatingPoint,
    PointKind, linearize, linearize_sparse,
};
use mb_model::{Model, ModelSpec, Point};
use proptest::prelude::*;

fn model(text: &str) -> Model {
    let text = format!("units = \"SI\"\nname = \"test\"\n{text}");
    Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"))
}
fn at_rest(model: &Model) -> (Equilibrium, LinearizedSystem) {
    let rest = Equilibrium::solve(model, model.initial(), &EquilibriumOptions::default()).unwrap();
    let lin = linearize(model, &OperatingPoint::from(&rest));
    (rest, lin)
}
/// Frequencies of a model at rest, ascending, rad/s.
fn modes(model: &Model) -> Vec<f64> {
    let (_, lin) = at_rest(model);
    let system = minimal(model, &lin, &NullSpaceMethod::Qr).unwrap();
    frequencies(&system.k, &system.m)
}
fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{a} {b}");
}

#[test]
fn spatial_pendulum_has_its_two_frequencies_and_a_free_turn() {
    let pendulum = SpatialPendulum::default();
    let found = modes(&pendulum.spec().unwrap().build().unwrap());
    let mut expected = pendulum.eigenvalues().map(|s| s.im);
    expected.sort_by(f64::total_cmp);
    assert_eq!(found.len(), 3);
    assert!(found[0].abs() < 1e-6);
    near(found[1], expected[0], 1e-12);
    near(found[2], expected[1], 1e-12);
}

/// About any axis n through any point: s^2 = -m g_n d / (n.J n + m d^2), with d the distance of the
/// mass centre from the axis and g_n the part of gravity across it.
#[test]
fn physical_pendulum_about_any_axis() {
    for axis in [[1.0_f64, 0.0, 0.0], [0.6, 0.3, 0.5], [-0.2, 0.9, -0.4]] {
        let [x, y, z] = axis;
        let m = model(&format!(
            "gravity = [0, 0, -9.81]
            spatial-body = [{{ name = 'b', mass = 3, inertia = [0.5, 0.4, 0.3], products_of_inertia = [0.05, -0.02, 0.03],
                at = [0.1, 0.2, 0.3], orientation = {{ cardan = [0.3, -0.5, 1.1] }},
                markers.pin = [0.2, 0.3, 0.4] }}]
            joint = [{{ name = 'pin', type = 'revolute', a = 'b.pin', b = 'ground', axis = [{x}, {y}, {z}] }}]"
        ));
        let (rest, lin) = at_rest(&m);
        let system = minimal(&m, &lin, &NullSpaceMethod::Qr).unwrap();
        let found = frequencies(&system.k, &system.m);
        // Everything again, by vectors in body axes at the start: R from the Cardan angles.
        let turn = |k: usize, a: f64| {
            let (s, c) = a.sin_cos();
            rotation_about(k, s, c)
        };
        let r = product(&product(&turn(0, 0.3), &turn(1, -0.5)), &turn(2, 1.1));
        let length = (x * x + y * y + z * z).sqrt();
        let n = axis.map(|a| a / length);
        let local: Vec<f64> = (0..3).map(|i| (0..3).map(|k| r[k][i] * n[k]).sum()).collect();
        let j = [[0.5, 0.05, -0.02], [0.05, 0.4, 0.03], [-0.02, 0.03, 0.3]];
        let about: f64 = (0..3)
            .flat_map(|i| (0..3).map(move |k| (i, k)))
            .map(|(i, k)| local[i] * j[i][k] * local[k])
            .sum();
        let arm = [-0.2, -0.3, -0.4];
        let along: f64 = (0..3).map(|i| arm[i] * local[i]).sum();
        let d2 = arm.iter().map(|a| a * a).sum::<f64>() - along * along;
        let across = (1.0 - n[2] * n[2]).sqrt();
        let expected = (3.0 * 9.81 * across * d2.sqrt() / (about + 3.0 * d2)).sqrt();
        // Newton may end hanging or upright; both have the same size.
        near(found[0].abs(), expected, 1e-10);
        assert_eq!(rest.point().lambda.len(), 5);
    }
}

type Rotation = [[f64; 3]; 3];
fn rotation_about(k: usize, s: f64, c: f64) -> Rotation {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let mut r = [[0.0; 3]; 3];
    r[k][k] = 1.0;
    (r[i][i], r[j][j], r[i][j], r[j][i]) = (c, c, -s, s);
    r
}
fn product(a: &Rotation, b: &Rotation) -> Rotation {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

/// Eigenvalues of a small quadratic problem, sorted by imaginary part.
fn eigenvalues(lin: &mb_algebra::QuadraticPencil<Dense>) -> Vec<mb_algebra::c64> {
    let spectrum = mb_eigen::dense::solve(lin, &mb_eigen::DenseOptions::default()).unwrap();
    let mut all: Vec<_> = spectrum.eigenpairs.iter().filter_map(mb_eigen::Eigenpair::value).collect();
    all.sort_by(|a, b| a.im.total_cmp(&b.im));
    all
}

#[test]
fn sleeping_top_nutates_and_precesses() {
    for spin in [40.0, 120.0, -300.0] {
        let top = Top { spin, ..Top::default() };
        let m = top.spec().unwrap().build().unwrap();
        let at = OperatingPoint::of_motion(
            &m,
            m.initial().to_vec(),
            m.initial_velocity().to_vec(),
            0.0,
            vec![],
            1e-9,
        )
        .unwrap();
        assert_eq!(at.kind(), PointKind::Steady);
        let lin = linearize(&m, &at);
        let sparse = linearize_sparse(&m, &at);
        assert!(norms::max_abs(&(&mb_algebra::to_dense(&sparse.k) - &lin.k)) < 1e-14);
        assert_eq!(at.steady().unwrap().frame(), &Frame::Ground);
        let system = minimal(&m, &lin, &NullSpaceMethod::Qr).unwrap();
        let instant = Instant::declared(&m, at.point().clone(), 1e-9).unwrap();
        let body = OperatingPoint::of_instant(&m, &instant, &FrameChoice::Body("top".to_owned())).unwrap();
        let turned = linearize(&m, &body).pencil();
        for (found, expected) in [
            (eigenvalues(&system.pencil()), top.eigenvalues()),
            (eigenvalues(&lin.pencil()), top.eigenvalues()),
            (eigenvalues(&turned), top.eigenvalues_in_body_axes()),
        ] {
            for s in expected {
                for (re, im) in [(s.re, s.im), (s.re, -s.im)] {
                    let distance =
                        found.iter().map(|z| (z.re - re).hypot(z.im - im)).fold(f64::MAX, f64::min);
                    assert!(distance < 1e-9 * spin.abs(), "{s:?} {found:?}");
                }
            }
        }
    }
}

/// A symmetric rotor driven at constant speed in a soft-mounted casing: with the inertia A across
/// the axis and the spin's momentum H, A z'' - i H z' + k z = 0 for the tilt z of the casing.
#[test]
fn rotor_in_a_casing_splits_its_frequencies() {
    let m = model(
        "spatial-body = [
            { name = 'casing', mass = 2, inertia = [0.03, 0.03, 0.04], at = [0, 0, 0] },
            { name = 'rotor', mass = 1, inertia = [0.01, 0.01, 0.015], at = [0, 0, 0] },
        ]
        bushing = [{ name = 'mount', a = 'casing', b = [0, 0, 0], stiffness = [900, 900, 900, 50, 50, 70] }]
        joint = [{ name = 'shaft', type = 'revolute', a = 'rotor', b = 'casing', axis = [0, 0, 1] }]
        drive = [{ name = 'speed', quantity = 'angle', of = 'shaft', law = '200*t' }]",
    );
    let v = mb_constraints::assemble_velocities(&m, m.initial(), &[0.0; 12], 0.0).unwrap();
    // The nearest velocities turn both bodies; the casing is to stand still.
    let mut spin = vec![0.0; 12];
    spin[11] = 200.0;
    assert!((v[11] - v[5] - 200.0).abs() < 1e-9);
    let at = OperatingPoint::of_motion(&m, m.initial().to_vec(), spin, 0.0, vec![], 1e-9).unwrap();
    let lin = linearize(&m, &at);
    let system = minimal(&m, &lin, &NullSpaceMethod::CoordinateSelection(Some((0..6).collect()))).unwrap();
    let (a, h, k) = (0.04_f64, 0.015 * 200.0, 50.0);
    let found = eigenvalues(&system.pencil());
    let root = (h * h + 4.0 * a * k).sqrt();
    for expected in
        [(h + root) / (2.0 * a), (root - h) / (2.0 * a), 300.0_f64.sqrt(), (70.0 / 0.055_f64).sqrt()]
    {
        let nearest = found.iter().map(|s| (s.im - expected).hypot(s.re)).fold(f64::MAX, f64::min);
        assert!(nearest < 1e-8 * expected, "{expected} {found:?}");
    }
}

/// On a bushing with a full matrix at an offset, K is the matrix brought to the reference point.
#[test]
fn body_on_a_bushing_is_the_six_by_six_problem() {
    let k = |i: usize, j: usize| {
        let (i, j) = (i.min(j), i.max(j));
        if i == j { 100.0 + 10.0 * i as f64 } else { 7.0 * ((3 * i + j) as f64).sin() }
    };
    let rows: Vec<String> =
        (0..6).map(|i| format!("{:?}", (0..6).map(|j| k(i, j)).collect::<Vec<_>>())).collect();
    let m = model(&format!(
        "spatial-body = [{{ name = 'b', mass = 2, inertia = [0.3, 0.4, 0.5], markers.p = [0.1, -0.2, 0.3] }}]
        bushing = [{{ name = 'mount', a = 'b.p', b = [0.1, -0.2, 0.3], stiffness_matrix = [{rows}],
            damping = [1, 2, 3, 4, 5, 6] }}]",
        rows = rows.join(", ")
    ));
    let (_, lin) = at_rest(&m);
    // u = x + d x s, phi = d: the 6 x 6 map of the offset s.
    let s = [0.1, -0.2, 0.3];
    let cross = |i: usize, j: usize| match (i, j) {
        (0, 1) => s[2],
        (0, 2) => -s[1],
        (1, 0) => -s[2],
        (1, 2) => s[0],
        (2, 0) => s[1],
        (2, 1) => -s[0],
        _ => 0.0,
    };
    let map = Dense::from_fn(6, 6, |i, j| {
        if i == j {
            1.0
        } else if i < 3 && j >= 3 {
            cross(i, j - 3)
        } else {
            0.0
        }
    });
    let bring = |a: Dense| mb_algebra::dense::mul_transpose(&map, &mb_algebra::dense::mul(&a, &map));
    assert!(norms::max_abs(&(&bring(Dense::from_fn(6, 6, k)) - &lin.k)) < 1e-12);
    let c = bring(mb_algebra::dense::diagonal(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    assert!(norms::max_abs(&(&c - &lin.c)) < 1e-13);
}

#[test]
fn spatial_four_bar_has_two_degrees_of_freedom_and_the_frequency_of_its_energy() {
    let bar = SpatialFourBar::default();
    let m = bar.spec().unwrap().build().unwrap();
    let rank = constraint_rank(&m, m.initial(), 0.0, RankTolerance::default()).unwrap();
    assert_eq!((rank.rank(), rank.degrees_of_freedom()), (16, 2));
    let (rest, lin) = at_rest(&m);
    let theta = m.outputs(rest.point())[0];
    near(bar.acceleration(theta, 0.0).unwrap(), 0.0, 1e-8);
    let h = 1e-4;
    let slope =
        (bar.acceleration(theta + h, 0.0).unwrap() - bar.acceleration(theta - h, 0.0).unwrap()) / (2.0 * h);
    let system = minimal(&m, &lin, &NullSpaceMethod::Svd).unwrap();
    let found = frequencies(&system.k, &system.m);
    let squares: Vec<f64> = found.iter().map(|w| w * w * w.signum()).collect();
    // One is the coupler's idle spin.
    assert!(squares.iter().any(|x| x.abs() < 1e-9), "{squares:?}");
    assert!(squares.iter().any(|x| (x + slope).abs() < 1e-6 * slope.abs()), "{squares:?} {slope}");
    // The penalty family comes to the same within its penalty.
    let penalty = Penalty::scalar(1e9, 1.0, 10.0);
    let at = penalty_equilibrium(&m, rest.point(), &penalty).unwrap();
    let loose = unconstrained(&m, &at, &penalty).unwrap();
    let all = eigenvalues(&loose.pencil());
    assert!(all.iter().any(|s| (s * s - slope).norm() < 1e-4 * slope.abs()), "{all:?} {slope}");
}

/// A plane linkage on spatial revolute joints: three constraints too many, by name, and the
/// frequency of the plane model.
#[test]
fn plane_four_bar_in_space_is_redundant_and_swings_alike() {
    let spring =
        "spring = [{ name = 's', a = [0, 0], b = 'rocker.up', stiffness = 40, natural_length = 0.7 }]";
    let plane = model(&format!(
        "gravity = [0, -9.81]
        body = [
            {{ name = 'crank', mass = 1, inertia = 0.02, at = [0, 0.2], markers = {{ down = [0, -0.2], up = [0, 0.2] }} }},
            {{ name = 'coupler', mass = 2, inertia = 0.05, at = [0.5, 0.45], angle = 'pi/2',
               markers = {{ left = [0, 0.5], right = [0.1, -0.5] }} }},
            {{ name = 'rocker', mass = 1.5, inertia = 0.03, at = [1, 0.3], markers = {{ down = [0, -0.3], up = [0, 0.25] }} }},
        ]
        joint = [
            {{ name = 'A', type = 'revolute', a = 'crank.down', b = [0, 0] }},
            {{ name = 'B', type = 'revolute', a = 'coupler.left', b = 'crank.up' }},
            {{ name = 'C', type = 'revolute', a = 'coupler.right', b = 'rocker.up' }},
            {{ name = 'D', type = 'revolute', a = 'rocker.down', b = [1, 0] }},
        ]
        {spring}"
    ));
    let space = model(&format!(
        "gravity = [0, -9.81, 0]
        spatial-body = [
            {{ name = 'crank', mass = 1, inertia = [0.02, 0.02, 0.02], at = [0, 0.2, 0],
               markers = {{ down = [0, -0.2, 0], up = [0, 0.2, 0] }} }},
            {{ name = 'coupler', mass = 2, inertia = [0.05, 0.05, 0.05], at = [0.5, 0.45, 0],
               orientation = {{ axis = [0, 0, 1], angle = 'pi/2' }}, markers = {{ left = [0, 0.5, 0], right = [0.1, -0.5, 0] }} }},
            {{ name = 'rocker', mass = 1.5, inertia = [0.03, 0.03, 0.03], at = [1, 0.3, 0],
               markers = {{ down = [0, -0.3, 0], up = [0, 0.25, 0] }} }},
        ]
        joint = [
            {{ name = 'A', type = 'revolute', a = 'crank.down', b = [0, 0, 0], axis = [0, 0, 1] }},
            {{ name = 'B', type = 'revolute', a = 'coupler.left', b = 'crank.up', axis = [0, 0, 1] }},
            {{ name = 'C', type = 'revolute', a = 'coupler.right', b = 'rocker.up', axis = [0, 0, 1] }},
            {{ name = 'D', type = 'revolute', a = 'rocker.down', b = [1, 0, 0], axis = [0, 0, 1] }},
        ]
        {spring}"
    ));
    let q = assemble(&space, space.initial(), 0.0, &AssemblyOptions::default()).unwrap().q;
    let rank = constraint_rank(&space, &q, 0.0, RankTolerance::default()).unwrap();
    assert_eq!((rank.rows, rank.rank(), rank.degrees_of_freedom()), (20, 17, 1));
    let names: Vec<&str> = rank.redundant.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(
        names,
        ["joint 'D' (z)", "joint 'D' (rotation about its x)", "joint 'D' (rotation about its y)"]
    );
    let (a, b) = (modes(&plane), modes(&space));
    assert_eq!((a.len(), b.len()), (1, 1));
    near(b[0], a[0], 1e-9);
}

/// A body in space welded to one in the plane swings with it: plane and space mix in one model.
#[test]
fn a_body_in_space_rides_on_one_in_the_plane() {
    let m = model(
        "gravity = [0, -10]
        body = [{ name = 'rod', mass = 2, inertia = 0.1, at = [0, -0.5], markers = { top = [0, 0.5], end = [0, -0.5] } }]
        spatial-body = [{ name = 'bob', mass = 3, inertia = [0.2, 0.3, 0.4], at = [0, -1, 0], orientation = { axis = [1, 0, 0], angle = 0.7 } }]
        joint = [
            { name = 'pin', type = 'revolute', a = 'rod.top', b = [0, 0] },
            { name = 'weld', type = 'fixed', a = 'bob', b = 'rod.end' },
        ]",
    );
    assert_eq!((m.nv(), m.nc()), (9, 8));
    // About z: the bob is turned about x, so its moment is a mean of two.
    let (s, c) = 0.7_f64.sin_cos();
    let inertia = 0.1 + 2.0 * 0.25 + 0.3 * s * s + 0.4 * c * c + 3.0;
    near(modes(&m)[0], (10.0 * (2.0 * 0.5 + 3.0) / inertia).sqrt(), 1e-12);
}

/// The chain hangs at its equilibrium; all its frequencies are real and as many as its links.
#[test]
fn chain_of_bodies_swings_in_two_planes() {
    let m = spatial_chain(6).unwrap().build().unwrap();
    let found = modes(&m);
    assert_eq!(found.len(), 6);
    assert!(found.iter().all(|w| *w > 1.0));
}

/// A linkage of three bodies with gravity, springs and a bushing, turned by a rotation.
fn turned(p: [f64; 4]) -> Model {
    let n = p.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [w, x, y, z] = p.map(|x| x / n);
    let r = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let at = |v: [f64; 3]| -> Vec<f64> { (0..3).map(|i| (0..3).map(|k| r[i][k] * v[k]).sum()).collect() };
    model(&format!(
        "gravity = {g:?}
        spatial-body = [
            {{ name = 'a', mass = 1, inertia = [0.02, 0.03, 0.04], at = {a:?}, orientation = {{ euler_parameters = {p:?} }},
               markers = {{ up = [0, 0, 0.2], down = [0, 0, -0.2] }} }},
            {{ name = 'b', mass = 2, inertia = [0.04, 0.02, 0.03], at = {b:?}, orientation = {{ euler_parameters = {p:?} }},
               markers = {{ up = [0, 0, 0.2], down = [0, 0.1, -0.2] }} }},
            {{ name = 'c', mass = 1, inertia = [0.03, 0.03, 0.02], at = {c:?}, orientation = {{ euler_parameters = {p:?} }},
               markers = {{ up = [0, -0.1, 0.2] }} }},
        ]
        joint = [
            {{ name = '1', type = 'revolute', a = 'a.up', b = {o:?}, axis = {axis:?} }},
            {{ name = '2', type = 'universal', a = 'b.up', b = 'a.down', axis = [1, 0, 0], axis_a = [0, 1, 0] }},
            {{ name = '3', type = 'cylindrical', a = 'c.up', b = 'b.down', axis = [0, 0.6, 0.8] }},
        ]
        spring = [{{ name = 's', a = {s:?}, b = 'c', stiffness = 90, natural_length = 0.3, damping = 2 }}]
        bushing = [{{ name = 'k', a = 'c', b = 'b', stiffness = [40, 50, 60, 2, 3, 4], damping = [1, 1, 1, 0.1, 0.2, 0.3] }}]",
        g = at([0.0, 1.0, -9.81]),
        a = at([0.0, 0.0, -0.2]),
        b = at([0.0, 0.0, -0.6]),
        c = at([0.0, 0.2, -1.0]),
        o = at([0.0; 3]),
        axis = at([0.8, 0.6, 0.0]),
        s = at([0.5, 0.3, -0.9]),
    ))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn eigenvalues_do_not_feel_a_rotation_of_the_whole(p in proptest::array::uniform4(-1.0_f64..1.0)) {
        prop_assume!(p.iter().map(|x| x * x).sum::<f64>() > 0.1);
        let spectrum = |m: &Model| {
            let (_, lin) = at_rest(m);
            eigenvalues(&minimal(m, &lin, &NullSpaceMethod::Qr).unwrap().pencil())
        };
        let (here, there) = (spectrum(&turned([1.0, 0.0, 0.0, 0.0])), spectrum(&turned(p)));
        prop_assert_eq!(here.len(), there.len());
        for s in &here {
            let nearest = there.iter().map(|z| (z - s).norm()).fold(f64::MAX, f64::min);
            prop_assert!(nearest < 1e-8 * s.norm().max(1.0), "{} {:?}", s, there);
        }
    }
}

/// A start that does not fit is assembled; one that cannot is refused by the names of its joints.
#[test]
fn starts_are_assembled_or_refused() {
    let mut spec: ModelSpec = SpatialFourBar::default().spec().unwrap();
    for body in &mut spec.spatial_bodies {
        body.at = body.at.take().map(|[x, y, z]| {
            let shift = |v: mb_model::spec::Value, d: f64| format!("{v} + {d}").as_str().into();
            [shift(x, 0.03), shift(y, -0.02), shift(z, 0.01)]
        });
    }
    let m = spec.build().unwrap();
    let q = assemble(&m, m.initial(), 0.0, &AssemblyOptions::default()).unwrap().q;
    assert!(m.phi(&q, 0.0).iter().all(|x| x.abs() < 1e-12));
    let far = model(
        "spatial-body = [{ name = 'b', mass = 1, inertia = [1, 1, 1], markers = { l = [-1, 0, 0], r = [1, 0, 0] } }]
        joint = [
            { name = 'left', type = 'spherical', a = 'b.l', b = [-1, 0, 0] },
            { name = 'right', type = 'spherical', a = 'b.r', b = [1.5, 0, 0] },
        ]",
    );
    let error = assemble(&far, far.initial(), 0.0, &AssemblyOptions::default()).unwrap_err().to_string();
    assert!(error.contains("'left' (x)") && error.contains("'right' (x)"), "{error}");
}

/// Small rotations of a body along a motion: dw = d' + w x d, dw' = d'' + w x d' + w' x d.
#[test]
fn changes_of_a_turning_body_follow_the_kinematics() {
    let m = model("spatial-body = [{ name = 'b', mass = 1, inertia = [1, 2, 2.5] }]");
    let at = Point {
        v: vec![0.0, 0.0, 0.0, 0.7, -0.4, 1.1],
        a: vec![0.0, 0.0, 0.0, -0.3, 0.9, 0.5],
        ..m.initial_point()
    };
    let x = [[0.3, -0.8, 0.5], [0.9, 0.2, -0.6], [-0.4, 0.7, 1.2]];
    // The attitude at time t when the motion is changed by e (x0 + x1 t + x2 t^2 / 2).
    let attitude = |t: f64, e: f64| {
        let mut d = vec![0.0; 6];
        for i in 3..6 {
            d[i] = at.v[i] * t + 0.5 * at.a[i] * t * t;
        }
        let q = m.coordinates().retract(&at.q, &d);
        let mut d = vec![0.0; 6];
        for i in 0..3 {
            d[3 + i] = e * (x[0][i] + x[1][i] * t + 0.5 * x[2][i] * t * t);
        }
        m.coordinates().retract(&q, &d)[3..7].to_vec()
    };
    let h = 2e-3;
    // Angular velocity in body axes: twice the vector part of conj(p) p', by central differences.
    let spin = |t: f64, e: f64| {
        let (p, plus, less) = (attitude(t, e), attitude(t + h, e), attitude(t - h, e));
        let r: Vec<f64> = (0..4).map(|i| (plus[i] - less[i]) / (2.0 * h)).collect();
        [
            2.0 * (p[0] * r[1] - p[1] * r[0] - p[2] * r[3] + p[3] * r[2]),
            2.0 * (p[0] * r[2] - p[2] * r[0] - p[3] * r[1] + p[1] * r[3]),
            2.0 * (p[0] * r[3] - p[3] * r[0] - p[1] * r[2] + p[2] * r[1]),
        ]
    };
    let e = 1e-3;
    let change =
        |t: f64| -> Vec<f64> { (0..3).map(|i| (spin(t, e)[i] - spin(t, -e)[i]) / (2.0 * e)).collect() };
    let (now, before, after) = (change(0.0), change(-h), change(h));
    let cross = |a: &[f64], b: &[f64; 3], i: usize| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    };
    let (w, dw) = (&at.v[3..6], &at.a[3..6]);
    for i in 0..3 {
        let rate = x[1][i] + cross(w, &x[0], i);
        let second = x[2][i] + cross(w, &x[1], i) + cross(dw, &x[0], i);
        assert!((now[i] - rate).abs() < 1e-4, "{} {rate}", now[i]);
        assert!(((after[i] - before[i]) / (2.0 * h) - second).abs() < 1e-4);
    }
}
