//! Steady motions: exponents against equations written by hand in a frame that stands still, and refusals.

#![expect(clippy::float_cmp, reason = "numbers that the tests set themselves")]

use mb_algebra::{Dense, QuadraticPencil, c64};
use mb_constraints::NullSpaceMethod;
use mb_linear::formulation::minimal::minimal;
use mb_linear::steady::{Reason, Spin, Whirl, spinning, steady_near};
use mb_linear::{
    Frame, FrameChoice, Instant, LinearError, OperatingPoint, PointKind, linearize, linearize_sparse,
};
use mb_model::{Model, Point};

fn model(text: &str) -> Model {
    Model::from_toml(&format!("units = \"SI\"\nname = \"test\"\n{text}")).unwrap_or_else(|e| panic!("{e}"))
}

/// The instant of the model's own start, with some speeds set.
fn instant(m: &Model, speeds: &[(&str, f64)]) -> Instant {
    let mut v = m.initial_velocity().to_vec();
    for (name, value) in speeds {
        v[m.coordinates().names().iter().position(|n| n == name).unwrap()] = *value;
    }
    Instant::of_motion(m, m.initial().to_vec(), v, 0.0, vec![0.0; m.inputs().len()], 1e-9).unwrap()
}

fn operating_point(
    m: &Model,
    speeds: &[(&str, f64)],
    frame: &FrameChoice,
) -> Result<OperatingPoint, LinearError> {
    OperatingPoint::of_instant(m, &instant(m, speeds), frame)
}

/// Eigenvalues of all formulations of the linearization, each a list.
fn eigenvalues(m: &Model, at: &OperatingPoint) -> Vec<Vec<c64>> {
    let lin = linearize(m, at);
    let sparse = linearize_sparse(m, at);
    for (a, b) in [(&sparse.m, &lin.m), (&sparse.c, &lin.c), (&sparse.k, &lin.k)] {
        let off = mb_algebra::norms::max_abs(&(&mb_algebra::to_dense(a) - b));
        assert!(off <= 1e-13 * (1.0 + mb_algebra::norms::max_abs(b)), "{off}");
    }
    let mut pencils = vec![lin.pencil()];
    for method in [
        NullSpaceMethod::Qr,
        NullSpaceMethod::Svd,
        NullSpaceMethod::GramSchmidt,
        NullSpaceMethod::CoordinateSelection(None),
    ] {
        pencils.push(minimal(m, &lin, &method).unwrap().pencil());
    }
    pencils.iter().map(eigenvalues_of).collect()
}

fn eigenvalues_of(pencil: &QuadraticPencil<Dense>) -> Vec<c64> {
    let spectrum = mb_eigen::dense::solve(pencil, &mb_eigen::DenseOptions::default()).unwrap();
    spectrum.motion().filter_map(mb_eigen::Eigenpair::value).collect()
}

/// Every expected exponent is there, in every formulation.
fn has(found: &[Vec<c64>], expected: &[c64], tolerance: f64) {
    for list in found {
        for s in expected {
            let nearest = list.iter().map(|z| (*z - *s).norm()).fold(f64::MAX, f64::min);
            assert!(nearest <= tolerance * s.norm().max(1.0), "{s} is {nearest:e} away: {list:?}");
        }
    }
}

/// sqrt of a real number that may be negative, with both signs.
fn signed_roots(square: f64) -> [c64; 2] {
    let s = c64::new(square, 0.0).sqrt();
    [s, -s]
}

/// s^2 of s^4 + b s^2 + c = 0.
fn biquadratic(b: f64, c: f64) -> [f64; 2] {
    let root = (b * b - 4.0 * c).sqrt();
    // The smaller one by the product of both, which does not cancel.
    let large = -(b + root) / 2.0;
    [large, c / large]
}

fn turntable(kx: f64, ky: f64) -> Model {
    model(&format!(
        "gravity = [0, 0]
        body = [{{ name = 'table', mass = 1, inertia = 1000, at = [0, 0],
            markers = {{ e = [1, 0], w = [-1, 0], n = [0, 1], s = [0, -1] }} }}]
        joint = [{{ name = 'axle', type = 'revolute', a = 'table', b = [0, 0] }}]
        point = [{{ name = 'm', at = [0, 0], mass = 1 }}]
        spring = [
            {{ name = 'e', a = 'table.e', b = 'm', stiffness = {kx}, natural_length = 1 }},
            {{ name = 'w', a = 'table.w', b = 'm', stiffness = {kx}, natural_length = 1 }},
            {{ name = 'n', a = 'table.n', b = 'm', stiffness = {ky}, natural_length = 1 }},
            {{ name = 's', a = 'table.s', b = 'm', stiffness = {ky}, natural_length = 1 }}]"
    ))
}

/// Two springs on each axis at their natural length: k_x = 2 kx, k_y = 2 ky in the table's axes. In these
/// x'' - 2 W y' + (k_x - W^2) x = 0, y'' + 2 W x' + (k_y - W^2) y = 0.
#[test]
fn a_mass_on_a_turntable_grows_between_its_frequencies() {
    let m = turntable(1000.0, 100.0);
    for w in [1.0, 10.0, 14.0, 20.0, -20.0, 40.0, 44.0, 50.0, 200.0] {
        let at = operating_point(&m, &[("table.angle", w)], &FrameChoice::Automatic).unwrap();
        let motion = at.steady().unwrap();
        assert_eq!(motion.frame(), &Frame::Body { name: "table".to_owned(), rate: [0.0, 0.0, w] });
        assert!(motion.deviation().relative < 1e-12, "{:?}", motion.deviation().relative);
        let (kx, ky) = (2000.0, 200.0);
        let squares = biquadratic(kx + ky + 2.0 * w * w, (kx - w * w) * (ky - w * w));
        let expected: Vec<c64> = squares.into_iter().flat_map(signed_roots).collect();
        has(&eigenvalues(&m, &at), &expected, 1e-11);
        let grows = expected.iter().any(|s| s.re > 1e-6);
        assert_eq!(grows, w * w > ky && w * w < kx, "{w}");
    }
}

/// With equal springs the ground's frame is admissible, and taken; the table's, when asked for, shifts by i W.
#[test]
fn equal_springs_are_seen_from_the_ground() {
    let (m, w) = (turntable(500.0, 500.0), 7.0);
    let at = operating_point(&m, &[("table.angle", w)], &FrameChoice::Automatic).unwrap();
    assert_eq!((at.kind(), at.steady().unwrap().frame()), (PointKind::Steady, &Frame::Ground));
    let own = 1000.0_f64.sqrt();
    has(&eigenvalues(&m, &at), &[c64::new(0.0, own), c64::new(0.0, -own)], 1e-11);
    let table = FrameChoice::Body("table".to_owned());
    let at = operating_point(&m, &[("table.angle", w)], &table).unwrap();
    has(&eigenvalues(&m, &at), &[c64::new(0.0, own - w), c64::new(0.0, own + w)], 1e-11);
    for speed in [0.0, w] {
        let error = operating_point(&m, &[("table.angle", speed)], &FrameChoice::Body("tabel".to_owned()));
        assert!(error.unwrap_err().to_string().contains("'tabel'"), "{speed}");
    }
    // At rest every frame is the same.
    for frame in [FrameChoice::Automatic, FrameChoice::Ground, table] {
        let at = operating_point(&m, &[], &frame).unwrap();
        assert_eq!((at.kind(), at.steady()), (PointKind::Equilibrium, None));
        has(&eigenvalues(&m, &at), &[c64::new(0.0, own), c64::new(0.0, -own)], 1e-11);
    }
    let unequal = turntable(500.0, 501.0);
    let error = operating_point(&unequal, &[("table.angle", w)], &FrameChoice::Ground).unwrap_err();
    assert!(matches!(error, LinearError::NotSteady(_)), "{error}");
}

/// A rotor on bearings at distances a and b from its mass centre, by hand in the ground's frame: with
/// c_xx = k (a^2 + b^2), c_x = k (b - a), J = transverse, h = polar w:
/// m x'' + 2 k x + c_x p = 0, J p'' + h r' + c_xx p + c_x x = 0 and the same in y, r with the opposite gyroscopic sign.
#[test]
fn a_rotor_on_two_bearings_whirls_as_the_equations_of_the_ground_say() {
    for (kx, ky, spin) in [(1e6, 1e6, 300.0), (1e6, 2e6, 300.0), (1e6, 2e6, -50.0), (1e5, 3e6, 2000.0)] {
        let m = model(&format!(
            "spatial-body = [{{ name = 'rotor', mass = 10, inertia = [0.2, 0.2, 0.35],
                markers = {{ a = [0, 0, -0.2], b = [0, 0, 0.1] }} }}]
            bushing = [
                {{ name = 'lower', a = 'rotor.a', b = [0, 0, -0.2], stiffness = [{kx}, {ky}, 1e6, 0, 0, 0] }},
                {{ name = 'upper', a = 'rotor.b', b = [0, 0, 0.1], stiffness = [{kx}, {ky}, 0, 0, 0, 0] }}]"
        ));
        let at = operating_point(&m, &[("rotor.rotation z", spin)], &FrameChoice::Automatic).unwrap();
        assert_eq!(at.steady().unwrap().frame(), &Frame::Ground);
        // Displacements x, y of the mass centre, small rotations p about x and r about y of the ground: at height z the
        // shaft moves by (x + r z, y - p z).
        let (j, h) = (0.2, 0.35 * spin);
        let (mut mass, mut c, mut k) = (Dense::zeros(4, 4), Dense::zeros(4, 4), Dense::zeros(4, 4));
        for (i, x) in [10.0, 10.0, j, j].into_iter().enumerate() {
            mass[(i, i)] = x;
        }
        // The angular momentum h along the shaft, tilted: J p'' + h r' = moment about x.
        (c[(2, 3)], c[(3, 2)]) = (h, -h);
        for z in [-0.2, 0.1] {
            let rows = [([1.0, 0.0, 0.0, z], kx), ([0.0, 1.0, -z, 0.0], ky)];
            for (row, stiffness) in rows {
                for i in 0..4 {
                    for l in 0..4 {
                        k[(i, l)] += stiffness * row[i] * row[l];
                    }
                }
            }
        }
        let expected = eigenvalues_of(&QuadraticPencil { m: mass, c, k, phi_q: Dense::zeros(0, 4) });
        assert_eq!(expected.len(), 8);
        has(&eigenvalues(&m, &at), &expected, 1e-11);
        if kx == ky {
            // On isotropic bearings orbits are circles: in z = x + i y the forward modes are the positive frequencies.
            let whirl = Whirl::of(&m, at.steady().unwrap()).unwrap();
            let spectrum =
                mb_eigen::dense::solve(&linearize(&m, &at).pencil(), &mb_eigen::DenseOptions::default())
                    .unwrap();
            // [m 0; 0 J] z'' - i h [0 0; 0 1] z' + [2k, c; c, k_r] z = 0, a complex rotation z = r - i p with its own sign.
            let (c, kr) = (kx * (-0.2 + 0.1), kx * (0.04 + 0.01));
            let determinant = |w: f64| (2.0 * kx - 10.0 * w * w) * (kr - j * w * w + h * w) - c * c;
            for pair in spectrum.motion().filter(|p| p.alpha.im > 1.0) {
                let w = pair.value().unwrap().im;
                let scale = (2.0 * kx + 10.0 * w * w) * (kr + j * w * w + h * w);
                let Some(sense) = whirl.sense(&pair.right) else { continue };
                assert!((sense.abs() - 1.0).abs() < 1e-6, "{w}: {sense}");
                let own = determinant(sense.signum() * w).abs() / scale;
                assert!(own < 1e-9, "{w} with {sense}: {own}");
            }
        }
    }
}

/// The bead rests in its slot at l / (1 - w^2 m / k); its stiffness is k - m w^2.
#[test]
fn a_bead_in_a_turning_slot_is_softened_by_the_turn() {
    for w in [1.0_f64, 6.0, 9.0] {
        let place = 1.0 / (1.0 - w * w / 100.0);
        let m = model(&format!(
            "gravity = [0, 0]
            body = [{{ name = 'arm', mass = 1, inertia = 1, at = [0, 0], angular_velocity = {w} }},
                {{ name = 'bead', mass = 1, inertia = 0.1, at = [{place}, 0], angular_velocity = {w}, velocity = [0, {speed}] }}]
            joint = [{{ name = 'O', type = 'revolute', a = 'arm', b = [0, 0] }},
                {{ name = 'slot', type = 'prismatic', a = 'bead', b = 'arm', axis = [1, 0] }}]
            spring = [{{ name = 's', a = 'arm', b = 'bead', stiffness = 100, natural_length = 1 }}]
            drive = [{{ name = 'turn', quantity = 'angle', of = 'arm', law = '{w}*t' }}]",
            speed = place * w
        ));
        let at = operating_point(&m, &[], &FrameChoice::Automatic).unwrap();
        has(&eigenvalues(&m, &at), &signed_roots(-(100.0 - w * w)), 1e-11);
        assert!(matches!(at.steady().unwrap().frame(), Frame::Body { name, .. } if name == "arm"));
        // Somewhere else the bead moves along the slot, and nothing is steady.
        let off = m.initial().to_vec();
        let mut v = m.initial_velocity().to_vec();
        let bead = m.coordinates().names().iter().position(|n| n == "bead.x").unwrap();
        let mut q = off;
        q[bead] = place + 0.1;
        v[bead + 1] = (place + 0.1) * w;
        let at = Instant::of_motion(&m, q, v, 0.0, vec![], 1e-9).unwrap();
        let error = OperatingPoint::of_instant(&m, &at, &FrameChoice::Automatic).unwrap_err();
        assert!(error.to_string().contains("'bead'") || error.to_string().contains("'arm'"), "{error}");
    }
}

fn unsymmetric_shaft(kx: f64, ky: f64, w: f64) -> Model {
    model(&format!(
        "spatial-body = [{{ name = 'hub', mass = 1, inertia = [1, 1, 1], at = [0, 0, 0], angular_velocity = [0, 0, {w}] }},
            {{ name = 'm', mass = 1, inertia = [0.1, 0.1, 0.1], at = [0, 0, 0], angular_velocity = [0, 0, {w}] }}]
        joint = [{{ name = 'axle', type = 'revolute', a = 'hub', b = 'ground', axis = [0, 0, 1] }},
            {{ name = 'guide', type = 'generic', a = 'm', b = 'hub', free = ['x', 'y'] }}]
        drive = [{{ name = 'turn', quantity = 'angle', of = 'axle', law = '{w}*t' }}]
        bushing = [{{ name = 'shaft', a = 'm', b = 'hub', stiffness = [{kx}, {ky}, 0, 0, 0, 0] }}]"
    ))
}

#[test]
fn a_shaft_of_unequal_stiffness_grows_between_its_frequencies() {
    for w in [5.0, 10.5, 12.0] {
        let m = unsymmetric_shaft(100.0, 121.0, w);
        let at = operating_point(&m, &[], &FrameChoice::Automatic).unwrap();
        let squares = biquadratic(221.0 + 2.0 * w * w, (100.0 - w * w) * (121.0 - w * w));
        let expected: Vec<c64> = squares.into_iter().flat_map(signed_roots).collect();
        has(&eigenvalues(&m, &at), &expected, 1e-11);
        assert_eq!(expected.iter().any(|s| s.re > 1e-6), w == 10.5);
    }
}

/// Steady precession of a tilted top. With A the moment about the pin, C the polar one, n the spin, P the precession at the
/// angle th, the effective potential gives the nutation: A^2 s^2 = -(...), from
/// A th'' = (P_phi - C n cos)(...) as the second derivative of V(th) = (L - C n cos th)^2 / (2 A sin^2 th) + m g h cos th.
#[test]
fn a_tilted_top_nutates_about_its_precession() {
    let (mass, h, i1, i3, g): (f64, f64, f64, f64, f64) = (0.5, 0.06, 4e-4, 5e-4, 9.81);
    let a = i1 + mass * h * h;
    for (degrees, p) in [(30.0_f64, 10.0), (30.0, -7.0), (70.0, 12.0), (120.0, 15.0)] {
        let th = degrees.to_radians();
        let n = (mass * g * h + a * p * p * th.cos()) / (i3 * p);
        let s = n - p * th.cos();
        let m = model(&format!(
            "gravity = [0, 0, -{g}]
            spatial-body = [{{ name = 'top', mass = {mass}, inertia = [{i1}, {i1}, {i3}], center_of_mass = [0, 0, {h}],
                orientation = {{ axis = [0, 1, 0], angle = {th} }}, angular_velocity = [{wx}, 0, {wz}] }}]
            joint = [{{ name = 'tip', type = 'spherical', a = 'top', b = [0, 0, 0] }}]",
            wx = s * th.sin(),
            wz = p + s * th.cos()
        ));
        let at = operating_point(&m, &[], &FrameChoice::Automatic).unwrap();
        let Frame::Turning { rate } = at.steady().unwrap().frame() else { panic!("{:?}", at.steady()) };
        assert!(rate[0].abs() < 1e-9 && rate[1].abs() < 1e-9 && (rate[2] - p).abs() < 1e-9, "{rate:?}");
        // V'' by u = (L - C n cos)/(sin): V = u^2 / (2 A) + m g h cos, u' = C n - u cot, u'' = u / sin^2 - u' cot.
        let (sin, cos) = th.sin_cos();
        let u = a * p * sin;
        let first = i3 * n - u * cos / sin;
        let second = u / (sin * sin) - first * cos / sin;
        let stiffness = (first * first + u * second) / a - mass * g * h * cos;
        has(&eigenvalues(&m, &at), &signed_roots(-stiffness / a), 1e-9);
        // Both angles can be ignored and both momenta are kept: four zeros whatever the digits.
        let (lin, motion) = (linearize(&m, &at), at.steady().unwrap());
        let zeros =
            motion.free_directions(&m, &mb_algebra::to_sparse(&lin.k), &mb_algebra::to_sparse(&lin.phi_q));
        let off = motion.deviation().in_all_coordinates();
        let options = mb_eigen::DenseOptions::default();
        let found =
            mb_eigen::dense::solve_with_zeros(&lin.pencil(), &zeros, &off, &options).unwrap().unwrap();
        assert_eq!((found.counts.found.rigid, found.counts.found.physical), (4, 2), "{degrees} {p}");
    }
}

/// Many tops on one pin, all in the same precession: no body turns with the frame in which it is steady, of a model with more
/// coordinates than blocks may have frames of their own. The closed form is that of one top at a right angle: A s^2 = -(C n)^2 / A - A P^2
/// with C n P = m g h.
#[test]
fn the_frame_of_a_precession_is_found_in_large_models() {
    let (mass, h, i1, i3, g, p): (f64, f64, f64, f64, f64, f64) = (0.5, 0.06, 4e-4, 5e-4, 9.81, 12.0);
    let (a, momentum) = (i1 + mass * h * h, mass * g * h / p);
    let n = momentum / i3;
    let tops: Vec<[String; 2]> = (0..21)
        .map(|k| {
            let (y, x) = (0.3 * f64::from(k)).sin_cos();
            let quarter = std::f64::consts::FRAC_PI_2;
            [
                format!(
                    "{{ name = 'top{k}', mass = {mass}, inertia = [{i1}, {i1}, {i3}], center_of_mass = [0, 0, {h}],
                        orientation = {{ axis = [{}, {x}, 0], angle = {quarter} }},
                        angular_velocity = [{}, {}, {p}] }}",
                    -y,
                    n * x,
                    n * y
                ),
                format!("{{ name = 'tip{k}', type = 'spherical', a = 'top{k}', b = [0, 0, 0] }}"),
            ]
        })
        .collect();
    let list = |i: usize| tops.iter().map(|top| top[i].as_str()).collect::<Vec<_>>().join(",\n");
    let m = model(&format!("gravity = [0, 0, -{g}]\nspatial-body = [{}]\njoint = [{}]", list(0), list(1)));
    let at = operating_point(&m, &[], &FrameChoice::Automatic).unwrap();
    let Frame::Turning { rate } = at.steady().unwrap().frame() else { panic!("{:?}", at.steady()) };
    assert!(rate[0].abs() < 1e-9 && rate[1].abs() < 1e-9 && (rate[2] - p).abs() < 1e-9, "{rate:?}");
    let nutation = -((momentum / a).powi(2) + p * p);
    let found = eigenvalues(&m, &at);
    has(&found, &signed_roots(nutation), 1e-9);
}

/// A pendulum on a support that shakes: at t = 0 all first derivatives vanish, and yet nothing is steady.
#[test]
fn a_shaken_pendulum_has_no_exponents() {
    let shaken = |law: &str| {
        model(&format!(
            "gravity = [0, -1.8]
            body = [{{ name = 's', mass = 1, inertia = 1, at = [0, 0.5] }},
                {{ name = 'p', mass = 1, inertia = 1e-9, center_of_mass = [0, -1], at = [0, 0.5] }}]
            joint = [{{ name = 'rail', type = 'prismatic', a = 's', b = [0, 0], axis = [0, 1] }},
                {{ name = 'pin', type = 'revolute', a = 'p', b = 's' }}]
            drive = [{{ name = 'shake', quantity = 'y', of = 's', law = '{law}' }}]"
        ))
    };
    let error = operating_point(&shaken("0.5*cos(2*t)"), &[], &FrameChoice::Automatic).unwrap_err();
    let LinearError::NotSteady(why) = &error else { panic!("{error}") };
    assert!(matches!(&why.reason, Reason::GivenInTime { owner, .. } if owner.contains("shake")), "{error}");
    // Moved at constant speed it is a pendulum like any other.
    let m = shaken("0.5 + 3*t");
    let at = operating_point(&m, &[("s.y", 3.0), ("p.y", 3.0)], &FrameChoice::Automatic).unwrap();
    assert_eq!(at.kind(), PointKind::Steady);
    has(&eigenvalues(&m, &at), &signed_roots(-1.8), 1e-8);
}

/// Two parts that are both unsymmetric and turn with different speeds have no common frame.
#[test]
fn two_speeds_on_an_unsymmetric_model_are_refused() {
    let text = |k: f64| {
        format!(
            "gravity = [0, 0]
            body = [{{ name = 'table', mass = 1, inertia = 10, markers = {{ e = [1, 0], w = [-1, 0], n = [0, 1], s = [0, -1] }} }},
                {{ name = 'disc', mass = 1, inertia = 1, markers = {{ e = [0.5, 0], w = [-0.5, 0], n = [0, 0.5], s = [0, -0.5] }} }}]
            joint = [{{ name = 'axle', type = 'revolute', a = 'table', b = [0, 0] }},
                {{ name = 'pin', type = 'revolute', a = 'disc', b = [0, 0] }}]
            point = [{{ name = 'm', mass = 1 }}]
            spring = [
                {{ name = 'e', a = 'table.e', b = 'm', stiffness = 50, natural_length = 1 }},
                {{ name = 'w', a = 'table.w', b = 'm', stiffness = 50, natural_length = 1 }},
                {{ name = 'n', a = 'disc.n', b = 'm', stiffness = {k}, natural_length = 0.5 }},
                {{ name = 's', a = 'disc.s', b = 'm', stiffness = {k}, natural_length = 0.5 }}]"
        )
    };
    let m = model(&text(50.0));
    let same = operating_point(&m, &[("table.angle", 3.0), ("disc.angle", 3.0)], &FrameChoice::Automatic);
    assert!(same.is_ok(), "{same:?}");
    let error = operating_point(&m, &[("table.angle", 3.0), ("disc.angle", 5.0)], &FrameChoice::Automatic);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("not steady") && error.contains('\''), "{error}");
}

/// An overhung rotor on two bearings, alone and in a housing of no mass to speak of that does not turn; the spin given as a
/// speed or by a drive, the housing distinguished from the rotor by a joint. All have the whirl of the two-plane
/// equations.
#[test]
fn an_overhung_rotor_whirls_the_same_in_every_description() {
    let (spin, k) = (500.0, 1e6);
    let bearings = |of: &str, hold: f64| {
        format!(
            "bushing = [
                {{ name = 'bl', a = '{of}.left', b = 'ground', stiffness = [{k}, {k}, {k}, {hold}, 0, 0] }},
                {{ name = 'br', a = '{of}.right', b = 'ground', stiffness = [0, {k}, {k}, 0, 0, 0] }}]"
        )
    };
    let rotor = |markers: &str| {
        format!(
            "{{ name = 'rotor', mass = 10, inertia = [0.2, 0.12, 0.12], at = [0, 0, 0], angular_velocity = [{spin}, 0, 0]{markers} }}"
        )
    };
    let places = ", markers = { left = [-0.3, 0, 0], right = [0.1, 0, 0] }";
    let housing =
        format!("{{ name = 'housing', mass = 1e-6, inertia = [1e-8, 1e-8, 1e-8], at = [0, 0, 0]{places} }}");
    let joint =
        "joint = [{ name = 'spin', type = 'revolute', a = 'rotor', b = 'housing', axis = [1, 0, 0] }]";
    let drive = format!("drive = [{{ name = 'motor', quantity = 'angle', of = 'spin', law = '{spin}*t' }}]");
    let alone = format!("spatial-body = [{}]\n{}", rotor(places), bearings("rotor", 0.0));
    let held = format!("spatial-body = [{}, {housing}]\n{}\n{joint}", rotor(""), bearings("housing", 10.0));
    let driven = format!("{held}\n{drive}");
    // In y of the ground and the rotation r about z, z and p about y: heights along x are -0.3 and 0.1.
    let (j, h) = (0.12, 0.2 * spin);
    let (mut mass, mut c, mut stiff) = (Dense::zeros(4, 4), Dense::zeros(4, 4), Dense::zeros(4, 4));
    for (i, x) in [10.0, 10.0, j, j].into_iter().enumerate() {
        mass[(i, i)] = x;
    }
    // J p'' + h r' about y, J r'' - h p' about z; at x the shaft moves by (y + r x, z - p x).
    (c[(2, 3)], c[(3, 2)]) = (h, -h);
    for x in [-0.3, 0.1] {
        for row in [[1.0, 0.0, 0.0, x], [0.0, 1.0, -x, 0.0]] {
            for i in 0..4 {
                for l in 0..4 {
                    stiff[(i, l)] += k * row[i] * row[l];
                }
            }
        }
    }
    let expected = eigenvalues_of(&QuadraticPencil { m: mass, c, k: stiff, phi_q: Dense::zeros(0, 4) });
    for (text, tolerance) in [(alone, 1e-11), (held, 1e-6), (driven, 1e-6)] {
        let m = model(&text);
        let at = operating_point(&m, &[], &FrameChoice::Automatic).unwrap();
        assert_eq!(at.steady().unwrap().frame(), &Frame::Ground);
        // The housing of 1e-6 kg moves the whirl by a share of 1e-7.
        has(&eigenvalues(&m, &at), &expected, tolerance);
    }
}

/// An unsymmetric rotor on an anisotropic support has coefficients of the double speed in every frame.
#[test]
fn an_unsymmetric_rotor_on_an_anisotropic_support_is_refused() {
    let rotor = |inertia: f64, ky: f64| {
        model(&format!(
            "spatial-body = [{{ name = 'rotor', mass = 10, inertia = [0.2, {inertia}, 0.35],
                markers = {{ a = [0, 0, -0.2], b = [0, 0, 0.1] }} }}]
            bushing = [
                {{ name = 'lower', a = 'rotor.a', b = [0, 0, -0.2], stiffness = [1e6, {ky}, 1e6, 0, 0, 0] }},
                {{ name = 'upper', a = 'rotor.b', b = [0, 0, 0.1], stiffness = [1e6, {ky}, 0, 0, 0, 0] }}]"
        ))
    };
    let speed = [("rotor.rotation z", 300.0)];
    let error = operating_point(&rotor(0.21, 2e6), &speed, &FrameChoice::Automatic).unwrap_err();
    assert!(error.to_string().contains("'rotor'"), "{error}");
    let body = operating_point(&rotor(0.21, 1e6), &speed, &FrameChoice::Automatic).unwrap();
    assert!(matches!(body.steady().unwrap().frame(), Frame::Body { name, .. } if name == "rotor"));
    let ground = operating_point(&rotor(0.2, 2e6), &speed, &FrameChoice::Automatic).unwrap();
    assert_eq!(ground.steady().unwrap().frame(), &Frame::Ground);
}

/// From a start that is not steady the bead is found where the spring holds it, also near the speed at which no place is left.
#[test]
fn the_place_of_a_bead_in_a_turning_slot_is_found() {
    for w in [3.0_f64, 6.0, 9.5] {
        let m = model(&format!(
            "gravity = [0, 0]
            body = [{{ name = 'arm', mass = 1, inertia = 1, at = [0, 0], angular_velocity = {w} }},
                {{ name = 'bead', mass = 1, inertia = 0.1, at = [1, 0], angular_velocity = {w}, velocity = [0, {w}] }}]
            joint = [{{ name = 'O', type = 'revolute', a = 'arm', b = [0, 0] }},
                {{ name = 'slot', type = 'prismatic', a = 'bead', b = 'arm', axis = [1, 0] }}]
            spring = [{{ name = 's', a = 'arm', b = 'bead', stiffness = 100, natural_length = 1 }}]
            drive = [{{ name = 'turn', quantity = 'angle', of = 'arm', law = '{w}*t' }}]"
        ));
        let start = instant(&m, &[]);
        assert!(OperatingPoint::of_instant(&m, &start, &FrameChoice::Automatic).is_err());
        let at = steady_near(&m, start.point(), &FrameChoice::Automatic).unwrap().unwrap().at;
        let bead = m.coordinates().names().iter().position(|n| n == "bead.x").unwrap();
        let place = 1.0 / (1.0 - w * w / 100.0);
        assert!((at.point().q[bead] - place).abs() < 1e-9 * place, "{}", at.point().q[bead]);
        has(&eigenvalues(&m, &at), &signed_roots(-(100.0 - w * w)), 1e-9);
    }
}

/// A disc that spins on an arm that turns: p' = W x p, w = W + s, by the joints alone.
const DISC_ON_ARM: &str = "
    gravity = [0, 0, 0]
    spatial-body = [
        { name = 'arm', mass = 1, inertia = [0.1, 0.2, 0.2], at = [0.5, 0, 0], markers = { root = [-0.5, 0, 0], tip = [0.5, 0, 0] } },
        { name = 'disc', mass = 2, inertia = [0.05, 0.03, 0.03], at = [1, 0, 0] },
        { name = 'pod', mass = 1, inertia = [0.1, 0.1, 0.1], at = [2, 0, 1] }]
    joint = [
        { name = 'base', type = 'revolute', a = 'arm.root', b = [0, 0, 0], axis = [0, 0, 1] },
        { name = 'hub', type = 'revolute', a = 'disc', b = 'arm.tip', axis = [1, 0, 0] },
        { name = 'weld', type = 'fixed', a = 'pod', b = [2, 0, 1] }]";

#[test]
fn spins_carry_what_is_behind_their_joints() {
    let m = model(DISC_ON_ARM);
    let spin = |joint: &str, speed: f64| Spin::behind(joint, speed);
    let (w, s) = (3.0, 40.0);
    let (v, given) = spinning(&m, &m.initial_point(), &[spin("base", w), spin("hub", s)]).unwrap();
    assert_eq!(given.len(), 12, "the pod is not carried");
    let names = m.coordinates().names();
    let of = |name: &str| v[names.iter().position(|n| n == name).unwrap()];
    assert!((of("arm.y") - 0.5 * w).abs() + (of("disc.y") - w).abs() < 1e-12, "{v:?}");
    assert!((of("disc.rotation z") - w).abs() + (of("disc.rotation x") - s).abs() < 1e-12, "{v:?}");
    assert!(of("pod.rotation z").abs() < 1e-12);
    let start = Point { v, ..m.initial_point() };
    let at = steady_near(&m, &start, &FrameChoice::Automatic).unwrap().unwrap().at;
    assert!(matches!(at.steady().unwrap().frame(), Frame::Body { name, .. } if name == "arm"));
    for (spins, words) in [
        (vec![spin("bass", 1.0)], "'hub'"),
        (vec![spin("weld", 1.0)], "no rotation"),
        (vec![spin("base", 1.0), spin("base", 2.0)], "two speeds"),
    ] {
        let error = spinning(&m, &m.initial_point(), &spins).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let driven = model(&format!(
        "{DISC_ON_ARM}\ndrive = [{{ name = 'motor', quantity = 'angle', of = 'base', law = '2*t' }}]"
    ));
    let error = spinning(&driven, &driven.initial_point(), &[spin("base", 3.0)]).unwrap_err().to_string();
    assert!(error.contains("motor"), "{error}");
    assert!(spinning(&driven, &driven.initial_point(), &[spin("base", 2.0)]).is_ok());
    // Of several spins the one that the drive contradicts is named.
    for spins in [[spin("base", 3.0), spin("hub", 40.0)], [spin("hub", 40.0), spin("base", 3.0)]] {
        let error = spinning(&driven, &driven.initial_point(), &spins).unwrap_err().to_string();
        assert!(error.contains("'base'") && error.contains("motor") && !error.contains("'hub'"), "{error}");
    }
}

/// Where the rows of a linkage depend on each other the stiffness follows the choice of multipliers; for a constraint that
/// says the same twice it does not.
#[test]
fn a_singular_configuration_does_not_determine_its_spectrum() {
    use crate::support::{FourBar, four_bar};
    let data = FourBar {
        loops: 3,
        stiffness: 40.0,
        damping: 2.5,
        gravity: [0.0, -9.81, 0.0],
        angle: std::f64::consts::FRAC_PI_2,
    };
    let upright = four_bar(data);
    let at = |m: &Model| Point { q: m.initial().to_vec(), ..m.initial_point() };
    let found = mb_linear::undetermined(&upright, &at(&upright)).unwrap();
    assert!(found.is_some_and(|u| u.rows.iter().any(|r| r.contains("phi"))), "the sine has no slope here");
    // Newton comes to it up to the square root of rounding only.
    for loops in 1..4 {
        for angle in [0.0, 1e-8, -3e-9, 1e-7].map(|off| std::f64::consts::FRAC_PI_2 + off) {
            let near = four_bar(FourBar { loops, angle, ..data });
            let found = mb_linear::undetermined(&near, &at(&near)).unwrap();
            assert!(
                found.is_some_and(|u| u.rows.iter().any(|r| r.contains("phi"))),
                "{loops} loops, {angle}"
            );
        }
        for angle in [1.2, std::f64::consts::FRAC_PI_2 + 1e-4] {
            let aside = four_bar(FourBar { loops, angle, ..data });
            assert_eq!(mb_linear::undetermined(&aside, &at(&aside)).unwrap(), None, "{loops} loops, {angle}");
        }
    }
    let twice = model(
        "gravity = [0, -9.81]
        body = [{ name = 'bar', mass = 1, inertia = 1, at = [0, 0], angle = 0.3 }]
        joint = [{ name = 'one', type = 'revolute', a = 'bar', b = [0, 0] }, { name = 'two', type = 'revolute', a = 'bar', b = [0, 0] }]",
    );
    assert_eq!(mb_linear::undetermined(&twice, &at(&twice)).unwrap(), None);
}
