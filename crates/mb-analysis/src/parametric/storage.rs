//! Dense matrices for small models, sparse ones for large: what depends on it.

use crate::part;
use mb_algebra::{Dense, QuadraticPencil, Sparse};
use mb_eigen::sparse::{Request, SparseOptions};
use mb_eigen::{DenseOptions, EigenError, Spectrum, sparse};
use mb_model::Model;
use mb_parametric::{PencilSeries, Storage};

/// The series of the matrices about one centre.
#[derive(Clone, Debug)]
pub enum Pencil {
    /// Of a small model.
    Dense(Box<PencilSeries<Dense>>),
    /// Of a large one.
    Sparse(Box<PencilSeries<Sparse>>),
}

/// A storage whose modes can be found.
pub trait Solved: Storage {
    /// All modes, or of sparse matrices the `count` lowest.
    ///
    /// # Errors
    /// The errors of the eigensolver.
    fn spectrum(matrices: &QuadraticPencil<Self>, count: usize) -> Result<Spectrum, EigenError>;
    /// The series in its place.
    fn kept(pencil: PencilSeries<Self>) -> Pencil;
    /// The series, where it is of this storage.
    fn of(pencil: &Pencil) -> Option<&PencilSeries<Self>>;
}

impl Solved for Dense {
    fn spectrum(matrices: &QuadraticPencil<Self>, _count: usize) -> Result<Spectrum, EigenError> {
        mb_eigen::dense::solve(matrices, &DenseOptions::default())
    }
    fn kept(pencil: PencilSeries<Self>) -> Pencil {
        Pencil::Dense(Box::new(pencil))
    }
    fn of(pencil: &Pencil) -> Option<&PencilSeries<Self>> {
        if let Pencil::Dense(series) = pencil { Some(series) } else { None }
    }
}

impl Solved for Sparse {
    fn spectrum(matrices: &QuadraticPencil<Self>, count: usize) -> Result<Spectrum, EigenError> {
        sparse::solve(matrices, &Request::Lowest { count }, &SparseOptions::default())
    }
    fn kept(pencil: PencilSeries<Self>) -> Pencil {
        Pencil::Sparse(Box::new(pencil))
    }
    fn of(pencil: &Pencil) -> Option<&PencilSeries<Self>> {
        if let Pencil::Sparse(series) = pencil { Some(series) } else { None }
    }
}

/// Coordinates and rows in all up to which dense matrices are no slower than sparse ones for a few modes.
const SMALL: usize = 160;

/// Whether a model's modes are found from sparse matrices: by its size alone where `all` its modes are wanted, else as soon as
/// the whole spectrum takes longer than some modes of it.
pub fn is_large(model: &Model, all: bool) -> bool {
    model.nv() + model.nc() > if all { part::DENSE_UP_TO } else { SMALL }
}
