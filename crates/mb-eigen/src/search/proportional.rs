//! The requests on symmetric problems with proportional damping, C = a M + b K, in terms of the w of the undamped problem.
//!
//! ```text
//! K x = w M x:   s^2 + (a + b w) s + w = 0
//! ```
//!
//! What is asked of s is asked of w: a part of the plane holds the s of the modes with w in a few intervals ([`Proportional`]), and the modes
//! of these are counted by inertia and searched for as those of undamped problems are.
//!
//! 1. Some modes about where those wanted are: the distance r of the last one wanted from what is asked for is no less than that of the
//!    modes that are to be returned.
//! 2. The intervals of all modes with an s as near as r, counted; where these are far more than are wanted, r is halved by counts alone.
//! 3. A search for what is missing of each interval.
//!
//! The lowest and the largest undamped modes are those wanted wherever the intervals lie within what was proved of them, which with light
//! damping is always so. Infinitely fast modes have s = -1 / b besides: where that may be asked for there is no answer here.

mod findings;

use mb_algebra::c64;

use self::findings::{covered_by, is_of_search};
use super::hermitian::{Place, Symmetric};
use super::hermitian_requests::with_rigid;
use super::selection;
use crate::certify::sparse::Aid;
use crate::certify::zeros;
use crate::completeness::inertia::{Counted, Released};
use crate::finding::SparseFinding;
use crate::null_space::symmetric::Zeros;
use crate::problem::modes::Modes;
use crate::problem::proportional::{Interval, Part, Proportional};
use crate::request::Request;
use crate::transform::factors::Shifted;
use crate::transform::shift_invert_symmetric::Known;
use crate::{EigenError, Finding, tuning};

/// A request on a problem with proportional damping.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) by: &'a Proportional,
    pub(crate) request: &'a Request,
}

impl Asked<'_> {
    /// Whether both of a conjugate pair count.
    pub(crate) fn each(&self) -> bool {
        matches!(self.request, Request::NearPoint { .. })
    }

    /// The s of a mode that count; both zeros of a rigid one are one mode.
    pub(crate) fn values(&self, w: f64, rigid: bool) -> Vec<c64> {
        let mut values: Vec<c64> = self.by.counted(if rigid { 0.0 } else { w }, self.each()).collect();
        if rigid && self.by.of_mass() == 0.0 && !self.each() {
            values.truncate(1);
        }
        values
    }

    /// How far the `count`-th s of some modes is from what is asked for; none where they have fewer.
    fn reach(&self, modes: &Modes, count: usize) -> Option<f64> {
        let values = modes.w.iter().enumerate().flat_map(|(j, w)| self.values(*w, j < modes.rigid));
        let mut keys: Vec<f64> = values.map(|s| selection::distance(self.request, s)).collect();
        keys.sort_by(f64::total_cmp);
        keys.get(count.checked_sub(1)?).copied()
    }

    /// The w of all modes with an s that is as near as `reach`, but for rounding.
    fn intervals(&self, reach: f64) -> Vec<Interval> {
        let radius = reach + tuning::SQRT_EPS * reach.abs();
        let disc = |centre: c64| Part::Disc { centre, radius };
        let part = match *self.request {
            Request::Largest { .. } => Part::Beyond { radius: -radius },
            Request::NearFrequency { hz, .. } => disc(c64::new(0.0, std::f64::consts::TAU * hz)),
            Request::NearPoint { s, .. } => disc(s),
            Request::Lowest { .. } | Request::Band { .. } | Request::All => disc(c64::new(0.0, 0.0)),
        };
        self.by.intervals(&part, self.each())
    }
}

/// The rigid modes, and how near to zero others are not distinguished from them.
struct Ground {
    rigid: Modes,
    known: Known,
    edge: f64,
}

/// Modes that a search has found, with its factors.
struct Begun {
    shifted: Shifted,
    modes: Modes,
}

impl Symmetric<'_> {
    /// The modes with the eigenvalues that a request asks for, and some others; none where they are not determined by finite w.
    pub(crate) fn proportional(&mut self, asked: Asked<'_>) -> Result<Option<Modes>, EigenError> {
        let dof = self.problem.dof();
        let modes = match *asked.request {
            Request::Lowest { count } => {
                let modes = self.lowest(count.min(dof))?;
                self.growing = Some(self.growing_told(&modes));
                self.confirmed(asked, count, modes)?
            }
            Request::Largest { count } => {
                let modes = self.largest(count.min(dof))?;
                self.growing = Some(self.growing_told(&modes));
                self.confirmed(asked, count, modes)?
            }
            Request::NearFrequency { hz, count } => {
                self.near_damped(asked, c64::new(0.0, std::f64::consts::TAU * hz), count)?
            }
            Request::NearPoint { s, count } => self.near_damped(asked, s, count)?,
            Request::Band { from_hz, to_hz, max_damping_ratio } => {
                self.band_damped(asked.by, [from_hz, to_hz], max_damping_ratio)?
            }
            Request::All => None,
        };
        if let Some(modes) = &modes {
            self.tell(asked, modes);
            if asked.by.may_grow() && self.options.prove_complete && !self.early.ended() {
                self.growing = self.growing_counted(asked.by)?;
            }
        }
        Ok(modes)
    }

    /// The modes where all that are wanted are surely among them, else those of counted intervals.
    fn confirmed(
        &mut self,
        asked: Asked<'_>,
        count: usize,
        modes: Modes,
    ) -> Result<Option<Modes>, EigenError> {
        let fewer = |f: &Finding| matches!(f, Finding::Sparse { detail: SparseFinding::FewerExist { .. } });
        let all = asked.by.leaves_infinite() && self.findings.iter().any(fewer);
        if self.early.ended() || all || modes.w.len() == self.problem.dof() {
            return Ok(Some(modes));
        }
        let Some(reach) = asked.reach(&modes, count) else { return Ok(None) };
        let largest = matches!(asked.request, Request::Largest { .. });
        let ends = modes.w.iter().map(|w| w.abs());
        let covered = if self.options.prove_complete {
            self.findings.iter().filter_map(Finding::completeness).flat_map(covered_by).collect()
        } else if largest {
            let last = ends.fold(f64::INFINITY, f64::min);
            vec![[f64::NEG_INFINITY, -last], [last, f64::INFINITY]]
        } else {
            let last = ends.fold(0.0, f64::max);
            vec![[-last, last]]
        };
        let mut inside = true;
        for Interval { from, to, .. } in asked.intervals(reach) {
            let mut held = covered.iter().any(|[low, high]| *low <= from && to <= *high);
            if !held
                && !largest
                && let Some([low, high]) = covered.iter().copied().find(|[_, high]| to <= *high)
            {
                // A shift just below zero below which nothing lies, or a point below which that is counted.
                held = low > -tuning::MAINLY * high || self.below(low)?.is_some_and(|(_, below)| below == 0);
            }
            // Of a stiffness without negative directions nothing lies below zero.
            if !held && to < 0.0 {
                held = self.below(to)?.is_some_and(|(_, below)| below == 0);
            }
            inside &= held;
        }
        if inside {
            return Ok(Some(modes));
        }
        self.findings.retain(|finding| !is_of_search(finding));
        let Some((place, ground, _)) = self.ground()? else { return Ok(None) };
        let mut place = Released::held(place);
        place.release(self.problem);
        let modes = self.counted_modes(asked, (reach, count), &ground, None)?;
        self.report(&place);
        Ok(modes)
    }

    /// The factors near zero with the rigid modes; none where a count would mean nothing.
    fn ground(&mut self) -> Result<Option<(Shifted, Ground, Zeros)>, EigenError> {
        let (shifted, zeros) = self.start(usize::MAX)?;
        let below = shifted.solver.negative();
        self.check_metric(&zeros, below)?;
        self.growing = below;
        let rigid = Self::rigid_modes(&zeros.x, &zeros.l);
        let known = Known::of(self.problem, &zeros.x);
        let edge = shifted.sigma.abs();
        Ok(Some((shifted, Ground { rigid, known, edge }, zeros)))
    }

    /// The modes with an eigenvalue nearest to a point.
    fn near_damped(
        &mut self,
        asked: Asked<'_>,
        point: c64,
        count: usize,
    ) -> Result<Option<Modes>, EigenError> {
        let Some((at_zero, ground, zeros)) = self.ground()? else { return Ok(None) };
        let target = self.given_shift().unwrap_or_else(|| asked.by.nearest_square(point));
        let mut shifted =
            if target.abs() <= tuning::TWICE * ground.edge { at_zero } else { self.factor(target)? };
        let wanted = (count + 1).min(self.problem.dof());
        let found = self.nearest(&mut shifted, &ground.known, wanted, Some(&zeros.low), Place::Here)?;
        let mut modes = ground.rigid.clone();
        modes.append(found.modes.clone());
        let Some(reach) = asked.reach(&modes, count) else {
            let place = Released::held(shifted);
            self.report(&place);
            return Ok((modes.w.len() == self.problem.dof()).then_some(modes));
        };
        // A point on an eigenvalue has others about it, as far as digits distinguish them.
        let reach = reach
            .max(tuning::SQRT_EPS * point.norm())
            .max(tuning::EPS_3_4 * self.problem.frequency_squared().sqrt());
        let begun = Begun { shifted, modes: found.modes };
        let early = self.early.clone();
        let counted = early.step(|| self.counted_modes(asked, (reach, count), &ground, Some(begun)))?;
        // Of an interrupted search the first part is the answer.
        Ok(counted.unwrap_or(Some(modes)))
    }

    /// All modes with an eigenvalue as near as `reach` to what is asked for, or somewhat less where that is far more than `count`.
    fn counted_modes(
        &mut self,
        asked: Asked<'_>,
        (reach, count): (f64, usize),
        ground: &Ground,
        begun: Option<Begun>,
    ) -> Result<Option<Modes>, EigenError> {
        let mut intervals = asked.intervals(reach);
        let finite =
            |intervals: &[Interval]| intervals.iter().all(|i| i.from.is_finite() && i.to.is_finite());
        if finite(&intervals) {
            intervals = self.enough(asked, (reach, count), &|reach| asked.intervals(reach));
        } else {
            let Some(fastest) = self.fastest()? else { return Ok(None) };
            // Rigid modes alone have no fastest one.
            let most = (fastest * (1.0 + tuning::CBRT_EPS)).max(ground.edge);
            let within = |reach: f64| -> Vec<Interval> {
                let all = asked.intervals(reach).into_iter();
                let cut = all.map(|i| Interval { from: i.from.max(-most), to: i.to.min(most), ..i });
                cut.filter(|i| i.from < i.to).collect()
            };
            intervals = self.enough(asked, (reach, count), &within);
        }
        let margin = |w: f64| tuning::CBRT_EPS * w.abs();
        let ends = widened(&intervals, ground.edge, margin);
        self.searched(&ends, ground, begun)
    }

    /// The intervals within `reach`, or within less where that holds at least `count` eigenvalues and not far more.
    fn enough(
        &self,
        asked: Asked<'_>,
        (reach, count): (f64, usize),
        within: &dyn Fn(f64) -> Vec<Interval>,
    ) -> Vec<Interval> {
        let total = |intervals: &[Interval]| -> Option<usize> {
            let below = |w: f64| self.problem.quick_negative(-w);
            let held = |i: &Interval| Some(i.each * below(i.to)?.saturating_sub(below(i.from)?));
            intervals.iter().map(held).sum()
        };
        let plenty = count + count.max(tuning::MODES_AT_A_SHIFT);
        let mut best = within(reach);
        if matches!(asked.request, Request::Largest { .. }) {
            return best;
        }
        let (mut low, mut high) = (0.0, reach);
        for _ in 0..tuning::STEPS {
            if total(&best).is_none_or(|held| held <= plenty) || high - low <= tuning::CBRT_EPS * high {
                break;
            }
            loop {
                let middle = 0.5 * (low + high);
                let fewer = within(middle);
                if total(&fewer).is_some_and(|held| held >= count) {
                    (best, high) = (fewer, middle);
                    break;
                }
                low = middle;
                if high - low <= tuning::CBRT_EPS * high {
                    break;
                }
            }
        }
        best
    }

    /// The largest |w|; none where it is infinite.
    fn fastest(&mut self) -> Result<Option<f64>, EigenError> {
        let (told, method) = (std::mem::take(&mut self.findings), self.method);
        let found = self.largest(1);
        (self.findings, self.method) = (told, method);
        match found {
            Ok(modes) => Ok(modes.w.first().map(|w| w.abs())),
            Err(
                EigenError::NoLargest { .. }
                | EigenError::IndefiniteMetric
                | EigenError::NoRegularShift { .. },
            ) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// All modes of some intervals of w, rigid ones in front; none where inertia does not count them. `begun`: what a search in one of them
    /// has found.
    fn searched(
        &mut self,
        ends: &[[f64; 2]],
        ground: &Ground,
        mut begun: Option<Begun>,
    ) -> Result<Option<Modes>, EigenError> {
        let mut all = Modes::none(self.problem);
        for &[from, to] in ends {
            let Some(counted) = self.count(from, to)? else { return Ok(None) };
            let near = |begun: &Begun| {
                let sigma = begun.shifted.sigma;
                sigma > from && sigma < to && counted.modes <= begun.modes.w.len() + tuning::MODES_AT_A_SHIFT
            };
            let mut found = None;
            if let Some(begun) = begun.take_if(|begun| near(begun)) {
                found = self.completed(begun, counted, ground)?;
            }
            let mut found = match found {
                Some(found) => found,
                None => self.counted_band(counted, &ground.known)?,
            };
            let inside = |j: &usize| found.w[*j] > counted.from && found.w[*j] < counted.to;
            let kept: Vec<usize> = (0..found.w.len()).filter(inside).collect();
            found.select(&kept);
            all.append(found);
        }
        if let Some(begun) = begun {
            self.report(&Released::held(begun.shifted));
        }
        all.sort_by(f64::abs);
        if ends.iter().any(|[from, to]| *from < 0.0 && *to > 0.0) {
            let mut with_rigid = ground.rigid.clone();
            with_rigid.append(all);
            all = with_rigid;
        }
        Ok(Some(all))
    }

    /// The modes of an interval, some of which are known; none where the shift does not serve for the others.
    fn completed(
        &mut self,
        begun: Begun,
        counted: Counted,
        ground: &Ground,
    ) -> Result<Option<Modes>, EigenError> {
        let Begun { shifted, mut modes } = begun;
        let mut known = ground.known.clone();
        known.add(self.problem, &modes.x);
        let rigid = if counted.from < 0.0 && counted.to > 0.0 { ground.rigid.w.len() } else { 0 };
        let others = Counted { modes: counted.modes.saturating_sub(rigid), ..counted };
        let mut place = Released::held(shifted);
        let told = self.findings.len();
        let complete = self.complete(&mut place, &mut known, &mut modes, others)?;
        self.report(&place);
        if !complete {
            self.findings.truncate(told);
            return Ok(None);
        }
        self.findings[told..].iter_mut().for_each(|finding| with_rigid(finding, rigid));
        self.aid = place.kept().map_or(Aid::Nothing, Aid::Factors);
        Ok(Some(modes))
    }

    /// All modes with a damped frequency in a band.
    fn band_damped(
        &mut self,
        by: &Proportional,
        [from_hz, to_hz]: [f64; 2],
        most: Option<f64>,
    ) -> Result<Option<Modes>, EigenError> {
        let Some((shifted, ground, _)) = self.ground()? else { return Ok(None) };
        let mut place = Released::held(shifted);
        place.release(self.problem);
        let tau = std::f64::consts::TAU;
        // An eigenvalue on the very edge belongs to the band, and so does one that rounding of K may have moved there.
        let strip = Part::Strip {
            from: tau * from_hz * (1.0 - tuning::SQRT_EPS),
            to: tau * to_hz * (1.0 + tuning::SQRT_EPS),
            most: most.map(|most| most + tuning::SQRT_EPS),
        };
        let rounding = tuning::FEW_ROUNDINGS * self.problem.frequency_squared();
        let margin = |w: f64| tuning::SQRT_EPS * w.abs() + rounding;
        let mut ends =
            widened(&by.intervals(&strip, false), if from_hz > 0.0 { 0.0 } else { ground.edge }, margin);
        ends.retain(|[_, to]| *to > 0.0);
        let Some(mut modes) = self.searched(&ends, &ground, None)? else { return Ok(None) };
        self.report(&place);
        if from_hz == 0.0 && modes.rigid == 0 {
            let mut all = ground.rigid.clone();
            all.append(modes);
            modes = all;
        }
        let open = zeros::of_space(self.problem, &ground.rigid.x, &ground.rigid.l);
        if let Some((finding, width)) = open
            && from_hz > 0.0
            && (tau * from_hz).powi(2) <= width
        {
            let reason =
                "modes that count as zero are not distinguished from those at the lower end of the band";
            self.findings.extend([finding, SparseFinding::Undecided { reason: reason.to_owned() }.into()]);
        }
        Ok(Some(modes))
    }
}

/// Ends of intervals with margins, joined where they meet; an end closer to zero than `edge` moves out to it, away from rigid modes.
fn widened(intervals: &[Interval], edge: f64, margin: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
    let mut out: Vec<[f64; 2]> = Vec::new();
    for Interval { from, to, .. } in intervals {
        let (mut from, mut to) = (from - margin(*from), to + margin(*to));
        if from.abs() < edge {
            from = -edge;
        }
        if to.abs() < edge {
            to = edge;
        }
        match out.last_mut() {
            Some(last) if from <= last[1] => last[1] = last[1].max(to),
            _ => out.push([from, to]),
        }
    }
    out
}
