//! The book's page from the program to Python: a row for every option of every command, none for what does not exist.

use clap::CommandFactory;
use mb_cli::args::Cli;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Options of a section of the page, by its heading in lower case.
fn rows(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut section = String::new();
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.to_lowercase();
            out.entry(section.clone()).or_default();
        } else if let Some((option, counterpart)) =
            line.strip_prefix("| `").and_then(|rest| rest.split_once("` | "))
        {
            assert!(counterpart.len() > 4, "no counterpart: {line}");
            let is_new = out.entry(section.clone()).or_default().insert(option.to_owned());
            assert!(is_new, "two rows for {option} under {section}");
        }
    }
    out
}

#[test]
fn every_option_has_its_counterpart_in_python() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src/python-program.md");
    let mut page = rows(&std::fs::read_to_string(file).unwrap());
    let everywhere = page.remove("every command").unwrap();
    let (mut known, mut commands) = (BTreeSet::from(["MODEL".to_owned()]), 0);
    for command in Cli::command().get_subcommands() {
        commands += 1;
        let name = command.get_name();
        let own = page.remove(name).unwrap_or_else(|| panic!("the page has no section {name}"));
        let options = command.get_arguments().filter(|a| a.get_id() != "help");
        let options: BTreeSet<String> =
            options.filter_map(|a| a.get_long()).map(|long| format!("--{long}")).collect();
        for option in &options {
            assert!(
                own.contains(option) || everywhere.contains(option),
                "docs/book/src/python-program.md: no row says what {option} of `mb {name}` is in Python"
            );
        }
        let gone: Vec<&String> = own.difference(&options).filter(|o| o.starts_with("--")).collect();
        assert!(gone.is_empty(), "rows of `mb {name}` for options that it does not have: {gone:?}");
        known.extend(options);
    }
    assert!(commands > 12 && page.is_empty(), "sections of no command: {page:?}");
    let gone: Vec<&String> = everywhere.difference(&known).filter(|o| *o != "--time-limit").collect();
    assert!(gone.is_empty(), "rows for options that no command has: {gone:?}");
}
