//! Winding number of a determinant along a circle, with the eigenvalues known divided out.
//!
//! ```text
//! change of ln det S(tau) - sum_j ln(tau - tau_j) - N ln(tau - c) along the circle
//!     = 2 pi i (number inside - number of the tau_j inside - N)
//! ```
//!
//! The first step measures how fast the phase turns, and steps are cut, at uneven points, until none changes the logarithm by more than
//! an eighth of a turn, in its phase and in its magnitude. Two eigenvalues next to the circle turn the phase by a full circle between two
//! points, which is not seen; but of three points at uneven distances one is much nearer to them than another, and the magnitude shows it.
//! A value known and the eigenvalue it stands for, one on each side, show in neither but on a way as long as their distance: near such
//! values steps are no longer than their distance from the circle. Ahlfors, Complex Analysis, section 4.5.2.

use mb_algebra::c64;

use super::steps::{change, is_quiet};
use crate::EigenError;
use crate::tuning;

/// Where a step is cut.
const CUT: f64 = 0.381_966_011_250_105_1;
/// First steps at least and at most.
const STEPS: [usize; 2] = [4, 48];
/// Fewest points of a circle at which the determinant is needed.
pub(crate) const FEWEST_POINTS: usize = 2 * STEPS[0] + 1;

/// A circle, and the eigenvalues known.
pub(crate) struct Circle {
    pub(crate) centre: c64,
    pub(crate) radius: f64,
    pub(crate) known: Vec<c64>,
    /// How many others are expected inside (N).
    pub(crate) rest: usize,
}

impl Circle {
    /// Adds points from the last one to an angle, so near to each other that no step is longer than twice its distance from a value known.
    ///
    /// Where the eigenvalue that belongs to such a value lies on the other side of the circle, the phase turns by a full circle on a
    /// way of the length of their distance, and nowhere else. None where a value is so near to the circle that the steps do not get there.
    fn cut_finely(&self, places: &mut Vec<f64>, to: f64, depth: usize) -> Option<()> {
        let from = places.last().copied().unwrap_or(to);
        if self.is_fine(from, to) {
            places.push(to);
            return Some(());
        }
        let left = depth.checked_sub(1)?;
        self.cut_finely(places, from + CUT * (to - from), left)?;
        self.cut_finely(places, to, left)
    }

    /// Whether a step between two angles is no longer than twice its distance from any value known.
    pub(crate) fn is_fine(&self, from: f64, to: f64) -> bool {
        let nearest = self.known.iter().map(|known| self.distance(*known, from, to));
        (to - from) * self.radius <= 2.0 * nearest.fold(f64::INFINITY, f64::min)
    }

    /// Distance of a point from the arc between two angles.
    fn distance(&self, point: c64, from: f64, to: f64) -> f64 {
        let off = point - self.centre;
        let ahead = (off.arg() - from).rem_euclid(std::f64::consts::TAU);
        if ahead <= to - from {
            return (off.norm() - self.radius).abs();
        }
        let end = |angle: f64| (off - c64::from_polar(self.radius, angle)).norm();
        end(from).min(end(to))
    }
}

/// Eigenvalues inside beyond those known and expected, as the turns of the phase, which close to a whole number; none when `left`
/// determinants are not enough.
///
/// `ln_determinant` at a point of the circle, up to multiples of 2 pi i; none where rounding leaves it in doubt.
pub(crate) fn turns(
    circle: &Circle,
    left: usize,
    ln_determinant: impl Fn(c64) -> Result<Option<c64>, EigenError>,
) -> Result<Option<f64>, EigenError> {
    let full = std::f64::consts::TAU;
    let left = std::cell::Cell::new(left);
    let logarithm = |angle: f64| -> Result<Option<c64>, EigenError> {
        if left.get() == 0 {
            return Ok(None);
        }
        left.set(left.get() - 1);
        let off = c64::from_polar(circle.radius, angle);
        let tau = circle.centre + off;
        let Some(whole) = ln_determinant(tau)? else { return Ok(None) };
        let known: c64 = circle.known.iter().map(|known| (tau - known).ln()).sum();
        Ok(Some(whole - known - off.ln() * circle.rest as f64))
    };
    // Half a circle does where the other half is its mirror image.
    let mirrored = |tau: &c64| tau.im == 0.0 || circle.known.iter().any(|other| *other == tau.conj());
    let half = circle.centre.im == 0.0 && circle.known.iter().all(mirrored);
    let whole = if half { 0.5 * full } else { full };
    let start = tuning::SPARE;
    let first = if half { 0.0 } else { start };
    // Angle over which the first step measures the slope.
    let (Some(at), Some(near)) = (logarithm(first)?, logarithm(first + tuning::SLIGHT)?) else {
        return Ok(None);
    };
    let slope = (change(at, near).im / tuning::SLIGHT).abs();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded before")]
    let least = (slope * whole / tuning::QUIET).min(1e6) as usize;
    let steps = least.clamp(STEPS[0], STEPS[1]);
    // Every part changes the phase by tuning::QUIET at most and takes a point, and every step is cut once.
    if least.max(2 * steps - 1) > left.get() {
        return Ok(None);
    }
    let mut open: Vec<(f64, c64, f64, c64, usize)> = Vec::new();
    let mut before = (first, at);
    // Steps of different lengths.
    let mut places = vec![first];
    for step in 1..=steps {
        let share = step as f64 / steps as f64;
        let bent =
            share + tuning::PARTLY / (steps * steps) as f64 * (step * (steps - step)) as f64 / steps as f64;
        // Only steps next to a value known are cut, and each cut leaves 0.62 of it at most: 60 cuts come as near as 3e-13 of the radius.
        if circle.cut_finely(&mut places, first + whole * bent, tuning::STEPS).is_none() {
            return Ok(None);
        }
    }
    if 2 * places.len() > left.get() {
        return Ok(None);
    }
    for (index, &angle) in places.iter().enumerate().skip(1) {
        let closed = index + 1 == places.len() && !half;
        let next = if closed { Some(at) } else { logarithm(angle)? };
        let Some(next) = next else { return Ok(None) };
        open.push((before.0, before.1, angle, next, tuning::SWEEPS));
        before = (angle, next);
    }
    let mut sum = 0.0;
    while let Some((from, start, to, end, depth)) = open.pop() {
        // Each of the others takes a point at least.
        if open.len() >= left.get() {
            return Ok(None);
        }
        let cut = from + CUT * (to - from);
        let Some(middle) = logarithm(cut)? else { return Ok(None) };
        let (one, two) = (change(start, middle), change(middle, end));
        if is_quiet(one) && is_quiet(two) {
            sum += one.im + two.im;
        } else if depth == 0 {
            return Ok(None);
        } else {
            open.push((from, start, cut, middle, depth - 1));
            open.push((cut, middle, to, end, depth - 1));
        }
    }
    Ok(Some(if half { 2.0 * sum / full } else { sum / full }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of eigenvalues a thousandth inside the circle, or a hundred-millionth, one is known where none is; its own lies across, as far as a
    /// few hundredths of the radius away.
    #[test]
    fn a_value_known_on_the_wrong_side_of_the_circle_is_reported() {
        let centre = c64::new(0.2, -0.3);
        for place in 0..40 {
            for (off, near) in [(2e-3, 1e-3), (1e-2, 1e-3), (5e-2, 1e-3), (2e-8, 1e-8), (1e-5, 1e-8)] {
                let direction = c64::from_polar(1.0, 0.157 * f64::from(place));
                let (inside, across) = (centre + direction * (1.0 - near), centre + direction * (1.0 + off));
                let other = centre + direction * c64::new(0.2, 0.4);
                let circle = Circle { centre, radius: 1.0, known: vec![inside, other], rest: 0 };
                let exact = |tau: c64| Ok(Some((tau - across).ln() + (tau - other).ln()));
                let turned = turns(&circle, 1000, exact).unwrap().unwrap();
                assert!((turned + 1.0).abs() < 1e-9, "{place} {off}: {turned}");
            }
        }
    }
}
