//! Points of a flexible link: at a node or between two.

use super::hermite::{cubic, cubic_slope};
use mb_scalar::{Lift, Real};

/// First local indices of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Of its configuration.
    pub q: usize,
    /// Of its velocities.
    pub v: usize,
}

/// A point of a flexible link in the axes of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkPoint<P = f64> {
    /// A node.
    Node {
        /// Its elastic coordinates.
        node: Slot,
        /// Its arc length in the undeformed link, m.
        station: P,
    },
    /// A point between two neighbouring nodes.
    Span {
        /// The elastic coordinates of both.
        nodes: [Slot; 2],
        /// Arc length of the first, m.
        start: P,
        /// Length h between them, m.
        length: P,
        /// Where between them, from 0 to 1.
        xi: P,
    },
}

/// Sum of `weights` times the displacements (ux and uy) of two nodes.
fn interpolated<S: Real>(z: &[S], i: usize, j: usize, xi: S, h: S) -> [S; 2] {
    let w = cubic(xi);
    let x = z[i] + xi * (z[j] - z[i]);
    [x, w[0] * z[i + 1] + w[1] * h * z[i + 2] + w[2] * z[j + 1] + w[3] * h * z[j + 2]]
}
/// Slope of the deflection between two nodes.
fn slope<S: Real>(z: &[S], i: usize, j: usize, xi: S, h: S) -> S {
    let w = cubic_slope(xi);
    (w[0] * z[i + 1] + w[2] * z[j + 1]) / h + w[1] * z[i + 2] + w[3] * z[j + 2]
}

impl<P: Real> LinkPoint<P> {
    /// Position in the axes of the frame, m.
    pub fn position<S: Lift<P>>(&self, q: &[S]) -> [S; 2] {
        match *self {
            Self::Node { node, station } => [S::lift(station) + q[node.q], q[node.q + 1]],
            Self::Span { nodes: [a, b], start, length, xi } => {
                let (xi, h) = (S::lift(xi), S::lift(length));
                let [x, y] = interpolated(q, a.q, b.q, xi, h);
                [S::lift(start) + xi * h + x, y]
            }
        }
    }
    /// Elastic velocity in the axes of the frame, m/s.
    pub fn velocity<S: Lift<P>>(&self, v: &[S]) -> [S; 2] {
        match *self {
            Self::Node { node, .. } => [v[node.v], v[node.v + 1]],
            Self::Span { nodes: [a, b], length, xi, .. } => {
                interpolated(v, a.v, b.v, S::lift(xi), S::lift(length))
            }
        }
    }
    /// Adds the generalized force of `force` (N, in the axes of the frame) on the nodes.
    pub fn push<S: Lift<P>>(&self, force: [S; 2], out: &mut [S]) {
        match *self {
            Self::Node { node, .. } => {
                out[node.v] += force[0];
                out[node.v + 1] += force[1];
            }
            Self::Span { nodes: [a, b], length, xi, .. } => {
                let (xi, h) = (S::lift(xi), S::lift(length));
                let w = cubic(xi);
                out[a.v] += (S::one() - xi) * force[0];
                out[b.v] += xi * force[0];
                out[a.v + 1] += w[0] * force[1];
                out[a.v + 2] += w[1] * h * force[1];
                out[b.v + 1] += w[2] * force[1];
                out[b.v + 2] += w[3] * h * force[1];
            }
        }
    }
    /// Rotation of the section against the frame, rad.
    pub fn rotation<S: Lift<P>>(&self, q: &[S]) -> S {
        match *self {
            Self::Node { node, .. } => q[node.q + 2],
            Self::Span { nodes: [a, b], length, xi, .. } => slope(q, a.q, b.q, S::lift(xi), S::lift(length)),
        }
    }
    /// Its rate, rad/s.
    pub fn rotation_rate<S: Lift<P>>(&self, v: &[S]) -> S {
        match *self {
            Self::Node { node, .. } => v[node.v + 2],
            Self::Span { nodes: [a, b], length, xi, .. } => slope(v, a.v, b.v, S::lift(xi), S::lift(length)),
        }
    }
    /// Adds a torque (N m) on the section.
    pub fn twist<S: Lift<P>>(&self, torque: S, out: &mut [S]) {
        match *self {
            Self::Node { node, .. } => out[node.v + 2] += torque,
            Self::Span { nodes: [a, b], length, xi, .. } => {
                let (w, per_length) = (cubic_slope(S::lift(xi)), torque / S::lift(length));
                out[a.v + 1] += w[0] * per_length;
                out[a.v + 2] += w[1] * torque;
                out[b.v + 1] += w[2] * per_length;
                out[b.v + 2] += w[3] * torque;
            }
        }
    }
}
