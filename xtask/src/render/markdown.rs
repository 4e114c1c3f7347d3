//! The report as a page of the book, one for each paper.
//!
//! The page is committed, so nothing on it may depend on the machine or the moment: elapsed times of this program are
//! left to the terminal and to JSON, and a deviation that is round-off is shown by the tolerance that holds it.

use std::fmt::Write;

use mb_gallery::Verdict;

use crate::count;
use crate::report::{CellReport, PaperReport, TableReport};

/// Where a paper's page stands, from the root of the source tree.
pub(crate) fn place(key: &str) -> String {
    format!("docs/book/src/tables/{key}.md")
}

/// Where a file next to the pages stands.
pub(crate) fn beside(name: &str) -> String {
    format!("docs/book/src/tables/{name}")
}

/// Where the page of counts stands.
pub(crate) const COUNTS: &str = "docs/book/src/tables/papers.md";

/// The page of counts: what is printed, and what became of it.
pub(crate) fn counts(papers: &[PaperReport]) -> String {
    let mut out = String::new();
    push(&mut out, "<!-- Written by `cargo xtask reproduce-tables`. Changes made by hand are lost. -->");
    push(&mut out, "# The papers, counted\n");
    push(&mut out, &format!("{}\n", count::MEANING));
    for paper in papers {
        push(&mut out, &format!("## [{}]({}.md)\n", paper.key, paper.key));
        let head =
            ["printed where", "cells", "reproduced", "misprint", "open", "shown", "inputs", "not computed"];
        push(&mut out, &format!("| {} |", head.join(" | ")));
        push(&mut out, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
        for line in count::lines(paper) {
            let fields: Vec<String> = line.numbers().iter().map(ToString::to_string).collect();
            push(&mut out, &format!("| {} | {} |", line.title, fields.join(" | ")));
        }
        let open = count::open(paper);
        if !open.is_empty() {
            push(&mut out, "\nOpen, by number of cells:\n");
        }
        for (cells, why) in open {
            push(&mut out, &format!("- {cells}: {why}"));
        }
        push(&mut out, &format!("\n{}", count::own(paper)));
        push(&mut out, "");
    }
    out
}

/// The page of one paper.
pub(crate) fn page(paper: &PaperReport) -> String {
    let mut out = String::new();
    push(&mut out, "<!-- Written by `cargo xtask reproduce-tables`. Changes made by hand are lost. -->");
    push(&mut out, &format!("# {}: printed and computed\n", paper.key));
    push(&mut out, &format!("{}: *{}*.\n", paper.authors, paper.title));
    if !paper.implemented {
        push(&mut out, "Not yet implemented. Foreseen:\n");
        for planned in &paper.planned {
            push(&mut out, &format!("- {planned}"));
        }
        return out;
    }
    let counts: Vec<_> = paper.summary().iter().map(|(v, n)| format!("{n} {v}")).collect();
    push(&mut out, &format!("All cells: {}.\n", counts.join(", ")));
    push(&mut out, &format!("{}\n", meaning(paper)));
    for table in &paper.tables {
        render_table(&mut out, table);
    }
    out
}

/// What the verdicts that occur on the page mean.
fn meaning(paper: &PaperReport) -> String {
    let explain = |verdict| match verdict {
        Verdict::Reproduced => {
            "agrees to all printed digits, or to the stated tolerance of a separate calculation"
        }
        Verdict::Bound => "at or below the printed error",
        Verdict::Claim => "a statement of the paper holds",
        Verdict::Misprint => "the printed value is proved wrong, ours agrees with the corrected one",
        Verdict::Open => "disagrees; what is known about it stands next to it",
        Verdict::Input => "a printed number that the computation starts from, as printed",
        Verdict::Information => "shown and not judged",
        _ => "disagrees or is absent, and nothing explains it",
    };
    let lines: Vec<_> = paper.summary().iter().map(|&(v, _)| format!("- `{v}`: {}.", explain(v))).collect();
    lines.join("\n")
}

/// One table of the page.
pub(crate) fn render_table(out: &mut String, table: &TableReport) {
    push(out, &format!("## {}\n", table.title));
    let paper = if table.cite.is_empty() { String::new() } else { format!("{}, ", table.cite) };
    let kind = format!("{:?}", table.kind).to_lowercase();
    push(
        out,
        &format!(
            "`{}`, {kind}. Source: {paper}{}. Checked by {}.\n",
            table.id, table.locator, table.verified
        ),
    );
    for note in table.notes.iter().chain(&table.tolerances) {
        push(out, &format!("{note}\n"));
    }
    if !table.implemented {
        push(out, "Not yet implemented; the printed values are stored.\n");
        return;
    }
    for statement in &table.statements {
        push(out, &format!("- {}: {}", statement.row, statement.text));
    }
    if !table.statements.is_empty() {
        push(out, "");
    }
    push(out, "| row | quantity | by | printed | computed | deviation | verdict | reason |");
    push(out, "| --- | --- | --- | ---: | ---: | ---: | --- | --- |");
    for cell in &table.cells {
        push(out, &row(cell));
    }
    push(out, "");
}

fn row(cell: &CellReport) -> String {
    let quantity = if cell.unit.is_empty() {
        format!("`{}`", cell.quantity)
    } else {
        format!("`{}` ({})", cell.quantity, cell.unit)
    };
    let computed = if cell.machine_dependent { "(terminal)" } else { &cell.computed_text };
    let deviation = match (cell.tolerance, cell.verdict) {
        (Some(tolerance), Verdict::Reproduced) => format!("< {tolerance:.0e}"),
        _ => cell.deviation_text.clone(),
    };
    let fields = [
        cell.title.as_str(),
        &quantity,
        cell.by.as_deref().unwrap_or(""),
        &cell.printed,
        computed,
        &deviation,
        cell.verdict.name(),
        cell.reason.as_deref().unwrap_or(""),
    ];
    let escaped = fields.map(|f| f.replace('|', "\\|").replace('<', "&lt;").replace("+-", "±"));
    format!("| {} |", escaped.join(" | "))
}

fn push(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _infallible = writeln!(out, "{text}");
}
