//! docs/paper-map.toml against the `Paper:` lines of the module headers, both ways.
//!
//! An entry names a place of a paper and the modules that implement it; while there is none it says
//! `status = "planned"`. Every citation of a module must be in the map, every module in the map must cite.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

use super::Findings;
use super::citations::{self, Citation};
use super::tree::{self, SourceFile};
use crate::error::TaskError;
use crate::root;

const FILE: &str = "docs/paper-map.toml";
const REFERENCES: &str = "docs/references.bib";

const HEADER: &str = "\
# Where each section, equation, table and figure of the papers is implemented. Checked both ways against the
# `Paper:` lines of the module headers by `cargo xtask tidy`; `--write-paper-map` fills in the module lists.
";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Map {
    #[serde(default)]
    entry: Vec<Entry>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    paper: String,
    item: String,
    about: String,
    #[serde(default)]
    modules: Vec<String>,
    /// A test or fixture, from the root.
    test: Option<String>,
    status: Option<Planned>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Planned {
    Planned,
}

type Cited = BTreeMap<Citation, BTreeSet<String>>;

fn load(root: &Path) -> Result<Map, TaskError> {
    toml::from_str(&root::read(root, FILE)?)
        .map_err(|e| TaskError::Malformed { file: FILE.to_owned(), why: e.to_string() })
}

/// Modules by what they cite.
fn cited(sources: &[SourceFile], complaints: &mut Vec<String>) -> Cited {
    let mut cited = Cited::new();
    for source in sources {
        let (citations, wrong) = citations::of_source(&source.text);
        complaints.extend(wrong.into_iter().map(|w| format!("{}: {w}", source.place)));
        for citation in citations {
            cited.entry(citation).or_default().insert(source.place.clone());
        }
    }
    cited
}

/// Applies the rule.
pub(crate) fn check(root: &Path, sources: &[SourceFile], findings: &mut Findings) -> Result<(), TaskError> {
    let map = load(root)?;
    let cited = cited(sources, &mut findings.failures);
    compare(&map, &cited, findings);
    let references = root::read(root, REFERENCES)?;
    let papers: BTreeSet<_> =
        map.entry.iter().map(|e| &e.paper).chain(cited.keys().map(|c| &c.paper)).collect();
    for paper in papers {
        if !references.contains(&format!("{{{paper},")) {
            findings.failures.push(format!("{REFERENCES} has no entry `{paper}`"));
        }
    }
    for entry in &map.entry {
        if let Some(test) = entry.test.as_ref().filter(|test| !root.join(test).exists()) {
            findings
                .failures
                .push(format!("{FILE}: [{}] {}: {test} does not exist", entry.paper, entry.item));
        }
    }
    Ok(())
}

fn compare(map: &Map, cited: &Cited, findings: &mut Findings) {
    let mut known = BTreeSet::new();
    let nobody = BTreeSet::new();
    for entry in &map.entry {
        let citation = Citation { paper: entry.paper.clone(), item: entry.item.clone() };
        let here = format!("{FILE}: [{}] {}", entry.paper, entry.item);
        let citing = cited.get(&citation).unwrap_or(&nobody);
        if !known.insert(citation) {
            findings.failures.push(format!("{here} stands twice"));
            continue;
        }
        let listed: BTreeSet<_> = entry.modules.iter().cloned().collect();
        for module in listed.difference(citing) {
            findings.failures.push(format!("{here} lists {module}, whose header does not cite it"));
        }
        for module in citing.difference(&listed) {
            findings.failures.push(format!("{here} does not list {module}, which cites it"));
        }
        match (entry.modules.is_empty(), entry.status) {
            (true, None) => {
                findings.failures.push(format!("{here} has no module and is not marked as planned"));
            }
            (false, Some(Planned::Planned)) => {
                findings.failures.push(format!("{here} has modules and is still marked as planned"));
            }
            _ => {}
        }
    }
    for (citation, modules) in cited.iter().filter(|(c, _)| !known.contains(c)) {
        let modules = modules.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        findings
            .failures
            .push(format!("{FILE} has no entry [{}] {}, cited by {modules}", citation.paper, citation.item));
    }
}

/// Rewrites the module lists from the headers; places that are cited and not in the map are left to the check.
pub(crate) fn write(root: &Path) -> Result<(), TaskError> {
    let map = load(root)?;
    let cited = cited(&tree::rust_sources(root)?, &mut Vec::new());
    root::write(root, FILE, &rewritten(&map, &cited))
}

fn rewritten(map: &Map, cited: &Cited) -> String {
    let text = |s: &str| toml::Value::String(s.to_owned()).to_string();
    let mut out = HEADER.to_owned();
    for entry in &map.entry {
        let citation = Citation { paper: entry.paper.clone(), item: entry.item.clone() };
        let modules: Vec<_> = cited.get(&citation).into_iter().flatten().map(|m| text(m)).collect();
        let place = match modules.as_slice() {
            [] => "status = \"planned\"".to_owned(),
            [one] => format!("modules = [{one}]"),
            several => format!("modules = [\n    {},\n]", several.join(",\n    ")),
        };
        let test = entry.test.as_ref().map_or_else(String::new, |t| format!("test = {}\n", text(t)));
        let (paper, item, about) = (text(&entry.paper), text(&entry.item), text(&entry.about));
        let _infallible =
            write!(out, "\n[[entry]]\npaper = {paper}\nitem = {item}\nabout = {about}\n{place}\n{test}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str =
        "[[entry]]\npaper = \"a\"\nitem = \"Eq. (5)\"\nabout = \"x\"\nmodules = [\"crates/m/src/n.rs\"]\n";

    fn failures(map: &str, header: &str) -> Vec<String> {
        let source = SourceFile { place: "crates/m/src/n.rs".to_owned(), text: header.to_owned() };
        let mut findings = Findings::default();
        let cited = cited(&[source], &mut findings.failures);
        compare(&toml::from_str(map).unwrap(), &cited, &mut findings);
        findings.failures
    }

    #[test]
    fn map_and_headers_must_agree_both_ways() {
        assert!(failures(MAP, "//! Paper: [a] Eq. (5).\n").is_empty());
        assert_eq!(failures(MAP, "//! nothing\n").len(), 1);
        assert_eq!(failures(MAP, "//! Paper: [a] Eqs. (5), (6).\n").len(), 1);
        assert_eq!(failures("", "//! Paper: [a] Eq. (5).\n").len(), 1);
        assert_eq!(failures(&format!("{MAP}{MAP}"), "//! Paper: [a] Eq. (5).\n").len(), 1);
    }

    #[test]
    fn an_entry_without_a_module_is_marked_as_planned() {
        let bare = MAP.replace("modules = [\"crates/m/src/n.rs\"]", "");
        assert_eq!(failures(&bare, "//! x\n").len(), 1);
        assert!(failures(&format!("{bare}status = \"planned\"\n"), "//! x\n").is_empty());
        assert_eq!(failures(&format!("{MAP}status = \"planned\"\n"), "//! Paper: [a] Eq. (5).\n").len(), 1);
    }

    #[test]
    fn rewriting_settles_every_disagreement_on_modules() {
        let bare = MAP.replace("modules = [\"crates/m/src/n.rs\"]", "status = \"planned\"");
        let header = "//! Paper: [a] Eq. (5).\n";
        let source = SourceFile { place: "crates/m/src/n.rs".to_owned(), text: header.to_owned() };
        let text = rewritten(&toml::from_str(&bare).unwrap(), &cited(&[source], &mut Vec::new()));
        assert!(failures(&text, header).is_empty(), "{text}");
    }
}
