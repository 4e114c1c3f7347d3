//! Tables of values with known answers: the format of `fixtures/<paper>/*.toml`.
//!
//! A table names its source, its columns with their units and how each is judged, and its rows; every value is a
//! string, because the digits of a printed number are its tolerance (see [`crate::printed`]). A cell that the source
//! prints wrongly, or that nobody can explain, stays in the table with a reason:
//!
//! ```toml
//! id = "gonzalez2017/table-1"
//! title = "..."
//! kind = "published"             # published | analytic | peer | baseline
//! source = { cite = "gonzalez2017", locator = "Table 1", verified = "two readings of the page" }
//!
//! [[column]]
//! name = "N"
//! judge = "key"                  # names the row
//!
//! [[column]]
//! name = "s1"
//! unit = "rad/s"
//! by = ["MCS", "RCS", "UCS"]     # one computed value for each
//!
//! [[row]]
//! N = "1"
//! s1 = "+-2.1477i"
//! ```

mod format;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mb_model::ModelSpec;
use mb_model::spec::Value;
use serde::Deserialize;

use crate::error::GalleryError;
use crate::printed::Printed;

/// Where a table's values come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Printed in a paper.
    Published,
    /// From a closed form, or computed separately in extended precision.
    Analytic,
    /// From another program.
    Peer,
    /// From an earlier version of this project; the only kind that a tool may rewrite.
    Baseline,
}

/// How a column is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judge {
    /// Names the row; not a result.
    Key,
    /// Prose for the reader; not a result.
    Text,
    /// The computed value rounds to the printed digits.
    #[default]
    Digits,
    /// The computed magnitude does not exceed a printed error.
    Bound,
    /// A statement of the source, as an inequality or a count.
    Claim,
    /// A word, which must be equal.
    Words,
    /// A number, an expression or a word that the computation starts from: what the program uses must be
    /// the printed number itself, not one that rounds to it.
    Input,
    /// A number or a word that is shown and not judged.
    Information,
}

/// Whether the program computes a table yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Computed and judged.
    #[default]
    Implemented,
    /// Stored, and listed as not yet implemented.
    NotYetImplemented,
}

/// The place of the source from which a table was taken.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Key in `docs/references.bib`; empty for values that no paper prints.
    #[serde(default)]
    pub cite: String,
    /// Table, section or equation; or how the values were obtained.
    pub locator: String,
    /// How the transcription or calculation was checked.
    pub verified: String,
}

/// The stated tolerance of a column whose values are not printed ones.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// Largest deviation accepted, in the unit of the column.
    pub absolute: f64,
    /// Why this much.
    pub reason: String,
}

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Name, as used in the rows.
    pub name: String,
    /// Unit of printed and computed values; empty for pure numbers and words.
    #[serde(default)]
    pub unit: String,
    /// How the column is judged.
    #[serde(default)]
    pub judge: Judge,
    /// Formulations or cases that each give one computed value; empty for a single value.
    #[serde(default)]
    pub by: Vec<String>,
    /// Whether the computed value depends on the machine and the moment (elapsed times).
    #[serde(default)]
    pub machine_dependent: bool,
    /// Stated tolerance; refused in a published table.
    pub tolerance: Option<Tolerance>,
}

impl Column {
    /// Whether the column holds values that a program computes.
    pub fn is_computed(&self) -> bool {
        !matches!(self.judge, Judge::Key | Judge::Text)
    }

    fn holds_numbers(&self) -> bool {
        matches!(self.judge, Judge::Digits | Judge::Bound | Judge::Claim)
    }
}

/// What the fixture says about one cell beyond its printed value.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// The printed value is proved wrong.
    Misprint {
        /// What it should be.
        corrected: Printed,
        /// The proof in a sentence.
        reason: String,
    },
    /// The disagreement is not explained.
    Open {
        /// What is known.
        reason: String,
    },
    /// A remark shown with the verdict.
    Remark {
        /// The remark.
        reason: String,
    },
}

/// One cell: the printed text, its numerical value where it has one, and a note.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The printed text.
    pub text: String,
    value: Option<Printed>,
    /// Misprint, open question or remark.
    pub note: Option<Note>,
}

impl Cell {
    /// A cell that holds a printed number.
    pub fn number_of(text: &str, note: Option<Note>) -> Result<Self, GalleryError> {
        Ok(Self { text: text.to_owned(), value: Some(text.parse()?), note })
    }

    /// A cell that holds words.
    pub fn words(text: &str) -> Self {
        Self { text: text.to_owned(), value: None, note: None }
    }

    /// The value of words that are an expression of numbers, as a paper prints `10^4/12`.
    pub fn expression(&self) -> Option<f64> {
        const WANTED: &str = "wanted";
        let mut spec = ModelSpec::default();
        spec.parameters.insert(WANTED.to_owned(), Value::Expression(self.text.clone()));
        spec.parameter_values().ok()?.get(WANTED).copied()
    }

    /// The printed number; `None` for words.
    pub fn number(&self) -> Option<&Printed> {
        self.value.as_ref()
    }
}

/// One row: its label from the key columns, and its cells by column name.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// `N=1`, or several `key=value` joined by a comma.
    pub label: String,
    /// The label for a reader: names of keys stand before numbers only.
    pub title: String,
    cells: BTreeMap<String, Cell>,
}

impl Row {
    /// The cell of a column; `None` where the source prints nothing (`"-"` in the file).
    pub fn cell(&self, column: &str) -> Option<&Cell> {
        self.cells.get(column)
    }
}

/// A table of known values.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// `<paper>/<name>`, equal to the place of the file under `fixtures/` without its ending.
    pub id: String,
    /// Title for the report.
    pub title: String,
    /// Where the values come from.
    pub kind: Kind,
    /// Whether the program computes the table yet.
    pub status: Status,
    /// The place in the source.
    pub source: Source,
    /// Remarks for the reader.
    pub notes: Vec<String>,
    /// Columns in the order of the source.
    pub columns: Vec<Column>,
    /// Rows in the order of the source.
    pub rows: Vec<Row>,
}

/// The folder `fixtures/` of the source tree the program runs in: at or above the manifest folder that cargo
/// names at run time, else the current folder.
pub fn fixtures_dir() -> PathBuf {
    let start =
        std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).or_else(|| std::env::current_dir().ok());
    let above = start.as_deref().into_iter().flat_map(Path::ancestors).map(|folder| folder.join("fixtures"));
    above
        .into_iter()
        .find(|folder| folder.join("gonzalez2017").is_dir())
        .unwrap_or_else(|| PathBuf::from("fixtures"))
}

impl Table {
    /// Reads `fixtures/<id>.toml` from the source tree.
    pub fn load(id: &str) -> Result<Self, GalleryError> {
        Self::load_from(&fixtures_dir(), id)
    }

    /// Reads `<dir>/<id>.toml`.
    pub fn load_from(dir: &Path, id: &str) -> Result<Self, GalleryError> {
        let file = format!("{id}.toml");
        let text = std::fs::read_to_string(dir.join(&file))
            .map_err(|e| GalleryError::Unreadable { file: file.clone(), why: e.kind().to_string() })?;
        Self::from_toml(&text, id)
    }

    /// Reads a table from TOML text; `id` is the name the file must carry.
    pub fn from_toml(text: &str, id: &str) -> Result<Self, GalleryError> {
        let file = format!("{id}.toml");
        let raw: format::RawTable = toml::from_str(text)
            .map_err(|e| GalleryError::Syntax { file: file.clone(), why: e.to_string() })?;
        raw.check(id).map_err(|(place, why)| GalleryError::Invalid { file, place, why })
    }

    /// The column of a name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name)
    }

    /// The row of a label.
    pub fn row(&self, label: &str) -> Option<&Row> {
        self.rows.iter().find(|r| r.label == label)
    }

    /// The printed number in a row and column.
    pub fn number(&self, label: &str, column: &str) -> Option<&Printed> {
        self.row(label)?.cell(column)?.number()
    }
}
