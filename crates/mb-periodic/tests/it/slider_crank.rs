//! A slider-crank behind an elastic coupling, driven at constant speed: a motion and exponents by its one equation.
//!
//! ```text
//! G(th) th'' + G'(th) th'^2 / 2 + k (th - W t) + c (th' - W) = 0,   G = J + m x'(th)^2,   x = r cos th + sqrt(l^2 - r^2 sin^2 th)
//! ```
//!
//! Solved by trigonometric collocation, that of the motion and that of its disturbances.

use crate::fourier::{Blocks, derivative, exponents, off};
use crate::support::{model, start};
use mb_algebra::{Dense, Lu, dense, norms};
use mb_periodic::{OrbitOptions, Period, find_orbit, floquet};
use std::f64::consts::TAU;

const DRIVEN: &str = r#"
units = "SI"
name = "slider-crank behind a coupling"
gravity = [0, 0]
parameters = { W = 4 }
body = [
    { name = "motor", mass = 1, inertia = 1, at = [0, 0], angle = 0, angular_velocity = "W" },
    { name = "crank", mass = 1, inertia = 0.02, at = [0, 0], angle = 0, angular_velocity = "W", markers = { pin = [0.1, 0] } },
    { name = "slider", mass = 0.5, inertia = 0.01, at = [0.4, 0], angle = 0 },
]
joint = [
    { name = "shaft", type = "revolute", a = "motor", b = [0, 0] },
    { name = "main", type = "revolute", a = "crank", b = [0, 0] },
    { name = "guide", type = "prismatic", a = "slider", b = [0, 0], axis = [1, 0] },
    { name = "rod", type = "distance", a = "slider", b = "crank.pin", length = 0.3 },
]
torsion-spring = [{ name = "coupling", a = "crank", b = "motor", stiffness = 2, damping = 0.02, natural_angle = 0 }]
drive = [{ name = "speed", quantity = "angle", of = "motor", law = "W*t" }]
"#;

const STIFFNESS: f64 = 2.0;
const DAMPING: f64 = 0.02;

/// G and its first two derivatives.
fn inertia(angle: f64) -> [f64; 3] {
    let (r, l, m, j) = (0.1_f64, 0.3_f64, 0.5, 0.02);
    let (s, c) = angle.sin_cos();
    // u = sqrt(l^2 - r^2 sin^2) and its derivatives from u u' = -r^2 sin cos.
    let u = (l * l - r * r * s * s).sqrt();
    let u1 = -r * r * s * c / u;
    let u2 = (-r * r * (c * c - s * s) - u1 * u1) / u;
    let u3 = (4.0 * r * r * s * c - 3.0 * u1 * u2) / u;
    let (x1, x2, x3) = (-r * s + u1, -r * c + u2, r * s + u3);
    [j + m * x1 * x1, 2.0 * m * x1 * x2, 2.0 * m * (x2 * x2 + x1 * x3)]
}

/// The angle of the crank before the motor at equidistant times, and the blocks of disturbances there.
fn motion(w: f64, n: usize) -> (Vec<f64>, Vec<Blocks>) {
    let one = derivative(n, TAU / w);
    let two = dense::mul(&one, &one);
    let mut ahead = vec![0.0; n];
    let mut blocks = Vec::new();
    for _ in 0..30 {
        let (rate, second) = (dense::matvec(&one, &ahead), dense::matvec(&two, &ahead));
        let at = |j: usize| {
            let [g, g1, g2] = inertia(TAU * j as f64 / n as f64 + ahead[j]);
            let speed = w + rate[j];
            let rest = g * second[j] + 0.5 * g1 * speed * speed + STIFFNESS * ahead[j] + DAMPING * rate[j];
            let stiffness = g1 * second[j] + 0.5 * g2 * speed * speed + STIFFNESS;
            ([g, g1 * speed + DAMPING, stiffness], rest)
        };
        let matrix = Dense::from_fn(n, n, |j, l| {
            let ([g, c, k], _) = at(j);
            g * two[(j, l)] + c * one[(j, l)] + if j == l { k } else { 0.0 }
        });
        let rest: Vec<f64> = (0..n).map(|j| -at(j).1).collect();
        let step = Lu::new(&matrix).unwrap().solve(&rest);
        blocks = (0..n).map(|j| at(j).0.map(|x| dense::diagonal(&[x]))).collect();
        if norms::max_abs_vec(&step) < 1e-15 {
            break;
        }
        ahead.iter_mut().zip(&step).for_each(|(x, d)| *x += d);
    }
    (ahead, blocks)
}

#[test]
fn the_motion_and_the_exponents_of_a_slider_crank_are_those_of_its_one_equation() {
    for w in [4.0, 9.0] {
        let model = model(DRIVEN, &[("W", w)]);
        let period = TAU / w;
        let orbit =
            find_orbit(&model, &start(&model), Period::Given(period), &OrbitOptions::default()).unwrap();
        let (ahead, blocks) = motion(w, 61);
        let crank = model.coordinates().names().iter().position(|n| n == "crank.angle").unwrap();
        assert!(
            (orbit.states[0].q[crank] - ahead[0]).abs() < 1e-11,
            "{} {}",
            orbit.states[0].q[crank],
            ahead[0]
        );
        assert!(ahead.iter().any(|x| x.abs() > 1e-3), "the motion is no uniform turn");
        let exact = exponents(period, &blocks);
        let found = floquet(&orbit).unwrap();
        assert_eq!(found.multipliers.len(), 2);
        for m in &found.multipliers {
            let off = off(m.value, period, &exact);
            assert!(off < 1e-10, "W = {w}: {} is off by {off:e}", m.value);
        }
    }
}
