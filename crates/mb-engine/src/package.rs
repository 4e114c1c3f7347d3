//! What is handed to the driver: matrices, options, scripts and, last, the manifest.

use std::fmt::Write as _;
use std::io::{self, Write};

use mb_eigen::engine::Prepared;

use crate::manifest::{FORMAT, FileEntry, MANIFEST, Manifest};
use crate::{EngineError, Summed, checksum, options, petsc, scripts};

/// A package of one problem.
#[derive(Debug)]
pub struct Package<'p, 'a> {
    prepared: &'p Prepared<'a>,
    request: String,
    name: String,
}

impl<'p, 'a> Package<'p, 'a> {
    /// Of a prepared problem; `request` in words, for people.
    ///
    /// # Errors
    /// Indices that PETSc's format does not hold.
    pub fn new(prepared: &'p Prepared<'a>, request: &str) -> Result<Self, EngineError> {
        let complex = !prepared.task().undamped;
        let mut all = options::text(prepared.task(), None);
        for (name, matrix) in prepared.matrices() {
            let mut summed = Summed::new(io::sink());
            petsc::write_matrix(&mut summed, &matrix, complex)?;
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
        for (name, matrix) in self.prepared.matrices() {
            add(&format!("{name}.petsc"), &mut |out| petsc::write_matrix(out, &matrix, complex))?;
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
}
