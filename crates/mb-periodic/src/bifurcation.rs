//! Bifurcations of periodic motions between two motions of a branch, solved for along the tangent.

use crate::branch::{At, Branch, BranchPoint, Follower};
use crate::error::PeriodicError;
use mb_algebra::{c64, dense, norms};

/// What happens to periodic motions at a bifurcation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bifurcation {
    /// The parameter turns round: a multiplier goes through 1.
    Fold,
    /// A multiplier goes through 1 and the parameter does not turn: branches cross, or the motion loses its symmetry.
    Branching,
    /// A multiplier goes through -1.
    PeriodDoubling,
    /// A complex pair goes through the unit circle.
    NeimarkSacker,
}

impl std::fmt::Display for Bifurcation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Fold => "fold",
            Self::Branching => "branching",
            Self::PeriodDoubling => "period doubling",
            Self::NeimarkSacker => "Neimark-Sacker",
        })
    }
}

/// What a search for the zero of a test function ends with.
enum Search {
    /// The motion there.
    Located(BranchPoint),
    /// The test function jumps from one sign to the other, as that of pairs does where a pair comes or goes.
    Jump,
    /// No motion between these values of the parameter was found that is nearer to it.
    Between([f64; 2]),
}

/// The cubic between two motions with their tangents, over the share of the way along the tangent of the first.
struct Chord {
    /// Length of the way along that tangent.
    length: f64,
    way: Vec<f64>,
    slopes: [Vec<f64>; 2],
}

impl Chord {
    /// `way`: u of b less that of a.
    fn new(a: &At, b: &At, way: Vec<f64>) -> Self {
        let length = dense::dot(&a.tangent, &way);
        let there = Follower::row(a, b, &b.tangent);
        let along = dense::dot(&a.tangent, &there);
        let scaled = |t: &[f64], by: f64| -> Vec<f64> { t.iter().map(|t| by * t).collect() };
        // Where the second tangent hardly goes along the first one, the straight line has to do.
        let end = if along > LEAST_ALONG { scaled(&there, length / along) } else { way.clone() };
        let begin = if along > LEAST_ALONG { scaled(&a.tangent, length) } else { way.clone() };
        Self { length, way, slopes: [begin, end] }
    }
    fn at(&self, share: f64) -> Vec<f64> {
        let (s, r) = (share, 1.0 - share);
        let [begin, end] = &self.slopes;
        (0..self.way.len())
            .map(|i| s * r * r * begin[i] + s * s * (3.0 - 2.0 * s) * self.way[i] - s * s * r * end[i])
            .collect()
    }
    /// True where a motion is as near to the expected one as one on the same branch is.
    fn is_near(&self, found: &[f64], expected: &[f64]) -> bool {
        let off: Vec<f64> = found.iter().zip(expected).map(|(a, b)| a - b).collect();
        norms::two(&off) <= NEAR * norms::two(&self.way)
    }
}

impl Follower<'_> {
    /// Bifurcations between two motions, solved for.
    pub(crate) fn bifurcations(&self, from: &At, to: &At, branch: &mut Branch) -> Result<(), PeriodicError> {
        let turns = turn(from) * turn(to) < 0.0;
        let kinds: [(Bifurcation, Test); 4] = [
            (Bifurcation::Fold, turn),
            (Bifurcation::Branching, |at| product(at, 1.0)),
            (Bifurcation::PeriodDoubling, |at| product(at, -1.0)),
            (Bifurcation::NeimarkSacker, pair),
        ];
        for (kind, test) in kinds {
            let (a, b) = (test(from), test(to));
            let clear = a.abs().min(b.abs()) > CLEAR;
            if a * b >= 0.0 || !clear || (kind == Bifurcation::Branching && turns) {
                continue;
            }
            match self.located(from, to, test, kind == Bifurcation::NeimarkSacker)? {
                Search::Located(point) => branch.bifurcations.push((kind, point)),
                Search::Between(values) => branch.not_located.push((kind, values)),
                Search::Jump => {}
            }
        }
        Ok(())
    }
    /// Where a test function vanishes between two motions: by the Illinois variant of regula falsi, each trial near the cubic between both; where
    /// no motion is found there, by other points between both. Where branches cross, the equations are singular, so that motions are
    /// found to some distance of it alone, and what is left is interpolated.
    fn located(&self, from: &At, to: &At, test: Test, may_jump: bool) -> Result<Search, PeriodicError> {
        let (mut a, mut b) = (from.clone(), to.clone());
        let (mut weight_a, mut weight_b) = (test(from), test(to));
        let mut last: Option<bool> = None;
        for _ in 0..MOST_TRIALS {
            let chord = Chord::new(&a, &b, self.way(&b, &a)?);
            if chord.length.abs() <= NARROW {
                break;
            }
            let secant = weight_a / (weight_a - weight_b);
            let mut found = None;
            for share in [secant, 0.5, 0.25, 0.75] {
                let expected = chord.at(share);
                match self.corrected_from(&a, &a.tangent, share * chord.length, &expected) {
                    Ok((at, _)) if chord.is_near(&self.way(&at, &a)?, &expected) => {
                        found = Some(at);
                        break;
                    }
                    Err(e @ PeriodicError::Stopped(_)) => return Err(e),
                    // None, or one of another branch that crosses this one.
                    Ok(_) | Err(_) => {}
                }
            }
            let Some(at) = found else { break };
            let value = test(&at);
            if value.abs() <= VANISHES {
                return Ok(Search::Located(at.point()));
            }
            // The end that stays twice counts half.
            let before = value * weight_a > 0.0;
            if before {
                (a, weight_a) = (at, value);
                weight_b *= if last == Some(true) { 0.5 } else { 1.0 };
            } else {
                (b, weight_b) = (at, value);
                weight_a *= if last == Some(false) { 0.5 } else { 1.0 };
            }
            last = Some(before);
        }
        let ends = [test(&a), test(&b)];
        let is_small = ends.iter().all(|x| x.abs() <= SMALL);
        if may_jump && !is_small && pairs(&a) != pairs(&b) {
            return Ok(Search::Jump);
        }
        if is_small || (b.p - a.p).abs() <= CLOSE * self.range().abs() {
            let share = ends[0] / (ends[0] - ends[1]);
            let mut point = if share < 0.5 { a.point() } else { b.point() };
            point.p = a.p + share * (b.p - a.p);
            return Ok(Search::Located(point));
        }
        Ok(Search::Between([a.p, b.p]))
    }
}

type Test = fn(&At) -> f64;

/// Cosine between the tangents of two motions from which on a cubic joins them.
const LEAST_ALONG: f64 = 0.2;

/// Share of the way between two motions by which one between them may be off the cubic: a branch that crosses departs from it as a root.
const NEAR: f64 = 0.05;

/// Trials between two motions.
const MOST_TRIALS: usize = 60;

/// Arclength between two motions that are one.
const NARROW: f64 = 1e-12;

/// A test function vanishes where it is below the first; between ends where it is below the second it is as good as linear.
const VANISHES: f64 = 1e-12;
const SMALL: f64 = 1e-6;

/// Share of the range of the parameter between two motions over which interpolation leaves the square of it.
const CLOSE: f64 = 1e-4;

/// Values of test functions below this at an end are rounding.
const CLEAR: f64 = 1e-9;

fn turn(at: &At) -> f64 {
    at.tangent.last().copied().unwrap_or(0.0)
}

/// Product of mu - z over all multipliers, each factor at most one: the sign is that of the determinant.
fn product(at: &At, z: f64) -> f64 {
    at.multipliers.iter().map(|m| (m - z) / (m - z).norm().max(1.0)).product::<c64>().re
}

/// |mu| - 1 of the complex pair nearest to the unit circle; one where there is none.
fn pair(at: &At) -> f64 {
    let pairs = at.multipliers.iter().filter(|m| m.im > 0.0).map(|m| m.norm() - 1.0);
    pairs.min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(1.0)
}

/// How many complex pairs there are.
fn pairs(at: &At) -> usize {
    at.multipliers.iter().filter(|m| m.im > 0.0).count()
}
