//! The characteristic equation of the cantilever under tension, term by term as the paper has it.
//!
//! ```text
//! (r1^2 ch + r2^2 cos) / {r1^3 sh - r2^3 sin + a[-r1 sh - r2 sin]}
//!     = (r1^2 sh + r1 r2 sin) / {r1^3 ch + r1 r2^2 cos + a[-r1 ch -+ r1 cos]}
//! ```
//!
//! The lower sign follows from the condition y''' = a y' at the end; the upper one is printed.
//!
//! Paper: [yang2012] Eqs. (4.1), (4.2).
//!
//! [yang2012]: mb_eigen::direct

use std::f64::consts::TAU;

use mb_gallery::models::BeamCantilever;

use super::system::Measured;

/// Step of the search for roots, Hz; the roots of the paper's cantilever are a hundred times as far apart.
const STEP: f64 = 1e-3;
/// Steps of the search, which ends at 2 Hz.
const STEPS: usize = 2000;

/// Distance of a frequency, Hz, from the nearest root below 2 Hz, relative; the last term has the sign given.
pub(super) fn distance(frequency: f64, sign: f64) -> Measured<f64> {
    let beam = BeamCantilever { tension: 1e10, ..BeamCantilever::default() };
    let value = |f: f64| difference(&beam, f, sign);
    let mut nearest = f64::INFINITY;
    for k in 1..STEPS {
        let (mut low, mut high) = (STEP * k as f64, STEP * (k + 1) as f64);
        let at_low = value(low);
        if at_low * value(high) > 0.0 {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if at_low * value(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        nearest = nearest.min((low - frequency).abs());
    }
    if nearest.is_finite() { Ok(nearest / frequency) } else { Err("the equation has no root".to_owned()) }
}

/// Difference of the products of (4.2) across, over cosh^2(r1 l), at a frequency in Hz.
fn difference(beam: &BeamCantilever, frequency: f64, sign: f64) -> f64 {
    let (ei, line) = (beam.bending(), beam.density * beam.side.powi(2));
    let (a, b) = (beam.tension / ei, line * (TAU * frequency).powi(2) / ei);
    let root = (a * a + 4.0 * b).sqrt();
    let (r1, r2) = ((0.5 * (root + a)).sqrt(), (0.5 * (root - a)).sqrt());
    let (sin, cos) = (r2 * beam.length).sin_cos();
    let x = r1 * beam.length;
    // All over cosh, which may be large.
    let (tanh, sin, cos) = (x.tanh(), sin / x.cosh(), cos / x.cosh());
    let left = [r1 * r1 + r2 * r2 * cos, r1.powi(3) * tanh - r2.powi(3) * sin - a * (r1 * tanh + r2 * sin)];
    let right =
        [r1 * r1 * tanh + r1 * r2 * sin, r1.powi(3) + r1 * r2 * r2 * cos - a * r1 * (1.0 - sign * cos)];
    left[0] * right[1] - left[1] * right[0]
}
