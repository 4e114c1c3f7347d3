//! H on an undamped pole that it does not have.
//!
//! A motion that no input excites or no output sees is a pole of the system and none of H, but on it the equations are singular.
//! H is analytic there, so that its value follows from values on both sides, where the equations have a solution:
//!
//! ```text
//! H(i (w_0 + t)) = sum_k l_k(t) H(i (w_0 + t_k)),    t_k = -4h, -2h, -h, h, 2h, 4h,   l_k of Lagrange
//! ```
//!
//! with h a thousandth of the distance to the next pole, which makes the error of the polynomial of the order (4h / distance)^6. Whether H
//! has the pole is seen in the same values: of c_1 / t + c_2 / t^2 the odd and the even part show c_1 and c_2.

use crate::direct::Sample;
use mb_algebra::{Dense, DenseC, c64};

/// h over the distance to the next pole.
const STEP: f64 = 1e-3;
/// The places of the samples over h.
const PLACES: [f64; 6] = [-4.0, -2.0, -1.0, 1.0, 2.0, 4.0];
/// Distance from the pole, over h, up to which H is taken from the values beside it.
const BESIDE: f64 = 1e-3;
/// Distance from the pole, over h, up to which a frequency is the pole itself.
const ON: f64 = 1e-9;
/// Poles at a smaller relative distance are one.
const SAME: f64 = 1e-7;
/// c_1 over h |H|, and c_2 over h^2 |H|, that rounding of the entries of M, C and K leaves of a pole that H does not have: 1e-11 of
/// |H| times the distance to the next pole.
const NOTHING: f64 = 1e-8;
/// Bound over |H| above which values show nothing.
const KNOWN: f64 = 1e-6;
/// Share of the difference between the polynomials through two and through three pairs that is taken as error of the latter; it is
/// about 16 (h / distance)^2.
const REST: f64 = 1e-3;

/// Undamped poles at one frequency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Undamped {
    /// omega, rad/s; zero for free motions.
    pub(crate) omega: f64,
    /// Spacing of the samples beside it, rad/s.
    pub(crate) step: f64,
}

impl Undamped {
    /// The frequencies of undamped poles that have a distance to the others. `is_undamped` says which poles are, `highest` is the end of
    /// what is known, rad/s.
    pub(crate) fn of(poles: &[c64], is_undamped: impl Fn(c64) -> bool, highest: f64) -> Vec<Self> {
        let mut omegas: Vec<f64> =
            poles.iter().filter(|p| p.im >= 0.0 && is_undamped(**p)).map(|p| p.im).collect();
        omegas.sort_by(f64::total_cmp);
        omegas.dedup_by(|a, b| (*a - *b).abs() <= SAME * b.abs());
        let reach = |omega: f64| {
            let own = c64::new(0.0, omega);
            let away = poles.iter().flat_map(|p| [*p, p.conj()]).map(|p| (p - own).norm());
            let others = away.filter(|d| *d > SAME * omega);
            others.fold(if omega > 0.0 { omega } else { highest }, f64::min)
        };
        let with_step = |omega: f64| Self { omega, step: STEP * reach(omega) };
        omegas.into_iter().map(with_step).filter(|p| p.step > 0.0 && p.step.is_finite()).collect()
    }

    /// True where H is taken from the values beside the pole.
    pub(crate) fn covers(&self, omega: f64) -> bool {
        (omega - self.omega).abs() <= BESIDE * self.step
    }

    /// True where the frequency is that of the pole.
    pub(crate) fn is_at(&self, omega: f64) -> bool {
        (omega - self.omega).abs() <= ON * self.step
    }

    /// True where the pole may take the digits of H.
    pub(crate) fn is_beside(&self, omega: f64) -> bool {
        (omega - self.omega).abs() <= self.step
    }

    /// The frequencies of the samples, rad/s.
    pub(crate) fn places(&self) -> [f64; 6] {
        PLACES.map(|k| self.omega + k * self.step)
    }
}

/// H beside a pole.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    at: Undamped,
    samples: Vec<Sample>,
}

impl Limit {
    /// From samples at [`Undamped::places`]; none where one of them has no value.
    pub(crate) fn new(at: Undamped, samples: Vec<Option<Sample>>) -> Option<Self> {
        let samples: Option<Vec<Sample>> = samples.into_iter().collect();
        samples.map(|samples| Self { at, samples })
    }

    /// H at omega (rad/s) with its bound; both infinite for entries that have the pole.
    pub(crate) fn value(&self, omega: f64) -> Sample {
        let (ny, nu) = self.samples[0].value.shape();
        let t = (omega - self.at.omega) / self.at.step;
        let (mut value, mut bound) = (DenseC::zeros(ny, nu), Dense::zeros(ny, nu));
        for entry in (0..nu).flat_map(|i| (0..ny).map(move |o| (o, i))) {
            (value[entry], bound[entry]) =
                self.entry(entry, t).unwrap_or((c64::new(f64::INFINITY, 0.0), f64::INFINITY));
        }
        // That of the nearest samples, on both sides.
        let slope = DenseC::from_fn(ny, nu, |o, i| {
            0.5 * (self.samples[2].slope[(o, i)] + self.samples[3].slope[(o, i)])
        });
        Sample { omega, value, bound, slope }
    }

    /// The value of one entry; none where it has the pole.
    fn entry(&self, entry: (usize, usize), t: f64) -> Option<(c64, f64)> {
        let values: Vec<c64> = self.samples.iter().map(|s| s.value[entry]).collect();
        let bounds: Vec<f64> = self.samples.iter().map(|s| s.bound[entry]).collect();
        let size = values.iter().map(|v| v.norm()).fold(0.0, f64::max);
        let bound = bounds.iter().copied().fold(0.0, f64::max);
        // In pairs at 1, 2 and 4 steps: odd parts are c_1 / t + a_1 t + ..., even parts c_2 / t^2 + a_0 + a_2 t^2 + ...
        let pairs = [(2, 3, 1.0), (1, 4, 2.0), (0, 5, 4.0)];
        let odd = pairs.map(|(a, b, k)| 0.5 * k * (values[b] - values[a]));
        let even = pairs.map(|(a, b, k)| 0.5 * k * k * (values[b] + values[a]));
        let allowed = NOTHING * size + 8.0 * bound;
        // What the polynomials leave out is seen where H is zero at the pole.
        let pole = [odd, even].into_iter().any(|part| to_zero(part).norm() > allowed + rest(part));
        if pole || bound > KNOWN * size {
            return (size <= bound && bound.is_finite()).then_some((values[2], 2.0 * bound));
        }
        let weights: Vec<f64> = (0..6).map(|k| lagrange(k, t)).collect();
        let value: c64 = values.iter().zip(&weights).map(|(v, w)| v * w).sum();
        let sum: f64 = bounds.iter().zip(&weights).map(|(b, w)| b * w.abs()).sum();
        let means = pairs.map(|(a, b, _)| 0.5 * (values[b] + values[a]));
        Some((value, sum + rest(means) + 8.0 * f64::EPSILON * size))
    }
}

/// The value at zero of the parabola in t^2 through values at t = 1, 2 and 4.
fn to_zero([one, two, four]: [c64; 3]) -> c64 {
    (64.0 * one - 20.0 * two + four) / 45.0
}

/// Error of the value at zero: a share of its difference from that of the line through the values at t = 1 and 2.
fn rest(values: [c64; 3]) -> f64 {
    let by_two = (4.0 * values[0] - values[1]) / 3.0;
    REST * (by_two - to_zero(values)).norm()
}

/// l_k(t) of the places.
fn lagrange(k: usize, t: f64) -> f64 {
    let others = PLACES.iter().enumerate().filter(|(j, _)| *j != k);
    others.map(|(_, x)| (t - x) / (PLACES[k] - x)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(h: impl Fn(f64) -> c64, omega: f64) -> Option<(c64, f64)> {
        let at = Undamped { omega: 3.0, step: 1e-3 };
        let sample = |w: f64| {
            let value = h(w);
            Some(Sample {
                omega: w,
                value: DenseC::from_fn(1, 1, |_, _| value),
                bound: Dense::from_fn(1, 1, |_, _| f64::EPSILON * value.norm()),
                slope: DenseC::zeros(1, 1),
            })
        };
        let found = Limit::new(at, at.places().into_iter().map(sample).collect()).unwrap().value(omega);
        found.value[(0, 0)].is_finite().then(|| (found.value[(0, 0)], found.bound[(0, 0)]))
    }

    #[test]
    fn what_is_no_pole_has_its_value_and_what_is_one_has_none() {
        let smooth = |w: f64| c64::new(1.0, 0.0) / c64::new(4.0 - w * w, 0.1 * w);
        for omega in [3.0, 3.0 + 1e-6] {
            let (value, bound) = limit(smooth, omega).unwrap();
            let error = (value - smooth(omega)).norm();
            assert!(error <= bound && bound < 1e-13 * value.norm(), "{error:e} {bound:e}");
        }
        // Poles of the first and of the second order, weak ones too.
        for weak in [1.0, 1e-6] {
            assert_eq!(limit(|w| smooth(w) + weak / (w - 3.0), 3.0), None);
            assert_eq!(limit(|w| smooth(w) + weak / (w - 3.0).powi(2), 3.0), None);
        }
        assert_eq!(limit(|_| c64::new(0.0, 0.0), 3.0).map(|v| v.0), Some(c64::new(0.0, 0.0)));
        // A zero at the place of the pole, as of the acceleration of a free body with friction.
        let from_zero = |w: f64| {
            let s = c64::new(0.0, w - 3.0);
            s / (s * 0.5 + 1.0)
        };
        let (value, bound) = limit(from_zero, 3.0).unwrap();
        assert!(value.norm() <= bound && bound < 1e-11, "{value:e} {bound:e}");
        assert_eq!(limit(|w| from_zero(w) + 1e-8 / (w - 3.0), 3.0), None);
    }

    #[test]
    fn poles_at_one_frequency_are_one_and_their_step_is_that_to_the_next() {
        let poles =
            [c64::new(0.0, 2.0), c64::new(0.0, -2.0), c64::new(0.0, 2.0 + 1e-12), c64::new(-0.1, 3.0)];
        let found = Undamped::of(&poles, |p| p.re == 0.0, 9.0);
        assert_eq!(found.len(), 1);
        assert!(
            (found[0].omega - 2.0).abs() < 1e-9 && (found[0].step - 1e-3 * 1.0_f64.hypot(0.1)).abs() < 1e-9
        );
        // A free motion, alone.
        let found = Undamped::of(&[c64::new(0.0, 0.0)], |p| p.re == 0.0, 9.0);
        assert!(found.len() == 1 && found[0].omega == 0.0 && (found[0].step - 9e-3).abs() < 1e-15);
    }
}
