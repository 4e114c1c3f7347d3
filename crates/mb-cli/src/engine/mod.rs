//! The distributed engine: a folder is written, SLEPc and MUMPS work in it, and their results come back as a spectrum of ours.

mod folder;
mod launch;

use crate::args::EngineArgs;
use crate::failure::Failure;
use crate::names;
use crate::progress::Progress;
use crate::render::request::words;
use mb_algebra::{QuadraticPencil, Sparse, StiffnessParts};
use mb_eigen::engine::Prepared;
use mb_eigen::sparse::{Request, SparseOptions};
use mb_eigen::{EigenError, Spectrum};
use mb_engine::{EngineError, Estimate, Package, Results};
use std::fmt::Write as _;

/// A problem for the engine.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// M, C, K and the constraint rows.
    pub pencil: &'a QuadraticPencil<Sparse>,
    /// K as a sum, where it is known as one.
    pub parts: Option<&'a StiffnessParts>,
    /// Which eigenvalues.
    pub request: &'a Request,
    /// How.
    pub options: &'a SparseOptions,
}

impl Problem<'_> {
    fn prepared(&self) -> Result<Prepared<'_>, EigenError> {
        Prepared::new(self.pencil, self.parts, self.request, self.options)
    }

    /// The spectrum that the engine finds, or has found.
    ///
    /// # Errors
    /// [`Failure::Engine`], [`Failure::EngineRun`], [`Failure::NoEngine`], [`Failure::Unwritable`].
    pub fn solve(&self, args: &EngineArgs, progress: Progress) -> Result<Spectrum, Failure> {
        let prepared = self.prepared().map_err(EngineError::from)?;
        let package = Package::new(&prepared, &words(self.request))?;
        let results = if let Some(folder) = &args.engine_read {
            folder::check(folder, package.name())?;
            Results::read(&prepared, package.name(), |name| folder::read(folder, name))?
        } else {
            let program = launch::program(package.driver())?;
            let scratch = folder::Scratch::new()?;
            folder::write(&package, args.ranks, scratch.path())?;
            let stage = progress.stage("waiting for the engine");
            launch::run(&program, scratch.path(), args, progress)?;
            drop(stage);
            let results = Results::read(&prepared, package.name(), |name| folder::read(scratch.path(), name));
            let results = results.inspect_err(|_| scratch.stays())?;
            drop(scratch);
            results
        };
        let _stage = progress.stage("computing bounds and counts");
        Ok(prepared.finish(&results.answer).map_err(EngineError::from)?)
    }

    /// Writes a folder, or makes an estimate; what there is to say.
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub fn prepare(&self, args: &EngineArgs) -> Result<String, Failure> {
        let prepared = self.prepared().map_err(EngineError::from)?;
        let mut out = String::new();
        if let Some(folder) = &args.engine_write {
            let package = Package::new(&prepared, &words(self.request))?;
            folder::write(&package, args.ranks, folder)?;
            let place = folder.display();
            let unknowns = names::count(prepared.size(), "unknown", "unknowns");
            let _ = writeln!(
                out,
                "{place}: {unknowns} with constraint rows, {}\n\nRun {} ranks of the engine:\n  sh {place}/run.sh\nor in the \
                 folder, by Slurm:\n  sbatch slurm.sh\nthen repeat this command with --engine-read in place of --engine-write.",
                words(self.request),
                args.ranks,
            );
            return Ok(out);
        }
        let estimate = Estimate::of(&prepared, args.ranks);
        let gib = |bytes: f64| bytes / f64::from(1 << 30);
        let _ = writeln!(
            out,
            "{} with constraint rows, {}\nfactor: {:.2e} entries, {:.2e} operations\nmemory: {:.2} GiB in all, {:.2} GiB on each of \
             {}\ntime: {:.0} s\n\nComputed from the order of elimination of this program; MUMPS takes another one.",
            names::count(estimate.size, "unknown", "unknowns"),
            words(self.request),
            estimate.entries,
            estimate.operations,
            gib(estimate.memory),
            gib(estimate.memory) / args.ranks as f64,
            names::count(args.ranks, "rank", "ranks"),
            estimate.seconds.max(1.0),
        );
        Ok(out)
    }
}
