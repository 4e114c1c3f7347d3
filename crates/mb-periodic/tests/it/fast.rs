//! Vibrations of many turns in a period: resolved by more steps, or said not to be.

use crate::support::{model, start};
use mb_periodic::{Class, OrbitOptions, Period, Stability, find_orbit, floquet};

/// m s^2 + k +- i kc = 0 of a mass on a bearing with cross stiffness: (m s^2 + k)^2 + kc^2 = 0.
const JOURNAL: &str = r#"
units = "SI"
name = "journal"
parameters = { k = 1e4, kc = 60 }
spatial-body = [{ name = "a", mass = 1, inertia = [1, 1, 1], at = [0, 0, 0] }]
joint = [{ name = "guide", type = "generic", a = "a", b = "ground", free = ["x", "y"] }]
bearing = [{ name = "B", a = "a", b = [0, 0, 0], stiffness = [["k", "kc"], ["-kc", "k"]] }]
"#;

/// s^2 = -k + i kc: growth Re s by the half-angle formulas.
fn growth(k: f64, kc: f64) -> f64 {
    ((k.hypot(kc) - k) / 2.0).sqrt()
}

#[test]
fn fast_growth_is_not_damped_away() {
    let model = model(JOURNAL, &[]);
    // 320 radians: at the least number of steps nothing is left of them.
    let (period, expected) = (3.2, growth(1e4, 60.0));
    let orbit = find_orbit(&model, &start(&model), Period::Given(period), &OrbitOptions::default()).unwrap();
    let found = floquet(&orbit).unwrap();
    assert_eq!((orbit.unresolved, found.stability), (0, Stability::Unstable));
    for m in &found.multipliers {
        let sign = if m.class == Class::Growing { 1.0 } else { -1.0 };
        let size = (sign * expected * period).exp();
        assert!((m.value.norm() - size).abs() <= m.error && m.error < 1e-3, "{size}: {m:?}");
    }
    assert_eq!(found.multipliers.iter().filter(|m| m.class == Class::Growing).count(), 2);
}

#[test]
fn what_no_steps_resolve_is_not_determined() {
    let model = model(JOURNAL, &[]);
    let options = OrbitOptions { most_steps: 64, decayed: true, ..OrbitOptions::default() };
    let orbit = find_orbit(&model, &start(&model), Period::Given(3.2), &options).unwrap();
    let found = floquet(&orbit).unwrap();
    assert_eq!((orbit.unresolved, found.stability), (4, Stability::Unresolved));
    assert!(found.multipliers.iter().all(|m| m.class == Class::Unresolved && m.exponent.is_none()));
}
