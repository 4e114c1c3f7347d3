//! Groups of modes along a path: their values, and what their modes do where they can be distinguished from one
//! another.

use super::error::SeriesError;
use super::expansion::Expansion;
use super::group::{GroupValue, exact_values};
use super::origin::Origin;
use super::storage::{Pencil, Solved};
use super::walk::Walk;
use mb_algebra::{Dense, Sparse, c64};
use mb_parametric::{ParametricError, RefinedEigenpair, StartingEigenpair, Track, TrackOptions, track};

/// Values closer than this share of their size coincide.
const COINCIDE: f64 = 1e-6;
/// Modes of a group are distinguished from one another from a place where they are further apart than this share of
/// their size.
const APART: f64 = 1e-4;

/// A group of modes along the path.
#[derive(Clone, Debug)]
pub struct TrackedGroup {
    /// By polynomials, at every sample.
    pub predicted: Vec<GroupValue>,
    /// The exact eigenvalues at every sample; none where another mode coincides with one of the group.
    pub exact: Vec<Option<Vec<c64>>>,
}

/// The groups of an expansion along a path.
#[derive(Clone, Debug, Default)]
pub struct FollowedGroups {
    /// In the order of the expansion.
    pub groups: Vec<TrackedGroup>,
    /// The single modes, and behind them those of the groups, followed together; none without groups, or where modes of a group
    /// cannot be distinguished from one another.
    pub members: Option<Track>,
}

/// Follows the groups that are expanded together along `distances` from the point that is asked for, from the sample `middle` on;
/// `exact` are the modes that are followed one by one.
///
/// # Errors
/// Those of the operating points on the way.
pub fn follow_groups(
    origin: &Origin<'_>,
    expansion: &Expansion,
    exact: &Track,
    distances: &[Vec<f64>],
    middle: usize,
) -> Result<FollowedGroups, SeriesError> {
    match expansion.pieces[0].pencil {
        Pencil::Dense(_) => followed::<Dense>(origin, expansion, exact, distances, middle),
        Pencil::Sparse(_) => followed::<Sparse>(origin, expansion, exact, distances, middle),
    }
}

fn followed<A: Solved>(
    origin: &Origin<'_>,
    expansion: &Expansion,
    exact: &Track,
    distances: &[Vec<f64>],
    middle: usize,
) -> Result<FollowedGroups, SeriesError> {
    let piece = &expansion.pieces[0];
    if piece.groups.is_empty() {
        return Ok(FollowedGroups::default());
    }
    let source: Walk<'_, A> = Walk::new(origin, expansion)?;
    let groups: Vec<TrackedGroup> = (0..piece.groups.len())
        .map(|k| followed_group(&source, expansion, k, distances, middle))
        .collect::<Result<_, _>>()?;
    let members = members(&source, expansion, exact, &groups, middle)?;
    Ok(FollowedGroups { groups, members })
}

/// Group `k` at every sample, from the middle to both ends.
fn followed_group<A: Solved>(
    source: &Walk<'_, A>,
    expansion: &Expansion,
    k: usize,
    distances: &[Vec<f64>],
    middle: usize,
) -> Result<TrackedGroup, SeriesError> {
    let group = |d: &Vec<f64>| expansion.pieces[0].group(k, d);
    let predicted = distances.iter().map(group).collect::<Result<Vec<_>, _>>()?;
    let mut exact: Vec<Option<Vec<c64>>> = vec![None; distances.len()];
    for side in [(0..=middle).rev().collect::<Vec<_>>(), (middle..distances.len()).collect()] {
        let mut last = predicted[middle].values.clone();
        for i in side {
            let near = if predicted[i].trusted { &predicted[i].values } else { &last };
            let found = exact_values(source, &distances[i], near)?;
            if let Some(values) = &found {
                last.clone_from(values);
            }
            exact[i] = found;
        }
    }
    Ok(TrackedGroup { predicted, exact })
}

impl TrackedGroup {
    /// Value `j` at sample `i`, rad/s; NaN where the group is not separate.
    pub fn value(&self, i: usize, j: usize) -> c64 {
        self.exact[i].as_ref().map_or(c64::new(f64::NAN, f64::NAN), |values| values[j])
    }

    /// The mean at sample `i`.
    pub fn exact_mean(&self, i: usize) -> c64 {
        let k = self.predicted[i].values.len();
        (0..k).map(|j| self.value(i, j)).sum::<c64>() / k as f64
    }

    /// Largest difference of the polynomial mean from the exact one, relative to it.
    pub fn deviation(&self) -> f64 {
        let off = |i: usize| (self.predicted[i].mean - self.exact_mean(i)).norm() / self.exact_mean(i).norm();
        (0..self.exact.len()).filter(|i| self.exact[*i].is_some()).map(off).fold(0.0, f64::max)
    }

    /// The smallest distance of two values at a sample, relative to the largest value; none where the group is not separate.
    fn closest(&self, i: usize) -> Option<f64> {
        let values = self.exact[i].as_ref()?;
        let size = values.iter().map(|s| s.norm()).fold(f64::MIN_POSITIVE, f64::max);
        let pairs = (0..values.len()).flat_map(|a| (a + 1..values.len()).map(move |b| (a, b)));
        Some(pairs.map(|(a, b)| (values[a] - values[b]).norm()).fold(f64::INFINITY, f64::min) / size)
    }

    /// Whether two values coincide at a sample.
    pub(super) fn coincide(&self, i: usize) -> bool {
        self.closest(i).is_some_and(|gap| gap <= COINCIDE)
    }
}

/// The modes followed one by one and those of all groups, followed together: first the single ones, then group by group,
/// those of a group numbered by rising frequency where they are apart nearest to the middle of the path.
///
/// None where the modes of a group cannot be distinguished from one another.
///
/// # Errors
/// The errors of the source.
fn members<A: Solved>(
    source: &Walk<'_, A>,
    expansion: &Expansion,
    exact: &Track,
    groups: &[TrackedGroup],
    middle: usize,
) -> Result<Option<Track>, SeriesError> {
    let piece = &expansion.pieces[0];
    let distances = &exact.points;
    let clear = |i: usize| {
        groups.iter().all(|g| g.predicted[i].trusted && g.closest(i).is_some_and(|gap| gap >= APART))
    };
    let mut samples: Vec<usize> = (0..distances.len()).filter(|i| clear(*i)).collect();
    samples.sort_by_key(|i| i.abs_diff(middle));
    let Some(&begin) = samples.first() else { return Ok(None) };
    let start = |pair: &RefinedEigenpair| StartingEigenpair { s: pair.s, vector: pair.vector.clone() };
    let mut starts: Vec<StartingEigenpair> = exact.eigenpairs[begin].iter().map(start).collect();
    let off: Vec<f64> = distances[begin].iter().zip(&piece.centre).map(|(a, b)| a - b).collect();
    for (group, tracked) in piece.groups.iter().zip(groups) {
        let at = group.full.evaluate(&off, group.full.order())?;
        for s in tracked.exact[begin].iter().flatten() {
            let distance = |k: &usize| (at.values[*k] - s).norm();
            let nearest = (0..at.values.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            let Some(k) = nearest else { return Ok(None) };
            starts.push(StartingEigenpair { s: *s, vector: at.vectors[k].clone() });
        }
    }
    let options = TrackOptions::default();
    let back: Vec<Vec<f64>> = distances[..=begin].iter().rev().cloned().collect();
    let whole = track(source, &back, &starts, &options).and_then(|first| {
        let first: Vec<StartingEigenpair> =
            first.eigenpairs.last().map_or_else(Vec::new, |pairs| pairs.iter().map(start).collect());
        track(source, distances, &first, &options)
    });
    match whole {
        Ok(found) => Ok(Some(found)),
        Err(
            ParametricError::TrackLost { .. }
            | ParametricError::NotSimple { .. }
            | ParametricError::NotConverged { .. }
            | ParametricError::StartTooFar { .. },
        ) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
