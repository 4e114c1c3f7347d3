//! Modes along a path: exactly at every sample, and by polynomials about its middle.

#![expect(clippy::needless_pass_by_value, reason = "signatures are those that Python calls: arrays by value")]

use std::path::PathBuf;
use std::sync::Arc;

use mb_algebra::c64;
use mb_analysis::parametric::events::{Event, events};
use mb_analysis::parametric::{
    ExpandedGroup, Expansion, FollowedGroups, GroupValue, Origin, SeriesError, TrackedGroup, Value, follow,
    follow_groups,
};
use mb_model::Model as Mechanism;
use mb_parametric::{EncounterKind, Track as Followed};
use numpy::{PyArray2, PyArray3, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::arrays::{block, by_columns, by_rows};
use crate::errors;
use crate::kept::{self, Steps};
use crate::model::Model;
use crate::plan::Plan;
use crate::series::SPEEDS_TAKEN;

/// Modes along a path.
#[pyclass(frozen, module = "mb._mb")]
pub(crate) struct Track {
    model: Arc<Mechanism>,
    expansion: Expansion,
    exact: Followed,
    predicted: Vec<Vec<Value>>,
    groups: FollowedGroups,
    speeds_aside: Option<String>,
}

/// Follows modes of a model; `path`: samples x variables, of which `middle` is the point of expansion. `checkpoint` keeps the
/// samples that are done.
#[pyfunction]
pub(crate) fn track(
    py: Python<'_>,
    model: &Model,
    asked: &str,
    path: PyReadonlyArray2<'_, f64>,
    middle: usize,
    checkpoint: Option<PathBuf>,
) -> PyResult<Track> {
    let plan = Plan::new(py, model, asked)?;
    let variables = path.as_array().ncols();
    let along: Arc<[f64]> = path.as_array().iter().copied().collect();
    let (spec, mechanism) = (model.spec(), model.mechanism());
    let own = Arc::clone(&mechanism);
    let samples = Arc::clone(&along);
    let work = move |steps: &mut Steps| -> Result<_, SeriesError> {
        let expansion = plan.expand(&spec, &own, steps)?;
        let off = |x: &[f64]| -> Vec<f64> { x.iter().zip(&expansion.values).map(|(x, c)| x - c).collect() };
        let distances: Vec<Vec<f64>> = samples.chunks(variables).map(off).collect();
        let origin = Origin { spec: &spec, model: &own, setting: plan.setting() };
        let followed = follow(&origin, &expansion, &distances, middle, steps)?;
        if let Some(error) = followed.failed.into_iter().next() {
            return Err(error);
        }
        let exact = followed.track;
        let groups = follow_groups(&origin, &expansion, &exact, &distances, middle)?;
        let predicted = distances.iter().map(|d| expansion.evaluate(d)).collect::<Result<Vec<_>, _>>()?;
        let speeds_aside = origin.speeds_aside(&expansion.variables, SPEEDS_TAKEN);
        Ok((expansion, exact, predicted, groups, speeds_aside))
    };
    let run = ("track", model, &(asked, along));
    let found = kept::run(py, checkpoint, run, work, Result::is_ok, |_| Ok(()))?;
    let (expansion, exact, predicted, groups, speeds_aside) = found.map_err(|e| errors::series(py, &e))?;
    Ok(Track { model: mechanism, expansion, exact, predicted, groups, speeds_aside })
}

/// What happens: kind, modes by number, samples from and until, distance of eigenvalues in Hz, share of shape exchanged or kept.
type Happened = (&'static str, Vec<usize>, f64, f64, f64, f64);

/// A group: numbers of its modes, its eigenvalues exactly and by polynomials (samples x modes, rad/s), estimated errors of the
/// latter, and whether they can be trusted.
type GroupAlong<'py> =
    (Vec<usize>, Bound<'py, PyArray2<c64>>, Bound<'py, PyArray2<c64>>, Bound<'py, PyArray2<f64>>, Vec<bool>);

#[pymethods]
impl Track {
    /// What is said of the model's own speeds, where the track leaves them aside.
    fn speeds_aside(&self) -> Option<&str> {
        self.speeds_aside.as_deref()
    }

    /// The frame in which eigenvalues of a steady motion are seen; none at rest.
    fn frame(&self) -> Option<String> {
        self.expansion.steady.as_ref().and_then(|steady| Some(steady.frame()?.to_string()))
    }

    /// Names of the variables.
    fn names(&self) -> Vec<String> {
        self.expansion.names.clone()
    }

    /// Numbers of the modes in the middle, from 0.
    fn numbers(&self) -> Vec<usize> {
        self.expansion.numbers()
    }

    /// Eigenvalues, samples x modes, rad/s.
    fn s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows: Vec<Vec<c64>> =
            self.exact.eigenpairs.iter().map(|row| row.iter().map(|p| p.s).collect()).collect();
        let rows: Vec<&[c64]> = rows.iter().map(Vec::as_slice).collect();
        Ok(by_rows(py, &rows, self.expansion.numbers().len())?.into_any())
    }

    /// The same by polynomials, with their estimated errors and whether each can be trusted.
    #[expect(clippy::type_complexity, reason = "a tuple that Python takes apart")]
    fn predicted<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray2<c64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<bool>>)> {
        let modes = self.expansion.numbers().len();
        let s: Vec<Vec<c64>> = self.predicted.iter().map(|row| row.iter().map(|v| v.s).collect()).collect();
        let errors: Vec<Vec<f64>> =
            self.predicted.iter().map(|row| row.iter().map(|v| v.error).collect()).collect();
        let trusted: Vec<Vec<bool>> =
            self.predicted.iter().map(|row| row.iter().map(|v| v.trusted).collect()).collect();
        Ok((
            by_rows(py, &s.iter().map(Vec::as_slice).collect::<Vec<_>>(), modes)?,
            by_rows(py, &errors.iter().map(Vec::as_slice).collect::<Vec<_>>(), modes)?,
            by_rows(py, &trusted.iter().map(Vec::as_slice).collect::<Vec<_>>(), modes)?,
        ))
    }

    /// Left-right MAC of all modes at each sample with those of the next: samples - 1 x modes x modes.
    fn mac<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let modes = self.expansion.numbers().len();
        let numbers = self
            .exact
            .mac
            .iter()
            .flat_map(|a| (0..modes).flat_map(move |i| (0..modes).map(move |j| a[(i, j)])));
        block(py, (self.exact.mac.len(), modes, modes), numbers.collect())
    }

    /// Shapes at a sample, coordinates x modes.
    fn shapes<'py>(&self, py: Python<'py>, sample: usize) -> PyResult<Bound<'py, PyAny>> {
        let Some(pairs) = self.exact.eigenpairs.get(sample) else {
            return Err(errors::internal(py, "no such sample"));
        };
        let numbers: Vec<c64> = pairs.iter().flat_map(|p| p.vector.iter().copied()).collect();
        Ok(by_columns(py, (self.model.nv(), pairs.len()), numbers)?.into_any())
    }

    /// The groups, in the order in which they were asked for.
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Vec<GroupAlong<'py>>> {
        let groups = self.groups.groups.iter().zip(&self.expansion.pieces[0].groups);
        let of = |(found, group): (&TrackedGroup, &ExpandedGroup)| {
            let count = group.numbers.len();
            let rows: Vec<Vec<c64>> =
                (0..found.exact.len()).map(|i| (0..count).map(|j| found.value(i, j)).collect()).collect();
            let series: Vec<&[c64]> = found.predicted.iter().map(|v| v.values.as_slice()).collect();
            let errors: Vec<&[f64]> = found.predicted.iter().map(|v| v.errors.as_slice()).collect();
            Ok((
                group.numbers.clone(),
                by_rows(py, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), count)?,
                by_rows(py, &series, count)?,
                by_rows(py, &errors, count)?,
                found.predicted.iter().map(|v: &GroupValue| v.trusted).collect(),
            ))
        };
        groups.map(of).collect()
    }

    /// What happens to modes and groups; places are samples, between two as interpolated.
    fn events(&self) -> Vec<Happened> {
        let samples: Vec<f64> = (0..self.exact.eigenpairs.len()).map(|i| i as f64).collect();
        let one = |event: Event| match event {
            Event::Encounter { modes, kind, at, gap_hz, exchange } => {
                let kind = match kind {
                    EncounterKind::Crossing => "crossing",
                    EncounterKind::Veering => "veering",
                };
                (kind, modes.to_vec(), at, at, gap_hz, exchange)
            }
            Event::Coincidence { at } => ("coincidence", Vec::new(), at, at, 0.0, 0.0),
            Event::Doubtful { mode, at, share } => ("doubtful", vec![mode], at, at, 0.0, share),
            Event::Together { group, from, until } => ("together", group, from, until, 0.0, 0.0),
            Event::Lost { group, from, until } => ("lost", group, from, until, 0.0, 0.0),
            Event::Unknown { group } => ("unknown", group, 0.0, samples.len() as f64 - 1.0, 0.0, 0.0),
        };
        events(&samples, &self.expansion, &self.exact, &self.groups).into_iter().map(one).collect()
    }

    /// Samples at which modes coincide.
    fn coincidences(&self) -> Vec<usize> {
        self.exact.passed_beside.clone()
    }
}
