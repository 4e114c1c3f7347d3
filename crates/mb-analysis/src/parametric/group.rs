//! Modes expanded together: close, repeated or defective ones, which have no series of their own.

use super::error::SeriesError;
use super::piece::NO_USE;
use super::storage::Solved;
use mb_algebra::c64;
use mb_parametric::journal::{Reader, Writer};
use mb_parametric::{
    GroupSeries, Journal, MultiIndexSet, ParametricError, PencilSeries, SeriesSource, expand_group,
    group_values,
};

/// A group of modes as polynomials.
#[derive(Clone, Debug)]
pub struct ExpandedGroup {
    /// Numbers of its modes at the point of expansion, as the modes of the spectrum are counted.
    pub numbers: Vec<usize>,
    /// The polynomials that are kept.
    pub kept: GroupSeries,
    /// The same with all terms that were expanded, against which the others are measured.
    pub full: GroupSeries,
    /// Largest estimated error of a value of the group in the region, rad/s.
    pub region_error: Option<f64>,
}

/// A group at a point.
#[derive(Clone, Debug)]
pub struct GroupValue {
    /// Eigenvalues by rising imaginary part, rad/s.
    pub values: Vec<c64>,
    /// Estimated error of each, rad/s; infinite where the terms do not fall off.
    pub errors: Vec<f64>,
    /// Their mean, rad/s.
    pub mean: c64,
    /// Its estimated error, rad/s.
    pub mean_error: f64,
    /// False beyond the reach of the polynomials.
    pub trusted: bool,
}

impl GroupValue {
    /// The largest estimated error of a value.
    pub fn largest_error(&self) -> f64 {
        self.errors.iter().fold(0.0, |m: f64, e| if e.is_nan() { f64::INFINITY } else { m.max(*e) })
    }
}

impl ExpandedGroup {
    /// Expands the modes with these numbers and eigenvalues over all terms, of which some are kept; a group that the `journal` has
    /// kept is taken from there.
    ///
    /// # Errors
    /// The errors of [`expand_group`], with the first mode's number.
    pub fn new<A: Solved>(
        pencil: &PencilSeries<A>,
        numbers: Vec<usize>,
        values: &[c64],
        all: &MultiIndexSet,
        set: &MultiIndexSet,
        journal: &mut dyn Journal,
    ) -> Result<Self, SeriesError> {
        let mode = numbers.first().copied();
        let failed = |source| SeriesError::Parametric { mode, source };
        let known = journal.recall().and_then(|numbers| GroupSeries::read(&mut Reader::new(&numbers), all));
        let full = if let Some(full) = known {
            full
        } else {
            let full = expand_group(pencil, values, all).map_err(failed)?;
            let mut numbers = Writer::default();
            full.write(&mut numbers);
            journal.keep(numbers.done());
            full
        };
        let kept = full.restricted(set).map_err(failed)?;
        Ok(Self { numbers, kept, full, region_error: None })
    }

    /// Its name: the numbers of its modes, `2+3`.
    pub fn name(&self) -> String {
        self.numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join("+")
    }

    /// The group at a distance from its point of expansion.
    ///
    /// # Errors
    /// A distance that is not finite.
    pub fn value(&self, d: &[f64]) -> Result<GroupValue, ParametricError> {
        let at = self.kept.evaluate_beside(&self.full, d)?;
        let size = at.values.iter().map(|s| s.norm()).fold(0.0, f64::max);
        let trusted = at.errors.iter().all(|e| *e <= NO_USE * size);
        let (values, errors, mean, mean_error) = (at.values, at.errors, at.mean, at.mean_error);
        Ok(GroupValue { values, errors, mean, mean_error, trusted })
    }
}

/// The exact eigenvalues of a group at a point of a source, next to values that are known well, by rising imaginary part;
/// none where the group is not separate from other modes.
///
/// # Errors
/// The errors of the source.
pub fn exact_values<S: SeriesSource>(
    source: &S,
    at: &[f64],
    near: &[c64],
) -> Result<Option<Vec<c64>>, ParametricError> {
    match group_values(&source.matrices(at)?, near) {
        Ok(values) => Ok(Some(values)),
        Err(ParametricError::GroupNotSeparate { .. } | ParametricError::Algebra(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Groups of eigenvalues that are closer to one of their group than a share of its size: indices, by rising number; an
/// eigenvalue that is close to no other one is in no group.
pub fn close_groups(values: &[c64], share: f64) -> Vec<Vec<usize>> {
    let near =
        |a: usize, b: usize| (values[a] - values[b]).norm() <= share * values[a].norm().max(values[b].norm());
    let mut open: Vec<usize> = (0..values.len()).collect();
    let mut out = Vec::new();
    while !open.is_empty() {
        let mut group = vec![open.remove(0)];
        let mut next = 0;
        while let Some(&from) = group.get(next) {
            let (joined, rest) = open.into_iter().partition(|k| near(from, *k));
            group.extend::<Vec<usize>>(joined);
            open = rest;
            next += 1;
        }
        if group.len() > 1 {
            group.sort_unstable();
            out.push(group);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_eigenvalues_stand_together_by_links() {
        let values = [1.0, 5.0, 1.009, 9.0, 1.018, 9.0].map(|x| c64::new(0.0, x));
        // The first and the third are further apart than a hundredth; the second links them.
        assert_eq!(close_groups(&values, 0.01), [vec![0, 2, 4], vec![3, 5]]);
        assert_eq!(close_groups(&values, 0.001), [vec![3, 5]]);
    }
}
