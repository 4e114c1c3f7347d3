//! The files that a command line names: no two of them are one, since an output would be lost, and those to be written can be.

use super::Command;
use crate::failure::{Failure, RequestError};
use crate::outfile::Draft;
use crate::picture::PictureFormat;
use std::path::{Path, PathBuf};

/// A file and what names it.
type Named<'a> = (&'static str, &'a Path);

/// The files that a command reads and writes.
#[derive(Default)]
struct Files<'a> {
    reads: Vec<Named<'a>>,
    writes: Vec<Named<'a>>,
    /// Of those written, what is a folder.
    folder: Option<&'a Path>,
}

impl<'a> Files<'a> {
    fn read(mut self, name: &'static str, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.reads.extend(paths.into_iter().map(|path| (name, path.as_path())));
        self
    }
    fn write(mut self, name: &'static str, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.writes.extend(paths.into_iter().map(|path| (name, path.as_path())));
        self
    }
    /// A folder, which is made where it does not exist.
    fn folder(mut self, name: &'static str, path: Option<&'a PathBuf>) -> Self {
        self.folder = path.map(PathBuf::as_path);
        self.write(name, path)
    }
    /// The model, and starts that are no NAME=VALUE.
    fn model(mut self, model: &'a str, at: &'a [String]) -> Self {
        if model != "-" {
            self.reads.push(("MODEL", Path::new(model)));
        }
        self.reads
            .extend(at.iter().filter(|at| !at.contains('=')).map(|at| ("--at", Path::new(at.as_str()))));
        self
    }
}

impl Command {
    fn files(&self) -> Files<'_> {
        let none = Files::default();
        match self {
            Self::Modes(a) => none
                .model(a.model.as_deref().unwrap_or("-"), &a.start.at)
                .read("--mass", &a.matrices.mass)
                .read("--stiffness", &a.matrices.stiffness)
                .read("--damping", &a.matrices.damping)
                .read("--constraints", &a.matrices.constraints)
                .read("--descriptor", &a.matrices.descriptor)
                .write("--shapes", &a.output.shapes)
                .write("--plot", a.output.plot.iter().filter(|path| PictureFormat::of(path).is_some()))
                .folder("--plot", a.output.plot.as_ref().filter(|path| PictureFormat::of(path).is_none())),
            Self::Equilibrium(a) => none.model(&a.model.model, &a.start.at).write("--plot", &a.plot),
            Self::StateSpace(a) => none.model(&a.model.model, &a.start.at).write("--output", &a.output),
            Self::Response(a) => {
                none.model(&a.model.model, &a.start.at).write("--output", &a.output).write("--plot", &a.plot)
            }
            Self::Parametric(a) => none
                .model(&a.model.model, &a.centre.about)
                .write("--output", &a.output)
                .write("--checkpoint", &a.checkpoint),
            Self::Track(a) => none
                .model(&a.model.model, &a.centre.about)
                .read("--path", &a.path)
                .write("--output", &a.output)
                .write("--plot", &a.plot)
                .write("--campbell", a.campbell.iter().filter(|path| *path != Path::new("-")))
                .write("--checkpoint", &a.checkpoint),
            Self::Sweep(a) => none
                .model(&a.model.model, &a.start.at)
                .read("--list", &a.list)
                .write("--output", &a.output)
                .write("--map", &a.map),
            Self::Simulate(a) => none
                .model(&a.model.model, &a.at)
                .write("--output", &a.output)
                .folder("--plot", a.plot.as_ref())
                .write("--checkpoint", &a.checkpoint),
            Self::Orbit(a) => none.model(&a.model.model, &a.search.at).write("--output", &a.output),
            Self::Report(a) => {
                none.model(&a.model.model, &a.start.at).write("--output", std::iter::once(&a.output))
            }
            Self::Check(_)
            | Self::Floquet(_)
            | Self::Export(_)
            | Self::Generate(_)
            | Self::Schema
            | Self::Completions(_)
            | Self::Man(_) => none,
        }
    }
    /// Refuses a file that is written and also read, or written twice, and one that cannot be written: before the work, not after it.
    ///
    /// # Errors
    /// [`RequestError::OneFile`], [`Failure::Unwritable`].
    pub fn check_files(&self) -> Result<(), Failure> {
        let files = self.files();
        for (i, (name, path)) in files.writes.iter().enumerate() {
            let others = files.reads.iter().chain(&files.writes[..i]);
            if let Some((other, _)) = others.into_iter().find(|(_, other)| is_one(other, path)) {
                let path = path.display().to_string();
                return Err(RequestError::OneFile { option: name, other, path }.into());
            }
        }
        // A draft that is dropped leaves nothing behind.
        let paths = files.writes.iter().map(|(_, path)| *path).filter(|path| files.folder != Some(*path));
        paths.into_iter().try_for_each(|path| Draft::new(path).map(drop))
    }
}

/// Whether two paths are those of one file, through links too.
fn is_one(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        path.canonicalize().ok().or_else(|| {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        })
    };
    a == b || place(a).is_some_and(|a| place(b) == Some(a))
}
