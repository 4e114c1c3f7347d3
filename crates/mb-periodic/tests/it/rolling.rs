//! What rolls or glides on an edge: multipliers against steady eigenvalues, and motions against equations written by hand.

use crate::branch::Of;
use crate::fourier::derivative;
use crate::support::{model, start};
use mb_algebra::{Dense, GeneralEigen, Lu, c64, norms};
use mb_eigen::{Class as Mode, DenseOptions, Eigenpair, dense};
use mb_linear::{OperatingPoint, linearize};
use mb_periodic::{
    BranchOptions, Class, Floquet, Orbit, OrbitOptions, Period, PeriodicError, find_orbit, floquet,
    follow_branch,
};
use std::f64::consts::TAU;

const BICYCLE: &str = include_str!("../../../mb-gallery/models/bicycle.toml");
const DISC: &str = include_str!("../../../mb-gallery/models/rolling-disc.toml");

fn found(text: &str, set: &[(&str, f64)], period: Period) -> (Orbit, Floquet) {
    let model = model(text, set);
    let orbit = find_orbit(&model, &start(&model), period, &OrbitOptions::default()).unwrap();
    let multipliers = floquet(&orbit).unwrap();
    (orbit, multipliers)
}

fn count(floquet: &Floquet, class: Class) -> usize {
    floquet.multipliers.iter().filter(|m| m.class == class).count()
}

/// Straight ahead and in a circle, whatever the time that is taken for a period.
#[test]
fn exponents_of_rolling_steadily_are_the_eigenvalues() {
    // A disc that rolls in a circle: lean, turn and spin that balance are those of its first equation below, w1 = w1' = 0.
    let (lean, turn) = (0.3_f64, 2.0_f64);
    let (sin, cos) = (lean.cos(), lean.sin());
    let spin = (9.81 * cos / 0.2 - 0.25 * turn * turn * sin * cos) / (-1.5 * turn * sin);
    let circle = CIRCLE
        .replace("TURN", &format!("({turn})"))
        .replace("LEAN", &lean.to_string())
        .replace("SPIN", &format!("({spin})"));
    for (text, set, period, ignorable) in [
        (BICYCLE, vec![("v", 5.0)], 0.37, 5),
        (BICYCLE, vec![("v", 3.0)], 0.37, 5),
        (DISC, vec![("spin", 5.0)], 0.21, 4),
        (DISC, vec![("spin", 3.0)], 0.21, 4),
        (circle.as_str(), vec![], 0.13, 4),
    ] {
        let model = model(text, &set);
        let begin = start(&model);
        let (q, v) = (begin.q.clone(), begin.v.clone());
        let at = OperatingPoint::of_motion(&model, q, v, 0.0, Vec::new(), 1e-9).unwrap();
        assert!(at.steady().is_some());
        let spectrum = dense::solve(&linearize(&model, &at).pencil(), &DenseOptions::default()).unwrap();
        let values: Vec<c64> = spectrum
            .motion()
            .filter(|p| p.class != Mode::Rigid)
            .filter_map(Eigenpair::value)
            .filter(|s| s.norm() > 1e-3)
            .collect();
        let (orbit, multipliers) = found(text, &set, Period::Given(period));
        let size = multipliers.multipliers.len();
        assert_eq!(size, 2 * orbit.frame.dof() - model.velocity_rows().iter().filter(|v| **v).count());
        assert_eq!(count(&multipliers, Class::Ignorable), ignorable, "{set:?}");
        // In a frame that turns with the motion the displacements of the plane have eigenvalues, too.
        let own: Vec<c64> =
            multipliers.multipliers.iter().filter_map(|m| m.exponent).filter(|s| s.norm() > 1e-3).collect();
        assert_eq!(own.len(), values.len(), "{set:?}: {own:?} {values:?}");
        for s in own {
            let nearest = values.iter().map(|v| (v - s).norm()).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-8, "{set:?}: {s} by {nearest:e} of {values:?}");
        }
    }
}

/// Out of the upright by LEAN about the x-axis, the axle along y.
const CIRCLE: &str = r#"
units = "SI"
name = "disc in a circle"
gravity = [0, 0, -9.81]
[[spatial-body]]
name = "disc"
mass = 1
inertia = [0.01, 0.02, 0.01]
at = [0, "-0.2*sin(LEAN)", "0.2*cos(LEAN)"]
orientation = { axis = [1, 0, 0], angle = "LEAN" }
velocity = ["0.2*(SPIN)", 0, 0]
angular_velocity = [0, "cos(LEAN)*(SPIN - TURN*sin(LEAN))", "TURN*cos(LEAN)^2 + SPIN*sin(LEAN)"]
[[rolling]]
name = "contact"
wheel = "disc"
axle = [0, 1, 0]
radius = 0.2
"#;

/// A sled on a skate, dragged by what is proportional to its mass, with a torque that swings.
const SLED: &str = r#"
units = "SI"
name = "sled"
[[body]]
name = "sled"
mass = 2
inertia = 0.3
at = [0.4, 0]
velocity = [1, 0]
damping = { alpha = 0.5 }
markers.blade = [-0.4, 0]
[[knife-edge]]
name = "blade"
edge = "sled.blade"
heading = [1, 0]
[[torque]]
name = "tail"
on = "sled"
magnitude = "0.5 + 3*sin(4*t)"
"#;

/// v and w of the blade at equidistant times of a period, and the exponents of their disturbances, by trigonometric collocation of
///
/// ```text
/// v' = a w^2 - alpha v,   (J + m a^2) w' = - m a v w - alpha (J + m a^2) w + torque
/// ```
fn sled(n: usize, period: f64, amplitude: f64) -> (Vec<f64>, Vec<f64>, Vec<c64>) {
    let (m, a, alpha, inertia) = (2.0_f64, 0.4_f64, 0.5, 0.3 + 2.0 * 0.4 * 0.4);
    let d = derivative(n, period);
    let torque = |j: usize| 0.5 + amplitude * (4.0 * period * j as f64 / n as f64).sin();
    let (mut v, mut w) = (vec![1.0; n], vec![0.3; n]);
    let jacobian = |v: &[f64], w: &[f64]| {
        Dense::from_fn(2 * n, 2 * n, |i, j| {
            let (row, col) = (i % n, j % n);
            let rate = if i / n == j / n { d[(row, col)] } else { 0.0 };
            let own = match (row == col, i < n, j < n) {
                (false, ..) => 0.0,
                (_, true, true) => alpha,
                (_, true, false) => -2.0 * a * w[row],
                (_, false, true) => m * a * w[row] / inertia,
                (_, false, false) => alpha + m * a * v[row] / inertia,
            };
            rate + own
        })
    };
    for _ in 0..40 {
        let (dv, dw) = (mb_algebra::dense::matvec(&d, &v), mb_algebra::dense::matvec(&d, &w));
        let first = (0..n).map(|j| dv[j] - a * w[j] * w[j] + alpha * v[j]);
        let second = (0..n).map(|j| dw[j] + alpha * w[j] + (m * a * v[j] * w[j] - torque(j)) / inertia);
        let rest: Vec<f64> = first.chain(second).collect();
        let step = Lu::new(&jacobian(&v, &w)).unwrap().solve(&rest);
        v.iter_mut().zip(&step[..n]).for_each(|(x, s)| *x -= s);
        w.iter_mut().zip(&step[n..]).for_each(|(x, s)| *x -= s);
        if norms::max_abs_vec(&step) < 1e-14 {
            break;
        }
    }
    // (D + s) p + J p = 0: the exponents are minus the eigenvalues.
    let exponents = GeneralEigen::values(&jacobian(&v, &w)).unwrap().iter().map(|s| -s).collect();
    (v, w, exponents)
}

/// A branch over the size of the torque: at every value the motion and its multipliers are those of the equations.
#[test]
fn a_branch_of_what_glides_on_an_edge_is_that_of_its_equations() {
    let text = SLED.replacen("[[body]]", "[parameters]\nA = 3\n[[body]]", 1).replace("3*sin", "A*sin");
    let period = TAU / 4.0;
    let branch = Of::new(&text, "A", |_| TAU / 4.0).followed([3.0, 4.0], 3);
    assert!(branch.points.len() >= 4 && branch.bifurcations.is_empty(), "{branch:?}");
    for point in &branch.points {
        let (_, w, exponents) = sled(61, period, point.p);
        assert!((point.state.v[2] - w[0]).abs() < 1e-9, "{}: {} {}", point.p, point.state.v[2], w[0]);
        assert_eq!(point.multipliers.len(), 2, "the ignorable ones are left out");
        for m in &point.multipliers {
            let off = exponents.iter().map(|s| ((s * period).exp() - m).norm()).fold(f64::INFINITY, f64::min);
            assert!(off < 1e-9, "{}: {m} is off by {off:e}", point.p);
        }
    }
    // The place along what is ignorable stays that of the start.
    let (first, last) = (&branch.points[0].state.q, &branch.points[branch.points.len() - 1].state.q);
    assert!((0..2).all(|i| (first[i] - last[i]).abs() < 0.2), "{first:?} {last:?}");
}

/// Rolling straight ahead has no period of its own.
#[test]
fn a_steady_motion_is_no_branch_of_periodic_ones() {
    let orbit = found(DISC, &[("spin", 5.0)], Period::Given(0.21)).0;
    let options = BranchOptions {
        range: [5.0, 6.0],
        points: 2,
        steps: 32,
        inputs: Vec::new(),
        watch: mb_algebra::Watch::default(),
    };
    let failure = follow_branch(&Of::new(DISC, "spin", |_| 0.21), &orbit, &options).unwrap_err();
    assert!(matches!(failure, PeriodicError::Steady), "{failure}");
}

#[test]
fn a_sled_with_a_swinging_torque_comes_back_elsewhere() {
    let period = TAU / 4.0;
    let (orbit, multipliers) = found(SLED, &[], Period::Given(period));
    assert_eq!(multipliers.multipliers.len(), 5);
    assert_eq!(count(&multipliers, Class::Ignorable), 3);
    assert_eq!(count(&multipliers, Class::Decaying), 2);
    let (v, w, exponents) = sled(61, period, 3.0);
    let begin = &orbit.states[0].v;
    let speed = begin[0].hypot(begin[1]);
    assert!((begin[2] - w[0]).abs() < 1e-10, "{begin:?} {}", w[0]);
    // The mass centre goes along with v and across with a w.
    assert!((speed - v[0].hypot(0.4 * w[0])).abs() < 1e-10, "{speed} {}", v[0]);
    // It has turned by the mean of w, which turns the displacements of the plane too.
    let turn = period * w.iter().sum::<f64>() / w.len() as f64;
    assert!((orbit.displacement.turn()[2] - turn).abs() < 1e-9 && turn.abs() > 0.1, "{turn}");
    let off = |m: c64| {
        let each = exponents.iter().map(|s| ((s * period).exp() - m).norm());
        each.fold(f64::INFINITY, f64::min)
    };
    for m in &multipliers.multipliers {
        match m.class {
            Class::Ignorable => {
                let exact = if m.value.im == 0.0 { 0.0 } else { turn.abs() };
                assert!((m.value.arg().abs() - exact).abs() < 1e-9, "{} {turn}", m.value);
            }
            _ => assert!(off(m.value) < 1e-9, "{} is off by {:e}", m.value, off(m.value)),
        }
    }
}

/// (lean w.r.t. the vertical of the axle, w1, w2, w3)' of a thin disc of radius r = 0.2 by Euler's equations about the contact.
///
/// ```text
/// 5/4 w1' = (w2 / tan th / 4 - 3/2 w3) w2 - g cos th / r,   w2' = (2 w3 - w2 / tan th) w1,   3/2 w3' = w1 w2,   th' = w1
/// ```
fn disc([th, w1, w2, w3]: [f64; 4]) -> [f64; 4] {
    let along = w2 / th.tan();
    let first = (0.25 * along - 1.5 * w3) * w2 - 9.81 * th.cos() / 0.2;
    [w1, first / 1.25, (2.0 * w3 - along) * w1, w1 * w2 / 1.5]
}

/// A step of the classical method of fourth order.
fn step(y: [f64; 4], h: f64) -> [f64; 4] {
    let beside = |k: [f64; 4], f: f64| core::array::from_fn(|i| y[i] + f * k[i]);
    let a = disc(y);
    let b = disc(beside(a, 0.5 * h));
    let c = disc(beside(b, 0.5 * h));
    let d = disc(beside(c, h));
    core::array::from_fn(|i| y[i] + h * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]) / 6.0)
}

/// The time between two zeros of w1 on the way down.
fn nutation(mut y: [f64; 4]) -> f64 {
    let h = 2e-5;
    let (mut t, mut first) = (0.0, None);
    loop {
        let next = step(y, h);
        if y[1] > 0.0 && next[1] <= 0.0 {
            // The part of a step at which w1 is zero, by regula falsi.
            let (mut low, mut high) = ((0.0, y[1]), (h, next[1]));
            for _ in 0..30 {
                let part = low.0 - low.1 * (high.0 - low.0) / (high.1 - low.1);
                let there = step(y, part)[1];
                if there.abs() < 1e-14 {
                    low = (part, there);
                    break;
                }
                if there > 0.0 { low = (part, there) } else { high = (part, there) }
            }
            let zero = t + low.0;
            match first {
                None => first = Some(zero),
                Some(first) => return zero - first,
            }
        }
        y = next;
        t += h;
        assert!(t < 10.0, "the disc has a period");
    }
}

/// th, w1, w2, w3 of a state: from the vertical in the axes of the body, whose axle is y.
fn angles(q: &[f64], v: &[f64]) -> [f64; 4] {
    let e = &q[3..7];
    let up = [
        2.0 * (e[1] * e[3] - e[0] * e[2]),
        2.0 * (e[2] * e[3] + e[0] * e[1]),
        1.0 - 2.0 * (e[1] * e[1] + e[2] * e[2]),
    ];
    let sin = up[0].hypot(up[2]);
    let (w1, w2) = ((v[5] * up[0] - v[3] * up[2]) / sin, (v[3] * up[0] + v[5] * up[2]) / sin);
    [sin.atan2(up[1]), w1, w2, v[4]]
}

#[test]
fn a_disc_that_wobbles_has_the_period_of_its_equations() {
    let (lean, turn, spin) = (0.4_f64, 0.0_f64, -10.0_f64);
    let text = CIRCLE
        .replace("LEAN", &lean.to_string())
        .replace("TURN", &format!("({turn})"))
        .replace("SPIN", &format!("({spin})"));
    let (orbit, multipliers) = found(&text, &[], Period::About(0.42));
    // Motions are a family, of which one near the start is found.
    let exact = nutation(angles(&orbit.states[0].q, &orbit.states[0].v));
    assert_eq!(multipliers.multipliers.len(), 8);
    assert_eq!(count(&multipliers, Class::Ignorable), 4);
    assert_eq!(count(&multipliers, Class::Trivial), 1);
    assert!((orbit.period - exact).abs() < 1e-8, "{} {exact}", orbit.period);
}
