//! What is known of a steady motion besides its matrices: zeros that penalties move, and terms that an element leaves out.

use crate::support::mb_with;
use serde_json::Value;

fn pairs(args: &[&str], text: &str) -> Vec<Value> {
    let run = mb_with(&[args, &["--json"]].concat(), text);
    assert_eq!(run.code, 0, "{run:?}");
    let found: Value = serde_json::from_str(&run.out).unwrap();
    found["formulations"][0]["eigenpairs"].as_array().unwrap().clone()
}

/// The free turn of a governor is a zero with a second vector, of which penalties make a pair +-0.01: in all formulations it is zero twice.
#[test]
fn penalties_leave_the_zeros_of_a_free_turn() {
    let text = r#"
        units = "SI"
        name = "governor"
        gravity = [0, 0, -9.81]
        spatial-body = [
            { name = "shaft", mass = 1, inertia = [1, 1, 1], at = [0, 0, 0] },
            { name = "arm", mass = 2, inertia = [0.01, 0.01, 0.01], at = [0.3, 0, -0.4], markers = { pin = [-0.3, 0, 0.4] } }]
        joint = [
            { name = "axle", type = "revolute", a = "shaft", b = "ground", axis = [0, 0, 1] },
            { name = "pin", type = "revolute", a = "arm.pin", b = "shaft", axis = [0, 1, 0] }]
    "#;
    for formulation in ["minimal", "unconstrained"] {
        let found = pairs(&["modes", "-", "--spin", "axle=7", "--formulation", formulation], text);
        let zeros = found.iter().filter(|pair| pair["class"]["kind"] == "rigid").count();
        assert_eq!(zeros, 2, "{formulation}");
        let grows = found
            .iter()
            .any(|pair| pair["class"]["kind"] == "physical" && pair["re"].as_f64().unwrap() > 1e-3);
        assert!(!grows, "{formulation}");
    }
}

/// A blade whose element is linear in the displacements is softened by the speed and not stiffened by the forces of it: nothing is claimed.
#[test]
fn a_blade_without_centrifugal_stiffness_has_no_bounds() {
    let text = r#"
        units = "SI"
        name = "blade"
        gravity = [0, 0]
        erls-link = [{ name = "blade", base = [0, 0], length = 1, elements = 4, density = 7850, youngs_modulus = 2.1e11,
            section = { width = 0.002, height = 0.002 } }]
        drive = [{ name = "turn", quantity = "angle", of = "blade", law = "18*t" }]
    "#;
    let run = mb_with(&["modes", "-", "--moving", "--lowest", "2"], text);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.out.contains("CENTRIFUGAL STIFFNESS IS MISSING") && run.out.contains("erls-link 'blade'"),
        "{run:?}"
    );
    let found = pairs(&["modes", "-", "--moving", "--lowest", "2"], text);
    assert!(found.iter().all(|pair| pair["error_bound"].is_null()), "{found:?}");
    // At rest its eigenvalues are those of the blade.
    let rest = text.replace("18*t", "0");
    assert!(!mb_with(&["modes", "-", "--lowest", "2"], &rest).out.contains("MISSING"));
}

/// Six eigenvalues of a tilted top in steady precession P, in either form: four zeros, and the nutation, whatever the speed is. With A about
/// the tip, the spin n and the angle th from the vertical
///
/// ```text
/// A th'' = A P^2 sin cos - I3 n P sin + m g h sin,   dP/dth = (I3 n / A - 2 P cos) / sin by the momenta that are kept
/// ```
#[test]
fn the_redundant_form_has_as_many_zeros_of_a_fast_top() {
    let (m, h, i1, i3, g): (f64, f64, f64, f64, f64) = (0.5, 0.06, 4e-4, 5e-4, 9.81);
    let (a, (sin, cos)) = (i1 + m * h * h, 30_f64.to_radians().sin_cos());
    for p in [5.0, 10.0, 30.0, 100.0, 300.0] {
        let n = (m * g * h + a * p * p * cos) / (i3 * p);
        let text = format!(
            "units = 'SI'
             name = 'tilted top'
             gravity = [0, 0, -{g}]
             spatial-body = [{{ name = 'top', mass = {m}, inertia = [{i1}, {i1}, {i3}], center_of_mass = [0, 0, {h}], at = [0, 0, 0],
               orientation = {{ axis = [0, 1, 0], angle = 'deg(30)' }},
               angular_velocity = [{}, 0, {}] }}]
             joint = [{{ name = 'tip', type = 'spherical', a = 'top', b = [0, 0, 0] }}]",
            (n - p * cos) * sin,
            p + (n - p * cos) * cos
        );
        let slope = (i3 * n / a - 2.0 * p * cos) / sin;
        let square = -(p * p * (cos * cos - sin * sin)
            + (m * g * h - i3 * n * p) * cos / a
            + (2.0 * p * sin * cos - i3 * n * sin / a) * slope);
        for formulation in ["minimal", "redundant"] {
            let found = pairs(&["modes", "-", "--moving", "--formulation", formulation], &text);
            let of = |kind: &str| -> Vec<f64> {
                let own = found.iter().filter(|pair| pair["class"]["kind"] == kind);
                own.map(|pair| pair["im"].as_f64().unwrap().abs()).collect()
            };
            assert_eq!(of("rigid").len(), 4, "{formulation} {p}");
            let nutation = of("physical").into_iter().fold(0.0, f64::max);
            assert!((nutation - square.sqrt()).abs() <= 1e-8 * nutation, "{formulation} {p}: {nutation}");
        }
    }
}
