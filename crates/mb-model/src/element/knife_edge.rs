//! A knife edge: a skate, a blade, a keel, which moves along its heading only.
//!
//! ```text
//! h the heading of the edge at r, n the normal of what it runs on;   across = n x h / |n x h|
//! across.(v_r - v_o - w_o x (r - o)) = 0     one velocity row, no position row
//! ```
//!
//! The multiplier is minus the force across on the edge, N.

use super::rotation::{cross, dot};
use super::{Data, ElementLaw, JointFrame, Local, Place};
use crate::outline::Stroke;
use mb_scalar::Lift;

/// A point of a body that does not move across the body's heading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnifeEdge<P = f64> {
    /// The edge: its place, and its heading as the x-axis.
    pub edge: JointFrame<P>,
    /// What it runs on, whose z-axis is the normal.
    pub plane: JointFrame<P>,
}

impl<P: Data> ElementLaw<P> for KnifeEdge<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        Some((Stroke::Slider, vec![self.edge.place, self.plane.place]))
    }
    fn rows(&self) -> usize {
        1
    }
    fn velocity_rows(&self) -> usize {
        1
    }
    fn row_axis(&self, _: usize) -> String {
        "no slip across".to_owned()
    }
    fn rates<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let Self { edge, plane } = self;
        let across = cross(&plane.axis(at.q, 2), &edge.axis(at.q, 0));
        let across = across / dot(&across, &across).sqrt();
        let arm = edge.place.position(at.q) - plane.place.position(at.q);
        let plane_velocity = plane.place.velocity(at.q, at.v) + cross(&plane.attitude.spin(at.q, at.v), &arm);
        out[0] = dot(&across, &(edge.place.velocity(at.q, at.v) - plane_velocity));
    }
}
