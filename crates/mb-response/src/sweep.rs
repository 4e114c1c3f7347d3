//! H over a band of frequencies, denser at resonances and where it changes fast.
//!
//! The poles of the band are given, so that none is stepped over: around each pole -d +- i w the distances of the samples
//! from w and from the peak (w^2 - d^2)^1/2 grow from a fraction of d to the spacing of the others. Then intervals are halved
//! in whose middle log |H| or the phase is off the straight line by more than [`SweepOptions::change`], or H in the complex plane is
//! an arc that is seen over its chord, so that the loop of a resonance is round.

use crate::direct::{Response, Sample, Solved};
use crate::error::ResponseError;
use crate::grid::grid;
use crate::limit::{Limit, Undamped};
use crate::projection::{HEAVY, Projection};
use mb_algebra::{Dense, Stopped, c64, interrupt};

/// Operations that the samples of a band may cost before intervals are no longer halved: minutes on one core.
const AFFORDABLE: f64 = 6e10;
/// Vectors that a projection has without a pole in the band, and more for each one.
const VECTORS: [f64; 2] = [30.0, 4.0];
/// Work of a vector over that of a direct solution: images by a factor that is there.
const OF_VECTOR: f64 = 0.25;
/// Operations of a solution by projection, by the second and the third power of the vectors.
const OF_REDUCED: [f64; 2] = [50.0, 1.0];
/// The same over that of a symmetric problem: images on both sides.
const OF_UNSYMMETRIC: f64 = 3.0;
/// A damping ratio that is rounding of a pole: it counts as undamped, so that no sample is put on it. Who knows the error of a pole gives it
/// no real part where that is none for sure.
const UNDAMPED: f64 = 4.0 * f64::EPSILON;
/// Height of an arc of H over the chord between two samples, over the largest |H| of the entry, that is as much as a relative change of
/// one: a circle of that diameter has a sample every seven degrees with the change of 0.05.
const IN_PLANE: f64 = 0.02;
/// Frequencies that a resonance and the antiresonance beside it take of one entry.
const OF_RESONANCE: usize = 100;
/// Values of H that are kept.
const MOST_VALUES: usize = 4_000_000;
/// Frequencies at which a projection is tried before it is left aside where it has served none.
const IN_VAIN: usize = 64;
/// How often an interval is halved at most.
const HALVINGS: u32 = 8;

/// How H is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// By projection where that saves work and has a bound, else directly.
    #[default]
    Automatic,
    /// One factorization for each frequency.
    Direct,
    /// By projection wherever it has a bound.
    Projection,
}

/// How H was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// One factorization for each frequency.
    Direct,
    /// The same, because the projection has no bound.
    Unproved {
        /// The reason.
        why: String,
    },
    /// By projection.
    Projection {
        /// Modes counted in and near the band, all in the space.
        modes: usize,
        /// Vectors of the space.
        vectors: usize,
        /// Frequencies where the bound missed its tolerance, or that are poles: solved for by a factorization each.
        direct: usize,
    },
}

/// Settings of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepOptions {
    /// Evenly spaced frequencies. Default 400.
    pub points: usize,
    /// Evenly spaced in the logarithm of the frequency. Default false.
    pub logarithmic: bool,
    /// Frequencies of the caller, rad/s: these alone, nothing is added. Default none.
    pub only: Option<Vec<f64>>,
    /// Off the straight line by this much between two samples, another is put between them: relative change of |H| and rad of phase,
    /// and in the complex plane the height of an arc over its chord by a fiftieth of that share of the largest |H|. Default 0.05.
    pub change: f64,
    /// Most frequencies in all. Default none: [`SweepOptions::most_for`] the points, the poles and the entries of H.
    pub most: Option<usize>,
    /// How H is found. Default automatic.
    pub method: Method,
}

impl Default for SweepOptions {
    fn default() -> Self {
        Self {
            points: 400,
            logarithmic: false,
            only: None,
            change: 0.05,
            most: None,
            method: Method::Automatic,
        }
    }
}

impl SweepOptions {
    /// Most frequencies in all where none is given: ten times as many as the evenly spaced ones, at least 4000, and what the resonances and
    /// antiresonances of every entry take between two of so many poles; at most 100,000, and no more than four million values of H.
    pub fn most_for(points: usize, poles: usize, entries: usize) -> usize {
        let narrow = OF_RESONANCE.saturating_mul(poles).saturating_mul(entries);
        let all = points.saturating_mul(10).max(4_000).saturating_add(narrow);
        all.min(100_000).min(MOST_VALUES / entries.max(1)).max(points)
    }
}

/// One frequency of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SweptPoint {
    /// omega, rad/s.
    pub omega: f64,
    /// H with its bound; none at an undamped pole that an entry of it has.
    pub sample: Option<Sample>,
    /// At such a pole H all the same, where other entries do not have it: those that have it are infinite.
    pub partly: Option<Sample>,
}

impl SweptPoint {
    /// A frequency with H.
    pub fn new(sample: Sample) -> Self {
        Self { omega: sample.omega, sample: Some(sample), partly: None }
    }
    /// A frequency at which H has no value.
    pub fn infinite(omega: f64) -> Self {
        Self { omega, sample: None, partly: None }
    }
    /// With H and its bound as `of` has them of the entries.
    #[must_use]
    pub fn map(self, of: impl Fn(Sample) -> Sample) -> Self {
        Self { omega: self.omega, sample: self.sample.map(&of), partly: self.partly.map(&of) }
    }
}

/// H over a band.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// In increasing frequency.
    pub points: Vec<SweptPoint>,
    /// Factorizations that were made.
    pub factorizations: usize,
    /// How H was found.
    pub how: How,
    /// Whether frequencies ran out before H was straight between all of them.
    pub ran_out: bool,
    /// What ended the work before all frequencies were reached; those that were are there.
    pub stopped: Option<Stopped>,
}

/// H from `from` to `to` (rad/s). `poles`: eigenvalues of the system in and near the band, rad/s.
///
/// # Errors
/// [`ResponseError::BadFrequency`] for ends that are not finite; memory and failures of factorizations. Poles on the samples
/// are no errors.
pub fn sweep(
    response: &Response,
    band: [f64; 2],
    poles: &[c64],
    options: &SweepOptions,
) -> Result<Sweep, ResponseError> {
    let omegas = grid(band, poles, options);
    Evaluator::new(response, options, poles).sweep(&omegas)
}

/// Frequencies that direct solutions may take.
fn most(response: &Response) -> usize {
    let affordable = AFFORDABLE / response.operations();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1e5")]
    let count = affordable.clamp(0.0, 1e5) as usize;
    count
}

pub(crate) fn is_undamped(pole: c64) -> bool {
    pole.re.abs() <= UNDAMPED * pole.norm()
}

/// Entries of H (output, input) that are infinite, by undamped pole in increasing frequency, rad/s; none at poles that H does not have.
pub type Infinite = Vec<(f64, Vec<(usize, usize)>)>;

/// H at any frequency.
#[derive(Debug)]
pub struct Evaluator<'a> {
    response: &'a Response,
    options: &'a SweepOptions,
    /// Imaginary parts of the poles that are too lightly damped for a projection without their motions, rad/s.
    frequencies: Vec<f64>,
    /// Poles given.
    poles: usize,
    projection: Option<Projection<'a>>,
    unproved: Option<String>,
    /// Frequencies that the projection has served, and those that were solved for.
    projected: usize,
    direct: usize,
    undamped: Vec<Undamped>,
    /// H beside undamped poles that were met, with their places in `undamped`.
    limits: Vec<(usize, Option<Limit>)>,
}

impl<'a> Evaluator<'a> {
    /// Prepared for any frequencies. `poles`: eigenvalues of the system in and near the band, rad/s; where H does not have an
    /// undamped one of them it gets its value there.
    pub fn new(response: &'a Response, options: &'a SweepOptions, poles: &[c64]) -> Self {
        let highest = poles.iter().map(|p| p.norm()).fold(0.0, f64::max);
        let undamped = Undamped::of(poles, is_undamped, if highest > 0.0 { highest } else { 1.0 });
        let light = |p: &&c64| p.re.abs() < 0.5 * HEAVY * p.norm();
        let frequencies = poles.iter().filter(light).map(|p| p.im).collect();
        let (projection, unproved, limits) = (None, None, Vec::new());
        Self {
            response,
            options,
            frequencies,
            poles: poles.len(),
            projection,
            unproved,
            projected: 0,
            direct: 0,
            undamped,
            limits,
        }
    }

    /// Makes the projection for these frequencies where the options and the work ask for one.
    pub fn prepare(&mut self, omegas: &[f64]) {
        let wanted = match self.options.method {
            Method::Direct => false,
            Method::Projection => true,
            Method::Automatic => self.projection_saves(omegas),
        };
        if wanted && self.projection.is_none() {
            match Projection::new(self.response, omegas) {
                Ok(projection) => self.projection = Some(projection),
                Err(why) => self.unproved = Some(why.to_string()),
            }
        }
    }

    /// Whether a projection, its space included, takes less work than a direct solution for each of these frequencies.
    fn projection_saves(&self, omegas: &[f64]) -> bool {
        let plant = &self.response.plant;
        let highest = omegas.iter().copied().fold(0.0, f64::max);
        let poles = self.frequencies.iter().filter(|w| **w > 0.0 && **w <= highest).count();
        let vectors = VECTORS[0] + VECTORS[1] * poles as f64;
        let (direct, count) = (self.response.operations(), omegas.len() as f64);
        let sides = if self.response.symmetric { 1.0 } else { OF_UNSYMMETRIC };
        let reduced = sides * (OF_REDUCED[0] + OF_REDUCED[1] * vectors) * vectors * vectors;
        2.0 * vectors < plant.n().saturating_sub(plant.m()) as f64
            && OF_VECTOR * vectors * direct + count * reduced < count * direct
    }

    /// H at these frequencies (rad/s, increasing), and between them where it is not straight unless the options name the frequencies.
    ///
    /// # Errors
    /// As [`Evaluator::at`].
    pub fn sweep(&mut self, omegas: &[f64]) -> Result<Sweep, ResponseError> {
        self.prepare(omegas);
        let (mut points, mut stopped) = (Vec::with_capacity(omegas.len()), None);
        for omega in omegas {
            match interrupt::attempt(|| self.at(*omega)) {
                Ok(point) => points.push(point?),
                Err(why) => {
                    stopped = Some(why);
                    break;
                }
            }
        }
        let mut ran_out = false;
        if self.options.only.is_none() && stopped.is_none() {
            let affordable = if self.projection.is_some() { usize::MAX } else { most(self.response) };
            let entries = self.response.plant.inputs() * self.response.plant.outputs();
            let most = SweepOptions::most_for(self.options.points, self.poles, entries);
            let most = self.options.most.unwrap_or(most).min(affordable);
            match interrupt::attempt(|| self.refined(points.clone(), most)) {
                Ok(refined) => (points, ran_out) = refined?,
                Err(why) => stopped = Some(why),
            }
        }
        let made = self.projection.as_ref().map_or(0, Projection::factorizations);
        let how = match (&self.projection, &self.unproved) {
            (Some(p), _) => How::Projection { modes: p.modes(), vectors: p.vectors(), direct: self.direct },
            (None, Some(why)) => How::Unproved { why: why.clone() },
            (None, None) => How::Direct,
        };
        Ok(Sweep { points, factorizations: made + self.direct, how, ran_out, stopped })
    }

    /// H at omega (rad/s); none at an undamped pole.
    ///
    /// # Errors
    /// [`ResponseError::BadFrequency`]; memory and failures of factorizations.
    pub fn at(&mut self, omega: f64) -> Result<SweptPoint, ResponseError> {
        interrupt::check();
        if !omega.is_finite() {
            return Err(ResponseError::BadFrequency { omega });
        }
        let Some(place) = self.undamped.iter().position(|p| p.covers(omega)) else {
            return Ok(self.off_poles(omega)?.map_or_else(|| SweptPoint::infinite(omega), SweptPoint::new));
        };
        let Some(limit) = self.limit(place)?.map(|l| l.value(omega)) else {
            return Ok(SweptPoint::infinite(omega));
        };
        let count = limit.entries().filter(|at| limit.value[*at].is_finite()).count();
        if count == limit.entries().count() {
            return Ok(SweptPoint::new(limit));
        }
        // Beside a pole that H has, and not on it, values are large and known. On it the equations may have a solution all the same, as
        // at rest where the rate of a free motion grows without bound and no rate is in the equations.
        if !self.undamped[place].is_at(omega)
            && let Some(sample) = self.off_poles(omega)?
        {
            return Ok(SweptPoint::new(sample));
        }
        Ok(SweptPoint { omega, sample: None, partly: (count > 0).then_some(limit) })
    }

    /// H at omega by a solution of the equations; none beside an undamped pole of H where these show no digit. Elsewhere an entry
    /// without a digit is one that vanishes, within its bound.
    fn off_poles(&mut self, omega: f64) -> Result<Option<Sample>, ResponseError> {
        let Some(Solved { sample, lost }) = self.solved(omega)? else { return Ok(None) };
        let beside = self.undamped.iter().position(|p| lost && p.is_beside(omega));
        let Some(place) = beside else { return Ok(Some(sample)) };
        let pole = self.undamped[place].omega;
        let finite = |limit: Limit| {
            let value = limit.value(pole);
            value.entries().all(|at| value.value[at].is_finite())
        };
        Ok(self.limit(place)?.is_some_and(finite).then_some(sample))
    }

    /// H at omega with or without digits; none where the equations have no solution.
    fn solved(&mut self, omega: f64) -> Result<Option<Solved>, ResponseError> {
        let projected = self.projection.as_ref().and_then(|p| p.at(omega));
        if let Some(sample) = projected.filter(|sample| !sample.is_lost(0.0)) {
            self.projected += 1;
            return Ok(Some(Solved { sample, lost: false }));
        }
        self.direct += 1;
        self.give_up();
        match self.response.solved(omega) {
            Ok(solved) => Ok(Some(solved)),
            Err(ResponseError::Pole { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Leaves the projection aside where it was not asked for and has served none of the first frequencies.
    fn give_up(&mut self) {
        let in_vain =
            self.projected == 0 && self.direct >= IN_VAIN && self.options.method == Method::Automatic;
        if in_vain && let Some(projection) = self.projection.take() {
            self.direct += projection.factorizations();
            self.unproved =
                Some(format!("its bound missed the tolerance at the first {IN_VAIN} frequencies"));
        }
    }

    /// H beside an undamped pole, computed once.
    fn limit(&mut self, place: usize) -> Result<Option<Limit>, ResponseError> {
        if let Some((_, known)) = self.limits.iter().find(|(k, _)| *k == place) {
            return Ok(known.clone());
        }
        let at = self.undamped[place];
        let samples = at.places().into_iter().map(|w| self.solved(w)).collect::<Result<Vec<_>, _>>()?;
        let limit = Limit::new(at, samples.into_iter().map(|s| s.map(|s| s.sample)).collect());
        self.limits.push((place, limit.clone()));
        Ok(limit)
    }

    /// Entries of H (output, input) that are infinite at the undamped poles from `from` to `to` (rad/s), by pole; a pole without any is
    /// none of H.
    ///
    /// # Errors
    /// As [`Evaluator::at`].
    pub fn infinite(&mut self, [from, to]: [f64; 2]) -> Result<Infinite, ResponseError> {
        let mut out = Vec::new();
        for place in 0..self.undamped.len() {
            let omega = self.undamped[place].omega;
            if omega < from || omega > to {
                continue;
            }
            let (ny, nu) = (self.response.plant.outputs(), self.response.plant.inputs());
            let list = match self.limit(place)? {
                Some(limit) => {
                    let value = limit.value(omega);
                    value.entries().filter(|at| !value.value[*at].is_finite()).collect()
                }
                None => (0..ny).flat_map(|o| (0..nu).map(move |i| (o, i))).collect(),
            };
            out.push((omega, list));
        }
        Ok(out)
    }

    /// Halves intervals in which H is not straight; whether frequencies ran out before all were.
    fn refined(
        &mut self,
        points: Vec<SweptPoint>,
        most: usize,
    ) -> Result<(Vec<SweptPoint>, bool), ResponseError> {
        let mut room = most.saturating_sub(points.len());
        let mut sorted = points;
        let mut ran_out = false;
        for _ in 0..HALVINGS {
            let mut out: Vec<SweptPoint> = Vec::with_capacity(2 * sorted.len());
            let largest = largest(&sorted);
            let bent: Vec<bool> = (0..sorted.len()).map(|k| self.bends(&sorted, k)).collect();
            let round: Vec<bool> = (0..sorted.len()).map(|k| self.arches(&sorted, k, &largest)).collect();
            let mut added = false;
            for (k, point) in sorted.into_iter().enumerate() {
                if let Some(last) = out.last()
                    && (bent[k] || bent[k - 1] || round[k])
                    && point.omega - last.omega > 1e-7 * point.omega
                {
                    if room == 0 {
                        ran_out = true;
                        out.push(point);
                        continue;
                    }
                    let middle = self.at(0.5 * (last.omega + point.omega))?;
                    room -= 1;
                    // Nobody asked for the middle between two samples around a pole.
                    if middle.sample.is_some() {
                        out.push(middle);
                        added = true;
                    }
                }
                out.push(point);
            }
            sorted = out;
            if !added {
                break;
            }
        }
        Ok((sorted, ran_out))
    }

    /// Whether H at the point k is off the line between its neighbours.
    fn bends(&self, points: &[SweptPoint], k: usize) -> bool {
        let Some([a, b, c]) =
            k.checked_sub(1).and_then(|j| points.get(j..j + 3)).map(|p| [&p[0], &p[1], &p[2]])
        else {
            return false;
        };
        let (Some(first), Some(middle), Some(last)) = (&a.sample, &b.sample, &c.sample) else { return false };
        let share = (b.omega - a.omega) / (c.omega - a.omega);
        let entries = (0..middle.value.ncols()).flat_map(|i| (0..middle.value.nrows()).map(move |o| (o, i)));
        entries.into_iter().any(|at| {
            let line = first.value[at] * (1.0 - share) + last.value[at] * share;
            let size = first.value[at].norm().min(last.value[at].norm()).max(middle.value[at].norm());
            (middle.value[at] - line).norm() > self.options.change * size && middle.bound[at] < 0.01 * size
        })
    }

    /// Whether H from the point k - 1 to the point k is an arc over its chord in the complex plane that is seen, judged with the points
    /// before and after; `largest` |H| by entry.
    fn arches(&self, points: &[SweptPoint], k: usize, largest: &Dense) -> bool {
        let sample = |k: Option<usize>| k.and_then(|k| points.get(k)).and_then(|p| p.sample.as_ref());
        let (Some(b), Some(c)) = (sample(k.checked_sub(1)), sample(Some(k))) else { return false };
        let entries = (0..b.value.ncols()).flat_map(|i| (0..b.value.nrows()).map(move |o| (o, i)));
        entries.into_iter().any(|at| {
            let seen = IN_PLANE * self.options.change * largest[at];
            let known = |s: &&Sample| s.bound[at] < 0.1 * seen;
            let high = |other: Option<&Sample>, b: &Sample, c: &Sample| {
                other.filter(known).is_some_and(|a| height(a.value[at], b.value[at], c.value[at]) > seen)
            };
            let ends = known(&b) && known(&c);
            ends && (high(sample(k.checked_sub(2)), b, c) || high(sample(Some(k + 1)), c, b))
        })
    }
}

/// Height over the chord from b to c of the arc through a, b and c in the complex plane: its curvature 2 |(b - a) x (c - b)| / (|b - a|
/// |c - b| |c - a|) times |c - b|^2 / 8.
fn height(a: c64, b: c64, c: c64) -> f64 {
    let ([first, second], whole) = ([b - a, c - b], c - a);
    let cross = (first.re * second.im - first.im * second.re).abs();
    // Three points on a line, or that agree, have no arc.
    if cross > 0.0 { 0.25 * cross * second.norm() / (first.norm() * whole.norm()) } else { 0.0 }
}

/// The largest finite |H| by entry.
fn largest(points: &[SweptPoint]) -> Dense {
    let mut samples = points.iter().filter_map(|p| p.sample.as_ref());
    let (rows, columns) = samples.next().map_or((0, 0), |s| s.value.shape());
    Dense::from_fn(rows, columns, |o, i| {
        let sizes = points.iter().filter_map(|p| p.sample.as_ref()).map(|s| s.value[(o, i)].norm());
        sizes.filter(|size| size.is_finite()).fold(0.0, f64::max)
    })
}
