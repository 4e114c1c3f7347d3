//! What inertias from outside prove, held against modes with error bounds.
//!
//! ```text
//! number of w below t = negative eigenvalues of K~ - t M~, less r        (M positive semi-definite)
//! ```
//!
//! A count is taken where no bound of a mode reaches t, no pivot was taken for zero and a solve with the factors is right. Every
//! statement needs two counts at each end, and all counts between them and the modes must agree: a factorization that lost its
//! digits, or a message that lost a number, would have to err in the same way at shifts that differ.

use crate::engine::Inertia;
use crate::finding::{Completeness, Proof, Region, SparseFinding};
use crate::tuning;
use mb_algebra::sorted::ascending;

/// A mode by the interval of w in which it lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A count that can be taken: the modes below w that the inertia shows, and those that were found.
#[derive(Clone, Copy, Debug)]
struct Point {
    at: f64,
    counted: usize,
    found: usize,
}

/// What is shown of the modes between `low` and `high`, both w.
///
/// `unit`: what turns the engine's w into ours.
pub(crate) fn judge(
    inertias: &[Inertia],
    unit: f64,
    rank: usize,
    modes: &[Mode],
    [low, high]: [f64; 2],
) -> SparseFinding {
    let unproved = |reason: &str| SparseFinding::Unproved { reason: reason.to_owned() };
    let mut points: Vec<Point> = inertias.iter().filter_map(|i| point(i, unit, rank, modes)).collect();
    ascending(&mut points, |a| a.at);
    points.dedup_by(|a, b| a.at.total_cmp(&b.at).is_eq());
    let above: Vec<Point> = points.iter().copied().filter(|p| p.at >= high).collect();
    let below: Vec<Point> = points.iter().copied().filter(|p| p.at <= low).collect();
    let Some(top) = above.first() else {
        return unproved("the engine gave no inertia above the modes returned that can be believed");
    };
    // Where all below the upper end are known, those below anything lower are.
    let all_below = |p: &Point| p.counted == p.found;
    let (bottom, from_nothing) = match below.last() {
        _ if all_below(top) => (None, true),
        Some(bottom) => (Some(*bottom), false),
        None => {
            return if top.counted > top.found && low <= 0.0 {
                // More below than were found, wherever they are.
                interval_holds(low.min(-top.at.abs()), top.at, top.found, top.counted)
            } else {
                unproved("the engine gave no inertia below the modes returned that can be believed")
            };
        }
    };
    let between = |p: &Point, q: Option<Point>| {
        let (counted, found) = q.map_or((0, 0), |q| (q.counted, q.found));
        (p.counted.checked_sub(counted), p.found.saturating_sub(found))
    };
    let (counted, found) = between(top, bottom);
    let Some(counted) = counted else {
        return unproved("the inertias of the engine contradict each other");
    };
    if found > counted {
        return unproved(
            "the inertias of the engine count fewer eigenvalues than were found: an end of the interval lies too near to an eigenvalue",
        );
    }
    let from = bottom.map_or(low.min(-top.at.abs()), |p| p.at);
    if found < counted {
        return interval_holds(from, top.at, found, counted);
    }
    // Again at other shifts: what lies between them is known as well.
    let again = |list: &[Point], first: &Point| {
        list.iter().any(|p| {
            p.at.total_cmp(&first.at).is_ne() && {
                let (one, two) = if p.at > first.at { (p, first) } else { (first, p) };
                one.counted >= two.counted && one.counted - two.counted == one.found.saturating_sub(two.found)
            }
        })
    };
    let consistent = |list: &[Point], first: &Point| {
        list.iter().all(|p| {
            let (one, two) = if p.at > first.at { (p, first) } else { (first, p) };
            // What lies further out need not have been found.
            one.counted >= two.counted && one.counted - two.counted >= one.found.saturating_sub(two.found)
        })
    };
    let lower = bottom.is_none_or(|bottom| again(&below, &bottom) && consistent(&below, &bottom));
    if !(again(&above, top) && consistent(&above, top) && lower) {
        return unproved("the inertias of the engine at a second shift do not repeat those at the first");
    }
    debug_assert!(from_nothing || bottom.is_some());
    interval_holds(from, top.at, found, counted)
}

/// The outcome of a count.
fn interval_holds(from: f64, to: f64, found: usize, counted: usize) -> SparseFinding {
    SparseFinding::Completeness(Completeness {
        region: Region::Interval { from, to },
        found,
        counted,
        by: Proof::Inertia,
    })
}

fn point(inertia: &Inertia, unit: f64, rank: usize, modes: &[Mode]) -> Option<Point> {
    let at = unit * inertia.at;
    // Relative residual of a solve above which factors, and their inertia, are not believed.
    let right = at.is_finite() && inertia.null_pivots == 0 && inertia.residual <= tuning::SQRT_EPS;
    let clear = modes.iter().all(|mode| mode.high < at || mode.low > at);
    let counted = inertia.negative.checked_sub(rank)?;
    let found = modes.iter().filter(|mode| mode.high < at).count();
    (right && clear).then_some(Point { at, counted, found })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modes(w: &[f64]) -> Vec<Mode> {
        w.iter().map(|w| Mode { low: w - 1e-6, high: w + 1e-6 }).collect()
    }

    fn counts(points: &[(f64, usize)]) -> Vec<Inertia> {
        let of = |&(at, below): &(f64, usize)| Inertia {
            at,
            negative: below + 3,
            null_pivots: 0,
            residual: 1e-15,
        };
        points.iter().map(of).collect()
    }

    fn told(points: &[(f64, usize)], w: &[f64], ends: [f64; 2]) -> SparseFinding {
        judge(&counts(points), 1.0, 3, &modes(w), ends)
    }

    fn complete(finding: &SparseFinding) -> Option<bool> {
        match finding {
            SparseFinding::Completeness(count) => Some(count.is_complete()),
            _ => None,
        }
    }

    #[test]
    fn everything_below_the_top_is_known() {
        let found = told(&[(4.5, 4), (4.7, 4)], &[1.0, 2.0, 3.0, 4.0, 5.0], [-4.0, 4.0]);
        assert_eq!(complete(&found), Some(true), "{found:?}");
    }

    #[test]
    fn a_mode_left_out_is_missed() {
        for left_out in 0..4 {
            let w: Vec<f64> = (0..4).filter(|i| *i != left_out).map(|i| f64::from(i) + 1.0).collect();
            let points = [(4.5, 4), (4.7, 4), (0.5, 0), (0.4, 0)];
            assert_eq!(complete(&told(&points, &w, [0.6, 4.1])), Some(false));
        }
    }

    #[test]
    fn one_count_is_no_proof() {
        let w = [1.0, 2.0, 3.0];
        assert_eq!(complete(&told(&[(3.5, 3)], &w, [-3.0, 3.0])), None);
        assert_eq!(complete(&told(&[(3.5, 3), (3.6, 4)], &w, [-3.0, 3.0])), None);
        assert_eq!(complete(&told(&[(3.5, 13), (3.6, 13), (0.9, 10)], &w, [0.95, 3.0])), None);
        let both = [(3.5, 13), (3.6, 13), (0.9, 10), (0.8, 10)];
        assert_eq!(complete(&told(&both, &w, [0.95, 3.0])), Some(true));
    }

    #[test]
    fn a_count_on_a_mode_or_with_null_pivots_is_none() {
        let w = [1.0, 2.0];
        assert_eq!(complete(&told(&[(2.0, 1), (2.5, 2)], &w, [-2.0, 2.0])), None);
        let mut points = counts(&[(2.5, 2), (2.6, 2)]);
        points[1].null_pivots = 1;
        assert_eq!(complete(&judge(&points, 1.0, 3, &modes(&w), [-2.0, 2.0])), None);
        points[1] = Inertia { null_pivots: 0, residual: 1e-3, ..points[1] };
        assert_eq!(complete(&judge(&points, 1.0, 3, &modes(&w), [-2.0, 2.0])), None);
    }

    #[test]
    fn fewer_counted_than_found_is_no_proof() {
        assert_eq!(complete(&told(&[(2.5, 1), (2.6, 1)], &[1.0, 2.0], [-2.0, 2.0])), None);
    }
}
