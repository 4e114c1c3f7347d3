//! Tests: ranges of growth are those of one branch of motions, and of the linearization at each speed.

use super::{Campbell, CampbellOptions, SpeedOf, campbell};
use mb_model::ModelSpec;
use mb_parametric::NoJournal;

/// An arm on a free shaft: it hangs down up to the square root of g / L, and is raised above.
const GOVERNOR: &str = r#"
    units = "SI"
    name = "governor"
    gravity = [0, 0, -9.81]
    spatial-body = [
        { name = "shaft", mass = 1, inertia = [1, 1, 1], at = [0, 0, 0] },
        { name = "arm", mass = 2, inertia = [0, 0, 0], at = [0.3, 0, -0.4], markers = { pin = [-0.3, 0, 0.4] } },
    ]
    joint = [
        { name = "axle", type = "revolute", a = "shaft", b = "ground", axis = [0, 0, 1] },
        { name = "pin", type = "revolute", a = "arm.pin", b = "shaft", axis = [0, 1, 0] },
    ]
"#;

/// A steel blade that points outwards from a free hub.
const BLADE: &str = r#"
    units = "SI"
    name = "blade"
    spatial-body = [{ name = "hub", mass = 1, inertia = [1, 1, 1], at = [0, 0, 0], markers = { root = [0.8, 0, 0] } }]
    joint = [{ name = "axle", type = "revolute", a = "hub", b = "ground", axis = [0, 0, 1] }]

    [[beam]]
    name = "blade"
    from = "hub.root"
    to = [1.3, 0, 0]
    elements = 10
    density = 7850
    youngs_modulus = 2.1e11
    poissons_ratio = 0.3
    y = [0, 1, 0]
    shear = "rigid"
    section = { width = 0.003, height = 0.003 }
"#;

fn diagram(model: &str, range: [f64; 2], samples: usize) -> Campbell {
    let spec = ModelSpec::from_toml(model).unwrap();
    let options = CampbellOptions { samples, modes: 4, ..CampbellOptions::default() };
    campbell(&spec, &SpeedOf::Joint("axle".to_owned()), range, &options, &mut NoJournal).unwrap()
}

/// The raised arm at the speed w has cos(angle) = g / (L w^2) and, seen from the free shaft, does not grow at any speed.
#[test]
fn an_arm_that_is_raised_by_growing_speeds_never_grows() {
    for samples in [5, 10, 11] {
        let found = diagram(GOVERNOR, [1.0, 10.0], samples);
        assert!(found.unstable.is_empty(), "{samples}: {:?}", found.unstable);
        let begins = (9.81_f64 / 0.5).sqrt();
        let told = crate::number::six(begins);
        assert!(found.passed.iter().any(|note| note.contains(&told)), "{told} in {:?}", found.passed);
    }
}

/// Rotation stiffens what points outwards; the frequencies at a speed do not depend on the others of the diagram.
#[test]
fn a_blade_that_is_stretched_never_grows() {
    let found = diagram(BLADE, [1.0, 10.0], 10);
    assert!(found.unstable.is_empty(), "{:?}", found.unstable);
    let alone = diagram(BLADE, [3.0, 4.0], 2);
    for k in 0..2 {
        for mode in &alone.modes {
            let own = mode[k].as_ref().unwrap();
            let off = |m: &super::ModePoint| (m.s - own.s).norm() - m.error - own.error;
            let near =
                found.modes.iter().filter_map(|m| m[k + 2].as_ref()).map(off).fold(f64::INFINITY, f64::min);
            assert!(near <= 0.0, "{:?} at {}: {near}", own.s, alone.speeds[k]);
        }
    }
}
