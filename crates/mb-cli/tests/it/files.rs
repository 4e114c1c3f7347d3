//! Outputs: whole or absent, on any disk, and never in the place of another file.

#![cfg(unix)]

use crate::faults::mb_in;
use crate::support::{mb, model, right};
use std::process::{Command, Stdio};

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
        let mut args = vec![command, "", option, &path];
        if command == "simulate" {
            args.extend(["--until", "0.1"]);
        }
        // It is refused before anything is done: even where there is no model.
        for model in [&*model, "absent.toml"] {
            args[1] = model;
            let run = mb(&args);
            assert_eq!((run.code, run.out.as_str()), (1, ""), "{args:?}: {run:?}");
            assert!(run.err.contains("cannot be written"), "{}", run.err);
        }
    }
    // Folders are called so, and what is said to do fits.
    for args in [vec!["man"], vec!["export", &model, "--out"]] {
        for (name, help) in
            [("file", "name a new folder, or remove"), ("file/folder", "a part of the path is a file")]
        {
            let path = folder.path().join(name).display().to_string();
            let run = mb(&[&args[..], &[&path]].concat());
            assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
            assert!(run.err.contains("The folder `") && run.err.contains(help), "{}", run.err);
        }
    }
    // A pipe is not replaced by a file.
    let pipe = folder.path().join("pipe.csv");
    if Command::new("mkfifo").arg(&pipe).status().is_ok_and(|s| s.success()) {
        let run = mb(&["modes", &model, "--shapes", &pipe.display().to_string()]);
        assert!(run.code == 1 && run.err.contains("it is a device or a pipe"), "{run:?}");
        assert!(!std::fs::metadata(&pipe).unwrap().is_file());
        std::fs::remove_file(&pipe).unwrap();
    }
    // A full disk under the standard output, and a reader that has gone.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    if let Ok(full) = full {
        let mut program = Command::new(env!("CARGO_BIN_EXE_mb"));
        let output = program.args(["generate", "rod-pendulum"]).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.contains("`standard output` cannot be written") && said.contains("disk is full"),
            "{said}"
        );
    }
    let gone = |args: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_mb"));
        let mut child = program.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    // As where SIGPIPE ends a program, in silence.
    for args in [["schema"].as_slice(), &["generate", "rod-pendulum"], &["modes", "--help"]] {
        assert_eq!(gone(args), (Some(141), String::new()), "{args:?}");
    }
    // No temporary file is left.
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["file"]);
}

#[test]
fn a_limit_of_the_size_of_files_is_a_disk_that_is_full() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pendulum.toml"), right(&["generate", "rod-pendulum"])).unwrap();
    let run = |rest: &str| {
        let program = env!("CARGO_BIN_EXE_mb");
        let line = format!("ulimit -f 1; exec {program} {rest}");
        Command::new("bash").current_dir(folder.path()).args(["-c", &line]).output().unwrap()
    };
    for rest in [
        "simulate pendulum.toml --at P.x=1 --until 50 --every 0.1 --output motion.csv",
        "simulate pendulum.toml --at P.x=1 --until 500 --every 0.1 --checkpoint steps --output motion.csv",
        "sweep pendulum.toml --grid L=0.5..1.5:60 --output cases.csv",
        "report pendulum.toml -o page.html",
    ] {
        let output = run(rest);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{rest}: {said}");
        assert!(said.contains("cannot be written") && said.contains("ulimit -f"), "{rest}: {said}");
        let names = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name());
        for name in names.map(|name| name.to_string_lossy().into_owned()) {
            assert!(
                ["pendulum.toml", "steps", "cases.csv.journal"].contains(&name.as_str()),
                "{rest}: {name}"
            );
        }
    }
}

#[test]
fn one_file_is_not_named_twice() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("pendulum.toml"), right(&["generate", "rod-pendulum"])).unwrap();
    std::fs::write(file("cases.csv"), "L\n1\n2\n").unwrap();
    std::fs::write(file("start.json"), "{\"P.x\": 0.1}").unwrap();
    let cases: [(&[&str], &str); 6] = [
        (
            &[
                "simulate",
                "@pendulum.toml",
                "--until",
                "1",
                "--output",
                "@run.csv",
                "--checkpoint",
                "@run.csv",
            ],
            "--checkpoint and --output name the same file",
        ),
        (
            &["sweep", "@pendulum.toml", "--list", "@cases.csv", "--output", "@./cases.csv"],
            "--output and --list name the same file",
        ),
        (
            &["orbit", "@pendulum.toml", "--at", "@start.json", "-o", "@start.json"],
            "--output and --at name the same file",
        ),
        (
            &["equilibrium", "@pendulum.toml", "--plot", "@pendulum.toml"],
            "--plot and MODEL name the same file",
        ),
        (
            &["modes", "@pendulum.toml", "--plot", "@a.svg", "--shapes", "@a.svg"],
            "--plot and --shapes name the same file",
        ),
        (
            &["sweep", "@pendulum.toml", "--list", "@cases.csv", "--output", "@a.csv", "--map", "@a.csv"],
            "--map and --output name the same file",
        ),
    ];
    for (args, words) in cases {
        let run = mb_in(folder.path(), args);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
        assert!(run.err.contains(words) && run.err.contains("a file of its own"), "{}", run.err);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing was written");
    assert_eq!(std::fs::read_to_string(file("cases.csv")).unwrap(), "L\n1\n2\n");
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

/// The matrices of a model belong together, with the folder that is made for them.
#[test]
fn an_export_on_a_full_disk_leaves_the_old_matrices_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("small.toml"), right(&["generate", "rod-pendulum"])).unwrap();
    std::fs::write(at("large.toml"), right(&["generate", "n-four-bar"])).unwrap();
    let run = |limit: &str, rest: &str| {
        let line = format!("ulimit -f {limit}; exec {} export {rest}", env!("CARGO_BIN_EXE_mb"));
        Command::new("bash").current_dir(folder.path()).args(["-c", &line]).output().unwrap()
    };
    let files = |folder: &str| {
        let read = |e: std::io::Result<std::fs::DirEntry>| {
            let path = e.unwrap().path();
            (path.file_name().unwrap().to_owned(), std::fs::read(&path).unwrap())
        };
        std::fs::read_dir(at(folder)).unwrap().map(read).collect::<std::collections::BTreeMap<_, _>>()
    };
    assert!(run("unlimited", "small.toml --out there").status.success());
    let before = files("there");
    // Each whole set in a folder of its own says between which sizes a limit lets some files pass and not others.
    assert!(run("unlimited", "large.toml --set N=12 --out all").status.success());
    let sizes: Vec<usize> = files("all").values().map(|bytes| bytes.len().div_ceil(1024)).collect();
    let (smallest, largest) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!(smallest < largest, "{sizes:?}");
    let limit = (largest - 1).to_string();
    for folder in ["there", "empty"] {
        let ended = run(&limit, &format!("large.toml --set N=12 --out {folder}"));
        assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    }
    assert!(files("there") == before && !at("empty").exists());
}
