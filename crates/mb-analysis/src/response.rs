//! From a model to the response of its outputs to its inputs, to a moving base, to an unbalance.
//!
//! ```text
//! inputs      F u                    as the model's loads have them
//! base        -M r a,  r = a unit displacement of everything along an axis, M r = the weight of a unit of gravity along it; outputs are
//!             relative to the moving base
//! unbalance   F_x u_0 omega^2 - i F_y u_0 omega^2       two inputs in quadrature, u_0 = mass times eccentricity
//! ```

mod absent;
mod derivatives;
mod found;
mod matrices;
pub mod notes;
mod poles;
mod random;
mod shown;
mod zeros;

use crate::error::AnalysisError;
use crate::{FormulationSpectrum, part, spectrum};
use found::{Found, Question, has_all_poles, infinite_at, wider};
use mb_algebra::{Dense, DenseC, c64, dense, interrupt, norms, sparse, to_dense};
use mb_constraints::NullSpaceMethod;
use mb_eigen::sparse::{Request, SparseOptions};
use mb_linear::{
    Formulation, LinearError, OperatingPoint, linearize_sparse, output_maps, rolling_state_space,
};
use mb_model::Model;
use mb_response::{
    Evaluator, Infinite, Peak, Plant, Response, ResponseError, Sample, Sweep, SweepOptions, SweptPoint,
    phases,
};
use std::f64::consts::TAU;

pub use absent::AbsentPole;
pub use matrices::{MatrixResponse, of_matrices};
pub use poles::{growing, poles_of};
pub use random::{AtAll, RandomOutput};
pub use shown::{Root, gain_in_words, product_in_words, upper_roots};

/// What a state of a minimal realization counts as reached or seen, relative to A of the balanced system.
pub const MINIMAL_TOLERANCE: f64 = 1e-10;

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

impl Drive {
    /// Inputs of the model, by index.
    fn inputs(&self) -> &[usize] {
        match self {
            Self::Inputs(list) | Self::Unbalance { inputs: list, .. } => list,
            Self::Base(_) => &[],
        }
    }
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

impl ResponseRequest {
    /// What the names of outputs end with: a file of accelerances is not to be taken for one of receptances.
    pub fn primes(&self) -> String {
        "'".repeat(self.derivatives as usize)
    }
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
    /// Units of the columns in SI; empty where an input has none of its own.
    pub input_units: Vec<String>,
    /// Units of the rows in SI; empty for multipliers and violations.
    pub output_units: Vec<String>,
    /// Poles in and near the band; all of them of small models.
    pub poles: FormulationSpectrum,
    /// True when `poles` are all there are.
    pub all_poles: bool,
    /// With structural damping the eigenvalues of M, C and K (1 + i eta) at positive frequencies; none where not all are known.
    pub lossy_poles: Option<Vec<c64>>,
    /// Entries (output, input) that are infinite, by undamped pole up to the end of the band, rad/s; empty for large models where
    /// frequencies were given.
    pub infinite: Infinite,
    /// Undamped poles in the band that responses do not have.
    pub absent: Vec<AbsentPole>,
    /// Mean squares of the outputs; empty where nothing is random.
    pub random: Vec<RandomOutput>,
    /// The matrices, for further questions; outputs are differentiated but for `orders`.
    pub response: Response,
    /// By output how many derivatives the matrices leave.
    pub orders: Vec<u32>,
}

impl ModelResponse {
    /// The largest real part of the poles known that is surely positive, 1/s; with structural damping, of its own poles.
    pub fn growing(&self) -> Option<f64> {
        growing(self.lossy_poles.as_deref(), &self.poles.spectrum)
    }
    /// Frequencies of the undamped poles of one entry up to the end of the band, rad/s.
    pub fn infinite_at(&self, entry: (usize, usize)) -> Vec<f64> {
        infinite_at(&self.infinite, entry)
    }
    /// Phases of one entry in degrees without jumps, by sample.
    pub fn phases(&self, entry: (usize, usize)) -> Vec<f64> {
        let samples: Vec<&Sample> = self.sweep.points.iter().filter_map(|p| p.sample.as_ref()).collect();
        phases(&samples, entry, &self.infinite_at(entry))
    }
    /// What a reader has to know, besides numbers.
    pub fn notes(&self, request: &ResponseRequest) -> Vec<String> {
        let stability = notes::Stability {
            growing: self.growing(),
            all_poles: self.all_poles,
            with_loss: request.loss == 0.0 || self.lossy_poles.is_some(),
        };
        let mut out = notes::notes(&self.sweep, &stability, Some(&request.drive), request.loss);
        out.extend(notes::constraints(&self.response, &self.outputs));
        out.extend(notes::absent(&self.absent, &self.inputs, &self.outputs));
        out.extend(notes::densities(&request.densities, &self.inputs, request.band_hz));
        out.extend(notes::mean_squares(&self.outputs, &self.random));
        out
    }
}

/// The matrices of the response with the inputs and outputs asked for.
///
/// # Errors
/// [`AnalysisError::Linear`] for outputs, inputs and directions of a base that are not constant in a steady motion;
/// [`ResponseError::NoForce`].
pub fn plant(model: &Model, at: &OperatingPoint, request: &ResponseRequest) -> Result<Plant, AnalysisError> {
    let lin = linearize_sparse(model, at);
    let pencil = lin.pencil();
    let chosen = |y: &Dense| dense::select_rows(y, &request.outputs);
    if let Drive::Unbalance { inputs, .. } = &request.drive {
        let units = model.input_units();
        if let Some(input) = inputs.iter().find(|i| !["N", ""].contains(&units[**i])) {
            let (input, unit) = (model.inputs()[*input].clone(), units[*input].to_owned());
            return Err(ResponseError::NoForce { input, unit }.into());
        }
    }
    let f = match &request.drive {
        Drive::Inputs(list) | Drive::Unbalance { inputs: list, .. } => {
            // Forces as they are: velocity rows leave only their part on admissible motions, and reactions take the rest.
            let all = if model.has_velocity_rows() {
                model.input_matrix(at.point()).to_dense()
            } else {
                to_dense(&lin.f)
            };
            Dense::from_fn(model.nv(), list.len(), |i, j| all[(i, list[j])])
        }
        Drive::Base(axis) => {
            let image = model.unit_weight(at.point(), *axis);
            if let Some(motion) = at.steady() {
                let r = model.coordinates().translation(*axis);
                motion.check_direction(&base_name(*axis), &r)?;
                // Of links that count from other links no coordinates say whether the direction is constant.
                let by_coordinates = sparse::matvec(&pencil.m, &r);
                let off = by_coordinates.iter().zip(&image).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                if off > SAME * norms::max_abs_vec(&image) {
                    let (name, frame) = (base_name(*axis), motion.frame().to_string());
                    return Err(LinearError::NotConstant { what: "input", name, frame }.into());
                }
            }
            Dense::from_fn(model.nv(), 1, |i, _| -image[i])
        }
    };
    if model.has_velocity_rows() {
        return rolling(model, at, request, &f);
    }
    let maps = output_maps(model, at, request.drive.inputs(), &request.outputs)?;
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

/// The matrices of a model with velocity rows, of first order in its independent coordinates and speeds: s x - A x = B u, y = C x + D u.
fn rolling(
    model: &Model,
    at: &OperatingPoint,
    request: &ResponseRequest,
    forces: &Dense,
) -> Result<Plant, AnalysisError> {
    if request.loss != 0.0 {
        return Err(ResponseError::LossOfRolling.into());
    }
    let [a, b, c, d] = rolling_state_space(model, at, forces, request.drive.inputs(), &request.outputs)?;
    let [c, d] = [c, d].map(|x| dense::select_rows(&x, &request.outputs));
    Ok(zeros::first_order(&a, b, c, d))
}

/// Difference of the image of a base by the coordinates and by the weight, relative to the latter, that is rounding.
const SAME: f64 = 1e-9;

/// The response at rest or in steady motion.
///
/// # Errors
/// [`AnalysisError::Response`], [`AnalysisError::Eigen`], [`AnalysisError::Linear`].
pub fn response(
    model: &Model,
    at: &OperatingPoint,
    request: &ResponseRequest,
) -> Result<ModelResponse, AnalysisError> {
    let mut plant = plant(model, at, request)?;
    let orders = derivatives::take(&mut plant, request.derivatives);
    let all_poles = has_all_poles(model.nv() + model.nc());
    let poles = if all_poles {
        spectrum(model, at, &Formulation::Minimal(NullSpaceMethod::Qr))?
    } else {
        let [from_hz, to_hz] = wider(request.band_hz);
        let band = Request::Band { from_hz, to_hz, max_damping_ratio: None };
        part::of_model(model, at, band, &SparseOptions::default())?
    };
    let response = Response::new(plant)?;
    let (values, own) = poles_of(&response, &poles.spectrum, all_poles)?;
    let mut evaluator = Evaluator::new(&response, &request.sweep, &values);
    let turns: Option<Vec<c64>> = match request.drive {
        Drive::Unbalance { .. } => Some((0..response.plant().inputs()).map(quadrature).collect()),
        _ => None,
    };
    let question = Question {
        plant: response.plant(),
        poles: (&poles.spectrum, &values),
        all_poles,
        band_hz: request.band_hz,
        sweep: &request.sweep,
        weights: turns.as_deref(),
        shape: &|point| shape(point, request, &orders),
    };
    let Found { sweep, peaks, infinite, absent } = question.answer(&mut evaluator)?;
    let outputs: Vec<String> =
        request.outputs.iter().map(|o| model.sensors()[*o].name.clone() + &request.primes()).collect();
    let inputs: Vec<String> = match &request.drive {
        Drive::Inputs(list) => list.iter().map(|i| model.inputs()[*i].clone()).collect(),
        Drive::Base(axis) => vec![base_name(*axis)],
        Drive::Unbalance { .. } => vec!["unbalance".to_owned()],
    };
    let units = model.input_units();
    let input_units: Vec<&str> = match &request.drive {
        Drive::Inputs(list) => list.iter().map(|i| units[*i]).collect(),
        Drive::Base(_) => vec!["m/s^2"],
        Drive::Unbalance { .. } => vec![""],
    };
    let output_units = request
        .outputs
        .iter()
        .map(|o| differentiated(model.sensors()[*o].reading.unit(), request.derivatives));
    let (input_units, output_units) =
        (input_units.into_iter().map(str::to_owned).collect(), output_units.collect());
    let mut random = Vec::new();
    if !request.densities.is_empty() {
        // Where the sweep was ended there is no mean square of its band.
        interrupt::check();
        if let Some(real) = growing(own.as_deref(), &poles.spectrum) {
            return Err(ResponseError::Unstable { real }.into());
        }
        let names = random::Names { inputs: &inputs, outputs: &outputs };
        let bands = random::in_band(&mut evaluator, (request, &orders), &values, &infinite, &names)?;
        // Mean squares at all frequencies differentiate for themselves.
        let own = if request.derivatives > 0 {
            Some(Response::new(self::plant(model, at, request)?)?)
        } else {
            None
        };
        let read = own.as_ref().unwrap_or(&response);
        let all = random::at_all(read, request, &values, all_poles, &names)?;
        let samples = || sweep.points.iter().filter_map(|p| p.sample.as_ref());
        let density = |o: usize| {
            let at = |s: &Sample| random::density(s, o, &request.densities, s.omega / TAU).into();
            samples().map(at).collect()
        };
        let found = bands.into_iter().zip(all).enumerate();
        random = found.map(|(o, (band, all))| RandomOutput { band, all, density: density(o) }).collect();
    }
    Ok(ModelResponse {
        sweep,
        peaks,
        inputs,
        outputs,
        input_units,
        output_units,
        poles,
        all_poles,
        lossy_poles: own,
        infinite,
        absent,
        random,
        response,
        orders,
    })
}

fn base_name(axis: usize) -> String {
    format!("acceleration of the base along {}", ["x", "y", "z"][axis])
}

/// The unit of a derivative in time: `m/s^2` of the first of `m/s`.
fn differentiated(unit: &str, times: u32) -> String {
    if unit.is_empty() || times == 0 {
        return unit.to_owned();
    }
    let (base, power) = match unit.split_once("/s") {
        Some((base, "")) => (base, 1),
        Some((base, power)) => (base, power.trim_start_matches('^').parse().unwrap_or(1)),
        None => (unit, 0),
    };
    match power + times {
        1 => format!("{base}/s"),
        power => format!("{base}/s^{power}"),
    }
}

/// The phase of an input of an unbalance: the second comes a quarter of a turn later.
fn quadrature(input: usize) -> c64 {
    if input == 0 { c64::new(1.0, 0.0) } else { c64::new(0.0, -1.0) }
}

/// The derivatives of outputs that `orders` leaves, and the sum over the inputs of an unbalance: H g with the factor g of the frequency, and
/// H' g + H g'.
fn shape(point: SweptPoint, request: &ResponseRequest, orders: &[u32]) -> SweptPoint {
    let omega = point.omega;
    let s = c64::new(0.0, omega);
    let amount = match request.drive {
        Drive::Unbalance { amount, .. } => Some(amount),
        _ => None,
    };
    if amount.is_none() && orders.iter().all(|order| *order == 0) {
        return point;
    }
    let factors = |o: usize| {
        let order = orders[o];
        let factor = s.powu(order);
        let change = c64::new(0.0, f64::from(order)) * s.powu(order.saturating_sub(1));
        match amount {
            Some(amount) => {
                (factor * (amount * omega * omega), amount * omega * (2.0 * factor + omega * change))
            }
            None => (factor, change),
        }
    };
    // What is summed over to one column: all inputs of an unbalance, or each alone.
    let terms = |column: usize, nu: usize| match amount {
        Some(_) => (0..nu).map(|i| (i, quadrature(i))).collect(),
        None => vec![(column, c64::new(1.0, 0.0))],
    };
    point.map(|sample| {
        let Sample { value, bound, slope, .. } = &sample;
        let (ny, nu) = value.shape();
        let columns = if amount.is_some() { 1 } else { nu };
        let sum = |a: &DenseC, o: usize, column: usize| {
            terms(column, nu).into_iter().map(|(i, turn)| a[(o, i)] * turn).sum::<c64>()
        };
        // An infinite entry stays one at the frequency zero, too.
        let moved = |o: usize, column: usize| {
            let whole = terms(column, nu).iter().all(|(i, _)| value[(o, *i)].is_finite());
            if whole { sum(value, o, column) * factors(o).0 } else { c64::new(f64::INFINITY, 0.0) }
        };
        let widened = |o: usize, column: usize| {
            let all: f64 = terms(column, nu).iter().map(|(i, _)| bound[(o, *i)]).sum();
            if all.is_finite() { all * factors(o).0.norm() } else { all }
        };
        let turned = |o: usize, column: usize| {
            let (factor, change) = factors(o);
            sum(slope, o, column) * factor + sum(value, o, column) * change
        };
        Sample {
            omega,
            value: DenseC::from_fn(ny, columns, moved),
            bound: Dense::from_fn(ny, columns, widened),
            slope: DenseC::from_fn(ny, columns, turned),
        }
    })
}
