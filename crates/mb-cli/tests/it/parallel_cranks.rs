//! Redundant linkages whose stiffness does not depend on which of the forces that balance themselves is taken.

use crate::support::mb_with;
use serde_json::Value;
use std::fmt::Write as _;

/// Equal cranks that stand on the ground and carry a bar, the first held by a torsion spring.
fn cranks(places: &[f64], angle: f64) -> String {
    let (x, y) = (-angle.sin(), angle.cos());
    let mut text = format!(
        "units = 'SI'\nname = 'cranks'\ngravity = [0, -9.81]\n[[body]]\nname = 'bar'\nmass = 2\ninertia = 1\nat = [{x}, {y}]\n"
    );
    let (mut markers, mut rest) = ("[body.markers]\n".to_owned(), String::new());
    for (k, place) in places.iter().enumerate() {
        let _ = writeln!(markers, "m{k} = [{place}, 0]");
        let _ = writeln!(
            rest,
            "[[body]]\nname = 'c{k}'\nmass = 1\ninertia = 0.1\nat = [{}, {}]\nangle = {angle}\n[body.markers]\nhi = [0, 0.5]\nlo = [0, -0.5]\n\
             [[joint]]\nname = 'g{k}'\ntype = 'revolute'\na = 'c{k}.lo'\nb = [{place}, 0]\n\
             [[joint]]\nname = 'h{k}'\ntype = 'revolute'\na = 'c{k}.hi'\nb = 'bar.m{k}'",
            place + 0.5 * x,
            0.5 * y
        );
    }
    text.push_str(&markers);
    text.push_str(&rest);
    text.push_str("[[torsion-spring]]\nname = 's'\na = 'c0'\nb = 'ground'\nstiffness = 200\n");
    text
}

/// n cranks of length 1 with a bar of mass 2: J = n (0.1 + 0.25) + 2, k = 200 - (n 0.5 + 2) g upright.
#[test]
fn cranks_that_carry_a_bar_are_determined() {
    for places in [&[0.0, 1.0, 2.0][..], &[-1.0, 0.2, 1.0], &[0.0, 1.0, 2.0, 3.0]] {
        let text = cranks(places, 0.0);
        let run = mb_with(&["modes", "-", "--json"], &text);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{places:?}");
        let found: Value = serde_json::from_str(&run.out).unwrap();
        let pair = &found["formulations"][0]["eigenpairs"][0];
        let n = places.len() as f64;
        let expected = ((200.0 - 9.81 * (0.5 * n + 2.0)) / (0.35 * n + 2.0)).sqrt();
        let off = (pair["im"].as_f64().unwrap() - expected).abs();
        assert!(off <= pair["error_bound"].as_f64().unwrap(), "{places:?}: {off}");
        let rest = mb_with(&["equilibrium", "-"], &text);
        assert!(rest.code == 0 && rest.out.contains("equilibrium: stable"), "{places:?}: {}", rest.out);
    }
}
