//! Factorization of saddle-point matrices S = [A, G^T; G, 0] of constrained eigenproblems.
//!
#![doc = include_str!("../README.md")]
//!
//! # Method
//!
//! A = s^2 M + s C + K at a shift s is n x n and sparse, G = Phi_q is m x n. One [`SaddleAnalysis`] serves many
//! shifts and several threads. How it works:
//!
//! 1. Unknowns and constraints are scaled to one magnitude by powers of two (module `scaling`).
//! 2. A + g G^T G replaces A: solutions and inertia stay as they are, and a body that is held by constraints alone
//!    has nonzero pivots (Golub and Greif, SIAM J. Sci. Comput. 24, 2003).
//! 3. The quotient graph is ordered by minimum degree or nested dissection, each multiplier right after the last
//!    unknown of its row (module `sequence`).
//! 4. L D L^T by the multifrontal method, Bunch-Kaufman pivoting restricted to small diagonal blocks (module `front`); for
//!    unsymmetric A L U on the same fronts, row pivoting restricted to each front (module `front_lu`).
//! 5. Every factorization is tried on a known solution, every solution is checked in both blocks of rows and
//!    refined when needed. Where a pivot is lost, or the trial or a later solution fails, the factorization is made again with
//!    threshold pivoting on the same fronts, and pivots without a stable candidate move to the parent's (module `delayed`).
//!    It always ends, with the inertia; zeros of D are those of a singular matrix. Behind L U stands one with exchanges over
//!    the whole matrix.
//!    Where memory suffices only for half, factors in single precision are tried (module `single_precision`).
//! 6. Rows of G that depend on others show as pivots that are rounding noise; they are confirmed by their
//!    combination, reported, and their multipliers get the values of minimum norm (module `redundant`).
//!
//! D gives the inertia, hence counts of eigenvalues below a shift (Sylvester's law; Parlett, The Symmetric
//! Eigenvalue Problem, section 3.3).

#![expect(
    clippy::cast_possible_truncation,
    reason = "sizes are checked against the range of 32-bit indices once, in SaddleAnalysis::new"
)]
#![expect(
    clippy::inline_always,
    reason = "what is not inlined into a kernel is not compiled for the processor the kernel was chosen for"
)]

mod analysis;
mod assembly;
mod augmented_lu;
mod available;
mod backward_kernel;
mod block_passes;
mod bunch_kaufman;
mod column_blocks;
mod column_factor;
mod combined_check;
mod compiled;
mod delayed;
mod elimination_tree;
mod factor;
mod fallback;
mod forward_kernel;
mod front;
mod front_lu;
mod graph;
mod inertia;
mod inertia_single;
mod kernel;
mod ldl;
mod methods;
#[cfg(feature = "metis")]
mod metis;
mod mixed_precision;
mod number;
mod numeric;
mod numeric_lu;
mod ordering;
mod packed_lower;
mod panel;
mod pattern;
mod pivots;
mod redundant;
mod refactor;
mod refined_solve;
mod report;
mod residual;
#[cfg(test)]
mod samples;
mod scaling;
mod sequence;
mod single_precision;
mod solve_fallback;
mod substitute;
mod subtree_parallel;
mod symbolic;
mod symmetric_storage;
mod threshold;
mod tuning;
mod workspace;

pub use analysis::SaddleAnalysis;
pub use available::{address_space, available_memory, memory_for};
pub use factor::SaddleFactor;
pub use fallback::SaddleNumber;
pub use mb_algebra::{FactorMethod as Method, SaddleError};
pub use mixed_precision::SaddleSingle;
pub use report::{
    BlockError, FactorEstimate, FactorReport, Inertia, OrderingChoice, RedundantRow, SaddleOptions,
};
