//! Dense and sparse containers, factorizations and matrix pencils, in one place.
//!
#![doc = include_str!("../README.md")]
//!
//! Constraint equations are the rows of Phi_q; redundant ones are named, and the motions they leave span the
//! null space:
//!
//! ```
//! use mb_algebra::{RankQr, RankTolerance, dense, norms};
//!
//! let phi_q = dense::from_rows(&[&[1.0, -1.0, 0.0], &[0.0, 1.0, -1.0], &[2.0, 0.0, -2.0]]);
//! let qr = RankQr::new(&phi_q, RankTolerance::default())?;
//! assert_eq!((qr.rank(), qr.redundant_rows().len()), (2, 1));
//! assert!(norms::max_abs(&dense::mul(&phi_q, &qr.null_space())) < 1e-15);
//! # Ok::<(), mb_algebra::AlgebraError>(())
//! ```
//!
//! - [`Triplets`] collects the entries of element matrices; [`convert`] is the only place that turns one
//!   container into another. A signature says whether it needs [`Dense`] or [`Sparse`].
//! - [`dense`], [`sparse`], [`norms`] hold the small verbs; [`compensated`] sums in double-double precision.
//! - [`QuadraticPencil`] and [`DescriptorPencil`] carry the matrices of linearized equations of motion.
//! - [`matrix_market`] reads and writes matrices as text.
//! - Factorizations: [`Lu`], [`Cholesky`], [`RankQr`], [`Svd`] for dense matrices, [`SparseLu`] and
//!   [`SparseCholesky`] for sparse ones, [`StaticLu`] to show what static pivoting costs; [`condition`] says how many digits they can lose.
//! - [`in_place`]: small dense factors for time stepping, computed again without allocating.
//! - [`RowRank`]: redundant rows of large sparse matrices.
//! - [`sorted`]: lists in the order of a number.
//! - [`interrupt`]: long work that another thread can end.
//! - Eigenvalues: [`SymmetricEigen`], [`SymmetricDefiniteEigen`], [`GeneralEigen`], [`Qz`].
//!
//! Every routine runs on the calling thread, so that callers may run several at once. None of them returns
//! numbers that are not finite: such an outcome is an [`AlgebraError`] with the place it was found at. The failures of
//! saddle-point factors ([`SaddleError`], of the crate `saddle-ldlt`) are among them.

pub mod compensated;
pub mod condition;
pub mod convert;
mod cores;
pub mod dense;
mod eigen;
mod error;
mod factor;
pub mod graph;
pub mod in_place;
pub mod interrupt;
pub mod matrix_market;
pub mod memory;
pub mod norms;
mod pencil;
mod rank;
mod row_rank;
pub mod sorted;
pub mod sparse;
mod symmetry;
mod triplets;

pub use convert::{push_line, to_dense, to_sparse};
pub use cores::{side_by_side, start_threads};
pub use eigen::{GeneralEigen, Qz, SymmetricDefiniteEigen, SymmetricEigen, balance};
pub use error::{AlgebraError, FactorMethod, SaddleError};
pub use factor::{
    Cholesky, Entry, Lu, LuComplex, RankQr, SparseCholesky, SparseLu, SparseLuComplex, StaticLu, Svd,
    check_square, first_non_finite,
};
pub use interrupt::{Stopped, Watch};
pub use num_complex::Complex64 as c64;
pub use pencil::{DescriptorPencil, PenaltyBlocks, QuadraticPencil, StiffnessParts, Transferred};
pub use rank::{RankDecision, RankTolerance};
pub use row_rank::{RowDependence, RowElimination, RowRank};
pub use symmetry::Asymmetry;
pub use triplets::{Scatter, Transposed, Triplets};

/// A dense real matrix, stored by columns.
pub type Dense = faer::Mat<f64>;
/// A dense complex matrix, stored by columns.
pub type DenseC = faer::Mat<c64>;
/// A view of a dense real matrix or of a block of one.
pub type DenseRef<'a> = faer::MatRef<'a, f64>;
/// A mutable view of a dense real matrix or of a block of one.
pub type DenseMut<'a> = faer::MatMut<'a, f64>;
/// A sparse real matrix. All functions here return it by columns (CSC) and accept either storage.
pub type Sparse = sprs::CsMat<f64>;
/// A sparse complex matrix, by columns (CSC).
pub type SparseC = sprs::CsMat<c64>;
