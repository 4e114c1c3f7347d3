//! `mb state-space`.

use crate::support::{json, mb_with, model, right, snapshot};

#[test]
fn a_cart_with_a_pendulum_reduced() {
    let run = mb_with(&["state-space", "-", "--form", "descriptor"], &right(&["generate", "cart-pendulum"]));
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("16 states, 1 input, 2 outputs"), "{}", run.out);
}

#[test]
fn a_pendulum_in_descriptor_form() {
    snapshot("state_space_rod", &right(&["state-space", &model("rod-pendulum")]));
}

#[test]
fn sizes_of_the_three_forms() {
    let sizes = |form: &str| {
        let found = json(&["state-space", &model("double-pendulum-rigid"), "--form", form]);
        assert_eq!(found["form"], form);
        (
            found["a"].as_array().unwrap().len(),
            found["b"][0].as_array().unwrap().len(),
            found["c"].as_array().unwrap().len(),
        )
    };
    assert_eq!((sizes("descriptor"), sizes("reduced"), sizes("minimal")), ((16, 1, 2), (4, 1, 2), (4, 1, 2)));
}

#[test]
fn a_file_is_named_and_has_the_point_of_linearization() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sys.npz");
    let said = right(&["state-space", &model("cart-pendulum"), "-o", path.to_str().unwrap()]);
    assert!(said.contains("sys.npz: matrices") && !said.contains("too large"), "{said}");
    let bytes = std::fs::read(&path).unwrap();
    for name in ["configuration", "velocity", "input_values", "time"] {
        let entry = format!("{name}.npy");
        assert!(bytes.windows(entry.len()).any(|w| w == entry.as_bytes()), "{name}");
    }
}
