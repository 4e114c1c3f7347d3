//! Some eigenvalues of large sparse constrained problems, with certificates.
//!
//! ```text
//! (s^2 M + s C + K) x + Phi_q^T l = 0,  Phi_q x = 0          n unknowns, m constraint rows of rank r
//! ```
//!
//! [`solve`] takes a [`Request`] in the user's words and returns a [`crate::Spectrum`] like the dense analyses do: pairs with
//! residuals by block, condition, error bar and class, on the matrices as given. Undamped symmetric problems go
//! to block Lanczos and are proved complete by Sturm counts; all others to block Krylov-Schur, and are counted along a contour
//! where that is affordable ([`SparseFinding::CompleteInside`]). Small problems of which much is asked go to the dense path. The constraints stay in the matrix, as in the direct
//! method of yang2012, but for rows that tie two coordinates or hold one: where undamped symmetric problems have many of these, the
//! modes are sought in coordinates that move as one.
//!
//! Fails when some direction has neither mass nor stiffness (no shift makes the matrix regular), or when memory is short.

mod approach;
pub(crate) mod biorthonormal;
pub(crate) mod certificate;
mod contour;
mod cut;
mod descriptor;
pub(crate) mod doubled;
mod equilibrated;
mod finding;
mod finite;
mod forward;
pub(crate) mod general;
pub(crate) mod general_requests;
pub(crate) mod general_zeros;
mod growth;
mod largest;
mod light;
pub(crate) mod linear_form;
pub(crate) mod matrix;
mod memory;
pub(crate) mod merged;
mod mirror;
pub(crate) mod null_space;
mod options;
pub(crate) mod problem;
mod proportional;
pub(crate) mod real_shapes;
mod request;
pub(crate) mod rows;
mod shift_invert;
pub(crate) mod shift_solve;
mod short;
pub(crate) mod solve;
mod sturm;
mod symmetric;
mod symmetric_requests;
mod witnessed;
mod zeros;

pub use descriptor::solve_descriptor;
pub use finding::{Proof, SparseFinding};
pub use options::{Shift, Solver, SparseOptions, Structure};
pub use request::Request;
pub use solve::{solve, solve_in_parts};
