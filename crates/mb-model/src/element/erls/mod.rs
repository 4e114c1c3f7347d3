//! Equivalent rigid links (ERLS): small elastic displacements counted from an ideal rigid mechanism.
//!
//! The mechanism is a tree of rigid links with absolute angles. Every node of a link has a displacement (ux, uy) and a
//! rotation in ground axes, counted from its place on the ideal rigid link; a link's base has the displacement of the tip it
//! is joined to. Terms of second order in the displacements are left out: elastic forces do no work in a motion of the
//! rigid mechanism.
//!
//! - [`ErlsBeam`]: an Euler-Bernoulli element of a link, with consistent mass, weight and damping.
//! - [`ErlsPayload`]: a mass at a node.
//! - [`ErlsPin`]: a joint that closes a loop, or ties a node to another thing.
//!
//! A motor is a [`super::Torque`] between the angles of two links, the second of which is that of the section at the tip
//! ([`super::AngleOf::Section`]).
//!
//! Paper: [palomba2019] Sec. 4.
//!
//! [palomba2019]: https://doi.org/10.3390/app9235156

mod beam;
mod chain;
mod payload;
mod pin;

use super::{Data, Dependence, ElementLaw, Local};
use mb_scalar::Lift;

pub use beam::{ErlsBeam, ErlsNode};
pub use chain::{Chain, ErlsPlace, RigidLink};
pub use payload::ErlsPayload;
pub use pin::{ErlsPin, PinEnd};

/// An element of an equivalent rigid-link system.
#[derive(Clone, Debug, PartialEq)]
pub enum Erls<P = f64> {
    /// A finite element of a link.
    Beam(ErlsBeam<P>),
    /// A mass at a node.
    Payload(ErlsPayload<P>),
    /// A joint.
    Pin(ErlsPin<P>),
}

impl<P: Data> Erls<P> {
    /// Position of a place of the element, m: of a beam at the fraction `at` of its length, of a joint its first place for 0 and
    /// its second for 1, of a payload its own.
    pub fn spot<S: Lift<P>>(&self, at: P, q: &[S]) -> [S; 2] {
        match self {
            Self::Beam(beam) => beam.position(q, at),
            Self::Payload(payload) => payload.place.position(q),
            Self::Pin(pin) => match &pin.b {
                PinEnd::Link(b) if at != P::zero() => b.position(q),
                PinEnd::Ground(b) if at != P::zero() => b.map(S::lift),
                PinEnd::Place(b) if at != P::zero() => {
                    let r = b.position(q);
                    [r.x, r.y]
                }
                _ => pin.a.position(q),
            },
        }
    }
}

impl<P: Data> ElementLaw<P> for Erls<P> {
    fn rows(&self) -> usize {
        match self {
            Self::Pin(pin) => pin.rows(),
            Self::Beam(_) | Self::Payload(_) => 0,
        }
    }
    fn row_axis(&self, i: usize) -> String {
        // Of the ideal mechanism, then of the displacements.
        ["x", "y", "ux", "uy"].get(i).map_or_else(|| format!("{}", i + 1), |axis| (*axis).to_owned())
    }
    fn dependence(&self) -> Dependence {
        match self {
            Self::Pin(_) => Dependence::NOTHING,
            Self::Beam(_) | Self::Payload(_) => Dependence { u: false, ..Dependence::EVERYTHING },
        }
    }
    fn undamped(&self) -> bool {
        match self {
            Self::Beam(beam) => beam.alpha == P::zero() && beam.beta == P::zero(),
            Self::Payload(payload) => payload.alpha == P::zero(),
            Self::Pin(_) => true,
        }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        match self {
            Self::Beam(beam) => beam.forces(at, out),
            Self::Payload(payload) => payload.forces(at, out),
            Self::Pin(_) => {}
        }
    }
    fn phi<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        if let Self::Pin(pin) = self {
            pin.violation(at.q, out);
        }
    }
}
