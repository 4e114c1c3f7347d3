//! Sturm counts: how many w = -s^2 lie in an interval, from the inertia of the factors.
//!
//! ```text
//! number of w below t = negative eigenvalues of K - t M on {Phi_q x = 0}   (M positive semi-definite)
//! ```
//!
//! Each count costs a factorization. The difference of two counts is right for singular M too: a direction
//! without mass contributes the same at both ends. Parlett, The Symmetric Eigenvalue Problem, section 3.3.

use mb_algebra::Dense;

use crate::EigenError;
use crate::finding::{Completeness, Proof, Region, SparseFinding};
use crate::problem::Problem;
use crate::problem::modes::Modes;
use crate::search::hermitian::{Place, Symmetric};
use crate::transform::factors::Shifted;
use crate::transform::factors::Work;
use crate::transform::shift_invert_symmetric::Known;
use crate::tuning;

/// An interval of w with the number of modes in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// Modes below `from`.
    pub(crate) low: usize,
    pub(crate) modes: usize,
}

/// A shift whose factors may have been freed.
pub(crate) struct Released {
    pub(crate) sigma: f64,
    shifted: Option<Shifted>,
    /// Accuracy of the freed factors.
    before: Work,
}

impl Released {
    /// With its factors.
    pub(crate) fn held(shifted: Shifted) -> Self {
        Self { sigma: shifted.sigma, before: Work::default(), shifted: Some(shifted) }
    }

    /// Frees the factors, unless they are small; the negative eigenvalues they counted.
    pub(crate) fn release(&mut self, problem: &Problem) -> Option<usize> {
        if problem.has_small_factors() {
            return self.shifted.as_ref()?.solver.negative();
        }
        let shifted = self.shifted.take()?;
        self.before = shifted.solver.work();
        shifted.solver.negative()
    }

    /// The shift with its factors, where they have not been freed.
    pub(crate) fn kept(self) -> Option<Shifted> {
        self.shifted
    }

    /// Work of all factors at this shift.
    pub(crate) fn work(&self) -> Work {
        let Some(shifted) = &self.shifted else { return self.before.clone() };
        let mut work = shifted.solver.work();
        work.solves += self.before.solves;
        work
    }
}

impl Symmetric<'_> {
    /// Number of w below `t`, with the point at which it was taken (`t` may lie on an eigenvalue); none when the factors give no inertia.
    pub(crate) fn below(&mut self, t: f64) -> Result<Option<(f64, usize)>, EigenError> {
        self.below_by(t, |run| run.factor_quietly(t))
    }

    fn below_by(
        &mut self,
        t: f64,
        factor: impl FnOnce(&mut Self) -> Result<Shifted, EigenError>,
    ) -> Result<Option<(f64, usize)>, EigenError> {
        if let Some(count) = self.problem.quick_negative(-t) {
            self.tally.factorizations += 1;
            return Ok(Some((t, count)));
        }
        let shifted = factor(self)?;
        Ok(shifted.solver.negative().map(|count| (shifted.sigma, count)))
    }

    /// Modes between two points, or between points further out where one lies on an eigenvalue: that one is inside.
    pub(crate) fn count(&mut self, from: f64, to: f64) -> Result<Option<Counted>, EigenError> {
        let low = self.below_by(from, |run| run.factor_away(from, false))?;
        let high = self.below_by(to, |run| run.factor_away(to, true))?;
        let (Some((from, low)), Some((to, high))) = (low, high) else {
            return Ok(None);
        };
        Ok(Some(Counted { from, to, low, modes: high.saturating_sub(low) }))
    }

    /// Compares the modes found with a count and searches from `place` for what is missing; says how it ended.
    pub(crate) fn complete(
        &mut self,
        place: &mut Released,
        known: &mut Known,
        modes: &mut Modes,
        counted: Counted,
    ) -> Result<bool, EigenError> {
        let inside =
            |modes: &Modes| modes.w.iter().filter(|w| **w > counted.from && **w < counted.to).count();
        // Searches for modes the counts show to be missing.
        for _ in 0..tuning::ATTEMPTS {
            let found = inside(modes);
            if found >= counted.modes {
                break;
            }
            let shifted = match &mut place.shifted {
                Some(shifted) => shifted,
                released => released.insert(self.factor_quietly(place.sigma)?),
            };
            self.leave_known(shifted, &modes.w)?;
            let missing = counted.modes - found;
            // Of a multiple eigenvalue a block shows as many modes as it has columns.
            self.wider = missing.min(tuning::MODES_AT_A_SHIFT);
            let more = self.nearest(shifted, known, missing + 1, None, Place::Here);
            self.wider = 0;
            let more = more?;
            place.sigma = shifted.sigma;
            if more.modes.w.is_empty() {
                break;
            }
            known.add(self.problem, &more.modes.x);
            modes.append(more.modes);
        }
        let found = inside(modes);
        let Counted { from, to, modes: expected, .. } = counted;
        self.findings.push(if found <= expected {
            let region = Region::Interval { from, to };
            Completeness { region, found, counted: expected, by: Proof::Inertia }.into()
        } else {
            // Every mode found is one.
            let reason = "an end of the interval lies too near to an eigenvalue for a count".to_owned();
            SparseFinding::Unproved { reason }.into()
        });
        Ok(found == expected)
    }

    /// Proves that the `count` modes of smallest |w| are complete. Large factors are freed before the count, which needs
    /// as much memory as they; they are made again where it shows modes to be missing. `beyond`: about where the mode after the
    /// known ones is, as far as that is known.
    pub(crate) fn prove_lowest(
        &mut self,
        place: &mut Released,
        modes: &mut Modes,
        count: usize,
        beyond: Option<f64>,
    ) -> Result<(), EigenError> {
        let Some(top) = gap(self.problem, modes, count, beyond) else { return Ok(()) };
        let (sigma, below_shift) = (place.sigma, place.release(self.problem));
        let Some((to, high)) = self.below(top)? else { return Ok(()) };
        // Nothing below the shift means nothing below anything lower.
        let nothing = sigma < 0.0 && below_shift == Some(0) && modes.w.iter().all(|w| *w > sigma);
        let known_below = |t: f64| modes.w.iter().filter(|w| **w < t).count();
        let low = if nothing {
            Some((sigma, 0))
        } else if below_shift == Some(known_below(sigma)) || high == known_below(to) {
            // All modes below the shift, or below the top, are known, hence those below anything lower.
            Some((-top, known_below(-top)))
        } else {
            self.below(-top)?
        };
        let Some((from, low)) = low else { return Ok(()) };
        let counted = Counted { from, to, low, modes: high.saturating_sub(low) };
        let inside = modes.w.iter().filter(|w| **w > from && **w < to).count();
        // Vectors to deflate are of use only where something is missing.
        let mut known = if inside < counted.modes {
            Known::of(self.problem, &modes.x)
        } else {
            Known::none(self.problem.n)
        };
        self.complete(place, &mut known, modes, counted)?;
        modes.sort_by(f64::abs);
        // What grows faster than the slowest modes is not among them.
        let shown = modes.w.iter().take(count).filter(|w| **w < 0.0).count();
        let counted = low + modes.w.iter().filter(|w| **w < 0.0 && **w > from).count();
        if counted > shown {
            self.findings.push(SparseFinding::GrowingNotShown { counted, shown }.into());
        }
        Ok(())
    }

    /// Rigid modes and their multipliers as modes.
    pub(crate) fn rigid_modes(x: &Dense, l: &Dense) -> Modes {
        let rigid = x.ncols();
        Modes { w: vec![0.0; rigid], x: x.clone(), l: l.clone(), rigid }
    }
}

/// A point above the first `count` modes by |w|, in the gap to the next one where there is one that the rounding of a
/// factorization does not close:
///
/// ```text
/// |dw| <= 16 u |x|^T |K| |x|,   x^T M x = 1
/// ```
fn gap(problem: &Problem, modes: &Modes, count: usize, beyond: Option<f64>) -> Option<f64> {
    let doubt = |j: usize| {
        let sizes: Vec<f64> = modes.x.col_as_slice(j).iter().map(|x| x.abs()).collect();
        let terms: f64 = problem.k.magnitude(&sizes).iter().zip(&sizes).map(|(k, x)| k * x).sum();
        tuning::SUM_ROUNDINGS * terms
    };
    let j = count.min(modes.w.len()).checked_sub(1)?;
    let last = modes.w.get(j)?.abs();
    let (near, open) = (last * (1.0 + tuning::CBRT_EPS), doubt(j));
    match modes.w.get(count).map(|next| (next.abs(), open.max(doubt(count)))) {
        Some((next, open)) if next > near && next - last > tuning::TWICE * open => Some(0.5 * (last + next)),
        // The next mode coincides with the last one: count it too, as far from it as the one beyond allows.
        Some((next, open)) => {
            let beyond = beyond.filter(|_| modes.w.len() == count + 1).unwrap_or(next);
            // Where modes are counted between the last one known and an estimate of the next.
            let clear = next + tuning::CLEAR * (beyond - next);
            Some((next * (1.0 + tuning::CBRT_EPS)).max(clear).max(next + tuning::TWICE * open))
        }
        None => Some(near.max(last + tuning::TWICE * open)),
    }
    .filter(|top| *top > 0.0)
}
