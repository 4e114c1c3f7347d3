//! González et al. 2017: three families of linearization compared on the N-loop four-bar linkage and on the flexible
//! double pendulum.
//!
//! Everything is measured once ([`results`] says what), then each table picks its answers from the same results, so
//! that no two tables can disagree about one value.

mod claims;
mod counts;
mod errata;
mod exact;
mod figure5;
mod inputs;
mod measure;
mod pendulum;
mod results;
mod singular;
mod table1;
mod table2;
mod table6;

use mb_gallery::{Status, Table};

use crate::error::TaskError;
use crate::report::TableReport;
use crate::solvers::Comparison;

/// The linkages by every sparse solver of this build.
pub(crate) fn comparisons() -> Vec<Comparison> {
    measure::comparisons()
}

/// The patterns of Fig. 5.
pub(crate) fn pictures() -> Result<Vec<(String, String)>, TaskError> {
    let id = "gonzalez2017/figure-5".to_owned();
    let picture = figure5::picture().map_err(|_| TaskError::NoComputation { id })?;
    Ok(vec![("gonzalez2017-figure-5.svg".to_owned(), picture)])
}

/// Computes and judges the tables.
pub(crate) fn reports(tables: &[Table]) -> Result<Vec<TableReport>, TaskError> {
    let mut linkages = None;
    let mut pendulums = pendulum::Pendulums::default();
    let report = |table: &Table| {
        if table.status == Status::NotYetImplemented {
            return Ok(TableReport::not_yet_implemented(table));
        }
        if let Some(answers) = pendulums.answers(table) {
            return Ok(TableReport::judged(table, &answers));
        }
        let alone = match table.id.as_str() {
            "gonzalez2017/inputs" => Some(inputs::answers()),
            "gonzalez2017/errata" => Some(errata::answers()),
            _ => None,
        };
        if let Some(answers) = alone {
            return Ok(TableReport::judged(table, &answers));
        }
        let results = linkages.get_or_insert_with(results::Results::measure);
        let answers = match table.id.as_str() {
            "gonzalez2017/table-1" => table1::answers(results),
            "gonzalez2017/table-2" => table2::answers(results),
            "gonzalez2017/singular" => singular::answers(results),
            "gonzalez2017/counts" => counts::answers(results),
            "gonzalez2017/claims" => claims::answers(results),
            "gonzalez2017/table-6" => table6::answers(results),
            "gonzalez2017/table-6-efficiency" => table6::efficiency_answers(results),
            "gonzalez2017/exact" => exact::answers(results),
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

    /// The linkage's tables are reproduced in all three formulations, but for the one misprint.
    #[test]
    fn the_linkage_is_reproduced_but_for_one_misprint() {
        let names = ["table-1", "table-2", "singular", "exact"];
        let tables = names.map(|name| Table::load(&format!("gonzalez2017/{name}")).unwrap());
        let mut misprints = Vec::new();
        for cell in reports(&tables).unwrap().iter().flat_map(|t| &t.cells) {
            match cell.verdict {
                Verdict::Reproduced => {}
                Verdict::Information => assert!(cell.machine_dependent, "{}", cell.name()),
                Verdict::Misprint => misprints.push(cell.name()),
                other => panic!("{}: {other}, {} for {}", cell.name(), cell.computed_text, cell.printed),
            }
        }
        assert_eq!(misprints, ["N=15/phi_0"]);
    }

    /// The first eigenvalues of the flexible pendulum to all printed digits, and with the stiffness of the axial force.
    #[test]
    fn the_flexible_pendulum_is_reproduced() {
        let names = ["table-3", "geometric-stiffness", "figure-5"];
        let tables = names.map(|name| Table::load(&format!("gonzalez2017/{name}")).unwrap());
        for cell in reports(&tables).unwrap().iter().flat_map(|t| &t.cells) {
            let expected = matches!(cell.verdict, Verdict::Reproduced | Verdict::Open);
            assert!(
                expected,
                "{}: {}, {} for {}",
                cell.name(),
                cell.verdict,
                cell.computed_text,
                cell.printed
            );
        }
    }

    /// Every count and every statement of the text holds, but that on other multipliers at the singular point.
    #[test]
    fn counts_and_statements_hold() {
        let tables = ["counts", "claims"].map(|name| Table::load(&format!("gonzalez2017/{name}")).unwrap());
        let found = reports(&tables).unwrap();
        let others: Vec<_> =
            found.iter().flat_map(|t| &t.cells).filter(|c| c.verdict != Verdict::Claim).collect();
        let names: Vec<_> = others.iter().map(|c| (c.name(), c.verdict)).collect();
        let expected = "claim=s_2 with other multipliers at the singular point/value";
        assert_eq!(names, [(expected.to_owned(), Verdict::Open)]);
    }

    /// What is printed of the models is what the tables are computed with; each erratum has its number.
    #[test]
    fn inputs_are_the_papers_and_errata_are_computed() {
        for (name, verdict) in [("inputs", Verdict::Input), ("errata", Verdict::Reproduced)] {
            let table = Table::load(&format!("gonzalez2017/{name}")).unwrap();
            for cell in reports(&[table]).unwrap().iter().flat_map(|t| &t.cells) {
                assert_eq!(cell.verdict, verdict, "{}: {:?}", cell.name(), cell.computed_text);
            }
        }
    }

    /// Of the statements on Fig. 5 one does not hold: the factor of M_p is not block-diagonal.
    #[test]
    fn one_statement_on_the_patterns_is_open() {
        let table = Table::load("gonzalez2017/figure-5-claims").unwrap();
        let cells = reports(&[table]).unwrap().remove(0).cells;
        let open: Vec<_> = cells.iter().filter(|c| c.verdict != Verdict::Claim).collect();
        assert_eq!(open.iter().map(|c| c.name()).collect::<Vec<_>>(), ["claim=factor of M_p/word"]);
        assert_eq!(open[0].verdict, Verdict::Open);
    }
}
