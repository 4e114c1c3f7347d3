//! Every joint and element in space from a file, between a body and the ground and between two bodies: read, counted, simulated
//! by two methods that agree, linearized, and weighed: joints at the mass centre carry the weight, the base carries both.

use crate::support::{Run, mb_with};
use serde_json::Value;

const MASS: f64 = 2.0;
const CARRIER: f64 = 3.0;
const GRAVITY: f64 = 9.81;
const INERTIA: f64 = 0.3;
const START: [f64; 3] = [0.3, 0.2, 0.1];
const UNTIL: f64 = 0.1;

/// A load with isotropic inertia, and where it is held by another body a carrier clamped to the ground. `more` are further tables with
/// `B` for the place that the load is held at and `H` for one half a metre above it.
fn model(on_carrier: bool, start: &str, more: &str) -> String {
    let [x, y, z] = START;
    let hook = z + 0.5;
    let (place, above) = if on_carrier {
        (r#""carrier.seat""#.to_owned(), r#""carrier.hook""#.to_owned())
    } else {
        (r#""ground""#.to_owned(), format!("[{x}, {y}, {hook}]"))
    };
    let carrier = format!(
        r#"
        [[spatial-body]]
        name = "carrier"
        mass = {CARRIER}
        inertia = [0.5, 0.5, 0.5]
        at = [1.0, 0.2, 0.1]
        markers = {{ seat = [{dx}, 0, 0], hook = [{dx}, 0, 0.5] }}

        [[joint]]
        name = "base"
        type = "fixed"
        a = "carrier"
        b = "ground"

        [[output]]
        name = "base-z"
        quantity = "force"
        of = "base"
        axis = "z"
        "#,
        dx = x - 1.0
    );
    format!(
        r#"
        units = "SI"
        name = "one element"
        gravity = [0, 0, -{GRAVITY}]

        [[spatial-body]]
        name = "load"
        mass = {MASS}
        inertia = [{INERTIA}, {INERTIA}, {INERTIA}]
        at = [{x}, {y}, {z}]
        markers = {{ tip = [0, 0, 0.25] }}
        {start}
        {}
        {}
        "#,
        if on_carrier { carrier.as_str() } else { "" },
        more.replace("= B", &format!("= {place}")).replace("= H", &format!("= {above}"))
    )
}

fn good(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{run:?}");
    serde_json::from_str(&run.out).unwrap()
}

/// Outputs at the end by name, by two methods that agree in everything the files hold; `mb modes` runs too.
fn tried(what: &str, text: &str) -> impl Fn(&str) -> f64 + use<> {
    let folder = tempfile::tempdir().unwrap();
    let tight = ["--rtol", "1e-10", "--atol", "1e-12"];
    let until = UNTIL.to_string();
    let history = |name: &str, method: &[&str]| -> (Value, Value) {
        let path = folder.path().join(name);
        let common = ["simulate", "-", "--until", &until, "--every", &until, "--json", "--output"];
        let run = good(&mb_with(&[&common[..], &[path.to_str().unwrap()], &tight, method].concat(), text));
        (run, serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    };
    let (run, one) = history("one.json", &["--method", "direct-correction", "--reactions"]);
    let (_, other) = history("other.json", &["--method", "coordinate-partitioning", "--reactions"]);
    let last =
        |columns: &Value, name: &str| columns[name].as_array().unwrap().last().unwrap().as_f64().unwrap();
    for name in
        one.as_object().unwrap().keys().filter(|name| !name.contains("violation") && !name.contains("drift"))
    {
        let (a, b) = (last(&one, name), last(&other, name));
        assert!((a - b).abs() < 1e-7 * a.abs().max(1.0), "{what}: {name} {a} {b}");
    }
    // The implicit integrator is of second order: it agrees up to its step.
    let (_, implicit) = history("implicit.json", &["--integrator", "generalized-alpha", "--step", "1e-3"]);
    for name in one.as_object().unwrap().keys().filter(|name| name.starts_with("load.")) {
        let (a, b) = (last(&one, name), last(&implicit, name));
        assert!((a - b).abs() < 1e-4, "{what}: {name} {a} {b}");
    }
    let outputs = run["runs"][0]["outputs"].clone();
    move |name: &str| {
        let found = outputs.as_array().unwrap().iter().find(|o| o["name"] == name);
        found.unwrap_or_else(|| panic!("{name}: {outputs}"))["last"].as_f64().unwrap()
    }
}

fn near(what: &str, found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6 * expected.abs().max(1.0), "{what}: {found} against {expected}");
}

const FORCE: &str = r#"
    [[output]]
    name = "carried"
    quantity = "force"
    of = "J"
    axis = "z"
"#;

/// Kind with its own keys, rows, and how the load starts: along what the joint leaves free.
const JOINTS: [(&str, usize, &str); 14] = [
    ("type = \"spherical\"", 3, "angular_velocity = [1, 2, -3]"),
    ("type = \"revolute\"\naxis = [0, 1, 0]", 5, "angular_velocity = [0, 3, 0]"),
    ("type = \"prismatic\"\naxis = [1, 0, 0]", 5, "velocity = [2, 0, 0]"),
    ("type = \"cylindrical\"\naxis = [1, 0, 0]", 4, "velocity = [2, 0, 0]\nangular_velocity = [3, 0, 0]"),
    ("type = \"universal\"\naxis = [1, 0, 0]\naxis_a = [0, 1, 0]", 4, "angular_velocity = [2, 0, 0]"),
    ("type = \"planar\"\naxis = [0, 0, 1]", 3, "velocity = [1, -2, 0]\nangular_velocity = [0, 0, 3]"),
    ("type = \"fixed\"", 6, ""),
    ("type = \"point-on-line\"\naxis = [1, 0, 0]", 2, "velocity = [2, 0, 0]\nangular_velocity = [1, 2, 3]"),
    ("type = \"generic\"\nlocked = [\"z\"]", 1, "velocity = [2, -1, 0]\nangular_velocity = [1, 2, 3]"),
    ("type = \"generic\"\nlocked = [\"x\", \"z\"]", 2, "velocity = [0, -1, 0]\nangular_velocity = [1, 2, 3]"),
    (
        "type = \"generic\"\nlocked = [\"z\", \"rotation x\"]",
        2,
        "velocity = [2, -1, 0]\nangular_velocity = [0, 0, 3]",
    ),
    (
        "type = \"generic\"\nlocked = [\"z\", \"rotation y\"]",
        2,
        "velocity = [2, -1, 0]\nangular_velocity = [0, 0, 3]",
    ),
    ("type = \"generic\"\nlocked = [\"y\", \"z\", \"rotation z\"]", 3, "velocity = [2, 0, 0]"),
    (
        "type = \"generic\"\nfree = [\"x\", \"rotation x\"]",
        4,
        "velocity = [2, 0, 0]\nangular_velocity = [3, 0, 0]",
    ),
];

/// At the mass centre joints carry the weight whatever the load does along what they leave free, which it does uniformly.
#[test]
fn joints_from_a_file_carry_the_weight() {
    for on_carrier in [false, true] {
        for (kind, rows, start) in JOINTS {
            let joint = format!("[[joint]]\nname = \"J\"\na = \"load\"\nb = B\n{kind}\n{FORCE}");
            let text = model(on_carrier, start, &joint);
            let what = format!("{kind} {on_carrier}");
            let count = good(&mb_with(&["check", "-", "--json"], &text));
            assert_eq!(count["model"]["degrees_of_freedom"], 6 - rows, "{what}: {count}");
            if rows == 6 {
                // Clamped, it can only be checked: nothing moves.
                let run = mb_with(&["simulate", "-", "--until", "0.1"], &text);
                assert!(run.code != 0 && run.err.contains("locked"), "{what}: {run:?}");
                continue;
            }
            let value = tried(&what, &text);
            near(&what, value("carried"), MASS * GRAVITY);
            if on_carrier {
                near(&what, value("base-z"), (MASS + CARRIER) * GRAVITY);
            }
            good(&mb_with(&["modes", "-", "--json"], &text));
        }
    }
}

/// A rod without mass of half a metre from above: at rest it carries the weight, swinging also what turns the motion.
#[test]
fn a_distance_from_a_file_carries_the_weight() {
    let joint = format!("[[joint]]\nname = \"J\"\ntype = \"distance\"\na = \"load\"\nb = H\n{FORCE}");
    for on_carrier in [false, true] {
        let text = model(on_carrier, "angular_velocity = [0, 0, 4]", &joint);
        let value = tried("distance", &text);
        near("distance", value("carried"), MASS * GRAVITY);
        // Kicked sideways at the lowest place: the weight and m v^2 / L just then.
        let kicked = model(on_carrier, "velocity = [1.5, 0, 0]", &joint);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.json");
        let args = ["simulate", "-", "--until", "0.01", "--json", "--output", path.to_str().unwrap()];
        good(&mb_with(&args, &kicked));
        let history: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let first = history["carried"][0].as_f64().unwrap();
        near("kicked", first, MASS * (GRAVITY + 1.5 * 1.5 / 0.5));
        good(&mb_with(&["modes", "-", "--json"], &text));
    }
}

/// A hinge of the load, named J; its force, and its angle as an output.
fn hinge(axis: &str) -> String {
    format!(
        r#"
        [[joint]]
        name = "J"
        type = "revolute"
        a = "load"
        b = B
        axis = {axis}
        {FORCE}
        [[output]]
        name = "angle"
        quantity = "angle"
        of = "J"
        "#
    )
}

/// A driven hinge turns by its law and still carries the weight; the moment of the drive turns the inertia.
#[test]
fn drives_from_a_file_follow_their_law() {
    let driven = format!(
        r#"
        {}
        [[drive]]
        name = "motor"
        quantity = "angle"
        of = "J"
        law = "0.5*t + 3*t^2"

        [[output]]
        name = "moment"
        quantity = "multiplier"
        of = "motor"
        "#,
        hinge("[0, 1, 0]")
    );
    for on_carrier in [false, true] {
        let value = tried("drive", &model(on_carrier, "angular_velocity = [0, 0.5, 0]", &driven));
        near("angle", value("angle"), 0.5 * UNTIL + 3.0 * UNTIL * UNTIL);
        near("weight", value("carried"), MASS * GRAVITY);
        near("moment", value("moment").abs(), INERTIA * 6.0);
        if on_carrier {
            near("base", value("base-z"), (MASS + CARRIER) * GRAVITY);
        }
    }
}

const HEIGHT: &str = r#"
    [[output]]
    name = "height"
    quantity = "z"
    of = "load"
"#;

/// The load falls onto what holds it: z = -(m g - F) / k (1 - cos w t) with springs, bushings and dead loads, damped with dampers;
/// the base carries the weight of the carrier and the force of the spring.
#[test]
fn springs_bushings_dampers_and_dead_loads_from_a_file() {
    let k = 500.0;
    let weight = MASS * GRAVITY;
    let spring = r#"
        [[spring]]
        name = "S"
        a = "load"
        b = H
        stiffness = 500
        natural_length = 0.5
    "#;
    let bushing = r#"
        [[bushing]]
        name = "S"
        a = "load"
        b = B
        stiffness = [700, 800, 500, 20, 30, 40]
    "#;
    let damping = 12.0;
    let dead = r#"
        [[force]]
        name = "dead"
        at = "load"
        vector = [0, 0, 7]
    "#;
    for on_carrier in [false, true] {
        for (what, tables, c, load) in [
            ("spring", spring.to_owned(), 0.0, 0.0),
            ("spring and damper", format!("{spring}damping = 12\n"), damping, 0.0),
            ("bushing", bushing.to_owned(), 0.0, 0.0),
            ("damped bushing", format!("{bushing}damping = [1, 2, 12, 0.1, 0.2, 0.3]\n"), damping, 0.0),
            ("dead load", format!("{spring}{dead}"), 0.0, 7.0),
        ] {
            let what = format!("{what} {on_carrier}");
            let text = model(on_carrier, "", &format!("{tables}{HEIGHT}"));
            let value = tried(&what, &text);
            // m z'' + c z' + k z = F - m g from rest.
            let (decay, rest) = (c / (2.0 * MASS), (load - weight) / k);
            let omega = (k / MASS - decay * decay).sqrt();
            let (sin, cos) = (omega * UNTIL).sin_cos();
            let fade = (-decay * UNTIL).exp();
            let z = rest * (1.0 - fade * (cos + decay / omega * sin));
            let speed = rest * fade * (omega + decay * decay / omega) * sin;
            near(&what, value("height"), START[2] + z);
            if on_carrier {
                near(&what, value("base-z"), CARRIER * GRAVITY - k * z - c * speed);
            }
            good(&mb_with(&["modes", "-", "--json"], &text));
        }
    }
}

/// On a hinge at the mass centre a torsional spring and a follower force at an arm: theta = (F r / k) (1 - cos w t); the hinge
/// carries the weight less what the follower lifts, which turns with the body.
#[test]
fn torsional_springs_and_follower_loads_from_a_file() {
    let (k, force, arm) = (40.0, 6.0, 0.25);
    let sprung = format!(
        r#"
        {}
        [[torsion-spring]]
        name = "T"
        joint = "J"
        stiffness = 40
        "#,
        hinge("[0, 1, 0]")
    );
    let follower = r#"
        [[force]]
        name = "push"
        at = "load.tip"
        vector = [6, 0, 0]
        frame = "follower"
    "#;
    for on_carrier in [false, true] {
        let omega = (k / INERTIA).sqrt();
        let turning = tried("torsion", &model(on_carrier, "angular_velocity = [0, 3, 0]", &sprung));
        near("torsion", turning("angle"), 3.0 / omega * (omega * UNTIL).sin());
        near("torsion", turning("carried"), MASS * GRAVITY);
        let text = model(on_carrier, "", &format!("{sprung}{follower}"));
        let pushed = tried("follower", &text);
        let angle = force * arm / k * (1.0 - (omega * UNTIL).cos());
        near("follower", pushed("angle"), angle);
        // x of the body points down as it turns about y.
        near("follower", pushed("carried"), MASS * GRAVITY + force * angle.sin());
        if on_carrier {
            near("follower", pushed("base-z"), (MASS + CARRIER) * GRAVITY + force * angle.sin());
        }
        good(&mb_with(&["modes", "-", "--json"], &text));
    }
}

/// A torque between two bodies turns them against each other: the base feels none of it but its reaction.
#[test]
fn torques_from_a_file_have_their_reaction() {
    let torque = format!(
        r#"
        {}
        [[torque]]
        name = "twist"
        on = "load"
        from = "carrier"
        direction = [0, 0, 1]
        magnitude = 0.9

        [[output]]
        name = "reaction"
        quantity = "moment"
        of = "base"
        axis = "z"
        "#,
        hinge("[0, 0, 1]")
    );
    let value = tried("torque", &model(true, "", &torque));
    near("angle", value("angle"), 0.5 * 0.9 / INERTIA * UNTIL * UNTIL);
    near("reaction", value("reaction"), 0.9);
    near("weight", value("carried"), MASS * GRAVITY);
}

/// One hinge or three hundred in its place: the rows that say the same are redundant, the pendulum is the same.
#[test]
fn hundreds_of_hinges_in_one_place_are_one_hinge() {
    // omega^2 = m g l / (I + m l^2)
    let omega = (9.81_f64 * 0.5 / (1.0 + 0.25)).sqrt();
    for hinges in [1, 60, 300] {
        let text = format!(
            "units = 'SI'\nname = 'hinges'\ngravity = [0, 0, -9.81]\n\
             [[spatial-body]]\nname = 'plate'\nmass = 1\ninertia = [1, 1, 1]\nat = [0.3, 0, -0.4]\nmarkers.p = [-0.3, 0, 0.4]\n\
             [[repeat]]\nindex = 'i'\nfrom = 1\nto = {hinges}\n[[repeat.joint]]\nname = 'h{{i}}'\ntype = 'revolute'\n\
             axis = [0, 1, 0]\na = 'plate.p'\nb = 'ground'\n"
        );
        let run = mb_with(&["modes", "-", "--json"], &text);
        assert_eq!(run.code, 0, "{}", run.err);
        let answer: Value = serde_json::from_str(&run.out).unwrap();
        let modes = answer["formulations"][0]["eigenpairs"].as_array().unwrap();
        let found: Vec<f64> = modes.iter().map(|m| m["im"].as_f64().unwrap().abs()).collect();
        assert!(
            found.iter().all(|im| (im - omega).abs() < 1e-9 * omega) && !found.is_empty(),
            "{hinges}: {found:?}"
        );
    }
}

/// A body on a hinge with a torsion spring: omega^2 = k / (I + m r^2), with gravity along the hinge or none, wherever the hinge points and
/// the body stands. Second derivatives of constraints leave squares of rounding on the diagonal of K there.
#[test]
fn a_door_with_a_spring_has_its_frequency_however_it_hangs() {
    let (mass, stiffness) = (0.661, 3.0);
    let inertia = [0.135, 0.116, 0.123];
    let mut tried = 0;
    for k in 0..3 {
        for gravity in [0.0, 9.81, -9.81] {
            for turn in [0.0, 0.5, std::f64::consts::FRAC_PI_2, -0.7] {
                for marker in [[-0.5, -0.5, 0.0], [0.25, 0.5, -0.5], [0.0, -0.25, 0.5]] {
                    let unit = |i: usize| f64::from(u8::from(i == k));
                    let (axis, g) = ([0, 1, 2].map(unit), [0, 1, 2].map(|i| gravity * unit(i)));
                    let text = format!(
                        "units = 'SI'\nname = 'door'\ngravity = {g:?}\n\
                         [[spatial-body]]\nname = 'leaf'\nmass = {mass}\ninertia = {inertia:?}\nat = [-1.5, 1.5, 1.5]\n\
                         orientation = {{ axis = {axis:?}, angle = {turn} }}\nmarkers = {{ m = {marker:?} }}\n\
                         [[joint]]\nname = 'hinge'\ntype = 'revolute'\na = 'leaf.m'\nb = 'ground'\naxis = {axis:?}\n\
                         [[torsion-spring]]\nname = 'spring'\njoint = 'hinge'\nstiffness = {stiffness}\n"
                    );
                    let run = mb_with(&["modes", "-", "--json"], &text);
                    assert_eq!(run.code, 0, "{text}: {}", run.err);
                    let answer: Value = serde_json::from_str(&run.out).unwrap();
                    let pairs = answer["formulations"][0]["eigenpairs"].as_array().unwrap();
                    let arm: f64 = (0..3).map(|i| marker[i] * marker[i] * (1.0 - axis[i])).sum();
                    let omega = (stiffness / (inertia[k] + mass * arm)).sqrt();
                    for pair in pairs {
                        let [re, im] = ["re", "im"].map(|key| pair[key].as_f64().unwrap());
                        assert!(
                            re.abs() < 1e-9 && (im.abs() - omega).abs() < 1e-9 * omega,
                            "{text}: {re} {im}, {omega}"
                        );
                    }
                    assert_eq!(pairs.len(), 2, "{text}");
                    tried += 1;
                }
            }
        }
    }
    assert_eq!(tried, 108);
}
