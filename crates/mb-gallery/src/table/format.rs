//! Reading a table from TOML: the file as written, and the checks that turn it into a [`Table`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{self, MapAccess, Visitor, value::MapAccessDeserializer};

use super::{Cell, Column, Judge, Kind, Note, Row, Source, Status, Table};
use crate::printed::Printed;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTable {
    id: String,
    title: String,
    kind: Kind,
    #[serde(default)]
    status: Status,
    source: Source,
    #[serde(default)]
    notes: Vec<String>,
    column: Vec<Column>,
    row: Vec<BTreeMap<String, RawCell>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FullCell {
    printed: String,
    misprint: Option<RawMisprint>,
    open: Option<String>,
    remark: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMisprint {
    corrected: String,
    reason: String,
}

struct RawCell(FullCell);

impl<'de> Deserialize<'de> for RawCell {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CellVisitor;
        impl<'de> Visitor<'de> for CellVisitor {
            type Value = RawCell;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a quoted value, or a table with `printed` and one of `misprint`, `open`, `remark`",
                )
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RawCell, E> {
                Ok(RawCell(FullCell { printed: text.to_owned(), misprint: None, open: None, remark: None }))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawCell, A::Error> {
                FullCell::deserialize(MapAccessDeserializer::new(map)).map(RawCell)
            }
        }
        deserializer.deserialize_any(CellVisitor)
    }
}

/// Place in the file and what is wrong there.
pub(super) type Complaint = (String, String);

impl RawTable {
    pub(super) fn check(self, id: &str) -> Result<Table, Complaint> {
        let fail = |place: &str, why: &str| Err((place.to_owned(), why.to_owned()));
        if self.id != id {
            return Err(("id".to_owned(), format!("it says `{}`, but its place says `{id}`", self.id)));
        }
        if self.kind == Kind::Published && self.source.cite.is_empty() {
            return fail("source", "a published table must cite its paper");
        }
        let mut names = BTreeSet::new();
        for column in &self.column {
            let place = format!("column `{}`", column.name);
            if !names.insert(column.name.as_str()) {
                return fail(&place, "the name is used twice");
            }
            match &column.tolerance {
                Some(_) if self.kind == Kind::Published => {
                    return fail(&place, "a printed value's tolerance is its digits; none may be stated");
                }
                Some(t) if !(t.absolute.is_finite() && t.absolute > 0.0) => {
                    return fail(&place, "a tolerance must be a positive number");
                }
                _ => {}
            }
        }
        if !self.column.iter().any(|c| c.judge == Judge::Key) {
            return fail("column", "at least one column must name the rows (judge = \"key\")");
        }
        let mut rows = Vec::with_capacity(self.row.len());
        let mut labels = BTreeSet::new();
        for (number, raw) in self.row.into_iter().enumerate() {
            let row = check_row(&self.column, raw, number + 1)?;
            if !labels.insert(row.label.clone()) {
                return Err((format!("row {}", number + 1), format!("`{}` stands twice", row.label)));
            }
            rows.push(row);
        }
        let Self { id, title, kind, status, source, notes, column: columns, .. } = self;
        Ok(Table { id, title, kind, status, source, notes, columns, rows })
    }
}

fn check_row(
    columns: &[Column],
    mut raw: BTreeMap<String, RawCell>,
    number: usize,
) -> Result<Row, Complaint> {
    let mut cells = BTreeMap::new();
    let (mut label, mut title) = (Vec::new(), Vec::new());
    for column in columns {
        let place = || format!("row {number}, column `{}`", column.name);
        let Some(RawCell(cell)) = raw.remove(&column.name) else {
            return Err((place(), "no value; write \"-\" where the source prints nothing".to_owned()));
        };
        if column.judge == Judge::Key {
            label.push(format!("{}={}", column.name, cell.printed));
            let is_number = cell.printed.parse::<Printed>().is_ok();
            title.push(if is_number {
                format!("{} = {}", column.name, cell.printed)
            } else {
                cell.printed.clone()
            });
        }
        if cell.printed == "-" {
            continue;
        }
        let note = note_of(&cell).map_err(|why| (place(), why))?;
        let value = if matches!(column.judge, Judge::Information | Judge::Input) {
            cell.printed.parse::<Printed>().ok()
        } else if column.holds_numbers() {
            Some(cell.printed.parse::<Printed>().map_err(|e| (place(), e.to_string()))?)
        } else {
            None
        };
        cells.insert(column.name.clone(), Cell { text: cell.printed, value, note });
    }
    match raw.into_keys().next() {
        Some(unknown) => Err((format!("row {number}"), format!("`{unknown}` is not a column of this table"))),
        None => Ok(Row { label: label.join(","), title: title.join(", "), cells }),
    }
}

fn note_of(cell: &FullCell) -> Result<Option<Note>, String> {
    match (&cell.misprint, &cell.open, &cell.remark) {
        (None, None, None) => Ok(None),
        (Some(m), None, None) => {
            let corrected = m.corrected.parse::<Printed>().map_err(|e| e.to_string())?;
            Ok(Some(Note::Misprint { corrected, reason: m.reason.clone() }))
        }
        (None, Some(reason), None) => Ok(Some(Note::Open { reason: reason.clone() })),
        (None, None, Some(reason)) => Ok(Some(Note::Remark { reason: reason.clone() })),
        _ => Err("only one of `misprint`, `open` and `remark` may stand in a cell".to_owned()),
    }
}
