//! The motion of a pendulum at any amplitude, swinging or turning, by elliptic functions.
//!
//! ```text
//! x'' + w^2 sin x = 0,   x from the lowest place,   h = x'^2 / 2 + w^2 (1 - cos x)
//! swinging (h < 2 w^2):  sin(x / 2) = k sn(w t, k),                 k^2 = h / (2 w^2)
//! turning  (h > 2 w^2):  x / 2 = am(W t, k),  W = sqrt(h / 2),      k^2 = 2 w^2 / h
//! ```
//!
//! with t counted from a passage of the lowest place. The amplitude am comes from the descending
//! Landen transformation, its inverse from the arithmetic-geometric mean (DLMF 22.20, 19.8), both
//! to rounding. On the border h = 2 w^2 itself there is no period and nothing is given.

/// The motion of a pendulum x'' + w^2 sin x = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PendulumMotion {
    /// Frequency w of small swings, rad/s.
    pub frequency: f64,
    /// Angle from the lowest place at the start, rad.
    pub angle: f64,
    /// Speed at the start, rad/s.
    pub speed: f64,
}

impl PendulumMotion {
    /// Angle and speed at time `t`; `None` on the border between swinging and turning.
    pub fn at(&self, t: f64) -> Option<(f64, f64)> {
        let w = self.frequency;
        // Whole turns of the start stay: the pendulum swings about the lowest place of its turn.
        let turns = (self.angle / core::f64::consts::TAU).round() * core::f64::consts::TAU;
        let half = 0.5 * (self.angle - turns);
        // (h / 2)^(1/2), written without cancellation.
        let fastest = (0.25 * self.speed * self.speed + (w * half.sin()).powi(2)).sqrt();
        if fastest == 0.0 {
            return Some((self.angle, 0.0));
        }
        let direction = if self.speed < 0.0 { -1.0 } else { 1.0 };
        if fastest > w {
            let k = w / fastest;
            let start = incomplete(direction * half, k);
            let u = amplitude(fastest * t + start, k);
            let speed = 2.0 * fastest * (1.0 - (k * u.sin()).powi(2)).sqrt();
            return Some((turns + direction * 2.0 * u, direction * speed));
        }
        if fastest >= w {
            return None;
        }
        let k = fastest / w;
        // sin(x/2) = k sin(phi), x' = 2 k w cos(phi).
        let phase = (half.sin() / k).atan2(0.5 * self.speed / (k * w));
        let u = amplitude(w * t + incomplete(phase, k), k);
        Some((turns + 2.0 * (k * u.sin()).asin(), 2.0 * k * w * u.cos()))
    }
    /// Time of one swing to and fro, or of one whole turn, s; infinite on the border.
    pub fn period(&self) -> f64 {
        let w = self.frequency;
        let fastest = (0.25 * self.speed * self.speed + (w * (0.5 * self.angle).sin()).powi(2)).sqrt();
        if fastest > w { 2.0 * complete(w / fastest) / fastest } else { 4.0 * complete(fastest / w) / w }
    }
}

/// K(k) = pi / (2 agm(1, sqrt(1 - k^2))).
fn complete(k: f64) -> f64 {
    let (mut a, mut b) = (1.0_f64, ((1.0 - k) * (1.0 + k)).sqrt());
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (f64::midpoint(a, b), (a * b).sqrt());
    }
    core::f64::consts::PI / (a + b)
}

/// am(u, k) by descending Landen transformations.
fn amplitude(u: f64, k: f64) -> f64 {
    let mut levels = Vec::new();
    let (mut a, mut b, mut c) = (1.0_f64, ((1.0 - k) * (1.0 + k)).sqrt(), k);
    while c.abs() > 1e-15 * a {
        (a, b, c) = (f64::midpoint(a, b), (a * b).sqrt(), 0.5 * (a - b));
        levels.push((a, c));
    }
    let scale = f64::from(1_u32 << levels.len());
    let mut phi = scale * a * u;
    for (a, c) in levels.iter().rev() {
        phi = 0.5 * (phi + (c / a * phi.sin()).asin());
    }
    phi
}

/// F(phi, k), the inverse of am: whole multiples of K, and Newton's method on the rest.
fn incomplete(phi: f64, k: f64) -> f64 {
    let mut u = phi * complete(k) / core::f64::consts::FRAC_PI_2;
    for _ in 0..60 {
        let at = amplitude(u, k);
        let step = (at - phi) / (1.0 - (k * at.sin()).powi(2)).sqrt();
        u -= step;
        if step.abs() <= 1e-15 * u.abs().max(1.0) {
            break;
        }
    }
    u
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::PI;

    fn cases() -> [PendulumMotion; 8] {
        [(0.3, 0.0), (-1.2, 0.7), (2.8, -0.4), (0.2, 7.0), (3.0, -6.5), (-2.0, 9.0), (3.6, -1.0), (-9.0, 8.0)]
            .map(|(angle, speed)| PendulumMotion { frequency: 3.0, angle, speed })
    }

    /// The equation itself, by differences, and the start.
    #[test]
    fn the_motion_obeys_its_equation() {
        for p in cases() {
            let (x, v) = p.at(0.0).unwrap();
            assert!((x - p.angle).abs() < 1e-13 && (v - p.speed).abs() < 1e-12, "{p:?} {x} {v}");
            let h = 1e-4;
            for t in [0.1, 0.7, 2.3, 9.0] {
                let (before, here, after) = (p.at(t - h).unwrap(), p.at(t).unwrap(), p.at(t + h).unwrap());
                let bend = (after.1 - before.1) / (2.0 * h);
                assert!((bend + 9.0 * here.0.sin()).abs() < 1e-5, "{p:?} {t}");
                assert!(((after.0 - before.0) / (2.0 * h) - here.1).abs() < 1e-5, "{p:?} {t}");
                // The energy is that of the start.
                let energy = |x: f64, v: f64| 0.5 * v * v - 9.0 * x.cos();
                assert!((energy(here.0, here.1) - energy(p.angle, p.speed)).abs() < 1e-11);
            }
        }
    }

    #[test]
    fn periods_close() {
        for p in cases() {
            let (x, v) = p.at(p.period()).unwrap();
            let turned = ((x - p.angle) / (2.0 * PI)).round() * 2.0 * PI;
            assert!((x - turned - p.angle).abs() < 1e-12 && (v - p.speed).abs() < 1e-11, "{p:?}");
        }
        let small = PendulumMotion { frequency: 3.0, angle: 1e-6, speed: 0.0 };
        assert!((small.period() - 2.0 * PI / 3.0).abs() < 1e-12);
    }
}
