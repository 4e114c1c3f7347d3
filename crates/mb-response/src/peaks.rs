//! Local maxima of |H|, solved for between the samples of a sweep.
//!
//! A sample that stands out of its neighbours by more than all bounds has a local maximum of |H| around it, because |H| is
//! continuous where no undamped pole lies. A maximum between two samples of which neither stands out, as at an end of the band, is looked
//! for where the cubic with the values and slopes of log |H| at both has one, and again with what is found there where |H| rises at one end
//! and falls at the other. The search takes the vertex of the parabola of 1 / |H|^2 through three
//! frequencies, next to which a resonance is one exactly, until the vertices agree; two values near the last one that are
//! lower by more than all bounds are the ends of the interval in which the maximum is shown to lie. An undamped pole makes
//! |H| infinite or, where it is not excited or not seen, leaves it as it is: the values near the pole show it.

use crate::direct::Sample;
use crate::error::ResponseError;
use crate::sweep::SweptPoint;
use mb_algebra::c64;
use mb_algebra::sorted::{ascending, descending};

/// Values of H that a search may take, and one of a smaller peak beyond as many values in all as there are points.
const STEPS: usize = 24;
const FEW_STEPS: usize = 12;
/// Values of these that are left for the ends of the interval.
const FOR_ENDS: [usize; 2] = [8, 6];
/// And the look for a maximum between two samples.
const LOOKS: usize = 6;
/// Distance from an undamped pole, relative, at which |H| is looked at, and its growth there that shows it infinite.
const BESIDE: f64 = 1e-8;
const GROWTH: f64 = 10.0;
/// Half of the interval that is shown, over the frequency and over the half-width of the resonance: no narrower one is looked
/// for, so that it is the same on every computer.
const NARROWEST: f64 = 1e-7;
const NARROWEST_SHARE: f64 = 0.01;
/// Distance of an end that is shown over one that is not, at which the search for the nearest ends.
const NEAR_ENOUGH: f64 = 4.0;
/// Drop of |H| to the ends of the interval over the bounds.
const DROP: f64 = 8.0;

/// A local maximum of |H| over the frequency, of one output and input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Output and input.
    pub entry: (usize, usize),
    /// omega, rad/s.
    pub omega: f64,
    /// Ends of the interval in which |H| is shown to have a local maximum, rad/s.
    pub within: [f64; 2],
    /// H at omega and the bound of its error; none where an undamped pole makes it infinite.
    pub value: Option<(c64, f64)>,
}

/// |H| at one frequency.
#[derive(Clone, Copy, Debug)]
struct Value {
    omega: f64,
    h: c64,
    bound: f64,
    /// d log |H| / d omega.
    slope: f64,
}

impl Value {
    fn of(sample: &Sample, entry: (usize, usize)) -> Self {
        let h = sample.value[entry];
        let slope = (sample.slope[entry] / h).re;
        Self { omega: sample.omega, h, bound: sample.bound[entry], slope }
    }
    fn size(&self) -> f64 {
        self.h.norm()
    }
    /// |H| is surely as large as that.
    fn least(&self) -> f64 {
        self.size() - self.bound
    }
    /// |H| is surely larger there than at the other frequency.
    fn above(&self, other: &Self) -> bool {
        self.least() > other.size() + other.bound
    }
    /// 1 / |H|^2.
    fn inverse(&self) -> f64 {
        self.h.norm_sqr().recip()
    }
}

/// The peaks of each output and input in increasing frequency, entry by entry.
///
/// `points` in increasing frequency; `undamped`: frequencies of undamped poles, rad/s; `at`: H at a frequency, as that of the
/// points. Beyond as many values as there are points the rest of the peaks, the smaller ones, are found from a few values each.
///
/// # Errors
/// The errors of `at`.
pub fn peaks(
    points: &[SweptPoint],
    undamped: &[f64],
    at: &mut dyn FnMut(f64) -> Result<SweptPoint, ResponseError>,
) -> Result<Vec<Peak>, ResponseError> {
    let lost = points.iter().filter(|p| p.sample.is_none()).map(|p| p.omega);
    let undamped: Vec<f64> = undamped.iter().copied().chain(lost).collect();
    let samples: Vec<&Sample> = points.iter().filter_map(|p| p.sample.as_ref()).collect();
    let Some(first) = samples.first() else { return Ok(Vec::new()) };
    let (ny, nu) = first.value.shape();
    let mut out = Vec::new();
    // Values that the entries before left are there for the others.
    let mut left = points.len();
    for (k, entry) in (0..ny).flat_map(|o| (0..nu).map(move |i| (o, i))).enumerate() {
        let values: Vec<Value> = samples.iter().map(|s| Value::of(s, entry)).collect();
        let share = left / (ny * nu - k);
        let mut room = share;
        let mut found = standing_out(&values);
        found.extend(between(&values, &found, &undamped, &mut |omega| {
            room = room.saturating_sub(1);
            Ok(at(omega)?.sample.map(|s| Value::of(&s, entry)))
        })?);
        descending(&mut found, |a| a[1].size());
        let mut list = Vec::with_capacity(found.len());
        for three in found {
            let (steps, ends) =
                if room >= STEPS { (STEPS, FOR_ENDS[0]) } else { (FEW_STEPS, FOR_ENDS[1]) };
            let mut value = |omega: f64| {
                room = room.saturating_sub(1);
                Ok(at(omega)?.sample.map(|s| Value::of(&s, entry)))
            };
            if let Some(pole) = infinite(&three, &undamped, &mut value)? {
                list.push(Peak { entry, omega: pole, within: [pole; 2], value: None });
                continue;
            }
            list.push(search(three, entry, (steps, ends), &mut value)?);
        }
        left -= share - room;
        ascending(&mut list, |a| a.omega);
        out.append(&mut list);
    }
    Ok(out)
}

/// Samples that are above others on both sides by more than all bounds with none above them between, with these others.
fn standing_out(values: &[Value]) -> Vec<[Value; 3]> {
    let mut out: Vec<[Value; 3]> = Vec::new();
    for (k, top) in values.iter().enumerate() {
        let ends = |v: &&Value| top.above(v) || v.size() > top.size();
        let left = values[..k].iter().rev().find(ends).copied();
        let right = values[k + 1..].iter().find(ends).copied();
        let (Some(left), Some(right)) = (left, right) else { continue };
        if !(top.above(&left) && top.above(&right)) {
            continue;
        }
        // Equal values side by side are one peak.
        if out.last().is_none_or(|last| last[1].omega < left.omega || last[2].omega <= top.omega) {
            out.push([left, *top, right]);
        }
    }
    out
}

/// Maxima between neighbours, none of which is in `found`: values that are above both ends of an interval by more than all bounds.
fn between(
    values: &[Value],
    found: &[[Value; 3]],
    undamped: &[f64],
    at: &mut dyn FnMut(f64) -> Result<Option<Value>, ResponseError>,
) -> Result<Vec<[Value; 3]>, ResponseError> {
    let mut out = Vec::new();
    for pair in values.windows(2) {
        let [mut a, mut b] = [pair[0], pair[1]];
        let known = found.iter().any(|f| f[0].omega < b.omega && f[2].omega > a.omega);
        if known || undamped.iter().any(|w| *w > a.omega && *w < b.omega) {
            continue;
        }
        for _ in 0..LOOKS {
            let Some(omega) = cubic_maximum(&a, &b) else { break };
            let Some(top) = at(omega)? else { break };
            if top.above(&a) && top.above(&b) {
                out.push([a, top, b]);
                break;
            }
            // Between a rise and a fall there is a maximum.
            match (a.slope > 0.0, top.slope > 0.0, b.slope < 0.0) {
                (_, true, true) => a = top,
                (true, false, _) => b = top,
                _ => break,
            }
        }
    }
    Ok(out)
}

/// The place inside an interval of the local maximum of the cubic with the values and slopes of log |H| at its ends; none where there is none.
fn cubic_maximum(first: &Value, last: &Value) -> Option<f64> {
    let wide = last.omega - first.omega;
    let (rise, m0, m1) = ((last.size() / first.size()).ln(), wide * first.slope, wide * last.slope);
    // f' = c + 2 b t + a t^2 with t from 0 to 1, zero with f'' = 2 b + 2 a t < 0 at the maximum.
    let (a, b, c) = (3.0 * (m0 + m1 - 2.0 * rise), 3.0 * rise - 2.0 * m0 - m1, m0);
    let root = (b * b - a * c).sqrt();
    // -b - root is a t; the form without cancellation.
    let t = if b < 0.0 { c / (root - b) } else { -(b + root) / a };
    let place = first.omega + t * wide;
    (place > first.omega && place < last.omega).then_some(place)
}

/// The undamped pole between the outer frequencies at which |H| is infinite.
fn infinite(
    [a, b, c]: &[Value; 3],
    undamped: &[f64],
    at: &mut dyn FnMut(f64) -> Result<Option<Value>, ResponseError>,
) -> Result<Option<f64>, ResponseError> {
    for pole in undamped.iter().filter(|w| **w > a.omega && **w < c.omega) {
        let near = at(pole * (1.0 + BESIDE))?;
        if near.is_none_or(|v| v.size() > GROWTH * b.size()) {
            return Ok(Some(*pole));
        }
    }
    Ok(None)
}

/// The maximum between three frequencies, the middle one above both others, from so many values, of which the last ones are for the ends
/// of the interval.
fn search(
    three: [Value; 3],
    entry: (usize, usize),
    (steps, for_ends): (usize, usize),
    at: &mut dyn FnMut(f64) -> Result<Option<Value>, ResponseError>,
) -> Result<Peak, ResponseError> {
    let [mut a, mut b, mut c] = three;
    // Ends of the interval that is shown.
    let mut shown = [a.omega, c.omega];
    let mut left = steps;
    loop {
        let (vertex, step, width) = parabola(&a, &b, &c);
        let step = step.max(4.0 * f64::EPSILON * b.omega);
        let settled = (vertex - b.omega).abs() <= 0.25 * step;
        if settled || left < for_ends {
            let least = step.max((NARROWEST * b.omega).min(NARROWEST_SHARE * width));
            for (end, side) in [(0, -1.0), (1, 1.0)] {
                // As near as the bounds let it be; farther where the values do not show it, the distance between those that do not and do
                // halved on a logarithmic scale.
                let (mut low, mut high) = (0.0, (shown[end] - b.omega).abs());
                let mut steps = left / (2 - end);
                let mut wide = least;
                while steps > 0 && wide < high && high > NEAR_ENOUGH * low {
                    (steps, left) = (steps - 1, left - 1);
                    let Some(near) = at(b.omega + side * wide)? else { break };
                    if b.above(&near) {
                        (shown[end], high) = (near.omega, wide);
                        if low == 0.0 {
                            break;
                        }
                    } else {
                        low = wide;
                    }
                    wide = (low * high).sqrt();
                }
            }
            return Ok(Peak { entry, omega: b.omega, within: shown, value: Some((b.h, b.bound)) });
        }
        let inside = vertex > a.omega && vertex < c.omega;
        let farther = if b.omega - a.omega > c.omega - b.omega { a.omega } else { c.omega };
        let next = if inside { vertex } else { 0.5 * (b.omega + farther) };
        left -= 1;
        // No value: the bracket that there is stays.
        let Some(x) = at(next)? else {
            return Ok(Peak { entry, omega: b.omega, within: shown, value: Some((b.h, b.bound)) });
        };
        // By what is sure, so that the ends that are shown stay below.
        let higher = x.least() >= b.least();
        let before = x.omega < b.omega;
        (a, b, c) = match (higher, before) {
            (true, true) => (a, x, b),
            (true, false) => (b, x, c),
            (false, true) => (x, b, c),
            (false, false) => (a, b, x),
        };
    }
}

/// Vertex of the parabola of 1 / |H|^2 through three frequencies, the distance from it at which |H| is lower by [`DROP`]
/// bounds, and that at which |H|^2 is halved.
fn parabola(a: &Value, b: &Value, c: &Value) -> (f64, f64, f64) {
    let slope = |p: &Value, q: &Value| (q.inverse() - p.inverse()) / (q.omega - p.omega);
    let bend = (slope(b, c) - slope(a, b)) / (c.omega - a.omega);
    if !(bend > 0.0 && bend.is_finite()) {
        return (f64::NAN, 0.0, 0.0);
    }
    // The slope at b of the parabola.
    let at_b = slope(a, b) + bend * (b.omega - a.omega);
    let vertex = b.omega - 0.5 * at_b / bend;
    // 1 / |H|^2 grows by the share 2 DROP bound / |H|.
    let share = 2.0 * DROP * (b.bound / b.size()).max(f64::EPSILON);
    let width = (b.inverse() / bend).sqrt();
    (vertex, share.sqrt() * width, width)
}
