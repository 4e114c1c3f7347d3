//! `cargo xtask schema`: the JSON Schema of the model file, for editors.
//!
//! Plain: writes `crates/mb-cli/model.schema.json`. `--check`: fails when the committed file is out of date.

use clap::Args;

use crate::error::TaskError;
use crate::{Outcome, root};

const FILE: &str = "crates/mb-cli/model.schema.json";

/// Arguments of `schema`.
#[derive(Args)]
pub(crate) struct Schema {
    /// Write nothing; fail when the committed file is out of date.
    #[arg(long)]
    check: bool,
}

impl Schema {
    /// Runs the task.
    pub(crate) fn run(&self) -> Result<Outcome, TaskError> {
        let root = root::workspace_root()?;
        let text = format!("{}\n", serde_json::to_string_pretty(&mb_model::spec::json_schema())?);
        if !self.check {
            root::write(&root, FILE, &text)?;
            return Ok(Outcome { text: format!("{FILE} is up to date\n"), passed: true });
        }
        let passed = root::read_if_present(&root, FILE)?.as_deref() == Some(text.as_str());
        let text = if passed {
            format!("{FILE} is up to date\n")
        } else {
            format!("FAILED {FILE} is out of date; run `cargo xtask schema` and commit it\n")
        };
        Ok(Outcome { text, passed })
    }
}
