//! Errors of a model description: what is wrong, and where in the file.

use super::fault::Fault;
use super::legible::legible;
use super::locate;
use std::fmt;
use std::ops::Range;

/// One step of a path through a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A key.
    Key(String),
    /// An element of a list, counted from 0.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

/// A path through a file, such as `joint[2].length`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(pub Vec<Step>);

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if i == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(k) => write!(f, "[{k}]")?,
            }
        }
        Ok(())
    }
}

/// A place in the text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Bytes of the text.
    pub span: Range<usize>,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
}

/// One thing that is wrong with a description.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Whose fault it is in the user's words, such as `joint 'elbow'`; empty for the model.
    pub subject: String,
    /// What is wrong.
    pub fault: Fault,
    /// Where, as a path through the file.
    pub path: Path,
    /// Where, in the text; absent for a description that was not read from a text.
    pub position: Option<Position>,
}

impl Problem {
    /// A problem whose place in the text is not known yet.
    pub(super) fn new(subject: impl Into<String>, path: Path, fault: Fault) -> Box<Self> {
        Box::new(Self { subject: subject.into(), fault, path, position: None })
    }
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        self.fault.help()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self.subject.as_str() {
            "" => self.fault.to_string(),
            subject => format!("{subject}: {}", self.fault),
        };
        f.write_str(&legible(&words))
    }
}

/// The description of a model is wrong: one or more [`Problem`]s.
///
/// [`crate::ModelSpec::from_toml`] and [`crate::Model::from_toml`] give the line of each; after
/// [`crate::ModelSpec::build`] call [`ModelError::located`] with the text of the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", describe(.problems))]
pub struct ModelError {
    problems: Vec<Problem>,
}

fn describe(problems: &[Problem]) -> String {
    let line = |p: &Problem| match &p.position {
        Some(at) => format!("line {}: {p}", at.line),
        None => p.to_string(),
    };
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

impl ModelError {
    /// Every problem that was found, at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
    /// Fills in the place of every problem in the text that the description was read from.
    #[must_use]
    pub fn located(mut self, text: &str) -> Self {
        locate::locate(&mut self.problems, text);
        self
    }
    /// Problems of a parameter whose value does not stand in the text: they name `origin`, such as `--set k=1`, and no place in it.
    #[must_use]
    pub fn of_parameter_from(mut self, name: &str, origin: &str) -> Self {
        let subject = format!("parameter '{name}'");
        for problem in self.problems.iter_mut().filter(|p| p.subject == subject) {
            problem.subject = format!("{subject} of {origin}");
            problem.position = None;
        }
        self
    }
    /// Line of the first problem, counted from 1.
    pub fn line(&self) -> Option<usize> {
        self.position().map(|p| p.line)
    }
    /// Column of the first problem, counted from 1.
    pub fn column(&self) -> Option<usize> {
        self.position().map(|p| p.column)
    }
    /// Bytes of the text that the first problem is about.
    pub fn span(&self) -> Option<Range<usize>> {
        self.position().map(|p| p.span.clone())
    }
    /// What to do about the first problem.
    pub fn help(&self) -> Option<String> {
        self.problems.first().and_then(Problem::help)
    }
    fn position(&self) -> Option<&Position> {
        self.problems.first().and_then(|p| p.position.as_ref())
    }
}

impl From<Box<Problem>> for ModelError {
    fn from(problem: Box<Problem>) -> Self {
        Self { problems: vec![*problem] }
    }
}

/// Most problems that are kept; a file of a million bad lines needs no million messages.
const MAX_PROBLEMS: usize = 100;

/// Collects problems.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<Problem>);

impl Problems {
    /// Keeps the problem of a result, if there is one.
    pub(super) fn keep<T>(&mut self, result: Result<T, Box<Problem>>) -> Option<T> {
        match result {
            Ok(x) => Some(x),
            // What is wrong with the one is told of the one.
            Err(p) if matches!(p.fault, Fault::Consequence { .. }) => None,
            Err(p) => {
                if self.0.len() < MAX_PROBLEMS {
                    self.0.push(*p);
                }
                None
            }
        }
    }
    /// True when nothing was wrong so far.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The error, when there was a problem.
    pub(super) fn check(&mut self) -> Result<(), ModelError> {
        if self.0.is_empty() { Ok(()) } else { Err(ModelError { problems: std::mem::take(&mut self.0) }) }
    }
}
