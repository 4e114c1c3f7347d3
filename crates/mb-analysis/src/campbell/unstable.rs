//! Ranges of speeds at which disturbances grow, with their ends solved for.
//!
//! A mode grows where its real part is above its error bound. The end of a range is enclosed by halving between a speed at which
//! something grows and one at which nothing does. Growth begins where a real part passes zero, or, in reversible systems, where
//! two modes meet: then the gap between them closes as the square root of the distance, so that samples may miss a range. Between
//! samples all pairs that could meet are therefore checked by halving, until they are farther apart than their motion reaches,
//! or the interval is a 4096th of that of the samples. Modes whose energies have the same sign pass each other without growth.
//! Modes may also meet and part, or a real part rise above zero and fall, between two samples that are alike: next to every sample at which a
//! mode is nearer to the axis, or two modes are to each other, than at both neighbours the minimum is sought by halving, as long as it may
//! reach zero. In systems that are not reversible that is no proof, so that ranges narrower than the distance of the samples may be missed.

use super::critical::Between;
use super::follow::{ModePoint, Sample, Samples};
use super::path::{Look, Path};
use crate::error::AnalysisError;
use mb_algebra::c64;

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

/// Halvings between samples.
const DEPTH: u32 = 12;

/// Width of an enclosure, relative to the whole range.
const NARROW: f64 = 1e-11;

/// Share of an enclosure that its ends may be off by.
const ENOUGH: f64 = 0.02;

/// What grows fastest: the mode where it is one of those followed, by how much, and whether without oscillation.
fn growing(sample: &Sample) -> Option<(Option<usize>, f64, bool)> {
    let (s, divergence) = sample.growth?;
    let near = |m: &ModePoint| {
        let off = [s, s.conj(), -s, -s.conj()].map(|z| (m.s - z).norm());
        off.into_iter().fold(f64::INFINITY, f64::min) <= 1e-6 * s.norm() + m.error
    };
    let mode = sample.modes.iter().position(|m| m.as_ref().is_some_and(near));
    Some((mode, s.re, divergence))
}

/// A speed between samples at which something grows.
struct Seed {
    between: usize,
    sample: Sample,
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
    let reversible = list.iter().all(|sample| sample.reversible);
    let mut resolution = if reversible { step / f64::from(1_u32 << DEPTH) } else { step };
    let mut seeds: Vec<Seed> = Vec::new();
    for (k, pair) in list.windows(2).enumerate() {
        if growing(&pair[0]).is_none() && growing(&pair[1]).is_none() {
            let between = Between { path, samples: [&pair[0], &pair[1]] };
            match path.unless_ended(|| hidden(&between, [&pair[0], &pair[1]], DEPTH)).transpose()? {
                Some(found) => seeds.extend(found.map(|sample| Seed { between: k, sample })),
                None => resolution = step,
            }
        }
    }
    for k in 0..list.len() {
        match path.unless_ended(|| beside(path, list, k)).transpose()? {
            Some(Some(seed)) if seeds.iter().all(|s| s.between != seed.between) => seeds.push(seed),
            Some(_) => {}
            None => break,
        }
    }
    let mut out = Vec::new();
    let mut open: Option<Unstable> = None;
    for (k, sample) in list.iter().enumerate() {
        if let Some((mode, growth, divergence)) = growing(sample) {
            let from = match open.as_ref() {
                Some(range) => range.from,
                None if k == 0 => None,
                None => Some(end([&list[k - 1], sample])?),
            };
            let before = open.take().filter(|o| o.growth >= growth);
            let now = Unstable { from, to: None, growth, at: sample.w, mode, divergence };
            open = Some(before.unwrap_or(now));
        } else if let Some(mut range) = open.take() {
            range.to = Some(end([sample, &list[k - 1]])?);
            out.push(range);
        }
        for seed in seeds.iter().filter(|s| s.between == k) {
            if let Some((mode, growth, divergence)) = growing(&seed.sample) {
                let from = Some(end([&list[k], &seed.sample])?);
                let to = Some(end([&list[k + 1], &seed.sample])?);
                out.push(Unstable { from, to, growth, at: seed.sample.w, mode, divergence });
            }
        }
    }
    out.extend(open);
    Ok((out, resolution))
}

/// What has to become zero for growth to begin, positive where nothing grows: smooth in the speed.
#[derive(Clone, Copy)]
enum Distance {
    /// -Re s of a mode.
    FromAxis(usize),
    /// |s_i - s_j|^2 of two modes, or of one and the conjugate of another: the gap itself closes as a square root.
    Between([usize; 2], bool),
}

impl Distance {
    fn at(self, sample: &Sample) -> Option<f64> {
        let s = |k: usize| sample.modes.get(k)?.as_ref().map(|m| m.s);
        match self {
            Self::FromAxis(k) => s(k).map(|s| -s.re),
            Self::Between([i, j], conjugate) => {
                let (one, other) = (s(i)?, s(j)?);
                Some((one - if conjugate { other.conj() } else { other }).norm_sqr())
            }
        }
    }
    /// Whether growth may begin near a sample: modes that decay faster than they are apart part below the axis, and modes whose energies have the
    /// same sign pass each other in a reversible system.
    fn counts(self, sample: &Sample) -> bool {
        let mode = |k: usize| sample.modes.get(k).and_then(Option::as_ref);
        match self {
            Self::FromAxis(k) => !sample.reversible && mode(k).is_some_and(|m| m.s.re < -m.error),
            Self::Between([i, j], conjugate) => {
                let (Some(x), Some(y), Some(apart)) = (mode(i), mode(j), self.at(sample)) else {
                    return false;
                };
                let still = [x, y].iter().any(|m| m.s.norm() <= m.error);
                let alike = sample.reversible && i != j && energy(x) * energy(y) * sign(conjugate) > 0.0;
                !still && !alike && (-x.s.re).min(-y.s.re) <= FARTHER * apart.sqrt()
            }
        }
    }
    /// Whether a mode has met its conjugate.
    fn closed(self, sample: &Sample) -> bool {
        let Self::Between([i, j], true) = self else { return false };
        i == j && sample.modes.get(i).and_then(Option::as_ref).is_some_and(|m| m.s.im.abs() <= m.error)
    }
    /// Whether two modes change places between two speeds, which `hidden` deals with.
    fn crosses(self, a: &Sample, b: &Sample) -> bool {
        let Self::Between([i, j], conjugate) = self else { return false };
        let ahead = |sample: &Sample| {
            let im = |k: usize| sample.modes.get(k)?.as_ref().map(|m| m.s.im);
            Some(im(i)? > im(j)? * sign(conjugate))
        };
        i != j && ahead(a) != ahead(b)
    }
}

/// A speed next to sample `k`, between it and a neighbour, at which something grows that is nearest to growth there among the samples.
fn beside(path: &Path<'_>, list: &[Sample], k: usize) -> Result<Option<Seed>, AnalysisError> {
    let centre = &list[k];
    let sides = [k.checked_sub(1).map(|i| &list[i]), list.get(k + 1)];
    if [Some(centre)].iter().chain(&sides).flatten().any(|s| growing(s).is_some()) {
        return Ok(None);
    }
    let seed = |sample: Sample| {
        let before = sides[0].is_some_and(|s| (sample.w - centre.w) * (s.w - centre.w) > 0.0);
        Seed { between: if before { k - 1 } else { k }, sample }
    };
    // A mode that has met its conjugate is none of those followed.
    let lost = |mode: usize| {
        let known = |s: &&Sample| s.modes.get(mode).is_some_and(Option::is_some);
        !known(&centre) && sides.iter().flatten().any(known)
    };
    let modes = 0..centre.modes.len();
    if path.is_small()
        && modes.clone().any(lost)
        && let Some(sample) = parted(path, &sides.map(Option::<&Sample>::cloned), centre)?
    {
        return Ok(Some(seed(sample)));
    }
    let of_two = modes.clone().flat_map(|i| (i..centre.modes.len()).map(move |j| [i, j]));
    let gaps = of_two.flat_map(|[i, j]| [true, false].map(|conjugate| ([i, j], conjugate)));
    let gaps = gaps.filter(|([i, j], conjugate)| i != j || *conjugate);
    let all =
        modes.map(Distance::FromAxis).chain(gaps.map(|(pair, conjugate)| Distance::Between(pair, conjugate)));
    for distance in all {
        let nearer = |s: &&Sample| {
            let not_less = distance.at(s).zip(distance.at(centre)).is_some_and(|(there, here)| there >= here);
            not_less && !distance.crosses(s, centre)
        };
        if sides.iter().flatten().all(nearer)
            && let Some(sample) =
                descend(path, sides.map(Option::<&Sample>::cloned), centre.clone(), distance)?
        {
            return Ok(Some(seed(sample)));
        }
    }
    Ok(None)
}

/// Steps to either side in which a range is searched where a mode and its conjugate have parted on the real axis: one of them rises there, and
/// which of the two is followed is chance.
const PARTED: u32 = 8;

/// A speed at which something grows on the way from a speed at which a mode does not oscillate to its neighbours.
fn parted(
    path: &Path<'_>,
    sides: &[Option<Sample>; 2],
    from: &Sample,
) -> Result<Option<Sample>, AnalysisError> {
    for side in sides.iter().flatten() {
        let between = Between { path, samples: [from, side] };
        for step in 1..PARTED {
            let share = f64::from(step) / f64::from(PARTED);
            let there = between.at(from.w + share * (side.w - from.w), Look::Between)?;
            if growing(&there).is_some() {
                return Ok(Some(there));
            }
        }
    }
    Ok(None)
}

/// A speed at which something grows near the minimum of a distance, which is least at `nearest` between the speeds at its sides.
fn descend(
    path: &Path<'_>,
    mut sides: [Option<Sample>; 2],
    mut nearest: Sample,
    distance: Distance,
) -> Result<Option<Sample>, AnalysisError> {
    for _ in 0..DEPTH {
        if distance.closed(&nearest) {
            return parted(path, &sides, &nearest);
        }
        let Some(here) = distance.at(&nearest).filter(|_| distance.counts(&nearest)) else { return Ok(None) };
        let way = sides.iter().flatten().filter_map(|s| distance.at(s)).map(|x| x - here).fold(0.0, f64::max);
        if here > FARTHER * way {
            return Ok(None);
        }
        let mut middles = [None, None];
        for (side, middle) in sides.iter().zip(&mut middles) {
            let Some(side) = side else { continue };
            let between = Between { path, samples: [side, &nearest] };
            let there = between.at(0.5 * (side.w + nearest.w), Look::Between)?;
            if growing(&there).is_some() {
                return Ok(Some(there));
            }
            if distance.at(&there).is_none() {
                return parted(path, &[Some(side.clone()), Some(nearest)], &there);
            }
            *middle = Some(there);
        }
        let less = |k: usize| middles[k].as_ref().and_then(|m| distance.at(m)).filter(|x| *x < here);
        let to = match (less(0), less(1)) {
            (Some(a), Some(b)) => Some(usize::from(b < a)),
            (Some(_), None) => Some(0),
            (None, Some(_)) => Some(1),
            (None, None) => None,
        };
        match to {
            None => sides = middles,
            Some(k) => {
                let Some(middle) = middles[k].take() else { return Ok(None) };
                sides[1 - k] = Some(std::mem::replace(&mut nearest, middle));
            }
        }
    }
    Ok(None)
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
    if is_open(still, mode, grown) {
        other = still.w;
    } else if let Some([near_quiet, near_grows]) = about_root(&between, whole)? {
        (quiet, other, grows) = (near_quiet, near_grows, near_grows);
    }
    // A width that is mostly what is open within error bounds gains nothing from narrower ends.
    let narrow = |quiet: f64, grows: f64| (NARROW * whole).max(ENOUGH * (grows - quiet).abs());
    while let Some(w) = middle(quiet, other, narrow(quiet, grows)) {
        let there = between.at(w, Look::Between)?;
        if growing(&there).is_some() {
            (other, grows) = (w, w);
        } else if is_open(&there, mode, grown) {
            other = w;
        } else {
            quiet = w;
        }
    }
    // What is open lies between.
    let mut open = other;
    while let Some(w) = middle(open, grows, narrow(quiet, grows)) {
        if growing(&between.at(w, Look::Between)?).is_some() {
            grows = w;
        } else {
            open = w;
        }
    }
    Ok([0.5 * (quiet + grows), 0.5 * (grows - quiet).abs()])
}

/// Whether the mode that grows at another sample could grow within its error bound: where it is none of those followed, whether more are
/// open than there, where it is not.
fn is_open(sample: &Sample, mode: Option<usize>, grown: &Sample) -> bool {
    let of = |mode: usize| sample.modes.get(mode)?.as_ref().map(|m| m.is_open(sample.reversible));
    mode.and_then(of).unwrap_or(sample.open > grown.open)
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
            && growing(&between.at(sides[1], Look::Between)?).is_some()
        {
            return Ok(Some(sides));
        }
        half *= 8.0;
    }
    Ok(None)
}

/// The middle of two speeds, unless they are this near or neighbouring numbers.
fn middle(a: f64, b: f64, narrow: f64) -> Option<f64> {
    let w = 0.5 * (a + b);
    ((b - a).abs() > narrow && w.total_cmp(&a).is_ne() && w.total_cmp(&b).is_ne()).then_some(w)
}

/// A speed inside an interval at which something grows, where two modes that could meet do.
fn hidden(between: &Between<'_>, [a, b]: [&Sample; 2], depth: u32) -> Result<Option<Sample>, AnalysisError> {
    if depth == 0 || !may_meet(a, b) {
        return Ok(None);
    }
    let middle = between.at(0.5 * (a.w + b.w), Look::Between)?;
    if growing(&middle).is_some() {
        return Ok(Some(middle));
    }
    if let Some(found) = hidden(between, [a, &middle], depth - 1)? {
        return Ok(Some(found));
    }
    hidden(between, [&middle, b], depth - 1)
}

/// How much farther two modes may move between two speeds than they do on the whole.
const FARTHER: f64 = 1.5;

/// Whether two modes, or a mode and its conjugate, could meet between two speeds.
fn may_meet(a: &Sample, b: &Sample) -> bool {
    let modes: Vec<[&ModePoint; 2]> =
        a.modes.iter().zip(&b.modes).filter_map(|(x, y)| Some([x.as_ref()?, y.as_ref()?])).collect();
    let reversible = a.reversible && b.reversible;
    for (i, x) in modes.iter().enumerate() {
        for y in &modes[i..] {
            for conjugate in [false, true] {
                let same = std::ptr::eq(x, y);
                if same && !conjugate {
                    continue;
                }
                let other = |s: c64| if conjugate { s.conj() } else { s };
                let gap = |k: usize| (x[k].s - other(y[k].s)).norm();
                let way = (x[1].s - x[0].s).norm() + (y[1].s - y[0].s).norm();
                // What decays faster than modes move and part when they meet does not grow between the speeds; an exact zero of a
                // coordinate that can be ignored stays one.
                let decay =
                    [x, y].iter().flat_map(|m| [-m[0].s.re, -m[1].s.re]).fold(f64::INFINITY, f64::min);
                let still = [x, y].iter().any(|m| m[0].s.norm() <= m[0].error && m[1].s.norm() <= m[1].error);
                let apart = if same { 0.0 } else { gap(0).max(gap(1)) };
                if still || decay > FARTHER * (way + apart) {
                    continue;
                }
                let crosses = {
                    let ahead = |k: usize| x[k].s.im > other(y[k].s).im;
                    ahead(0) != ahead(1)
                };
                let near = crosses || gap(0).min(gap(1)) <= FARTHER * way;
                let alike = reversible && !same && energy(x[0]) * energy(y[0]) * sign(conjugate) > 0.0;
                if near && !alike {
                    return true;
                }
            }
        }
    }
    false
}

fn sign(conjugate: bool) -> f64 {
    if conjugate { -1.0 } else { 1.0 }
}

/// The sign of the energy of an oscillation times that of its frequency.
///
/// With y^H (2 s M + C) x = 1 and, in a reversible system, y = c x for an imaginary s: x^H (2 s M + C) x = 1 / conj(c) is
/// imaginary, and has the sign asked for.
fn energy(m: &ModePoint) -> f64 {
    // z = conj(y) = conj(c) conj(x), so that z . x = conj(c) |x|^2.
    let product: c64 = m.left.iter().zip(&m.right).map(|(z, x)| z * x).sum();
    // 1 / conj(c) = |x|^2 / (z . x).
    -product.im.signum()
}
