//! The command lines of `mb completions` and `mb man`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Shells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShellArg {
    /// GNU Bash
    Bash,
    /// Z shell
    Zsh,
    /// Friendly interactive shell
    Fish,
    /// `PowerShell`
    #[value(name = "powershell")]
    PowerShell,
}

/// Arguments of `mb completions`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  mb completions bash > ~/.local/share/bash-completion/completions/mb\n  mb completions zsh > ~/.zfunc/_mb\n  mb completions fish > ~/.config/fish/completions/mb.fish\n  mb completions powershell >> $PROFILE"
)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: ShellArg,
}

/// Arguments of `mb man`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  mb man ~/.local/share/man/man1\n  man mb-modes")]
pub struct ManArgs {
    /// The folder for mb.1 and a page for each command; it is made when it is not there
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}
