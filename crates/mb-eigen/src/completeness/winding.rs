//! Winding number of a determinant along a circle, with the eigenvalues known divided out.
//!
//! ```text
//! change of ln det S(tau) - sum_j ln(tau - tau_j) - N ln(tau - c) along the circle
//!     = 2 pi i (number inside - number of the tau_j inside - N)
//! ```
//!
//! What is left is made quiet by a smooth part and by cuts, until the ends of every step and the slopes there leave no doubt
//! ([`super::steps`]).
//! A value known and the eigenvalue it stands for, one on each side, show in neither but on a way as long as their distance: near such
//! values steps are no longer than their distance from the circle. Ahlfors, Complex Analysis, section 4.5.2.

use mb_algebra::c64;

use super::steps::{AHEAD, FIRST, Node, Smooth, turned};
use crate::EigenError;
use crate::tuning;

/// Where a step is cut.
const CUT: f64 = 0.381_966_011_250_105_1;
/// Fewest points of a circle at which the determinant is needed: two at each place of half of it.
pub(crate) const FEWEST_POINTS: usize = FIRST + 2;

/// A circle, and the eigenvalues known.
pub(crate) struct Circle {
    pub(crate) centre: c64,
    pub(crate) radius: f64,
    pub(crate) known: Vec<c64>,
    /// How many others are expected inside (N).
    pub(crate) rest: usize,
}

impl Circle {
    /// Whether a step is no longer than twice its distance from any value known.
    ///
    /// Where the eigenvalue that belongs to such a value lies on the other side of the circle, the phase turns by a full circle on a
    /// way of the length of their distance, and nowhere else.
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
    // Places by an angle and the step they belong to.
    let node = |angle: f64, step: f64| -> Result<Option<Node>, EigenError> {
        let (Some(at), Some(ahead)) = (logarithm(angle)?, logarithm(angle + AHEAD * step)?) else {
            return Ok(None);
        };
        Ok(Some(Node::measured(angle, at, ahead, AHEAD * step)))
    };
    let (first, steps) = if half { (0.0, FIRST / 2) } else { (tuning::SPARE, FIRST) };
    let step = whole / steps as f64;
    let mut nodes: Vec<Node> = Vec::new();
    for k in 0..steps + usize::from(half) {
        let Some(made) = node(first + step * k as f64, step)? else { return Ok(None) };
        nodes.push(made);
    }
    let smooth = if half {
        let others: Vec<Node> = nodes[1..steps].iter().map(Node::mirrored).collect();
        Smooth::of(&[&nodes[..], &others].concat())
    } else {
        let around = Smooth::of(&nodes);
        nodes.push(nodes[0].again());
        around
    };
    let mut open: Vec<(Node, Node, usize, usize)> = Vec::new();
    for ends in nodes.windows(2) {
        open.push((smooth.less(&ends[0]), smooth.less(&ends[1]), tuning::SWEEPS, tuning::STEPS));
    }
    let mut sum = 0.0;
    while let Some((from, to, loud, long)) = open.pop() {
        let fine = circle.is_fine(from.angle, to.angle);
        if fine && let Some(by) = turned(&from, &to) {
            sum += by;
            continue;
        }
        // Each cut leaves 0.62 of a step at most: 60 cuts come as near to a value known as 3e-13 of the radius.
        let (loud, long) =
            if fine { (loud.checked_sub(1), Some(long)) } else { (Some(loud), long.checked_sub(1)) };
        let (Some(loud), Some(long)) = (loud, long) else { return Ok(None) };
        let length = to.angle - from.angle;
        let Some(cut) = node(from.angle + CUT * length, length)? else { return Ok(None) };
        let cut = smooth.less(&cut);
        open.extend([(from, cut, loud, long), (cut, to, loud, long)]);
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
