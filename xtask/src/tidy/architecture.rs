//! ARCHITECTURE.md against the folders: every crate it names exists, and it names every crate; its glossary has the terms of the
//! book's and places that exist.

use std::collections::BTreeSet;
use std::path::Path;

use super::Findings;
use crate::error::TaskError;
use crate::root;

const FILE: &str = "ARCHITECTURE.md";
const GLOSSARY: &str = "docs/book/src/glossary.md";

/// Applies the rule.
pub(crate) fn check(root: &Path, findings: &mut Findings) -> Result<(), TaskError> {
    let Some(text) = root::read_if_present(root, FILE)? else {
        findings.failures.push(format!("{FILE} does not exist"));
        return Ok(());
    };
    let crates: BTreeSet<_> = root::entries(root, "crates")?.into_iter().collect();
    let named = words(&text);
    for name in named.iter().filter(|word| is_like_a_crate(word) && !crates.contains(**word)) {
        findings.failures.push(format!("{FILE} names `{name}`, but crates/{name} does not exist"));
    }
    for name in crates.iter().filter(|name| !named.contains(name.as_str())) {
        findings.failures.push(format!("{FILE} does not name crates/{name}"));
    }
    let (_, glossary) = text.split_once("## Glossary").unwrap_or_default();
    let book = root::read(root, GLOSSARY)?;
    let (placed, explained) = (terms(glossary), terms(&book));
    for term in explained.symmetric_difference(&placed) {
        findings.failures.push(format!("the glossaries of {FILE} and {GLOSSARY} differ in `{term}`"));
    }
    for place in places(glossary) {
        if !root.join(&place).exists() {
            findings
                .failures
                .push(format!("{FILE} sends a reader of its glossary to {place}, which does not exist"));
        }
    }
    Ok(())
}

/// The first column of a table, without its head.
fn terms(page: &str) -> BTreeSet<&str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    rows.skip(2).collect()
}

/// The paths of places such as `mb-eigen: class.rs, null_space`.
fn places(glossary: &str) -> Vec<String> {
    let named = glossary.split('`').filter_map(|code| code.split_once(": "));
    named
        .flat_map(|(name, files)| files.split(", ").map(move |file| format!("crates/{name}/src/{file}")))
        .collect()
}

/// Words, hyphens inside them.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
        .map(|word| word.trim_end_matches('-'))
        .collect()
}

/// Whether a word has the form `mb-name`.
fn is_like_a_crate(word: &str) -> bool {
    word.strip_prefix("mb-").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::{is_like_a_crate, places, terms, words};

    #[test]
    fn a_glossary_has_terms_and_places() {
        let page =
            "| term | place |\n| --- | --- |\n| shift | `mb-a: b.rs, c` |\n| mode \\| x | `mb-d: e` |\n";
        assert_eq!(terms(page).into_iter().collect::<Vec<_>>(), ["mode \\| x", "shift"]);
        assert_eq!(places(page), ["crates/mb-a/src/b.rs", "crates/mb-a/src/c", "crates/mb-d/src/e"]);
    }

    #[test]
    fn crates_are_found_in_prose_code_and_diagrams() {
        let text = "`mb-scalar` ──► mb-model, (mb-eigen). not-mb-this mb- MB-X mb-cli/src";
        let found: Vec<_> = words(text).into_iter().filter(|word| is_like_a_crate(word)).collect();
        assert_eq!(found, ["mb-cli", "mb-eigen", "mb-model", "mb-scalar"]);
    }
}
