//! From a path such as `joint[2].length` to bytes, line and column of the text.

use super::error::{Position, Problem, Step};
use super::fault::Fault;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Fills in the positions that are missing. A text that is not TOML gives none.
pub(super) fn locate(problems: &mut [Problem], text: &str) {
    let Ok(document) = DeTable::parse(text) else { return };
    for p in problems.iter_mut().filter(|p| p.position.is_none()) {
        let mut span = find(document.get_ref(), &p.path.0);
        if let Fault::Expression { text: expression, error } = &p.fault {
            span = inside(text, span, expression, error.offset);
        }
        p.position = Some(position(text, span));
    }
}

/// Narrows the span of a quoted expression to the character at `offset`.
///
/// Where escapes make the offset uncertain the whole value stays marked.
fn inside(text: &str, span: Range<usize>, expression: &str, offset: usize) -> Range<usize> {
    if text.get(span.start + 1..span.end.saturating_sub(1)) != Some(expression) {
        return span;
    }
    let width = expression[offset..].chars().next().map_or(1, char::len_utf8);
    let start = span.start + 1 + offset;
    start..start + width
}

/// Line and column of a span.
pub(super) fn position(text: &str, span: Range<usize>) -> Position {
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let before = &text[..start];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    Position {
        span: start..span.end.clamp(start, text.len()),
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
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
