//! Files that are written whole or not at all.

use crate::failure::{FILE, FOLDER, Failure};
use mb_engine::draft;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files begun and not ended, for an end from outside.
static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn drafts<R>(change: impl FnOnce(&mut Vec<PathBuf>) -> R) -> R {
    // A list of paths is whole whatever panicked in other threads.
    change(&mut DRAFTS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Removes what has been begun and not ended.
pub fn discard_drafts() {
    drafts(|list| list.drain(..).for_each(|path| drop(fs::remove_file(path))));
}

/// As [`discard_drafts`] where the program ends in the middle of a call: without waiting for a list that another thread holds.
pub fn discard_drafts_at_once() {
    if let Ok(list) = DRAFTS.try_lock() {
        list.iter().for_each(|path| drop(fs::remove_file(path)));
    }
}

/// A file next to the wanted one that takes its name when it is complete.
///
/// Dropped without [`Draft::finish`] it leaves nothing behind.
#[derive(Debug)]
pub struct Draft {
    target: PathBuf,
    temporary: PathBuf,
    out: Option<BufWriter<File>>,
}

impl Draft {
    /// Begins a file; the folder it stands in must exist.
    ///
    /// # Errors
    /// [`Failure::Unwritable`].
    pub fn new(target: &Path) -> Result<Self, Failure> {
        // The rename would put a file in the place of a device or a pipe.
        if let Ok(there) = fs::metadata(target)
            && !there.is_file()
        {
            let source = if there.is_dir() {
                io::ErrorKind::IsADirectory.into()
            } else {
                io::Error::new(io::ErrorKind::InvalidInput, "it is a device or a pipe")
            };
            return Err(unwritable(target, source));
        }
        draft::remove_abandoned(target, "");
        let temporary = draft::beside(target, "");
        match File::create(&temporary) {
            Ok(file) => {
                // Says that it is in use as long as it is open; a file system without locks has the number of the process.
                let _ = file.try_lock();
                drafts(|list| list.push(temporary.clone()));
                Ok(Self { target: target.to_owned(), temporary, out: Some(BufWriter::new(file)) })
            }
            Err(source) => Err(unwritable(target, source)),
        }
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// [`Failure::Unwritable`].
    pub fn finish(mut self) -> Result<(), Failure> {
        let Some(mut out) = self.out.take() else { return Ok(()) };
        let ended = out.flush();
        drop(out);
        drafts(|list| list.retain(|path| *path != self.temporary));
        ended.and_then(|()| fs::rename(&self.temporary, &self.target)).map_err(|source| {
            let _ = fs::remove_file(&self.temporary);
            unwritable(&self.target, source)
        })
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.as_mut().map_or(Ok(0), |out| out.write(bytes))
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.out.take().is_some() {
            drafts(|list| list.retain(|path| *path != self.temporary));
            // The failure that led here is the one to report.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Writes a file with `fill`.
///
/// # Errors
/// [`Failure::Unwritable`].
pub fn write(target: &Path, fill: impl FnOnce(&mut Draft) -> io::Result<()>) -> Result<(), Failure> {
    draft(target, fill)?.finish()
}

/// Writes all of a file with `fill` and leaves its name to [`Draft::finish`].
fn draft(target: &Path, fill: impl FnOnce(&mut Draft) -> io::Result<()>) -> Result<Draft, Failure> {
    let mut draft = Draft::new(target)?;
    fill(&mut draft).and_then(|()| draft.flush()).map_err(|source| unwritable(target, source))?;
    Ok(draft)
}

/// Files of a folder that belong together: each is written before the first takes its name, so that a full disk leaves those there were as
/// they were.
///
/// Dropped without [`Group::finish`] it leaves nothing behind, nor a folder that was made for it.
#[derive(Debug)]
pub struct Group {
    folder: PathBuf,
    drafts: Vec<Draft>,
    /// Folders that were made, the innermost first.
    made: Vec<PathBuf>,
}

impl Group {
    /// Begins a group in a folder, which is made with those above it.
    ///
    /// # Errors
    /// [`Failure::Unwritable`].
    pub fn new(folder: &Path) -> Result<Self, Failure> {
        let missing =
            folder.ancestors().take_while(|f| !f.as_os_str().is_empty() && fs::symlink_metadata(f).is_err());
        let made = missing.map(Path::to_owned).collect();
        let group = Self { folder: folder.to_owned(), drafts: Vec::new(), made };
        fs::create_dir_all(folder).map_err(|source| Failure::Unwritable {
            what: FOLDER,
            path: folder.display().to_string(),
            source,
        })?;
        Ok(group)
    }

    /// The place of a file of the group.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes all of a file with `fill`; it takes its name with the others.
    ///
    /// # Errors
    /// [`Failure::Unwritable`].
    pub fn write(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut Draft) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.drafts.push(draft(&self.path(name), fill)?);
        Ok(())
    }

    /// Gives all files their names.
    ///
    /// # Errors
    /// [`Failure::Unwritable`].
    pub fn finish(mut self) -> Result<(), Failure> {
        self.drafts.drain(..).try_for_each(Draft::finish)?;
        self.made.clear();
        Ok(())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.drafts.clear();
        // One with files in it stays.
        self.made.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

fn unwritable(path: &Path, source: io::Error) -> Failure {
    Failure::Unwritable { what: FILE, path: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        let names = || fs::read_dir(dir.path()).unwrap().count();
        let failed = write(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("full"))
        });
        assert!(failed.is_err() && names() == 0);
        write(&path, |out| out.write_all(b"whole")).unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), ("whole", 1));
    }

    #[test]
    fn files_of_a_group_are_there_together_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let (above, folder) = (dir.path().join("a"), dir.path().join("a/b"));
        let begun = || {
            let mut group = Group::new(&folder).unwrap();
            group.write("1.txt", |out| out.write_all(b"one")).unwrap();
            group
        };
        assert!(begun().write("2.txt", |_| Err(io::Error::other("full"))).is_err() && !above.exists());
        begun().finish().unwrap();
        let names = || fs::read_dir(&folder).unwrap().count();
        assert_eq!((fs::read_to_string(folder.join("1.txt")).unwrap().as_str(), names()), ("one", 1));
        // What was there before stays.
        assert!(begun().write("2.txt", |_| Err(io::Error::other("full"))).is_err() && names() == 1);
        // A folder in the place of a file.
        assert!(Group::new(&folder.join("1.txt/c")).is_err() && names() == 1);
    }
}
