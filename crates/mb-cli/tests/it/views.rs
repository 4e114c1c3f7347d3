//! `--view` and `--names` of pictures of models.

use crate::support::{mb, model, right};

/// A block of 30 x 60 x 200 m that stands on the ground.
const BLOCK: &str = "units = \"SI\"\nname = \"block\"\n
[[solid]]
name = \"tower\"
block = { size = [30, 60, 200], elements = [1, 1, 2] }
at = [0, 0, 0]
density = 1000
youngs_modulus = 1e9
poissons_ratio = 0.3
fixed = [\"z-\"]\n";

/// The picture that a command draws.
fn drawn(args: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.svg");
    right(&[args, &["--plot", path.to_str().unwrap()]].concat());
    let text = std::fs::read_to_string(path).unwrap();
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    text
}

/// Runs something with the block.
fn with_block<R>(run: impl Fn(&str) -> R) -> R {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("block.toml");
    std::fs::write(&path, BLOCK).unwrap();
    run(path.to_str().unwrap())
}

/// Width and height of what the first group of a class holds, in units of the drawing.
fn size(text: &str, class: &str) -> [f64; 2] {
    let group = text.split_once(&format!("<g class=\"{class}\">")).unwrap().1.split_once("</g>").unwrap().0;
    let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    for d in group.split(" d=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0) {
        for point in d.split(['M', 'L', 'Z']).filter(|p| !p.is_empty()) {
            for (bound, x) in bounds.iter_mut().zip(point.split(' ')) {
                let x: f64 = x.parse().unwrap();
                *bound = [bound[0].min(x), bound[1].max(x)];
            }
        }
    }
    bounds.map(|[lo, hi]| hi - lo)
}

#[test]
fn each_view_shows_the_sides_of_a_block_at_their_ratio() {
    let (sin, cos) = 20.0_f64.to_radians().sin_cos();
    let half = 0.5 * 3.0_f64.sqrt();
    let cases = [
        ("front", [30.0, 200.0], "seen from -y"),
        ("side", [60.0, 200.0], "seen from x"),
        ("top", [30.0, 60.0], "seen from above"),
        ("iso", [half * 90.0, 200.0 + 45.0], "isometric"),
        ("-90,20", [30.0, 200.0 * cos + 60.0 * sin], "seen from azimuth -90 and elevation 20 degrees"),
    ];
    for (view, [w, h], words) in cases {
        let text = with_block(|path| drawn(&["equilibrium", path, "--view", view]));
        let found = size(&text, "rest");
        // Coordinates are written to a hundredth of some hundred units.
        assert!((found[0] / found[1] / (w / h) - 1.0).abs() < 1e-3, "{view}: {found:?}");
        assert!(text.contains(words), "{view}: {text}");
        let sheet = with_block(|path| drawn(&["modes", path, "--lowest", "3", "--view", view]));
        let found = size(&sheet, "rest");
        assert!((found[0] / found[1] / (w / h) - 1.0).abs() < 2e-3, "{view}: {found:?}");
    }
    with_block(|path| {
        assert_eq!(drawn(&["equilibrium", path, "--view", "iso"]), drawn(&["equilibrium", path]));
    });
}

#[test]
fn a_model_in_the_plane_keeps_its_plane() {
    let pendulum = model("rod-pendulum");
    let lines =
        |text: &str| text.lines().filter(|l| !l.starts_with("<text")).map(str::to_owned).collect::<Vec<_>>();
    let plain = drawn(&["modes", &pendulum]);
    for view in ["side", "30,20"] {
        let viewed = drawn(&["modes", &pendulum, "--view", view]);
        assert_eq!(lines(&viewed), lines(&plain), "{view}");
        assert!(viewed.contains("; seen in") && !plain.contains("; seen in"), "{viewed}");
    }
}

/// The triad leaves out the axis that points at the reader.
#[test]
fn an_axis_on_the_line_of_sight_has_no_name() {
    for (view, hidden) in [("front", "y"), ("side", "x"), ("top", "z"), ("iso", "")] {
        let picture = with_block(|path| drawn(&["equilibrium", path, "--view", view]));
        for axis in ["x", "y", "z"] {
            assert_eq!(picture.contains(&format!(">{axis}</text>")), axis != hidden, "{view} {axis}");
        }
    }
}

/// A square mast bends across the picture and along the line of sight in turn; the latter looks still and says why.
#[test]
fn modes_along_the_line_of_sight_say_so() {
    let told = |view: &str| {
        let text = drawn(&["modes", &model("solid-cantilever"), "--lowest", "6", "--view", view]);
        text.matches(">most of the motion is along the line of sight<").count()
    };
    assert_eq!((told("front"), told("iso")), (3, 0));
}

#[test]
fn an_unknown_view_is_refused_with_those_there_are() {
    let pendulum = model("rod-pendulum");
    for command in ["modes", "equilibrium"] {
        let run = mb(&[command, &pendulum, "--plot", "x.svg", "--view", "back"]);
        assert!(run.code == 1 && run.err.contains("front, side, top, iso, or azimuth"), "{run:?}");
        let run = mb(&[command, &pendulum, "--plot", "x.svg", "--view", "0,100"]);
        assert!(run.code == 1 && run.err.contains("between -90 and 90"), "{run:?}");
    }
}

#[test]
fn names_stand_beside_bodies_on_request() {
    let names = |text: &str| -> Vec<String> {
        let tags = text.split("class=\"name\">").skip(1);
        tags.map(|rest| rest.split_once('<').unwrap().0.to_owned()).collect()
    };
    let pendulum = model("rod-pendulum");
    for command in ["modes", "equilibrium"] {
        let plain = drawn(&[command, &pendulum]);
        assert!(names(&plain).is_empty());
        let named = drawn(&[command, &pendulum, "--names"]);
        let mut found = names(&named);
        found.dedup();
        assert_eq!(found, ["rod"], "{command}");
    }
    let block = with_block(|path| drawn(&["equilibrium", path, "--names"]));
    assert_eq!(names(&block), ["tower"]);
}
