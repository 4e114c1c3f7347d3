//! `cargo xtask reproduce-tables`: the papers' tables, printed next to computed.
//!
//! Plain: prints the page of counts (`--cells`: every cell), writes `docs/book/src/tables/<paper>.md`, the page of counts
//! next to them and the record of verdicts. `--check`: writes nothing and fails when a verdict got worse than recorded, a cell
//! disappeared or deviates, a table has not as many cells as the paper prints, a judged cell would hold for another printed
//! value as well, or a committed page no longer says what the program computes. Where ARPACK-NG is installed the task
//! shows its results next to ours, in the report but not on the committed pages ([`crate::solvers`]). `--json`: the report at full precision on the standard output.

use std::fmt::Write;
use std::path::Path;

use clap::Args;
use mb_gallery::Status;

use crate::error::TaskError;
use crate::paper::Paper;
use crate::record::{self, Record};
use crate::render::{markdown, terminal, up_to_date};
use crate::report::{PaperReport, Report, SCHEMA_VERSION};
use crate::{Outcome, count, mutate, papers, root, solvers};

/// Arguments of `reproduce-tables`.
#[derive(Args)]
pub(crate) struct ReproduceTables {
    /// Only this paper, by its key (`gonzalez2017`).
    #[arg(long, value_name = "KEY")]
    paper: Option<String>,
    /// Write nothing; fail when a verdict got worse, a cell disappeared or a page is out of date.
    #[arg(long)]
    check: bool,
    /// Print every cell, not only how many there are of each kind.
    #[arg(long)]
    cells: bool,
    /// Print the report as JSON at full precision.
    #[arg(long)]
    json: bool,
}

impl ReproduceTables {
    /// Runs the task.
    pub(crate) fn run(&self) -> Result<Outcome, TaskError> {
        let root = root::workspace_root()?;
        let (mut reports, mut solvers, mut complaints) = (Vec::new(), Vec::new(), Vec::new());
        for paper in Paper::select(&root, self.paper.as_deref())? {
            let tables = if paper.status == Status::Implemented {
                solvers.extend(papers::comparisons(&paper.key));
                let tables = paper.load_tables(&root)?;
                let found = papers::reports(&paper.key, &tables)?;
                for table in &tables {
                    let report = found.iter().find(|r| r.id == table.id);
                    complaints.extend(report.map(|r| mutate::survivors(table, r)).into_iter().flatten());
                    complaints.extend(report.map(|r| mutate::idle_notes(table, r)).into_iter().flatten());
                }
                found
            } else {
                Vec::new()
            };
            reports.push(PaperReport::new(&paper, tables));
        }
        complaints.extend(solvers::complaints(&solvers));
        for paper in &reports {
            complaints.extend(count::complaints(paper));
            complaints.extend(if self.check { check(&root, paper)? } else { update(&root, paper)? });
        }
        if self.paper.is_none() {
            let page = markdown::counts(&reports);
            let committed = root::read_if_present(&root, markdown::COUNTS)?.unwrap_or_default();
            if committed != page {
                if self.check {
                    complaints.push(out_of_date(markdown::COUNTS));
                } else {
                    root::write(&root, markdown::COUNTS, &page)?;
                }
            }
        }
        let report = Report { schema_version: SCHEMA_VERSION, papers: reports, solvers };
        let mut text = if self.json {
            format!("{}\n", serde_json::to_string_pretty(&report)?)
        } else {
            terminal::report(&report, self.cells)
        };
        if self.json {
            // The standard output holds JSON alone.
            for complaint in &complaints {
                let _closed =
                    std::io::Write::write_fmt(&mut std::io::stderr().lock(), format_args!("{complaint}\n"));
            }
        } else {
            for complaint in &complaints {
                let _infallible = writeln!(text, "FAILED {complaint}");
            }
        }
        Ok(Outcome { text, passed: complaints.is_empty() })
    }
}

/// Compares with what is committed.
fn check(root: &Path, paper: &PaperReport) -> Result<Vec<String>, TaskError> {
    let record = Record::load(root, &paper.key)?;
    let mut complaints = record.complaints(paper);
    let behind = record.behind(paper);
    if behind > 0 {
        let place = record::place(&paper.key);
        complaints.push(format!(
            "{place} lacks {behind} cells, or has lesser verdicts; run `cargo xtask reproduce-tables` and commit it"
        ));
    }
    let place = markdown::place(&paper.key);
    let committed = root::read_if_present(root, &place)?.unwrap_or_default();
    if !up_to_date::same_page(&committed, &markdown::page(paper)) {
        complaints.push(out_of_date(&place));
    }
    for picture in papers::pictures(&paper.key)? {
        let place = markdown::beside(&picture.name);
        let committed = root::read_if_present(root, &place)?.unwrap_or_default();
        if !picture.is_committed_as(&committed) {
            complaints.push(out_of_date(&place));
        }
    }
    Ok(complaints)
}

fn out_of_date(place: &str) -> String {
    format!("{place} is out of date; run `cargo xtask reproduce-tables` and commit it")
}

/// Writes the page and the record.
fn update(root: &Path, paper: &PaperReport) -> Result<Vec<String>, TaskError> {
    let record = Record::load(root, &paper.key)?;
    let complaints = record.complaints(paper);
    let place = markdown::place(&paper.key);
    let page = markdown::page(paper);
    let committed = root::read_if_present(root, &place)?.unwrap_or_default();
    if !up_to_date::same_page(&committed, &page) {
        root::write(root, &place, &page)?;
    }
    for picture in papers::pictures(&paper.key)? {
        let place = markdown::beside(&picture.name);
        let committed = root::read_if_present(root, &place)?.unwrap_or_default();
        if !up_to_date::same_but_for_round_off(&committed, &picture.text) {
            root::write(root, &place, &picture.text)?;
        }
    }
    if paper.implemented {
        root::write(root, &record::place(&paper.key), &record.improved_by(paper).to_toml())?;
    }
    Ok(complaints)
}
