//! Eigenvalues of constrained second-order systems: classed, counted, with their errors.

mod certificate;
mod check;
mod class;
mod constraints;
mod counts;
mod eigenpair;
mod error;
mod finding;
mod options;
mod polish;
pub mod quadratic;
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
