//! Flores 2018: five ways to hold the constraints of a spatial four-bar in forward dynamics.

mod checks;
mod claims;
mod draw;
mod errata;
mod exact;
mod figure2;
mod figure3;
mod identities;
mod methods;
mod oscillation;
mod parameters;
mod pendulum;
mod runs;
mod setup;

use mb_gallery::{Status, Table};

use super::Picture;
use crate::error::TaskError;
use crate::report::TableReport;
use runs::Study;

/// Fig. 2 as data and as a picture, Fig. 3 as a picture.
pub(crate) fn pictures() -> Result<Vec<Picture>, TaskError> {
    let mut study = Study::default();
    let failed = |_| TaskError::NoComputation { id: "flores2018/figure-2".to_owned() };
    let data = figure2::data(&mut study).map_err(failed)?;
    let violation = figure2::picture(&mut study).map_err(failed)?;
    let cost = figure3::picture(&mut study).map_err(failed)?;
    // The direct correction is drawn where only rounding is left.
    Ok(vec![
        Picture { name: "flores2018-figure-2.csv".to_owned(), text: data, shows_rounding: true },
        Picture { name: "flores2018-figure-2.svg".to_owned(), text: violation, shows_rounding: true },
        Picture { name: "flores2018-figure-3.svg".to_owned(), text: cost, shows_rounding: false },
    ])
}

/// Computes and judges the tables.
pub(crate) fn reports(tables: &[Table]) -> Result<Vec<TableReport>, TaskError> {
    let mut study = Study::default();
    let report = |table: &Table| {
        if table.status == Status::NotYetImplemented {
            return Ok(TableReport::not_yet_implemented(table));
        }
        let answers = match table.id.as_str() {
            "flores2018/table-1" => parameters::table1(),
            "flores2018/table-2" => parameters::table2(),
            "flores2018/setup" => setup::answers(),
            "flores2018/methods" => methods::answers(),
            "flores2018/parameters" => parameters::provenance(),
            "flores2018/figure-2" => figure2::answers(&mut study),
            "flores2018/figure-3" => figure3::answers(&mut study),
            "flores2018/claims" | "flores2018/own-claims" => claims::answers(&mut study),
            "flores2018/exact" => exact::answers(),
            "flores2018/checks" => checks::answers(),
            "flores2018/errata" => errata::answers(&mut study),
            id => return Err(TaskError::NoComputation { id: id.to_owned() }),
        };
        Ok(TableReport::judged(table, &answers))
    };
    tables.iter().map(report).collect()
}

#[cfg(test)]
mod tests {
    use mb_gallery::Verdict;

    use super::*;

    fn verdicts(name: &str) -> Vec<(String, Verdict)> {
        let table = Table::load(&format!("flores2018/{name}")).unwrap();
        let reports = reports(&[table]).unwrap();
        reports.iter().flat_map(|t| &t.cells).map(|cell| (cell.name(), cell.verdict)).collect()
    }

    /// The data are those of the paper but for the lengths, which have a slip of the decimal point.
    #[test]
    fn data_are_the_papers_but_for_the_lengths() {
        for (cell, verdict) in verdicts("table-1") {
            let expected = if cell.ends_with("/length") { Verdict::Misprint } else { Verdict::Input };
            assert_eq!(verdict, expected, "{cell}");
        }
        for name in ["table-2", "setup", "parameters"] {
            for (cell, verdict) in verdicts(name) {
                assert_eq!(verdict, Verdict::Input, "{cell}");
            }
        }
    }

    /// The one-coordinate motion, on its own and by the constrained equations, to 1e-9.
    #[test]
    fn the_motion_is_that_of_the_one_coordinate() {
        for (cell, verdict) in verdicts("exact") {
            assert_eq!(verdict, Verdict::Reproduced, "{cell}");
        }
    }

    /// Levels and counts of the separate calculation, and the counts behind the errata. The claims take runs of 50 s: those and the
    /// other checks are made by `cargo xtask reproduce-tables --check`.
    #[test]
    fn the_study_is_reproduced() {
        for (cell, verdict) in verdicts("figure-2") {
            assert!(!verdict.is_failure(), "{cell}: {verdict}");
        }
        assert!(verdicts("errata").iter().all(|(_, verdict)| *verdict == Verdict::Reproduced));
    }
}
