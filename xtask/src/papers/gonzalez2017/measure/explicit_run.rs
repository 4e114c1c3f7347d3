//! One explicit run of a linear system E x' = A x, against its exact solution.
//!
//! The run starts in an eigenvector v of the eigenvalue s, so x(t) = Re(v exp(s t)) exactly. The rates are
//! x' = E^-1 A x, so a singular E has no explicit run: that is the answer, not an error.

use mb_algebra::{Dense, Lu, c64, dense};

/// Steps in one period; Runge-Kutta's error is then about (2 pi / steps)^4.
const STEPS: usize = 1000;
/// Below this reciprocal condition number E counts as singular.
const SINGULAR_BELOW: f64 = 1e-14;

/// A first-order linear system.
pub(super) struct FirstOrder {
    /// Before the rates.
    pub(super) e: Dense,
    /// Before the states.
    pub(super) a: Dense,
}

impl FirstOrder {
    /// x = (z, z') of M z'' + C z' + K z = 0.
    pub(super) fn of_second_order(m: &Dense, c: &Dense, k: &Dense) -> Self {
        let n = m.nrows();
        let (unit, zero) = (dense::identity(n), Dense::zeros(n, n));
        Self {
            e: dense::vstack(&[&dense::hstack(&[&unit, &zero]), &dense::hstack(&[&zero, m])]),
            a: dense::vstack(&[
                &dense::hstack(&[&zero, &unit]),
                &dense::hstack(&[&dense::scale(-1.0, k), &dense::scale(-1.0, c)]),
            ]),
        }
    }

    /// Largest deviation over one period, relative to the amplitude; `None` when E is singular.
    pub(super) fn run(&self, state: &[c64], s: c64) -> Option<f64> {
        let lu = Lu::new(&self.e).ok().filter(|lu| lu.rcond() > SINGULAR_BELOW)?;
        let step = std::f64::consts::TAU / s.norm() / STEPS as f64;
        let rate = |x: &[f64]| lu.solve(&dense::matvec(&self.a, x));
        let mut x: Vec<f64> = state.iter().map(|v| v.re).collect();
        let amplitude = state.iter().map(|v| v.norm()).fold(0.0, f64::max);
        let mut worst: f64 = 0.0;
        for i in 1..=STEPS {
            x = runge_kutta(rate, &x, step);
            let grown = (s * step * i as f64).exp();
            for (numeric, start) in x.iter().zip(state) {
                let deviation = (numeric - (start * grown).re).abs() / amplitude;
                // Keeps a NaN, which f64::max would drop.
                worst = if deviation.is_nan() { f64::NAN } else { worst.max(deviation) };
            }
        }
        Some(worst)
    }
}

/// The classical fourth-order step.
fn runge_kutta(rate: impl Fn(&[f64]) -> Vec<f64>, x: &[f64], h: f64) -> Vec<f64> {
    let along = |k: &[f64], h: f64| -> Vec<f64> { x.iter().zip(k).map(|(x, k)| x + h * k).collect() };
    let k1 = rate(x);
    let k2 = rate(&along(&k1, h / 2.0));
    let k3 = rate(&along(&k2, h / 2.0));
    let k4 = rate(&along(&k3, h));
    (0..x.len()).map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_oscillator_follows_and_a_singular_system_has_no_run() {
        let one = dense::identity(1);
        let system = FirstOrder::of_second_order(&one, &dense::scale(0.2, &one), &one);
        let s = c64::new(-0.1, 0.99_f64.sqrt());
        let deviation = system.run(&[c64::new(1.0, 0.0), s], s).unwrap();
        assert!(deviation < 1e-9, "{deviation:e}");
        // A wrong eigenvalue is noticed.
        assert!(system.run(&[c64::new(1.0, 0.0), s], 1.01 * s).unwrap() > 1e-3);

        let massless = FirstOrder::of_second_order(&Dense::zeros(1, 1), &one, &one);
        assert!(massless.run(&[c64::new(1.0, 0.0), s], s).is_none());
    }
}
