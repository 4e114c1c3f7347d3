//! The record of verdicts: `fixtures/<paper>/verdicts.toml`.
//!
//! A ratchet: a run may add cells and improve verdicts, and never makes one worse or forgets one. Whoever must lower a
//! verdict or take a cell away edits the file by hand, where a reviewer sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use mb_gallery::Verdict;

use crate::error::TaskError;
use crate::report::PaperReport;
use crate::root;

const HEADER: &str = "\
# Best verdict reached so far for every cell. `cargo xtask reproduce-tables` adds cells and improves verdicts;
# a verdict that gets worse or a cell that disappears fails, until it is changed here by hand.

";

/// Recorded verdicts by table and cell.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Record(BTreeMap<String, BTreeMap<String, Verdict>>);

/// Where a paper's record stands.
pub(crate) fn place(key: &str) -> String {
    format!("fixtures/{key}/verdicts.toml")
}

impl Record {
    /// Reads the record of a paper; empty when there is none yet.
    pub(crate) fn load(root: &Path, key: &str) -> Result<Self, TaskError> {
        let place = place(key);
        match root::read_if_present(root, &place)? {
            None => Ok(Self::default()),
            Some(text) => Self::parse(&text).map_err(|why| TaskError::Malformed { file: place, why }),
        }
    }

    /// From the file's text; the error is the parser's.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map(Self).map_err(|e| e.to_string())
    }

    /// The file's text.
    pub(crate) fn to_toml(&self) -> String {
        let mut out = HEADER.to_owned();
        for (table, cells) in &self.0 {
            let _infallible = writeln!(out, "[{}]", quoted(table));
            for (cell, verdict) in cells {
                let _infallible = writeln!(out, "{} = \"{verdict}\"", quoted(cell));
            }
            out.push('\n');
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }

    /// What is wrong with a report: failing cells, verdicts worse than recorded, cells that disappeared.
    pub(crate) fn complaints(&self, report: &PaperReport) -> Vec<String> {
        let mut complaints = Vec::new();
        for (table, cell, verdict, reason) in cells(report) {
            let recorded = self.0.get(&table).and_then(|t| t.get(&cell)).copied();
            let why = reason.map_or_else(String::new, |r| format!(" ({r})"));
            match recorded {
                Some(recorded) if verdict.is_worse_than(recorded) => {
                    complaints
                        .push(format!("{}/{table} {cell}: was {recorded}, is {verdict}{why}", report.key));
                }
                _ if verdict.is_failure() => {
                    complaints.push(format!("{}/{table} {cell}: {verdict}{why}", report.key));
                }
                _ => {}
            }
        }
        let present: BTreeSet<_> = cells(report).map(|(table, cell, ..)| (table, cell)).collect();
        for (table, recorded) in &self.0 {
            for (cell, verdict) in recorded {
                if !present.contains(&(table.clone(), cell.clone())) {
                    complaints.push(format!("{}/{table} {cell}: was {verdict}, is gone", report.key));
                }
            }
        }
        complaints
    }

    /// Cells of a report that are not recorded yet, or with a lesser verdict or another of the same rank.
    pub(crate) fn behind(&self, report: &PaperReport) -> usize {
        let behind = |table: &String, cell: &String, verdict: Verdict| {
            self.0.get(table).and_then(|t| t.get(cell)).is_none_or(|recorded| differs(*recorded, verdict))
        };
        cells(report)
            .filter(|(table, cell, verdict, _)| !verdict.is_failure() && behind(table, cell, *verdict))
            .count()
    }

    /// The record after this report: new cells added, better verdicts taken, nothing lowered.
    #[must_use]
    pub(crate) fn improved_by(&self, report: &PaperReport) -> Self {
        let mut next = self.clone();
        for (table, cell, verdict, _) in cells(report).filter(|(_, _, v, _)| !v.is_failure()) {
            let recorded = next.0.entry(table).or_default().entry(cell).or_insert(verdict);
            if differs(*recorded, verdict) {
                *recorded = verdict;
            }
        }
        next
    }
}

/// Whether a verdict takes the place of a recorded one: it is better, or another one that is as good.
fn differs(recorded: Verdict, verdict: Verdict) -> bool {
    recorded != verdict && !verdict.is_worse_than(recorded)
}

fn cells(report: &PaperReport) -> impl Iterator<Item = (String, String, Verdict, Option<&str>)> {
    report.tables.iter().flat_map(|table| {
        table.cells.iter().map(|c| (table.name().to_owned(), c.name(), c.verdict, c.reason.as_deref()))
    })
}

/// A basic TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use mb_gallery::{Computed, Table};

    use super::*;
    use crate::answers::Answers;
    use crate::report::TableReport;

    const TABLE: &str = r#"
id = "p/t"
title = "A table"
kind = "published"
source = { cite = "p", locator = "Table 1", verified = "read twice" }
column = [{ name = "N", judge = "key" }, { name = "x", judge = "bound" }, { name = "y" }]
row = [{ N = "1", x = "0.5", y = "-" }, { N = "2", x = "-", y = { printed = "2", open = "Unknown." } }]
"#;

    /// The report of two cells with these values; `None` leaves a cell without an answer.
    fn report(x: Option<f64>, y: f64) -> PaperReport {
        let table = Table::from_toml(TABLE, "p/t").expect("the table is well formed");
        let mut answers = Answers::default();
        if let Some(x) = x {
            answers.put("N=1", "x", Ok(Computed::Real(x)));
        }
        answers.put("N=2", "y", Ok(Computed::Real(y)));
        PaperReport {
            key: "p".to_owned(),
            title: String::new(),
            authors: String::new(),
            implemented: true,
            planned: Vec::new(),
            printed: std::collections::BTreeMap::new(),
            tables: vec![TableReport::judged(&table, &answers)],
        }
    }

    #[test]
    fn a_record_survives_its_own_text() {
        let record = Record::default().improved_by(&report(Some(0.5), 2.0));
        let read: Record = toml::from_str(&record.to_toml()).map(Record).unwrap();
        assert_eq!(read, record);
        assert!(record.to_toml().contains("\"N=1/x\" = \"reproduced\""), "{}", record.to_toml());
    }

    #[test]
    fn verdicts_may_improve_and_not_get_worse() {
        let first = Record::default().improved_by(&report(Some(0.25), 3.0));
        assert!(first.complaints(&report(Some(0.25), 3.0)).is_empty());
        // Both cells are new; later the second is better than recorded.
        assert_eq!(
            (Record::default().behind(&report(Some(0.25), 3.0)), first.behind(&report(None, 2.0))),
            (2, 1)
        );
        let better = first.improved_by(&report(Some(0.5), 2.0));
        assert_ne!(better, first);
        assert!(first.complaints(&report(Some(0.5), 2.0)).is_empty());

        let worse = better.complaints(&report(Some(0.25), 3.0));
        assert_eq!(
            worse,
            ["p/t N=1/x: was reproduced, is bound", "p/t N=2/y: was reproduced, is open (Unknown.)"]
        );
        assert_eq!(better.improved_by(&report(Some(0.25), 3.0)), better);
    }

    #[test]
    fn a_failing_cell_is_complained_about_and_never_recorded() {
        let failing = report(None, 2.0);
        assert_eq!(Record::default().complaints(&failing).len(), 1);
        let record = Record::default().improved_by(&failing);
        assert!(!record.to_toml().contains("N=1/x"));
        assert_eq!(record.complaints(&report(Some(9.0), 2.0)).len(), 1);
    }

    #[test]
    fn a_cell_that_disappears_is_missed() {
        let record = Record::default().improved_by(&report(Some(0.5), 2.0));
        let mut less = report(Some(0.5), 2.0);
        less.tables[0].cells.pop();
        assert_eq!(record.complaints(&less), ["p/t N=2/y: was reproduced, is gone"]);
        less.tables.clear();
        assert_eq!(record.complaints(&less).len(), 2);
    }
}
