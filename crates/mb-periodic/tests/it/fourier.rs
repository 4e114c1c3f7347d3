//! Linear equations with periodic coefficients, judged by trigonometric collocation: eigenvalues of one matrix, no time integration.
//!
//! ```text
//! M(t) x'' + C(t) x' + K(t) x = 0,   x = exp(s t) p(t):   M (D + s)^2 p + C (D + s) p + K p = 0 at 2 h + 1 equidistant times
//! ```
//!
//! D is the derivative of the trigonometric polynomial through the values.

use crate::mathieu::SHAKEN;
use crate::support::{model, start};
use mb_algebra::{Dense, GeneralEigen, Lu, SymmetricEigen, c64, dense};
use mb_periodic::{Class, OrbitOptions, Period, find_orbit, floquet};
use std::f64::consts::{PI, TAU};

/// Mass, damping and stiffness at one time.
pub(crate) type Blocks = [Dense; 3];

/// The derivative of the trigonometric polynomial through `n` values (odd) in a period.
pub(crate) fn derivative(n: usize, period: f64) -> Dense {
    let w = TAU / period;
    Dense::from_fn(n, n, |i, j| {
        if i == j {
            return 0.0;
        }
        let sign = if (i + j) % 2 == 0 { 1.0 } else { -1.0 };
        0.5 * w * sign / (PI * (i as f64 - j as f64) / n as f64).sin()
    })
}

/// Exponents from the blocks at equidistant times of a period; those of high harmonics are not resolved.
pub(crate) fn exponents(period: f64, blocks: &[Blocks]) -> Vec<c64> {
    let (n, d) = (blocks.len(), blocks[0][0].nrows());
    let one = derivative(n, period);
    let two = dense::mul(&one, &one);
    let size = n * d;
    let mut full = Dense::zeros(2 * size, 2 * size);
    for i in 0..size {
        full[(i, size + i)] = 1.0;
    }
    for (j, [m, c, k]) in blocks.iter().enumerate() {
        let lu = Lu::new(m).unwrap();
        let (c, k) = (lu.solve_mat(c), lu.solve_mat(k));
        for l in 0..n {
            let same = f64::from(u8::from(j == l));
            for a in 0..d {
                for b in 0..d {
                    let unit = f64::from(u8::from(a == b));
                    full[(size + j * d + a, l * d + b)] =
                        -(unit * two[(j, l)] + c[(a, b)] * one[(j, l)] + k[(a, b)] * same);
                    full[(size + j * d + a, size + l * d + b)] =
                        -(2.0 * unit * one[(j, l)] + c[(a, b)] * same);
                }
            }
        }
    }
    GeneralEigen::values(&full).unwrap()
}

/// How far the nearest exp(s T) is from a multiplier.
pub(crate) fn off(multiplier: c64, period: f64, exponents: &[c64]) -> f64 {
    exponents.iter().map(|s| ((s * period).exp() - multiplier).norm()).fold(f64::INFINITY, f64::min)
}

/// The multipliers of a model's motion at one of its parameters are those of its equations written by hand.
fn compare(text: &str, speed: f64, period: f64, points: usize, blocks: impl Fn(f64) -> Blocks) -> Vec<Class> {
    let model = model(text, &[("W", speed)]);
    let orbit = find_orbit(&model, &start(&model), Period::Given(period), &OrbitOptions::default()).unwrap();
    let found = floquet(&orbit).unwrap();
    let list: Vec<Blocks> = (0..points).map(|j| blocks(period * j as f64 / points as f64)).collect();
    let exact = exponents(period, &list);
    assert_eq!(found.multipliers.len(), 2 * list[0][0].nrows());
    for m in &found.multipliers {
        let off = off(m.value, period, &exact);
        assert!(off <= 1e-9 * m.value.norm().max(1.0), "W = {speed}: {} is off by {off:e}", m.value);
    }
    found.multipliers.iter().map(|m| m.class).collect()
}

/// The shaken pendulum with a second harmonic.
fn hill() -> String {
    SHAKEN
        .replace("q = 1.0", "q = 1.0\np = 0.1")
        .replace("at = [0, \"q\"]", "at = [0, \"q + p\"]")
        .replace("q*cos(2*t)", "q*cos(2*t) + p*cos(4*t)")
}

/// th'' + (a - 2 q cos 2 t - 8 p cos 4 t) th = 0: values of a with solutions of period pi or 2 pi, by Hill's determinant in exp(i n t),
/// n even or odd.
fn limits(q: f64, p: f64, odd: bool) -> Vec<f64> {
    const N: i32 = 41;
    let n = |i: usize| 2 * i32::try_from(i).unwrap() - (N - 1) + i32::from(odd);
    let size = usize::try_from(N).unwrap();
    let matrix = Dense::from_fn(size, size, |i, j| match (n(i) - n(j)).abs() {
        0 => f64::from(n(i) * n(i)),
        2 => q,
        4 => 4.0 * p,
        _ => 0.0,
    });
    SymmetricEigen::new(&matrix).unwrap().values
}

/// At the limits of stability of Hill's equation half the trace of the monodromy matrix is 1 or -1; by its slope the limits are right
/// to 1e-10.
#[test]
fn limits_of_hills_equation_are_zeros_of_its_determinant() {
    for (q, p) in [(0.4, 0.1), (1.0, -0.2)] {
        let half_trace = |a: f64| {
            let model = model(&hill(), &[("a", a), ("q", q), ("p", p)]);
            let orbit =
                find_orbit(&model, &start(&model), Period::Given(PI), &OrbitOptions::default()).unwrap();
            0.5 * (orbit.monodromy[(0, 0)] + orbit.monodromy[(1, 1)])
        };
        for (odd, sign) in [(false, 1.0), (true, -1.0)] {
            for exact in limits(q, p, odd).into_iter().take(2) {
                let h = 1e-4;
                let slope = (half_trace(exact + h) - half_trace(exact - h)) / (2.0 * h);
                let off = (half_trace(exact) - sign) / slope;
                assert!(off.abs() < 1e-10, "q {q}, p {p}: {exact} is missed by {off:e}, slope {slope}");
            }
        }
    }
}

/// A disc on a shaft of two stiffnesses that turns, the journal on bearings of two stiffnesses that stand.
const ROTOR: &str = r#"
units = "SI"
name = "unequal shaft on unequal bearings"
gravity = [0, 0]
parameters = { W = 1 }
body = [{ name = "journal", mass = 0.5, inertia = 1, at = [0, 0], angle = 0, angular_velocity = "W", markers = { e = [1, 0], w = [-1, 0], n = [0, 1], s = [0, -1] } }]
point = [{ name = "disc", at = [0, 0], mass = 2 }]
spring = [
    { name = "east", a = "journal.e", b = "disc", stiffness = 6, natural_length = 1 },
    { name = "west", a = "journal.w", b = "disc", stiffness = 6, natural_length = 1 },
    { name = "north", a = "journal.n", b = "disc", stiffness = 3, natural_length = 1 },
    { name = "south", a = "journal.s", b = "disc", stiffness = 3, natural_length = 1 },
    { name = "level", a = "journal", b = [10, 0], stiffness = 20, natural_length = 10, damping = 0.5 },
    { name = "upright", a = "journal", b = [0, 10], stiffness = 35, natural_length = 10, damping = 0.2 },
]
drive = [{ name = "motor", quantity = "angle", of = "journal", law = "W*t" }]
"#;

#[test]
fn an_unequal_shaft_on_unequal_bearings() {
    let mut grows = false;
    for w in [1.9, 2.4, 4.0] {
        let blocks = |t: f64| {
            let (s, c) = (w * t).sin_cos();
            // R diag(12, 6) R^T.
            let shaft =
                [[12.0 * c * c + 6.0 * s * s, 6.0 * s * c], [6.0 * s * c, 12.0 * s * s + 6.0 * c * c]];
            let held = [20.0, 35.0];
            let k = Dense::from_fn(4, 4, |i, j| {
                let sign = if i / 2 == j / 2 { 1.0 } else { -1.0 };
                let bearing = if i == j && i < 2 { held[i] } else { 0.0 };
                sign * shaft[i % 2][j % 2] + bearing
            });
            [dense::diagonal(&[0.5, 0.5, 2.0, 2.0]), dense::diagonal(&[0.5, 0.2, 0.0, 0.0]), k]
        };
        let classes = compare(ROTOR, w, TAU / w, 41, blocks);
        grows |= classes.contains(&Class::Growing);
    }
    assert!(grows, "the shaft of two stiffnesses is unstable at some of the speeds");
}

/// A hub on two springs with two blades that lag, after Coleman: no frame makes the equations constant.
const BLADES: &str = r#"
units = "SI"
name = "rotor with two blades"
gravity = [0, 0]
parameters = { W = 3 }
body = [
    { name = "hub", mass = 5, inertia = 1, at = [0, 0], angle = 0, angular_velocity = "W", markers = { a = [0.2, 0], b = [-0.2, 0] } },
    { name = "blade-a", mass = 0.5, inertia = 0.1, at = [0.2, 0], angle = 0, center_of_mass = [0.6, 0], velocity = [0, "0.2*W"], angular_velocity = "W" },
    { name = "blade-b", mass = 0.5, inertia = 0.1, at = [-0.2, 0], angle = 0, center_of_mass = [-0.6, 0], velocity = [0, "-0.2*W"], angular_velocity = "W" },
]
joint = [
    { name = "lag-a", type = "revolute", a = "blade-a", b = "hub.a" },
    { name = "lag-b", type = "revolute", a = "blade-b", b = "hub.b" },
]
torsion-spring = [
    { name = "root-a", a = "blade-a", b = "hub", stiffness = 0.5, damping = 0.01, natural_angle = 0 },
    { name = "root-b", a = "blade-b", b = "hub", stiffness = 0.5, damping = 0.01, natural_angle = 0 },
]
spring = [
    { name = "level", a = "hub", b = [10, 0], stiffness = 24, natural_length = 10, damping = 0.1 },
    { name = "upright", a = "hub", b = [0, 10], stiffness = 50, natural_length = 10, damping = 0.1 },
]
drive = [{ name = "motor", quantity = "angle", of = "hub", law = "W*t" }]
"#;

#[test]
fn a_rotor_with_two_blades() {
    let mut grows = false;
    for w in [2.0, 3.4, 5.75] {
        // Of a blade: static moment and inertia about the hinge, stiffness with the centrifugal pull at the offset of 0.2.
        let (moment, inertia) = (0.5 * 0.6, 0.1 + 0.5 * 0.6 * 0.6);
        let hinge = 0.5 + moment * 0.2 * w * w;
        let blocks = |t: f64| {
            let mut m = dense::diagonal(&[6.0, 6.0, inertia, inertia]);
            let mut c = dense::diagonal(&[0.1, 0.1, 0.01, 0.01]);
            let mut k = dense::diagonal(&[24.0, 50.0, hinge, hinge]);
            for (blade, side) in [(2, 1.0), (3, -1.0)] {
                let (s, cos) = ((w * t).sin() * side * moment, (w * t).cos() * side * moment);
                // The place of a blade is moment * (-zeta sin, zeta cos); its second derivative moves the hub.
                for (row, [along, across]) in [(0, [-s, cos]), (1, [cos, s])] {
                    m[(row, blade)] = along;
                    m[(blade, row)] = along;
                    c[(row, blade)] = -2.0 * w * across;
                    k[(row, blade)] = -w * w * along;
                }
            }
            [m, c, k]
        };
        let classes = compare(BLADES, w, TAU / w, 31, blocks);
        grows |= classes.contains(&Class::Growing);
    }
    assert!(grows, "the lag of two blades and the hub are unstable together at some of the speeds");
}
