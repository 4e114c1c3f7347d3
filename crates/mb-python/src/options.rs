//! What is asked for, as `python/mb` writes it: JSON objects whose numbers keep all digits.

use mb_algebra::c64;
use mb_eigen::sparse::{Request, Shift, SparseOptions, Structure};
use pyo3::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::errors;

/// Options from their JSON.
pub(crate) fn read<T: DeserializeOwned>(py: Python<'_>, json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|e| errors::internal(py, &format!("options {json}: {e}")))
}

/// Part of a spectrum.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    part: Part,
    count: usize,
    point: (f64, f64),
    band: (f64, f64),
    max_damping_ratio: Option<f64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Part {
    Lowest,
    Largest,
    NearFrequency,
    NearPoint,
    Band,
    All,
}

impl Wanted {
    pub(crate) fn request(&self) -> Request {
        let count = self.count;
        match self.part {
            Part::Lowest => Request::Lowest { count },
            Part::Largest => Request::Largest { count },
            Part::NearFrequency => Request::NearFrequency { hz: self.point.0, count },
            Part::NearPoint => Request::NearPoint { s: c64::new(self.point.0, self.point.1), count },
            Part::Band => Request::Band {
                from_hz: self.band.0,
                to_hz: self.band.1,
                max_damping_ratio: self.max_damping_ratio,
            },
            Part::All => Request::All,
        }
    }
}

/// Settings of a search.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    symmetric: Option<bool>,
    left: bool,
    prove: bool,
    shift: Option<(f64, f64)>,
    memory: Option<u64>,
}

impl Settings {
    pub(crate) fn options(&self) -> SparseOptions {
        SparseOptions {
            left_vectors: self.left,
            prove_complete: self.prove,
            structure: match self.symmetric {
                None => Structure::Detect,
                Some(true) => Structure::Symmetric,
                Some(false) => Structure::General,
            },
            shift: self.shift.map_or(Shift::Automatic, |(re, im)| Shift::At(c64::new(re, im))),
            memory_limit: self.memory,
            ..SparseOptions::default()
        }
    }
}
