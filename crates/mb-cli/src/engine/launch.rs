//! The driver of the engine: where it is, and a run of it.

use crate::args::EngineArgs;
use crate::failure::Failure;
use crate::progress::{Progress, stoppable};
use mb_engine::{STATUS, Status};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The folder of the driver, where the environment names one.
const FOLDER: &str = "MB_ENGINE_DIR";
/// Time between two checks of a run.
const LOOK: Duration = Duration::from_millis(20);
/// Words of a run that are shown when it failed.
const SHOWN: usize = 6;

/// The driver: in the folder of the environment, next to this program, or where `cargo xtask setup --engine` puts it.
///
/// # Errors
/// [`Failure::NoEngine`].
pub(super) fn program(name: &str) -> Result<PathBuf, Failure> {
    let mut places = Vec::new();
    if let Some(folder) = std::env::var_os(FOLDER) {
        places.push(PathBuf::from(folder));
    } else if let Some(own) = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned())) {
        places.extend(own.parent().map(|above| above.join("engine")));
        places.push(own);
    }
    let found = places.iter().map(|place| place.join(name)).find(|program| program.is_file());
    found.ok_or_else(|| {
        let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        Failure::NoEngine { program: name.to_owned(), places: places.join(", ") }
    })
}

/// Runs the driver in a folder to its end.
///
/// # Errors
/// [`Failure::EngineRun`] where it cannot be started or ends badly, [`Failure::Stopped`] at a signal or limit.
pub(super) fn run(
    program: &Path,
    folder: &Path,
    args: &EngineArgs,
    progress: Progress,
) -> Result<(), Failure> {
    let launcher = args.launcher.replace("{ranks}", &args.ranks.to_string());
    let mut words = launcher.split_whitespace();
    let failed =
        |why: String, log: &str| Failure::EngineRun { launcher: launcher.clone(), why, log: log.to_owned() };
    let first = words.next().ok_or_else(|| failed("it is empty".to_owned(), ""))?;
    let log = folder.join("log.txt");
    let output = || -> io::Result<(Stdio, Stdio)> {
        let file = File::create(&log)?;
        Ok((file.try_clone()?.into(), file.into()))
    };
    let (out, err) = output().map_err(|e| failed(format!("its log cannot be written: {e}"), ""))?;
    let mut command = Command::new(first);
    command.args(words).arg(program).arg(folder).stdin(Stdio::null()).stdout(out).stderr(err);
    // Open MPI asks for these where a container runs as eigenvalue or has fewer cores than ranks.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env("OMPI_MCA_mpi_yield_when_idle", "1");
    if std::env::var_os("OMP_NUM_THREADS").is_none() {
        command.env("OMP_NUM_THREADS", "1");
    }
    let mut child = command.spawn().map_err(|e| failed(format!("`{first}` cannot be started: {e}"), ""))?;
    let (watch, _stop) = (progress.watch(), stoppable());
    let status = loop {
        if let Err(stopped) = watch.look() {
            // It may have ended in between.
            let _ = child.kill();
            let _ = child.wait();
            return Err(stopped.into());
        }
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => std::thread::sleep(LOOK),
            Err(e) => return Err(failed(e.to_string(), "")),
        }
    };
    if status.success() {
        return Ok(());
    }
    // The driver's own word says more than its exit code.
    if let Ok(text) = fs::read_to_string(folder.join(STATUS)) {
        Status::from_text(&text)?;
    }
    Err(failed(format!("it ended with {status}"), &last_words(&log)))
}

/// The last lines of a log that say something.
fn last_words(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let rule = |line: &&str| line.chars().any(char::is_alphanumeric);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(rule).collect();
    lines[lines.len().saturating_sub(SHOWN)..].join(" | ")
}
