//! Whether a check would notice another value in a fixture.
//!
//! Every printed value of every table is changed in turn, by two units of its last digit to both sides (beyond twice the
//! tolerance where one is stated), the other way round (`<` for `>`), to half of ours where it is a bound, or to another
//! word, and judged again against the same computed value. A judged cell whose verdict stays what it was judges nothing.
//! What is shown and not judged, and all other text of a table, stands on the committed page, which is compared word by
//! word ([`crate::render::up_to_date`]); the tests here change every value of every fixture of the papers and look whether
//! that is so.

use mb_gallery::{Cell, Column, Computed, Decimal, Judge, Note, Printed, Relation, Table, Verdict, judge};

use crate::report::{CellReport, TableReport, Value};

/// Cells that are judged alike with another printed value, with that value.
pub(crate) fn survivors(table: &Table, report: &TableReport) -> Vec<String> {
    let mut out = Vec::new();
    for cell in &report.cells {
        let found =
            table.row(&cell.row).and_then(|r| r.cell(&cell.quantity)).zip(table.column(&cell.quantity));
        let Some((fixture, column)) = found else { continue };
        let Some(computed) = cell.computed.as_ref().map(computed) else { continue };
        for (text, mutant) in mutants(fixture, column, cell) {
            let verdict = judge(&mutant, column.judge, column.tolerance.as_ref(), Some(&computed)).verdict;
            if verdict == cell.verdict {
                out.push(format!(
                    "{} {}: holds for {text} as well as for {}",
                    table.id,
                    cell.name(),
                    cell.printed
                ));
            }
        }
    }
    out
}

/// Cells that are called open or a misprint, and agree: what is said of them is neither shown nor true.
pub(crate) fn idle_notes(table: &Table, report: &TableReport) -> Vec<String> {
    let mut out = Vec::new();
    for row in &table.rows {
        for column in &table.columns {
            let verdict = match row.cell(&column.name).and_then(|cell| cell.note.as_ref()) {
                Some(Note::Open { .. }) => Verdict::Open,
                Some(Note::Misprint { .. }) => Verdict::Misprint,
                _ => continue,
            };
            let mut found = report.cells.iter().filter(|c| c.row == row.label && c.quantity == column.name);
            if found.all(|c| c.verdict != verdict) {
                out.push(format!(
                    "{} {}/{}: is called {verdict} and agrees",
                    table.id, row.label, column.name
                ));
            }
        }
    }
    out
}

fn computed(value: &Value) -> Computed {
    match value {
        Value::Real(x) => Computed::Real(*x),
        Value::Complex { re, im } => Computed::Complex { re: *re, im: *im },
        Value::Word(word) => Computed::Word(word.clone()),
    }
}

/// The cell with other values, where a verdict depends on the value.
fn mutants(cell: &Cell, column: &Column, report: &CellReport) -> Vec<(String, Cell)> {
    let tolerance = column.tolerance.as_ref().map_or(0.0, |t| t.absolute);
    let with = |text: String, note: Option<Note>| {
        let made = Cell::number_of(&text, note).ok()?;
        Some((text, made))
    };
    match (report.verdict, &cell.note) {
        (Verdict::Misprint, Some(Note::Misprint { corrected, reason })) => moved(corrected, 0.0)
            .into_iter()
            .filter_map(|text| {
                let corrected: Printed = text.parse().ok()?;
                let note = Note::Misprint { corrected, reason: reason.clone() };
                Some((text, Cell::number_of(&cell.text, Some(note)).ok()?))
            })
            .collect(),
        // An error that is printed smaller than ours; a larger one is a weaker bound, which only the page shows.
        (Verdict::Reproduced | Verdict::Bound, _) if column.judge == Judge::Bound => match report.computed {
            Some(Value::Real(x)) if x != 0.0 => {
                with(format!("{:.1e}", 0.5 * x.abs()), None).into_iter().collect()
            }
            _ => Vec::new(),
        },
        (Verdict::Reproduced | Verdict::Claim | Verdict::Input, _) => match cell.number() {
            Some(printed) => {
                moved(printed, tolerance).into_iter().filter_map(|text| with(text, None)).collect()
            }
            None => vec![(format!("not {}", cell.text), Cell::words(&format!("not {}", cell.text)))],
        },
        _ => Vec::new(),
    }
}

/// A printed number changed so that what it accepted it accepts no more.
fn moved(printed: &Printed, tolerance: f64) -> Vec<String> {
    let text = printed.text();
    if printed.relation() != Relation::Equal {
        let turned = |c: char| match c {
            '<' => '>',
            '>' => '<',
            c => c,
        };
        return vec![text.chars().map(turned).collect()];
    }
    if let Some(part) = printed.im() {
        // One unit more than rounding can hide, as below.
        let step = (2.002 * tolerance).max(4.0 * part.half_unit());
        let (re, im) = (printed.re().value(), part.value());
        let re = with_places(re, printed.re());
        let joined = if printed.is_pair() {
            format!("{re}+-{}i", with_places(im.abs() + step, part))
        } else {
            let im = with_places(im + step, part);
            if im.starts_with('-') { format!("{re}{im}i") } else { format!("{re}+{im}i") }
        };
        return vec![joined];
    }
    let (value, unit) = (printed.re().value(), 2.0 * printed.re().half_unit());
    // One unit more than rounding can hide: both neighbours accept a value on the border.
    let step = (2.002 * tolerance).max(2.0 * unit);
    [value - step, value + step].map(|x| with_places(x, printed.re())).to_vec()
}

/// A number with as many places as a printed one, whose digits are its tolerance.
fn with_places(x: f64, like: Decimal) -> String {
    let places = usize::try_from(-like.last_place()).unwrap_or(0);
    format!("{x:.places$}")
}

#[cfg(test)]
mod everything;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::Answers;

    const TABLE: &str = r#"
id = "p/t"
title = "A table"
kind = "published"
source = { cite = "p", locator = "Table 1", verified = "read twice" }
column = [
    { name = "k", judge = "key" }, { name = "x" }, { name = "c", judge = "claim" }, { name = "w", judge = "words" },
    { name = "i", judge = "input" }, { name = "s" }, { name = "p" }, { name = "b", judge = "bound" },
]
row = [{ k = "1", x = "0.52", c = "< 3", w = "Yes", i = "1*10^-6", s = "-4.29+11.95i", p = "+-2.148i", b = "4.0e-9" }]
"#;

    #[test]
    fn every_judged_cell_fails_with_another_value() {
        let table = Table::from_toml(TABLE, "p/t").expect("the table is well formed");
        let mut answers = Answers::default();
        answers.put("k=1", "x", Ok(Computed::Real(0.521)));
        answers.put("k=1", "c", Ok(Computed::Real(2.0)));
        answers.put("k=1", "w", Ok(Computed::Word("Yes".to_owned())));
        answers.put("k=1", "i", Ok(Computed::Real(1e-6)));
        answers.put("k=1", "s", Ok(Computed::Complex { re: -4.29, im: 11.95 }));
        answers.put("k=1", "p", Ok(Computed::Complex { re: 0.0, im: -2.148 }));
        answers.put("k=1", "b", Ok(Computed::Real(3e-12)));
        let report = TableReport::judged(&table, &answers);
        assert_eq!(survivors(&table, &report), [""; 0]);
        let verdicts: Vec<Verdict> = report.cells.iter().map(|c| c.verdict).collect();
        let [reproduced, claim] = [Verdict::Reproduced, Verdict::Claim];
        let [input, bound] = [Verdict::Input, Verdict::Bound];
        assert_eq!(verdicts, [reproduced, claim, claim, input, reproduced, reproduced, bound]);
        // Each of them was in fact changed.
        let changed = report.cells.iter().map(|cell| {
            let (fixture, column) = (table.rows[0].cell(&cell.quantity), table.column(&cell.quantity));
            fixture.zip(column).map_or(0, |(f, c)| mutants(f, c, cell).len())
        });
        assert_eq!(changed.collect::<Vec<_>>(), [2, 1, 1, 2, 1, 1, 1]);
    }
}
