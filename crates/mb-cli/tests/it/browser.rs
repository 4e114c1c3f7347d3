//! How the page of a model looks and moves in a headless browser, where there is one.

use crate::report::{data, marked, modes, page};
use crate::support::model;
use serde_json::{Value, json as value};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

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

static BROWSER: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Looks at a page in a browser, with and without WebGL, wide and narrow; see `tests/browser/look.mjs`.
pub(crate) fn look(name: &str, page: &Path, title: &str, modes: &[Value], charts: usize) {
    let task = value!({ "page": page, "title": title, "modes": modes, "charts": charts,
        "pictures": std::env::var("MB_PICTURES").ok() });
    script(name, "look.mjs", task);
}

/// What pictures of a page cost, with so many modes played; see `tests/browser/work.mjs`. None without a browser.
pub(crate) fn work(name: &str, page: &Path, modes: usize) -> Option<Value> {
    let said = script(name, "work.mjs", value!({ "page": page, "modes": modes }))?;
    Some(serde_json::from_str(&said).unwrap())
}

/// Runs a script of `tests/browser` with its task and gives what it prints; none where there is no browser.
fn script(name: &str, script: &str, mut task: Value) -> Option<String> {
    let Some([chromium, node, modules]) = browser() else {
        // Written past the test harness, which would keep it to itself.
        let _ = writeln!(
            std::io::stderr(),
            "NOT RUN: {name} needs Chromium, Node.js and playwright-core in target/browser"
        );
        return None;
    };
    (task["chromium"], task["modules"]) = (value!(chromium), value!(modules));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser").join(script);
    // One browser at a time.
    let _alone = BROWSER.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let output = Command::new(node).arg(script).arg(task.to_string()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    Some(said)
}

#[test]
fn a_browser_shows_a_model_in_space() {
    let dir = tempfile::tempdir().unwrap();
    let file = model("beam-four-bar");
    let (path, _) = page(dir.path(), &[&file]);
    let title = data(&std::fs::read_to_string(&path).unwrap())["title"].as_str().unwrap().to_owned();
    look("a_browser_shows_a_model_in_space", &path, &title, &modes(&[&file]), 0);
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
        0,
    );
}

/// Marks alone, without a body: the place of each at rest is seen too, and names of points at one place lie on no other.
#[test]
fn a_browser_shows_point_masses_on_springs() {
    let text = r#"
    units = "SI"
    name = "two masses on springs"
    point = [{ name = "first-of-both-masses", at = [1, 0], mass = 1 }, { name = "second-of-both-masses", at = [1, 0], mass = 1 }]
    joint = [
        { name = "x", type = "point-on-line", a = "first-of-both-masses", b = "ground", axis = [1, 0] },
        { name = "y", type = "point-on-line", a = "second-of-both-masses", b = "ground", axis = [1, 0] },
    ]
    spring = [
        { name = "left", a = [0, 0], b = "first-of-both-masses", stiffness = 100, natural_length = 1 },
        { name = "right", a = [2, 0], b = "second-of-both-masses", stiffness = 200, natural_length = 1 },
    ]
    "#;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("model.toml");
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let (path, _) = page(dir.path(), &[file]);
    look("a_browser_shows_point_masses_on_springs", &path, "two masses on springs", &modes(&[file]), 0);
}

#[test]
fn a_browser_shows_a_motion_and_curves() {
    let dir = tempfile::tempdir().unwrap();
    let file = model("cart-pendulum");
    let args = [&file, "--until", "1", "--response", "F", "position", "--track", "L", "0.8", "1.2"];
    let (path, text) = page(dir.path(), &args);
    let title = data(&text)["title"].as_str().unwrap().to_owned();
    look("a_browser_shows_a_motion_and_curves", &path, &title, &modes(&[&file]), 5);
}

#[test]
fn a_browser_shows_a_motion_alone() {
    let dir = tempfile::tempdir().unwrap();
    let args = [&model("four-bar-driven"), "--until", "0.5", "--frames", "10"];
    let (path, text) = page(dir.path(), &args);
    let title = data(&text)["title"].as_str().unwrap().to_owned();
    look("a_browser_shows_a_motion_alone", &path, &title, &[], 2);
}
