//! Cases as lines of a table, which reads back exactly: a sweep goes on from it, and parts of a sweep come together.

use super::case::{Case, CaseMode, Verdict};
use super::design::Design;
use super::state::Taken;

/// Columns of a mode.
const OF_MODE: [&str; 6] = ["re", "im", "error", "frequency_hz", "damping_ratio", "rigid"];

/// Names of the other columns of tables and files.
const RESERVED: [&str; 19] = [
    "case",
    "outcome",
    "state",
    "model",
    "verdict",
    "message",
    "complete",
    "whole",
    "rightmost re",
    "rightmost im",
    "rightmost error",
    "rightmost_re",
    "rightmost_im",
    "rightmost_error",
    "re",
    "im",
    "error",
    "frequency_hz",
    "damping_ratio",
];

/// The name of a parameter's column: its own, or `parameter NAME` where another column has that.
pub fn column_of(parameter: &str) -> String {
    let taken = RESERVED.contains(&parameter) || parameter == "rigid" || parameter.starts_with("mode ");
    if taken { format!("parameter {parameter}") } else { parameter.to_owned() }
}

/// What became of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Row(Result<Case, String>);

impl Row {
    /// The row of a case that was solved, or of one that failed with a message.
    pub fn of(result: Result<Case, String>) -> Self {
        // A message is one line of a table.
        Self(result.map_err(|words| words.split_whitespace().collect::<Vec<_>>().join(" ")))
    }
    /// The case, where it was solved.
    pub fn case(&self) -> Option<&Case> {
        self.0.as_ref().ok()
    }
    /// Why it was not.
    pub fn message(&self) -> Option<&str> {
        self.0.as_ref().err().map(String::as_str)
    }
}

/// The table of a sweep: whose cases its lines are.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// The values of every case.
    pub design: &'a Design,
    /// The state that was taken, with all that was asked for of it, in words ([`in_words`]).
    pub state: &'a str,
    /// The model of the first case, by its fingerprint.
    pub model: &'a str,
    /// Number of modes of a row.
    pub count: usize,
}

/// What is wrong with a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct TableError {
    /// Its line, counted from 1.
    pub line: u64,
    /// Why.
    pub reason: String,
}

/// The state that cases take in words, with what the request says of it: what and which, `("spin", "axle=50")`.
pub fn in_words<'a>(taken: &Taken, asked: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let mut out = taken.word().to_owned();
    for (what, value) in asked {
        out.push_str("; ");
        out.push_str(what);
        if !value.is_empty() {
            out.push(' ');
            out.push_str(&value);
        }
    }
    out
}

impl Table<'_> {
    /// The line of names.
    pub fn head(&self) -> Vec<String> {
        let Self { design, count, .. } = *self;
        let mut out = vec!["case".to_owned()];
        out.extend(design.names.iter().map(|name| column_of(name)));
        out.extend(
            [
                "outcome",
                "state",
                "model",
                "verdict",
                "rightmost re",
                "rightmost im",
                "rightmost error",
                "complete",
                "whole",
            ]
            .map(str::to_owned),
        );
        out.extend((1..=count).flat_map(|k| OF_MODE.map(|what| format!("mode {k} {what}"))));
        out.push("message".to_owned());
        out
    }

    /// The line of case `k`; numbers read back exactly.
    pub fn line(&self, k: usize, row: &Row) -> Vec<String> {
        let Self { design, state, model, count } = *self;
        let number = |x: f64| format!("{x:?}");
        let mut out = vec![(k + 1).to_string()];
        out.extend(design.points[k].iter().map(|x| number(*x)));
        let Some(case) = row.case() else {
            out.extend(["failed", state, model].map(str::to_owned));
            out.extend(vec![String::new(); 6 + OF_MODE.len() * count]);
            out.push(row.message().unwrap_or_default().to_owned());
            return out;
        };
        out.extend(["solved", state, model, case.verdict.word()].map(str::to_owned));
        match case.rightmost {
            Some(mode) => out.extend([mode.re, mode.im, mode.error].map(number)),
            None => out.extend(vec![String::new(); 3]),
        }
        out.extend([case.complete.to_string(), case.whole.to_string()]);
        for j in 0..count {
            match case.modes.get(j) {
                Some(mode) => {
                    let values =
                        [mode.re, mode.im, mode.error, mode.natural_frequency_hz(), mode.damping_ratio()];
                    out.extend(values.map(number));
                    out.push(mode.rigid.to_string());
                }
                None => out.extend(vec![String::new(); OF_MODE.len()]),
            }
        }
        out.push(String::new());
        out
    }

    /// Takes the cases of an earlier run from the lines of its table, each with its number; values, state and model must be those of this sweep.
    /// A line that is torn is left out.
    ///
    /// # Errors
    /// The line of another sweep.
    pub fn take(&self, lines: &[(u64, Vec<String>)], rows: &mut [Option<Row>]) -> Result<(), TableError> {
        let Self { design, state, model, count } = *self;
        let wrong = |line: u64, reason: String| Err(TableError { line, reason });
        let mut lines = lines.iter();
        if lines.next().is_none_or(|(_, found)| *found != self.head()) {
            return wrong(
                1,
                "it is not the table of a sweep of these parameters with this number of modes".to_owned(),
            );
        }
        for (at, fields) in lines {
            let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
            // A line that a crash has torn is a case that is not done.
            let case = fields.first().and_then(|k| k.parse::<usize>().ok());
            let Some(row) = parsed(&fields, design.names.len(), count) else { continue };
            let Some(k) = case.and_then(|k| k.checked_sub(1)).filter(|k| *k < design.len()) else { continue };
            let same = fields[1..].iter().zip(&design.points[k]).all(|(text, x)| text.parse() == Ok(*x));
            if !same {
                return wrong(*at, "the values of this case are not those of the sweep".to_owned());
            }
            let taken = fields.get(2 + design.names.len()).copied().unwrap_or_default();
            if taken != state {
                return wrong(
                    *at,
                    format!("this case was solved for the state '{taken}', the sweep takes '{state}'"),
                );
            }
            let of = fields.get(3 + design.names.len()).copied().unwrap_or_default();
            if of != model {
                return wrong(
                    *at,
                    "this case is of another model: the file, or what --set says, has changed since"
                        .to_owned(),
                );
            }
            rows[k] = Some(row);
        }
        Ok(())
    }
}

/// A case from its line; none where the line is torn.
fn parsed(fields: &[&str], names: usize, count: usize) -> Option<Row> {
    let mut rest = fields.get(1 + names..)?.iter().copied();
    let (outcome, _state, _model) = (rest.next()?, rest.next()?, rest.next()?);
    if outcome == "failed" {
        return Some(Row(Err((*fields.last()?).to_owned())));
    }
    let verdict = match rest.next()? {
        "stable" => Verdict::Stable,
        "marginal" => Verdict::Marginal,
        "unstable" => Verdict::Unstable,
        _ => return None,
    };
    let number = |text: &str| text.parse::<f64>().ok();
    let mode = |re: &str, im: &str, error: &str, rigid: bool| {
        Some(CaseMode { re: number(re)?, im: number(im)?, error: number(error)?, rigid })
    };
    let [re, im, error] = [rest.next()?, rest.next()?, rest.next()?];
    let rightmost = if re.is_empty() { None } else { Some(mode(re, im, error, false)?) };
    let (complete, whole) = (rest.next()?.parse().ok()?, rest.next()?.parse().ok()?);
    let mut modes = Vec::new();
    for _ in 0..count {
        let [re, im, error, _, _, rigid] =
            [rest.next()?, rest.next()?, rest.next()?, rest.next()?, rest.next()?, rest.next()?];
        if !re.is_empty() {
            modes.push(mode(re, im, error, rigid.parse().ok()?)?);
        }
    }
    // The last field is there only where the line is whole.
    rest.next()?;
    Some(Row(Ok(Case { modes, rightmost, verdict, complete, whole })))
}
