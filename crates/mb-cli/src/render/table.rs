//! Tables of aligned columns.

use super::Style;
use std::fmt::Write as _;

/// Head of a column.
#[derive(Clone, Debug)]
pub struct Column {
    head: String,
    unit: String,
    left: bool,
}

impl Column {
    /// A column of numbers, to the right.
    pub fn number(head: &str, unit: &str) -> Self {
        Self { head: head.to_owned(), unit: unit.to_owned(), left: false }
    }
    /// A column of words, to the left.
    pub fn words(head: &str) -> Self {
        Self { head: head.to_owned(), unit: String::new(), left: true }
    }
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }
    /// Adds a row with one cell for each column.
    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }
    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// The text, every line indented by two spaces; the heads only when there are any.
    pub fn render(&self, style: Style) -> String {
        let width = |s: &str| s.chars().count();
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(j, c)| {
                let cells = self.rows.iter().map(|r| width(&r[j])).max().unwrap_or(0);
                cells.max(width(&c.head)).max(width(&c.unit))
            })
            .collect();
        let line = |cells: &[&str]| {
            let mut text = String::new();
            for ((cell, column), w) in cells.iter().zip(&self.columns).zip(&widths) {
                let pad = " ".repeat(w - width(cell));
                let (before, after) = if column.left { ("", pad.as_str()) } else { (pad.as_str(), "") };
                let _ = write!(text, "  {before}{cell}{after}");
            }
            text.trim_end().to_owned()
        };
        let mut out = String::new();
        let heads: Vec<&str> = self.columns.iter().map(|c| c.head.as_str()).collect();
        let units: Vec<&str> = self.columns.iter().map(|c| c.unit.as_str()).collect();
        if heads.iter().any(|h| !h.is_empty()) {
            let _ = writeln!(out, "{}", style.bold(&line(&heads)));
        }
        if units.iter().any(|u| !u.is_empty()) {
            let _ = writeln!(out, "{}", style.dim(&line(&units)));
        }
        for row in &self.rows {
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            let _ = writeln!(out, "{}", line(&cells));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_right_and_words_left() {
        let mut t = Table::new(vec![Column::words("name"), Column::number("x", "m")]);
        t.row(vec!["a".into(), "1.5".into()]);
        t.row(vec!["longer".into(), "-10".into()]);
        assert_eq!(t.render(Style::PLAIN), "  name      x\n            m\n  a       1.5\n  longer  -10\n");
    }
}
