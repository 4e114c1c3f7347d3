//! The driver of the engine: where it is, and a run of it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use mb_algebra::interrupt;

use crate::EngineError;
use crate::status::{STATUS, Status};

/// How the driver is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Processes.
    pub ranks: usize,
    /// What starts them; `{ranks}` stands for their number.
    pub launcher: String,
}

impl Launch {
    /// The launcher with the number of ranks.
    fn words(&self) -> String {
        self.launcher.replace(NUMBER, &self.ranks.to_string())
    }
}

/// What stands for the number of ranks.
const NUMBER: &str = "{ranks}";
/// The launcher of MPI.
pub const LAUNCHER: &str = "mpiexec -n {ranks}";

/// The folder of the driver, where the environment names one.
const FOLDER: &str = "MB_ENGINE_DIR";
/// What a run says, in its folder.
const LOG: &str = "log.txt";
/// Time between two checks of a run.
const LOOK: Duration = Duration::from_millis(20);
/// Words of a run that are shown when it failed.
const SHOWN: usize = 6;
/// The signal that ends a process at once, and how launchers report it.
const KILL: i32 = 9;
const KILLED: [&str; 4] = ["signal 9", "signal: killed", "out of memory", "oom"];

/// The driver: in the folder that the environment names, or else next to the running program, in the folder `engine` next to that
/// one's, where `cargo xtask setup --engine` puts it, and on the search path.
///
/// # Errors
/// [`EngineError::NoDriver`].
pub(crate) fn program(name: &str) -> Result<PathBuf, EngineError> {
    let mut places = Vec::new();
    if let Some(folder) = std::env::var_os(FOLDER) {
        places.push(PathBuf::from(folder));
    } else {
        if let Some(own) = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned())) {
            places.extend(own.parent().map(|above| above.join("engine")));
            places.push(own);
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        places.extend(std::env::split_paths(&path).filter(|place| place.is_absolute()));
    }
    let found = places.iter().map(|place| place.join(name)).find(|program| program.is_file());
    found.ok_or_else(|| {
        let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        EngineError::NoDriver { program: name.to_owned(), places: places.join(", ") }
    })
}

/// A process that ends when nobody waits for it any more.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the driver in a folder to its end; an interrupt of the scope ends it.
///
/// # Errors
/// [`EngineError::Run`] where it cannot be started or ends badly, [`EngineError::Engine`] where it says why.
pub(crate) fn run(program: &Path, folder: &Path, launch: &Launch) -> Result<(), EngineError> {
    let launcher = launch.words();
    let mut words = launcher.split_whitespace();
    let failed =
        |why: String, log: &str| EngineError::Run { launcher: launcher.clone(), why, log: log.to_owned() };
    let first = words.next().ok_or_else(|| failed("it is empty".to_owned(), ""))?;
    if launch.ranks > 1 && !launch.launcher.contains(NUMBER) {
        let why = format!(
            "{} ranks were asked for, and nothing in it stands for their number: write {NUMBER}",
            launch.ranks
        );
        return Err(failed(why, ""));
    }
    let log = folder.join(LOG);
    let output = || -> io::Result<(Stdio, Stdio)> {
        let file = File::create(&log)?;
        Ok((file.try_clone()?.into(), file.into()))
    };
    let (out, err) = output().map_err(|e| failed(format!("its log cannot be written: {e}"), ""))?;
    let mut command = Command::new(first);
    command.args(words).arg(program).arg(folder).stdin(Stdio::null()).stdout(out).stderr(err);
    // Open MPI asks for these where a container runs as root or has fewer cores than ranks.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    if std::env::var_os("OMP_NUM_THREADS").is_none() {
        command.env("OMP_NUM_THREADS", "1");
    }
    let child = command.spawn().map_err(|e| failed(format!("`{first}` cannot be started: {e}"), ""))?;
    let mut running = Running(child);
    let status = loop {
        interrupt::check();
        match running.0.try_wait() {
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
    Err(failed(why(status, &fs::read(&log).unwrap_or_default()), &last_words(&log)))
}

/// How a run without a word of the driver ended, by its status and what the launcher wrote.
fn why(status: ExitStatus, log: &[u8]) -> String {
    let said = String::from_utf8_lossy(log).to_lowercase();
    // Of mpiexec; of Slurm where a job takes more memory than it has asked for; of a shell.
    let killed = status.code() == Some(128 + KILL) || KILLED.iter().any(|words| said.contains(words));
    let reason = if killed {
        "; a process was killed from outside: by hand, by a queue at its limit of time, or by the system for want of memory, of \
         which --estimate reports how much the factors need"
    } else {
        ""
    };
    format!("it ended with {status}{reason}")
}

/// What results that cannot be read mean for a run whose folder nobody else has.
pub(crate) fn unread(error: EngineError, folder: &Path, launch: &Launch) -> EngineError {
    let why = match error {
        EngineError::NoResults { .. } => "it ended without a word of the engine".to_owned(),
        EngineError::HalfWritten { file, why } => format!("the results are not whole: `{file}` {why}"),
        EngineError::OtherResults => "the results are those of another run".to_owned(),
        other => return other,
    };
    EngineError::Run { launcher: launch.words(), why, log: last_words(&folder.join(LOG)) }
}

/// Holds the ranks that the engine ran on against those asked for: a launcher of another MPI starts as many runs of one rank each, which
/// write into one folder.
///
/// # Errors
/// [`EngineError::Run`].
pub(crate) fn same_ranks(ran: usize, launch: &Launch) -> Result<(), EngineError> {
    if ran == launch.ranks {
        return Ok(());
    }
    let why = format!("{} ranks were asked for, and the engine ran on {ran}", launch.ranks);
    Err(EngineError::Run { launcher: launch.words(), why, log: String::new() })
}

/// The last lines of a log that say something.
fn last_words(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let rule = |line: &&str| line.chars().any(char::is_alphanumeric);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(rule).collect();
    lines[lines.len().saturating_sub(SHOWN)..].join(" | ")
}
