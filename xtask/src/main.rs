//! Project tasks: `cargo xtask <task>`.
//!
//! - `reproduce-tables`: computes the tables of the papers and sets them next to the printed values.
//! - `setup`: installs the optional ARPACK-NG through the system's package manager.
//! - `bench-peers`: races the sparse eigensolver against SciPy, PARDISO and SLEPc.
//! - `stress`: random problems with known eigenvalues through every eigensolver.
//! - `fuzz`: random models, expressions, matrices and starts through the program.
//! - `schema`: writes the JSON Schema of the model file.
//! - `tidy`: checks the rules of the source tree that no compiler checks.
//!
//! Exit codes: 0 when all is well, 1 when a check failed, 2 when the task could not run.

mod answers;
mod bench_peers;
mod count;
mod error;
mod fuzz;
mod mutate;
mod paper;
mod papers;
mod record;
mod render;
mod report;
mod reproduce_tables;
mod root;
mod schema;
mod setup;
mod solvers;
mod stress;
mod tidy;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::TaskError;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Project tasks", version, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Compute the tables of the papers and set them next to the printed values.
    ReproduceTables(reproduce_tables::ReproduceTables),
    /// Install the optional ARPACK-NG.
    Setup(setup::Setup),
    /// Race the sparse eigensolver against SciPy and SLEPc.
    BenchPeers(bench_peers::BenchPeers),
    /// Give random problems with known eigenvalues to every eigensolver.
    Stress(stress::Stress),
    /// Give random inputs to the program.
    Fuzz(fuzz::Fuzz),
    /// Write the JSON Schema of the model file.
    Schema(schema::Schema),
    /// Check the rules of the source tree that no compiler checks.
    Tidy(tidy::Tidy),
}

/// What a task has to say, and whether what it checked is in order.
struct Outcome {
    text: String,
    passed: bool,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::ReproduceTables(task) => task.run(),
        Task::Setup(task) => task.run(),
        Task::BenchPeers(task) => task.run(),
        Task::Stress(task) => task.run(),
        Task::Fuzz(task) => task.run(),
        Task::Schema(task) => task.run(),
        Task::Tidy(task) => task.run(),
    };
    match outcome {
        Ok(Outcome { text, passed }) => match std::io::stdout().lock().write_all(text.as_bytes()) {
            // A reader that closes the pipe early (`| head`) is not a failure of ours.
            Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => ExitCode::from(2),
            _ => ExitCode::from(u8::from(!passed)),
        },
        Err(error) => {
            report_error(&error);
            ExitCode::from(2)
        }
    }
}

/// Last words on the standard error stream; if that is closed too, the exit code has to do.
fn report_error(error: &TaskError) {
    let _closed = writeln!(std::io::stderr().lock(), "error: {error}");
}
