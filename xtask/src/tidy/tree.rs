//! The files of the source tree.

use std::path::Path;

use crate::error::TaskError;
use crate::root;

/// Folders that hold sources, from the root.
const SOURCE_FOLDERS: [&str; 4] = ["crates", "xtask", "benchmarks", "examples"];
/// Folders that hold no sources of ours.
const SKIPPED: [&str; 2] = ["target", ".git"];

/// A text file with its place from the root.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    pub(crate) place: String,
    pub(crate) text: String,
}

/// All Rust sources, sorted by place.
pub(crate) fn rust_sources(root: &Path) -> Result<Vec<SourceFile>, TaskError> {
    let mut found = Vec::new();
    for folder in SOURCE_FOLDERS {
        collect(root, folder, &|name| has_extension(name, &["rs"]), &mut found)?;
    }
    Ok(found)
}

/// All text files below a folder whose names satisfy `wanted`.
pub(crate) fn collect(
    root: &Path,
    folder: &str,
    wanted: &dyn Fn(&str) -> bool,
    found: &mut Vec<SourceFile>,
) -> Result<(), TaskError> {
    for name in root::entries(root, folder)? {
        let place = format!("{folder}/{name}");
        if root.join(&place).is_dir() {
            if !SKIPPED.contains(&name.as_str()) {
                collect(root, &place, wanted, found)?;
            }
        } else if wanted(&name) {
            // A file may vanish between listing and reading while someone edits the tree.
            if let Some(text) = root::read_if_present(root, &place)? {
                found.push(SourceFile { place, text });
            }
        }
    }
    Ok(())
}

/// Whether a file's extension is one of these.
pub(crate) fn has_extension(name: &str, extensions: &[&str]) -> bool {
    Path::new(name).extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e))
}
