//! Relatives of the cases of `rotating.rs` and `steady.rs` that fooled the search for a frame: large entries next to small ones,
//! equivalent rigid links, and the same blade as body, link and beam.

use mb_algebra::{c64, dense};
use mb_linear::steady::{Spin, spinning, steady_near};
use mb_linear::{Frame, FrameChoice, OperatingPoint, linearize, linearize_sparse};
use mb_model::{Model, Point};

fn model(text: &str) -> Model {
    Model::from_toml(&format!("units = \"SI\"\nname = \"test\"\n{text}")).unwrap_or_else(|e| panic!("{e}"))
}

/// The steady motion near the start with these velocities.
fn near(m: &Model, v: Vec<f64>) -> OperatingPoint {
    let start = Point { v, ..m.initial_point() };
    steady_near(m, &start, &FrameChoice::Automatic).unwrap_or_else(|e| panic!("{e}")).unwrap().at
}

/// The steady motion with spins of joints.
fn turning(m: &Model, spins: &[(&str, f64)]) -> OperatingPoint {
    let spins: Vec<Spin> = spins.iter().map(|(joint, w)| Spin::behind(*joint, *w)).collect();
    near(m, spinning(m, &m.initial_point(), &spins).unwrap_or_else(|e| panic!("{e}")).0)
}

fn all(m: &Model, at: &OperatingPoint) -> Vec<c64> {
    let spectrum = mb_eigen::dense::solve(&linearize(m, at).pencil(), &mb_eigen::DenseOptions::default());
    spectrum.unwrap().motion_values()
}

/// How far the nearest eigenvalue is.
fn off(found: &[c64], expected: c64) -> f64 {
    found.iter().map(|s| (*s - expected).norm()).fold(f64::MAX, f64::min)
}

/// The lowest frequencies by the sparse solver, rad/s.
fn lowest(m: &Model, at: &OperatingPoint, count: usize) -> Vec<f64> {
    let request = mb_eigen::sparse::Request::Lowest { count };
    let options = mb_eigen::sparse::SparseOptions::default();
    let found = mb_eigen::sparse::solve(&linearize_sparse(m, at).pencil(), &request, &options).unwrap();
    let mut out: Vec<f64> = found.motion_values().iter().map(|s| s.im).filter(|w| *w > 0.0).collect();
    out.sort_by(f64::total_cmp);
    out
}

/// Two halves of a mass on a stiff spring, held by weak unequal springs to a hub that turns on a stiff mount: the changes seen
/// from the ground, 21 N/m, are 2e-9 of the largest stiffness. In the hub's frame
/// s^4 + (k_x + k_y + 2 W^2) s^2 + (k_x - W^2)(k_y - W^2) = 0.
#[test]
fn weak_springs_that_turn_are_seen_beside_stiff_ones() {
    let (kx, ky, w): (f64, f64, f64) = (100.0, 121.0, 10.5);
    let b = kx + ky + 2.0 * w * w;
    let square = 0.5 * (-b + (b * b - 4.0 * (kx - w * w) * (ky - w * w)).sqrt());
    for stiff in [1e6, 1e8, 1e10] {
        let body = |name: &str, mass: f64| {
            format!(
                "{{ name = '{name}', mass = {mass}, inertia = [1, 1, 1], at = [0, 0, 0], angular_velocity = [0, 0, {w}] }}"
            )
        };
        let m = model(&format!(
            "spatial-body = [{}, {}, {}]
            joint = [{{ name = 'axle', type = 'revolute', a = 'hub', b = 'ground', axis = [0, 0, 1] }},
                {{ name = 'one', type = 'generic', a = 'm', b = 'hub', free = ['x', 'y'] }},
                {{ name = 'two', type = 'generic', a = 'n', b = 'hub', free = ['x', 'y'] }}]
            drive = [{{ name = 'turn', quantity = 'angle', of = 'axle', law = '{w}*t' }}]
            bushing = [{{ name = 'weak', a = 'm', b = 'hub', stiffness = [{kx}, {ky}, 0, 0, 0, 0] }},
                {{ name = 'tie', a = 'm', b = 'n', stiffness = [{stiff}, {stiff}, 0, 0, 0, 0] }},
                {{ name = 'mount', a = 'hub', b = 'ground', stiffness = [{stiff}, {stiff}, 0, 0, 0, 0] }}]",
            body("hub", 1.0),
            body("m", 0.5),
            body("n", 0.5)
        ));
        let at = near(&m, m.initial_velocity().to_vec());
        let frame = at.steady().unwrap().frame();
        assert!(matches!(frame, Frame::Body { name, .. } if name == "hub"), "{stiff:e}: {frame}");
        // Two halves on a spring are softer than one mass; its rounding is seen next to the weak ones.
        let allowed = 50.0 / stiff + 1e-14 * stiff;
        let growth = c64::new(square.sqrt(), 0.0);
        assert!(off(&all(&m, &at), growth) < allowed, "{stiff:e}: {:?}", all(&m, &at));
    }
}

/// A bar of length l on a hinge at the radius R, driven with W, swings in the plane with s^2 = -1.5 W^2 R / l: as a rigid body, as a
/// flexible link and as a beam. The elastic ones differ by the square of W over their own frequency.
#[test]
fn a_hinged_bar_swings_the_same_as_body_link_and_beam() {
    let (radius, w): (f64, f64) = (0.4, 8.0);
    let hub = format!(
        "{{ name = 'hub', mass = 1, inertia = 1, at = [0, 0], markers = {{ rim = [{radius}, 0] }} }}"
    );
    let axle = "{ name = 'axle', type = 'revolute', a = 'hub', b = [0, 0] }";
    let drive = format!("drive = [{{ name = 'motor', quantity = 'angle', of = 'hub', law = '{w}*t' }}]");
    let body = format!(
        "gravity = [0, 0]
        body = [{hub}, {{ name = 'bar', mass = 3, inertia = 0.25, at = [{}, 0], markers = {{ root = [-0.5, 0] }} }}]
        joint = [{axle}, {{ name = 'hinge', type = 'revolute', a = 'bar.root', b = 'hub.rim' }}]\n{drive}",
        radius + 0.5
    );
    // The rotary inertia of the sections, h^2 / 12, adds 2.5e-5 to that of the bar, 1/3.
    let section =
        "elements = 2, density = 3e4, youngs_modulus = 1e14, section = { width = 0.01, height = 0.01 }";
    let link = format!(
        "gravity = [0, 0]
        body = [{hub}]
        flexible-link = [{{ name = 'bar', length = 1, at = [{radius}, 0], angle = 0, {section} }}]
        joint = [{axle}, {{ name = 'hinge', type = 'revolute', a = 'bar.start', b = 'hub.rim' }}]\n{drive}"
    );
    let beam = format!(
        "spatial-body = [{{ name = 'hub', mass = 1, inertia = [1, 1, 1], at = [0, 0, 0], markers = {{ rim = [{radius}, 0, 0] }} }}]
        beam = [{{ name = 'bar', from = [{radius}, 0, 0], to = [{}, 0, 0], y = [0, 1, 0], poissons_ratio = 0.3, shear = 'rigid', {section} }}]
        joint = [{{ name = 'axle', type = 'revolute', a = 'hub', b = [0, 0, 0], axis = [0, 0, 1] }},
            {{ name = 'hinge', type = 'revolute', a = 'bar.start', b = 'hub.rim', axis = [0, 0, 1] }}]
        drive = [{{ name = 'motor', quantity = 'angle', of = 'axle', law = '{w}*t' }}]",
        radius + 1.0
    );
    let expected = (1.5 * w * w * radius).sqrt();
    for (name, text, allowed) in [("body", body, 1e-10), ("link", link, 1e-4), ("beam", beam, 1e-4)] {
        let m = model(&text);
        let at = turning(&m, &[("axle", w)]);
        assert!(matches!(at.steady().unwrap().frame(), Frame::Body { name, .. } if name == "hub"));
        let found = lowest(&m, &at, 1)[0];
        assert!((found - expected).abs() < allowed * expected, "{name}: {found} for {expected}");
    }
}

/// Equivalent rigid links turn with their angle; their displacements are components in the ground's axes, counted from a place
/// that turns along, so that the frame turns them too and where the axle stands does not matter. Without terms of second order
/// the link is softened as one without geometric stiffness is.
#[test]
fn an_equivalent_rigid_link_turns_about_any_place() {
    let w = 3.0;
    let material = "length = 1, elements = 6, density = 1000, youngs_modulus = 1e9, section = { width = 0.05, height = 0.02 }, angle = 0";
    let mut before: Option<Vec<f64>> = None;
    for x in [0.0, 5.0] {
        let erls = model(&format!(
            "gravity = [0, 0]
            erls-link = [{{ name = 'blade', {material}, base = [{x}, 0] }}]
            drive = [{{ name = 'motor', quantity = 'angle', of = 'blade', law = '{w}*t' }}]"
        ));
        let mut v = vec![0.0; erls.nv()];
        v[erls.coordinates().names().iter().position(|n| n == "blade.angle").unwrap()] = w;
        let at = near(&erls, v);
        let frame = at.steady().unwrap().frame();
        assert!(matches!(frame, Frame::Body { name, .. } if name == "blade"), "{frame}");
        let found = lowest(&erls, &at, 2);
        if let Some(before) = &before {
            for (a, b) in found.iter().zip(before) {
                assert!((a - b).abs() < 1e-9 * b, "{found:?} {before:?}");
            }
        }
        before = Some(found.clone());
        let link = model(&format!(
            "gravity = [0, 0]
            body = [{{ name = 'hub', mass = 1, inertia = 1, at = [{x}, 0] }}]
            flexible-link = [{{ name = 'blade', {material}, geometric_stiffness = false, at = [{x}, 0] }}]
            joint = [{{ name = 'axle', type = 'revolute', a = 'hub', b = [{x}, 0] }},
                {{ name = 'root', type = 'fixed', a = 'blade.start', b = 'hub' }}]
            drive = [{{ name = 'motor', quantity = 'angle', of = 'hub', law = '{w}*t' }}]"
        ));
        let at = turning(&link, &[("axle", w)]);
        for (a, b) in found.iter().zip(lowest(&link, &at, 2)) {
            assert!((a - b).abs() < 1e-3 * b, "{found:?}: {b}");
        }
    }
}

/// Two masses on a spring that turn about each other, with no body whose frame could be taken: with the moment of momentum kept,
/// the distance oscillates with s^2 = -(2 k / m + 3 w^2).
#[test]
fn two_masses_turn_about_each_other() {
    let (mass, stiff, w): (f64, f64, f64) = (2.0, 50.0, 3.0);
    // m w^2 r / 2 = k (r - l) for the distance r.
    let distance = 1.3;
    let natural = distance * (1.0 - 0.5 * mass * w * w / stiff);
    let speed = 0.5 * w * distance;
    for turned in [1.0, -1.0] {
        let (w, speed) = (turned * w, turned * speed);
        let m = model(&format!(
            "gravity = [0, 0]
            point = [{{ name = 'a', at = [{}, 1], velocity = [0, {speed}], mass = {mass} }},
                {{ name = 'b', at = [-{}, 1], velocity = [0, {}], mass = {mass} }}]
            spring = [{{ name = 's', a = 'a', b = 'b', stiffness = {stiff}, natural_length = {natural} }}]",
            0.5 * distance,
            0.5 * distance,
            -speed
        ));
        let at = near(&m, m.initial_velocity().to_vec());
        let rate = at.steady().unwrap().frame().rate().unwrap();
        assert!((rate[2] - w).abs() < 1e-9, "{rate:?}");
        let expected = c64::new(0.0, (2.0 * stiff / mass + 3.0 * w * w).sqrt());
        assert!(off(&all(&m, &at), expected) < 1e-9 * expected.im, "{:?}", all(&m, &at));
    }
}

/// A rotor that may slide along an axis of any direction: its shift and its spin are free, whichever way the axis points.
#[test]
fn a_shift_along_a_tilted_axis_is_free() {
    let (w, x, z) = (300.0, [0.6, -0.64, 0.48], [0.8, 0.48, -0.36]);
    let turned = |by: f64| z.map(|e| by * e);
    let m = model(&format!(
        "gravity = [0, 0, 0]
        spatial-body = [{{ name = 'rotor', mass = 10, inertia = [0.2, 0.2, 0.35], at = [0, 0, 0],
            orientation = {{ x = {x:?}, z = {z:?} }}, angular_velocity = {:?},
            markers = {{ a = [0, 0, -0.2], b = [0, 0, 0.1] }} }}]
        bearing = [
            {{ name = 'l', a = 'rotor.a', b = {:?}, axis = {z:?}, x = {x:?}, stiffness = [[1e6, 0], [0, 2e6]] }},
            {{ name = 'r', a = 'rotor.b', b = {:?}, axis = {z:?}, x = {x:?}, stiffness = [[1e6, 0], [0, 2e6]] }}]",
        turned(w),
        turned(-0.2),
        turned(0.1)
    ));
    let at = near(&m, m.initial_velocity().to_vec());
    let (lin, motion) = (linearize(&m, &at), at.steady().unwrap());
    let zeros =
        motion.free_directions(&m, &mb_algebra::to_sparse(&lin.k), &mb_algebra::to_sparse(&lin.phi_q));
    let expected = [[z[0], z[1], z[2], 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]];
    assert_eq!(zeros.ncols(), 2);
    for (j, y) in expected.iter().enumerate() {
        let found = dense::column(&zeros, j);
        let off = found.iter().zip(y).map(|(a, b)| a * found[j * 5].signum() - b * y[j * 5].signum());
        assert!(off.fold(0.0, |a: f64, x| a.max(x.abs())) < 1e-12, "{found:?}");
    }
    let off = motion.deviation().in_all_coordinates();
    let options = mb_eigen::DenseOptions::default();
    let found = mb_eigen::dense::solve_with_zeros(&lin.pencil(), &zeros, &off, &options).unwrap().unwrap();
    assert_eq!((found.counts.found.rigid, found.counts.found.physical), (4, 8));
}

/// A bob on a universal joint at the rim of a carousel and on a stiff spring, in m, kg, N and in mm, t, N: the same motion, whose rotational
/// stiffnesses are a million times as large compared with the others in mm.
#[test]
fn a_stiff_carousel_is_the_same_in_millimetres() {
    let carousel = |stiff: f64, length: f64, mass: f64| {
        let inertia = |x: f64| x * mass * length * length;
        let at = |p: [f64; 3]| format!("{:?}", p.map(|x| x * length));
        let m = model(&format!(
            "gravity = [0, 0, {}]
            spatial-body = [
                {{ name = 'floor', mass = {mass}, inertia = {:?}, at = [0, 0, 0], markers = {{ hook = {}, post = {} }} }},
                {{ name = 'bob', mass = {}, inertia = {:?}, at = {}, markers = {{ top = {}, side = {} }} }}]
            joint = [
                {{ name = 'axle', type = 'revolute', a = 'floor', b = [0, 0, 0], axis = [0, 0, 1] }},
                {{ name = 'hook', type = 'universal', a = 'bob.top', b = 'floor.hook', axis = [0, 1, 0], axis_a = [1, 0, 0] }}]
            spring = [{{ name = 's', a = 'bob.side', b = 'floor.post', stiffness = {}, natural_length = {} }}]
            drive = [{{ name = 'motor', quantity = 'angle', of = 'axle', law = '1.7*t' }}]",
            -9.81 * length,
            [1.0; 3].map(inertia),
            at([0.6, 0.0, 0.0]),
            at([0.8, 0.4, -0.6]),
            1.2 * mass,
            [0.06, 0.07, 0.065].map(inertia),
            at([0.6, 0.0, -0.7]),
            at([0.0, 0.0, 0.7]),
            at([0.1, 0.05, 0.0]),
            stiff * mass,
            0.2 * length,
        ));
        let at = turning(&m, &[("axle", 1.7)]);
        let mut found: Vec<f64> = all(&m, &at).iter().map(|s| s.im).filter(|w| *w > 0.0).collect();
        found.sort_by(f64::total_cmp);
        found
    };
    for stiff in [1e8, 1e10] {
        let (metres, millimetres) = (carousel(stiff, 1.0, 1.0), carousel(stiff, 1e3, 1e-3));
        assert_eq!((metres.len(), millimetres.len()), (2, 2), "{metres:?} {millimetres:?}");
        for (a, b) in metres.iter().zip(&millimetres) {
            assert!((a - b).abs() < 1e-5 * a, "{stiff}: {metres:?} {millimetres:?}");
        }
    }
}
