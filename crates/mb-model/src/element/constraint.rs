//! Constraints: coincidence, distance, relative angle, line, angle of a line, drives.
//!
//! Each gives Phi(q, t) only. Lengths enter squared and not halved,
//! Phi = |d|^2 - l^2, which keeps them polynomial; a multiplier of such a row is half the
//! force per unit length.

use super::place::rotated;
use super::{AngleOf, Data, ElementLaw, Hinge, Local, Place, Slide};
use crate::law::TimeLaw;
use crate::outline::Stroke;
use mb_scalar::Lift;

/// Two places coincide: Phi = a - b (x and y).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coincident<P = f64> {
    /// One place.
    pub a: Place<P>,
    /// The other place.
    pub b: Place<P>,
}

impl<P: Data> ElementLaw<P> for Coincident<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        Some((Stroke::Pin, vec![self.a, self.b]))
    }
    fn rows(&self) -> usize {
        2
    }
    fn row_axis(&self, i: usize) -> String {
        ["x", "y"][i].to_owned()
    }
    fn phi<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let d = self.a.position(at.q) - self.b.position(at.q);
        out[0] = d.x;
        out[1] = d.y;
    }
}

/// Two places keep a distance: Phi = |b - a|^2 - l^2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance<P = f64> {
    /// One place.
    pub a: Place<P>,
    /// The other place.
    pub b: Place<P>,
    /// Distance l in m.
    pub length: P,
}

/// |b - a|^2
fn distance_squared<P: Data, S: Lift<P>>(a: &Place<P>, b: &Place<P>, q: &[S]) -> S {
    let d = b.position(q) - a.position(q);
    d.x * d.x + d.y * d.y + d.z * d.z
}

impl<P: Data> ElementLaw<P> for Distance<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        Some((Stroke::Link, vec![self.a, self.b]))
    }
    fn rows(&self) -> usize {
        1
    }
    fn row_axis(&self, _: usize) -> String {
        "length".to_owned()
    }
    fn phi<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let l = S::lift(self.length);
        out[0] = distance_squared(&self.a, &self.b, at.q) - l * l;
    }
}

/// Two angles keep a difference: Phi = a - b - offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelativeAngle<P = f64> {
    /// One angle.
    pub a: AngleOf<P>,
    /// The other angle.
    pub b: AngleOf<P>,
    /// Difference in rad.
    pub offset: P,
}

impl<P: Data> ElementLaw<P> for RelativeAngle<P> {
    fn rows(&self) -> usize {
        1
    }
    fn row_axis(&self, _: usize) -> String {
        "angle".to_owned()
    }
    fn phi<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        out[0] = self.a.angle(at.q) - self.b.angle(at.q) - S::lift(self.offset);
    }
}

/// A place stays on a line through `base` along `axis`, which is fixed in the axes of `frame`.
///
/// ```text
/// n = k x axis (unit),   Phi = n . (point - base)
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnLine<P = f64> {
    /// The place that slides.
    pub point: Place<P>,
    /// A place on the line.
    pub base: Place<P>,
    /// Whose axes the direction is given in.
    pub frame: AngleOf<P>,
    /// Direction of the line, of length one.
    pub axis: [P; 2],
}

impl<P: Data> ElementLaw<P> for OnLine<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        let mut places = vec![self.point, self.base];
        // A second place of the line, where the axes it is given in are those of its base.
        match (self.base, self.frame) {
            (Place::Ground([x, y, z]), AngleOf::Ground) => {
                places.push(Place::Ground([x + self.axis[0], y + self.axis[1], z]));
            }
            (Place::OnPlanarBody { q, v, local: [x, y] }, AngleOf::Coordinate { q: angle, .. })
                if angle == q + 2 =>
            {
                places.push(Place::OnPlanarBody { q, v, local: [x + self.axis[0], y + self.axis[1]] });
            }
            _ => {}
        }
        Some((Stroke::Slider, places))
    }
    fn rows(&self) -> usize {
        1
    }
    fn row_axis(&self, _: usize) -> String {
        "perpendicular".to_owned()
    }
    fn phi<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let n = rotated(self.frame.angle(at.q), [-self.axis[1], self.axis[0]]);
        let d = self.point.position(at.q) - self.base.position(at.q);
        out[0] = n[0] * d.x + n[1] * d.y;
    }
}

/// How an angle coordinate is tied to the line through two points at the distance l.
///
/// Each form is singular somewhere: the sine form where cos(angle) = 0, the cosine form where
/// sin(angle) = 0 (both fix the angle only up to a reflection); the cross form nowhere, but it
/// fixes the angle only up to half a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineForm {
    /// Phi = dy - l sin(angle)
    Sine,
    /// Phi = dx - l cos(angle)
    Cosine,
    /// Phi = dy cos(angle) - dx sin(angle)
    Cross,
}

/// An angle coordinate is the inclination of the line from `a` to `b` against the x-axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AngleOfLine<P = f64> {
    /// The angle coordinate.
    pub angle: AngleOf<P>,
    /// Start of the line.
    pub a: Place<P>,
    /// End of the line.
    pub b: Place<P>,
    /// Distance of the two places in m (the cross form does not use it).
    pub length: P,
    /// Which equation ties them.
    pub form: LineForm,
}

impl<P: Data> ElementLaw<P> for AngleOfLine<P> {
    fn rows(&self) -> usize {
        1
    }
    fn row_axis(&self, _: usize) -> String {
        "angle".to_owned()
    }
    fn phi<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let (sin, cos) = self.angle.angle(at.q).sin_cos();
        let d = self.b.position(at.q) - self.a.position(at.q);
        let l = S::lift(self.length);
        out[0] = match self.form {
            LineForm::Sine => d.y - l * sin,
            LineForm::Cosine => d.x - l * cos,
            LineForm::Cross => d.y * cos - d.x * sin,
        };
    }
}

/// The quantity that a driving constraint prescribes.
#[derive(Clone, Debug, PartialEq)]
pub enum Driven<P = f64> {
    /// The difference a - b of two angles, in rad.
    Angle {
        /// The driven angle.
        a: AngleOf<P>,
        /// The angle it is measured from.
        b: AngleOf<P>,
    },
    /// The coordinate x (0), y (1) or z (2) of a place, in m.
    Coordinate {
        /// The driven place.
        place: Place<P>,
        /// 0 for x, 1 for y, 2 for z.
        axis: usize,
    },
    /// The rotation about the axis of a joint in space, in rad: Phi = 2 sin((angle - f(t)) / 2),
    /// which holds for any number of turns.
    Rotation(Box<Hinge<P>>),
    /// The displacement along the axis of a joint in space, in m.
    Displacement(Box<Slide<P>>),
    /// The distance of two places, in m: Phi = |b - a|^2 - f(t)^2.
    Distance {
        /// One place.
        a: Place<P>,
        /// The other place.
        b: Place<P>,
    },
}

/// A driving constraint: a quantity follows a given function of time f(t).
#[derive(Clone, Debug, PartialEq)]
pub struct Drive<P = f64> {
    /// What is driven.
    pub quantity: Driven<P>,
    /// f(t), in the unit of the quantity.
    pub law: TimeLaw<P>,
}

impl<P: Data> ElementLaw<P> for Drive<P> {
    fn rows(&self) -> usize {
        1
    }
    fn row_axis(&self, _: usize) -> String {
        match self.quantity {
            Driven::Angle { .. } | Driven::Rotation(_) => "angle",
            Driven::Displacement(_) => "displacement",
            Driven::Coordinate { axis, .. } => ["x", "y", "z"][axis],
            Driven::Distance { .. } => "length",
        }
        .to_owned()
    }
    fn phi<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let given = self.law.eval(at.t);
        out[0] = match &self.quantity {
            Driven::Angle { a, b } => a.angle(at.q) - b.angle(at.q) - given,
            Driven::Coordinate { place, axis } => place.position(at.q)[*axis] - given,
            Driven::Rotation(hinge) => hinge.short_of(at.q, given),
            Driven::Displacement(slide) => slide.length(at.q) - given,
            Driven::Distance { a, b } => distance_squared(a, b, at.q) - given * given,
        };
    }
}
