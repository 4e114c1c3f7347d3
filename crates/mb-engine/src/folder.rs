//! The folder of an exchange: written whole or not at all, read with its checksums.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use mb_eigen::engine::ForEngine;

use crate::manifest::{MANIFEST, Manifest};
use crate::{EngineError, Package, checksum, draft};

/// How the names of folders for one run begin.
const SCRATCH: &str = "mb-engine-";

/// What a path cannot take.
pub(crate) fn unwritable(path: &Path, source: io::Error) -> EngineError {
    EngineError::Folder { path: path.display().to_string(), source }
}

/// Refuses a folder with something in it.
///
/// # Errors
/// [`EngineError::Folder`].
pub(crate) fn refuse_full(folder: &Path) -> Result<(), EngineError> {
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        let words = "the folder is not empty; name another one, or remove it";
        return Err(unwritable(folder, io::Error::new(io::ErrorKind::AlreadyExists, words)));
    }
    Ok(())
}

/// A folder beside another one under a hidden name, for work in progress, and the lock on it; those that killed runs have left go.
fn draft_of(folder: &Path, what: &str) -> Result<(PathBuf, Option<File>), EngineError> {
    draft::remove_abandoned(folder, what);
    let path = draft::beside(folder, what);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).map_err(|source| unwritable(folder, source))?;
    let held = draft::held(&path);
    Ok((path, held))
}

/// Writes a package under another name, which becomes the folder when all is there.
///
/// A folder that exists is refused unless it is empty.
///
/// # Errors
/// [`EngineError::Folder`].
pub(crate) fn write(
    package: &Package<'_, impl ForEngine>,
    ranks: usize,
    folder: &Path,
) -> Result<(), EngineError> {
    refuse_full(folder)?;
    let (temporary, _held) = draft_of(folder, "")?;
    let create = |name: &str| -> io::Result<Box<dyn Write>> {
        Ok(Box::new(BufWriter::new(File::create(temporary.join(name))?)))
    };
    let written = package.write(ranks, create).map_err(|error| match error {
        EngineError::Io(source) => unwritable(folder, source),
        other => other,
    });
    let made = written.and_then(|_| {
        // An empty folder may stand where this one goes.
        let _ = fs::remove_dir(folder);
        fs::rename(&temporary, folder).map_err(|source| unwritable(folder, source))
    });
    made.inspect_err(|_| drop(fs::remove_dir_all(&temporary)))
}

/// The bytes of a file of a folder; none where there is no such file.
///
/// # Errors
/// [`EngineError::Malformed`] where it cannot be read.
pub(crate) fn read(folder: &Path, name: &str) -> Result<Option<Vec<u8>>, EngineError> {
    match fs::read(folder.join(name)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(EngineError::Malformed { file: name.to_owned(), why: e.to_string() }),
    }
}

/// Whether a folder is that of a package, and as it was written.
///
/// # Errors
/// [`EngineError::NoManifest`]; others for another version or package and changed files.
pub(crate) fn check(folder: &Path, package: &str) -> Result<(), EngineError> {
    let path = folder.join(MANIFEST);
    let text = fs::read_to_string(&path)
        .map_err(|source| EngineError::NoManifest { path: path.display().to_string(), source })?;
    let manifest = Manifest::from_text(&text)?;
    manifest.is_of(package)?;
    for entry in &manifest.files {
        let changed = |why: &str| EngineError::Changed { file: entry.name.clone(), why: why.to_owned() };
        let bytes = read(folder, &entry.name)?.ok_or_else(|| changed("it is missing"))?;
        // Scripts are there to be fitted to a queue.
        if Path::new(&entry.name).extension().is_some_and(|e| e == "sh") {
            continue;
        }
        if bytes.len() as u64 != entry.bytes {
            return Err(changed("it has another length"));
        }
        if checksum(&bytes) != entry.checksum {
            return Err(changed("its checksum is another one"));
        }
    }
    Ok(())
}

/// A folder for one run, removed at the end.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    /// The lock on it.
    _held: Option<File>,
}

impl Scratch {
    /// A new one among the temporary files of the system.
    pub(crate) fn new() -> Result<Self, EngineError> {
        let base = std::env::temp_dir();
        draft::remove_named(&base, SCRATCH, "-0");
        let mut last = io::Error::other("all names are taken");
        for number in 0..1000 {
            let path = base.join(format!("{SCRATCH}{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { _held: draft::held(&path), path }),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => last = e,
                Err(e) => return Err(unwritable(&path, e)),
            }
        }
        Err(unwritable(&base, last))
    }

    /// One beside another folder, with as much room.
    pub(crate) fn beside(folder: &Path) -> Result<Self, EngineError> {
        let (path, held) = draft_of(folder, "lines")?;
        Ok(Self { path, _held: held })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is the system's to remove.
        let _ = fs::remove_dir_all(&self.path);
    }
}
