//! The report for the terminal: aligned columns, reasons beneath.

use std::fmt::Write;

use crate::count;
use crate::report::{CellReport, PaperReport, Report, TableReport};

/// Widest line of the page of counts, and widest title of a table there.
const WIDTH: usize = 118;
const TITLE: usize = 52;
/// Reasons of open cells that the page of counts names.
const REASONS: usize = 4;

const HEAD: [&str; 7] = ["row", "quantity", "by", "printed", "computed", "deviation", "verdict"];

/// The report: how many cells of each kind, or with `cells` all of them.
pub(crate) fn report(report: &Report, cells: bool) -> String {
    let mut out = String::new();
    for paper in report.papers.iter().filter(|_| cells) {
        render_paper(&mut out, paper);
    }
    for paper in &report.papers {
        render_counts(&mut out, paper);
    }
    if cells {
        out.push_str(&crate::solvers::text(&report.solvers));
    }
    out
}

/// One line for each printed table.
fn render_counts(out: &mut String, paper: &PaperReport) {
    let lines = count::lines(paper);
    let head = ["cells", "reproduced", "misprint", "open", "shown", "inputs", "not computed"];
    line(out, &cut(&format!("{}  {}: {}", paper.key, paper.authors, paper.title), WIDTH));
    line(out, &format!("  {:TITLE$}  {}", "", head.join("  ")));
    for counts in lines {
        let fields: Vec<String> =
            counts.numbers().iter().zip(head).map(|(n, h)| format!("{n:>0$}", h.len())).collect();
        line(out, &format!("  {:TITLE$}  {}", cut(&counts.title, TITLE), fields.join("  ")));
    }
    let open = count::open(paper);
    for (cells, why) in open.iter().take(REASONS) {
        line(out, &cut(&format!("  open, {cells:2}: {why}"), WIDTH));
    }
    if open.len() > REASONS {
        let rest: usize = open[REASONS..].iter().map(|(cells, _)| cells).sum();
        line(
            out,
            &format!(
                "  open, {rest:2}: {} more reasons, see {}",
                open.len() - REASONS,
                super::markdown::COUNTS
            ),
        );
    }
    line(out, &format!("  {}", count::own(paper)));
    line(out, "");
}

/// A text that ends with dots where it is longer than a width.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width - 3).collect();
    format!("{}...", kept.trim_end())
}

fn render_paper(out: &mut String, paper: &PaperReport) {
    line(out, &format!("{}  {}: {}", paper.key, paper.authors, paper.title));
    if !paper.implemented {
        for planned in &paper.planned {
            line(out, &format!("  not yet implemented: {planned}"));
        }
        line(out, "");
        return;
    }
    for table in &paper.tables {
        line(out, "");
        render_table(out, table);
    }
    let counts: Vec<_> = paper.summary().iter().map(|(v, n)| format!("{n} {v}")).collect();
    line(out, &format!("\n{}: {}\n", paper.key, counts.join(", ")));
}

fn render_table(out: &mut String, table: &TableReport) {
    line(out, &format!("{} ({}): {}", table.id, table.locator, table.title));
    if !table.implemented {
        line(out, "  not yet implemented");
        return;
    }
    for statement in &table.statements {
        line(out, &format!("  {}: {}", statement.row, statement.text));
    }
    let rows: Vec<[String; 7]> = table.cells.iter().map(fields).collect();
    let mut widths = HEAD.map(|h| h.chars().count());
    for row in &rows {
        for (width, field) in widths.iter_mut().zip(row) {
            *width = (*width).max(field.chars().count());
        }
    }
    let aligned = |row: &[String; 7]| {
        let cells: Vec<_> = row.iter().zip(widths).enumerate().map(|(i, (f, w))| align(i, f, w)).collect();
        format!("  {}", cells.join("  ").trim_end())
    };
    line(out, &aligned(&HEAD.map(str::to_owned)));
    for (cell, row) in table.cells.iter().zip(&rows) {
        let reason = cell.reason.as_ref().map_or_else(String::new, |r| format!("  {r}"));
        line(out, &format!("{}{reason}", aligned(row)));
    }
}

/// Words to the left, numbers to the right.
fn align(column: usize, field: &str, width: usize) -> String {
    if (3..=5).contains(&column) { format!("{field:>width$}") } else { format!("{field:<width$}") }
}

fn fields(cell: &CellReport) -> [String; 7] {
    let quantity = if cell.unit.is_empty() {
        cell.quantity.clone()
    } else {
        format!("{} [{}]", cell.quantity, cell.unit)
    };
    [
        cell.title.clone(),
        quantity,
        cell.by.clone().unwrap_or_default(),
        cell.printed.clone(),
        cell.computed_text.clone(),
        cell.deviation_text.clone(),
        cell.verdict.to_string(),
    ]
}

fn line(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _infallible = writeln!(out, "{text}");
}
