//! Models with known answers, for tests, tables and benchmarks.
//!
#![doc = include_str!("../README.md")]
//!
//! - [`catalogue`]: the models of `mb generate`, with parameters changed.
//! - [`files`]: model files as text.
//! - [`models`]: models whose answers are known in closed form.
//! - [`printed`]: printed numbers and the intervals they stand for.
//! - [`table`]: tables of known values with their provenance, read from `fixtures/`.
//! - [`mod@verdict`]: how a computed value stands to a printed one.

pub mod catalogue;
mod error;
pub mod files;
pub mod models;
pub mod printed;
pub mod table;
pub mod verdict;

pub use error::GalleryError;
pub use printed::{Computed, Decimal, Printed, Relation};
pub use table::{Cell, Column, Judge, Kind, Note, Row, Source, Status, Table, Tolerance, fixtures_dir};
pub use verdict::{Judgement, Verdict, judge, verdict};
