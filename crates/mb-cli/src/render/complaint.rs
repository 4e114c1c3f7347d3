//! Errors as the user sees them: the line of the model file, the words, the help.

use super::extremes;
use crate::args::Assignment;
use crate::failure::{Failure, NUMERICS};
use crate::locate::{line_and_column, span_of};
use crate::render::Style;
use crate::source::Text;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use mb_model::spec::{Fault, is_obeyed, legible};
use serde::Serialize;
use std::fmt::Write as _;
use std::ops::Range;

/// Most problems shown at once; the rest is counted.
const SHOWN: usize = 10;
/// Lines longer than this are not shown as a snippet.
const LONGEST_LINE: usize = 400;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// What is wrong.
    pub message: String,
    /// Line in the model file, from 1.
    pub line: Option<usize>,
    /// Column, from 1.
    pub column: Option<usize>,
    /// What to do about it.
    pub help: Option<String>,
    #[serde(skip)]
    span: Option<std::ops::Range<usize>>,
    /// True when the message itself gives line and column.
    #[serde(skip)]
    says_place: bool,
}

/// A failure with its places.
#[derive(Clone, Debug, Serialize)]
pub struct Complaint {
    /// Stable word for the kind.
    pub kind: &'static str,
    /// Exit code.
    pub exit_code: u8,
    /// The model file.
    pub file: Option<String>,
    /// At least one item.
    pub problems: Vec<Item>,
    #[serde(skip)]
    text: String,
}

impl Complaint {
    /// Finds the places of a failure in the text of the model file.
    pub fn new(failure: &Failure, text: Option<&Text>) -> Self {
        let content = text.map(|t| t.content.as_str()).unwrap_or_default();
        let problems = match failure {
            Failure::Model(error) => error
                .problems()
                .iter()
                .map(|p| {
                    // An empty model has no line that is at fault.
                    let at = p.position.as_ref().filter(|_| !matches!(p.fault, Fault::EmptyModel));
                    Item {
                        message: sentence(&p.to_string()),
                        line: at.map(|at| at.line),
                        column: at.map(|at| at.column),
                        help: p.help().map(|help| legible(&help)),
                        span: at.map(|at| at.span.clone()),
                        says_place: false,
                    }
                })
                .collect(),
            other => {
                let span = other.owner().and_then(|owner| span_of(content, owner));
                let place =
                    other.place().or_else(|| span.as_ref().map(|s| line_and_column(content, s.start)));
                vec![Item {
                    message: legible(&other.to_string()),
                    line: place.map(|p| p.0),
                    column: place.map(|p| p.1),
                    help: other.help().map(|help| legible(&help)),
                    span,
                    says_place: other.place().is_some(),
                }]
            }
        };
        Self {
            kind: failure.kind(),
            exit_code: failure.exit_code(),
            file: failure.file().map(legible).or_else(|| text.map(|t| t.name.clone())),
            problems,
            text: content.to_owned(),
        }
    }
    /// With the numbers of the model that failed numerics may come from, in the text and in `--set`.
    #[must_use]
    pub fn with_extremes(mut self, set: &[Assignment]) -> Self {
        if self.exit_code == NUMERICS
            && let Some(words) = extremes::named(&self.text, set)
            && let Some(item) = self.problems.first_mut()
        {
            item.help = Some(item.help.take().map_or(words.clone(), |help| format!("{words}; {help}")));
        }
        self
    }
    /// The complaint for the terminal.
    pub fn render(&self, style: Style) -> String {
        let renderer = if style.is_on() { Renderer::styled() } else { Renderer::plain() };
        let mut out = String::new();
        for item in self.problems.iter().take(SHOWN) {
            out.push_str(&renderer.render(&[self.group(item)]));
            out.push('\n');
        }
        if self.problems.len() > SHOWN {
            let more = self.problems.len() - SHOWN;
            let _ = writeln!(out, "... and {more} more problems in the model file.");
        }
        out
    }
    /// The complaint as JSON.
    pub fn json(&self) -> String {
        let document = serde_json::json!({ "schema_version": crate::json::SCHEMA_VERSION, "error": self });
        format!("{document:#}\n")
    }
    /// One item with its place in the file and its help.
    fn group<'a>(&'a self, item: &'a Item) -> Group<'a> {
        let shown = self.snippet(item);
        // Of lines that are not shown, the place alone is said.
        let place = match (&self.file, item.line, item.column) {
            (Some(file), Some(line), Some(column)) if shown.is_none() && !item.says_place => {
                Some(Origin::path(file.as_str()).line(line).char_column(column))
            }
            _ => None,
        };
        let title = Level::ERROR.primary_title(item.message.as_str());
        let mut group = title.elements(shown).elements(place);
        if let Some(help) = &item.help {
            group = group.element(Level::HELP.message(help));
        }
        group
    }
    /// The file around an item, unless its lines are too long to read.
    fn snippet<'a>(&'a self, item: &Item) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
        let span = item.span.clone()?;
        let start = self.line_before(&span)?;
        // What a terminal obeys is not shown.
        let long =
            self.text[start..].lines().take(4).any(|l| l.len() > LONGEST_LINE || l.chars().any(is_obeyed));
        let name = self.file.as_deref()?;
        let mark = AnnotationKind::Primary.span(span.clone());
        (!long).then(|| Snippet::source(&self.text).path(name).annotation(mark))
    }
    /// Where the line above a place begins.
    fn line_before(&self, span: &Range<usize>) -> Option<usize> {
        let before = self.text.get(..span.start)?;
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        Some(before[..start.saturating_sub(1)].rfind('\n').map_or(0, |i| i + 1))
    }
}

/// First letter large, with a full stop.
fn sentence(text: &str) -> String {
    // A message that starts with a name of the user's keeps it as it is.
    let first = text.chars().next();
    let upper = match first {
        Some(c) if c.is_lowercase() && !text.contains('\'') && !text.starts_with('`') => {
            c.to_uppercase().chain(text.chars().skip(1)).collect()
        }
        _ => text.to_owned(),
    };
    if upper.ends_with(['.', '!', '?']) { upper } else { upper + "." }
}
