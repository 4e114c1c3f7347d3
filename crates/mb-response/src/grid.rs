//! Frequencies of a band: evenly spaced ones and those around the poles.

use crate::sweep::{SweepOptions, is_undamped};
use mb_algebra::c64;

/// Distances of samples from a pole, in half-widths of its resonance.
const STEPS: [f64; 16] =
    [0.0, 0.25, 0.5, 0.75, 1.0, 1.4, 2.0, 2.8, 4.0, 6.0, 9.0, 14.0, 22.0, 35.0, 60.0, 100.0];
/// A pole with less damping than this, relative, has a resonance of this half-width drawn.
const NARROWEST: f64 = 1e-5;

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
