//! Drafts of files and folders that are written under another name first, and what killed runs leave of them.
//!
//! The draft of `out` is `.out.PROCESS.part` beside it, or `.out.WHAT.PROCESS.part`. It is abandoned where the process of that number does
//! not run here and nobody holds a lock on it: a process of another machine, or in a container of its own, is seen by its lock.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The name of a draft of this process.
pub fn beside(target: &Path, what: &str) -> PathBuf {
    let name = target.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let what = if what.is_empty() { String::new() } else { format!("{what}.") };
    target.with_file_name(format!(".{name}.{what}{}.part", std::process::id()))
}

/// Says that a draft is in use for as long as it is open; a file system without locks has the number of the process.
pub fn held(draft: &Path) -> Option<File> {
    File::open(draft).ok().filter(|file| file.try_lock().is_ok())
}

/// Removes what killed runs have left of the same output. `what`: as in [`beside`].
pub fn remove_abandoned(target: &Path, what: &str) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = target.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let prefix = if what.is_empty() { format!(".{name}.") } else { format!(".{name}.{what}.") };
    remove_named(folder, &prefix, ".part");
}

/// Removes abandoned files and folders whose names have nothing but the number of a process between two parts.
pub(crate) fn remove_named(folder: &Path, prefix: &str, suffix: &str) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let process =
            path.file_name().and_then(|own| own.to_str()?.strip_prefix(prefix)?.strip_suffix(suffix));
        if process.and_then(|number| number.parse().ok()).is_some_and(|number| !runs(number)) {
            remove_free(&path);
        }
    }
}

/// Whether a process runs here.
fn runs(process: u32) -> bool {
    process == std::process::id() || Path::new(&format!("/proc/{process}")).exists()
}

/// Removes a file or a folder on which nobody holds a lock; what is neither is no draft, whatever its name.
fn remove_free(path: &Path) {
    let Ok(there) = fs::symlink_metadata(path) else { return };
    if (there.is_file() || there.is_dir()) && held(path).is_some() {
        // What cannot be removed is the user's to remove.
        let _ = if there.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_killed_runs_left_goes_with_the_next_and_what_others_write_stays() {
        let dir = crate::folder::Scratch::new().unwrap();
        let place = |name: &str| dir.path().join(name);
        // No system gives these numbers to processes.
        let (dead, elsewhere) = (u32::MAX - 1, u32::MAX - 2);
        let left = [place(&format!(".a.{dead}.part")), place(&format!(".a.{}.part", u32::MAX - 3))];
        let stays = [
            place(&format!(".a.{elsewhere}.part")),
            place(&format!(".b.{dead}.part")),
            place(&format!(".a.lines.{dead}.part")),
            place(".a.old.part"),
            place(&format!(".a.{}.part", if cfg!(target_os = "linux") { 1 } else { elsewhere })),
        ];
        fs::write(&left[0], "begun").unwrap();
        for path in stays.iter().chain([&left[1]]) {
            fs::create_dir(path).unwrap();
            fs::write(path.join("k.petsc"), "begun").unwrap();
        }
        let _in_use = if cfg!(unix) { held(&stays[0]) } else { None };
        remove_abandoned(&place("a"), "");
        assert!(left.iter().all(|path| !path.exists()));
        assert!(cfg!(not(unix)) || stays.iter().all(|path| path.exists()));
        remove_abandoned(&place("a"), "lines");
        assert!(!stays[2].exists());
    }
}
