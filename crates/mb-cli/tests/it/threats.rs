//! A model from a stranger: it reads and writes no files but those named, and its words do nothing where they are shown.

use crate::support::{mb, mb_with, model, right};

const HEAD: &str = "units = \"SI\"\nname = \"test\"\n";

#[test]
fn meshes_come_from_the_folder_of_the_model_alone() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(folder.path().join("secret.msh"), "secret").unwrap();
    let asked = |file: &str| {
        let solid = "density = 1.0\nyoungs_modulus = 1.0\npoissons_ratio = 0.3\n";
        let text = format!("{HEAD}[[solid]]\nname = \"s\"\nmesh = \"{file}\"\n{solid}");
        let path = home.join("model.toml");
        std::fs::write(&path, text).unwrap();
        mb(&["check", &path.display().to_string()])
    };
    let beside = folder.path().join("secret.msh").display().to_string();
    let mut ways = vec!["../secret.msh".to_owned(), beside];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../secret.msh", home.join("link.msh")).unwrap();
        ways.push("link.msh".to_owned());
    }
    for way in ways {
        let run = asked(&way);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
        // One remedy, not two that contradict each other.
        let told = run.err.contains("outside the folder of the model file; copy it into that folder");
        assert!(told && !run.err.contains("help:"), "{way}: {}", run.err);
        // The solid and its line, as of a mesh that is not there.
        assert!(run.err.contains("solid '") && run.err.contains(".toml:"), "{way}: {}", run.err);
    }
    std::fs::create_dir(home.join("folder.msh")).unwrap();
    assert!(asked("folder.msh").err.contains("it is no file"));
}

#[test]
fn texts_that_terminals_obey_are_refused_with_their_place() {
    let body = "[[body]]\nname = \"b\"\nmass = 1\ninertia = 1\nat = [0, 0]\nangle = 0\n";
    for (escape, told) in
        [("\\u001b[2J", "U+001B"), ("\\u202e", "U+202E"), ("\\u009b", "U+009B"), ("\\u0007", "U+0007")]
    {
        let run = mb_with(&["check", "-"], &format!("units = \"SI\"\nname = \"a{escape}\"\n{body}"));
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.err.contains(told) && run.err.contains("<stdin>:2:8"), "{}", run.err);
        // Nor does an error say what the file says.
        let run = mb_with(&["check", "-", "--json"], &format!("{HEAD}{body}mass_{escape} = 1\n"));
        assert!(run.code == 1 && !run.err.contains('\u{1b}'), "{run:?}");
    }
    // As bytes of the file.
    let run = mb_with(&["check", "-"], &format!("{HEAD}# \u{1b}[2J\nfoo = 1\n"));
    assert!(run.code == 1 && !run.err.contains('\u{1b}'), "{run:?}");
}

/// Names of files come with them; they are shown as they are read, not obeyed.
#[cfg(unix)]
#[test]
fn names_of_files_are_not_obeyed_by_terminals() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text = right(&["generate", "rod-pendulum"]);
    let [good, bad, matrix] = ["a\u{1b}[31m.toml", "b\u{1b}[31m.toml", "c\u{1b}[31m.mtx"].map(path);
    std::fs::write(&good, &text).unwrap();
    std::fs::write(&bad, text.replace("mass = 2.0", "mass = -2.0")).unwrap();
    right(&["export", &good, "--out", &path("m")]);
    std::fs::copy(path("m/M.mtx"), &matrix).unwrap();
    for args in
        [&["check", &good][..], &["check", &bad], &["modes", "--mass", &matrix, "--stiffness", &matrix]]
    {
        let run = mb(args);
        let said = format!("{}{}", run.out, run.err);
        assert!(said.contains("\\u{1b}[31m") && !said.contains('\u{1b}'), "{said:?}");
    }
    let comments = std::fs::read_to_string(path("m/M.mtx")).unwrap();
    assert!(!comments.contains('\u{1b}'), "{comments:?}");
}

#[test]
fn names_are_no_markup_and_no_formula() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let evil = "<script>alert(1)</script><img src=x onerror=alert(1)>";
    let text = right(&["generate", "rod-pendulum"]);
    let text = text.replace("name = \"rod pendulum\"", &format!("name = \"{evil}\""));
    assert!(text.contains(evil), "{text}");
    std::fs::write(path("m.toml"), text).unwrap();
    right(&["modes", &path("m.toml"), "--plot", &path("m.svg")]);
    right(&["report", &path("m.toml"), "-o", &path("m.html")]);
    right(&["simulate", &path("m.toml"), "--until", "0.1", "--plot", &path("figures")]);
    let mut files = vec![path("m.svg"), path("m.html")];
    files
        .extend(std::fs::read_dir(path("figures")).unwrap().map(|e| e.unwrap().path().display().to_string()));
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!text.contains("<script>alert") && !text.contains("<img src=x"), "{file}");
    }
    // A name may begin with a sign that table programs take for a formula.
    let body = "[[body]]\nname = \"-b\"\nmass = 1\ninertia = 1\nat = [0, 0]\nangle = 0\n";
    std::fs::write(path("f.toml"), format!("{HEAD}{body}")).unwrap();
    right(&["simulate", &path("f.toml"), "--until", "0.1", "--output", &path("f.csv")]);
    let heads = std::fs::read_to_string(path("f.csv")).unwrap();
    assert!(heads.contains("\"'-b.x\"") && !heads.contains("\"-b.x\""), "{heads}");
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    for (option, value, told) in [
        ("--samples", "1000000000", "at most 1000000 samples"),
        ("--order", "1000000", "at most degree 1000"),
        ("--time-limit", "1e300", "must be at most"),
        ("--time-limit", "0", "must be a positive number"),
    ] {
        let model = model("spring-arm");
        let run = mb(&["track", &model, "--parameter", "k", "--from", "1", "--to", "2", option, value]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.err.contains(told), "{}", run.err);
    }
    // A count beyond all problems is one of all modes, and no number that overflows; nor is a time.
    let most = usize::MAX.to_string();
    for request in [&["--lowest", &most][..], &["--largest", &most], &["--near", "1", "--count", &most]] {
        let run = mb(&[&["modes", &model("spring-arm")][..], request].concat());
        assert!(run.code == 0 && run.out.contains("of the 10 that theory counts"), "{run:?}");
    }
    for command in ["check", "equilibrium", "modes"] {
        let run = mb(&[command, &model("spring-arm"), "--time", "1e400"]);
        assert!(run.code == 1 && run.err.contains("--time") && run.err.contains("between"), "{run:?}");
    }
    let run = mb_with(
        &["check", "-"],
        &format!(
            "{HEAD}[[repeat]]\nindex = \"i\"\nfrom = 1\nto = 1e9\n[[repeat.point]]\nname = \"p{{i}}\"\nat = [0, 0]\n"
        ),
    );
    assert!(run.code == 1 && run.err.contains("members"), "{run:?}");
}

/// Wherever a limit of the address space is met, the program ends in words.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_is_refused_ends_the_program_in_words() {
    let block = model("solid-cantilever");
    let mut ended = 0;
    for limit in (100..=400).step_by(50) {
        let line = format!(
            "ulimit -v {limit}000; exec {} modes {block} --set n=6 --set N=40 --json",
            env!("CARGO_BIN_EXE_mb")
        );
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let run = std::process::Command::new("bash").current_dir(root).args(["-c", &line]).output().unwrap();
        let said = String::from_utf8_lossy(&run.stderr);
        match run.status.code() {
            Some(0) => {}
            Some(2) => {
                let answer: serde_json::Value = serde_json::from_str(&said).unwrap();
                assert!(
                    answer["error"]["problems"][0]["message"].as_str().unwrap().contains("memory"),
                    "{said}"
                );
                ended += 1;
            }
            _ => panic!("{limit} MB: {run:?}"),
        }
    }
    assert!(ended > 0, "no limit was met");
}
