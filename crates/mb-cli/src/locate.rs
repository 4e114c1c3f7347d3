//! From a name in a message to the place in the model file.
//!
//! Messages name `joint 'elbow' (x)` or `crank.x`. Names are distinct in a model, so the table
//! with that `name` is the one. A table of a family has an index in braces, `B{i-1}`, which
//! stands for anything here: the line of the family is what the user has to read.

use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Bytes of the `name` that `owner` speaks of.
pub fn span_of(text: &str, owner: &str) -> Option<Range<usize>> {
    let document = DeTable::parse(text).ok()?;
    let quoted = owner.split('\'').nth(1);
    let name = quoted.or_else(|| owner.rsplit_once('.').map(|(block, _)| block))?;
    let of = |name: &str| {
        // A table of its own wins over a family that might have the name as a member.
        named(document.get_ref(), &|n| n == name)
            .or_else(|| named(document.get_ref(), &|n| is_member(n, name)))
    };
    // Nodes are named after what they belong to: `boom[3]` of the beam boom.
    of(name).or_else(|| of(name.split_once(['[', '.'])?.0))
}

fn named(tables: &DeTable<'_>, wanted: &dyn Fn(&str) -> bool) -> Option<Range<usize>> {
    for (kind, list) in tables {
        // Outputs and inputs have names of their own.
        if kind.get_ref() == "output" {
            continue;
        }
        let DeValue::Array(list) = list.get_ref() else { continue };
        for table in list.iter().filter_map(|t| t.get_ref().as_table()) {
            let found = if kind.get_ref() == "repeat" {
                named(table, wanted)
            } else {
                let name: Option<&Spanned<DeValue<'_>>> = table.get("name");
                name.filter(|n| n.get_ref().as_str().is_some_and(wanted)).map(Spanned::span)
            };
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// True when `name` can come from the family's `pattern`, such as `B{i-1}`.
fn is_member(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('{').enumerate().map(|(i, piece)| match piece.split_once('}') {
        Some((_, after)) if i > 0 => after,
        _ => piece,
    });
    let Some(mut rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else { return false };
    if !pattern.contains('{') {
        return rest.is_empty();
    }
    let pieces: Vec<&str> = pieces.collect();
    let last = pieces.len().saturating_sub(1);
    for (i, piece) in pieces.iter().enumerate() {
        if i == last {
            return rest.len() > piece.len() && rest.ends_with(piece);
        }
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    true
}

/// Line and column, counted from 1, of a byte offset.
pub fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
[[joint]]
name = \"elbow\"
[[repeat]]
index = \"i\"
from = 1
to = 3
[[repeat.rod]]
name = \"A{i}B{i-1}\"
[[output]]
name = \"shoulder\"
";

    #[test]
    fn tables_and_families_are_found() {
        let found = |owner| span_of(TEXT, owner).map(|s| TEXT[s].to_owned());
        assert_eq!(found("joint 'elbow' (x)").as_deref(), Some("\"elbow\""));
        assert_eq!(found("elbow.angle").as_deref(), Some("\"elbow\""));
        assert_eq!(found("rod 'A12B11' (length)").as_deref(), Some("\"A{i}B{i-1}\""));
        assert_eq!(found("elbow[12].z").as_deref(), Some("\"elbow\""));
        assert_eq!(found("rod 'C1'"), None);
        assert_eq!(found("joint 'shoulder'"), None);
    }

    #[test]
    fn lines_and_columns_count_from_one() {
        assert_eq!(line_and_column("a\nbc", 0), (1, 1));
        assert_eq!(line_and_column("a\nbc", 3), (2, 2));
        assert_eq!(line_and_column("a\nµc", 3), (2, 1));
        assert_eq!(line_and_column("a", 99), (1, 2));
    }
}
