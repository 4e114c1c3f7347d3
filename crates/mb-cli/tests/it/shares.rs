//! `mb modes --energy --participation`: shares by body and effective masses, through the program.

use crate::support::{json, mb, model, right};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1e-3)
}

/// All modes of the motion together carry what the constraints let move, and shares of a mode add up to one.
#[test]
fn sums_are_those_of_theory() {
    for (name, set) in
        [("double-pendulum-rigid", None), ("n-four-bar", Some("N=3")), ("spatial-pendulum", None)]
    {
        let path = model(name);
        let mut args = vec!["modes", path.as_str(), "--energy", "--participation"];
        args.extend(set.iter().flat_map(|set| ["--set", set]));
        let found = json(&args);
        let directions = found["participation"]["directions"].as_array().unwrap();
        assert!(directions.len() >= 2, "{name}");
        for direction in directions {
            let number = |key: &str| direction[key].as_f64().unwrap();
            let (total, movable, sum) = (number("total"), number("constrained"), number("sum"));
            assert!(movable <= total * (1.0 + 1e-12) && movable >= -1e-9 * total, "{name}: {direction}");
            assert!((sum - movable).abs() <= 1e-9 * total, "{name}: {direction}");
        }
        let energy = &found["energy"];
        let groups = energy["groups"].as_array().unwrap().len();
        for mode in energy["modes"].as_array().unwrap() {
            let kinetic = numbers(&mode["kinetic"]);
            assert_eq!(kinetic.len(), groups);
            assert!(close(kinetic.iter().sum(), 1.0), "{name}: {mode}");
        }
        let modes = |part: &str| found[part]["modes"].as_array().unwrap().len();
        assert_eq!(modes("energy"), modes("participation"));
    }
}

/// A rod that hangs from a pin swings sideways: all of m / 3, reduced to its end, moves along x and nothing along y.
#[test]
fn a_pendulum_moves_sideways() {
    let path = model("rod-pendulum");
    let found = json(&["modes", &path, "--participation", "--energy"]);
    let x = &found["participation"]["directions"][0];
    let y = &found["participation"]["directions"][1];
    assert_eq!((x["name"].as_str(), y["name"].as_str()), (Some("x"), Some("y")));
    assert!(close(x["constrained"].as_f64().unwrap(), x["total"].as_f64().unwrap()));
    assert!(y["constrained"].as_f64().unwrap().abs() < 1e-12);
    let mass = numbers(&found["participation"]["modes"][0]["effective_mass"]);
    assert!(close(mass[0], x["total"].as_f64().unwrap()) && mass[1].abs() < 1e-12);
    assert_eq!(found["energy"]["groups"][0], "P");
    assert_eq!(numbers(&found["energy"]["modes"][0]["kinetic"]), [1.0]);
    assert!(found["energy"]["modes"][0]["dissipation"].is_null());
    let text = right(&["modes", &path, "--participation", "--energy"]);
    for words in ["energy by body", "effective mass by direction", "m_x", "m_y", "the constraints let"] {
        assert!(text.contains(words), "{text}");
    }
    assert!(!right(&["modes", &path]).contains("effective mass"));
}

/// The nodes of a flexible link count with its frame, also in a part of the spectrum.
#[test]
fn a_flexible_link_is_one_body() {
    let path = model("flexible-double-pendulum");
    let found = json(&["modes", &path, "--lowest", "3", "--energy"]);
    assert_eq!(found["energy"]["groups"].as_array().unwrap().len(), 2, "{}", found["energy"]["groups"]);
    let modes = found["energy"]["modes"].as_array().unwrap();
    assert_eq!(modes.len(), 3);
    for mode in modes {
        for kind in ["kinetic", "strain"] {
            assert!(close(numbers(&mode[kind]).iter().sum(), 1.0), "{mode}");
        }
    }
    assert!(found.get("participation").is_none());
}

#[test]
fn forms_whose_vectors_leave_the_constraints_are_refused() {
    let run = mb(&["modes", &model("rod-pendulum"), "--formulation", "unconstrained", "--energy"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("--energy"), "{}", run.err);
    let run = mb(&["modes", "--mass", "M.mtx", "--stiffness", "K.mtx", "--participation"]);
    assert_ne!(run.code, 0);
}
