//! H over a band of frequencies, denser at resonances and where it changes fast.
//!
//! The poles of the band are given, so that none is stepped over: around each pole -d +- i w the distances of the samples
//! from w and from the peak (w^2 - d^2)^1/2 grow from a fraction of d to the spacing of the others. Then intervals are halved
//! in whose middle log |H| or the phase is off the straight line by more than [`SweepOptions::change`].

use crate::direct::{Response, Sample};
use crate::error::ResponseError;
use crate::limit::{Limit, Undamped};
use crate::projection::Projection;
use mb_algebra::c64;

/// Operations that the samples of a band may cost before intervals are no longer halved: minutes on one core.
const AFFORDABLE: f64 = 6e10;
/// Frequencies up to which no projection is made.
const FEW: usize = 20;
/// Operations of direct solutions beyond which a projection is made: in all, and for each unknown.
const WORTH: f64 = 1e10;
const WORTH_EACH: f64 = 4e6;
/// Distances of samples from a pole, in half-widths of its resonance.
const STEPS: [f64; 16] =
    [0.0, 0.25, 0.5, 0.75, 1.0, 1.4, 2.0, 2.8, 4.0, 6.0, 9.0, 14.0, 22.0, 35.0, 60.0, 100.0];
/// A pole with less damping than this, relative, has a resonance of this half-width drawn.
const NARROWEST: f64 = 1e-5;
/// A damping ratio up to which a pole counts as undamped, so that no sample is put on it.
const UNDAMPED: f64 = 1e-9;
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
    /// Off the straight line by this much between two samples, another is put between them: relative change of |H| and rad of phase.
    /// Default 0.05.
    pub change: f64,
    /// Most frequencies in all. Default 4000.
    pub most: usize,
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
            most: 4000,
            method: Method::Automatic,
        }
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

fn is_undamped(pole: c64) -> bool {
    pole.re.abs() <= UNDAMPED * pole.norm()
}

/// Evenly spaced frequencies, both ends among them, and those around the poles, or those of the options alone; rad/s.
pub fn grid([from, to]: [f64; 2], poles: &[c64], options: &SweepOptions) -> Vec<f64> {
    if let Some(list) = &options.only {
        return list.clone();
    }
    let count = options.points.max(2);
    let share = |k: usize| k as f64 / (count - 1) as f64;
    let mut out: Vec<f64> = (0..count)
        .map(|k| {
            if options.logarithmic && from > 0.0 {
                from * (to / from).powf(share(k))
            } else {
                from + (to - from) * share(k)
            }
        })
        .collect();
    out[count - 1] = to;
    let spacing = |w: f64| {
        if options.logarithmic && from > 0.0 {
            w * ((to / from).ln() / (count - 1) as f64)
        } else {
            (to - from) / (count - 1) as f64
        }
    };
    for pole in poles.iter().filter(|p| p.im > 0.0) {
        let width = pole.re.abs().max(NARROWEST * pole.im);
        let undamped = is_undamped(*pole);
        let peak = (pole.im * pole.im - pole.re * pole.re).max(0.0).sqrt();
        for centre in [pole.im, peak] {
            for step in STEPS {
                let away = step * width;
                if (away == 0.0 && undamped) || away > 2.0 * spacing(pole.im) {
                    continue;
                }
                out.extend([centre - away, centre + away]);
            }
        }
        // Evenly spaced samples do not fall on an undamped pole.
        if undamped {
            out.retain(|w| (w - pole.im).abs() > 0.1 * NARROWEST * pole.im);
        }
    }
    // The ends stay, whatever lies on them.
    out.extend([from, to]);
    out.retain(|w| *w >= from && *w <= to);
    out.sort_by(f64::total_cmp);
    out.dedup_by(|a, b| {
        let same = (*a - *b).abs() <= 1e-9 * b.abs();
        if same && *a >= to {
            *b = to;
        }
        same
    });
    out
}

/// Entries of H (output, input) that are infinite, by undamped pole in increasing frequency, rad/s; none at poles that H does not have.
pub type Infinite = Vec<(f64, Vec<(usize, usize)>)>;

/// H at any frequency.
#[derive(Debug)]
pub struct Evaluator<'a> {
    response: &'a Response,
    options: &'a SweepOptions,
    projection: Option<Projection<'a>>,
    unproved: Option<String>,
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
        Self { response, options, projection: None, unproved: None, direct: 0, undamped, limits: Vec::new() }
    }

    /// Makes the projection for these frequencies where the options and the work ask for one.
    pub fn prepare(&mut self, omegas: &[f64]) {
        let operations = self.response.operations() * omegas.len() as f64;
        let wanted = match self.options.method {
            Method::Direct => false,
            Method::Projection => true,
            Method::Automatic => {
                omegas.len() > FEW && operations > WORTH + WORTH_EACH * self.response.plant.n() as f64
            }
        };
        if wanted && self.projection.is_none() {
            match Projection::new(self.response, omegas) {
                Ok(projection) => self.projection = Some(projection),
                Err(why) => self.unproved = Some(why.to_string()),
            }
        }
    }

    /// H at these frequencies (rad/s, increasing), and between them where it is not straight unless the options name the frequencies.
    ///
    /// # Errors
    /// As [`Evaluator::at`].
    pub fn sweep(&mut self, omegas: &[f64]) -> Result<Sweep, ResponseError> {
        self.prepare(omegas);
        let mut points = omegas.iter().map(|w| self.at(*w)).collect::<Result<Vec<_>, _>>()?;
        if self.options.only.is_none() {
            let affordable = if self.projection.is_some() { usize::MAX } else { most(self.response) };
            points = self.refined(points, self.options.most.min(affordable))?;
        }
        let made = self.projection.as_ref().map_or(0, Projection::factorizations);
        let how = match (&self.projection, &self.unproved) {
            (Some(p), _) => How::Projection { modes: p.modes(), vectors: p.vectors(), direct: self.direct },
            (None, Some(why)) => How::Unproved { why: why.clone() },
            (None, None) => How::Direct,
        };
        Ok(Sweep { points, factorizations: made + self.direct, how })
    }

    /// H at omega (rad/s); none at an undamped pole.
    ///
    /// # Errors
    /// [`ResponseError::BadFrequency`]; memory and failures of factorizations.
    pub fn at(&mut self, omega: f64) -> Result<SweptPoint, ResponseError> {
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

    /// H at omega by a solution of the equations; none where these show no digit.
    fn off_poles(&mut self, omega: f64) -> Result<Option<Sample>, ResponseError> {
        let projected = self.projection.as_ref().and_then(|p| p.at(omega));
        if let Some(sample) = projected.filter(|sample| !sample.is_lost(0.0)) {
            return Ok(Some(sample));
        }
        self.direct += 1;
        match self.response.direct(omega) {
            Ok(sample) => Ok(Some(sample)),
            Err(ResponseError::Pole { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// H beside an undamped pole, computed once.
    fn limit(&mut self, place: usize) -> Result<Option<Limit>, ResponseError> {
        if let Some((_, known)) = self.limits.iter().find(|(k, _)| *k == place) {
            return Ok(known.clone());
        }
        let at = self.undamped[place];
        let samples = at.places().into_iter().map(|w| self.off_poles(w)).collect::<Result<Vec<_>, _>>()?;
        let limit = Limit::new(at, samples);
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

    /// Halves intervals in which H is not straight.
    fn refined(&mut self, points: Vec<SweptPoint>, most: usize) -> Result<Vec<SweptPoint>, ResponseError> {
        let mut room = most.saturating_sub(points.len());
        let mut sorted = points;
        for _ in 0..HALVINGS {
            let mut out: Vec<SweptPoint> = Vec::with_capacity(2 * sorted.len());
            let bent: Vec<bool> = (0..sorted.len()).map(|k| self.bends(&sorted, k)).collect();
            let mut added = false;
            for (k, point) in sorted.into_iter().enumerate() {
                if let Some(last) = out.last()
                    && room > 0
                    && (bent[k] || bent[k - 1])
                    && point.omega - last.omega > 1e-7 * point.omega
                {
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
        Ok(sorted)
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_gather_at_poles_and_avoid_undamped_ones() {
        let options = SweepOptions { points: 11, ..SweepOptions::default() };
        let poles = [c64::new(-0.01, 5.0), c64::new(0.0, 7.0)];
        let found = grid([0.0, 10.0], &poles, &options);
        let near = |w: f64, d: f64| found.iter().filter(|x| (*x - w).abs() <= d).count();
        assert!(near(5.0, 0.011) >= 9 && near(5.0, 0.1) >= 15, "{found:?}");
        assert!(near(7.0, 0.0) == 0 && near(7.0, 1e-3) >= 10, "{found:?}");
        assert!(found.windows(2).all(|p| p[0] < p[1]));
        assert_eq!((found[0], found[found.len() - 1]), (0.0, 10.0));
    }
}
