//! Exchange of eigenvalue problems with SLEPc and MUMPS over MPI.
//!
#![doc = include_str!("../README.md")]
//!
//! | module | holds |
//! | --- | --- |
//! | [`petsc`] | matrices and vectors in PETSc's binary format |
//! | [`Package`] | what is handed to the driver: matrices, options, scripts, a manifest with checksums |
//! | [`Problem`] | matrices and a request: solved, written as a folder, estimated |
//! | [`Stream`] | a folder from lines of matrices that are never whole in memory |
//! | [`Source`], [`Launch`] | a run of the driver, or a folder in which it has worked |
//! | [`Results`] | what the driver wrote, checked |
//! | [`Estimate`] | memory and time before a run |

mod checksum;
pub mod draft;
mod error;
mod estimate;
mod folder;
mod launch;
mod manifest;
mod options;
mod package;
pub mod petsc;
mod problem;
mod results;
mod scripts;
mod status;
mod stream;

pub use checksum::{Summed, checksum};
pub use error::EngineError;
pub use estimate::Estimate;
pub use launch::{LAUNCHER, Launch};
pub use manifest::{FORMAT, FileEntry, MANIFEST, Manifest};
pub use package::{Package, Source};
pub use problem::Problem;
pub use results::Results;
pub use status::{STATUS, Status};
pub use stream::Stream;
