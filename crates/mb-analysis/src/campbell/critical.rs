//! Critical speeds: where a mode's frequency is so many per revolution.
//!
//! ```text
//! f(W) = |Im s(W)| - n turn(W) = 0
//! ```
//!
//! Of small models, whose modes are all known at every speed, f is that of the mode of a rank among them by frequency: it is continuous
//! whatever becomes of the modes that are followed, and the ranks whose f changes its sign are as many as modes cross a line. Of large models f
//! is that of a mode; a sign that changes by a jump, where another mode was taken for it, is no root and is reported as not solved.
//! Between two speeds at which f has opposite signs the root is found by secants that keep it enclosed (Illinois). The error
//! bound is the half width of an enclosure: at its two ends f has opposite signs beyond the error bounds of the eigenvalues.

use super::follow::{ModePoint, Sample, Samples, lowest_of_all, next};
use super::path::{Look, Path};
use crate::error::AnalysisError;
use mb_algebra::sorted::descending;

/// A critical speed.
#[derive(Clone, Debug, PartialEq)]
pub struct Critical {
    /// Number of the mode, from zero.
    pub mode: usize,
    /// So many per revolution.
    pub order: f64,
    /// The speed, in the unit of what it was asked for in.
    pub speed: f64,
    /// Half the width of an interval about it in which it lies.
    pub error: f64,
    /// Frequency there, Hz.
    pub frequency_hz: f64,
    /// Real part of the eigenvalue there, 1/s.
    pub growth: f64,
    /// As that of the mode.
    pub whirl: Option<f64>,
}

/// A critical speed that was not solved for: work was ended before, or a mode was lost between the speeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsolved {
    /// Number of the mode, from zero.
    pub mode: usize,
    /// So many per revolution.
    pub order: f64,
    /// The neighbouring speeds that it lies between.
    pub between: [f64; 2],
}

/// Steps of a root search, and of the search for an enclosure.
const STEPS: usize = 60;

/// f with its error bound.
type Value = (f64, f64);

/// A mode between two neighbouring samples.
pub(super) struct Between<'a> {
    pub(super) path: &'a Path<'a>,
    pub(super) samples: [&'a Sample; 2],
}

impl Between<'_> {
    /// The modes at a speed between the samples, from the nearer of them.
    pub(super) fn at(&self, w: f64, looks: Look) -> Result<Sample, AnalysisError> {
        mb_algebra::interrupt::check();
        let stop = self.path.at(w, looks)?;
        let [a, b] = self.samples;
        let (near, far) = if (w - a.w).abs() <= (w - b.w).abs() { (a, b) } else { (b, a) };
        stop.followed([near, far], || Ok(Sample::new(w, &stop, next(self.path, &stop, w, near, &[far])?)))
    }
    /// All modes of a small model at a speed, as they are computed and without the numbers of those followed.
    fn all_at(&self, w: f64, looks: Look) -> Result<Sample, AnalysisError> {
        mb_algebra::interrupt::check();
        let stop = self.path.at(w, looks)?;
        Ok(Sample::new(w, &stop, lowest_of_all(self.path, &stop, usize::MAX)?))
    }
}

/// What is followed to a line.
#[derive(Clone, Copy, Debug)]
enum Followed {
    /// The frequency that so many of all modes exceed: continuous in the speed, whatever modes are taken for the same at two speeds.
    Rank(usize),
    /// A mode of a large model, of which not all are known.
    Mode(usize),
}

impl Followed {
    /// The number of the mode, none where it does not oscillate, |Im s| - n turn and its error bound; none where the mode is not known.
    fn at(self, sample: &Sample, order: f64) -> Option<(Option<usize>, Value)> {
        let line = order * sample.turn;
        match self {
            Self::Mode(k) => {
                let m = sample.modes[k].as_ref()?;
                let oscillates = m.s.im != 0.0;
                Some((oscillates.then_some(k), (m.s.im.abs() - line, m.error)))
            }
            Self::Rank(rank) => {
                let list = frequencies(sample);
                let Some(&(k, f, own)) = list.get(rank) else { return Some((None, (-line, 0.0))) };
                // Modes within each other's bounds may stand in another order.
                let mixed = list.iter().filter(|(_, other, error)| (other - f).abs() <= own + error);
                let error = mixed.fold(own, |worst, (_, _, error)| worst.max(*error));
                Some((Some(k), (f - line, error)))
            }
        }
    }
}

/// Numbers, frequencies |Im s| and error bounds of the modes that oscillate, the highest first.
fn frequencies(sample: &Sample) -> Vec<(usize, f64, f64)> {
    let modes = sample.modes.iter().enumerate().filter_map(|(k, m)| Some((k, m.as_ref()?)));
    let mut list: Vec<_> = modes.map(|(k, m)| (k, m.s.im.abs(), m.error)).filter(|(_, f, e)| f > e).collect();
    descending(&mut list, |x| x.1);
    list
}

/// Where the modes cut lines of so many per revolution: those of a small model that are among the `count` of lowest frequency at a
/// speed next to it, of a large one those that are `kept`. With the numbers that modes have in `samples`.
pub(super) fn find(
    path: &Path<'_>,
    samples: &Samples,
    lines: &[f64],
    kept: &[usize],
    count: usize,
) -> Result<(Vec<Critical>, Vec<Unsolved>), AnalysisError> {
    let (mut out, mut unsolved) = (Vec::new(), Vec::new());
    for pair in samples.list.windows(2) {
        let [a, b] = [&pair[0], &pair[1]];
        let followed: Vec<Followed> = if path.is_small() {
            let sizes = [a, b].map(|s| frequencies(s).len());
            let lowest = sizes[0].min(sizes[1]).saturating_sub(count);
            (lowest..sizes[0].max(sizes[1])).map(Followed::Rank).collect()
        } else {
            kept.iter().copied().map(Followed::Mode).collect()
        };
        for what in followed {
            // In large models the mode asked for is followed alone: each costs factorizations of its own.
            let alone = match what {
                Followed::Mode(mode) => Some(([a.of_mode(mode), b.of_mode(mode)], mode)),
                Followed::Rank(_) => None,
            };
            let (between, here, named) = match &alone {
                Some(([a, b], mode)) => (Between { path, samples: [a, b] }, Followed::Mode(0), Some(*mode)),
                None => (Between { path, samples: [a, b] }, what, None),
            };
            for order in lines {
                let values = between.samples.map(|s| here.at(s, *order));
                let [Some((first, fa)), Some((second, fb))] = values else { continue };
                // What is zero at a sample belongs to the interval above it; real eigenvalues have no frequency.
                let known = match here {
                    Followed::Rank(_) => first.or(second),
                    Followed::Mode(_) => first.and(second),
                };
                let still = |mode: Option<usize>, f: Value| mode.is_none() && f.0 == 0.0;
                let Some(mode) = known.filter(|_| !still(first, fa) && !still(second, fb)) else { continue };
                if (fa.0 < 0.0) == (fb.0 < 0.0) {
                    continue;
                }
                let found =
                    path.unless_ended(|| crossing(&between, here, *order, [fa, fb], mode)).transpose()?;
                match found {
                    Some(Crossing::At(found)) => {
                        out.push(Critical { mode: named.unwrap_or(found.mode), ..found });
                    }
                    Some(Crossing::Lost) | None if fa.0.abs() > fa.1 && fb.0.abs() > fb.1 => {
                        let (mode, between) = (named.unwrap_or(mode), [a.w, b.w]);
                        unsolved.push(Unsolved { mode, order: *order, between });
                    }
                    Some(Crossing::Nowhere | Crossing::Lost) | None => {}
                }
            }
        }
    }
    out.sort_by(|a, b| a.speed.total_cmp(&b.speed).then(a.order.total_cmp(&b.order)));
    Ok((out, unsolved))
}

/// What becomes of a line that is cut between two samples.
enum Crossing {
    At(Critical),
    /// It is not: the modes followed at a sample are not those that there are.
    Nowhere,
    /// A mode was lost on the way.
    Lost,
}

/// Where f changes its sign between the samples, at which it is `ends`: by the modes followed and, of a small model in which one of these was
/// lost, by all modes, with the number `mode`.
fn crossing(
    between: &Between<'_>,
    what: Followed,
    order: f64,
    ends: [Value; 2],
    mode: usize,
) -> Result<Crossing, AnalysisError> {
    if let Some(found) = root(between, &|w, looks| between.at(w, looks), what, order, ends)? {
        return Ok(Crossing::At(found));
    }
    if !between.path.is_small() {
        return Ok(Crossing::Lost);
    }
    let every = |w: f64, looks: Look| between.all_at(w, looks);
    let end = |sample: &Sample| -> Result<_, AnalysisError> {
        Ok(what.at(&every(sample.w, Look::Between)?, order).map(|found| found.1))
    };
    let [a, b] = between.samples;
    let (Some(fa), Some(fb)) = (end(a)?, end(b)?) else { return Ok(Crossing::Lost) };
    if (fa.0 < 0.0) == (fb.0 < 0.0) {
        return Ok(Crossing::Nowhere);
    }
    let found = root(between, &every, what, order, [fa, fb])?;
    Ok(found.map_or(Crossing::Lost, |found| Crossing::At(Critical { mode, ..found })))
}

/// f at the ends of an enclosure, over what its slope makes of the enclosure and over the errors there, above which it jumps between them:
/// no root is there.
const JUMP: f64 = 1e3;

/// The critical speed between the samples, with the modes at other speeds by `sample`.
fn root(
    between: &Between<'_>,
    sample: &dyn Fn(f64, Look) -> Result<Sample, AnalysisError>,
    what: Followed,
    order: f64,
    [fa, fb]: [Value; 2],
) -> Result<Option<Critical>, AnalysisError> {
    let [a, b] = [(between.samples[0].w, fa.0), (between.samples[1].w, fb.0)];
    let width = (b.0 - a.0).abs();
    let slope = (b.1 - a.1) / (b.0 - a.0);
    let value = |w: f64| -> Result<Option<Value>, AnalysisError> {
        Ok(what.at(&sample(w, Look::Between)?, order).map(|found| found.1))
    };
    let Some((at, _)) = secants([a, b], value)? else { return Ok(None) };
    let there = sample(at, between.path.at_solutions())?;
    let Some((Some(mode), (_, error))) = what.at(&there, order) else { return Ok(None) };
    let mut half = (4.0 * error / slope.abs()).max(8.0 * f64::EPSILON * at.abs()).max(1e-12 * width);
    for _ in 0..STEPS {
        let (Some(low), Some(high)) = (value(at - half)?, value(at + half)?) else { return Ok(None) };
        if low.0.abs() > low.1 && high.0.abs() > high.1 && (low.0 < 0.0) != (high.0 < 0.0) {
            let smooth = slope.abs() * half + low.1.max(high.1);
            if low.0.abs().max(high.0.abs()) > JUMP * smooth {
                return Ok(None);
            }
            return Ok(there.modes[mode].as_ref().map(|m| critical(m, mode, order, at, half)));
        }
        half *= 8.0;
        if half > width {
            break;
        }
    }
    Ok(None)
}

/// The root of f between two speeds at which it has opposite signs, by secants that keep it enclosed, with the error bound of f there;
/// none where f has no value.
pub(super) fn secants(
    [mut a, mut b]: [(f64, f64); 2],
    f: impl Fn(f64) -> Result<Option<Value>, AnalysisError>,
) -> Result<Option<(f64, f64)>, AnalysisError> {
    let mut best = if a.1.abs() < b.1.abs() { a.0 } else { b.0 };
    let (mut bound, mut last_side) = (0.0, 0);
    for _ in 0..STEPS {
        let w = (a.0 * b.1 - b.0 * a.1) / (b.1 - a.1);
        let w = if w.is_finite() { w.clamp(a.0.min(b.0), a.0.max(b.0)) } else { 0.5 * (a.0 + b.0) };
        let Some((value, error)) = f(w)? else { return Ok(None) };
        (best, bound) = (w, error);
        if value.abs() <= error || (b.0 - a.0).abs() <= 4.0 * f64::EPSILON * w.abs() {
            break;
        }
        // Illinois: the end that stays twice counts half.
        if (value < 0.0) == (a.1 < 0.0) {
            a = (w, value);
            if last_side == 1 {
                b.1 *= 0.5;
            }
            last_side = 1;
        } else {
            b = (w, value);
            if last_side == -1 {
                a.1 *= 0.5;
            }
            last_side = -1;
        }
    }
    Ok(Some((best, bound)))
}

fn critical(m: &ModePoint, mode: usize, order: f64, speed: f64, error: f64) -> Critical {
    Critical { mode, order, speed, error, frequency_hz: m.frequency_hz(), growth: m.s.re, whirl: m.whirl }
}
