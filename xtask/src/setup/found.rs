//! Whether ARPACK-NG and what its bindings need are on this machine, and a build that has them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use mb_eigen::sparse::Solver;

use crate::{root, say};

/// Set for the second run, so that there is no third.
const MARK: &str = "MB_XTASK_AGAIN";

/// Whether this build has ARPACK-NG.
pub(crate) fn built_in_this_program() -> bool {
    Solver::Arpack.driver().is_ok()
}

/// Whether the library and libclang seem to be there.
pub(crate) fn arpack() -> bool {
    missing().is_empty()
}

/// What is not there.
pub(super) fn missing() -> Vec<&'static str> {
    let mut missing = Vec::new();
    let exists = Command::new("pkg-config").args(["--exists", "arpack"]).stderr(Stdio::null()).status();
    match exists {
        Err(_) => missing.push("pkg-config"),
        Ok(status) if !status.success() => missing.push("the library arpack with its pkg-config file"),
        Ok(_) => {}
    }
    // Apple's developer tools have a libclang; who names a path knows what is there.
    if std::env::var_os("LIBCLANG_PATH").is_some() || std::env::consts::OS == "macos" {
        return missing;
    }
    if !libclang() {
        missing.push("libclang");
    }
    if !["/usr/lib", "/usr/lib64", "/usr/local/lib"].iter().any(|base| clang_headers(Path::new(base))) {
        missing.push("the headers of libclang");
    }
    missing
}

/// Whether a folder of libraries holds the headers of some version of clang.
fn clang_headers(base: &Path) -> bool {
    let folders = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        entries.map(|entry| entry.path()).collect::<Vec<PathBuf>>()
    };
    let in_versions = |folder: &Path| folders(folder).iter().any(|v| v.join("include/stdbool.h").is_file());
    let of_llvm = |folder: &PathBuf| {
        folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("llvm"))
            && ["lib/clang", "lib64/clang"].iter().any(|clang| in_versions(&folder.join(clang)))
    };
    in_versions(&base.join("clang")) || folders(base).iter().any(of_llvm)
}

/// Whether libclang is where the bindings' build will look for it.
fn libclang() -> bool {
    let output = |program: &str, argument: &str| {
        let output = Command::new(program).arg(argument).stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let known = |program| output(program, "-p").is_some_and(|text| text.contains("libclang"));
    known("ldconfig") || known("/sbin/ldconfig") || output("llvm-config", "--libdir").is_some()
}

/// Runs the same task again in a build with ARPACK-NG where the machine has it and this build does not.
///
/// None where this build goes on: it has ARPACK-NG, the machine has not, it was unwanted, or it could not be built, which
/// is reported and is no failure.
pub(crate) fn again_with_arpack() -> Option<ExitCode> {
    if built_in_this_program() || std::env::var_os(MARK).is_some() {
        return None;
    }
    if !arpack() {
        say("ARPACK-NG is not on this machine; `cargo xtask setup` installs it. Going on without.");
        return None;
    }
    say("ARPACK-NG found: adding --features arpack (--without-arpack leaves it out).");
    let root = root::workspace_root().ok()?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let build = ["--release", "--quiet", "--package", "xtask", "--features", "arpack"];
    let built = Command::new(&cargo).arg("build").args(build).current_dir(&root).status();
    if !built.is_ok_and(|status| status.success()) {
        say("The build with ARPACK-NG failed; going on without.");
        return None;
    }
    let status = Command::new(&cargo)
        .arg("run")
        .args(build)
        .arg("--")
        .args(std::env::args_os().skip(1))
        .env(MARK, "1")
        .current_dir(&root)
        .status()
        .ok()?;
    Some(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_found_in_both_layouts() {
        let root = std::env::temp_dir().join(format!("mb-xtask-clang-{}", std::process::id()));
        let make = |place: &str| {
            let folder = root.join(place).join("include");
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("stdbool.h"), "").unwrap();
        };
        assert!(!clang_headers(&root));
        make("a/llvm-14/lib/clang/14.0.6");
        make("b/clang/17");
        std::fs::create_dir_all(root.join("c/clang/17")).unwrap();
        assert!(clang_headers(&root.join("a")) && clang_headers(&root.join("b")));
        assert!(!clang_headers(&root.join("c")) && !clang_headers(&root.join("d")));
        std::fs::remove_dir_all(&root).unwrap();
    }
}
