//! Eigenvalues of dense matrices and pencils.

mod balance;
mod general;
mod quasi_triangular;
mod qz;
mod schur;
mod symmetric;

pub use balance::balance;
pub use general::GeneralEigen;
pub use qz::Qz;
pub use symmetric::{SymmetricDefiniteEigen, SymmetricEigen};
