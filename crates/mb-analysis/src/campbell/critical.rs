//! Critical speeds: where a mode's frequency is so many per revolution.
//!
//! ```text
//! f(W) = |Im s(W)| - n turn(W) = 0
//! ```
//!
//! Between two speeds at which f has opposite signs the root is found by secants that keep it enclosed (Illinois). The error
//! bound is the half width of an enclosure: at its two ends f has opposite signs beyond the error bounds of the eigenvalues.

use super::follow::{ModePoint, Sample, Samples, next};
use super::path::{Look, Path};
use crate::error::AnalysisError;

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

/// A critical speed that was not solved for: work was ended before.
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
        let modes = next(self.path, &stop, w, near, &[far])?;
        Ok(Sample::new(w, &stop, modes))
    }
}

fn value(sample: &Sample, mode: usize, order: f64) -> Option<Value> {
    let m = sample.modes[mode].as_ref()?;
    Some((m.s.im.abs() - order * sample.turn, m.error))
}

pub(super) fn find(
    path: &Path<'_>,
    samples: &Samples,
    lines: &[f64],
) -> Result<(Vec<Critical>, Vec<Unsolved>), AnalysisError> {
    let (mut out, mut unsolved) = (Vec::new(), Vec::new());
    let modes = samples.list.first().map_or(0, |s| s.modes.len());
    for pair in samples.list.windows(2) {
        for mode in 0..modes {
            // In large models the mode asked for is followed alone: each costs factorizations of its own.
            let alone = (!path.is_small()).then(|| [pair[0].of_mode(mode), pair[1].of_mode(mode)]);
            let (between, place) = match &alone {
                Some([a, b]) => (Between { path, samples: [a, b] }, 0),
                None => (Between { path, samples: [&pair[0], &pair[1]] }, mode),
            };
            for order in lines {
                let values = [&pair[0], &pair[1]].map(|s| value(s, mode, *order));
                let [Some(a), Some(b)] = values else { continue };
                // What is zero at a sample belongs to the interval above it; real eigenvalues have no frequency.
                let real = |s: &Sample| s.modes[mode].as_ref().is_none_or(|m| m.s.im == 0.0);
                if real(&pair[0]) || real(&pair[1]) || (a.0 < 0.0) == (b.0 < 0.0) {
                    continue;
                }
                match path.unless_ended(|| root(&between, place, *order, [a, b])).transpose()? {
                    Some(found) => out.extend(found.map(|c| Critical { mode, ..c })),
                    None if a.0.abs() > a.1 && b.0.abs() > b.1 => {
                        unsolved.push(Unsolved { mode, order: *order, between: [pair[0].w, pair[1].w] });
                    }
                    None => {}
                }
            }
        }
    }
    out.sort_by(|a, b| a.speed.total_cmp(&b.speed).then(a.order.total_cmp(&b.order)));
    Ok((out, unsolved))
}

fn root(
    between: &Between<'_>,
    mode: usize,
    order: f64,
    [fa, fb]: [Value; 2],
) -> Result<Option<Critical>, AnalysisError> {
    let [a, b] = [(between.samples[0].w, fa.0), (between.samples[1].w, fb.0)];
    let width = (b.0 - a.0).abs();
    let slope = (b.1 - a.1) / (b.0 - a.0);
    let f = |w: f64, looks: Look| -> Result<(Sample, Option<Value>), AnalysisError> {
        let there = between.at(w, looks)?;
        let value = value(&there, mode, order);
        Ok((there, value))
    };
    let Some((at, _)) = secants([a, b], |w| Ok(f(w, Look::Between)?.1))? else { return Ok(None) };
    let (there, Some((_, error))) = f(at, between.path.at_solutions())? else { return Ok(None) };
    let mut half = (4.0 * error / slope.abs()).max(8.0 * f64::EPSILON * at.abs()).max(1e-12 * width);
    for _ in 0..STEPS {
        let (low, high) = (f(at - half, Look::Between)?.1, f(at + half, Look::Between)?.1);
        let (Some(low), Some(high)) = (low, high) else { return Ok(None) };
        if low.0.abs() > low.1 && high.0.abs() > high.1 && (low.0 < 0.0) != (high.0 < 0.0) {
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
