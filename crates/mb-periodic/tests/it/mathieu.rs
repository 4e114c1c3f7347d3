//! A pendulum on a shaken pivot: Mathieu's equation, judged by its characteristic values.
//!
//! The pivot moves by y = Y cos 2 t, the pendulum has m = 1, its centre of mass at distance 1 and the inertia J = 1 about it:
//!
//! ```text
//! (1 + J) th'' + (g + y'') sin th = 0:   th'' + (a - 2 q cos 2 t) th = 0 near th = 0,   g = (1 + J) a,   Y = (1 + J) q / 2
//! ```

use crate::support::{model, start};
use mb_algebra::{Dense, SymmetricEigen};
use mb_periodic::{Class, OrbitOptions, Period, find_orbit, floquet};
use std::f64::consts::PI;

pub(crate) const SHAKEN: &str = r#"
units = "SI"
name = "pendulum on a shaken pivot"
gravity = [0, "-2*a"]
[parameters]
a = 1.8
q = 1.0
[[body]]
name = "pivot"
mass = 1.0
inertia = 1.0
at = [0, "q"]
angle = 0
[[body]]
name = "pendulum"
mass = 1.0
inertia = 1.0
center_of_mass = [0, -1]
at = [0, "q"]
angle = 0
[[joint]]
name = "rail"
type = "prismatic"
a = "pivot"
b = [0, 0]
axis = [0, 1]
[[joint]]
name = "pin"
type = "revolute"
a = "pendulum"
b = "pivot"
[[drive]]
name = "shake"
quantity = "y"
of = "pivot"
law = "q*cos(2*t)"
"#;

/// Half the trace of the monodromy matrix over pi.
fn half_trace(a: f64, q: f64) -> f64 {
    let model = model(SHAKEN, &[("a", a), ("q", q)]);
    let orbit = find_orbit(&model, &start(&model), Period::Given(PI), &OrbitOptions::default()).unwrap();
    let m = &orbit.monodromy;
    assert_eq!(m.nrows(), 2);
    // No damping: the determinant is one.
    let determinant = m[(0, 0)] * m[(1, 1)] - m[(0, 1)] * m[(1, 0)];
    assert!((determinant - 1.0).abs() < 1e-11, "determinant {determinant}");
    0.5 * (m[(0, 0)] + m[(1, 1)])
}

/// Characteristic values of Mathieu's equation from Hill's determinants, symmetric and truncated where entries exceed all that
/// matter: the lowest of a (even) with period pi, of a and b with period 2 pi, of b with period pi.
pub(crate) fn characteristic(q: f64, family: &str, k: usize) -> f64 {
    const N: usize = 40;
    let diagonal = |i: usize| -> f64 {
        let n = match family {
            "even, pi" => 2 * i,
            "odd, pi" => 2 * i + 2,
            _ => 2 * i + 1,
        };
        let first = match family {
            "even, 2 pi" if i == 0 => q,
            "odd, 2 pi" if i == 0 => -q,
            _ => 0.0,
        };
        (n * n) as f64 + first
    };
    let off = |i: usize| if family == "even, pi" && i == 0 { 2.0_f64.sqrt() * q } else { q };
    let matrix = Dense::from_fn(N, N, |i, j| match i.abs_diff(j) {
        0 => diagonal(i),
        1 => off(i.min(j)),
        _ => 0.0,
    });
    SymmetricEigen::new(&matrix).unwrap().values[k]
}

/// At the limits the half trace is 1 or -1; by its slope the limits themselves are right to 1e-10.
#[test]
fn limits_of_stability_are_the_characteristic_values() {
    for q in [0.3, 1.0, 3.0] {
        for (family, sign) in [("even, pi", 1.0), ("odd, 2 pi", -1.0), ("even, 2 pi", -1.0), ("odd, pi", 1.0)]
        {
            let exact = characteristic(q, family, 0);
            let h = 1e-4;
            let (here, slope) =
                (half_trace(exact, q), (half_trace(exact + h, q) - half_trace(exact - h, q)) / (2.0 * h));
            let off = (here - sign) / slope;
            assert!(off.abs() < 1e-10, "{family} at q = {q}: {exact} is missed by {off:e}, slope {slope}");
        }
    }
}

/// Inside and outside of the first tongue the classes are right, and multipliers come within their errors in pairs.
#[test]
fn multipliers_of_both_sides_of_a_limit() {
    let q = 1.0;
    let limit = characteristic(q, "even, 2 pi", 0);
    for (a, class) in [(limit + 0.01, Class::Neutral), (limit - 0.01, Class::Growing)] {
        let model = model(SHAKEN, &[("a", a), ("q", q)]);
        let orbit = find_orbit(&model, &start(&model), Period::Given(PI), &OrbitOptions::default()).unwrap();
        let found = floquet(&orbit).unwrap();
        assert!(!orbit.autonomous && found.trivial_residual.is_none());
        assert_eq!(found.multipliers[0].class, class, "{found:?}");
        let product = found.multipliers[0].value * found.multipliers[1].value;
        assert!((product - 1.0).norm() < 1e-11);
        assert!(found.multipliers.iter().all(|m| m.error < 1e-9), "{found:?}");
    }
}
