//! Options of the linker that make a release program smaller.
//!
//! Identical functions are kept once (`--icf`), and relative relocations take bits of a map in place of 24 bytes each. Not every
//! linker knows these options, nor every C library such relocations: each is used where a small program links with it and runs. Rust
//! leaves open whether two functions or constants have two addresses; the linker of Windows has always folded them.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

/// Those of one line are of use only together.
const OPTIONS: [&[&str]; 2] =
    [&["-Wl,--icf=all", "-Wl,--ignore-data-address-equality"], &["-Wl,-z,pack-relative-relocs"]];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|v| v == value);
    // Profilers and debuggers want every function under its own name.
    if !is("PROFILE", "release") || !is("DEBUG", "false") || env::var("HOST") != env::var("TARGET") {
        return;
    }
    for options in OPTIONS {
        if runs_with(options) == Some(true) {
            for option in options {
                println!("cargo:rustc-link-arg-bins={option}");
            }
        }
    }
}

/// Whether a program linked with these options runs; None where it cannot be tried.
fn runs_with(options: &[&str]) -> Option<bool> {
    let folder = env::var_os("OUT_DIR")?;
    let [source, program] = ["probe.rs", "probe"].map(|name| Path::new(&folder).join(name));
    // It prints by way of a table of functions, whose addresses are relocated.
    std::fs::write(&source, "fn main() { println!(\"{}\", std::env::args().count()); }").ok()?;
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let mut rustc = Command::new(env::var_os("RUSTC")?);
    rustc.arg(&source).arg("-o").arg(&program);
    rustc.args(options.iter().flat_map(|option| ["-C".to_owned(), format!("link-arg={option}")]));
    rustc.arg("--target").arg(env::var_os("TARGET")?);
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg("-C").arg(format!("linker={linker}"));
    }
    Some(quiet(&mut rustc)? && quiet(&mut Command::new(&program))?)
}

/// Whether a command ends well; its output is of no use.
fn quiet(command: &mut Command) -> Option<bool> {
    Some(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?.success())
}
