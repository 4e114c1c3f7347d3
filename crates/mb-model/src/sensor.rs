//! Sensors: named outputs of a model.
//!
//! A sensor reads a quantity of the configuration, or its first or second time derivative
//! along the motion, or a multiplier. The derivatives come from the quantity itself.

use crate::element::{AngleOf, Data, Hinge, Place, Slide};
use mb_scalar::Lift;

/// A scalar quantity of the configuration of a few blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity<P = f64> {
    /// Coordinate x (0), y (1) or z (2) of a place in m.
    Coordinate {
        /// The place.
        place: Place<P>,
        /// 0, 1 or 2.
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

/// What a sensor reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading<P = f64> {
    /// A quantity.
    Value(Quantity<P>),
    /// Its first time derivative.
    Rate(Quantity<P>),
    /// Its second time derivative.
    Acceleration(Quantity<P>),
    /// The multiplier of this constraint row.
    Multiplier(usize),
}
