//! Steps along a circle that leave no doubt how far the phase of a determinant turned.
//!
//! A phase is known up to whole turns. Many eigenvalues in a line next to a circle turn it by whole turns within a step, which is not seen in
//! the ends of the step alone; the slope at its ends shows them. A point ahead, a hundredth of the step away, measures it: to be mistaken, the
//! phase would have to turn a hundred times within the step.
//!
//! Eigenvalues that are not near make the logarithm smooth, however many they are: an entire function, whose change around the circle is zero,
//! takes their share away ([`Smooth`]). What is left must change by less than an eighth of a turn in each step, in phase and in
//! magnitude, by its ends and by the slopes there ([`turned`]). An eigenvalue x of the step away from an end adds 1/x there: one that is
//! passed within a step adds one at least to what the slopes give, and two or more cannot hide.

use mb_algebra::c64;

use crate::tuning;

/// First places along a circle, at equal distances.
pub(crate) const FIRST: usize = 16;
/// Share of a step by which the slope is measured.
pub(crate) const AHEAD: f64 = tuning::MINOR;

/// A place on the circle with the logarithm there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The angle.
    pub(crate) angle: f64,
    /// ln |det| + i arg det, known up to turns.
    pub(crate) logarithm: c64,
    /// Its change with the angle.
    pub(crate) slope: c64,
}

impl Node {
    /// From the logarithms at an angle and an angle `by` ahead.
    pub(crate) fn measured(angle: f64, logarithm: c64, ahead: c64, by: f64) -> Self {
        Self { angle, logarithm, slope: change(logarithm, ahead) / by }
    }

    /// The same a full circle on.
    pub(crate) fn again(&self) -> Self {
        Self { angle: self.angle + std::f64::consts::TAU, ..*self }
    }
}

/// The smooth part of a logarithm on a circle: sum of `b_m e^(i m angle)`, m = 1..
#[derive(Debug)]
pub(crate) struct Smooth(Vec<c64>);

impl Smooth {
    /// From the slopes at equal distances around the whole circle; whatever it is, it changes no count.
    pub(crate) fn of(nodes: &[Node]) -> Self {
        // Parts of an order from half the places on cannot be told from others.
        let orders = 1..nodes.len().div_ceil(2);
        let part = |m: usize| {
            let shares = nodes.iter().map(|node| node.slope * c64::from_polar(1.0, -(m as f64) * node.angle));
            shares.sum::<c64>() / c64::new(0.0, (m * nodes.len()) as f64)
        };
        Self(orders.map(part).collect())
    }

    /// A place with the smooth part taken away.
    pub(crate) fn less(&self, node: &Node) -> Node {
        let (mut logarithm, mut slope) = (node.logarithm, node.slope);
        for (index, b) in self.0.iter().enumerate() {
            let m = (index + 1) as f64;
            let value = b * c64::from_polar(1.0, m * node.angle);
            logarithm -= value;
            slope -= c64::new(0.0, m) * value;
        }
        Node { angle: node.angle, logarithm, slope }
    }
}

/// The change of phase from one place to the next; none where it is in doubt.
pub(crate) fn turned(from: &Node, to: &Node) -> Option<f64> {
    let length = to.angle - from.angle;
    let across = change(from.logarithm, to.logarithm);
    let all = [across, from.slope * length, to.slope * length].into_iter().all(is_quiet);
    all.then_some(across.im)
}

/// Whether a change of the logarithm is too small for whole turns of the phase to hide in it.
pub(super) fn is_quiet(change: c64) -> bool {
    change.re.abs() <= tuning::QUIET && change.im.abs() <= tuning::QUIET
}

/// From one logarithm to another, the phase in -pi..pi.
pub(super) fn change(from: c64, to: c64) -> c64 {
    let (by, full) = (to - from, std::f64::consts::TAU);
    c64::new(by.re, by.im - full * (by.im / full).round())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(angle: f64, of: &dyn Fn(f64) -> c64) -> Node {
        Node::measured(angle, of(angle), of(angle + 1e-3), 1e-3)
    }

    /// A whole turn, and five turns, within a step: both show no change at its ends, five none at a point in between either.
    #[test]
    fn whole_turns_are_not_taken_for_none() {
        for turns in [1.0, 5.0] {
            let of = |angle: f64| c64::new(0.0, turns * std::f64::consts::TAU * angle / 0.3);
            assert_eq!(turned(&node(0.2, &of), &node(0.5, &of)), None);
        }
    }

    #[test]
    fn smooth_parts_are_taken_away() {
        let of = |angle: f64| {
            let z = c64::from_polar(1.0, angle);
            3.0 * z + c64::new(1.0, -2.0) * z * z * z
        };
        let nodes: Vec<Node> =
            (0..16).map(|k| node(std::f64::consts::TAU * f64::from(k) / 16.0, &of)).collect();
        let smooth = Smooth::of(&nodes);
        let rest = smooth.less(&node(1.23, &of));
        // The slope is measured over a thousandth.
        assert!(rest.logarithm.norm() < 2e-2 && rest.slope.norm() < 2e-2, "{rest:?}");
    }
}
