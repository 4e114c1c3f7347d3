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
    made.map_err(|e| match e {
        DesignError::Empty => RequestError::NoCases.into(),
        other => RequestError::BadDesign { reason: other.to_string() }.into(),
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

/// Names and rows of numbers of a CSV file.
fn table(path: &Path) -> Result<(Vec<String>, Vec<Vec<f64>>), Failure> {
    let text = read(path)?;
    let wrong =
        |line: u64, reason: String| RequestError::BadTable { path: path.display().to_string(), line, reason };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let malformed = |e: &csv::Error| wrong(e.position().map_or(1, csv::Position::line), e.to_string());
    let names: Vec<String> = reader.headers().map_err(|e| malformed(&e))?.iter().map(str::to_owned).collect();
    let mut points = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| malformed(&e))?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |text: &str| {
            let value = text.parse().ok().filter(|x: &f64| x.is_finite());
            value.ok_or_else(|| wrong(line, format!("`{text}` is not a finite number")))
        };
        points.push(record.iter().map(number).collect::<Result<Vec<_>, _>>()?);
    }
    Ok((names, points))
}

/// The text of a file of cases.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|source| Failure::Unreadable {
        what: "table of cases",
        path: path.display().to_string(),
        source,
    })
}
