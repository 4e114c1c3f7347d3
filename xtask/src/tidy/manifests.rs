//! Who may depend on what, and what a published crate shows to those who find it, read from the manifests.

use std::path::Path;

use super::Findings;
use crate::error::TaskError;
use crate::root;

const SECTIONS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
/// The crates that may name faer: containers and factorizations, saddle-point factors, and the Krylov code.
const MAY_NAME_FAER: [&str; 3] = ["mb-algebra", "saddle-ldlt", "mb-eigen"];
/// What the eigen layer must not know in production code, so that it works for matrices from anywhere.
const MECHANICS: [&str; 4] = ["mb-model", "mb-constraints", "mb-linear", "mb-gallery"];

/// Applies the rules to every crate.
pub(crate) fn check(root: &Path, findings: &mut Findings) -> Result<(), TaskError> {
    let mut folders: Vec<_> =
        root::entries(root, "crates")?.iter().map(|name| format!("crates/{name}")).collect();
    folders.extend(["xtask".to_owned(), "benchmarks".to_owned()]);
    for folder in folders {
        let place = format!("{folder}/Cargo.toml");
        let Some(text) = root::read_if_present(root, &place)? else { continue };
        let manifest: toml::Table = toml::from_str(&text)
            .map_err(|e| TaskError::Malformed { file: place.clone(), why: e.to_string() })?;
        check_manifest(&place, &manifest, findings);
        if is_published(&manifest) {
            let readme = root::read_if_present(root, &format!("{folder}/README.md"))?;
            let page = root::read_if_present(root, &format!("{folder}/src/lib.rs"))?;
            check_published(&place, &manifest, readme.as_deref(), page.as_deref(), findings);
        }
    }
    Ok(())
}

/// Whether a crate may be published: the workspace allows it, the manifest may forbid it.
fn is_published(manifest: &toml::Table) -> bool {
    let publish = manifest.get("package").and_then(|p| p.get("publish"));
    publish.and_then(toml::Value::as_bool) != Some(false)
}

/// What a registry and docs.rs show: words to find the crate by, a README, an example that the tests run.
fn check_published(
    place: &str,
    manifest: &toml::Table,
    readme: Option<&str>,
    page: Option<&str>,
    findings: &mut Findings,
) {
    let mut fail = |why: String| findings.failures.push(format!("{place}: {why}"));
    for key in ["description", "license", "readme", "keywords", "categories", "rust-version"] {
        if manifest.get("package").and_then(|p| p.get(key)).is_none() {
            fail(format!("a published crate has `{key}`"));
        }
    }
    let Some(readme) = readme else { return fail("a published crate has a README.md".to_owned()) };
    let Some(page) = page else { return };
    let includes = page.contains("#![doc = include_str!(\"../README.md\")]");
    let has_example = page.contains("//! ```\n") || (includes && readme.contains("```rust\n"));
    if !has_example {
        fail(
            "the page of a library has an example: in src/lib.rs or in the README.md that it includes"
                .to_owned(),
        );
    }
}

fn check_manifest(place: &str, manifest: &toml::Table, findings: &mut Findings) {
    let name =
        manifest.get("package").and_then(|p| p.get("name")).and_then(toml::Value::as_str).unwrap_or("");
    for section in SECTIONS {
        let Some(dependencies) = manifest.get(section).and_then(toml::Value::as_table) else { continue };
        for (key, detail) in dependencies {
            let dependency = detail.get("package").and_then(toml::Value::as_str).unwrap_or(key);
            let optional = detail.get("optional").and_then(toml::Value::as_bool).unwrap_or(false);
            let mut fail = |why: &str| findings.failures.push(format!("{place}: `{dependency}`: {why}"));
            if name == "mb-scalar" && section == "dependencies" && !optional {
                fail("mb-scalar has no dependencies but optional ones");
            }
            if (dependency == "faer" || dependency.starts_with("faer-")) && !MAY_NAME_FAER.contains(&name) {
                fail("only mb-algebra, saddle-ldlt and the Krylov code of mb-eigen name faer");
            }
            if name == "mb-eigen" && MECHANICS.contains(&dependency) {
                fail("mb-eigen knows matrices only, no mechanics");
            }
        }
    }
    let inherits = manifest.get("lints").and_then(|l| l.get("workspace")).and_then(toml::Value::as_bool);
    if inherits != Some(true) {
        findings
            .failures
            .push(format!("{place}: the lints of the workspace must hold (`[lints] workspace = true`)"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failures(text: &str) -> Vec<String> {
        let mut findings = Findings::default();
        check_manifest("x/Cargo.toml", &toml::from_str(text).unwrap(), &mut findings);
        findings.failures
    }

    #[test]
    fn the_layers_are_kept() {
        let manifest = |name: &str, section: &str, dependency: &str| {
            format!("[package]\nname = \"{name}\"\n[lints]\nworkspace = true\n[{section}]\n{dependency}\n")
        };
        assert_eq!(failures(&manifest("mb-scalar", "dependencies", "serde = \"1\"")).len(), 1);
        let optional = "serde = { version = \"1\", optional = true }";
        assert!(failures(&manifest("mb-scalar", "dependencies", optional)).is_empty());
        assert!(failures(&manifest("mb-scalar", "dev-dependencies", "proptest = \"1\"")).is_empty());
        assert_eq!(failures(&manifest("mb-linear", "dependencies", "faer.workspace = true")).len(), 1);
        assert!(failures(&manifest("mb-algebra", "dependencies", "faer.workspace = true")).is_empty());
        let renamed = "dense = { package = \"faer\", version = \"0\" }";
        assert_eq!(failures(&manifest("mb-model", "dev-dependencies", renamed)).len(), 1);
        assert_eq!(failures(&manifest("mb-eigen", "dev-dependencies", "mb-model.workspace = true")).len(), 1);
    }

    #[test]
    fn a_published_crate_can_be_found_and_tried() {
        let whole = "[package]\nname = \"a\"\ndescription = \"d\"\nlicense.workspace = true\nreadme = \"README.md\"\n\
                     keywords = [\"k\"]\ncategories = [\"c\"]\nrust-version.workspace = true\n";
        let failures = |manifest: &str, readme: Option<&str>, page: Option<&str>| {
            let (manifest, mut findings) = (toml::from_str(manifest).unwrap(), Findings::default());
            check_published("x/Cargo.toml", &manifest, readme, page, &mut findings);
            findings.failures.len()
        };
        let (readme, page) = ("# a\n```rust\n1;\n```\n", "#![doc = include_str!(\"../README.md\")]\n");
        assert_eq!(failures(whole, Some(readme), Some(page)), 0);
        assert_eq!(failures(whole, Some("# a\n"), Some("//! A.\n//!\n//! ```\n//! 1;\n//! ```\n")), 0);
        assert_eq!(failures(whole, Some("# a program\n"), None), 0);
        assert_eq!(failures(whole, None, Some(page)), 1);
        assert_eq!(failures(whole, Some("# a\n"), Some(page)), 1);
        assert_eq!(failures(whole, Some(readme), Some("//! A.\n")), 1);
        assert_eq!(failures(&whole.replace("keywords", "words"), Some(readme), Some(page)), 1);
        let published = |text: &str| is_published(&toml::from_str(text).unwrap());
        assert!(
            published("[package]\npublish.workspace = true\n") && !published("[package]\npublish = false\n")
        );
    }

    #[test]
    fn every_crate_keeps_the_lints() {
        assert_eq!(failures("[package]\nname = \"a\"\n").len(), 1);
    }
}
