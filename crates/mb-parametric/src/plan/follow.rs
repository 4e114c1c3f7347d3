//! Groups followed from one centre to the next.
//!
//! Polynomials of degree 2 foretell the values as long as their error stays well below the distance to the next mode;
//! there they are found anew, as the values of the invariant space next to them.

use crate::group::{expand_group, group_values};
use crate::{MultiIndexSet, ParametricError, SeriesSource};
use mb_algebra::c64;

/// Largest error of a predicted value, as a share of the distance to the next mode.
const CERTAIN: f64 = 0.1;
/// The way may be halved so often.
const HALVINGS: i32 = 10;

/// Groups at a point.
pub(super) struct Groups<'a, S: SeriesSource> {
    source: &'a S,
    at: Vec<f64>,
    pub(super) values: Vec<Vec<c64>>,
}

impl<'a, S: SeriesSource> Groups<'a, S> {
    pub(super) fn new(source: &'a S, at: &[f64], values: &[Vec<c64>]) -> Self {
        Self { source, at: at.to_vec(), values: values.to_vec() }
    }

    /// Goes to a point, in as many steps as it takes.
    ///
    /// Errors: [`ParametricError::GroupNotSeparate`] where another mode joins a group; those of the source.
    pub(super) fn go(&mut self, to: &[f64]) -> Result<(), ParametricError> {
        if self.values.is_empty() {
            return Ok(());
        }
        while self.at != to {
            self.step(to)?;
        }
        Ok(())
    }

    /// Goes as far towards a point as the polynomials are certain.
    fn step(&mut self, to: &[f64]) -> Result<(), ParametricError> {
        let set = MultiIndexSet::total(self.source.parameters(), 2)?;
        let pencil = self.source.series(&self.at, &set)?;
        let series: Vec<_> =
            self.values.iter().map(|values| expand_group(&pencil, values, &set)).collect::<Result<_, _>>()?;
        let mut last = None;
        for halving in 0..=HALVINGS {
            let share = 0.5_f64.powi(halving);
            let d: Vec<f64> = self.at.iter().zip(to).map(|(a, b)| share * (b - a)).collect();
            let values: Vec<_> = series.iter().map(|s| s.evaluate(&d, 2)).collect::<Result<_, _>>()?;
            let certain = |(at, group): (&crate::GroupEvaluation, &crate::GroupSeries)| {
                at.mean_error <= CERTAIN * group.gap()
            };
            if !values.iter().zip(&series).all(certain) {
                continue;
            }
            let point: Vec<f64> =
                if halving == 0 { to.to_vec() } else { self.at.iter().zip(&d).map(|(a, d)| a + d).collect() };
            let matrices = self.source.matrices(&point)?;
            match values.iter().map(|at| group_values(&matrices, &at.values)).collect::<Result<Vec<_>, _>>() {
                Ok(found) => {
                    (self.at, self.values) = (point, found);
                    return Ok(());
                }
                Err(error @ ParametricError::GroupNotSeparate { .. }) => last = Some(error),
                Err(error) => return Err(error),
            }
        }
        let group = &self.values[0];
        let centre = group.iter().sum::<c64>() / group.len() as f64;
        Err(last.unwrap_or(ParametricError::GroupNotSeparate { centre, count: group.len() }))
    }
}
