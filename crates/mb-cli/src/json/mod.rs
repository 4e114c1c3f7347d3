//! JSON documents; described in `docs/json-output.md`.
//!
//! Numbers are written so that they read back exactly. What is not finite is `null`.

pub mod campbell;
pub mod check;
pub mod equilibrium;
pub mod export;
pub mod load_path;
pub mod modes;
pub mod parametric;
pub mod parts;
pub mod periodic;
pub mod response;
pub mod state_space;
pub mod sweep;
pub mod track;

use serde::Serialize;

/// Version of every document. It grows when a field changes its meaning or goes away; new
/// fields may come at any time.
pub const SCHEMA_VERSION: u32 = 2;

/// What every document begins with.
#[derive(Debug, Serialize)]
pub struct Head {
    schema_version: u32,
    program: &'static str,
    command: &'static str,
}

impl Head {
    /// The head of a command's document.
    pub fn of(command: &'static str) -> Self {
        Self { schema_version: SCHEMA_VERSION, program: concat!("mb ", env!("CARGO_PKG_VERSION")), command }
    }
}

/// The text of a document.
pub fn text(document: &impl Serialize) -> String {
    // Every document is made of strings, numbers, lists and maps with string keys.
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

/// The error document of work that a limit ended.
pub fn limit(words: &str, help: &str) -> String {
    let problem = serde_json::json!({ "message": words, "line": null, "column": null, "help": help });
    let error = serde_json::json!({
        "kind": "limit", "exit_code": crate::failure::NUMERICS, "file": null, "problems": [problem],
    });
    format!("{:#}\n", serde_json::json!({ "schema_version": SCHEMA_VERSION, "error": error }))
}

/// The error document of a command line that cannot be read, from the words for the terminal.
pub fn usage(words: &str) -> String {
    let words = words.trim();
    let (first, rest) = words.split_once("\n\n").unwrap_or((words, ""));
    let lines = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let help = (!rest.is_empty()).then(|| lines(rest).trim().to_owned());
    let problem = serde_json::json!({
        "message": lines(first.strip_prefix("error: ").unwrap_or(first)),
        "line": null, "column": null, "help": help,
    });
    let error = serde_json::json!({
        "kind": "usage", "exit_code": crate::failure::WRONG, "file": null, "problems": [problem],
    });
    format!("{:#}\n", serde_json::json!({ "schema_version": SCHEMA_VERSION, "error": error }))
}
