//! Eigenvalues of constrained second-order systems: classed, counted, with their errors.

mod certificate;
mod check;
mod class;
mod constraints;
mod counts;
pub mod descriptor;
mod eigenpair;
mod error;
mod finding;
pub mod krylov;
mod options;
pub mod pairing;
pub mod penalty;
mod polish;
pub mod quadratic;
pub mod sparse;
mod spectrum;
mod vectors;

pub use class::{Class, SpuriousOrigin};
pub use counts::{ClassCounts, Counts, ExpectedCounts};
pub use eigenpair::Eigenpair;
pub use error::EigenError;
pub use finding::{CountedClass, Finding};
pub use options::{DenseOptions, Refinement};
pub use polish::polish;
pub use spectrum::Spectrum;
