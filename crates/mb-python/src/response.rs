//! Frequency responses of models and of given matrices.

use std::f64::consts::TAU;

use mb_algebra::{Dense, QuadraticPencil, Sparse, c64};
use mb_analysis::response::{
    AbsentPole, Density, Drive, MOST_ROWS_OF_ZEROS, ModelResponse, ResponseRequest, absent, growing, notes,
    poles_of, response as of_model,
};
use mb_analysis::{check_size, sentences};
use mb_eigen::sparse::{Request, SparseOptions, solve};
use mb_eigen::{Eigenpair, Spectrum};
use mb_response::{
    Evaluator, Infinite, Peak, Plant, Response, ResponseError, Sample, Sweep, SweepOptions, Zeros, grid,
    peaks, phases, zeros,
};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;

use crate::arrays::{block, vector};
use crate::eigs::{pencil, stiffness};
use crate::options::read;
use crate::site::Site;
use crate::{errors, work};

/// Unknowns and constraint rows up to which all poles of given matrices are computed.
const ALL_POLES_UP_TO: usize = 240;
/// How far beyond the band poles are computed, as a ratio.
const BEYOND: f64 = 1.2;

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
            check_size(model, MOST_ROWS_OF_ZEROS)?;
        }
        let request = asked.request();
        let found = of_model(model, at, &request)?;
        let list = if asked.zeros { all_zeros(&found.response) } else { Vec::new() };
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
    let pencil = pencil(py, k, [&a.m, &a.c, &a.gyroscopic, &a.constraints].map(Option::as_ref), false)?;
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
    let size = (plant.outputs(), plant.inputs());
    let found = work::run(py, move || of_matrices(plant, &grid, with_zeros))?;
    let OfMatrices { swept, peaks, poles, all, lossy, infinite, absent, zeros } =
        found.map_err(|e| failure(py, &e))?;
    let infinite = |entry| frequencies(&infinite, entry);
    let out = dictionary(py, &swept, size, &peaks, (&poles, all), zeros)?;
    set_phases(py, &out, &swept, size, infinite)?;
    let growing = growing(lossy.as_deref(), &poles);
    out.set_item("growing", growing)?;
    let stability =
        notes::Stability { growing, all_poles: all, with_loss: matrices.loss == 0.0 || lossy.is_some() };
    let mut list = notes::notes(&swept, &stability, None, matrices.loss);
    let names = |letter: &str, count: usize| (0..count).map(|k| format!("{letter}{k}")).collect::<Vec<_>>();
    list.extend(notes::absent(&absent, &names("u", size.1), &names("y", size.0)));
    out.set_item("notes", sentences::all(&list))?;
    set_lossy(py, &out, lossy)?;
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

/// Frequencies of the undamped poles of one entry, rad/s.
fn frequencies(infinite: &Infinite, entry: (usize, usize)) -> Vec<f64> {
    infinite.iter().filter(|(_, list)| list.contains(&entry)).map(|(w, _)| *w).collect()
}

fn failure(py: Python<'_>, error: &ResponseError) -> PyErr {
    match error {
        ResponseError::Eigen(e) => errors::eigen(py, e),
        _ => errors::numerics(py, "response", error.to_string()),
    }
}

struct OfMatrices {
    swept: Sweep,
    peaks: Vec<Peak>,
    poles: Spectrum,
    all: bool,
    lossy: Option<Vec<c64>>,
    infinite: Infinite,
    absent: Vec<AbsentPole>,
    zeros: Vec<ZerosOf>,
}

fn of_matrices(plant: Plant, asked: &Grid, with_zeros: bool) -> Result<OfMatrices, ResponseError> {
    let pencil: QuadraticPencil<Sparse> = plant.pencil.clone();
    let all = plant.n() + plant.m() <= ALL_POLES_UP_TO;
    let [from, to] = asked.band;
    let request = if all {
        Request::All
    } else {
        Request::Band { from_hz: from / BEYOND, to_hz: to * BEYOND, max_damping_ratio: None }
    };
    let poles = solve(&pencil, &request, &SparseOptions::default())?;
    let response = Response::new(plant)?;
    let (values, lossy) = poles_of(&response, &poles, all)?;
    let options = asked.options();
    let band = [from * TAU, to * TAU];
    let mut evaluator = Evaluator::new(&response, &options, &values);
    let swept = evaluator.sweep(&grid(band, &values, &options))?;
    let infinite = match options.only {
        Some(_) if !all => Vec::new(),
        _ => evaluator.infinite([0.0, band[1]])?,
    };
    let absent =
        absent(response.plant(), &poles, &infinite).into_iter().filter(|p| p.omega >= band[0]).collect();
    let undamped: Vec<f64> = infinite.iter().filter(|(_, list)| !list.is_empty()).map(|(w, _)| *w).collect();
    let peaks = match options.only {
        Some(_) => Vec::new(),
        None => peaks(&swept.points, &undamped, &mut |omega| evaluator.at(omega))?,
    };
    let zeros = if with_zeros { all_zeros(&response) } else { Vec::new() };
    Ok(OfMatrices { swept, peaks, poles, all, lossy, infinite, absent, zeros })
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
                let [zeros, poles, cancelled] = [z.zeros, z.poles, z.cancelled].map(|list| vector(py, list));
                Some((zeros, poles, cancelled, z.gain, z.relative_error, determined))
            }
            Err(ResponseError::NoZeros) => None,
            Err(e) => return Err(failure(py, &e)),
        });
    }
    out.set_item("zeros", list)?;
    Ok(out)
}
