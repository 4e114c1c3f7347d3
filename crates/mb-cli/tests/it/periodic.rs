//! `mb orbit` and `mb floquet`.

use crate::support::{mb_with, right};

const SHAKEN: &str = r#"
units = "SI"
name = "pendulum on a shaken pivot"
gravity = [0, "-2*a"]
[parameters]
a = 1.8
q = 1.0
W = 2
[[body]]
name = "pivot"
mass = 1.0
inertia = 1.0
at = [0, "q"]
angle = 0
[[body]]
name = "pendulum"
mass = 1.0
inertia = 1.0
center_of_mass = [0, -1]
at = [0, "q"]
angle = 0
[[joint]]
name = "rail"
type = "prismatic"
a = "pivot"
b = [0, 0]
axis = [0, 1]
[[joint]]
name = "pin"
type = "revolute"
a = "pendulum"
b = "pivot"
[[drive]]
name = "shake"
quantity = "y"
of = "pivot"
law = "q*cos(W*t)"
"#;

/// The multipliers of a document, by real and imaginary part.
fn multipliers(text: &str) -> Vec<(f64, f64)> {
    let found: serde_json::Value = serde_json::from_str(text).unwrap();
    let list = found["multipliers"].as_array().unwrap();
    list.iter().map(|m| (m["value"][0].as_f64().unwrap(), m["value"][1].as_f64().unwrap())).collect()
}

#[test]
fn a_period_is_an_expression_and_multipliers_of_what_keeps_its_area_have_the_product_one() {
    let run = mb_with(&["floquet", "-", "--period", "2*pi/W", "--json"], SHAKEN);
    assert_eq!(run.code, 0, "{run:?}");
    let found = multipliers(&run.out);
    assert_eq!(found.len(), 2);
    assert!((found[0].0 * found[1].0 - 1.0).abs() < 1e-11 && found[0].1 == 0.0, "{found:?}");
    assert!(run.out.contains("\"stability\": \"unstable\""));
}

#[test]
fn what_is_no_period_is_refused_by_name() {
    let run = mb_with(&["floquet", "-", "--period", "3"], SHAKEN);
    assert!(run.code == 1 && run.err.contains("drive 'shake'") && run.err.contains("no period"), "{run:?}");
    let run = mb_with(&["orbit", "-"], SHAKEN);
    assert!(run.code == 1 && run.err.contains("drive 'shake'") && run.err.contains("--period"), "{run:?}");
    let run = mb_with(&["orbit", "-", "--period", "2*pi/V"], SHAKEN);
    assert!(run.code == 1 && run.err.contains("`V`"), "{run:?}");
}

/// The motion that was written is read by other commands: followed in time, it comes back after a period.
#[test]
fn a_motion_is_written_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (model, orbit, history) = (file("damped.toml"), file("orbit.json"), file("motion.csv"));
    let forced = "[[torque]]\nname = \"push\"\non = \"pendulum\"\nmagnitude = \"sin(W*t)\"\n[[torsion-spring]]\n\
                  name = \"rubber\"\na = \"pendulum\"\nb = \"ground\"\nstiffness = 2\ndamping = 1\n\
                  [[output]]\nname = \"angle\"\nquantity = \"angle\"\nof = \"pendulum\"\n";
    std::fs::write(&model, format!("{SHAKEN}{forced}")).unwrap();
    let said = right(&["orbit", &model, "--period", "2*pi/W", "-o", &orbit]);
    assert!(said.contains("stable"), "{said}");
    let again = right(&["floquet", &model, "--orbit", &orbit, "--json"]);
    let same = right(&["floquet", &model, "--period", "2*pi/W", "--json"]);
    for (a, b) in multipliers(&again).iter().zip(multipliers(&same)) {
        assert!((a.0 - b.0).hypot(a.1 - b.1) < 1e-10, "{a:?} {b:?}");
    }
    let period = std::f64::consts::PI.to_string();
    right(&[
        "simulate", &model, "--at", &orbit, "--until", &period, "--every", &period, "--rtol", "1e-11",
        "--atol", "1e-13", "--output", &history,
    ]);
    let text = std::fs::read_to_string(&history).unwrap();
    let head: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let column = head.iter().position(|h| h.contains("pendulum.angle")).unwrap();
    let row = |line: &str| line.split(',').nth(column).unwrap().parse::<f64>().unwrap();
    let values: Vec<f64> = text.lines().skip(1).map(row).collect();
    let (first, last) = (values[0], values[values.len() - 1]);
    assert!((first - last).abs() < 1e-8 && first.abs() > 1e-3, "{first} {last}");
}

/// The limits of stability of Mathieu's equation x'' + (a - 2 q cos 2t) x = 0 are eigenvalues of Hill's matrices: a_1 of cosines of odd
/// order, b_2 of sines and a_2 of cosines of even order.
#[test]
fn ranges_of_growth_over_a_parameter_end_at_the_characteristic_values_of_mathieu() {
    let q = 1.0;
    let hill = |diagonal: &dyn Fn(usize) -> f64, first: f64| {
        let entry = |i: usize, k: usize| match i.abs_diff(k) {
            0 => diagonal(i),
            1 if i.min(k) == 0 => first,
            1 => q,
            _ => 0.0,
        };
        mb_algebra::SymmetricEigen::new(&mb_algebra::Dense::from_fn(14, 14, entry)).unwrap().values
    };
    let a1 = hill(&|i| ((2 * i + 1).pow(2)) as f64 + if i == 0 { q } else { 0.0 }, q)[0];
    let b2 = hill(&|i| ((2 * i + 2).pow(2)) as f64, q)[0];
    let a2 = hill(&|i| ((2 * i).pow(2)) as f64, 2.0_f64.sqrt() * q)[1];
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("exponents.svg");
    let arguments = [
        "track",
        "-",
        "--parameter",
        "a",
        "--from",
        "1",
        "--to",
        "5",
        "--samples",
        "11",
        "--floquet",
        "2*pi/W",
    ];
    let run = mb_with(&[&arguments[..], &["--json", "--plot", path.to_str().unwrap()]].concat(), SHAKEN);
    assert_eq!(run.code, 0, "{run:?}");
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let ranges = found["unstable"].as_array().unwrap();
    assert_eq!(ranges.len(), 2, "{ranges:?}");
    assert_eq!(found["undecided"], serde_json::json!([]));
    for (value, error, want) in [("to", "to_error", a1), ("from", "from_error", b2), ("to", "to_error", a2)]
        .into_iter()
        .zip([0, 1, 1])
        .map(|((v, e, want), k)| (&ranges[k][v], &ranges[k][e], want))
    {
        let (value, error) = (value.as_f64().unwrap(), error.as_f64().unwrap());
        assert!(error < 1e-7 && (value - want).abs() <= error + 1e-10, "{value} {error:e} {want}");
    }
    assert!(std::fs::read_to_string(&path).unwrap().contains("once per period"));
    let run = mb_with(&arguments, SHAKEN);
    assert!(run.out.contains("Floquet exponents over a from 1") && run.out.contains("grows from"), "{run:?}");
    let run = mb_with(
        &["track", "-", "--parameter", "nothing", "--from", "1", "--to", "5", "--floquet", "pi"],
        SHAKEN,
    );
    assert!(run.code == 1 && run.err.contains("nothing"), "{run:?}");
}

const ROD: &str = r#"
units = "SI"
name = "rod"
gravity = [0, -9.81]
[parameters]
L = 1.5
[[body]]
name = "rod"
mass = 2.0
inertia = "2*L^2/12"
at = [0, "-L/2"]
markers = { top = [0, "L/2"] }
[[joint]]
name = "pin"
type = "revolute"
a = "rod.top"
b = "ground"
"#;

/// The period of a rod that is let go at rest is a complete elliptic integral, by the arithmetic-geometric mean, whatever the amplitude; its
/// multipliers are one, and none of them grows.
#[test]
fn a_rod_let_go_at_any_angle_has_its_least_period_without_a_guess() {
    for degrees in [0.01_f64, 0.1, 20.0, 128.4, 140.0, 170.0] {
        let angle = format!("rod.angle={degrees}deg");
        let run = mb_with(&["floquet", "-", "--at", &angle, "--hold", "rod.angle", "--json"], ROD);
        assert_eq!(run.code, 0, "{degrees}: {run:?}");
        let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let (mut a, mut b) = (1.0_f64, (0.5 * degrees.to_radians()).cos());
        for _ in 0..30 {
            (a, b) = (0.5 * (a + b), (a * b).sqrt());
        }
        // A rod swings as a point on two thirds of its length does.
        let exact = std::f64::consts::TAU / (9.81_f64.sqrt() * a);
        let period = found["orbit"]["period"].as_f64().unwrap();
        assert!((period - exact).abs() < 1e-8 * exact, "{degrees}: {period} for {exact}");
        assert_eq!(found["stability"], "neutral to first order");
    }
}

/// A multiple of the least period that is asked for stays, with a note.
#[test]
fn a_multiple_of_the_least_period_is_named() {
    let small = ["floquet", "-", "--at", "rod.angle=0.1deg", "--hold", "rod.angle"];
    let run = mb_with(&[&small[..], &["--guess", "4"]].concat(), ROD);
    assert!(run.code == 0 && run.out.contains("was this one 2 times"), "{run:?}");
}
