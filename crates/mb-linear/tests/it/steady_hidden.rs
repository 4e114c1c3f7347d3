//! What is not symmetric beside something far stiffer or heavier is found, and what is symmetric is not refused.

use mb_linear::steady::{Spin, spinning, steady_near};
use mb_linear::{FrameChoice, LinearError, OperatingPoint};
use mb_model::{Model, Point};

fn model(text: &str) -> Model {
    Model::from_toml(&format!("units = \"SI\"\nname = \"test\"\n{text}")).unwrap_or_else(|e| panic!("{e}"))
}

/// The steady motion with the rotations of the model's tables.
fn turning(m: &Model) -> Result<OperatingPoint, LinearError> {
    let v = spinning(m, &m.initial_point(), &Spin::of_model(m))?.0;
    let start = Point { v, ..m.initial_point() };
    Ok(steady_near(m, &start, &FrameChoice::Automatic)?.expect("one frame has these velocities").at)
}

/// Refused, with the owner named.
fn refused(m: &Model, owner: &str) {
    match turning(m) {
        Err(LinearError::NotSteady(why)) => {
            assert!(why.asymmetric.iter().any(|a| a.owner == owner), "{owner} is not named: {why}");
        }
        other => {
            panic!("{owner}: {}", other.err().map_or_else(|| "not refused".to_owned(), |e| e.to_string()))
        }
    }
}

/// A shaft of 1 m along the axis, whose section is not that of a circle, of `elements` elements, on two bushings with the stiffness [k, ky, k] and the damping [c, cy, c] along x, y
/// and z of the ground, turning at 100 rad/s.
struct Rotor {
    elements: usize,
    modulus: f64,
    /// Width and height of its section, m.
    section: [f64; 2],
    /// k, ky, c, cy.
    mounts: [f64; 4],
    /// More tables.
    more: String,
}

impl Rotor {
    fn text(&self) -> String {
        let Self { elements, modulus, section: [a, b], mounts: [k, ky, c, cy], more } = self;
        let mount = |name: &str, at: &str, z: f64| {
            format!(
                "{{ name = '{name}', a = 'shaft.{at}', b = [0, 0, {z}], stiffness = [{k}, {ky}, {k}, 0, 0, 0], damping = [{c}, {cy}, {c}, 0, 0, 0] }}"
            )
        };
        format!(
            "beam = [{{ name = 'shaft', from = [0, 0, 0], to = [0, 0, 1], elements = {elements}, density = 7850, youngs_modulus = {modulus}, poissons_ratio = 0.3, section = {{ width = {a}, height = {b} }} }}]
             bushing = [{}, {}]
             steady-rotation = [{{ name = 'spin', bodies = ['shaft'], axis = [0, 0, 1], through = [0, 0, 0], speed = 100 }}]
             {more}",
            mount("lower", "start", 0.0),
            mount("upper", "end", 1.0)
        )
    }
    fn model(&self) -> Model {
        model(&self.text())
    }
}

fn rotor() -> Rotor {
    Rotor {
        elements: 4,
        modulus: 2.1e11,
        section: [0.04, 0.03],
        mounts: [1e4, 1e4, 10.0, 10.0],
        more: String::new(),
    }
}

/// E A / l is 1e9 to 1e11 times the stiffness of the bearings, which is not the same in x and y by a tenth, or by a hundred-thousandth.
#[test]
fn unequal_bearings_are_seen_beside_a_stiff_shaft() {
    for modulus in [2.1e11, 1e16, 1e18] {
        for ky in [1.1e4, 1e4 + 0.1] {
            let m = Rotor { modulus, mounts: [1e4, ky, 10.0, 10.0], ..rotor() }.model();
            refused(&m, "bushing 'lower'");
        }
        assert!(turning(&Rotor { modulus, ..rotor() }.model()).is_ok(), "{modulus}");
    }
}

/// 300 elements, whose stiffnesses are those of short ones.
#[test]
fn unequal_mounts_of_a_fine_mesh_are_seen() {
    let fine = |ky: f64| Rotor { elements: 300, mounts: [1e4, ky, 10.0, 10.0], ..rotor() }.model();
    refused(&fine(1.1e4), "bushing 'lower'");
    assert!(turning(&fine(1e4)).is_ok());
}

/// Damping of 10 and 11 N s/m beside a stiffness of 1e13 N/m, at 100 rad/s.
#[test]
fn unequal_damping_is_seen_beside_stiffness() {
    refused(&Rotor { modulus: 1e16, mounts: [1e4, 1e4, 10.0, 11.0], ..rotor() }.model(), "bushing 'lower'");
    // Of the bearing's own stiffness it is 1e-8 only.
    refused(&Rotor { mounts: [1e11, 1e11, 10.0, 11.0], ..rotor() }.model(), "bushing 'lower'");
}

/// A body with the moments of inertia 1e-6 and 2e-6 kg m^2 across the axis, fixed to a shaft of 1e13 N/m on bearings of the ground that are not
/// the same in x and y: neither frame has both.
#[test]
fn a_small_unsymmetric_body_is_seen_beside_a_stiff_shaft() {
    let with = |inertia: &str| {
        format!(
            "spatial-body = [{{ name = 'chip', mass = 1e-3, inertia = [{inertia}], at = [0, 0, 0.5] }}]
             joint = [{{ name = 'glue', type = 'fixed', a = 'chip', b = 'shaft.node3' }}]"
        )
    };
    let one = |inertia: &str, ky: f64| {
        let r = Rotor {
            modulus: 1e16,
            section: [0.04, 0.04],
            mounts: [1e4, ky, 10.0, 10.0],
            more: with(inertia),
            ..rotor()
        };
        let text = r.text().replace("bodies = ['shaft']", "bodies = ['shaft', 'chip']");
        model(&text)
    };
    refused(&one("1e-6, 2e-6, 1e-6", 1.1e4), "spatial-body 'chip'");
    refused(&one("1e-6, 2e-6, 1e-6", 1.1e4), "bushing 'lower'");
    assert!(turning(&one("1e-6, 1e-6, 1e-6", 1.1e4)).is_ok(), "seen from the ground");
    assert!(turning(&one("1e-6, 1e-6, 1e-6", 1e4)).is_ok());
    // Seen from the shaft, on equal bearings.
    let at = turning(&one("1e-6, 2e-6, 1e-6", 1e4)).unwrap_or_else(|e| panic!("{e}"));
    assert!(at.steady().is_some_and(|s| s.frame().rate().is_some_and(|w| (w[2] - 100.0).abs() < 1e-9)));
}

/// Sixty shafts of all proportions on equal bearings: none is refused, whatever is large beside what.
#[test]
fn regular_rotors_are_not_refused() {
    let mut k = 0.0;
    // Multiples of the root of two without their whole parts fill the range from 0 to 1 evenly.
    let mut next = || {
        k += 1.0;
        (k * std::f64::consts::SQRT_2).fract()
    };
    for case in 0..60 {
        let mut power = |from: f64, to: f64| 10_f64.powf(from + (to - from) * next());
        let (modulus, width, height) = (power(8.0, 17.0), power(-3.0, -1.0), power(-3.0, -1.0));
        let (k, c) = (power(2.0, 10.0), power(-2.0, 5.0));
        let elements = [1, 2, 3, 5, 8, 13, 20][case % 7];
        let section = [width, height];
        let r = Rotor { elements, modulus, section, mounts: [k, k, c, c], more: String::new() };
        let found = turning(&r.model());
        assert!(
            found.is_ok(),
            "{elements} elements, E = {modulus}, {section:?}, k = {k}, c = {c}: {found:?}"
        );
    }
}

/// Equal springs in a ring, which turn with a body, make up for each other; one that is softer than the others does not, however stiff the
/// bearing is.
#[test]
fn springs_in_a_ring_make_up_for_each_other() {
    for count in [3_usize, 4, 5, 7] {
        for bearing in [1e3, 1e13] {
            let ring = |softer: f64| {
                let one = |i: usize| {
                    let angle = std::f64::consts::TAU * i as f64 / count as f64;
                    let (x, y) = (angle.cos(), angle.sin());
                    let k = if i == 0 { softer } else { 100.0 };
                    (
                        format!("m{i} = [{}, {}, 0]", 0.1 * x, 0.1 * y),
                        format!(
                            "{{ name = 's{i}', a = 'hub.m{i}', b = 'disc', stiffness = {k}, natural_length = 0.05 }}"
                        ),
                    )
                };
                let (markers, springs): (Vec<_>, Vec<_>) = (0..count).map(one).unzip();
                let bushings = |name: &str, body: &str, k: f64, ky: f64| {
                    let one = |place: &str, z: f64| {
                        format!(
                            "{{ name = '{name}-{place}', a = '{body}.{place}', b = [0, 0, {z}], stiffness = [{k}, {ky}, {k}, 0, 0, 0] }}"
                        )
                    };
                    format!("{}, {}", one("lo", -0.2), one("hi", 0.2))
                };
                model(&format!(
                    "spatial-body = [
                       {{ name = 'hub', mass = 10, inertia = [1, 1, 2], at = [0, 0, 0], markers = {{ lo = [0, 0, -0.2], hi = [0, 0, 0.2], {} }} }},
                       {{ name = 'disc', mass = 1, inertia = [0.1, 0.1, 0.2], at = [0, 0, 0], markers = {{ lo = [0, 0, -0.2], hi = [0, 0, 0.2] }} }} ]
                     bushing = [{}, {}]
                     spring = [{}]
                     steady-rotation = [{{ name = 'spin', bodies = ['hub', 'disc'], axis = [0, 0, 1], through = [0, 0, 0], speed = 5 }}]",
                    markers.join(", "),
                    bushings("mount", "hub", bearing, bearing),
                    bushings("soft", "disc", 200.0, 220.0),
                    springs.join(", ")
                ))
            };
            let regular = turning(&ring(100.0));
            assert!(regular.is_ok(), "{count} springs, bearing {bearing}: {regular:?}");
            match turning(&ring(90.0)) {
                Err(LinearError::NotSteady(_) | LinearError::NoSteadyMotion { .. }) => {}
                other => panic!("{count} springs, bearing {bearing}: {other:?}"),
            }
        }
    }
}

/// A rotor with unequal moments of inertia across its axis n on two bushings whose stiffness and damping tensors k I + (h - k) n n^T are
/// symmetric about it, with all entries in the axes of the ground, and the same rotor upright, where they are diagonal.
#[test]
fn a_tensor_that_is_symmetric_about_the_axis_is_so_in_any_axes() {
    let rotor = |n: [f64; 3], about_y: f64, softer: f64| {
        let tensor = |k: f64, h: f64| {
            let entry = |i: usize, j: usize| {
                let one = f64::from(i == j && i < 3);
                let along = if i < 3 && j < 3 { (h - k) * n[i] * n[j] } else { 0.0 };
                k * one + along - if (i, j) == (1, 1) { softer * k } else { 0.0 }
            };
            let rows: Vec<[f64; 6]> = (0..6).map(|i| std::array::from_fn(|j| entry(i, j))).collect();
            format!("{rows:?}")
        };
        let mount = |name: &str, z: f64| {
            format!(
                "{{ name = '{name}', a = 'rotor.{name}', b = {:?}, stiffness_matrix = {}, damping_matrix = {} }}",
                n.map(|x| x * z),
                tensor(1e6, 3e5),
                tensor(40.0, 7.0)
            )
        };
        model(&format!(
            "spatial-body = [{{ name = 'rotor', mass = 10, inertia = [0.2, 0.3, 0.35], at = [0, 0, 0],
                orientation = {{ axis = [0, 1, 0], angle = {about_y} }}, markers = {{ lower = [0, 0, -0.2], upper = [0, 0, 0.1] }} }}]
             bushing = [{}, {}]
             steady-rotation = [{{ name = 'spin', bodies = ['rotor'], axis = {n:?}, through = [0, 0, 0], speed = 300 }}]",
            mount("lower", -0.2),
            mount("upper", 0.1)
        ))
    };
    let values = |m: &Model| {
        let at = turning(m).unwrap_or_else(|e| panic!("{e}"));
        let pencil = mb_linear::linearize(m, &at).pencil();
        mb_eigen::dense::solve(&pencil, &mb_eigen::DenseOptions::default()).unwrap().motion_values()
    };
    let upright = values(&rotor([0.0, 0.0, 1.0], 0.0, 0.0));
    let tilted: [f64; 3] = [0.6, 0.0, 0.8];
    let angle = tilted[0].atan2(tilted[2]);
    let found = values(&rotor(tilted, angle, 0.0));
    assert_eq!(upright.len(), found.len());
    for s in &upright {
        let off = found.iter().map(|x| (*x - *s).norm()).fold(f64::MAX, f64::min);
        assert!(off <= 1e-9 * (1.0 + s.norm()), "{s} {off:e}");
    }
    refused(&rotor(tilted, angle, 1e-4), "bushing 'lower'");
}
