//! Eigenvalues of constrained second-order systems: classed, counted, with their errors.
//!
#![doc = include_str!("../README.md")]
//!
//! The problem is (s^2 M + s C + K) x + Phi_q^T l = 0, Phi_q x = 0, with s in rad/s. Only matrices come in; no mechanics is
//! known here.
//!
//! | form of the equations | function | eigenvalues |
//! | --- | --- | --- |
//! | minimal coordinates, by elimination | [`dense::solve`] | 2 (n - r) |
//! | redundant coordinates, E y' = A y | [`descriptor::solve`], [`descriptor::solve_qz`] | 2n + m |
//! | penalty | [`penalty::solve`], [`penalty::physical_eigenpairs`] | 2n |
//! | some modes of large problems | [`sparse::solve`], [`direct::solve`], [`penalty::lowest`] | as asked |
//! | the same by an engine outside | [`engine::Prepared`] | as asked |
//!
//! An [`Eigenpair`] holds alpha and beta undivided, right and left vectors with their multipliers, a backward error on
//! the matrices as given, a condition number, an error bound and a [`Class`]. A [`Spectrum`] adds the [`Counts`]
//! demanded by theory and found, and every [`Finding`]: redundant rows, a singular mass matrix, overlapping groups.
//! These are results, not errors. [`pairing`] says which eigenvalue of one spectrum is which of another; [`polish()`]
//! refines one eigenpair.
//!
//! Large sparse problems go to [`sparse::solve`]. Its Krylov methods are this crate's own;
//! ARPACK-NG of the system can take their place ([`sparse::Solver`]), on the same operators and with the same counts
//! and certificates. The default never depends on what is installed.
//!
//! [`direct`] is the direct method of yang2012 in named steps; [`modal`] says what modes mean: participation, effective
//! mass, energy by body, likeness of shapes.
//!
//! Conventions ([`modal`] has all of them): f = |Im s| / (2 pi) is the damped frequency in Hz, |s| / (2 pi) the natural one, zeta = -Re s / |s|.

mod certify;
mod class;
mod completeness;
mod counts;
pub mod dense;
pub mod descriptor;
pub mod direct;
mod eigenpair;
pub mod engine;
mod error;
mod finding;
pub mod krylov;
mod method;
pub mod modal;
mod null_space;
mod numeric;
mod options;
pub mod pairing;
pub mod penalty;
mod problem;
mod refine;
mod request;
mod search;
mod shape;
pub mod sparse;
mod spectrum;
mod transform;
mod tuning;

pub use class::{Class, SpuriousOrigin};
pub use counts::{ClassCounts, Counts, ExpectedCounts};
pub use dense::polish::polish;
pub use eigenpair::Eigenpair;
pub use error::EigenError;
pub use finding::{CountedClass, Finding, MultiplierRange};
pub use method::Method;
pub use options::{DenseOptions, Refinement};
pub use problem::constraint_rows::{ConstraintRows, Reading};
pub use shape::Shape;
pub use spectrum::Spectrum;
