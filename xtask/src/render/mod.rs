//! The report as text for the terminal, as Markdown and as JSON.

pub(crate) mod markdown;
pub(crate) mod numbers;
pub(crate) mod terminal;
pub(crate) mod up_to_date;
