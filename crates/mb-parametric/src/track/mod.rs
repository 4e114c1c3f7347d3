//! Modes followed along a path of the parameters.
//!
//! At each sample a polynomial about a point passed before foretells every mode (the predictor),
//! Newton's method brings it to rounding with the exact matrices (the corrector), and the
//! left-right MAC with the mode before decides whether it is the same one; if not, the step is
//! halved. So a mode keeps its name where eigenvalues cross, and where they veer away from each
//! other the exchange of their shapes is found and reported.
//!
//! Samples at which two modes coincide to rounding have no vectors of their own; they are passed
//! at a small distance and marked.

mod encounter;
mod mac;
mod step;
mod watch;

pub use encounter::{Encounter, EncounterKind};
pub use mac::{Shape, left_right_mac, left_right_mac_matrix};
pub(crate) use step::Walker;
use watch::Watch;

use crate::polish::{PolishOptions, RefinedEigenpair, StartingEigenpair};
use crate::{ParametricError, SeriesSource};
use mb_algebra::Dense;
use std::f64::consts::TAU;

/// How modes are followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackOptions {
    /// Order of the predicting polynomial; 0 takes the mode before as it is. Default 2.
    pub order: usize,
    /// How modes are improved and judged.
    pub polish: PolishOptions,
}

impl Default for TrackOptions {
    fn default() -> Self {
        Self { order: 2, polish: PolishOptions::default() }
    }
}

/// Modes along a path.
#[derive(Clone, Debug)]
pub struct Track {
    /// The samples, as distances from the reference point.
    pub points: Vec<Vec<f64>>,
    /// The modes at each sample, in the order of the starts: `pairs[sample][mode]`.
    pub eigenpairs: Vec<Vec<RefinedEigenpair>>,
    /// Left-right MAC of all modes at each sample (rows) with those of the next (columns).
    pub mac: Vec<Dense>,
    /// Samples at which modes coincide; what stands there was found a thousandth of a step away
    /// and its eigenvalues were moved back by their derivatives.
    pub passed_beside: Vec<usize>,
    /// Crossings and veerings, in the order of the path.
    pub encounters: Vec<Encounter>,
}

impl Track {
    /// |s| / 2 pi of one mode along the path, Hz.
    pub fn frequencies_hz(&self, mode: usize) -> Vec<f64> {
        self.eigenpairs.iter().map(|pairs| pairs[mode].s.norm() / TAU).collect()
    }

    /// -Re s / |s| of one mode along the path; 0 where s = 0.
    pub fn damping_ratios(&self, mode: usize) -> Vec<f64> {
        let ratio = |pairs: &Vec<RefinedEigenpair>| {
            let s = pairs[mode].s;
            if s.norm() > 0.0 { -s.re / s.norm() } else { 0.0 }
        };
        self.eigenpairs.iter().map(ratio).collect()
    }
}

/// Follows the modes `starts` (at the first sample) along `path`.
///
/// Errors: an empty path or list of starts, those of [`crate::polish`] at the first sample, those
/// of the source, [`ParametricError::TrackLost`] where no step is small enough to identify a mode, and
/// [`ParametricError::RankChanges`] where the constraints lose rank on the way.
pub fn track<S: SeriesSource>(
    source: &S,
    path: &[Vec<f64>],
    starts: &[StartingEigenpair],
    options: &TrackOptions,
) -> Result<Track, ParametricError> {
    let Some(first) = path.first() else {
        return Err(ParametricError::WrongLength { what: "the path", expected: 1, found: 0 });
    };
    let mut walker = Walker::new(source, first, starts, options.order, options.polish)?;
    let mut pairs = vec![walker.eigenpairs().to_vec()];
    let (mut passed_beside, mut mac) = (Vec::new(), Vec::with_capacity(path.len() - 1));
    let mut watch = Watch::new(source, path)?;
    for (sample, point) in path.iter().enumerate().skip(1) {
        match walker.go(point) {
            Ok(()) => pairs.push(walker.eigenpairs().to_vec()),
            Err(ParametricError::TrackLost { .. }) => {
                pairs.push(walker.beside(&path[sample - 1], point)?);
                passed_beside.push(sample);
            }
            Err(error) => return Err(watch.named(sample, error)),
        }
        let pencil = source.matrices(point)?;
        mac.push(left_right_mac_matrix(&pencil, &pairs[sample - 1], &pairs[sample]));
        watch.passed(sample, &pencil)?;
    }
    let encounters = encounter::find(source, path, &pairs)?;
    Ok(Track { points: path.to_vec(), eigenpairs: pairs, mac, passed_beside, encounters })
}
