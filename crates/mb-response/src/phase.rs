//! Phases over the frequency without jumps.
//!
//! Of undamped systems H is real and changes its sign by half a turn, of which rounding alone would choose the direction. Numbers that are
//! real within their bounds are real here; beyond an undamped pole the phase is lower by 180 degrees, as it is with a little damping,
//! beyond a zero on the axis higher.

use crate::direct::Sample;

/// How near to half a turn a jump is one, degrees.
const HALF_TURN: f64 = 1e-6;

/// Phases of one output and input in degrees. `infinite`: frequencies of the undamped poles of this entry, rad/s.
pub fn phases(samples: &[&Sample], entry: (usize, usize), infinite: &[f64]) -> Vec<f64> {
    let mut last: Option<(f64, f64)> = None;
    let mut out = Vec::with_capacity(samples.len());
    for sample in samples {
        let (h, bound) = (sample.value[entry], sample.bound[entry]);
        let poles_from = |omega: f64| infinite.iter().any(|w| *w >= omega && *w <= sample.omega);
        let real = h.im.abs() <= bound && h.re.abs() > h.im.abs();
        let raw = if real { if h.re > 0.0 { 0.0 } else { 180.0 } } else { h.arg().to_degrees() };
        let phase = match last {
            // Zero has no angle of its own.
            Some((_, before)) if h.norm() <= bound => before,
            Some((omega, before)) => {
                let turn = (raw - before).rem_euclid(360.0);
                let half = (turn - 180.0).abs() <= HALF_TURN;
                let down = if half { poles_from(omega) } else { turn > 180.0 };
                before + if down { turn - 360.0 } else { turn }
            }
            None if real && h.re < 0.0 && poles_from(0.0) => -180.0,
            None => raw,
        };
        // Sums of turns keep no rounding.
        let whole = (phase / 180.0).round() * 180.0;
        let phase = if (phase - whole).abs() <= 1e-9 { whole } else { phase };
        last = Some((sample.omega, phase));
        out.push(phase + 0.0);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{Dense, DenseC, c64};

    fn of(values: &[(f64, f64)], infinite: &[f64]) -> Vec<f64> {
        let sample = |(k, (re, im)): (usize, &(f64, f64))| Sample {
            omega: k as f64,
            value: DenseC::from_fn(1, 1, |_, _| c64::new(*re, *im)),
            bound: Dense::from_fn(1, 1, |_, _| 1e-15),
            slope: DenseC::zeros(1, 1),
        };
        let samples: Vec<Sample> = values.iter().enumerate().map(sample).collect();
        phases(&samples.iter().collect::<Vec<_>>(), (0, 0), infinite)
    }

    #[test]
    fn rounding_chooses_no_direction() {
        for noise in [-1e-17, 0.0, -0.0, 1e-17] {
            // A pole at 0.5, a zero at 1.5, another pole at 2.5.
            let found = of(&[(1.0, noise), (-1.0, noise), (1.0, noise), (-1.0, -noise)], &[0.5, 2.5]);
            assert_eq!(found, [0.0, -180.0, 0.0, -180.0]);
            // Beyond a free motion at zero, and a negative gain.
            assert_eq!(of(&[(-1.0, noise), (-2.0, -noise)], &[0.0]), [-180.0, -180.0]);
            assert_eq!(of(&[(-1.0, noise), (-2.0, -noise), (1e-16, 0.0)], &[]), [180.0, 180.0, 180.0]);
        }
    }

    #[test]
    fn phases_have_no_jumps() {
        let turn = |k: usize| (-50.0 * k as f64).to_radians();
        let values: Vec<(f64, f64)> = (0..30).map(|k| (turn(k).cos(), turn(k).sin())).collect();
        let found = of(&values, &[]);
        assert!(found.iter().enumerate().all(|(k, p)| (p + 50.0 * k as f64).abs() < 1e-9), "{found:?}");
    }
}
