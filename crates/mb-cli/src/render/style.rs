//! Colour: only on a terminal, and not when NO_COLOR is set.

use std::io::IsTerminal;

/// Whether text is marked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    on: bool,
}

impl Style {
    /// Without colour.
    pub const PLAIN: Self = Self { on: false };

    /// Colour when `stream` is a terminal and the environment allows it (<https://no-color.org>).
    pub fn of(stream: &impl IsTerminal) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
        Self { on: stream.is_terminal() && !refused && !dumb }
    }
    /// True when text is marked up.
    pub fn is_on(self) -> bool {
        self.on
    }
    fn wrap(self, code: &str, text: &str) -> String {
        if self.on && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
    /// Heads and names.
    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }
    /// Units and remarks.
    pub fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }
    /// What is wrong or unstable.
    pub fn red(self, text: &str) -> String {
        self.wrap("31", text)
    }
    /// What deserves attention.
    pub fn yellow(self, text: &str) -> String {
        self.wrap("33", text)
    }
}
