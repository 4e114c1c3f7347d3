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
