//! Text output: numbers, tables, styles.

pub mod comparison;
pub mod complaint;
mod extremes;
pub mod modes;
pub mod shares;
pub mod style;
pub mod summary;
pub mod table;

pub use mb_analysis::number::{short, six, tiny};
pub use style::Style;
pub use table::{Column, Table};
