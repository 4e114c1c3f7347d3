//! Text that only means something on one machine: absolute paths of a home or work folder.

use std::path::Path;

use super::Findings;
use super::tree::{SourceFile, collect, has_extension};
use crate::error::TaskError;
use crate::root;

const FOLDERS: [&str; 7] = ["crates", "xtask", "benchmarks", "fixtures", "docs", "examples", ".ci"];
/// Extensions of text files; a file without one is text too.
const EXTENSIONS: [&str; 9] = ["rs", "toml", "md", "json", "bib", "txt", "sh", "snap", "yml"];
/// Beginnings of such paths, in two halves because this file is read too.
const BEGINNINGS: [(&str, &str); 6] =
    [("/ho", "me/"), ("/wo", "rk/"), ("/ro", "ot/"), ("/Us", "ers/"), ("/tm", "p/"), ("C:", "\\")];

/// Applies the rule to all text files.
pub(crate) fn check(root: &Path, findings: &mut Findings) -> Result<(), TaskError> {
    let is_text = |name: &str| has_extension(name, &EXTENSIONS) || !name.contains('.');
    let mut files = Vec::new();
    for folder in FOLDERS {
        collect(root, folder, &is_text, &mut files)?;
    }
    for name in root::entries(root, ".")? {
        if is_text(&name) && root.join(&name).is_file() {
            files.push(SourceFile { text: root::read(root, &name)?, place: name });
        }
    }
    for file in &files {
        for (number, line) in file.text.lines().enumerate() {
            if let Some(path) = machine_path(line) {
                findings.failures.push(format!(
                    "{}:{}: `{path}` is a path of one machine",
                    file.place,
                    number + 1
                ));
            }
        }
    }
    Ok(())
}

/// The machine path in a line, if there is one; part of an address or of a longer path is none.
fn machine_path(line: &str) -> Option<String> {
    for (head, tail) in BEGINNINGS {
        let beginning = format!("{head}{tail}");
        for (at, _) in line.match_indices(&beginning) {
            let before = line[..at].chars().next_back();
            if !before.is_some_and(|c| c.is_alphanumeric() || "./-_~}".contains(c)) {
                let path = line[at..].split(|c: char| c.is_whitespace() || "\"'`)>,;".contains(c)).next()?;
                return Some(path.to_owned());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::machine_path;

    #[test]
    fn absolute_paths_are_found_and_addresses_are_not() {
        let path = ["/ho", "me/someone/x.rs"].concat();
        assert_eq!(machine_path(&format!("see `{path}` there")), Some(path.clone()));
        assert_eq!(machine_path(&format!("https://example.org{path}")), None);
        assert_eq!(machine_path("crates/mb-model/src/lib.rs"), None);
        assert!(machine_path(&["\"C:", "\\x\""].concat()).is_some());
    }
}
