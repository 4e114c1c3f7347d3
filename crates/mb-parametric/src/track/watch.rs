//! Constraints that lose rank along a path, between its samples too.
//!
//! The margin of Phi_q (rank.rs) falls to zero like a V where the path passes a singular configuration. Wherever it is
//! lowest among three samples, the way between them is searched for such a place.

use crate::rank::{margin, vanishes};
use crate::{ParametricError, SeriesSource};
use mb_algebra::QuadraticPencil;

/// A lowest margin below this share of the largest so far is looked into.
const SUSPECT: f64 = 0.5;

/// The margins of the samples passed.
pub(super) struct Watch<'a, S: SeriesSource> {
    source: &'a S,
    path: &'a [Vec<f64>],
    /// None without constraints.
    margins: Option<Vec<f64>>,
}

impl<'a, S: SeriesSource> Watch<'a, S> {
    /// Begins at the first sample.
    pub(super) fn new(source: &'a S, path: &'a [Vec<f64>]) -> Result<Self, ParametricError> {
        let first = margin(&source.matrices(&path[0])?.phi_q)?;
        Ok(Self { source, path, margins: first.map(|m| vec![m.size]) })
    }

    /// The margin of the sample passed last; none without constraints.
    pub(super) fn last(&self) -> Option<f64> {
        self.margins.as_ref()?.last().copied()
    }

    /// As it was when the samples with these margins had been passed.
    pub(super) fn passed_before(source: &'a S, path: &'a [Vec<f64>], margins: Option<Vec<f64>>) -> Self {
        Self { source, path, margins }
    }

    /// Takes in the next sample.
    ///
    /// Errors: [`ParametricError::RankChanges`].
    pub(super) fn passed(
        &mut self,
        sample: usize,
        pencil: &QuadraticPencil<S::Matrix>,
    ) -> Result<(), ParametricError> {
        let Some(margins) = &mut self.margins else { return Ok(()) };
        margins.push(margin(&pencil.phi_q)?.map_or(f64::INFINITY, |m| m.size));
        let greatest = margins.iter().copied().filter(|x| x.is_finite()).fold(0.0, f64::max);
        let lowest = |i: usize| {
            let next = margins.get(i + 1).is_none_or(|next| margins[i] <= *next);
            i > 0 && margins[i] <= margins[i - 1] && next && margins[i] < SUSPECT * greatest
        };
        let last = sample + 1 == self.path.len();
        let suspects = [lowest(sample - 1), last && lowest(sample)];
        if suspects[0] || suspects[1] {
            self.search(if suspects[0] { sample - 2 } else { sample - 1 }, sample, greatest)?;
        }
        Ok(())
    }

    /// The error of a step, or that the constraints lose rank in it.
    pub(super) fn named(&self, sample: usize, error: ParametricError) -> ParametricError {
        let greatest = self.margins.iter().flatten().copied().fold(0.0, f64::max);
        if self.margins.is_none() {
            return error;
        }
        match self.search(sample - 1, sample, greatest) {
            Err(named @ ParametricError::RankChanges { .. }) => named,
            _ => error,
        }
    }

    /// Searches the way between two samples.
    fn search(&self, from: usize, to: usize, greatest: f64) -> Result<(), ParametricError> {
        let point = |t: f64| -> Vec<f64> {
            let along = from as f64 + t * (to - from) as f64;
            let low = (from..to).rev().find(|i| *i as f64 <= along).unwrap_or(from);
            let share = along - low as f64;
            self.path[low].iter().zip(&self.path[low + 1]).map(|(a, b)| a + share * (b - a)).collect()
        };
        match vanishes(self.source, &point, [0.0, 1.0], greatest)? {
            Some(found) => Err(ParametricError::RankChanges {
                from: self.path[from].clone(),
                point: found.at,
                rows: found.rows,
            }),
            None => Ok(()),
        }
    }
}
