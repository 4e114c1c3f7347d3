//! Ranges of speeds at which disturbances grow, with their ends solved for.
//!
//! A mode grows where its real part is above its error bound. The end of a range is enclosed by halving between a speed at which
//! something grows and one at which nothing does. Growth begins where a real part passes zero, or, in reversible systems, where
//! two modes meet; where it does not, because modes are lost say, its end is not solved for. Between samples both are looked for too (`search.rs`).

use super::critical::Between;
use super::follow::{ModePoint, Sample, Samples};
use super::path::{Look, Path};
use super::search;
use crate::error::AnalysisError;

/// A range of speeds at which disturbances grow.
#[derive(Clone, Debug, PartialEq)]
pub struct Unstable {
    /// Where it begins: the speed and its error bound; none where it begins before the first speed.
    pub from: Option<[f64; 2]>,
    /// Where it ends; none where it reaches beyond the last speed.
    pub to: Option<[f64; 2]>,
    /// Largest real part at the speeds computed in it, 1/s.
    pub growth: f64,
    /// The speed of that.
    pub at: f64,
    /// Number of the mode, from zero; none where what grows is none of those followed.
    pub mode: Option<usize>,
    /// True where what grows does not oscillate in the frame of the diagram.
    pub divergence: bool,
}

/// Width of an enclosure, relative to the whole range.
const NARROW: f64 = 1e-11;

/// Share of an enclosure that its ends may be off by.
const ENOUGH: f64 = 0.02;

/// Share of the growth at a neighbouring speed that an error bound may hide for its speed to count as quiet.
const HIDDEN: f64 = 0.1;

/// What grows fastest: the mode where it is one of those followed, by how much, and whether without oscillation.
pub(super) fn growing(sample: &Sample) -> Option<(Option<usize>, f64, bool)> {
    let (s, divergence) = sample.growth?;
    let near = |m: &ModePoint| {
        let off = [s, s.conj(), -s, -s.conj()].map(|z| (m.s - z).norm());
        off.into_iter().fold(f64::INFINITY, f64::min) <= 1e-6 * s.norm() + m.error
    };
    let mode = sample.modes.iter().position(|m| m.as_ref().is_some_and(near));
    Some((mode, s.re, divergence))
}

/// The ranges, and the width below which they are found by chance; `step` lies between the speeds.
///
/// Of work that is ended the samples alone say what grows.
pub(super) fn find(
    path: &Path<'_>,
    samples: &Samples,
    step: f64,
) -> Result<(Vec<Unstable>, f64), AnalysisError> {
    let list = &samples.list;
    let whole = (list[list.len() - 1].w - list[0].w).abs();
    let end = |pair: [&Sample; 2]| -> Result<[f64; 2], AnalysisError> {
        let solved = path.unless_ended(|| end(path, pair, whole)).transpose()?;
        Ok(solved.unwrap_or_else(|| enclosed(pair)))
    };
    let (more, resolution) = search::between(path, list, step)?;
    let more = more.iter().map(|(k, sample)| (*k, 1, sample));
    let mut all: Vec<(usize, usize, &Sample)> =
        list.iter().enumerate().map(|(k, sample)| (k, 0, sample)).chain(more).collect();
    all.sort_by_key(|(k, later, _)| (*k, *later));
    let all: Vec<&Sample> = all.into_iter().map(|(.., sample)| sample).collect();
    let all = decided(&all);
    let mut out = Vec::new();
    let mut open: Option<Unstable> = None;
    for (k, sample) in all.iter().enumerate() {
        if let Some((mode, growth, divergence)) = growing(sample) {
            let from = match open.as_ref() {
                Some(range) => range.from,
                None if k == 0 => None,
                None => Some(end([all[k - 1], sample])?),
            };
            let before = open.take().filter(|o| o.growth >= growth);
            let now = Unstable { from, to: None, growth, at: sample.w, mode, divergence };
            open = Some(before.unwrap_or(now));
        } else if let Some(mut range) = open.take() {
            range.to = Some(end([sample, all[k - 1]])?);
            out.push(range);
        }
    }
    out.extend(open);
    Ok((out, resolution))
}

/// The speeds without those that say nothing of growth: where the mode that grows at the next speed before or after has a bound so wide that it
/// may grow there as much.
fn decided<'a>(all: &[&'a Sample]) -> Vec<&'a Sample> {
    let hides = |sample: &Sample, grown: &Sample| {
        let Some((Some(mode), growth, _)) = growing(grown) else { return false };
        sample.modes[mode]
            .as_ref()
            .is_some_and(|m| m.is_open(sample.reversible) && m.error >= HIDDEN * growth)
    };
    let mut out: Vec<&Sample> = Vec::with_capacity(all.len());
    for (k, sample) in all.iter().enumerate() {
        let beside = [out.last().copied(), all.get(k + 1).copied()];
        let hidden =
            growing(sample).is_none() && beside.into_iter().flatten().any(|grown| hides(sample, grown));
        if !hidden {
            out.push(sample);
        }
    }
    out
}

/// The middle of the interval between two speeds, and half its width.
fn enclosed([still, grown]: [&Sample; 2]) -> [f64; 2] {
    [0.5 * (still.w + grown.w), 0.5 * (grown.w - still.w).abs()]
}

/// The end of a range between a speed at which nothing grows and one at which something does: its place and half the width of
/// the enclosure.
///
/// The enclosure reaches from a speed at which nothing grows, nor could the mode that does within its error bound, to one at which something
/// does for certain. Another mode may be open at all speeds, as a motion without any damping is.
fn end(path: &Path<'_>, [still, grown]: [&Sample; 2], whole: f64) -> Result<[f64; 2], AnalysisError> {
    let between = Between { path, samples: [still, grown] };
    let (mut quiet, mut other, mut grows) = (still.w, grown.w, grown.w);
    let mode = growing(grown).and_then(|(mode, ..)| mode);
    let more = |there: &Sample| more_open(there, between.samples);
    if is_open(still, mode, grown) {
        other = still.w;
    } else if let Some([near_quiet, near_grows]) = about_root(&between, whole)? {
        (quiet, other, grows) = (near_quiet, near_grows, near_grows);
    }
    // A width that is mostly what is open within error bounds gains nothing from narrower ends.
    let narrow = |quiet: f64, grows: f64| (NARROW * whole).max(ENOUGH * (grows - quiet).abs());
    // What is certain of the mode that grows, on either side of what is open: its real part, with its sign there, beside its error bound.
    let margin = |there: &Sample, sign: f64| {
        let of_mode = || there.modes.get(mode?)?.as_ref().map(|m| sign * m.s.re - m.error);
        if path.is_small() && !there.reversible { of_mode() } else { None }
    };
    let known = |w: f64, sign: f64| -> Result<Option<f64>, AnalysisError> {
        if path.is_small() { Ok(margin(&between.at(w, Look::Between)?, sign)) } else { Ok(None) }
    };
    let mut ends = [known(quiet, -1.0)?, known(other, -1.0)?];
    let mut tries = EXPECTED;
    while let Some(w) = probe([quiet, other], ends, narrow(quiet, grows), &mut tries) {
        let there = between.at(w, Look::Between)?;
        let now = margin(&there, -1.0);
        if growing(&there).is_some() {
            (other, grows, ends[1]) = (w, w, now);
        } else if is_open(&there, mode, grown) || more(&there) {
            (other, ends[1]) = (w, now);
        } else {
            (quiet, ends[0]) = (w, now);
        }
    }
    // What is open lies between.
    let mut open = other;
    let (mut ends, mut tries) = ([known(grows, 1.0)?, known(open, 1.0)?], EXPECTED);
    while let Some(w) = probe([grows, open], ends, narrow(quiet, grows), &mut tries) {
        let there = between.at(w, Look::Between)?;
        let now = margin(&there, 1.0);
        if growing(&there).is_some() {
            (grows, ends[0]) = (w, now);
        } else {
            (open, ends[1]) = (w, now);
        }
    }
    path.is_continuous(quiet, grows)?;
    if !begins(quiet, &between.at(grows, Look::Between)?, grown) {
        return Ok(enclosed(between.samples));
    }
    Ok([0.5 * (quiet + grows), 0.5 * (grows - quiet).abs()])
}

/// Whether the mode that grows at another sample could grow within its error bound, or those of two that may have met: where it is none of
/// those followed, whether more are open than there, where it is not. What is not zero there and is taken for an exact zero here is open too.
fn is_open(sample: &Sample, mode: Option<usize>, grown: &Sample) -> bool {
    let met = |m: &ModePoint| sample.reversible && sample.modes.iter().flatten().any(|o| m.may_have_met(o));
    let of = |mode: usize| sample.modes.get(mode)?.as_ref().map(|m| m.is_open(sample.reversible) || met(m));
    let is_zero = sample.total.zip(grown.total).is_some_and(|(here, there)| here < there);
    is_zero || mode.and_then(of).unwrap_or(sample.open > grown.open)
}

/// Whether growth begins in an enclosure as it does where it is zero there: at its end `grows` no more of that at `grown` than what a square
/// root of the distance makes of it, beside its error bound.
fn begins(quiet: f64, grows: &Sample, grown: &Sample) -> bool {
    let [Some((mode, here, _)), Some((_, there, _))] = [grows, grown].map(growing) else { return false };
    let error = mode.and_then(|mode| grows.modes[mode].as_ref()).map_or(0.0, |m| m.error);
    let share = ((grows.w - quiet) / (grown.w - quiet)).abs().sqrt();
    here <= STEEP * (there * share + error)
}

/// Growth over that of a square root above which it does not begin where it is found.
const STEEP: f64 = 30.0;

/// Whether something may grow between a quiet and a growing speed that is open at neither of them: numbers of modes may change from one to the
/// other.
fn more_open(there: &Sample, [still, grown]: [&Sample; 2]) -> bool {
    there.open > still.open.max(grown.open)
}

/// A quiet and a growing speed on both sides of the root of the real part of the mode that grows, where it has one that secants
/// find: not in reversible systems, where two modes meet.
fn about_root(between: &Between<'_>, whole: f64) -> Result<Option<[f64; 2]>, AnalysisError> {
    let [still, grown] = between.samples;
    let Some((Some(mode), ..)) = growing(grown).filter(|_| !grown.reversible) else { return Ok(None) };
    let of = |sample: &Sample| sample.modes[mode].as_ref().map(|m| (m.s.re, m.error));
    let ends = [still, grown].map(|s| Some((s.w, of(s)?.0)));
    let [Some(a), Some(b)] = ends else { return Ok(None) };
    if a.1 >= 0.0 {
        return Ok(None);
    }
    let slope = ((b.1 - a.1) / (b.0 - a.0)).abs();
    let real =
        |w: f64| -> Result<Option<(f64, f64)>, AnalysisError> { Ok(of(&between.at(w, Look::Between)?)) };
    let Some((root, error)) = super::critical::secants([a, b], real)? else { return Ok(None) };
    let ahead = (grown.w - still.w).signum();
    let width = (root - still.w).abs().min((grown.w - root).abs());
    let mut half = (2.0 * error / slope).max(NARROW * whole).max(8.0 * f64::EPSILON * root.abs());
    while half < width {
        let sides = [root - ahead * half, root + ahead * half];
        let quiet = between.at(sides[0], Look::Between)?;
        if growing(&quiet).is_none()
            && !is_open(&quiet, Some(mode), grown)
            && !more_open(&quiet, between.samples)
            && growing(&between.at(sides[1], Look::Between)?).is_some()
        {
            return Ok(Some(sides));
        }
        half *= 8.0;
    }
    Ok(None)
}

/// Where the limit between a certain and an open speed is looked for next, unless they are this near or neighbouring numbers: on either side of
/// where a line through their margins has its zero, so that two speeds enclose it that closely; else, and after so many tries, in the middle.
fn probe(
    [certain, open]: [f64; 2],
    margins: [Option<f64>; 2],
    narrow: f64,
    tries: &mut usize,
) -> Option<f64> {
    let middle = middle(certain, open, narrow)?;
    let [Some(above), Some(below)] = margins else { return Some(middle) };
    if !(above > 0.0 && below < 0.0 && *tries > 0) {
        return Some(middle);
    }
    *tries -= 1;
    let limit = certain + (open - certain) * (above / (above - below));
    let aside = BESIDE * narrow * (open - certain).signum();
    let within = |w: &f64| (w - certain).abs().min((open - w).abs()) > 0.1 * aside.abs();
    let inside = |w: &f64| (*w > certain.min(open) && *w < certain.max(open)) && within(w);
    [limit - aside, limit + aside].into_iter().find(inside).or(Some(middle))
}

/// How often a limit is looked for where it is expected.
const EXPECTED: usize = 4;

/// Share of the width of an enclosure at which it is looked at on either side of where its limit is expected.
const BESIDE: f64 = 0.4;

/// The middle of two speeds, unless they are this near or neighbouring numbers.
fn middle(a: f64, b: f64, narrow: f64) -> Option<f64> {
    let w = 0.5 * (a + b);
    ((b - a).abs() > narrow && w.total_cmp(&a).is_ne() && w.total_cmp(&b).is_ne()).then_some(w)
}
