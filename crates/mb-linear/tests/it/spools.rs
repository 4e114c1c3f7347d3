//! Several spins at once against equations written by hand: two rotors in one another, and a satellite with two wheels.

use mb_algebra::{Dense, QuadraticPencil, c64, dense};
use mb_linear::steady::{Spin, spinning, steady_near};
use mb_linear::{Frame, FrameChoice, OperatingPoint, linearize};
use mb_model::{Model, Point};

fn steady(text: &str) -> Result<(Model, OperatingPoint), mb_linear::LinearError> {
    let m = Model::from_toml(&format!("units = \"SI\"\nname = \"test\"\ngravity = [0, 0, 0]\n{text}"))
        .unwrap_or_else(|e| panic!("{e}"));
    let (v, _) = spinning(&m, &m.initial_point(), &Spin::of_model(&m)).unwrap_or_else(|e| panic!("{e}"));
    let start = Point { v, ..m.initial_point() };
    let at = steady_near(&m, &start, &FrameChoice::Automatic)?.unwrap().at;
    Ok((m, at))
}

/// The eigenvalues that are no zeros.
fn eigenvalues(pencil: &QuadraticPencil<Dense>) -> Vec<c64> {
    let spectrum = mb_eigen::dense::solve(pencil, &mb_eigen::DenseOptions::default()).unwrap();
    let all = spectrum.motion().filter_map(mb_eigen::Eigenpair::value);
    all.filter(|s| s.norm() > 1e-3).collect()
}

/// Every one of the eigenvalues expected is found.
fn has(found: &[c64], expected: &[c64], case: &str) {
    for s in expected {
        let off = found.iter().map(|x| (x - s).norm()).fold(f64::MAX, f64::min);
        assert!(off <= 1e-9 * s.norm(), "{case}: {s} is missing by {off:e} in {found:?}");
    }
}

/// One of two rotors in one another: height, mass, moments across and along, speed.
#[derive(Clone, Copy)]
struct Rotor {
    z: f64,
    mass: f64,
    across: [f64; 2],
    along: f64,
    speed: f64,
}

/// What holds a rotor at a height: against the ground, or the other one.
struct Hold {
    on: usize,
    against: Option<usize>,
    height: f64,
    k: [[f64; 2]; 2],
    c: [[f64; 2]; 2],
}

fn holds(unsymmetric: bool) -> Vec<Hold> {
    let (kx, ky, cross) = if unsymmetric { (2e6, 3.5e6, [4e5, -1e5]) } else { (2e6, 2e6, [3e5, -3e5]) };
    let even = |k: f64| [[k, 0.0], [0.0, k]];
    vec![
        Hold { on: 0, against: None, height: -0.2, k: [[kx, cross[0]], [cross[1], ky]], c: even(300.0) },
        Hold { on: 0, against: None, height: 0.15, k: even(9e5), c: even(100.0) },
        Hold { on: 1, against: Some(0), height: 0.25, k: even(4e6), c: even(250.0) },
        Hold { on: 1, against: None, height: 0.5, k: even(1.5e6), c: even(80.0) },
    ]
}

/// The model file, with lengths in `per_metre` and masses in `per_kilogram`.
fn file(rotors: &[Rotor; 2], holds: &[Hold], [per_metre, per_kilogram]: [f64; 2]) -> String {
    let names = ["inner", "outer"];
    let mut out = Vec::new();
    let (l, j) = (per_metre, per_kilogram * per_metre * per_metre);
    for (i, (r, name)) in rotors.iter().zip(names).enumerate() {
        let marks = holds.iter().enumerate().filter(|(_, h)| h.on == i || h.against == Some(i));
        let marks: Vec<String> =
            marks.map(|(k, h)| format!("p{k} = [0, 0, {}]", (h.height - r.z) * l)).collect();
        let [a, b] = r.across;
        out.push(format!(
            "[[spatial-body]]\nname = \"{name}\"\nmass = {}\ninertia = [{}, {}, {}]\nat = [0, 0, {}]\nmarkers = {{ {} }}
            [[steady-rotation]]\nname = \"spin-{name}\"\nbodies = [\"{name}\"]\naxis = [0, 0, 1]\nthrough = [0, 0, 0]\nspeed = {}
            [[bushing]]\nname = \"axial-{name}\"\na = \"{name}\"\nb = [0, 0, {}]\nstiffness = [0, 0, {}, 0, 0, 0]",
            r.mass * per_kilogram,
            a * j,
            b * j,
            r.along * j,
            r.z * l,
            marks.join(", "),
            r.speed,
            r.z * l,
            1e6 * per_kilogram
        ));
    }
    for (k, h) in holds.iter().enumerate() {
        let b = match h.against {
            Some(i) => format!("\"{}.p{k}\"", names[i]),
            None => format!("[0, 0, {}]", h.height * l),
        };
        let matrix = |a: &[[f64; 2]; 2]| format!("{:?}", a.map(|row| row.map(|x| x * per_kilogram)));
        let (stiffness, damping) = (matrix(&h.k), matrix(&h.c));
        out.push(format!(
            "[[bearing]]\nname = \"b{k}\"\na = \"{}.p{k}\"\nb = {b}\nstiffness = {stiffness}\ndamping = {damping}",
            names[h.on]
        ));
    }
    out.join("\n")
}

/// The equations in displacements x, y and tilts a, b of each rotor, seen from a frame that turns with `w` about z. With the angular velocity
/// (a' - w b, b' + w a) of the frame of a rotor, its momentum is (A (a' - w b), B (b' + w a), C W), and its rate w.r.t. the ground
///
/// ```text
/// A (a'' - w b') + (b' + w a) C W - w B (b' + w a),   B (b'' + w a') + w A (a' - w b) - (a' - w b) C W
/// ```
///
/// A bearing has the force -k u - c (u' + (w - w_b) z x u), w_b the speed of what it is held by.
fn by_hand(rotors: &[Rotor; 2], holds: &[Hold], w: f64) -> QuadraticPencil<Dense> {
    let (mut m, mut c, mut k) = (Dense::zeros(8, 8), Dense::zeros(8, 8), Dense::zeros(8, 8));
    for (i, r) in rotors.iter().enumerate() {
        let (x, y, a, b) = (4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
        let ([ja, jb], h) = (r.across, r.along * r.speed);
        for at in [x, y] {
            m[(at, at)] = r.mass;
            k[(at, at)] -= r.mass * w * w;
        }
        c[(x, y)] -= 2.0 * r.mass * w;
        c[(y, x)] += 2.0 * r.mass * w;
        (m[(a, a)], m[(b, b)]) = (ja, jb);
        c[(a, b)] += h - w * (ja + jb);
        c[(b, a)] -= h - w * (ja + jb);
        k[(a, a)] += w * h - w * w * jb;
        k[(b, b)] += w * h - w * w * ja;
    }
    for hold in holds {
        let mut reach = Dense::zeros(2, 8);
        let mut of = |i: usize, sign: f64| {
            let arm = hold.height - rotors[i].z;
            (reach[(0, 4 * i)], reach[(0, 4 * i + 3)]) = (sign, sign * arm);
            (reach[(1, 4 * i + 1)], reach[(1, 4 * i + 2)]) = (sign, -sign * arm);
        };
        of(hold.on, 1.0);
        if let Some(i) = hold.against {
            of(i, -1.0);
        }
        let turned = w - hold.against.map_or(0.0, |i| rotors[i].speed);
        let damping = dense::from_rows(&hold.c);
        let cross = dense::mul(&damping, &dense::from_rows(&[[0.0, -turned], [turned, 0.0]]));
        let stiffness = &dense::from_rows(&hold.k) + &cross;
        k = &k + &dense::mul_transpose(&reach, &dense::mul(&stiffness, &reach));
        c = &c + &dense::mul_transpose(&reach, &dense::mul(&damping, &reach));
    }
    QuadraticPencil { m, c, k, phi_q: Dense::zeros(0, 8) }
}

const UNITS: [[f64; 2]; 2] = [[1.0, 1.0], [1e3, 1e-3]];

#[test]
fn two_rotors_of_different_speeds_whirl_as_by_hand() {
    for speeds in [[300.0, -450.0], [40.0, 700.0], [-120.0, -800.0]] {
        for unsymmetric in [true, false] {
            let inner = Rotor { z: 0.02, mass: 8.0, across: [0.09; 2], along: 0.12, speed: speeds[0] };
            let outer = Rotor { z: 0.31, mass: 14.0, across: [0.2; 2], along: 0.35, speed: speeds[1] };
            let (rotors, holds) = ([inner, outer], holds(unsymmetric));
            let expected = eigenvalues(&by_hand(&rotors, &holds, 0.0));
            assert_eq!(expected.len(), 16);
            for units in UNITS {
                let (m, at) = steady(&file(&rotors, &holds, units)).unwrap();
                assert_eq!(*at.steady().unwrap().frame(), Frame::Ground);
                let found = eigenvalues(&linearize(&m, &at).pencil());
                has(&found, &expected, &format!("{speeds:?} {unsymmetric} {units:?}"));
            }
        }
    }
}

/// With one unsymmetric rotor everything stands still in its frame; with two of different speeds nowhere.
#[test]
fn an_unsymmetric_rotor_in_a_symmetric_one_is_seen_from_its_own_frame() {
    for speeds in [[150.0, 380.0], [90.0, -210.0]] {
        let inner = Rotor { z: 0.0, mass: 6.0, across: [0.08, 0.095], along: 0.11, speed: speeds[0] };
        let outer = Rotor { z: 0.3, mass: 15.0, across: [0.22; 2], along: 0.3, speed: speeds[1] };
        let holds = holds(false);
        let expected = eigenvalues(&by_hand(&[inner, outer], &holds, inner.speed));
        for units in UNITS {
            let (m, at) = steady(&file(&[inner, outer], &holds, units)).unwrap();
            let frame = at.steady().unwrap().frame();
            assert!(matches!(frame, Frame::Body { name, .. } if name == "inner"), "{frame}");
            has(&eigenvalues(&linearize(&m, &at).pencil()), &expected, &format!("{speeds:?} {units:?}"));
        }
        let both = [inner, Rotor { across: [0.22, 0.25], ..outer }];
        let refused = steady(&file(&both, &holds, UNITS[0])).unwrap_err().to_string();
        assert!(refused.contains("not steady") && refused.contains("outer"), "{refused}");
        // At one speed they are steady again.
        let together = [inner, Rotor { speed: inner.speed, ..both[1] }];
        let (m, at) = steady(&file(&together, &holds, UNITS[0])).unwrap();
        let expected = eigenvalues(&by_hand(&together, &holds, inner.speed));
        has(&eigenvalues(&linearize(&m, &at).pencil()), &expected, "together");
    }
}

/// A free satellite with wheels about x and z that turns about an axis between them: with I the moments without those of the wheels about
/// their own axes, h their momenta, which are kept, and I w + h along w,
///
/// ```text
/// I d' = -w x I d + (I w + h) x d,   nutation^2 = the sum of the principal minors of that matrix, whose third root is zero
/// ```
#[test]
fn a_satellite_with_two_wheels_nutates_as_by_hand() {
    for (w, share, units) in [
        ([0.4, 0.0, 0.9], 9.0, UNITS[0]),
        ([0.05, 0.0, 1.3], 30.0, UNITS[0]),
        ([0.7, 0.0, 0.2], 16.5, UNITS[0]),
        ([0.4, 0.0, 0.9], 9.0, UNITS[1]),
    ] {
        let (moments, axial, across) = ([11.0, 14.0, 18.0], 0.02, 0.012);
        let own: [f64; 3] = std::array::from_fn(|i| moments[i] - if i == 1 { 0.0 } else { axial });
        let h: [f64; 3] = std::array::from_fn(|i| (share - own[i]) * w[i]);
        let speed = f64::hypot(w[0], w[2]);
        let all: [f64; 3] = std::array::from_fn(|i| share * w[i]);
        let skew = |v: [f64; 3]| [[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]];
        let (of_w, of_all) = (skew(w), skew(all));
        let a = |i: usize, j: usize| (of_all[i][j] - of_w[i][j] * own[j]) / own[i];
        let minors = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| a(i, i) * a(j, j) - a(i, j) * a(j, i));
        let nutation = minors.iter().sum::<f64>();
        let [l, per_kilogram] = units;
        let j = per_kilogram * l * l;
        // Both wheels have their centres at that of the bus.
        let bus: [f64; 3] =
            std::array::from_fn(|i| (moments[i] - [axial + across, 2.0 * across, axial + across][i]) * j);
        let (axial, across) = (axial * j, across * j);
        let text = format!(
            "spatial-body = [
                {{ name = \"bus\", mass = {m}, inertia = {bus:?}, at = [0, 0, 0] }},
                {{ name = \"x\", mass = {m}, inertia = [{axial}, {across}, {across}], at = [0, 0, 0] }},
                {{ name = \"z\", mass = {m}, inertia = [{across}, {across}, {axial}], at = [0, 0, 0] }}]
            joint = [
                {{ name = \"jx\", type = \"revolute\", a = \"x\", b = \"bus\", axis = [1, 0, 0] }},
                {{ name = \"jz\", type = \"revolute\", a = \"z\", b = \"bus\", axis = [0, 0, 1] }}]
            steady-rotation = [
                {{ name = \"all\", bodies = [\"bus\", \"x\", \"z\"], axis = {w:?}, through = [0, 0, 0], speed = {speed} }},
                {{ name = \"sx\", joint = \"jx\", speed = {} }},
                {{ name = \"sz\", joint = \"jz\", speed = {} }}]",
            h[0] / 0.02 - w[0],
            h[2] / 0.02 - w[2],
            m = 50.0 * per_kilogram,
        );
        let (m, at) = steady(&text).unwrap();
        let found = eigenvalues(&linearize(&m, &at).pencil());
        has(&found, &[c64::new(-nutation, 0.0).sqrt()], &format!("{w:?} {share}"));
    }
}
