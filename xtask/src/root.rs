//! The source tree the task works on.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::TaskError;

/// The root of the workspace: the nearest folder at or above the start that has both `Cargo.lock` and `fixtures`.
///
/// The start is the manifest folder cargo gives at run time, else the current folder, so no path of the machine that
/// built the program is compiled into it.
pub(crate) fn workspace_root() -> Result<PathBuf, TaskError> {
    let start = match std::env::var_os("CARGO_MANIFEST_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => std::env::current_dir().map_err(|_| TaskError::NoWorkspace)?,
    };
    start
        .ancestors()
        .find(|folder| folder.join("Cargo.lock").is_file() && folder.join("fixtures").is_dir())
        .map(Path::to_path_buf)
        .ok_or(TaskError::NoWorkspace)
}

/// Reads a file; `place` is its path from the root.
pub(crate) fn read(root: &Path, place: &str) -> Result<String, TaskError> {
    fs::read_to_string(root.join(place)).map_err(|source| TaskError::File {
        file: place.to_owned(),
        action: "read",
        source,
    })
}

/// Reads a file that may not exist yet.
pub(crate) fn read_if_present(root: &Path, place: &str) -> Result<Option<String>, TaskError> {
    match fs::read_to_string(root.join(place)) {
        Ok(text) => Ok(Some(text)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(TaskError::File { file: place.to_owned(), action: "read", source }),
    }
}

/// Writes a file, making its folder first; leaves it untouched when its text is the same.
pub(crate) fn write(root: &Path, place: &str, text: &str) -> Result<(), TaskError> {
    if read_if_present(root, place)?.as_deref() == Some(text) {
        return Ok(());
    }
    let path = root.join(place);
    let failed = |source| TaskError::File { file: place.to_owned(), action: "written", source };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(path, text).map_err(failed)
}

/// Names of the entries of a folder, sorted; empty when the folder does not exist.
pub(crate) fn entries(root: &Path, place: &str) -> Result<Vec<String>, TaskError> {
    let failed = |source| TaskError::File { file: place.to_owned(), action: "read", source };
    let mut names = Vec::new();
    match fs::read_dir(root.join(place)) {
        Ok(folder) => {
            for entry in folder {
                names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
            }
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
        Err(source) => return Err(failed(source)),
    }
    names.sort();
    Ok(names)
}
