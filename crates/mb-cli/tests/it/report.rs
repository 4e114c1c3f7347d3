//! `mb report`: what the page holds, and how it looks and moves in a headless browser where there is one.

use crate::support::{json, mb, model, right};
use serde_json::{Value, json as value};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The data that a page holds.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

/// Writes the page of a model.
fn page(folder: &Path, args: &[&str]) -> (PathBuf, String) {
    let path = folder.join("page.html");
    let mut all = vec!["report"];
    all.extend(args);
    all.extend(["-o", path.to_str().unwrap()]);
    right(&all);
    let text = std::fs::read_to_string(&path).unwrap();
    (path, text)
}

/// Numbers of the table of `mb modes --json`, one of each conjugate pair.
fn modes(args: &[&str]) -> Vec<Value> {
    let mut all = vec!["modes"];
    all.extend(args);
    let found = json(&all);
    let pairs = found["formulations"][0]["pairs"].as_array().unwrap().iter();
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
    assert_eq!(data(&text)["scene"]["owners"][0], "rod 'rod'");
}

/// A pendulum whose names would be markup, and one that would be a place of the page.
fn marked() -> &'static str {
    r#"
    units = "SI"
    name = "<img src=x></script> {{DATA}}"
    gravity = [0, -9.81]
    point = [{ name = "pin", at = [0, 0], fixed = true }, { name = "tip", at = [0, -1.2] }]
    rod = [{ name = "rod", ends = ["pin", "tip"], mass = 2 }]
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

#[test]
fn wrong_requests_are_refused() {
    let run = mb(&["report", &model("rod-pendulum"), "-o", "page.pdf"]);
    assert!(run.code == 1 && run.err.contains(".html"), "{run:?}");
    let run = mb(&["report", &model("rod-pendulum")]);
    assert!(run.code == 1 && run.err.contains("--output"), "{run:?}");
    let run = mb(&["report", &model("rod-pendulum"), "-o", "page.html", "--until", "-1"]);
    assert!(run.code == 1 && run.err.contains("--until"), "{run:?}");
}

/// The browser, the interpreter of the script and the modules it needs (playwright-core in target/browser), where installed.
fn browser() -> Option<[PathBuf; 3]> {
    let found = |names: &[&str]| {
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let mut places = std::env::split_paths(&paths)
            .flat_map(|p| names.iter().map(move |n| p.join(n)).collect::<Vec<_>>());
        places.find(|p| p.is_file())
    };
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/browser");
    let modules =
        modules.join("node_modules/playwright-core").is_dir().then_some(modules)?.canonicalize().ok()?;
    Some([found(&["chromium", "chromium-browser", "google-chrome"])?, found(&["node"])?, modules])
}

/// Looks at a page in a browser, with and without WebGL, wide and narrow; see `tests/browser/look.mjs`.
fn look(name: &str, page: &Path, title: &str, modes: &[Value]) {
    let Some([chromium, node, modules]) = browser() else {
        // Written past the test harness, which would keep it to itself.
        let _ = writeln!(
            std::io::stderr(),
            "NOT RUN: {name} needs Chromium, Node.js and playwright-core in target/browser"
        );
        return;
    };
    let task = value!({ "chromium": chromium, "modules": modules, "page": page, "title": title, "modes": modes,
        "pictures": std::env::var("MB_PICTURES").ok() });
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/look.mjs");
    let output = Command::new(node).arg(script).arg(task.to_string()).output().unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn a_browser_shows_a_model_in_space() {
    let dir = tempfile::tempdir().unwrap();
    let file = model("beam-four-bar");
    let (path, _) = page(dir.path(), &[&file]);
    let title = data(&std::fs::read_to_string(&path).unwrap())["title"].as_str().unwrap().to_owned();
    look("a_browser_shows_a_model_in_space", &path, &title, &modes(&[&file]));
}

#[test]
fn a_browser_shows_names_with_markup_as_text() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("model.toml");
    std::fs::write(&file, marked()).unwrap();
    let file = file.to_str().unwrap();
    let (path, _) = page(dir.path(), &[file]);
    look(
        "a_browser_shows_names_with_markup_as_text",
        &path,
        "<img src=x></script> {{DATA}}",
        &modes(&[file]),
    );
}
