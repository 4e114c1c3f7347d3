//! What cargo resolves, from the package cache alone.

use std::path::Path;
use std::process::Command;

/// The lines of `cargo tree`, one for each package, with these arguments; none where cargo cannot resolve without a network.
pub(super) fn tree(root: &Path, args: &[&str]) -> Option<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(root)
        .args(["tree", "--offline", "--prefix", "none", "--no-dedupe"])
        .args(args)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
