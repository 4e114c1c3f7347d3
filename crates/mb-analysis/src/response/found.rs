//! What a sweep of a response finds, of a model and of given matrices alike: samples, undamped poles, peaks.

use super::AbsentPole;
use super::absent::{absent, absent_of_sum};
use mb_algebra::{c64, interrupt};
use mb_eigen::Spectrum;
use mb_response::{
    Evaluator, Infinite, Peak, Plant, ResponseError, Sweep, SweepOptions, SweptPoint, grid, peaks,
};
use std::f64::consts::TAU;

/// Coordinates and constraint rows in all up to which all poles are computed: a fraction of a second.
const ALL_POLES_UP_TO: usize = 240;
/// How far beyond the band poles are computed, as a ratio: nearer than its own width no resonance outside is stepped over.
const BEYOND: f64 = 1.2;

/// Whether all poles of so many coordinates and constraint rows are computed.
pub(super) fn has_all_poles(size: usize) -> bool {
    size <= ALL_POLES_UP_TO
}

/// The band in which the poles of a larger system are computed, Hz.
pub(super) fn wider([from, to]: [f64; 2]) -> [f64; 2] {
    [from / BEYOND, to * BEYOND]
}

/// What is asked of a response whose poles are known.
pub(super) struct Question<'a> {
    pub plant: &'a Plant,
    /// Eigenpairs, and the poles that samples gather at, rad/s.
    pub poles: (&'a Spectrum, &'a [c64]),
    pub all_poles: bool,
    /// Ends of the band, Hz.
    pub band_hz: [f64; 2],
    pub sweep: &'a SweepOptions,
    /// Weights of the inputs where their sum is the one that drives.
    pub weights: Option<&'a [c64]>,
    /// What is asked for at a frequency, of H there.
    pub shape: &'a dyn Fn(SweptPoint) -> SweptPoint,
}

/// What is found at the frequencies.
pub(super) struct Found {
    pub sweep: Sweep,
    pub peaks: Vec<Peak>,
    /// Entries that are infinite, by undamped pole up to the end of the band, rad/s.
    pub infinite: Infinite,
    /// Undamped poles in the band that responses do not have.
    pub absent: Vec<AbsentPole>,
}

impl Question<'_> {
    /// Samples over the band, undamped poles, and peaks where no frequencies were given.
    pub(super) fn answer(&self, evaluator: &mut Evaluator<'_>) -> Result<Found, ResponseError> {
        let band = self.band_hz.map(|f| f * TAU);
        let mut sweep = evaluator.sweep(&grid(band, self.poles.1, self.sweep))?;
        sweep.points = sweep.points.into_iter().map(self.shape).collect();
        if sweep.stopped.is_some() {
            // Of a few frequencies nothing can be drawn.
            if sweep.points.len() < 2 {
                interrupt::check();
            }
            return Ok(Found { sweep, peaks: Vec::new(), infinite: Vec::new(), absent: Vec::new() });
        }
        let mut infinite = match self.sweep.only {
            Some(_) if !self.all_poles => Vec::new(),
            _ => evaluator.infinite([0.0, band[1]])?,
        };
        let absent = match self.weights {
            Some(weights) => absent_of_sum(self.plant, weights, self.poles.0, &mut infinite),
            None => absent(self.plant, self.poles.0, &infinite),
        };
        let absent = absent.into_iter().filter(|p| p.omega >= band[0]).collect();
        let undamped: Vec<f64> =
            infinite.iter().filter(|(_, entries)| !entries.is_empty()).map(|(w, _)| *w).collect();
        let peaks = match self.sweep.only {
            Some(_) => Vec::new(),
            None => peaks(&sweep.points, &undamped, &mut |omega| Ok((self.shape)(evaluator.at(omega)?)))?,
        };
        Ok(Found { sweep, peaks, infinite, absent })
    }
}

/// Frequencies of the undamped poles of one entry, rad/s.
pub(super) fn infinite_at(infinite: &Infinite, entry: (usize, usize)) -> Vec<f64> {
    infinite.iter().filter(|(_, list)| list.contains(&entry)).map(|(w, _)| *w).collect()
}
