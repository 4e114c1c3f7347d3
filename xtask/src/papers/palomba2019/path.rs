//! The joint trajectory of the paper's Fig. 2.
//!
//! The tip moves by 0.3 m in 0.5 s along a horizontal line; the paper prints no time law. The one
//! adopted has the normalised speed
//!
//! ```text
//! v (z - sin(2 pi z) / (2 pi)),   z = s / r while s = t / T < r,   v = 1 / (1 - r)
//! ```
//!
//! v between, and the mirror image while braking, with r = 0.3.
//!
//! Paper: [palomba2019] Sec. 4, Fig. 2.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

use std::f64::consts::TAU;

/// Height and mid-point of the tip's line, m: those of the printed operating point's rigid links.
const LINE: [f64; 2] = [0.390_655_724_950_662_25, 0.172_112_471_581_807_87];
const TRAVEL: f64 = 0.3;
const DURATION: f64 = 0.5;
const RAMP: f64 = 0.3;
/// Points of the path that the figures show.
pub(super) const SAMPLES: usize = 51;

/// Joint angles, speeds and accelerations at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Time, s.
    pub(super) t: f64,
    /// rad.
    pub(super) q: [f64; 2],
    /// rad/s.
    pub(super) qd: [f64; 2],
    /// rad/s^2.
    pub(super) qdd: [f64; 2],
}

impl Sample {
    /// The same angles at rest.
    pub(super) fn at_rest(&self) -> Self {
        Self { qd: [0.0; 2], qdd: [0.0; 2], ..*self }
    }
}

/// The samples of the path of an arm with the lengths given.
pub(super) fn samples(length: [f64; 2]) -> Vec<Sample> {
    (0..SAMPLES).map(|i| sample(length, DURATION * i as f64 / (SAMPLES - 1) as f64)).collect()
}

/// Way, speed and acceleration of the normalised law at s in 0..1.
fn law(s: f64) -> [f64; 3] {
    let v = 1.0 / (1.0 - RAMP);
    if s > 0.5 {
        let [x, dx, ddx] = law(1.0 - s);
        return [1.0 - x, dx, -ddx];
    }
    if s >= RAMP {
        return [v * RAMP / 2.0 + v * (s - RAMP), v, 0.0];
    }
    let z = s / RAMP;
    let (sin, cos) = (TAU * z).sin_cos();
    let way = v * RAMP * (z * z / 2.0 + (cos - 1.0) / (TAU * TAU));
    [way, v * (z - sin / TAU), v / RAMP * (1.0 - cos)]
}

/// Inverse kinematics with the elbow up; angles are absolute.
fn sample([l1, l2]: [f64; 2], t: f64) -> Sample {
    let [x, dx, ddx] = law(t / DURATION);
    let tip = [LINE[0] + TRAVEL / 2.0 - TRAVEL * x, LINE[1]];
    let (speed, acceleration) = (-TRAVEL * dx / DURATION, -TRAVEL * ddx / DURATION.powi(2));
    let reach = tip[0].hypot(tip[1]);
    let opening = ((l1 * l1 + reach * reach - l2 * l2) / (2.0 * l1 * reach)).acos();
    let q1 = tip[1].atan2(tip[0]) + opening;
    let (s1, c1) = q1.sin_cos();
    let q2 = (tip[1] - l1 * s1).atan2(tip[0] - l1 * c1);
    let (s2, c2) = q2.sin_cos();
    // [-l1 s1, -l2 s2; l1 c1, l2 c2] w = (wx, wy)
    let determinant = l1 * l2 * (q2 - q1).sin();
    let solve =
        |wx: f64, wy: f64| [l2 * (c2 * wx + s2 * wy) / determinant, -l1 * (c1 * wx + s1 * wy) / determinant];
    let qd = solve(speed, 0.0);
    let centripetal = [l1 * qd[0].powi(2), l2 * qd[1].powi(2)];
    let qdd = solve(
        acceleration + centripetal[0] * c1 + centripetal[1] * c2,
        centripetal[0] * s1 + centripetal[1] * s2,
    );
    Sample { t, q: [q1, q2], qd, qdd }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates are the derivatives of the angles, and the tip is where the law says.
    #[test]
    fn rates_are_derivatives() {
        let length = [0.6, 0.45];
        let h = 1e-5;
        for t in [0.02, 0.11, 0.25, 0.4] {
            let (before, now, after) = (sample(length, t - h), sample(length, t), sample(length, t + h));
            for i in 0..2 {
                let speed = (after.q[i] - before.q[i]) / (2.0 * h);
                let acceleration = (after.qd[i] - before.qd[i]) / (2.0 * h);
                assert!((speed - now.qd[i]).abs() < 1e-6, "{t}: {speed} {}", now.qd[i]);
                assert!((acceleration - now.qdd[i]).abs() < 1e-4, "{t}: {acceleration} {}", now.qdd[i]);
            }
        }
        let [start, _, end] = [0, 25, 50].map(|i| samples(length)[i]);
        let tip = |s: &Sample| 0.6 * s.q[0].cos() + 0.45 * s.q[1].cos();
        assert!((tip(&start) - tip(&end) - TRAVEL).abs() < 1e-12);
        assert!(start.qd.iter().chain(&end.qd).all(|w| w.abs() < 1e-12));
    }
}
