//! Cases as rows: the journal of a sweep that runs, tables, arrays.

use super::Sweep;
use super::design::read;
use crate::failure::{FILE, Failure, RequestError};
use crate::npz::Array;
use mb_analysis::sweep::{Case, CaseMode, Row, Table, column_of};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn written(fields: &[String]) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = writer.write_record(fields);
    writer.into_inner().unwrap_or_default()
}

/// Takes the cases of an earlier run whose values are those of the design.
///
/// # Errors
/// [`Failure::Unreadable`]; [`RequestError::OtherSweep`] where the file holds another sweep.
pub(super) fn take(path: &Path, sweep: &Table<'_>, rows: &mut [Option<Row>]) -> Result<(), Failure> {
    let text = read(path)?;
    let wrong = |line: u64, reason: String| -> Failure {
        RequestError::OtherSweep { path: path.display().to_string(), line, reason }.into()
    };
    let mut reader = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(text.as_bytes());
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| wrong(e.position().map_or(1, csv::Position::line), e.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        lines.push((line, record.iter().map(str::to_owned).collect()));
    }
    sweep.take(&lines, rows).map_err(|e| wrong(e.line, e.reason))
}

/// The file in which a sweep that runs keeps its cases.
pub(super) struct Journal<'a> {
    file: File,
    path: PathBuf,
    sweep: Table<'a>,
}

impl<'a> Journal<'a> {
    /// Where the journal of a table is.
    pub(super) fn place(output: &Path) -> PathBuf {
        let mut name = output.as_os_str().to_owned();
        name.push(".journal");
        name.into()
    }

    /// Begins the journal with the cases that are done.
    pub(super) fn begin(output: &Path, sweep: Table<'a>, rows: &[Option<Row>]) -> Result<Self, Failure> {
        let path = Self::place(output);
        let text = table(&sweep, rows);
        // Whole or not at all: the journal that is resumed may be this file.
        crate::outfile::write(&path, |out| out.write_all(&text))?;
        let file = File::options().append(true).open(&path);
        let unwritable =
            |source| Failure::Unwritable { what: FILE, path: path.display().to_string(), source };
        let file = file.map_err(unwritable)?;
        Ok(Self { file, path, sweep })
    }

    /// Adds a case, in one write, so that a crash tears at most one line.
    pub(super) fn add(&mut self, k: usize, row: &Row) -> Result<(), Failure> {
        let text = written(&self.sweep.line(k, row));
        let unwritable =
            |source| Failure::Unwritable { what: FILE, path: self.path.display().to_string(), source };
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
    table(&found.table(), &found.rows)
}

fn table(sweep: &Table<'_>, rows: &[Option<Row>]) -> Vec<u8> {
    let mut text = written(&sweep.head());
    for (k, row) in rows.iter().enumerate() {
        if let Some(row) = row {
            text.extend(written(&sweep.line(k, row)));
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
        .map(|j| column(&column_of(&found.design.names[j]), &|k| found.design.points[k][j]))
        .collect();
    let word = |k: usize| match &found.rows[k] {
        None => "",
        Some(row) => row.case().map_or("failed", |case| case.verdict.word()),
    };
    out.push(Array::words("verdict", (0..cases).map(|k| word(k).to_owned()).collect()));
    let message = |k: usize| found.rows[k].as_ref().and_then(Row::message).unwrap_or_default().to_owned();
    out.push(Array::words("message", (0..cases).map(message).collect()));
    let yes =
        |of: fn(&Case) -> bool| move |k: usize| case(k).map_or(f64::NAN, |c| f64::from(u8::from(of(c))));
    out.push(column("complete", &yes(|c| c.complete)));
    out.push(column("whole", &yes(|c| c.whole)));
    let rightmost = |of: fn(&CaseMode) -> f64| {
        move |k: usize| case(k).and_then(|c| c.rightmost.as_ref()).map_or(f64::NAN, of)
    };
    out.push(column("rightmost_re", &rightmost(|m| m.re)));
    out.push(column("rightmost_im", &rightmost(|m| m.im)));
    out.push(column("rightmost_error", &rightmost(|m| m.error)));
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
    out.push(modes("rigid", &|m| f64::from(u8::from(m.rigid))));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_analysis::sweep::{Case, Design, Range, Verdict};

    fn design() -> Design {
        Design::grid(&[Range { name: "k, N/m".to_owned(), from: 0.1, to: 0.7, count: 3 }]).unwrap()
    }

    fn solved() -> Row {
        let mode = CaseMode { re: -1.0 / 3.0, im: 2.0_f64.sqrt(), error: 1e-15, rigid: false };
        let modes = vec![CaseMode { re: 0.0, im: 0.0, error: 0.0, rigid: true }, mode];
        let verdict = Verdict::Marginal;
        Row::of(Ok(Case { modes, rightmost: Some(mode), verdict, complete: true, whole: true }))
    }

    #[test]
    fn a_table_reads_back_exactly_and_a_torn_line_is_a_case_to_do() {
        let (design, dir) = (design(), tempfile::tempdir().unwrap());
        let sweep = Table { design: &design, state: "rest", model: "0a1b", count: 3 };
        let failed = Row::of(Err("the box \"a\",\nhas no mass".to_owned()));
        let mut text = written(&sweep.head());
        text.extend(written(&sweep.line(2, &solved())));
        text.extend(written(&sweep.line(0, &failed)));
        let torn = written(&sweep.line(1, &solved()));
        for cut in [torn.len() / 2, torn.len() - 2] {
            let path = dir.path().join("cases.csv");
            std::fs::write(&path, [&text[..], &torn[..cut]].concat()).unwrap();
            let mut rows = vec![None; 3];
            take(&path, &sweep, &mut rows).unwrap();
            assert_eq!(rows, [Some(failed.clone()), None, Some(solved())], "{cut}");
        }
    }

    #[test]
    fn another_sweep_is_refused() {
        let (design, dir) = (design(), tempfile::tempdir().unwrap());
        let sweep = Table { design: &design, state: "rest", model: "0a1b", count: 3 };
        let path = dir.path().join("cases.csv");
        std::fs::write(&path, written(&sweep.head())).unwrap();
        assert!(take(&path, &Table { count: 2, ..sweep }, &mut [None, None, None]).is_err());
        let mut other = design.clone();
        other.points[2][0] = 0.8;
        let others = Table { design: &other, ..sweep };
        std::fs::write(&path, table(&others, &[None, None, Some(solved())])).unwrap();
        let refused = take(&path, &sweep, &mut [None, None, None]).unwrap_err().to_string();
        assert!(refused.contains("line 2"), "{refused}");
        std::fs::write(&path, table(&sweep, &[None, None, Some(solved())])).unwrap();
        let moving = Table { state: "own speeds", ..sweep };
        let refused = take(&path, &moving, &mut [None, None, None]).unwrap_err().to_string();
        assert!(refused.contains("solved for the state 'rest'"), "{refused}");
    }
}
