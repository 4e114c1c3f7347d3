//! Every value of every fixture of the papers is changed, and the page of its table must show it.
//!
//! The computed values are made up here from the printed ones: whether judged cells hold for other values than what
//! the program computes is looked at in every run ([`super::survivors`]).

use std::path::Path;

use mb_gallery::{Cell, Computed, Judge, Note, Printed, Relation, Table};
use toml::Value as Toml;

use crate::answers::Answers;
use crate::paper::Paper;
use crate::record::{Record, place};
use crate::render::{markdown, up_to_date};
use crate::report::{PaperReport, TableReport};
use crate::{count, root};

/// A value that a cell accepts, or one off it where the cell is open.
fn made_up(cell: &Cell, judge: Judge) -> Computed {
    let value = |printed: &Printed| {
        let re = printed.re().value();
        match (printed.im(), printed.relation()) {
            (Some(im), _) => Computed::Complex { re, im: im.value() },
            (None, Relation::Equal) if judge != Judge::Bound => Computed::Real(re),
            // Below a bound; of an inequality on one of its sides, whichever.
            (None, _) => Computed::Real(0.5 * re),
        }
    };
    match (&cell.note, cell.number()) {
        (Some(Note::Misprint { corrected, .. }), _) => value(corrected),
        // Disagrees: on the other side of an inequality.
        (Some(Note::Open { .. }), Some(printed)) if printed.relation() == Relation::Above => {
            Computed::Real(0.5 * printed.re().value())
        }
        (Some(Note::Open { .. }), Some(printed)) => Computed::Real(7.0 - 3.0 * printed.re().value()),
        (Some(Note::Open { .. }), None) => Computed::Word(format!("not {}", cell.text)),
        (_, Some(printed)) => value(printed),
        (_, None) => Computed::Word(cell.text.clone()),
    }
}

fn answers(table: &Table) -> Answers {
    let mut answers = Answers::default();
    for row in &table.rows {
        for column in table.columns.iter().filter(|c| c.is_computed()) {
            let Some(cell) = row.cell(&column.name) else { continue };
            answers.put(&row.label, &column.name, Ok(made_up(cell, column.judge)));
            for by in &column.by {
                answers.put_by(&row.label, &column.name, by, Ok(made_up(cell, column.judge)));
            }
        }
    }
    answers
}

fn page(table: &Table, answers: &Answers) -> String {
    let mut out = String::new();
    markdown::render_table(&mut out, &TableReport::judged(table, answers));
    out
}

/// All copies of a value with one part changed, with the place of the change.
fn changed(value: &Toml, path: &str) -> Vec<(String, Toml)> {
    let words = |known: &[&str], own: &str| -> Vec<(String, Toml)> {
        let others = known.iter().filter(|name| **name != own);
        others.map(|name| (path.to_owned(), Toml::String((*name).to_owned()))).collect()
    };
    match value {
        Toml::String(text) if path.ends_with("/judge") => {
            words(&["text", "digits", "information", "input"], text)
        }
        Toml::String(text) if path == "/kind" => words(&["published", "analytic", "peer", "baseline"], text),
        Toml::String(text) => vec![(path.to_owned(), Toml::String(format!("{text}1")))],
        Toml::Float(x) => [1.1, 0.9].map(|f| (path.to_owned(), Toml::Float(f * x))).to_vec(),
        Toml::Integer(n) => vec![(path.to_owned(), Toml::Integer(n + 1))],
        Toml::Boolean(b) => vec![(path.to_owned(), Toml::Boolean(!b))],
        Toml::Datetime(_) => Vec::new(),
        Toml::Array(list) => {
            let mut out = Vec::new();
            for (k, part) in list.iter().enumerate() {
                let mut without = list.clone();
                without.remove(k);
                out.push((format!("{path}/{k} taken away"), Toml::Array(without)));
                for (place, other) in changed(part, &format!("{path}/{k}")) {
                    let mut list = list.clone();
                    list[k] = other;
                    out.push((place, Toml::Array(list)));
                }
            }
            out
        }
        Toml::Table(fields) => {
            let mut out = Vec::new();
            for (name, part) in fields {
                for (place, other) in changed(part, &format!("{path}/{name}")) {
                    let mut fields = fields.clone();
                    fields.insert(name.clone(), other);
                    out.push((place, Toml::Table(fields)));
                }
            }
            out
        }
    }
}

/// Whether every cell of a column is called open or a misprint, and so has the same verdict however it is judged.
fn explained(table: &Table, place: &str) -> bool {
    let number = place.split('/').nth(2).and_then(|k| k.parse::<usize>().ok());
    let Some(column) = number.and_then(|k| table.columns.get(k)) else { return false };
    let mut cells = table.rows.iter().filter_map(|row| row.cell(&column.name));
    cells.all(|cell| matches!(cell.note, Some(Note::Open { .. } | Note::Misprint { .. })))
}

fn read(root: &Path, place: &str) -> Toml {
    let text = root::read_if_present(root, place).unwrap().unwrap_or_default();
    Toml::Table(toml::from_str(&text).unwrap())
}

#[test]
fn every_value_of_every_table_is_on_its_page() {
    let root = root::workspace_root().unwrap();
    let (mut looked_at, mut unnoticed) = (0, Vec::new());
    for paper in Paper::all(&root).unwrap() {
        for table in paper.load_tables(&root).unwrap() {
            let answers = answers(&table);
            let committed = page(&table, &answers);
            for (place, other) in changed(&read(&root, &format!("fixtures/{}.toml", table.id)), "") {
                if place.ends_with("/judge") && explained(&table, &place) {
                    continue;
                }
                looked_at += 1;
                let text = toml::to_string(&other).unwrap();
                let shown = Table::from_toml(&text, &table.id).map(|t| page(&t, &answers));
                if shown.is_ok_and(|page| up_to_date::same_page(&committed, &page)) {
                    unnoticed.push(format!("{}{place}", table.id));
                }
            }
        }
    }
    assert!(looked_at > 5000, "only {looked_at} changes");
    assert!(unnoticed.is_empty(), "{} of {looked_at} are not seen: {unnoticed:#?}", unnoticed.len());
}

#[test]
fn every_value_of_a_papers_list_and_record_is_seen() {
    let root = root::workspace_root().unwrap();
    for paper in Paper::all(&root).unwrap() {
        let tables = paper.load_tables(&root).unwrap();
        let report = |paper: &Paper, tables: &[Table]| {
            PaperReport::new(paper, tables.iter().map(|t| TableReport::judged(t, &answers(t))).collect())
        };
        let full = report(&paper, &tables);
        assert_eq!(count::complaints(&full), [""; 0]);
        let record = Record::default().improved_by(&full);
        let list = read(&root, &format!("fixtures/{}/paper.toml", paper.key));
        for (place, other) in changed(&list, "") {
            let Ok(other) = toml::from_str::<Paper>(&toml::to_string(&other).unwrap()) else { continue };
            let Ok(tables) = other.load_tables(&root) else { continue };
            let seen = other.key != paper.key
                || !record.complaints(&report(&other, &tables)).is_empty()
                || !count::complaints(&report(&other, &tables)).is_empty()
                || markdown::page(&report(&other, &tables)) != markdown::page(&full);
            assert!(seen, "{}{place} is not seen", paper.key);
        }
        for table in &tables {
            every_verdict_is_seen(&report(&paper, std::slice::from_ref(table)));
        }
    }
}

/// Any other verdict in the record of a report, which is made of that report since its values are made up.
fn every_verdict_is_seen(report: &PaperReport) {
    let written: Toml =
        Toml::Table(toml::from_str(&Record::default().improved_by(report).to_toml()).unwrap());
    for (name, cells) in written.as_table().unwrap() {
        for (cell, verdict) in cells.as_table().unwrap() {
            for other in ["reproduced", "claim", "input", "open", "information"] {
                if verdict.as_str() == Some(other) {
                    continue;
                }
                let mut changed = written.clone();
                changed[name.as_str()][cell.as_str()] = Toml::String(other.to_owned());
                let changed = Record::parse(&toml::to_string(&changed).unwrap()).unwrap();
                let seen = !changed.complaints(report).is_empty() || changed.behind(report) > 0;
                assert!(seen, "{} {name} {cell}: {other} for {verdict} is not seen", place(&report.key));
            }
        }
    }
}
