//! `mb track --campbell`, steady rotations and bearings in model files: closed forms of critical speeds and of ranges of growth.

use crate::support::mb_with;
use serde_json::Value;

fn run(model: &str, args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let run = mb_with(&args, model);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}");
    serde_json::from_str(&run.out).unwrap()
}

fn campbell(model: &str, parameter: &str, [from, to]: [&str; 2], more: &[&str]) -> Value {
    let mut args = vec!["track", "-", "--parameter", parameter, "--from", from, "--to", to, "--campbell"];
    args.extend(more);
    run(model, &args)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The refusal of a model or a request.
fn refused(model: &str, args: &[&str], words: &[&str]) {
    let run = mb_with(args, model);
    assert_eq!(run.code, 1, "{run:?}");
    for word in words {
        assert!(run.err.contains(word), "no {word:?} in {}", run.err);
    }
}

/// A mass on two pairs of springs on a turntable (`docs/book/src/steady.md`): in the table's frame
/// s^4 + (k_x + k_y + 2 W^2) s^2 + (k_x - W^2)(k_y - W^2) = 0 with k_x = 2000, k_y = 200.
pub(crate) const TURNTABLE: &str = r#"
    units = "SI"
    name = "turntable"
    gravity = [0, 0]
    body = [{ name = "table", mass = 1, inertia = 1000, at = [0, 0], markers = { e = [1, 0], w = [-1, 0], n = [0, 1], s = [0, -1] } }]
    joint = [{ name = "axle", type = "revolute", a = "table", b = [0, 0] }]
    point = [{ name = "m", at = [0, 0], mass = 1 }]
    spring = [
        { name = "east", a = "table.e", b = "m", stiffness = 1000, natural_length = 1 },
        { name = "west", a = "table.w", b = "m", stiffness = 1000, natural_length = 1 },
        { name = "north", a = "table.n", b = "m", stiffness = 100, natural_length = 1 },
        { name = "south", a = "table.s", b = "m", stiffness = 100, natural_length = 1 },
    ]
"#;

/// Growth as divergence between sqrt(k_y) and sqrt(k_x), both ends within their bounds; at every speed the eigenvalues
/// of the quartic.
#[test]
fn a_turntable_grows_between_its_frequencies_over_the_speed() {
    let found = campbell(TURNTABLE, "spin:axle", ["1", "60"], &["--samples", "31"]);
    assert!(found["frame"].as_str().unwrap().contains("'table'"), "{}", found["frame"]);
    let ranges = found["unstable"].as_array().unwrap();
    assert_eq!(ranges.len(), 1, "{ranges:?}");
    let range = &ranges[0];
    for (end, square) in [("from", 200.0_f64), ("to", 2000.0)] {
        let (at, error) = (number(&range[end]), number(&range[format!("{end}_error")]));
        assert!((at - square.sqrt()).abs() <= error + 1e-9 && error < 1e-7, "{end} {at} {error:e}");
    }
    assert_eq!(range["divergence"], true);
    let samples = &found["samples"];
    for (k, w) in samples["spin:axle"].as_array().unwrap().iter().enumerate() {
        let w2 = number(w) * number(w);
        for mode in 1..=found["modes"].as_u64().unwrap() {
            let [re, im] = ["re", "im"].map(|x| number(&samples[format!("mode {mode} {x}")][k]));
            // s^2 is real here.
            let s2 = re * re - im * im;
            let left = s2 * s2 + (2200.0 + 2.0 * w2) * s2 + (2000.0 - w2) * (200.0 - w2);
            assert!(left.abs() < 1e-8 * 2000.0 * (2000.0 + w2), "{w} mode {mode}: {left:e}");
        }
    }
}

/// A range of growth far narrower than the step between samples is found: springs of nearly the same stiffness.
#[test]
fn a_narrow_range_of_growth_between_samples_is_found() {
    let narrow = TURNTABLE.replace("stiffness = 1000", "stiffness = 100.2");
    let found = campbell(&narrow, "spin:axle", ["1", "60"], &["--samples", "13", "--frame", "table"]);
    let ranges = found["unstable"].as_array().unwrap();
    assert_eq!(ranges.len(), 1, "{ranges:?}");
    for (end, square) in [("from", 200.0_f64), ("to", 200.4)] {
        assert!((number(&ranges[0][end]) - square.sqrt()).abs() < 1e-7, "{end}: {ranges:?}");
    }
}

/// A disc between springs at the distance of 2 m on both sides: m x'' + k x = 0 and J p'' + h r' + c p = 0, J r'' - h p' + c r = 0 with h = J_p W, so that
/// J w^2 -+ J_p W w - c = 0, c = 4 k = 400, for forward and backward whirl. It is free to spin.
const DISC: &str = r#"
    units = "SI"
    name = "disc"
    parameters = { W = 5, K = 100 }
    spatial-body = [{ name = "disc", mass = 1, inertia = [1, 1, 0.5], at = [0, 0, 0], markers = { low = [0, 0, -2], high = [0, 0, 2] } }]
    bushing = [
        { name = "spring", a = "disc.low", b = [0, 0, -2], stiffness = ["K/2", 50, 1e4, 0, 0, 0] },
        { name = "other", a = "disc.high", b = [0, 0, 2], stiffness = ["K/2", 50, 0, 0, 0, 0] },
    ]
    steady-rotation = [{ name = "spin", bodies = ["disc"], speed = "W" }]
"#;

/// Critical speeds lie within their bounds of those of the quadratic equations: w = n W.
#[test]
fn critical_speeds_of_a_disc_are_those_of_its_whirl() {
    let found = campbell(DISC, "W", ["0", "40"], &["--samples", "41", "--lines", "1,2"]);
    assert!(found["frame"].as_str().unwrap().contains("ground"));
    let (j, axial, c) = (1.0, 0.5, 400.0_f64);
    // J n^2 W^2 - sign J_p n W^2 - c = 0.
    let tilt = |n: f64, sign: f64| (c / (j * n * n - sign * axial * n)).sqrt();
    let mut expected = vec![(1.0, 10.0), (1.0, 10.0), (2.0, 5.0), (2.0, 5.0)];
    for n in [1.0, 2.0] {
        expected.extend([(n, tilt(n, 1.0)), (n, tilt(n, -1.0))]);
    }
    expected.retain(|(_, w)| *w < 40.0);
    let critical = found["critical_speeds"].as_array().unwrap();
    assert!(critical.len() >= expected.len(), "{critical:?}");
    for (order, speed) in &expected {
        let mine = critical.iter().filter(|c| number(&c["per_revolution"]).total_cmp(order).is_eq());
        let best = mine.min_by(|a, b| {
            let off = |c: &Value| (number(&c["speed"]) - speed).abs();
            off(a).total_cmp(&off(b))
        });
        let best = best.unwrap_or_else(|| panic!("{order} {speed}"));
        let (at, error) = (number(&best["speed"]), number(&best["error"]));
        assert!((at - speed).abs() <= error && error < 1e-9, "{order}: {at} +- {error:e} for {speed}");
    }
    // The one with the spin is called forward: J w^2 - J_p W w - c = 0 at n = 1 is W = sqrt(800).
    let forward = critical.iter().find(|c| (number(&c["speed"]) - 800.0_f64.sqrt()).abs() < 1e-6).unwrap();
    assert!(number(&forward["whirl"]) > 0.9, "{forward}");
    assert_eq!(found["unstable"].as_array().unwrap().len(), 0);
}

/// The table of the model makes the motion, everywhere; a speed of zero is rest.
#[test]
fn a_steady_rotation_of_the_model_is_never_ignored() {
    let modes = run(DISC, &["modes", "-"]);
    assert_eq!(modes["steady"]["kind"], "ground");
    let rest = run(DISC, &["modes", "-", "--set", "W=0"]);
    assert!(rest.get("steady").is_none());
    let there = run(DISC, &["equilibrium", "-"]);
    assert_eq!(there["steady"]["kind"], "ground", "{there}");
    refused(DISC, &["parametric", "-", "--parameters", "K", "--instant"], &["turns", "--instant"]);
    refused(DISC, &["equilibrium", "-", "--find-all", "5"], &["--find-all", "turns"]);
    // What is not symmetric in which frame is named.
    let unround = DISC.replace("[1, 1, 0.5]", "[1, 1.2, 0.5]");
    refused(&unround, &["modes", "-", "--set", "K=120"], &["spatial-body 'disc'", "bushing '", "not steady"]);
}

/// A shaft of rectangular section whose bearings are round: the weight alone stands in the way of its own frame.
#[test]
fn the_weight_of_an_unround_shaft_is_named() {
    let shaft = |gravity: &str| {
        format!(
            "units = 'SI'
            name = 'unround shaft'
            gravity = {gravity}
            beam = [{{ name = 'shaft', from = [0, 0, 0], to = [0, 0, 1], elements = 20, density = 7850, youngs_modulus = 2.1e11,
                poissons_ratio = 0.3, section = {{ width = 0.02, height = 0.04 }} }}]
            bushing = [{{ name = 'thrust', a = 'shaft.start', b = [0, 0, 0], stiffness = [0, 0, 1e7, 0, 0, 0] }}]
            bearing = [
                {{ name = 'lower', a = 'shaft.start', b = [0, 0, 0], stiffness = [[2e7, 0], [0, 2e7]] }},
                {{ name = 'upper', a = 'shaft.end', b = [0, 0, 1], stiffness = [[2e7, 0], [0, 2e7]] }}]
            steady-rotation = [{{ name = 'spin', bodies = ['shaft'], axis = [0, 0, 1], through = [0, 0, 0], speed = 20 }}]"
        )
    };
    let args = ["modes", "-", "--lowest", "2"];
    let words = ["seen from the ground's frame, beam 'shaft'", "the weight is not the same", "not steady"];
    refused(&shaft("[0, -9.81, 0]"), &args, &words);
    // Along the axis it does no harm.
    assert_eq!(run(&shaft("[0, 0, -9.81]"), &args)["steady"]["kind"], "body");
}

/// x'' + (k/m) x with cross-coupled stiffness q and damping c grows where q > c w: w^2 = k/m.
const JOURNAL: &str = r#"
    units = "SI"
    name = "journal"
    parameters = { W = 100 }
    spatial-body = [{ name = "rotor", mass = 10, inertia = [1, 1, 1], at = [0, 0, 0] }]
    joint = [{ name = "guide", type = "generic", a = "rotor", b = "ground", locked = ["z", "rotation x", "rotation y"] }]
    steady-rotation = [{ name = "spin", bodies = ["rotor"], axis = [0, 0, 1], through = "rotor", speed = "W" }]
    bearing = [{ name = "film", a = "rotor", b = [0, 0, 0], speed = "W", table = [
        { speed = 0, stiffness = [[1000, 0], [0, 1000]], damping = [[20, 0], [0, 20]] },
        { speed = 100, stiffness = [[1000, 100], [-100, 1000]], damping = [[20, 0], [0, 20]] },
        { speed = 200, stiffness = [[1000, 200], [-200, 1000]], damping = [[20, 0], [0, 20]] },
        { speed = 300, stiffness = [[1000, 300], [-300, 1000]], damping = [[20, 0], [0, 20]] },
    ] }]
"#;

/// Growth begins where q(W) = W equals c sqrt(k/m) = 20 sqrt(100) = 200; the table is a straight line, and so is its spline.
#[test]
fn a_film_of_oil_whips_above_its_threshold() {
    let found = campbell(JOURNAL, "W", ["10", "290"], &["--samples", "15"]);
    let ranges = found["unstable"].as_array().unwrap();
    assert_eq!(ranges.len(), 1, "{ranges:?}");
    let (from, error) = (number(&ranges[0]["from"]), number(&ranges[0]["from_error"]));
    assert!((from - 200.0).abs() <= error + 1e-9 && ranges[0]["to"].is_null(), "{ranges:?}");
    refused(JOURNAL, &["modes", "-", "--set", "W=301"], &["bearing 'film'", "301", "300"]);
    let row = JOURNAL.replace("speed = 200", "speed = 50");
    refused(&row, &["check", "-"], &["bearing 'film'", "50", "100"]);
    let none = JOURNAL.replace("speed = \"W\", table", "table");
    refused(&none, &["check", "-"], &["bearing 'film'", "speed"]);
    let unknown = JOURNAL.replace("bodies = [\"rotor\"]", "bodies = [\"rotro\"]");
    refused(&unknown, &["check", "-"], &["steady-rotation 'spin'", "rotor"]);
}

#[test]
fn what_is_no_speed_is_refused() {
    let track = |parameter: &'static str, more: &[&'static str]| {
        let mut args =
            vec!["track", "-", "--parameter", parameter, "--from", "1", "--to", "20", "--campbell"];
        args.extend(more);
        args
    };
    refused(DISC, &track("disc.x", &[]), &["disc.x", "speed"]);
    refused(DISC, &track("Q", &[]), &["Q"]);
    refused(DISC, &track("spin:axle", &[]), &["axle"]);
    refused(DISC, &track("W", &["--frame", "dics"]), &["dics", "disc"]);
    let still =
        DISC.replace("steady-rotation = [{ name = \"spin\", bodies = [\"disc\"], speed = \"W\" }]", "");
    refused(&still, &track("W", &[]), &["nothing turns", "W"]);
    refused(DISC, &["track", "-", "--parameter", "W", "--from", "3", "--to", "3", "--campbell"], &["--to"]);
    refused(
        JOURNAL,
        &["track", "-", "--parameter", "W", "--from", "100", "--to", "400", "--campbell"],
        &["400", "film"],
    );
}

/// The picture and the columns are written, the table is readable.
#[test]
fn a_diagram_is_drawn_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let [svg, csv] = ["c.svg", "c.csv"].map(|f| folder.path().join(f).display().to_string());
    let args = ["track", "-", "--parameter", "W", "--from", "1", "--to", "40", "--samples", "9"];
    let more = ["--campbell", &svg, "--output", &csv];
    let run = mb_with(&[&args[..], &more[..]].concat(), DISC);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    for words in ["Campbell diagram over W", "critical speed", "forward", "backward", "nothing grows"] {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
    let svg = std::fs::read_to_string(svg).unwrap();
    assert!(
        svg.contains(">1x</text>")
            && svg.contains("times per revolution")
            && svg.contains("stroke-dasharray")
            && !svg.contains("NaN")
    );
    let csv = std::fs::read_to_string(csv).unwrap();
    assert_eq!(csv.lines().count(), 10);
    assert!(csv.lines().next().unwrap().contains("mode 1 whirl"), "{csv}");
}

/// A steel shaft with a disc, in elements so short that the rounding of their places is more than a share of the forces at work.
const FINE: &str = r#"
    units = "SI"
    name = "elastic shaft with a disc"
    parameters = { W = 400 }
    beam = [{ name = "shaft", from = [0, 0, 0], to = [0, 0, 1], elements = 20, density = 7850, youngs_modulus = 2.1e11, poissons_ratio = 0.3, section = { radius = 0.02 } }]
    spatial-body = [{ name = "disc", mass = 20, inertia = [0.1, 0.1, 0.2], at = [0, 0, 0.4] }]
    joint = [{ name = "hub", type = "fixed", a = "disc", b = "shaft.node9" }]
    bushing = [{ name = "thrust", a = "shaft.start", b = [0, 0, 0], stiffness = [0, 0, 1e7, 0, 0, 0] }]
    bearing = [
        { name = "lower", a = "shaft.start", b = [0, 0, 0], stiffness = [[2e7, 0], [0, 4e7]] },
        { name = "upper", a = "shaft.end", b = [0, 0, 1], stiffness = [[2e7, 2e6], [-2e6, 2e7]] },
    ]
    steady-rotation = [{ name = "spin", bodies = ["shaft", "disc"], axis = [0, 0, 1], through = [0, 0, 0], speed = "W" }]
"#;

/// Its steady motion is found, and the error of its whirl falls with the fourth power of the length of the elements.
#[test]
fn a_fine_shaft_turns_steadily() {
    let lowest = |elements: usize| -> Vec<f64> {
        let node = format!("node{}", 2 * elements / 5 + 1);
        let text = FINE.replace("elements = 20", &format!("elements = {elements}")).replace("node9", &node);
        let found = run(&text, &["modes", "-", "--lowest", "6"]);
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
        pairs.iter().map(|p| number(&p["im"]).abs()).filter(|im| *im > 1.0).collect()
    };
    let [a, b, c] = [5, 10, 20].map(lowest);
    for k in 0..2 {
        let ratio = (a[k] - b[k]) / (b[k] - c[k]);
        assert!((ratio - 16.0).abs() < 0.5, "{} {} {}: {ratio}", a[k], b[k], c[k]);
    }
}

/// The free spin of a shaft of so many elements that rounding of K hides it is known from the motion: two zeros, and the modes of a coarse shaft.
#[test]
fn the_free_spin_of_a_very_fine_shaft_is_a_zero() {
    let lowest = |elements: usize| -> (Vec<String>, Vec<f64>) {
        let node = format!("node{}", 4 * elements / 5 + 1);
        let text = FINE.replace("elements = 20", &format!("elements = {elements}")).replace("node9", &node);
        let found = run(&text, &["modes", "-", "--lowest", "3", "--set", "W=100"]);
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap().clone();
        let class = |p: &Value| p["class"]["kind"].as_str().unwrap().to_owned();
        let moving = pairs.iter().map(|p| number(&p["im"])).filter(|im| *im > 0.0).collect();
        (pairs.iter().map(class).collect(), moving)
    };
    let (_, coarse) = lowest(20);
    assert_eq!(coarse.len(), 2);
    for elements in [100, 400] {
        let (classes, fine) = lowest(elements);
        assert_eq!(classes.iter().filter(|class| *class == "rigid").count(), 2, "{elements}: {classes:?}");
        assert_eq!(fine.len(), 2, "{elements}: {fine:?}");
        for (a, b) in fine.iter().zip(&coarse) {
            assert!((a / b - 1.0).abs() < 1e-5, "{elements}: {a} {b}");
        }
    }
}

/// Dampers in bearings do nothing to the free spin of a round shaft. The bearings move a little in a spin that is computed beside stiff short
/// elements, which is rounding and no damping: all modes are found, those of a coarse shaft.
#[test]
fn damped_bearings_leave_the_free_spin_of_a_fine_shaft_alone() {
    let lowest = |elements: usize| -> (usize, Vec<[f64; 2]>) {
        let text = format!(
            r#"units = "SI"
            name = "shaft"
            beam = [{{ name = "shaft", from = [0, 0, 0], to = [0, 0, 1], elements = {elements}, density = 7850, youngs_modulus = 2.1e11,
                poissons_ratio = 0.3, section = {{ radius = 0.02 }} }}]
            bushing = [{{ name = "thrust", a = "shaft.start", b = [0, 0, 0], stiffness = [0, 0, 1e7, 0, 0, 0] }}]
            bearing = [
                {{ name = "lower", a = "shaft.start", b = [0, 0, 0], stiffness = [[2e7, 0], [0, 2e7]], damping = [[2e3, 0], [0, 2e3]] }},
                {{ name = "upper", a = "shaft.end", b = [0, 0, 1], stiffness = [[2e7, 0], [0, 2e7]], damping = [[2e3, 0], [0, 2e3]] }},
            ]
            steady-rotation = [{{ name = "spin", bodies = ["shaft"], axis = [0, 0, 1], through = [0, 0, 0], speed = 400 }}]"#
        );
        let found = run(&text, &["modes", "-", "--lowest", "6"]);
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap().clone();
        let rigid = pairs.iter().filter(|p| p["class"]["kind"] == "rigid").count();
        let both = pairs.iter().map(|p| [number(&p["re"]), number(&p["im"])]);
        (rigid, both.filter(|s| s[1] > 0.0).collect())
    };
    let coarse = lowest(40);
    assert_eq!((coarse.0, coarse.1.len()), (2, 5));
    for elements in [160, 320] {
        let (rigid, fine) = lowest(elements);
        assert_eq!((rigid, fine.len()), (2, 5), "{elements}");
        for (a, b) in fine.iter().flatten().zip(coarse.1.iter().flatten()) {
            assert!((a - b).abs() <= 1e-5 * b.abs().max(100.0), "{elements}: {a} {b}");
        }
    }
}

/// A disc that is welded to a fine shaft turns steadily, though the accelerations that balance the forces are rounding there: the modes are
/// those of a coarse one.
#[test]
fn a_disc_on_a_very_fine_shaft_turns_steadily() {
    let lowest = |elements: usize| -> Vec<f64> {
        let text = format!(
            r#"units = "SI"
            name = "rotor"
            beam = [{{ name = "shaft", from = [0, 0, 0], to = [0, 0, 1], elements = {elements}, density = 7850, youngs_modulus = 2.1e11,
                poissons_ratio = 0.3, section = {{ radius = 0.02 }} }}]
            spatial-body = [{{ name = "disc", mass = 20, inertia = [0.1, 0.1, 0.2], at = [0, 0, 0.25] }}]
            joint = [{{ name = "hub", type = "fixed", a = "disc", b = "shaft.node{}" }}]
            bushing = [{{ name = "thrust", a = "shaft.start", b = [0, 0, 0], stiffness = [0, 0, 1e7, 0, 0, 0] }}]
            bearing = [
                {{ name = "lower", a = "shaft.start", b = [0, 0, 0], stiffness = [[2e7, 0], [0, 4e7]], damping = [[1e3, 0], [0, 1e3]] }},
                {{ name = "upper", a = "shaft.end", b = [0, 0, 1], stiffness = [[3e7, 1e6], [-1e6, 3e7]], damping = [[1e3, 0], [0, 1e3]] }},
            ]
            steady-rotation = [{{ name = "spin", bodies = ["shaft", "disc"], axis = [0, 0, 1], through = [0, 0, 0], speed = 100 }}]"#,
            elements / 4 + 1
        );
        let found = run(&text, &["modes", "-", "--lowest", "4"]);
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap().clone();
        pairs.iter().map(|p| number(&p["im"])).filter(|im| *im > 1.0).collect()
    };
    let (coarse, fine) = (lowest(100), lowest(400));
    assert!(coarse.len() >= 2 && fine.len() == coarse.len(), "{coarse:?} {fine:?}");
    for (a, b) in fine.iter().zip(&coarse) {
        assert!((a / b - 1.0).abs() < 1e-3, "{fine:?} {coarse:?}");
    }
}

/// The free spin is a zero at every speed: the diagram has the modes that the model has at its first speed, with bounds as narrow.
#[test]
fn the_diagram_of_a_fine_shaft_begins_with_its_modes() {
    for (elements, range) in [(5, ["10", "1000"]), (20, ["10", "1000"]), (20, ["10", "200"])] {
        let node = format!("node{}", 2 * elements / 5 + 1);
        let text = FINE.replace("elements = 20", &format!("elements = {elements}")).replace("node9", &node);
        let own = run(&text, &["modes", "-", "--lowest", "6", "--set", "W=10"]);
        let pairs = own["formulations"][0]["eigenpairs"].as_array().unwrap();
        let frequencies = pairs.iter().map(|p| [number(&p["im"]), number(&p["error_bound"])]);
        let moving: Vec<[f64; 2]> = frequencies.filter(|[im, _]| *im > 1.0).collect();
        let found = campbell(&text, "W", range, &["--samples", "4", "--lowest", "6"]);
        assert!(moving.len() >= 4, "{elements}: {moving:?}");
        for (k, [im, bound]) in moving.iter().enumerate() {
            let value = |x: &str| number(&found["samples"][format!("mode {} {x}", k + 1)][0]);
            let (at, error) = (value("im"), value("error"));
            assert!(
                error < 1e-3 && (at - im).abs() <= error + bound,
                "{elements}, {k}: {at} {error:e}, {im} {bound:e}"
            );
        }
    }
}

/// Eigenvalues between the speeds that are linearized are those of their own linearizations, for a shaft (sparse) and for the
/// bicycle (dense, with velocity rows), and the diagram says so.
#[test]
fn speeds_between_are_read_from_polynomials() {
    let bicycle = crate::support::right(&["generate", "bicycle"]);
    for (model, parameter, range, at) in
        [(FINE, "W", ["50", "450"], "200"), (&bicycle, "v", ["4", "6.4"], "4.9")]
    {
        let found = campbell(model, parameter, range, &["--samples", "9", "--lowest", "4"]);
        assert_eq!(found["between"]["degree"], 2, "{}", found["between"]);
        assert!(number(&found["between"]["missed"]) < 1e-11, "{}", found["between"]);
        let samples = &found["samples"];
        let speeds: Vec<f64> = samples[parameter].as_array().unwrap().iter().map(number).collect();
        let wanted: f64 = at.parse().unwrap();
        let k = speeds.iter().position(|w| (w - wanted).abs() < 1e-9).unwrap();
        let set = format!("{parameter}={}", speeds[k]);
        let own = run(model, &["modes", "-", "--moving", "--all", "--set", &set]);
        let pairs = own["formulations"][0]["eigenpairs"].as_array().unwrap();
        let mut compared = 0;
        for mode in 1..=found["modes"].as_u64().unwrap() {
            let value = |x: &str| samples[format!("mode {mode} {x}")][k].as_f64();
            let (Some(re), Some(im), Some(error)) = (value("re"), value("im"), value("error")) else {
                continue;
            };
            let off = |p: &Value| {
                let off = (number(&p["re"]) - re).hypot(number(&p["im"]) - im);
                off - error - number(&p["error_bound"])
            };
            let least = pairs.iter().filter(|p| p["re"].is_number()).map(off).fold(f64::INFINITY, f64::min);
            assert!(least <= 0.0, "{set} mode {mode}: {re} {im} {error:e}, off by {least:e}");
            compared += 1;
        }
        assert!(compared >= 3, "{compared}");
    }
}

/// Where the speed changes the bearings, or the motion its configuration, every speed is linearized.
#[test]
fn speeds_that_change_the_model_are_all_linearized() {
    let film = FINE.replace("[0, 4e7]]", "[0, \"4e7 + 1e3*W\"]]");
    let found = campbell(&film, "W", ["50", "450"], &["--samples", "5", "--lowest", "2"]);
    assert!(found["between"].is_null(), "{}", found["between"]);
    // The arm of a governor rises.
    let governor = r#"
        units = "SI"
        name = "arm of a governor"
        gravity = [0, 0, -9.81]
        spatial-body = [
            { name = "shaft", mass = 1, inertia = [1, 1, 1], at = [0, 0, 0], markers = { hub = [0.2, 0, 0] } },
            { name = "arm", mass = 2, inertia = [1e-3, 1e-3, 1e-3], at = [0.5, 0, -0.4], markers = { pin = [-0.3, 0, 0.4] } },
        ]
        joint = [
            { name = "axle", type = "revolute", a = "shaft", b = "ground", axis = [0, 0, 1] },
            { name = "pin", type = "revolute", a = "arm.pin", b = "shaft.hub", axis = [0, 1, 0] },
        ]
    "#;
    let found = campbell(governor, "spin:axle", ["6", "9"], &["--samples", "5"]);
    assert!(found["between"].is_null(), "{}", found["between"]);
}

/// Upright bicycle: published speeds of weave and capsize [Meijaard et al., Proc. R. Soc. A 463 (2007), section 5], each within its bound,
/// though the capsize mode passes zero among six exact zeros.
#[test]
fn the_bicycle_capsizes_at_the_published_speed() {
    let bicycle = crate::support::right(&["generate", "bicycle"]);
    let found = campbell(&bicycle, "v", ["4", "7"], &["--samples", "7"]);
    let ranges = found["unstable"].as_array().unwrap();
    let ends = [(&ranges[0], "to", "4.29238253634111"), (&ranges[1], "from", "6.02426201538837")];
    for (range, end, printed) in ends {
        let (at, error) = (number(&range[end]), number(&range[format!("{end}_error")]));
        let published: f64 = printed.parse().unwrap();
        assert!((at - published).abs() <= error + 1e-13 && error < 1e-8, "{end}: {at} {error:e}");
    }
}

/// What can be ignored in a steady motion has exact zeros: the place and the spin of a rolling disc. The second zeros of chains have
/// narrow bounds, and the lean obeys its closed form, (A + m r^2) l'' + ((C + m r^2) C W^2 / A - m g r) l = 0.
#[test]
fn zeros_of_a_rolling_disc_are_exact() {
    let disc = crate::support::right(&["generate", "rolling-disc"]);
    for spin in [2.0_f64, 5.0, 9.0] {
        let set = format!("spin={spin}");
        let found = run(&disc, &["modes", "-", "--moving", "--set", &set]);
        let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap();
        let of = |class: &'static str| pairs.iter().filter(move |p| p["class"]["kind"] == class);
        let bounds: Vec<f64> = of("rigid").map(|p| number(&p["error_bound"])).collect();
        assert_eq!(bounds.len(), 6, "{bounds:?}");
        assert!(bounds.iter().filter(|b| **b == 0.0).count() >= 3, "{bounds:?}");
        assert!(bounds.iter().all(|b| *b < 1e-6), "{bounds:?}");
        let (r, g, m) = (0.2, 9.81, 1.0);
        let (across, about) = (m * r * r / 4.0, m * r * r / 2.0);
        let square = (about + m * r * r) * about * spin * spin / across - m * g * r;
        let w2 = square / (across + m * r * r);
        for pair in of("physical") {
            let (re, im) = (number(&pair["re"]), number(&pair["im"]));
            // s^2 = -w2.
            let off = (re * re - im * im + w2).abs();
            assert!(
                off <= 1e-11 * w2.abs() + 3.0 * number(&pair["error_bound"]) * w2.abs().sqrt(),
                "{spin}: {off:e}"
            );
        }
    }
}

/// A disc that a shaft of two stiffnesses carries along, in still air: the ranges are those where
/// (kx - m W^2) (ky - m W^2) + (c W)^2 < 0, whatever the speeds of the samples; `also` more stiffness of the shaft, without damping.
fn air(locked: &str, also: &str) -> String {
    format!(
        r#"
        units = "SI"
        name = "a shaft of two stiffnesses in air"
        parameters = {{ W = 100, ce = 30, kx = 1e5, ky = 1.3e5 }}
        spatial-body = [
          {{ name = "hub", mass = 1, inertia = [0.1, 0.1, 0.1], at = [0, 0, 0] }},
          {{ name = "disc", mass = 2.0, inertia = [0.01, 0.01, 0.018], at = [0, 0, 0] }},
        ]
        joint = [
          {{ name = "axle", type = "revolute", a = "hub", b = "ground", axis = [0, 0, 1] }},
          {{ name = "plane", type = "generic", a = "disc", b = "hub", locked = [{locked}] }},
        ]
        bushing = [
          {{ name = "shaft", a = "disc", b = "hub", stiffness = ["kx", "ky", {also}] }},
          {{ name = "air", a = "disc", b = "ground", damping = ["ce", "ce", 0, 0, 0, 0] }},
        ]
        steady-rotation = [{{ name = "spin", joint = "axle", speed = "W" }}]
        "#
    )
}

/// The speeds at which the product of the module above is zero: m^2 u^2 - (m (kx + ky) - c^2) u + kx ky = 0, u = W^2.
fn range(damping: f64) -> [f64; 2] {
    let (m, kx, ky) = (2.0_f64, 1e5, 1.3e5);
    let half = 0.5 * (m * (kx + ky) - damping * damping) / (m * m);
    let root = (half * half - kx * ky / (m * m)).sqrt();
    [(half - root).sqrt(), (half + root).sqrt()]
}

fn is_in_the_range(found: &Value, damping: f64, what: &str) {
    let unstable = found["unstable"].as_array().unwrap();
    assert_eq!(unstable.len(), 1, "{what}: {unstable:?}");
    for (end, truth) in ["from", "to"].into_iter().zip(range(damping)) {
        let (speed, error) = (number(&unstable[0][end]), number(&unstable[0][format!("{end}_error")]));
        assert!(
            (speed - truth).abs() <= error && error < 1e-6,
            "{what}: {end} {speed} +- {error}, truth {truth}"
        );
    }
}

/// No sample need grow for a range to be found, nor need its modes be alike: they part on the real axis within it.
#[test]
fn a_range_between_samples_in_which_modes_part_is_found() {
    let model = air("\"z\", \"rotation x\", \"rotation y\", \"rotation z\"", "0, 0, 0, 0");
    for samples in ["8", "10", "12", "24", "30"] {
        for damping in ["30", "59"] {
            let set = format!("ce={damping}");
            let found = campbell(&model, "W", ["10", "700"], &["--samples", samples, "--set", &set]);
            is_in_the_range(&found, damping.parse().unwrap(), &format!("{samples} samples, {damping} N s/m"));
            // What may be missed is as wide as the distance of the samples.
            let step = 690.0 / (samples.parse::<f64>().unwrap() - 1.0);
            assert!((number(&found["resolution"]) - step).abs() < 1e-9 * step);
        }
    }
}

/// A motion without damping, which is on the axis at every speed, leaves the ends of a range to be solved for.
#[test]
fn ends_of_ranges_are_solved_for_beside_a_mode_without_damping() {
    let model = air("\"rotation x\", \"rotation y\", \"rotation z\"", "1e5, 0, 0, 0");
    let found = campbell(&model, "W", ["10", "700"], &["--samples", "8"]);
    is_in_the_range(&found, 30.0, "beside the axial mode");
}

/// A rigid rotor on two damped anisotropic bearings, short of one mode's identity between coarse samples: modes change places there, and what
/// one frequency loses another gains. Critical speeds do not depend on the samples, and are where a frequency is so many per revolution.
#[test]
fn critical_speeds_are_on_their_lines_however_coarse_the_samples() {
    const ROTOR: &str = r#"
        units = "SI"
        name = "rotor"
        parameters = { W = 10 }
        spatial-body = [{ name = "r", mass = 47.4, inertia = [3.24, 3.24, 3.74], at = [0, 0, 0], markers = { a = [0, 0, -0.564], b = [0, 0, 0.0787] } }]
        bushing = [{ name = "thrust", a = "r", b = [0, 0, 0], stiffness = [0, 0, 1e6, 0, 0, 0] }]
        bearing = [
            { name = "a", a = "r.a", b = [0, 0, -0.564], stiffness = [[4.1e5, 0], [0, 1.05e5]], damping = [[19.6, 0], [0, 9.84]] },
            { name = "b", a = "r.b", b = [0, 0, 0.0787], stiffness = [[3.03e5, 0], [0, 1.18e5]], damping = [[10.2, 0], [0, 10.5]] },
        ]
        steady-rotation = [{ name = "s", bodies = ["r"], axis = [0, 0, 1], through = [0, 0, 0], speed = "W" }]
    "#;
    let critical = |samples: &str| -> Vec<[f64; 3]> {
        let found = campbell(ROTOR, "W", ["1", "999"], &["--samples", samples, "--lowest", "8"]);
        assert_eq!(found["unsolved"].as_array().unwrap().len(), 0, "{samples}");
        let one = |c: &Value| {
            let [order, speed, error, hz] =
                ["per_revolution", "speed", "error", "frequency_hz"].map(|key| number(&c[key]));
            let off = (std::f64::consts::TAU * hz - order * speed).abs();
            assert!(off <= 1e-9 * speed + 2.0 * order * error, "{samples}: {c}");
            [order, speed, error]
        };
        found["critical_speeds"].as_array().unwrap().iter().map(one).collect()
    };
    let fine = critical("201");
    assert!(fine.len() > 6, "{fine:?}");
    for samples in ["5", "11", "12", "40"] {
        let coarse = critical(samples);
        assert_eq!(coarse.len(), fine.len(), "{samples}: {coarse:?}\n{fine:?}");
        for (a, b) in coarse.iter().zip(&fine) {
            assert!(a[0].total_cmp(&b[0]).is_eq(), "{samples}: {a:?} {b:?}");
            assert!((a[1] - b[1]).abs() <= a[2] + b[2], "{samples}: {a:?} {b:?}");
        }
    }
}
