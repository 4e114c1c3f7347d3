//! Frequency responses of models and of given matrices.

use std::f64::consts::TAU;

use mb_algebra::{Dense, c64};
use mb_analysis::response::{
    Density, Drive, ModelResponse, ResponseRequest, notes, of_matrices, response as of_model,
};
use mb_analysis::sentences;
use mb_eigen::{Eigenpair, Spectrum};
use mb_response::{
    Peak, Plant, Response, ResponseError, Sample, Sweep, SweepOptions, Zeros, check_zeros, phases, zeros,
};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;

use crate::arrays::{block, vector};
use crate::eigs::{Given, pencil, stiffness};
use crate::options::read;
use crate::site::Site;
use crate::{errors, work};

/// Frequencies, Hz.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Grid {
    band: [f64; 2],
    points: usize,
    logarithmic: bool,
    only: Option<Vec<f64>>,
    change: f64,
    most: Option<usize>,
}

impl Grid {
    fn options(&self) -> SweepOptions {
        let only = self.only.as_ref().map(|list| list.iter().map(|f| f * TAU).collect());
        let (points, logarithmic) = (self.points, self.logarithmic);
        SweepOptions {
            points,
            logarithmic,
            only,
            change: self.change,
            most: self.most,
            ..SweepOptions::default()
        }
    }
}

/// What is asked for of a model, as `python/mb/_response.py` writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    base: Option<usize>,
    unbalance: Option<f64>,
    loss: f64,
    derivatives: u32,
    densities: Vec<(usize, Vec<[f64; 2]>)>,
    zeros: bool,
    grid: Grid,
}

impl Asked {
    fn request(&self) -> ResponseRequest {
        let drive = match (self.base, self.unbalance) {
            (Some(axis), _) => Drive::Base(axis),
            (None, Some(amount)) => Drive::Unbalance { inputs: self.inputs.clone(), amount },
            (None, None) => Drive::Inputs(self.inputs.clone()),
        };
        let density =
            |(column, points): &(usize, Vec<[f64; 2]>)| Density { column: *column, points: points.clone() };
        ResponseRequest {
            drive,
            outputs: self.outputs.clone(),
            band_hz: self.grid.band,
            loss: self.loss,
            derivatives: self.derivatives,
            densities: self.densities.iter().map(density).collect(),
            sweep: self.grid.options(),
        }
    }
}

/// Zeros of one response, or why there are none to name.
type ZerosOf = Result<Zeros, ResponseError>;

/// The response of a model about an equilibrium or a steady motion.
#[pyfunction]
pub(crate) fn response<'py>(py: Python<'py>, site: &Site, asked: &str) -> PyResult<Bound<'py, PyDict>> {
    let asked: Asked = read(py, asked)?;
    let (found, zeros, notes): (ModelResponse, Vec<ZerosOf>, _) = site.work(py, move |model, at, _| {
        if asked.zeros {
            check_zeros([model.nv(), model.nc()], asked.loss)?;
        }
        let request = asked.request();
        let found = of_model(model, at, &request)?;
        let entries = (0..found.outputs.len()).flat_map(|o| (0..found.inputs.len()).map(move |i| (o, i)));
        let list = if asked.zeros { entries.map(|at| found.zeros(at)).collect() } else { Vec::new() };
        let notes = sentences::all(&found.notes(&request));
        Ok((found, list, notes))
    })?;
    let size = (found.outputs.len(), found.inputs.len());
    let infinite = |at| found.infinite_at(at);
    let poles = (&found.poles.spectrum, found.all_poles);
    let out = dictionary(py, &found.sweep, size, &found.peaks, poles, zeros)?;
    set_phases(py, &out, &found.sweep, size, infinite)?;
    out.set_item("notes", notes)?;
    out.set_item("growing", found.growing())?;
    let random = found.random.iter();
    let random: Vec<_> = random
        .map(|r| {
            (
                r.band.value,
                r.band.error,
                r.all.value().map(|v| (v.value, v.bound)),
                r.all.why().map(str::to_owned),
            )
        })
        .collect();
    out.set_item("random", random)?;
    for (k, name) in ["density", "density_bound"].into_iter().enumerate() {
        let list = found.random.iter().map(|r| vector(py, r.density.iter().map(|d| d[k]).collect()));
        out.set_item(name, list.collect::<Vec<_>>())?;
    }
    let entries = (0..size.0).flat_map(|o| (0..size.1).map(move |i| (o, i)));
    out.set_item("units", entries.map(|at| found.unit(at)).collect::<Vec<_>>())?;
    set_lossy(py, &out, found.lossy_poles)?;
    out.set_item("input_units", found.input_units)?;
    out.set_item("output_units", found.output_units)?;
    out.set_item("inputs", found.inputs)?;
    out.set_item("outputs", found.outputs)?;
    Ok(out)
}

fn all_zeros(response: &Response) -> Vec<ZerosOf> {
    let plant = response.plant();
    let columns = plant.inputs();
    (0..plant.outputs()).flat_map(|o| (0..columns).map(move |i| zeros(response, o, i))).collect()
}

/// Matrices of a response: F n x inputs, Y_q, Y_v, Y_a outputs x n.
fn dense(
    py: Python<'_>,
    name: &str,
    value: &PyReadonlyArray2<'_, f64>,
    size: [Option<usize>; 2],
) -> PyResult<Dense> {
    let view = value.as_array();
    let (rows, cols) = view.dim();
    let [r, c] = size;
    if r.is_some_and(|r| r != rows) || c.is_some_and(|c| c != cols) {
        let side = |n: Option<usize>, found: usize| n.unwrap_or(found);
        let message = format!(
            "{name} has shape ({rows}, {cols}), but ({}, {}) is needed: inputs has a row and outputs a column for each \
             coordinate.",
            side(r, rows),
            side(c, cols)
        );
        return Err(errors::argument(py, name, message, None));
    }
    if let Some(((row, col), entry)) = view.indexed_iter().find(|(_, x)| !x.is_finite()) {
        let message = format!("{name}[{row}, {col}] is {entry}; all entries must be finite.");
        return Err(errors::argument(py, name, message, Some((row, col))));
    }
    Ok(Dense::from_fn(rows, cols, |i, j| view[[i, j]]))
}

/// The matrices of the caller, by name.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Matrices<'py> {
    k: Bound<'py, PyAny>,
    m: Option<Bound<'py, PyAny>>,
    c: Option<Bound<'py, PyAny>>,
    gyroscopic: Option<Bound<'py, PyAny>>,
    constraints: Option<Bound<'py, PyAny>>,
    inputs: PyReadonlyArray2<'py, f64>,
    outputs: PyReadonlyArray2<'py, f64>,
    velocity: Option<PyReadonlyArray2<'py, f64>>,
    acceleration: Option<PyReadonlyArray2<'py, f64>>,
    loss: f64,
}

/// The response of given matrices: (s^2 M + s (C + G) + (1 + i loss) K) x + Phi_q^T l = F u, y = (Y_q + s Y_v + s^2 Y_a) x.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are taken apart by value")]
pub(crate) fn matrix_response<'py>(
    py: Python<'py>,
    matrices: Matrices<'py>,
    grid: &str,
    with_zeros: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let a = &matrices;
    let k = stiffness(py, "K", &a.k)?;
    let n = k.rows();
    let Given { pencil, .. } =
        pencil(py, k, [&a.m, &a.c, &a.gyroscopic, &a.constraints].map(Option::as_ref), false)?;
    let f = dense(py, "inputs", &a.inputs, [Some(n), None])?;
    let by_q = dense(py, "outputs", &a.outputs, [None, Some(n)])?;
    let ny = by_q.nrows();
    let mut plant = Plant::displacement(pencil, f, by_q);
    if let Some(y) = &a.velocity {
        plant.by_v = dense(py, "velocity_outputs", y, [Some(ny), Some(n)])?;
    }
    if let Some(y) = &a.acceleration {
        plant.by_a = dense(py, "acceleration_outputs", y, [Some(ny), Some(n)])?;
    }
    plant.loss = a.loss;
    let grid: Grid = read(py, grid)?;
    if with_zeros {
        check_zeros([plant.n(), plant.m()], plant.loss).map_err(|e| failure(py, &e))?;
    }
    let size = (plant.outputs(), plant.inputs());
    let done = work::run(py, move || {
        let found = of_matrices(plant, grid.band, &grid.options())?;
        let zeros = if with_zeros { all_zeros(&found.response) } else { Vec::new() };
        Ok((found, zeros))
    })?;
    let (found, zeros) = done.map_err(|e: ResponseError| failure(py, &e))?;
    let out = dictionary(py, &found.sweep, size, &found.peaks, (&found.poles, found.all_poles), zeros)?;
    set_phases(py, &out, &found.sweep, size, |entry| found.infinite_at(entry))?;
    out.set_item("growing", found.growing())?;
    out.set_item("notes", sentences::all(&found.notes()))?;
    set_lossy(py, &out, found.lossy_poles)?;
    Ok(out)
}

/// Phases without jumps, degrees, n x outputs x inputs; `infinite`: frequencies of the undamped poles of an entry, rad/s.
fn set_phases(
    py: Python<'_>,
    out: &Bound<'_, PyDict>,
    swept: &Sweep,
    (ny, nu): (usize, usize),
    infinite: impl Fn((usize, usize)) -> Vec<f64>,
) -> PyResult<()> {
    let samples: Vec<&Sample> = swept.points.iter().filter_map(|p| p.sample.as_ref()).collect();
    let entries = (0..ny).flat_map(|o| (0..nu).map(move |i| (o, i)));
    let lists: Vec<Vec<f64>> = entries.map(|at| phases(&samples, at, &infinite(at))).collect();
    let all = (0..samples.len()).flat_map(|k| lists.iter().map(move |list| list[k])).collect();
    out.set_item("phase", block(py, (samples.len(), ny, nu), all)?)
}

/// Poles with structural damping, or None.
fn set_lossy(py: Python<'_>, out: &Bound<'_, PyDict>, lossy: Option<Vec<c64>>) -> PyResult<()> {
    out.set_item("lossy_poles", lossy.map(|poles| vector(py, poles)))
}

fn failure(py: Python<'_>, error: &ResponseError) -> PyErr {
    match error {
        ResponseError::Eigen(e) => errors::eigen(py, e),
        ResponseError::TooLargeForZeros { .. } => errors::argument(py, "zeros", error.to_string(), None),
        _ => errors::numerics(py, "response", error.to_string()),
    }
}

fn dictionary<'py>(
    py: Python<'py>,
    swept: &Sweep,
    (ny, nu): (usize, usize),
    peaks: &[Peak],
    (poles, all_poles): (&Spectrum, bool),
    zeros: Vec<ZerosOf>,
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let samples: Vec<&Sample> = swept.points.iter().filter_map(|p| p.sample.as_ref()).collect();
    let lost = swept.points.iter().filter(|p| p.sample.is_none());
    let entries: Vec<(usize, usize)> = (0..ny).flat_map(|o| (0..nu).map(move |i| (o, i))).collect();
    let size = (samples.len(), ny, nu);
    let value = samples.iter().flat_map(|s| entries.iter().map(|at| s.value[*at])).collect();
    let bound = samples.iter().flat_map(|s| entries.iter().map(|at| s.bound[*at])).collect();
    out.set_item("hz", vector(py, samples.iter().map(|s| s.omega / TAU).collect()))?;
    out.set_item("value", block(py, size, value)?)?;
    out.set_item("bound", block(py, size, bound)?)?;
    out.set_item("infinite_at", vector(py, lost.map(|p| p.omega / TAU).collect()))?;
    out.set_item("factorizations", swept.factorizations)?;
    out.set_item("method", notes::method(swept))?;
    let peaks = peaks
        .iter()
        .map(|p| (p.entry, p.omega / TAU, p.within.map(|w| w / TAU), p.value.map(|(h, e)| (h.re, h.im, e))));
    out.set_item("peaks", peaks.collect::<Vec<_>>())?;
    out.set_item("poles", vector(py, poles.motion().filter_map(Eigenpair::value).collect::<Vec<c64>>()))?;
    out.set_item("all_poles", all_poles)?;
    let mut list = Vec::new();
    for found in zeros {
        list.push(match found {
            Ok(z) => {
                let determined = z.is_determined();
                let one = PyDict::new(py);
                for (name, roots) in [("zeros", z.zeros), ("poles", z.poles), ("cancelled", z.cancelled)] {
                    one.set_item(name, vector(py, roots))?;
                }
                one.set_item("gain", (z.gain.re, z.gain.im))?;
                one.set_item("relative_error", z.relative_error)?;
                one.set_item("determined", determined)?;
                Some(one)
            }
            Err(ResponseError::NoZeros) => None,
            Err(e) => return Err(failure(py, &e)),
        });
    }
    out.set_item("zeros", list)?;
    Ok(out)
}
