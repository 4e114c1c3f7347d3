//! Packages of others, by the lists of `deny.toml`: licences, sources, duplicates. Read from the package cache, so that the
//! rule holds where cargo-deny or its database of advisories cannot be had.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use super::{Findings, cargo};
use crate::error::TaskError;
use crate::root;

const FILE: &str = "deny.toml";

/// What the rule reads of `deny.toml`.
#[derive(Deserialize)]
struct Deny {
    licenses: Licences,
    bans: Bans,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    skip: Vec<Named>,
    #[serde(rename = "skip-tree")]
    skip_tree: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    #[serde(rename = "crate")]
    name: String,
}

/// A package that something in the workspace is built with.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    version: String,
    /// The address of a package that comes from no registry; none otherwise.
    address: Option<String>,
    /// Empty where the package names none.
    licence: String,
}

/// Applies the rule; where cargo cannot resolve without a network, a remark says that it was not applied.
pub(crate) fn check(root: &Path, findings: &mut Findings) -> Result<(), TaskError> {
    let malformed = |why: String| TaskError::Malformed { file: FILE.to_owned(), why };
    let deny: Deny = toml::from_str(&root::read(root, FILE)?).map_err(|e| malformed(e.to_string()))?;
    let Some(packages) = built(root) else {
        findings.remarks.push("cargo tree cannot resolve offline: packages were not looked at".to_owned());
        return Ok(());
    };
    let allowed = deny
        .licenses
        .allow
        .iter()
        .map(|name| Licensee::parse(name).map_err(|e| malformed(format!("`{name}`: {}", e.reason))))
        .collect::<Result<Vec<_>, _>>()?;
    for package in &packages {
        if let Some(why) = objection(package, &allowed) {
            findings.failures.push(format!("package `{} {}`: {why}", package.name, package.version));
        }
    }
    // An exception may name one version, as in `windows-sys@0.42.0`.
    let excused: BTreeSet<&str> = deny
        .bans
        .skip
        .iter()
        .chain(&deny.bans.skip_tree)
        .map(|named| named.name.split('@').next().unwrap_or(&named.name))
        .collect();
    for (name, versions) in repeated(&packages) {
        // Below the trees to skip only the parts of windows-sys for each processor repeat: `windows_x86_64_msvc`.
        if !excused.contains(name) && !name.starts_with("windows_") {
            findings.failures.push(format!(
                "package `{name}` is built in the versions {}: agree on one, or name it in `bans.skip` of {FILE} with its reason",
                versions.iter().copied().collect::<Vec<_>>().join(", ")
            ));
        }
    }
    Ok(())
}

/// Why a package may not be used: where it comes from, or its licence.
fn objection(package: &Package, allowed: &[Licensee]) -> Option<String> {
    if let Some(address) = &package.address {
        return Some(format!("it comes from {address}, not from a package registry"));
    }
    let text = &package.licence;
    if text.is_empty() {
        return Some("it names no licence".to_owned());
    }
    match Expression::parse_mode(text, ParseMode::LAX) {
        Err(error) => Some(format!("its licence `{text}` is not understood: {}", error.reason)),
        Ok(licence) => {
            let serves = licence.evaluate(|wanted| allowed.iter().any(|one| one.satisfies(wanted)));
            (!serves)
                .then(|| format!("its licence `{text}` is not among those of `licenses.allow` in {FILE}"))
        }
    }
}

/// Packages in more than one version.
fn repeated(packages: &BTreeSet<Package>) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().insert(&package.version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    versions
}

/// What the workspace is built with on any system, tests and optional parts included. (`cargo metadata` also lists optional
/// dependencies that nobody asks for.)
fn built(root: &Path) -> Option<BTreeSet<Package>> {
    let args = ["--locked", "--workspace", "--all-features", "--target", "all"];
    let shown = ["--edges", "normal,build,dev", "--format", "{p}|{l}"];
    cargo::tree(root, &[&args[..], &shown].concat()).map(|tree| external(&tree))
}

/// The packages that are not in the source tree, of lines such as `name v1.0.0 (address)|licence`.
fn external(tree: &str) -> BTreeSet<Package> {
    let package = |line: &str| {
        let (about, licence) = line.trim_end_matches(" (*)").split_once('|')?;
        let about = about.replace(" (proc-macro)", "");
        let (name, rest) = about.split_once(" v")?;
        let (version, address) = match rest.split_once(" (") {
            Some((version, address)) => (version, Some(address.trim_end_matches(')').to_owned())),
            None => (rest, None),
        };
        // What is in the source tree stands with its folder.
        if address.as_ref().is_some_and(|address| !address.contains("://")) {
            return None;
        }
        Some(Package {
            name: name.to_owned(),
            version: version.to_owned(),
            address,
            licence: licence.trim().to_owned(),
        })
    };
    tree.lines().filter_map(package).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_is_an_expression() {
        let allowed: Vec<_> = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"]
            .iter()
            .map(|name| Licensee::parse(name).unwrap())
            .collect();
        let why =
            |licence: &str| objection(external(&format!("p v1.0.0|{licence}")).first().unwrap(), &allowed);
        for good in
            ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR GPL-2.0) AND Apache-2.0 WITH LLVM-exception"]
        {
            assert_eq!(why(good), None, "{good}");
        }
        for bad in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "MPL-2.0", "Nobody's"] {
            assert!(why(bad).is_some_and(|why| why.contains(bad)), "{bad}");
        }
        assert!(why("").is_some_and(|why| why.contains("no licence")));
    }

    #[test]
    fn packages_come_from_registries() {
        let tree = "own v0.1.0 (/a/b)|MIT\na v1.0.0|MIT\nb v2.0.0 (proc-macro)|MIT (*)\nc v1.0.0 (https://x/y#1)|MIT\n";
        let packages = external(tree);
        let names: Vec<_> = packages.iter().map(|package| &*package.name).collect();
        assert_eq!(names, ["a", "b", "c"], "a crate of the source tree is not a package of others");
        let allowed = [Licensee::parse("MIT").unwrap()];
        let why: Vec<_> = packages.iter().map(|package| objection(package, &allowed)).collect();
        assert!(matches!(&why[..], [None, None, Some(why)] if why.contains("https://x/y#1")), "{why:?}");
    }

    #[test]
    fn versions_are_counted_by_name() {
        let packages = external("a v1.0.0|MIT\na v2.0.0|MIT\nb v1.0.0|MIT\nb v1.0.0|MIT\n");
        assert_eq!(repeated(&packages).into_keys().collect::<Vec<_>>(), ["a"]);
    }
}
