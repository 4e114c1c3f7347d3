//! A limit cycle, x'' - mu (1 - x^2) x' + x = 0, judged by its Fourier series (harmonic balance), which is no time integration.

use mb_algebra::{Dense, Lu};
use mb_model::Model;
use mb_model::coordinates::BlockKind;
use mb_model::element::{Dependence, Element, ElementLaw, Local};
use mb_periodic::{Class, OrbitOptions, Period, Stability, State, find_orbit, floquet};
use mb_scalar::Lift;
use std::f64::consts::TAU;

#[derive(Debug)]
struct VanDerPol {
    mu: f64,
}

impl ElementLaw<f64> for VanDerPol {
    fn dependence(&self) -> Dependence {
        Dependence { q: true, v: true, a: true, ..Dependence::NOTHING }
    }
    fn residual<S: Lift<f64>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let (x, v) = (at.q[0], at.v[0]);
        out[0] += at.a[0] - (S::one() - x * x) * v.scale(self.mu) + x;
    }
}

fn model(mu: f64) -> Model {
    let mut model = Model::new("van der Pol", [0.0; 3]);
    let x = model.add_block("x", BlockKind::Vector(1), &[2.0]);
    model.add_element("oscillator", Element::custom(VanDerPol { mu }), vec![x], vec![]);
    model
}

/// Frequency of the limit cycle: x = sum over odd k of a_k cos(k s) + b_k sin(k s) with b_1 = 0, by Newton's method on the values at
/// equidistant s.
fn frequency(mu: f64) -> f64 {
    const H: usize = 60;
    let n = 2 * H;
    // Unknowns: a_1, w, then a_3, b_3, ..; points on half a period, the other half is its negative.
    let mut u = vec![0.0; n];
    (u[0], u[1]) = (2.0, 1.0);
    let point = |j: usize| 0.5 * TAU * j as f64 / n as f64;
    for _ in 0..30 {
        let w = u[1];
        let mut matrix = Dense::zeros(n, n);
        let mut rhs = vec![0.0; n];
        for j in 0..n {
            let s = point(j);
            let wave = |k: usize| {
                let (sin, cos) = (k as f64 * s).sin_cos();
                (cos, sin, k as f64)
            };
            let (mut x, mut d, mut dd) = (0.0, 0.0, 0.0);
            for i in 0..H {
                let (c, si, k) = wave(2 * i + 1);
                let (a, b) = if i == 0 { (u[0], 0.0) } else { (u[2 * i], u[2 * i + 1]) };
                x += a * c + b * si;
                d += k * (b * c - a * si);
                dd -= k * k * (a * c + b * si);
            }
            rhs[j] = -(w * w * dd - mu * w * (1.0 - x * x) * d + x);
            let change = |dx: f64, d1: f64, d2: f64| {
                w * w * d2 - mu * w * ((1.0 - x * x) * d1 - 2.0 * x * dx * d) + dx
            };
            for i in 0..H {
                let (c, si, k) = wave(2 * i + 1);
                matrix[(j, 2 * i)] = change(c, -k * si, -k * k * c);
                matrix[(j, 2 * i + 1)] = if i == 0 {
                    2.0 * w * dd - mu * (1.0 - x * x) * d
                } else {
                    change(si, k * c, -k * k * si)
                };
            }
        }
        let step = Lu::new(&matrix).unwrap().solve(&rhs);
        u.iter_mut().zip(&step).for_each(|(u, d)| *u += d);
        if step.iter().all(|d| d.abs() < 1e-14) {
            break;
        }
    }
    u[1]
}

#[test]
fn the_period_of_a_limit_cycle_is_that_of_its_fourier_series() {
    for mu in [0.2, 1.0] {
        let model = model(mu);
        let start = State { t: 0.0, q: vec![2.0], v: vec![0.0] };
        let orbit = find_orbit(&model, &start, Period::About(6.5), &OrbitOptions::default()).unwrap();
        let exact = TAU / frequency(mu);
        assert!((orbit.period / exact - 1.0).abs() < 1e-11, "{mu}: {} {exact}", orbit.period);
        let found = floquet(&orbit).unwrap();
        assert_eq!(found.stability, Stability::Stable);
        let classes: Vec<Class> = found.multipliers.iter().map(|m| m.class).collect();
        assert_eq!(classes, [Class::Trivial, Class::Decaying]);
        // Liouville: the product of the multipliers is the exponential of the integral of mu (1 - x^2), by the trapezoidal rule.
        let n = orbit.states.len() - 1;
        let sum: f64 = orbit.states[..n].iter().map(|s| mu * (1.0 - s.q[0] * s.q[0])).sum();
        let product = (sum * orbit.period / n as f64).exp();
        let m = &found.multipliers[1];
        assert!((m.value.re - product).abs() <= m.error + 1e-12, "{mu}: {m:?} {product}");
    }
}
