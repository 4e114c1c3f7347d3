//! What a module header cites: `//! Paper: [gonzalez2017] Sec. 3.1, Eqs. (5)-(6); [yang2012] Eq. (2.9).`

use std::collections::BTreeSet;

/// Words that announce numbers, with the form used in the paper map.
const KINDS: [(&str, &str); 8] = [
    ("Eqs.", "Eq."),
    ("Eq.", "Eq."),
    ("Secs.", "Sec."),
    ("Sec.", "Sec."),
    ("Tables", "Table"),
    ("Table", "Table"),
    ("Figs.", "Fig."),
    ("Fig.", "Fig."),
];

/// A cited place of a paper, in the form of the map: `Eq. (5)`, `Sec. 3.1`, `Table 1`, `Fig. 4`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Citation {
    pub(crate) paper: String,
    pub(crate) item: String,
}

/// The citations of a source file, and complaints about `Paper:` lines that cite nothing.
pub(crate) fn of_source(text: &str) -> (BTreeSet<Citation>, Vec<String>) {
    let (mut citations, mut complaints) = (BTreeSet::new(), Vec::new());
    let docs: Vec<_> = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    let mut i = 0;
    while i < docs.len() {
        let Some(first) = citation_in(docs[i]) else {
            i += 1;
            continue;
        };
        let mut paragraph = first.to_owned();
        i += 1;
        while i < docs.len() && !docs[i].is_empty() && citation_in(docs[i]).is_none() {
            paragraph = format!("{paragraph} {}", docs[i]);
            i += 1;
        }
        let found = of_line(&paragraph);
        if found.is_empty() {
            complaints
                .push(format!("`Paper:{first}` cites nothing; write `[key] Eq. (5)`, `Sec. 3.1`, `Table 1`"));
        }
        citations.extend(found);
    }
    (citations, complaints)
}

/// What follows `Paper:` in a line of documentation; between backticks it is talked about, not meant.
fn citation_in(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("Paper:")?;
    (before.matches('`').count() % 2 == 0).then_some(after)
}

fn of_line(line: &str) -> Vec<Citation> {
    let mut citations = Vec::new();
    for part in line.split('[').skip(1) {
        let Some((paper, rest)) = part.split_once(']') else { continue };
        for item in items(rest) {
            citations.push(Citation { paper: paper.trim().to_owned(), item });
        }
    }
    citations
}

fn items(mut rest: &str) -> Vec<String> {
    let mut items = Vec::new();
    while !rest.is_empty() {
        match KINDS.iter().find(|(word, _)| rest.starts_with(word)) {
            Some((word, kind)) => {
                let (numbers, after) = number_list(&rest[word.len()..]);
                items.extend(
                    numbers
                        .iter()
                        .map(|n| if *kind == "Eq." { format!("Eq. ({n})") } else { format!("{kind} {n}") }),
                );
                rest = after;
            }
            None => rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..],
        }
    }
    items
}

/// Numbers joined by commas, `and`, and ranges.
fn number_list(text: &str) -> (Vec<String>, &str) {
    let mut numbers: Vec<String> = Vec::new();
    let mut rest = text;
    let mut is_range = false;
    while let Some((number, after)) = number(rest) {
        let from = if is_range { numbers.pop() } else { None };
        match from {
            Some(from) => numbers.extend(range(&from, &number)),
            None => numbers.push(number),
        }
        let trimmed = after.trim_start();
        let joined = [("to ", true), ("and ", false), (",", false), ("-", true), ("\u{2013}", true)]
            .iter()
            .find_map(|&(joint, range)| trimmed.strip_prefix(joint).map(|next| (next, range)));
        rest = after;
        match joined {
            Some((next, range)) if self::number(next).is_some() => (rest, is_range) = (next, range),
            _ => break,
        }
    }
    (numbers, rest)
}

/// `(5)`, `5`, `3.1`, `A.2`, `1a`; brackets are dropped.
fn number(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let (inner, bracket) = match text.strip_prefix('(') {
        Some(inner) => (inner, true),
        None => (text, false),
    };
    let length = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(inner.len());
    let word = inner[..length].trim_end_matches('.');
    if !word.bytes().any(|b| b.is_ascii_digit()) || word.len() > 6 {
        return None;
    }
    let after = &inner[word.len()..];
    Some((word.to_owned(), if bracket { after.strip_prefix(')')? } else { after }))
}

/// From `5` to `8`, or from `3.1` to `3.3`: the last part counts up.
fn range(from: &str, to: &str) -> Vec<String> {
    let split = |n: &str| -> Option<(String, u32)> {
        let at = n.rfind('.').map_or(0, |i| i + 1);
        Some((n[..at].to_owned(), n[at..].parse().ok()?))
    };
    match (split(from), split(to)) {
        (Some((a, first)), Some((b, last))) if a == b && first <= last && last - first < 100 => {
            (first..=last).map(|n| format!("{a}{n}")).collect()
        }
        _ => vec![from.to_owned(), to.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited(line: &str) -> Vec<String> {
        of_source(line).0.into_iter().map(|c| format!("{} {}", c.paper, c.item)).collect()
    }

    #[test]
    fn equations_sections_tables_and_figures_are_read() {
        assert_eq!(cited("//! Paper: [a] Eqs. (5)-(7)."), ["a Eq. (5)", "a Eq. (6)", "a Eq. (7)"]);
        assert_eq!(
            cited("//! Paper: [a] Sec. 3.1, Eq. (5); [b] Eq. (2.9).   Sizes: n x 3"),
            ["a Eq. (5)", "a Sec. 3.1", "b Eq. (2.9)"]
        );
        assert_eq!(
            cited("//! Paper: [a] Tables 1, 2 and 6, Fig. 4."),
            ["a Fig. 4", "a Table 1", "a Table 2", "a Table 6"]
        );
        assert_eq!(cited("//! Paper: [a] Secs. 3.1 to 3.3."), ["a Sec. 3.1", "a Sec. 3.2", "a Sec. 3.3"]);
        assert_eq!(
            cited("//! Paper: [a] Eqs. (9),\n//! (10).\n//!\n//! Table 3 is not cited."),
            ["a Eq. (10)", "a Eq. (9)"]
        );
    }

    #[test]
    fn a_citation_may_end_a_paragraph() {
        assert_eq!(cited("//! M = 1. Paper: [a] Sec. 4.1."), ["a Sec. 4.1"]);
        assert!(cited("//! Lines such as `Paper: [a] Sec. 4.1.`").is_empty());
    }

    #[test]
    fn only_the_module_header_counts() {
        assert!(cited("//! x\n\n//! Paper: [a] Eq. (5).").is_empty());
    }

    #[test]
    fn a_line_that_cites_nothing_is_complained_about() {
        let (citations, complaints) = of_source("//! Paper: none.\n");
        assert!(citations.is_empty() && complaints.len() == 1);
    }
}
