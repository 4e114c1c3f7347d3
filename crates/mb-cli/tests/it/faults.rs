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
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
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

#[test]
fn a_run_that_was_killed_goes_on_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--checkpoint", "run.checkpoint", "--output", "motion.csv"];
    let mut child = long_run(folder.path(), &args);
    let checkpoint = folder.path().join("run.checkpoint");
    until("a checkpoint", || checkpoint.exists());
    child.kill().unwrap();
    child.wait().unwrap();
    // Nothing torn: no output yet, and a checkpoint that is read back whole.
    assert!(!folder.path().join("motion.csv").exists());
    let kept: serde_json::Value = serde_json::from_slice(&std::fs::read(&checkpoint).unwrap()).unwrap();
    let reports = kept["times"].as_str().unwrap().split(' ').count();
    assert!(reports > 100 && reports % 100 == 1, "{reports}");
    // The same run with an end that is near: another one, and the message says so.
    let model = folder.path().join("pendulum.toml");
    let run = |until: &str, checkpoint: &Path, output: &Path| {
        let [model, checkpoint, output] = [&model, checkpoint, output].map(|p| p.display().to_string());
        mb(&[
            "simulate",
            &model,
            "--at",
            "P.x=1",
            "--until",
            until,
            "--every",
            "1",
            "--checkpoint",
            &checkpoint,
            "--output",
            &output,
        ])
    };
    let other = run("250", &checkpoint, &folder.path().join("other.csv"));
    assert_eq!((other.code, other.out.as_str()), (1, ""));
    assert!(other.err.contains("belongs to another run"), "{}", other.err);
    // A run that is stopped by its limit of time after its first parts, and one that is not stopped at all.
    let (first, second) = (folder.path().join("a.csv"), folder.path().join("b.csv"));
    let parts = folder.path().join("parts");
    assert_eq!(run("250", &parts, &first).code, 0);
    assert!(!parts.exists(), "the checkpoint of a finished run is removed");
    let stopped = mb(&[
        "simulate",
        &model.display().to_string(),
        "--at",
        "P.x=1",
        "--until",
        "250",
        "--every",
        "1",
        "--checkpoint",
        &parts.display().to_string(),
        "--time-limit",
        "1e-6",
    ]);
    assert_eq!(stopped.code, 2, "{stopped:?}");
    assert!(stopped.err.contains("--time-limit SECONDS changes it"), "{}", stopped.err);
    // The first part of the run that was killed is that of the run with an end: it goes on from there with the same bits.
    let empty: serde_json::Value = serde_json::from_slice(&std::fs::read(&parts).unwrap()).unwrap();
    let mut first_part = kept.clone();
    first_part["run"] = empty["run"].clone();
    for list in ["times", "q", "v", "a", "lambda", "records"] {
        let all: Vec<&str> = kept[list].as_str().unwrap().split(' ').collect();
        first_part[list] = all[..101 * (all.len() / reports)].join(" ").into();
    }
    std::fs::write(&parts, first_part.to_string()).unwrap();
    assert_eq!(run("250", &parts, &second).code, 0);
    let text = |path: &Path| std::fs::read_to_string(path).unwrap();
    assert_eq!(text(&first).lines().count(), 252);
    assert_eq!(text(&first), text(&second));
}

#[test]
fn outputs_are_whole_or_absent() {
    let folder = tempfile::tempdir().unwrap();
    let taken = folder.path().join("file");
    std::fs::write(&taken, "no folder").unwrap();
    let model = model("rod-pendulum");
    // A place where nothing can be written, whoever asks.
    for (command, option) in
        [("modes", "--shapes"), ("modes", "--plot"), ("simulate", "--output"), ("report", "--output")]
    {
        let ending = match option {
            "--plot" => "svg",
            _ if command == "report" => "html",
            _ => "csv",
        };
        let path = taken.join(format!("a.{ending}")).display().to_string();
        let mut args = vec![command, &model, option, &path];
        if command == "simulate" {
            args.extend(["--until", "0.1"]);
        }
        let run = mb(&args);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{args:?}: {run:?}");
        assert!(run.err.contains("cannot be written"), "{}", run.err);
    }
    // A full disk under the standard output, and a reader that has gone.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    if let Ok(full) = full {
        let mut program = Command::new(env!("CARGO_BIN_EXE_mb"));
        let output = program.args(["generate", "rod-pendulum"]).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8(output.stderr).unwrap().contains("cannot be written"));
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_mb"))
        .args(["schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    // No temporary file is left.
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["file"]);
}

#[test]
fn two_runs_with_one_output_leave_one_of_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("shapes.csv").display().to_string();
    let models = [model("rod-pendulum"), model("slider-crank")];
    let wanted: Vec<Vec<u8>> = models
        .iter()
        .map(|model| {
            right(&["modes", model, "--shapes", &output]);
            std::fs::read(&output).unwrap()
        })
        .collect();
    std::thread::scope(|scope| {
        for model in &models {
            scope.spawn(|| (0..3).for_each(|_| drop(right(&["modes", model, "--shapes", &output]))));
        }
    });
    assert!(wanted.contains(&std::fs::read(&output).unwrap()));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
