//! Paths: values of the variables, sample by sample.

use super::expansion;
use crate::args::TrackArgs;
use crate::failure::{Failure, RequestError};
use crate::source::{LARGEST_FILE, Loaded, read_file};
use mb_parametric::Variable;
use std::path::Path as File;

/// Names of the column that is the abscissa of a path from a file.
const TIMES: [&str; 2] = ["time", "t"];

/// A path of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// What the abscissa is.
    pub abscissa: String,
    /// Its value at every sample.
    pub along: Vec<f64>,
    /// Names of the variables, as they were written.
    pub names: Vec<String>,
    /// Their values: for each sample as many as names.
    pub samples: Vec<Vec<f64>>,
}

impl Path {
    /// The straight path or the file that the command line asks for.
    ///
    /// # Errors
    /// [`RequestError::NotANumber`]; [`RequestError::EmptyRange`]; [`RequestError::BadPath`] with the line.
    pub fn new(args: &TrackArgs) -> Result<Self, Failure> {
        if let Some(file) = &args.path {
            return read(file);
        }
        let name = args.parameter.clone().unwrap_or_default();
        let end = |option, text: &Option<String>| {
            crate::start::finite(option, &name, text.as_deref().unwrap_or_default())
        };
        let (from, to) = (end("--from", &args.from)?, end("--to", &args.to)?);
        if from.total_cmp(&to).is_eq() {
            return Err(RequestError::EmptyRange { option: "--to", value: to }.into());
        }
        let steps = args.samples.max(2) - 1;
        let at = |i: usize| from + (to - from) * i as f64 / steps as f64;
        let along: Vec<f64> = (0..=steps).map(at).collect();
        let samples = along.iter().map(|x| vec![*x]).collect();
        Ok(Self { abscissa: name.clone(), along, names: vec![name], samples })
    }

    /// The same path with some of its samples.
    pub fn part(&self, samples: std::ops::Range<usize>) -> Self {
        let (along, kept) = (self.along[samples.clone()].to_vec(), self.samples[samples].to_vec());
        Self { along, samples: kept, ..self.clone() }
    }

    /// Number of the sample in the middle.
    pub fn middle(&self) -> usize {
        self.samples.len() / 2
    }

    /// The variables that the names mean.
    ///
    /// # Errors
    /// [`RequestError::NoSuchVariable`]; [`RequestError::NoVariable`].
    pub fn variables(&self, loaded: &Loaded) -> Result<Vec<Variable>, RequestError> {
        expansion::variables(loaded, self.option(), &self.names)
    }

    fn option(&self) -> &'static str {
        if self.abscissa == self.names[0] && self.names.len() == 1 { "--parameter" } else { "--path" }
    }
}

/// A file with a line of names and lines of numbers.
fn read(file: &File) -> Result<Path, Failure> {
    let path = file.display().to_string();
    let bad = |why: String| RequestError::BadPath { path: path.clone(), why };
    let bytes = read_file(file, LARGEST_FILE).map_err(|e| bad(e.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|e| bad(e.utf8_error().to_string()))?;
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, head) = lines.next().ok_or_else(|| bad("it is empty".to_owned()))?;
    let heads = cells(head.trim_start_matches('\u{feff}'));
    let time = heads.iter().position(|h| TIMES.contains(&h.as_str()));
    let names: Vec<String> =
        heads.iter().enumerate().filter(|(k, _)| Some(*k) != time).map(|(_, h)| h.clone()).collect();
    if names.is_empty() {
        return Err(bad("it names no variable".to_owned()).into());
    }
    let (mut along, mut samples) = (Vec::new(), Vec::new());
    for (number, line) in lines {
        let cells = cells(line);
        let line = number + 1;
        if cells.len() != heads.len() {
            let why = format!("line {line} has {} cells, the first one has {}", cells.len(), heads.len());
            return Err(bad(why).into());
        }
        let mut values = Vec::new();
        for (name, cell) in heads.iter().zip(&cells) {
            let value = cell.parse::<f64>().ok().filter(|x| x.is_finite());
            values.push(
                value.ok_or_else(|| {
                    bad(format!("`{cell}` for {name} in line {line} is not a finite number"))
                })?,
            );
        }
        along.push(time.map_or(samples.len() as f64, |k| values.remove(k)));
        samples.push(values);
    }
    if samples.len() < 2 {
        return Err(bad("it has less than two samples".to_owned()).into());
    }
    let abscissa = time.map_or_else(|| "sample".to_owned(), |_| "time, s".to_owned());
    Ok(Path { abscissa, along, names, samples })
}

/// The cells of a line; quotes keep commas.
fn cells(line: &str) -> Vec<String> {
    let (mut out, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => out.push(std::mem::take(&mut cell).trim().to_owned()),
            c => cell.push(c),
        }
    }
    out.push(cell.trim().to_owned());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Result<Path, Failure> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("path.csv");
        std::fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn a_file_gives_abscissa_and_values() {
        let path = file("time,\"crank.angle\",k\n0,0.5,10\n0.1, 0.6,11\n\n").unwrap();
        assert_eq!((path.names.len(), path.along.as_slice()), (2, [0.0, 0.1].as_slice()));
        assert_eq!((path.samples[1].as_slice(), path.abscissa.as_str()), ([0.6, 11.0].as_slice(), "time, s"));
        assert_eq!(file("k\n1\n2\n").unwrap().along, [0.0, 1.0]);
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        for (text, told) in [
            ("k,m\n1,2\n1\n", "line 3 has 1 cells"),
            ("k\n1\nx\n", "line 3"),
            ("k\n1\n", "less than two"),
            ("time\n1\n2\n", "no variable"),
            ("", "empty"),
        ] {
            let error = file(text).unwrap_err().to_string();
            assert!(error.contains(told), "{text:?}: {error}");
        }
    }
}
