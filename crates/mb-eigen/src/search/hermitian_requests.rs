//! The requests on undamped symmetric problems, in terms of w = -s^2.

use mb_algebra::sorted::ascending;
use mb_algebra::{c64, interrupt};
use rayon::prelude::*;

use super::hermitian::{Place, Symmetric};
use super::selection;
use crate::certify::sparse::Aid;
use crate::certify::zeros;
use crate::completeness::inertia::{Counted, Released};
use crate::finding::{Completeness, Proof, Region, SparseFinding};
use crate::null_space::symmetric::Zeros;
use crate::options::Shift;
use crate::problem::modes::Modes;
use crate::transform::factors::Shifted;
use crate::transform::shift_invert_symmetric::Known;
use crate::{EigenError, Finding, tuning};

/// omega^2 of a frequency in Hz.
pub(crate) fn squared(hz: f64) -> f64 {
    (std::f64::consts::TAU * hz).powi(2)
}

/// Distance of the nearer eigenvalue of a mode, s = +-sqrt(-w), from a point.
fn distance(w: f64, s: c64) -> f64 {
    let root = c64::new(-w, 0.0).sqrt();
    (root - s).norm().min((root + s).norm())
}

/// The w of all modes that have an eigenvalue within r of s = a + i b, which lies as far from the nearer of +-sqrt(-w)
/// as
///
/// ```text
/// (sqrt(w) - |b|)^2 + a^2   for w >= 0,     (sqrt(-w) - |a|)^2 + b^2   for w < 0
/// ```
pub(crate) fn reaching(s: c64, r: f64) -> (f64, f64) {
    let (a, b) = (s.re.abs(), s.im.abs());
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    if r >= a {
        let half = (r - a).sqrt() * (r + a).sqrt();
        low = (b - half).max(0.0).powi(2);
        high = (b + half).powi(2);
    }
    if r >= b {
        let half = (r - b).sqrt() * (r + b).sqrt();
        low = -(a + half).powi(2);
        high = high.max(-(a - half).max(0.0).powi(2));
    }
    (low, high)
}

/// Counts rigid modes, which are known before a slice is searched, among those of its interval.
pub(super) fn with_rigid(finding: &mut Finding, rigid: usize) {
    let Finding::Sparse { detail } = finding else { return };
    if let SparseFinding::Completeness(count) = detail {
        count.counted += rigid;
        count.found += rigid;
    }
}

impl Symmetric<'_> {
    /// The `count` modes of smallest |s|.
    pub(crate) fn lowest(&mut self, count: usize) -> Result<Modes, EigenError> {
        if let Some(modes) = self.lowest_in_short(count)? {
            self.method = crate::Method::Davidson;
            return Ok(modes);
        }
        let (mut shifted, zeros) = self.start(count)?;
        let near = shifted.sigma.abs();
        if let Some(sigma) = self.given_shift() {
            shifted = self.factor(sigma)?;
        }
        let mut known = Known::none(self.problem.n);
        known.add(self.problem, &zeros.x);
        let mut modes = Self::rigid_modes(&zeros.x, &zeros.l);
        let rigid = modes.rigid;
        let early = self.early.clone();
        let mut exhausted = count <= rigid;
        // More zeros than were asked for are counted, not searched for.
        let others = match zeros.others {
            Some(others) => others,
            None if zeros.more => {
                let counted = self.count(-near, tuning::MINOR * near)?;
                counted.map_or(0, |counted| counted.modes.saturating_sub(rigid))
            }
            None => 0,
        };
        let mut low = zeros.low;
        if self.options.expert.shift == Shift::Automatic && count > rigid + 2 {
            // As many as the Krylov method takes at once show as much, where they are in the order of their w.
            if rigid == 0 {
                low.truncate(self.problem.n, self.block_size(count).max(4).min(low.ncols()));
            }
            (shifted, low) = self.approach(shifted, &known, low, &zeros.ritz)?;
        }
        let mut start = Some(low);
        // One more than wanted shows the gap in which the modes are counted, and that of zeros which are known and were not found.
        let wanted =
            if rigid < self.problem.least_zeros { count.max(self.problem.least_zeros) } else { count };
        // Rounds of asking for more modes until the wanted ones are surely among them.
        for _ in 0..tuning::ROUNDS {
            if exhausted || modes.w.len() > wanted {
                break;
            }
            if modes.w.len() > rigid {
                known = Known::of(self.problem, &modes.x);
            }
            let more = wanted + 1 - modes.w.len();
            let mut search = || {
                self.leave_known(&mut shifted, &modes.w[rigid..])?;
                self.nearest(&mut shifted, &known, more, start.take().as_ref(), Place::Best)
            };
            let found = if modes.w.is_empty() { Some(search()?) } else { early.step(search)? };
            let Some(found) = found else { break };
            exhausted = found.exhausted;
            if found.modes.w.is_empty() {
                break;
            }
            modes.append(found.modes);
        }
        modes.sort_by(f64::abs);
        modes.take_zeros(self.problem.least_zeros);
        let mut place = Released::held(shifted);
        if self.options.prove_complete && count > modes.rigid {
            early.step(|| self.prove_lowest(&mut place, &mut modes, count, None))?;
        }
        self.report(&place);
        self.aid = place.kept().map_or(Aid::Nothing, Aid::Factors);
        self.report_shortfall(modes.w.len(), count, exhausted);
        let mut all = vec![0.0; others];
        all.extend_from_slice(&modes.w);
        self.findings.extend(selection::reported_of_squares(&all, count));
        modes.truncate(count);
        Ok(modes)
    }

    /// The modes with an eigenvalue nearest to `s`; `each`: every eigenvalue counts for itself.
    pub(crate) fn near(&mut self, s: c64, count: usize, each: bool) -> Result<Modes, EigenError> {
        let (at_zero, zeros) = self.start(usize::MAX)?;
        let growing = at_zero.solver.negative();
        self.check_metric(&zeros, growing)?;
        let mut known = Known::none(self.problem.n);
        known.add(self.problem, &zeros.x);
        let mut modes = Self::rigid_modes(&zeros.x, &zeros.l);
        let rigid = modes.rigid;
        let target = self.nearest_square(s, &at_zero)?;
        // Close to zero the shift found near it serves better.
        let mut shifted = match self.given_shift() {
            Some(sigma) => self.factor(sigma)?,
            None if target.abs() <= 2.0 * at_zero.sigma.abs() => at_zero,
            None => self.factor(target)?,
        };
        let early = self.early.clone();
        let (mut exhausted, mut covered) = (false, false);
        let mut wanted = count + 1;
        let mut start = Some(zeros.low);
        for _ in 0..tuning::ROUNDS {
            let mut search = || {
                self.leave_known(&mut shifted, &modes.w[rigid..])?;
                self.nearest(&mut shifted, &known, wanted, start.take().as_ref(), Place::Here)
            };
            let found = if modes.w.is_empty() { Some(search()?) } else { early.step(search)? };
            let Some(found) = found else { break };
            exhausted = found.exhausted;
            let empty = found.modes.w.is_empty();
            known.add(self.problem, &found.modes.x);
            modes.append(found.modes);
            let reach = modes.w[rigid..].iter().map(|w| (w - shifted.sigma).abs()).fold(0.0, f64::max);
            let mut distances: Vec<f64> = modes.w.iter().map(|w| distance(*w, s)).collect();
            distances.sort_by(f64::total_cmp);
            covered = distances.get(count.saturating_sub(1)).is_some_and(|r| {
                let (low, high) = reaching(s, *r);
                shifted.sigma - reach <= low && high <= shifted.sigma + reach
            });
            if exhausted || empty || covered {
                break;
            }
            wanted = (count / 2).max(2);
        }
        let mut place = Released::held(shifted);
        let mut proved = false;
        if self.options.prove_complete && modes.w.len() > rigid {
            let prove = || self.prove_near(&mut place, &mut known, &mut modes, s, count);
            proved = early.step(prove)?.unwrap_or(false);
        }
        if !(covered || exhausted || proved) {
            let reason = "the search did not reach as far as the modes returned".to_owned();
            self.findings.push(SparseFinding::Unproved { reason }.into());
        }
        self.report(&place);
        let sigma = place.sigma;
        self.aid = place.kept().map_or(Aid::Nothing, Aid::Factors);
        // A mode has two eigenvalues.
        self.report_shortfall(if each { 2 * modes.w.len() } else { modes.w.len() }, count, exhausted);
        let open = zeros::of_space(self.problem, &zeros.x, &zeros.l);
        modes.sort_by(f64::abs);
        modes.take_zeros(self.problem.least_zeros);
        Self::keep_nearest(&mut modes, s, count, sigma, open.map_or(0.0, |(_, width)| width.sqrt()));
        self.report_growing(growing, &modes);
        Ok(modes)
    }

    /// Refuses counts by inertia where M has a negative direction: with K > 0 all w of one sign still cross zero the same way, otherwise a
    /// pair may pass and return, or be complex, without being counted.
    pub(super) fn check_metric(&self, zeros: &Zeros, below: Option<usize>) -> Result<(), EigenError> {
        let definite = zeros.x.ncols() == 0 && below == Some(0);
        if definite || self.problem.has_semidefinite_mass() {
            Ok(())
        } else {
            Err(EigenError::IndefiniteMetric)
        }
    }

    /// The w whose eigenvalue is nearest to s = a + i b: b^2, but -a^2 where that is nearer and something grows.
    fn nearest_square(&mut self, s: c64, at_zero: &Shifted) -> Result<f64, EigenError> {
        let grows =
            s.re.abs() > s.im.abs() && self.below(-at_zero.sigma.abs())?.is_some_and(|(_, count)| count > 0);
        Ok(if grows { -s.re * s.re } else { s.im * s.im })
    }

    /// Keeps the modes nearest to a point, and those that may turn out to be as near: digits of w are those of its distance from the shift,
    /// and what counts as zero is within `open` of it.
    fn keep_nearest(modes: &mut Modes, s: c64, count: usize, sigma: f64, open: f64) {
        let mut order: Vec<usize> = (0..modes.w.len()).collect();
        let margin = |j: &usize| {
            // Error of w relative to its distance from the shift that is allowed for before it is certified.
            let off = tuning::SQRT_EPS * (modes.w[*j] - sigma).abs();
            if *j < modes.rigid { open } else { off / (2.0 * modes.w[*j].abs().sqrt()).max(off.sqrt()) }
        };
        selection::about_first(&mut order, count, |j| distance(modes.w[*j], s), margin);
        // Rigid ones are kept in front.
        order.sort_by_key(|&j| j >= modes.rigid);
        modes.select(&order);
    }

    /// Counts the modes with an eigenvalue as near to a point as those wanted, and searches for those that are
    /// missing; whether none is.
    fn prove_near(
        &mut self,
        place: &mut Released,
        known: &mut Known,
        modes: &mut Modes,
        s: c64,
        count: usize,
    ) -> Result<bool, EigenError> {
        let mut distances: Vec<f64> = modes.w.iter().map(|w| distance(*w, s)).collect();
        distances.sort_by(f64::total_cmp);
        let Some(r) = distances.get(count.min(distances.len()).saturating_sub(1)) else { return Ok(false) };
        let (low, high) = reaching(s, *r);
        place.release(self.problem);
        let least = tuning::SQRT_EPS * place.sigma.abs();
        let margin = |w: f64| tuning::CBRT_EPS * w.abs().max(tuning::CBRT_EPS * (high - low)).max(least);
        let (from, to) = (low - margin(low), high + margin(high));
        let Some(counted) = self.count(from, to)? else { return Ok(false) };
        self.complete(place, known, modes, counted)
    }

    /// All modes with a frequency in a band.
    pub(crate) fn band(&mut self, from_hz: f64, to_hz: f64) -> Result<Modes, EigenError> {
        let (shifted, zeros) = self.start(usize::MAX)?;
        self.check_metric(&zeros, shifted.solver.negative())?;
        let mut known = Known::none(self.problem.n);
        known.add(self.problem, &zeros.x);
        let rigid = Self::rigid_modes(&zeros.x, &zeros.l);
        let zero_modes = [zeros.x, zeros.l];
        let edge = shifted.sigma.abs();
        // An eigenvalue on the very edge belongs to the band.
        // So does one that rounding of K may have moved there.
        // What rounding of K may move w by, relative to |K| / |M|.
        let rounding = tuning::FEW_ROUNDINGS * self.problem.frequency_squared();
        let from = if from_hz > 0.0 { squared(from_hz) * (1.0 - tuning::SQRT_EPS) - rounding } else { -edge };
        let to = (squared(to_hz) * (1.0 + tuning::SQRT_EPS) + rounding).max(from + edge);
        let mut place = Released::held(shifted);
        let growing = place.release(self.problem);
        let mut modes = match self.count(from, to)? {
            Some(counted) => self.counted_band(counted, &known)?,
            None => self.uncounted_band(from, to, known)?,
        };
        self.report(&place);
        // Which of those at the ends belong to the band shows when they are certified.
        modes.sort_by(f64::abs);
        if from_hz == 0.0 {
            let mut all = rigid;
            all.append(modes);
            modes = all;
            modes.take_zeros(self.problem.least_zeros);
        }
        let open = zeros::of_space(self.problem, &zero_modes[0], &zero_modes[1]);
        if let Some((finding, width)) = open
            && from_hz > 0.0
            && from <= width
        {
            let reason =
                "modes that count as zero are not distinguished from those at the lower end of the band";
            self.findings.extend([finding, SparseFinding::Undecided { reason: reason.to_owned() }.into()]);
        } else if modes.w.is_empty() {
            self.findings.push(SparseFinding::EmptyBand { from_hz, to_hz, max_damping_ratio: None }.into());
        }
        self.report_growing(growing, &modes);
        Ok(modes)
    }

    /// Says which growing modes, `counted` by the inertia at a shift just below zero, are not among those returned.
    pub(crate) fn report_growing(&mut self, counted: Option<usize>, modes: &Modes) {
        let shown = modes.w.iter().filter(|w| **w < 0.0).count();
        if let Some(counted) = counted.filter(|counted| *counted > shown) {
            self.findings.push(SparseFinding::GrowingNotShown { counted, shown }.into());
        }
    }

    /// A band whose modes are counted: slices of at most [`tuning::MODES_AT_A_SHIFT`] modes, side by side on all cores.
    pub(super) fn counted_band(&mut self, band: Counted, known: &Known) -> Result<Modes, EigenError> {
        let rigid = if band.from < 0.0 && band.to > 0.0 { known.x.ncols() } else { 0 };
        if band.modes == rigid {
            // Nothing is searched for, and the count alone shows that nothing is missing.
            let region = Region::Interval { from: band.from, to: band.to };
            let count = Completeness { region, found: rigid, counted: band.modes, by: Proof::Inertia };
            self.findings.push(SparseFinding::Completeness(count).into());
            return Ok(Modes::none(self.problem));
        }
        let slices = self.slices(band)?;
        let (problem, options, driver) = (self.problem, self.options, self.driver);
        let (scope, early) = (interrupt::scope_here(), self.early.clone());
        let parts: Vec<Result<_, EigenError>> = slices
            .par_iter()
            .map(|slice| {
                let search = || {
                    let mut run = Symmetric::new(problem, options, driver);
                    let modes = run.in_slice(*slice, rigid, known)?;
                    Ok((modes, run.findings))
                };
                scope.enter(|| early.step(search))
            })
            .collect();
        let mut all = Modes::none(problem);
        for part in parts {
            let Some((modes, findings)) = part? else { continue };
            all.append(modes);
            self.findings.extend(findings);
        }
        Ok(all)
    }

    /// The modes of a slice by one shift in its middle. Where some of them are far nearer to zero than that, they have hardly a digit beside those
    /// that are nearer still and no part of the slice: it is cut above them.
    fn in_slice(&mut self, slice: Counted, rigid: usize, known: &Known) -> Result<Modes, EigenError> {
        let mut modes = Modes::none(self.problem);
        let zeros = if slice.from < 0.0 && slice.to > 0.0 { rigid } else { 0 };
        let inside = Counted { modes: slice.modes.saturating_sub(zeros), ..slice };
        let told = self.findings.len();
        if inside.modes > 0 {
            let middle = if zeros > 0 { 0.5 * slice.to } else { 0.5 * (slice.from + slice.to) };
            let mut shifted = self.factor(middle)?;
            let mut known = known.clone();
            let found = self.nearest(&mut shifted, &known, inside.modes + 1, None, Place::Here)?;
            known.add(self.problem, &found.modes.x);
            modes.append(found.modes);
            self.complete(&mut Released::held(shifted), &mut known, &mut modes, inside)?;
        }
        let cut = tuning::CBRT_EPS * slice.to;
        let is_far = cut > slice.from.abs() && modes.w.iter().any(|w| w.abs() < tuning::SQRT_EPS * slice.to);
        if is_far && let Some((middle, below)) = self.below(cut)? {
            self.findings.truncate(told);
            let lower = below.saturating_sub(slice.low).min(slice.modes);
            let mut all = self.in_slice(Counted { to: middle, modes: lower, ..slice }, rigid, known)?;
            let upper = Counted { from: middle, low: below, modes: slice.modes - lower, ..slice };
            all.append(self.in_slice(upper, rigid, known)?);
            return Ok(all);
        }
        let keep: Vec<usize> =
            (0..modes.w.len()).filter(|&j| modes.w[j] > slice.from && modes.w[j] < slice.to).collect();
        modes.select(&keep);
        self.findings[told..].iter_mut().for_each(|finding| with_rigid(finding, zeros));
        Ok(modes)
    }

    /// Cuts an interval until no part holds more than [`tuning::MODES_AT_A_SHIFT`] modes; the cuts of one round side by side on all cores.
    fn slices(&mut self, band: Counted) -> Result<Vec<Counted>, EigenError> {
        let (mut open, mut done) = (vec![band], Vec::new());
        let (problem, options, driver) = (self.problem, self.options, self.driver);
        // What rounding of K may move w by: closer to each other counts mean nothing.
        let rounding = tuning::FEW_ROUNDINGS * problem.frequency_squared();
        while !open.is_empty() {
            let narrow =
                |slice: &Counted| slice.to - slice.from <= rounding.max(tuning::CBRT_EPS * slice.to.abs());
            let (small, large): (Vec<Counted>, _) =
                // Modes of a band that one shift serves.
                open.iter().partition(|slice| slice.modes <= tuning::MODES_AT_A_SHIFT || narrow(slice));
            done.extend(small);
            let mut runs: Vec<Symmetric<'_>> =
                large.iter().map(|_| Symmetric::new(problem, options, driver)).collect();
            let scope = interrupt::scope_here();
            let cuts: Vec<Result<_, EigenError>> = large
                .par_iter()
                .zip(&mut runs)
                .map(|(slice, run)| scope.enter(|| run.below(0.5 * (slice.from + slice.to))))
                .collect();
            self.tally.factorizations += runs.iter().map(|run| run.tally.factorizations).sum::<usize>();
            open.clear();
            for (slice, cut) in large.into_iter().zip(cuts) {
                // A cut that is moved off eigenvalues may leave the slice.
                let Some((middle, below)) = cut?.filter(|(w, _)| *w > slice.from && *w < slice.to) else {
                    done.push(slice);
                    continue;
                };
                let lower = below.saturating_sub(slice.low).min(slice.modes);
                open.push(Counted { from: middle, low: below, modes: slice.modes - lower, ..slice });
                open.push(Counted { to: middle, modes: lower, ..slice });
            }
        }
        ascending(&mut done, |a| a.from);
        Ok(done)
    }

    /// A band without counts: the search ends when it has reached beyond both ends.
    fn uncounted_band(&mut self, from: f64, to: f64, mut known: Known) -> Result<Modes, EigenError> {
        let mut shifted = self.factor(0.5 * (from.max(0.0) + to))?;
        let early = self.early.clone();
        let mut modes = Modes::none(self.problem);
        let radius = (to - shifted.sigma).max(shifted.sigma - from);
        for round in 0..tuning::ROUNDS {
            let search = || self.nearest(&mut shifted, &known, 8 << round.min(4), None, Place::Here);
            let Some(found) = early.step(search)? else { break };
            let beyond = found.modes.w.iter().any(|w| (w - shifted.sigma).abs() > radius);
            let stop = beyond || found.exhausted || found.modes.w.is_empty();
            known.add(self.problem, &found.modes.x);
            modes.append(found.modes);
            if stop {
                break;
            }
        }
        let keep: Vec<usize> = (0..modes.w.len()).filter(|&j| modes.w[j] > from && modes.w[j] < to).collect();
        modes.select(&keep);
        Ok(modes)
    }

    /// Whether the options name a shift: the place to look from.
    pub(crate) fn given_shift(&self) -> Option<f64> {
        match self.options.expert.shift {
            Shift::Automatic => None,
            Shift::At(s) => Some(-(s * s).re),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn modes_as_near_as_that_lie_in_the_interval(
            w in -9.0..9.0_f64, re in -4.0..4.0_f64, im in -4.0..4.0_f64, more in 0.0..1.0_f64,
        ) {
            let s = c64::new(re, im);
            let r = distance(w, s);
            let (low, high) = reaching(s, r * (1.0 + 1e-12) + more);
            prop_assert!(low <= w && w <= high, "{low} {w} {high}");
            // Nothing outside is as near: both ends are where the distance is r.
            let (low, high) = reaching(s, r + more);
            for end in [low, high] {
                prop_assert!(end == 0.0 || (distance(end, s) - r - more).abs() < 1e-6, "{end}");
            }
        }
    }
}
