//! Speeds between the samples of a Campbell diagram that differ from them: where something grows between two at which nothing does, and where
//! nothing grows between two at which something does.
//!
//! In reversible systems growth begins where two modes meet: the gap between them closes as the square root of the distance, so that samples
//! may miss a range. All pairs that could meet are therefore checked by halving, until they are farther apart than their motion reaches,
//! or the interval is a 4096th of that of the samples. Modes whose energies have the same sign pass each other without growth.
//! Modes may also meet and part, or a real part rise above zero and fall, between two samples that are alike: next to every sample at which a
//! mode is nearer to the axis, or two modes are to each other, than at both neighbours the minimum is sought by halving, as long as it may
//! reach zero. In systems that are not reversible that is no proof, so that ranges narrower than the distance of the samples may be missed.
//! Where one mode ceases to grow and another begins to, between the same samples, the roots of their real parts tell whether there is a
//! range between in which neither does.

use super::critical::{Between, secants};
use super::follow::{ModePoint, Sample};
use super::path::{Look, Path};
use super::unstable::growing;
use crate::error::AnalysisError;
use mb_algebra::c64;

/// Halvings between samples.
const DEPTH: u32 = 12;

/// A speed between two samples.
struct Seed {
    between: usize,
    sample: Sample,
}

/// Speeds between the samples `list` that differ from both, each with the number of the sample before it, at most one between two; and the
/// width below which ranges are found by chance; `step` lies between the samples.
pub(super) fn between(
    path: &Path<'_>,
    list: &[Sample],
    step: f64,
) -> Result<(Vec<(usize, Sample)>, f64), AnalysisError> {
    let reversible = list.iter().all(|sample| sample.reversible);
    let mut resolution = if reversible { step / f64::from(1_u32 << DEPTH) } else { step };
    let mut seeds: Vec<Seed> = Vec::new();
    for (k, pair) in list.windows(2).enumerate() {
        let pair = [&pair[0], &pair[1]];
        let grows = pair.map(|sample| growing(sample).is_some());
        let between = Between { path, samples: pair };
        let found = match grows {
            [false, false] => path.unless_ended(|| hidden(&between, pair, DEPTH)).transpose()?,
            [true, true] => path.unless_ended(|| quiet(&between)).transpose()?,
            _ => continue,
        };
        match found {
            Some(found) => seeds.extend(found.map(|sample| Seed { between: k, sample })),
            None => resolution = step,
        }
    }
    for k in 0..list.len() {
        match path.unless_ended(|| beside(path, list, k)).transpose()? {
            Some(Some(seed)) if seeds.iter().all(|s| s.between != seed.between) => seeds.push(seed),
            Some(_) => {}
            None => break,
        }
    }
    Ok((seeds.into_iter().map(|Seed { between, sample }| (between, sample)).collect(), resolution))
}

/// A speed at which nothing grows between two at which different modes do: those that cease to grow have done so before the others begin.
fn quiet(between: &Between<'_>) -> Result<Option<Sample>, AnalysisError> {
    let [a, b] = between.samples;
    if a.reversible || b.reversible {
        return Ok(None);
    }
    let (mut ceased, mut begun) = (a.w, b.w);
    let beyond = |w: f64, than: f64| (w - than) * (b.w - a.w) > 0.0;
    let (mut some_ceases, mut some_begins) = (false, false);
    for (mode, (x, y)) in a.modes.iter().zip(&b.modes).enumerate() {
        let (Some(x), Some(y)) = (x, y) else { continue };
        match [x.grows(false), y.grows(false)] {
            [true, true] => return Ok(None),
            [false, false] => {}
            [ceases, _] => {
                let real = |w: f64| -> Result<Option<(f64, f64)>, AnalysisError> {
                    let there = between.at(w, Look::Between)?;
                    Ok(there.modes[mode].as_ref().map(|m| (m.s.re, m.error)))
                };
                if (x.s.re < 0.0) == (y.s.re < 0.0) {
                    return Ok(None);
                }
                let Some((root, _)) = secants([(a.w, x.s.re), (b.w, y.s.re)], real)? else { return Ok(None) };
                if ceases {
                    some_ceases = true;
                    ceased = if beyond(root, ceased) { root } else { ceased };
                } else {
                    some_begins = true;
                    begun = if beyond(begun, root) { root } else { begun };
                }
            }
        }
    }
    if !(some_ceases && some_begins && beyond(begun, ceased)) {
        return Ok(None);
    }
    let there = between.at(0.5 * (ceased + begun), Look::Between)?;
    Ok(growing(&there).is_none().then_some(there))
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
    let all_followed = a.follows_all() && b.follows_all();
    for (i, x) in modes.iter().enumerate() {
        for y in &modes[i..] {
            for conjugate in [false, true] {
                let same = std::ptr::eq(x, y);
                // What is real at both ends is followed by itself where no eigenvalue is left out.
                if same && (!conjugate || all_followed && x.iter().all(|m| m.is_real())) {
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
                let alike = reversible && !same && x[0].energy() * y[0].energy() * sign(conjugate) > 0.0;
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
                let alike = sample.reversible && i != j && x.energy() * y.energy() * sign(conjugate) > 0.0;
                !still && !alike && (-x.s.re).min(-y.s.re) <= FARTHER * apart.sqrt()
            }
        }
    }
    /// Whether a mode has met its conjugate.
    fn closed(self, sample: &Sample) -> bool {
        let Self::Between([i, j], true) = self else { return false };
        i == j && sample.modes.get(i).and_then(Option::as_ref).is_some_and(ModePoint::is_real)
    }
    /// Whether a mode and its conjugate are apart on the real axis at all of some samples that leave no eigenvalue out: each is followed by itself.
    fn stays_closed<'s>(self, mut samples: impl Iterator<Item = &'s Sample>) -> bool {
        samples.all(|s| self.closed(s) && s.follows_all())
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
            && !distance.stays_closed(sides.iter().flatten().copied().chain([centre]))
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
