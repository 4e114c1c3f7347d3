//! Tests of every package, the program and the tasks are built with the same features of the dependencies, so that they share
//! one build for each profile.
//!
//! Cargo unifies features over the packages that a command selects. The rule compares what `cargo tree` resolves for each
//! crate that takes `workspace-features`, and for the program, the tasks and the Python extension without tests, with what it
//! resolves for the whole workspace.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Findings, cargo};
use crate::error::TaskError;
use crate::root;

const SHARED: &str = "workspace-features";
const WITH_TESTS: &str = "normal,build,dev";
/// What is built without tests too: package, features, the manifest that asks for those of the dependencies.
const PROGRAMS: [(&str, &str, &str); 3] = [
    ("mb-cli", "", "crates/mb-cli/Cargo.toml"),
    ("xtask", "", "xtask/Cargo.toml"),
    ("mb-python", "extension,tested", "xtask/features/Cargo.toml"),
];

/// Applies the rule; where cargo cannot resolve without a network, a remark says that it was not applied.
pub(crate) fn check(root: &Path, findings: &mut Findings) -> Result<(), TaskError> {
    let Some(all) = resolved(root, WITH_TESTS, &["--workspace"]) else {
        findings.remarks.push("cargo tree cannot resolve offline: features were not compared".to_owned());
        return Ok(());
    };
    for folder in root::entries(root, "crates")? {
        let Some(manifest) = root::read_if_present(root, &format!("crates/{folder}/Cargo.toml"))? else {
            continue;
        };
        if !manifest.contains(&format!("{SHARED}.workspace")) {
            continue;
        }
        let Some(own) = resolved(root, WITH_TESTS, &["--package", &folder]) else { continue };
        for line in others(&own, &all) {
            findings.failures.push(format!(
                "crates/{folder}: its tests resolve {line}, the workspace other features; add them to \
                 xtask/features/Cargo.toml"
            ));
        }
    }
    for (package, features, manifest) in PROGRAMS {
        let selection = ["--package", package, "--features", features];
        let Some(own) = resolved(root, "normal,build", &selection) else { continue };
        for line in others(&own, &all) {
            findings
                .failures
                .push(format!("{package}: built without tests it resolves {line}, the workspace other features; add them to {manifest}"));
        }
    }
    Ok(())
}

/// Every dependency from a registry with its features, as `name version [features]`.
fn resolved(root: &Path, edges: &str, selection: &[&str]) -> Option<BTreeSet<String>> {
    let args = [&["--edges", edges, "--format", "{p} [{f}]"], selection].concat();
    cargo::tree(root, &args).map(|tree| external(&tree))
}

/// Packages that the workspace resolves too, but with other features.
fn others<'a>(own: &'a BTreeSet<String>, all: &'a BTreeSet<String>) -> Vec<&'a str> {
    let package = |line: &str| line.split(" [").next().map(str::to_owned);
    let known: BTreeSet<_> = all.iter().map(|line| package(line)).collect();
    own.difference(all).filter(|line| known.contains(&package(line))).map(String::as_str).collect()
}

/// The lines of packages that are not in the source tree; those in it stand with their path in parentheses.
fn external(tree: &str) -> BTreeSet<String> {
    tree.lines()
        .map(|line| line.replace(" (*)", "").replace(" (proc-macro)", ""))
        .filter(|line| !line.is_empty() && !line.contains('('))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_packages_of_registries_count() {
        let tree = "mb-eigen v0.1.0 (/a/b) []\nserde v1.0.0 [std]\nserde v1.0.0 [std] (*)\nsyn v3.0.0 (proc-macro) [full]\n";
        let found: Vec<_> = external(tree).into_iter().collect();
        assert_eq!(found, ["serde v1.0.0 [std]", "syn v3.0.0 [full]"]);
    }

    #[test]
    fn packages_of_one_build_alone_are_no_difference() {
        let all = external("syn v3.0.0 [full]\nserde v1.0.0 [std]\n");
        let own = external("syn v3.0.0 [extra,full]\nserde v1.0.0 [std]\npyo3 v0.30.0 []\n");
        assert_eq!(others(&own, &all), ["syn v3.0.0 [extra,full]"]);
    }
}
