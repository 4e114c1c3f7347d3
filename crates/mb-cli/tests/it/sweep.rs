//! `mb sweep`: tables against closed forms, boundaries of stability, parts and journals.

use crate::support::{json, mb};
use std::f64::consts::TAU;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A rod on a pin that stands upright, held by a torsion spring and a torsion damper:
/// (m L^2 / 3) s^2 + c s + k - m g L / 2 = 0.
const ROD: &str = r#"
units = "SI"
name = "upright rod"
gravity = [0.0, -9.81]

[parameters]
m = 2.0
L = 1.5
k = 40.0
c = 0.3

[[body]]
name = "rod"
mass = "m"
inertia = "m*L^2/12"
at = [0.0, "L/2"]
markers = { foot = [0.0, "-L/2"] }

[[joint]]
name = "pin"
type = "revolute"
a = "rod.foot"
b = "ground"

[[torsion-spring]]
name = "hold"
a = "rod"
b = "ground"
stiffness = "k"
damping = "c"
"#;

fn rod() -> (TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rod.toml");
    fs::write(&path, ROD).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (dir, path)
}

/// Stiffness at which the rod of length `l` falls over.
fn critical(l: f64) -> f64 {
    2.0 * 9.81 * l / 2.0
}

#[test]
fn a_grid_gives_the_closed_form_in_every_case() {
    let (_dir, model) = rod();
    let found = json(&["sweep", &model, "--grid", "k=20..80:4", "--grid", "c=-0.5..1:4"]);
    let cases = found["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 16);
    for case in cases {
        let [k, c] = [0, 1].map(|i| case["values"][i].as_f64().unwrap());
        let inertia = 2.0 * 1.5 * 1.5 / 3.0;
        let omega = ((k - critical(1.5)) / inertia).sqrt();
        let mode = &case["modes"][0];
        assert!(
            (mode["natural_frequency_hz"].as_f64().unwrap() - omega / TAU).abs() < 1e-11 * omega,
            "{case}"
        );
        assert!((mode["re"].as_f64().unwrap() + c / (2.0 * inertia)).abs() < 1e-11 * omega, "{case}");
        let verdict = match c {
            c if c < 0.0 => "unstable",
            c if c > 0.0 => "stable",
            _ => "marginal",
        };
        assert_eq!(case["verdict"], verdict, "{case}");
    }
}

#[test]
fn the_boundary_of_stability_is_solved_for() {
    let (dir, model) = rod();
    let map = dir.path().join("map.svg");
    let map = map.to_str().unwrap();
    let found = json(&["sweep", &model, "--grid", "k=0.5..40:5", "--grid", "L=0.5..3:4", "--map", map]);
    let crossings = found["boundary"]["crossings"].as_array().unwrap();
    assert!(crossings.len() >= 5, "{crossings:?}");
    for crossing in crossings {
        let [k, l] = [0, 1].map(|i| crossing["at"][i].as_f64().unwrap());
        assert!((k - critical(l)).abs() < 1e-6, "{crossing}");
    }
    let picture = fs::read_to_string(map).unwrap();
    assert!(picture.contains("boundary") && picture.contains("unstable"));
}

#[test]
fn parts_make_the_whole_and_a_case_that_fails_is_kept_beside() {
    let (dir, model) = rod();
    let list = dir.path().join("cases.csv");
    fs::write(&list, "m, k\n1.0, 30\n-1, 30\n2.0, 45\n0.5, 30\n").unwrap();
    let file = |name: &str| -> PathBuf { dir.path().join(name) };
    let sweep = |rest: &[&str]| {
        let run = mb(&[&["sweep", &model, "--list", list.to_str().unwrap(), "--lowest", "2"], rest].concat());
        assert_eq!(run.code, 0, "{run:?}");
        run.out
    };
    let [whole, one, two, merged] = ["whole.csv", "one.csv", "two.csv", "merged.csv"].map(file);
    let words = sweep(&["-o", whole.to_str().unwrap(), "--jobs", "2"]);
    assert!(words.contains("Case 2 (m = -1.00000, k = 30.0000) failed"), "{words}");
    sweep(&["-o", one.to_str().unwrap(), "--shard", "1/2"]);
    sweep(&["-o", two.to_str().unwrap(), "--shard", "2/2"]);
    let resumed = ["--resume", one.to_str().unwrap(), "--resume", two.to_str().unwrap()];
    sweep(&[&resumed[..], &["-o", merged.to_str().unwrap()]].concat());
    let text = fs::read_to_string(&whole).unwrap();
    assert_eq!(text, fs::read_to_string(&merged).unwrap());
    assert_eq!(text.lines().count(), 5);
    assert!(!file("whole.csv.journal").exists());
}

/// Two jobs of a launcher of which one fails at first: its part alone is started again, and the table is that of one process.
#[cfg(unix)]
#[test]
fn jobs_of_a_launcher_give_the_table_and_go_on_where_one_failed() {
    let (dir, model) = rod();
    let file = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (whole, cases, script) = (file("whole.csv"), file("cases.csv"), file("launch.sh"));
    let sweep =
        |rest: &[&str]| mb(&[&["sweep", &model, "--grid", "k=20..40:5", "--lowest", "2"], rest].concat());
    assert_eq!(sweep(&["-o", &whole]).code, 0);
    // The first part alone; then the second alone, with the command as one word of a shell.
    fs::write(&script, "[ \"$1\" = 1 ] || { echo no node; exit 3; }\nshift\nexec \"$@\"\n").unwrap();
    let launcher = format!("sh {script} {{part}}");
    let failed = sweep(&["-o", &cases, "--jobs", "2", "--launcher", &launcher]);
    assert!(
        failed.code == 2 && failed.err.contains("Part 2 of 2") && failed.err.contains("no node"),
        "{failed:?}"
    );
    assert!(failed.err.contains("the same command"), "{failed:?}");
    assert!(Path::new(&file("cases.csv.1-of-2.csv")).exists() && !Path::new(&cases).exists());
    fs::write(&script, "[ \"$1\" = 2 ] || exit 3\nexec sh -c \"$2\"\n").unwrap();
    let launcher = format!("sh {script} {{part}} {{command}}");
    let again = sweep(&["-o", &cases, "--jobs", "2", "--launcher", &launcher]);
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(fs::read_to_string(&whole).unwrap(), fs::read_to_string(&cases).unwrap());
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("-of-2")), "{left:?}");
    // A launcher needs to know how many, and where to.
    assert_eq!(sweep(&["-o", &cases, "--launcher", "env"]).code, 1);
    let other = sweep(&["-o", &cases, "--jobs", "1", "--launcher", "no-such-launcher"]);
    assert!(other.code == 2 && other.err.contains("cannot be started"), "{other:?}");
}

/// A disc rolls upright above spin^2 = g / (3 r), and falls over at rest: a sweep over its spin takes the motion, one over its mass rest,
/// which it says.
#[test]
fn a_sweep_over_speed_takes_the_steady_motion() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (model, map) = (path("disc.toml"), path("map.svg"));
    fs::write(&model, mb(&["generate", "rolling-disc"]).out).unwrap();
    let found = json(&["sweep", &model, "--grid", "spin=0..8:3", "--map", &map]);
    assert_eq!(found["state"], "own speeds");
    let verdicts: Vec<_> = found["cases"].as_array().unwrap().iter().map(|c| c["verdict"].clone()).collect();
    assert_eq!(verdicts, ["unstable", "unstable", "marginal"]);
    let [crossing] = found["boundary"]["crossings"].as_array().unwrap().as_slice() else { panic!("{found}") };
    let off = crossing["at"][0].as_f64().unwrap() - f64::sqrt(9.81 / (3.0 * 0.2));
    let within = 4.0 * crossing["within"].as_f64().unwrap();
    assert!(off.abs() <= within && within < 1e-2, "{crossing}");
    // At rest with a mass that varies, s^2 = m g r / (A + m r^2) = 4 g / (5 r).
    let rest = json(&["sweep", &model, "--grid", "m=1..2:2"]);
    assert_eq!(rest["state"], "rest");
    assert!(rest["note"].as_str().unwrap().contains("--moving takes them"), "{rest}");
    for case in rest["cases"].as_array().unwrap() {
        let growth = case["rightmost"]["re"].as_f64().unwrap();
        assert!((growth - f64::sqrt(4.0 * 9.81 / (5.0 * 0.2))).abs() < 1e-9, "{case}");
    }
    let moving = json(&["sweep", &model, "--grid", "m=1..2:2", "--moving"]);
    assert_eq!(moving["state"], "motion asked for");
    assert!(moving["note"].is_null());
}

#[test]
fn a_limit_of_time_keeps_the_cases_that_are_done() {
    let (dir, model) = rod();
    let path = dir.path().join("cases.csv");
    let (output, journal) = (path.to_str().unwrap(), format!("{}.journal", path.display()));
    let limited = |rest: &[&str]| -> usize {
        let sweep = ["sweep", &model, "--grid", "k=20..80:20001", "-o", output, "--time-limit", "0.2"];
        let run = mb(&[&sweep, rest].concat());
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.err.contains(&format!("--resume {journal} goes on from here")), "{}", run.err);
        let (before, after) = run.err.split_once(" cases; ").unwrap();
        assert!(
            after.contains("goes on") && before.starts_with("The time limit of 0.2 s was reached"),
            "{before}"
        );
        before.rsplit_once(' ').unwrap().1.parse().unwrap()
    };
    let first = limited(&[]);
    assert!(first > 0 && !path.exists());
    let second = limited(&["--resume", &journal]);
    assert!(second > first, "{second} cases after {first}");
    // One line of names, and one for each case.
    assert_eq!(fs::read_to_string(&journal).unwrap().lines().count(), 1 + second);
}

/// x'' + (a - 2 q cos 2 tau) x = 0 with q = 2 m l Y / J grows between a = 1 -+ q - q^2 / 8 +- q^3 / 64 (a = 4 m l g / (J W^2)).
#[test]
fn a_stability_chart_of_a_periodic_motion_has_mathieus_boundaries() {
    let page =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/src/periodic.md")).unwrap();
    let model = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (file, map) = (path("shaken.toml"), path("chart.svg"));
    fs::write(&file, model).unwrap();
    let chart = ["sweep", &file, "--grid", "W=6..9:4", "--floquet", "2*pi/W", "--map", &map];
    let found = json(&chart);
    assert_eq!(found["state"], "periodic motion");
    let crossings = found["boundary"]["crossings"].as_array().unwrap();
    assert_eq!(crossings.len(), 2, "{crossings:?}");
    let (ml, j, g, y) = (0.5, 0.35, 9.81, 0.05);
    let q: f64 = 2.0 * ml * y / j;
    for (crossing, sign) in crossings.iter().zip([1.0, -1.0]) {
        let a = 1.0 + sign * q - q * q / 8.0 - sign * q.powi(3) / 64.0 - q.powi(4) / 1536.0;
        let exact = (4.0 * ml * g / (j * a)).sqrt();
        let at = crossing["at"][0].as_f64().unwrap();
        assert!((at - exact).abs() < 1e-7 * exact, "{at} for {exact}");
    }
    let both = mb(&[&chart[..6], &["--moving"]].concat());
    assert!(both.code == 1 && both.err.contains("--floquet") && both.err.contains("--moving"), "{both:?}");
}

#[test]
fn wrong_sweeps_are_named() {
    let (dir, model) = rod();
    let refused = |args: &[&str]| {
        let run = mb(&[&["sweep", &model], args].concat());
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
        run.err
    };
    assert!(refused(&["--grid", "stiffness=0..1:3"]).contains("no parameter `stiffness`"));
    assert!(refused(&["--grid", "k=0..1"]).contains("number of values"));
    assert!(refused(&["--grid", "k=0..1:3", "--grid", "k=0..1:3"]).contains("named twice"));
    assert!(refused(&[]).contains("parameter that varies") || refused(&[]).contains("no case"));
    let list = dir.path().join("cases.csv");
    fs::write(&list, "L,k\n1,x\n").unwrap();
    assert!(refused(&["--list", list.to_str().unwrap()]).contains("line 2: `x` is not a finite number"));
    fs::write(&list, "L;m\n1,5;2\n").unwrap();
    assert!(refused(&["--list", list.to_str().unwrap()]).contains("separate them by commas"));
}

/// Cases that were solved at rest are none of a sweep in motion.
#[test]
fn cases_of_another_state_are_not_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (model, table) = (path("disc.toml"), path("rest.csv"));
    fs::write(&model, mb(&["generate", "rolling-disc"]).out).unwrap();
    let grid = ["sweep", &model, "--grid", "m=1..2:2"];
    let at_rest = mb(&[&grid[..], &["-o", &table]].concat());
    assert_eq!(at_rest.code, 0, "{at_rest:?}");
    let again = mb(&[&grid[..], &["--resume", &table]].concat());
    assert_eq!(again.code, 0, "{again:?}");
    let moving = mb(&[&grid[..], &["--resume", &table, "--moving"]].concat());
    assert_eq!(moving.code, 1, "{moving:?}");
    assert!(moving.err.contains("the state 'rest', the sweep takes 'motion asked for'"), "{moving:?}");
    let heavier = mb(&[&grid[..], &["--resume", &table, "--set", "g=9"]].concat());
    assert!(heavier.code == 1 && heavier.err.contains("this case is of another model"), "{heavier:?}");
}

/// At a singular configuration, where the multipliers are not unique, there are no eigenvalues with bounds: such a case fails with the
/// reason, and has no verdict.
#[test]
fn a_case_that_the_constraints_do_not_determine_fails() {
    let dir = tempfile::tempdir().unwrap();
    let model = dir.path().join("four-bar.toml");
    fs::write(&model, mb(&["generate", "n-four-bar"]).out).unwrap();
    let found = mb(&["sweep", model.to_str().unwrap(), "--grid", "k=1..30:2", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&found.out).unwrap();
    let case = &found["cases"][0];
    assert!(case["verdict"].is_null() && case["modes"].as_array().is_none_or(Vec::is_empty), "{case}");
    assert!(case["message"].as_str().unwrap().contains("THE SPECTRUM IS NOT DETERMINED"), "{case}");
}
