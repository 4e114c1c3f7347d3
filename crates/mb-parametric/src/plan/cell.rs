//! One centre: the smallest order for its part of the region.

use super::degrees::limited;
use super::{AccuracyOptions, Piece, Region};
use crate::eigenpair_series::{EigenpairSeries, expand_all};
use crate::polish::{StartingPair, polish};
use crate::rank::{RankChange, rank_change};
use crate::{MultiIndexSet, ParametricError, PencilSeries, SeriesSource};
use mb_algebra::c64;

/// Degrees expanded beyond the order that is judged.
const AHEAD: usize = 2;

/// Plans single pieces.
pub(super) struct Planner<'a, S> {
    pub(super) source: &'a S,
    pub(super) options: &'a AccuracyOptions,
}

/// Why one centre is not enough.
pub(super) struct Short {
    /// The parameter to cut across.
    pub(super) across: usize,
    /// Smallest error reached.
    pub(super) reached: f64,
    /// With this order.
    pub(super) order: usize,
}

/// Points with the exact eigenvalues of all pairs there.
type Exact = Vec<(Vec<f64>, Vec<c64>)>;

/// Estimated relative errors: for each order the largest, with the point it stands at.
struct Estimates {
    largest: Vec<f64>,
    /// Estimated errors of all points, by order.
    all: Vec<Vec<f64>>,
    /// Largest share of the radius of convergence.
    share: f64,
}

impl<S: SeriesSource> Planner<'_, S> {
    /// The piece of a part of the region, or why there is none.
    pub(super) fn piece(
        &self,
        part: &Region,
        starts: &[StartingPair],
    ) -> Result<Result<Piece, Short>, ParametricError> {
        let centre = part.centre();
        let points: Vec<Vec<f64>> =
            part.samples(self.options.samples).iter().map(|x| minus(x, &centre)).collect();
        let mut best = Short { across: 0, reached: f64::INFINITY, order: 0 };
        let mut order = 2.min(self.options.max_order);
        let mut looked = false;
        loop {
            let (pencil, full) = match self.expanded(&centre, starts, order + AHEAD) {
                Ok(found) => found,
                // Larger than memory or the jets allow: fewer terms in smaller parts.
                Err(ParametricError::TooManyTerms { .. } | ParametricError::CapacityExceeded { .. })
                    if best.order > 0 =>
                {
                    return Ok(Err(best));
                }
                Err(error) => return Err(error),
            };
            if !looked {
                self.refuse_rank_change(&pencil, &centre, part)?;
                looked = true;
            }
            let estimates = estimates(&full, &points, order)?;
            let (smallest, at) = smallest(&estimates.largest);
            if smallest < best.reached || best.order == 0 {
                best = Short { across: across(&full, &part.size())?, reached: smallest, order: at };
            }
            let good = estimates.largest.iter().position(|e| *e <= self.options.accuracy);
            // Near the accuracy the measure decides, from one order below.
            let first = good
                .map(|t| t.saturating_sub(1))
                .filter(|&t| t > 0 && estimates.largest[t] <= 3.0 * self.options.accuracy);
            for t in first.or(good).into_iter().flat_map(|t| t..=order) {
                let exact = self.exact(&centre, &full, &points, &estimates.all[t])?;
                let measured = measured(&full, t, &exact)?;
                if measured <= self.options.accuracy {
                    return self.finish(part, centre, full, t, &points, &exact).map(Ok);
                }
                best.reached = best.reached.min(measured);
            }
            if order >= self.options.max_order || estimates.share >= 1.0 {
                return Ok(Err(best));
            }
            order = (order + 2).min(self.options.max_order);
        }
    }

    /// The pairs about a centre to an order.
    fn expanded(
        &self,
        centre: &[f64],
        starts: &[StartingPair],
        order: usize,
    ) -> Result<(PencilSeries<S::Matrix>, Vec<EigenpairSeries>), ParametricError> {
        let set = MultiIndexSet::total(self.source.parameters(), order)?;
        let pencil = self.source.series(centre, &set)?;
        let pairs: Result<_, _> =
            expand_all(&pencil, starts, &set, &self.options.expand).into_iter().collect();
        Ok((pencil, pairs?))
    }

    /// Looks for constraints that lose rank between the centre and the outermost points.
    fn refuse_rank_change(
        &self,
        pencil: &PencilSeries<S::Matrix>,
        centre: &[f64],
        part: &Region,
    ) -> Result<(), ParametricError> {
        for point in part.samples(0) {
            let d = minus(&point, centre);
            if let Some(RankChange { at, rows }) = rank_change(self.source, pencil, centre, &d)? {
                return Err(ParametricError::RankChanges { from: centre.to_vec(), point: at, rows });
            }
        }
        Ok(())
    }

    /// The exact eigenvalues at the points where the errors are largest.
    fn exact(
        &self,
        centre: &[f64],
        full: &[EigenpairSeries],
        points: &[Vec<f64>],
        errors: &[f64],
    ) -> Result<Exact, ParametricError> {
        let mut worst: Vec<usize> = (0..points.len()).collect();
        worst.sort_by(|&i, &j| errors[j].total_cmp(&errors[i]));
        worst.truncate(self.options.measured.max(1));
        let one = |&i: &usize| {
            let point: Vec<f64> = centre.iter().zip(&points[i]).map(|(a, b)| a + b).collect();
            let pencil = self.source.matrices(&point)?;
            let values = full
                .iter()
                .map(|series| {
                    let at = series.evaluate(&points[i], series.order())?;
                    let start = StartingPair { s: at.s, vector: at.vector };
                    Ok(polish(&pencil, &start, &self.options.expand.polish)?.s)
                })
                .collect::<Result<Vec<c64>, ParametricError>>()?;
            Ok((points[i].clone(), values))
        };
        worst.iter().map(one).collect()
    }

    /// The piece of an order that is accurate, with as few terms as may be.
    fn finish(
        &self,
        part: &Region,
        centre: Vec<f64>,
        full: Vec<EigenpairSeries>,
        order: usize,
        points: &[Vec<f64>],
        exact: &Exact,
    ) -> Result<Piece, ParametricError> {
        let complete = MultiIndexSet::total(self.source.parameters(), order)?;
        let candidates = if self.options.limit_degrees {
            vec![limited(&full, order, points, 0.1 * self.options.accuracy)?, complete]
        } else {
            vec![complete]
        };
        let mut last = None;
        for set in candidates {
            let pairs = full.iter().map(|series| series.restricted(&set)).collect::<Result<Vec<_>, _>>()?;
            let measured = measured(&pairs, order, exact)?;
            let mut estimated = 0.0_f64;
            for point in points {
                for (kept, all) in pairs.iter().zip(&full) {
                    let best = all.evaluate(point, all.order())?;
                    let off = (kept.eigenvalue(point)? - best.s).norm();
                    estimated = estimated.max((off + best.error) / best.s.norm());
                }
            }
            let done = measured <= self.options.accuracy;
            last = Some((set, pairs, estimated, measured));
            if done {
                break;
            }
        }
        // There was at least one candidate.
        let Some((set, pairs, estimated, measured)) = last else {
            return Err(ParametricError::WrongLength { what: "the candidates", expected: 1, found: 0 });
        };
        Ok(Piece { centre, region: part.clone(), order, set, pairs, full, estimated, measured })
    }
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

/// Smallest of a list and where it stands.
fn smallest(list: &[f64]) -> (f64, usize) {
    let at = (0..list.len()).min_by(|&i, &j| list[i].total_cmp(&list[j])).unwrap_or(0);
    (list[at], at)
}

/// Errors of orders 0 to `most` at all points.
fn estimates(
    full: &[EigenpairSeries],
    points: &[Vec<f64>],
    most: usize,
) -> Result<Estimates, ParametricError> {
    let mut out =
        Estimates { largest: vec![0.0; most + 1], all: vec![vec![0.0; points.len()]; most + 1], share: 0.0 };
    for (i, point) in points.iter().enumerate() {
        for series in full {
            let best = series.evaluate(point, series.order())?;
            let size = best.s.norm().max(f64::MIN_POSITIVE);
            out.share = out.share.max(best.share.unwrap_or(0.0));
            let parts = series.along(point)?;
            let mut sum = c64::ZERO;
            for t in 0..=most {
                sum += parts[t];
                let error = ((sum - best.s).norm() + best.error) / size;
                out.all[t][i] = out.all[t][i].max(error);
                out.largest[t] = out.largest[t].max(error);
            }
        }
    }
    Ok(out)
}

/// The largest relative error of the sums to `order` against exact eigenvalues.
fn measured(pairs: &[EigenpairSeries], order: usize, exact: &Exact) -> Result<f64, ParametricError> {
    let mut largest = 0.0_f64;
    for (point, values) in exact {
        for (series, s) in pairs.iter().zip(values) {
            let at = series.evaluate(point, order.min(series.order()))?;
            largest = largest.max((at.s - s).norm() / s.norm().max(f64::MIN_POSITIVE));
        }
    }
    Ok(largest)
}

/// The parameter in which the part reaches furthest towards the end of convergence.
fn across(full: &[EigenpairSeries], size: &[f64]) -> Result<usize, ParametricError> {
    let mut best = (0, -1.0);
    for (k, extent) in size.iter().enumerate().filter(|(_, x)| **x > 0.0) {
        let mut d = vec![0.0; size.len()];
        d[k] = 0.5 * extent;
        for series in full {
            let parts = series.along(&d)?;
            // The last degrees, relative to the size: how slowly the terms fall in this direction.
            let last = parts.iter().rev().take(2).map(|x| x.norm()).fold(0.0, f64::max);
            let share = last / parts[0].norm().max(f64::MIN_POSITIVE);
            if share > best.1 {
                best = (k, share);
            }
        }
    }
    Ok(best.0)
}
