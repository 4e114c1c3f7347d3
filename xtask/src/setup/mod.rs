//! `cargo xtask setup`: installs ARPACK-NG through the system's package manager.
//!
//! ARPACK-NG is optional: without it everything builds and runs on the built-in solvers. The task prints the
//! commands, asks (or is given `--yes`), runs them and looks whether the library is there now. `--dry-run` prints only.
//! `--engine` does the same for SLEPc and MPI, and builds the driver of the distributed engine.

mod engine;
mod plan;

use std::fmt::Write as _;
use std::io::{BufRead, Write as _};
use std::process::Command;

use clap::Args;
use mb_eigen::sparse::Solver;

use self::plan::{Manager, Plan, Privilege};
use crate::Outcome;
use crate::error::TaskError;

/// Arguments of `setup`.
#[derive(Args)]
pub(crate) struct Setup {
    /// Run the commands without asking.
    #[arg(long)]
    yes: bool,
    /// Print the commands and run nothing.
    #[arg(long)]
    dry_run: bool,
    /// SLEPc and MPI instead, and build the driver of the distributed engine.
    #[arg(long)]
    engine: bool,
}

impl Setup {
    /// Runs the task.
    pub(crate) fn run(&self) -> Result<Outcome, TaskError> {
        if self.engine {
            return self.run_engine();
        }
        if !self.dry_run && Solver::Arpack.driver().is_ok() {
            return Ok(done("ARPACK-NG is installed already.\n"));
        }
        let manager = Manager::of_this_system()?;
        let plan = Plan::new(manager, Privilege::of_this_user())?;
        if !self.carry_out(&plan, &format!("To install ARPACK-NG with {manager}:\n"))? {
            return Ok(self.nothing_done());
        }
        Solver::Arpack.driver().map_err(|e| TaskError::StillMissing { why: e.to_string() })?;
        Ok(done(
            "ARPACK-NG is there. `cargo xtask reproduce-tables` now shows its results next to ours, and \
             `mb modes --solver arpack` computes with it.\n",
        ))
    }

    /// Installs SLEPc where it is missing and a package manager has it, and builds the driver.
    fn run_engine(&self) -> Result<Outcome, TaskError> {
        if self.dry_run || !engine::found() {
            let manager = Manager::of_this_system()?;
            if let Some(packages) = engine::packages(manager) {
                let plan = Plan::of(manager, Privilege::of_this_user(), packages)?;
                let heading = format!("To install SLEPc, PETSc and MPI with {manager}:\n");
                if !self.carry_out(&plan, &heading)? {
                    return Ok(self.nothing_done());
                }
            }
        }
        let built = engine::build_all()?;
        if built.is_empty() {
            let text = "SLEPc is not known to pkg-config. Install it with MUMPS, or name its folders by PKG_CONFIG_PATH, and \
                        run this again.\n";
            return Ok(Outcome { text: text.to_owned(), passed: false });
        }
        Ok(done(&format!("Built: {}.\n", built.join(", "))))
    }

    /// A dry run, or a no.
    fn nothing_done(&self) -> Outcome {
        let text = if self.dry_run { "" } else { "Nothing was installed.\n" };
        Outcome { text: text.to_owned(), passed: self.dry_run }
    }

    /// Prints the commands of a plan and runs them; false where they were only printed or unwanted.
    fn carry_out(&self, plan: &Plan, heading: &str) -> Result<bool, TaskError> {
        let mut out = std::io::stdout().lock();
        let mut text = heading.to_owned();
        for command in plan.commands() {
            let _infallible = writeln!(text, "  {}", command.join(" "));
        }
        // A reader that went away does not stop the work.
        let _closed = out.write_all(text.as_bytes());
        if self.dry_run || (!self.yes && !asked(&mut out)) {
            return Ok(false);
        }
        drop(out);
        for command in plan.commands() {
            run(command)?;
        }
        Ok(true)
    }
}

fn done(text: &str) -> Outcome {
    Outcome { text: text.to_owned(), passed: true }
}

/// Asks on the terminal; no answer is a no.
fn asked(out: &mut impl std::io::Write) -> bool {
    let _closed = out.write_all(b"Run them? [y/N] ").and_then(|()| out.flush());
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

/// Runs one command, its words on the terminal.
fn run(command: &[String]) -> Result<(), TaskError> {
    let failed = |why: String| TaskError::Command { command: command.join(" "), why };
    let (program, arguments) = command.split_first().ok_or_else(|| failed("it is empty".to_owned()))?;
    let status = Command::new(program).args(arguments).status().map_err(|e| failed(e.to_string()))?;
    if status.success() { Ok(()) } else { Err(failed(format!("it ended with {status}"))) }
}
