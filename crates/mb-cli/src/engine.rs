//! The command line of the distributed engine as a problem that is solved by it, written for it, or estimated.

use crate::args::EngineArgs;
use crate::failure::Failure;
use crate::names;
use crate::progress::Progress;
use mb_analysis::engine::write_folder;
use mb_eigen::Spectrum;
use mb_engine::{Launch, Problem, Source, Stream};
use mb_linear::OperatingPoint;
use mb_model::Model;
use std::fmt::Write as _;
use std::path::Path;

/// The spectrum that the engine finds, or has found.
///
/// # Errors
/// [`Failure::Engine`], [`Failure::Stopped`].
pub fn solve(problem: &Problem<'_>, args: &EngineArgs, progress: Progress) -> Result<Spectrum, Failure> {
    let source = match &args.engine_read {
        Some(folder) => Source::Folder(folder.clone()),
        None => Source::Run(Launch { ranks: args.ranks, launcher: args.launcher.clone() }),
    };
    let _stage = progress.stage(&format!("solving by the distributed engine: {}", problem.words));
    Ok(progress.unless_ended(|| problem.solve(&source))??)
}

/// Writes the folder of a model that is asked for; what there is to say.
///
/// # Errors
/// [`Failure::Engine`], [`Failure::Stopped`].
pub fn write(
    stream: &Stream<'_>,
    model: &Model,
    at: &OperatingPoint,
    progress: Progress,
) -> Result<String, Failure> {
    let unknowns = progress.unless_ended(|| write_folder::<Failure>(stream, model, at))??;
    Ok(written(stream.words, stream.ranks, stream.folder, unknowns))
}

/// What there is to say of a folder that was written.
fn written(words: &str, ranks: usize, folder: &Path, unknowns: usize) -> String {
    let unknowns = names::count(unknowns, "unknown", "unknowns");
    let place = folder.display();
    format!(
        "{place}: {unknowns} with constraint rows, {words}\n\nRun {ranks} ranks of the engine:\n  sh {place}/run.sh\nor in the \
         folder, by Slurm:\n  sbatch slurm.sh\nthen repeat this command with --engine-read in place of --engine-write.\n",
    )
}

/// Writes a folder from matrices, or makes an estimate; what there is to say.
///
/// # Errors
/// [`Failure::Engine`].
pub fn prepare(problem: &Problem<'_>, args: &EngineArgs) -> Result<String, Failure> {
    if let Some(folder) = &args.engine_write {
        let unknowns = problem.write(args.ranks, folder)?;
        return Ok(written(problem.words, args.ranks, folder, unknowns));
    }
    let mut out = String::new();
    let estimate = problem.estimate(args.ranks)?;
    let gib = |bytes: f64| bytes / f64::from(1 << 30);
    let _ = writeln!(
        out,
        "{} with constraint rows, {}\nfactor: {:.2e} entries, {:.2e} operations\nmemory: {:.2} GiB in all, {:.2} GiB on each of \
         {}\ntime: {:.0} s\n\nComputed from the order of elimination of this program; MUMPS takes another one.",
        names::count(estimate.size, "unknown", "unknowns"),
        problem.words,
        estimate.entries,
        estimate.operations,
        gib(estimate.memory),
        gib(estimate.memory) / args.ranks as f64,
        names::count(args.ranks, "rank", "ranks"),
        estimate.seconds.max(1.0),
    );
    Ok(out)
}
