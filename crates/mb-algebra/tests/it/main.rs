//! Properties of the factorizations and containers for random matrices.

mod eigenvalues;
mod factors;
mod matrix_market;
mod random;
mod sparse;
