//! Models with known answers, for tests, tables and benchmarks.
//!
//! ```
//! use mb_gallery::{Computed, Printed, Verdict, verdict};
//!
//! // The digits of a printed number are its tolerance: half a unit in the last place.
//! let printed: Printed = "+-2.15i".parse()?;
//! assert_eq!(verdict(&printed, &Computed::Complex { re: 0.0, im: 2.1477 }), Verdict::Reproduced);
//! assert_eq!(verdict(&printed, &Computed::Complex { re: 0.0, im: 2.1577 }), Verdict::Deviates);
//! # Ok::<(), mb_gallery::GalleryError>(())
//! ```
//!
//! - [`models`]: models whose answers are known in closed form.
//! - [`printed`]: printed numbers and the intervals they stand for.
//! - [`table`]: tables of known values with their provenance, read from `fixtures/`.
//! - [`mod@verdict`]: how a computed value stands to a printed one.

mod error;
pub mod models;
pub mod printed;
pub mod table;
pub mod verdict;

pub use error::GalleryError;
pub use printed::{Computed, Decimal, Printed, Relation};
pub use table::{Cell, Column, Judge, Kind, Note, Row, Source, Status, Table, Tolerance, fixtures_dir};
pub use verdict::{Judgement, Verdict, judge, verdict};
