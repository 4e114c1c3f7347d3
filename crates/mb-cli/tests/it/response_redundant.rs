//! Reactions of joints that repeat each other, in answer to a harmonic force: Newton's law for the sum of their forces.

use crate::support::mb_with;
use serde_json::Value;
use std::fmt::Write as _;

/// Numbers from 0 to 1, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
    fn direction(&mut self) -> [f64; 3] {
        loop {
            let v: [f64; 3] = std::array::from_fn(|_| self.between(-1.0, 1.0));
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (0.2..1.0).contains(&length) {
                return v.map(|x| x / length);
            }
        }
    }
}

/// Units of length and mass in those of the file.
const UNITS: [[f64; 2]; 2] = [[1.0, 1.0], [1e3, 1e-3]];

fn along(from: [f64; 3], by: f64, direction: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| from[k] + by * direction[k])
}

/// A component of the first answer at the first frequency, as real and imaginary part.
fn value(found: &Value, output: &str) -> [f64; 2] {
    let list = found["responses"].as_array().unwrap();
    let one = list.iter().find(|r| r["output"] == output).unwrap_or_else(|| panic!("{output}"));
    let value = &one["value"][0];
    [0, 1].map(|k| value[k].as_f64().unwrap())
}

fn answer(text: &str) -> Value {
    let run = mb_with(&["response", "-", "--at-hz", "1.7,12", "--json"], text);
    assert_eq!(run.code, 0, "{}\n{text}", run.err);
    serde_json::from_str(&run.out).unwrap()
}

/// Sum of the forces of joints on a body, plus those on it, is mass times acceleration of its centre.
fn balances(found: &Value, forces: &[(f64, &str)], push: [f64; 3], masses: &[(f64, &str)]) {
    let mut size = 0.0_f64;
    let mut rest = [[0.0; 2]; 3];
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        rest[k][0] = push[k];
        size = size.max(push[k].abs());
        for part in 0..2 {
            for (sign, joint) in forces {
                let force = value(found, &format!("{joint}-{axis}"))[part];
                rest[k][part] += sign * force;
                size = size.max(force.abs());
            }
            for (mass, body) in masses {
                let inertia = mass * value(found, &format!("{body}-{axis}"))[part];
                rest[k][part] -= inertia;
                size = size.max(inertia.abs());
            }
        }
    }
    let off = rest.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
    assert!(off < 1e-8 * size, "{off:e} of {size:e}");
}

fn accelerations(text: &mut String, body: &str) {
    for axis in ["x", "y", "z"] {
        let _ = writeln!(
            text,
            "[[output]]\nname = \"{body}-{axis}\"\nquantity = \"{axis}\"\nof = \"{body}\"\nderivative = 2"
        );
    }
}

fn forces(text: &mut String, joint: &str) {
    for axis in ["x", "y", "z"] {
        let _ = writeln!(
            text,
            "[[output]]\nname = \"{joint}-{axis}\"\nquantity = \"force\"\nof = \"{joint}\"\naxis = \"{axis}\""
        );
    }
}

/// A ring in two bearings on one axis holds a rotor in two on another: each second bearing repeats the rows of the first but for rounding.
#[test]
fn gimbals_answer_whatever_rounding_makes_of_repeated_rows() {
    for [length, mass] in UNITS {
        for seed in 1..=15 {
            let mut r = Random(seed);
            let (u, w, push) = (r.direction(), r.direction(), r.direction());
            let centre: [f64; 3] = std::array::from_fn(|_| r.between(-1.0, 1.0) * length);
            let reach: [f64; 4] = std::array::from_fn(|_| r.between(0.1, 0.5) * length);
            let masses: [f64; 2] = std::array::from_fn(|_| r.between(0.5, 5.0) * mass);
            let gravity = r.direction().map(|x| 9.81 * length * x);
            let tip = r.direction().map(|x| 0.1 * length * x);
            let inertia = |m: f64| [1.0, 1.2, 1.5].map(|x| 0.02 * x * m * length * length);
            let places = [(reach[0], u), (-reach[1], u), (reach[2], w), (-reach[3], w)];
            let [u1, u2, w1, w2] = places.map(|(by, along)| along.map(|x| by * x));
            let [a, b] = [reach[0], -reach[1]].map(|by| along(centre, by, u));
            let stiffness = 60.0 * mass * length * length;
            let mut text = format!(
                r#"
                units = "SI"
                name = "gimbal"
                gravity = {gravity:?}
                spatial-body = [
                  {{ name = "ring", mass = {}, inertia = {:?}, at = {centre:?}, markers = {{ u1 = {u1:?}, u2 = {u2:?}, w1 = {w1:?}, w2 = {w2:?} }} }},
                  {{ name = "rotor", mass = {}, inertia = {:?}, at = {centre:?}, markers = {{ w1 = {w1:?}, w2 = {w2:?}, tip = {tip:?} }} }},
                ]
                joint = [
                  {{ name = "A", type = "revolute", a = "ring.u1", b = {a:?}, axis = {u:?} }},
                  {{ name = "B", type = "revolute", a = "ring.u2", b = {b:?}, axis = {u:?} }},
                  {{ name = "V", type = "revolute", a = "rotor.w1", b = "ring.w1", axis = {w:?} }},
                  {{ name = "W", type = "revolute", a = "rotor.w2", b = "ring.w2", axis = {w:?} }},
                ]
                torsion-spring = [
                  {{ name = "s", joint = "A", stiffness = {stiffness}, damping = {damping} }},
                  {{ name = "t", joint = "V", stiffness = {stiffness}, damping = {damping} }},
                ]
                force = [{{ name = "push", at = "rotor.tip", direction = {push:?}, input = "F" }}]
                "#,
                masses[0],
                inertia(masses[0]),
                masses[1],
                inertia(masses[1]),
                damping = 1e-3 * stiffness,
            );
            ["A", "B", "V", "W"].into_iter().for_each(|joint| forces(&mut text, joint));
            ["ring", "rotor"].into_iter().for_each(|body| accelerations(&mut text, body));
            let found = answer(&text);
            let bodies = [(masses[0], "ring"), (masses[1], "rotor")];
            balances(&found, &[(1.0, "A"), (1.0, "B")], push, &bodies);
            balances(&found, &[(1.0, "V"), (1.0, "W")], push, &bodies[1..]);
            // How two bearings share the force is not determined; what moves is.
            let notes = found["notes"].to_string();
            assert!(notes.contains("A-x") && notes.contains("shortest multipliers"), "{notes}");
            assert!(!notes.contains("ring-x"), "{notes}");
        }
    }
}

/// A platform on parallel rods of equal length that swings out under gravity from any direction: two rods would do.
#[test]
fn parallelograms_answer_whatever_rounding_makes_of_repeated_rows() {
    for [length, mass] in UNITS {
        for seed in 1..=15 {
            let mut r = Random(seed);
            let (reach, own) = (r.between(0.3, 0.8) * length, r.between(0.5, 5.0) * mass);
            let tilt = r.between(-1.2, 1.2);
            let count = 3 + usize::try_from(seed % 3).unwrap();
            let gravity = [9.81 * length * tilt.sin(), -9.81 * length * tilt.cos()];
            let push = r.between(-3.0, 3.0);
            let mut text = format!(
                r#"
                units = "SI"
                name = "parallelogram"
                gravity = {gravity:?}
                body = [{{ name = "platform", mass = {own}, inertia = {}, at = {:?}, markers = {{ {} }} }}]
                force = [{{ name = "push", at = "platform", direction = {:?}, input = "F" }}]
                "#,
                0.1 * own * length * length,
                [reach * tilt.sin(), -reach * tilt.cos()],
                (0..count)
                    .map(|k| format!("p{k} = [{}, {}]", 0.31 * length * k as f64, 0.07 * length * (k * k) as f64))
                    .collect::<Vec<_>>()
                    .join(", "),
                [push.cos(), push.sin()],
            );
            for k in 0..count {
                let _ = writeln!(
                    text,
                    "[[joint]]\nname = \"r{k}\"\ntype = \"distance\"\na = \"platform.p{k}\"\nb = {:?}\nlength = {reach}",
                    [0.31 * length * k as f64, 0.07 * length * (k * k) as f64]
                );
                for axis in ["x", "y"] {
                    let _ = writeln!(
                        text,
                        "[[output]]\nname = \"r{k}-{axis}\"\nquantity = \"force\"\nof = \"r{k}\"\naxis = \"{axis}\""
                    );
                }
            }
            for axis in ["x", "y"] {
                let _ = writeln!(
                    text,
                    "[[output]]\nname = \"platform-{axis}\"\nquantity = \"{axis}\"\nof = \"platform\"\nderivative = 2"
                );
            }
            let found = answer(&text);
            for (k, axis) in ["x", "y"].into_iter().enumerate() {
                let of_rods: f64 = (0..count).map(|i| value(&found, &format!("r{i}-{axis}"))[0]).sum();
                let inertia = own * value(&found, &format!("platform-{axis}"))[0];
                let rest = of_rods + [push.cos(), push.sin()][k] - inertia;
                assert!(rest.abs() < 1e-8 * (1.0 + inertia.abs()), "{seed} {axis}: {rest:e}");
            }
            let notes = found["notes"].to_string();
            assert!(notes.contains("r0-x") && notes.contains("shortest multipliers"), "{notes}");
        }
    }
}
