//! Some eigenvalues of large sparse constrained problems, with certificates.
//!
//! ```text
//! (s^2 M + s C + K) x + Phi_q^T l = 0,  Phi_q x = 0          n unknowns, m constraint rows of rank r
//! ```
//!
//! [`solve`] takes a [`Request`] in the user's words and returns a [`crate::Spectrum`] like the dense analyses do: eigenpairs with
//! residuals by block, condition, error bound and class, on the matrices as given. Undamped symmetric problems, and those with damping
//! proportional to mass and stiffness, go to block Lanczos and are proved complete by Sturm counts; all others to block Krylov-Schur, and are counted along a contour
//! where that is affordable ([`Completeness`]). Small problems of which much is asked go to the dense path. The constraints stay in the matrix, as in the direct
//! method of yang2012, but for rows that tie two coordinates or hold one: where undamped symmetric problems have many of these, the
//! modes are sought in coordinates that move as one.
//!
//! Fails when some direction has neither mass nor stiffness (no shift makes the matrix regular), or when memory is short.

pub(crate) mod choice;
mod descriptor;
mod in_parts;
mod memory;
pub(crate) mod outcome;
mod proportional;
pub(crate) mod solve;

pub use crate::finding::{Completeness, Proof, Region, SparseFinding};
pub use crate::options::{Shift, Solver, SparseExpert, SparseOptions, Structure};
pub use crate::request::Request;
pub use descriptor::solve_descriptor;
pub use in_parts::settle_lost;
pub use solve::{KnownZeros, Others, solve, solve_in_parts, solve_with_zeros};
