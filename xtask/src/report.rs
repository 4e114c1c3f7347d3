//! The report: every cell of every table with its printed and computed value and its verdict.

use std::collections::BTreeMap;

use mb_gallery::{Cell, Column, Computed, Judge, Kind, Row, Status, Table, Tolerance, Verdict, judge};
use serde::Serialize;

use crate::answers::Answers;
use crate::paper::Paper;
use crate::render::numbers::Beside;
use crate::solvers::Comparison;

/// Version of the JSON form of the report; grows when a field changes its meaning or goes.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// All papers asked for.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) schema_version: u32,
    pub(crate) papers: Vec<PaperReport>,
    /// The sparse solvers of this build side by side.
    pub(crate) solvers: Vec<Comparison>,
}

/// One paper.
#[derive(Debug, Serialize)]
pub(crate) struct PaperReport {
    pub(crate) key: String,
    pub(crate) title: String,
    pub(crate) authors: String,
    pub(crate) implemented: bool,
    /// What is foreseen, for a paper not yet implemented.
    pub(crate) planned: Vec<String>,
    /// Printed cells by published table, counted on the pages of the paper.
    pub(crate) printed: BTreeMap<String, usize>,
    pub(crate) tables: Vec<TableReport>,
}

/// One table.
#[derive(Debug, Serialize)]
pub(crate) struct TableReport {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) kind: Kind,
    pub(crate) implemented: bool,
    /// Key of the paper; empty for values that no paper prints.
    pub(crate) cite: String,
    pub(crate) locator: String,
    pub(crate) verified: String,
    pub(crate) notes: Vec<String>,
    /// Stated tolerances with their columns and reasons.
    pub(crate) tolerances: Vec<String>,
    /// Prose of the rows (what a claim says, how a feature is measured), by row.
    pub(crate) statements: Vec<Statement>,
    pub(crate) cells: Vec<CellReport>,
}

/// The prose of one row.
#[derive(Debug, Serialize)]
pub(crate) struct Statement {
    pub(crate) row: String,
    pub(crate) text: String,
}

/// A computed value in JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Real(f64),
    Complex { re: f64, im: f64 },
    Word(String),
}

impl From<&Computed> for Value {
    fn from(computed: &Computed) -> Self {
        match computed {
            Computed::Real(x) => Self::Real(*x),
            Computed::Complex { re, im } => Self::Complex { re: *re, im: *im },
            Computed::Word(word) => Self::Word(word.clone()),
        }
    }
}

/// One cell, for one formulation.
#[derive(Debug, Serialize)]
pub(crate) struct CellReport {
    pub(crate) row: String,
    /// The row as shown to a reader.
    #[serde(skip)]
    pub(crate) title: String,
    pub(crate) quantity: String,
    pub(crate) by: Option<String>,
    pub(crate) unit: String,
    pub(crate) printed: String,
    pub(crate) computed: Option<Value>,
    pub(crate) deviation: Option<f64>,
    /// Stated tolerance, for values that were computed separately.
    pub(crate) tolerance: Option<f64>,
    pub(crate) machine_dependent: bool,
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<String>,
    /// The computed value to a few digits more than printed.
    #[serde(skip)]
    pub(crate) computed_text: String,
    #[serde(skip)]
    pub(crate) deviation_text: String,
}

impl CellReport {
    /// Name of the cell inside its table, used in the record of verdicts.
    pub(crate) fn name(&self) -> String {
        match &self.by {
            Some(by) => format!("{}/{}/{by}", self.row, self.quantity),
            None => format!("{}/{}", self.row, self.quantity),
        }
    }
}

impl TableReport {
    /// A table that nobody computes yet: its printed values stay in the fixture and are not shown as missing.
    pub(crate) fn not_yet_implemented(table: &Table) -> Self {
        Self::with_cells(table, Vec::new())
    }

    /// Judges every cell of a table by the answers; a cell without an answer is `missing`.
    pub(crate) fn judged(table: &Table, answers: &Answers) -> Self {
        let mut cells = Vec::new();
        for row in &table.rows {
            for column in table.columns.iter().filter(|c| c.is_computed()) {
                let Some(cell) = row.cell(&column.name) else { continue };
                let single = [String::new()];
                let formulations = if column.by.is_empty() { &single } else { column.by.as_slice() };
                for by in formulations {
                    cells.push(judged_cell(row, cell, column, by, answers));
                }
            }
        }
        Self::with_cells(table, cells)
    }

    fn with_cells(table: &Table, cells: Vec<CellReport>) -> Self {
        let prose: Vec<_> = table.columns.iter().filter(|c| c.judge == Judge::Text).collect();
        let mut statements = Vec::new();
        for row in &table.rows {
            let texts: Vec<_> =
                prose.iter().filter_map(|c| row.cell(&c.name)).map(|c| c.text.as_str()).collect();
            if !texts.is_empty() {
                statements.push(Statement { row: row.title.clone(), text: texts.join(": ") });
            }
        }
        Self {
            id: table.id.clone(),
            title: table.title.clone(),
            kind: table.kind,
            implemented: table.status == Status::Implemented,
            cite: table.source.cite.clone(),
            locator: table.source.locator.clone(),
            verified: table.source.verified.clone(),
            notes: table.notes.clone(),
            tolerances: tolerances(table),
            statements,
            cells,
        }
    }

    /// The name of the table inside its paper.
    pub(crate) fn name(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or(&self.id)
    }
}

/// Each stated tolerance once, with the columns that it holds for and its reason.
fn tolerances(table: &Table) -> Vec<String> {
    let mut found: Vec<(&Tolerance, Vec<String>)> = Vec::new();
    for column in &table.columns {
        let Some(tolerance) = &column.tolerance else { continue };
        let name = format!("`{}`", column.name);
        match found.iter_mut().find(|(known, _)| *known == tolerance) {
            Some((_, names)) => names.push(name),
            None => found.push((tolerance, vec![name])),
        }
    }
    found
        .into_iter()
        .map(|(t, names)| format!("Tolerance of {}: {:e}, {}.", names.join(", "), t.absolute, t.reason))
        .collect()
}

fn judged_cell(row: &Row, cell: &Cell, column: &Column, by: &str, answers: &Answers) -> CellReport {
    let answer = answers.get(&row.label, &column.name, by);
    let computed = answer.and_then(|a| a.as_ref().ok());
    let mut judgement = judge(cell, column.judge, column.tolerance.as_ref(), computed);
    if let Some(Err(why)) = answer {
        judgement.reason = Some(why.clone());
    }
    let tolerance = column.tolerance.as_ref().map(|t| t.absolute);
    let beside = Beside { printed: cell.number(), tolerance, machine_dependent: column.machine_dependent };
    CellReport {
        row: row.label.clone(),
        title: row.title.clone(),
        quantity: column.name.clone(),
        by: (!by.is_empty()).then(|| by.to_owned()),
        unit: column.unit.clone(),
        printed: cell.text.clone(),
        computed: computed.map(Value::from),
        deviation: judgement.deviation,
        tolerance,
        machine_dependent: column.machine_dependent,
        verdict: judgement.verdict,
        reason: judgement.reason,
        computed_text: computed.map_or_else(String::new, |c| beside.computed(c)),
        deviation_text: match judgement.deviation {
            Some(d) if column.judge != Judge::Information => beside.deviation(d),
            _ => String::new(),
        },
    }
}

impl PaperReport {
    /// The head of a paper's report, without tables.
    pub(crate) fn new(paper: &Paper, tables: Vec<TableReport>) -> Self {
        Self {
            key: paper.key.clone(),
            title: paper.title.clone(),
            authors: paper.authors.clone(),
            implemented: paper.status == Status::Implemented,
            planned: paper.planned.clone(),
            printed: paper.printed.clone(),
            tables,
        }
    }

    /// How often each verdict occurs, in the order of their first occurrence.
    pub(crate) fn summary(&self) -> Vec<(Verdict, usize)> {
        let mut counts: Vec<(Verdict, usize)> = Vec::new();
        for cell in self.tables.iter().flat_map(|t| &t.cells) {
            match counts.iter_mut().find(|(v, _)| *v == cell.verdict) {
                Some((_, n)) => *n += 1,
                None => counts.push((cell.verdict, 1)),
            }
        }
        counts
    }
}
