//! What is handed to the driver: matrices, options, scripts and, last, the manifest.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mb_eigen::Spectrum;
use mb_eigen::engine::{ForEngine, Prepared};

use crate::launch::{self, Launch};
use crate::manifest::{FORMAT, FileEntry, MANIFEST, Manifest};
use crate::{EngineError, Results, Summed, checksum, folder, options, petsc, scripts};

/// Where the results of a package come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A run of the driver now.
    Run(Launch),
    /// A folder in which the driver has worked.
    Folder(PathBuf),
}

/// A package of one problem: of one whose matrices are there, or of one whose lines wait in files.
#[derive(Debug)]
pub struct Package<'p, P> {
    prepared: &'p P,
    request: String,
    name: String,
}

impl<'p, P: ForEngine> Package<'p, P> {
    /// Of a prepared problem; `request` in words, for people.
    ///
    /// # Errors
    /// Indices that PETSc's format does not hold.
    pub fn new(prepared: &'p P, request: &str) -> Result<Self, EngineError> {
        let complex = !prepared.task().undamped;
        let mut all = options::text(prepared.task(), None);
        for (name, mut matrix) in prepared.matrices()? {
            let mut summed = Summed::new(io::sink());
            petsc::write_matrix(&mut summed, &mut matrix, complex)?;
            let (bytes, sum) = summed.finish()?;
            let _infallible = writeln!(all, "{name} {bytes} {sum}");
        }
        Ok(Self { prepared, request: request.to_owned(), name: checksum(all.as_bytes()) })
    }

    /// What the package is called: the same for the same problem and request.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The program that answers it.
    pub fn driver(&self) -> &'static str {
        if self.prepared.task().undamped { "mb-engine-real" } else { "mb-engine-complex" }
    }

    /// Writes all files, the manifest last; `create` makes a file of a name.
    ///
    /// # Errors
    /// What the places say.
    pub fn write(
        &self,
        ranks: usize,
        mut create: impl FnMut(&str) -> io::Result<Box<dyn Write>>,
    ) -> Result<Manifest, EngineError> {
        let complex = !self.prepared.task().undamped;
        let mut files = Vec::new();
        let mut add =
            |name: &str, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>| -> io::Result<()> {
                let mut summed = Summed::new(create(name)?);
                write(&mut summed)?;
                let (bytes, checksum) = summed.finish()?;
                files.push(FileEntry { name: name.to_owned(), bytes, checksum });
                Ok(())
            };
        for (name, mut matrix) in self.prepared.matrices()? {
            add(&format!("{name}.petsc"), &mut |out| petsc::write_matrix(out, &mut matrix, complex))?;
        }
        let options = options::text(self.prepared.task(), Some(&self.name));
        add("options.txt", &mut |out| out.write_all(options.as_bytes()))?;
        let run = scripts::run(self.driver(), ranks);
        add("run.sh", &mut |out| out.write_all(run.as_bytes()))?;
        let slurm = scripts::slurm(self.driver(), ranks);
        add("slurm.sh", &mut |out| out.write_all(slurm.as_bytes()))?;
        let manifest = Manifest {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            package: self.name.clone(),
            request: self.request.clone(),
            numbers: if complex { "complex" } else { "real" }.to_owned(),
            size: self.prepared.size(),
            rank: self.prepared.task().rank,
            files,
        };
        let mut out = create(MANIFEST)?;
        out.write_all(manifest.to_text()?.as_bytes())?;
        out.flush()?;
        Ok(manifest)
    }

    /// Writes the package as a folder, whole or not at all; one that exists is refused unless it is empty.
    ///
    /// # Errors
    /// [`EngineError::Folder`].
    pub fn write_folder(&self, ranks: usize, folder: &Path) -> Result<(), EngineError> {
        folder::write(self, ranks, folder)
    }
}

impl Package<'_, Prepared<'_>> {
    /// What the driver found: in a folder that was written before, or by a run of it now.
    ///
    /// A run works in a folder of its own among the temporary files, which is removed at its end. It ends with the scope of an interrupt
    /// ([`mb_algebra::interrupt`]).
    ///
    /// # Errors
    /// [`EngineError`]: no driver, a run that failed, results that are missing, of another package or not whole.
    pub fn results(&self, from: &Source) -> Result<Results, EngineError> {
        let read = |at: &Path| Results::read(self.prepared, &self.name, |name| folder::read(at, name));
        match from {
            Source::Folder(at) => {
                folder::check(at, &self.name)?;
                read(at)
            }
            Source::Run(launch) => {
                let program = launch::program(self.driver())?;
                let scratch = folder::Scratch::new()?;
                self.write_folder(launch.ranks, scratch.path())?;
                launch::run(&program, scratch.path(), launch)?;
                let results =
                    read(scratch.path()).map_err(|error| launch::unread(error, scratch.path(), launch))?;
                launch::same_ranks(results.status.ranks, launch)?;
                Ok(results)
            }
        }
    }

    /// The spectrum, with residuals, classes, error bounds and completeness computed here from what the driver found.
    ///
    /// # Errors
    /// As [`Self::results`], and [`EngineError::Eigen`].
    pub fn solve(&self, from: &Source) -> Result<Spectrum, EngineError> {
        let results = self.results(from)?;
        Ok(self.prepared.finish(&results.answer)?)
    }
}
