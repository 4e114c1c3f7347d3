//! Scalar quantities of the configuration: what sensors read and couplings tie together.

use super::{AngleOf, Data, ErlsPlace, Hinge, Place, Slide};
use mb_scalar::Lift;

/// A scalar quantity of the configuration of a few blocks.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity<P = f64> {
    /// Coordinate x (0), y (1) or z (2) of a place in m.
    Coordinate {
        /// The place.
        place: Place<P>,
        /// 0, 1 or 2.
        axis: usize,
    },
    /// Coordinate x (0) or y (1) of a node of an equivalent rigid link in m.
    Node {
        /// The node.
        place: ErlsPlace<P>,
        /// 0 or 1.
        axis: usize,
    },
    /// The difference a - b of two angles in rad.
    Angle {
        /// The angle.
        a: AngleOf<P>,
        /// The angle it is measured from.
        b: AngleOf<P>,
    },
    /// The rotation about the axis of a joint in space in rad, from -pi to pi.
    Rotation(Hinge<P>),
    /// The displacement along the axis of a joint in space in m.
    Displacement(Slide<P>),
    /// The distance of two places in m.
    Distance {
        /// One place.
        a: Place<P>,
        /// The other place.
        b: Place<P>,
    },
}

impl<P: Data> Quantity<P> {
    /// The value at a local configuration.
    pub fn eval<S: Lift<P>>(&self, q: &[S]) -> S {
        match self {
            Self::Coordinate { place, axis } => place.position(q)[*axis],
            Self::Node { place, axis } => place.position(q)[*axis],
            Self::Angle { a, b } => a.angle(q) - b.angle(q),
            Self::Rotation(hinge) => hinge.angle(q),
            Self::Displacement(slide) => slide.length(q),
            Self::Distance { a, b } => {
                let d = b.position(q) - a.position(q);
                (d.x * d.x + d.y * d.y + d.z * d.z).sqrt()
            }
        }
    }
}

impl<P> Quantity<P> {
    /// Unit of the quantity.
    pub(crate) fn unit(&self) -> &'static str {
        match self {
            Self::Coordinate { .. } | Self::Node { .. } | Self::Displacement(_) | Self::Distance { .. } => {
                "m"
            }
            Self::Angle { .. } | Self::Rotation(_) => "rad",
        }
    }
}
