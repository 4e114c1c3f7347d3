//! Values between two samples at which disturbances grow though they do at neither, or at which they do not though they do at both.
//!
//! Of a multiplier mu = exp(l) the logarithm l is a smooth function of the parameter p but where two meet. Each sample is solved for at
//! a value next to it as well, so that slopes of all l are known and neighbouring samples give cubics of them with the whole turns
//! between. Growth begins where
//!
//! ```text
//! two multipliers meet:   E = Re (l_i - l_j)^2 = -c^2 ((p - p_0)^2 - w^2)     from p_0 - w to p_0 + w, of what keeps its energy
//! Re l rises above zero and falls again
//! ```
//!
//! E is smooth where the multipliers themselves are not, whatever leaves the unit circle at p_0 and however narrow the range is: it is
//! enough to find the maximum of E. A pair of conjugates meets at 1 and -1. (Yakubovich, Starzhinskii, Linear Differential Equations
//! with Periodic Coefficients, ch. III: multipliers of one kind pass each other, those of opposite kinds may leave the circle.)
//!
//! What is not found is not shown to be absent: intervals in which it could be nearest to be missed are given.

use super::{Over, Sample, assigned};
use crate::periodic::OrbitError;
use mb_algebra::c64;
use mb_algebra::sorted::ascending;
use mb_periodic::Class;
use std::cell::{Cell, RefCell};
use std::f64::consts::TAU;

/// Halvings of an interval until logarithms are known as cubics.
const DEPTH: u32 = 8;

/// Halvings of an interval at one end of which something grows.
const APPROACH: u32 = 3;

/// Distance at which slopes are taken, as a share of that of the samples.
const ASIDE: f64 = 1e-4;

/// Motions between the samples that are solved for at most, as a multiple of their number.
const MOST: usize = 60;

/// Largest part of a logarithm that a cubic may leave open between two samples, and largest change of its slope there; rad.
const OPEN: f64 = 0.4;
const BENT: f64 = 2.0;

/// Places at which cubics are compared.
const PLACES: u32 = 64;

/// Share of a turn up to which two that do not meet on their cubics may do so.
const NEAR: f64 = 0.05;

/// How much farther something may go than it does on the whole.
const FARTHER: f64 = 1.5;

/// Steps to a maximum, the shortest first one, and the share of it that may be left.
const STEPS: usize = 12;
const SHORT: f64 = 1e-6;
const SETTLED: f64 = 0.01;

/// ln mu at a sample with its slope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Log {
    l: c64,
    slope: c64,
    error: f64,
}

/// A number whose imaginary part is an angle, the nearest to zero.
fn nearest(l: c64) -> c64 {
    c64::new(l.re, l.im - TAU * (l.im / TAU).round())
}

/// The logarithms of the multipliers that are not known beforehand and have one.
fn logarithms(sample: &Sample) -> Vec<(c64, f64)> {
    let period = sample.period;
    let own = sample.multipliers.iter();
    let own = own.filter(|m| !matches!(m.class, Class::Trivial | Class::Ignorable));
    own.filter_map(|m| Some((m.exponent? * period, m.error / m.value.norm()))).collect()
}

/// The cubic of a logarithm between two samples, over the share of the way.
#[derive(Clone, Copy)]
struct Course([c64; 4]);

impl Course {
    /// The one from `a` to `b` with the whole turns that the slopes say, over the distance `h`; and what these leave open.
    fn new(a: &Log, b: &Log, h: f64) -> (Self, c64) {
        let (from, to) = (a.slope * h, b.slope * h);
        let open = nearest(b.l - a.l - (from + to) * 0.5);
        let way = (from + to) * 0.5 + open;
        (Self([a.l, from, way * 3.0 - from * 2.0 - to, from + to - way * 2.0]), open)
    }
    fn at(&self, u: f64) -> c64 {
        self.0.iter().rev().fold(c64::ZERO, |sum, x| sum * u + x)
    }
    fn slope(&self, u: f64) -> c64 {
        let [_, a, b, c] = self.0;
        a + (b * 2.0 + c * (3.0 * u)) * u
    }
}

/// A place at which growth may begin and end: a share of the way, what is to be largest there, and its curvature.
struct Place {
    u: f64,
    what: What,
    /// k of f = f_0 - k (u - u_0)^2.
    bent: f64,
}

#[derive(Clone, Copy)]
enum What {
    /// Re (l_i - l_j)^2 of two that meet.
    Meeting([Course; 2]),
    /// Re l of one.
    Rising(Course),
}

/// What was found at a place.
struct Look {
    u: f64,
    /// What is to be largest, and its error.
    value: f64,
    noise: f64,
    /// The largest Re l of those that take part, with its error.
    growth: f64,
}

impl What {
    /// At a sample, a share `u` of the way on; none where they are not there.
    fn look(&self, sample: &Sample, u: f64) -> Option<Look> {
        let mut all = logarithms(sample);
        let mut take = |course: &Course| -> Option<(c64, f64)> {
            let off = |(l, _): &(c64, f64)| nearest(l - course.at(u)).norm();
            let k = (0..all.len()).min_by(|i, k| off(&all[*i]).total_cmp(&off(&all[*k])))?;
            Some(all.swap_remove(k))
        };
        Some(match self {
            Self::Meeting([i, j]) => {
                let ((x, dx), (y, dy)) = (take(i)?, take(j)?);
                let gap = nearest(x - y);
                let (value, noise) = ((gap * gap).re, (dx + dy) * (dx + dy));
                Look { u, value, noise, growth: (x.re + dx).max(y.re + dy) }
            }
            Self::Rising(i) => {
                let (x, error) = take(i)?;
                Look { u, value: x.re, noise: error, growth: x.re + error }
            }
        })
    }
}

/// Courses between two samples at the distance `h` of those that could come to grow; none where slopes do not determine them.
fn courses(a: &[Log], b: &[Log], h: f64) -> Option<Vec<Course>> {
    let off = |i: usize, j: usize| Course::new(&a[i], &b[j], h).1.norm();
    let mut out = Vec::new();
    for (x, j) in a.iter().zip(assigned([a.len(), b.len()], off)) {
        let Some(y) = j.map(|j| &b[j]) else { continue };
        let (course, open) = Course::new(x, y, h);
        let way = h.abs() * x.slope.norm().max(y.slope.norm()) + open.norm();
        if -x.l.re.max(y.l.re) > FARTHER * way {
            continue;
        }
        if open.norm() > OPEN || h.abs() * (x.slope - y.slope).norm() > BENT {
            return None;
        }
        out.push(course);
    }
    Some(out)
}

/// Where two of the courses meet, or come near to each other, and where one of them has its largest real part.
fn places(all: &[Course]) -> Vec<Place> {
    let share = |k: u32| f64::from(k) / f64::from(PLACES);
    let mut out = Vec::new();
    for (i, x) in all.iter().enumerate() {
        for y in &all[i + 1..] {
            let turns = |u: f64| (x.at(u) - y.at(u)).im / TAU;
            let off = |u: f64| turns(u) - turns(u).round();
            let mut add = |u: f64| {
                let speed = (x.slope(u) - y.slope(u)).norm();
                let mean = 0.5 * (x.at(u) + y.at(u)).re;
                // Of conjugate meetings one; what decays faster than a range of the width of the interval makes grow does not.
                if x.at(u).im.sin() >= -NEAR && -mean <= 0.5 * speed {
                    out.push(Place { u, what: What::Meeting([*x, *y]), bent: speed * speed });
                }
            };
            for k in 0..PLACES {
                let [before, here, next] = [share(k.saturating_sub(1)), share(k), share(k + 1)];
                if turns(here).floor().total_cmp(&turns(next).floor()).is_ne() {
                    let level = turns(here).floor().max(turns(next).floor());
                    let [from, to] = [here, next].map(|u| turns(u) - level);
                    add(here + (next - here) * from / (from - to));
                } else if k > 0
                    && off(here).abs() < off(before).abs().min(off(next).abs()).min(NEAR)
                    && off(before) * off(next) > 0.0
                {
                    add(here);
                }
            }
        }
    }
    out
}

/// Where a course has its largest real part inside, above its ends by more than `unseen`, and may reach zero.
fn rise(course: &Course, unseen: f64) -> Option<Place> {
    let share = |k: u32| f64::from(k) / f64::from(PLACES);
    let re = |u: &f64| course.at(*u).re;
    let u = (1..PLACES).map(share).max_by(|u, v| re(u).total_cmp(&re(v)))?;
    let [low, high] = [re(&0.0).min(re(&1.0)), re(&0.0).max(re(&1.0))];
    let way = re(&u) - low;
    let bent = (re(&0.0) - 2.0 * re(&0.5) + re(&1.0)).abs() * 2.0;
    let place = Place { u, what: What::Rising(*course), bent };
    (re(&u) - high > unseen && -re(&u) <= FARTHER * way).then_some(place)
}

/// A search between samples.
pub(super) struct Search<'a> {
    family: &'a Over<'a>,
    /// The last value.
    to: f64,
    /// Distance at which slopes are taken.
    aside: f64,
    /// Motions that may still be solved for.
    left: Cell<usize>,
    /// Intervals in which growth was neither found nor seen to be absent.
    undecided: RefCell<Vec<[f64; 2]>>,
}

impl<'a> Search<'a> {
    /// Between the samples of a family, which has two at least.
    pub(super) fn new(family: &'a Over<'a>, samples: &[Sample]) -> Self {
        let to = samples[samples.len() - 1].value;
        let aside = ASIDE * (samples[1].value - samples[0].value);
        let left = Cell::new(MOST * samples.len());
        Self { family, to, aside, left, undecided: RefCell::default() }
    }
    /// Intervals in which growth was neither found nor seen to be absent, in the order of the values.
    pub(super) fn into_undecided(self) -> Vec<[f64; 2]> {
        let mut out = self.undecided.into_inner();
        ascending(&mut out, |x| x[0] * self.aside.signum());
        out
    }
    /// The samples to take in addition between two, in their order.
    ///
    /// # Errors
    /// Those of a motion, where work was asked to end.
    pub(super) fn between(&self, a: &Sample, b: &Sample) -> Result<Vec<Sample>, OrbitError> {
        if !a.is_resolved() || !b.is_resolved() {
            self.undecided.borrow_mut().push([a.value, b.value]);
            if !a.grows() && !b.grows() {
                return Ok(Vec::new());
            }
        }
        self.filled(a, b, DEPTH)
    }
    fn filled(&self, a: &Sample, b: &Sample, depth: u32) -> Result<Vec<Sample>, OrbitError> {
        match [a.grows(), b.grows()] {
            [false, false] => self.hidden(a, b, depth),
            [true, true] if depth == DEPTH || depth > 0 && self.may_be_quiet(a, b)? => {
                self.halved(a, b, depth)
            }
            [true, true] => Ok(Vec::new()),
            _ if depth > DEPTH - APPROACH => self.halved(a, b, depth),
            _ => Ok(Vec::new()),
        }
    }
    fn halved(&self, a: &Sample, b: &Sample, depth: u32) -> Result<Vec<Sample>, OrbitError> {
        let middle = if depth > 0 { self.at(0.5 * (a.value + b.value), a)? } else { None };
        let Some(middle) = middle else {
            self.undecided.borrow_mut().push([a.value, b.value]);
            return Ok(Vec::new());
        };
        let mut out = self.filled(a, &middle, depth - 1)?;
        let after = self.filled(&middle, b, depth - 1)?;
        out.push(middle);
        out.extend(after);
        Ok(out)
    }
    /// A motion between samples; none where it is not found, or where there are too many.
    fn at(&self, value: f64, near: &Sample) -> Result<Option<Sample>, OrbitError> {
        let Some(left) = self.left.get().checked_sub(1) else { return Ok(None) };
        self.left.set(left);
        match self.family.at(value, Some(near)) {
            Ok(found) => Ok(Some(found)),
            Err(error) if self.family.search.options.watch.look().is_err() => Err(error),
            Err(_) => Ok(None),
        }
    }
    /// The logarithms at a sample with their slopes; none where there is no motion beside it.
    fn logs<'s>(&self, sample: &'s Sample) -> Result<&'s [Log], OrbitError> {
        if let Some(known) = sample.logs.get() {
            return Ok(known);
        }
        let inside = (self.to - sample.value) * self.aside > self.aside * self.aside;
        let aside = if inside { self.aside } else { -self.aside };
        let beside = self.at(sample.value + aside, sample)?;
        let beside = beside.as_ref().map_or_else(Vec::new, logarithms);
        let own = logarithms(sample);
        let off = |i: usize, j: usize| nearest(own[i].0 - beside[j].0).norm();
        let pairs = assigned([own.len(), beside.len()], off);
        let log = |((l, error), j): (&(c64, f64), Option<usize>)| {
            Some(Log { l: *l, slope: nearest(beside[j?].0 - l) / aside, error: *error })
        };
        let logs = own.iter().zip(pairs).filter_map(log).collect();
        Ok(sample.logs.get_or_init(|| logs))
    }
    /// Whether nothing may grow between two samples at which something does: what does has other angles, or grows less on the way.
    fn may_be_quiet(&self, a: &Sample, b: &Sample) -> Result<bool, OrbitError> {
        let first = |logs: &[Log]| logs.iter().copied().max_by(|x, y| x.l.re.total_cmp(&y.l.re));
        let (Some(x), Some(y)) = (first(self.logs(a)?), first(self.logs(b)?)) else { return Ok(true) };
        let apart = nearest(x.l - y.l).im.abs().min(nearest(x.l - y.l.conj()).im.abs());
        let way = b.value - a.value;
        Ok(apart > NEAR * TAU || x.slope.re * way < -x.l.re && y.slope.re * way > y.l.re)
    }
    /// Growth between two samples at which there is none.
    fn hidden(&self, a: &Sample, b: &Sample, depth: u32) -> Result<Vec<Sample>, OrbitError> {
        let way = b.value - a.value;
        let (x, y) = (self.logs(a)?, self.logs(b)?);
        let Some(all) = courses(x, y, way) else { return self.halved(a, b, depth) };
        let error = x.iter().chain(y).map(|log| log.error).fold(0.0, f64::max);
        let unseen = FARTHER * error * (way / self.aside).abs();
        let rises = all.iter().filter_map(|course| rise(course, unseen));
        let mut found: Vec<Sample> = Vec::new();
        for place in places(&all).into_iter().chain(rises) {
            found.extend(self.climbed([a, b], &place)?);
        }
        ascending(&mut found, |sample| (sample.value - a.value) / way);
        found.dedup_by(|x, y| x.value.total_cmp(&y.value).is_eq());
        // Ranges that begin at different places have a quiet value between them, or are one.
        let mut out: Vec<Sample> = Vec::with_capacity(found.len());
        for sample in found {
            if let Some(last) = out.pop() {
                let more = self.halved(&last, &sample, depth)?;
                out.push(last);
                out.extend(more);
            }
            out.push(sample);
        }
        Ok(out)
    }
    /// Goes to the maximum at a place between two samples: a sample at which something grows.
    fn climbed(&self, [a, b]: [&Sample; 2], place: &Place) -> Result<Option<Sample>, OrbitError> {
        let way = b.value - a.value;
        let mut looks: Vec<Look> = Vec::new();
        let (mut u, mut bent, mut expected) = (place.u, place.bent.max(f64::MIN_POSITIVE), f64::NAN);
        for _ in 0..STEPS {
            let near = if u < 0.5 { a } else { b };
            let there = self.at(a.value + u * way, near)?;
            if there.as_ref().is_some_and(Sample::grows) {
                return Ok(there);
            }
            let Some(look) = there.and_then(|there| place.what.look(&there, u)) else { break };
            // The maximum is where it was expected, and growth is not there.
            let settled = (look.value - expected).abs() <= SETTLED * expected.abs();
            let room = SETTLED * look.value.abs().sqrt();
            if settled && (look.value < -look.noise || look.growth + room < 0.0) {
                return Ok(None);
            }
            looks.push(look);
            ascending(&mut looks, |look| -look.value);
            looks.truncate(3);
            let next = match &looks[..] {
                [p] => {
                    p.u + (p.value.abs() / bent).sqrt().clamp(SHORT, 0.25)
                        * if p.u < 0.5 { 1.0 } else { -1.0 }
                }
                [p, q] => 0.5 * (p.u + q.u) + 0.5 * (p.value - q.value) / (bent * (p.u - q.u)),
                [p, q, r, ..] => {
                    let [pq, pr] = [(p, q), (p, r)].map(|(x, y)| (x.value - y.value) / (x.u - y.u));
                    let second = (pq - pr) / (q.u - r.u);
                    if second < 0.0 {
                        bent = -second;
                    }
                    0.5 * (p.u + q.u) + 0.5 * pq / bent
                }
                [] => break,
            };
            let beyond = !(0.0..=1.0).contains(&next);
            let next = next.clamp(0.0, 1.0);
            if looks.iter().any(|look| (look.u - next).abs() <= f64::EPSILON) {
                if beyond {
                    return Ok(None);
                }
                break;
            }
            let best = &looks[0];
            expected = best.value + bent * (next - best.u) * (next - best.u);
            u = next;
        }
        // Growth may be nearer to the maximum than the nearest look, or hidden by errors.
        if looks.first().is_none_or(|best| best.growth >= 0.0) {
            let half = looks.first().map_or(1.0, |best| (best.value.abs().max(best.noise) / bent).sqrt());
            let middle = looks.first().map_or(u, |best| best.u);
            let ends = [middle - half, middle + half].map(|u| a.value + u.clamp(0.0, 1.0) * way);
            self.undecided.borrow_mut().push(ends);
        }
        Ok(None)
    }
}
