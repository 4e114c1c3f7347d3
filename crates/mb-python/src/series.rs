//! Modes as polynomials of variables.

#![expect(clippy::needless_pass_by_value, reason = "signatures are those that Python calls: arrays by value")]

use std::path::PathBuf;
use std::sync::Arc;

use mb_algebra::c64;
use mb_analysis::parametric::{Expanded, Expansion, GroupValue, Origin, Piece, Region, Setting, Value};
use mb_model::Model as Mechanism;
use mb_model::spec::ModelSpec;
use mb_parametric::{ParametricError, ToleranceSpread};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::arrays::{by_columns, by_rows, vector};
use crate::errors;
use crate::kept::{self, Steps};
use crate::model::Model;
use crate::plan::Plan;

/// What takes the model's own speeds, in words of series and tracks.
pub(crate) const SPEEDS_TAKEN: &str = "at={'speed:COORDINATE': ...} with instant=True takes them";

/// Modes as polynomials.
#[pyclass(frozen, module = "mb._mb")]
pub(crate) struct Series {
    spec: Arc<ModelSpec>,
    model: Arc<Mechanism>,
    setting: Setting,
    expansion: Arc<Expansion>,
}

/// Expands modes of a model; `checkpoint` keeps the modes or centres that are done.
#[pyfunction]
pub(crate) fn series(
    py: Python<'_>,
    model: &Model,
    asked: &str,
    checkpoint: Option<PathBuf>,
) -> PyResult<Series> {
    let plan = Plan::new(py, model, asked)?;
    let setting = plan.setting().clone();
    let (spec, mechanism) = (model.spec(), model.mechanism());
    let (own_spec, own) = (Arc::clone(&spec), Arc::clone(&mechanism));
    let work = move |steps: &mut Steps| plan.expand(&own_spec, &own, steps);
    let run = ("series", model, &asked);
    let found = kept::run(py, checkpoint, run, work, Result::is_ok, |_| Ok(()))?;
    let expansion = Arc::new(found.map_err(|e| errors::series(py, &e))?);
    Ok(Series { spec, model: mechanism, setting, expansion })
}

impl Series {
    /// A point as distances from the centre.
    fn distance(&self, py: Python<'_>, x: &[f64]) -> PyResult<Vec<f64>> {
        let (known, found) = (self.expansion.values.len(), x.len());
        if known != found {
            let message = format!("The point has {found} values, but the series has {known} variables.");
            return Err(errors::argument(py, "point", message, None));
        }
        if let Some(i) = x.iter().position(|x| !x.is_finite()) {
            let message =
                format!("The value of {} is {}, but must be finite.", self.expansion.names[i], x[i]);
            return Err(errors::argument(py, &self.expansion.names[i], message, None));
        }
        Ok(x.iter().zip(&self.expansion.values).map(|(x, c)| x - c).collect())
    }

    fn values(&self, py: Python<'_>, d: &[f64]) -> PyResult<Vec<Value>> {
        self.expansion.evaluate(d).map_err(|e| errors::series(py, &e))
    }
}

/// A group at a point: numbers of its modes, eigenvalues, their estimated errors, parts of the mean, whether it can be trusted.
type GroupAt<'py> = (Vec<usize>, Bound<'py, PyArray1<c64>>, Bound<'py, PyArray1<f64>>, [f64; 2], bool);

/// Modes at a point: eigenvalues, their estimated errors, whether each can be trusted, shapes, groups.
type ModesAt<'py> =
    (Bound<'py, PyArray1<c64>>, Bound<'py, PyArray1<f64>>, Vec<bool>, Bound<'py, PyAny>, Vec<GroupAt<'py>>);

/// Order, values of the variables at the centre, and the interval of each variable.
type PieceOfSeries = (usize, Vec<f64>, Option<Vec<[f64; 2]>>);

#[pymethods]
impl Series {
    /// What is said of the model's own speeds, where the series leaves them aside.
    fn speeds_aside(&self) -> Option<String> {
        let origin = Origin { spec: &self.spec, model: &self.model, setting: &self.setting };
        origin.speeds_aside(&self.expansion.variables, SPEEDS_TAKEN)
    }

    /// The frame in which eigenvalues of a steady motion are seen; none at rest.
    fn frame(&self) -> Option<String> {
        self.expansion.steady.as_ref().and_then(|steady| Some(steady.frame()?.to_string()))
    }

    /// Names of the variables.
    fn names(&self) -> Vec<String> {
        self.expansion.names.clone()
    }

    /// Values of the variables at the point of expansion.
    fn centre(&self) -> Vec<f64> {
        self.expansion.values.clone()
    }

    /// Numbers of the modes that are expanded one by one, from 0.
    fn numbers(&self) -> Vec<usize> {
        self.expansion.numbers()
    }

    /// Of every piece: order, values of the variables at its centre, and its interval of each variable.
    fn pieces(&self) -> Vec<PieceOfSeries> {
        let values = |ends: &[f64; 2], x: &f64| [ends[0] + x, ends[1] + x];
        let region = |region: &Region| {
            region.iter().zip(&self.expansion.values).map(|(ends, x)| values(ends, x)).collect()
        };
        let of = |p: &Piece| (p.order, p.values.clone(), p.region.as_ref().map(region));
        self.expansion.pieces.iter().map(of).collect()
    }

    /// Estimated distance of convergence along each variable: modes x variables, NaN where there are too few degrees.
    fn reach<'py>(&self, py: Python<'py>, piece: usize) -> PyResult<Bound<'py, PyAny>> {
        let modes = &self.piece(py, piece)?.modes;
        let rows: Vec<&[f64]> = modes.iter().map(|m| m.reach.as_slice()).collect();
        Ok(by_rows(py, &rows, self.expansion.names.len())?.into_any())
    }

    /// Largest estimated error of each mode in the region, rad/s; NaN without one.
    fn region_error<'py>(&self, py: Python<'py>, piece: usize) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let modes = &self.piece(py, piece)?.modes;
        Ok(vector(py, modes.iter().map(|m| m.region_error.unwrap_or(f64::NAN)).collect()))
    }

    /// Exponents, terms x variables, and coefficients of the eigenvalues, modes x terms.
    fn coefficients<'py>(
        &self,
        py: Python<'py>,
        piece: usize,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let piece = self.piece(py, piece)?;
        let terms: Vec<Vec<i64>> =
            piece.set.iter().map(|t| t.iter().map(|e| i64::from(*e)).collect()).collect();
        let terms: Vec<&[i64]> = terms.iter().map(Vec::as_slice).collect();
        let rows: Vec<&[c64]> = piece.modes.iter().map(|m| m.kept.eigenvalue_coefficients()).collect();
        Ok((
            by_rows(py, &terms, self.expansion.names.len())?.into_any(),
            by_rows(py, &rows, piece.set.len())?.into_any(),
        ))
    }

    /// Coefficients of the shape of the mode at `place` in the list: terms x coordinates.
    fn shape_coefficients<'py>(
        &self,
        py: Python<'py>,
        piece: usize,
        place: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let modes = &self.piece(py, piece)?.modes;
        let Some(mode) = modes.get(place) else { return Err(errors::internal(py, "no such mode")) };
        let rows: Vec<&[c64]> = mode.kept.vector_coefficients().iter().map(Vec::as_slice).collect();
        Ok(by_rows(py, &rows, self.model.nv())?.into_any())
    }

    /// At a point: eigenvalues and their estimated errors, rad/s, whether each can be trusted, shapes, and the groups.
    fn evaluate<'py>(&self, py: Python<'py>, x: PyReadonlyArray1<'_, f64>) -> PyResult<ModesAt<'py>> {
        let d = self.distance(py, &x.as_array().to_vec())?;
        let values = self.values(py, &d)?;
        let groups = self.expansion.evaluate_groups(&d).map_err(|e| errors::series(py, &e))?;
        let numbers = self.expansion.piece(&d).groups.iter().map(|g| g.numbers.clone());
        let group = |(n, g): (Vec<usize>, GroupValue)| {
            (n, vector(py, g.values), vector(py, g.errors), [g.mean.re, g.mean.im], g.trusted)
        };
        let groups = numbers.zip(groups).map(group).collect();
        let shapes: Vec<c64> = values.iter().flat_map(|v| v.vector.iter().copied()).collect();
        Ok((
            vector(py, values.iter().map(|v| v.s).collect()),
            vector(py, values.iter().map(|v| v.error).collect()),
            values.iter().map(|v| v.trusted).collect(),
            by_columns(py, (self.model.nv(), values.len()), shapes)?.into_any(),
            groups,
        ))
    }

    /// ds/dx at a point, rad/s per unit of each variable: modes x variables.
    fn gradient<'py>(&self, py: Python<'py>, x: PyReadonlyArray1<'_, f64>) -> PyResult<Bound<'py, PyAny>> {
        let d = self.distance(py, &x.as_array().to_vec())?;
        let piece = self.expansion.piece(&d);
        let off: Vec<f64> = d.iter().zip(&piece.centre).map(|(a, b)| a - b).collect();
        let rows = piece.modes.iter().map(|m| m.kept.sensitivities_at(&off)).collect::<Result<Vec<_>, _>>();
        let rows = rows.map_err(|e| errors::series(py, &e.into()))?;
        let rows: Vec<&[c64]> = rows.iter().map(Vec::as_slice).collect();
        Ok(by_rows(py, &rows, self.expansion.names.len())?.into_any())
    }

    /// Where the constraints lose rank between the centre and a point, if they do: the place and the rows that depend there.
    fn rank_change(
        &self,
        py: Python<'_>,
        x: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Option<(String, Vec<String>)>> {
        let d = self.distance(py, &x.as_array().to_vec())?;
        let origin = Origin { spec: &self.spec, model: &self.model, setting: &self.setting };
        let found = self.expansion.rank_change(&origin, &d).map_err(|e| errors::series(py, &e))?;
        Ok(found.map(|found| self.expansion.describe(&self.model, &found.at, &found.rows)))
    }

    /// Frequencies (Hz) and damping ratios at the centre with what tolerances make of them, to first order: value, worst case,
    /// root of the sum of squares, of each mode.
    fn tolerance(&self, py: Python<'_>, tolerances: Vec<f64>) -> PyResult<Vec<([f64; 3], [f64; 3])>> {
        let spread = |b: &ToleranceSpread| [b.value, b.worst_case, b.independent];
        let modes = &self.expansion.pieces[0].modes;
        let of = |m: &Expanded| {
            let spreads = m.kept.tolerance_spreads(&tolerances)?;
            Ok((spread(&spreads.frequency_hz), spread(&spreads.damping_ratio)))
        };
        modes
            .iter()
            .map(of)
            .collect::<Result<_, ParametricError>>()
            .map_err(|e| errors::series(py, &e.into()))
    }
}

impl Series {
    fn piece(&self, py: Python<'_>, piece: usize) -> PyResult<&Piece> {
        self.expansion.pieces.get(piece).ok_or_else(|| {
            let message =
                format!("piece is {piece}, but there are {}, counted from 0.", self.expansion.pieces.len());
            errors::argument(py, "piece", message, None)
        })
    }
}
