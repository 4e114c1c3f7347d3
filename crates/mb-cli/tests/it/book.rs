//! The README and the pages of the book, run as a reader would: models written, commands run, in the order of the page.

use std::path::{Path, PathBuf};

/// A fenced block of a page.
struct Block<'t> {
    language: &'t str,
    text: String,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut out: Vec<Block<'_>> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            inside = !inside;
            if inside {
                out.push(Block { language, text: String::new() });
            }
        } else if let Some(block) = out.last_mut().filter(|_| inside) {
            block.text.push_str(line);
            block.text.push('\n');
        }
    }
    out
}

/// Runs what a page shows in an empty folder; the number of commands that were run.
///
/// A block of TOML that starts with `# NAME.toml` is that file, any other whole model must pass `mb check`. Of shell blocks,
/// the lines that call `mb` are run.
fn follow(page: &Path) -> usize {
    let text = std::fs::read_to_string(page).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let program = PathBuf::from(assert_cmd::Command::cargo_bin("mb").unwrap().get_program());
    let mut path = program.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let run = |line: &str| {
        let mut shell = std::process::Command::new("sh");
        let output = shell.args(["-c", line]).current_dir(folder.path()).env("PATH", &path).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{}: {line}\n{said}", page.display());
    };
    let mut commands = 0;
    for block in blocks(&text) {
        if block.language == "toml" && block.text.contains("units = ") {
            let named = block.text.lines().next().and_then(|l| l.strip_prefix("# "));
            let name = named
                .filter(|n| Path::new(n).extension().is_some_and(|e| e == "toml"))
                .unwrap_or("model.toml");
            std::fs::write(folder.path().join(name), &block.text).unwrap();
            run(&format!("mb check {name}"));
        }
        if block.language == "sh" {
            for line in block.text.lines().filter(|l| l.starts_with("mb ")) {
                run(line);
                commands += 1;
            }
        }
    }
    commands
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_readme_can_be_followed() {
    assert!(follow(&root().join("README.md")) >= 3);
}

#[test]
fn the_book_can_be_followed() {
    let pages: Vec<PathBuf> =
        std::fs::read_dir(root().join("docs/book/src")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let commands: usize = pages
        .iter()
        .filter(|page| page.extension().is_some_and(|e| e == "md"))
        .map(|page| follow(page))
        .sum();
    assert!(commands >= 20, "only {commands} commands");
}
