//! `mb simulate`: methods side by side, files, events, mistakes.

use crate::support::{json, mb, model, right};

/// Runs by method, from the JSON summary.
fn runs(args: &[&str]) -> Vec<(String, serde_json::Value)> {
    let document = json(args);
    let list = document["runs"].as_array().unwrap().clone();
    list.into_iter().map(|run| (run["method"].as_str().unwrap().to_owned(), run)).collect()
}

#[test]
fn all_methods_run_side_by_side_and_hold_what_they_promise() {
    let folder = tempfile::tempdir().unwrap();
    let figures = folder.path().to_str().unwrap();
    let four_bar = model("spatial-four-bar");
    let all = runs(&["simulate", &four_bar, "--until", "1", "--compare", "--plot", figures]);
    assert_eq!(all.len(), 6);
    let violation = |name: &str| {
        let (_, run) = all.iter().find(|(method, _)| method == name).unwrap();
        assert_eq!((run["end"].as_str(), run["reports"].as_u64()), (Some("finished"), Some(51)), "{run}");
        run["largest_violation"].as_f64().unwrap()
    };
    // Order of the methods as in the paper's Fig. 2: growing, bounded, at rounding.
    assert!(violation("standard") > 10.0 * violation("baumgarte"));
    assert!(violation("augmented-lagrangian") < violation("penalty"));
    assert!(violation("direct-correction") < 1e-25);
    assert!(violation("coordinate-partitioning") < 1e-20);
    for name in ["outputs", "violation", "energy", "cost"] {
        let picture = std::fs::read_to_string(folder.path().join(format!("{name}.svg"))).unwrap();
        assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{name}");
        assert!(!picture.contains("NaN") && !picture.contains("inf"), "{name}");
    }
}

/// Heights in a panel are the numbers of the file, from the highest to the lowest.
#[test]
fn outputs_are_drawn_first_and_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let cart = model("cart-pendulum");
    let args = ["simulate", &cart, "--at", "pendulum.angle=1", "--until", "2", "--plot", &path("f")];
    right(&[&args[..], &["--output", &path("m.json")]].concat());
    let picture = std::fs::read_to_string(path("f/outputs.svg")).unwrap();
    let history: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path("m.json")).unwrap()).unwrap();
    let names = ["position", "angle"];
    let curves: Vec<&str> = picture.lines().filter(|l| l.contains("stroke-width=\"1.3\"")).collect();
    assert_eq!(curves.len(), names.len(), "{picture}");
    for (curve, name) in curves.iter().zip(names) {
        assert!(picture.contains(name), "{name}");
        let values: Vec<f64> =
            history[name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let d = curve.split('"').nth(1).unwrap();
        let heights: Vec<f64> =
            d.split(['M', 'L']).skip(1).map(|p| p.split(' ').nth(1).unwrap().parse().unwrap()).collect();
        assert_eq!(heights.len(), values.len(), "{name}");
        // y = a + b value, a and b by the two extreme values.
        let at = |best: fn(&f64, &f64) -> std::cmp::Ordering| {
            (0..values.len()).max_by(|i, j| best(&values[*i], &values[*j])).unwrap()
        };
        let (high, low) = (at(f64::total_cmp), at(|a, b| b.total_cmp(a)));
        let slope = (heights[high] - heights[low]) / (values[high] - values[low]);
        assert!(slope < 0.0, "{name}");
        for (value, height) in values.iter().zip(&heights) {
            assert!((heights[low] + slope * (value - values[low]) - height).abs() < 0.2, "{name}");
        }
    }
}

#[test]
fn histories_hold_every_report_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let cart = model("spatial-four-bar");
    for name in ["m.csv", "m.json", "m.npz"] {
        right(&["simulate", &cart, "--until", "0.3", "--every", "0.1", "--output", &path(name)]);
    }
    let csv = std::fs::read_to_string(path("m.csv")).unwrap();
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() == columns));
    assert_eq!(csv.lines().count(), 1 + 4, "a header and four reports");
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path("m.json")).unwrap()).unwrap();
    let time: Vec<f64> = json["time"].as_array().unwrap().iter().map(|t| t.as_f64().unwrap()).collect();
    assert_eq!(time.len(), 4);
    assert!(time.iter().zip([0.0, 0.1, 0.2, 0.3]).all(|(a, b)| (a - b).abs() < 1e-12), "{time:?}");
    assert_eq!(json.as_object().unwrap().len(), columns, "the same columns");
    assert!(std::fs::read(path("m.npz")).unwrap().starts_with(b"PK"));
}

#[test]
fn an_event_stops_the_run_where_the_output_crosses() {
    let stopped = runs(&["simulate", &model("spatial-four-bar"), "--until", "2", "--stop", "crank-angle=1"]);
    let [(_, run)] = stopped.as_slice() else { panic!("{stopped:?}") };
    assert!(run["end"].as_str().unwrap().starts_with("stopped by"), "{run}");
    let time = run["time"].as_f64().unwrap();
    // A run up to that time ends with the angle on the value.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.json");
    let (until, file) = (time.to_string(), path.to_str().unwrap());
    right(&["simulate", &model("spatial-four-bar"), "--until", &until, "--every", &until, "--output", file]);
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let angle = json["crank-angle"].as_array().unwrap().last().unwrap().as_f64().unwrap();
    assert!((angle - 1.0).abs() < 1e-5, "{angle}");
}

#[test]
fn mistakes_are_named_and_leave_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.csv");
    let file = file.to_str().unwrap();
    let four_bar = model("spatial-four-bar");
    for (extra, told) in [
        (["--velocity", "crank.speed=3"], "crank.speed"),
        (["--stop", "nowhere=1"], "nowhere"),
        (["--stop", "crank-angel=1"], "did you mean `crank-angle`?"),
        (["--velocity", "crnk.x=3"], "did you mean `crank.x`?"),
        (["--input", "motor=1"], "motor"),
        (["--every", "0"], "0"),
    ] {
        let args = [&["simulate", &four_bar, "--until", "1", "--output", file], extra.as_slice()].concat();
        let run = mb(&args);
        assert_eq!(run.code, 1, "{extra:?}: {run:?}");
        assert!(run.err.contains(told) && run.out.is_empty(), "{extra:?}: {}", run.err);
        assert!(!std::path::Path::new(file).exists(), "{extra:?} left a file");
    }
}

/// Forces of the joints by name in the file; the rod of a pendulum at its lowest place pulls with
/// three times the weight after a fall from the horizontal.
#[test]
fn reactions_are_columns_and_outputs_have_units() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.json");
    let file = path.to_str().unwrap();
    let pendulum = model("simple-pendulum");
    let args = ["simulate", &pendulum, "--until", "5", "--stop", "x=0", "--output", file, "--reactions"];
    let run = json(&args)["runs"][0].clone();
    let outputs = run["outputs"].as_array().unwrap();
    assert_eq!(outputs[2]["unit"], "N", "{run}");
    let history: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let force = history["force y of joint 'rod'"].as_array().unwrap().last().unwrap().as_f64().unwrap();
    assert!((force.abs() - 3.0 * 9.81).abs() < 1e-4, "{force}");
    assert_eq!(outputs[2]["last"].as_f64(), Some(force));
}

/// A linkage that turns through configurations in line: reported in the summary, in words and as JSON.
#[test]
fn singular_configurations_are_reported() {
    let linkage = model("n-four-bar-turning");
    let run = json(&["simulate", &linkage, "--until", "4"])["runs"][0].clone();
    assert!(run["singular_passages"][0]["row"].as_str().unwrap().contains("rod"), "{run}");
    let words = right(&["simulate", &linkage, "--until", "4", "--method", "augmented-lagrangian"]);
    assert!(
        words.contains("near a singular configuration") && words.contains("may leave the branch"),
        "{words}"
    );
}

/// `<` and `>` give the sense in which an output crosses: the pendulum falls through its lowest
/// place to the one side and comes back half a period later.
#[test]
fn events_have_a_sense() {
    let pendulum = model("simple-pendulum");
    let at = |stop: &str| {
        let run = runs(&["simulate", &pendulum, "--until", "5", "--stop", stop]).remove(0).1;
        assert!(run["end"].as_str().unwrap().starts_with("stopped by x"), "{stop}: {run}");
        run["time"].as_f64().unwrap()
    };
    let (either, falling, rising) = (at("x=0"), at("x<0"), at("x>0"));
    let (first, second) = (falling.min(rising), falling.max(rising));
    assert!((either - first).abs() < 1e-9, "{either} {first}");
    assert!((second / first - 3.0).abs() < 1e-4, "{first} {second}");
    let run = mb(&["simulate", &pendulum, "--until", "1", "--stop", "x"]);
    assert!(run.code != 0 && run.err.contains("OUTPUT=VALUE"), "{}", run.err);
}

/// A penalty that is large compared with the masses drowns the accelerations in rounding: reported where it is
/// above the tolerance, and as the cause where the step collapses of it.
#[test]
fn rounding_of_a_large_penalty_is_reported() {
    let squeezer = model("andrews-squeezer");
    let by = |alpha: &str, rtol: &str| {
        let args = ["simulate", &squeezer, "--until", "1e-4", "--every", "1e-4", "--method", "penalty"];
        mb(&[&args[..], &["--alpha", alpha, "--rtol", rtol, "--atol", "1e-13"]].concat())
    };
    let told = by("1e8", "1e-7");
    assert!(told.code == 0 && told.out.contains("smaller --alpha"), "{told:?}");
    let fine = by("1e4", "1e-7");
    assert!(fine.code == 0 && !fine.out.contains("smaller --alpha"), "{fine:?}");
    let collapsed = by("1e12", "1e-10");
    let words: Vec<&str> = collapsed.err.split_whitespace().collect();
    assert!(collapsed.code == 2 && words.join(" ").contains("a smaller alpha helps"), "{collapsed:?}");
}

/// Parameters of the methods reach them: what is out of range is refused by name.
#[test]
fn parameters_of_methods_reach_them() {
    let four_bar = model("spatial-four-bar");
    let short = ["simulate", &four_bar, "--until", "0.1", "--method"];
    for (method, option, told) in [
        ("augmented-lagrangian", ["--iterate-to", "0"], "--iterate-to"),
        ("augmented-lagrangian", ["--most-iterations", "0"], "--most-iterations"),
        ("direct-correction", ["--cutoff", "2"], "--cutoff"),
        ("baumgarte", ["--time-constant", "0"], "--time-constant"),
    ] {
        let run = mb(&[&short[..], &[method], &option].concat());
        assert!(run.code != 0 && run.err.contains(told), "{option:?} {}", run.err);
    }
    // Critical damping with a time constant of 0.2 s is alpha = beta = 5.
    let last = |extra: &[&str]| {
        runs(&[&short[..], &["baumgarte"], extra].concat()).remove(0).1["largest_violation"].clone()
    };
    assert_eq!(last(&["--time-constant", "0.2"]), last(&[]));
}
