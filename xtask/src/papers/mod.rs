//! The computations behind the tables, one module for each paper.

mod gonzalez2017;

use std::path::Path;

use mb_gallery::Table;

use crate::error::TaskError;
use crate::report::TableReport;

/// Computes and judges the tables of a paper.
pub(crate) fn reports(root: &Path, key: &str, tables: &[Table]) -> Result<Vec<TableReport>, TaskError> {
    match key {
        "gonzalez2017" => gonzalez2017::reports(root, tables),
        _ => Err(TaskError::NoComputation { id: format!("{key}/paper") }),
    }
}
