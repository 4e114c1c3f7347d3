//! `mb response` against the closed form of an oscillator.

use crate::support::mb_with;
use std::f64::consts::TAU;

/// A mass of 2 kg on a spring of 8 N/m and a damper of 0.4 N s/m; across, an undamped spring that no input reaches.
const OSCILLATOR: &str = r#"
units = "SI"
name = "mass on a spring"
gravity = [0, 0]
point = [{ name = "m", at = [1, 0], mass = 2 }]
spring = [
    { name = "s", a = [0, 0], b = "m", stiffness = 8, damping = 0.4, natural_length = 1 },
    { name = "across", a = [1, 9], b = "m", stiffness = 1e4, natural_length = 9 },
]
force = [{ name = "push", at = "m", direction = [1, 0], input = "F" }]
output = [{ name = "x", quantity = "x", of = "m" }]
"#;

/// Two oscillators under one force; what is read is how far they are apart.
const TWINS: &str = r#"
units = "SI"
name = "two masses on springs"
gravity = [0, 0]
parameters = { k = 8 }
point = [{ name = "m", at = [1, 0], mass = 2 }, { name = "p", at = [3, 0], mass = 2 }]
spring = [
    { name = "s", a = [0, 0], b = "m", stiffness = 8, natural_length = 1 },
    { name = "across", a = [1, 9], b = "m", stiffness = 1e4, natural_length = 9 },
    { name = "t", a = [2, 0], b = "p", stiffness = "k", natural_length = 1 },
    { name = "over", a = [3, 9], b = "p", stiffness = 1e4, natural_length = 9 },
]
force = [
    { name = "push", at = "m", direction = [1, 0], input = "F" },
    { name = "pull", at = "p", direction = [1, 0], input = "F" },
]
output = [{ name = "apart", quantity = "distance", from = "m", of = "p" }]
"#;

/// H = 1 / (k - m w^2 + i c w).
#[test]
fn an_oscillator_answers_as_its_formula_says() {
    let dir = tempfile::tempdir().unwrap();
    let csv = dir.path().join("h.csv");
    let args = ["response", "-", "--from", "F", "--to", "x", "--band", "0", "1", "-o", csv.to_str().unwrap()];
    let run = mb_with(&args, OSCILLATOR);
    assert_eq!(run.code, 0, "{run:?}");
    let text = std::fs::read_to_string(csv).unwrap();
    let rows: Vec<Vec<f64>> = text
        .lines()
        .filter_map(|line| line.split(',').map(|cell| cell.parse().ok()).collect::<Option<Vec<f64>>>())
        .collect();
    assert!(rows.len() >= 400, "{}", text.lines().next().unwrap());
    for row in &rows {
        let w = row[0] * TAU;
        let (re, im) = (8.0 - 2.0 * w * w, 0.4 * w);
        let size = re * re + im * im;
        let [x, y] = [re / size, -im / size];
        assert!((row[1] - x).abs() + (row[2] - y).abs() < 1e-11 / size.sqrt(), "{row:?}");
    }
}

#[test]
fn frequencies_asked_for_are_sorted_and_taken_once() {
    let args = ["response", "-", "--band", "0", "5", "--at-hz", "4,2,4,1.5", "--json"];
    let run = mb_with(&args, OSCILLATOR);
    assert_eq!(run.code, 0, "{run:?}");
    let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let list: Vec<f64> =
        answer["frequency_hz"].as_array().unwrap().iter().map(|f| f.as_f64().unwrap()).collect();
    assert!(
        list.len() == 3 && list.iter().zip([1.5, 2.0, 4.0]).all(|(f, x)| (f - x).abs() < 1e-12),
        "{list:?}"
    );
}

/// Frequencies asked for need no band.
#[test]
fn frequencies_asked_for_are_a_band_of_their_own() {
    let of = |band: &[&str]| {
        let mut args = vec!["response", "-", "--at-hz", "0,1.5,4", "--json"];
        args.extend(band);
        let run = mb_with(&args, OSCILLATOR);
        assert_eq!(run.code, 0, "{run:?}");
        let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        [answer["frequency_hz"].clone(), answer["responses"][0]["value"].clone()]
    };
    assert_eq!(of(&[]), of(&["--band", "0", "4"]));
    let run = mb_with(&["response", "-", "--at-hz=-1"], OSCILLATOR);
    assert!(run.code == 1 && run.err.contains("--at-hz") && run.err.contains("at least 0 Hz"), "{run:?}");
    let run = mb_with(&["response", "-"], OSCILLATOR);
    assert!(run.code == 1 && run.err.contains("--band"), "{run:?}");
}

#[test]
fn slips_in_a_request_are_named() {
    let whole = ["response", "-", "--band", "0", "1"];
    let slips: [(&[&str], &[&str]); 4] = [
        (&["--from", "F", "--from", "F"], &["--from F is given twice", "once"]),
        (&["--to", "x", "--to", "x"], &["--to x is given twice", "once"]),
        (&["--psd", "F=1", "--psd", "F=2"], &["--psd F is given twice", "once"]),
        (&["--points", "100000000"], &["--points", "at most 100000 evenly spaced frequencies"]),
    ];
    for (slip, words) in slips {
        let args: Vec<&str> = whole.iter().chain(slip).copied().collect();
        let run = mb_with(&args, OSCILLATOR);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(words.iter().all(|w| run.err.contains(w)), "{slip:?}: {run:?}");
    }
    let [first, second] =
        ["direction = [1, 0], input = \"F\" },\n]", "direction = [1, 0], input = \"G\" },\n]"];
    let args = ["response", "-", "--band", "0", "1", "--from", "F", "--psd", "G=1"];
    let run = mb_with(&args, &TWINS.replace(first, second));
    let words = "--psd G: the input `G` is not among those of --from.";
    assert!(run.code == 1 && run.err.contains(words) && run.err.contains("add `G` to --from"), "{run:?}");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("densities.csv");
    std::fs::write(&file, "1,2\n0.5,2\n").unwrap();
    let density = format!("F={}", file.display());
    let run = mb_with(&["response", "-", "--band", "0", "1", "--psd", &density], OSCILLATOR);
    let words = ["--psd: the file of densities", "line 2", "write HZ,DENSITY in each line"];
    assert!(run.code == 1 && words.iter().all(|w| run.err.contains(w)), "{run:?}");
}

/// The largest |H| is at (k / m - c^2 / (2 m^2))^1/2 with 1 / (c (k / m - c^2 / (4 m^2))^1/2).
#[test]
fn the_peak_is_solved_for_and_one_source_says_what_is_to_be_known() {
    let args = ["response", "-", "--band", "0", "1", "--loss", "0", "--points", "7", "--json"];
    let answer: serde_json::Value = serde_json::from_str(&mb_with(&args, OSCILLATOR).out).unwrap();
    let peaks = answer["responses"][0]["peaks"].as_array().unwrap();
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let exact = (4.0_f64 - 0.02).sqrt() / TAU;
    let [low, high] = [0, 1].map(|k| number(&peaks[0]["within_hz"][k]));
    assert!(peaks.len() == 1 && low < exact && exact < high && high - low < 1e-6, "{peaks:?}");
    let height = 1.0 / (0.4 * (4.0_f64 - 0.01).sqrt());
    let size = number(&peaks[0]["value"][0]).hypot(number(&peaks[0]["value"][1]));
    assert!((size - height).abs() < 2.0 * number(&peaks[0]["error_bound"]) + 1e-15, "{size} {height}");
    // The same sentences in the text and in the document.
    let args = ["response", "-", "--band", "0", "1", "--base", "x", "--loss", "0.02"];
    let text = mb_with(&args, OSCILLATOR).out;
    let answer = mb_with(&[&args[..], &["--json"]].concat(), OSCILLATOR).out;
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let notes: Vec<&str> = answer["notes"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
    assert!(notes.len() == 2 && notes[0].contains("moving base") && notes[1].contains("0.02"), "{notes:?}");
    assert!(notes.iter().all(|note| text.contains(note)), "{text}");
}

#[test]
fn a_bound_that_can_be_seen_is_drawn_as_a_band() {
    let dir = tempfile::tempdir().unwrap();
    let picture = dir.path().join("h.svg");
    let drawn = |stiffness: &str| {
        let set = format!("k={stiffness}");
        let args =
            ["response", "-", "--at-hz", "0.1,0.2", "--set", &set, "--plot", picture.to_str().unwrap()];
        let run = mb_with(&args, TWINS);
        assert_eq!(run.code, 0, "{run:?}");
        std::fs::read_to_string(&picture).unwrap().matches("fill-opacity").count()
    };
    // What the two have in common cancels: of stiffnesses 1e-13 apart 1e-16 of x is 1e-3 of the distance. Both panels show it.
    assert_eq!([drawn("8*(1+1e-3)"), drawn("8*(1+1e-13)")], [0, 2]);
}

/// Rates have names of their own in every format: x'' / F = -w^2 / (k - m w^2 + i c w).
#[test]
fn an_accelerance_is_named_as_one() {
    let dir = tempfile::tempdir().unwrap();
    let csv = dir.path().join("a.csv");
    let path = csv.to_str().unwrap();
    let args = ["response", "-", "--band", "0.1", "1", "--quantity", "accelerance", "--json", "-o", path];
    let run = mb_with(&args, OSCILLATOR);
    assert_eq!(run.code, 0, "{run:?}");
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let response = &document["responses"][0];
    assert_eq!(response["output"], "x''");
    assert!(std::fs::read_to_string(&csv).unwrap().lines().next().unwrap().contains("re x'' / F"));
    let list = |v: &serde_json::Value| v.as_array().unwrap().clone();
    for (hz, value) in list(&document["frequency_hz"]).iter().zip(list(&response["value"])) {
        let w = hz.as_f64().unwrap() * TAU;
        let (re, im) = (8.0 - 2.0 * w * w, 0.4 * w);
        let size = (re * re + im * im) / (w * w);
        let [x, y] = [-re / size, im / size];
        let off = (value[0].as_f64().unwrap() - x).abs() + (value[1].as_f64().unwrap() - y).abs();
        assert!(off < 1e-11 * x.hypot(y), "{hz}: {value}");
    }
}

/// A bead on a spring in the slot of a free table that turns with W: in its frame, with r_0 = k l / (k - m W^2) and the inertia I about the axle,
///
/// ```text
/// m r'' + c r' + (k - m W^2) r - 2 m r_0 W v = 0,   I v' + 2 m r_0 W r' = u,   I = J + m r_0^2
/// ```
///
/// `mb state-space` has the same poles.
#[test]
fn a_bead_in_a_turning_slot_answers_in_the_frame_of_its_table() {
    let (m, j, k, c, l) = (1.2, 2.0, 120.0, 0.7, 1.0);
    let text = format!(
        "units = \"SI\"\nname = \"bead\"\ngravity = [0, 0]
        body = [{{ name = \"table\", mass = 1, inertia = {j}, at = [0, 0] }}]
        point = [{{ name = \"m\", at = [1.4, 0], mass = {m} }}]
        joint = [
            {{ name = \"axle\", type = \"revolute\", a = \"table\", b = [0, 0] }},
            {{ name = \"slot\", type = \"point-on-line\", a = \"m\", b = \"table\", axis = [1, 0] }}]
        spring = [{{ name = \"s\", a = \"table\", b = \"m\", stiffness = {k}, natural_length = {l}, damping = {c} }}]
        torque = [{{ name = \"motor\", on = \"table\", input = \"u\" }}]
        output = [
            {{ name = \"r\", quantity = \"distance\", of = \"table\", from = \"m\" }},
            {{ name = \"v\", quantity = \"angle\", of = \"table\", derivative = 1 }}]"
    );
    for (w, hz) in [(2.0_f64, 0.4), (6.0, 1.3), (8.5, 3.0)] {
        let (speed, at) = (format!("axle={w}"), hz.to_string());
        let args = ["response", "-", "--spin", &speed, "--from", "u", "--at-hz", &at, "--json"];
        let run = mb_with(&args, &text);
        assert_eq!(run.code, 0, "{run:?}");
        let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        assert!(found["steady"]["frame"].as_str().unwrap().contains("'table'"), "{}", found["steady"]);
        let r0 = k * l / (k - m * w * w);
        let (inertia, coupling, s) = (j + m * r0 * r0, 2.0 * m * r0 * w, hz * TAU);
        // r (k - m W^2 - m s^2 + coupling^2 / I + i c s) = coupling u / (i I s);   v = (u - coupling i s r) / (i I s).
        let (re, im) = (k - m * w * w - m * s * s + coupling * coupling / inertia, c * s);
        let size = re * re + im * im;
        let by = coupling / (inertia * s);
        let r = [-by * im / size, -by * re / size];
        let v = [-coupling * r[0] / inertia, -(1.0 + coupling * s * r[1]) / (inertia * s)];
        for (name, expected) in [("r", r), ("v", v)] {
            let all = found["responses"].as_array().unwrap();
            let one = all.iter().find(|x| x["output"] == name).unwrap();
            let [x, y] = [0, 1].map(|i| one["value"][0][i].as_f64().unwrap());
            let off = (x - expected[0]).hypot(y - expected[1]);
            assert!(off <= 1e-11 * expected[0].hypot(expected[1]), "{w} {name}: {x} {y}, {expected:?}");
        }
    }
}

/// Two directions of one mass, without damping: 2 rad/s along x, 5 rad/s along y, which F neither excites nor x sees.
const CROSSED: &str = r#"
units = "SI"
name = "mass on undamped springs"
gravity = [0, 0]
parameters = { c = 0 }
point = [{ name = "m", at = [1, 0], mass = 2 }]
spring = [
    { name = "s", a = [0, 0], b = "m", stiffness = 8, damping = "c", natural_length = 1 },
    { name = "across", a = [1, 9], b = "m", stiffness = 50, natural_length = 9 },
]
force = [
    { name = "push", at = "m", direction = [1, 0], input = "F" },
    { name = "lift", at = "m", direction = [0, 1], input = "G" },
]
output = [{ name = "x", quantity = "x", of = "m" }, { name = "y", quantity = "y", of = "m" }]
"#;

pub(crate) fn json(args: &[&str], model: &str) -> serde_json::Value {
    let run = mb_with(&[args, &["--json"]].concat(), model);
    assert_eq!(run.code, 0, "{run:?}");
    serde_json::from_str(&run.out).unwrap()
}

fn numbers(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// H = 1 / (8 - 2 w^2) of x over F, at the pole of y too; the phase falls at the own pole whatever rounding says.
#[test]
fn a_pole_that_is_not_excited_has_its_value_and_is_named() {
    let [own, other] = [2.0 / TAU, 5.0 / TAU];
    let ends = ["response", "-", "--from", "F", "--to", "x", "--band", "0.1", &other.to_string()];
    let found = json(&ends, CROSSED);
    let (hz, response) = (numbers(&found["frequency_hz"]), &found["responses"][0]);
    assert_eq!(hz[hz.len() - 1].to_bits(), other.to_bits(), "the end of the band");
    let [value, bound] = [&response["value"], &response["error_bound"]].map(|v| v[hz.len() - 1].clone());
    let error = (value[0].as_f64().unwrap() - 1.0 / (8.0 - 50.0)).abs();
    assert!(error <= bound.as_f64().unwrap() && bound.as_f64().unwrap() < 1e-14, "{value} {bound}");
    assert!(numbers(&found["infinite_at_hz"]).is_empty());
    let absent = &found["absent_poles"];
    assert!(
        (absent[0]["frequency_hz"].as_f64().unwrap() - other).abs() < 1e-12
            && absent.as_array().unwrap().len() == 1
    );
    assert_eq!((&absent[0]["not_excited_by"][0], &absent[0]["not_seen_in"][0]), (&"F".into(), &"x".into()));
    for (f, phase) in hz.iter().zip(numbers(&response["phase_deg"])) {
        let exact: f64 = if *f < own { 0.0 } else { -180.0 };
        assert_eq!(phase.to_bits(), exact.to_bits(), "{f}");
    }
    // An end on a pole that there is says so, and other responses have their value in the text.
    let on = ["response", "-", "--at-hz", &own.to_string()];
    let run = mb_with(&on, CROSSED);
    assert!(run.out.contains("No value at 0.318310 Hz"), "{run:?}");
    let row = |name: &str| run.out.lines().find(|l| l.trim_start().starts_with(name)).unwrap().to_owned();
    assert!(row("x / F").contains("infinite") && row("y / G").contains("0.0238095"), "{run:?}");
    let end = ["response", "-", "--band", &own.to_string(), "1"];
    assert_eq!(numbers(&json(&end, CROSSED)["infinite_at_hz"]), [own]);
}

/// White noise S per Hz: E x^2 = S / (4 c k), E x'^2 = S / (4 c m); the undamped motion across has no part in it.
#[test]
fn mean_squares_leave_out_what_is_not_driven() {
    let request =
        ["response", "-", "--from", "F", "--to", "x", "--band", "0", "1", "--set", "c=0.4", "--psd", "F=2"];
    for (quantity, exact) in [("receptance", 2.0 / (4.0 * 0.4 * 8.0)), ("mobility", 2.0 / (4.0 * 0.4 * 2.0))]
    {
        let found = json(&[&request[..], &["--quantity", quantity]].concat(), CROSSED);
        let random = &found["random"][0];
        let [value, bound] = [&random["mean_square"], &random["error_bound"]].map(|x| x.as_f64().unwrap());
        assert!((value - exact).abs() <= bound && bound < 1e-5 * exact, "{random}");
        assert!(random["mean_square_in_band"].as_f64().unwrap() < exact);
        // The density of the output is |H|^2 times that of the input.
        let values = found["responses"][0]["value"].as_array().unwrap();
        let density = numbers(&random["density"]);
        assert!(density.len() == values.len() && density.len() > 100);
        for ((h, density), bound) in values.iter().zip(density).zip(numbers(&random["density_bound"])) {
            let square = h[0].as_f64().unwrap().powi(2) + h[1].as_f64().unwrap().powi(2);
            assert!((density - 2.0 * square).abs() <= 1e-14 * square && bound < 1e-6 * exact, "{density}");
        }
    }
    // The force is in the acceleration itself.
    let found = json(&[&request[..], &["--quantity", "accelerance"]].concat(), CROSSED);
    assert!(found["random"][0]["mean_square"].is_null());
    let why = "white noise of F reaches x'' directly";
    assert_eq!(found["random"][0]["why"], why);
    assert!(found["notes"].as_array().unwrap().iter().any(|n| n.as_str().unwrap().contains(why)));
    // A pole that is excited in the band is refused, one beyond makes the whole infinite.
    let driven = ["response", "-", "--set", "c=0.4", "--psd", "G=2", "--band", "0"];
    let run = mb_with(&[&driven[..], &["1"]].concat(), CROSSED);
    let words = ["`y` is infinite", "`G` excites an undamped pole at 0.795", "give that motion damping"];
    assert!(run.code == 1 && words.iter().all(|w| run.err.contains(w)), "{run:?}");
    let found = json(&[&driven[..], &["0.5"]].concat(), CROSSED);
    assert!(found["random"][1]["why"].as_str().unwrap().contains("undamped"), "{}", found["random"]);
}

/// 2 s^2 - 0.04 s + 8 (1 + i eta) = 0 grows for a small eta alone.
#[test]
fn stability_is_that_with_structural_damping() {
    let model = OSCILLATOR.replace("damping = 0.4", "damping = -0.04");
    let growing = |loss: &str| {
        let found = json(&["response", "-", "--band", "0", "1", "--loss", loss], &model);
        (found["growing"].as_f64(), found["lossy_poles"][0].clone())
    };
    assert!((growing("0").0.unwrap() - 0.01).abs() < 1e-12);
    let (found, pole) = growing("0.001");
    let s = [pole[0].as_f64().unwrap(), pole[1].as_f64().unwrap()];
    let residual =
        [2.0 * (s[0] * s[0] - s[1] * s[1]) - 0.04 * s[0] + 8.0, 4.0 * s[0] * s[1] - 0.04 * s[1] + 0.008];
    assert!(
        residual.iter().all(|r| r.abs() < 1e-12) && found == Some(s[0]) && s[0] < 0.01,
        "{s:?} {residual:?}"
    );
    assert_eq!(growing("0.1").0, None);
}

#[test]
fn arrays_hold_what_the_document_has() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("h.npz");
    let args = [
        "response",
        "-",
        "--from",
        "F",
        "--to",
        "x",
        "--band",
        "0",
        "1",
        "--set",
        "c=0.4",
        "--psd",
        "F=2",
        "--zeros",
        "-o",
        file.to_str().unwrap(),
    ];
    let run = mb_with(&args, CROSSED);
    assert_eq!(run.code, 0, "{run:?}");
    let bytes = std::fs::read(&file).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    for name in [
        "infinite_at_hz",
        "peak_hz",
        "peak_response",
        "peak_of",
        "zeros",
        "zeros_of",
        "transfer_poles",
        "cancelled",
        "gain",
        "mean_square",
        "mean_square_in_band",
        "error_bound",
        "error_in_band",
        "input_units",
        "output_units",
    ] {
        assert!(text.contains(&format!("{name}.npy")), "{name}");
    }
}

/// A round disc between springs, m = J = 1, h = J_p W = 2.5, an unbalance at the distance of 2 m. The force that turns excites the
/// translation at 10 rad/s and the forward whirl, w^2 - h w - c = 0; it does no work on the backward one:
///
/// ```text
/// x = u w^2 (1 / (k - w^2) + 4 / (c + h w - w^2)),   y = -i x,   k = 100,   c = 400
/// ```
#[test]
fn an_unbalance_leaves_the_backward_whirl_of_a_round_shaft_alone() {
    let disc = r#"
        units = "SI"
        name = "disc"
        spatial-body = [{ name = "disc", mass = 1, inertia = [1, 1, 0.5], at = [0, 0, 0], markers = { low = [0, 0, -2], high = [0, 0, 2] } }]
        bushing = [
            { name = "spring", a = "disc.low", b = [0, 0, -2], stiffness = [50, 50, 1e4, 0, 0, 0] },
            { name = "other", a = "disc.high", b = [0, 0, 2], stiffness = [50, 50, 0, 0, 0, 0] },
        ]
        steady-rotation = [{ name = "spin", bodies = ["disc"], speed = 5 }]
        force = [{ name = "fx", at = "disc.high", direction = [1, 0, 0], input = "X" }, { name = "fy", at = "disc.high", direction = [0, 1, 0], input = "Y" }]
        output = [{ name = "x", quantity = "x", of = "disc.high" }, { name = "y", quantity = "y", of = "disc.high" }]
    "#;
    let args = [
        "response",
        "-",
        "--moving",
        "--unbalance",
        "0.01",
        "--from",
        "X",
        "--from",
        "Y",
        "--band",
        "0",
        "6",
    ];
    let found = json(&args, disc);
    for (r, turn) in found["responses"].as_array().unwrap().iter().zip([[1.0, 0.0], [0.0, -1.0]]) {
        for (hz, value) in numbers(&found["frequency_hz"]).iter().zip(r["value"].as_array().unwrap()) {
            let w = TAU * hz;
            let x = 0.01 * w * w * (1.0 / (100.0 - w * w) + 4.0 / (400.0 + 2.5 * w - w * w));
            let value = numbers(value);
            for k in 0..2 {
                assert!((value[k] - x * turn[k]).abs() <= 1e-6 * x.abs(), "{hz}: {value:?} {x}");
            }
        }
    }
    let absent = found["absent_poles"].as_array().unwrap();
    let backward = ((2.5_f64.powi(2) + 1600.0).sqrt() - 2.5) / 2.0 / TAU;
    let last = absent.last().unwrap();
    assert!(
        absent.len() == 2 && (last["frequency_hz"].as_f64().unwrap() - backward).abs() < 1e-9,
        "{absent:?}"
    );
    assert!(last["not_excited_by"][0] == "unbalance" && last["not_seen_in"].as_array().unwrap().is_empty());
    let notes = found["notes"].to_string();
    assert!(
        !notes.contains("nothing in common") && notes.contains(" Hz is not excited by unbalance:"),
        "{notes}"
    );
}

/// A pin at the place that its distance is read from has no derivative of it, whether or not assembly leaves a rounding between the two.
#[test]
fn a_distance_of_places_that_coincide_is_named() {
    for at in [[0.4, -0.3], [0.1, -0.7]] {
        let model = format!(
            "units = \"SI\"\nname = \"n\"\ngravity = [0, -9.81]\n\
             body = [{{ name = \"a\", mass = 1, inertia = 0.1, at = {at:?}, markers = {{ pin = [{}, {}] }} }}]\n\
             joint = [{{ name = \"g\", type = \"revolute\", a = \"a.pin\", b = [0, 0] }}]\n\
             force = [{{ name = \"f\", at = \"a\", direction = [1, 0], input = \"u\" }}]\n\
             output = [{{ name = \"gap\", quantity = \"distance\", of = \"a.pin\", from = [0, 0] }}, \
             {{ name = \"x\", quantity = \"x\", of = \"a\" }}]\n",
            -at[0], -at[1]
        );
        let band = ["--band", "0.1", "5", "--points", "5"];
        for command in [&["response", "-"][..], &["state-space", "-"]] {
            let more = if command[0] == "response" { &band[..] } else { &[] };
            let run = mb_with(&[command, more].concat(), &model);
            assert!(run.code == 1 && run.err.contains("'gap'") && run.err.contains("coincide"), "{run:?}");
        }
        // Who does not ask for it has an answer.
        let run = mb_with(&[&["response", "-", "--to", "x"][..], &band].concat(), &model);
        assert_eq!(run.code, 0, "{run:?}");
    }
}
