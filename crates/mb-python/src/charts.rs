//! Curves for the page of a model, as `python/mb/_curves.py` writes them; what is not finite is null.

use mb_analysis::tables::optional;
use mb_report::{Cell, Chart, Column, Curve, CurveMark, Panel, Table};
use serde::Deserialize;

/// Curves over a common abscissa.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Given {
    title: String,
    note: String,
    abscissa: String,
    logarithmic: bool,
    #[serde(default)]
    equal: bool,
    panels: Vec<GivenPanel>,
    #[serde(default)]
    tables: Vec<GivenTable>,
}

/// Numbers below the curves.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenTable {
    title: String,
    #[serde(default)]
    note: String,
    /// Names with units.
    columns: Vec<(String, String)>,
    rows: Vec<Vec<GivenCell>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum GivenCell {
    Words(String),
    Number(Option<f64>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenPanel {
    ordinate: String,
    curves: Vec<GivenCurve>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenCurve {
    name: String,
    #[serde(default)]
    named_at_end: bool,
    colour: usize,
    mark: Mark,
    x: Vec<Option<f64>>,
    y: Vec<Option<f64>>,
    band: Vec<Option<f64>>,
    #[serde(default)]
    frequencies_hz: Vec<Option<f64>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mark {
    Line,
    Points,
    Dashes,
}

impl From<Given> for Chart {
    fn from(given: Given) -> Self {
        Self {
            title: given.title,
            note: given.note,
            abscissa: given.abscissa,
            logarithmic: given.logarithmic,
            equal: given.equal,
            panels: given.panels.into_iter().map(Panel::from).collect(),
            tables: given.tables.into_iter().map(Table::from).collect(),
        }
    }
}

impl From<GivenTable> for Table {
    fn from(given: GivenTable) -> Self {
        let cell = |cell| match cell {
            GivenCell::Words(words) => Cell::Words(words),
            GivenCell::Number(x) => optional(x),
        };
        Self {
            title: given.title,
            note: given.note,
            columns: given.columns.iter().map(|(name, unit)| Column::new(name, unit)).collect(),
            rows: given.rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect(),
        }
    }
}

impl From<GivenPanel> for Panel {
    fn from(given: GivenPanel) -> Self {
        let curves = given.curves.into_iter().map(Curve::from).collect();
        Self { ordinate: given.ordinate, logarithmic: false, curves }
    }
}

impl From<GivenCurve> for Curve {
    fn from(given: GivenCurve) -> Self {
        let numbers = |list: Vec<Option<f64>>| list.into_iter().map(|x| x.unwrap_or(f64::NAN)).collect();
        Self {
            name: given.name,
            named_at_end: given.named_at_end,
            colour: given.colour,
            mark: match given.mark {
                Mark::Line => CurveMark::Line,
                Mark::Points => CurveMark::Points,
                Mark::Dashes => CurveMark::Dashes,
            },
            x: numbers(given.x),
            y: numbers(given.y),
            band: numbers(given.band),
            frequencies_hz: numbers(given.frequencies_hz),
        }
    }
}
