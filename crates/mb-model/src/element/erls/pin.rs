//! A revolute joint of equivalent rigid links.
//!
//! ```text
//! with the ground or another link:   x_a - x_b = 0,   u_a - u_b = 0      ideal mechanism, then displacements
//! with anything else:                x_a + u_a - r_b = 0
//! ```
//!
//! The ideal mechanism closes by itself, and so do the displacements: only then is it the rigid mechanism that the
//! displacements count from.

use super::super::{Data, Place};
use super::ErlsPlace;
use mb_scalar::Lift;

/// What a joint ties a node to.
#[derive(Clone, Debug, PartialEq)]
pub enum PinEnd<P = f64> {
    /// A point of the ground, m.
    Ground([P; 2]),
    /// A node of a link.
    Link(ErlsPlace<P>),
    /// Any other place.
    Place(Place<P>),
}

/// Two places coincide, the first of which is a node of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct ErlsPin<P = f64> {
    /// The node.
    pub a: ErlsPlace<P>,
    /// What it is tied to.
    pub b: PinEnd<P>,
}

impl<P: Data> ErlsPin<P> {
    /// Number of constraint rows.
    pub(super) fn rows(&self) -> usize {
        if matches!(self.b, PinEnd::Place(_)) { 2 } else { 4 }
    }

    /// Writes Phi.
    pub(super) fn violation<S: Lift<P>>(&self, q: &[S], out: &mut [S]) {
        let (ideal, moved) = match &self.b {
            PinEnd::Ground(at) => (at.map(S::lift), [S::zero(); 2]),
            PinEnd::Link(b) => (b.ideal(q), b.displacement(q)),
            PinEnd::Place(b) => {
                let (r, at) = (self.a.position(q), b.position(q));
                (out[0], out[1]) = (r[0] - at.x, r[1] - at.y);
                return;
            }
        };
        let (x, u) = (self.a.ideal(q), self.a.displacement(q));
        for i in 0..2 {
            out[i] = x[i] - ideal[i];
            out[2 + i] = u[i] - moved[i];
        }
    }
}
