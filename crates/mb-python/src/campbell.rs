//! Campbell diagrams.

use std::path::PathBuf;

use mb_analysis::campbell::{Campbell, CampbellOptions, ModePoint, SpeedOf, campbell as diagram};
use mb_analysis::{StartOptions, sentences};
use mb_linear::FrameChoice;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;

use crate::arrays::{by_columns, vector};
use crate::errors;
use crate::kept::{self, Steps};
use crate::model::Model;
use crate::options::read;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// The speed as its user writes it.
    name: String,
    parameter: Option<String>,
    joint: Option<String>,
    velocity: Option<usize>,
    range: [f64; 2],
    samples: usize,
    modes: usize,
    lines: Vec<f64>,
    frame: Option<String>,
    at: Vec<(usize, f64)>,
    time: f64,
}

impl Asked {
    fn speed(&self) -> SpeedOf {
        match (&self.parameter, &self.joint, self.velocity) {
            (Some(name), ..) => SpeedOf::Parameter(name.clone()),
            (None, Some(joint), _) => SpeedOf::Joint(joint.clone()),
            (None, None, i) => SpeedOf::Velocity(i.unwrap_or(0)),
        }
    }
    fn options(&self) -> CampbellOptions {
        CampbellOptions {
            samples: self.samples,
            modes: self.modes,
            lines: self.lines.clone(),
            frame: FrameChoice::named(self.frame.as_deref()),
            start: StartOptions { given: self.at.clone(), time: self.time, ..StartOptions::default() },
        }
    }
}

/// Modes of steady motions over a speed: arrays samples x modes, and lists of tuples.
#[pyfunction]
pub(crate) fn campbell<'py>(
    py: Python<'py>,
    model: &Model,
    asked: &str,
    checkpoint: Option<PathBuf>,
) -> PyResult<Bound<'py, PyDict>> {
    let given: Asked = read(py, asked)?;
    let speed = given.name.clone();
    let spec = model.spec();
    let work = move |steps: &mut Steps| diagram(&spec, &given.speed(), given.range, &given.options(), steps);
    let found = kept::run(py, checkpoint, ("campbell", model, &asked), work, Result::is_ok, |_| Ok(()))?;
    dictionary(py, found.map_err(|e| errors::analysis(py, &e))?, &speed)
}

fn dictionary<'py>(py: Python<'py>, found: Campbell, speed: &str) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let size = (found.speeds.len(), found.modes.len());
    let array = |of: &dyn Fn(&ModePoint) -> f64| {
        let all = found.modes.iter().flatten();
        by_columns(py, size, all.map(|m| m.as_ref().map_or(f64::NAN, of)).collect())
    };
    out.set_item("re", array(&|m| m.s.re)?)?;
    out.set_item("im", array(&|m| m.s.im)?)?;
    out.set_item("error", array(&|m| m.error)?)?;
    out.set_item("whirl", array(&|m| m.whirl.unwrap_or(f64::NAN))?)?;
    let critical = found.critical.iter();
    let critical: Vec<_> =
        critical.map(|c| (c.mode, c.order, c.speed, c.error, c.frequency_hz, c.growth, c.whirl)).collect();
    out.set_item("critical", critical)?;
    let unsolved: Vec<_> = found.unsolved.iter().map(|u| (u.mode, u.order, u.between)).collect();
    out.set_item("unsolved", unsolved)?;
    let pair = |end: Option<[f64; 2]>| end.map(|[w, error]| (w, error));
    let unstable = found.unstable.iter();
    let unstable: Vec<_> =
        unstable.map(|u| (pair(u.from), pair(u.to), u.growth, u.at, u.mode, u.divergence)).collect();
    out.set_item("unstable", unstable)?;
    out.set_item("summary", found.summary())?;
    let notes = found.notes(speed, 0).into_iter();
    let notes: Vec<_> = notes.map(|note| (sentences::one(&note.words), note.warns)).collect();
    out.set_item("notes", notes)?;
    out.set_item("frame", found.frame.map(|f| f.to_string()))?;
    out.set_item("deviation", found.deviation)?;
    out.set_item("shown", found.shown)?;
    out.set_item("complete", found.complete)?;
    out.set_item("resolution", found.resolution)?;
    out.set_item("speeds", vector(py, found.speeds))?;
    out.set_item("turns", vector(py, found.turns))?;
    Ok(out)
}
