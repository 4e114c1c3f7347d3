//! Ends from outside and disks that fail: what was computed is kept, and outputs are whole or absent.

#![cfg(unix)]

use crate::support::{mb, model, right};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A run of a pendulum that would take a minute.
fn long_run(folder: &Path, rest: &[&str]) -> Child {
    let model = folder.join("pendulum.toml");
    std::fs::write(&model, right(&["generate", "rod-pendulum"])).unwrap();
    Command::new(env!("CARGO_BIN_EXE_mb"))
        .current_dir(folder)
        .args(["simulate", "pendulum.toml", "--at", "P.x=1", "--until", "1e5", "--every", "1"])
        .args(rest)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// Waits until the program has done something that a test can see.
fn until(what: &str, happened: impl Fn() -> bool) {
    for _ in 0..1200 {
        if happened() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{what} did not happen within a minute");
}

/// True once the program has set its handlers and is at work: its threads are there.
fn is_at_work(child: &Child) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id())).map_or(0, Iterator::count);
    tasks >= 3
}

#[test]
fn a_signal_keeps_what_was_computed() {
    for (name, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129), ("-XCPU", 152)] {
        let folder = tempfile::tempdir().unwrap();
        let child = long_run(folder.path(), &["--output", "motion.csv", "--json"]);
        until("work", || is_at_work(&child));
        std::thread::sleep(std::time::Duration::from_millis(300));
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(summary["runs"][0]["end"], "interrupted");
        let rows = std::fs::read_to_string(folder.path().join("motion.csv")).unwrap().lines().count();
        assert_eq!(rows as u64, 1 + summary["runs"][0]["reports"].as_u64().unwrap());
        assert!(String::from_utf8(output.stderr).unwrap().contains("What was computed is kept"));
    }
}

/// The notes of a page.
fn notes(page: &Path) -> String {
    let text = std::fs::read_to_string(page).unwrap();
    assert!(text.ends_with("</html>\n"), "the page is whole");
    let (_, rest) = text.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let data: serde_json::Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    assert!(!data["modes"]["rows"].as_array().unwrap().is_empty());
    data["notes"].to_string()
}

#[test]
fn a_page_that_is_interrupted_has_what_was_computed() {
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("cart.toml");
        std::fs::write(&model, right(&["generate", "cart-pendulum"])).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_mb"))
            .current_dir(folder.path())
            .args(["report", "cart.toml", "-o", "page.html", "--at", "pendulum.angle=1", "--until", "1e6"])
            .args(["--response", "F", "position", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        until("work", || is_at_work(&child));
        std::thread::sleep(std::time::Duration::from_millis(1500));
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        let notes = notes(&folder.path().join("page.html"));
        for words in ["The motion ends early", "Response of position to F is left out: it was interrupted"] {
            assert!(notes.contains(words) && said.contains(words), "{notes}\n{said}");
        }
    }
}

#[test]
fn a_page_at_its_limit_of_time_has_what_was_computed() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html").display().to_string();
    let model = model("cart-pendulum");
    let run = mb(&[
        "report",
        &model,
        "-o",
        &page,
        "--at",
        "pendulum.angle=1",
        "--until",
        "1e6",
        "--track",
        "L",
        "0.8",
        "1.2",
        "--time-limit",
        "3",
    ]);
    assert_eq!(run.code, 2, "{run:?}");
    let notes = notes(Path::new(&page));
    for words in ["The motion ends early", "Modes over L is left out", "its time limit of 3 s was reached"] {
        assert!(notes.contains(words) && run.err.contains(words), "{notes}\n{run:?}");
    }
}

/// Lines of a file.
fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

/// Arguments with the paths of a folder.
fn in_folder(folder: &Path, args: &[&str]) -> Vec<String> {
    let place = |name: &&str| match name.strip_prefix('@') {
        Some(name) => folder.join(name).display().to_string(),
        None => (*name).to_owned(),
    };
    args.iter().map(place).collect()
}

pub(crate) fn mb_in(folder: &Path, args: &[&str]) -> crate::support::Run {
    let args = in_folder(folder, args);
    mb(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

fn begun(folder: &Path, args: &[&str]) -> Child {
    let mut program = Command::new(env!("CARGO_BIN_EXE_mb"));
    program.args(in_folder(folder, args)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

const SIMULATE: [&str; 8] =
    ["simulate", "@pendulum.toml", "--at", "P.x=1", "--until", "3000", "--every", "1"];

#[test]
fn a_run_that_was_killed_goes_on_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("pendulum.toml"), right(&["generate", "rod-pendulum"])).unwrap();
    let kept = ["--checkpoint", "@steps", "--output"];
    let mut child = begun(folder.path(), &[&SIMULATE[..], &kept, &["@motion.csv"]].concat());
    until("a checkpoint", || lines(&file("steps")) > 3);
    child.kill().unwrap();
    child.wait().unwrap();
    // Nothing torn: no output yet.
    assert!(!file("motion.csv").exists());
    let parts = lines(&file("steps"));
    assert!(parts < 30, "the run has finished before it was killed");
    // The same run with another end is another one, and the message says so.
    let mut other = SIMULATE.to_vec();
    other[5] = "250";
    let other = mb_in(folder.path(), &[&other[..], &kept, &["@motion.csv"]].concat());
    assert_eq!((other.code, other.out.as_str()), (1, ""));
    assert!(other.err.contains("another run, with other options"), "{}", other.err);
    for output in ["@motion.csv", "@again.csv"] {
        let run = mb_in(folder.path(), &[&SIMULATE[..], &kept, &[output]].concat());
        assert_eq!(run.code, 0, "{run:?}");
        assert!(!file("steps").exists(), "the checkpoint of a finished run is removed");
    }
    let text = |name: &str| std::fs::read_to_string(file(name)).unwrap();
    assert_eq!(text("motion.csv").lines().count(), 3002);
    assert_eq!(text("motion.csv"), text("again.csv"));
    let over = [&SIMULATE[..], &kept, &["@over.csv", "--time-limit", "1e-6"]].concat();
    let stopped = mb_in(folder.path(), &over);
    assert_eq!(stopped.code, 2, "{stopped:?}");
    assert!(stopped.err.contains("--time-limit SECONDS changes"), "{}", stopped.err);
}

const TRACK: [&str; 11] = [
    "track",
    "@arm.toml",
    "--parameter",
    "k",
    "--from",
    "800",
    "--to",
    "1000",
    "--samples",
    "1501",
    "--checkpoint",
];

#[test]
fn a_track_that_is_ended_gives_its_samples_and_goes_on_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let text = |name: &str| std::fs::read_to_string(file(name)).unwrap();
    std::fs::write(file("arm.toml"), right(&["generate", "spring-arm"])).unwrap();
    for (name, code, wait) in [("-INT", 130, 20), ("-TERM", 143, 800)] {
        let args = [&TRACK[..], &["@steps", "--output", "@part.csv"]].concat();
        let child = begun(folder.path(), &args);
        until("samples", || lines(&file("steps")) > wait);
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.contains("of 1501 samples: it was interrupted; the same command line goes on"),
            "{said}"
        );
        let rows = lines(&file("part.csv")) - 1;
        assert!(said.contains(&format!("with {rows} of")), "{rows}: {said}");
        assert!(rows > 10 && rows < 1501, "{rows}");
    }
    // A crash in the middle of a line, and one without a word.
    let torn = text("steps");
    std::fs::write(file("steps"), &torn[..torn.len() - 40]).unwrap();
    let mut child = begun(folder.path(), &[&TRACK[..], &["@steps", "--output", "@whole.csv"]].concat());
    let steps = lines(&file("steps"));
    until("more samples", || lines(&file("steps")) > steps + 5);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!file("whole.csv").exists());
    for (steps, output) in [("@steps", "@whole.csv"), ("@fresh", "@fresh.csv")] {
        let run = mb_in(folder.path(), &[&TRACK[..], &[steps, "--output", output]].concat());
        assert_eq!(run.code, 0, "{run:?}");
        assert!(!file(&steps[1..]).exists());
    }
    assert_eq!(text("whole.csv"), text("fresh.csv"));
    // The samples of the part are those of the whole; the way back from the middle may have found them, to rounding.
    let rows = |name: &str| -> Vec<Vec<f64>> {
        let numbers = |row: &str| row.split(',').map(|x| x.parse().unwrap()).collect();
        text(name).lines().skip(1).map(numbers).collect()
    };
    let whole = rows("whole.csv");
    for row in rows("part.csv") {
        let same = whole.iter().find(|other| other[0].to_bits() == row[0].to_bits()).unwrap();
        // Eigenvalue, frequency and damping of the first mode.
        for k in 1..5 {
            assert!((row[k] - same[k]).abs() <= 1e-9 * same[k].abs(), "{k}: {row:?} {same:?}");
        }
    }
}

#[test]
fn diagrams_over_a_speed_or_a_parameter_go_on_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("turntable.toml"), crate::campbell::TURNTABLE).unwrap();
    std::fs::write(file("shaken.toml"), SHAKEN).unwrap();
    let campbell = [&CAMPBELL[..], &["--campbell", "--samples", "4000"]].concat();
    let floquet = ["track", "@shaken.toml", "--parameter", "W", "--from", "2", "--to", "2.1", "--floquet"];
    let floquet = [&floquet[..], &["2*pi/W", "--samples", "120"]].concat();
    for (name, args) in [("campbell", campbell), ("floquet", floquet)] {
        let [kept, out, fresh] = ["steps", "out.json", "fresh.json"].map(|end| format!("@{name}-{end}"));
        let args = [&args[..], &["--checkpoint", &kept, "--output", &out]].concat();
        let child = begun(folder.path(), &args);
        until("motions", || lines(&file(&kept[1..])) > 20);
        signal(&child, "-INT");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.contains("it was interrupted") && said.contains("; the same command line goes on from"),
            "{said}"
        );
        let steps = lines(&file(&kept[1..]));
        let mut child = begun(folder.path(), &args);
        until("more motions", || lines(&file(&kept[1..])) > steps + 5);
        child.kill().unwrap();
        child.wait().unwrap();
        let whole = mb_in(folder.path(), &args);
        assert_eq!(whole.code, 0, "{whole:?}");
        assert!(!file(&kept[1..]).exists());
        let args: Vec<&str> = args.iter().map(|arg| if *arg == out { fresh.as_str() } else { arg }).collect();
        assert_eq!(mb_in(folder.path(), &args).code, 0);
        let text = |name: &str| std::fs::read_to_string(file(&name[1..])).unwrap();
        assert_eq!(text(&out), text(&fresh));
    }
}

#[test]
fn a_second_signal_ends_the_program_and_leaves_no_draft() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("arm.toml"), right(&["generate", "spring-arm"])).unwrap();
    let child = begun(folder.path(), &[&TRACK[..], &["@steps", "--output", "@modes.csv"]].concat());
    until("samples", || lines(&folder.path().join("steps")) > 5);
    signal(&child, "-INT");
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let names = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().contains(".part")));
    // What is there is whole.
    let table = std::fs::read_to_string(folder.path().join("modes.csv")).unwrap_or_default();
    assert!(table.is_empty() || table.ends_with('\n'));
}

#[test]
fn modes_that_were_expanded_are_not_expanded_again_and_have_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("arm.toml"), right(&["generate", "spring-arm"])).unwrap();
    let args = ["parametric", "@arm.toml", "--parameters", "k", "--accuracy", "1e-9", "--region", "k=1%"];
    let run = |more: &[&str]| mb_in(folder.path(), &[&args[..], more].concat());
    let whole = run(&["--output", "@whole.json", "--checkpoint", "@steps"]);
    assert_eq!(whole.code, 0, "{whole:?}");
    assert!(!file("steps").exists());
    // Ended before the first mode: what is said, and that it goes on.
    let stopped = run(&["--output", "@again.json", "--checkpoint", "@steps", "--time-limit", "1e-6"]);
    assert_eq!((stopped.code, stopped.out.as_str()), (2, ""), "{stopped:?}");
    assert!(!file("again.json").exists());
    let again = run(&["--output", "@again.json", "--checkpoint", "@steps"]);
    assert_eq!((again.code, &again.out), (0, &whole.out), "{again:?}");
    let text = |name: &str| std::fs::read_to_string(file(name)).unwrap();
    assert_eq!(text("again.json"), text("whole.json"));
}

/// A pendulum that a torque shakes.
const SHAKEN: &str = "units = \"SI\"\nname = \"shaken\"\ngravity = [0, -9.81]\nparameters = { W = 3 }\n\
    body = [{ name = \"rod\", mass = 1, inertia = 0.1, at = [0, -0.5], angle = 0, markers = { top = [0, 0.5] } }]\n\
    joint = [{ name = \"pin\", type = \"revolute\", a = \"rod.top\", b = \"ground\" }]\n\
    torsion-spring = [{ name = \"air\", a = \"ground\", b = \"rod\", damping = 0.1 }]\n\
    torque = [{ name = \"push\", on = \"rod\", magnitude = \"0.5*cos(W*t)\" }]\n";

#[test]
fn periodic_motions_over_a_parameter_are_kept_when_they_are_ended() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("shaken.toml"), SHAKEN).unwrap();
    let period = ["--period", "2*pi/W", "--json", "--time-limit", "5"];
    let follow =
        [&["orbit", "@shaken.toml", "--follow", "W=2..4:1000000", "-o", "@branch.json"], &period[..]]
            .concat();
    let track =
        ["track", "@shaken.toml", "--parameter", "W", "--from", "2", "--to", "4", "--floquet", "2*pi/W"];
    let track = [&track[..], &["--samples", "1000000", "--json", "--time-limit", "5"]].concat();
    let run = mb_in(folder.path(), &follow);
    assert_eq!(run.code, 2, "{run:?}");
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert!(found["points"].as_array().unwrap().len() > 1);
    assert!(found["ended"].as_str().unwrap().contains("time limit of 5 s"), "{}", found["ended"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("branch.json")).unwrap(), run.out);
    let run = mb_in(folder.path(), &track);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("it ends early, with ") && run.err.contains("time limit of 5 s"), "{}", run.err);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let values = found["samples"]["W"].as_array().unwrap().len();
    assert!(values > 1 && values < 1_000_000, "{values}");
    assert!(found["notes"][0].as_str().unwrap().contains("ranges of growth are not solved for"));
    // A signal keeps the same.
    let signalled: Vec<&str> = track.iter().copied().filter(|a| !["--time-limit", "5"].contains(a)).collect();
    let child = begun(folder.path(), &signalled);
    until("work", || is_at_work(&child));
    std::thread::sleep(std::time::Duration::from_secs(3));
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("it was interrupted"));
}

const CAMPBELL: [&str; 9] =
    ["track", "@turntable.toml", "--parameter", "spin:axle", "--from", "1", "--to", "60", "--json"];

#[test]
fn a_campbell_diagram_that_is_ended_is_kept_and_marked_as_a_part() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("turntable.toml"), crate::campbell::TURNTABLE).unwrap();
    // More speeds than any machine computes in the time.
    let more = ["--samples", "300000", "--campbell", "@part.svg", "--output", "@part.csv"];
    let judged = |out: &[u8], said: &str, why: &str| {
        let found: serde_json::Value = serde_json::from_slice(out).unwrap();
        let speeds = found["samples"]["spin:axle"].as_array().unwrap();
        let words = format!("{} of 300000 speeds, ", speeds.len());
        assert_eq!(lines(&file("part.csv")), speeds.len() + 1);
        assert!(speeds.len() > 1 && speeds.len() < 300_000, "{}", speeds.len());
        assert!(
            (speeds.last().unwrap().as_f64().unwrap() - 60.0).abs() < 1e-12,
            "it goes down from the last speed"
        );
        let (ended, picture) =
            (found["ended"].as_str().unwrap(), std::fs::read_to_string(file("part.svg")).unwrap());
        for text in [said, ended, found["notes"][0].as_str().unwrap()] {
            assert!(text.contains(&words) && text.contains(why), "{text}");
        }
        let title = format!("a part, {} of 300000 speeds: {why}", speeds.len());
        assert!(picture.contains(&title) && picture.contains("</svg>"), "no {title} in the picture");
        // Two springs of 1000 and two of 100 at a mass of 1: s^4 + (k_x + k_y + 2 W^2) s^2 + (k_x - W^2)(k_y - W^2) = 0.
        let w2 = 3600.0;
        let (b, c) = (2200.0 + 2.0 * w2, (2000.0 - w2) * (200.0 - w2));
        let want = (0.5 * (b - f64::sqrt(b * b - 4.0 * c))).sqrt();
        let got = found["samples"]["mode 1 im"].as_array().unwrap().last().unwrap().as_f64().unwrap();
        assert!((got.abs() - want).abs() < 1e-9 * want, "{got} {want}");
    };
    let run = mb_in(folder.path(), &[&CAMPBELL[..], &more, &["--time-limit", "3"]].concat());
    assert_eq!(run.code, 2, "{run:?}");
    judged(run.out.as_bytes(), &run.err, "its time limit of 3 s was reached");
    let child = begun(folder.path(), &[&CAMPBELL[..], &more].concat());
    until("work", || is_at_work(&child));
    std::thread::sleep(std::time::Duration::from_secs(2));
    signal(&child, "-TERM");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143), "{output:?}");
    judged(&output.stdout, &String::from_utf8(output.stderr).unwrap(), "it was interrupted");
}

#[test]
fn what_is_to_outlive_its_terminal_does() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pendulum.toml"), right(&["generate", "rod-pendulum"])).unwrap();
    // The way of `nohup`.
    let line = format!(
        "trap '' HUP; exec {} simulate pendulum.toml --at P.x=1 --until 1e5 --every 1 --output motion.csv",
        env!("CARGO_BIN_EXE_mb")
    );
    let mut program = Command::new("bash");
    program.current_dir(folder.path()).args(["-c", &line]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = program.spawn().unwrap();
    until("work", || is_at_work(&child));
    signal(&child, "-HUP");
    std::thread::sleep(std::time::Duration::from_millis(300));
    signal(&child, "-TERM");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(143));
}
