//! `mb modes --plot` and `mb equilibrium --plot`: the structure of the drawings, and that they hold nothing but numbers.

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
    structure("plot_rod_pendulum", &sheet(&[&model("rod-pendulum")]));
}

/// A snapshot of what is drawn, wherever it is.
fn structure(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    settings.add_filter(r"-?\d+(\.\d+)?(e-\d+)?", "#");
    settings.add_filter(r"(?s)<style>.*</style>", "<style/>");
    settings.bind(|| insta::assert_snapshot!(name, text));
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
    assert!(run.err.contains("name a file in a folder that exists"), "{run:?}");
}

/// The PDF holds the words of the SVG and as many lines and circles.
#[test]
fn pictures_are_pdf_where_the_name_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let pendulum = model("rod-pendulum");
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    right(&["modes", &pendulum, "--plot", &path("m.svg")]);
    right(&["modes", &pendulum, "--plot", &path("m.pdf")]);
    let svg = read(Path::new(&path("m.svg")));
    let bytes = std::fs::read(path("m.pdf")).unwrap();
    assert!(bytes.starts_with(b"%PDF-1.4") && bytes.ends_with(b"%%EOF\n"));
    let pdf: String = bytes.iter().map(|b| char::from(*b)).collect();
    for (mark, operator) in [("<text", " Tj ET\n"), ("<circle", " m\n"), ("<path", " m\n")] {
        assert!(svg.matches(mark).count() > 0 && pdf.contains(operator), "{mark}");
    }
    assert_eq!(svg.matches("<text").count(), pdf.matches(" Tj ET\n").count());
    let shapes = ["<path", "<circle", "<rect"].map(|mark| svg.matches(mark).count()).iter().sum::<usize>();
    assert_eq!(shapes, pdf.matches(" m\n").count());
    assert!(pdf.contains("(mode 1:  "), "{pdf}");
    let run = mb(&["modes", &pendulum, "--plot", &path("m.jpg")]);
    assert!(run.code == 1 && run.err.contains(".pdf"), "{run:?}");
}

/// Width and height of a PNG, and how many bytes its pixels are deflated to.
fn png(path: &Path) -> ([u32; 2], usize) {
    let bytes = std::fs::read(path).unwrap();
    assert!(
        bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.ends_with(b"IEND\xae\x42\x60\x82"),
        "{}",
        path.display()
    );
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!(&bytes[12..16], b"IHDR");
    let data = bytes.windows(4).position(|w| w == b"IDAT").unwrap();
    ([number(16), number(20)], number(data - 4) as usize)
}

/// Two pixels to a unit of the SVG, more than a blank page, and the same in every run.
#[test]
fn pictures_are_png_where_the_name_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (pendulum, bar) = (model("rod-pendulum"), model("n-four-bar"));
    for (name, args) in [
        ("modes", &["modes", &pendulum, "--plot"][..]),
        ("rest", &["equilibrium", &bar, "--names", "--plot"]),
        (
            "track",
            &["track", &model("rod-pendulum"), "--parameter", "g", "--from", "5", "--to", "10", "--plot"],
        ),
    ] {
        let [svg, first, again] = ["svg", "png", "PNG"].map(|ending| path(&format!("{name}.{ending}")));
        for target in [&svg, &first, &again] {
            right(&[args, &[target]].concat());
        }
        let text = read(Path::new(&svg));
        let sides = text.split_once("viewBox=\"0 0 ").unwrap().1.split_once('"').unwrap().0;
        let twice: Vec<u32> = sides.split(' ').map(|x| 2 * x.parse::<u32>().unwrap()).collect();
        let (size, deflated) = png(Path::new(&first));
        assert_eq!(size.to_vec(), twice, "{name}");
        // A page of one colour is a thousandth of its pixels at most.
        assert!(deflated > (3 * size[0] * size[1]) as usize / 500, "{name}: {deflated} bytes of {size:?}");
        assert_eq!(std::fs::read(first).unwrap(), std::fs::read(again).unwrap(), "{name}");
    }
    let run = mb(&["equilibrium", &pendulum, "--plot", &path("m.jpg")]);
    assert!(run.code == 1 && run.err.contains(".svg, .pdf or .png"), "{run:?}");
}

/// A mode that moves along the line of sight has its bar of scale and its axes like one that is seen.
#[test]
fn every_panel_has_scale_and_axes() {
    let text = "units = \"SI\"\nname = \"away from the reader\"\n
spatial-body = [{ name = \"block\", mass = 1, inertia = [1, 1, 1], at = [0, 0, 0], markers = { r = [1, 0, 0] } }]
joint = [{ name = \"rail\", type = \"prismatic\", a = \"block\", b = [0, 0, 0], axis = [0, 1, 0] }]
spring = [{ name = \"s\", a = \"block.r\", b = [1, -1, 0], stiffness = 100, natural_length = 1 }]\n";
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("block.toml");
    std::fs::write(&path, text).unwrap();
    for (view, unseen) in [("front", true), ("top", false)] {
        let text = sheet(&[path.to_str().unwrap(), "--view", view, "--names"]);
        assert_eq!(text.contains("move along the line of sight"), unseen, "{text}");
        assert!(text.contains(" m</text>") && text.contains(">x</text>"), "{view}: {text}");
    }
}

/// A wall where a beam is clamped, a square between parts that are, a spiral for a torsional spring.
#[test]
fn clamps_and_torsion_springs_have_marks_of_their_own() {
    let text = sheet(&[&model("beam-cantilever"), "--set", "n=4", "--lowest", "2"]);
    assert_eq!(text.matches("class=\"wall\"").count(), 2, "one in each panel: {text}");
    assert!(!text.contains("class=\"joint\""), "a clamp is no pin: {text}");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("welded.toml");
    let text = "units = \"SI\"\nname = \"welded\"\n
body = [{ name = \"arm\", mass = 1, inertia = 0.1, at = [0, 0], markers = { l = [-0.5, 0], r = [1, 0] } },
  { name = \"tip\", mass = 1, inertia = 0.1, at = [1.5, 0.3], markers = { l = [-0.5, -0.3] } }]
joint = [{ name = \"hinge\", type = \"revolute\", a = \"arm.l\", b = [-0.5, 0] },
  { name = \"weld\", type = \"fixed\", a = \"tip.l\", b = \"arm.r\" }]
torsion-spring = [{ name = \"coil\", a = \"ground\", b = \"arm\", stiffness = 10 }]\n";
    std::fs::write(&path, text).unwrap();
    let folder = dir.path().to_str().unwrap();
    structure("plot_welded", &sheet(&[path.to_str().unwrap()]).replace(folder, "FOLDER"));
}

#[test]
fn a_folder_has_pictures_of_the_format_that_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let folder = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let pendulum = model("double-pendulum-rigid");
    let names = |folder: &str| {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    right(&["modes", &pendulum, "--plot", &folder("modes"), "--plot-format", "png"]);
    assert_eq!(names(&folder("modes")), ["mode-01.png", "mode-02.png"]);
    assert_eq!(png(&dir.path().join("modes/mode-01.png")).0, [720, 640]);
    right(&["simulate", &pendulum, "--until", "0.1", "--plot", &folder("motion"), "--plot-format", "pdf"]);
    assert_eq!(names(&folder("motion")), ["energy.pdf", "outputs.pdf", "violation.pdf"]);
    let bytes = std::fs::read(dir.path().join("motion/energy.pdf")).unwrap();
    assert!(bytes.starts_with(b"%PDF-1.4"));
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

/// Runs `mb equilibrium` with a sheet as output and gives the drawing.
fn loaded(args: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sheet.svg");
    right(&[&["equilibrium"], args, &["--plot", path.to_str().unwrap()]].concat());
    read(&path)
}

/// The number between two words of a drawing.
fn between(text: &str, before: &str, after: &str) -> f64 {
    let rest = text.split_once(before).unwrap_or_else(|| panic!("no `{before}`: {text}")).1;
    rest.split_once(after).unwrap().0.parse().unwrap()
}

#[test]
fn a_beam_under_its_load_is_drawn_over_the_unloaded_one() {
    // The example pulled sideways as well would bend; its tension alone lengthens it by F L / EA.
    let text = loaded(&[&model("beam-cantilever"), "--set", "n=4", "--set", "F=1e10"]);
    let longer = 1e10 * 200.0 / (2.06e11 * 100.0);
    let drawn = between(&text, "largest displacement ", " m (beam");
    assert!((drawn / longer - 1.0).abs() < 1e-2, "{drawn} for {longer}");
    assert!(text.contains("grey: as built, blue: in equilibrium"), "{text}");
    structure("plot_equilibrium_beam", &text);
    // Twice as large in the drawing, the same in words.
    let twice = loaded(&[&model("beam-cantilever"), "--set", "n=4", "--set", "F=1e10", "--plot-scale", "2"]);
    assert!(twice.contains("displacements drawn 2 times as large"), "{twice}");
    assert!((between(&twice, "largest displacement ", " m (beam") / drawn - 1.0).abs() < 1e-12);
}

#[test]
fn a_solid_shows_the_faces_that_look_at_the_reader() {
    let text = loaded(&[&model("solid-cantilever"), "--set", "N=3", "--set", "F=1e10", "--plot-scale", "1"]);
    structure("plot_equilibrium_solid", &text);
}

#[test]
fn equilibria_of_every_model_of_the_gallery_are_drawn() {
    for name in
        ["slider-crank", "n-four-bar", "spatial-four-bar", "flexible-double-pendulum", "beam-four-bar"]
    {
        let text = loaded(&[&model(name)]);
        assert!(text.contains("class=\"rest\"") && text.contains("class=\"moved\""), "{name}");
    }
}

#[test]
fn several_equilibria_and_the_way_along_growing_loads_are_drawn() {
    let text = loaded(&[&model("rod-pendulum"), "--find-all", "24"]);
    assert_eq!(text.matches("class=\"frame\"").count(), 2, "{text}");
    assert!(text.contains("1. equilibrium: stable") && text.contains("2. equilibrium: unstable"), "{text}");
    let text = loaded(&[&model("beam-cantilever"), "--set", "n=2", "--set", "F=1e9", "--load-path"]);
    assert!(text.contains("equilibrium at 1.00000 times the loads: stable"), "{text}");
    assert!(text.matches("class=\"moved faint\"").count() >= 9, "{text}");
    let run = mb(&["equilibrium", &model("rod-pendulum"), "--plot", "there.jpg"]);
    assert!(run.code == 1 && run.err.contains(".svg"), "{run:?}");
    let run = mb(&["equilibrium", &model("rod-pendulum"), "--plot", "there.svg", "--plot-scale", "0"]);
    assert!(run.code == 1 && run.err.contains("must be a positive number"), "{run:?}");
}

/// What only a picture has is refused where none is asked for.
#[test]
fn the_figure_needs_a_picture() {
    let run = mb(&["response", &model("cart-pendulum"), "--band", "0", "2", "--figure", "nyquist"]);
    assert!(run.code == 1 && run.err.contains("--plot"), "{run:?}");
}

/// Names longer than a sheet or panel is wide lose their middle there, and are told whole to who points at them; pixels too have the dots.
#[test]
fn long_names_are_told_whole() {
    let long = |start: &str| format!("{start}-{}-end", "very-".repeat(40));
    let (title, body) = (long("machine"), long("rotor"));
    let text = format!(
        "units = \"SI\"\nname = \"{title}\"\n
body = [{{ name = \"{body}\", mass = 1, inertia = 1, at = [0, 0], markers = {{ a = [1, 0] }} }}]
spring = [{{ name = \"s\", a = \"{body}.a\", b = [2, 0], stiffness = 100, natural_length = 1, damping = 1 }}]\n"
    );
    let dir = tempfile::tempdir().unwrap();
    let [file, picture] = ["model.toml", "modes.png"].map(|name| dir.path().join(name));
    std::fs::write(&file, text).unwrap();
    let text = sheet(&[file.to_str().unwrap(), "--names"]);
    for (name, letters) in [(&title, 110), (&body, 56)] {
        let at = text.find(&format!("<title>{name}</title></text>")).unwrap();
        let shown = text[..at].rsplit('>').next().unwrap();
        assert!(shown.chars().count() <= letters && shown.ends_with("end") && shown.contains('…'), "{shown}");
    }
    // The damper of the spring stands beside it.
    assert!(text.matches("class=\"thin\"").count() >= 2 * 7, "{text}");
    right(&["modes", file.to_str().unwrap(), "--names", "--plot", picture.to_str().unwrap()]);
    assert!(png(&picture).1 > 0);
}
