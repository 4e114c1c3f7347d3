//! Bifurcations of periodic motions between two motions of a branch, solved for along the tangent.

use crate::branch::{At, Branch, Follower};
use crate::error::PeriodicError;
use mb_algebra::{c64, dense};

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

impl Follower<'_> {
    /// Bifurcations between two motions, solved for.
    pub(crate) fn bifurcations(&self, from: &At, to: &At, branch: &mut Branch) -> Result<(), PeriodicError> {
        let length = dense::dot(&from.tangent, &self.way(to, from)?);
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
            if let Some(found) = self.located(from, length, test, [a, b])? {
                branch.bifurcations.push((kind, found.point()));
            }
        }
        Ok(())
    }
    /// Where a test function vanishes along the tangent, by the Illinois variant of regula falsi.
    fn located(
        &self,
        from: &At,
        length: f64,
        test: Test,
        ends: [f64; 2],
    ) -> Result<Option<At>, PeriodicError> {
        let (mut a, mut b) = ((0.0, ends[0]), (length, ends[1]));
        let mut best: Option<At> = None;
        for _ in 0..60 {
            let s = (a.0 * b.1 - b.0 * a.1) / (b.1 - a.1);
            let (at, _) = match self.corrected(from, &from.tangent, s) {
                Ok(found) => found,
                Err(e @ PeriodicError::Stopped(_)) => return Err(e),
                Err(_) => break,
            };
            let value = test(&at);
            let narrow = (b.0 - a.0).abs() <= 1e-12 * length.abs();
            best = Some(at);
            if value.abs() <= 1e-12 || narrow {
                break;
            }
            if value * b.1 < 0.0 {
                a = b;
            } else {
                a.1 *= 0.5;
            }
            b = (s, value);
        }
        // What does not vanish there has jumped, as a pair does that comes or goes.
        Ok(best.filter(|at| test(at).abs() <= 1e-6))
    }
}

type Test = fn(&At) -> f64;

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
