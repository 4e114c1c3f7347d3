//! `cargo xtask setup --engine`: builds the driver of the distributed engine against the site's SLEPc.
//!
//! SLEPc comes in one kind of numbers at a time. `pkg-config` is asked for it in the folders of `PKG_CONFIG_PATH`, in those of
//! `SLEPC_DIR` and `PETSC_DIR`, and in Debian's for both kinds; what is found decides which of the two drivers are built, into
//! `target/engine`, where `mb` looks for them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::plan::Manager;
use crate::error::TaskError;
use crate::root;

/// The source of the driver.
const SOURCE: &str = "crates/mb-engine/driver/mb_engine.c";
/// Where the drivers go.
const FOLDER: &str = "target/engine";
/// The kinds of numbers.
const KINDS: [&str; 2] = ["real", "complex"];

/// Packages of SLEPc, PETSc and MPI.
pub(super) fn packages(manager: Manager) -> Option<&'static [&'static str]> {
    match manager {
        Manager::AptGet => Some(&[
            "slepc-dev",
            "petsc-dev",
            "libslepc-real-dev",
            "libslepc-complex-dev",
            "openmpi-bin",
            "pkg-config",
            "gcc",
        ]),
        _ => None,
    }
}

/// Folders of pkg-config files that hold SLEPc of one kind.
fn folders(kind: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for (base, variable) in [("/usr/lib/slepcdir", "SLEPC_DIR"), ("/usr/lib/petscdir", "PETSC_DIR")] {
        if let Some(own) = std::env::var_os(variable) {
            let arch = std::env::var_os("PETSC_ARCH").unwrap_or_default();
            out.push(Path::new(&own).join(arch).join("lib/pkgconfig"));
        }
        // Debian: a folder for each version, in it one for each kind.
        for version in entries(Path::new(base)) {
            for build in entries(&version) {
                if build.to_string_lossy().ends_with(&format!("-{kind}")) {
                    out.push(build.join("lib/pkgconfig"));
                }
            }
        }
    }
    out.retain(|folder| folder.is_dir());
    out
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let list = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut out: Vec<PathBuf> = list.map(|entry| entry.path()).collect();
    out.sort();
    out
}

/// What pkg-config says of SLEPc of one kind; none where it does not know it.
fn flags(kind: &str) -> Option<Vec<String>> {
    let mut path = OsString::new();
    for folder in folders(kind) {
        path.push(folder);
        path.push(":");
    }
    path.push(std::env::var_os("PKG_CONFIG_PATH").unwrap_or_default());
    let mut command = Command::new("pkg-config");
    let output =
        command.args(["--cflags", "--libs", "slepc"]).env("PKG_CONFIG_PATH", path).stderr(Stdio::null());
    let output = output.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(text.split_whitespace().map(str::to_owned).collect())
}

/// Builds one driver; whether SLEPc of that kind is there.
fn build(root: &Path, kind: &str) -> Result<bool, TaskError> {
    let Some(flags) = flags(kind) else { return Ok(false) };
    let folder = root.join(FOLDER);
    let failed = |command: String, why: String| TaskError::Command { command, why };
    std::fs::create_dir_all(&folder).map_err(|e| failed(format!("mkdir {FOLDER}"), e.to_string()))?;
    let (target, draft) =
        (folder.join(format!("mb-engine-{kind}")), folder.join(format!(".mb-engine-{kind}")));
    let compiler = std::env::var_os("MPICC").unwrap_or_else(|| "mpicc".into());
    let mut command = Command::new(&compiler);
    let complex = if kind == "complex" { "-DMB_COMPLEX" } else { "-DMB_REAL" };
    // Error-free transformations are none where products and sums are contracted.
    command
        .args(["-O2", "-ffp-contract=off", complex])
        .arg("-o")
        .arg(&draft)
        .arg(root.join(SOURCE))
        .args(&flags)
        .arg("-lm");
    let words = format!("{} {SOURCE} ({kind} numbers)", compiler.to_string_lossy());
    let output = command.output().map_err(|e| failed(words.clone(), e.to_string()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        // A SLEPc of the other kind is recognized by the source.
        if said.contains("of the other kind of numbers") {
            return Ok(false);
        }
        let said: Vec<&str> = said.lines().filter(|line| line.contains("error")).take(3).collect();
        return Err(failed(words, said.join("; ")));
    }
    std::fs::rename(&draft, &target).map_err(|e| failed(words, e.to_string()))?;
    Ok(true)
}

/// Builds the drivers that SLEPc is there for; their names.
pub(super) fn build_all() -> Result<Vec<String>, TaskError> {
    let root = root::workspace_root()?;
    let mut built = Vec::new();
    for kind in KINDS {
        if build(&root, kind)? {
            built.push(format!("{FOLDER}/mb-engine-{kind}"));
        }
    }
    Ok(built)
}

/// Whether SLEPc of both kinds is there.
pub(super) fn found() -> bool {
    KINDS.iter().all(|kind| flags(kind).is_some())
}
