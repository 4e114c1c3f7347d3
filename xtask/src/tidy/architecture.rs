//! ARCHITECTURE.md against the folders: every crate it names exists, and it names every crate.

use std::collections::BTreeSet;
use std::path::Path;

use super::Findings;
use crate::error::TaskError;
use crate::root;

const FILE: &str = "ARCHITECTURE.md";

/// Applies the rule.
pub(crate) fn check(root: &Path, findings: &mut Findings) -> Result<(), TaskError> {
    let Some(text) = root::read_if_present(root, FILE)? else {
        findings.failures.push(format!("{FILE} does not exist"));
        return Ok(());
    };
    let crates: BTreeSet<_> = root::entries(root, "crates")?.into_iter().collect();
    let named = crates_named(&text);
    for name in named.difference(&crates) {
        findings.failures.push(format!("{FILE} names `{name}`, but crates/{name} does not exist"));
    }
    for name in crates.difference(&named) {
        findings.failures.push(format!("{FILE} does not name crates/{name}"));
    }
    Ok(())
}

/// Words of the form `mb-name`.
fn crates_named(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
        .filter(|word| {
            word.strip_prefix("mb-").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
        })
        .map(|word| word.trim_end_matches('-').to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::crates_named;

    #[test]
    fn crates_are_found_in_prose_code_and_diagrams() {
        let text = "`mb-scalar` ──► mb-model, (mb-eigen). not-mb-this mb- MB-X mb-cli/src";
        let found: Vec<_> = crates_named(text).into_iter().collect();
        assert_eq!(found, ["mb-cli", "mb-eigen", "mb-model", "mb-scalar"]);
    }
}
