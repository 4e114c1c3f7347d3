//! `mb report`: what the page holds.

use crate::support::{json, mb, mb_with, model, right};
use serde_json::{Value, json as value};
use std::path::{Path, PathBuf};

/// The data that a page holds.
pub(crate) fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

/// Writes the page of a model.
pub(crate) fn page(folder: &Path, args: &[&str]) -> (PathBuf, String) {
    let path = folder.join("page.html");
    let mut all = vec!["report"];
    all.extend(args);
    all.extend(["-o", path.to_str().unwrap()]);
    right(&all);
    let text = std::fs::read_to_string(&path).unwrap();
    (path, text)
}

/// Numbers of the table of `mb modes --json`, one of each conjugate pair.
pub(crate) fn modes(args: &[&str]) -> Vec<Value> {
    let mut all = vec!["modes"];
    all.extend(args);
    let found = json(&all);
    let pairs = found["formulations"][0]["eigenpairs"].as_array().unwrap().iter();
    let motion = pairs.filter(|p| matches!(p["class"]["kind"].as_str(), Some("physical" | "rigid")));
    let upper = motion.filter(|p| p["im"].as_f64().unwrap() >= 0.0);
    upper.map(|p| value!({ "re": p["re"], "im": p["im"], "f_d": p["damped_frequency_hz"] })).collect()
}

#[test]
fn the_page_holds_the_numbers_of_the_json_document() {
    let dir = tempfile::tempdir().unwrap();
    for name in [
        "rod-pendulum",
        "double-pendulum-rigid",
        "n-four-bar",
        "spatial-four-bar",
        "beam-four-bar",
        "free-body",
    ] {
        let file = model(name);
        let (_, text) = page(dir.path(), &[&file]);
        let data = data(&text);
        let rows = data["modes"]["rows"].as_array().unwrap();
        let expected = modes(&[&file]);
        assert_eq!(rows.len(), expected.len(), "{name}");
        for (row, mode) in rows.iter().zip(&expected) {
            assert_eq!(
                [&row[1][0], &row[2][0], &row[3][0]],
                [&mode["re"], &mode["im"], &mode["f_d"]],
                "{name}"
            );
        }
        assert!(data["scene"]["count"].as_u64().unwrap() > 0, "{name}");
        assert!(!data["shapes"].as_array().unwrap().is_empty(), "{name}");
    }
}

#[test]
fn a_name_with_markup_stays_text() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("model.toml");
    std::fs::write(&file, marked()).unwrap();
    let (_, text) = page(dir.path(), &[file.to_str().unwrap()]);
    assert!(
        !text.contains("<img") && text.contains("<title>&lt;img src=x&gt;&lt;/script&gt; {{DATA}}</title>"),
        "{text}"
    );
    assert_eq!(data(&text)["title"], "<img src=x></script> {{DATA}}");
    assert!(data(&text)["scene"]["owners"].as_array().unwrap().contains(&value!("rod 'rod'")));
}

/// A pendulum and a plate on springs whose name would be markup and a place of the page.
pub(crate) fn marked() -> &'static str {
    r#"
    units = "SI"
    name = "<img src=x></script> {{DATA}}"
    gravity = [0, -9.81]
    point = [{ name = "pin", at = [0, 0], fixed = true }, { name = "tip", at = [0, -1.2] }]
    rod = [{ name = "rod", ends = ["pin", "tip"], mass = 2 }]
    body = [{ name = "plate", mass = 1, inertia = 0.1, at = [1, 0], markers = { a = [-0.3, -0.2], b = [0.3, -0.4], c = [0.4, 0.3], d = [-0.3, 0.2] } }]
    spring = [
        { name = "a", a = "plate.a", b = [0.4, -1], stiffness = 90, natural_length = 0.8 },
        { name = "b", a = "plate.b", b = [1.6, -1], stiffness = 80, natural_length = 0.6 },
        { name = "c", a = "plate.c", b = [1.6, 1], stiffness = 70, natural_length = 0.7 },
        { name = "d", a = "plate.d", b = [0.4, 1], stiffness = 60, natural_length = 0.8 },
    ]
    "#
}

#[test]
fn a_motion_is_shown_with_its_outputs() {
    let dir = tempfile::tempdir().unwrap();
    let (_, text) = page(dir.path(), &[&model("cart-pendulum"), "--until", "1", "--frames", "20"]);
    let data = data(&text);
    let times = data["motion"]["times"].as_array().unwrap();
    assert_eq!((times.len(), data["motion"]["frames"].as_array().unwrap().len()), (20, 20));
    assert_eq!((times[0].as_f64(), times[19].as_f64()), (Some(0.0), Some(1.0)));
    let titles: Vec<&str> =
        data["charts"].as_array().unwrap().iter().map(|c| c["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Outputs over time", "Violation and energy over time"]);
}

/// A driven mechanism has no equilibrium: its page shows the motion and says why there are no modes.
#[test]
fn a_driven_motion_has_a_page_without_modes() {
    let dir = tempfile::tempdir().unwrap();
    let driven = model("four-bar-driven");
    let (_, text) = page(dir.path(), &[&driven, "--until", "0.5", "--frames", "10"]);
    let data = data(&text);
    assert!(data["modes"].is_null() && data["shapes"].as_array().unwrap().is_empty());
    assert_eq!(data["motion"]["frames"].as_array().unwrap().len(), 10);
    assert_eq!(data["charts"].as_array().unwrap().len(), 2);
    let notes = data["notes"].to_string();
    assert!(notes.contains("'motor'") && notes.contains("without modes"), "{notes}");
    let path = dir.path().join("other.html").display().to_string();
    let alone = mb(&["report", &driven, "-o", &path]);
    assert!(alone.code == 1 && alone.err.contains("--until"), "{alone:?}");
}

/// Numbers of a curve of the page.
fn curve(data: &Value, chart: usize, panel: usize, curve: usize, axis: &str) -> Vec<f64> {
    let list = data["charts"][chart]["panels"][panel]["curves"][curve][axis].as_array().unwrap();
    list.iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

#[test]
fn a_response_has_a_band_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let cart = model("cart-pendulum");
    let asked = [&cart, "--response", "F", "position", "--lowest", "2", "--response-band"];
    let (_, text) = page(dir.path(), &[&asked[..], &["0.5", "3"]].concat());
    let hz = curve(&data(&text), 0, 0, 0, "x");
    assert_eq!((hz[0], *hz.last().unwrap()), (0.5, 3.0));
    let out = dir.path().join("none.html");
    let run = mb(&[&["report", "-o", out.to_str().unwrap()], &asked[..], &["3", "0.5"]].concat());
    assert_eq!(run.code, 1);
    assert!(run.err.contains("--response-band HI is 0.5, but it must be above LO"), "{}", run.err);
}

#[test]
fn a_response_and_a_track_are_those_of_their_commands() {
    let dir = tempfile::tempdir().unwrap();
    let cart = model("cart-pendulum");
    let args = [&cart, "--response", "F", "position", "--track", "L", "0.8", "1.2", "--band", "0", "2"];
    let (_, text) = page(dir.path(), &args);
    let data = data(&text);
    let asked = ["response", &cart, "--from", "F", "--to", "position", "--band", "0", "2"];
    let answer = json(&asked);
    let said = data["charts"][0]["note"].as_str().unwrap();
    let text = right(&asked);
    let method = text.lines().find(|l| l.contains("each solved for itself")).unwrap();
    assert!(said.starts_with(method), "{said}\n{method}");
    let (hz, decibels) = (curve(&data, 0, 0, 0, "x"), curve(&data, 0, 0, 0, "y"));
    let values = answer["responses"][0]["value"].as_array().unwrap();
    assert!(hz.len() >= 400 && hz.len() == values.len(), "{} {}", hz.len(), values.len());
    for (found, value) in decibels.iter().zip(values) {
        let size = value[0].as_f64().unwrap().hypot(value[1].as_f64().unwrap());
        assert!((found - 20.0 * size.log10()).abs() < 1e-9, "{found}");
    }
    // The complex plane has the values themselves, with their frequencies, and the table the peaks.
    let (re, im) = (curve(&data, 1, 0, 0, "x"), curve(&data, 1, 0, 0, "y"));
    assert!(data["charts"][1]["equal"] == true && re.len() == values.len());
    for ((re, im), value) in re.iter().zip(&im).zip(values) {
        assert!((re - value[0].as_f64().unwrap()).abs() + (im - value[1].as_f64().unwrap()).abs() < 1e-12);
    }
    assert!(curve(&data, 1, 0, 0, "frequencies_hz").iter().zip(&hz).all(|(a, b)| (a - b).abs() < 1e-12));
    assert_eq!(data["charts"][0]["panels"][0]["ordinate"], "magnitude, dB of m/N");
    let peaks = answer["responses"][0]["peaks"].as_array().unwrap();
    let table = data["charts"][0]["tables"][0]["rows"].as_array().unwrap();
    assert!(!peaks.is_empty() && peaks.len() == table.len());
    for (row, peak) in table.iter().zip(peaks) {
        assert_eq!(row[1][0], peak["frequency_hz"], "{row} {peak}");
    }
    // The last exact sample of the track is the first mode of the model with that parameter.
    let end = json(&["modes", &cart, "--set", "L=1.2"]);
    let exact = curve(&data, 2, 0, 1, "y");
    // The errors of a track are seen, those of this response are not.
    let bands = curve(&data, 2, 0, 0, "band");
    assert!(bands.len() == 31 && bands.iter().any(|half| *half > 0.0), "{bands:?}");
    assert!(data["charts"][0]["panels"][0]["curves"][0]["band"].is_null());
    let natural = end["formulations"][0]["eigenpairs"].as_array().unwrap().iter();
    let closest = natural
        .filter_map(|p| p["natural_frequency_hz"].as_f64())
        .map(|f| (f - exact[exact.len() - 1]).abs())
        .fold(f64::INFINITY, f64::min);
    assert!(exact.len() == 31 && closest < 1e-9, "{exact:?}");
    let run = mb(&["report", &cart, "-o", "page.html", "--response", "F", "posiion"]);
    assert!(run.code == 1 && run.err.contains("posiion") && run.err.contains("--response"), "{run:?}");
    let run = mb(&["report", &cart, "-o", "page.html", "--track", "nothing", "0", "1"]);
    assert!(run.code == 1 && run.err.contains("nothing"), "{run:?}");
}

/// What only `mb response` has options for: a moving base, an unbalance, loss, random inputs, zeros.
#[test]
fn a_response_on_the_page_takes_the_options_of_its_command() {
    let dir = tempfile::tempdir().unwrap();
    let cart = model("cart-pendulum");
    let with = [
        "--base x --to angle --band 0 3 --loss 0.03",
        "--from F --to position --unbalance 0.01 --band 0.1 3 --quantity accelerance",
        "--from F --to angle --psd F=0.1 --zeros --band 0.1 3",
    ];
    let mut args = vec![cart.as_str()];
    args.extend(with.iter().flat_map(|options| ["--response-with", options]));
    let (_, text) = page(dir.path(), &args);
    let page = data(&text);
    for (chart, options) in [0, 2, 4].into_iter().zip(with) {
        let mut command = vec!["response", &cart];
        command.extend(options.split(' '));
        let answer = json(&command);
        let values = answer["responses"][0]["value"].as_array().unwrap();
        let decibels = curve(&page, chart, 0, 0, "y");
        assert!(decibels.len() == values.len() && values.len() > 100, "{options}");
        for (found, value) in decibels.iter().zip(values) {
            let size = value[0].as_f64().unwrap().hypot(value[1].as_f64().unwrap());
            assert!(
                found.is_nan() || (found - 20.0 * size.log10()).abs() < 1e-9,
                "{options}: {found} {size}"
            );
        }
    }
    let titles = |chart: usize| {
        let tables = page["charts"][chart]["tables"].as_array().into_iter().flatten();
        tables.map(|t| t["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(page["charts"][0]["title"] == "Response of angle to the base along x", "{:?}", titles(0));
    assert_eq!(&titles(4)[titles(4).len() - 2..], ["Root mean squares", "Poles and zeros of angle / F"]);
    for (options, why) in [
        ("--from F --to angel", "angel"),
        ("--bnd 0 3", "--bnd"),
        ("--from F -o x.csv", "-o is an option of the page"),
        ("--from 'F", "a quotation mark is missing"),
        ("--from F --psd F=-1", "--psd 'F=-1': a density is zero or positive"),
    ] {
        let out = dir.path().join("none.html");
        let run = mb(&["report", &cart, "-o", out.to_str().unwrap(), "--response-with", options]);
        assert!(run.code == 1 && run.err.contains(why) && !out.exists(), "{options}: {run:?}");
    }
}

/// The turntable of `campbell.rs`: growth between sqrt(k_y) and sqrt(k_x).
#[test]
fn a_campbell_diagram_is_on_the_page() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("page.html");
    let args = ["report", "-", "-o", path.to_str().unwrap(), "--campbell", "spin:axle", "1", "60"];
    let run = mb_with(&args, super::campbell::TURNTABLE);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let data = data(&std::fs::read_to_string(&path).unwrap());
    let note = data["charts"][0]["note"].as_str().unwrap();
    let ends = [200.0_f64, 2000.0].map(|k| format!("{:.4}", k.sqrt()));
    assert!(note.contains(&format!("Motion grows from {} to {}", ends[0], ends[1])), "{note}");
    let speeds = curve(&data, 0, 0, 0, "x");
    assert_eq!((speeds[0], speeds[speeds.len() - 1]), (1.0, 60.0));
}

/// Shares of an energy that is none would be shares of rounding.
#[test]
fn a_free_motion_has_no_shares_of_strain_energy() {
    let shown = right(&["modes", &model("spatial-four-bar"), "--energy"]);
    let table = shown.split("energy by body").nth(1).unwrap();
    let shares = table.split_whitespace().filter_map(|w| w.parse::<f64>().ok());
    assert!(table.contains("coupler") && shares.fold(0.0_f64, |m, x| m.max(x.abs())) <= 100.0, "{table}");
}

#[test]
fn what_is_left_out_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let text = right(&["generate", "rod-pendulum"]);
    let output = |k: i32| format!("\n[[output]]\nname = \"out-{k}\"\nquantity = \"x\"\nof = \"P\"\n");
    let outputs = (1..=8).map(output).collect::<Vec<_>>().concat();
    let file = dir.path().join("model.toml");
    std::fs::write(&file, text + &outputs).unwrap();
    let file = file.to_str().unwrap();
    let (_, text) = page(dir.path(), &[file, "--until", "0.1"]);
    let chart = data(&text)["charts"][0].clone();
    assert_eq!(chart["panels"].as_array().unwrap().len(), 6);
    assert!(chart["note"].as_str().unwrap().starts_with("The first 6 of 9 outputs"), "{chart}");
    let (_, text) = page(dir.path(), &[&model("beam-four-bar"), "--shapes", "2"]);
    let data = data(&text);
    assert_eq!(data["shapes"].as_array().unwrap().len(), 2);
    let all = modes(&[&model("beam-four-bar")]).len();
    assert!(data["notes"].to_string().contains(&format!("2 of {all} mode shapes move")), "{}", data["notes"]);
}

/// A machine on three bushings, the places of one of which are one.
#[test]
fn bushings_are_drawn_where_their_places_are_one() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("model.toml");
    let bushing = |name: &str, a: &str, b: &str| {
        format!(
            "[[bushing]]\nname = \"{name}\"\na = \"{a}\"\nb = {b}\nstiffness = [1e5, 1e5, 2e5, 100, 100, 100]\n"
        )
    };
    let body = "units = \"SI\"\nname = \"mount\"\n[[spatial-body]]\nname = \"m\"\nmass = 100.0\ninertia = [10.0, 8.0, 9.0]\n\
                at = [0, 0, 0]\nmarkers = { a = [-0.4, 0, -0.2], b = [0.4, 0, -0.2] }\n";
    let text =
        body.to_owned() + &bushing("a", "m.a", "[-0.4, 0, -0.2]") + &bushing("b", "m.b", "[0.5, 0, -0.2]");
    std::fs::write(&file, text).unwrap();
    let (_, text) = page(dir.path(), &[file.to_str().unwrap()]);
    let data = data(&text);
    let marks = data["scene"]["glyphs"].as_array().unwrap().iter().filter(|g| g["mark"] == "bushing");
    let owners = marks.map(|g| {
        data["scene"]["owners"][usize::try_from(g["owner"].as_u64().unwrap()).unwrap()].as_str().unwrap()
    });
    assert_eq!(owners.collect::<Vec<_>>(), ["bushing 'a'", "bushing 'b'"]);
}

/// A wire that turns about itself moves nothing that is drawn: what moves is named, and its rotation stands in the table.
#[test]
fn a_motion_that_is_not_seen_is_named() {
    let wire = r#"
    units = "SI"
    name = "wire"
    spatial-body = [{ name = "w", mass = 1, inertia = [0.1, 0.1, 1e-6], at = [0, 0, 0], markers = { low = [0, 0, -0.5] } }]
    joint = [{ name = "axle", type = "revolute", a = "w.low", b = "ground", axis = [0, 0, 1] }]
    "#;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("wire.toml");
    std::fs::write(&file, wire).unwrap();
    let (_, text) = page(dir.path(), &[file.to_str().unwrap()]);
    let data = data(&text);
    let sentence = data["shapes"][0]["sentence"].as_str().unwrap();
    assert!(sentence.ends_with(" What moves is w.rotation z."), "{sentence}");
    let tables = data["tables"].as_array().unwrap();
    let configuration = tables.iter().find(|t| t["title"] == "Configuration").unwrap();
    let names: Vec<&str> =
        configuration["rows"].as_array().unwrap().iter().map(|row| row[0].as_str().unwrap()).collect();
    assert!(names.len() == 10 && names.ends_with(&["w turned about z"]), "{names:?}");
}

/// The page of a steady motion has the sense of whirl and the speeds that `--json` has.
#[test]
fn a_steady_motion_has_whirl_and_speeds() {
    let dir = tempfile::tempdir().unwrap();
    // Whirl is that of a motion seen from the ground: the governor is seen from its shaft.
    for (name, whirls) in [("top", true), ("flyball-governor", false)] {
        let file = model(name);
        let args = [&*file, "--moving"];
        let mut all = vec!["modes"];
        all.extend(&args);
        let document = json(&all);
        let (_, text) = page(dir.path(), &args);
        let data = data(&text);
        let table = &data["modes"];
        let column = table["columns"].as_array().unwrap().iter().position(|c| c["name"] == "whirl");
        assert_eq!(column.is_some(), whirls, "{name}");
        let rows = table["rows"].as_array().unwrap();
        if let Some(k) = column {
            let pairs = document["formulations"][0]["eigenpairs"].as_array().unwrap().iter();
            let upper = pairs.filter(|p| p["im"].as_f64().unwrap() >= 0.0);
            let found: Vec<&Value> = rows.iter().map(|row| &row[k][0]).collect();
            assert_eq!(found, upper.map(|p| &p["whirl"]).collect::<Vec<_>>(), "{name}");
            assert_eq!((&rows[0][k][1], &rows[2][k][1]), (&value!(""), &value!("forward")), "{name}");
        }
        let tables = data["tables"].as_array().unwrap();
        let speeds = tables.iter().find(|t| t["title"] == "Speeds").unwrap();
        let velocities = document["operating_point"]["velocities"].as_object().unwrap();
        let rows = speeds["rows"].as_array().unwrap();
        assert_eq!(rows.len(), velocities.len(), "{args:?}");
        for row in rows {
            let name = row[0].as_str().unwrap().strip_prefix("d(").unwrap().strip_suffix(")/dt").unwrap();
            assert_eq!(row[1][0], velocities[name], "{args:?}: {name}");
        }
    }
    // At rest there is neither.
    let (_, text) = page(dir.path(), &[&model("top")]);
    let titles = data(&text)["tables"].to_string();
    assert!(data(&text)["modes"]["columns"].as_array().unwrap().len() == 9 && !titles.contains("\"Speeds\""));
}

/// A page of a spectrum that is not determined is written, and ends as `mb modes` does.
#[test]
fn a_spectrum_that_is_not_determined_ends_as_in_modes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("page.html");
    let singular = model("n-four-bar-singular");
    let run = mb(&["report", &singular, "-o", path.to_str().unwrap()]);
    assert_eq!((run.code, mb(&["modes", &singular]).code), (2, 2), "{run:?}");
    assert!(run.err.contains("THE SPECTRUM IS NOT DETERMINED"), "{run:?}");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(data(&text)["notes"].to_string().contains("THE SPECTRUM IS NOT DETERMINED"));
}

#[test]
fn the_program_says_how_many_modes_move() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("page.html");
    let said = |args: &[&str]| {
        let mut all = vec!["report"];
        all.extend(args);
        all.extend(["-o", path.to_str().unwrap()]);
        right(&all)
    };
    assert!(said(&[&model("rod-pendulum")]).contains(": 1 mode, animated; "));
    assert!(said(&[&model("double-pendulum-rigid")]).contains(", all of them animated; "));
    assert!(said(&[&model("beam-four-bar"), "--shapes", "2"]).contains(" modes, 2 of them animated; "));
}

#[test]
fn wrong_requests_are_refused() {
    let twice = ["--response", "F", "position", "--response", "F", "position"];
    let cart = model("cart-pendulum");
    let mut line = vec!["report", &cart, "-o", "page.html"];
    line.extend(twice);
    let run = mb(&line);
    assert!(run.code == 1 && run.err.contains("--response F position is given twice"), "{run:?}");
    let run = mb(&["report", &model("rod-pendulum"), "-o", "page.pdf"]);
    assert!(run.code == 1 && run.err.contains(".html"), "{run:?}");
    let run = mb(&["report", &model("rod-pendulum")]);
    assert!(run.code == 1 && run.err.contains("--output"), "{run:?}");
    let run = mb(&["report", &model("rod-pendulum"), "-o", "page.html", "--until", "-1"]);
    assert!(run.code == 1 && run.err.contains("--until"), "{run:?}");
}

/// The comparison of formulations is that of the modes asked for, as `mb modes` has it.
#[test]
fn formulations_are_compared_in_a_band() {
    let dir = tempfile::tempdir().unwrap();
    let file = model("n-four-bar");
    let request = ["--formulation", "all", "--band", "0", "50"];
    let (_, text) = page(dir.path(), &[&[&file[..]], &request[..]].concat());
    let data = data(&text);
    let tables = data["tables"].as_array().unwrap();
    let table = tables.iter().find(|t| t["title"] == "Formulations compared").unwrap();
    let found = json(&[&["modes", &file], &request[..]].concat());
    let mut expected = Vec::new();
    for comparison in found["comparisons"].as_array().unwrap() {
        for m in comparison["matches"].as_array().unwrap() {
            let index = usize::try_from(m["reference"].as_u64().unwrap()).unwrap();
            let pair = &found["formulations"][0]["eigenpairs"][index];
            if pair["im"].as_f64().unwrap() >= 0.0 {
                expected.push([&pair["re"], &pair["im"], &m["difference"]]);
            }
        }
    }
    let rows = table["rows"].as_array().unwrap();
    assert!(!rows.is_empty() && rows.len() == expected.len(), "{rows:?}");
    for (row, expected) in rows.iter().zip(expected) {
        assert_eq!([&row[1][0], &row[2][0], &row[3][0]], expected);
    }
}
