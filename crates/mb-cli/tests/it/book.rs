//! The README and the pages of the book, run as a reader would: models written, commands run, in the order of the page.
//!
//! Commands of cargo would build and measure for hours; of them the packages, examples, benches and tasks they name must exist.
//! Blocks in Rust are compiled by the crate `benchmarks`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use mb_model::ModelSpec;

/// A fenced block of a page.
struct Block<'t> {
    language: &'t str,
    text: String,
    /// Nothing but empty lines stands between this block and the one before.
    adjoins: bool,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut out: Vec<Block<'_>> = Vec::new();
    let (mut inside, mut adjoins) = (false, false);
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            inside = !inside;
            if inside {
                out.push(Block { language, text: String::new(), adjoins });
            }
            adjoins = true;
        } else if let Some(block) = out.last_mut().filter(|_| inside) {
            block.text.push_str(line);
            block.text.push('\n');
        } else {
            adjoins &= line.is_empty();
        }
    }
    out
}

/// The folder in which a page is followed, and what its last command printed.
struct Reader<'p> {
    page: &'p Path,
    folder: tempfile::TempDir,
    /// The search path of the shell, with the program first.
    path: std::ffi::OsString,
    printed: Option<String>,
    commands: usize,
}

impl Reader<'_> {
    fn run(&mut self, line: &str) {
        let mut shell = std::process::Command::new("sh");
        let output = shell
            .args(["-c", line])
            .current_dir(self.folder.path())
            .env("PATH", &self.path)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{}: {line}\n{said}", self.page.display());
        self.printed = Some(String::from_utf8_lossy(&output.stdout).into_owned());
        self.commands += 1;
    }

    /// What `mb check` says of a model; one that is `driven` has no equilibrium while its drives move, which is no fault of it.
    fn check(&mut self, name: &str, driven: bool) {
        let line = format!("mb check {name}");
        let still = format!("{line} || {line} | grep -q 'there is no equilibrium then'");
        self.run(if driven { &still } else { &line });
    }

    /// A block of TOML with units is a model: the file its first line names (`# NAME.toml`), which must pass `mb check`. One with
    /// dependencies is part of a manifest; any other is a fragment of a model and must be understood as such.
    fn toml(&mut self, text: &str) {
        let page = self.page.display();
        if text.contains("[dependencies]") {
            let manifest: toml::Table = toml::from_str(text).unwrap_or_else(|e| panic!("{page}: {e}"));
            for name in manifest["dependencies"].as_table().unwrap().keys() {
                assert!(root().join("crates").join(name).is_dir(), "{page}: no crate {name}");
            }
        } else if text.contains("units = ") {
            let named = text.lines().next().and_then(|l| l.strip_prefix("# "));
            let name = named
                .filter(|n| Path::new(n).extension().is_some_and(|e| e == "toml"))
                .unwrap_or("model.toml");
            std::fs::write(self.folder.path().join(name), text).unwrap();
            self.check(name, text.contains("[[drive]]"));
        } else {
            let whole = format!("units = \"SI\"\nname = \"fragment\"\n{text}");
            if let Err(error) = ModelSpec::from_toml(&whole) {
                panic!("{page}: {error}\n{text}");
            }
        }
        self.printed = None;
    }

    /// A block for Octave runs on the files that the commands before it have written.
    fn octave(&mut self, text: &str) {
        let script = self.folder.path().join("page.m");
        std::fs::write(&script, text).unwrap();
        let run = std::process::Command::new("octave-cli")
            .args(["--norc", "page.m"])
            .current_dir(self.folder.path())
            .env("PATH", &self.path)
            .output();
        let page = self.page.display();
        match run {
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{page}: Octave: {said}\n{text}");
            }
            // Written past the test harness, which would keep it to itself.
            Err(_) => {
                let _ =
                    writeln!(std::io::stderr(), "NOT RUN: the block of {page} for Octave needs octave-cli");
            }
        }
    }

    fn block(&mut self, block: &Block<'_>) {
        match block.language {
            "toml" => self.toml(&block.text),
            "sh" => {
                self.printed = None;
                for line in block.text.lines() {
                    if line.starts_with("mb ") {
                        self.run(line);
                    } else if !line.is_empty() {
                        assert!(cargo_knows(line), "{}: nobody knows `{line}`", self.page.display());
                    }
                }
            }
            // What stands right behind commands is what the last of them prints, or part of it.
            "text" => {
                let command = |line: &&str| line.starts_with("mb ") || line.starts_with("cargo ");
                let hidden = block.text.lines().find(command);
                assert!(hidden.is_none(), "{}: a command that no test runs: {hidden:?}", self.page.display());
                if let Some(printed) = self.printed.take().filter(|_| block.adjoins) {
                    let page = self.page.display();
                    assert!(shows(&printed, &block.text), "{page}:\n{}\nprinted:\n{printed}", block.text);
                }
            }
            "json" => {
                let parsed = serde_json::from_str::<serde_json::Value>(&block.text);
                assert!(parsed.is_ok(), "{}: {parsed:?}", self.page.display());
            }
            "octave" => self.octave(&block.text),
            // The tests of the Python package run the blocks of these pages.
            "python" => {
                let name = self.page.file_name().and_then(|name| name.to_str());
                let run = name.is_some_and(|name| {
                    ["README.md", "python.md", "response.md", "json-output.md"].contains(&name)
                });
                assert!(run, "{}: no test of the Python package runs this page", self.page.display());
            }
            // Blocks in Rust are compiled and run as examples of the crates and of `benchmarks`.
            language => {
                let known = ["rust", "rust,no_run"].contains(&language);
                assert!(known, "{}: no test knows blocks of {language:?}", self.page.display());
            }
        }
    }
}

/// Runs what a page shows in an empty folder; the number of commands that were run.
fn follow(page: &Path) -> usize {
    let text = std::fs::read_to_string(page).unwrap();
    let program = PathBuf::from(assert_cmd::Command::cargo_bin("mb").unwrap().get_program());
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(program.parent().unwrap().to_owned()).chain(std::env::split_paths(&usual));
    let path = std::env::join_paths(folders).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut reader = Reader { page, folder, path, printed: None, commands: 0 };
    for block in blocks(&text) {
        reader.block(&block);
    }
    for line in text.split('`').filter(|code| code.starts_with("cargo ") || code.starts_with("RAYON_")) {
        assert!(cargo_knows(line), "{}: nobody knows `{line}`", page.display());
    }
    reader.commands
}

/// Whether the lines of a block follow each other in an output, with numbers equal to a thousandth or both rounding.
fn shows(printed: &str, block: &str) -> bool {
    let words = |text: &str| -> Vec<Vec<String>> {
        text.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
    };
    let (printed, block) = (words(printed), words(block));
    printed.windows(block.len().max(1)).any(|part| {
        part.iter().zip(&block).all(|(a, b)| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)))
    })
}

/// Equal words; numbers to a thousandth, as an error bound of rounding changes with the processor.
fn same(a: &str, b: &str) -> bool {
    let number = |word: &str| word.trim_start_matches('±').parse::<f64>();
    match (number(a), number(b)) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-3 * b.abs() || (a.abs() < 1e-9 && b.abs() < 1e-9),
        _ => a == b,
    }
}

/// Whether the packages, targets and tasks exist that a command of cargo names.
fn cargo_knows(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().skip_while(|word| word.contains('=')).collect();
    let after = |flag: &str| words.iter().position(|word| *word == flag).and_then(|at| words.get(at + 1));
    let folder = |package: &str| {
        let inside = root().join("crates").join(package);
        if inside.is_dir() { inside } else { root().join(package) }
    };
    let package = after("-p").or_else(|| after("--package")).map(|package| folder(package));
    let target = |kind: &str, name: &str| {
        package.as_ref().is_some_and(|package| {
            let place = package.join(kind);
            place.join(format!("{name}.rs")).is_file() || place.join(name).join("main.rs").is_file()
        })
    };
    match words[..] {
        ["cargo", "xtask", task, ..] => {
            let tasks = std::fs::read_to_string(root().join("xtask/src/main.rs")).unwrap();
            tasks.contains(&format!("({}::", task.replace('-', "_")))
        }
        ["cargo", "install", "--locked", "--path", path, ..] => {
            root().join(path).join("Cargo.toml").is_file()
        }
        ["cargo", "test" | "package", "--workspace", ..] | ["cargo", "fetch" | "deny"] => true,
        // The tests of the Python package run what its pages show.
        ["pip", "install", ..] | ["python", ..] => root().join("pyproject.toml").is_file(),
        ["cargo", "build" | "test", ..] => package.as_ref().is_none_or(|package| package.is_dir()),
        ["cargo", "run", ..] => after("--example").is_some_and(|name| target("examples", name)),
        ["cargo", "bench", ..] => {
            package.as_ref().is_some_and(|package| package.join("benches").is_dir())
                && after("--bench").is_none_or(|name| target("benches", name))
        }
        _ => false,
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|page| page.extension().is_some_and(|e| e == "md")).collect()
}

#[test]
fn the_readme_can_be_followed() {
    assert!(follow(&root().join("README.md")) >= 2);
}

#[test]
fn the_readmes_of_the_crates_can_be_followed() {
    let folders = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let pages: Vec<PathBuf> =
        folders.map(|folder| folder.join("README.md")).filter(|page| page.is_file()).collect();
    assert!(pages.len() >= 10, "{pages:?}");
    let commands: usize = pages.iter().map(|page| follow(page)).sum();
    assert!(commands >= 2, "only {commands} commands");
}

#[test]
fn the_book_can_be_followed() {
    let commands: usize = pages("docs/book/src").iter().map(|page| follow(page)).sum();
    assert!(commands >= 40, "only {commands} commands");
}

#[test]
fn the_chapters_on_papers_can_be_followed() {
    let commands: usize = pages("docs/book/src/papers").iter().map(|page| follow(page)).sum();
    assert!(commands >= 3, "only {commands} commands");
}

#[test]
fn the_pages_beside_the_book_can_be_followed() {
    for page in ["ARCHITECTURE.md", "SECURITY.md", "docs/json-output.md"] {
        follow(&root().join(page));
    }
}

/// The pages that people read for figures: the table now, the machine, the command, one paragraph of why.
#[test]
fn pages_of_measurements_are_short() {
    for name in ["speed", "building", "peers-explained", "peers-motion", "stress", "fuzz"] {
        let text = std::fs::read_to_string(root().join(format!("docs/book/src/{name}.md"))).unwrap();
        let words = text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
        assert!(words <= 900, "{name}.md has {words} words");
    }
}

#[test]
fn the_document_of_an_error_has_the_keys_that_its_page_shows() {
    let page = std::fs::read_to_string(root().join("docs/json-output.md")).unwrap();
    let shown = blocks(&page).into_iter().find(|block| block.language == "json").unwrap();
    let shown: serde_json::Value = serde_json::from_str(&shown.text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pendulum.toml");
    let text = mb_cli::gallery::find("rod-pendulum").unwrap().text.replacen("mass", "mas", 1);
    std::fs::write(&file, text).unwrap();
    let output =
        assert_cmd::Command::cargo_bin("mb").unwrap().args(["check", "--json"]).arg(&file).output().unwrap();
    let printed: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default()
    };
    assert_eq!(keys(&printed), keys(&shown));
    assert_eq!(keys(&printed["error"]), keys(&shown["error"]));
    assert_eq!(keys(&printed["error"]["problems"][0]), keys(&shown["error"]["problems"][0]), "{printed}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn every_page_is_in_the_summary_and_every_link_leads_somewhere() {
    let folder = root().join("docs/book/src");
    let summary = std::fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
    let mut all = pages("docs/book/src");
    all.extend(pages("docs/book/src/papers"));
    all.push(root().join("README.md"));
    for page in &all {
        if let Ok(name) = page.strip_prefix(&folder) {
            let name = name.to_str().unwrap();
            assert!(
                name == "SUMMARY.md" || summary.contains(&format!("({name})")),
                "{name} is not in SUMMARY.md"
            );
        }
        let text = std::fs::read_to_string(page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap();
            let outside = link.contains("://") || path.is_empty() || path.contains(' ');
            let there = page.parent().unwrap().join(path).exists();
            assert!(outside || there, "{}: ({link}) leads nowhere", page.display());
            // The built book holds nothing else.
            let up = path.split('/').filter(|part| *part == "..").count();
            let depth = page.strip_prefix(&folder).map_or(usize::MAX, |name| name.components().count() - 1);
            assert!(up <= depth, "{}: ({link}) leads out of the book", page.display());
        }
    }
}

#[test]
fn outputs_are_compared_by_words_and_numbers() {
    let printed = "one\n mode  0  ±4.95227  8.7e-17\nlast\n";
    assert!(shows(printed, "mode 0 ±4.9523 0\n"));
    assert!(shows(printed, "mode 0 ±4.95 3.4e-15\nlast\n"));
    assert!(!shows(printed, "mode 0 ±4.90 0\n"));
    assert!(!shows(printed, "one\nlast\n"));
}

#[test]
fn commands_of_cargo_are_known_by_what_they_name() {
    assert!(cargo_knows("RAYON_NUM_THREADS=1 cargo run --release -p benchmarks --example pendulum_table"));
    assert!(cargo_knows("cargo xtask bench-peers motion"));
    assert!(!cargo_knows("cargo xtask no-such-task"));
    assert!(!cargo_knows("cargo bench -p benchmarks --bench no_such_bench"));
}
