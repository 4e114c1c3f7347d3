//! `cargo xtask tidy`: the rules of the source tree that no compiler checks.
//!
//! Each rule is one module: manifests (who may depend on what, what a published crate shows), packages (licences, sources and
//! duplicates of others' packages), features (all tests share one build), sources (headers, sizes, where files and terminals
//! are touched, reference values in tests), ARCHITECTURE.md against the folders, the paper map against the module headers,
//! and text that only means something on one machine.

mod architecture;
mod cargo;
mod citations;
mod features;
mod lexer;
mod manifests;
mod packages;
mod paper_map;
mod places;
mod sources;
mod tree;

use std::fmt::Write;
use std::path::Path;

use clap::Args;

use crate::error::TaskError;
use crate::{Outcome, root};

/// Arguments of `tidy`.
#[derive(Args)]
pub(crate) struct Tidy {
    /// First rewrite the module lists of docs/paper-map.toml from the module headers.
    #[arg(long)]
    write_paper_map: bool,
}

/// What the rules found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Broken rules.
    pub(crate) failures: Vec<String>,
    /// Worth knowing, not a failure.
    pub(crate) remarks: Vec<String>,
}

impl Tidy {
    /// Runs the task.
    pub(crate) fn run(&self) -> Result<Outcome, TaskError> {
        let root = root::workspace_root()?;
        if self.write_paper_map {
            paper_map::write(&root)?;
        }
        let findings = check(&root)?;
        let mut text = String::new();
        for remark in &findings.remarks {
            let _infallible = writeln!(text, "note: {remark}");
        }
        for failure in &findings.failures {
            let _infallible = writeln!(text, "FAILED {failure}");
        }
        let _infallible = writeln!(text, "tidy: {} broken rules", findings.failures.len());
        Ok(Outcome { text, passed: findings.failures.is_empty() })
    }
}

/// Applies every rule to the tree.
pub(crate) fn check(root: &Path) -> Result<Findings, TaskError> {
    let mut findings = Findings::default();
    let sources = tree::rust_sources(root)?;
    manifests::check(root, &mut findings)?;
    packages::check(root, &mut findings)?;
    features::check(root, &mut findings)?;
    architecture::check(root, &mut findings)?;
    sources::check(&sources, &mut findings);
    paper_map::check(root, &sources, &mut findings)?;
    places::check(root, &mut findings)?;
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use crate::root;

    #[test]
    fn the_source_tree_is_tidy() {
        let findings = super::check(&root::workspace_root().unwrap()).unwrap();
        assert!(findings.failures.is_empty(), "{}", findings.failures.join("\n"));
    }
}
