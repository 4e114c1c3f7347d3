//! What pages show outside their blocks: commands within sentences and tables, and the crates that examples depend on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn markdown(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|page| page.extension().is_some_and(|e| e == "md")).collect()
}

/// The words of a command as a shell splits them: at blanks, with quotes taken off.
fn words(command: &str) -> Vec<String> {
    let (mut out, mut quoted) = (vec![String::new()], false);
    for c in command.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => out.push(String::new()),
            c => out.last_mut().unwrap().push(c),
        }
    }
    out.retain(|word| !word.is_empty());
    out
}

/// The spans of code of a text that are commands of the program, blocks left out.
fn commands(text: &str) -> Vec<String> {
    let mut outside = String::new();
    for (part, paragraph) in text.split("```").enumerate() {
        if part % 2 == 0 {
            outside.push_str(paragraph);
        }
    }
    let spans = outside.split('`').skip(1).step_by(2);
    spans.filter(|span| span.starts_with("mb ")).map(str::to_owned).collect()
}

/// Whether the program reads a command line; what a sentence leaves out (the model, a required option) may be missing.
fn is_read(command: &str) -> Result<(), String> {
    use clap::error::ErrorKind::{
        DisplayHelpOnMissingArgumentOrSubcommand, InvalidSubcommand, MissingRequiredArgument,
    };
    let command = command.split(" | ").next().unwrap();
    // Placeholders of numbers.
    let numbers = |word: String| match word.as_str() {
        "HZ" | "LO" | "A" | "N" => "1".into(),
        "HI" | "B" => "2".into(),
        _ => std::ffi::OsString::from(word),
    };
    let line: Vec<_> = words(command).into_iter().map(numbers).collect();
    match mb_cli::args::parse(&line) {
        Ok(_) => Ok(()),
        Err(error)
            if [MissingRequiredArgument, DisplayHelpOnMissingArgumentOrSubcommand]
                .contains(&error.kind()) =>
        {
            Ok(())
        }
        // A sentence may name an option whose value is left out: `mb equilibrium --spin`.
        Err(error)
            if error.kind() != InvalidSubcommand && error.to_string().contains("a value is required") =>
        {
            Ok(())
        }
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn every_command_in_a_sentence_or_a_table_is_one_of_the_program() {
    let mut pages = markdown("docs/book/src");
    pages.extend(markdown("docs/book/src/papers"));
    pages.extend(
        ["README.md", "ARCHITECTURE.md", "SECURITY.md", "docs/json-output.md"].map(|name| root().join(name)),
    );
    let mut read = 0;
    for page in &pages {
        for command in commands(&std::fs::read_to_string(page).unwrap()) {
            let outcome = is_read(&command);
            assert!(outcome.is_ok(), "{}: `{command}`: {}", page.display(), outcome.unwrap_err());
            read += 1;
        }
    }
    assert!(read >= 100, "only {read} commands");
    assert!(is_read("mb modes MODEL --no-such-option").is_err() && is_read("mb sing").is_err());
    assert!(is_read("mb modes MODEL --lowest many").is_err());
}

/// A pendulum with all names that the table of commands uses, and one whose pivot is shaken.
const PENDULUM: &str = r#"
units = "SI"
name = "names of the table"
gravity = [0.0, -9.81]
parameters = { k = 900.0, m = 2.0, c = 4.0 }
body = [{ name = "box", mass = "m", inertia = 0.1, at = [0.0, -0.5], markers = { top = [0.0, 0.5] } }]
joint = [{ name = "pin", type = "revolute", a = "box.top", b = "ground" }]
torsion-spring = [{ name = "spring", a = "box", b = "ground", stiffness = "k", damping = "c" }]
torque = [{ name = "motor", on = "box", input = "motor" }]
output = [{ name = "tip", quantity = "x", of = "box" }]
"#;

/// The text of the block of a page whose first line names a file.
fn model(page: &str, file: &str) -> String {
    let text = std::fs::read_to_string(root().join("docs/book/src").join(page)).unwrap();
    let start = text.find(&format!("# {file}\n")).unwrap_or_else(|| panic!("{page} has no {file}"));
    text[start..].split("```").next().unwrap().to_owned()
}

#[test]
fn every_row_of_the_table_of_commands_runs() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("pendulum.toml", PENDULUM);
    write("shaft.toml", &model("steady.md", "shaft.toml"));
    write("shaken.toml", &model("periodic.md", "shaken.toml"));
    let run = |line: &str| {
        let arguments = words(line);
        let mut program = assert_cmd::Command::cargo_bin("mb").unwrap();
        let output = program.args(&arguments[1..]).current_dir(folder.path()).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{line}: {printed}");
    };
    run("mb export pendulum.toml --out .");
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut rows = 0;
    for row in readme.lines().filter(|line| line.starts_with("| `mb ")) {
        for command in commands(row.split(" | ").next().unwrap()) {
            // The distributed engine has tests of its own, which need SLEPc.
            if command.contains("--engine") {
                continue;
            }
            let steady = ["--campbell", "--moving"].iter().any(|option| command.contains(option));
            let model = if steady {
                "shaft.toml"
            } else if command.contains("2*pi/W") {
                "shaken.toml"
            } else {
                "pendulum.toml"
            };
            let line = command.replace("MODEL", model).replace("NAME", "bicycle");
            run(&line.replace("FILE", "picture.svg").replace("FOLDER", "folder"));
            rows += 1;
        }
    }
    assert!(rows >= 20, "only {rows} commands");
}

/// The packages that a block of a manifest names, commented ones too.
fn dependencies(page: &str) -> BTreeSet<String> {
    let lines = page.lines().map(|line| line.trim_start_matches("# "));
    let named = lines.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name.to_owned());
    named.filter(|name| name.starts_with("mb-")).collect()
}

/// The crates of the workspace that the Rust blocks of a page name.
fn crates(page: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for block in page.split("```rust").skip(1) {
        let code = block.split("```").next().unwrap();
        for word in code.split(|c: char| !c.is_alphanumeric() && c != '_') {
            let package = word.replace('_', "-");
            if word.starts_with("mb_") && root().join("crates").join(&package).is_dir() {
                out.insert(package);
            }
        }
    }
    out
}

#[test]
fn manifests_of_examples_name_every_crate_that_the_example_needs() {
    let folders = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        folders.map(|folder| folder.join("README.md")).filter(|page| page.is_file()).collect();
    pages.push(root().join("README.md"));
    let mut examples = 0;
    for page in &pages {
        let text = std::fs::read_to_string(page).unwrap();
        let (needed, given) = (crates(&text), dependencies(&text));
        let missing: Vec<_> = needed.difference(&given).collect();
        assert!(missing.is_empty(), "{}: the manifest shown lacks {missing:?}", page.display());
        examples += usize::from(!needed.is_empty());
    }
    assert!(examples >= 10, "only {examples} examples");
}
