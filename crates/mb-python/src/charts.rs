//! Curves for the page of a model, as `python/mb/_curves.py` writes them; what is not finite is null.

use mb_report::{Chart, Curve, CurveMark, Panel};
use serde::Deserialize;

/// Curves over a common abscissa.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Given {
    title: String,
    note: String,
    abscissa: String,
    logarithmic: bool,
    panels: Vec<GivenPanel>,
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
            panels: given.panels.into_iter().map(Panel::from).collect(),
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
        }
    }
}
