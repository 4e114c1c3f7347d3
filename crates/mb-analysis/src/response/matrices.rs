//! The response of given matrices.

use super::found::{Found, Question, has_all_poles, infinite_at, wider};
use super::{AbsentPole, growing, notes, poles_of};
use mb_algebra::c64;
use mb_eigen::Spectrum;
use mb_eigen::sparse::{Request, SparseOptions, solve};
use mb_response::{Evaluator, Infinite, Peak, Plant, Response, ResponseError, Sweep, SweepOptions};

/// The response of given matrices: as [`super::ModelResponse`], without names and units.
#[derive(Debug)]
pub struct MatrixResponse {
    /// H over the band, outputs x inputs.
    pub sweep: Sweep,
    /// Local maxima of |H| in the band, by output and input, in increasing frequency; none where frequencies were given.
    pub peaks: Vec<Peak>,
    /// Poles in and near the band; all of them of small systems.
    pub poles: Spectrum,
    /// True when `poles` are all there are.
    pub all_poles: bool,
    /// With structural damping the eigenvalues of M, C and K (1 + i eta) at positive frequencies; none where not all are known.
    pub lossy_poles: Option<Vec<c64>>,
    infinite: Infinite,
    absent: Vec<AbsentPole>,
    /// The matrices, for further questions.
    pub response: Response,
}

impl MatrixResponse {
    /// The largest real part of the poles known that is surely positive, 1/s; with structural damping, of its own poles.
    pub fn growing(&self) -> Option<f64> {
        growing(self.lossy_poles.as_deref(), &self.poles)
    }
    /// Frequencies of the undamped poles of one entry up to the end of the band, rad/s.
    pub fn infinite_at(&self, entry: (usize, usize)) -> Vec<f64> {
        infinite_at(&self.infinite, entry)
    }
    /// What a reader has to know, besides numbers. Inputs are called u0, u1, ..., outputs y0, y1, ...
    pub fn notes(&self) -> Vec<String> {
        let plant = self.response.plant();
        let stability = notes::Stability {
            growing: self.growing(),
            all_poles: self.all_poles,
            with_loss: plant.loss == 0.0 || self.lossy_poles.is_some(),
        };
        let names =
            |letter: &str, count: usize| (0..count).map(|k| format!("{letter}{k}")).collect::<Vec<_>>();
        let mut list = notes::notes(&self.sweep, &stability, None, plant.loss);
        let outputs = names("y", plant.outputs());
        list.extend(notes::constraints(&self.response, &outputs));
        list.extend(notes::absent(&self.absent, &names("u", plant.inputs()), &outputs));
        list
    }
}

/// The response of a system over a band in Hz.
///
/// # Errors
/// Failures of the eigenanalysis and of the solutions.
pub fn of_matrices(
    plant: Plant,
    band_hz: [f64; 2],
    sweep: &SweepOptions,
) -> Result<MatrixResponse, ResponseError> {
    let all_poles = has_all_poles(plant.n() + plant.m());
    let request = if all_poles {
        Request::All
    } else {
        let [from_hz, to_hz] = wider(band_hz);
        Request::Band { from_hz, to_hz, max_damping_ratio: None }
    };
    let poles = solve(&plant.pencil, &request, &SparseOptions::default())?;
    let response = Response::new(plant)?;
    let (values, lossy_poles) = poles_of(&response, &poles, all_poles)?;
    let mut evaluator = Evaluator::new(&response, sweep, &values);
    let question = Question {
        plant: response.plant(),
        poles: (&poles, &values),
        all_poles,
        band_hz,
        sweep,
        weights: None,
        shape: &|point| point,
    };
    let Found { sweep, peaks, infinite, absent } = question.answer(&mut evaluator)?;
    Ok(MatrixResponse { sweep, peaks, poles, all_poles, lossy_poles, infinite, absent, response })
}
