//! Cases as rows: the journal of a sweep that runs, tables, arrays.

use super::Sweep;
use super::design::read;
use crate::failure::{Failure, RequestError};
use crate::npz::Array;
use mb_analysis::sweep::{Case, CaseMode, Design, Verdict};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Columns of a mode.
const OF_MODE: [&str; 6] = ["re", "im", "error", "frequency_hz", "damping_ratio", "rigid"];

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

/// The line of names.
fn head(design: &Design, count: usize) -> Vec<String> {
    let mut out = vec!["case".to_owned()];
    out.extend(design.names.iter().cloned());
    out.extend(
        [
            "outcome",
            "state",
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

/// The line of a case; numbers read back exactly.
fn line(design: &Design, state: &str, count: usize, k: usize, row: &Row) -> Vec<String> {
    let number = |x: f64| format!("{x:?}");
    let mut out = vec![(k + 1).to_string()];
    out.extend(design.points[k].iter().map(|x| number(*x)));
    let Some(case) = row.case() else {
        out.extend(["failed", state].map(str::to_owned));
        out.extend(vec![String::new(); 6 + OF_MODE.len() * count]);
        out.push(row.message().unwrap_or_default().to_owned());
        return out;
    };
    out.extend(["solved", state, case.verdict.word()].map(str::to_owned));
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

/// A case from its line; none where the line is torn.
fn parsed(fields: &[&str], names: usize, count: usize) -> Option<Row> {
    let mut rest = fields.get(1 + names..)?.iter().copied();
    let (outcome, _state) = (rest.next()?, rest.next()?);
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

fn written(fields: &[String]) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = writer.write_record(fields);
    writer.into_inner().unwrap_or_default()
}

/// Takes the cases of an earlier run whose values are those of the design.
///
/// # Errors
/// [`Failure::Unreadable`]; [`RequestError::BadTable`] where the file holds another sweep.
pub(super) fn take(
    path: &Path,
    design: &Design,
    state: &str,
    count: usize,
    rows: &mut [Option<Row>],
) -> Result<(), Failure> {
    let text = read(path)?;
    let wrong = |line: u64, reason: &str| -> Failure {
        let (path, reason) = (path.display().to_string(), reason.to_owned());
        RequestError::BadTable { path, line, reason }.into()
    };
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let found = reader.headers().map_err(|e| wrong(1, &e.to_string()))?.clone();
    if !found.iter().eq(head(design, count).iter().map(String::as_str)) {
        return Err(wrong(1, "it is not the table of a sweep of these parameters with this number of modes"));
    }
    for record in reader.records() {
        let record =
            record.map_err(|e| wrong(e.position().map_or(1, csv::Position::line), &e.to_string()))?;
        let at = record.position().map_or(0, csv::Position::line);
        let fields: Vec<&str> = record.iter().collect();
        // A line that a crash has torn is a case that is not done.
        let case = fields.first().and_then(|k| k.parse::<usize>().ok());
        let Some(row) = parsed(&fields, design.names.len(), count) else { continue };
        let Some(k) = case.and_then(|k| k.checked_sub(1)).filter(|k| *k < design.len()) else { continue };
        let same = fields[1..].iter().zip(&design.points[k]).all(|(text, x)| text.parse() == Ok(*x));
        if !same {
            return Err(wrong(at, "the values of this case are not those of the sweep"));
        }
        let taken = fields.get(2 + design.names.len()).copied().unwrap_or_default();
        if taken != state {
            return Err(wrong(
                at,
                &format!("this case was solved for the state '{taken}', the sweep takes '{state}'"),
            ));
        }
        rows[k] = Some(row);
    }
    Ok(())
}

/// The file in which a sweep that runs keeps its cases.
pub(super) struct Journal<'a> {
    file: File,
    path: PathBuf,
    design: &'a Design,
    state: &'a str,
    count: usize,
}

impl<'a> Journal<'a> {
    /// Where the journal of a table is.
    pub(super) fn place(output: &Path) -> PathBuf {
        let mut name = output.as_os_str().to_owned();
        name.push(".journal");
        name.into()
    }

    /// Begins the journal with the cases that are done.
    pub(super) fn begin(
        output: &Path,
        design: &'a Design,
        state: &'a str,
        count: usize,
        rows: &[Option<Row>],
    ) -> Result<Self, Failure> {
        let path = Self::place(output);
        let mut text = written(&head(design, count));
        for (k, row) in rows.iter().enumerate() {
            if let Some(row) = row {
                text.extend(written(&line(design, state, count, k, row)));
            }
        }
        // Whole or not at all: the journal that is resumed may be this file.
        crate::outfile::write(&path, |out| out.write_all(&text))?;
        let file = File::options().append(true).open(&path);
        let unwritable = |source| Failure::Unwritable { path: path.display().to_string(), source };
        let file = file.map_err(unwritable)?;
        Ok(Self { file, path, design, state, count })
    }

    /// Adds a case, in one write, so that a crash tears at most one line.
    pub(super) fn add(&mut self, k: usize, row: &Row) -> Result<(), Failure> {
        let text = written(&line(self.design, self.state, self.count, k, row));
        let unwritable = |source| Failure::Unwritable { path: self.path.display().to_string(), source };
        self.file.write_all(&text).map_err(unwritable)
    }

    /// Removes the journal of a table that is written.
    pub(super) fn remove(output: &Path) {
        // A journal that stays does no harm.
        let _ = std::fs::remove_file(Self::place(output));
    }
}

/// The table, in the order of the design.
pub(super) fn csv(found: &Sweep) -> Vec<u8> {
    let mut text = written(&head(&found.design, found.count));
    for (k, row) in found.rows.iter().enumerate() {
        if let Some(row) = row {
            text.extend(written(&line(&found.design, &found.state, found.count, k, row)));
        }
    }
    text
}

/// The table as arrays by name, one entry for each case; what is not there is NaN.
pub(super) fn arrays(found: &Sweep) -> Vec<Array> {
    let cases = found.design.len();
    let case = |k: usize| found.rows[k].as_ref().and_then(Row::case);
    let column =
        |name: &str, of: &dyn Fn(usize) -> f64| Array::real(name, &[cases], (0..cases).map(of).collect());
    let mut out: Vec<Array> = (0..found.design.names.len())
        .map(|j| column(&found.design.names[j], &|k| found.design.points[k][j]))
        .collect();
    let word = |k: usize| match &found.rows[k] {
        None => "",
        Some(row) => row.case().map_or("failed", |case| case.verdict.word()),
    };
    out.push(Array::words("verdict", (0..cases).map(|k| word(k).to_owned()).collect()));
    let message = |k: usize| found.rows[k].as_ref().and_then(Row::message).unwrap_or_default().to_owned();
    out.push(Array::words("message", (0..cases).map(message).collect()));
    out.push(column("rightmost_re", &|k| case(k).and_then(|c| c.rightmost).map_or(f64::NAN, |m| m.re)));
    let modes = |name: &str, of: &dyn Fn(&CaseMode) -> f64| {
        let mode = |k: usize, j: usize| case(k).and_then(|c| c.modes.get(j)).map_or(f64::NAN, of);
        let values = (0..cases).flat_map(|k| (0..found.count).map(move |j| (k, j))).map(|(k, j)| mode(k, j));
        Array::real(name, &[cases, found.count], values.collect())
    };
    out.push(modes("re", &|m| m.re));
    out.push(modes("im", &|m| m.im));
    out.push(modes("error", &|m| m.error));
    out.push(modes("frequency_hz", &CaseMode::natural_frequency_hz));
    out.push(modes("damping_ratio", &CaseMode::damping_ratio));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_analysis::sweep::Range;

    fn design() -> Design {
        Design::grid(&[Range { name: "k, N/m".to_owned(), from: 0.1, to: 0.7, count: 3 }]).unwrap()
    }

    fn solved() -> Row {
        let mode = CaseMode { re: -1.0 / 3.0, im: 2.0_f64.sqrt(), error: 1e-15, rigid: false };
        let modes = vec![CaseMode { re: 0.0, im: 0.0, error: 0.0, rigid: true }, mode];
        Row(Ok(Case {
            modes,
            rightmost: Some(mode),
            verdict: Verdict::Marginal,
            complete: true,
            whole: true,
        }))
    }

    #[test]
    fn a_table_reads_back_exactly_and_a_torn_line_is_a_case_to_do() {
        let (design, dir) = (design(), tempfile::tempdir().unwrap());
        let failed = Row::of(Err("the box \"a\",\nhas no mass".to_owned()));
        let mut text = written(&head(&design, 3));
        text.extend(written(&line(&design, "rest", 3, 2, &solved())));
        text.extend(written(&line(&design, "rest", 3, 0, &failed)));
        let torn = written(&line(&design, "rest", 3, 1, &solved()));
        for cut in [torn.len() / 2, torn.len() - 2] {
            let path = dir.path().join("cases.csv");
            std::fs::write(&path, [&text[..], &torn[..cut]].concat()).unwrap();
            let mut rows = vec![None; 3];
            take(&path, &design, "rest", 3, &mut rows).unwrap();
            assert_eq!(rows, [Some(failed.clone()), None, Some(solved())], "{cut}");
        }
    }

    #[test]
    fn another_sweep_is_refused() {
        let (design, dir) = (design(), tempfile::tempdir().unwrap());
        let path = dir.path().join("cases.csv");
        std::fs::write(&path, written(&head(&design, 3))).unwrap();
        assert!(take(&path, &design, "rest", 2, &mut [None, None, None]).is_err());
        let mut other = design.clone();
        other.points[2][0] = 0.8;
        let text = [written(&head(&other, 3)), written(&line(&other, "rest", 3, 2, &solved()))].concat();
        std::fs::write(&path, text).unwrap();
        let refused = take(&path, &design, "rest", 3, &mut [None, None, None]).unwrap_err().to_string();
        assert!(refused.contains("line 2"), "{refused}");
    }
}
