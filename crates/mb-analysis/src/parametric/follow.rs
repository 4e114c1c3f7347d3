//! The modes of an expansion at every sample of a path, exactly.

use super::error::SeriesError;
use super::expansion::Expansion;
use super::origin::Origin;
use super::storage::{Pencil, Solved};
use super::walk::Walk;
use crate::number::six;
use mb_algebra::{Dense, Sparse};
use mb_parametric::{Journal, ParametricError, StartingEigenpair, Track, TrackOptions, track_both_ways};

/// The modes of samples next to each other.
#[derive(Clone, Debug)]
pub struct Followed {
    /// Number of the first of these samples on the path.
    pub first: usize,
    /// Their modes.
    pub track: Track,
    /// Why samples before the first or after the last one have none.
    pub failed: Vec<SeriesError>,
}

/// Follows the modes that are expanded one by one along `distances` from the point that is asked for: from the sample
/// `middle`, the centre of the expansion, back to the start and on to the end. Samples that the `journal` has kept are
/// taken from there; work that is ended gives the samples that were reached, and so does a sample without modes:
/// [`SeriesError::Lost`] with the mode, [`SeriesError::RankChanges`], errors of the operating points on the way.
///
/// # Errors
/// The same at the sample `middle`.
pub fn follow(
    origin: &Origin<'_>,
    expansion: &Expansion,
    distances: &[Vec<f64>],
    middle: usize,
    journal: &mut dyn Journal,
) -> Result<Followed, SeriesError> {
    match expansion.pieces[0].pencil {
        Pencil::Dense(_) => followed::<Dense>(origin, expansion, distances, middle, journal),
        Pencil::Sparse(_) => followed::<Sparse>(origin, expansion, distances, middle, journal),
    }
}

fn followed<A: Solved>(
    origin: &Origin<'_>,
    expansion: &Expansion,
    distances: &[Vec<f64>],
    middle: usize,
    journal: &mut dyn Journal,
) -> Result<Followed, SeriesError> {
    let piece = &expansion.pieces[0];
    let source: Walk<'_, A> = Walk::new(origin, expansion)?;
    let starts: Vec<StartingEigenpair> = piece
        .modes
        .iter()
        .map(|mode| StartingEigenpair {
            s: mode.full.eigenvalue_coefficients()[0],
            vector: mode.full.vector_coefficients()[0].clone(),
        })
        .collect();
    let options = TrackOptions::default();
    let lost = |error| expansion.lost(origin, error);
    let (first, track) =
        track_both_ways(&source, distances, middle, &starts, &options, journal).map_err(lost)?;
    let failed = track.failed.iter().cloned().map(lost).collect();
    Ok(Followed { first, track, failed })
}

impl Expansion {
    /// An error on a path with the model's names.
    fn lost(&self, origin: &Origin<'_>, error: ParametricError) -> SeriesError {
        let ParametricError::TrackLost { mode, s, point } = error else { return self.named(origin, error) };
        let values = self.names.iter().zip(&self.values).zip(&point);
        let at: Vec<String> = values.map(|((name, x), d)| format!("{name} = {}", six(x + d))).collect();
        SeriesError::Lost { mode: self.numbers().get(mode).copied().unwrap_or(mode), s, at: at.join(", ") }
    }
}
