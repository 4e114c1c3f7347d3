//! The command line of the distributed engine.

use crate::args::at_least_one;
use clap::{ArgGroup, Args, ValueEnum};
use std::path::PathBuf;

/// An engine outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// SLEPc with MUMPS over MPI, built by `cargo xtask setup --engine`
    Slepc,
}

/// Whether and how the distributed engine answers.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "On many machines")]
#[command(group = ArgGroup::new("far").multiple(true).args(["engine", "engine_write", "engine_read", "estimate"]))]
pub struct EngineArgs {
    /// Let SLEPc and MUMPS find the modes over MPI; bounds, classes and proofs stay those of this program
    #[arg(long, value_enum, conflicts_with_all = ["all", "largest", "descriptor", "solver"])]
    pub engine: Option<EngineArg>,
    /// Processes of the engine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one, requires = "far")]
    pub ranks: usize,
    /// What starts them; {ranks} stands for their number
    #[arg(long, value_name = "WORDS", requires = "engine", default_value = mb_engine::LAUNCHER)]
    pub launcher: String,
    /// Write a folder for a batch queue and end: matrices, options, scripts, a manifest
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["engine", "engine_read", "all", "largest", "descriptor", "solver"]
    )]
    pub engine_write: Option<PathBuf>,
    /// Read the results in such a folder; the rest of the command as it was written with
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["engine", "all", "largest", "descriptor", "solver"]
    )]
    pub engine_read: Option<PathBuf>,
    /// Report the memory and time that the engine will need, and end
    #[arg(long, conflicts_with_all = ["engine_write", "engine_read", "all", "largest", "descriptor", "solver"])]
    pub estimate: bool,
}

impl EngineArgs {
    /// Whether an engine outside finds the modes.
    pub fn answers(&self) -> bool {
        !self.only_prepares() && (self.engine.is_some() || self.engine_read.is_some())
    }

    /// Whether nothing is computed, but a folder written or an estimate made.
    pub fn only_prepares(&self) -> bool {
        self.engine_write.is_some() || self.estimate
    }

    /// The option that asks for the engine.
    pub fn option(&self) -> &'static str {
        match (&self.engine_write, &self.engine_read) {
            _ if self.estimate => "--estimate",
            (Some(_), _) => "--engine-write",
            (_, Some(_)) => "--engine-read",
            _ => "--engine",
        }
    }
}
