//! Small things that a user meets: names, tables, notes, options.

use crate::support::{json, mb, mb_with, model, right};

#[test]
fn functions_of_expressions_in_a_model() {
    let text = "units = \"SI\"\nname = \"functions\"\n[parameters]\nL = \"max(1, min(3, 2))\"\nphi = \"atan2(L, L)\"\n\
                ok = \"if(L - 1, asin(1)/acos(0), 7)\"\nside = \"sign(-L)*atan(1)/phi\"\n\
                [[body]]\nname = \"b\"\nmass = \"ok\"\ninertia = \"-side\"\nat = [0, 0]\nangle = \"phi\"\n";
    let run = mb_with(&["equilibrium", "-", "--json"], text);
    assert_eq!(run.code, 0, "{run:?}");
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let angle = found["equilibria"][0]["configuration"]["b.angle"].as_f64().unwrap();
    assert!((angle - std::f64::consts::FRAC_PI_4).abs() < 1e-15);
    let run = mb_with(&["check", "-"], &text.replace("atan2(L, L)", "atan2(L)"));
    assert!(run.code == 1 && run.err.contains("takes 2 argument(s)"), "{}", run.err);
}

#[test]
fn numbers_at_the_edge_are_refused_with_parameter_and_line() {
    for (value, told) in
        [("1e-308", "1e-308"), ("1e300", "1e300"), ("-1e308", "-1e308"), ("\"1e99*1e99\"", "999e197")]
    {
        let text = format!(
            "units = \"SI\"\nname = \"edge\"\n[parameters]\nm = {value}\n[[body]]\nname = \"b\"\nmass = \"m\"\ninertia = 1\n\
             at = [0, 0]\nangle = 0\n"
        );
        let run = mb_with(&["modes", "-"], &text);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{value}: {run:?}");
        assert!(run.err.contains("parameter 'm'") && run.err.contains("<stdin>:4:5"), "{}", run.err);
        assert!(run.err.contains(told), "{}", run.err);
    }
}

#[test]
fn long_expressions_are_shown_shortened() {
    let long = "1+".repeat(50_000) + "1";
    let run =
        mb_with(&["check", "-"], &format!("units = \"SI\"\nname = \"long\"\n[parameters]\nm = \"{long}\"\n"));
    assert_eq!(run.code, 1);
    assert!(run.err.len() < 1000 && run.err.contains("more than 400 operations"), "{}", run.err.len());
}

#[test]
fn a_place_on_a_body_without_an_angle_names_the_angle() {
    let text = "units = \"SI\"\nname = \"angle\"\n[[body]]\nname = \"bar\"\nmass = 1\ninertia = 1\nat = [0, 0]\n\
                markers.end = [1, 0]\n[[body]]\nname = \"next\"\nmass = 1\ninertia = 1\nat = [1, 0]\n\
                [[joint]]\nname = \"knee\"\ntype = \"revolute\"\na = \"next\"\nb = \"bar.end\"\n\
                [[joint]]\nname = \"pin\"\ntype = \"revolute\"\na = \"bar.end\"\nb = \"ground\"\n";
    let run = mb_with(&["check", "-"], text);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("body 'bar' has no `angle` of its own"), "{}", run.err);
    // Where its reference point is needs no angle.
    let run = mb_with(
        &["check", "-"],
        &text.replace("a = \"bar.end\"\nb = \"ground\"", "a = \"bar\"\nb = \"ground\""),
    );
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn rows_of_joints_in_space_say_whose_axes_they_mean() {
    let found = json(&["check", &model("spatial-four-bar")]);
    let rows = found["model"]["rows"].as_array().unwrap();
    let about = rows.iter().filter(|row| row.as_str().unwrap().contains("(rotation about its ")).count();
    assert!(about >= 2, "{rows:?}");
}

#[test]
fn a_picture_of_another_kind_makes_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let model = model("rod-pendulum");
    for name in ["x.jpg", "x.JPG", "x.png", "x.pdf"] {
        let path = folder.path().join(name).display().to_string();
        // A name that ends so is a sheet of modes.
        let sheet = name.ends_with("pg").then(|| vec!["modes", &model, "--plot", &path]);
        for args in sheet.into_iter().chain([vec!["simulate", &model, "--until", "0.1", "--plot", &path]]) {
            let run = mb(&args);
            assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
            let remedy = if args[0] == "modes" {
                "for one sheet of all modes"
            } else {
                "--plot-format svg, pdf or png"
            };
            assert!(
                run.err.contains("would be a folder of that name") && run.err.contains(remedy),
                "{}",
                run.err
            );
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn negative_values_of_options_are_explained_by_the_option() {
    let pendulum = model("rod-pendulum");
    for (args, told) in [
        (vec!["simulate", &pendulum, "--until", "1", "--rtol", "-0.001"], "--rtol is -0.001"),
        (vec!["simulate", &pendulum, "--until", "1", "--rtol", "-1e-3"], "--rtol is -0.001"),
        (vec!["simulate", &pendulum, "--until", "-1.5E-300"], "--until is"),
        (vec!["simulate", &pendulum, "--until", "-1"], "--until is"),
        (vec!["modes", &pendulum, "--lowest", "-3"], "at least 1"),
        (vec!["modes", &pendulum, "--near", "-1"], "not negative"),
        (vec!["equilibrium", &pendulum, "--find-all", "-2"], "--find-all"),
        (vec!["parametric", &pendulum, "--parameters", "L", "--about", "L=-1e300"], "--about L=-1e300"),
        (vec!["modes", &pendulum, "--band", "0", "-inf"], "'-inf' is not a finite number"),
    ] {
        let run = mb(&args);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{args:?}: {run:?}");
        assert!(run.err.contains(told) && !run.err.contains("unexpected argument"), "{args:?}: {}", run.err);
    }
}

#[test]
fn reactions_stand_in_a_table_with_sign_and_all_components() {
    // A rod of 2 kg that hangs from a pin carries its weight there, upwards on the rod.
    let text = "units = \"SI\"\nname = \"hanging\"\ngravity = [0, -10]\n[[body]]\nname = \"rod\"\nmass = 2\ninertia = 1\n\
                center_of_mass = [0, -0.5]\nat = [0, 0]\nangle = 0\n[[joint]]\nname = \"pin\"\ntype = \"revolute\"\n\
                a = \"rod\"\nb = [0, 0]\n";
    let run = mb_with(&["equilibrium", "-", "--reactions"], text);
    assert_eq!(run.code, 0, "{run:?}");
    let row = run.out.lines().find(|line| line.contains("joint 'pin'") && !line.contains('(')).unwrap();
    let numbers: Vec<f64> = row.split_whitespace().skip(2).map(|word| word.parse().unwrap()).collect();
    assert_eq!(numbers.len(), 6, "{row}");
    assert!((numbers[1] - 20.0).abs() < 1e-9 && numbers[0] == 0.0 && numbers[5].abs() < 1e-9, "{row}");
    let run = mb_with(&["equilibrium", "-", "--reactions", "--json"], text);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let reaction = &found["reactions"][0][0];
    assert_eq!(reaction["of"], "joint 'pin'");
    assert!((reaction["force"][1].as_f64().unwrap() - 20.0).abs() < 1e-9, "{reaction}");
}

#[test]
fn bodies_in_space_report_how_they_are_turned() {
    let text = "units = \"SI\"\nname = \"turned\"\n[[spatial-body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 1]\n\
                at = [0, 0, 0]\norientation = { axis = [0, 0, 1], angle = \"deg(90)\" }\n";
    let run = mb_with(&["equilibrium", "-"], text);
    assert_eq!(run.code, 0, "{run:?}");
    let of = |axis: &str| -> f64 {
        let line = run.out.lines().find(|l| l.contains(&format!("b turned about {axis}"))).unwrap();
        line.split_whitespace().nth(4).unwrap().parse().unwrap()
    };
    assert!(
        of("x") == 0.0 && of("y") == 0.0 && (of("z") - std::f64::consts::FRAC_PI_2).abs() < 1e-5,
        "{}",
        run.out
    );
}

#[test]
fn assembly_that_moves_something_far_is_a_warning() {
    let text = right(&["generate", "rod-pendulum"]);
    let near = mb_with(&["check", "-"], &text.replace("at = [0.0, \"-L\"]", "at = [0.01, \"-L\"]"));
    assert!(near.code == 0 && !near.out.contains("more than a tenth"), "{near:?}");
    let far = mb_with(&["check", "-"], &text.replace("at = [0.0, \"-L\"]", "at = [0.0, \"-2*L\"]"));
    assert_eq!(far.code, 0, "{far:?}");
    assert!(far.out.contains("Warning: assembly moves P by 1.5"), "{}", far.out);
    assert!(far.out.contains("assembly moves the coordinates by 1.50000 (P by 1.50000 m)"), "{}", far.out);
    let far = |command: &[&str]| {
        mb_with(&[command, &["-"]].concat(), &text.replace("at = [0.0, \"-L\"]", "at = [0.0, \"-2*L\"]"))
    };
    let motion = far(&["simulate", "--until", "0.1"]);
    assert!(motion.out.contains("coordinates moved by 1.5e0 (P by 1.50000 m)"), "{}", motion.out);
    assert!(motion.out.contains("Warning: assembly moves P by 1.5"), "{}", motion.out);
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html").display().to_string();
    for rest in [&["report", "-o", &page][..], &["report", "-o", &page, "--until", "0.1"]] {
        let run = far(rest);
        assert_eq!(run.out.matches("Warning: assembly moves P by 1.5").count(), 1, "{run:?}");
    }
    // The documents name what moved and how far: from twice the length of 1.5 m to the length.
    let moved = text.replace("at = [0.0, \"-L\"]", "at = [0.0, \"-2*L\"]");
    for args in [&["check", "-", "--json"][..], &["simulate", "-", "--until", "0.01", "--json"]] {
        let document: serde_json::Value = serde_json::from_str(&mb_with(args, &moved).out).unwrap();
        let furthest = &document["start"]["furthest"];
        let distance = furthest["distance"].as_f64().unwrap();
        assert!(furthest["name"] == "P" && (distance - 1.5).abs() < 1e-9, "{args:?}: {document}");
        let notes = document["notes"].to_string();
        assert!(notes.contains("more than a tenth") && notes.contains("moves P by 1.5"), "{args:?}: {notes}");
        let near: serde_json::Value = serde_json::from_str(&mb_with(args, &text).out).unwrap();
        assert!(near["start"]["furthest"].is_null(), "{args:?}: {near}");
    }
}

/// Messages name what the user wrote and the option that takes it.
#[test]
fn messages_name_the_option_as_it_is_written() {
    let (pendulum, bicycle, rods) = (model("simple-pendulum"), model("bicycle"), model("rod-pendulum"));
    let motion = ["simulate", &pendulum, "--until"];
    let folder = tempfile::tempdir().unwrap();
    let file = |(name, text): (&str, &str)| {
        let path = folder.path().join(name).display().to_string();
        std::fs::write(&path, text).unwrap();
        path
    };
    let no_orbit = file(("no-orbit.json", "{}"));
    let tables = [("0.csv", "L\n"), ("1.csv", "L,L\n1,2\n"), ("2.csv", "L,g\n1\n")].map(file);
    let cases: [(&[&str], &str); 34] = [
        (&["sweep", &pendulum, "--grid", "Q=1..2:3"], "--grid Q: the model has no parameter `Q`"),
        (&["simulate", &pendulum, "--until", "-5"], "--until is -5, but it must be after the start"),
        (&["simulate", &pendulum, "--until", "1", "--step", "0"], "--step is 0, but it must be positive"),
        (
            &[&motion[..], &["1e-300"]].concat(),
            "--until is 1e-300, but it must be between 1e-100 and 1e100 s",
        ),
        (
            &[&motion[..], &["1", "--time-constant", "0"]].concat(),
            "'--time-constant <SECONDS>': must be a number",
        ),
        (&["modes", &pendulum, "--set", "-L=1"], "is joined to its option: --set=-L=1"),
        (&["modes", &pendulum, "--time-limit", "-1"], "'--time-limit <SECONDS>': must be a positive number"),
        (
            &["modes", &pendulum, "--after", "1e-300"],
            "--after is 1e-300, but it must be zero or between 1e-100",
        ),
        (&["orbit", &pendulum, "--period", "1e300"], "it is 1e300 s, and must be between 1e-100 and 1e100 s"),
        (
            &["report", &pendulum, "-o", "page.html", "--until", "1", "--frames", "1000000"],
            "a page has at most 100000 frames",
        ),
        (
            &["simulate", &pendulum, "--until", "1", "--rtol", "0"],
            "--rtol is 0, but it must be 1e-14 or more",
        ),
        (&["floquet", &pendulum, "--period", "x+"], "--period x+: in the expression `x+`"),
        (&["track", &bicycle, "--parameter", "v", "--from", "4", "--to", "5"], "mb track --campbell"),
        (
            &["track", &pendulum, "--parameter", "L", "--from", "2", "--to", "2"],
            "--to is 2, where the range begins",
        ),
        (&["modes", &pendulum, "--near", "abc"], "'--near <HZ>': 'abc' is not a number"),
        (
            &["sweep", &pendulum, "--range", "L=1..2", "--random", "3", "--seed", "1.5"],
            "'1.5' is not a whole number",
        ),
        (&["modes", &pendulum, "--solver", "arpack"], "ask for a part with --lowest"),
        (&["modes", "."], "give the path of a model file (TOML) in it"),
        (&["modes", env!("CARGO_BIN_EXE_mb")], "a model is a text file (TOML)"),
        (&["modes", "no-such-file"], "mb generate --list"),
        (&["parametric", &pendulum, "--parameters", "L", "--modes", "2"], "--modes 2: there is 1 mode"),
        (&["modes", &rods, "--spin", "pin=5"], "The joint 'pin' does not exist; the model has no joints."),
        (
            &["parametric", &pendulum, "--parameters", "L", "--accuracy", "1e-3", "--region", "L"],
            "write NAME=LO..HI or NAME=P%",
        ),
        (
            &["track", &pendulum, "--parameter", "L", "--from", "1", "--to", "2", "--floquet", "0"],
            "--floquet 0: it is 0.0 s, and must be positive",
        ),
        (
            &["orbit", &pendulum, "--period", "1", "--follow", "Q=1..2:3"],
            "--follow Q: the model has no parameter",
        ),
        (&["orbit", &pendulum, "--period", "1", "-o", "orbit.txt"], "does not end in .json"),
        (
            &["floquet", &pendulum, "--orbit", "no-such-file"],
            "--orbit: the configuration file `no-such-file`",
        ),
        (&["floquet", &pendulum, "--orbit", &no_orbit], "it has no motion with a period, as `mb orbit -o`"),
        (
            &["report", &pendulum, "-o", "a.html", "--track", "Q", "1", "2"],
            "--track: the model has no parameter",
        ),
        (
            &["report", &pendulum, "-o", "a.html", "--track", "L", "1", "1"],
            "--track is 1, where the range begins",
        ),
        (&["sweep", &pendulum, "--list", &tables[0]], "0.csv, line 1: no case follows"),
        (&["sweep", &pendulum, "--list", &tables[1]], "1.csv, line 1: the parameter `L` is named twice"),
        (
            &["sweep", &pendulum, "--list", &tables[2]],
            "2.csv, line 2: the number of entries is 1, in the first line 2",
        ),
        (
            &["sweep", &pendulum, "--grid", "L=1..2:3", "--grid", "L=1..2:3"],
            "--grid: the parameter `L` is named twice",
        ),
    ];
    for (args, words) in cases {
        let run = mb(args);
        assert!(run.code != 0 && run.err.contains(words), "{args:?}: {run:?}");
        assert!(!run.err.contains("period_asked_for"), "{run:?}");
    }
}

/// What a page and a document note are whole sentences; names keep their letters.
#[test]
fn notes_are_whole_sentences() {
    let singular = model("n-four-bar-singular");
    let run = mb(&["modes", &singular]);
    let notes: Vec<&str> = run.out.lines().filter_map(|line| line.strip_prefix("note: ")).collect();
    assert!(notes.len() >= 3, "{run:?}");
    for note in notes {
        assert!(note.starts_with(char::is_uppercase) && note.ends_with('.'), "{note}");
    }
    let both = format!("{}{}", run.out, run.err);
    assert_eq!(both.matches("NOT DETERMINED").count(), 1, "{both}");
}

/// Numbers out of their range name the option of the command line.
#[test]
fn numbers_of_a_motion_are_refused_by_the_name_of_their_option() {
    let file = model("rod-pendulum");
    for (args, named) in [
        (&["simulate", &file, "--until", "1", "--every", "0"][..], "--every is 0"),
        (&["simulate", &file, "--until", "1", "--method", "penalty", "--alpha", "nan"], "--alpha is NaN"),
        (&["modes", &file, "--instant", "--after", "-1"], "--after is -1"),
        (&["modes", &file, "--instant", "--time", "1e20", "--after", "1"], "--after is 1"),
        (&["modes", &file, "--instant", "--time", "nan"], "'nan' for '--time"),
    ] {
        let run = mb(args);
        assert!(run.code == 1 && run.err.contains(named), "{args:?}: {run:?}");
    }
}

/// The infinite eigenvalues of velocity rows are known: the last digits decide nothing about them.
#[test]
fn infinite_eigenvalues_of_what_rolls_are_not_left_open() {
    for name in ["skate", "rolling-disc", "bicycle", "wheelset"] {
        for more in [&["--moving"][..], &["--formulation", "redundant"], &["--lowest", "4"], &[]] {
            let file = model(name);
            let args: Vec<&str> = ["modes", &file].into_iter().chain(more.iter().copied()).collect();
            let out = right(&args);
            assert!(out.contains("null space of dimension"), "{args:?}: {out}");
            assert!(!out.contains("last digits"), "{args:?}: {out}");
        }
    }
}

#[test]
fn a_flexible_link_without_an_angle_names_the_angle() {
    let link = |name: &str, x: u8| {
        format!(
            "[[flexible-link]]\nname = \"{name}\"\nlength = 1\nelements = 2\ndensity = 7850\nyoungs_modulus = 2.1e11\n\
             section = {{ width = 0.01, height = 0.01 }}\nat = [{x}, 0]\n"
        )
    };
    let text = format!(
        "units = \"SI\"\nname = \"links\"\n{}{}[[joint]]\nname = \"j\"\ntype = \"fixed\"\na = \"b.start\"\nb = \"a.end\"\n\
         [[joint]]\nname = \"c\"\ntype = \"fixed\"\na = \"a.start\"\nb = \"ground\"\n",
        link("a", 0),
        link("b", 1)
    );
    let run = mb_with(&["check", "-"], &text);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.err.contains("has no `angle` of its own") && run.err.contains("give its `angle`"),
        "{}",
        run.err
    );
}
