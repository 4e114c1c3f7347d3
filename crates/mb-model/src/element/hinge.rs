//! Springs, dampers and torques along the free motion of a joint in space, and moments.

use super::force::amount;
use super::rotation::lifted;
use super::{Attitude, Data, Dependence, ElementLaw, Hinge, Local, Place, Slide};
use crate::law::TimeLaw;
use crate::outline::Stroke;
use mb_scalar::Lift;

/// A torsional spring and damper about the axis of a joint in space.
///
/// ```text
/// torque on a = -k (angle - angle0) - c angle',  on b the opposite
/// ```
///
/// The angle is from -pi to pi, where it jumps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HingeSpring<P = f64> {
    /// The joint's frames.
    pub hinge: Hinge<P>,
    /// Stiffness in N m/rad.
    pub stiffness: P,
    /// Angle at rest in rad.
    pub natural_angle: P,
    /// Damping in N m s/rad.
    pub damping: P,
}

impl<P: Data> ElementLaw<P> for HingeSpring<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        let stroke = if self.stiffness == P::zero() { Stroke::TorsionDamper } else { Stroke::TorsionSpring };
        Some((stroke, vec![self.hinge.a.place, self.hinge.b.place]))
    }
    fn dependence(&self) -> Dependence {
        Dependence { q: true, v: self.damping != P::zero(), a: false, u: false }
    }
    fn potential<S: Lift<P>>(&self, at: &Local<'_, S>) -> S {
        if self.stiffness == P::zero() {
            return S::zero();
        }
        let twist = self.hinge.angle(at.q) - S::lift(self.natural_angle);
        S::lift(self.stiffness) * twist * twist.scale(0.5)
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let mut torque = S::zero();
        if self.stiffness != P::zero() {
            let twist = self.hinge.angle(at.q) - S::lift(self.natural_angle);
            torque += S::lift(self.stiffness) * twist;
        }
        if self.damping != P::zero() {
            torque += S::lift(self.damping) * self.hinge.rate(at.q, at.v);
        }
        self.hinge.twist(at.q, torque, out);
    }
}

/// What an effort along the free motion of a joint in space acts on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effort<P = f64> {
    /// A torque about the axis, N m.
    Torque(Hinge<P>),
    /// A force along the axis, N.
    Force(Slide<P>),
}

/// A torque or force of magnitude(t) + u along the free motion of a joint in space, on a and
/// with its reaction on b: a motor.
#[derive(Clone, Debug, PartialEq)]
pub struct Motor<P = f64> {
    /// Where it acts.
    pub effort: Effort<P>,
    /// Magnitude in N m or N as a function of time.
    pub magnitude: TimeLaw<P>,
    /// True when an input adds to the magnitude.
    pub has_input: bool,
}

impl<P: Data> ElementLaw<P> for Motor<P> {
    fn inputs(&self) -> usize {
        usize::from(self.has_input)
    }
    fn dependence(&self) -> Dependence {
        Dependence { q: true, v: false, a: false, u: self.has_input }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let magnitude = amount(&self.magnitude, self.has_input, at);
        match &self.effort {
            Effort::Torque(hinge) => hinge.twist(at.q, -magnitude, out),
            Effort::Force(slide) => slide.push(at.q, -magnitude, out),
        }
    }
}

/// A moment of magnitude(t) + u on a body in space, with its reaction on another or the ground.
///
/// A dead moment keeps its direction in the ground; it is not conservative.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment<P = f64> {
    /// The body it turns.
    pub on: Attitude<P>,
    /// The body that carries the reaction.
    pub from: Attitude<P>,
    /// Direction in the axes of `frame`; its length multiplies the magnitude.
    pub direction: [P; 3],
    /// Whose axes the direction is fixed in.
    pub frame: Attitude<P>,
    /// Magnitude in N m per unit of `direction` as a function of time.
    pub magnitude: TimeLaw<P>,
    /// True when an input adds to the magnitude.
    pub has_input: bool,
}

impl<P: Data> ElementLaw<P> for Moment<P> {
    fn inputs(&self) -> usize {
        usize::from(self.has_input)
    }
    fn dependence(&self) -> Dependence {
        Dependence { q: true, v: false, a: false, u: self.has_input }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let magnitude = amount(&self.magnitude, self.has_input, at);
        let moment = self.frame.turned(at.q, &lifted(self.direction)) * magnitude;
        self.on.twist(at.q, &-moment, out);
        self.from.twist(at.q, &moment, out);
    }
}
