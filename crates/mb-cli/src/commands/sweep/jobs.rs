//! Parts of a sweep as jobs that a launcher starts, each this command with `--shard I/N` and a table of its own.
//!
//! Part I of N of `cases.csv` is `cases.csv.I-of-N.csv`; beside it stand its journal, while it runs, and what it says, `cases.csv.I-of-N.log`.
//! A command that is repeated takes what is there and starts the parts that are missing, each behind its journal.

use super::rows::Journal;
use crate::args::SweepArgs;
use crate::failure::{FILE, Failure};
use mb_algebra::interrupt;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What stands for the command of a job, as one word for a shell, where it is not to be appended.
const COMMAND: &str = "{command}";
/// What stands for the number of a part, and for how many there are.
const NUMBERS: [&str; 2] = ["{part}", "{parts}"];
/// Time between two looks at the jobs.
const LOOK: Duration = Duration::from_millis(50);
/// Time in which a job that is told to end may do so.
const PATIENCE: Duration = Duration::from_secs(5);
/// Lines of a log that are shown of a job that failed.
const SHOWN: usize = 4;
/// Options of the whole sweep that take a value: a job has its own, or none.
const OF_THE_WHOLE: [&str; 6] = ["--launcher", "--output", "-o", "--jobs", "--map", "--shard"];

/// A sweep in parts.
pub(super) struct Jobs<'a> {
    pub(super) launcher: &'a str,
    pub(super) parts: usize,
    pub(super) output: &'a Path,
}

impl<'a> Jobs<'a> {
    /// Of a command line; none where it names no launcher.
    pub(super) fn of(args: &'a SweepArgs) -> Option<Self> {
        let (launcher, output) = (args.launcher.as_deref()?, args.output.as_deref()?);
        Some(Self { launcher, parts: args.jobs.unwrap_or(1), output })
    }

    /// The table of a part, from 1.
    fn table(&self, part: usize) -> PathBuf {
        self.beside(part, "csv")
    }

    fn beside(&self, part: usize, end: &str) -> PathBuf {
        let mut name = self.output.as_os_str().to_owned();
        name.push(format!(".{part}-of-{}.{end}", self.parts));
        name.into()
    }

    /// The files of all parts in which cases stand.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let all = (1..=self.parts).flat_map(|part| [self.table(part), Journal::place(&self.table(part))]);
        all.filter(|path| path.is_file())
    }

    /// Removes what the parts have left.
    pub(super) fn remove(&self) {
        for part in 1..=self.parts {
            for path in [self.table(part), Journal::place(&self.table(part)), self.beside(part, "log")] {
                // What stays does no harm.
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// Runs the parts in which cases are open to their ends; an interrupt of the scope ends them.
    ///
    /// # Errors
    /// [`Failure::Job`] for the first part that left no table, when the others have ended.
    pub(super) fn run(&self, open: &[usize]) -> Result<(), Failure> {
        let own: Vec<OsString> = std::env::args_os().skip(1).collect();
        let mut failed = None;
        let mut running = Vec::new();
        for part in (1..=self.parts).filter(|part| open.iter().any(|case| case % self.parts == part - 1)) {
            match self.start(part, &own) {
                Ok(child) => running.push((part, Running(child))),
                Err(failure) => failed = failed.or(Some(failure)),
            }
        }
        while !running.is_empty() {
            interrupt::check();
            std::thread::sleep(LOOK);
            running.retain_mut(|(part, job)| match job.0.try_wait() {
                Ok(None) => true,
                Ok(Some(_)) if self.table(*part).is_file() => false,
                ended => {
                    let why = ended.map_or_else(|e| e.to_string(), |status| words(status.as_ref()));
                    failed.get_or_insert_with(|| self.failed(*part, why));
                    false
                }
            });
        }
        failed.map_or(Ok(()), Err)
    }

    /// Starts the job of a part.
    fn start(&self, part: usize, own: &[OsString]) -> Result<Child, Failure> {
        let (table, log) = (self.table(part), self.beside(part, "log"));
        let program = std::env::current_exe().map_err(|e| self.failed(part, e.to_string()))?;
        let mut command: Vec<OsString> = vec![program.into()];
        command.extend(without_options(own));
        command.extend([
            "--shard".into(),
            format!("{part}/{}", self.parts).into(),
            "-o".into(),
            table.clone().into(),
        ]);
        let journal = Journal::place(&table);
        for left in [table, journal].into_iter().filter(|path| path.is_file()) {
            command.extend(["--resume".into(), left.into()]);
        }
        let words = launched(self.launcher, [part, self.parts], &command);
        let unwritable = |source| Failure::Unwritable { what: FILE, path: log.display().to_string(), source };
        let out = File::create(&log).map_err(unwritable)?;
        let err = out.try_clone().map_err(unwritable)?;
        let Some((first, rest)) = words.split_first() else {
            return Err(self.failed(part, "it is empty".to_owned()));
        };
        let mut job = Command::new(first);
        job.args(rest).stdin(Stdio::null()).stdout(out).stderr(err);
        job.spawn().map_err(|e| self.failed(part, format!("`{}` cannot be started: {e}", first.display())))
    }

    fn failed(&self, part: usize, why: String) -> Failure {
        let text = std::fs::read(self.beside(part, "log")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let log = lines[lines.len().saturating_sub(SHOWN)..].join(" | ");
        Failure::Job { part, parts: self.parts, launcher: self.launcher.to_owned(), why, log }
    }
}

fn words(status: Option<&std::process::ExitStatus>) -> String {
    status.map_or_else(String::new, |status| format!("it ended without a table ({status})"))
}

/// The command line of one job: that of the launcher with the command behind it, or in the place that it names.
fn launched(launcher: &str, numbers: [usize; 2], command: &[OsString]) -> Vec<OsString> {
    let quoted: Vec<String> = command.iter().map(|word| quoted(&word.to_string_lossy())).collect();
    let filled = |word: &str| {
        let word =
            word.replace(NUMBERS[0], &numbers[0].to_string()).replace(NUMBERS[1], &numbers[1].to_string());
        OsString::from(word.replace(COMMAND, &quoted.join(" ")))
    };
    let mut out: Vec<OsString> = launcher.split_whitespace().map(filled).collect();
    if !launcher.contains(COMMAND) {
        out.extend(command.iter().cloned());
    }
    out
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A command line without the options that are of the whole sweep.
fn without_options(own: &[OsString]) -> Vec<OsString> {
    let mut out = Vec::new();
    let mut words = own.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if OF_THE_WHOLE.contains(&text.as_ref()) {
            words.next();
            continue;
        }
        let joined = OF_THE_WHOLE.iter().any(|option| {
            let rest = text.strip_prefix(option);
            rest.is_some_and(|rest| rest.starts_with('=') || !option.starts_with("--"))
        });
        if !joined && text != "--json" {
            out.push(word.clone());
        }
    }
    out
}

/// A job that ends when nobody waits for it any more.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        // Launchers hand this signal on to what they have started, and cannot hand on one that kills them.
        let asked = Command::new("kill").arg(self.0.id().to_string()).stderr(Stdio::null()).status();
        let begun = Instant::now();
        while asked.is_ok() && begun.elapsed() < PATIENCE && matches!(self.0.try_wait(), Ok(None)) {
            std::thread::sleep(LOOK);
        }
        // It may have ended before.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn jobs_have_the_options_of_the_sweep_but_those_of_the_whole() {
        let own = all(&[
            "sweep",
            "a b.toml",
            "--grid",
            "k=1..2:3",
            "--launcher",
            "srun -n 1",
            "-o",
            "t.csv",
            "--jobs=4",
            "-ot.csv",
            "--json",
            "--map=m.svg",
            "--lowest",
            "2",
        ]);
        assert_eq!(without_options(&own), all(&["sweep", "a b.toml", "--grid", "k=1..2:3", "--lowest", "2"]));
    }

    #[test]
    fn the_command_stands_behind_the_launcher_or_in_its_place() {
        let command = all(&["mb", "sweep", "a b.toml", "it's"]);
        let behind = launched("srun -J part{part}", [3, 8], &command);
        assert_eq!(behind, all(&["srun", "-J", "part3", "mb", "sweep", "a b.toml", "it's"]));
        let inside = launched("sbatch --wait --wrap={command}", [3, 8], &command);
        assert_eq!(inside, all(&["sbatch", "--wait", r"--wrap=mb sweep 'a b.toml' 'it'\''s'"]));
    }
}
