//! Tables and curves.

use serde::ser::{Serialize, SerializeTuple, Serializer};

/// What stands in a place of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Words(String),
    /// A number at full precision, and how it is shown.
    Number(f64, String),
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Words(words) => serializer.serialize_str(words),
            // What is not finite is null, as in the documents of --json.
            Self::Number(value, shown) => {
                let mut pair = serializer.serialize_tuple(2)?;
                pair.serialize_element(&value.is_finite().then_some(value))?;
                pair.serialize_element(shown)?;
                pair.end()
            }
        }
    }
}

/// Head of a column.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Unit of its numbers; may be empty.
    pub unit: String,
}

impl Column {
    /// A column.
    pub fn new(name: &str, unit: &str) -> Self {
        Self { name: name.to_owned(), unit: unit.to_owned() }
    }
}

/// A table that the reader can sort by each column.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Table {
    /// Its heading.
    pub title: String,
    /// A sentence below the heading; may be empty.
    pub note: String,
    /// Heads of the columns.
    pub columns: Vec<Column>,
    /// Rows, each with a cell for every column.
    pub rows: Vec<Vec<Cell>>,
}

/// Curves over a common abscissa.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Chart {
    /// Its heading.
    pub title: String,
    /// A sentence below the heading; may be empty.
    pub note: String,
    /// Name and unit of the abscissa.
    pub abscissa: String,
    /// Whether the abscissa is logarithmic; its values are positive then.
    pub logarithmic: bool,
    /// True where a unit is as long across as up, as in the complex plane; such a chart has one panel.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub equal: bool,
    /// Panels from above.
    pub panels: Vec<Panel>,
    /// What the curves show in numbers, below them: the peaks of a response.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Table>,
}

/// Curves over a common ordinate.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Panel {
    /// Name and unit of the ordinate.
    pub ordinate: String,
    /// Whether the ordinate is logarithmic; values that are not positive are left out then.
    pub logarithmic: bool,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CurveMark {
    /// A line through the points.
    #[default]
    Line,
    /// A circle at every point.
    Points,
    /// A broken line through the points.
    Dashes,
}

/// One curve.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Curve {
    /// Its name; may be empty.
    pub name: String,
    /// True where the name stands at the right end of the curve, and not in the legend.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub named_at_end: bool,
    /// Which of the colours, from 0; they repeat.
    pub colour: usize,
    /// Line or points.
    pub mark: CurveMark,
    /// Abscissas, increasing but where the axes are equal.
    pub x: Vec<f64>,
    /// Values, as many; what is not finite breaks the curve.
    pub y: Vec<f64>,
    /// Half the width of a band of errors around a line, as many, what is not finite as wide as the panel; empty for none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub band: Vec<f64>,
    /// Frequencies of the points of a curve in the complex plane, Hz, which the page shows under the pointer; empty elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frequencies_hz: Vec<f64>,
}
