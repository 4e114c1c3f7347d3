//! One centre: the smallest order for its part of the region.

use super::degrees::limited;
use super::modes::{Modes, Starts, Values};
use super::{AccuracyOptions, Piece, Region};
use crate::rank::{RankChange, rank_change_within};
use crate::{MultiIndexSet, ParametricError, SeriesSource};
use mb_algebra::sorted::descending;

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

/// Points with the exact eigenvalues of all modes there.
type Exact = Vec<(Vec<f64>, Values)>;

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
        starts: &Starts,
    ) -> Result<Result<Piece, Short>, ParametricError> {
        let centre = part.centre();
        let points: Vec<Vec<f64>> =
            part.samples(self.options.samples).iter().map(|x| minus(x, &centre)).collect();
        let mut best = Short { across: 0, reached: f64::INFINITY, order: 0 };
        let mut order = 2.min(self.options.max_order);
        let mut looked = false;
        loop {
            let expanded = || {
                let set = MultiIndexSet::total(self.source.parameters(), order + AHEAD)?;
                let pencil = self.source.series(&centre, &set)?;
                let modes = Modes::expanded(&pencil, starts, &set, &self.options.expand)?;
                Ok((set, pencil, modes))
            };
            let (all, pencil, full) = match expanded() {
                Ok(found) => found,
                // Larger than memory or the jets allow: fewer terms in smaller parts.
                Err(
                    ParametricError::TooManyTerms { .. }
                    | ParametricError::OrderTooHigh { .. }
                    | ParametricError::CapacityExceeded { .. },
                ) if best.order > 0 => {
                    return Ok(Err(best));
                }
                Err(error) => return Err(error),
            };
            if !looked {
                if let Some(found) = rank_change_within(self.source, &pencil, &centre, part)? {
                    let RankChange { at: point, rows } = found;
                    return Err(ParametricError::RankChanges { from: centre, point, rows });
                }
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
                    return self.finish(part, centre, &all, full, t, &points, &exact).map(Ok);
                }
                best.reached = best.reached.min(measured);
            }
            if order >= self.options.max_order || estimates.share >= 1.0 {
                return Ok(Err(best));
            }
            order = (order + 2).min(self.options.max_order);
        }
    }

    /// The exact eigenvalues at the points where the errors are largest.
    fn exact(
        &self,
        centre: &[f64],
        full: &Modes,
        points: &[Vec<f64>],
        errors: &[f64],
    ) -> Result<Exact, ParametricError> {
        let mut worst: Vec<usize> = (0..points.len()).collect();
        descending(&mut worst, |&i| errors[i]);
        worst.truncate(self.options.measured.max(1));
        let one = |&i: &usize| {
            let point: Vec<f64> = centre.iter().zip(&points[i]).map(|(a, b)| a + b).collect();
            let pencil = self.source.matrices(&point)?;
            let values = full.exact(&points[i], &pencil, &self.options.expand.polish)?;
            Ok((points[i].clone(), values))
        };
        worst.iter().map(one).collect()
    }

    /// The piece of an order that is accurate, with as few terms as may be.
    #[expect(clippy::too_many_arguments, reason = "what one centre's search has found")]
    fn finish(
        &self,
        part: &Region,
        centre: Vec<f64>,
        all: &MultiIndexSet,
        full: Modes,
        order: usize,
        points: &[Vec<f64>],
        exact: &Exact,
    ) -> Result<Piece, ParametricError> {
        let complete = MultiIndexSet::total(self.source.parameters(), order)?;
        let kept = |set: MultiIndexSet| {
            let modes = full.restricted(&set)?;
            let measured = measured(&modes, order, exact)?;
            Ok::<_, ParametricError>((set, modes, measured))
        };
        let mut found = if self.options.limit_degrees {
            kept(limited(&full, all, order, points, 0.1 * self.options.accuracy)?)?
        } else {
            kept(complete.clone())?
        };
        if found.2 > self.options.accuracy {
            found = kept(complete)?;
        }
        let (set, modes, measured) = found;
        let mut estimated = 0.0_f64;
        for point in points {
            estimated = estimated.max(modes.error_beside(&full, point)?);
        }
        let (Modes { eigenpairs, groups }, Modes { eigenpairs: full, groups: full_groups }) = (modes, full);
        let (region, all) = (part.clone(), all.clone());
        Ok(Piece {
            centre,
            region,
            order,
            set,
            eigenpairs,
            full,
            groups,
            full_groups,
            all,
            estimated,
            measured,
        })
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
fn estimates(full: &Modes, points: &[Vec<f64>], most: usize) -> Result<Estimates, ParametricError> {
    let mut out =
        Estimates { largest: vec![0.0; most + 1], all: vec![vec![0.0; points.len()]; most + 1], share: 0.0 };
    for (i, point) in points.iter().enumerate() {
        let (errors, share) = full.errors(point, most)?;
        out.share = out.share.max(share);
        for (t, error) in errors.into_iter().enumerate() {
            out.all[t][i] = error;
            out.largest[t] = out.largest[t].max(error);
        }
    }
    Ok(out)
}

/// The largest relative error of the sums to `order` against exact eigenvalues.
fn measured(modes: &Modes, order: usize, exact: &Exact) -> Result<f64, ParametricError> {
    let mut largest = 0.0_f64;
    for (point, values) in exact {
        largest = largest.max(modes.off(point, order, values)?);
    }
    Ok(largest)
}

/// The parameter in which the part reaches furthest towards the end of convergence.
fn across(full: &Modes, size: &[f64]) -> Result<usize, ParametricError> {
    let mut best = (0, -1.0);
    for (k, extent) in size.iter().enumerate().filter(|(_, x)| **x > 0.0) {
        let mut d = vec![0.0; size.len()];
        d[k] = 0.5 * extent;
        // How slowly the terms fall in this direction.
        let tail = full.tail(&d)?;
        if tail > best.1 {
            best = (k, tail);
        }
    }
    Ok(best.0)
}
