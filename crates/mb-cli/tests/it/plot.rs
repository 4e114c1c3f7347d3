//! `mb modes --plot`: the structure of the drawings, and that they hold nothing but numbers.

use crate::support::{mb, model, right};
use std::path::Path;

/// Runs with a sheet as output and gives the drawing.
fn sheet(args: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sheet.svg");
    let mut all = vec!["modes"];
    all.extend(args);
    all.extend(["--plot", path.to_str().unwrap()]);
    right(&all);
    read(&path)
}

fn read(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    well_formed(&text);
    text
}

/// Every element that is opened is closed, in order.
fn well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in text.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap();
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn the_structure_of_a_sheet() {
    let text = sheet(&[&model("rod-pendulum")]);
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    settings.add_filter(r"-?\d+(\.\d+)?(e-\d+)?", "#");
    settings.add_filter(r"(?s)<style>.*</style>", "<style/>");
    settings.bind(|| insta::assert_snapshot!("plot_rod_pendulum", text));
}

#[test]
fn every_model_of_the_gallery_is_drawn() {
    for name in [
        "double-pendulum-rigid",
        "slider-crank",
        "mechanism-zero-mode",
        "free-body",
        "n-four-bar",
        "spatial-four-bar",
        "flexible-double-pendulum",
        "beam-cantilever",
        "beam-four-bar",
        "solid-cantilever",
    ] {
        let text = sheet(&[&model(name)]);
        assert!(text.contains("class=\"rest\"") && text.contains("class=\"moved\""), "{name}");
    }
}

#[test]
fn a_folder_has_a_file_for_each_mode() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pictures");
    let path = folder.to_str().unwrap();
    right(&["modes", &model("double-pendulum-rigid"), "--plot", path]);
    for (name, title) in [("mode-01.svg", "mode 1:  "), ("mode-02.svg", "mode 2:  ")] {
        assert!(read(&folder.join(name)).contains(title));
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    right(&["modes", &model("double-pendulum-rigid"), "--plot", path, "--plot-modes", "1"]);
    let run = mb(&["modes", &model("rod-pendulum"), "--plot", dir.path().join("no/x.svg").to_str().unwrap()]);
    assert!(run.code == 1 && run.err.contains("cannot be written"), "{run:?}");
}

#[test]
fn a_damped_mechanism_shows_its_phases_and_paths() {
    // Two masses that are damped in different measure move out of phase.
    let text = "units = \"SI\"\nname = \"out of phase\"\n
point = [{ name = \"O\", at = [0, 0], fixed = true }, { name = \"A\", at = [1, 0], mass = 1 },
  { name = \"B\", at = [2, 0], mass = 1 }]
spring = [{ name = \"1\", a = \"O\", b = \"A\", stiffness = 100, natural_length = 1, damping = 8 },
  { name = \"2\", a = \"A\", b = \"B\", stiffness = 100, natural_length = 1 }]
joint = [{ name = \"x\", type = \"point-on-line\", a = \"A\", b = [0, 0], axis = [1, 0] },
  { name = \"y\", type = \"point-on-line\", a = \"B\", b = [0, 0], axis = [1, 0] }]\n";
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.toml");
    std::fs::write(&path, text).unwrap();
    let drawing = sheet(&[path.to_str().unwrap()]);
    assert!(drawing.matches("moved faint").count() >= 7 && drawing.contains("class=\"path\""), "{drawing}");
    assert!(drawing.contains("zeta = "), "{drawing}");
}
