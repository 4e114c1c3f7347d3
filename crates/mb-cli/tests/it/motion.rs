//! `mb modes` and `mb state-space` at a point of a motion.

use crate::support::{json, mb, mb_with, model, right};
use serde_json::Value;

/// A bar on a pin: J = 0.8 kg m^2 about the pin, m g l = 9.81 N m.
const BAR: &str = r#"
    units = "SI"
    name = "bar"
    gravity = [0, -9.81]
    body = [{ name = "bar", mass = 2, inertia = 0.3, at = [0, -0.5], markers = { top = [0, 0.5] } }]
    joint = [{ name = "pin", type = "revolute", a = "bar.top", b = [0, 0] }]
    output = [{ name = "energy", quantity = "energy" }]
"#;

/// s^2 of the bar's angle at this angle, whatever the speed: -(m g l / J) cos(angle).
fn square(angle: f64) -> f64 {
    -9.81 / 0.8 * angle.cos()
}

/// The eigenvalues of an instant of the bar, in its angle.
fn bar(args: &[&str]) -> Value {
    let fixed = ["modes", "-", "--json", "--instant", "--basis", "selection=bar.angle"];
    let args: Vec<&str> = fixed.iter().chain(args).copied().collect();
    let run = mb_with(&args, BAR);
    assert_eq!(run.code, 0, "{run:?}");
    serde_json::from_str(&run.out).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// Re^2 - Im^2 of the first eigenvalue.
fn root(found: &Value) -> f64 {
    let pair = &found["formulations"][0]["eigenpairs"][0];
    number(&pair["re"]).powi(2) - number(&pair["im"]).powi(2)
}

#[test]
fn a_swinging_bar_has_the_stiffness_of_its_angle() {
    for (angle, speed) in [("0.4", "0"), ("0.4", "3.5"), ("2.2", "-1"), ("-70deg", "12")] {
        let found =
            bar(&["--at", &format!("bar.angle={angle}"), "--velocity", &format!("bar.angle={speed}")]);
        let point = &found["operating_point"];
        let at = number(&point["configuration"]["bar.angle"]);
        assert!((root(&found) - square(at)).abs() < 1e-9, "{angle} {speed}: {}", root(&found));
        // The acceleration is that of the pendulum, the pin holds the rest.
        let expected = -9.81 / 0.8 * at.sin();
        assert!((number(&point["accelerations"]["bar.angle"]) - expected).abs() < 1e-10);
        assert!((number(&point["velocities"]["bar.angle"]) - speed.parse::<f64>().unwrap()).abs() < 1e-15);
        assert!(found.get("equilibrium").is_none());
        // The pendulum swings: these are no exponents, and have no bounds.
        assert_eq!(found["exponents"], false);
        assert!(
            found["formulations"][0]["eigenpairs"][0]["error_bound"].is_null()
                && found.get("steady").is_none()
        );
    }
}

#[test]
fn a_later_point_lies_on_the_same_motion() {
    let first = bar(&["--at", "bar.angle=1.1", "--moving"]);
    let later = bar(&["--at", "bar.angle=1.1", "--after", "0.7"]);
    let energy = |found: &Value| number(&found["operating_point"]["outputs"]["energy"]);
    assert!((energy(&first) - energy(&later)).abs() < 1e-8);
    let point = &later["operating_point"];
    assert_eq!(point["time"].to_string(), "0.7");
    assert!(number(&point["velocities"]["bar.angle"]).abs() > 1.0);
    assert!((root(&later) - square(number(&point["configuration"]["bar.angle"]))).abs() < 1e-9);
}

/// A symmetric top spinning upright: A z'' - i I3 spin z' - m g h z = 0 seen from the ground, every eigenvalue less by
/// i spin in the axes of the body, which turn with it. All formulations agree.
#[test]
fn a_sleeping_top_is_steady_in_every_formulation() {
    let (a, momentum, weight) = (4e-4 + 0.5 * 0.06 * 0.06, 5e-4 * 120.0, 0.5 * 9.81 * 0.06);
    let root = f64::sqrt(momentum * momentum - 4.0 * a * weight);
    for (frame, kind, shift) in [("ground", "ground", 0.0), ("top", "body", 120.0)] {
        let args = ["modes", &model("top"), "--frame", frame, "--formulation", "all", "--alpha", "1e8"];
        let found = json(&args);
        assert_eq!((&found["exponents"], &found["steady"]["kind"]), (&true.into(), &kind.into()));
        assert!(number(&found["steady"]["deviation"]) < 1e-12);
        for expected in [(momentum + root) / (2.0 * a) - shift, (momentum - root) / (2.0 * a) - shift] {
            for (formulation, allowed) in [(0, 1e-9), (1, 1e-9), (2, 1e-4)] {
                let pairs = found["formulations"][formulation]["eigenpairs"].as_array().unwrap();
                let off = |p: &Value| {
                    let im = p["im"].as_f64().unwrap_or(f64::INFINITY);
                    (im - expected.abs()).hypot(p["re"].as_f64().unwrap_or(f64::INFINITY))
                };
                let nearest = pairs.iter().map(off).fold(f64::INFINITY, f64::min);
                assert!(nearest < allowed * 120.0, "{formulation} {expected}: {nearest}");
            }
        }
    }
    let text = right(&["modes", &model("top"), "--moving"]);
    assert!(text.contains("The motion is steady") && text.contains("the ground's frame"), "{text}");
    assert!(text.contains("steady motion: ") && text.contains("d(top.rotation z)/dt"), "{text}");
}

/// Points 1 and 4 of a turntable: two stiffnesses at right angles in a frame that turns.
const TURNTABLE: &str = r#"
    units = "SI"
    name = "turntable"
    gravity = [0, 0]
    body = [{ name = "table", mass = 1, inertia = 1000, at = [0, 0], angular_velocity = 20,
        markers = { e = [1, 0], w = [-1, 0], n = [0, 1], s = [0, -1] } }]
    joint = [{ name = "axle", type = "revolute", a = "table", b = [0, 0] }]
    point = [{ name = "m", at = [0, 0], mass = 1 }]
    spring = [
        { name = "e", a = "table.e", b = "m", stiffness = 1000, natural_length = 1 },
        { name = "w", a = "table.w", b = "m", stiffness = 1000, natural_length = 1 },
        { name = "n", a = "table.n", b = "m", stiffness = 100, natural_length = 1 },
        { name = "s", a = "table.s", b = "m", stiffness = 100, natural_length = 1 }]
"#;

#[test]
fn a_turntable_grows_in_its_own_frame_and_says_what_it_is_at_rest() {
    let run = mb_with(&["modes", "-", "--moving", "--json"], TURNTABLE);
    assert_eq!(run.code, 0, "{run:?}");
    let found: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(found["steady"]["body"], "table");
    // s^4 + (k_x + k_y + 2 W^2) s^2 + (k_x - W^2)(k_y - W^2) = 0
    let (b, c) = (2200.0 + 800.0, (2000.0 - 400.0) * (200.0 - 400.0));
    let large = -(b + f64::sqrt(b * b - 4.0 * c)) / 2.0;
    let growth = f64::sqrt(c / large);
    let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
    for expected in [growth, -growth] {
        let at = |p: &&Value| p["im"] == 0.0 && (number(&p["re"]) - expected).abs() < 1e-10;
        let pair = pairs.iter().find(at).unwrap_or_else(|| panic!("{expected}: {}", run.out));
        assert!(number(&pair["error_bound"]) < 1e-9);
    }
    for args in [&["--basis", "svd"][..], &["--lowest", "4"], &["--formulation", "redundant"]] {
        let run = mb_with(&[&["modes", "-", "--moving", "--json"], args].concat(), TURNTABLE);
        let found: Value = serde_json::from_str(&run.out).unwrap();
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
        let grows = pairs.iter().any(|p| p["re"].as_f64().is_some_and(|re| (re - growth).abs() < 1e-9));
        assert!(grows, "{args:?}: {}", run.out);
    }
    // At rest the speeds of the model are named, and not taken.
    let run = mb_with(&["modes", "-"], TURNTABLE);
    assert!(run.code == 0 && run.out.contains("table.angle 20") && run.out.contains("--moving"), "{run:?}");
    // The other frame is refused by name.
    let run = mb_with(&["modes", "-", "--frame", "ground"], TURNTABLE);
    assert!(run.code == 1 && run.err.contains("not steady") && run.err.contains("'m'"), "{run:?}");
}

#[test]
fn a_motion_that_is_not_steady_has_no_exponents() {
    for more in [&[][..], &["--formulation", "redundant"], &["--lowest", "1"], &["--formulation", "all"]] {
        let args = [&["modes", "-", "--at", "bar.angle=0.5", "--velocity", "bar.angle=2"], more].concat();
        let run = mb_with(&args, BAR);
        assert!(run.code == 1 && run.out.is_empty(), "{run:?}");
        for words in ["not steady", "'bar'", "no exponents", "--instant", "mb simulate"] {
            assert!(run.err.contains(words), "{words}: {}", run.err);
        }
    }
    let run = mb_with(&["modes", "-", "--velocity", "bar.angle=2", "--energy"], BAR);
    assert!(run.code == 1 && run.err.contains("--energy"), "{run:?}");
    let run = mb_with(&["modes", "-", "--velocity", "bar.angle=2", "--instant", "--lowest", "1"], BAR);
    assert!(run.code == 1 && run.err.contains("--lowest"), "{run:?}");
    let sweep = ["sweep", "-", "--grid", "L=1..2:2", "--velocity", "bar.angle=2", "--instant"];
    let refused = mb_with(&sweep, BAR);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains("mb sweep belongs to vibrations"), "{}", refused.err);
    let run = mb_with(&["modes", "-", "--velocity", "bar.angle=2", "--instant"], BAR);
    assert!(run.code == 0 && run.out.contains("no rates of growth"), "{run:?}");
    assert!(!run.out.contains("zeta") && !run.out.contains("error"), "{}", run.out);
    let run = mb_with(&["modes", "-", "--frame", "bar"], BAR);
    assert_eq!(run.code, 0, "all frames are one at rest: {run:?}");
    let run = mb_with(&["modes", "-", "--frame", "bra"], BAR);
    assert!(run.code == 1 && run.err.contains("'bra'") && run.err.contains("bar"), "{run:?}");
    let run = mb_with(&["modes", "-", "--moving", "--frame", "tabel"], TURNTABLE);
    assert!(run.code == 1 && run.err.contains("'tabel'") && run.err.contains("table"), "{run:?}");
}

#[test]
fn a_point_is_written_and_read_again_and_refused_where_it_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let first = bar(&["--at", "bar.angle=0.3", "--velocity", "bar.angle=2"]);
    let path = file("point.json", &first.to_string());
    let again = bar(&["--at", &path, "--no-solve"]);
    assert!((root(&first) - root(&again)).abs() < 1e-12);
    let refused = |name: &str, text: &str, told: &[&str]| {
        let run = mb_with(&["modes", "-", "--at", &file(name, text), "--no-solve", "--instant"], BAR);
        assert_eq!(run.code, 1, "{run:?}");
        for words in told {
            assert!(run.err.contains(words), "{words}: {}", run.err);
        }
    };
    // An acceleration that does not follow from the forces leaves a residual, by coordinate or joint.
    let mut wrong = first["operating_point"].clone();
    wrong["accelerations"]["bar.angle"] = 7.0.into();
    refused("a.json", &wrong.to_string(), &["bar.angle", "not a point of a motion"]);
    // Speeds that tear the pin apart.
    let toml = "[configuration]\n'bar.angle' = 0.0\n[velocities]\n'bar.x' = 1.0\n'bar.angle' = 0.0\n";
    refused("b.toml", toml, &["pin", "rate"]);
    // A pin that is open.
    refused("c.toml", "[configuration]\n'bar.x' = 0.2\n[velocities]\n", &["pin", "off by"]);
    let run = mb_with(&["modes", "-", "--velocity", "bar.spin=2"], BAR);
    assert!(run.code == 1 && run.err.contains("bar.spin") && run.err.contains("bar.angle"), "{run:?}");
}

#[test]
fn a_drive_that_moves_is_linearized_in_motion() {
    let run = mb(&["modes", &model("four-bar-driven"), "--time", "0.3"]);
    if run.code != 0 {
        assert!(run.err.contains("--moving"), "{}", run.err);
    }
    let found = json(&["modes", &model("four-bar-driven"), "--time", "0.3", "--instant"]);
    assert_eq!(found["operating_point"]["time"].to_string(), "0.3");
}

#[test]
fn state_space_in_motion_is_that_of_the_angle() {
    let args = [
        "state-space",
        "-",
        "--form",
        "reduced",
        "--json",
        "--at",
        "bar.angle=0.4",
        "--velocity",
        "bar.angle=3",
        "--instant",
    ];
    let run = mb_with(&args, BAR);
    assert_eq!(run.code, 0, "{run:?}");
    let found: Value = serde_json::from_str(&run.out).unwrap();
    // Of two coordinates in a fixed relation x = x(angle): x'' = x_1 angle'' + x_2 angle'^2, so that the trace of A is
    // 2 (d/dt) ln x_1, and zero for the angle itself; x = sin(angle) / 2 and y = -cos(angle) / 2 here.
    let entry = |i: usize, j: usize| number(&found["a"][i][j]);
    let expected = match found["states"][0].as_str() {
        Some("bar.x") => -2.0 * 0.4_f64.tan() * 3.0,
        Some("bar.y") => 2.0 / 0.4_f64.tan() * 3.0,
        _ => 0.0,
    };
    assert!((entry(0, 0) + entry(1, 1) - expected).abs() < 1e-9, "{found}");
}

#[test]
fn a_joint_is_spun_with_all_behind_it() {
    let still = TURNTABLE.replace(", angular_velocity = 20", "");
    let run = mb_with(&["modes", "-", "--spin", "axle=20", "--json"], &still);
    assert_eq!(run.code, 0, "{run:?}");
    let found: Value = serde_json::from_str(&run.out).unwrap();
    let own = mb_with(&["modes", "-", "--moving", "--json"], TURNTABLE);
    let own: Value = serde_json::from_str(&own.out).unwrap();
    let values = |found: &Value| -> Vec<f64> {
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
        pairs.iter().map(|p| number(&p["re"])).collect()
    };
    for (a, b) in values(&found).iter().zip(values(&own)) {
        assert!((a - b).abs() < 1e-10, "{a} {b}");
    }
    let run = mb_with(&["modes", "-", "--spin", "axel=20"], &still);
    assert!(run.code == 1 && run.err.contains("'axle'") && run.err.contains("'axel'"), "{run:?}");
    let run = mb_with(&["modes", "-", "--spin", "axle=fast"], &still);
    assert!(run.code == 1 && run.err.contains("--spin"), "{run:?}");
}

/// The bead starts at the natural length of its spring; in steady motion it rests at l / (1 - m w^2 / k).
#[test]
fn a_steady_motion_is_found_from_a_start_near_it() {
    let text = r#"
        units = "SI"
        name = "slot"
        gravity = [0, 0]
        body = [{ name = "arm", mass = 1, inertia = 1, at = [0, 0] }, { name = "bead", mass = 1, inertia = 0.1, at = [1, 0] }]
        joint = [{ name = "O", type = "revolute", a = "arm", b = [0, 0] },
            { name = "slot", type = "prismatic", a = "bead", b = "arm", axis = [1, 0] }]
        spring = [{ name = "s", a = "arm", b = "bead", stiffness = 100, natural_length = 1 }]
        drive = [{ name = "turn", quantity = "angle", of = "arm", law = "6*t" }]
    "#;
    let run = mb_with(&["modes", "-", "--moving", "--json"], text);
    assert_eq!(run.code, 0, "{run:?}");
    let found: Value = serde_json::from_str(&run.out).unwrap();
    let place = number(&found["operating_point"]["configuration"]["bead.x"]);
    assert!((place - 1.0 / 0.64).abs() < 1e-9, "{place}");
    let pair = &found["formulations"][0]["eigenpairs"][0];
    assert!(number(&pair["re"]).abs() < 1e-9 && (number(&pair["im"]) - 8.0).abs() < 1e-9, "{pair}");
    let run = mb_with(&["modes", "-", "--moving", "--no-solve"], text);
    assert_eq!(run.code, 1, "{run:?}");
}

/// A pendulum on a shaft that turns with w stands at cos(angle) = g / (l w^2) where that is less than one.
#[test]
fn the_arm_of_a_governor_rises_with_its_speed() {
    let text = r#"
        units = "SI"
        name = "governor"
        gravity = [0, 0, -9.81]
        spatial-body = [
            { name = "shaft", mass = 1, inertia = [1, 1, 1], at = [0, 0, 0] },
            { name = "arm", mass = 2, inertia = [1e-9, 1e-9, 1e-9], at = [0.3, 0, -0.4], orientation = { axis = [0, 1, 0], angle = 0 },
                markers = { pin = [-0.3, 0, 0.4] } }]
        joint = [
            { name = "axle", type = "revolute", a = "shaft", b = "ground", axis = [0, 0, 1] },
            { name = "pin", type = "revolute", a = "arm.pin", b = "shaft", axis = [0, 1, 0] }]
    "#;
    let w = 7.0_f64;
    let run = mb_with(&["equilibrium", "-", "--spin", "axle=7", "--json"], text);
    assert_eq!(run.code, 0, "{run:?}");
    let found: Value = serde_json::from_str(&run.out).unwrap();
    // l = 0.5: height of the arm below the pin.
    let height = -number(&found["operating_point"]["configuration"]["arm.z"]);
    assert!((height - 9.81 / (w * w)).abs() < 1e-7, "{height}");
    // The picture shows how far the arm has moved on its circle about the pin.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("governor.svg");
    let run = mb_with(&["equilibrium", "-", "--spin", "axle=7", "--plot", path.to_str().unwrap()], text);
    assert_eq!(run.code, 0, "{run:?}");
    let drawn = std::fs::read_to_string(&path).unwrap();
    let fall = 9.81 / (w * w);
    let moved = ((0.25 - fall * fall).sqrt() - 0.3).hypot(0.4 - fall);
    let told = drawn.split("largest displacement ").nth(1).unwrap().split(' ').next().unwrap();
    assert!((told.parse::<f64>().unwrap() / moved - 1.0).abs() < 1e-5, "{told} for {moved}");
    assert!(drawn.contains("blue: in steady motion") && drawn.contains("steady motion: "), "{drawn}");
    let run = mb_with(&["equilibrium", "-", "--spin", "pin=7"], text);
    assert!(run.code == 1, "{run:?}");
    // At any speed the branch is the one that running up leads to: vertical below sqrt(g/l), where it loses its stability, raised above.
    for speed in [3.0_f64, 7.5, 20.0] {
        let run = mb_with(&["equilibrium", "-", "--spin", &format!("axle={speed}"), "--json"], text);
        let found: Value = serde_json::from_str(&run.out).unwrap();
        let height = -number(&found["operating_point"]["configuration"]["arm.z"]);
        let raised = speed * speed > 9.81 / 0.5;
        let want = if raised { 9.81 / (speed * speed) } else { 0.5 };
        assert!((height - want).abs() < 1e-7, "{speed}: {height}");
        let branch = &found["branch"];
        assert_eq!(branch["from_rest"], !raised, "{branch}");
        if raised {
            let [c] = branch["crossings"].as_array().unwrap().as_slice() else { panic!("{branch}") };
            let off = number(&c["share"]) * speed - (9.81 / 0.5_f64).sqrt();
            assert!(off.abs() <= number(&c["error"]) * speed + 1e-8 && c["left"] == true, "{c}");
        }
    }
    // From a configuration given, the motion near it is taken: hanging at a speed at which it is unstable.
    let hanging = [
        "--at",
        "arm.x=0",
        "--at",
        "arm.z=-0.5",
        "--at",
        "arm.e0=0.9486832980505138",
        "--at",
        "arm.e2=0.31622776601683794",
    ];
    let run = mb_with(&[&["equilibrium", "-", "--spin", "axle=7.5"], &hanging[..]].concat(), text);
    assert!(run.out.contains("unstable") && !run.out.contains("branch: "), "{run:?}");
}

/// The cranks of the linkage stand upright, where the sine form of the angle has no slope; Newton's method comes there up to the root of
/// rounding. The cosine form has the frequency of the linkage without an angle.
#[test]
fn a_linkage_at_the_end_of_its_sine_has_no_determined_spectrum() {
    for loops in [1, 2, 3] {
        let set = format!("N={loops}");
        let model = mb(&["generate", "n-four-bar", "--set", &set, "--set", "k=40", "--set", "c=2.5"]).out;
        let run = mb_with(&["modes", "-"], &model);
        assert_eq!(run.code, 2, "{loops}: {}", run.out);
        for words in ["NOT DETERMINED", "'phi'", "singular"] {
            assert!(run.out.contains(words), "{loops}: no {words:?} in {}", run.out);
        }
        assert!(run.err.contains("do not determine the spectrum, see the notes"), "{}", run.err);
        assert!(!run.out.contains("UNSTABLE") && run.out.contains("undecided by stiffness"), "{}", run.out);
        assert!(mb_with(&["equilibrium", "-"], &model).out.contains("a singular configuration"));
        assert_eq!(mb_with(&["state-space", "-"], &model).code, 2);
        let (singular, mut natural) = (run.out, 0.0);
        let cosine = model.replace("form = \"sine\"", "form = \"cosine\"");
        let (bare, _) = model.split_once("[[angle]]").unwrap();
        let values = [cosine.as_str(), bare].map(|text| {
            let run = mb_with(&["modes", "-", "--json"], text);
            assert_eq!((run.code, run.err.as_str()), (0, ""), "{loops}");
            let found: Value = serde_json::from_str(&run.out).unwrap();
            let pair = &found["formulations"][0]["eigenpairs"][0];
            natural = number(&pair["natural_frequency_hz"]);
            number(&pair["im"])
        });
        // The true one is among those of other sets of forces.
        let between =
            singular.split("natural frequency between ").nth(1).unwrap().split(" Hz").next().unwrap();
        let (from, to) = between.split_once(" and ").unwrap();
        let [from, to] = [from, to].map(|end| end.parse::<f64>().unwrap());
        assert!(from <= natural && natural <= to, "{from} {natural} {to}");
        assert!((values[0] - values[1]).abs() < 1e-9 && values[0] > 0.1, "{loops}: {values:?}");
    }
}

/// A balanced disc on a pin of a free turntable may spin as it likes: both of its rates are momenta that last, whatever the reaction at the pin
/// leaves of K. Held by a weak spring, s^2 = -k (1/J + 1/I) with J = 5 + m r^2.
#[test]
fn a_disc_on_a_free_turntable_has_exact_zeros_and_a_weak_spring_has_its_bound() {
    let planet = |spring: &str| {
        format!(
            r#"
            units = "SI"
            name = "planet"
            gravity = [0, 0]
            body = [
              {{ name = "table", mass = 10, inertia = 5, at = [0, 0], markers = {{ p = [0.3333333333333333, 0] }} }},
              {{ name = "planet", mass = 10, inertia = 0.01, at = [0.3333333333333333, 0] }},
            ]
            joint = [
              {{ name = "axle", type = "revolute", a = "table", b = [0, 0] }},
              {{ name = "pin", type = "revolute", a = "planet", b = "table.p" }},
            ]
            {spring}
            "#
        )
    };
    let pairs = |text: &str, spin: &str| {
        let run = mb_with(&["modes", "-", "--spin", spin, "--json"], text);
        let found: Value = serde_json::from_str(&run.out).unwrap();
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap().clone();
        pairs.iter().map(|p| ["re", "im", "error_bound"].map(|key| number(&p[key]))).collect::<Vec<_>>()
    };
    for spin in ["axle=3", "axle=300", "axle=2000"] {
        let found = pairs(&planet(""), spin);
        assert!(found.len() == 4 && found.iter().flatten().all(|x| *x == 0.0), "{spin}: {found:?}");
    }
    let spring = "torsion-spring = [{ name = 'k', a = 'table', b = 'planet', stiffness = 1e-8 }]";
    let truth = (1e-8_f64 * (1.0 / (5.0 + 10.0 / 9.0) + 100.0)).sqrt();
    for spin in ["axle=3", "axle=300", "axle=2000"] {
        let found = pairs(&planet(spring), spin);
        let held = found.iter().filter(|[_, im, _]| *im > 0.0).collect::<Vec<_>>();
        assert_eq!(held.len(), 1, "{spin}: {found:?}");
        let [re, im, error] = *held[0];
        assert!(
            (im - truth).abs() <= error && re.abs() <= error && error < 2e-5,
            "{spin}: {found:?}, truth {truth}"
        );
    }
}
