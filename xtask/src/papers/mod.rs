//! The computations behind the tables, one module for each paper.

mod flores2018;
mod gonzalez2017;
mod palomba2019;
mod timing;
mod yang2012;

use mb_gallery::Table;

use crate::error::TaskError;
use crate::render::up_to_date;
use crate::report::TableReport;
use crate::solvers::Comparison;

/// The systems of a paper by every sparse solver of this build.
pub(crate) fn comparisons(key: &str) -> Vec<Comparison> {
    match key {
        "gonzalez2017" => gonzalez2017::comparisons(),
        "yang2012" => yang2012::comparisons(),
        _ => Vec::new(),
    }
}

/// A picture or a file of data that stands next to the page of a paper.
#[derive(Debug)]
pub(crate) struct Picture {
    /// Name of the file.
    pub(crate) name: String,
    /// Its content.
    pub(crate) text: String,
    /// Whether it shows values at the level of rounding, which differ between machines.
    pub(crate) shows_rounding: bool,
}

impl Picture {
    /// Whether a committed file is this one: equal but for round-off, or, where rounding itself is shown, as long.
    pub(crate) fn is_committed_as(&self, committed: &str) -> bool {
        if self.shows_rounding {
            return committed.lines().count() == self.text.lines().count();
        }
        up_to_date::same_but_for_round_off(committed, &self.text)
    }
}

/// What stands next to the page of a paper.
pub(crate) fn pictures(key: &str) -> Result<Vec<Picture>, TaskError> {
    let plain = |(name, text)| Picture { name, text, shows_rounding: false };
    match key {
        "flores2018" => flores2018::pictures(),
        "gonzalez2017" => Ok(gonzalez2017::pictures()?.into_iter().map(plain).collect()),
        "palomba2019" => Ok(palomba2019::pictures()?.into_iter().map(plain).collect()),
        "yang2012" => Ok(yang2012::pictures()?.into_iter().map(plain).collect()),
        _ => Ok(Vec::new()),
    }
}

/// Computes and judges the tables of a paper.
pub(crate) fn reports(key: &str, tables: &[Table]) -> Result<Vec<TableReport>, TaskError> {
    match key {
        "flores2018" => flores2018::reports(tables),
        "gonzalez2017" => gonzalez2017::reports(tables),
        "palomba2019" => palomba2019::reports(tables),
        "yang2012" => yang2012::reports(tables),
        _ => Err(TaskError::NoComputation { id: format!("{key}/paper") }),
    }
}
