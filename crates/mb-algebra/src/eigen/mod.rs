//! Eigenvalues of dense matrices and pencils.

mod general;
mod symmetric;

pub use general::GeneralEigen;
pub use symmetric::{SymmetricDefiniteEigen, SymmetricEigen};
