//! Rank as a decision: where the singular values (or pivots) are cut, and how wide the gap is.

use serde::{Deserialize, Serialize};

/// Where numbers stop counting as nonzero.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankTolerance {
    /// Values at or below `relative` times the largest one are dropped. Default 1e-10.
    pub relative: f64,
}

impl Default for RankTolerance {
    fn default() -> Self {
        Self { relative: 1e-10 }
    }
}

/// A numerical rank and the numbers on both sides of the cut.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankDecision {
    /// Number of values kept.
    pub rank: usize,
    /// Smallest value kept, in the units of the matrix; none when the rank is zero.
    pub smallest_kept: Option<f64>,
    /// Largest value dropped, in the units of the matrix; none when the rank is full.
    pub largest_dropped: Option<f64>,
}

impl RankDecision {
    /// Cuts a list of non-negative values, largest first as far as rounding lets a pivoting find it.
    ///
    /// The rank is the number of values before the first at or below the cut. A list of zeros has rank zero.
    pub fn new(values: &[f64], tolerance: RankTolerance) -> Self {
        let largest = values.iter().copied().fold(0.0, f64::max);
        let cut = largest * tolerance.relative;
        let rank = if largest > 0.0 { values.iter().take_while(|&&v| v > cut).count() } else { 0 };
        Self {
            rank,
            smallest_kept: values[..rank].iter().copied().reduce(f64::min),
            largest_dropped: values[rank..].iter().copied().reduce(f64::max),
        }
    }

    /// Ratio `largest_dropped / smallest_kept`: 0 is a sure decision, near 1 is a guess.
    ///
    /// Zero when nothing was dropped or nothing was kept.
    pub fn gap(&self) -> f64 {
        match (self.smallest_kept, self.largest_dropped) {
            (Some(kept), Some(dropped)) => dropped / kept,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cut_is_relative_to_the_largest_value() {
        let decision = RankDecision::new(&[1e6, 1.0, 1e-5], RankTolerance::default());
        assert_eq!(decision.rank, 2);
        assert_eq!(decision.smallest_kept, Some(1.0));
        assert_eq!(decision.largest_dropped, Some(1e-5));
        assert!((decision.gap() - 1e-5).abs() < 1e-20);
    }

    #[test]
    fn zeros_and_nothing_have_rank_zero() {
        for values in [&[0.0, 0.0][..], &[]] {
            let decision = RankDecision::new(values, RankTolerance::default());
            assert_eq!(decision.rank, 0);
            assert_eq!(decision.smallest_kept, None);
        }
    }

    #[test]
    fn full_rank_drops_nothing() {
        let decision = RankDecision::new(&[2.0, 1.0], RankTolerance::default());
        assert_eq!((decision.rank, decision.largest_dropped), (2, None));
        assert!(decision.gap().abs() < f64::EPSILON);
    }
}
