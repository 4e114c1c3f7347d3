//! From the options to the values of every case.

use crate::args::{Assignment, RangeArg, SweepArgs};
use crate::failure::{Failure, RequestError};
use mb_analysis::sweep::{Design, DesignError, Range};
use std::path::Path;

/// The design that the options describe.
///
/// # Errors
/// [`RequestError`]: no design, a range without a count, parameters named twice, a list that is no table of numbers.
pub(super) fn of(args: &SweepArgs) -> Result<Design, Failure> {
    let ranges = |given: &[RangeArg]| -> Vec<Range> { given.iter().map(|r| r.range.clone()).collect() };
    let made = if let Some(path) = &args.list {
        let (names, points) = table(path)?;
        Design::list(&names, points)
    } else if let Some(cases) = args.latin {
        Design::latin_hypercube(&ranges(&args.range), cases, args.seed)
    } else if let Some(cases) = args.random {
        Design::random(&ranges(&args.range), cases, args.seed)
    } else {
        if let Some(range) = args.grid.iter().find(|r| r.range.count == 0) {
            return Err(RequestError::NoCount { name: range.range.name.clone() }.into());
        }
        Design::grid(&ranges(&args.grid))
    };
    made.map_err(|e| match (e, &args.list) {
        (DesignError::Empty, _) => RequestError::NoCases.into(),
        (e @ DesignError::Twice { .. }, Some(path)) => {
            wrong(path, 1, e.to_string().trim_end_matches('.').to_owned()).into()
        }
        (other, _) => RequestError::BadDesign { option: option(args), reason: other.to_string() }.into(),
    })
}

/// The option that names the parameters.
pub(super) fn option(args: &SweepArgs) -> &'static str {
    if args.list.is_some() {
        "--list"
    } else if args.latin.is_some() || args.random.is_some() {
        "--range"
    } else {
        "--grid"
    }
}

/// The values of a case as changes of parameters, which read back exactly.
pub(super) fn assignments(names: &[String], values: &[f64]) -> Vec<Assignment> {
    let one = |(name, value): (&String, &f64)| Assignment { name: name.clone(), value: format!("{value:?}") };
    names.iter().zip(values).map(one).collect()
}

fn wrong(path: &Path, line: u64, reason: String) -> RequestError {
    RequestError::BadTable { path: path.display().to_string(), line, reason }
}

/// Names and rows of numbers of a CSV file.
fn table(path: &Path) -> Result<(Vec<String>, Vec<Vec<f64>>), Failure> {
    let text = read(path)?;
    // Spreadsheets write a byte order mark, and semicolons where the comma is the decimal sign.
    let text = text.trim_start_matches('\u{feff}');
    let heads = text.lines().next().unwrap_or_default();
    if heads.contains(';') && !heads.contains(',') {
        let reason = "the columns are separated by semicolons; separate them by commas, with points in decimal numbers";
        return Err(wrong(path, 1, reason.to_owned()).into());
    }
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let malformed = |e: &csv::Error| {
        let reason = match e.kind() {
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("the number of entries is {len}, in the first line {expected_len}")
            }
            _ => e.to_string(),
        };
        wrong(path, e.position().map_or(1, csv::Position::line), reason)
    };
    let columns: Vec<String> =
        reader.headers().map_err(|e| malformed(&e))?.iter().map(str::to_owned).collect();
    let mut points = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| malformed(&e))?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |text: &str| {
            let value = text.parse().ok().filter(|x: &f64| x.is_finite());
            value.ok_or_else(|| wrong(path, line, format!("`{text}` is not a finite number")))
        };
        points.push(record.iter().map(number).collect::<Result<Vec<_>, _>>()?);
    }
    if points.is_empty() {
        return Err(wrong(path, 1, "no case follows".to_owned()).into());
    }
    Ok((columns, points))
}

/// The text of a file of cases.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|source| Failure::Unreadable {
        what: "table of cases",
        path: path.display().to_string(),
        source,
    })
}
