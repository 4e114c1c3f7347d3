//! A long run that can go on after an end from outside, with the same bits.
//!
//! Each step of the work, once it is done, is a line of its numbers in a file. The same run takes these
//! steps from there and computes those that are missing. The first line says which run it is: version, analysis, model and options;
//! another run is refused. Every line is written at once and has a checksum, so that a crash loses one step at most. The file is
//! locked while a run writes to it, and removed when the run has finished.
//!
//! Numbers are the shortest decimals that read back as the same double.

use mb_parametric::Journal;
use std::collections::VecDeque;
use std::fmt::{Debug, Write as _};
use std::fs::{File, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Changes whenever the meaning of a line does.
const VERSION: u32 = 2;
const KIND: &str = "mb checkpoint";
/// Most bytes of a file that is read.
const LARGEST: u64 = 1 << 34;

/// Why a file is not one that a run goes on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotThisRun {
    /// A folder or a device.
    NoFile,
    /// A file of something else.
    NoCheckpoint,
    /// More than 16 GiB.
    TooLarge,
    /// Another process has locked it.
    InUse,
    /// Written by another version.
    Version,
    /// Of another analysis.
    Analysis,
    /// Of another model.
    Model,
    /// With other options.
    Options,
}

impl std::fmt::Display for NotThisRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoFile => "it is no file",
            Self::NoCheckpoint => "it is no checkpoint of this program",
            Self::TooLarge => "it is too large",
            Self::InUse => "another run writes to it",
            Self::Version => "it belongs to another run, of another version of the program",
            Self::Analysis => "it belongs to another run, of another command",
            Self::Model => "it belongs to another run, of another model",
            Self::Options => "it belongs to another run, with other options",
        })
    }
}

/// A file that steps cannot be kept in.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// One that the run cannot go on from; it is left as it is.
    #[error("the run cannot go on from `{}`: {reason}", path.display())]
    NotThisRun {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: NotThisRun,
    },
    /// One that cannot be read or written.
    #[error("the file `{}` cannot be written: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Sixteen hexadecimal digits that differ for models, or options, that differ in anything.
pub fn fingerprint(of: &impl Debug) -> String {
    let mut hasher = DefaultHasher::new();
    format!("{of:?}").hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// What makes a run this run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Format and version.
    version: String,
    analysis: String,
    model: String,
    options: String,
}

impl Run {
    /// A run of `analysis`, a word, with a model and all else that its numbers depend on.
    pub fn new(analysis: &str, model: &impl Debug, options: &impl Debug) -> Self {
        Self {
            version: format!("{VERSION} {}", env!("CARGO_PKG_VERSION")),
            analysis: analysis.to_owned(),
            model: fingerprint(model),
            options: fingerprint(options),
        }
    }

    fn line(&self) -> String {
        let Self { version, analysis, model, options } = self;
        format!("{KIND} {version} {analysis} {model} {options}\n")
    }

    /// Why a file that begins with `line` belongs to another run; none where it is this one.
    fn other(&self, line: &str) -> Option<NotThisRun> {
        if line == self.line().trim_end() {
            return None;
        }
        let words: Vec<&str> = line.strip_prefix(KIND).unwrap_or_default().split_whitespace().collect();
        let [format, version, analysis, model, options] = words[..] else {
            return Some(NotThisRun::NoCheckpoint);
        };
        Some(if format!("{format} {version}") != self.version {
            NotThisRun::Version
        } else if analysis != self.analysis {
            NotThisRun::Analysis
        } else if model != self.model {
            NotThisRun::Model
        } else if options != self.options {
            NotThisRun::Options
        } else {
            NotThisRun::NoCheckpoint
        })
    }
}

/// The steps of a run, in a file or nowhere.
#[derive(Debug)]
pub struct Checkpoint {
    /// The file and where it is; none where nothing is kept.
    file: Option<(File, PathBuf)>,
    /// Steps of an earlier run that were not asked for yet.
    earlier: VecDeque<Vec<f64>>,
    /// The first step that could not be written.
    failed: Option<io::Error>,
}

impl Checkpoint {
    /// Opens the file of a run, which may have steps of it; without a path nothing is kept.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn open(path: Option<&Path>, run: &Run) -> Result<Self, CheckpointError> {
        let mut out = Self { file: None, earlier: VecDeque::new(), failed: None };
        let Some(path) = path else { return Ok(out) };
        let bad = |reason| CheckpointError::NotThisRun { path: path.to_owned(), reason };
        let unwritable = |source| CheckpointError::Unwritable { path: path.to_owned(), source };
        let options = File::options().read(true).append(true).create(true).clone();
        let mut file = options.open(path).map_err(unwritable)?;
        let about = file.metadata().map_err(unwritable)?;
        if !about.is_file() {
            return Err(bad(NotThisRun::NoFile));
        }
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(bad(NotThisRun::InUse)),
            // Some file systems have no locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        if about.len() > LARGEST {
            return Err(bad(NotThisRun::TooLarge));
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(unwritable)?;
        let head = run.line();
        // Begun just now, or by a run that was killed before its first line was there.
        if head.as_bytes().starts_with(&text) && text.len() < head.len() {
            file.set_len(0).and_then(|()| file.write_all(head.as_bytes())).map_err(unwritable)?;
        } else {
            let text = std::str::from_utf8(&text).unwrap_or_else(|e| {
                // What is torn is not text.
                std::str::from_utf8(&text[..e.valid_up_to()]).unwrap_or_default()
            });
            let first = text.lines().next().unwrap_or_default();
            if let Some(reason) = run.other(first) {
                return Err(bad(reason));
            }
            let mut whole = head.len();
            for line in text[whole..].split_inclusive('\n') {
                let Some(numbers) = read(line) else { break };
                out.earlier.push_back(numbers);
                whole += line.len();
            }
            // What follows the last whole step is done again.
            file.set_len(whole as u64).map_err(unwritable)?;
            file.seek(SeekFrom::End(0)).map_err(unwritable)?;
        }
        out.file = Some((file, path.to_owned()));
        Ok(out)
    }

    /// Ends the work with it: a run that has finished needs its file no more.
    ///
    /// # Errors
    /// [`CheckpointError::Unwritable`], also where a step could not be kept.
    pub fn end(self, finished: bool) -> Result<(), CheckpointError> {
        let Some((file, path)) = self.file else { return Ok(()) };
        drop(file);
        let removed = if finished { std::fs::remove_file(&path) } else { Ok(()) };
        let failed = self.failed.map_or(removed, Err);
        failed.map_err(|source| CheckpointError::Unwritable { path, source })
    }

    /// Whether steps are kept.
    pub const fn is_kept(&self) -> bool {
        self.file.is_some()
    }
}

impl Journal for Checkpoint {
    fn recall(&mut self) -> Option<Vec<f64>> {
        self.earlier.pop_front()
    }

    fn keep(&mut self, numbers: Vec<f64>) {
        let Some((file, _)) = self.file.as_mut().filter(|_| self.failed.is_none()) else { return };
        self.failed = file.write_all(written(&numbers).as_bytes()).err();
    }
}

/// A step as a line: its checksum, and its numbers.
fn written(numbers: &[f64]) -> String {
    let mut words = String::new();
    for x in numbers {
        let _infallible = write!(words, " {x:?}");
    }
    format!("{:016x}{words}\n", checksum(&words))
}

/// A step from its line; none where the line is torn.
fn read(line: &str) -> Option<Vec<f64>> {
    let line = line.strip_suffix('\n')?;
    let (sum, words) = line.split_at_checked(16)?;
    if u64::from_str_radix(sum, 16).ok()? != checksum(words) {
        return None;
    }
    words.split_whitespace().map(|word| word.parse().ok()).collect()
}

/// FNV-1a.
fn checksum(text: &str) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    text.bytes().fold(OFFSET, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        Run::new("track", &"model", &["--from", "1"])
    }

    fn steps(path: &Path, run: &Run) -> Result<Vec<Vec<f64>>, CheckpointError> {
        let mut checkpoint = Checkpoint::open(Some(path), run)?;
        Ok(std::iter::from_fn(|| checkpoint.recall()).collect())
    }

    #[test]
    fn a_file_cut_anywhere_has_the_whole_steps_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("steps");
        let kept = vec![vec![0.1, -0.0, f64::INFINITY, 5e-324], vec![], vec![1.0 / 3.0]];
        let mut checkpoint = Checkpoint::open(Some(&path), &run()).unwrap();
        for numbers in &kept {
            checkpoint.keep(numbers.clone());
        }
        drop(checkpoint);
        let bits = |list: &[Vec<f64>]| -> Vec<Vec<u64>> {
            list.iter().map(|x| x.iter().map(|x| x.to_bits()).collect()).collect()
        };
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(bits(&steps(&path, &run()).unwrap()), bits(&kept));
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let lines = whole[..cut].split(|b| *b == b'\n').count() - 1;
            let found = steps(&path, &run()).unwrap();
            assert_eq!(bits(&found), bits(&kept[..lines.saturating_sub(1)]), "{cut}");
            // And it can be gone on with.
            let mut checkpoint = Checkpoint::open(Some(&path), &run()).unwrap();
            checkpoint.keep(vec![7.0]);
            drop(checkpoint);
            assert_eq!(steps(&path, &run()).unwrap().last(), Some(&vec![7.0]), "{cut}");
        }
    }

    #[test]
    fn another_run_is_refused_in_words_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("steps");
        drop(Checkpoint::open(Some(&path), &run()).unwrap());
        let kept = std::fs::read(&path).unwrap();
        let version = Run { version: "1 0.0.1".to_owned(), ..run() };
        for (other, words) in [
            (Run::new("parametric", &"model", &["--from", "1"]), "another command"),
            (Run::new("track", &"other", &["--from", "1"]), "another model"),
            (Run::new("track", &"model", &["--from", "2"]), "other options"),
            (version, "another version"),
        ] {
            let said = steps(&path, &other).unwrap_err().to_string();
            assert!(said.contains("belongs to another run") && said.contains(words), "{said}");
            assert_eq!(std::fs::read(&path).unwrap(), kept);
        }
        std::fs::write(&path, "a,b\n1,2\n").unwrap();
        assert!(steps(&path, &run()).unwrap_err().to_string().contains("no checkpoint"));
        assert_eq!(std::fs::read(&path).unwrap(), b"a,b\n1,2\n");
    }

    #[test]
    fn two_runs_do_not_write_to_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("steps");
        let first = Checkpoint::open(Some(&path), &run()).unwrap();
        let said = steps(&path, &run()).unwrap_err().to_string();
        assert!(said.contains("another run writes to it"), "{said}");
        first.end(true).unwrap();
        assert!(!path.exists());
    }
}
