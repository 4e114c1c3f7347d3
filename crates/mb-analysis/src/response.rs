//! From a model to the response of its outputs to its inputs, to a moving base, to an unbalance.
//!
//! ```text
//! inputs      F u                    as the model's loads have them
//! base        -M r a,  r = a unit displacement of everything along an axis; outputs are relative to the moving base
//! unbalance   F_x u_0 omega^2 - i F_y u_0 omega^2       two inputs in quadrature, u_0 = mass times eccentricity
//! ```

pub mod notes;

use crate::error::AnalysisError;
use crate::{FormulationSpectrum, part, spectrum};
use mb_algebra::{Dense, DenseC, c64, sparse, to_dense};
use mb_constraints::NullSpaceMethod;
use mb_eigen::sparse::{Request, SparseOptions};
use mb_linear::{Formulation, OperatingPoint, linearize_sparse, output_maps};
use mb_model::Model;
use mb_response::{
    Evaluator, MeanSquare, Peak, Plant, Response, ResponseError, Sample, Sweep, SweepOptions, SweptPoint,
    Variance, grid, mean_square, peaks, undamped, white_noise,
};
use std::f64::consts::TAU;

/// Coordinates and constraint rows in all up to which zeros are computed.
pub const MOST_ROWS_OF_ZEROS: usize = 800;

/// Coordinates and constraint rows in all up to which all poles are computed.
const ALL_POLES_UP_TO: usize = 240;
/// Relative accuracy of mean squares.
const ACCURACY: f64 = 1e-8;
/// How far beyond the band poles are computed, as a ratio.
const BEYOND: f64 = 1.2;

/// What drives the outputs.
#[derive(Clone, Debug, PartialEq)]
pub enum Drive {
    /// Inputs of the model, by index.
    Inputs(Vec<usize>),
    /// Acceleration of the base along an axis (0, 1 or 2), m/s^2.
    Base(usize),
    /// A mass times its eccentricity (kg m) that turns with the frequency: from the first input (force along x) to the second
    /// (force along y) in a quarter of a turn; one input alone for a force along a line.
    Unbalance {
        /// One or two inputs, by index.
        inputs: Vec<usize>,
        /// Mass times eccentricity, kg m.
        amount: f64,
    },
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseRequest {
    /// What drives.
    pub drive: Drive,
    /// Outputs by index.
    pub outputs: Vec<usize>,
    /// Ends of the band, Hz.
    pub band_hz: [f64; 2],
    /// Loss factor eta of structural damping, K (1 + i eta).
    pub loss: f64,
    /// How often outputs are differentiated: 1 makes velocities of displacements, 2 accelerations.
    pub derivatives: u32,
    /// One-sided spectral densities of the columns, uncorrelated with each other; empty where nothing is random.
    pub densities: Vec<Density>,
    /// Frequencies and method.
    pub sweep: SweepOptions,
}

/// A one-sided spectral density per Hz: zero outside of the frequencies given, and straight between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Density {
    /// Column of the response.
    pub column: usize,
    /// Frequency in Hz and density, in increasing frequency; a single pair is a constant at all frequencies.
    pub points: Vec<[f64; 2]>,
}

impl Density {
    /// The density at a frequency in Hz.
    pub fn at(&self, hz: f64) -> f64 {
        if let [[_, constant]] = self.points[..] {
            return constant;
        }
        let pairs = self.points.windows(2).map(|p| (p[0], p[1]));
        pairs
            .filter(|(a, b)| hz >= a[0] && hz <= b[0])
            .map(|(a, b)| if b[0] > a[0] { a[1] + (b[1] - a[1]) * (hz - a[0]) / (b[0] - a[0]) } else { b[1] })
            .next()
            .unwrap_or(0.0)
    }
    /// True for a constant.
    pub fn is_white(&self) -> bool {
        self.points.len() == 1
    }
}

/// Mean square of an output for random inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomOutput {
    /// Over the band, by integration.
    pub band: MeanSquare,
    /// Over all frequencies, by the Lyapunov equation; none where densities are not constant, the system is not small, or the
    /// output reads the input itself.
    pub all: Option<Variance>,
}

/// The response of a model.
#[derive(Debug)]
pub struct ModelResponse {
    /// H over the band, outputs as asked x inputs as asked (one column for a base or an unbalance).
    pub sweep: Sweep,
    /// Local maxima of |H| in the band, by output and input, in increasing frequency; none where frequencies were given.
    pub peaks: Vec<Peak>,
    /// Names of the columns, with units of base and unbalance.
    pub inputs: Vec<String>,
    /// Names of the rows.
    pub outputs: Vec<String>,
    /// Poles in and near the band; all of them of small models.
    pub poles: FormulationSpectrum,
    /// True when `poles` are all there are.
    pub all_poles: bool,
    /// Mean squares of the outputs; empty where nothing is random.
    pub random: Vec<RandomOutput>,
    /// The matrices, for further questions.
    pub response: Response,
}

impl ModelResponse {
    /// The largest real part of the poles known that is surely positive, 1/s.
    pub fn growing(&self) -> Option<f64> {
        let pairs = self.poles.spectrum.motion();
        let grows = pairs.filter_map(|p| p.value().filter(|s| s.re > p.error_bound.max(1e-9 * s.norm())));
        grows.map(|s| s.re).reduce(f64::max)
    }
    /// What a reader has to know, besides numbers.
    pub fn notes(&self, request: &ResponseRequest) -> Vec<String> {
        notes::notes(&self.sweep, self.growing(), self.all_poles, Some(&request.drive), request.loss)
    }
}

/// The matrices of the response with the inputs and outputs asked for.
///
/// # Errors
/// [`AnalysisError::Linear`] for outputs or inputs that are not constant in a steady motion.
pub fn plant(model: &Model, at: &OperatingPoint, request: &ResponseRequest) -> Result<Plant, AnalysisError> {
    let lin = linearize_sparse(model, at);
    let maps = output_maps(model, at)?;
    let pencil = lin.pencil();
    let chosen =
        |y: &Dense| Dense::from_fn(request.outputs.len(), y.ncols(), |i, j| y[(request.outputs[i], j)]);
    let f = match &request.drive {
        Drive::Inputs(list) | Drive::Unbalance { inputs: list, .. } => {
            let all = to_dense(&lin.f);
            Dense::from_fn(model.nv(), list.len(), |i, j| all[(i, list[j])])
        }
        Drive::Base(axis) => {
            let r = model.coordinates().translation(*axis);
            let image = sparse::matvec(&pencil.m, &r);
            Dense::from_fn(model.nv(), 1, |i, _| -image[i])
        }
    };
    let feedthrough = Dense::zeros(request.outputs.len(), f.ncols());
    Ok(Plant {
        f,
        by_q: chosen(&maps.by_q),
        by_v: chosen(&maps.by_v),
        by_a: chosen(&maps.by_a),
        by_lambda: chosen(&maps.by_lambda),
        feedthrough,
        loss: request.loss,
        pencil,
    })
}

/// The response at rest or in steady motion.
///
/// # Errors
/// [`AnalysisError::Response`], [`AnalysisError::Eigen`], [`AnalysisError::Linear`].
pub fn response(
    model: &Model,
    at: &OperatingPoint,
    request: &ResponseRequest,
) -> Result<ModelResponse, AnalysisError> {
    let plant = plant(model, at, request)?;
    let all_poles = model.nv() + model.nc() <= ALL_POLES_UP_TO;
    let [from, to] = request.band_hz;
    let poles = if all_poles {
        spectrum(model, at, &Formulation::Minimal(NullSpaceMethod::Qr))?
    } else {
        let band = Request::Band { from_hz: from / BEYOND, to_hz: to * BEYOND, max_damping_ratio: Some(0.5) };
        part::of_model(model, at, band, &SparseOptions::default())?
    };
    let values: Vec<c64> = poles.spectrum.motion().filter_map(mb_eigen::Eigenpair::value).collect();
    let response = Response::new(plant)?;
    let band = [from, to].map(|f| f * TAU);
    let omegas = grid(band, &values, &request.sweep);
    let mut evaluator = Evaluator::new(&response, &request.sweep);
    let mut swept = evaluator.sweep(&omegas)?;
    for point in &mut swept.points {
        shape(point, request);
    }
    let mut shaped = |omega: f64| {
        let mut point = evaluator.at(omega)?;
        shape(&mut point, request);
        Ok(point)
    };
    let peaks = match request.sweep.only {
        Some(_) => Vec::new(),
        None => peaks(&swept.points, &undamped(&values), &mut shaped)?,
    };
    let bands = random_in_band(&mut evaluator, request, &values)?;
    let all = random_at_all(&response, request, all_poles)?;
    let random = bands.into_iter().zip(all).map(|(band, all)| RandomOutput { band, all }).collect();
    let outputs = request.outputs.iter().map(|o| model.sensors()[*o].name.clone()).collect();
    let inputs = match &request.drive {
        Drive::Inputs(list) => list.iter().map(|i| model.inputs()[*i].clone()).collect(),
        Drive::Base(axis) => vec![format!("acceleration of the base along {}", ["x", "y", "z"][*axis])],
        Drive::Unbalance { .. } => vec!["unbalance".to_owned()],
    };
    Ok(ModelResponse { sweep: swept, peaks, inputs, outputs, poles, all_poles, random, response })
}

/// Derivatives of the outputs, and the sum over the inputs of an unbalance.
fn shape(point: &mut SweptPoint, request: &ResponseRequest) {
    let Some(sample) = &mut point.sample else { return };
    let s = c64::new(0.0, point.omega);
    let factor = s.powu(request.derivatives);
    let (ny, nu) = sample.value.shape();
    if let Drive::Unbalance { amount, .. } = request.drive {
        let size = amount * point.omega * point.omega;
        let turn = |i: usize| if i == 0 { c64::new(1.0, 0.0) } else { c64::new(0.0, -1.0) };
        let value = DenseC::from_fn(ny, 1, |o, _| {
            (0..nu).map(|i| sample.value[(o, i)] * turn(i)).sum::<c64>() * (size * factor)
        });
        let bound = Dense::from_fn(ny, 1, |o, _| {
            (0..nu).map(|i| sample.bound[(o, i)]).sum::<f64>() * size.abs() * factor.norm()
        });
        *sample = Sample { omega: point.omega, value, bound };
    } else if request.derivatives > 0 {
        let value = DenseC::from_fn(ny, nu, |o, i| sample.value[(o, i)] * factor);
        let bound = Dense::from_fn(ny, nu, |o, i| sample.bound[(o, i)] * factor.norm());
        *sample = Sample { omega: point.omega, value, bound };
    }
}

/// Mean squares over the band by integration, one for each output.
fn random_in_band(
    evaluator: &mut Evaluator<'_>,
    request: &ResponseRequest,
    poles: &[c64],
) -> Result<Vec<MeanSquare>, AnalysisError> {
    if request.densities.is_empty() {
        return Ok(Vec::new());
    }
    // Resonances and the corners of the densities end intervals.
    let mut corners: Vec<f64> = request.densities.iter().flat_map(|d| &d.points).map(|p| p[0]).collect();
    for pole in poles.iter().filter(|p| p.im > 0.0) {
        corners.extend([-10.0, -1.0, 0.0, 1.0, 10.0].map(|k| (pole.im + k * pole.re) / TAU));
    }
    let mut out = Vec::new();
    for o in 0..request.outputs.len() {
        let mut density = |hz: f64| {
            let omega = hz * TAU;
            let mut point = evaluator.at(omega)?;
            shape(&mut point, request);
            let sample = point.sample.ok_or(ResponseError::Pole { omega })?;
            let parts = request.densities.iter().map(|d| {
                let (h, bound, level) =
                    (sample.value[(o, d.column)].norm(), sample.bound[(o, d.column)], d.at(hz));
                (h * h * level, (2.0 * h + bound) * bound * level)
            });
            Ok(parts.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1)))
        };
        out.push(mean_square(&mut density, request.band_hz, &corners, ACCURACY)?);
    }
    Ok(out)
}

/// Mean squares over all frequencies by the Lyapunov equation of the minimal coordinates, where all densities are constant.
fn random_at_all(
    response: &Response,
    request: &ResponseRequest,
    small: bool,
) -> Result<Vec<Option<Variance>>, AnalysisError> {
    let none = || vec![None; request.outputs.len()];
    let white = request.densities.iter().all(Density::is_white);
    let unbalance = matches!(request.drive, Drive::Unbalance { .. });
    if request.densities.is_empty()
        || !white
        || !small
        || request.loss != 0.0
        || unbalance
        || request.derivatives > 0
    {
        return Ok(none());
    }
    let Some([a, b, c, d]) = response.state_space()? else { return Ok(none()) };
    let count = b.ncols();
    // Two-sided densities are half of the one-sided ones.
    let level =
        |i: usize| request.densities.iter().filter(|x| x.column == i).map(|x| 0.5 * x.points[0][1]).sum();
    let intensity = Dense::from_fn(count, count, |i, j| if i == j { level(i) } else { 0.0 });
    let found = white_noise(&a, &b, &c, &intensity)?;
    let direct = |o: usize| (0..count).any(|i| d[(o, i)] != 0.0 && intensity[(i, i)] != 0.0);
    Ok(found.into_iter().enumerate().map(|(o, v)| (!direct(o)).then_some(v)).collect())
}
