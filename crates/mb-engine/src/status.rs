//! The last word of a run of the driver.

use std::collections::BTreeMap;

use crate::EngineError;
use crate::manifest::FORMAT;

/// Name of the file in its folder; it is there when everything else is.
pub const STATUS: &str = "results/status.txt";

/// What the driver says of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// The package it answered.
    pub package: String,
    /// Eigenvalues.
    pub found: usize,
    /// Inertias.
    pub counts: usize,
    /// Determinants.
    pub phases: usize,
    /// Factorizations.
    pub factorizations: usize,
    /// The shift last used and the radius of the circle.
    pub circle: [f64; 3],
    /// Negative eigenvalues of the mass matrix; none where they were not counted.
    pub mass_negative: Option<usize>,
    /// SLEPc's version.
    pub slepc: String,
    /// Processes.
    pub ranks: usize,
    /// Wall time, s.
    pub seconds: f64,
    /// Largest memory of a process, KiB.
    pub memory_kib: f64,
    /// Checksums of the results by name.
    pub checksums: BTreeMap<String, String>,
}

/// What a code of the driver means, with what to do about it.
fn meaning(code: i64) -> &'static str {
    match code {
        2 => "it cannot read the options in the folder; write the folder again.",
        4 => {
            "it was built for the other kind of numbers; damped and unsymmetric problems need mb-engine-complex, others mb-engine-real."
        }
        5 => {
            "it has too little memory. Take more ranks on more machines; --estimate reports how much the factors need."
        }
        6 => {
            "the matrix at the shift is singular, though dependent constraints were dropped. Name another point by --shift."
        }
        8 => "there are more eigenvalues than it holds; ask for a narrower band.",
        _ => "SLEPc, PETSc or MUMPS failed.",
    }
}

/// The code of the driver where MUMPS failed and PETSc passes on its own number alone, in words.
fn by_mumps(words: &str) -> Option<i64> {
    let number = words.split_once("INFOG(1)=")?.1;
    let end = number.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(number.len());
    match number[..end].parse::<i64>().ok()? {
        // Memory that cannot be allocated, workspaces and buffers that are too small.
        -5 | -20 | -19 | -17 | -15..=-11 | -9..=-7 => Some(5),
        -10 | -6 => Some(6),
        _ => None,
    }
}

impl Status {
    /// From the text of the file.
    ///
    /// # Errors
    /// [`EngineError::Format`], [`EngineError::HalfWritten`], and [`EngineError::Engine`] where the driver failed.
    pub fn from_text(text: &str) -> Result<Self, EngineError> {
        let value = |key: &str| {
            text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')).map(str::trim)
        };
        let half = |why: &str| EngineError::HalfWritten { file: STATUS.to_owned(), why: why.to_owned() };
        let format: u32 =
            value("format").and_then(|v| v.parse().ok()).ok_or_else(|| half("has no format number"))?;
        if format != FORMAT {
            return Err(EngineError::Format { file: STATUS.to_owned(), found: format });
        }
        if text.lines().last() != Some("end") {
            return Err(half("ends too early"));
        }
        let code: i64 = value("code").and_then(|v| v.parse().ok()).ok_or_else(|| half("has no code"))?;
        if code == 3 {
            let found =
                value("of_folder").and_then(|v| v.parse().ok()).ok_or_else(|| half("lacks a number"))?;
            return Err(EngineError::Format { file: "options.txt".to_owned(), found });
        }
        if code != 0 {
            let code = value("words").and_then(by_mumps).unwrap_or(code);
            let words =
                value("words").map_or_else(String::new, |words| format!(" Message of the engine: {words}."));
            let stage = value("stage").unwrap_or("working").to_owned();
            return Err(EngineError::Engine { stage, what: meaning(code), words });
        }
        let number = |key: &'static str| {
            value(key).and_then(|v| v.parse::<usize>().ok()).ok_or_else(|| half("lacks a number"))
        };
        let real = |key: &str| value(key).and_then(|v| v.parse::<f64>().ok()).unwrap_or(0.0);
        let circle: Vec<f64> =
            value("circle").unwrap_or_default().split(' ').filter_map(|v| v.parse().ok()).collect();
        let circle = circle.try_into().map_err(|_| half("has no shift"))?;
        let sums = text.lines().filter_map(|line| line.strip_prefix("checksum ")?.split_once(' '));
        Ok(Self {
            package: value("package").unwrap_or_default().to_owned(),
            found: number("found")?,
            counts: number("counts")?,
            phases: number("phases")?,
            factorizations: number("factorizations")?,
            circle,
            mass_negative: value("mass_negative").and_then(|v| v.parse().ok()),
            slepc: value("slepc").unwrap_or_default().to_owned(),
            ranks: number("ranks")?,
            seconds: real("seconds"),
            memory_kib: real("memory_kib"),
            checksums: sums.map(|(name, sum)| (name.to_owned(), sum.trim().to_owned())).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "format 3\npackage ab\ncode 0\nstage writing\nslepc 3.18.2\nranks 2\nfound 3\ncounts 2\nphases 0\n\
                         factorizations 4\ncircle -1e-8 0 0\nseconds 0.5\nmemory_kib 100\nchecksum results/values.bin 00ff\nend\n";

    #[test]
    fn a_whole_status_is_read() {
        let status = Status::from_text(WHOLE).unwrap();
        assert_eq!((status.found, status.counts, status.ranks, status.mass_negative), (3, 2, 2, None));
        assert_eq!(status.checksums["results/values.bin"], "00ff");
    }

    #[test]
    fn torn_old_and_failed_runs_are_reported() {
        let skew = WHOLE.replace("code 0", "of_folder 2\ncode 3");
        let skew = Status::from_text(&skew).unwrap_err().to_string();
        assert!(skew.contains("`options.txt` has version 2") && skew.contains("setup --engine"), "{skew}");
        let torn = Status::from_text(&WHOLE[..WHOLE.len() - 4]).unwrap_err().to_string();
        assert!(torn.contains("not whole") && torn.contains("run.sh"), "{torn}");
        let old = Status::from_text(&WHOLE.replace("format 3", "format 7")).unwrap_err().to_string();
        assert!(old.contains("version 7") && old.contains("setup --engine"), "{old}");
        let memory = WHOLE.replace("code 0", "code 5").replace("\nend", "\nwords out of memory\nend");
        let memory = Status::from_text(&memory).unwrap_err().to_string();
        assert!(
            memory.contains("too little memory") && memory.contains("Message of the engine: out of memory"),
            "{memory}"
        );
        for (number, meant) in
            [("-13, INFO(2)=14", "too little memory"), ("-10", "singular"), ("-99", "MUMPS failed")]
        {
            let words = format!("\nwords Error reported by MUMPS: INFOG(1)={number}\nend");
            let text = WHOLE.replace("code 0", "code 7").replace("\nend", &words);
            let said = Status::from_text(&text).unwrap_err().to_string();
            assert!(said.contains(meant), "{said}");
        }
    }
}
