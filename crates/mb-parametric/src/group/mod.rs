//! Groups of close, repeated or defective eigenvalues as one polynomial.
//!
//! Where eigenvalues meet, none of them has a power series of its own, but the space they span
//! together has:
//!
//! ```text
//! M X S^2 + C X S + K X + Phi_q^T L = 0,   Phi_q X = 0,   X(x): n x k,  S(x): k x k
//! ```
//!
//! with S and X analytic as long as no other eigenvalue joins the group. The eigenvalues of the
//! small matrix S(x) are those of the group, whether they are simple, repeated or defective at x.
//! The gauge is W^H (X; X S / omega) = I with the orthonormal states W of the expansion point.
//! For one eigenvalue it is the series of a single eigenpair.
//!
//! Degrees follow one another as for single eigenpairs; with V = X S and U = V S as series of their own
//! the known part of degree sigma is a sum of products with the coefficient matrices.
//!
//! Fails where an eigenvalue outside the group coincides with one of it
//! ([`crate::ParametricError::GroupNotSeparate`]): then it belongs to the group.

mod blocks;
mod columns;
mod evaluate;
mod expand;
mod schur;
mod shift;
mod start;

pub use evaluate::{GroupEvaluation, GroupSeries};
pub use expand::{expand_group, group_values};
pub(crate) use shift::apart;
