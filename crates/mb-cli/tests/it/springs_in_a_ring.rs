//! A mass on a free turntable inside a ring of N equal springs to the ground, which change N times in a turn: nothing damps and nothing drives, so
//! that turns of the whole with other speeds are motions too. The pair of eigenvalues that belongs to them is zero, and what is claimed of it must
//! allow for that, however many springs there are.

use crate::support::mb_with;
use serde_json::Value;
use std::fmt::Write as _;

/// A table with a mass off its axis on four springs, and the ring of springs between ground and mass.
fn table(count: u32, stiffness: f64, radius: f64) -> String {
    let mut text = r#"
        units = "SI"
        name = "ring"
        body = [{ name = "table", mass = 1, inertia = 1, at = [0, 0], markers = { e = [1.5, 0], w = [-0.5, 0], n = [0.5, 1], s = [0.5, -1] } }]
        joint = [{ name = "axle", type = "revolute", a = "table", b = [0, 0] }]
        point = [{ name = "m", at = [0.5, 0], mass = 1 }]
        spring = [
            { name = "te", a = "table.e", b = "m", stiffness = 1000, natural_length = 1 },
            { name = "tw", a = "table.w", b = "m", stiffness = 1000, natural_length = 1 },
            { name = "tn", a = "table.n", b = "m", stiffness = 300, natural_length = 1 },
            { name = "ts", a = "table.s", b = "m", stiffness = 300, natural_length = 1 },
        ]
    "#
    .to_owned();
    write!(
        text,
        "\n[[repeat]]\nindex = \"i\"\nfrom = 1\nto = {count}\n[[repeat.spring]]\nname = \"g{{i}}\"\n\
         a = [\"{radius}*cos(2*pi*i/{count})\", \"{radius}*sin(2*pi*i/{count})\"]\nb = \"m\"\nstiffness = {stiffness}\nnatural_length = 1\n"
    )
    .unwrap();
    text
}

#[test]
fn a_ring_that_looks_the_same_at_many_phases_is_not_taken_for_steady() {
    let mut steady = 0;
    for (count, stiffness, radius) in [
        (10, 10.0, 2.0),
        (12, 10.0, 2.0),
        (13, 100.0, 1.5),
        (16, 10.0, 2.0),
        (21, 1.0, 1.2),
        (55, 10.0, 0.65),
        (144, 0.1, 0.55),
    ] {
        let run = mb_with(&["modes", "-", "--spin", "axle=7", "--json"], &table(count, stiffness, radius));
        if run.code == 1 {
            assert!(run.err.contains("not steady") || run.err.contains("steady"), "{count}: {}", run.err);
            continue;
        }
        steady += 1;
        let found: Value = serde_json::from_str(&run.out).unwrap();
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
        for pair in pairs {
            let [re, im, error] = ["re", "im", "error_bound"].map(|key| pair[key].as_f64().unwrap());
            assert!(re.hypot(im) > 1.0 || re.hypot(im) <= error, "{count}: {re} {im} within {error}");
        }
    }
    assert!(steady > 0, "one of them is steady within its bounds");
}
