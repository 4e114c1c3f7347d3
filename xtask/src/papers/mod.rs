//! The computations behind the tables, one module for each paper.

mod gonzalez2017;
mod palomba2019;
mod timing;

use mb_gallery::Table;

use crate::error::TaskError;
use crate::report::TableReport;
use crate::solvers::Comparison;

/// The systems of a paper by every sparse solver of this build.
pub(crate) fn comparisons(key: &str) -> Vec<Comparison> {
    match key {
        "gonzalez2017" => gonzalez2017::comparisons(),
        _ => Vec::new(),
    }
}

/// Pictures that stand beside the page of a paper: their file names and contents.
pub(crate) fn pictures(key: &str) -> Result<Vec<(String, String)>, TaskError> {
    match key {
        "gonzalez2017" => gonzalez2017::pictures(),
        "palomba2019" => palomba2019::pictures(),
        _ => Ok(Vec::new()),
    }
}

/// Computes and judges the tables of a paper.
pub(crate) fn reports(key: &str, tables: &[Table]) -> Result<Vec<TableReport>, TaskError> {
    match key {
        "gonzalez2017" => gonzalez2017::reports(tables),
        "palomba2019" => palomba2019::reports(tables),
        _ => Err(TaskError::NoComputation { id: format!("{key}/paper") }),
    }
}
