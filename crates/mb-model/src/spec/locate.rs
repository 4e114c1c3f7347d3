//! From a path such as `joint[2].length` to bytes, line and column of the text.

use super::error::{Position, Problem, Step};
use super::expression::is_name_part;
use super::fault::Fault;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Fills in the positions that are missing and puts the problems in the order of the text. A
/// text that is not TOML gives none.
pub(super) fn locate(problems: &mut [Problem], text: &str) {
    let Ok(document) = DeTable::parse(text) else { return };
    let lines = Lines::new(text);
    for p in problems.iter_mut().filter(|p| p.position.is_none()) {
        let mut span = find(document.get_ref(), &p.path.0);
        match &p.fault {
            Fault::Expression { text: expression, error } => {
                span = inside(text, span, expression, error.offset, 1);
            }
            Fault::UnknownParameter { text: expression, name, .. } => {
                if let Some(offset) = word(expression, name) {
                    span = inside(text, span, expression, offset, name.chars().count());
                }
            }
            Fault::IllegalName { name, .. } => {
                span = parameter_key(document.get_ref(), &p.path.0, name).unwrap_or(span);
            }
            _ => {}
        }
        p.position = Some(lines.position(span));
    }
    problems.sort_by_key(|p| p.position.as_ref().map(|at| at.span.start));
}

/// Narrows the span of a quoted expression to `count` characters from `offset`.
///
/// Where escapes make the offset uncertain the whole value stays marked.
fn inside(text: &str, span: Range<usize>, expression: &str, offset: usize, count: usize) -> Range<usize> {
    if text.get(span.start + 1..span.end.saturating_sub(1)) != Some(expression) {
        return span;
    }
    let width: usize = expression[offset..].chars().take(count).map(char::len_utf8).sum();
    let start = span.start + 1 + offset;
    start..start + width.max(1)
}

/// Where `name` stands in an expression as a word of its own.
fn word(expression: &str, name: &str) -> Option<usize> {
    expression.match_indices(name).map(|(i, _)| i).find(|i| {
        let before = expression[..*i].chars().next_back();
        let after = expression[i + name.len()..].chars().next();
        ![before, after].into_iter().flatten().any(is_name_part)
    })
}

/// The key of a parameter, when the path leads to the parameter of this name.
fn parameter_key(root: &DeTable<'_>, path: &[Step], name: &str) -> Option<Range<usize>> {
    if path != [Step::from("parameters"), Step::from(name)] {
        return None;
    }
    let parameters = entry(root, "parameters")?.get_ref().as_table()?;
    parameters.get_key_value(name).map(|(key, _)| key.span())
}

/// The starts of the lines of a text.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            starts: std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect(),
        }
    }
    /// Line and column of a span.
    pub(super) fn position(&self, span: Range<usize>) -> Position {
        let text = self.text;
        let mut start = span.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let line = self.starts.partition_point(|s| *s <= start);
        Position {
            span: start..span.end.clamp(start, text.len()),
            line,
            column: text[self.starts[line - 1]..start].chars().count() + 1,
        }
    }
}

/// Bytes of what `path` leads to; where it leads nowhere, of the last thing on the way.
fn find(root: &DeTable<'_>, path: &[Step]) -> Range<usize> {
    let mut span = 0..0;
    let mut here: Option<&Spanned<DeValue<'_>>> = None;
    for step in path {
        let next = match (step, here.map(Spanned::get_ref)) {
            (Step::Key(key), None) => entry(root, key),
            (Step::Key(key), Some(DeValue::Table(table))) => entry(table, key),
            (Step::Index(k), Some(DeValue::Array(list))) => list.get(*k),
            _ => None,
        };
        let Some(next) = next else { break };
        span = next.span();
        here = Some(next);
    }
    span
}

/// The value of a key.
pub(super) fn entry<'a, 'i>(table: &'a DeTable<'i>, key: &str) -> Option<&'a Spanned<DeValue<'i>>> {
    table.get(key)
}
