//! An eigenvalue problem for the engine, from its matrices to its spectrum.

use std::path::Path;

use mb_algebra::{QuadraticPencil, Sparse, StiffnessParts};
use mb_eigen::engine::{ForEngine as _, Prepared};
use mb_eigen::sparse::{Request, SparseOptions};
use mb_eigen::{EigenError, Spectrum};

use crate::{EngineError, Estimate, Package, Source};

/// A problem for the engine.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// M, C, K and the constraint rows.
    pub pencil: &'a QuadraticPencil<Sparse>,
    /// K as a sum, where it is known as one.
    pub parts: Option<&'a StiffnessParts>,
    /// Which eigenvalues.
    pub request: &'a Request,
    /// The same in words, for people who look into the folder.
    pub words: &'a str,
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
    /// As [`Package::solve`].
    pub fn solve(&self, from: &Source) -> Result<Spectrum, EngineError> {
        Package::new(&self.prepared()?, self.words)?.solve(from)
    }

    /// Writes a folder for a run on a number of ranks; gives the unknowns with constraint rows.
    ///
    /// # Errors
    /// As [`Package::write_folder`].
    pub fn write(&self, ranks: usize, folder: &Path) -> Result<usize, EngineError> {
        let prepared = self.prepared()?;
        Package::new(&prepared, self.words)?.write_folder(ranks, folder)?;
        Ok(prepared.size())
    }

    /// Memory and time that a run on a number of ranks needs.
    ///
    /// # Errors
    /// [`EngineError::Eigen`].
    pub fn estimate(&self, ranks: usize) -> Result<Estimate, EngineError> {
        Ok(Estimate::of(&self.prepared()?, ranks))
    }
}
