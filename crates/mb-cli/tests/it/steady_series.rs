//! `mb parametric` and `mb track` in steady motion: polynomials against `mb modes` at other values, a blade that stretches, closed forms,
//! refusals.

use crate::campbell::TURNTABLE;
use crate::support::mb_with;
use serde_json::Value;

/// A blade of beam elements on a hub that turns: it stretches, and stiffens with the speed.
const BLADE: &str = r#"
    units = "SI"
    name = "blade on a hub"
    parameters = { W = 40, E = 7e10 }
    spatial-body = [{ name = "hub", mass = 5, inertia = [0.2, 0.2, 0.3], at = [0, 0, 0], markers = { root = [0.1, 0, 0] } }]
    beam = [{ name = "blade", from = [0.1, 0, 0], to = [1.1, 0, 0], elements = 4, density = 2700, youngs_modulus = "E", poissons_ratio = 0.3, section = { width = 0.04, height = 0.01 } }]
    joint = [
        { name = "axle", type = "revolute", a = "hub", b = [0, 0, 0], axis = [0, 0, 1] },
        { name = "clamp", type = "fixed", a = "blade.start", b = "hub.root" },
    ]
    steady-rotation = [{ name = "spin", joint = "axle", speed = "W" }]
"#;

/// Two rotors that are not round, at speeds without a common measure.
const TWO: &str = r#"
    units = "SI"
    name = "two rotors"
    parameters = { W = 200.0, V = 313.0 }
    spatial-body = [
        { name = "one", mass = 1, inertia = [0.1, 0.12, 0.15], markers = { a = [0, 0, -0.1], b = [0, 0, 0.2] } },
        { name = "two", mass = 1, inertia = [0.1, 0.13, 0.15], at = [0, 0, 1], markers = { a = [0, 0, -0.1], b = [0, 0, 0.2] } },
    ]
    bushing = [
        { name = "a", a = "one.a", b = [0, 0, -0.1], stiffness = [1e5, 1e5, 1.6e5, 0, 0, 0] },
        { name = "b", a = "one.b", b = [0, 0, 0.2], stiffness = [1e5, 1e5, 0, 0, 0, 0] },
        { name = "c", a = "two.a", b = [0, 0, 0.9], stiffness = [2e5, 2e5, 3e5, 0, 0, 0] },
        { name = "d", a = "two.b", b = [0, 0, 1.2], stiffness = [2e5, 2e5, 0, 0, 0, 0] },
    ]
    steady-rotation = [
        { name = "first", bodies = ["one"], axis = [0, 0, 1], speed = "W" },
        { name = "second", bodies = ["two"], axis = [0, 0, 1], speed = "V" },
    ]
"#;

fn run(model: &str, args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let run = mb_with(&args, model);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}");
    serde_json::from_str(&run.out).unwrap()
}

fn refused(model: &str, args: &[&str], words: &[&str]) {
    let run = mb_with(args, model);
    assert_eq!(run.code, 1, "{run:?}");
    for word in words {
        assert!(run.err.contains(word), "no {word:?} in {}", run.err);
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Natural frequencies of the physical modes, Hz, by `mb modes`.
fn anew(model: &str, set: &[&str], count: usize) -> Vec<f64> {
    let mut args = vec!["modes", "-", "--moving", "--lowest", "8"];
    args.extend(set.iter().flat_map(|s| ["--set", s]));
    let document = run(model, &args);
    let pairs = document["formulations"][0]["eigenpairs"].as_array().unwrap().clone();
    let upper = pairs.iter().filter(|p| p["im"].as_f64().is_some_and(|x| x > 1e-3));
    upper.map(|p| number(&p["natural_frequency_hz"])).take(count).collect()
}

/// The largest relative distance of modes of an evaluation from others.
fn off(modes: &Value, exact: &[f64]) -> f64 {
    let modes = modes.as_array().unwrap();
    assert_eq!(modes.len(), exact.len());
    let one = |(mode, exact): (&Value, &f64)| (number(&mode["natural_frequency_hz"]) / exact - 1.0).abs();
    modes.iter().zip(exact).map(one).fold(0.0, f64::max)
}

/// Over speed and modulus together; of twice the distance the error of order p is 2^(p + 1) times as large.
#[test]
fn a_blade_stiffens_with_the_speed_as_the_order_says() {
    let (far, near) = (["W=46", "E=7.6e10"], ["W=43", "E=7.3e10"]);
    let exact = [far, near].map(|set| anew(BLADE, &set, 4));
    for order in [1, 3] {
        let (order_word, at) = (order.to_string(), [far, near].map(|set| set.join(",")));
        let args = ["parametric", "-", "--parameters", "W,E", "--modes", "3-6", "--order", &order_word];
        let args: Vec<&str> = args.into_iter().chain(at.iter().flat_map(|x| ["--evaluate", x])).collect();
        let found = run(BLADE, &args);
        assert!(found["steady"]["frame"].to_string().contains("hub"), "{}", found["steady"]);
        assert_eq!(
            (&found["exponents"], &found["pieces"][0]["point"]["rule"]),
            (&true.into(), &"steady".into())
        );
        let [far, near] = [0, 1].map(|i| off(&found["evaluations"][i]["modes"], &exact[i]));
        let rate = (far / near).log2();
        assert!((rate - f64::from(order + 1)).abs() < 0.4, "order {order}: {far:e} {near:e} {rate}");
    }
}

/// In the frame of the table s^4 + (k_x + k_y + 2 W^2) s^2 + (k_x - W^2)(k_y - W^2) = 0 with k_x = 2000, k_y = 200.
#[test]
fn a_turntable_is_followed_over_its_speed_and_the_heading_names_the_frame() {
    let model = format!(
        "{TURNTABLE}\n    parameters = {{ W = 5.0 }}\n    steady-rotation = [{{ name = \"turn\", joint = \"axle\", speed = \"W\" }}]\n"
    );
    let path = ["track", "-", "--parameter", "W", "--from", "3", "--to", "7", "--samples", "5"];
    let shown = mb_with(&path, &model);
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(shown.out.contains("seen from the frame of 'table'"), "{}", shown.out);
    let found = run(&model, &path);
    let modes = found["modes"].as_array().unwrap();
    assert_eq!(modes.len(), 2);
    for (k, mode) in modes.iter().enumerate() {
        let column = |what: &str| {
            let name = format!("mode {} {what}", mode["number"]);
            found["samples"][&name].as_array().unwrap().iter().map(number).collect::<Vec<_>>()
        };
        let (exact, polynomial) = (column("frequency_hz"), column("polynomial frequency_hz"));
        for (i, w) in [3.0_f64, 4.0, 5.0, 6.0, 7.0].into_iter().enumerate() {
            let (half, product) = (1100.0 + w * w, (2000.0 - w * w) * (200.0 - w * w));
            let root = (half * half - product).sqrt();
            let square = if k == 0 { half - root } else { half + root };
            let closed = square.sqrt() / std::f64::consts::TAU;
            assert!((exact[i] / closed - 1.0).abs() < 1e-10, "{w}: {exact:?} {closed}");
            assert!((polynomial[i] / closed - 1.0).abs() < 1e-4, "{w}: {polynomial:?} {closed}");
        }
    }
}

#[test]
fn motions_without_polynomials_are_refused_with_the_reason() {
    let polynomials = ["parametric", "-", "--parameters"];
    let with =
        |more: &[&'static str]| polynomials.into_iter().chain(more.iter().copied()).collect::<Vec<_>>();
    refused(TWO, &with(&["W"]), &["not those of one frame", "'two'", "mb track --campbell"]);
    refused(BLADE, &with(&["E", "--frozen"]), &["frozen", "without --frozen"]);
    refused(BLADE, &with(&["W", "--instant"]), &["--instant"]);
    let through_rest = ["track", "-", "--parameter", "W", "--from", "-50", "--to", "50", "--samples", "5"];
    refused(BLADE, &through_rest, &["nothing turns where W = 0", "--campbell"]);
}
